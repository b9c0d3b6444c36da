"""Attention: a mean of values, weighted by how well their keys fit a query.

With q: (..., L, E), k: (..., S, E) and v: (..., S, F), the same leading sizes everywhere::

    p = softmax(scale * q @ k.T + bias),    y = p @ v
    dp = dy @ v.T,    ds = p * (dp - sum(dp * p)),    dq = scale * ds @ k,    dk = scale * ds.T @ q,    dv = p.T @ dy

and dbias is ds, summed over what the bias was broadcast along. Dropout multiplies p with a factor, 0 or
1 / (1 - probability), before the values are weighted.
"""

from .._engine import in_parts, products
from .several import several

SOFTMAX = 5
"""About how many steps the weight of one key takes: its exponential, and what is computed with it."""


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
    late = late and keep is None
    shape = None if bias is None else bias.shape
    p = xp.empty((*q.shape[:-1], k.shape[-2]), q.dtype)
    dropped = p if keep is None else xp.empty(p.shape, p.dtype)
    y = xp.empty((*q.shape[:-1], v.shape[-1]), q.dtype)
    steps = products(q.size + y.size, k.shape[-2]) + SOFTMAX * p.size

    def forward(n):
        total = _exponentials(xp, _scores(xp, p[n], q[n], k[n], _of(bias, n, p)), safe)
        if late:
            xp.matmul(p[n], v[n], out=y[n])
            y[n] /= total
        p[n] /= total
        if keep is not None:
            xp.multiply(p[n], _of(keep, n, p), out=dropped[n])
        if not late:
            xp.matmul(dropped[n], v[n], out=y[n])

    _by_entries(xp, forward, q, steps)

    def backward(grads, wanted):
        gy, gp = grads
        ds = xp.empty(p.shape, p.dtype)
        dq, dk, dv = (
            xp.empty(a.shape, a.dtype) if w else None
            for a, w in zip((q, k, v), wanted, strict=False)
        )

        def back(n):
            d = ds[n]
            if gy is None:
                d[...] = 0
            else:
                xp.matmul(gy[n], v[n].swapaxes(-1, -2), out=d)
            if gp is not None:
                d += gp[n]
            if keep is not None:
                d *= _of(keep, n, p)
            d -= xp.einsum("...i,...i->...", d, p[n])[..., None]
            d *= p[n]
            if dv is not None:
                dv[n] = 0 if gy is None else dropped[n].swapaxes(-1, -2) @ gy[n]
            if dk is not None:
                xp.matmul(d.swapaxes(-1, -2), q[n], out=dk[n])
            if dq is not None:
                xp.multiply(d @ k[n], scale, out=dq[n])

        _by_entries(xp, back, q, 2 * steps)
        return dq, dk, dv, _summed_to(ds, shape) if wanted[3] else None, None

    return (y, dropped), backward


def _by_entries(xp, work, q, steps: float) -> None:
    """Call ``work(n)`` for all entries of the batch `q`, some of them on each core."""
    if q.ndim < 3:
        work(slice(None))
    else:
        in_parts(xp, work, len(q), steps)


def _of(a, n: slice, like):
    """Return the entries `n` of the array `a`, which is broadcast to the shape of `like`."""
    return a if a is None or a.ndim < like.ndim or len(a) == 1 else a[n]


def _scores(xp, s, q, k, bias):
    """Write the scores into `s`, and return it."""
    xp.matmul(q, k.swapaxes(-1, -2), out=s)
    if bias is not None:
        s += bias
    return s


def _exponentials(xp, s, safe: bool):
    """Turn the scores `s` into weights, and return what they sum to along the last axis."""
    if not s.shape[-1]:
        return xp.ones((*s.shape[:-1], 1), s.dtype)
    top = s.max(-1, keepdims=True)
    if safe:
        top = xp.where(top == -float("inf"), 0, top)
    s -= top
    xp.exp(s, out=s)
    total = s.sum(-1, keepdims=True)
    if safe:
        total += total == 0
    return total


def _summed_to(d, shape):
    """Sum `d` over the axes along which an array of `shape` was broadcast to it."""
    d = d.sum(tuple(range(d.ndim - len(shape))))
    stretched = tuple(i for i, n in enumerate(shape) if n == 1 != d.shape[i])
    return d.sum(stretched, keepdims=True)
