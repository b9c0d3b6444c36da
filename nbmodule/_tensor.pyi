# Made by scripts/make_stubs.py: do not edit.
# pyright: reportOverlappingOverload=false
# (The first form that a call fits decides its type.)

from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Callable, Iterator, Sequence
from types import EllipsisType
from typing import Any, Literal, Self, SupportsIndex, TypeAlias, TypeVar, overload

import numpy as np

from . import return_types
from ._backend import device as _device
from ._dtypes import dtype as _dtype
from ._engine import TensorBase
from ._engine.graph import Node
from ._formats import layout as _layout, memory_format as _memory_format
from ._generator import Generator
from ._methods.casting import parse_to as parse_to
from .storage import TypedStorage, UntypedStorage
from .utils.hooks import RemovableHandle

_T = TypeVar("_T")
Number: TypeAlias = _int | _float | _bool
Device: TypeAlias = _device | str | _int | None
Index: TypeAlias = (
    SupportsIndex | slice | EllipsisType | Tensor | np.ndarray | list[Any] | tuple[Any, ...] | None
)

class Size(tuple[_int, ...]):
    def numel(self) -> _int: ...
    @overload
    def __getitem__(self, key: SupportsIndex, /) -> _int: ...
    @overload
    def __getitem__(self, key: slice, /) -> Size: ...
    def __add__(self, other: tuple[_int, ...], /) -> Size: ...  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
    def __radd__(self, other: tuple[_int, ...], /) -> Size: ...
    def __mul__(self, times: SupportsIndex, /) -> Size: ...
    def __rmul__(self, times: SupportsIndex, /) -> Size: ...

