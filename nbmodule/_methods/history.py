"""Methods about a tensor's place in the graph: who wants gradients, hooks, and the walk."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _dtypes, _errors
from .._backend import mixed_devices, namespace_of
from .._engine import (
    HandleClass,
    Node,
    Port,
    TensorBase,
    edge_of,
    grad_mode,
    keep_class,
    rare,
    register,
    run_backward,
    tell_of,
    wants_grad,
    wrap,
)
from .._formats import checked_format, order_of, preserve_format
from .._meta import MetaArray
from .._ops import elementwise
from ..utils.hooks import RemovableHandle
from .backward import NO_HISTORY, backward

if TYPE_CHECKING:
    from .._engine.state import Tensor

HandleClass.built = RemovableHandle

NOT_POPULATED = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
    "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf "
    "Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure "
    "you access the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information."
)


class History(TensorBase):
    """``requires_grad``, ``grad``, `backward`, `detach`, hooks."""

    @property
    def requires_grad(self) -> bool:
        """Whether operations on this tensor are recorded."""
        return wants_grad(self)

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
        if not isinstance(requires_grad, bool):
            raise TypeError(
                "requires_grad_(): argument 'requires_grad' (position 1) must be bool, not "
                f"{_errors.name_of_type(requires_grad)}"
            )
        if requires_grad and self._array.dtype.kind != "f":
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        if requires_grad and self._storage.is_inference and not grad_mode.inference:
            raise RuntimeError(
                "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."
            )
        if self._node is not None:
            if not requires_grad:
                raise RuntimeError(
                    "you can only change requires_grad flags of leaf variables. If you want to use a "
                    "computed variable in a subgraph that doesn't require differentiation use "
                    "var_no_grad = var.detach()."
                )
            return self  # type: ignore[return-value]
        self._requires_grad = bool(requires_grad)
        return self  # type: ignore[return-value]

    @property
    def is_leaf(self) -> bool:
        """Whether it was not made by a recorded operation."""
        return self.grad_fn is None

    @property
    def grad_fn(self) -> Node | None:
        """The recorded operation that made this tensor, or None."""
        if self._base is not None:
            edge_of(self)  # a write to its base may have changed its history
        return None if self._node is None else self._node.shown

    @property
    def output_nr(self) -> int:
        """Which of the outputs of ``grad_fn`` this tensor is."""
        node = self._node
        return node.index if type(node) is Port else self._output

    @property
    def grad(self) -> Tensor | None:
        """The gradient that `backward` left here, or None."""
        if self._grad is None and self._node is not None and not self.retains_grad:
            warnings.warn(NOT_POPULATED, stacklevel=2)
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
        arrays = self._array, value._array
        on_cpu = type(arrays[0]) is type(arrays[1]) is np.ndarray
        if on_cpu and arrays[0].shape == arrays[1].shape and self._grad_dtype is ... and arrays[0].dtype is arrays[1].dtype:  # fmt: skip
            self._grad = value  # type: ignore[assignment]
            return
        if not on_cpu and mixed_devices(arrays):
            raise RuntimeError("assigned grad has data located on a different device")
        if value._array.shape != self._array.shape:
            raise RuntimeError(
                f"attempting to assign a gradient of size '{list(value._array.shape)}' to a tensor of size "
                f"'{list(self._array.shape)}'. Please ensure that the gradient and the tensor are the same "
                "size"
            )
        own: Any = self._grad_dtype
        own = _dtypes.of_numpy[self._array.dtype] if own is ... else own
        found = _dtypes.of_numpy[value._array.dtype]
        if own is not None and found is not own:
            raise RuntimeError(
                f"attempting to assign a gradient with dtype '{found.c_name}' to a tensor with grad_dtype "
                f"'{own.scalar_name}'. The gradient must match the tensor's grad_dtype "
                "(defaults to the tensor's dtype). You can set the tensor's grad_dtype attribute with a specific "
                "dtype, or None to allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor "
                "and its gradient may break downstream systems that assume they match."
            )
        self._grad = value  # type: ignore[assignment]

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    @property
    def grad_dtype(self) -> Any:
        """The type of the elements of ``.grad``: by default that of the leaf; None allows any.

        Raises:
            RuntimeError: this is not a leaf.
        """
        if self._node is not None:
            raise RuntimeError("grad_dtype can only be accessed on leaf tensors.")
        own = self._grad_dtype
        return _dtypes.of_numpy[self._array.dtype] if own is ... else own

    @grad_dtype.setter
    def grad_dtype(self, value: Any) -> None:
        if value is not None and not isinstance(value, _dtypes.dtype):
            raise RuntimeError(
                f"grad_dtype must be a nbmodule.dtype or None, but got {type(value).__name__}"
            )
        if self._node is not None:
            raise RuntimeError("grad_dtype can only be set on leaf tensors.")
        held = None if self._grad is None else _dtypes.of_numpy[self._grad._array.dtype]
        if held is not None and value is not None and held is not value:
            raise RuntimeError(
                f"Cannot set grad_dtype to '{value.scalar_name}' because there is already a "
                f"gradient with dtype '{held.c_name}'. Please clear the gradient (.grad = None) before changing "
                "grad_dtype, or ensure the new grad_dtype matches the existing gradient's dtype."
            )
        self._grad_dtype, self._accumulator = value, None

    @property
    def _version(self) -> int:
        """How often the memory was written in place."""
        if self._storage.is_inference:
            raise RuntimeError("Inference tensors do not track version counter.")
        return self._storage.version

    def is_inference(self) -> bool:
        """Return whether the tensor was made in `inference_mode`."""
        return self._storage.is_inference

    def backward(
        self,
        gradient: Tensor | None = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Any = None,
    ) -> None:
        """Add the derivative of `self` by each leaf to the leaf's ``.grad``.

        Args:
            gradient: in the shape of `self`; may be left out for a single number, and is then 1.
            retain_graph: keep the graph, so that it can be walked again.
            create_graph: record the walk itself, so that the gradients can be differentiated.
            inputs: only to the ``.grad`` of these tensors; by default to that of all leaves.

        Raises:
            RuntimeError: `self` does not require grad; `gradient` is missing or has another shape; the
                graph was freed by an earlier walk; an array that it needs was written in place.

        Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html
        """
        edge = edge_of(self)
        if edge is None and (gradient is None or isinstance(gradient, TensorBase)):
            raise RuntimeError(NO_HISTORY.format(0))
        if gradient is inputs is None and edge and not create_graph and not self._array.ndim:
            one = namespace_of[type(self._array)].array(1, self._array.dtype)
            run_backward((edge,), (one,), retain=bool(retain_graph))  # a loss: nothing to check
            return
        backward(self, gradient, retain_graph, create_graph, inputs=inputs)  # type: ignore[arg-type]

    # ---- hooks

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
        """Call ``hook(grad)`` whenever a gradient for this tensor has been computed.

        A tensor that `hook` returns takes the place of the gradient.

        Returns:
            a handle whose ``remove()`` takes the hook away.

        Raises:
            RuntimeError: the tensor does not require grad.
        """
        edge = edge_of(self)
        if edge is None:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        return register(edge.own_notes().arrived, hook)

    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> RemovableHandle:
        """Call ``hook(self)`` whenever ``.grad`` of this leaf has been added to.

        Raises:
            RuntimeError: the tensor does not require grad, or is not a leaf.
        """
        edge = edge_of(self)
        if edge is None:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if self._node is not None:
            raise RuntimeError(
                "post accumulate grad hooks cannot be registered on non-leaf tensors"
            )
        return register(edge.own_notes().accumulated, hook)

    def retain_grad(self) -> None:
        """Keep the gradient of this tensor in ``.grad``, as leaves do.

        Raises:
            RuntimeError: the tensor does not require grad.
        """
        edge = edge_of(self)
        if edge is None:
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        if self._node is not None:
            edge.own_notes().retained = weakref.ref(self)

    @property
    def retains_grad(self) -> bool:
        """Whether this is no leaf and yet keeps its gradient."""
        notes = None if self._node is None else self._node.notes
        return notes is not None and notes.retained is not None

    # ---- leaving the graph

    def detach(self) -> Tensor:
        """Return a tensor on the same memory that is not part of the graph."""
        out = wrap(self._array, self._storage)
        keep_class(out, (self,))
        if rare:
            tell_of("detach", (self,), out)
        return out

    def detach_(self) -> Tensor:
        """Take this tensor out of the graph, and return it."""
        if self._base is not None:
            raise RuntimeError(_errors.VIEW_DETACHED)
        self._node, self._requires_grad = None, False
        if rare:
            tell_of("detach_", (self,), self)
        return self  # type: ignore[return-value]

    @property
    def data(self) -> Tensor:
        """A tensor on the same memory whose in-place operations the graph does not notice."""
        out = wrap(self._array)
        out._storage.listed = True  # without being so: what is written there goes unnoticed
        keep_class(out, (self,))
        if rare:
            tell_of("data", (self,), out)
        return out

    @data.setter
    def data(self, value: Tensor) -> None:
        if not isinstance(value, TensorBase):
            raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
        if isinstance(value._array, MetaArray) != isinstance(self._array, MetaArray):
            raise RuntimeError(_errors.DATA_ELSEWHERE)
        if self._requires_grad and value._array.dtype.kind != "f":
            raise RuntimeError(
                "data set to a tensor that requires gradients must be floating point or complex dtype"
            )
        self._array = value._array
        self._storage = self._storage.apart()  # views of what it was keep the other

    def clone(self, *, memory_format: Any = None) -> Tensor:
        """Return a recorded copy."""
        if memory_format is None or memory_format is preserve_format:
            return elementwise.clone(self)
        checked_format("clone", memory_format)
        order: Any = order_of(memory_format, self._array.ndim)
        return elementwise.clone(self, order=order)

    def _is_view(self) -> bool:
        """Return whether it shows the memory of another tensor, and knows it."""
        return self._base is not None
