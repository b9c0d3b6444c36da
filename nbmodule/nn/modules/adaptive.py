"""A loss for very many classes, of which few are frequent.

Source: Grave et al., Efficient softmax approximation for GPUs, 2016, https://arxiv.org/abs/1609.04309
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from ..._tensor import Tensor
from .. import functional as F
from .container import ModuleList, Sequential
from .linear import Linear
from .module import Module

__all__ = ["AdaptiveLogSoftmaxWithLoss"]


class _ASMoutput(NamedTuple):
    output: Any
    loss: Any


class AdaptiveLogSoftmaxWithLoss(Module):
    """Cross entropy over very many classes, sorted by frequency, in groups: rare classes cost less.

    The head decides between the frequent classes and the *clusters* of rarer ones; only for examples of a cluster is
    it asked which of its classes it is, and with fewer features the rarer they are. The log-probability of a class
    is that of its cluster plus its own within the cluster.

    Args:
        in_features: how many features an example has.
        n_classes: how many classes there are.
        cutoffs: where the clusters begin, in increasing order.
        div_value: cluster i has ``in_features // div_value**i`` features, counted from 1.
        head_bias: whether the head has a bias.
        device: where the parameters are made.
        dtype: their dtype.

    Shape:
        input (N, in_features) or (in_features,), target (N,) or (); gives ``output``, the log-probability of each target,
            in the shape of the target, and ``loss``, minus their mean

    Attributes:
        head: the `Linear` layer of the head, for cutoffs[0] classes and the clusters.
        tail: a `ModuleList` with two `Linear` layers for each cluster.

    Raises:
        ValueError: the cutoffs are none, not sorted, not unique, or out of range.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.AdaptiveLogSoftmaxWithLoss.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.AdaptiveLogSoftmaxWithLoss(8, 100, cutoffs=[10, 50], div_value=2.0)
        >>> layer
        AdaptiveLogSoftmaxWithLoss(
          (head): Linear(in_features=8, out_features=12, bias=False)
          (tail): ModuleList(
            (0): Sequential(
              (0): Linear(in_features=8, out_features=4, bias=False)
              (1): Linear(in_features=4, out_features=40, bias=False)
            )
            (1): Sequential(
              (0): Linear(in_features=8, out_features=2, bias=False)
              (1): Linear(in_features=2, out_features=50, bias=False)
            )
          )
        )
        >>> layer(nbmodule.randn(3, 8), nbmodule.tensor([0, 20, 99])).output.shape
        nbmodule.Size([3])
    """

    in_features: int
    n_classes: int
    cutoffs: list[int]
    div_value: float
    head_bias: bool
    head: Linear
    tail: ModuleList

    def __init__(self, in_features: int, n_classes: int, cutoffs: Sequence[int], div_value: float = 4.0, head_bias: bool = False, device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        super().__init__()
        cutoffs = list(cutoffs)
        _check_cutoffs(cutoffs, n_classes)
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        made: dict[str, Any] = {"device": device, "dtype": dtype}
        self.head = Linear(in_features, self.head_size, bias=head_bias, **made)
        self.tail = ModuleList()
        for i, (start, stop) in enumerate(pairwise(self.cutoffs), 1):
            hidden = int(in_features // div_value**i)
            self.tail.append(
                Sequential(
                    Linear(in_features, hidden, bias=False, **made),
                    Linear(hidden, stop - start, bias=False, **made),
                )
            )

    def reset_parameters(self) -> None:
        """Draw all parameters anew."""
        self.head.reset_parameters()
        for projection in self.tail:
            for layer in projection:  # type: ignore[attr-defined]
                layer.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> _ASMoutput:
        """Return the log-probabilities of the targets, and minus their mean.

        Raises:
            RuntimeError: the shapes do not fit, or a target is no class.
        """
        _check_shapes(input_, target_)
        batched = target_.dim() > 0
        input, target = (input_, target_) if batched else (input_[None], target_[None])
        output = input.new_zeros(target.size(0))
        place = target.new_empty(target.size(0))  # where the head has the class or its cluster
        seen = 0
        for i, (start, stop) in enumerate(pairwise([0, *self.cutoffs])):
            rows = ((target >= start) & (target < stop)).nonzero().squeeze(1)
            if not rows.numel():
                continue
            seen += rows.numel()
            if i == 0:
                place.index_copy_(0, rows, target[rows])
                continue
            place.index_fill_(0, rows, self.shortlist_size + i - 1)
            within = F.log_softmax(self.tail[i - 1](input[rows]), dim=1)
            own = within.gather(1, (target[rows] - start)[:, None])
            output.index_copy_(0, rows, own.squeeze(1))
        if seen != target.size(0):
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                f"[{target.min().item()}, {target.max().item()}] were found. "
            )
        logs = F.log_softmax(self.head(input), dim=1)
        output += logs.gather(1, place[:, None]).squeeze()
        loss = (-output).mean()
        return _ASMoutput(output if batched else output.squeeze(0), loss)

    def _clusters(self, input: Tensor, head: Tensor) -> Iterator[Tensor]:
        """Yield log-probabilities (N, classes) for the frequent classes, then for each cluster."""
        logs = F.log_softmax(head, dim=1)
        yield logs[:, : self.shortlist_size]
        for i, projection in enumerate(self.tail):
            own = F.log_softmax(projection(input), dim=1)
            yield own + logs[:, self.shortlist_size + i].unsqueeze(1)

    def _get_full_log_prob(self, input: Tensor, head_output: Tensor) -> Tensor:
        """Return log-probabilities (N, n_classes), given what the head says."""
        out, start = input.new_empty((head_output.size(0), self.n_classes)), 0
        for logs in self._clusters(input, head_output):
            out[:, start : start + logs.size(1)] = logs
            start += logs.size(1)
        return out

    def log_prob(self, input: Tensor) -> Tensor:
        """Return the log-probabilities (N, n_classes) of all classes, for an input (N, in_features).

        Example:
            >>> import nbmodule
            >>> layer = nbmodule.nn.AdaptiveLogSoftmaxWithLoss(16, 100, cutoffs=[10, 50])
            >>> layer.log_prob(nbmodule.randn(2, 16)).exp().sum(1).detach().round(decimals=4)
            tensor([1., 1.])
        """
        return self._get_full_log_prob(input, self.head(input))

    def predict(self, input: Tensor) -> Tensor:
        """Return the most probable class of each example, (N,), for an input (N, in_features).

        The clusters are asked only for examples that the head gives to one of them.

        Example:
            >>> import nbmodule
            >>> layer = nbmodule.nn.AdaptiveLogSoftmaxWithLoss(16, 100, cutoffs=[10, 50])
            >>> x = nbmodule.randn(2, 16)
            >>> layer.predict(x).equal(layer.log_prob(x).argmax(1))
            True
        """
        head = self.head(input)
        found = head.argmax(dim=1)
        rare = found >= self.shortlist_size
        if not rare.any():
            return found
        if rare.all():
            return self._get_full_log_prob(input, head).argmax(dim=1)
        found[rare] = self._get_full_log_prob(input[rare], head[rare]).argmax(dim=1)
        return found


def _check_cutoffs(cutoffs: list[int], n_classes: int) -> None:
    if not cutoffs:
        raise ValueError("cutoffs should be a sequence of length larger than 0")
    if (
        cutoffs != sorted(cutoffs)
        or min(cutoffs) <= 0
        or max(cutoffs) > n_classes - 1
        or len(set(cutoffs)) != len(cutoffs)
        or any(int(c) != c for c in cutoffs)
    ):
        raise ValueError(
            "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each "
            "value is between 1 and n_classes-1"
        )


def _check_shapes(input: Tensor, target: Tensor) -> None:
    dims = target.dim()
    if dims > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if dims == 1 and input.size(0) != target.size(0):
        raise RuntimeError("Input and target should have the same size in the batch dimension.")
    if input.dim() != dims + 1:
        raise RuntimeError(
            f"{dims}D target tensor expects {dims + 1}D input tensors, but found inputs with size "
            f"{input.size()}"
        )