class Tensor(TensorBase):
    @property
    def H(self) -> Tensor: ...
    @property
    def T(self) -> Tensor: ...
    data: Tensor
    @property
    def device(self) -> _device: ...
    @property
    def dtype(self) -> _dtype: ...
    grad: Tensor | None
    grad_dtype: _dtype | None
    @property
    def grad_fn(self) -> Node | None: ...
    @property
    def imag(self) -> Tensor: ...
    @property
    def is_cpu(self) -> _bool: ...
    @property
    def is_cuda(self) -> _bool: ...
    @property
    def is_ipu(self) -> _bool: ...
    @property
    def is_leaf(self) -> _bool: ...
    @property
    def is_maia(self) -> _bool: ...
    @property
    def is_meta(self) -> _bool: ...
    @property
    def is_mkldnn(self) -> _bool: ...
    @property
    def is_mps(self) -> _bool: ...
    @property
    def is_mtia(self) -> _bool: ...
    @property
    def is_nested(self) -> _bool: ...
    @property
    def is_quantized(self) -> _bool: ...
    @property
    def is_sparse(self) -> _bool: ...
    @property
    def is_sparse_csr(self) -> _bool: ...
    @property
    def is_vulkan(self) -> _bool: ...
    @property
    def is_xla(self) -> _bool: ...
    @property
    def is_xpu(self) -> _bool: ...
    @property
    def itemsize(self) -> _int: ...
    @property
    def layout(self) -> _layout: ...
    @property
    def mH(self) -> Tensor: ...
    @property
    def mT(self) -> Tensor: ...
    @property
    def nbytes(self) -> _int: ...
    @property
    def ndim(self) -> _int: ...
    @property
    def output_nr(self) -> _int: ...
    @property
    def real(self) -> Tensor: ...
    requires_grad: _bool
    @property
    def retains_grad(self) -> _bool: ...
    @property
    def shape(self) -> Size: ...
    def __abs__(self) -> Tensor: ...
    def __add__(self, other: Tensor | Number) -> Tensor: ...
    def __and__(self, other: Tensor | Number) -> Tensor: ...
    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray: ...
    def __bool__(self) -> _bool: ...
    def __complex__(self) -> complex: ...
    def __contains__(self, element: Any, /) -> _bool: ...
    def __deepcopy__(self, memo: dict[_int, Any]) -> Self: ...
    def __delitem__(self, key: Index, /) -> None: ...
    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: Any = None,
        dl_device: Any = None,
        copy: Any = None,
    ) -> Any: ...
    def __dlpack_device__(self) -> tuple[Any, _int]: ...
    def __eq__(self, other: Any, /) -> Tensor: ...  # type: ignore[override]
    def __float__(self) -> _float: ...
    def __floordiv__(self, other: Tensor | Number) -> Tensor: ...
    def __ge__(self, other: Tensor | Number) -> Tensor: ...
    def __getitem__(self, key: Index, /) -> Tensor: ...
    def __gt__(self, other: Tensor | Number) -> Tensor: ...
    def __hash__(self) -> _int: ...
    def __iadd__(self, other: Tensor | Number) -> Self: ...
    def __iand__(self, other: Tensor | Number) -> Self: ...
    def __ifloordiv__(self, other: Tensor | Number) -> Self: ...
    def __ilshift__(self, other: Tensor | Number) -> Self: ...
    def __imod__(self, other: Tensor | Number) -> Self: ...
    def __imul__(self, other: Tensor | Number) -> Self: ...
    def __index__(self) -> _int: ...
    def __init__(self, *data: Any, **named: Any) -> None: ...
    def __int__(self) -> _int: ...
    def __invert__(self) -> Tensor: ...
    def __ior__(self, other: Tensor | Number) -> Self: ...
    def __ipow__(self, other: Tensor | Number) -> Self: ...
    def __irshift__(self, other: Tensor | Number) -> Self: ...
    def __isub__(self, other: Tensor | Number) -> Self: ...
    def __iter__(self) -> Iterator[Tensor]: ...
    def __itruediv__(self, other: Tensor | Number) -> Self: ...
    def __ixor__(self, other: Tensor | Number) -> Self: ...
    def __le__(self, other: Tensor | Number) -> Tensor: ...
    def __len__(self) -> _int: ...
    def __lshift__(self, other: Tensor | Number) -> Tensor: ...
    def __lt__(self, other: Tensor | Number) -> Tensor: ...
    def __matmul__(self, other: Tensor) -> Tensor: ...
    def __mod__(self, other: Tensor | Number) -> Tensor: ...
    def __mul__(self, other: Tensor | Number) -> Tensor: ...
    def __ne__(self, other: Any, /) -> Tensor: ...  # type: ignore[override]
    def __neg__(self) -> Tensor: ...
    def __nonzero__(self) -> _bool: ...
    def __or__(self, other: Tensor | Number) -> Tensor: ...
    def __pos__(self) -> Tensor: ...
    def __pow__(self, other: Tensor | Number) -> Tensor: ...
    def __radd__(self, other: Tensor | Number) -> Tensor: ...
    def __rand__(self, other: Tensor | Number) -> Tensor: ...
    def __repr__(self, *, tensor_contents: Any = None) -> str: ...
    def __reversed__(self) -> Tensor: ...
    def __rfloordiv__(self, other: Tensor | Number) -> Tensor: ...
    def __rlshift__(self, other: Tensor | Number) -> Tensor: ...
    def __rmatmul__(self, other: Tensor) -> Tensor: ...
    def __rmod__(self, other: Tensor | Number) -> Tensor: ...
    def __rmul__(self, other: Tensor | Number) -> Tensor: ...
    def __ror__(self, other: Tensor | Number) -> Tensor: ...
    def __rpow__(self, other: Tensor | Number) -> Tensor: ...
    def __rrshift__(self, other: Tensor | Number) -> Tensor: ...
    def __rshift__(self, other: Tensor | Number) -> Tensor: ...
    def __rsub__(self, other: Tensor | Number) -> Tensor: ...
    def __rtruediv__(self, other: Tensor | Number) -> Tensor: ...
    def __rxor__(self, other: Tensor | Number) -> Tensor: ...
    def __setitem__(self, key: Index, value: Tensor | Number, /) -> None: ...
    def __sub__(self, other: Tensor | Number) -> Tensor: ...
    def __truediv__(self, other: Tensor | Number) -> Tensor: ...
    def __xor__(self, other: Tensor | Number) -> Tensor: ...
    def abs(self) -> Tensor:
        """The absolute value. At 0 and at NaN its gradient is 0."""
    def abs_(self) -> Self:
        """Do what `abs` does, in place, and return `self`."""
    def absolute(self) -> Tensor:
        """The absolute value. At 0 and at NaN its gradient is 0."""
    def absolute_(self) -> Self:
        """Do what `abs` does, in place, and return `self`."""
    def acos(self) -> Tensor:
        """The angle whose cosine is x."""
    def acos_(self) -> Self:
        """Do what `acos` does, in place, and return `self`."""
    def acosh(self) -> Tensor:
        """The number whose hyperbolic cosine is x."""
    def acosh_(self) -> Self:
        """Do what `acosh` does, in place, and return `self`."""
    def add(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor: ...
    def add_(self, other: Tensor | Number, *, alpha: Number = 1) -> Self: ...
    def addbmm(
        self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1
    ) -> Tensor: ...
    def addbmm_(
        self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1
    ) -> Self:
        """Do what `addbmm` does, in place, and return `self`."""
    def addcdiv(self, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor: ...
    def addcdiv_(self, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Self:
        """Do what `addcdiv` does, in place, and return `self`."""
    def addcmul(self, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor: ...
    def addcmul_(self, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Self:
        """Do what `addcmul` does, in place, and return `self`."""
    @overload
    def addmm(
        self, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1
    ) -> Tensor: ...
    @overload
    def addmm(
        self, mat1: Tensor, mat2: Tensor, out_dtype: _dtype, *, beta: Number = 1, alpha: Number = 1
    ) -> Tensor: ...
    @overload
    def addmm_(self, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Self:
        """Do what `addmm` does, in place, and return `self`."""
    @overload
    def addmm_(
        self, mat1: Tensor, mat2: Tensor, out_dtype: _dtype, *, beta: Number = 1, alpha: Number = 1
    ) -> Self: ...
    def addmv(self, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor: ...
    def addmv_(self, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Self:
        """Do what `addmv` does, in place, and return `self`."""
    def addr(
        self, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1
    ) -> Tensor: ...
    def addr_(self, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Self:
        """Do what `addr` does, in place, and return `self`."""
    def adjoint(self) -> Tensor: ...
    def all(self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> Tensor: ...
    def allclose(
        self, other: Tensor, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False
    ) -> _bool: ...
    def amax(self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> Tensor: ...
    def amin(self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> Tensor: ...
    def aminmax(
        self, *, dim: _int | None = None, keepdim: _bool = False
    ) -> return_types.aminmax: ...
    def angle(self) -> Tensor: ...
    def any(self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> Tensor: ...
    def apply_(self, callable: Callable[[Any], Any]) -> Self: ...
    def arccos(self) -> Tensor:
        """The angle whose cosine is x."""
    def arccos_(self) -> Self:
        """Do what `acos` does, in place, and return `self`."""
    def arccosh(self) -> Tensor:
        """The number whose hyperbolic cosine is x."""
    def arccosh_(self) -> Self:
        """Do what `acosh` does, in place, and return `self`."""
    def arcsin(self) -> Tensor:
        """The angle whose sine is x."""
    def arcsin_(self) -> Self:
        """Do what `asin` does, in place, and return `self`."""
    def arcsinh(self) -> Tensor:
        """The number whose hyperbolic sine is x."""
    def arcsinh_(self) -> Self:
        """Do what `asinh` does, in place, and return `self`."""
    def arctan(self) -> Tensor:
        """The angle whose tangent is x."""
    def arctan2(self, other: Tensor) -> Tensor:
        """The angle of the point (x, y), in (-pi, pi]."""
    def arctan2_(self, other: Tensor) -> Self:
        """Do what `atan2` does, in place, and return `self`."""
    def arctan_(self) -> Self:
        """Do what `atan` does, in place, and return `self`."""
    def arctanh(self) -> Tensor:
        """The number whose hyperbolic tangent is x."""
    def arctanh_(self) -> Self:
        """Do what `atanh` does, in place, and return `self`."""
    def argmax(self, dim: _int | None = None, keepdim: _bool = False) -> Tensor: ...
    def argmin(self, dim: _int | None = None, keepdim: _bool = False) -> Tensor: ...
    @overload
    def argsort(self, *, stable: _bool, dim: _int = -1, descending: _bool = False) -> Tensor: ...
    @overload
    def argsort(self, dim: _int = -1, descending: _bool = False) -> Tensor: ...
    def argwhere(self) -> Tensor: ...
    def as_strided(
        self, size: Sequence[_int], stride: Sequence[_int], storage_offset: _int | None = None
    ) -> Tensor: ...
    def as_strided_(
        self, size: Sequence[_int], stride: Sequence[_int], storage_offset: _int | None = None
    ) -> Self:
        """Do what `as_strided` does, in place, and return `self`."""
    def as_strided_scatter(
        self,
        src: Tensor,
        size: Sequence[_int],
        stride: Sequence[_int],
        storage_offset: _int | None = None,
    ) -> Tensor: ...
    def as_subclass(self, cls: type[_T]) -> _T: ...
    def asin(self) -> Tensor:
        """The angle whose sine is x."""
    def asin_(self) -> Self:
        """Do what `asin` does, in place, and return `self`."""
    def asinh(self) -> Tensor:
        """The number whose hyperbolic sine is x."""
    def asinh_(self) -> Self:
        """Do what `asinh` does, in place, and return `self`."""
    def atan(self) -> Tensor:
        """The angle whose tangent is x."""
    def atan2(self, other: Tensor) -> Tensor:
        """The angle of the point (x, y), in (-pi, pi]."""
    def atan2_(self, other: Tensor) -> Self:
        """Do what `atan2` does, in place, and return `self`."""
    def atan_(self) -> Self:
        """Do what `atan` does, in place, and return `self`."""
    def atanh(self) -> Tensor:
        """The number whose hyperbolic tangent is x."""
    def atanh_(self) -> Self:
        """Do what `atanh` does, in place, and return `self`."""
    def backward(
        self,
        gradient: Tensor | None = None,
        retain_graph: _bool | None = None,
        create_graph: _bool = False,
        inputs: Tensor | Sequence[Tensor] | None = None,
    ) -> None: ...
    @overload
    def baddbmm(
        self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1
    ) -> Tensor: ...
    @overload
    def baddbmm(
        self,
        batch1: Tensor,
        batch2: Tensor,
        out_dtype: _dtype,
        *,
        beta: Number = 1,
        alpha: Number = 1,
    ) -> Tensor: ...
    @overload
    def baddbmm_(
        self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1
    ) -> Self:
        """Do what `baddbmm` does, in place, and return `self`."""
    @overload
    def baddbmm_(
        self,
        batch1: Tensor,
        batch2: Tensor,
        out_dtype: _dtype,
        *,
        beta: Number = 1,
        alpha: Number = 1,
    ) -> Self: ...
    def bernoulli(
        self, p: _float | None = None, *, generator: Generator | None = None
    ) -> Tensor: ...
    def bernoulli_(
        self, p: Tensor | _float = 0.5, *, generator: Generator | None = None
    ) -> Self: ...
    def bincount(self, weights: Tensor | None = None, minlength: _int = 0) -> Tensor: ...
    def bitwise_and(self, other: Tensor | Number) -> Tensor:
        """Bit by bit: both."""
    def bitwise_and_(self, other: Tensor | Number) -> Self:
        """Do what `bitwise_and` does, in place, and return `self`."""
    def bitwise_left_shift(self, other: Tensor | Number) -> Tensor:
        """The bits moved `b` places up; 0 where nothing is left."""
    def bitwise_left_shift_(self, other: Tensor | Number) -> Self:
        """Do what `bitwise_left_shift` does, in place, and return `self`."""
    def bitwise_not(self) -> Tensor:
        """Bit by bit: the opposite."""
    def bitwise_not_(self) -> Self:
        """Do what `bitwise_not` does, in place, and return `self`."""
    def bitwise_or(self, other: Tensor | Number) -> Tensor:
        """Bit by bit: at least one."""
    def bitwise_or_(self, other: Tensor | Number) -> Self:
        """Do what `bitwise_or` does, in place, and return `self`."""
    def bitwise_right_shift(self, other: Tensor | Number) -> Tensor:
        """The bits moved `b` places down; the sign alone where nothing is left."""
    def bitwise_right_shift_(self, other: Tensor | Number) -> Self:
        """Do what `bitwise_right_shift` does, in place, and return `self`."""
    def bitwise_xor(self, other: Tensor | Number) -> Tensor:
        """Bit by bit: exactly one."""
    def bitwise_xor_(self, other: Tensor | Number) -> Self:
        """Do what `bitwise_xor` does, in place, and return `self`."""
    @overload
    def bmm(self, mat2: Tensor) -> Tensor: ...
    @overload
    def bmm(self, mat2: Tensor, out_dtype: _dtype) -> Tensor: ...
    def bool(self, memory_format: _memory_format | None = None) -> Tensor:
        """Return `self` as bool: whether each element is not 0."""
    def broadcast_to(self, size: Sequence[_int]) -> Tensor: ...
    def byte(self, memory_format: _memory_format | None = None) -> Tensor:
        """Return `self` as uint8."""
    def cauchy_(
        self, median: _float = 0.0, sigma: _float = 1.0, *, generator: Generator | None = None
    ) -> Self: ...
    def ceil(self) -> Tensor:
        """The next integer above."""
    def ceil_(self) -> Self:
        """Do what `ceil` does, in place, and return `self`."""
    def char(self, memory_format: _memory_format | None = None) -> Tensor:
        """Return `self` as int8."""
    def cholesky(self, upper: _bool = False) -> Tensor: ...
    def cholesky_inverse(self, upper: _bool = False) -> Tensor: ...
    def cholesky_solve(self, input2: Tensor, upper: _bool = False) -> Tensor: ...
    def chunk(self, chunks: _int, dim: _int = 0) -> tuple[Tensor, ...]: ...
    @overload
    def clamp(self, min: Tensor | None = None, max: Tensor | None = None) -> Tensor: ...
    @overload
    def clamp(self, min: Number | None = None, max: Number | None = None) -> Tensor: ...
    @overload
    def clamp_(self, min: Tensor | None = None, max: Tensor | None = None) -> Self:
        """Do what `clamp` does, in place, and return `self`."""
    @overload
    def clamp_(self, min: Number | None = None, max: Number | None = None) -> Self: ...
    def clamp_max(self, max: Tensor | Number) -> Tensor: ...
    def clamp_max_(self, max: Tensor | Number) -> Self:
        """Do what `clamp_max` does, in place, and return `self`."""
    def clamp_min(self, min: Tensor | Number) -> Tensor: ...
    def clamp_min_(self, min: Tensor | Number) -> Self:
        """Do what `clamp_min` does, in place, and return `self`."""
    @overload
    def clip(self, min: Tensor | None = None, max: Tensor | None = None) -> Tensor:
        """Return `self` with every element moved into [min, max]; None leaves that end open."""
    @overload
    def clip(self, min: Number | None = None, max: Number | None = None) -> Tensor: ...
    @overload
    def clip_(self, min: Tensor | None = None, max: Tensor | None = None) -> Self:
        """Do what `clamp` does, in place, and return `self`."""
    @overload
    def clip_(self, min: Number | None = None, max: Number | None = None) -> Self: ...
    def clone(self, *, memory_format: _memory_format | None = None) -> Tensor: ...
    def conj(self) -> Tensor: ...
    def conj_physical(self) -> Tensor:
        """Return `self`, which is its own conjugate."""
    def conj_physical_(self) -> Self:
        """Do what `conj_physical` does, in place, and return `self`."""
    def const_data_ptr(self) -> _int: ...
    def contiguous(self, *, memory_format: _memory_format | None = None) -> Tensor: ...
    def copy_(self, other: Tensor | Number, non_blocking: _bool = False) -> Self: ...
    def copysign(self, other: Tensor | Number) -> Tensor: ...
    def copysign_(self, other: Tensor | Number) -> Self:
        """Do what `copysign` does, in place, and return `self`."""
    def corrcoef(self) -> Tensor: ...
    def cos(self) -> Tensor:
        """The cosine of x in radians."""
    def cos_(self) -> Self:
        """Do what `cos` does, in place, and return `self`."""
    def cosh(self) -> Tensor:
        """The hyperbolic cosine."""
    def cosh_(self) -> Self:
        """Do what `cosh` does, in place, and return `self`."""
    def count_nonzero(self, dim: _int | Sequence[_int] | None = None) -> Tensor: ...
    def cov(
        self,
        *,
        correction: _int = 1,
        fweights: Tensor | None = None,
        aweights: Tensor | None = None,
    ) -> Tensor: ...
    def cpu(self, memory_format: _memory_format | None = None) -> Tensor: ...
    def cross(self, other: Tensor, dim: _int | None = None) -> Tensor: ...
    def cuda(
        self,
        device: Device = None,
        non_blocking: _bool = False,
        memory_format: _memory_format | None = None,
    ) -> Tensor: ...
    def cummax(self, dim: _int) -> return_types.cummax: ...
    def cummin(self, dim: _int) -> return_types.cummin: ...
    def cumprod(self, dim: _int, *, dtype: _dtype | None = None) -> Tensor: ...
    def cumprod_(self, dim: _int, *, dtype: _dtype | None = None) -> Self: ...
    def cumsum(self, dim: _int, *, dtype: _dtype | None = None) -> Tensor: ...
    def cumsum_(self, dim: _int, *, dtype: _dtype | None = None) -> Self: ...
    def data_ptr(self) -> _int: ...
    def deg2rad(self) -> Tensor:
        """Degrees in radians."""
    def deg2rad_(self) -> Self:
        """Do what `deg2rad` does, in place, and return `self`."""
    def dense_dim(self) -> _int:
        """Return how many dimensions there are."""
    def det(self) -> Tensor: ...
    def detach(self) -> Tensor: ...
    def detach_(self) -> Self: ...
    def diag(self, diagonal: _int = 0) -> Tensor: ...
    def diag_embed(self, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor: ...
    def diagflat(self, offset: _int = 0) -> Tensor: ...
    def diagonal(self, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor: ...
    def diagonal_scatter(
        self, src: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1
    ) -> Tensor: ...
    def diff(
        self,
        n: _int = 1,
        dim: _int = -1,
        prepend: Tensor | None = None,
        append: Tensor | None = None,
    ) -> Tensor: ...
    def digamma(self) -> Tensor:
        """The derivative of `lgamma`."""
    def digamma_(self) -> Self:
        """Do what `digamma` does, in place, and return `self`."""
    def dim(self) -> _int: ...
    def dim_order(self, *, ambiguity_check: _bool | Sequence[Any] = False) -> tuple[_int, ...]: ...
    def dist(self, other: Tensor, p: Number = 2) -> Tensor: ...
    @overload
    def div(self, other: Tensor | Number) -> Tensor: ...
    @overload
    def div(self, other: Tensor | Number | Number, *, rounding_mode: str) -> Tensor: ...
    @overload
    def div_(self, other: Tensor | Number) -> Self:
        """Do what `div` does, in place, and return `self`."""
    @overload
    def div_(self, other: Tensor | Number | Number, *, rounding_mode: str) -> Self: ...
    @overload
    def divide(self, other: Tensor | Number | Number) -> Tensor:
        """Return ``self / other``, rounded towards zero ("trunc"), down ("floor"), or not (None)."""
    @overload
    def divide(self, other: Tensor | Number | Number, *, rounding_mode: str) -> Tensor: ...
    @overload
    def divide_(self, other: Tensor | Number | Number) -> Self:
        """Do what `div` does, in place, and return `self`."""
    @overload
    def divide_(self, other: Tensor | Number | Number, *, rounding_mode: str) -> Self: ...
    def dot(self, tensor: Tensor) -> Tensor: ...
    def double(self, memory_format: _memory_format | None = None) -> Tensor:
        """Return `self` as float64."""
    @overload
    def dsplit(self, sections: _int) -> tuple[Tensor, ...]: ...
    @overload
    def dsplit(self, indices: Sequence[_int]) -> tuple[Tensor, ...]: ...
    def element_size(self) -> _int: ...
    def eq(self, other: Tensor | Number) -> Tensor:
        """Whether a equals b."""
    def eq_(self, other: Tensor | Number) -> Self:
        """Do what `eq` does, in place, and return `self`."""
    def equal(self, other: Tensor) -> _bool: ...
    def erf(self) -> Tensor:
        """The error function."""
    def erf_(self) -> Self:
        """Do what `erf` does, in place, and return `self`."""
    def erfc(self) -> Tensor:
        """One minus the error function, exact also where that is nearly 1."""
    def erfc_(self) -> Self:
        """Do what `erfc` does, in place, and return `self`."""
    def erfinv(self) -> Tensor:
        """The number whose error function is x."""
    def erfinv_(self) -> Self:
        """Do what `erfinv` does, in place, and return `self`."""
    def exp(self) -> Tensor:
        """The exponential."""
    def exp2(self) -> Tensor:
        """2 to the power of x."""
    def exp2_(self) -> Self:
        """Do what `exp2` does, in place, and return `self`."""
    def exp_(self) -> Self:
        """Do what `exp` does, in place, and return `self`."""
    @overload
    def expand(self, size: Sequence[_int], /) -> Tensor: ...
    @overload
    def expand(self, *size: _int) -> Tensor: ...
    def expand_as(self, other: Tensor) -> Tensor: ...
    def expm1(self) -> Tensor:
        """The exponential minus 1, exact also near 0."""
    def expm1_(self) -> Self:
        """Do what `expm1` does, in place, and return `self`."""
    def exponential_(self, lambd: _float = 1.0, *, generator: Generator | None = None) -> Self: ...
    def fill_(self, value: Tensor | Number) -> Self: ...
    def fill_diagonal_(self, fill_value: Number, wrap: _bool = False) -> Self: ...
    def fix(self) -> Tensor:
        """What is left of x without the digits after the point."""
    def fix_(self) -> Self:
        """Do what `trunc` does, in place, and return `self`."""
    def flatten(self, start_dim: _int = 0, end_dim: _int = -1) -> Tensor: ...
    @overload
    def flip(self, dims: Sequence[_int], /) -> Tensor: ...
    @overload
    def flip(self, *dims: _int) -> Tensor: ...
    def fliplr(self) -> Tensor: ...
    def flipud(self) -> Tensor: ...
    def float(self, memory_format: _memory_format | None = None) -> Tensor:
        """Return `self` as float32."""
    def float_power(self, exponent: Tensor | Number) -> Tensor: ...
    def float_power_(self, exponent: Tensor | Number) -> Self: ...
    def floor(self) -> Tensor:
        """The next integer below."""
    def floor_(self) -> Self:
        """Do what `floor` does, in place, and return `self`."""
    def floor_divide(self, other: Tensor | Number | Number) -> Tensor:
        """The quotient, rounded down."""
    def floor_divide_(self, other: Tensor | Number | Number) -> Self:
        """Do what `floor_divide` does, in place, and return `self`."""
    def fmax(self, other: Tensor) -> Tensor:
        """The larger; a number wins over NaN. The gradient goes to a where it is at least b."""
    def fmin(self, other: Tensor) -> Tensor:
        """The smaller; a number wins over NaN. The gradient goes to a where it is at most b."""
    def fmod(self, other: Tensor | Number) -> Tensor: ...
    def fmod_(self, other: Tensor | Number) -> Self:
        """Do what `fmod` does, in place, and return `self`."""
    def frac(self) -> Tensor:
        """The digits after the point, with the sign of x."""
    def frac_(self) -> Self:
        """Do what `frac` does, in place, and return `self`."""
    def frexp(self) -> return_types.frexp: ...
    def gather(self, dim: _int, index: Tensor, *, sparse_grad: _bool = False) -> Tensor: ...
    def gcd(self, other: Tensor) -> Tensor:
        """The greatest common divisor."""
    def gcd_(self, other: Tensor) -> Self:
        """Do what `gcd` does, in place, and return `self`."""
    def ge(self, other: Tensor | Number) -> Tensor:
        """Whether a is at least b."""
    def ge_(self, other: Tensor | Number) -> Self:
        """Do what `ge` does, in place, and return `self`."""
    def geometric_(self, p: _float, *, generator: Generator | None = None) -> Self: ...
    def geqrf(self) -> return_types.geqrf: ...
    def ger(self, vec2: Tensor) -> Tensor:
        """Return the products of each element of a vector with each of another."""
    def get_device(self) -> _int: ...
    def greater(self, other: Tensor | Number) -> Tensor:
        """Whether a is greater than b."""
    def greater_(self, other: Tensor | Number) -> Self:
        """Do what `gt` does, in place, and return `self`."""
    def greater_equal(self, other: Tensor | Number) -> Tensor:
        """Whether a is at least b."""
    def greater_equal_(self, other: Tensor | Number) -> Self:
        """Do what `ge` does, in place, and return `self`."""
    def gt(self, other: Tensor | Number) -> Tensor:
        """Whether a is greater than b."""
    def gt_(self, other: Tensor | Number) -> Self:
        """Do what `gt` does, in place, and return `self`."""
    def half(self, memory_format: _memory_format | None = None) -> Tensor:
        """Return `self` as float16."""
    def hardshrink(self, lambd: Number = 0.5) -> Tensor: ...
    def heaviside(self, values: Tensor) -> Tensor: ...
    def heaviside_(self, values: Tensor) -> Self:
        """Do what `heaviside` does, in place, and return `self`."""
    def histc(self, bins: _int = 100, min: Number = 0, max: Number = 0) -> Tensor: ...
    @overload
    def histogram(
        self, bins: Tensor, *, weight: Tensor | None = None, density: _bool = False
    ) -> return_types.histogram: ...
    @overload
    def histogram(
        self,
        bins: _int = 100,
        *,
        range: Sequence[_float] | None = None,
        weight: Tensor | None = None,
        density: _bool = False,
    ) -> return_types.histogram: ...
    @overload
    def hsplit(self, sections: _int) -> tuple[Tensor, ...]: ...
    @overload
    def hsplit(self, indices: Sequence[_int]) -> tuple[Tensor, ...]: ...
    def hypot(self, other: Tensor) -> Tensor:
        """The length of the vector (a, b), without overflow on the way."""
    def hypot_(self, other: Tensor) -> Self:
        """Do what `hypot` does, in place, and return `self`."""
    def i0(self) -> Tensor:
        """The modified Bessel function of order 0."""
    def i0_(self) -> Self:
        """Do what `i0` does, in place, and return `self`."""
    def igamma(self, other: Tensor) -> Tensor:
        """The regularised lower incomplete gamma function; only x has a derivative."""
    def igamma_(self, other: Tensor) -> Self:
        """Do what `igamma` does, in place, and return `self`."""
    def igammac(self, other: Tensor) -> Tensor:
        """The regularised upper incomplete gamma function; only x has a derivative."""
    def igammac_(self, other: Tensor) -> Self:
        """Do what `igammac` does, in place, and return `self`."""
    def index_add(
        self, dim: _int, index: Tensor, source: Tensor, *, alpha: Number = 1
    ) -> Tensor: ...
    def index_add_(self, dim: _int, index: Tensor, source: Tensor, *, alpha: Number = 1) -> Self:
        """Do what `index_add` does, in place, and return `self`."""
    def index_copy(self, dim: _int, index: Tensor, source: Tensor) -> Tensor: ...
    def index_copy_(self, dim: _int, index: Tensor, source: Tensor) -> Self:
        """Do what `index_copy` does, in place, and return `self`."""
    def index_fill(self, dim: _int, index: Tensor, value: Tensor | Number) -> Tensor: ...
    def index_fill_(self, dim: _int, index: Tensor, value: Tensor | Number) -> Self:
        """Do what `index_fill` does, in place, and return `self`."""
    def index_put(
        self, indices: Sequence[Tensor] | None, values: Tensor, accumulate: _bool = False
    ) -> Tensor: ...
    def index_put_(
        self, indices: Sequence[Tensor] | None, values: Tensor, accumulate: _bool = False
    ) -> Self:
        """Do what `index_put` does, in place, and return `self`."""
    def index_reduce(
        self, dim: _int, index: Tensor, source: Tensor, reduce: str, *, include_self: _bool = True
    ) -> Tensor: ...
    def index_reduce_(
        self, dim: _int, index: Tensor, source: Tensor, reduce: str, *, include_self: _bool = True
    ) -> Self:
        """Do what `index_reduce` does, in place, and return `self`."""
    def index_select(self, dim: _int, index: Tensor) -> Tensor: ...
    def inner(self, other: Tensor) -> Tensor: ...
    def int(self, memory_format: _memory_format | None = None) -> Tensor:
        """Return `self` as int32."""
    def inverse(self) -> Tensor: ...
    def is_complex(self) -> _bool: ...
    def is_conj(self) -> _bool: ...
    def is_contiguous(self, *, memory_format: _memory_format | None = None) -> _bool: ...
    def is_distributed(self) -> _bool: ...
    def is_floating_point(self) -> _bool: ...
    def is_inference(self) -> _bool: ...
    def is_neg(self) -> _bool: ...
    def is_nonzero(self) -> _bool: ...
    def is_pinned(self) -> _bool: ...
    def is_same_size(self, other: Tensor) -> _bool: ...
    def is_set_to(self, tensor: Tensor) -> _bool: ...
    def is_shared(self) -> _bool: ...
    def is_signed(self) -> _bool: ...
    def isclose(
        self, other: Tensor, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False
    ) -> Tensor: ...
    def isfinite(self) -> Tensor:
        """Whether x is neither infinite nor NaN."""
    def isinf(self) -> Tensor:
        """Whether x is infinite."""
    def isnan(self) -> Tensor:
        """Whether x is not a number."""
    def isneginf(self) -> Tensor:
        """Whether x is minus infinity."""
    def isposinf(self) -> Tensor:
        """Whether x is plus infinity."""
    def isreal(self) -> Tensor: ...
    def item(self) -> Number: ...
    def kron(self, other: Tensor) -> Tensor: ...
    def kthvalue(
        self, k: _int, dim: _int = -1, keepdim: _bool = False
    ) -> return_types.kthvalue: ...
    def lcm(self, other: Tensor) -> Tensor:
        """The least common multiple."""
    def lcm_(self, other: Tensor) -> Self:
        """Do what `lcm` does, in place, and return `self`."""
    def ldexp(self, other: Tensor) -> Tensor: ...
    def ldexp_(self, other: Tensor) -> Self:
        """Do what `ldexp` does, in place, and return `self`."""
    def le(self, other: Tensor | Number) -> Tensor:
        """Whether a is at most b."""
    def le_(self, other: Tensor | Number) -> Self:
        """Do what `le` does, in place, and return `self`."""
    def lerp(self, end: Tensor, weight: Tensor | Number) -> Tensor: ...
    def lerp_(self, end: Tensor, weight: Tensor | Number) -> Self:
        """Do what `lerp` does, in place, and return `self`."""
    def less(self, other: Tensor | Number) -> Tensor:
        """Whether a is less than b."""
    def less_(self, other: Tensor | Number) -> Self:
        """Do what `lt` does, in place, and return `self`."""
    def less_equal(self, other: Tensor | Number) -> Tensor:
        """Whether a is at most b."""
    def less_equal_(self, other: Tensor | Number) -> Self:
        """Do what `le` does, in place, and return `self`."""
    def lgamma(self) -> Tensor:
        """The logarithm of the size of the gamma function."""
    def lgamma_(self) -> Self:
        """Do what `lgamma` does, in place, and return `self`."""
    def log(self) -> Tensor:
        """The natural logarithm."""
    def log10(self) -> Tensor:
        """The logarithm to base 10."""
    def log10_(self) -> Self:
        """Do what `log10` does, in place, and return `self`."""
    def log1p(self) -> Tensor:
        """The natural logarithm of 1 + x, exact also near 0."""
    def log1p_(self) -> Self:
        """Do what `log1p` does, in place, and return `self`."""
    def log2(self) -> Tensor:
        """The logarithm to base 2."""
    def log2_(self) -> Self:
        """Do what `log2` does, in place, and return `self`."""
    def log_(self) -> Self:
        """Do what `log` does, in place, and return `self`."""
    def log_normal_(
        self, mean: _float = 1.0, std: _float = 2.0, *, generator: Generator | None = None
    ) -> Self: ...
    def log_softmax(self, dim: _int, dtype: _dtype | None = None) -> Tensor: ...
    def logaddexp(self, other: Tensor) -> Tensor:
        """The logarithm of ``exp(a) + exp(b)``, without overflow."""
    def logaddexp2(self, other: Tensor) -> Tensor:
        """The logarithm to base 2 of ``2**a + 2**b``, without overflow."""
    def logcumsumexp(self, dim: _int) -> Tensor: ...
    def logdet(self) -> Tensor: ...
    def logical_and(self, other: Tensor) -> Tensor:
        """Whether both differ from 0."""
    def logical_and_(self, other: Tensor) -> Self:
        """Do what `logical_and` does, in place, and return `self`."""
    def logical_not(self) -> Tensor:
        """Whether x is 0."""
    def logical_not_(self) -> Self:
        """Do what `logical_not` does, in place, and return `self`."""
    def logical_or(self, other: Tensor) -> Tensor:
        """Whether at least one differs from 0."""
    def logical_or_(self, other: Tensor) -> Self:
        """Do what `logical_or` does, in place, and return `self`."""
    def logical_xor(self, other: Tensor) -> Tensor:
        """Whether exactly one differs from 0."""
    def logical_xor_(self, other: Tensor) -> Self:
        """Do what `logical_xor` does, in place, and return `self`."""
    def logit(self, eps: _float | None = None) -> Tensor: ...
    def logit_(self, eps: _float | None = None) -> Self:
        """Do what `logit` does, in place, and return `self`."""
    def logsumexp(self, dim: _int | Sequence[_int], keepdim: _bool = False) -> Tensor: ...
    def long(self, memory_format: _memory_format | None = None) -> Tensor:
        """Return `self` as int64."""
    def lt(self, other: Tensor | Number) -> Tensor:
        """Whether a is less than b."""
    def lt_(self, other: Tensor | Number) -> Self:
        """Do what `lt` does, in place, and return `self`."""
    @overload
    def lu(
        self, pivot: _bool = True, get_infos: Literal[False] = False
    ) -> tuple[Tensor, Tensor]: ...
    @overload
    def lu(
        self, pivot: _bool = True, *, get_infos: Literal[True]
    ) -> tuple[Tensor, Tensor, Tensor]: ...
    @overload
    def lu(self, pivot: _bool = True, get_infos: _bool = False) -> tuple[Tensor, ...]: ...
    def lu_solve(self, LU_data: Tensor, LU_pivots: Tensor) -> Tensor: ...
    def map_(self, tensor: Tensor, callable: Callable[[Any, Any], Any]) -> Self: ...
    def masked_fill(self, mask: Tensor, value: Tensor | Number) -> Tensor: ...
    def masked_fill_(self, mask: Tensor, value: Tensor | Number) -> Self:
        """Do what `masked_fill` does, in place, and return `self`."""
    def masked_scatter(self, mask: Tensor, source: Tensor) -> Tensor: ...
    def masked_scatter_(self, mask: Tensor, source: Tensor) -> Self:
        """Do what `masked_scatter` does, in place, and return `self`."""
    def masked_select(self, mask: Tensor) -> Tensor: ...
    def matmul(self, other: Tensor) -> Tensor: ...
    def matrix_exp(self) -> Tensor: ...
    def matrix_power(self, n: _int) -> Tensor: ...
    @overload
    def max(self) -> Tensor: ...
    @overload
    def max(self, other: Tensor) -> Tensor: ...
    @overload
    def max(self, dim: _int, keepdim: _bool = False) -> return_types.max: ...
    def maximum(self, other: Tensor) -> Tensor:
        """At a tie each side gets half of the gradient, as in PyTorch."""
    @overload
    def mean(self, *, dtype: _dtype | None = None) -> Tensor: ...
    @overload
    def mean(
        self,
        dim: _int | Sequence[_int] | None,
        keepdim: _bool = False,
        *,
        dtype: _dtype | None = None,
    ) -> Tensor: ...
    @overload
    def median(self) -> Tensor: ...
    @overload
    def median(self, dim: _int, keepdim: _bool = False) -> return_types.median: ...
    @overload
    def min(self) -> Tensor: ...
    @overload
    def min(self, other: Tensor) -> Tensor: ...
    @overload
    def min(self, dim: _int, keepdim: _bool = False) -> return_types.min: ...
    def minimum(self, other: Tensor) -> Tensor:
        """At a tie each side gets half of the gradient, as in PyTorch."""
    @overload
    def mm(self, mat2: Tensor) -> Tensor: ...
    @overload
    def mm(self, mat2: Tensor, out_dtype: _dtype) -> Tensor: ...
    def mode(self, dim: _int = -1, keepdim: _bool = False) -> return_types.mode: ...
    @overload
    def moveaxis(self, source: _int, destination: _int) -> Tensor:
        """Return a view with the dimensions `source` at the places `destination`, the others in order."""
    @overload
    def moveaxis(self, source: Sequence[_int], destination: Sequence[_int]) -> Tensor: ...
    @overload
    def movedim(self, source: _int, destination: _int) -> Tensor: ...
    @overload
    def movedim(self, source: Sequence[_int], destination: Sequence[_int]) -> Tensor: ...
    def msort(self) -> Tensor: ...
    def mul(self, other: Tensor | Number) -> Tensor: ...
    def mul_(self, other: Tensor | Number) -> Self:
        """Do what `mul` does, in place, and return `self`."""
    def multinomial(
        self, num_samples: _int, replacement: _bool = False, *, generator: Generator | None = None
    ) -> Tensor: ...
    def multiply(self, other: Tensor | Number | Number) -> Tensor:
        """Return ``self * other``."""
    def multiply_(self, other: Tensor | Number | Number) -> Self:
        """Do what `mul` does, in place, and return `self`."""
    def mv(self, vec: Tensor) -> Tensor: ...
    def mvlgamma(self, p: _int) -> Tensor: ...
    def mvlgamma_(self, p: _int) -> Self:
        """Do what `mvlgamma` does, in place, and return `self`."""
    def nan_to_num(
        self, nan: _float | None = None, posinf: _float | None = None, neginf: _float | None = None
    ) -> Tensor: ...
    def nan_to_num_(
        self, nan: _float | None = None, posinf: _float | None = None, neginf: _float | None = None
    ) -> Self:
        """Do what `nan_to_num` does, in place, and return `self`."""
    def nanmean(
        self,
        dim: _int | Sequence[_int] | None = None,
        keepdim: _bool = False,
        *,
        dtype: _dtype | None = None,
    ) -> Tensor: ...
    @overload
    def nanmedian(self) -> Tensor: ...
    @overload
    def nanmedian(self, dim: _int, keepdim: _bool = False) -> return_types.nanmedian: ...
    def nanquantile(
        self,
        q: Tensor | _float,
        dim: _int | None = None,
        keepdim: _bool = False,
        *,
        interpolation: str = "linear",
    ) -> Tensor: ...
    def nansum(
        self,
        dim: _int | Sequence[_int] | None = None,
        keepdim: _bool = False,
        *,
        dtype: _dtype | None = None,
    ) -> Tensor: ...
    def narrow(self, dim: _int, start: Tensor | _int, length: _int) -> Tensor: ...
    def narrow_copy(self, dim: _int, start: _int, length: _int) -> Tensor: ...
    def ndimension(self) -> _int:
        """Return how many dimensions there are."""
    def ne(self, other: Tensor | Number) -> Tensor:
        """Whether a differs from b."""
    def ne_(self, other: Tensor | Number) -> Self:
        """Do what `ne` does, in place, and return `self`."""
    def neg(self) -> Tensor:
        """Minus x."""
    def neg_(self) -> Self:
        """Do what `neg` does, in place, and return `self`."""
    def negative(self) -> Tensor:
        """Minus x."""
    def negative_(self) -> Self:
        """Do what `neg` does, in place, and return `self`."""
    def nelement(self) -> _int:
        """Return how many elements there are."""
    def new(self, *args: Any, **kwargs: Any) -> Tensor: ...
    @overload
    def new_empty(
        self,
        size: Sequence[_int],
        *,
        dtype: _dtype | None = None,
        layout: _layout | None = None,
        device: Device = None,
        pin_memory: _bool = False,
        requires_grad: _bool = False,
    ) -> Tensor: ...
    @overload
    def new_empty(
        self,
        *size: _int,
        dtype: _dtype | None = None,
        layout: _layout | None = None,
        device: Device = None,
        pin_memory: _bool = False,
        requires_grad: _bool = False,
    ) -> Tensor: ...
    def new_empty_strided(
        self,
        size: Sequence[_int],
        stride: Sequence[_int],
        *,
        dtype: _dtype | None = None,
        layout: _layout | None = None,
        device: Device = None,
        pin_memory: _bool = False,
        requires_grad: _bool = False,
    ) -> Tensor: ...
    def new_full(
        self,
        size: Sequence[_int],
        fill_value: Number,
        *,
        dtype: _dtype | None = None,
        layout: _layout | None = None,
        device: Device = None,
        pin_memory: _bool = False,
        requires_grad: _bool = False,
    ) -> Tensor: ...
    @overload
    def new_ones(
        self,
        size: Sequence[_int],
        *,
        dtype: _dtype | None = None,
        layout: _layout | None = None,
        device: Device = None,
        pin_memory: _bool = False,
        requires_grad: _bool = False,
    ) -> Tensor: ...
    @overload
    def new_ones(
        self,
        *size: _int,
        dtype: _dtype | None = None,
        layout: _layout | None = None,
        device: Device = None,
        pin_memory: _bool = False,
        requires_grad: _bool = False,
    ) -> Tensor: ...
    def new_tensor(
        self,
        data: Any,
        *,
        dtype: _dtype | None = None,
        layout: _layout | None = None,
        device: Device = None,
        pin_memory: _bool = False,
        requires_grad: _bool = False,
    ) -> Tensor: ...
    @overload
    def new_zeros(
        self,
        size: Sequence[_int],
        *,
        dtype: _dtype | None = None,
        layout: _layout | None = None,
        device: Device = None,
        pin_memory: _bool = False,
        requires_grad: _bool = False,
    ) -> Tensor: ...
    @overload
    def new_zeros(
        self,
        *size: _int,
        dtype: _dtype | None = None,
        layout: _layout | None = None,
        device: Device = None,
        pin_memory: _bool = False,
        requires_grad: _bool = False,
    ) -> Tensor: ...
    def nextafter(self, other: Tensor) -> Tensor:
        """The number next to a in the direction of b."""
    def nextafter_(self, other: Tensor) -> Self:
        """Do what `nextafter` does, in place, and return `self`."""
    @overload
    def nonzero(self, *, as_tuple: Literal[False] = False) -> Tensor: ...
    @overload
    def nonzero(self, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]: ...
    def nonzero_static(self, *, size: _int, fill_value: _int = -1) -> Tensor: ...
    def norm(
        self,
        p: _float | str | None = "fro",
        dim: _int | Sequence[_int] | None = None,
        keepdim: _bool = False,
        dtype: _dtype | None = None,
    ) -> Tensor: ...
    def normal_(
        self, mean: _float = 0.0, std: _float = 1.0, *, generator: Generator | None = None
    ) -> Self: ...
    def not_equal(self, other: Tensor | Number) -> Tensor:
        """Whether a differs from b."""
    def not_equal_(self, other: Tensor | Number) -> Self:
        """Do what `ne` does, in place, and return `self`."""
    def numel(self) -> _int: ...
    def numpy(self, *, force: _bool = False) -> np.ndarray: ...
    def orgqr(self, input2: Tensor) -> Tensor: ...
    def ormqr(
        self, input2: Tensor, input3: Tensor, left: _bool = True, transpose: _bool = False
    ) -> Tensor: ...
    def outer(self, vec2: Tensor) -> Tensor: ...
    @overload
    def permute(self, dims: Sequence[_int]) -> Tensor: ...
    @overload
    def permute(self, *dims: _int) -> Tensor: ...
    def pin_memory(self, device: Device = None) -> Tensor: ...
    def pinverse(self, rcond: _float = 1e-15) -> Tensor: ...
    def polygamma(self, n: _int) -> Tensor: ...
    def polygamma_(self, n: _int) -> Self:
        """Do what `polygamma` does, in place, and return `self`."""
    def positive(self) -> Tensor: ...
    def pow(self, exponent: Tensor | Number) -> Tensor: ...
    def pow_(self, exponent: Tensor | Number) -> Self:
        """Do what `pow` does, in place, and return `self`."""
    def prelu(self, weight: Tensor) -> Tensor: ...
    @overload
    def prod(self, *, dtype: _dtype | None = None) -> Tensor: ...
    @overload
    def prod(self, dim: _int, keepdim: _bool = False, *, dtype: _dtype | None = None) -> Tensor: ...
    def put(self, index: Tensor, source: Tensor, accumulate: _bool = False) -> Tensor: ...
    def put_(self, index: Tensor, source: Tensor, accumulate: _bool = False) -> Self:
        """Do what `put` does, in place, and return `self`."""
    def qr(self, some: _bool = True) -> return_types.qr: ...
    def quantile(
        self,
        q: Tensor | _float,
        dim: _int | None = None,
        keepdim: _bool = False,
        *,
        interpolation: str = "linear",
    ) -> Tensor: ...
    def rad2deg(self) -> Tensor:
        """Radians in degrees."""
    def rad2deg_(self) -> Self:
        """Do what `rad2deg` does, in place, and return `self`."""
    @overload
    def random_(self, *, generator: Generator | None = None) -> Self: ...
    @overload
    def random_(self, to: _int, *, generator: Generator | None = None) -> Self: ...
    @overload
    def random_(
        self, from_: _int, to: _int | None, /, *, generator: Generator | None = None
    ) -> Self: ...
    def ravel(self) -> Tensor: ...
    def reciprocal(self) -> Tensor:
        """One over x."""
    def reciprocal_(self) -> Self:
        """Do what `reciprocal` does, in place, and return `self`."""
    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle: ...
    def register_post_accumulate_grad_hook(
        self, hook: Callable[[Tensor], None]
    ) -> RemovableHandle: ...
    def relu(self) -> Tensor:
        """Positive elements and NaN stay, others become 0."""
    def relu_(self) -> Self:
        """Do what `relu` does, in place, and return `self`."""
    def remainder(self, other: Tensor | Number) -> Tensor:
        """What is left of a after division by b, with the sign of b."""
    def remainder_(self, other: Tensor | Number) -> Self:
        """Do what `remainder` does, in place, and return `self`."""
    def renorm(self, p: Number, dim: _int, maxnorm: Number) -> Tensor: ...
    def renorm_(self, p: Number, dim: _int, maxnorm: Number) -> Self:
        """Do what `renorm` does, in place, and return `self`."""
    @overload
    def repeat(self, repeats: Sequence[_int], /) -> Tensor: ...
    @overload
    def repeat(self, *repeats: _int) -> Tensor: ...
    def repeat_interleave(
        self, repeats: Tensor | _int, dim: _int | None = None, *, output_size: _int | None = None
    ) -> Tensor: ...
    def requires_grad_(self, requires_grad: _bool = True) -> Self: ...
    @overload
    def reshape(self, shape: Sequence[_int], /) -> Tensor: ...
    @overload
    def reshape(self, *shape: _int) -> Tensor: ...
    def reshape_as(self, other: Tensor) -> Tensor: ...
    @overload
    def resize_(
        self, size: Sequence[_int], /, *, memory_format: _memory_format | None = None
    ) -> Self: ...
    @overload
    def resize_(self, *size: _int, memory_format: _memory_format | None = None) -> Self: ...
    def resize_as_(
        self, the_template: Tensor, *, memory_format: _memory_format | None = None
    ) -> Self: ...
    def resolve_conj(self) -> Tensor:
        """Return `self`, which is its own conjugate."""
    def resolve_neg(self) -> Tensor:
        """Return `self`, which is its own conjugate."""
    def retain_grad(self) -> None: ...
    def roll(
        self, shifts: _int | Sequence[_int], dims: _int | Sequence[_int] | None = None
    ) -> Tensor: ...
    def rot90(self, k: _int = 1, dims: Sequence[_int] = (0, 1)) -> Tensor: ...
    @overload
    def round(self) -> Tensor: ...
    @overload
    def round(self, *, decimals: _int) -> Tensor: ...
    @overload
    def round_(self) -> Self:
        """Do what `round` does, in place, and return `self`."""
    @overload
    def round_(self, *, decimals: _int) -> Self: ...
    def rsqrt(self) -> Tensor:
        """One over the square root."""
    def rsqrt_(self) -> Self:
        """Do what `rsqrt` does, in place, and return `self`."""
    @overload
    def rsub(self, other: Tensor, *, alpha: Number = 1) -> Tensor: ...
    @overload
    def rsub(self, other: Number, alpha: Number = 1) -> Tensor: ...
    @overload
    def scatter(self, dim: _int, index: Tensor, src: Tensor, *, reduce: str) -> Tensor: ...
    @overload
    def scatter(self, dim: _int, index: Tensor, src: Tensor) -> Tensor: ...
    @overload
    def scatter(self, dim: _int, index: Tensor, value: Number, *, reduce: str) -> Tensor: ...
    @overload
    def scatter(self, dim: _int, index: Tensor, value: Number) -> Tensor: ...
    @overload
    def scatter_(self, dim: _int, index: Tensor, src: Tensor, *, reduce: str) -> Self:
        """Do what `scatter` does, in place, and return `self`."""
    @overload
    def scatter_(self, dim: _int, index: Tensor, src: Tensor) -> Self: ...
    @overload
    def scatter_(self, dim: _int, index: Tensor, value: Number, *, reduce: str) -> Self: ...
    @overload
    def scatter_(self, dim: _int, index: Tensor, value: Number) -> Self: ...
    def scatter_add(self, dim: _int, index: Tensor, src: Tensor) -> Tensor: ...
    def scatter_add_(self, dim: _int, index: Tensor, src: Tensor) -> Self:
        """Do what `scatter_add` does, in place, and return `self`."""
    def scatter_reduce(
        self, dim: _int, index: Tensor, src: Tensor, reduce: str, *, include_self: _bool = True
    ) -> Tensor: ...
    def scatter_reduce_(
        self, dim: _int, index: Tensor, src: Tensor, reduce: str, *, include_self: _bool = True
    ) -> Self:
        """Do what `scatter_reduce` does, in place, and return `self`."""
    def select(self, dim: _int, index: _int) -> Tensor: ...
    def select_scatter(self, src: Tensor, dim: _int, index: _int) -> Tensor: ...
    def set_(
        self,
        source: Any = None,
        storage_offset: _int = 0,
        size: Sequence[_int] | None = None,
        stride: Sequence[_int] | None = None,
    ) -> Self: ...
    def sgn(self) -> Tensor: ...
    def sgn_(self) -> Self:
        """Do what `sgn` does, in place, and return `self`."""
    def share_memory_(self) -> Tensor: ...
    def short(self, memory_format: _memory_format | None = None) -> Tensor:
        """Return `self` as int16."""
    def sigmoid(self) -> Tensor:
        """``1 / (1 + exp(-x))``: where the exponential overflows the quotient is 0, as it should be."""
    def sigmoid_(self) -> Self:
        """Do what `sigmoid` does, in place, and return `self`."""
    def sign(self) -> Tensor:
        """-1, 0 or 1; 0 also for NaN."""
    def sign_(self) -> Self:
        """Do what `sign` does, in place, and return `self`."""
    def signbit(self) -> Tensor:
        """Whether the sign is minus; also for -0."""
    def sin(self) -> Tensor:
        """The sine of x in radians."""
    def sin_(self) -> Self:
        """Do what `sin` does, in place, and return `self`."""
    def sinc(self) -> Tensor:
        """The sine of pi x over pi x; 1 at 0."""
    def sinc_(self) -> Self:
        """Do what `sinc` does, in place, and return `self`."""
    def sinh(self) -> Tensor:
        """The hyperbolic sine."""
    def sinh_(self) -> Self:
        """Do what `sinh` does, in place, and return `self`."""
    @overload
    def size(self, dim: None = None) -> Size: ...
    @overload
    def size(self, dim: _int) -> _int: ...
    def slice_scatter(
        self,
        src: Tensor,
        dim: _int = 0,
        start: _int | None = None,
        end: _int | None = None,
        step: _int = 1,
    ) -> Tensor: ...
    def slogdet(self) -> return_types.slogdet: ...
    def softmax(self, dim: _int, dtype: _dtype | None = None) -> Tensor: ...
    @overload
    def sort(
        self, *, stable: _bool, dim: _int = -1, descending: _bool = False
    ) -> return_types.sort: ...
    @overload
    def sort(self, dim: _int = -1, descending: _bool = False) -> return_types.sort: ...
    def split(self, split_size: _int | Sequence[_int], dim: _int = 0) -> tuple[Tensor, ...]: ...
    def split_with_sizes(
        self, split_sizes: Sequence[_int], dim: _int = 0
    ) -> tuple[Tensor, ...]: ...
    def sqrt(self) -> Tensor:
        """The square root."""
    def sqrt_(self) -> Self:
        """Do what `sqrt` does, in place, and return `self`."""
    def square(self) -> Tensor: ...
    def square_(self) -> Self:
        """Do what `square` does, in place, and return `self`."""
    @overload
    def squeeze(self) -> Tensor: ...
    @overload
    def squeeze(self, dim: _int | Sequence[_int]) -> Tensor: ...
    @overload
    def squeeze_(self) -> Self:
        """Do what `squeeze` does, in place, and return `self`."""
    @overload
    def squeeze_(self, dim: _int | Sequence[_int]) -> Self: ...
    @overload
    def std(
        self, dim: _int | Sequence[_int] | None, unbiased: _bool = True, keepdim: _bool = False
    ) -> Tensor: ...
    @overload
    def std(
        self,
        dim: _int | Sequence[_int] | None = None,
        *,
        correction: Number | None = None,
        keepdim: _bool = False,
    ) -> Tensor: ...
    @overload
    def std(self, unbiased: _bool = True) -> Tensor: ...
    def storage(self) -> TypedStorage: ...
    def storage_offset(self) -> _int: ...
    @overload
    def stride(self, dim: None = None) -> tuple[_int, ...]: ...
    @overload
    def stride(self, dim: _int) -> _int: ...
    def sub(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor: ...
    def sub_(self, other: Tensor | Number, *, alpha: Number = 1) -> Self: ...
    @overload
    def subtract(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
        """Return ``self - alpha * other``."""
    @overload
    def subtract(self, other: Number, alpha: Number = 1) -> Tensor: ...
    @overload
    def subtract_(self, other: Tensor | Number, *, alpha: Number = 1) -> Self:
        """Subtract ``alpha * other`` in place."""
    @overload
    def subtract_(self, other: Number, alpha: Number = 1) -> Self: ...
    @overload
    def sum(self, *, dtype: _dtype | None = None) -> Tensor: ...
    @overload
    def sum(
        self,
        dim: _int | Sequence[_int] | None,
        keepdim: _bool = False,
        *,
        dtype: _dtype | None = None,
    ) -> Tensor: ...
    @overload
    def sum_to_size(self, size: Sequence[_int], /) -> Tensor: ...
    @overload
    def sum_to_size(self, *size: _int) -> Tensor: ...
    def svd(self, some: _bool = True, compute_uv: _bool = True) -> return_types.svd: ...
    def swapaxes(self, axis0: _int, axis1: _int) -> Tensor: ...
    def swapaxes_(self, axis0: _int, axis1: _int) -> Self:
        """Do what `swapaxes` does, in place, and return `self`."""
    def swapdims(self, dim0: _int, dim1: _int) -> Tensor: ...
    def swapdims_(self, dim0: _int, dim1: _int) -> Self:
        """Do what `swapdims` does, in place, and return `self`."""
    def t(self) -> Tensor: ...
    def t_(self) -> Self:
        """Do what `t` does, in place, and return `self`."""
    def take(self, index: Tensor) -> Tensor: ...
    def take_along_dim(self, indices: Tensor, dim: _int | None = None) -> Tensor: ...
    def tan(self) -> Tensor:
        """The tangent of x in radians."""
    def tan_(self) -> Self:
        """Do what `tan` does, in place, and return `self`."""
    def tanh(self) -> Tensor:
        """The hyperbolic tangent."""
    def tanh_(self) -> Self:
        """Do what `tanh` does, in place, and return `self`."""
    @overload
    def tensor_split(
        self, tensor_indices_or_sections: Tensor, dim: _int = 0
    ) -> tuple[Tensor, ...]: ...
    @overload
    def tensor_split(self, sections: _int, dim: _int = 0) -> tuple[Tensor, ...]: ...
    @overload
    def tensor_split(self, indices: Sequence[_int], dim: _int = 0) -> tuple[Tensor, ...]: ...
    @overload
    def tile(self, dims: Sequence[_int], /) -> Tensor: ...
    @overload
    def tile(self, *dims: _int) -> Tensor: ...
    @overload
    def to(
        self,
        dtype: _dtype,
        non_blocking: _bool = False,
        copy: _bool = False,
        *,
        memory_format: _memory_format | None = None,
    ) -> Tensor: ...
    @overload
    def to(
        self,
        device: Device = None,
        dtype: _dtype | None = None,
        non_blocking: _bool = False,
        copy: _bool = False,
        *,
        memory_format: _memory_format | None = None,
    ) -> Tensor: ...
    @overload
    def to(
        self,
        other: Tensor,
        non_blocking: _bool = False,
        copy: _bool = False,
        *,
        memory_format: _memory_format | None = None,
    ) -> Tensor: ...
    def to_dense(self) -> Tensor:
        """Return `self`: all numbers are real."""
    def tolist(self) -> Any: ...
    def topk(
        self, k: _int, dim: _int = -1, largest: _bool = True, sorted: _bool = True
    ) -> return_types.topk: ...
    def trace(self) -> Tensor: ...
    def transpose(self, dim0: _int, dim1: _int) -> Tensor: ...
    def transpose_(self, dim0: _int, dim1: _int) -> Self:
        """Do what `transpose` does, in place, and return `self`."""
    def triangular_solve(
        self, A: Tensor, upper: _bool = True, transpose: _bool = False, unitriangular: _bool = False
    ) -> return_types.triangular_solve: ...
    def tril(self, diagonal: _int = 0) -> Tensor: ...
    def tril_(self, diagonal: _int = 0) -> Self:
        """Do what `tril` does, in place, and return `self`."""
    def triu(self, diagonal: _int = 0) -> Tensor: ...
    def triu_(self, diagonal: _int = 0) -> Self:
        """Do what `triu` does, in place, and return `self`."""
    def true_divide(self, other: Tensor | Number | Number) -> Tensor:
        """Return ``self / other``, rounded towards zero ("trunc"), down ("floor"), or not (None)."""
    def true_divide_(self, other: Tensor | Number | Number) -> Self:
        """Do what `true_divide` does, in place, and return `self`."""
    def trunc(self) -> Tensor:
        """What is left of x without the digits after the point."""
    def trunc_(self) -> Self:
        """Do what `trunc` does, in place, and return `self`."""
    @overload
    def type(self, dtype: None = None, non_blocking: _bool = False) -> str: ...
    @overload
    def type(self, dtype: str | _dtype | type[Any], non_blocking: _bool = False) -> Tensor: ...
    def type_as(self, other: Tensor) -> Tensor: ...
    def unbind(self, dim: _int = 0) -> tuple[Tensor, ...]: ...
    def unflatten(self, dim: _int, sizes: Sequence[_int]) -> Tensor: ...
    def unfold(self, dimension: _int, size: _int, step: _int) -> Tensor: ...
    @overload
    def uniform_(
        self, from_: _float = 0.0, to: _float = 1.0, /, *, generator: Generator | None = None
    ) -> Self: ...
    @overload
    def uniform_(self, *, to: _float = 1.0, generator: Generator | None = None) -> Self: ...
    @overload
    def unique(
        self,
        sorted: _bool = True,
        return_inverse: Literal[False] = False,
        return_counts: Literal[False] = False,
        dim: _int | None = None,
    ) -> Tensor: ...
    @overload
    def unique(
        self,
        sorted: _bool = True,
        return_inverse: _bool = False,
        return_counts: _bool = False,
        dim: _int | None = None,
    ) -> tuple[Tensor, ...]: ...
    @overload
    def unique_consecutive(
        self,
        return_inverse: Literal[False] = False,
        return_counts: Literal[False] = False,
        dim: _int | None = None,
    ) -> Tensor: ...
    @overload
    def unique_consecutive(
        self, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | None = None
    ) -> tuple[Tensor, ...]: ...
    def unsafe_chunk(self, chunks: _int, dim: _int = 0) -> tuple[Tensor, ...]: ...
    def unsafe_split(self, split_size: _int, dim: _int = 0) -> tuple[Tensor, ...]: ...
    def unsafe_split_with_sizes(
        self, split_sizes: Sequence[_int], dim: _int = 0
    ) -> tuple[Tensor, ...]: ...
    def unsqueeze(self, dim: _int) -> Tensor: ...
    def unsqueeze_(self, dim: _int) -> Self:
        """Do what `unsqueeze` does, in place, and return `self`."""
    def untyped_storage(self) -> UntypedStorage: ...
    @overload
    def var(
        self, dim: _int | Sequence[_int] | None, unbiased: _bool = True, keepdim: _bool = False
    ) -> Tensor: ...
    @overload
    def var(
        self,
        dim: _int | Sequence[_int] | None = None,
        *,
        correction: Number | None = None,
        keepdim: _bool = False,
    ) -> Tensor: ...
    @overload
    def var(self, unbiased: _bool = True) -> Tensor: ...
    def vdot(self, other: Tensor) -> Tensor: ...
    @overload
    def view(self, shape: Sequence[_int], /) -> Tensor: ...
    @overload
    def view(self, *shape: _int) -> Tensor: ...
    @overload
    def view(self, dtype: _dtype) -> Tensor: ...
    def view_as(self, other: Tensor) -> Tensor: ...
    @overload
    def vsplit(self, sections: _int) -> tuple[Tensor, ...]: ...
    @overload
    def vsplit(self, indices: Sequence[_int]) -> tuple[Tensor, ...]: ...
    def where(self, condition: Tensor, other: Tensor | Number) -> Tensor: ...
    def xlogy(self, other: Tensor | Number) -> Tensor: ...
    def xlogy_(self, other: Tensor | Number) -> Self:
        """Do what `xlogy` does, in place, and return `self`."""
    def zero_(self) -> Tensor: ...
