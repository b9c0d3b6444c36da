"""The functions that return views, as ones that return copies: ``view_copy`` for ``view``, and so on.

Source: https://docs.pytorch.org/docs/stable/torch.html#indexing-slicing-joining-mutating-ops
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import Any

from .. import _dtypes
from .._engine import Event, heard, rare, renamed, told_as_one, wrap
from .._errors import invalid_call
from .._ops import elementwise
from .._tensor import Tensor
from ._wrap import function


def _copying(name: str, method: Callable[..., Any]) -> Any:
    """Return the function that does what `method` does, and gives fresh memory.

    Its node is the view's, under another name; the copy itself needs none, as its derivative is the same.
    """

    def call(self: Tensor, *args: Any, **named: Any) -> Any:
        if rare and heard():
            return told_as_one(Event("operation", name, (self, *args), named), call, self, *args, **named)  # fmt: skip
        found = method(self, *args, **named)
        if isinstance(found, tuple):
            return tuple(map(_copy, found))
        return _copy(found)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"Return a copy of what `{name.removesuffix('_copy')}` shows."
    call.__wrapped__ = method  # type: ignore[attr-defined]
    return function(call, name=name)


def _copy(view: Any) -> Any:
    """Return the elements of `view` in memory of their own, with its history."""
    t = wrap(view._array.copy(order="C"))
    node = view._node
    if node is not None:
        t._node = node
        if not node.shown.name().endswith("_copy"):  # parts of one tensor share theirs
            node.shown.__class__ = _copying_kind(type(node.shown))
    elif view._requires_grad:
        t = elementwise.clone(view)
    return t


@cache
def _copying_kind(kind: type) -> type:
    body = {"__slots__": (), "__module__": kind.__module__}
    return type(f"{kind.__name__}_copy", (kind,), body)


def _slice(self: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Tensor:  # fmt: skip
    whole = slice(None)
    return self[(*(whole,) * (dim % max(self.dim(), 1)), slice(start, end, step))]


def _expand(self: Tensor, size: Any, *, implicit: bool = False) -> Tensor:
    return self.expand(size)


def _view(self: Tensor, size: Any = None, dtype: _dtypes.dtype | None = None) -> Tensor:
    if isinstance(size, _dtypes.dtype) or dtype is not None:
        return self.view(size if dtype is None else dtype)
    return renamed(self.reshape(size), "ViewBackward0")


def _alias(self: Tensor) -> Tensor:
    return renamed(self.view_as(self), "AliasBackward0")


alias_copy = _copying("alias_copy", _alias)
as_strided_copy = _copying("as_strided_copy", Tensor.as_strided)
detach_copy = _copying("detach_copy", Tensor.detach)
diagonal_copy = _copying("diagonal_copy", Tensor.diagonal)
expand_copy = _copying("expand_copy", _expand)
permute_copy = _copying("permute_copy", Tensor.permute)
select_copy = _copying("select_copy", Tensor.select)
slice_copy = _copying("slice_copy", _slice)
split_copy = _copying("split_copy", Tensor.split)
split_with_sizes_copy = _copying("split_with_sizes_copy", Tensor.split_with_sizes)
squeeze_copy = _copying("squeeze_copy", Tensor.squeeze)
t_copy = _copying("t_copy", Tensor.t)
transpose_copy = _copying("transpose_copy", Tensor.transpose)
unbind_copy = _copying("unbind_copy", Tensor.unbind)
unfold_copy = _copying("unfold_copy", Tensor.unfold)
unsqueeze_copy = _copying("unsqueeze_copy", Tensor.unsqueeze)
view_copy = _copying("view_copy", _view)


# ---- a copy in which everything is replaced


def _fill(self: Tensor, value: Any) -> Tensor:
    """Return a tensor like `self` in which every element is `value`."""
    if not isinstance(value, (Tensor, int, float)):
        raise invalid_call("fill", (self, value), {})
    number = int(isinstance(value, Tensor))
    return renamed(self.clone().fill_(value), f"FillBackward{number}")


_checked_fill = function(_fill, name="fill")


@wraps(_checked_fill)
def fill(*args: Any, **named: Any) -> Tensor:
    if len(args) + len(named) != 2 or not isinstance(
        args[0] if args else named.get("input"), Tensor
    ):
        raise invalid_call("fill", args, named)
    return _checked_fill(*args, **named)
