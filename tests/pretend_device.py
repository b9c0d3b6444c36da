"""A pretend second device: arrays that refuse to meet NumPy arrays, as CuPy's do.

A rule that says ``np.`` where it should say ``xp.`` fails on these, on any machine, without a GPU.
"""

import types

import numpy as np

from nbmodule import _backend


class DeviceArray(np.ndarray):
    """An ndarray that lives somewhere else."""

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **options):
        refuse_host(inputs)
        inner = {k: host(v) for k, v in options.items()}
        if out is not None:
            inner["out"] = tuple(map(host, out))
        result = getattr(ufunc, method)(*map(host, inputs), **inner)
        return out[0] if out is not None else on_device(result)

    def __array_function__(self, func, types_, args, options):
        refuse_host(args)
        return on_device(func(*_strip(args), **{k: host(v) for k, v in options.items()}))

    def __getitem__(self, key):
        refuse_host(key if isinstance(key, tuple) else (key,))
        return on_device(super().__getitem__(key))

    def __setitem__(self, key, value):
        refuse_host((*(key if isinstance(key, tuple) else (key,)), value))
        super().__setitem__(key, value)


def host(x):
    return x.view(np.ndarray) if isinstance(x, DeviceArray) else x


def _strip(args):
    return [_strip(a) if isinstance(a, (list, tuple)) else host(a) for a in args]


def on_device(x):
    """Return `x` as device arrays; a device keeps 0-d results as arrays."""
    if isinstance(x, (np.ndarray, np.generic)):
        return np.asarray(x).view(DeviceArray)
    return type(x)(map(on_device, x)) if type(x) in (tuple, list) else x


def refuse_host(values):
    for v in values:
        if type(v) is np.ndarray and v.ndim:
            raise TypeError(f"a host array of shape {v.shape} met a device array")
        if isinstance(v, (list, tuple)):
            refuse_host(v)


class Namespace(types.ModuleType):
    """NumPy's functions, returning device arrays."""

    def __getattr__(self, name):
        function = getattr(np, name)
        if not callable(function) or (isinstance(function, type) and name != "indices"):
            return DeviceUfunc(function) if isinstance(function, np.ufunc) else function
        return (
            DeviceUfunc(function)
            if isinstance(function, np.ufunc)
            else lambda *a, **k: on_device(function(*a, **k))
        )


class DeviceUfunc:
    """A ufunc whose results, also those of ``add.reduce`` and ``add.at``, stay on the device."""

    def __init__(self, ufunc):
        self.ufunc = ufunc

    def __call__(self, *args, **options):
        return on_device(self.ufunc(*args, **options))

    def reduce(self, array, *args, **options):
        refuse_host((array,))
        return on_device(self.ufunc.reduce(host(array), *args, **options))

    def at(self, target, key, values):
        refuse_host((*(key if isinstance(key, tuple) else (key,)), values))
        self.ufunc.at(
            host(target), tuple(_strip(key)) if isinstance(key, tuple) else host(key), host(values)
        )


class OGrid:
    """Open grids on the device."""

    def __getitem__(self, key):
        return on_device(np.ogrid[key])


def as_strided(x, shape=None, strides=None):
    """NumPy's `as_strided`, which forgets the class of its argument."""
    return np.lib.stride_tricks.as_strided(host(x), shape, strides).view(DeviceArray)


xp = Namespace("pretend_device")
xp.lib = types.SimpleNamespace(stride_tricks=types.SimpleNamespace(as_strided=as_strided))
xp.ogrid = OGrid()
_backend.namespace_of[DeviceArray] = xp
