"""No test measures time: Hypothesis' deadline would make tests fail on a busy machine."""

import gc
import signal

import pytest
from hypothesis import HealthCheck, settings

ALWAYS = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
# Examples of properties that do not say themselves how many: twice Hypothesis' own number where slow tests run, too.
settings.register_profile("quick", ALWAYS, max_examples=50)
settings.register_profile("thorough", ALWAYS, max_examples=200)


def pytest_configure(config):
    settings.load_profile("quick" if config.option.markexpr == "not slow" else "thorough")


def pytest_runtest_setup(item):
    """OR-Tools, as CPMpy calls it, takes Python's handler of Ctrl-C away; a test that presses it would end them all."""
    signal.signal(signal.SIGINT, signal.getsignal(signal.SIGINT))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Scikit-learn's comparison of weights with repeated rows fits large data many times: it takes minutes."""
    for item in items:
        if "check_sample_weight_equivalence" in item.name:
            item.add_marker(pytest.mark.slow)


def pytest_collection_finish():
    """What all tests import stays: Python need not look through it for garbage again and again."""
    gc.collect()
    gc.freeze()
