"""What holds for all tests: the same examples of hypothesis in every run, nothing left behind, and what `-m gpu` looks at."""

from pathlib import Path

from hypothesis import settings
from left_behind import pytest_runtest_setup, pytest_runtest_teardown  # noqa: F401

settings.register_profile(
    "nbmodule", deadline=None, max_examples=60, derandomize=True, database=None
)
settings.load_profile("nbmodule")


def pytest_ignore_collect(collection_path, config):
    """``pytest tests -m gpu`` needs pytest, hypothesis and CuPy alone: it does not read what asks for more."""
    gpu = Path(__file__).parent / "gpu"
    if config.option.markexpr == "gpu" and collection_path.is_relative_to(gpu.parent):
        return not (gpu.is_relative_to(collection_path) or collection_path.is_relative_to(gpu))
    return None
