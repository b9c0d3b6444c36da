"""Arrays of the pretend device, and what may cross the border to the host."""

import types
from contextlib import suppress

import numpy as np

from .cards import Counters, Device, current

NO_CONVERSION = (
    "Implicit conversion to a NumPy array is not allowed. Please use `.get()` to construct a NumPy array "
    "explicitly."
)


class Flags:
    """CuPy's flags: there is no `writeable`."""

    def __init__(self, flags, owndata):
        self.c_contiguous, self.f_contiguous = flags.c_contiguous, flags.f_contiguous
        self.owndata = owndata
        self.forc = self.c_contiguous or self.f_contiguous
        self.fnc = self.f_contiguous and not self.c_contiguous


class Pointer:
    """Where the memory of an array begins."""

    def __init__(self, array):
        self.ptr = array._host.__array_interface__["data"][0]
        self.device, self.device_id = array.device, array.device.id
        self.mem = root_of(array._host)


def root_of(host):
    while isinstance(host.base, np.ndarray):
        host = host.base
    return host


class ndarray:
    """An array on a card. `library` is the module that it belongs to."""

    library: types.ModuleType

    __slots__ = ("__weakref__", "_host", "base", "device")

    def __init__(self, shape=(), dtype=float, memptr=None, strides=None, order="C"):
        if memptr is not None:
            raise NotImplementedError(
                "the pretend device makes arrays of pointers in `as_strided` only"
            )
        self._set(np.empty(shape, dtype, order), None)

    def _set(self, host, base):
        if host.dtype.char not in "?bBhHiIlLqQefdFD":
            raise ValueError(f"Unsupported dtype {host.dtype}")
        if not host.flags.writeable:  # CuPy has no arrays that are read-only
            host = host.view()
            with suppress(ValueError):
                host.flags.writeable = True
        self._host, self.base, self.device = host, base, Device()
        if base is None:
            Counters.used[self.device.id] += host.nbytes
            Counters.peak[self.device.id] = max(
                Counters.peak[self.device.id], Counters.used[self.device.id]
            )
        else:
            self.device = base.device

    def __del__(self):
        if getattr(self, "base", self) is None:
            Counters.used[self.device.id] -= self._host.nbytes

    shape = property(lambda a: a._host.shape)
    dtype = property(lambda a: a._host.dtype)
    strides = property(lambda a: a._host.strides)
    ndim = property(lambda a: a._host.ndim)
    size = property(lambda a: a._host.size)
    itemsize = property(lambda a: a._host.itemsize)
    nbytes = property(lambda a: a._host.nbytes)
    flags = property(lambda a: Flags(a._host.flags, a.base is None))
    data = property(Pointer)
    T = property(lambda a: a if a.ndim < 2 else a.transpose())
    mT = property(lambda a: wrapped(a._host.mT, a))

    def __len__(self):
        return len(self._host)

    def __iter__(self):
        if not self.ndim:
            raise TypeError("iteration over a 0-d array")
        return (self[i] for i in range(len(self)))

    def __repr__(self):
        return repr(self.get())

    __str__ = __repr__

    def __reduce__(self):
        return _from_host, (self.get(), self.device.id)

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        with self.device:
            return self.copy()

    # ---- to the host

    def get(self, stream=None, order="C", out=None, blocking=True):
        Counters.synchronisations += 1
        return self._host.copy(order)

    def item(self):
        return self.get().item()

    def tolist(self):
        return self.get().tolist()

    def tobytes(self, order="C"):
        return self.get().tobytes(order)

    def __bool__(self):
        return bool(self.get())

    def __int__(self):
        return int(self.get())

    def __float__(self):
        return float(self.get())

    def __array__(self, *args, **options):
        raise TypeError(NO_CONVERSION)

    # ---- reading and writing

    def __getitem__(self, key):
        key = self._key(key)
        found = self._host[key]
        if isinstance(found, np.generic):  # of CuPy it is a view
            found = self._host[(*key, ...) if isinstance(key, tuple) else (key, ...)]
        return wrapped(found, self)

    def __setitem__(self, key, value):
        on_current_card((self,))
        self._host[self._key(key)] = device_value(value)

    def _key(self, key):
        """Return `key` for the host; indices that are out of range wrap around."""
        parts = list(key) if isinstance(key, tuple) else [key]
        used = sum(_axes_of(k) for k in parts)
        found, axis = [], 0
        for k in parts:
            if k is Ellipsis:
                axis += self.ndim - used
            host = device_value(k)
            if isinstance(host, np.ndarray) and host.dtype.kind in "iu" and axis < self.ndim:
                host = host % max(self.shape[axis], 1)
            elif isinstance(host, np.ndarray) and host.dtype.kind not in "biu":
                raise IndexError("arrays used as indices must be of integer or boolean type.")
            found.append(host)
            axis += 0 if k is Ellipsis else _axes_of(k)
        return tuple(found) if isinstance(key, tuple) else found[0]

    def fill(self, value):
        self._host.fill(device_value(value))

    def astype(self, dtype, order="K", casting=None, subok=None, copy=True):
        if not copy and self.dtype == dtype:
            return self
        return wrapped(self._host.astype(dtype, order=order), keeps_order=True)

    def copy(self, order="C"):
        if self.device.id != current.card:
            order = "C"  # from card to card, CuPy copies contiguous memory only
        return wrapped(self._host.copy(order), keeps_order=True)

    def view(self, dtype=None, type=None):
        return wrapped(self._host.view() if dtype is None else self._host.view(dtype), self)

    def scatter_add(self, slices, value):
        ndarray.library.add.at(self, slices, value)

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        out = options.get("out")
        if out is not None:
            options["out"] = out[0] if len(out) == 1 else out
        return getattr(getattr(ndarray.library, ufunc.__name__), method)(*inputs, **options)

    def __array_function__(self, function, kinds, args, options):
        home = function.__module__.removeprefix("numpy").lstrip(".")
        space = getattr(ndarray.library, home) if home in ("linalg",) else ndarray.library
        return getattr(space, function.__name__)(*args, **options)


