"""What holds for all tests: the examples of hypothesis are the same in every run, and take the time they need."""

from hypothesis import settings

settings.register_profile(
    "nbmodule", deadline=None, max_examples=60, derandomize=True, database=None
)
settings.load_profile("nbmodule")
