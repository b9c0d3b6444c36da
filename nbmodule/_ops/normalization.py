"""Normalisation: numbers brought to mean 0 and variance 1, then scaled and shifted.

All layers of this kind are one formula, and differ in which numbers share a mean::

    y = (x - mean) / sqrt(var + eps) * weight + bias

It stands below as `formula`, on tensors. What computes it and its derivatives fast looks at an array as rows, or
as planes of channels: `normalization_rows.py`, `normalization_planes.py`.
"""

import math
from typing import NamedTuple

from .._engine import added_up, op, wide, wrap
from . import normalization_planes as planes
from . import normalization_rows as rows
from .several import several

Axes = tuple[int, ...]


class Form(NamedTuple):
    """Which numbers share a mean.

    Attributes:
        view: the shape in which the input is looked at.
        axes: of the view, over which the means are taken.
        places: the shape in which the weight and the bias are laid beside the view.
    """

    view: tuple[int, ...]
    axes: Axes
    places: tuple[int, ...]


def formula(x, weight, bias, *, form: Form, eps: float, known=None):
    """Return `x` normalised, from operations on tensors; `known` are a mean and a variance to use."""
    seen = x.float() if x.element_size() == 2 else x
    seen = seen.reshape(form.view)
    if known is None:
        around = seen - seen.mean(form.axes, True)
        var = (around * around).mean(form.axes, True)
    else:
        mean, var = (wrap(a.reshape(form.places).astype(seen._array.dtype)) for a in known)
        around = seen - mean
    y = around / (var + eps).sqrt()
    y = y if weight is None else y * weight.reshape(form.places)
    y = y if bias is None else y + bias.reshape(form.places)
    return (y.reshape(x.shape).to(x.dtype),)


def _rows_formula(x, weight, bias, *, size: int, eps: float):
    count = x.numel() // size if size else 0
    return formula(x, weight, bias, form=Form((count, size), (1,), (1, size)), eps=eps)


def _planes_formula(x, weight, bias, *, at: planes.Layout, known: planes.Moments, eps: float, fixed=False):  # fmt: skip
    n, c, k, groups = at
    if groups is None:
        form = Form((n, c, k), (0, 2), (1, c, 1))
    else:
        form = Form((n, groups, c // groups, k), (2, 3), (1, groups, c // groups, 1))
    given = (known.mean, known.var) if fixed else None
    return formula(x, weight, bias, form=form, eps=eps, known=given)


layer_norm = several(_rows_formula, added=(2,))(rows.standardised)
channel_norm = several(_planes_formula, added=(2,))(planes.standardised)


def _root_mean_square(xp, x, eps: float, axes: Axes, count: float):
    """Return `x` and one over the root of the mean of its squares."""
    seen = wide(x)
    return seen, 1 / xp.sqrt(added_up(seen * seen, axes, True) / count + eps)


@op(name="MulBackward0")
def rms_norm(xp, x, weight, *, axes: Axes, eps: float):
    """``x * r * weight``, where ``r = 1 / sqrt(mean(x**2) + eps)`` takes the place of 1 / std."""
    count = math.prod(x.shape[a] for a in axes) or math.nan  # of nothing the mean is NaN
    seen, r = _root_mean_square(xp, x, eps, axes, count)
    y = seen * r if weight is None else seen * r * wide(weight)

    def vjp(g):
        seen, r = _root_mean_square(xp, x, eps, axes, count)
        h = wide(g) if weight is None else wide(g) * wide(weight)
        along = added_up(h * seen, axes, True) / count
        return r * (h - seen * (along * (r * r)))

    def vjp_weight(g):
        seen, r = _root_mean_square(xp, x, eps, axes, count)
        return wide(g) * (seen * r)

    return y.astype(x.dtype, copy=False), vjp, vjp_weight
