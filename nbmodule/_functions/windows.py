"""Windows of signal processing: weights that fade a stretch of a signal in and out.

With x running from 0 to N - 1, and n = N - 1 (n = N for a periodic window, which leaves out its last point):

    hann      (1 - cos(2 pi x / n)) / 2                hamming   alpha - beta cos(2 pi x / n)
    bartlett  1 - |2 x / n - 1|                        blackman  0.42 - 0.5 cos(2 pi x / n) + 0.08 cos(4 pi x / n)
    kaiser    I0(beta sqrt(1 - (2 x / n - 1)^2)) / I0(beta)

Source: https://docs.pytorch.org/docs/stable/torch.html#spectral-ops
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from math import pi
from typing import Any, TypeVar

from .. import _dtypes
from .._device import device as Device
from .._errors import invalid_call, name_of_type
from .._factories import arange, ones, scalar_tensor
from .._tensor import Tensor

Option = Any
Window = TypeVar("Window", bound=Callable[..., Tensor])


def _window(name: str, window_length: Any, periodic: bool, make: Callable[[Tensor, int], Tensor], options: dict[str, Any]) -> Tensor:  # fmt: skip
    """Return ``make(x, n)`` for the points x of a window, cut to its length."""
    if isinstance(window_length, bool) or not isinstance(window_length, int):
        raise TypeError(
            f"{name}(): argument 'window_length' (position 1) must be int, not {name_of_type(window_length)}"
        )
    requires_grad = options.pop("requires_grad")
    dtype = options["dtype"] or _dtypes.get_default_dtype()
    place, options = Device(options["device"] or "cpu"), {**options, "dtype": dtype}
    if not dtype.is_floating_point:
        raise RuntimeError(
            f"{name} expects floating point dtypes, got: TensorOptions(dtype={_C_NAMES.get(dtype.name, dtype.c_name)}, "
            f"device={place}, layout=Strided (default), requires_grad=false (default), "
            "pinned_memory=false, memory_format=(nullopt))"
        )
    if window_length < 0:
        raise RuntimeError(
            f"{name} requires non-negative window_length, got window_length={window_length}"
        )
    if window_length < 2:
        return ones(window_length, **options).requires_grad_(requires_grad)
    n = window_length if periodic else window_length - 1
    t = make(arange(n + 1, **options), n)[:window_length].clone()
    return t.requires_grad_(requires_grad)


def _told_in_pytorchs_words(window: Window) -> Window:
    """Let a call that leaves out the length, or gives too much, fail in PyTorch's words."""

    @wraps(window)
    def call(*args: Any, **named: Any) -> Any:
        try:
            return window(*args, **named)
        except TypeError as error:
            if "positional argument" in str(error) or "unexpected keyword" in str(error):
                raise invalid_call(window.__name__, args, named) from None
            raise

    call.__module__ = "nbmodule"
    return call  # type: ignore[return-value]


_C_NAMES = {
    "bool": "bool", "int8": "signed char", "uint8": "unsigned char", "int16": "short int", "int32": "int",
    "int64": "long int",
}  # fmt: skip


@_told_in_pytorchs_words
def hann_window(window_length: int, periodic: bool = True, *, dtype: _dtypes.dtype | None = None, layout: Option = None, device: Option = None, pin_memory: bool = False, requires_grad: bool = False) -> Tensor:  # fmt: skip
    """Return a raised cosine that starts at 0, (window_length,).

    Args:
        window_length: how many numbers.
        periodic: leave out the last point, as the Fourier transform wants it; else the window is symmetric.
        dtype: a floating point type; by default the default one.
        layout: strided.
        device: where it lives.
        pin_memory: has no effect.
        requires_grad: whether operations on it are recorded.

    Raises:
        RuntimeError: `window_length` is negative, or `dtype` holds no fractions.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.hann_window.html
    """
    options = {"dtype": dtype, "device": device, "requires_grad": requires_grad}
    return _window("hann_window", window_length, periodic, _raised_cosine(0.5, 0.5), options)


@_told_in_pytorchs_words
def hamming_window(window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, *, dtype: _dtypes.dtype | None = None, layout: Option = None, device: Option = None, pin_memory: bool = False, requires_grad: bool = False) -> Tensor:  # fmt: skip
    """Return ``alpha - beta * cos(2 pi x / n)``, (window_length,); see `hann_window`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.hamming_window.html
    """
    options = {"dtype": dtype, "device": device, "requires_grad": requires_grad}
    return _window("hamming_window", window_length, periodic, _raised_cosine(alpha, beta), options)


@_told_in_pytorchs_words
def blackman_window(window_length: int, periodic: bool = True, *, dtype: _dtypes.dtype | None = None, layout: Option = None, device: Option = None, pin_memory: bool = False, requires_grad: bool = False) -> Tensor:  # fmt: skip
    """Return a sum of two cosines, (window_length,), that fades further than `hann_window`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.blackman_window.html
    """

    def make(x: Tensor, n: int) -> Tensor:
        x = x * (pi / n)
        return (x * 4).cos() * 0.08 - (x * 2).cos() * 0.5 + 0.42

    options = {"dtype": dtype, "device": device, "requires_grad": requires_grad}
    return _window("blackman_window", window_length, periodic, make, options)


@_told_in_pytorchs_words
def bartlett_window(window_length: int, periodic: bool = True, *, dtype: _dtypes.dtype | None = None, layout: Option = None, device: Option = None, pin_memory: bool = False, requires_grad: bool = False) -> Tensor:  # fmt: skip
    """Return a triangle that starts at 0, (window_length,); see `hann_window`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.bartlett_window.html
    """

    def make(x: Tensor, n: int) -> Tensor:
        x = x * (2.0 / n)
        half = n // 2 + 1
        x[half:] = 2 - x[half:]
        return x

    options = {"dtype": dtype, "device": device, "requires_grad": requires_grad}
    return _window("bartlett_window", window_length, periodic, make, options)


@_told_in_pytorchs_words
def kaiser_window(window_length: int, periodic: bool = True, beta: float = 12.0, *, dtype: _dtypes.dtype | None = None, layout: Option = None, device: Option = None, pin_memory: bool = False, requires_grad: bool = False) -> Tensor:  # fmt: skip
    """Return a window made of Bessel functions, (window_length,); a larger `beta` makes it narrower.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.kaiser_window.html
    """

    def make(x: Tensor, n: int) -> Tensor:
        fine = x.float() if x.dtype == _dtypes.float16 else x
        y = fine * (2.0 / n) - 1
        top = scalar_tensor(beta, dtype=y.dtype, device=y.device).i0()
        return ((beta * (1 - y * y).clamp(min=0).sqrt()).i0() / top).to(x.dtype)

    options = {"dtype": dtype, "device": device, "requires_grad": requires_grad}
    return _window("kaiser_window", window_length, periodic, make, options)


def _raised_cosine(alpha: float, beta: float) -> Callable[[Tensor, int], Tensor]:
    return lambda x, n: (x * (pi * 2.0 / n)).cos() * -beta + alpha
