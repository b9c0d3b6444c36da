"""Methods and attributes that say what a tensor is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _dtypes, _formats
from .._backend import META, byte_span, device, device_of, is_pinned
from .._dtypes import dtype as Dtype
from .._engine import TensorBase
from .._errors import name_of_type, not_a_tensor
from .._ops.reduce import axis_of
from .explained import explained_methods
from .shapes import Size

if TYPE_CHECKING:
    from .._engine.state import Tensor

known_size = tuple.__new__  # past the checks of Size


def _never(what: str) -> Any:
    return property(lambda self: False, doc=f"False: there are no {what} tensors here.")


@explained_methods
class Properties(TensorBase):
    """Shape, dtype, device, and the many small questions that have an answer at once."""

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
    def layout(self) -> _formats.layout:
        """How the elements are stored: always ``nbmodule.strided``."""
        return _formats.strided

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
        """Return the shape, or the length of dimension `dim`.

        Raises:
            IndexError: there is no such dimension.
            TypeError: `dim` is no int.
        """
        if dim is None:
            return self.shape
        if not hasattr(dim, "__index__"):
            raise TypeError(
                f"size(): argument 'dim' (position 1) must be int, not {name_of_type(dim)}"
            )
        if not self._array.ndim:
            raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
        return self._array.shape[axis_of(dim, self._array.ndim)]

    def dim(self) -> int:
        """Return how many dimensions there are."""
        return self._array.ndim

    def numel(self) -> int:
        """Return how many elements there are."""
        return self._array.size

    nelement, ndimension, dense_dim = numel, dim, dim

    def element_size(self) -> int:
        """Return how many bytes an element takes."""
        return self._array.itemsize

    def data_ptr(self) -> int:
        """Return the address of the first element; 0 where there is none."""
        if device_of(self._array) == META or not self._array.size:
            return 0
        if isinstance(self._array, np.ndarray):
            return self._array.ctypes.data
        return self._array.data.ptr

    def const_data_ptr(self) -> int:
        """Return the address of the first element, for whoever only reads."""
        return self.data_ptr()

    def get_device(self) -> int:
        """Return the number of the GPU that holds the elements, -1 where none does."""
        index = self.device.index
        return -1 if index is None else index

    def is_floating_point(self) -> bool:
        """Return whether the elements are float16, float32 or float64."""
        return self._array.dtype.kind == "f"

    def is_signed(self) -> bool:
        """Return whether negative numbers fit."""
        return self.dtype.is_signed

    def is_complex(self) -> bool:
        """Return False: there are no complex tensors."""
        return False

    def is_nonzero(self) -> bool:
        """Return whether the only element is not 0.

        Raises:
            RuntimeError: there is not exactly one.
        """
        return bool(self)

    def is_same_size(self, other: Tensor) -> bool:
        """Return whether `other` has the same shape."""
        if not isinstance(other, TensorBase):
            raise not_a_tensor("is_same_size", "other", 1, other)
        return self._array.shape == other._array.shape

    def is_set_to(self, tensor: Tensor) -> bool:
        """Return whether `tensor` shows the same memory in the same shape and order."""
        if not isinstance(tensor, TensorBase):
            raise not_a_tensor("is_set_to", "tensor", 1, tensor)
        a, b = self._array, tensor._array
        same = a.shape == b.shape and a.strides == b.strides and a.dtype == b.dtype
        return same and self._storage is tensor._storage and byte_span(a) == byte_span(b)

    def is_conj(self) -> bool:
        """Return False: there are no complex tensors."""
        return False

    def is_neg(self) -> bool:
        """Return False: no tensor waits to be negated."""
        return False

    def is_distributed(self) -> bool:
        """Return False: a tensor lives on one machine."""
        return False

    def is_pinned(self) -> bool:
        """Return whether the elements lie in memory that the system does not move; see `pin_memory`."""
        return is_pinned(self._array)

    def is_shared(self) -> bool:
        """Return False: the memory belongs to this process alone."""
        return False

    @property
    def is_cpu(self) -> bool:
        """Whether the elements live in main memory."""
        return self.device.type == "cpu"

    @property
    def is_cuda(self) -> bool:
        """Whether the elements live on a GPU."""
        return self.device.type == "cuda"

    @property
    def is_meta(self) -> bool:
        """Whether there is a shape, but no elements."""
        return self.device.type == "meta"

    is_sparse, is_sparse_csr, is_quantized = _never("sparse"), _never("sparse"), _never("quantized")
    is_nested, is_mkldnn, is_mps = _never("nested"), _never("MKL-DNN"), _never("MPS")
    is_xpu, is_xla, is_ipu = _never("XPU"), _never("XLA"), _never("IPU")
    is_vulkan, is_maia, is_mtia = _never("Vulkan"), _never("MAIA"), _never("MTIA")

    @property
    def real(self) -> Any:
        """This tensor: all numbers are real."""
        return self

    @property
    def imag(self) -> Any:
        """Not there.

        Raises:
            RuntimeError: always: there are no complex tensors.
        """
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")

    def conj(self) -> Any:
        """Return `self`: all numbers are real."""
        return self

    resolve_conj = resolve_neg = to_dense = conj
