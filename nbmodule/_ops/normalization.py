"""Normalisation: numbers brought to mean 0 and variance 1, then scaled and shifted.

All layers of this kind are one formula, and differ in which numbers share a mean. Each says so with a `Form`.
With the normalised ``z = (x - mean) * rstd``, where ``rstd = 1 / sqrt(var + eps)``::

    y = z * weight + bias,    dx = rstd * (h - mean(h) - z * mean(h * z))    where h = dy * weight
"""

from typing import NamedTuple

from .._engine import Recording, op
from . import normalization_blocks as blocks

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


def _wide(x):
    """Return `x` in a type that has enough digits to add up in: float16 has not."""
    return x.astype("f4") if x.dtype.itemsize == 2 else x


def _count(form: Form) -> int:
    n = 1
    for a in form.axes:
        n *= form.view[a]
    return n


def moments(xp, x, form: Form):
    """Return the means and the variances (of division by n) of `x`, with length 1 along the axes of the form.

    They have more digits than float32, which would lose those of the variance where the mean is large.
    """
    if blocks.worth(xp, x, form):
        return blocks.moments(_wide(x), form)
    seen, n = _wide(x).reshape(form.view), _count(form)
    if not n:
        mean = _nothing(xp, form)
        return mean, mean
    mean = seen.sum(form.axes, dtype="f8", keepdims=True) / n
    around = seen - mean
    return mean, (around * around).sum(form.axes, keepdims=True) / n


def _nothing(xp, form: Form):
    """Return the means of no numbers at all."""
    shape = [1 if a in form.axes else n for a, n in enumerate(form.view)]
    return xp.full(shape, float("nan"))


def scale(xp, var, eps: float, like):
    """Return ``1 / sqrt(var + eps)``, in the type in which numbers like those of `like` are computed with."""
    return (1 / xp.sqrt(var + eps)).astype("f4" if like.dtype.itemsize == 2 else like.dtype)


def _normalised(xp, x, form: Form, known, eps: float, fixed: bool):
    """Return z and rstd. In a recorded walk they are computed anew, so that they have a history."""
    seen = _wide(x).reshape(form.view)
    mean, rstd = known
    if fixed or not isinstance(xp, Recording):
        return ((seen - mean) * rstd).astype(seen.dtype, copy=False), rstd
    around = seen - seen.mean(form.axes, keepdims=True)
    rstd = 1 / xp.sqrt((around * around).mean(form.axes, keepdims=True) + eps)
    return around * rstd, rstd


def _laid_beside(weight, form: Form):
    return _wide(weight).reshape(form.places)


def _along(d, form: Form, shape):
    """Sum `d`, in the view, over all axes along which the weight is repeated."""
    repeated = tuple(a for a, n in enumerate(form.places) if n == 1)
    return d.sum(repeated, keepdims=True).reshape(shape)


def _standardised(xp, x, weight, bias, *, form: Form, known, eps: float, fixed: bool = False):
    """Return ``(x - mean) * rstd * weight + bias`` and its vjps.

    `known` holds the mean and rstd; they are those of `x`, or `fixed`: then they do not depend on it.
    """
    shape = x.shape
    fast = blocks.worth(xp, x, form)
    if fast:
        y, shared = blocks.applied(x, weight, bias, form, known)
    else:
        y = _normalised(xp, x, form, known, eps, fixed)[0]
        y = y if weight is None else y * _laid_beside(weight, form)
        y = y if bias is None else y + _laid_beside(bias, form)
        y = y.reshape(shape).astype(x.dtype, copy=False)

    def vjp(g):
        z, rstd = _normalised(xp, x, form, known, eps, fixed)
        h = _wide(g).reshape(form.view)
        h = h if weight is None else h * _laid_beside(weight, form)
        if not fixed:
            h = h - h.mean(form.axes, keepdims=True) - z * (h * z).mean(form.axes, keepdims=True)
        return (rstd * h).reshape(shape)

    def vjp_weight(g):
        z = _normalised(xp, x, form, known, eps, fixed)[0]
        return _along(_wide(g).reshape(form.view) * z, form, weight.shape)

    def vjp_bias(g):
        return _along(_wide(g).reshape(form.view), form, bias.shape)

    return y, vjp, vjp_weight, vjp_bias


@op(name="NativeLayerNormBackward0")
def layer_norm(xp, x, weight, bias, **options):
    """`_standardised`, for means over the last axes."""
    return _standardised(xp, x, weight, bias, **options)


@op(name="NativeGroupNormBackward0")
def group_norm(xp, x, weight, bias, **options):
    """`_standardised`, for means over groups of channels of one sample."""
    return _standardised(xp, x, weight, bias, **options)


@op(name="NativeBatchNormBackward0")
def batch_norm(xp, x, weight, bias, **options):
    """`_standardised`, for means over all samples."""
    return _standardised(xp, x, weight, bias, **options)


def _root_mean_square(xp, x, eps: float, axes: Axes):
    """Return `x` and one over the root of the mean of its squares."""
    seen = _wide(x)
    return seen, 1 / xp.sqrt((seen * seen).mean(axes, keepdims=True) + eps)


@op(name="MulBackward0")
def rms_norm(xp, x, weight, *, axes: Axes, eps: float):
    """``x * r * weight``, where ``r = 1 / sqrt(mean(x**2) + eps)`` takes the place of 1 / std."""
    seen, r = _root_mean_square(xp, x, eps, axes)
    y = seen * r if weight is None else seen * r * _wide(weight)

    def vjp(g):
        seen, r = _root_mean_square(xp, x, eps, axes)
        h = _wide(g) if weight is None else _wide(g) * _wide(weight)
        return r * (h - seen * ((h * seen).mean(axes, keepdims=True) * (r * r)))

    def vjp_weight(g):
        seen, r = _root_mean_square(xp, x, eps, axes)
        return _wide(g) * (seen * r)

    return y.astype(x.dtype, copy=False), vjp, vjp_weight
