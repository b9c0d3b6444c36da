"""Three parametrizations: orthogonal matrices, weights of a learned length, weights of singular value 1.

Source: https://docs.pytorch.org/docs/stable/nn.html#utilities
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Any

from ... import _factories as make
from ..._functions.joining import cat
from ..._functions.matrices import geqrf, matrix_exp, mv, vdot
from ..._limits import finfo
from ..._tensor import Tensor
from ...autograd.grad_mode import no_grad
from ...linalg import householder_product, solve
from .. import functional as F
from ..functional._weight_norm import _weight_norm, norm_except_dim
from ..modules.module import Module
from . import parametrize
from .spectral_norm import _output_dim, _outputs_first

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


def _is_orthogonal(Q: Tensor, eps: float | None = None) -> bool:
    """Return whether ``QᵀQ`` is the identity, as far as numbers of this type tell."""
    n, k = Q.size(-2), Q.size(-1)
    identity = make.eye(k, dtype=Q.dtype, device=Q.device)
    return (Q.mH @ Q).allclose(
        identity.expand(*Q.shape[:-2], k, k), atol=10.0 * n * finfo(Q.dtype).eps
    )


def _make_orthogonal(A: Tensor) -> Tensor:
    """Return the Q of ``A = QR`` with a positive diagonal of R: an orthogonal matrix drawn evenly for a normal A."""
    X, tau = geqrf(A)
    Q = householder_product(X, tau)
    Q *= X.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)
    return Q


class _OrthMaps(Enum):
    matrix_exp = auto()
    cayley = auto()
    householder = auto()


class _Orthogonal(Module):
    """Makes an orthogonal matrix of any matrix, or one with orthonormal rows or columns if it is not square.

    Args:
        weight: which is to be orthogonal; only its shape counts.
        orthogonal_map: how.
        use_trivialization: keep a matrix ``base`` that the result is multiplied by; what is learned then
            begins at the identity, and any orthogonal matrix can be assigned.

    Source: Lezcano-Casado, https://arxiv.org/abs/1909.09501
    """

    base: Tensor

    def __init__(self, weight: Tensor, orthogonal_map: _OrthMaps, *, use_trivialization: bool = True) -> None:  # fmt: skip
        super().__init__()
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Tensor) -> Tensor:
        """Return an orthogonal matrix of the shape of `X`, (..., n, k)."""
        transposed = X.size(-2) < X.size(-1)
        if transposed:
            X = X.mT
        if self.orthogonal_map is _OrthMaps.householder:
            Q = self._reflections(X)
        else:
            Q = self._of_skew(X)
        if hasattr(self, "base"):
            Q = self.base @ Q
        return Q.mT if transposed else Q

    def _of_skew(self, X: Tensor) -> Tensor:
        """Return ``exp(A)``, or Cayley's ``(I - A/2)⁻¹ (I + A/2)``, of the skew-symmetric ``A = L - Lᵀ``."""
        n, k = X.size(-2), X.size(-1)
        L = X.tril()
        if n != k:
            L = cat([L, L.new_zeros(n, n - k).expand(*L.shape[:-2], -1, -1)], dim=-1)
        A = L - L.mH
        if self.orthogonal_map is _OrthMaps.matrix_exp:
            Q = matrix_exp(A)
        else:
            identity = make.eye(n, dtype=A.dtype, device=A.device)
            Q = solve(identity.add(A, alpha=-0.5), identity.add(A, alpha=0.5))
        return Q if n == k else Q[..., :k]

    def _reflections(self, X: Tensor) -> Tensor:
        """Return a product of reflections, ``I - tau v vᵀ``, for the columns v below the diagonal of `X`."""
        A = X.tril(diagonal=-1)
        tau = 2.0 / (1.0 + (A * A).sum(dim=-2))
        Q = householder_product(A, tau)
        # The diagonal of X, 1 or -1, is which half of the orthogonal matrices is meant; it is not learned.
        return Q * X.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)

    def right_inverse(self, Q: Tensor) -> Tensor:
        """Return what is learned such that the result is `Q`, or the nearest that can be."""
        if Q.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. "
                f"Got a tensor of shape {Q.shape}."
            )
        with no_grad():
            return self._onto_base(Q) if hasattr(self, "base") else self._of_reflections(Q)

    def _of_reflections(self, Q: Tensor) -> Tensor:
        if self.orthogonal_map is not _OrthMaps.householder:
            raise NotImplementedError(
                "It is not possible to assign to the matrix exponential or the Cayley parametrizations "
                "when use_trivialization=False."
            )
        transposed = Q.size(-2) < Q.size(-1)
        A, tau = geqrf(Q.mT if transposed else Q)
        # Where Q is orthogonal, R is a diagonal of signs, and a column that was left alone has tau = 0.
        A.diagonal(dim1=-2, dim2=-1).sign_()
        A.diagonal(dim1=-2, dim2=-1)[tau == 0.0] *= -1
        return A.mT if transposed else A

    def _onto_base(self, Q: Tensor) -> Tensor:
        """Let `Q` be the base; -I, of which every map here makes the identity or its negative, is learned."""
        learned = make.zeros_like(Q)
        learned.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
        if Q.size(-2) < Q.size(-1):
            Q = Q.mT
        n, k = Q.size(-2), Q.size(-1)
        if n == k:
            Q = Q.clone() if _is_orthogonal(Q) else _make_orthogonal(Q)
        else:
            # Columns at right angles to those of Q: drawn, and straightened.
            missing = make.randn(*Q.shape[:-2], n, n - k, dtype=Q.dtype, device=Q.device)
            Q = _make_orthogonal(cat([Q, missing], dim=-1))
        self.base = Q
        return learned


