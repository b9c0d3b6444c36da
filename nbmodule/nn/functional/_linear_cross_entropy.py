"""The cross entropy of a linear layer with very many classes, of which not all scores need to be in memory at once.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.linear_cross_entropy.html
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from typing import Any

from ... import _dtypes
from ..._engine import is_grad_enabled
from ..._tensor import Tensor
from ...autograd import Function
from ._class_losses import cross_entropy
from ._linear import linear


def linear_cross_entropy(input: Tensor, linear_weight: Tensor, target: Tensor, *, linear_bias: Tensor | None = None, weight: Tensor | None = None, reduction: str = "mean", ignore_index: int | None = None, label_smoothing: float = 0.0, options: Any = None) -> Tensor:  # fmt: skip
    """Return ``cross_entropy(linear(input, linear_weight, linear_bias), target)``.

    Args:
        input: (N, in_features) or (in_features,)
        linear_weight: (C, in_features) or (C, d1, ..., in_features)
        target: class indices (N,), () or (N, d1, ...), int64; or probabilities (N, C), (C,) or (N, C, d1, ...)
        linear_bias: (C,) or (C, d1, ...)
        weight: (C,) how much each class counts.
        reduction: "mean" (by the weights that counted), "sum" or "none".
        ignore_index: a target that does not count; by default -100.
        label_smoothing: in [0, 1]; how much of each target is spread over all classes.
        options: a `LinearCrossEntropyOptions`, to go through the batch piece by piece. Derivatives of derivatives
            and `torch.func` need None.

    Returns:
        A number, or for "none" the losses (N,), () or (N, d1, ...).

    Raises:
        RuntimeError: the shapes do not fit, or `ignore_index` is given for probabilities.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.linear_cross_entropy.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn import functional as F
        >>> x, w, y = nbmodule.ones(4, 2), nbmodule.zeros(10, 2), nbmodule.tensor([1, 2, 3, 4])
        >>> F.linear_cross_entropy(x, w, y)  # ten classes, all alike: log(10)
        tensor(2.3026)
    """
    _check_sizes(input, linear_weight, linear_bias)
    classes, *more, _ = linear_weight.shape
    shape = (*input.shape[:-1], classes, *more)
    if tuple(target.shape) == shape and ignore_index is not None:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    ignored = -100 if ignore_index is None else ignore_index
    if options is not None:
        if (
            reduction in ("mean", "sum", "none")
            and label_smoothing == 0
            and target.dtype is _dtypes.int64
            and not more
        ):
            arrays = (input, linear_weight, linear_bias, target, weight)
            return _in_pieces(*arrays, reduction, ignored, options)
        bias = None if linear_bias is None else tuple(linear_bias.shape)
        warnings.warn(
            "linear_cross_entropy: ``options`` ignored; chunked path needs reduction in {'mean','sum','none'}, "
            "label_smoothing == 0, target.dtype == int64, out_features == (). Got "
            f"reduction={reduction!r}, label_smoothing={label_smoothing}, target.dtype={target.dtype}, "
            f"out_features={tuple(more)}, tracing=False, linear_bias.shape={bias}.",
            stacklevel=2,
        )
    if more:
        linear_weight = linear_weight.reshape(-1, linear_weight.shape[-1])
        linear_bias = None if linear_bias is None else linear_bias.reshape(-1)
    scores = linear(input, linear_weight, linear_bias).reshape(shape)
    return cross_entropy(
        scores, target, weight, ignore_index=ignored, reduction=reduction, label_smoothing=label_smoothing
    )  # fmt: skip


def _check_sizes(input: Tensor, weight: Tensor, bias: Tensor | None) -> None:
    if not 1 <= input.dim() <= 2:
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {input.dim()}")
    if weight.dim() < 2:
        raise RuntimeError(
            f"expected linear_weight with dimensionality at least 2, got {weight.dim()}"
        )
    features = input.shape[-1]
    if features != weight.shape[-1]:
        raise RuntimeError(
            "expected equal input and linear_weight last dimensions (in_features), got "
            f"{features} and {weight.shape[-1]}, respectively"
        )
    if bias is not None and bias.shape != weight.shape[:-1]:
        raise RuntimeError(
            f"expected linear_bias shape {tuple(weight.shape[:-1])}, got {tuple(bias.shape)}"
        )
    if weight.dim() > 2 and input.dim() == 1:
        raise RuntimeError(
            f"K-dimensional loss defined by linear_weight shape {tuple(weight.shape)} requires batched input, "
            f"(N, {features}), got unbatched input with shape {tuple(input.shape)}"
        )


# ---- piece by piece


def _in_pieces(input: Tensor, weight: Tensor, bias: Tensor | None, target: Tensor, class_weight: Tensor | None, reduction: str, ignored: int, options: Any) -> Tensor:  # fmt: skip
    single = input.dim() == 1
    if single:
        input, target = input.unsqueeze(0), target.unsqueeze(0)
    options = options._adjust(*input.shape, weight.shape[0], input.dtype, input.device)
    half = (input.dtype, options.acc_dtype) == (_dtypes.float16, _dtypes.float32)
    if options.acc_dtype is not input.dtype and not half:
        raise RuntimeError(
            "linear_cross_entropy supports float32 acc_dtype with float16/bfloat16 inputs, but got "
            f"{options.acc_dtype} acc_dtype and {input.dtype} inputs."
        )
    if input.dtype is not weight.dtype:
        input.matmul(weight.T)  # which says what does not fit
    kept = target.ne(ignored)
    classes = target.masked_fill(~kept, 0)
    if class_weight is None:
        counts = kept.to(options.acc_dtype)
    else:
        counts = class_weight.index_select(0, classes).to(options.acc_dtype) * kept
    total = counts.new_ones(())
    if reduction == "mean":
        total = counts.sum()
        total = total.masked_fill(total == 0, math.nan)
        counts = counts / total
    pieces = _Pieces(classes, counts, total * 0, options)
    if reduction == "none":
        out = _EachLoss.apply(input, weight, bias, pieces)
    else:
        out = _TotalLoss.apply(input, weight, bias, pieces, is_grad_enabled())
    return out.squeeze(0) if single and reduction == "none" else out


class _Pieces:
    """A batch that is looked at piece by piece."""

    def __init__(self, classes: Tensor, counts: Tensor, start: Tensor, options: Any) -> None:
        self.classes = classes  # (N,) of each example
        self.counts = counts  # (N,) what its loss counts
        self.start = start  # 0, or NaN if there is no mean
        self.options = options

    def scores(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Iterator[tuple[slice, Tensor]]:  # fmt: skip
        """Yield, for each piece, its rows and their log-probabilities."""
        size, dtype = self.options.batch_chunk_size, self.options.acc_dtype
        weight, bias = weight.to(dtype), None if bias is None else bias.to(dtype)
        for start in range(0, len(input), size):
            rows = slice(start, start + size)
            yield rows, linear(input[rows].to(dtype), weight, bias).log_softmax(1)

    def losses(self, logs: Tensor, rows: slice) -> Tensor:
        """Return the losses of `rows`, with what they count."""
        own = logs.gather(1, self.classes[rows].unsqueeze(1)).squeeze(1)
        return (-own * self.counts[rows]).masked_fill(self.counts[rows] == 0, 0.0)


class _Slopes:
    """The gradients for input, weight and bias, which grow piece by piece."""

    def __init__(self, wanted: tuple[bool, ...], tensors: tuple[Tensor | None, ...], dtype: Any) -> None:  # fmt: skip
        self.inputs = tensors
        self.sums = [
            t.new_zeros(t.shape, dtype=dtype) if t is not None and want else None
            for t, want in zip(tensors, wanted, strict=True)
        ]

    def add(self, rows: slice, logs: Tensor, classes: Tensor, counts: Tensor) -> None:
        """Add those of `rows`: the softmax, less 1 at the target, goes back through the linear layer."""
        d = logs.exp()
        own = classes.unsqueeze(1)
        d.scatter_(1, own, d.gather(1, own) - 1)
        d *= counts.unsqueeze(1)
        for_input, for_weight, for_bias = self.sums
        input, weight, _ = self.inputs
        if for_input is not None:
            for_input[rows] = d @ weight.to(d.dtype)  # type: ignore[union-attr]
        if for_weight is not None:
            for_weight += d.T @ input[rows].to(d.dtype)  # type: ignore[index]
        if for_bias is not None:
            for_bias += d.sum(0)

    def rounded(self) -> list[Tensor | None]:
        """Return them in the dtypes of what they are for."""
        pairs = zip(self.sums, self.inputs, strict=True)
        return [None if s is None or t is None else s.to(t.dtype) for s, t in pairs]


class _TotalLoss(Function):
    """The sum of all losses; the gradients are computed on the way, while the scores are there."""

    @staticmethod
    def forward(ctx: Any, input: Tensor, weight: Tensor, bias: Tensor | None, pieces: _Pieces, record: bool) -> Tensor:  # fmt: skip
        tensors = (input, weight, bias)
        wanted = tuple(record and t is not None and t.requires_grad for t in tensors)
        slopes = _Slopes(wanted, tensors, pieces.options.acc_dtype)
        total = pieces.start
        for rows, logs in pieces.scores(input, weight, bias):
            total = total + pieces.losses(logs, rows).sum()
            if any(wanted):
                slopes.add(rows, logs, pieces.classes[rows], pieces.counts[rows])
        ctx.slopes, ctx.again = slopes.rounded(), pieces.options.allow_retain_graph
        return total.to(input.dtype)

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        if ctx.slopes is None:
            raise RuntimeError(
                "linear_cross_entropy chunked backward called twice; retain_graph=True / double backward are not "
                "supported.\nLinearCrossEntropyOptions(allow_retain_graph=True) keeps what a second walk needs."
            )
        slopes = ctx.slopes
        if not ctx.again:
            ctx.slopes = None
        return *(None if s is None else s * grad_outputs[0] for s in slopes), None, None


class _EachLoss(Function):
    """The loss of each example; the scores are computed again for the gradients."""

    @staticmethod
    def forward(ctx: Any, input: Tensor, weight: Tensor, bias: Tensor | None, pieces: _Pieces) -> Tensor:  # fmt: skip
        ctx.save_for_backward(input, weight, bias)
        ctx.pieces = pieces
        out = input.new_empty(len(input))
        for rows, logs in pieces.scores(input, weight, bias):
            out[rows] = pieces.losses(logs, rows).to(out.dtype)
        return out

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        tensors = tuple(None if t is None else t.detach() for t in ctx.saved_tensors)
        pieces = ctx.pieces
        slopes = _Slopes(ctx.needs_input_grad[:3], tensors, pieces.options.acc_dtype)
        counts = pieces.counts * grad_outputs[0].detach()
        for rows, logs in pieces.scores(*tensors):
            slopes.add(rows, logs, pieces.classes[rows], counts[rows])
        return *slopes.rounded(), None
