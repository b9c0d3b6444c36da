"""Tensors that a Module recognises: what is learned, and what is only remembered."""

from __future__ import annotations

from typing import Any

from .. import _factories
from .._backend import library_of
from .._engine import wrap
from .._tensor import Tensor
from ._uninitialized import UninitializedTensorMixin, refuse_use

__all__ = [
    "Buffer",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "UninitializedTensorMixin",
    "is_lazy",
]


_FLOATS_ONLY = "Only Tensors of floating point and complex dtype can require gradients"


class _Marked(type):
    """Makes ``isinstance(t, cls)`` true also for tensors of other classes that bear the mark of `cls`."""

    _mark: str

    def __instancecheck__(cls, instance: object) -> bool:
        if type.__instancecheck__(cls, instance):
            return True
        mark = cls.__dict__.get("_mark")  # a subclass recognises its own instances alone
        return mark is not None and isinstance(instance, Tensor) and mark in instance.__dict__


class Parameter(Tensor, metaclass=_Marked):
    """A tensor to be learned. Assigned to a Module, it goes into the drawer ``_parameters``.

    Args:
        data: the values; the parameter shares their memory. None makes an empty one. A tensor of another
            class keeps its class, and is marked.
        requires_grad: whether operations on it are recorded.

    Raises:
        AttributeError: `data` is not a Tensor.
        TypeError: `requires_grad` is not a bool.
        RuntimeError: `data` does not hold floats, and `requires_grad` is True.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.Parameter.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.Parameter(nbmodule.ones(2))
        Parameter containing:
        tensor([1., 1.], requires_grad=True)
    """

    _mark = "_is_param"

    _keeps_class = False

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Parameter:
        """Wrap the memory of `data`."""
        if data is None:
            data = _factories.empty(0)
        if not isinstance(data, Tensor):
            raise _only_tensors(data)
        if requires_grad is not True and requires_grad is not False:
            raise TypeError(
                "_make_subclass(): argument 'require_grad' (position 3) must be bool, not "
                f"{type(requires_grad).__name__}"
            )
        if requires_grad and data._array.dtype.kind != "f":
            raise RuntimeError(_FLOATS_ONLY)
        if type(data) in PLAIN:
            return _sharing(cls, data, requires_grad)
        if issubclass(type(data), Parameter):
            raise RuntimeError(_not_twice(type(data).__name__))
        return _marked(_sharing(type(data), data, requires_grad), _is_param=True)

    def __init__(self, data: Tensor | None = None, requires_grad: bool = True) -> None:
        """`__new__` has done everything."""

    def __deepcopy__(self, memo: dict) -> Parameter:
        if id(self) not in memo:
            library_of(self._array)  # a GPU's card becomes the current one
            copied = wrap(self._array.copy(order="K"))
            memo[id(self)] = type(self)(copied, self._requires_grad)
        return memo[id(self)]

    def __repr__(self) -> str:  # type: ignore[override]
        shown = super().__repr__()
        return "Parameter containing:\n" + (
            shown if type(self) is Parameter else f"Parameter({shown})"
        )


PLAIN = {Tensor, Parameter}
"""The classes of tensors to which nobody has added anything: what their methods do may be done without a call."""


class Buffer(Tensor, metaclass=_Marked):
    """A tensor to be remembered. Assigned to a Module, it goes into the drawer ``_buffers``.

    Args:
        data: the values; the buffer shares their memory. None makes an empty one.
        persistent: whether ``state_dict()`` holds it.

    Raises:
        AttributeError: `data` is not a Tensor.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.Buffer.html

    Example:
        >>> import nbmodule
        >>> net = nbmodule.nn.Module()
        >>> net.mean = nbmodule.nn.Buffer(nbmodule.zeros(2))
        >>> net.state_dict()["mean"]
        tensor([0., 0.])
    """

    _mark = "_is_buffer"

    _keeps_class = False

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Buffer:
        """Return a tensor of the class of `data` that bears a mark."""
        if data is None:
            data = _factories.empty(0)
        if not isinstance(data, Tensor):
            raise _only_tensors(data)
        kind = Tensor if issubclass(type(data), Parameter) else type(data)
        shared = _sharing(kind, data, data.requires_grad)
        return _marked(shared, persistent=persistent, _is_buffer=True)

    def __init__(self, data: Tensor | None = None, *, persistent: bool = True) -> None:
        """`__new__` has done everything."""


