"""Operations that move elements without changing them: views, indexing, joining, padding."""

from .._engine import added_up, op
from .scatter import along
from .sliding import laid_out


@op(name="ViewBackward0")
def reshape(xp, x, *, shape):
    old = x.shape
    return x.reshape(shape), lambda g: g.reshape(old)


@op
def permute(xp, x, *, dims):
    return x.transpose(dims), lambda g: g.transpose(_back(dims))


def _back(dims):
    """Return the order that undoes `dims`."""
    return sorted(range(len(dims)), key=dims.__getitem__)


@op
def transpose(xp, x, *, dim0: int, dim1: int):
    return x.swapaxes(dim0, dim1), lambda g: g.swapaxes(dim0, dim1)


@op
def expand(xp, x, *, shape):
    """A read-only view that repeats axes of length 1. The engine sums the gradient back."""
    return xp.broadcast_to(x, shape), lambda g: g


@op(name="SelectBackward0")
def index(xp, x, *, key):
    """``x[key]``. Elements that `key` picks twice get both gradients."""
    shape = x.shape
    return x[key], lambda g: put_add.inside(xp, g, key=key, shape=shape)


@op(name="IndexPutBackward0")
def put_add(xp, g, *, key, shape):
    """Zeros of shape `shape`, to which `g` is added at `key`."""
    d = xp.zeros(shape, "f4" if g.dtype.char == "e" else g.dtype)  # many may meet at one place
    parts = key if isinstance(key, tuple) else (key,)
    if any(hasattr(k, "dtype") and k.dtype.kind != "b" for k in parts):  # may name an element twice
        xp.add.at(d, key, g)
    else:
        d[key] = g
    return d.astype(g.dtype, copy=False), lambda h: h[key]


@op(name="IndexPutBackward0")
def put(xp, x, value, *, key):
    """A copy of `x` with `value` at `key`."""
    y = x.copy()
    y[key] = value
    picked = y[key].shape

    def vjp(g):
        d = g.copy()
        d[key] = 0
        return d

    def vjp_value(g):
        d = g[key]
        return d.reshape(picked) if d.shape == picked else d

    return y, vjp, vjp_value


@op
def gather(xp, x, *, axis: int, index):
    """``out[i][j] = x[index[i][j]][j]`` for axis 0, and so on."""
    where, shape = along(xp, axis, index), x.shape

    return x[where], lambda g: put_add.inside(xp, g, key=where, shape=shape)


@op
def cat(xp, *tensors, axis: int):
    vjps, start = [], 0
    for x in tensors:
        part = (slice(None),) * axis + (slice(start, start + x.shape[axis]),)
        vjps.append(lambda g, part=part: g[part])
        start += x.shape[axis]
    y = xp.concatenate(tensors, axis)
    if any(x.flags.c_contiguous for x in tensors):  # nearly always
        return xp.ascontiguousarray(y), *vjps
    return laid_out(xp, y, *tensors), *vjps


@op
def stack(xp, *tensors, axis: int):
    place = axis % (tensors[0].ndim + 1)

    def part(i):
        at = (slice(None),) * place + (i,)
        return lambda g: g[at]

    return xp.stack(tensors, axis), *map(part, range(len(tensors)))


@op
def repeat(xp, x, *, times):
    """`x` laid side by side, ``times[i]`` times along axis i; `times` may have more axes at the front."""
    own = x.shape
    shape = (1,) * (len(times) - len(own)) + own
    parts = tuple(k for m, n in zip(times, shape, strict=True) for k in (m, n))
    y = xp.broadcast_to(x.reshape([k for n in shape for k in (1, n)]), parts).copy()
    return (
        y.reshape([m * n for m, n in zip(times, shape, strict=True)]),
        lambda g: added_up(g.reshape(parts), tuple(range(0, len(parts), 2))).reshape(own),
    )


@op
def flip(xp, x, *, axes):
    return xp.flip(x, axes), lambda g: xp.flip(g, axes)


@op(name="ConstantPadNdBackward0")
def pad(xp, x, *, widths, value=0.0):
    """`widths` holds (before, after) for every axis; a negative one crops."""
    grown = [(max(a, 0), max(b, 0)) for a, b in widths]
    crop = tuple(
        slice(max(-a, 0), n - max(-b, 0)) for (a, b), n in zip(widths, x.shape, strict=True)
    )
    inner = tuple(slice(a, a + n) for (a, _), n in zip(grown, x[crop].shape, strict=True))
    shape = x.shape
    y = xp.full([n + a + b for (a, b), n in zip(grown, x[crop].shape, strict=True)], value, x.dtype)
    y[inner] = x[crop]

    def vjp(g):
        d = xp.zeros(shape, g.dtype)
        d[crop] = g[inner]
        return d

    return laid_out(xp, y, x), vjp


@op(name="NativeChannelShuffleBackward0")
def native_channel_shuffle(xp, x):
    """Return a copy of `x`, whose channels were shuffled; PyTorch knows no way back."""
    return x.copy("K"), None


@op
def masked(xp, x, *, mask):
    """`x` where `mask` is True, else 0."""
    return xp.where(mask, x, 0).astype(x.dtype, copy=False), lambda g: xp.where(mask, g, 0)
