"""Losses that are worth a rule of their own, for speed or for exactness."""

from .._backend import at_hand
from .._dtypes import of_numpy
from .._engine import Recording, added_up, op, wide
from .elementwise import sigmoid
from .reduce import softmax


def _reduced(xp, losses, reduction: str, weight):
    """Return the losses of the rows, their sum or their mean; "mean" divides by the sum of the weights of the rows."""
    if losses.dtype.itemsize == 2:  # the sum may be too large for float16, and so may the count
        return _reduced(xp, wide(losses), reduction, weight).astype(losses.dtype)
    if reduction == "none":
        return losses
    if reduction == "sum":
        return xp.add.reduce(losses, None)
    count = losses.dtype.type(losses.size) if weight is None else wide(weight).sum()
    return xp.add.reduce(losses, None) / count


def _row_weights(xp, target, class_weight, ignore_index: int | None, dtype):
    """Return the classes, and the weight of each row: that of its class, 0 where it is ignored.

    None stands for weights that are all 1: no row is ignored, and no class has a weight of its own.
    """
    if ignore_index is None:
        return target, None if class_weight is None else class_weight[target]
    kept = target != ignore_index
    safe = xp.where(kept, target, 0)
    counts = kept.astype(dtype)
    return safe, counts if class_weight is None else xp.where(kept, class_weight[safe], counts)


def _row_gradient(xp, g, weight, target, reduction: str):
    """Return the gradient that reaches each row's loss; 0 where no row counts."""
    if weight is None:
        return wide(g) / target.size if reduction == "mean" and target.size else g
    if reduction != "mean":
        return g * weight
    total = wide(weight).sum()
    return g * weight / xp.where(total == 0, 1, total)


@op
def nll_loss(xp, logp, class_weight=None, *, target, ignore_index: int | None, reduction: str):
    """logp: (N, C) or (N, C, d1, ...), target: (N,) or (N, d1, ...) class indices.

    `ignore_index` is None if no row is ignored.
    """
    safe, weight = _row_weights(xp, target, class_weight, ignore_index, logp.dtype)
    rows = _class_index(xp, safe)
    losses = -logp[rows]
    if weight is not None:
        losses = _counted(xp, losses, weight, target, ignore_index)
    shape = logp.shape

    def vjp(g):
        weight = _row_weights(xp, target, class_weight, ignore_index, g.dtype)[1]
        d = xp.zeros(shape, g.dtype)
        d[rows] = 0 - _row_gradient(xp, g, weight, target, reduction)
        return _beside.inside(xp, d, logp) if isinstance(xp, Recording) else d

    return _reduced(xp, losses, reduction, weight), vjp, None


@op(name="NllLossBackwardBackward0")
def _beside(xp, g, x):
    """`g` as it is: it does not depend on `x`, but has a derivative for it, 0, as every slope has in PyTorch."""
    return g + 0, lambda h: h, lambda h: xp.zeros_like(h)


def _counted(xp, losses, weight, target, ignore_index: int | None):
    """Return weighted `losses`; one that is ignored is 0, even if it was infinite."""
    if ignore_index is None:
        return losses * weight
    return xp.where(target == ignore_index, 0, losses * weight)


def _exponentials(xp, x):
    """Return `x` shifted so that no exponential overflows, the exponentials, and their sums over the classes.

    The largest number of all is quicker to find than that of each row, and does as well unless a row is far below it. On
    a GPU each row has its own: to ask which case it is would mean to wait for the answer.
    """
    if x.size and at_hand(x):
        shifted = x - x.item(x.argmax())
        likely = xp.exp(shifted)
        if x.ndim == 2:  # a product with ones is the fastest sum
            ones = xp.empty(x.shape[1], x.dtype)
            ones.fill(1)
            total = likely.dot(ones)
        else:
            total = added_up(likely, 1)
        if total.item(total.argmin()) > 1e-6:  # no row has lost its digits to underflow
            return shifted, likely, total
    shifted = x - x.max(1, keepdims=True)
    likely = xp.exp(shifted)
    return shifted, likely, added_up(likely, 1)


