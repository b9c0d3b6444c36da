"""Losses that are worth a rule of their own, for speed or for exactness."""

from .._engine import Recording, op
from .reduce import softmax


def _reduced(losses, reduction: str, weight):
    """Fold the losses of the rows; "mean" divides by the sum of the weights of the rows."""
    if reduction == "none":
        return losses
    return losses.sum() / weight.sum() if reduction == "mean" else losses.sum()


def _row_weights(xp, target, class_weight, ignore_index: int, dtype):
    """Return what each row counts: the weight of its class, 0 where it is ignored."""
    kept = target != ignore_index
    safe = xp.where(kept, target, 0)
    counts = kept.astype(dtype)
    return safe, counts if class_weight is None else counts * class_weight[safe]


def _row_gradient(g, weight, reduction: str):
    """Return the gradient that reaches each row's loss."""
    return g * weight / weight.sum() if reduction == "mean" else g * weight


@op
def nll_loss(xp, logp, class_weight, *, target, ignore_index: int, reduction: str):
    """logp: (N, C) or (N, C, d1, ...), target: (N,) or (N, d1, ...) class indices."""
    safe, weight = _row_weights(xp, target, class_weight, ignore_index, logp.dtype)
    rows = _class_index(xp, safe)
    out = _reduced(-logp[rows] * weight, reduction, weight)
    shape = logp.shape

    def vjp(g):
        weight = _row_weights(xp, target, class_weight, ignore_index, g.dtype)[1]
        d = xp.zeros(shape, g.dtype)
        d[rows] = -_row_gradient(g, weight, reduction)
        return d

    return out, vjp, None


@op(name="NllLossBackward0")
def cross_entropy(xp, logits, class_weight, *, target, ignore_index: int, reduction: str):
    """``nll_loss(log_softmax(logits, 1))`` in one step: the gradient is softmax minus one-hot."""
    safe, weight = _row_weights(xp, target, class_weight, ignore_index, logits.dtype)
    rows = _class_index(xp, safe)
    logp = logits - logits.max(1, keepdims=True)
    logp -= xp.log(xp.exp(logp).sum(1, keepdims=True))
    out = _reduced(-logp[rows] * weight, reduction, weight)

    def vjp(g):
        weight = _row_weights(xp, target, class_weight, ignore_index, g.dtype)[1]
        recorded = isinstance(xp, Recording)  # then the softmax once more, with its history
        d = softmax.inside(xp, logits, axis=1) if recorded else xp.exp(logp)
        d[rows] -= 1
        d *= xp.expand_dims(_row_gradient(g, weight, reduction), 1)
        return d

    return out, vjp, None


def _class_index(xp, target):
    """Return the index that picks ``x[n, target[n, ...], ...]`` for every row."""
    if target.ndim == 1:
        return xp.arange(target.shape[0]), target
    grid = xp.indices(target.shape, sparse=True)
    return (grid[0], target, *grid[1:])
