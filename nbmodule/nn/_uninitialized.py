"""Tensors whose shape is not known yet: what they can do, which is little."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any

from .. import _factories
from .._tensor import Tensor

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

    __module__ = "nbmodule.nn.parameter"
    _gives_its_kind = False

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
        if "_permitted" in object.__getattribute__(self, "__dict__"):
            return object.__getattribute__(self, name)
        if name == "_array":
            raise refuse_use(type(self), "an operation")
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
    books = {
        id(x): object.__getattribute__(x, "__dict__")
        for x in (t, *args)
        if isinstance(x, UninitializedTensorMixin)
    }
    opened = [own for own in books.values() if own.setdefault("_permitted", call) is call]
    kind = type(t)
    try:
        result = call(*args, **kwargs)
    finally:
        for own in opened:
            own.pop("_permitted", None)
    if isinstance(result, Tensor) and result is not t and kind._gives_its_kind:
        result.__class__ = kind
    return result


def _refused(kind: type, name: str, *args: Any, **kwargs: Any) -> None:
    raise refuse_use(kind, f"<method '{name}' of 'nbmodule._C.TensorBase' objects>")


def refuse_use(kind: type, asked: str) -> ValueError:
    """Return the error for a use of a tensor of class `kind` in what was `asked` for."""
    return ValueError(
        f"Attempted to use an uninitialized parameter in {asked}. This error happens when you are using a "
        f"`LazyModule` or explicitly manipulating `nbmodule.nn.parameter.{kind.__name__}` objects. When using "
        "LazyModules Call `forward` with a dummy batch to initialize the parameters before calling nbmodule "
        "functions"
    )
