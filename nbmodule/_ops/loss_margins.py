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
    lost = gaps if p == 1 else gaps * gaps
    if class_weight is not None:
        lost = xp.where(gaps > 0, lost * class_weight[target.reshape(-1)][:, None], 0)
    losses = lost.sum(1) / gaps.shape[1]
    options = {"target": target, "p": p, "margin": margin, "reduction": reduction}

    def vjp(g):
        return multi_margin_loss_backward.inside(xp, g, x, class_weight, **options)

    return _folded(xp, losses.reshape(target.shape), reduction), vjp, None


@op
def multi_margin_loss_backward(xp, g, x, class_weight, *, target, p: int, margin: float, reduction: str):  # fmt: skip
    """What comes too close is pushed down, its target up; PyTorch goes no further than this derivative."""
    flat = target.reshape(-1)
    gaps, own = _gaps(xp, x, flat, margin)
    push = (gaps > 0) if p == 1 else 2 * gaps
    g = _unfolded(g, target, reduction).reshape(-1, 1) / gaps.shape[1]
    d = push * g
    if class_weight is not None:
        d = xp.where(gaps > 0, d * class_weight[flat][:, None], 0)
    d[own] = 0 - d.sum(1)
    return d.astype(x.dtype, copy=False).reshape(x.shape), None, None, None


def _closeness(xp, x, target):
    """Return by how much other classes come too close to each target, (N, J, C), and the places of the targets.

    A row of targets ends at its first -1; J is the length of the longest.
    """
    rows, asked = _rows(x), _rows(target)
    listed = (asked < 0).cumsum(1) == 0
    longest = int(listed.sum(1).max()) if listed.size else 0
    listed, asked = listed[:, :longest], asked[:, :longest]
    place = xp.arange(len(rows))[:, None] * rows.shape[1] + asked
    other = xp.ones(rows.size, bool)
    other[place[listed]] = False
    gaps = 1 - xp.take_along_axis(rows, asked, 1)[:, :, None] + rows[:, None, :]
    apart = other.reshape(rows.shape)[:, None, :] & listed[:, :, None]
    return xp.where(apart & (gaps > 0), gaps, 0), xp.where(listed, place, 0)


@op
def multilabel_margin_loss(xp, x, *, target, reduction: str):
    """``sum(max(0, 1 - x[j] + x[i])) / C`` over the targets j and the classes i that are none."""
    gaps, _ = _closeness(xp, x, target)
    losses = gaps.sum((1, 2)) / gaps.shape[2]
    shape = target.shape[:1] if target.ndim > 1 else ()

    def vjp(g):
        return multilabel_margin_loss_backward.inside(xp, g, x, target=target, reduction=reduction)

    return _folded(xp, losses.reshape(shape), reduction), vjp


@op
def multilabel_margin_loss_backward(xp, g, x, *, target, reduction: str):
    """What comes too close to a target is pushed down, the target up; PyTorch goes no further."""
    gaps, place = _closeness(xp, x, target)
    pushed = gaps > 0
    pulled = xp.bincount(place.reshape(-1), pushed.sum(2).reshape(-1), _rows(x).size)
    share = g / len(gaps) if reduction == "mean" else g
    d = (pushed.sum(1) - pulled.reshape(-1, gaps.shape[2])) * (share.reshape(-1, 1) / gaps.shape[2])
    return d.astype(x.dtype, copy=False).reshape(x.shape), None, None


@op
def soft_margin_loss(xp, x, y, *, reduction: str):
    """``log(1 + exp(-y * x))``; as in PyTorch it is infinite where the exponential is."""
    losses = xp.log1p(xp.exp(-x * y.astype(x.dtype, copy=False)))

    def vjp(g):
        z = xp.exp(-y * x)
        return _unfolded(g, x, reduction) * (-y * z / (1 + z))

    return _folded(xp, losses, reduction), vjp, None
