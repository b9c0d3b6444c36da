"""A pretend CuPy: two cards without a GPU, made of NumPy arrays that nobody may touch as such.

It has what `names/cupy_names.json` says that CuPy has, and refuses what CuPy refuses: functions and arguments that it
lacks, arrays of the host, arrays of another card, types that a kernel is not written for. It does what CuPy does
otherwise than NumPy: results without dimensions stay arrays, indices that are out of range wrap around. Waiting for
the device (`synchronisations`) is counted.

`installed()` puts it where ``import cupy`` finds it; then ``device="cuda"`` means the pretend device.
"""

import json
import sys
import types
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from .arrays import device_value, ndarray, wrapped
from .cards import CARDS, Counters, Device, Event, PinnedMemoryPointer, Pool, Stream
from .functions import Ufunc, errstate, function_of, method_of

RECORD = json.loads((Path(__file__).parents[1] / "names" / "cupy_names.json").read_text())

module = ndarray.library = types.ModuleType("cupy")
module.__dict__.update(ndarray=ndarray, __version__=RECORD["version"], newaxis=None)
for _name in RECORD["values"]:
    if _name not in module.__dict__ and hasattr(np, _name) and not _name.startswith("_"):
        setattr(module, _name, getattr(np, _name))
for _place, _functions in RECORD["functions"].items():
    _home, _target = np, module
    for _part in filter(None, _place.split(".")):
        _home = getattr(_home, _part)
        if not hasattr(_target, _part):
            setattr(_target, _part, types.SimpleNamespace())
        _target = getattr(_target, _part)
    for _name, _arguments in _functions.items():
        if hasattr(_home, _name):
            setattr(_target, _name, function_of(_name, _arguments, _home))
for _name, _of in RECORD["ufuncs"].items():
    if isinstance(getattr(np, _name, None), np.ufunc):
        setattr(module, _name, Ufunc(_name, _of["types"], _of["at"]))
for _name, _arguments in RECORD["methods"].items():
    if _arguments is not None and not hasattr(ndarray, _name):
        setattr(ndarray, _name, method_of(_name, _arguments))


def _operator(ufunc, swapped=False, in_place=False):
    def method(self, other):
        if getattr(other, "__array_ufunc__", False) is None:
            return NotImplemented
        kind = getattr(module, ufunc)
        if in_place:
            return kind(self, other, out=self)
        return kind(other, self) if swapped else kind(self, other)

    return method


for _name, _ufunc in {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "true_divide", "floordiv": "floor_divide",
    "mod": "remainder", "pow": "power", "matmul": "matmul", "and": "bitwise_and", "or": "bitwise_or",
    "xor": "bitwise_xor", "lshift": "left_shift", "rshift": "right_shift",
}.items():  # fmt: skip
    setattr(ndarray, f"__{_name}__", _operator(_ufunc))
    setattr(ndarray, f"__r{_name}__", _operator(_ufunc, swapped=True))
    if _name != "matmul":
        setattr(ndarray, f"__i{_name}__", _operator(_ufunc, in_place=True))
for _name, _ufunc in {
    "eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal",
}.items():  # fmt: skip
    setattr(ndarray, f"__{_name}__", _operator(_ufunc))
for _name in ("divmod", "rdivmod"):
    if f"__{_name}__" in RECORD["special"]:
        setattr(ndarray, f"__{_name}__", _operator("divmod", swapped=_name == "rdivmod"))
for _name, _ufunc in {
    "neg": "negative",
    "pos": "positive",
    "abs": "absolute",
    "invert": "invert",
}.items():
    setattr(ndarray, f"__{_name}__", lambda self, _ufunc=_ufunc: getattr(module, _ufunc)(self))


def _as_strided(x, shape=None, strides=None):
    """CuPy makes a new array around the pointer, on whatever card that is: it has no base."""
    found = wrapped(np.lib.stride_tricks.as_strided(x._host, shape, strides), x)
    Counters.used[x.device.id] += found._host.nbytes  # what `__del__` will take off again
    found.base = None
    return found


def _broadcast_arrays(*arrays):
    shape = np.broadcast_shapes(*(a.shape for a in arrays))
    return [module.broadcast_to(a, shape) for a in arrays]


def _take(a, indices, axis=None, out=None):
    """CuPy does not look whether indices are in range."""
    return wrapped(np.take(device_value(a), device_value(indices), axis, mode="wrap"))


def _take_along_axis(a, indices, axis):
    length = max(a.shape[axis], 1)
    return wrapped(np.take_along_axis(device_value(a), device_value(indices) % length, axis))


def _where(condition, x=None, y=None):
    if x is None:
        return condition.nonzero()
    if not any(hasattr(v, "dtype") for v in (x, y)):
        raise TypeError(
            "where(mask, number, number): which type it makes depends on the version of CuPy"
        )
    return wrapped(
        np.where(condition.astype("?", copy=False)._host, device_value(x), device_value(y))
    )


_bincount, _nonzero = module.bincount, ndarray.nonzero


def _synchronising(function):
    """CuPy waits for the device where the shape of a result depends on numbers."""

    def waiting(*args, **options):
        Counters.synchronisations += 1
        return function(*args, **options)

    return waiting


class _OGrid:
    def __getitem__(self, key):
        return wrapped(np.ogrid[key])


_PROPERTIES = {
    "name": b"Pretend card", "major": 9, "minor": 0, "totalGlobalMem": 2**34, "multiProcessorCount": 4,
    "warpSize": 32, "maxThreadsPerMultiProcessor": 2048,
}  # fmt: skip

module.lib.stride_tricks.as_strided = _as_strided
module.take, ndarray.take, module.take_along_axis = _take, _take, _take_along_axis
module.where, module.ogrid, module.broadcast_arrays = _where, _OGrid(), _broadcast_arrays
module.bincount, ndarray.nonzero = _synchronising(_bincount), _synchronising(_nonzero)
module.nonzero = _synchronising(module.nonzero)
module.get_default_memory_pool = Pool
module.cuda = types.SimpleNamespace(
    Device=Device,
    Stream=Stream,
    Event=Event,
    alloc_pinned_memory=PinnedMemoryPointer,
    get_current_stream=lambda card=-1: Stream.null,
    get_elapsed_time=lambda start, end: 1000 * (end.moment - start.moment),
    runtime=types.SimpleNamespace(
        getDeviceCount=lambda: CARDS,
        getDeviceProperties=lambda card: dict(_PROPERTIES),
        memGetInfo=lambda: Device.mem_info,
        runtimeGetVersion=lambda: 12090,
        driverGetVersion=lambda: 12090,
    ),
)


beside = types.ModuleType("cupyx")
beside.errstate = errstate


@contextmanager
def installed():
    """Make this the CuPy of the program, to the end of the block."""
    from nbmodule import _backend

    before = {name: sys.modules.get(name) for name in ("cupy", "cupyx")}
    known = ndarray in _backend.namespace_of
    sys.modules |= {"cupy": module, "cupyx": beside}
    try:
        _backend.import_cupy()
        with np.errstate(all="ignore"):  # a GPU does not warn
            yield module
    finally:
        if not known:
            _backend.namespace_of.pop(ndarray, None)
        for name, found in before.items():
            if found is None:
                del sys.modules[name]
            else:
                sys.modules[name] = found