@op(name="NllLossBackward0")
def cross_entropy(
    xp, logits, class_weight=None, *, target, ignore_index: int | None, reduction: str
):
    """``nll_loss(log_softmax(logits, 1))`` in one step: the gradient is softmax minus one-hot."""
    safe, weight = _row_weights(xp, target, class_weight, ignore_index, logits.dtype)
    rows = _class_index(xp, safe)
    shifted, likely, total = _exponentials(xp, wide(logits))
    losses = xp.log(total) - shifted[rows]
    if weight is not None:
        losses = _counted(xp, losses, weight, target, ignore_index)

    def vjp(g, logits=logits):  # a default: only a recorded walk reads it (rule 6)
        weight = _row_weights(xp, target, class_weight, ignore_index, g.dtype)[1]
        g = _row_gradient(xp, g, weight, target, reduction)
        each = xp.expand_dims(g, 1) if g.ndim else g
        if isinstance(xp, Recording):  # the softmax once more, with its history
            d = softmax.inside(xp, logits, axis=1) * each
        else:
            d = likely * (g / total)[:, None]
        d[rows] -= g
        if weight is not None:
            d[rows] += 0  # an ignored row gets 0, not -0
        return d

    y = _reduced(xp, losses, reduction, weight)
    return y.astype(logits.dtype) if logits.dtype.itemsize == 2 else y, vjp, None


def _class_index(xp, target):
    """Return the index that picks ``x[n, target[n, ...], ...]`` for every row."""
    if target.ndim == 1:
        return xp.arange(target.shape[0]), target
    grid = xp.indices(target.shape, sparse=True)
    return (grid[0], target, *grid[1:])


# ---- losses of numbers: input and target have one shape


def _folded(xp, losses, reduction: str):
    """Return the losses of the elements, their mean or their sum."""
    if reduction == "none":
        return losses
    each = wide(losses)
    total = xp.add.reduce(each, None)
    if reduction == "mean":
        total = total / each.dtype.type(losses.size)
    return total.astype(losses.dtype, copy=False)


def _unfolded(g, like, reduction: str):
    """Return the gradient that reaches the loss of each element of `like`."""
    return wide(g) / like.size if reduction == "mean" and like.size else g


def _squared_slope(g, x, y, reduction: str):
    return _unfolded(g, x, reduction) * (2 * (x - y))


@op(promote=True)
def mse_loss(xp, x, y, *, reduction: str):
    """``(x - y)**2``."""
    d = x - y
    return (
        _folded(xp, d * d, reduction),
        lambda g: _squared_slope(g, x, y, reduction),
        lambda g: -_squared_slope(g, x, y, reduction),
    )


def _huber(xp, x, y, delta: float):
    """Return ``d**2 / 2`` where ``d = |x - y|`` is below `delta`, ``delta * (d - delta / 2)`` beyond."""
    d = x - y
    d = xp.abs(d, out=d) if d.ndim else abs(d)
    near = xp.minimum(d, delta)
    d -= 0.5 * near
    d *= near
    return d


def _huber_slope(xp, g, x, y, delta: float):
    """The slope of the squared error, which stays at `delta` from there on."""
    d, recorded = x - y, isinstance(xp, Recording)
    if recorded:  # its own slope at `delta` is 0
        return g * xp.where(xp.abs(d) >= delta, _side(x, y).astype(d.dtype) * delta, d)
    d = xp.maximum(xp.minimum(d, delta), -delta)
    d *= g
    return d


def _check_alike(expected, found):
    """Raise PyTorch's error for a derivative that it does not compute of mixed types."""
    if expected.dtype != found.dtype:
        names = [of_numpy[t.dtype].scalar_name for t in (found, expected)]
        raise RuntimeError("Found dtype {} but expected {}".format(*names))


@op
def huber_loss(xp, x, y, *, reduction: str, delta: float):
    """``d**2 / 2`` where ``d = |x - y|`` is below `delta`, ``delta * (d - delta / 2)`` beyond."""

    def vjp(g):
        _check_alike(x, y)
        return _huber_slope(xp, _unfolded(g, x, reduction), x, y, delta)

    def vjp_target(g):
        _check_alike(y, x)
        return _huber_slope(xp, _unfolded(-g, x, reduction), x, y, delta)

    losses = _huber(xp, x, y.astype(x.dtype, copy=False), delta)
    return _folded(xp, losses, reduction), vjp, vjp_target


