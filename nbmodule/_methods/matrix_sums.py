"""Methods that add a product of matrices or vectors to a tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import _dtypes, _errors
from .._data import factor_number, fill_number
from .._engine import TensorBase, write
from .._ops import linalg_products as products
from . import linalg_checks as check
from .common import factor_in, kind_of
from .explained import explained_methods

if TYPE_CHECKING:
    from .._engine.state import Tensor

Number = int | float | bool


def _matrix(name: str, t: Any) -> None:
    if t._array.ndim != 2:
        raise RuntimeError(f"{name} must be a matrix, got {t._array.ndim}-D tensor")


def _factors(t: Any, kernel: str, fit: Any = factor_number, **factors: Number) -> dict[str, Any]:
    """Return `factors`, made to `fit` the type of `t`; `kernel` is the part of PyTorch that refuses booleans."""
    if t._array.dtype.kind == "b":
        raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool'")
    kind = _dtypes.of_numpy[t._array.dtype]
    return {name: fit(factor, kind) for name, factor in factors.items()}


def in_place_sum(method: Callable[..., Any], ndim: int | None = None) -> Callable[..., Any]:
    """Turn a method that returns a sum in the shape of its tensor into one that overwrites it.

    Args:
        method: takes tensors, and `beta` and `alpha` by keyword.
        ndim: how many dimensions the tensor must have.
    """

    def call(self: Any, *args: Any, **named: Any) -> Any:
        if ndim is not None and self.ndim != ndim:
            raise RuntimeError(f"{ndim}D tensor expected, got {self.ndim}D tensor for input")
        shape = tuple(method(self.detach(), *args, **named).shape)
        if tuple(self.shape) != shape:
            raise RuntimeError(
                f"Bad in-place call: input tensor size {list(self.shape)} and output tensor size "
                f"{list(shape)} should match"
            )
        fixed = {k: v for k, v in named.items() if k in ("beta", "alpha")}
        tensors = [*args, *(v for k, v in named.items() if k not in fixed)]
        return write(self, method, *tensors, **fixed)

    call.__name__ = call.__qualname__ = f"{method.__name__}_"
    call.__doc__ = f"Do what `{method.__name__}` does, in place, and return `self`."
    return call


@explained_methods
class MatrixSums(TensorBase):
    """``beta * self + alpha * product``, for the products of all shapes, also in place."""

    def addmm(self, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """Return ``beta * self + alpha * (mat1 @ mat2)``.

        Args:
            mat1: (N, K).
            mat2: (K, M); `self` broadcasts to (N, M).
            beta: what `self` is multiplied by; 0 ignores it, NaNs too.
            alpha: what the product is multiplied by.

        Raises:
            RuntimeError: the shapes or the dtypes do not fit.
        """
        _matrix("mat1", mat1)
        _matrix("mat2", mat2)
        (n, k), (k2, columns) = mat1._array.shape, mat2._array.shape
        if k != k2:
            raise RuntimeError(_errors.matmul_text((n, k), (k2, columns)))
        _fits(self, (n, columns))
        for name, t in (("mat1", mat1), ("self", self)):
            if t._array.dtype != mat2._array.dtype:
                raise RuntimeError(
                    f"{name} and mat2 must have the same dtype, but got {kind_of(t)} and "
                    f"{kind_of(mat2)}"
                )
        factors = _factors(self, "addmm_impl_cpu_", beta=beta, alpha=alpha)
        return products.addmm(self, mat1, mat2, **factors)

    def addmv(self, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """Return ``beta * self + alpha * (mat @ vec)``, with `mat` (N, K), `vec` (K,), `self` (N,)."""
        dims = self._array.ndim, mat._array.ndim, vec._array.ndim
        if dims[0] > 1 or dims[1:] != (2, 1):
            raise RuntimeError("vector + matrix @ vector expected, got {}, {}, {}".format(*dims))
        (n, k), length = mat._array.shape, self._array.size if dims[0] else 1
        if k != vec._array.shape[0] or length not in (1, n):
            raise RuntimeError(
                f"size mismatch, got input ({length}), mat ({n}x{k}), vec ({vec._array.shape[0]})"
            )
        kinds = [kind_of(t) for t in (self, mat, vec)]
        if len(set(kinds)) > 1:
            raise RuntimeError(
                "addmv input tensors must have the same dtype, but got {}, {}, and {}".format(
                    *kinds
                )
            )
        factors = _factors(self, "addmv_impl_cpu", fill_number, beta=beta, alpha=alpha)
        return products.addmv(self, mat, vec, **factors)

    def addr(self, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """Return ``beta * self + alpha * vec1.outer(vec2)``, with `vec1` (N,), `vec2` (M,)."""
        for name, t in (("vec1", vec1), ("vec2", vec2)):
            if t._array.ndim != 1:
                raise RuntimeError(f"addr: Expected 1-D argument {name}, but got {t._array.ndim}-D")
        if self._array.ndim > 2:
            raise RuntimeError(f"2D tensor expected, got {self._array.ndim}D tensor for input")
        _fits(self, (vec1._array.size, vec2._array.size))
        common = _dtypes.result_type(self._array, vec1._array, vec2._array)
        beta, alpha = factor_in(common, "beta", beta), factor_in(common, "alpha", alpha)
        return products.addr(self, vec1, vec2, beta=beta, alpha=alpha)

    def baddbmm(self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:  # fmt: skip
        """Return ``beta * self + alpha * (batch1 @ batch2)``, of batches (B, N, K) and (B, K, M)."""
        a, b = batch1._array.shape, batch2._array.shape
        if len(b) < 3:
            raise IndexError(_no_dimension(len(b), 2))
        _fits(self, (a[0], a[1], b[2]))
        if len(a) != 3 or len(b) != 3:
            raise RuntimeError(f"batch{1 if len(a) != 3 else 2} must be a 3D tensor")
        if b[:2] != (a[0], a[2]):
            raise RuntimeError(_errors.batches_text([a[0], a[2]], list(b[:2])))
        if self._array.dtype != batch1._array.dtype:
            raise RuntimeError(
                f"Input dtypes must be the same, got: input {check.c_kind(self)}, batch1: "
                f"{check.c_kind(batch1)}, batch2: {check.c_kind(batch2)}"
            )
        check.scalar_type(batch1, batch2)
        factors = _factors(self, "baddbmm", beta=beta, alpha=alpha)
        return products.baddbmm(self, batch1, batch2, **factors)

    def addbmm(self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:  # fmt: skip
        """Return ``beta * self + alpha * (batch1 @ batch2).sum(0)``, of batches (B, N, K) and (B, K, M)."""
        a, b = batch1._array.shape, batch2._array.shape
        if len(b) < 3:
            raise IndexError(_no_dimension(len(b), 2))
        _fits(self, (a[1], b[2]))
        if len(a) != 3 or len(b) != 3:
            raise RuntimeError(f"batch{1 if len(a) != 3 else 2} must be a 3D tensor")
        if a[0] != b[0]:
            raise RuntimeError(
                f"batch1 and batch2 must have same number of batches, got {a[0]} and {b[0]}"
            )
        if a[2] != b[1]:
            raise RuntimeError(
                f"Incompatible matrix sizes for bmm ({a[1]}x{a[2]} and {b[1]}x{b[2]})"
            )
        if self._array.dtype != batch2._array.dtype:
            raise RuntimeError(
                f"self and mat2 must have the same dtype, but got {kind_of(self)} and "
                f"{kind_of(batch2)}"
            )
        factors = _factors(self, "addmm_impl_cpu_", beta=beta, alpha=alpha)
        return products.addbmm(self, batch1, batch2, **factors)

    addmm_, addmv_ = in_place_sum(addmm), in_place_sum(addmv)
    addr_ = in_place_sum(addr, 2)
    baddbmm_, addbmm_ = map(in_place_sum, (baddbmm, addbmm))


def _fits(t: Any, shape: tuple[int, ...]) -> None:
    """Raise unless `t` can be expanded to `shape`."""
    if t._array.shape != shape:
        t.detach().expand(shape)


def _no_dimension(ndim: int, dim: int) -> str:
    room = max(ndim, 1)
    return (
        f"Dimension out of range (expected to be in range of [{-room}, {room - 1}], but got {dim})"
    )
