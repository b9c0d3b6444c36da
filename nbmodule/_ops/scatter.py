"""Operations that write values to places that are given by numbers."""

from .._engine import op, wide


def along(xp, axis: int, index) -> tuple:
    """Return the key that reads ``index[i][j]`` along `axis`, and all else in place."""
    rank = index.ndim
    key = [xp.arange(n).reshape((n,) + (1,) * (rank - i - 1)) for i, n in enumerate(index.shape)]
    key[axis] = index
    return tuple(key)


@op(name="IndexAddBackward0")
def accumulate(xp, x, value, *, key):
    """A copy of `x` with `value` added at `key`; a place that is named twice gets both."""
    y = wide(x) if x.dtype.char == "e" else x.copy()  # many may meet at one place
    xp.add.at(y, key, value)
    return y.astype(x.dtype, copy=False), lambda g: g, lambda g: g[key]


@op(name="ScatterReduceBackward0")
def multiply_into(xp, x, value, *, key):
    """A copy of `x` with the places at `key` multiplied by `value`."""
    y = x.copy()
    xp.multiply.at(y, key, value)

    def vjp(g):
        others = multiply_into.inside(xp, xp.where(x == 0, 1, x), value, key=key)  # type: ignore[attr-defined]
        return g * others / xp.where(x == 0, 1, x)

    def vjp_value(g):
        zero = value == 0
        count = xp.zeros(x.shape, "i8")
        xp.add.at(count, key, zero)
        only = zero & (count[key] == 1)
        filled = xp.where(only, 1, value)
        without = multiply_into.inside(xp, x, filled, key=key)  # type: ignore[attr-defined]
        whole = multiply_into.inside(xp, x, value, key=key)  # type: ignore[attr-defined]
        return xp.where(only, (g * without)[key], (g * whole)[key] / xp.where(zero, 1, value))

    return y, vjp, vjp_value


def _extreme_into(xp, x, value, key, choose):
    """Elements that tie share the gradient equally."""
    y = x.copy()
    choose.at(y, key, value)
    own = (x == y) | ((x != x) & (y != y))
    found = y[key]
    others = (value == found) | ((value != value) & (found != found))
    winners = own.astype("i8")
    xp.add.at(winners, key, others)
    winners = xp.where(winners == 0, 1, winners)
    return (
        y,
        lambda g: xp.where(own, g / winners, 0),
        lambda g: xp.where(others, (g / winners)[key], 0),
    )


@op(name="ScatterReduceBackward0")
def largest_into(xp, x, value, *, key):
    """A copy of `x` with the larger of it and `value` at `key`."""
    return _extreme_into(xp, x, value, key, xp.maximum)


@op(name="ScatterReduceBackward0")
def smallest_into(xp, x, value, *, key):
    """A copy of `x` with the smaller of it and `value` at `key`."""
    return _extreme_into(xp, x, value, key, xp.minimum)
