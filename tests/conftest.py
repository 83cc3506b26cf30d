"""Settings that hold for every test."""

from hypothesis import settings

# Coverage and a busy machine slow single examples down; the bound is the timeout of the test.
settings.register_profile("parley", deadline=None)
settings.load_profile("parley")
