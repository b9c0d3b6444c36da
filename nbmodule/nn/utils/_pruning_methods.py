"""Ways to prune: which numbers, or which channels, of a tensor become 0."""

from __future__ import annotations

from typing import Any

from ..._factories import rand, rand_like, zeros_like
from ..._functions.reductions import kthvalue
from ..._functions.sorting import topk
from ..._tensor import Tensor
from ._pruning import BasePruningMethod
from ._pruning_amounts import (
    _compute_norm,
    _compute_nparams_toprune,
    _validate_pruning_amount,
    _validate_pruning_amount_init,
    _validate_pruning_dim,
    _validate_structured_pruning,
)


def _count(amount: Any, size: int) -> Any:
    """Return how many of `size` the amount is, after the checks."""
    n = _compute_nparams_toprune(amount, size)
    _validate_pruning_amount(n, size)
    return n


def _channels(t: Tensor, dim: int, chosen: Tensor, default_mask: Tensor) -> Tensor:
    """Return a mask of 1 for the chosen channels, as far as they are in `default_mask`."""
    mask = zeros_like(t)
    place: list[Any] = [slice(None)] * t.dim()
    place[dim] = chosen
    mask[tuple(place)] = 1
    mask *= default_mask.to(dtype=mask.dtype)
    return mask


class Identity(BasePruningMethod):
    """Prunes nothing, but makes the mask and the parameters as if it did.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.prune.Identity.html

    Example:
        >>> from nbmodule import nn
        >>> from nbmodule.nn.utils import prune
        >>> layer = nn.Linear(2, 2)
        >>> method = prune.Identity.apply(layer, "bias")
        >>> layer.bias_mask
        tensor([1., 1.])
    """

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return `default_mask`."""
        return default_mask

    @classmethod
    def apply(cls, module: Any, name: str) -> Any:
        """Make the mask; see `BasePruningMethod.apply`."""
        return super().apply(module, name)


class RandomUnstructured(BasePruningMethod):
    """Prunes numbers that are drawn.

    Args:
        amount: how many, or a fraction of them in [0, 1].

    Raises:
        TypeError: `amount` is no number.
        ValueError: it is negative, a fraction larger than 1, or more than there are.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.prune.RandomUnstructured.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn.utils import prune
        >>> int(prune.RandomUnstructured(amount=0.3).prune(nbmodule.ones(10)).sum())
        7
    """

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: float) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return a mask with so many zeros more."""
        n = _count(self.amount, t.numel())
        mask = default_mask.clone().contiguous()
        if n != 0:
            drawn = rand_like(t)
            mask.view(-1)[topk(drawn.view(-1), k=n).indices] = 0
        return mask

    @classmethod
    def apply(cls, module: Any, name: str, amount: float) -> Any:  # type: ignore[override]
        """Prune ``module.<name>``; see `BasePruningMethod.apply`."""
        return super().apply(module, name, amount=amount)


