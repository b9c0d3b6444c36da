"""What holds for all tests: the same examples of hypothesis in every run, nothing left behind, no browser test skipped
where one is asked for, what the last lines say, and what `-m gpu` looks at."""

import gc
import os
import signal
import sys
from collections import Counter
from pathlib import Path

import pytest
import without_torch
from hypothesis import settings
from left_behind import pytest_runtest_setup, pytest_runtest_teardown  # noqa: F401
from on_workers import (  # noqa: F401
    pytest_collection_modifyitems,
    pytest_xdist_make_scheduler,
)

settings.register_profile(
    "nbmodule", deadline=None, max_examples=60, derandomize=True, database=None
)
settings.load_profile("nbmodule")


def pytest_configure(config):
    """Let SIGINT raise a KeyboardInterrupt, also where the tests run in the background and it is ignored.

    And leave out at once what asks PyTorch, where that isn't installed.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    config.pluginmanager.register(without_torch)


def pytest_collection_finish(session):
    """Take the tests themselves, a million objects, out of what Python's collector walks through each time."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Where NBMODULE_REQUIRE_BROWSER=1, a browser test that is skipped has failed, whatever the reason."""
    report = yield
    required = os.environ.get("NBMODULE_REQUIRE_BROWSER") == "1"
    if required and report.skipped and item.get_closest_marker("browser"):
        report.outcome, report.longrepr = (
            "failed",
            f"must not be skipped here: {report.longrepr[2]}",
        )
    return report


@pytest.fixture
def one_thread():
    """Small models; PyTorch's threads, waiting for each other, would take most of the time."""
    torch = sys.modules.get("torch")
    before = torch.get_num_threads() if torch else 1
    if torch:
        torch.set_num_threads(1)
    yield
    if torch:
        torch.set_num_threads(before)


def pytest_terminal_summary(terminalreporter, config):
    """Say what was skipped, a line for each reason, and what brings the same order again; `-q` says neither."""
    skipped = Counter(report.longrepr[2] for report in terminalreporter.getreports("skipped"))
    for reason, times in skipped.most_common():
        terminalreporter.write_line(f"{times} x {reason}")
    seed = config.getoption("randomly_seed", None)
    if isinstance(seed, int):
        terminalreporter.write_line(f"The order was that of --randomly-seed={seed}")


def pytest_ignore_collect(collection_path, config):
    """``pytest tests -m gpu`` needs pytest, hypothesis and CuPy alone: it does not read what asks for more."""
    gpu = Path(__file__).parent / "gpu"
    if config.option.markexpr == "gpu" and collection_path.is_relative_to(gpu.parent):
        return not (gpu.is_relative_to(collection_path) or collection_path.is_relative_to(gpu))
    return None
