"""Methods that PyTorch has beside the rest: shape of a sum, order in memory, Python's own protocols."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from .. import _formats
from .._engine import TensorBase, edge_of, renamed, repeated_axes
from .sizes import in_one_argument, sizes

if TYPE_CHECKING:
    from .._tensor import Tensor

NO_ORDER = "The tensor does not have unique dim order, or cannot map to exact one of the given memory formats."


class Odds(TensorBase):
    """What has no other place."""

    @in_one_argument("size")
    def sum_to_size(self, *size: Any) -> Tensor:
        """Return the sum over those dimensions in which `size` is 1 or has none: `expand` backwards.

        Raises:
            RuntimeError: a tensor of that size could not be expanded to this one.

        Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.sum_to_size.html
        """
        if not size:
            raise TypeError('sum_to_size() missing 1 required positional arguments: "size"')
        t: Any = self
        own, wanted = self._array.shape, tuple(sizes(size))
        back = zip(reversed(wanted), reversed(own), strict=False)
        if len(wanted) > len(own) or any(n not in (1, m) for n, m in back):
            raise RuntimeError(
                f"size {{{list(wanted)}}} is not expandable to size {{{list(own)}}}."
            )
        if wanted == own:
            return t
        out = t.sum(repeated_axes(own, wanted), keepdim=True)
        return out if out._array.shape == wanted else out.view(wanted)

    def dim_order(self, *, ambiguity_check: bool | Sequence[Any] = False) -> tuple[int, ...]:
        """Return the dimensions in the order in which they lie in memory, the outermost first.

        Args:
            ambiguity_check: whether to raise where dimensions of size 1 or equal strides leave a choice; or
                memory formats, of which exactly one has to fit then.

        Raises:
            TypeError: `ambiguity_check` is something else.
            RuntimeError: there is a choice.

        Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.dim_order.html
        """
        t: Any = self
        formats = ambiguity_check if isinstance(ambiguity_check, list) else []
        known = all(isinstance(f, _formats.memory_format) for f in formats)
        if not (isinstance(ambiguity_check, bool) or (formats is ambiguity_check and known)):
            raise TypeError(
                "The ambiguity_check argument must be a bool or a list of memory formats."
            )
        strides = t.stride()
        equal = any(a == b for a, b in pairwise(strides))
        choice = ambiguity_check is not False and (equal or 1 in self._array.shape)
        if choice and sum(t.is_contiguous(memory_format=f) for f in formats) != 1:
            raise RuntimeError(NO_ORDER)
        if t.is_contiguous():
            return tuple(range(t.dim()))
        return _order(self._array.shape, strides)

    def put(self, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
        """Return a copy with `source` at the places `index`, which count the elements as in one row.

        Args:
            index: integers, in any shape.
            source: as many values, of the same dtype.
            accumulate: add them instead; where an index repeats, all of them.

        Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.put.html
        """
        t: Any = self
        return renamed(t.clone().put_(index, source, accumulate), "PutBackward0")

    def as_strided_scatter(self, src: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None) -> Tensor:  # fmt: skip
        """Return a copy with `src` in place of the elements that ``as_strided(size, stride)`` shows.

        Raises:
            RuntimeError: `src` has another size.

        Source: https://docs.pytorch.org/docs/stable/generated/torch.as_strided_scatter.html
        """
        t: Any = self
        out = t.clone()
        part = out.as_strided(size, stride, storage_offset)
        if src._array.shape != part._array.shape:
            raise RuntimeError(
                "expected src to have a size equal to the slice of self. src size = "
                f"{list(src._array.shape)}, slice size = {list(part._array.shape)}"
            )
        part.copy_(src)
        edge_of(out)  # the write through the view is in its history from here on
        return renamed(out, "AsStridedScatterBackward0")

    def const_data_ptr(self) -> int:
        """Return the address of the first element, for whoever only reads."""
        return self.data_ptr()  # type: ignore[attr-defined]

    def __reversed__(self) -> Tensor:
        t: Any = self
        return t.flip(0) if t.dim() else t

    def __rmatmul__(self, other: Any) -> Any:
        if not isinstance(other, TensorBase):
            return NotImplemented
        return other.matmul(self)  # type: ignore[attr-defined]

    def __nonzero__(self) -> bool:
        return bool(self)


def _order(shape: Sequence[int], strides: Sequence[int]) -> tuple[int, ...]:
    """Sort dimensions by stride, the largest first, and equal strides by size.

    An insertion sort as in PyTorch: a stride of 0 fits anywhere, so that no other sort gives its answer.
    """
    inside_out: list[int] = list(reversed(range(len(shape))))
    for end in range(1, len(shape)):
        place = end
        for before in reversed(range(end)):
            a, b = inside_out[before], inside_out[place]
            if not (strides[a] and strides[b]):
                continue
            if (strides[a], shape[a]) > (strides[b], shape[b]):
                inside_out[before], inside_out[place] = b, a
                place = before
            elif strides[a] < strides[b]:
                break
    return tuple(reversed(inside_out))
