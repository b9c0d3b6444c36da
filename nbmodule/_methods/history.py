"""Methods about a tensor's place in the graph: who wants gradients, and the walk that brings them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._backend import namespace_of
from .._engine import Node, TensorBase, run_backward, wrap
from .._ops import elementwise

if TYPE_CHECKING:
    from .._tensor import Tensor


class History(TensorBase):
    """``requires_grad``, ``grad``, `backward`, `detach`."""

    @property
    def requires_grad(self) -> bool:
        """Whether operations on this tensor are recorded."""
        return self._requires_grad or self._node is not None

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise RuntimeError("requires_grad must be a bool")
        if value and self._array.dtype.kind != "f":
            raise RuntimeError(
                "only Tensors of floating point and complex dtype can require gradients"
            )
        self.requires_grad_(value)

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Start (or stop) recording operations on this leaf, and return it.

        Raises:
            RuntimeError: the elements are integers or booleans, or it is the result of a recorded
                operation and `requires_grad` is False.
        """
        if requires_grad and self._array.dtype.kind != "f":
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        if self._node is not None:
            if not requires_grad:
                raise RuntimeError(
                    "you can only change requires_grad flags of leaf variables. If you want to use a "
                    "computed variable in a subgraph that doesn't require differentiation use "
                    "var_no_grad = var.detach()."
                )
            return self
        self._requires_grad = bool(requires_grad)
        return self

    @property
    def is_leaf(self) -> bool:
        """Whether it was not made by a recorded operation."""
        return self._node is None

    @property
    def grad_fn(self) -> Node | None:
        """The recorded operation that made this tensor, or None."""
        return self._node

    @property
    def grad(self) -> Tensor | None:
        """The gradient that `backward` left here, or None."""
        return self._grad

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is None:
            self._grad = None
            return
        if not isinstance(value, TensorBase):
            raise TypeError(
                "assigned grad expected to be a Tensor or None but got grad of type "
                f"{type(value).__name__}"
            )
        if value is self:
            raise RuntimeError("can't assign Variable as its own grad")
        if value._array.shape != self._array.shape:
            raise RuntimeError(
                f"attempting to assign a gradient of size '{list(value.shape)}' to a tensor of size "
                f"'{list(self.shape)}'. Please ensure that the gradient and the tensor are the same size"
            )
        if value._array.dtype != self._array.dtype:
            raise RuntimeError(
                f"attempting to assign a gradient with dtype '{value.dtype.name}' to a tensor of dtype "
                f"'{self.dtype.name}'. Cast one of them first"
            )
        self._grad = value

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    @property
    def _version(self) -> int:
        """How often the memory was written in place."""
        return self._storage.version

    def backward(self, gradient: Tensor | None = None, retain_graph: bool = False) -> None:
        """Add the derivative of `self` by each leaf to the leaf's ``.grad``.

        Args:
            gradient: in the shape of `self`; may be left out for a single number, and is then 1.
            retain_graph: keep the graph, so that it can be walked again.

        Raises:
            RuntimeError: `self` does not require grad; `gradient` is missing or has another shape; the
                graph was freed by an earlier walk; an array that it needs was written in place.

        Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html
        """
        if not self.requires_grad:
            raise RuntimeError(
                "element 0 of tensors does not require grad and does not have a grad_fn"
            )
        xp = namespace_of[type(self._array)]
        if gradient is None:
            if self._array.size != 1:
                raise RuntimeError("grad can be implicitly created only for scalar outputs")
            start = xp.ones_like(self._array)
        elif not isinstance(gradient, TensorBase):
            raise TypeError(
                f"gradients can be either Tensors or None, but got {type(gradient).__name__}"
            )
        elif gradient._array.shape != self._array.shape:
            raise RuntimeError(
                f"Mismatch in shape: grad_output[0] has a shape of {gradient.shape} and output[0] has a "
                f"shape of {self.shape}."
            )
        else:
            start = gradient._array.astype(self._array.dtype, copy=False)
        run_backward(self, start, retain_graph)

    def detach(self) -> Tensor:
        """Return a tensor on the same memory that is not part of the graph."""
        return wrap(self._array, self._storage)

    def detach_(self) -> Tensor:
        """Take this tensor out of the graph, and return it."""
        if self._rewritten_at_birth is not None:
            raise RuntimeError("Can't detach views in-place. Use detach() instead.")
        self._node, self._requires_grad = None, False
        return self

    @property
    def data(self) -> Tensor:
        """A tensor on the same memory whose in-place operations the graph does not notice."""
        return wrap(self._array)

    @data.setter
    def data(self, value: Tensor) -> None:
        if not isinstance(value, TensorBase):
            raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
        if self._requires_grad and value._array.dtype.kind != "f":
            raise RuntimeError(
                "data set to a tensor that requires gradients must be floating point or complex dtype"
            )
        self._array = value._array

    def clone(self) -> Tensor:
        """Return a recorded copy."""
        return elementwise.clone(self)
