"""`Tensor`: an array that knows how it came about."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from . import _dtypes, _tensor_str
from ._backend import device, device_of, move, namespace_of, to_numpy
from ._data import as_array
from ._dtypes import dtype as Dtype
from ._engine import (
    TensorBase,
    build_tensors_as,
    edge_of,
    grad_mode,
    node_class,
    wrap,
    write,
)
from ._generator import Generator, default_generator
from ._methods.arithmetic import Arithmetic
from ._methods.history import History
from ._methods.in_place import InPlace
from ._methods.parts import Parts
from ._methods.reductions import Reductions
from ._methods.shapes import Shapes, Size, sizes
from ._ops import elementwise

__all__ = ["Size", "Tensor"]

known_size = tuple.__new__  # past the checks of Size


class Tensor(History, Arithmetic, InPlace, Parts, Reductions, Shapes):
    """An array of numbers that can be differentiated.

    Args:
        *data: nested sequences of numbers, or an array; or the sizes of a tensor whose elements mean
            nothing. `nbmodule.tensor` is the usual way to make one; like PyTorch's class, this one
            always makes floats of the default dtype.

    Attributes:
        grad: the gradient of what `backward` was called on, in the same shape, or None.
        requires_grad: whether operations on this tensor are recorded.
        grad_fn: the operation that made it, or None for a leaf.

    Source: https://docs.pytorch.org/docs/stable/tensors.html
    """

    def __init__(self, *data: Any) -> None:
        if data and all(isinstance(n, int) for n in data):  # sizes, not numbers
            fresh = np.zeros(data, _dtypes.get_default_dtype().numpy)
        elif len(data) == 1 and isinstance(data[0], Size):
            fresh = np.zeros(data[0], _dtypes.get_default_dtype().numpy)
        else:
            fresh = as_array(data[0] if data else (), _dtypes.get_default_dtype())
        self._array, self._storage = fresh, wrap(fresh)._storage

    # ---- what it is

    @property
    def shape(self) -> Size:
        """The length of each dimension."""
        return known_size(Size, self._array.shape)

    @property
    def dtype(self) -> Dtype:
        """The type of the elements."""
        return _dtypes.of_numpy[self._array.dtype]

    @property
    def device(self) -> device:
        """Where the elements live."""
        return device_of(self._array)

    @property
    def ndim(self) -> int:
        """How many dimensions there are."""
        return self._array.ndim

    @property
    def itemsize(self) -> int:
        """How many bytes an element takes."""
        return self._array.itemsize

    @property
    def nbytes(self) -> int:
        """How many bytes all elements take."""
        return self._array.nbytes

    def size(self, dim: int | None = None) -> Any:
        """Return the shape, or the length of dimension `dim`."""
        if dim is None:
            return self.shape
        from ._ops.reduce import axis_of

        return self._array.shape[axis_of(dim, self._array.ndim)]

    def dim(self) -> int:
        """Return how many dimensions there are."""
        return self._array.ndim

    def numel(self) -> int:
        """Return how many elements there are."""
        return self._array.size

    nelement, ndimension = numel, dim

    def element_size(self) -> int:
        """Return how many bytes an element takes."""
        return self._array.itemsize

    def data_ptr(self) -> int:
        """Return the address of the first element."""
        if isinstance(self._array, np.ndarray):
            return self._array.ctypes.data
        return self._array.data.ptr

    def is_floating_point(self) -> bool:
        """Return whether the elements are float16, float32 or float64."""
        return self._array.dtype.kind == "f"

    def is_complex(self) -> bool:
        """Return False: there are no complex tensors."""
        return False

    @property
    def is_cuda(self) -> bool:
        """Whether the elements live on a GPU."""
        return self.device.type == "cuda"

    # ---- other types, other devices

    def to(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return `self` in another dtype or on another device; itself where nothing changes.

        Call it as ``to(dtype)``, ``to(device)``, ``to(device, dtype)`` or ``to(other_tensor)``.
        """
        dtype, target, copied = parse_to(*args, **kwargs)
        out: Tensor = self
        if dtype is not None and dtype.numpy != out._array.dtype:
            out = elementwise.cast(out, dtype=dtype.numpy)
        if target is not None and target.type != out.device.type:
            out = _moved(out, target)
        return out.clone() if copied and out is self else out

    def type(self, dtype: Dtype | str | None = None) -> Any:
        """Return the name of the type, such as "nbmodule.FloatTensor"; with `dtype` the cast tensor."""
        if dtype is None:
            return f"nbmodule.{self.dtype.legacy}"
        if isinstance(dtype, str):
            name = dtype.rpartition(".")[2]
            found = [d for d in _dtypes.ALL if d.legacy == name]
            if not found:
                raise ValueError(f"invalid type: '{dtype}'")
            dtype = found[0]
        return self.to(dtype)

    def type_as(self, other: Tensor) -> Tensor:
        """Return `self` in the dtype of `other`."""
        return self.to(other.dtype)

    def cpu(self) -> Tensor:
        """Return `self` on the CPU."""
        return self.to(device("cpu"))

    def cuda(self) -> Tensor:
        """Return `self` on the GPU.

        Raises:
            RuntimeError: there is none, or CuPy is not installed.
        """
        return self.to(device("cuda"))

    def float(self) -> Tensor:
        """Return `self` as float32."""
        return self.to(_dtypes.float32)

    def double(self) -> Tensor:
        """Return `self` as float64."""
        return self.to(_dtypes.float64)

    def half(self) -> Tensor:
        """Return `self` as float16."""
        return self.to(_dtypes.float16)

    def short(self) -> Tensor:
        """Return `self` as int16."""
        return self.to(_dtypes.int16)

    def char(self) -> Tensor:
        """Return `self` as int8."""
        return self.to(_dtypes.int8)

    def byte(self) -> Tensor:
        """Return `self` as uint8."""
        return self.to(_dtypes.uint8)

    def long(self) -> Tensor:
        """Return `self` as int64."""
        return self.to(_dtypes.int64)

    def int(self) -> Tensor:
        """Return `self` as int32."""
        return self.to(_dtypes.int32)

    def bool(self) -> Tensor:
        """Return `self` as bool: whether each element is not 0."""
        return self.to(_dtypes.bool_)

    # ---- to Python and NumPy

    def numpy(self, *, force: bool = False) -> np.ndarray:
        """Return the elements as a NumPy array on the same memory.

        Args:
            force: detach, and move to the CPU, where that is needed.

        Raises:
            RuntimeError: `self` requires grad.
            TypeError: it lives on a GPU.
        """
        if self.requires_grad and not force:
            raise RuntimeError(
                "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
            )
        if self.is_cuda and not force:
            raise TypeError(
                f"can't convert {self.device} device type tensor to numpy. Use Tensor.cpu() to copy the "
                "tensor to host memory first."
            )
        return to_numpy(self._array)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        array = self.numpy()
        if dtype is not None and array.dtype != dtype:
            return array.astype(dtype)
        return array.copy() if copy else array

    __array_priority__ = 1000  # NumPy leaves `array * tensor` to the tensor

    def __array_wrap__(self, array: np.ndarray, context: Any = None, return_scalar: Any = False) -> Tensor:  # fmt: skip
        """Return what a function of NumPy computed from `self` as a tensor."""
        return wrap(np.asarray(array))

    def tolist(self) -> Any:
        """Return the elements as nested lists, a single number as itself."""
        return to_numpy(self._array).tolist()

    def item(self) -> Any:
        """Return the only element as a Python number.

        Raises:
            RuntimeError: there is not exactly one.
        """
        if self._array.size != 1:
            raise RuntimeError(
                f"a Tensor with {self._array.size} elements cannot be converted to Scalar"
            )
        return self._array.item()

    def __bool__(self) -> Any:
        if self._array.size == 1:
            return bool(self._array.item())
        if self._array.size == 0:
            raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
        raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")

    def __float__(self) -> Any:
        return float(self._only_number())

    def __int__(self) -> Any:
        return int(self._only_number())

    def _only_number(self) -> Any:
        if self._array.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return self._array.item()

    def __index__(self) -> Any:
        if self._array.size != 1 or self.is_floating_point():
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self.item())

    def __format__(self, spec: str) -> str:
        if type(self) is Tensor and not self._array.ndim:
            return format(self.item(), spec)
        return object.__format__(self, spec)

    def __repr__(self) -> str:
        return _tensor_str.tensor_repr(self)

    def __dir__(self) -> list[str]:
        return sorted(set(object.__dir__(self)))

    # ---- new tensors like this one

    def new_tensor(self, data: Any, *, dtype: Dtype | None = None, requires_grad: Any = False) -> Tensor:  # fmt: skip
        """Return `data` as a tensor in the dtype and on the device of `self`."""
        array = move(as_array(data, dtype or self.dtype), self.device)
        array = namespace_of[type(self._array)].asarray(array)
        return wrap(array).requires_grad_(requires_grad)

    def new_full(self, size: Any, fill_value: Any, *, dtype: Dtype | None = None, requires_grad: Any = False) -> Tensor:  # fmt: skip
        """Return a tensor of shape `size` full of `fill_value`, in the dtype and on the device of `self`."""
        xp = namespace_of[type(self._array)]
        value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
        t = wrap(xp.full(sizes((size,)), value, (dtype or self.dtype).numpy))
        return t.requires_grad_() if requires_grad else t

    def new_zeros(self, *size: Any, dtype: Dtype | None = None, requires_grad: Any = False) -> Tensor:  # fmt: skip
        """Return zeros in the dtype and on the device of `self`."""
        return self.new_full(sizes(size), 0, dtype=dtype, requires_grad=requires_grad)

    def new_ones(self, *size: Any, dtype: Dtype | None = None, requires_grad: Any = False) -> Tensor:  # fmt: skip
        """Return ones in the dtype and on the device of `self`."""
        return self.new_full(sizes(size), 1, dtype=dtype, requires_grad=requires_grad)

    new_empty = new_zeros

    # ---- written in place

    def zero_(self) -> Tensor:
        """Set every element to 0."""
        return self.fill_(0)

    def fill_(self, value: Any) -> Tensor:
        """Set every element to `value`, a number or a tensor of one without dimensions."""
        if isinstance(value, Tensor) and value.ndim:
            raise RuntimeError(
                "fill_ only supports 0-dimension value tensor but got tensor with "
                f"{value.ndim} dimensions."
            )
        return write(self, _filled, value)

    def copy_(self, src: Any) -> Tensor:
        """Set the elements to those of `src`, cast and broadcast."""
        if isinstance(src, (int, float)):
            return self.fill_(src)
        if not isinstance(src, Tensor):
            raise TypeError(
                f"copy_(): argument 'other' (position 1) must be Tensor, not {type(src).__name__}"
            )
        return write(self, _copied, src)

    def uniform_(self, from_: Any = 0.0, to: Any = 1.0, *, generator: Generator | None = None) -> Tensor:  # fmt: skip
        """Fill with numbers drawn evenly from [from_, to)."""
        if from_ > to:
            raise RuntimeError(
                f"uniform_ expects to return a [from, to) range, but found from={from_:g} > to={to:g}"
            )
        self._refuse_integers("check_uniform_bounds")
        draw = (generator or default_generator)._uniform(self.numel(), self._array.dtype)
        kind = self._array.dtype.type
        return self._fill_with(draw * (kind(to) - kind(from_)) + kind(from_))

    def normal_(self, mean: Any = 0.0, std: Any = 1.0, *, generator: Generator | None = None) -> Tensor:  # fmt: skip
        """Fill with numbers drawn from a normal distribution."""
        if std < 0:
            raise RuntimeError(f"normal expects std >= 0.0, but found std {std}")
        self._refuse_integers("normal_kernel_cpu")
        draw = (generator or default_generator)._normal(self.numel(), self._array.dtype)
        return self._fill_with(draw * std + mean)

    def bernoulli_(self, p: Any = 0.5, *, generator: Generator | None = None) -> Tensor:
        """Fill with 1s, each drawn with probability `p`, and 0s."""
        return self._fill_with((generator or default_generator)._bernoulli(self.numel(), p))

    def _refuse_integers(self, kernel: str) -> None:
        if not self.is_floating_point():
            kind = self.dtype.legacy.removesuffix("Tensor")
            raise NotImplementedError(f"\"{kernel}\" not implemented for '{kind}'")

    def _fill_with(self, flat: np.ndarray) -> Tensor:
        xp = namespace_of[type(self._array)]
        values = xp.asarray(flat.astype(self._array.dtype, copy=False).reshape(self._array.shape))
        return write(self, lambda _, v: v, wrap(values))

    # ---- copying and pickling

    def __deepcopy__(self, memo: dict) -> Tensor:
        if self._node is not None:
            raise RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol "
                "at the moment.\nDetach this one first, or copy the parts that made it."
            )
        if id(self) in memo:
            return memo[id(self)]
        new = memo[id(self)] = self._twin(self._array.copy(order="A"))
        new._grad = copy.deepcopy(self._grad, memo)
        for name, value in self._notes().items():
            new.__dict__[name] = copy.deepcopy(value, memo)
        return new

    def _twin(self, array: Any) -> Tensor:
        """Return a leaf of the same class around `array`."""
        new = type(self).__new__(type(self))
        new._array, new._storage = array, wrap(array)._storage
        new._requires_grad = self._requires_grad
        return new

    def _notes(self) -> dict[str, Any]:
        """Return the attributes that users have put on this tensor."""
        return {k: v for k, v in self.__dict__.items() if k not in _OWN}

    def __reduce_ex__(self, protocol: Any) -> tuple:
        state = (to_numpy(self._array), self.requires_grad, self._notes())
        return _rebuild, (type(self), *state)