def _from_host(host, card):
    with Device(card):
        return wrapped(host.copy("K"))


def _axes_of(key):
    if key is None or key is Ellipsis:
        return 0
    is_mask = isinstance(key, (ndarray, np.ndarray)) and key.dtype == bool
    return key.ndim if is_mask else 1


# ---- crossing the border


def wrapped(x, *sources, keeps_order=False):
    """Return what NumPy computed as arrays of the device; a view of one of `sources` has it, or its base, as base.

    What is no view lies in rows: unlike NumPy, CuPy does not lay out results as their operands are, but for copies.
    """
    if isinstance(x, (np.ndarray, np.generic)):
        host = np.asarray(x)
        base = None
        if host.base is not None:
            for s in sources:
                if isinstance(s, ndarray) and np.may_share_memory(host, root_of(s._host)):
                    base = s if s.base is None else s.base
                    break
        if base is None and not keeps_order and not host.flags.c_contiguous:
            host = host.copy()
        new = ndarray.__new__(ndarray)
        new._set(host, base)
        return new
    if isinstance(x, (tuple, list)):
        parts = [wrapped(v, *sources, keeps_order=keeps_order) for v in x]
        return type(x)(*parts) if hasattr(x, "_fields") else type(x)(parts)
    return x


def device_value(x):
    """Return the array behind `x`, or the number that it is.

    Raises:
        TypeError: it is, or holds, an array of the host.
    """
    if isinstance(x, ndarray):
        on_current_card((x,))
        return x._host
    if isinstance(x, np.ndarray):
        raise TypeError(
            f"Unsupported type {type(x)}: a host array of shape {x.shape} met the device"
        )
    if isinstance(x, (list, tuple)):
        return type(x)(device_value(v) for v in x)
    return x


def on_current_card(arrays):
    for a in arrays:
        if a.device.id != current.card:
            raise ValueError(
                f"Array device must be same as the current device: array device = {a.device.id} while current "
                f"= {current.card}"
            )


def arrays_in(x):
    if isinstance(x, ndarray):
        return [x]
    return [a for v in x for a in arrays_in(v)] if isinstance(x, (tuple, list)) else []
