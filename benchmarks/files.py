"""Files to time: each function takes the library and returns the work of saving or loading one.

PyTorch's `.npz` is ``numpy.savez``, its `.safetensors` are ``safetensors.torch``. Waiting for the disk
is left out: ``os.fsync``, which only nbmodule calls, does nothing, and files lie in memory where the system has
such a folder. PyTorch does not compare the checksums of the archives that it loads; nbmodule does.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

Work = Callable[[], Any]


@cache
def folder() -> Path:
    """Make a folder, in memory where the system has such a place. It is removed at the end of the program."""
    made = Path(tempfile.mkdtemp(dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


def do_not_wait_for_the_disk() -> None:
    """Let ``os.fsync`` do nothing from now on, in this program."""
    os.fsync = lambda fd: None


LARGE = [(2500, 1000)] * 10
"""100 MB."""

SMALL = [(10,)] * 2000


def tensors(t: ModuleType, shapes: list[tuple[int, ...]]) -> dict[str, Any]:
    t.manual_seed(0)
    return {f"layers.{i}.weight": t.randn(*shape) for i, shape in enumerate(shapes)}


def save_and_load(t: ModuleType, extension: str) -> tuple[Callable[[Any, Any], Any], Callable[[Any], Any]]:  # fmt: skip
    """Return the functions (tensors, path) and (path) that do it."""
    if t.__name__ == "nbmodule" or extension == "pt":
        return t.save, t.load
    if extension == "safetensors":
        from safetensors import torch as library

        return library.save_file, lambda path: library.load(path.read_bytes())

    def savez(values: dict[str, Any], path: Path) -> None:
        np.savez(path, **{name: value.numpy() for name, value in values.items()})

    def loadz(path: Path) -> dict[str, Any]:
        with np.load(path) as opened:
            return {name: t.from_numpy(opened[name]) for name in opened}

    return savez, loadz


def save(extension: str, shapes: list[tuple[int, ...]], t: ModuleType) -> Work:
    values, path = tensors(t, shapes), folder() / f"{t.__name__}.{extension}"
    write, _ = save_and_load(t, extension)
    return lambda: write(values, path)


def load(extension: str, shapes: list[tuple[int, ...]], t: ModuleType) -> Work:
    path = folder() / f"{t.__name__}_{len(shapes)}.{extension}"
    write, read = save_and_load(t, extension)
    write(tensors(t, shapes), path)
    return lambda: read(path)


def checkpoint(t: ModuleType) -> Work:
    """Save model, optimizer and random state of an MLP with Adam: 8 MB."""
    nn, path = t.nn, folder() / f"{t.__name__}_checkpoint.pt"
    net = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.Linear(512, 10))
    optimizer = t.optim.Adam(net.parameters())
    net(t.ones(1, 784)).sum().backward()
    optimizer.step()

    def work() -> None:
        state = {"model": net.state_dict(), "optimizer": optimizer.state_dict()}
        t.save(state | {"random": t.get_rng_state(), "epoch": 3}, path)

    return work


def resume(t: ModuleType) -> Work:
    """Load what `checkpoint` saves, and put it into model and optimizer."""
    checkpoint(t)()
    nn, path = t.nn, folder() / f"{t.__name__}_checkpoint.pt"
    net = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.Linear(512, 10))
    optimizer = t.optim.Adam(net.parameters())

    def work() -> None:
        state = t.load(path)
        net.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        t.set_rng_state(state["random"])

    return work


FILES: dict[str, Callable[[ModuleType], Work]] = {
    f"{work.__name__} .{extension}, {size}": partial(work, extension, shapes)
    for size, shapes in (("100 MB", LARGE), ("2000 of 10", SMALL))
    for extension in ("pt", "safetensors", "npz")
    for work in (save, load)
} | {"save a checkpoint": checkpoint, "resume from it": resume}
