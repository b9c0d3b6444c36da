"""Windows as columns, and back: the two halves of a convolution that lie around its matrix product."""

import math
from itertools import product

from .._engine import op
from .sliding import Size, framed, inner, output_size, tap


@op(name="Im2ColBackward0")
def im2col(xp, x, *, kernel: Size, stride: Size, padding: Size, dilation: Size):
    """x: (..., C, *size) -> (..., C * kernel, windows): a column holds what one window sees."""
    axes = len(kernel)
    lead, size = x.shape[:-axes], x.shape[-axes:]
    seen = framed(xp, x, padding)
    out = output_size(seen.shape[-axes:], kernel, stride, dilation)
    y = xp.empty((*lead, *kernel, *out), x.dtype)
    for at, columns in _positions(kernel):
        y[columns] = seen[tap(at, out, stride, dilation)]
    shape = (*lead[:-1], lead[-1] * math.prod(kernel), math.prod(out))
    where = {"kernel": kernel, "stride": stride, "padding": padding, "dilation": dilation}
    return y.reshape(shape), lambda g: col2im.inside(xp, g, size=size, **where)


@op(name="Col2ImBackward0")
def col2im(xp, x, *, size: Size, kernel: Size, stride: Size, padding: Size, dilation: Size):
    """x: (..., C * kernel, windows) -> (..., C, *size): the sum of what all windows hold at each place."""
    room = tuple(n + 2 * p for n, p in zip(size, padding, strict=True))
    out = output_size(room, kernel, stride, dilation)
    lead = (*x.shape[:-2], x.shape[-2] // math.prod(kernel))
    windows = x.reshape(*lead, *kernel, *out)
    y = xp.zeros((*lead, *room), x.dtype)
    for at, columns in _positions(kernel):
        y[tap(at, out, stride, dilation)] += windows[columns]
    where = {"kernel": kernel, "stride": stride, "padding": padding, "dilation": dilation}
    whole = xp.ascontiguousarray(y[inner(padding, size)])
    return whole, lambda g: im2col.inside(xp, g, **where)


def _positions(kernel: Size):
    """Yield the positions of a kernel, and where (..., *kernel, *out) holds what each of them sees."""
    for at in product(*map(range, kernel)):
        yield at, (..., *at, *(slice(None) for _ in kernel))