def orthogonal(module: Module, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True) -> Module:  # fmt: skip
    """Keep a weight orthogonal, ``QᵀQ = I``, while it is learned.

    A weight (..., n, k) that is not square has orthonormal columns if n > k, and rows if n < k.

    Args:
        module: is changed, and returned.
        name: of the weight, a matrix or several.
        orthogonal_map: what makes Q of what is learned: "matrix_exp", the exponential of a skew-symmetric
            matrix; "cayley", a quotient of such; "householder", a product of reflections. By default
            "matrix_exp" for square matrices, and "householder" else.
        use_trivialization: multiply by a fixed matrix, so that any orthogonal matrix can be assigned.

    Raises:
        ValueError: there is no such weight, it is no matrix, or there is no such map.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.parametrizations.orthogonal.html;
    Lezcano-Casado, https://arxiv.org/abs/1909.09501

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.utils.parametrizations.orthogonal(nbmodule.nn.Linear(20, 40))
        >>> Q = layer.weight
        >>> Q.shape, nbmodule.allclose(Q.T @ Q, nbmodule.eye(20), atol=1e-5)
        (nbmodule.Size([40, 20]), True)
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.ndim < 2:
        raise ValueError(
            f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions."
        )
    if orthogonal_map is None:
        square = weight.size(-2) == weight.size(-1)
        orthogonal_map = "matrix_exp" if square else "householder"
    chosen = getattr(_OrthMaps, orthogonal_map, None)
    if chosen is None:
        raise ValueError(
            'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". '
            f"Got: {orthogonal_map}"
        )
    orth = _Orthogonal(weight, chosen, use_trivialization=use_trivialization)
    # The shape of what is learned need not be checked: it is that of the weight.
    parametrize.register_parametrization(module, name, orth, unsafe=True)
    return module


class _WeightNorm(Module):
    """Makes a weight of its length and its direction."""

    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        """Return ``g * v / ‖v‖``."""
        return _weight_norm(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        """Return the length of `weight`, and `weight` itself as the direction."""
        return norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Let a weight be a length times a direction, each learned on its own: ``w = g * v / ‖v‖``.

    g is ``module.parametrizations.<name>.original0``, and v is ``original1``.

    Args:
        module: is changed, and returned.
        name: of the weight.
        dim: the dimension that keeps its own lengths, such as 0 for one of each output; None for one length of
            the whole weight.

    Raises:
        ValueError: there is no such weight.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.parametrizations.weight_norm.html;
    Salimans and Kingma, https://arxiv.org/abs/1602.07868

    Example:
        >>> from nbmodule import nn
        >>> m = nn.utils.parametrizations.weight_norm(nn.Linear(20, 40))
        >>> for name, p in m.named_parameters():
        ...     print(name, tuple(p.shape))
        bias (40,)
        parametrizations.weight.original0 (40, 1)
        parametrizations.weight.original1 (40, 20)
    """
    parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def _weight_norm_compat_hook(state_dict: dict[str, Any], prefix: str, local_metadata: Any, strict: bool, missing_keys: Any, unexpected_keys: Any, error_msgs: Any) -> None:  # fmt: skip
        """Let a state load that the older `nbmodule.nn.utils.weight_norm` wrote."""
        older = [f"{prefix}{name}_g", f"{prefix}{name}_v"]
        if all(key in state_dict for key in older):
            for i, key in enumerate(older):
                state_dict[f"{prefix}parametrizations.{name}.original{i}"] = state_dict.pop(key)

    module._register_load_state_dict_pre_hook(_weight_norm_compat_hook)
    return module


