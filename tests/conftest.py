"""What all tests share."""

from hypothesis import settings

# The first call of a kernel loads or compiles it: a deadline on one example says nothing.
settings.register_profile("bgsim", deadline=None)
settings.load_profile("bgsim")