@op(name="SmoothL1LossBackward0", promote=True)
def smooth_l1_loss(xp, x, y, *, reduction: str, beta: float):
    """``d**2 / (2 * beta)`` where ``d = |x - y|`` is below `beta`, ``d - beta / 2`` beyond."""
    losses = _huber(xp, x, y, beta)
    losses /= beta
    return (
        _folded(xp, losses, reduction),
        lambda g: _huber_slope(xp, _unfolded(g / beta, x, reduction), x, y, beta),
        lambda g: _huber_slope(xp, _unfolded(-g / beta, x, reduction), x, y, beta),
    )


def _side(x, y):
    """Return 1 where `x` is the larger, -1 where `y` is, else 0; also for NaN."""
    return (x > y).astype("int8") - (x < y).astype("int8")


@op
def l1_loss(xp, x, y, *, reduction: str):
    """``|x - y|``."""
    d, side = x - y, _side(x, y)
    return (
        _folded(xp, xp.abs(d, out=d) if d.ndim else abs(d), reduction),
        lambda g, x=x, y=y: _by_side.inside(xp, _unfolded(g, side, reduction), x, y, side=side),
        lambda g, x=x, y=y: _by_side.inside(xp, _unfolded(-g, side, reduction), x, y, side=side),
    )


@op(name="MulBackward0")
def _by_side(xp, g, x, y, *, side):
    """`g`, where `y` is the larger with the other sign; `x` and `y` have the gradient 0."""

    def again(h):
        return h * side

    return again(g), again, lambda h: xp.zeros_like(x), lambda h: xp.zeros_like(x)


@op
def binary_cross_entropy(xp, x, y, weight, *, reduction: str):
    """``-y * log(x) - (1 - y) * log(1 - x)``, with logarithms that do not go below -100."""
    losses = (y - 1) * xp.maximum(xp.log1p(-x), -100) - y * xp.maximum(xp.log(x), -100)

    def vjp(g):
        d = _unfolded(_weighted(g, weight), x, reduction) * (x - y)
        return d / xp.maximum((1 - x) * x, 1e-12)

    def vjp_target(g):
        return _unfolded(_weighted(g, weight), x, reduction) * (xp.log1p(-x) - xp.log(x))

    return _folded(xp, _weighted(losses, weight), reduction), vjp, vjp_target, None


def _weighted(losses, weight):
    return losses if weight is None else losses * weight


@op(name="BinaryCrossEntropyWithLogitsBackward0")
def binary_cross_entropy_with_logits(xp, x, y, weight, pos_weight, *, reduction: str):
    """`binary_cross_entropy` of ``sigmoid(x)``; `pos_weight` scales what is lost where y is 1.

    ``log(sigmoid(x))`` is computed as ``min(x, 0) - log1p(exp(-|x|))``, which does not overflow.
    """
    if pos_weight is None:
        losses = (1 - y) * x - _log_sigmoid(xp, x)
    else:
        losses = (1 - y) * x - (1 + (pos_weight - 1) * y) * _log_sigmoid(xp, x)
    losses = _weighted(losses, weight).astype(y.dtype, copy=False)  # PyTorch computes in place

    def vjp(g):
        d = sigmoid.inside(xp, x)
        d = d - y if pos_weight is None else (1 + (pos_weight - 1) * y) * d - pos_weight * y
        return _unfolded(_weighted(g, weight), x, reduction) * d

    def vjp_target(g):
        if pos_weight is None:
            return _unfolded(_weighted(g, weight), x, reduction) * -x
        d = _log_sigmoid(xp, -x) - pos_weight * _log_sigmoid(xp, x)
        return _unfolded(_weighted(g, weight), x, reduction) * d

    return _folded(xp, losses, reduction), vjp, vjp_target, None, None


def _log_sigmoid(xp, x):
    return xp.minimum(x, 0) - xp.log1p(xp.exp(-xp.abs(x)))
