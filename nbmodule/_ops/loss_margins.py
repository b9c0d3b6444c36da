"""Losses that ask for a distance between the scores of right and wrong classes."""

from .._engine import op
from .loss import _folded, _unfolded

# An example is a row: scores come as (N, C), (C,) or (), and are looked at as (N, C) everywhere.


def _rows(x):
    return x.reshape(-1, x.shape[-1] if x.ndim else 1)


def _gaps(xp, x, target, margin: float):
    """Return by how much each class comes too close to the target of its row, and the place of the targets."""
    rows = _rows(x)
    own = xp.arange(len(rows)), target
    gaps = margin - rows[own][:, None] + rows
    gaps = xp.where(gaps > 0, gaps, 0)
    gaps[own] = 0
    return gaps, own


@op
def multi_margin_loss(xp, x, class_weight, *, target, p: int, margin: float, reduction: str):
    """``sum(max(0, margin - x[target] + x[i])**p) / C`` over the classes i that are not the target."""
    gaps, _ = _gaps(xp, x, target.reshape(-1), margin)
    losses = (gaps if p == 1 else gaps * gaps).sum(1) / gaps.shape[1]
    if class_weight is not None:
        losses = losses * class_weight[target.reshape(-1)]
    options = {"target": target, "p": p, "margin": margin, "reduction": reduction}

    def vjp(g):
        return multi_margin_loss_backward.inside(xp, g, x, class_weight, **options)

    return _folded(losses.reshape(target.shape), reduction), vjp, None


@op
def multi_margin_loss_backward(xp, g, x, class_weight, *, target, p: int, margin: float, reduction: str):  # fmt: skip
    """What comes too close is pushed down, its target up; PyTorch goes no further than this derivative."""
    flat = target.reshape(-1)
    gaps, own = _gaps(xp, x, flat, margin)
    push = (gaps > 0) if p == 1 else 2 * gaps
    g = _unfolded(g, target, reduction).reshape(-1, 1) / gaps.shape[1]
    d = push * (g if class_weight is None else g * class_weight[flat][:, None])
    d[own] = 0 - d.sum(1)
    return d.astype(x.dtype, copy=False).reshape(x.shape), None, None, None


def _asked(xp, target, classes: int):
    """Return how often each class is among the targets of its row, (N, C); a row ends at the first -1."""
    rows = _rows(target)
    listed = (rows < 0).cumsum(1) == 0
    place = xp.arange(len(rows))[:, None] * classes + rows
    counts = xp.bincount(place[listed], minlength=len(rows) * classes)
    return counts.reshape(len(rows), classes)


@op
def multilabel_margin_loss(xp, x, *, target, reduction: str):
    """``sum(max(0, 1 - x[j] + x[i])) / C`` over the targets j and the classes i that are none."""
    rows = _rows(x)
    asked = _asked(xp, target, rows.shape[1])
    gaps = 1 - rows[:, :, None] + rows[:, None, :]
    apart = (asked[:, None, :] == 0) & (asked[:, :, None] > 0)
    gaps = xp.where(apart & (gaps > 0), gaps, 0) * asked[:, :, None]
    losses = gaps.astype(x.dtype, copy=False).sum((1, 2)) / rows.shape[1]
    shape = target.shape[:1] if target.ndim > 1 else ()

    def vjp(g):
        return multilabel_margin_loss_backward.inside(xp, g, x, target=target, reduction=reduction)

    return _folded(losses.reshape(shape), reduction), vjp


@op
def multilabel_margin_loss_backward(xp, g, x, *, target, reduction: str):
    """What comes too close to a target is pushed down, the target up; PyTorch goes no further."""
    rows = _rows(x)
    asked = _asked(xp, target, rows.shape[1])
    close = (1 - rows[:, :, None] + rows[:, None, :]) > 0
    pushed = (close & (asked[:, None, :] == 0)) * asked[:, :, None]
    share = g / len(rows) if reduction == "mean" else g
    d = (pushed.sum(1) - pushed.sum(2)) * (share.reshape(-1, 1) / rows.shape[1])
    return d.astype(x.dtype, copy=False).reshape(x.shape), None, None


@op
def soft_margin_loss(xp, x, y, *, reduction: str):
    """``log(1 + exp(-y * x))``; as in PyTorch it is infinite where the exponential is."""
    losses = xp.log1p(xp.exp(-x * y.astype(x.dtype, copy=False)))

    def vjp(g):
        z = xp.exp(-y * x)
        return _unfolded(g, x, reduction) * (-y * z / (1 + z))

    return _folded(losses, reduction), vjp, None
