"""No test measures time: Hypothesis' deadline would make tests fail on a busy machine."""

import signal

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("hassle", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("hassle")


def pytest_runtest_setup(item):
    """OR-Tools, as CPMpy calls it, takes Python's handler of Ctrl-C away; a test that presses it would end them all."""
    signal.signal(signal.SIGINT, signal.getsignal(signal.SIGINT))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Scikit-learn's comparison of weights with repeated rows fits large data many times: it takes minutes."""
    for item in items:
        if "check_sample_weight_equivalence" in item.name:
            item.add_marker(pytest.mark.slow)
