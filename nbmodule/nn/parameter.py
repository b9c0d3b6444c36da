"""Tensors that a Module recognises: what is learned, and what is only remembered."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any

from .. import _factories
from .._engine import wrap
from .._tensor import Tensor

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
    """

    _mark = "_is_param"

    _keeps_class = False

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Any:
        """Wrap the memory of `data`."""
        if data is None:
            data = _factories.empty(0)
        _refuse_other_than_tensors(data)
        if not isinstance(requires_grad, bool):
            raise TypeError(
                "_make_subclass(): argument 'require_grad' (position 3) must be bool, not "
                f"{type(requires_grad).__name__}"
            )
        if requires_grad and not data.is_floating_point():
            raise RuntimeError(_FLOATS_ONLY)
        if type(data) in (Tensor, Parameter):
            return _sharing(cls, data, requires_grad)
        if issubclass(type(data), Parameter):
            raise RuntimeError(_not_twice(type(data).__name__))
        return _marked(_sharing(type(data), data, requires_grad), _is_param=True)

    def __init__(self, data: Tensor | None = None, requires_grad: bool = True) -> None:
        """`__new__` has done everything."""

    def __deepcopy__(self, memo: dict) -> Parameter:
        if id(self) not in memo:
            copied = wrap(self._array.copy(order="K"))
            memo[id(self)] = type(self)(copied, self._requires_grad)
        return memo[id(self)]

    def __repr__(self) -> str:  # type: ignore[override]
        shown = super().__repr__()
        return "Parameter containing:\n" + (
            shown if type(self) is Parameter else f"Parameter({shown})"
        )


class Buffer(Tensor, metaclass=_Marked):
    """A tensor to be remembered. Assigned to a Module, it goes into the drawer ``_buffers``.

    Args:
        data: the values; the buffer shares their memory. None makes an empty one.
        persistent: whether ``state_dict()`` holds it.

    Raises:
        AttributeError: `data` is not a Tensor.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.Buffer.html
    """

    _mark = "_is_buffer"

    _keeps_class = False

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Any:
        """Return a tensor of the class of `data` that bears a mark."""
        if data is None:
            data = _factories.empty(0)
        _refuse_other_than_tensors(data)
        kind = Tensor if issubclass(type(data), Parameter) else type(data)
        shared = _sharing(kind, data, data.requires_grad)
        return _marked(shared, persistent=persistent, _is_buffer=True)


_NO_SHAPE = (
    "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
    "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call `forward` to "
    "initialize the parameters before accessing their attributes."
)
_NOT_SHARED = (
    "Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize the parameters "
    "before calling `module.share_memory()`."
)
_WITHOUT_SHAPE = frozenset(
    ("copy_", "is_complex", "is_floating_point", "half", "float", "double", "char", "short", "int")
) | {"long", "cuda", "cpu", "to", "get_device"}  # fmt: skip
"""The methods that make sense before the shape is known."""


class UninitializedTensorMixin:
    """What `UninitializedParameter` and `UninitializedBuffer` share: a dtype and a device, but no shape yet.

    Attributes:
        cls_to_become: the class after `materialize`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.UninitializedParameter.html

    Example:
        >>> from nbmodule import nn
        >>> weight = nn.UninitializedParameter()
        >>> weight
        <UninitializedParameter>
        >>> weight.materialize((2, 3))
        >>> type(weight).__name__, weight.shape
        ('Parameter', nbmodule.Size([2, 3]))
    """

    cls_to_become: type
    requires_grad: bool
    data: Any

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Take on `shape`, with elements that mean nothing yet, and become an ordinary tensor.

        Args:
            shape: the sizes.
            device: by default the one that was chosen when this was made, or since.
            dtype: likewise.
        """
        device = self.data.device if device is None else device
        dtype = self.data.dtype if dtype is None else dtype
        self.data = _factories.empty(shape, device=device, dtype=dtype)
        self.__class__ = self.cls_to_become

    @property
    def shape(self) -> Any:
        """Refuse.

        Raises:
            RuntimeError: always.
        """
        raise RuntimeError(_NO_SHAPE)

    def size(self, dim: int | None = None) -> Any:
        """Return the shape of no elements: PyTorch answers this question."""
        return _factories.empty(0).size(dim)

    def share_memory_(self) -> Any:
        """Refuse.

        Raises:
            RuntimeError: always.
        """
        raise RuntimeError(_NOT_SHARED)

    def __getattribute__(self, name: str) -> Any:
        """Let properties and a few methods through; the elements are for their eyes only."""
        own = object.__getattribute__(self, "__dict__")
        if name == "_array" and "_permitted" not in own:
            raise ValueError(_not_yet(type(self), "an operation"))
        inherited = getattr(Tensor, name, None)
        overridden = getattr(type(self), name, None) is not inherited
        if isinstance(inherited, property) and not overridden:
            return _permitted(self, object.__getattribute__, self, name)
        if isinstance(inherited, FunctionType) and not overridden and not name.startswith("_"):
            if name in _WITHOUT_SHAPE:
                return partial(_permitted, self, inherited, self)
            return partial(_refused, type(self), name)
        return object.__getattribute__(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        _permitted(self, object.__setattr__, self, name, value)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def __reduce_ex__(self, protocol: Any) -> tuple:
        return type(self), (self.requires_grad,)


def _permitted(t: Any, call: Callable, *args: Any, **kwargs: Any) -> Any:
    """Call what may see the elements of `t`, none; what it makes of a buffer is one without a shape too."""
    kind, own = type(t), object.__getattribute__(t, "__dict__")
    outermost = own.setdefault("_permitted", call) is call
    try:
        result = call(*args, **kwargs)
    finally:
        if outermost:
            own.pop("_permitted", None)
    if isinstance(result, Tensor) and result is not t and issubclass(kind, UninitializedBuffer):
        result.__class__ = kind
    return result


def _refused(kind: type, name: str, *args: Any, **kwargs: Any) -> None:
    raise ValueError(_not_yet(kind, f"<method '{name}' of 'nbmodule._C.TensorBase' objects>"))


def _not_yet(kind: type, asked: str) -> str:
    return (
        f"Attempted to use an uninitialized parameter in {asked}. This error happens when you are using a "
        f"`LazyModule` or explicitly manipulating `nbmodule.nn.parameter.{kind.__name__}` objects. When using "
        "LazyModules Call `forward` with a dummy batch to initialize the parameters before calling nbmodule "
        "functions"
    )


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


class UninitializedParameter(UninitializedTensorMixin, Parameter):
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

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> Any:  # type: ignore[override]
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


class UninitializedBuffer(UninitializedTensorMixin, Tensor):
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

    def __new__(cls, requires_grad: bool = False, device: Any = None, dtype: Any = None, persistent: bool = True) -> Any:  # type: ignore[override]  # fmt: skip
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
        raise ValueError(_not_yet(type(self), "<function Tensor.__deepcopy__>"))


def _refuse_other_than_tensors(data: Any) -> None:
    if not isinstance(data, Tensor):
        raise AttributeError(
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
    leaf = Tensor.__new__(cls)
    leaf._array, leaf._storage = data._array, data._storage
    leaf._requires_grad = requires_grad
    return leaf


def _marked(t: Any, **marks: Any) -> Any:
    t.__dict__.update(marks)
    return t
