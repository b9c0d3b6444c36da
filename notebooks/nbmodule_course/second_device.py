"""A second device on a laptop: arrays of NumPy that nobody may mix with other arrays.

    with second_device() as device:
        model.to(device)

Where there is a GPU, it is the GPU. Elsewhere, for this block, a pretended one: its numbers are computed by NumPy, and it
keeps the rules of a GPU. What is on it meets nothing that isn't, and it has to be moved back before NumPy can read it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from nbmodule import cuda, device
from nbmodule._backend import namespace_of

MIXED = "an array of this machine's memory met an array of the second device"


class FarArray(NDArrayOperatorsMixin):
    """An array on the pretended device.

    Args:
        host: the NumPy array that holds the numbers.
        base: the array that this one is a view of.
    """

    __slots__ = ("__weakref__", "base", "host")
    device = SimpleNamespace(id=0, use=lambda: None)

    def __init__(self, host: Any, base: FarArray | None = None) -> None:
        self.host, self.base = np.asarray(host), base

    data = property(lambda self: SimpleNamespace(ptr=self.host.__array_interface__["data"][0]))
    T = property(lambda self: _far(self.host.T, self))
    mT = property(lambda self: _far(self.host.mT, self))

    def get(self, order: Any = "C") -> np.ndarray:
        """Return a copy in this machine's memory."""
        return self.host.copy(order)

    def __len__(self) -> int:
        return len(self.host)

    def __bool__(self) -> bool:
        return bool(self.host)

    def __float__(self) -> float:
        return float(self.host)

    def __int__(self) -> int:
        return int(self.host)

    def __getitem__(self, key: Any) -> Any:
        return _far(self.host[_near(key)], self)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.host[_near(key)] = _near(value)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.host, name)
        if not callable(found) or name in ("item", "tolist", "tobytes"):
            return found
        return lambda *args, **options: _far(found(*_near(args), **_near(options)), self)

    def __array__(self, *args: Any, **options: Any) -> Any:
        raise TypeError(MIXED)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return _on_the_device(getattr(ufunc, method))(*inputs, **options)

    def __array_function__(self, function: Any, kinds: Any, args: Any, options: Any) -> Any:
        return _on_the_device(function)(*args, **options)


class _Functions:
    """NumPy's functions, for arrays of the device: what `numpy` is to NumPy's own."""

    def __init__(self, home: Any = np) -> None:
        self._home = home

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._home, name)
        if isinstance(found, ModuleType):
            return _Functions(found)
        return found if isinstance(found, type) or not callable(found) else _Function(found)


class _Function:
    """One of NumPy's functions, or a ufunc with its methods."""

    def __init__(self, function: Any) -> None:
        self._function = function

    def __call__(self, *args: Any, **options: Any) -> Any:
        if self._function is np.asarray:  # this is the way in
            options.pop("blocking", None)
            return FarArray(np.array(*(getattr(a, "host", a) for a in args), **options))
        return _on_the_device(self._function)(*args, **options)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._function, name)
        return _on_the_device(found) if callable(found) else found


def _on_the_device(function: Any) -> Any:
    def call(*args: Any, **options: Any) -> Any:
        out = options.get("out")
        made = function(*_near(args), **_near(options))
        if out is not None:
            return out[0] if isinstance(out, tuple) and len(out) == 1 else out
        return _far(made, *args)

    return call


def _far(made: Any, *sources: Any) -> Any:
    """Return what NumPy computed as arrays of the device; a view has one of `sources` as its base."""
    if isinstance(made, np.ndarray | np.generic):
        host = np.asarray(made)
        for source in sources:
            if (
                isinstance(source, FarArray)
                and host.base is not None
                and np.may_share_memory(host, source.host)
            ):
                return FarArray(host, source if source.base is None else source.base)
        return FarArray(host)
    return (
        type(made)(_far(each, *sources) for each in made) if type(made) in (tuple, list) else made
    )


def _near(value: Any) -> Any:
    """Return what NumPy can compute with.

    Raises:
        TypeError: there is an array of this machine's memory in it.
    """
    if isinstance(value, FarArray):
        return value.host
    if isinstance(value, np.ndarray) and value.ndim:
        raise TypeError(MIXED)
    if isinstance(value, tuple | list):
        near = [_near(each) for each in value]
        return tuple(near) if isinstance(value, tuple) else near
    return {name: _near(each) for name, each in value.items()} if type(value) is dict else value


def _pretended() -> ModuleType:
    """Return what `nbmodule` takes for CuPy: one card."""
    library = ModuleType("cupy")
    card = SimpleNamespace(use=lambda: None)
    runtime = SimpleNamespace(getDeviceCount=lambda: 1)
    library.__dict__.update(
        ndarray=FarArray, cuda=SimpleNamespace(runtime=runtime, Device=lambda number: card)
    )
    return library


@contextmanager
def second_device() -> Iterator[device]:
    """Give a device that isn't the CPU, for a block: a GPU, or a pretended one."""
    if cuda.is_available():
        yield device("cuda:0")
        return
    before = sys.modules.get("cupy")
    namespace_of[FarArray], sys.modules["cupy"] = _Functions(), _pretended()
    try:
        yield device("cuda:0")
    finally:
        del sys.modules["cupy"], namespace_of[FarArray]
        if before is not None:
            sys.modules["cupy"] = before
