"""Attention: a mean of values, weighted by how well their keys fit a query.

With q: (..., L, E), k: (..., S, E) and v: (..., S, F), the same leading sizes everywhere::

    p = softmax(scale * q @ k.T + bias),    y = p @ v
    dp = dy @ v.T,    ds = p * (dp - sum(dp * p)),    dq = scale * ds @ k,    dk = scale * ds.T @ q,    dv = p.T @ dy

and dbias is ds, summed over what the bias was broadcast along. Dropout multiplies p with a factor, 0 or
1 / (1 - probability), before the values are weighted.
"""

from .several import several


def masked_softmax(scores, safe: bool):
    """Return ``softmax(scores)`` along the last dimension; with `safe`, 0 where all scores are minus infinity."""
    if not safe:
        return scores.softmax(-1)
    blind = scores.eq(-float("inf")).all(-1, keepdim=True)
    # filled before the softmax as well: NaN has no gradient
    return scores.masked_fill(blind, 0).softmax(-1).masked_fill(blind, 0)


def _composed(q, k, v, bias, keep, *, scale: float, safe: bool, late: bool = False):
    scores = (q * scale).matmul(k.mT)
    p = masked_softmax(scores if bias is None else scores + bias, safe)
    p = p if keep is None else p * keep
    return p.matmul(v), p


@several(formula=_composed, reads={1: (0,), 2: (0, 1, 3)})
def attention(xp, q, k, v, bias, keep, *, scale: float, safe: bool, late: bool = False):
    """Returns y and the weights p.

    bias: added to the scores, broadcast to (..., L, S), or None. keep: the factors of dropout, or None.
    A query with nothing but minus infinities has no weights: 0 if `safe`, else NaN. `late` divides by the
    sum of the weights after the values are added up, as PyTorch's flash kernel: means of whole numbers stay exact.
    """
    q = q * scale
    p, total = _exponentials(xp, _scores(q, k, bias), safe)
    late = late and keep is None
    shape = None if bias is None else bias.shape
    y = (p @ v) / total if late else None
    p /= total
    dropped = p if keep is None else p * keep
    y = y if late else dropped @ v

    def backward(grads, wanted):
        gy, gp = grads
        dp = xp.zeros(p.shape, p.dtype) if gy is None else gy @ v.swapaxes(-1, -2)
        dv = dropped.swapaxes(-1, -2) @ gy if wanted[2] and gy is not None else None
        dp = dp if gp is None else dp + gp
        ds = dp if keep is None else xp.multiply(dp, keep, out=dp)
        ds -= xp.einsum("...i,...i->...", ds, p)[..., None]
        ds *= p
        dbias = _summed_to(ds, shape) if wanted[3] else None
        dk = ds.swapaxes(-1, -2) @ q if wanted[1] else None
        dq = (ds @ k) * scale if wanted[0] else None
        return dq, dk, xp.zeros_like(v) if wanted[2] and dv is None else dv, dbias, None

    return (y, dropped), backward


def _scores(q, k, bias):
    s = q @ k.swapaxes(-1, -2)
    if bias is not None:
        s += bias
    return s


def _exponentials(xp, s, safe: bool):
    """Turn the scores `s` into weights, and return them and what they sum to along the last axis."""
    if not s.shape[-1]:
        return s, xp.ones((*s.shape[:-1], 1), s.dtype)
    top = s.max(-1, keepdims=True)
    if safe:
        top = xp.where(top == -float("inf"), 0, top)
    s -= top
    xp.exp(s, out=s)
    total = s.sum(-1, keepdims=True)
    if safe:
        total += total == 0
    return s, total


def _summed_to(d, shape):
    """Sum `d` over the axes along which an array of `shape` was broadcast to it."""
    d = d.sum(tuple(range(d.ndim - len(shape))))
    stretched = tuple(i for i, n in enumerate(shape) if n == 1 != d.shape[i])
    return d.sum(stretched, keepdims=True)
