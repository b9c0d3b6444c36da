"""Methods that change the shape."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .._engine import TensorBase, renamed, repeated_axes
from .._errors import warn_once
from .._ops import shape as s
from .._ops.reduce import axes_of, axis_of
from .common import names_no_axis
from .deprecations import REVERSED
from .layout import read_as, turning
from .pytorch_errors import pytorch_errors_in_methods
from .sizes import Size, in_one_argument, infer, sizes

if TYPE_CHECKING:
    from .._engine.state import Tensor

__all__ = ["Shapes", "Size", "in_one_argument", "infer", "sizes"]


@pytorch_errors_in_methods
class Shapes(TensorBase):
    """Views, and copies in another shape."""

    @in_one_argument("shape")
    def reshape(self, *shape: Any) -> Tensor:
        """Return the elements in another shape, sharing memory where possible; one size may be -1.

        Raises:
            RuntimeError: the number of elements differs.
        """
        out = s.reshape(self, shape=infer(sizes(shape, "reshape", "shape"), self._array.size))
        if out._storage is self._storage:
            return out
        return renamed(out, "UnsafeViewBackward0")

    @in_one_argument("size", "dtype")
    def view(self, *shape: Any) -> Tensor:
        """Return the elements in another shape, sharing memory always; one size may be -1.

        With a dtype in place of the sizes, return the same bytes read as that type.

        Raises:
            RuntimeError: the number of elements differs, or the memory layout does not allow it.
        """
        if len(shape) == 1 and hasattr(shape[0], "legacy"):
            return read_as(self, shape[0])
        out = s.reshape(self, shape=infer(sizes(shape, "view"), self._array.size))
        if out._base is None and out._array.size:
            raise RuntimeError(
                "view size is not compatible with input tensor's size and stride (at least one dimension "
                "spans across two contiguous subspaces). Use .reshape(...) instead."
            )
        return out

    def reshape_as(self, other: Tensor) -> Tensor:
        """Return the elements in the shape of `other`."""
        return self.reshape(other.shape)

    def view_as(self, other: Tensor) -> Tensor:
        """Return the elements in the shape of `other`, sharing memory."""
        return self.view(other.shape)

    def flatten(self, start_dim: int = 0, end_dim: int = -1) -> Tensor:
        """Return the dimensions from `start_dim` to `end_dim` rolled into one."""
        old = self._array.shape
        start, end = axis_of(start_dim, len(old)), axis_of(end_dim, len(old))
        if start > end:
            raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
        if start == end and old:
            return self  # type: ignore[return-value]
        if not old:
            return self.reshape(1)
        return self.reshape(*old[:start], math.prod(old[start : end + 1]), *old[end + 1 :])

    def unflatten(self, dim: int, sizes: Sequence[int]) -> Tensor:
        """Return `dim` unrolled into several dimensions."""
        if not len(sizes):
            raise RuntimeError("unflatten: sizes must be non-empty")
        old, axis = self._array.shape, axis_of(dim, self._array.ndim)
        known = math.prod(n for n in sizes if n != -1)
        if known != old[axis] if -1 not in sizes else not known or old[axis] % known:
            raise RuntimeError(
                f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {dim} "
                f"({old[axis]}) in the input tensor"
            )
        return self.view(*old[:axis], *infer(tuple(sizes), old[axis]), *old[axis + 1 :])

    def ravel(self) -> Tensor:
        """Return the elements as a vector."""
        return self.contiguous().view(-1)  # type: ignore[attr-defined]

    @in_one_argument("dims")
    def permute(self, *dims: Any) -> Tensor:
        """Return a view with the dimensions in the order `dims`."""
        order = sizes(dims, "permute", "dims")
        if len(order) != self._array.ndim:
            raise RuntimeError(
                "permute(sparse_coo): number of dimensions in the tensor input does not match the length "
                f"of the desired ordering of dimensions i.e. input.dim() = {self._array.ndim} is not "
                f"equal to len(dims) = {len(order)}"
            )
        axes = [axis_of(d, len(order)) for d in order]
        if len({*axes}) < len(axes):
            raise RuntimeError("permute(): duplicate dims are not allowed.")
        return s.permute(self, dims=axes)

    def transpose(self, dim0: int, dim1: int) -> Tensor:
        """Return a view with two dimensions swapped."""
        n = self._array.ndim
        first, second = axis_of(dim0, n), axis_of(dim1, n)
        return (
            s.transpose(self, dim0=first, dim1=second)
            if n
            else renamed(self.view(()), "TransposeBackward0")
        )

    def swapaxes(self, axis0: int, axis1: int) -> Tensor:
        """Return a view with two dimensions swapped."""
        return self.transpose(axis0, axis1)

    def swapdims(self, dim0: int, dim1: int) -> Tensor:
        """Return a view with two dimensions swapped."""
        return self.transpose(dim0, dim1)

    def t(self) -> Tensor:
        """Return the transpose of a matrix; a vector stays."""
        if self._array.ndim > 2:
            raise RuntimeError(
                f"t() expects a tensor with <= 2 dimensions, but self is {self._array.ndim}D"
            )
        out = self.transpose(0, 1) if self._array.ndim == 2 else self.view(self._array.shape)
        return renamed(out, "TBackward0")

    @property
    def T(self) -> Tensor:
        """The view with all dimensions in reverse order."""
        if self._array.ndim == 2:
            return s.permute(self, dims=(1, 0))
        warn_once(REVERSED, 2)
        return s.permute(self, dims=tuple(reversed(range(self._array.ndim))))

    @property
    def H(self) -> Tensor:
        """The transpose of a matrix; there are no complex numbers to conjugate."""
        if self._array.ndim not in (0, 2):
            raise RuntimeError(
                f"tensor.H is only supported on matrices (2-D tensors). Got {self._array.ndim}-D tensor."
                + (
                    " For batches of matrices, consider using tensor.mH"
                    if self._array.ndim > 2
                    else ""
                )
            )
        return self.transpose(0, -1)

    @property
    def mH(self) -> Tensor:
        """The view with the last two dimensions swapped; there are no complex numbers to conjugate."""
        if self._array.ndim < 2:
            raise RuntimeError(
                "tensor.mH is only supported on matrices or batches of matrices. Got "
                f"{self._array.ndim}-D tensor."
            )
        return self.transpose(-2, -1)

    def adjoint(self) -> Tensor:
        """Return the view with the last two dimensions swapped."""
        if self._array.ndim < 2:
            raise RuntimeError(
                "tensor.adjoint() is only supported on matrices or batches of matrices. Got "
                f"{self._array.ndim}-D tensor."
            )
        return self.transpose(-2, -1)

    def movedim(self, source: Any, destination: Any) -> Tensor:
        """Return a view with the dimensions `source` at the places `destination`, the others in order."""
        old = (source,) if isinstance(source, int) else tuple(source)
        new = (destination,) if isinstance(destination, int) else tuple(destination)
        if len(old) != len(new):
            raise RuntimeError(
                f"movedim: Invalid source or destination dims: source ({list(old)} dims) should contain "
                f"the same number of dims as destination ({list(new)} dims)"
            )
        n = self._array.ndim
        starts, ends = [axis_of(d, n) for d in old], [axis_of(d, n) for d in new]
        for name, axes, given in (("source", starts, old), ("destination", ends, new)):
            if len({*axes}) < len(axes):
                raise RuntimeError(f"movedim: repeated dim in `{name}` ({list(given)})")
        if not n:
            return self.view(())
        rest = iter(a for a in range(n) if a not in starts)
        places = dict(zip(ends, starts, strict=True))
        return s.permute(self, dims=[places[a] if a in places else next(rest) for a in range(n)])

    moveaxis = movedim

    @property
    def mT(self) -> Tensor:
        """The view with the last two dimensions swapped."""
        if not self._array.ndim:
            return self.view(())
        if self._array.ndim < 2:
            raise RuntimeError(
                "tensor.mT is only supported on matrices or batches of matrices. Got "
                f"{self._array.ndim}-D tensor."
            )
        return self.transpose(-2, -1)

    def squeeze(self, dim: int | Sequence[int] | None = None) -> Tensor:
        """Return a view without dimensions of length 1: all of them, or those in `dim`."""
        old = self._array.shape
        axes = () if names_no_axis(dim) else axes_of(dim, len(old))
        rest = tuple([n for a, n in enumerate(old) if n != 1 or a not in axes])
        form = 0 if dim is None else 2 if isinstance(dim, (list, tuple)) else 1
        return renamed(s.reshape(self, shape=rest), f"SqueezeBackward{form}")

    def unsqueeze(self, dim: int) -> Tensor:
        """Return a view with a dimension of length 1 put in at `dim`."""
        axis = axis_of(dim, self._array.ndim + 1)
        if not self._array.flags.c_contiguous:
            return renamed(s.index(self, key=(slice(None),) * axis + (None,)), "UnsqueezeBackward0")
        old = self._array.shape
        return renamed(s.reshape(self, shape=(*old[:axis], 1, *old[axis:])), "UnsqueezeBackward0")

    @in_one_argument("size")
    def expand(self, *size: Any) -> Tensor:
        """Return a view in which dimensions of length 1 are repeated; -1 keeps a size."""
        wanted, old = sizes(size, "expand"), self._array.shape
        lead = len(wanted) - len(old)
        if lead < 0:
            name: str = self.type()  # type: ignore[attr-defined]
            raise RuntimeError(
                f"expand({name}{{{list(old)}}}, size={list(wanted)}): the number of sizes "
                f"provided ({len(wanted)}) must be greater or equal to the number of dimensions in the "
                f"tensor ({len(old)})"
            )
        full = tuple(old[i - lead] if n == -1 and i >= lead else n for i, n in enumerate(wanted))
        for i, n in reversed([*enumerate(old)]):
            if n not in (1, full[lead + i]):
                raise RuntimeError(
                    f"The expanded size of the tensor ({full[lead + i]}) must match the existing size "
                    f"({n}) at non-singleton dimension {lead + i}.  Target sizes: {list(wanted)}.  Tensor "
                    f"sizes: {list(old)}"
                )
        if -1 in full:
            raise RuntimeError(
                "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension "
                f"{full.index(-1)}"
            )
        if math.prod(full) == self._array.size:  # nothing is repeated: the view may be written to
            return renamed(self.view(full), "ExpandBackward0")
        return s.expand(self, shape=full)

    def expand_as(self, other: Tensor) -> Tensor:
        """Return `self` expanded to the shape of `other`."""
        return self.expand(other.shape)

    def broadcast_to(self, size: Sequence[int]) -> Tensor:
        """Return `self` expanded to the shape `size`."""
        return self.expand(size)

    t_, squeeze_, unsqueeze_ = turning(t), turning(squeeze, 3), turning(unsqueeze)
    transpose_, swapaxes_, swapdims_ = turning(transpose), turning(swapaxes), turning(swapdims)

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
            return t if own else t.sum()
        out = t.sum(repeated_axes(own, wanted), keepdim=True)
        return out if out._array.shape == wanted else out.view(wanted)
