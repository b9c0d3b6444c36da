"""Memory that was freed is kept: counted in page faults, in processes of their own."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import numpy as np
import pytest

from nbmodule import _memory

FAULTS = """
import resource, nbmodule, numpy
def faults(): return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
def step(): return [numpy.ones(3 << 18, numpy.float32) for _ in range(4)]
step()
before = faults()
for _ in range(20): step()
print((faults() - before) // 20)
"""
PAGES = 4 * (3 << 20) // 4096
"""Of the four arrays that a step makes, 3 MiB each: from 4 MiB on NumPy asks for huge pages."""


def faults(**environment: str) -> int:
    """Return the page faults of a step that makes and frees 12 MiB."""
    plain = {k: v for k, v in os.environ.items() if not k.startswith(("MALLOC_", "NBMODULE_", "GLIBC_"))}  # fmt: skip
    command = [sys.executable, "-c", FAULTS]
    return int(subprocess.check_output(command, env=plain | environment, text=True))


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other allocators have other habits")
def test_a_step_takes_up_the_memory_of_the_one_before() -> None:
    kept = faults()
    assert kept < PAGES / 50
    assert faults(NBMODULE_KEEP_MEMORY="0") > kept


def test_without_31_mib_the_import_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(np, "empty", refuse)
    _memory.keep_freed_memory()
