"""Sizes: the class of shapes, and how methods take them as arguments."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import wraps
from operator import index
from typing import Any

from .._errors import invalid_call, name_of_type


class Size(tuple):
    """The shape of a tensor: a tuple of ints with `numel`.

    Raises:
        TypeError: something in it is no int.
    """

    __slots__ = ()

    def __new__(cls, sizes: Iterable[int] = ()) -> Size:
        """Check that everything is an int."""
        self = super().__new__(cls, sizes)
        for i, n in enumerate(self):
            if type(n) is not int and not hasattr(n, "__index__"):
                raise TypeError(
                    f"nbmodule.Size() takes an iterable of 'int' (item {i} is '{type(n).__name__}')"
                )
        return self

    def numel(self) -> int:
        """Return how many elements a tensor of this shape has."""
        return math.prod(self)

    def __repr__(self) -> str:
        return f"nbmodule.Size([{', '.join(map(str, self))}])"

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        return Size(found) if isinstance(key, slice) else found

    def __add__(self, other: Any) -> Any:
        return Size(tuple.__add__(self, other))

    def __radd__(self, other: Any) -> Any:
        return Size(other + tuple(self))

    def __mul__(self, times: Any) -> Any:
        return Size(tuple.__mul__(self, times))

    __rmul__ = __mul__


Size.__module__ = "nbmodule"


def sizes(shape: tuple[Any, ...], name: str = "", argument: str = "size") -> tuple[int, ...]:
    """Return the shape that was given as ``f(2, 3)`` or as ``f((2, 3))``.

    Raises:
        TypeError: it is something else; `name` says of which function, `argument` of which argument.
    """
    given = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
    for n in given:
        if type(n) is not int:
            break
    else:  # nearly every call
        if given or given is not shape:
            return tuple(given)
    if not shape and name in ("reshape", "permute", "repeat", "flip", "tile"):
        raise TypeError(f'{name}() missing 1 required positional arguments: "{argument}"')
    if name == "view" and (not shape or isinstance(shape[0], (str, float)) or shape[0] is None):
        raise invalid_call(name, shape, {})
    listed = len(shape) == 1 and not hasattr(shape[0], "__index__")
    if listed:
        if not isinstance(shape[0], (tuple, list, Iterable)) or isinstance(shape[0], str):
            raise TypeError(
                f"{name}(): argument '{argument}' (position 1) must be tuple of ints, not "
                f"{name_of_type(shape[0])}"
            )
        shape = tuple(shape[0])
    try:
        return tuple(map(index, shape))
    except TypeError:
        strangers = ((i, n) for i, n in enumerate(shape) if not hasattr(n, "__index__"))
        position, wrong = next(strangers, (-1, shape[0]))
        if position == 0 and not listed and name in ("rand", "randn"):
            raise invalid_call(name, shape, {}) from None
        if position == 0 and not listed:
            raise TypeError(
                f"{name}() takes 1 positional argument but {len(shape)} were given"
            ) from None
        if position == 0:
            raise TypeError(
                f"{name}(): argument '{argument}' (position 1) must be tuple of ints, but found element of type "
                f"{name_of_type(wrong)} at pos 0"
            ) from None
        if position < 0:  # a tensor of several elements
            raise TypeError(
                f"{name}(): argument '{argument}' (position 1) must be tuple of ints, not "
                f"{name_of_type(wrong)}"
            ) from None
        raise TypeError(
            f"{name}(): argument '{argument}' failed to unpack the object at pos {position + 1} with error "
            f'"type must be tuple of ints,but got {type(wrong).__name__}"'
        ) from None


def in_one_argument(*names: str) -> Callable[[Any], Any]:
    """Let a method that takes sizes as ``f(2, 3)`` be called as ``f(size=(2, 3))`` too, for each of `names`."""
    names_of = frozenset(names)

    def decorate(method: Any) -> Any:
        @wraps(method)
        def call(self: Any, *sizes: Any, **named: Any) -> Any:
            if named and not sizes and len(named) == 1 and not names_of.isdisjoint(named):
                return method(self, *named.values())
            return method(self, *sizes, **named)

        call.one_by_one = method  # type: ignore[attr-defined]
        return call

    return decorate


def infer(shape: tuple[int, ...], numel: int) -> tuple[int, ...]:
    """Return `shape` with its -1, if it has one, filled in.

    Raises:
        RuntimeError: there are several, or the sizes do not multiply to `numel`.
    """
    if math.prod(shape) == numel and (not shape or min(shape) >= 0):
        return shape
    if shape.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    for n in shape:
        if n < -1:
            raise RuntimeError(
                f"invalid shape dimension {n} at index {shape.index(n)} of shape {list(shape)}"
            )
    known = math.prod(n for n in shape if n != -1)
    if -1 in shape and known and numel % known == 0:
        return tuple(numel // known if n == -1 else n for n in shape)
    if -1 in shape and not known and not numel:
        raise RuntimeError(
            f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified "
            "dimension size -1 can be any value and is ambiguous"
        )
    if -1 in shape or known != numel:
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
    return shape