class _SpectralNorm(Module):
    """Divides a weight by its largest singular value, which it follows by the power iteration.

    Args:
        weight: which is to be divided.
        n_power_iterations: steps that are taken in each call in training.
        dim: the dimension of the outputs.
        eps: the least length that is divided by.
    """

    def __init__(self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:  # fmt: skip
        super().__init__()
        ndim = weight.ndim
        if not -ndim <= dim < ndim:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [-{ndim}, {ndim - 1}] but got {dim})"
            )
        if n_power_iterations <= 0:
            raise ValueError(
                "Expected n_power_iterations to be positive, but got "
                f"n_power_iterations={n_power_iterations}"
            )
        self.dim = dim if dim >= 0 else dim + ndim
        self.eps = eps
        if ndim > 1:  # of a vector, σ is the length
            self.n_power_iterations = n_power_iterations
            matrix = self._reshape_weight_to_matrix(weight)
            h, w = matrix.size()
            u = matrix.new_empty(h).normal_(0, 1)
            v = matrix.new_empty(w).normal_(0, 1)
            self.register_buffer("_u", F.normalize(u, dim=0, eps=self.eps))
            self.register_buffer("_v", F.normalize(v, dim=0, eps=self.eps))
            self._power_method(matrix, 15)

    def _reshape_weight_to_matrix(self, weight: Tensor) -> Tensor:
        """Return the weight as a matrix with a row for each output."""
        return _outputs_first(weight, self.dim).flatten(1)

    def _power_method(self, weight_mat: Tensor, n_power_iterations: int) -> None:
        """Turn u and v, in place, towards the singular vectors of the largest singular value."""
        with no_grad():
            for _ in range(n_power_iterations):
                self._u = F.normalize(mv(weight_mat, self._v), dim=0, eps=self.eps, out=self._u)
                self._v = F.normalize(mv(weight_mat.mT, self._u), dim=0, eps=self.eps, out=self._v)

    def forward(self, weight: Tensor) -> Tensor:
        """Return ``weight / σ``."""
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = self._reshape_weight_to_matrix(weight)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        # The next call writes into the buffers, the gradient of this one needs the values of now.
        u, v = self._u.clone(), self._v.clone()
        # σ = uᵀWv is a product of tensors, and so its gradient goes into the weight.
        return weight / vdot(u, mv(matrix, v))

    def right_inverse(self, value: Tensor) -> Tensor:
        """Return `value`: whose singular value is 1 or less is left as it is, nearly."""
        return value


def spectral_norm(module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None) -> Module:  # fmt: skip
    """Divide a weight by its largest singular value σ, so that the layer stretches no input.

    In training each use of the weight takes `n_power_iterations` steps towards σ.

    Args:
        module: is changed, and returned.
        name: of the weight, a matrix after `dim` is moved to the front and the others are joined.
        n_power_iterations: steps of the power iteration.
        eps: the least length that is divided by.
        dim: the dimension of the outputs; by default 1 for transposed convolutions, and 0 else.

    Raises:
        ValueError: there is no such weight, or `n_power_iterations` is not positive.
        IndexError: there is no such dimension.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.parametrizations.spectral_norm.html;
    Miyato et al., https://arxiv.org/abs/1802.05957

    Example:
        >>> import nbmodule
        >>> m = nbmodule.nn.utils.parametrizations.spectral_norm(nbmodule.nn.Linear(20, 40))
        >>> m.parametrizations.weight[0]._u.shape
        nbmodule.Size([40])
        >>> for _ in range(50):
        ...     y = m(nbmodule.zeros(20))
        >>> round(nbmodule.linalg.svdvals(m.weight)[0].item(), 1)
        1.0
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    norm = _SpectralNorm(weight, n_power_iterations, _output_dim(module, dim), eps)
    parametrize.register_parametrization(module, name, norm)
    return module
