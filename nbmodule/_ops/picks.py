"""Operations that keep some elements and drop others, or move all of them around."""

from .._engine import op


@op(name="MedianBackward0")
def share(xp, x, *, value):
    """The number `value`, which is an element of `x`; all that equal it share the gradient."""
    chosen = (x == value) | ((x != x) & (value != value))
    count = int(chosen.sum())

    def vjp(g):
        return xp.where(chosen, g / count, 0) if count else xp.zeros_like(x)

    return xp.full((), value, x.dtype), vjp


@op
def stand_in(xp, x, *, value, name: str):
    """`value`, which came from `x` in a way that has no derivative; `name` is what PyTorch calls it."""

    def vjp(g):
        raise NotImplementedError(f"the derivative for '{name}' is not implemented.")

    return value, vjp


@op
def tril(xp, x, *, mask):
    """`x` where `mask` is True, else 0."""
    return xp.where(mask, x, 0).astype(x.dtype, copy=False), lambda g: xp.where(mask, g, 0)


@op
def power_norm(xp, x, *, p: float, axes, keepdim: bool):
    """The p-th root of the sum of absolute values to the power p; at 0 no gradient goes on.

    Where p is 0 it counts the elements that are not 0.
    """
    if p == 0:
        return (x != 0).sum(axes, keepdims=keepdim).astype(x.dtype), lambda g: xp.zeros_like(x)
    shape = [1 if a in axes else n for a, n in enumerate(x.shape)]
    y = (xp.abs(x) ** p).sum(axes, keepdims=keepdim) ** (1 / p)

    def vjp(g):
        norm = y.reshape(shape)
        safe = xp.where(norm == 0, 1, norm)
        size = xp.where(x == 0, 1, xp.abs(x)) if p < 2 else xp.abs(x)
        d = xp.sign(x) * size ** (p - 1) * (g.reshape(shape) / safe ** (p - 1))
        return xp.where(norm == 0, 0, d)

    return y, vjp
