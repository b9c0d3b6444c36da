"""Operations that look at the order of the elements: the middle one, and those that differ."""

from .._engine import op


@op(name="MedianBackward0")
def median(xp, x, *, value):
    """The number `value`, which is an element of `x`; all that equal it share the gradient."""
    chosen = (x == value) | ((x != x) & (value != value))
    count = int(chosen.sum())

    def vjp(g):
        return xp.where(chosen, g / count, 0) if count else xp.zeros_like(x)

    return xp.full((), value, x.dtype), vjp


@op
def distinct(xp, x, *, value, name: str):
    """`value`, the elements of `x` that differ, without a derivative; PyTorch calls their operation `name`."""

    def vjp(g):
        raise NotImplementedError(f"the derivative for '{name}' is not implemented.")

    return value, vjp