def is_lazy(param: Any) -> bool:
    """Return whether `param` is an `UninitializedParameter` or `UninitializedBuffer`.

    Args:
        param: anything.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.modules.lazy.LazyModuleMixin.html

    Example:
        >>> from nbmodule.nn.parameter import Parameter, UninitializedParameter, is_lazy
        >>> is_lazy(UninitializedParameter()), is_lazy(Parameter())
        (True, False)
    """
    return isinstance(param, UninitializedTensorMixin)


class UninitializedParameter(UninitializedTensorMixin, Parameter):  # pyright: ignore[reportIncompatibleVariableOverride, reportIncompatibleMethodOverride]
    """A `Parameter` whose shape is not known yet. It can be cast, moved and materialized, and nothing else.

    Args:
        requires_grad: whether operations on it will be recorded.
        device: where it will live.
        dtype: of its elements; the default dtype when left out.

    Raises:
        ValueError: on any other use.
        RuntimeError: when its shape is asked for.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.UninitializedParameter.html

    Example:
        >>> import nbmodule
        >>> weight = nbmodule.nn.UninitializedParameter(dtype=nbmodule.float64)
        >>> weight.dtype
        nbmodule.float64
        >>> weight.sum()  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ValueError: Attempted to use an uninitialized parameter in <method 'sum' of ...
    """

    cls_to_become = Parameter
    _keeps_class = False

    def __new__(
        cls, requires_grad: bool = True, device: Any = None, dtype: Any = None
    ) -> UninitializedParameter:  # type: ignore[override]
        """Note dtype and device."""
        data = _factories.empty(0, device=device, dtype=dtype)
        if requires_grad and not data.is_floating_point():
            raise RuntimeError(_FLOATS_ONLY)
        return _sharing(cls, data, requires_grad)

    def __init__(self, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> None:
        """`__new__` has done everything."""

    def __deepcopy__(self, memo: dict) -> Any:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, self.device, self.dtype)
        return memo[id(self)]


class UninitializedBuffer(UninitializedTensorMixin, Tensor):  # pyright: ignore[reportIncompatibleVariableOverride, reportIncompatibleMethodOverride]
    """A `Buffer` whose shape is not known yet.

    Args:
        requires_grad: whether operations on it will be recorded.
        device: where it will live.
        dtype: of its elements; the default dtype when left out.
        persistent: whether ``state_dict()`` holds it.

    Raises:
        ValueError: on any use but casting, moving and `materialize`.
        RuntimeError: when its shape is asked for.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.UninitializedBuffer.html

    Example:
        >>> from nbmodule import nn
        >>> mean = nn.UninitializedBuffer()
        >>> mean.materialize(5)
        >>> mean.shape
        nbmodule.Size([5])
    """

    cls_to_become = Tensor
    _keeps_class = False
    _gives_its_kind = True

    def __new__(cls, requires_grad: bool = False, device: Any = None, dtype: Any = None, persistent: bool = True) -> UninitializedBuffer:  # type: ignore[override]  # fmt: skip
        """Note dtype and device."""
        data = _factories.empty(0, device=device, dtype=dtype)
        buffer = _sharing(cls, data, requires_grad)
        buffer.__dict__.update(persistent=persistent, _is_buffer=True)
        return buffer

    def __init__(self, requires_grad: bool = False, device: Any = None, dtype: Any = None, persistent: bool = True) -> None:  # fmt: skip
        """`__new__` has done everything."""

    def __deepcopy__(self, memo: dict) -> Any:
        """Refuse, as PyTorch does.

        Raises:
            ValueError: always.
        """
        raise refuse_use(type(self), repr(Tensor.__deepcopy__))


def _only_tensors(data: Any) -> AttributeError:
    return AttributeError(
        f"'{type(data).__name__}' object has no attribute 'detach'\n"
        "A Parameter or Buffer is made of a Tensor: wrap the numbers in nbmodule.tensor(...) first."
    )


def _not_twice(name: str) -> str:
    return (
        f"Creating a Parameter from an instance of type {name} requires that detach() returns an instance of "
        "the same type, but return type Tensor was found instead. To use the type as a Parameter, please "
        "correct the detach() semantics defined by its __torch_dispatch__() implementation."
        f"\nIt is a Parameter already: pass {name}.detach() to copy it into a plain one."
    )


def _sharing(cls: type, data: Tensor, requires_grad: bool) -> Any:
    """Return a leaf of class `cls` on the memory of `data`."""
    leaf = object.__new__(cls)
    leaf._array, leaf._storage = data._array, data._storage
    leaf._requires_grad = requires_grad
    return leaf


def _marked(t: Any, **marks: Any) -> Any:
    t.__dict__.update(marks)
    return t
