"""`assert_close`: whether two results agree, up to what rounding may change.

Source: https://docs.pytorch.org/docs/stable/testing.html
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from .. import _dtypes
from .._factories import as_tensor
from .._tensor import Tensor
from ._mismatch import Mismatch, numbers_text, place_text, tensors_text

TOLERANCES = {
    _dtypes.float16: (1e-3, 1e-5),
    _dtypes.float32: (1.3e-6, 1e-5),
    _dtypes.float64: (1e-7, 1e-7),
}
"""For each dtype the relative and the absolute tolerance; both are 0 for the others."""

NUMBERS = {int: _dtypes.int64, float: _dtypes.float64, complex: None}
"""The types of Python's numbers, and the dtypes whose tolerances they have."""


class Options(NamedTuple):
    """How closely values are looked at; see `assert_close`."""

    allow_subclasses: bool
    rtol: float | None
    atol: float | None
    equal_nan: bool
    check_device: bool
    check_dtype: bool
    check_layout: bool
    check_stride: bool


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    r"""Raise unless `actual` and `expected` are close: ``|actual - expected| <= atol + rtol * |expected|``.

    Args:
        actual: a tensor, a number, an array or whatever `nbmodule.as_tensor` takes, None, or sequences
            and mappings of these, nested as one likes.
        expected: in the same structure and of related types.
        allow_subclasses: whether the types may be a class and its subclass.
        rtol: relative tolerance; give both or none. By default 1e-3 for float16, 1.3e-6 for float32,
            1e-7 for float64, 0 for integers: the larger one of both sides.
        atol: absolute tolerance; by default 1e-5, 1e-5, 1e-7 and 0.
        equal_nan: whether NaNs are close to each other.
        check_device: whether tensors have to be on the same device.
        check_dtype: whether they need the same dtype, and numbers the same type.
        check_layout: whether they need the same layout.
        check_stride: whether they need the same strides.
        msg: what to say instead, or a function that makes it of what would be said.

    Raises:
        AssertionError: they are not close, or differ in shape or whatever is checked.
        TypeError: the types are not related.
        ValueError: one of `rtol` and `atol` is missing.

    Source: https://docs.pytorch.org/docs/stable/testing.html#torch.testing.assert_close

    Example:
        >>> import nbmodule
        >>> nbmodule.testing.assert_close(nbmodule.tensor([1.0, 2.0]), nbmodule.tensor([1.0, 2.00001]))
    """
    __tracebackhide__ = True
    options = Options(
        allow_subclasses, rtol, atol, equal_nan, check_device, check_dtype, check_layout, check_stride
    )  # fmt: skip
    try:
        comparisons = list(_comparisons(actual, expected, (), options))
    except Mismatch as mismatch:  # of structure: PyTorch says that in its own words, whatever `msg`
        raise mismatch.error(None) from None
    for compare in comparisons:
        try:
            compare()
        except Mismatch as mismatch:
            raise mismatch.error(msg) from None


Comparison = Callable[[], None]


def _comparisons(actual: Any, expected: Any, place: tuple[Any, ...], options: Options) -> Iterator[Comparison]:  # fmt: skip
    """Yield what is to be compared, item by item. Nothing is compared before all items have been met."""
    for keys, container in ((_indices, Sequence), (_keys, Mapping)):
        if all(isinstance(x, container) and not isinstance(x, str) for x in (actual, expected)):
            for key in keys(actual, expected, place):
                yield from _comparisons(actual[key], expected[key], (*place, key), options)
            return
    yield _comparison(actual, expected, place, options)


def _indices(actual: Any, expected: Any, place: tuple[Any, ...]) -> Sequence[int]:
    if len(actual) != len(expected):
        text = f"The length of the sequences mismatch: {len(actual)} != {len(expected)}"
        raise Mismatch(AssertionError, text, place)
    return range(len(actual))


def _keys(actual: Any, expected: Any, place: tuple[Any, ...]) -> Sequence[Any]:
    missing, additional = set(expected) - set(actual), set(actual) - set(expected)
    if missing or additional:
        raise Mismatch(
            AssertionError,
            "The keys of the mappings do not match:\n"
            f"Missing keys in the actual mapping: {sorted(missing)}\n"
            f"Additional keys in the actual mapping: {sorted(additional)}",
            place,
        )
    keys = list(set(actual))
    with suppress(TypeError):  # keys of several types have no order
        keys.sort()
    return keys


