"""Functions that take parts of a tensor, or write to places given by index tensors and masks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._engine.signature import shown_as
from .._methods._signatures import bind_call
from .._methods.arithmetic import choose
from .._tensor import Tensor
from ._wrap import function

select = function(Tensor.select)
narrow = function(Tensor.narrow)
narrow_copy = function(Tensor.narrow_copy)
chunk = function(Tensor.chunk)
unsafe_chunk = function(Tensor.unsafe_chunk)
unbind = function(Tensor.unbind)
tensor_split = function(Tensor.tensor_split)
hsplit = function(Tensor.hsplit)
vsplit = function(Tensor.vsplit)
dsplit = function(Tensor.dsplit)

gather = function(Tensor.gather)
take = function(Tensor.take)
take_along_dim = function(Tensor.take_along_dim)
index_select = function(Tensor.index_select)
masked_select = function(Tensor.masked_select)
nonzero = shown_as("input, *, out=None, as_tuple=False")(function(Tensor.nonzero))
nonzero_static = function(Tensor.nonzero_static)
argwhere = function(Tensor.argwhere)

scatter = function(Tensor.scatter)
scatter_add = function(Tensor.scatter_add)
scatter_reduce = function(Tensor.scatter_reduce)
index_add = function(Tensor.index_add)
index_copy = function(Tensor.index_copy)
index_fill = function(Tensor.index_fill)
index_put = function(Tensor.index_put)
index_put_ = function(Tensor.index_put_)
index_reduce = function(Tensor.index_reduce)
masked_scatter = function(Tensor.masked_scatter)
select_scatter = function(Tensor.select_scatter)
slice_scatter = function(Tensor.slice_scatter)
diagonal_scatter = function(Tensor.diagonal_scatter)
as_strided_scatter = function(Tensor.as_strided_scatter)
put = function(Tensor.put)


def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    """Return `input` where `condition` is True, else `other`, in their common dtype.

    With `condition` alone, return where it is True: a vector of indices for each dimension.
    """
    if input is None and other is None:
        return nonzero(condition, as_tuple=True)
    if input is None or other is None or not isinstance(condition, Tensor):
        bind_call("where", False, (condition, input) + (() if other is None else (other,)), {})
    return choose(condition, input, other)


def split(tensor: Tensor, split_size_or_sections: int | Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:  # fmt: skip
    """Return views of so many elements each along `dim`, or of the listed sizes."""
    return tensor.split(split_size_or_sections, dim)


unsafe_split = function(Tensor.unsafe_split)
split_with_sizes = function(Tensor.split_with_sizes)
unsafe_split_with_sizes = function(Tensor.unsafe_split_with_sizes)