class L1Unstructured(BasePruningMethod):
    """Prunes the numbers of the smallest size.

    Args:
        amount: how many, or a fraction of them in [0, 1].

    Raises:
        TypeError: `amount` is no number.
        ValueError: it is negative, a fraction larger than 1, or more than there are.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.prune.L1Unstructured.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn.utils import prune
        >>> prune.L1Unstructured(amount=2).prune(nbmodule.tensor([-5.0, 0.1, 3.0, -0.2]))
        tensor([-5.,  0.,  3., -0.])
    """

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: float) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return a mask with zeros at the smallest numbers of `t`."""
        n = _count(self.amount, t.numel())
        mask = default_mask.clone().contiguous()
        if n != 0:
            mask.view(-1)[topk(t.abs().view(-1), k=n, largest=False).indices] = 0
        return mask

    @classmethod
    def apply(cls, module: Any, name: str, amount: float, importance_scores: Tensor | None = None) -> Any:  # type: ignore[override]  # fmt: skip
        """Prune ``module.<name>``; see `BasePruningMethod.apply`."""
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)


class RandomStructured(BasePruningMethod):
    """Prunes whole channels that are drawn.

    Args:
        amount: how many, or a fraction of them in [0, 1].
        dim: the dimension whose indices are the channels.

    Raises:
        TypeError: `amount` is no number.
        ValueError: it is negative, a fraction larger than 1, or more than there are; or the tensor has fewer
            than two dimensions.
        IndexError: there is no such dimension.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.prune.RandomStructured.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn.utils import prune
        >>> pruned = prune.RandomStructured(amount=1, dim=0).prune(nbmodule.ones(3, 4))
        >>> sorted(pruned.sum(1).tolist())
        [0.0, 4.0, 4.0]
    """

    PRUNING_TYPE = "structured"

    def __init__(self, amount: float, dim: int = -1) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount
        self.dim = dim

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return a mask with zeros in so many channels more."""
        _validate_structured_pruning(t)
        _validate_pruning_dim(t, self.dim)
        channels = t.shape[self.dim]
        n = _count(self.amount, channels)
        if n == 0:
            return default_mask
        drawn = rand(channels)
        return _channels(t, self.dim, drawn > kthvalue(drawn, k=n).values, default_mask)

    @classmethod
    def apply(cls, module: Any, name: str, amount: float, dim: int = -1) -> Any:  # type: ignore[override]
        """Prune ``module.<name>``; see `BasePruningMethod.apply`."""
        return super().apply(module, name, amount=amount, dim=dim)


class LnStructured(BasePruningMethod):
    """Prunes the whole channels of the smallest n-norm.

    Args:
        amount: how many, or a fraction of them in [0, 1].
        n: the p of the p-norm, or "fro" or "nuc", as in `nbmodule.norm`.
        dim: the dimension whose indices are the channels.

    Raises:
        TypeError: `amount` is no number.
        ValueError: it is negative, a fraction larger than 1, or more than there are; or the tensor has fewer
            than two dimensions.
        IndexError: there is no such dimension.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.prune.LnStructured.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn.utils import prune
        >>> t = nbmodule.tensor([[1.0, 1.0], [3.0, 0.0], [0.0, 2.0]])
        >>> prune.LnStructured(amount=1, n=2, dim=0).prune(t)
        tensor([[0., 0.],
                [3., 0.],
                [0., 2.]])
    """

    PRUNING_TYPE = "structured"

    def __init__(self, amount: float, n: Any, dim: int = -1) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount
        self.n = n
        self.dim = dim

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return a mask with zeros in the smallest channels of `t`."""
        _validate_structured_pruning(t)
        _validate_pruning_dim(t, self.dim)
        channels = t.shape[self.dim]
        n = _count(self.amount, channels)
        largest = topk(_compute_norm(t, self.n, self.dim), k=channels - n, largest=True)
        return _channels(t, self.dim, largest.indices, default_mask) if n else default_mask

    @classmethod
    def apply(cls, module: Any, name: str, amount: float, n: Any, dim: int, importance_scores: Tensor | None = None) -> Any:  # type: ignore[override]  # fmt: skip
        """Prune ``module.<name>``; see `BasePruningMethod.apply`."""
        return super().apply(
            module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores
        )


class CustomFromMask(BasePruningMethod):
    """Prunes by a mask that is given.

    Args:
        mask: 1 for what stays and 0 for what goes, of the shape of the tensor.

    Raises:
        AssertionError: the mask is of another shape.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.prune.CustomFromMask.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn.utils import prune
        >>> prune.CustomFromMask(nbmodule.tensor([1, 0, 1])).prune(nbmodule.ones(3))
        tensor([1., 0., 1.])
    """

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the product of both masks."""
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"default_mask shape {default_mask.shape} must match self.mask shape {self.mask.shape}"
            )
        return default_mask * self.mask.to(dtype=default_mask.dtype)

    @classmethod
    def apply(cls, module: Any, name: str, mask: Tensor) -> Any:  # type: ignore[override]
        """Prune ``module.<name>``; see `BasePruningMethod.apply`."""
        return super().apply(module, name, mask=mask)