def _comparison(actual: Any, expected: Any, place: tuple[Any, ...], options: Options) -> Comparison:
    """Return the comparison that fits the types of two values."""
    both = (actual, expected)
    if actual is None or expected is None:
        return lambda: _compare_nones(actual, expected, place)
    if all(isinstance(x, (bool, np.bool_)) for x in both):
        return lambda: _compare_booleans(bool(actual), bool(expected), place)
    if all(isinstance(x, (*NUMBERS, np.number)) for x in both):
        a, b = (x.item() if isinstance(x, np.number) else x for x in both)
        for x in (a, b):
            if type(x) not in NUMBERS:
                raise RuntimeError(_unexpected("NumberPair", actual, expected, place))
        tolerances = _tolerances([NUMBERS[type(a)], NUMBERS[type(b)]], options, place)
        return lambda: _compare_numbers(a, b, tolerances, place, options)
    related = isinstance(actual, type(expected)) or isinstance(expected, type(actual))
    if related and (options.allow_subclasses or type(actual) is type(expected)):
        with suppress(TypeError, ValueError, RuntimeError):
            a, b = map(_as_tensor, both)
            tolerances = _tolerances([a.dtype, b.dtype], options, place)
            return lambda: _compare_tensors(a, b, tolerances, place, options)
    raise Mismatch(
        TypeError,
        f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}.",
        place,
    )


def _unexpected(kind: str, actual: Any, expected: Any, place: tuple[Any, ...]) -> str:
    return (
        f"Originating a {kind}() at item {place_text(place)} with\n\n{type(actual).__name__}(): {actual}\n\n"
        f"and\n\n{type(expected).__name__}(): {expected}\n\nresulted in an error: a bool is no number here."
    )


def _as_tensor(value: Any) -> Tensor:
    return value if isinstance(value, Tensor) else as_tensor(value)


def _tolerances(dtypes: list[Any], options: Options, place: tuple[Any, ...]) -> tuple[float, float]:
    """Return the relative and the absolute tolerance for values of `dtypes`."""
    rtol, atol = options.rtol, options.atol
    if rtol is not None and atol is not None:
        return rtol, atol
    if rtol is not None or atol is not None:
        raise Mismatch(
            ValueError,
            "Both 'rtol' and 'atol' must be either specified or omitted, but got no "
            f"{'rtol' if rtol is None else 'atol'}.",
            place,
        )
    known = [TOLERANCES.get(d or _dtypes.float64, (0.0, 0.0)) for d in dtypes]
    return max(r for r, _ in known), max(a for _, a in known)


def _compare_nones(actual: Any, expected: Any, place: tuple[Any, ...]) -> None:
    if actual is not expected:
        raise Mismatch(AssertionError, f"None mismatch: {actual} is not {expected}", place)


def _compare_booleans(actual: bool, expected: bool, place: tuple[Any, ...]) -> None:
    if actual is not expected:
        raise Mismatch(AssertionError, f"Booleans mismatch: {actual} is not {expected}", place)


def _compare_numbers(a: Any, b: Any, tolerances: tuple[float, float], place: tuple[Any, ...], options: Options) -> None:  # fmt: skip
    if options.check_dtype and type(a) is not type(b):
        text = f"The (d)types do not match: {type(a)} != {type(b)}."
        raise Mismatch(AssertionError, text, place)
    if a == b or (options.equal_nan and a != a and b != b):
        return
    rtol, atol = tolerances
    difference = abs(a - b)
    if not (math.isfinite(difference) and difference <= atol + rtol * abs(b)):
        raise Mismatch(AssertionError, numbers_text(a, b, rtol, atol), place)


def _compare_tensors(a: Tensor, b: Tensor, tolerances: tuple[float, float], place: tuple[Any, ...], options: Options) -> None:  # fmt: skip
    for name, checked in (
        ("shape", True), ("layout", options.check_layout), ("stride()", options.check_stride),
        ("device", options.check_device), ("dtype", options.check_dtype),
    ):  # fmt: skip
        mine, other = (_attribute(t, name) if checked else None for t in (a, b))
        if mine != other:
            text = f"The values for attribute '{name}' do not match: {mine} != {other}."
            raise Mismatch(AssertionError, text, place)
    if a.is_meta or b.is_meta:
        return
    a, b = _alike(a.detach(), b.detach())
    rtol, atol = tolerances
    close = a.isclose(b, rtol=rtol, atol=atol, equal_nan=options.equal_nan)
    if bool(close.all()):
        return
    if a.dim():
        text = tensors_text(a, b, close, rtol, atol)
    else:
        text = numbers_text(a.item(), b.item(), rtol, atol)
    raise Mismatch(AssertionError, text, place)


def _attribute(t: Tensor, name: str) -> Any:
    return t.stride() if name == "stride()" else getattr(t, name)


def _alike(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Return two tensors on one device and in one dtype."""
    if a.device != b.device:
        a, b = a.cpu(), b.cpu()
    if a.dtype != b.dtype:
        wide = (_dtypes.uint16, _dtypes.uint32, _dtypes.uint64)
        kinds = [_dtypes.int64 if t.dtype in wide else t.dtype for t in (a, b)]
        common = _dtypes.promote_types(*kinds)
        a, b = a.to(common), b.to(common)
    return a, b
