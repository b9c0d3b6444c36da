"""`Tensor`: an array that knows how it came about."""

from __future__ import annotations

from functools import wraps
from types import FunctionType
from typing import Any

from . import _dtypes, _tensor_str
from ._data import legacy_array
from ._engine import TensorBase, build_tensors_as, rare
from ._engine.state import new_storage
from ._methods.arithmetic import Arithmetic
from ._methods.arrange import Arrange
from ._methods.casting import Casting, parse_to
from ._methods.copying import Copying, alias
from ._methods.cumulative import Cumulative
from ._methods.diagonals import Diagonals
from ._methods.exporting import Exporting
from ._methods.filling import Filling
from ._methods.gathering import Gathering
from ._methods.history import History
from ._methods.in_place import InPlace
from ._methods.indexing import Indexing
from ._methods.layout import Layout
from ._methods.matrices import Matrices
from ._methods.matrix_sums import MatrixSums
from ._methods.new_tensors import NewTensors
from ._methods.properties import Properties
from ._methods.random_fills import RandomFills
from ._methods.reductions import Reductions
from ._methods.scatter import Scatter
from ._methods.shapes import Shapes
from ._methods.sizes import Size
from ._methods.slicing import Slicing
from ._methods.statistics import Statistics

__all__ = ["Size", "Tensor", "parse_to"]


class Tensor(
    History, Arithmetic, Arrange, Casting, Copying, Cumulative, Diagonals, Exporting, Filling, Gathering, InPlace, Indexing,
    Layout, Matrices, MatrixSums, NewTensors, Properties, RandomFills, Reductions, Scatter, Shapes, Slicing, Statistics,
):  # fmt: skip
    """An array of numbers that can be differentiated.

    `nbmodule.tensor` is the usual way to make one. Like PyTorch's class, this one makes floats of the
    default dtype whatever the data.

    Args:
        *data: a sequence of numbers, or an array; or the sizes of a tensor whose elements mean nothing;
            or another tensor, whose memory the new one shares.
        **named: `device` ("cpu"), or one of `size` and `data` by name.

    Attributes:
        grad: the gradient of what `backward` was called on, in the same shape, or None.
        requires_grad: whether operations on this tensor are recorded.
        grad_fn: the operation that made it, or None for a leaf.

    Source: https://docs.pytorch.org/docs/stable/tensors.html
    """

    def __new__(cls, *data: Any, **named: Any) -> Any:
        """Make the tensor; a subclass may do more."""
        array = legacy_array(_dtypes.get_default_dtype(), data, named, any_type=True)
        source = data[0] if data else named.get("other", named.get("data"))
        if isinstance(source, TensorBase) and array is source._array:
            self: Any = alias(source)
            self.__class__ = cls
            return self
        self = object.__new__(cls)
        self._array, self._storage = array, new_storage()
        return self

    def __init_subclass__(cls, **options: Any) -> None:
        """Results of operations on a tensor of a subclass are of that class; Parameter says otherwise."""
        super().__init_subclass__(**options)
        if cls._keeps_class is None:
            cls._keeps_class = rare.seen = True

    def __init__(self, *data: Any, **named: Any) -> None:
        """`__new__` has done everything."""

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return _tensor_str.tensor_repr(self)

    def __hash__(self) -> int:
        return id(self)  # equality is by element, identity is what dictionaries need

    def __dir__(self) -> list[str]:
        return sorted(set(object.__dir__(self)))


def _nothing_on_meta(method: Any) -> Any:
    """Let a method that fills its tensor return at once where there are no numbers."""

    @wraps(method)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return self if self.is_meta else method(self, *args, **kwargs)

    return call


def _leave_meta_alone(fills: type) -> None:
    for name in vars(fills):
        if name.endswith("_") and not name.startswith("_"):
            setattr(Tensor, name, _nothing_on_meta(getattr(Tensor, name)))


def _name_methods_after_tensor() -> None:
    """Let errors and documentation say "Tensor.backward", wherever the method is written."""
    for mixin in Tensor.__mro__[1:-1]:
        for name, method in vars(mixin).items():
            if (
                isinstance(method, FunctionType)
                and method.__qualname__ == f"{mixin.__name__}.{name}"
            ):
                method.__qualname__ = f"Tensor.{name}"


def _guard_attributes() -> None:
    """Let attributes that cannot be set say so in PyTorch's words."""
    for mixin in Tensor.__mro__[1:-1]:
        for name, found in vars(mixin).items():
            if type(found) is property and found.fset is None and name not in ("real", "imag"):
                refuse = _not_writable(name)
                setattr(Tensor, name, property(found.fget, refuse, refuse, found.__doc__))


def _not_writable(name: str) -> Any:
    def refuse(self: Any, value: Any = None) -> None:
        raise AttributeError(
            f"attribute '{name}' of 'nbmodule._C.TensorBase' objects is not writable"
        )

    return refuse


_guard_attributes()
_leave_meta_alone(RandomFills)
_name_methods_after_tensor()
build_tensors_as(Tensor)
Tensor.__module__ = "nbmodule"
