"""No test measures time: Hypothesis' deadline would make tests fail on a busy machine."""

from hypothesis import HealthCheck, settings

settings.register_profile("hassle", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("hassle")


@pytest.fixture(autouse=True)
def ctrl_c_as_it_was():
    """OR-Tools, as CPMpy calls it, takes the handler of Ctrl-C away, and tests that press it would end the process."""
    handler = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, handler)