to_copy = node_class("ToCopyBackward0")
_OWN = frozenset(TensorBase.__annotations__)
build_tensors_as(Tensor)
Tensor.__module__ = "nbmodule"


def _rebuild(cls: Any, array: np.ndarray, requires_grad: bool, notes: dict[str, Any]) -> Tensor:
    """Make the tensor that `Tensor.__reduce_ex__` took apart."""
    t = cls.__new__(cls)
    t._array, t._storage = array, wrap(array)._storage
    t._requires_grad = requires_grad
    t.__dict__.update(notes)
    return t


def _filled(t: Tensor, value: Any) -> Tensor:
    return elementwise.filled(t, value if isinstance(value, Tensor) else t.new_full((), value))


def _copied(t: Tensor, src: Tensor) -> Tensor:
    return elementwise.filled(t, src.to(t.device).to(t.dtype))


def _moved(t: Tensor, target: device) -> Tensor:
    """Return a copy of `t` on `target`; its gradient travels back."""
    out = wrap(move(t._array, target))
    home = t.device
    edge = edge_of(t)
    if edge is not None and grad_mode.enabled:
        out._node = to_copy((edge,), (lambda g: move(g, home),), out._array, ())
    return out


def parse_to(*args: Any, **kwargs: Any) -> tuple[Dtype | None, device | None, bool]:
    """Return dtype, device and whether to copy, from any of the ways in which ``to`` is called.

    Raises:
        TypeError: an argument is none of them.
    """
    dtype, target = _dtypes.checked(kwargs.pop("dtype", None), "to"), kwargs.pop("device", None)
    copied = bool(kwargs.pop("copy", False))
    kwargs.pop("non_blocking", None)
    if kwargs:
        raise TypeError(f"to() received an invalid keyword argument: {', '.join(kwargs)}")
    for a in args:
        if isinstance(a, (Dtype, type)):
            dtype = _dtypes.checked(a, "to")
        elif isinstance(a, (str, device)):
            target = a
        elif isinstance(a, Tensor):
            dtype, target = a.dtype, a.device
        elif not isinstance(a, bool) and a is not None:
            raise TypeError(
                "to() received an invalid combination of arguments: expected a dtype, a device or a "
                f"tensor, got {type(a).__name__}"
            )
    return dtype, None if target is None else device(target), copied
