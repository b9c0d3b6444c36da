"""How a rule becomes a method: what it refuses in PyTorch's place, its operator, and its form in place."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from .. import _dtypes, _errors
from .._engine import TensorBase, renamed, write
from .._engine.signature import OPERANDS
from .._errors import is_foreign, not_a_tensor
from .common import kind_of, not_implemented

BOOL = _dtypes.bool_.numpy


# ---- of two tensors


def with_other(rule: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    """Turn a rule of two tensors into a method whose argument is called `other`."""

    @wraps(rule)
    def method(self: Any, other: Any) -> Any:
        return rule(self, other)

    return method


def with_tensor(rule: Callable[..., Any], argument: str = "other") -> Callable[..., Any]:
    """Turn a rule of two tensors into a method that takes no number in place of the second."""

    @wraps(rule)
    def method(self: Any, *args: Any, **named: Any) -> Any:
        other = _only(rule.__name__, argument, args, named)
        return rule(self, other)

    return method


def _only(name: str, argument: str, args: tuple[Any, ...], named: dict[str, Any]) -> TensorBase:
    """Return the only argument.

    Raises:
        TypeError: it is no tensor, or there are others.
    """
    found = args[0] if len(args) == 1 else named.get(argument)
    if len(args) + len(named) != 1 or not isinstance(found, TensorBase):
        raise not_a_tensor(name, argument, 1, found)
    return found


def by_number_or_tensor(rule: Callable[..., Any], kernel: str, node: str) -> Callable[..., Any]:
    """Turn a rule into a method that refuses booleans; its node is called after what came second.

    Args:
        rule: takes two tensors, or a tensor and a number.
        kernel: what PyTorch calls the part that refuses.
        node: the name without its final digit, 0 for a number and 1 for a tensor.
    """

    @wraps(rule)
    def method(self: Any, other: Any) -> Any:
        if self._array.dtype.kind == "b" and kind_of(self, other) == "Bool":
            raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool'")
        out = rule(self, other)
        return renamed(out, f"{node}{int(isinstance(other, TensorBase))}") if node else out

    return method


# ---- refusals of types


def only_for(kinds: str, kernel: str, method: Callable[..., Any]) -> Callable[..., Any]:
    """Return `method` with PyTorch's refusal of other types.

    Args:
        kinds: the letters of NumPy's kinds of types that the method has an answer for.
        kernel: what PyTorch calls the part of it that refuses.
        method: takes one tensor or more, and options.
    """

    @wraps(method)
    def call(self: Any, *args: Any, **named: Any) -> Any:
        if self._array.dtype.kind in kinds and not args:
            return method(self, **named)
        operands = [self, *(a for a in (*args, *named.values()) if isinstance(a, TensorBase))]
        common = _dtypes.result_type(*(t._array for t in operands))
        if common.numpy.kind not in kinds:
            raise not_implemented(kernel, *operands)
        return method(self, *args, **named)

    return call


def bitwise(rule: Callable[..., Any], kernel: str) -> Callable[[Any, Any], Any]:
    """Turn a rule into a method that refuses what has no bits; `kernel` is PyTorch's name for it."""

    @wraps(rule)
    def method(self: Any, other: Any) -> Any:
        own, others = getattr(self, "_array", self), getattr(other, "_array", other)
        if any(
            isinstance(x, float) or getattr(x, "dtype", BOOL).kind == "f" for x in (own, others)
        ):
            refuse_floats(kernel, own, others)
        return rule(self, other)

    return method


def refuse_floats(kernel: str, *operands: Any) -> None:
    """Raise what PyTorch does for bits of floating point numbers, unless the shapes do not fit either."""
    if any(is_foreign(x) for x in operands):
        return
    shapes = [x.shape for x in operands if hasattr(x, "ndim")]
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        raise RuntimeError(_errors.broadcast_text(shapes)) from None
    plain = [x.item() if isinstance(x, np.generic) else x for x in operands]
    raise not_implemented(kernel, *plain)


# ---- operators, and forms in place


def operator(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Turn ``function(self, other)`` into an operator: what is no tensor may know how to meet one."""

    @wraps(function)
    def meet(self: Any, other: Any) -> Any:
        try:
            return function(self, other)
        except TypeError:
            if isinstance(other, complex):  # without a word, `==` would say False of it
                raise TypeError(_dtypes.NO_COMPLEX) from None
            if is_foreign(other):
                return NotImplemented
            raise

    meet.__signature__ = OPERANDS  # type: ignore[attr-defined]
    return meet


def reflected(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Turn ``function(other, self)`` into an operator for `self` on the right."""
    return operator(wraps(function)(lambda self, other: function(other, self)))


def in_place(rule: Callable[..., Any], *names: str, promotes: bool = True) -> Callable[..., Any]:
    """Turn ``rule(t, ...)`` into a method that replaces the elements of `t` by the result.

    Args:
        rule: gives a result in the shape of its first argument.
        names: what the other arguments are called.
        promotes: whether the others take part in the type of the result.
    """

    def method(self: TensorBase, *args: Any, **named: Any) -> Any:
        if named:  # up to the first that is left out: what follows keeps its name
            leading = itertools.takewhile(named.__contains__, names[len(args) :])
            args += tuple([named.pop(name) for name in leading])
        try:
            return write(self, rule, *args, **named)
        except NotImplementedError:
            if promotes:  # PyTorch looks at the type of the result first
                refuse_type(self, args)
            raise

    return named_in_place(method, rule)


def named_in_place(method: Callable[..., Any], rule: Callable[..., Any]) -> Callable[..., Any]:
    """Return `method`, which does what `rule` does in place, with a name, a docstring and the source of `rule`."""
    method.__name__ = method.__qualname__ = f"{rule.__name__}_"
    method.__doc__ = f"Do what `{rule.__name__}` does, in place, and return `self`."
    method.__annotations__ = {}  # which `typing` would look up where the rule stands
    method.__wrapped__ = rule  # type: ignore[attr-defined]
    return method


def refuse_type(t: TensorBase, others: tuple[Any, ...]) -> None:
    """Raise if what comes out of `t` and `others` cannot be written to `t`."""
    raw = [x.item() if isinstance(x, np.generic) else getattr(x, "_array", x) for x in (t, *others)]
    found = _dtypes.result_type(*raw)
    own = _dtypes.of_numpy[t._array.dtype]
    if found.category > own.category:
        kinds = (d.scalar_name for d in (found, own))
        raise RuntimeError(
            "result type {} can't be cast to the desired output type {}".format(*kinds)
        )
