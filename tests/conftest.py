"""No test measures time: Hypothesis' deadline would make tests fail on a busy machine."""

from hypothesis import HealthCheck, settings

settings.register_profile("hassle", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("hassle")
