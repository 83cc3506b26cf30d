"""Property tests are bounded by the timeout of the test: a deadline for one example is a race."""

from hypothesis import settings

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
