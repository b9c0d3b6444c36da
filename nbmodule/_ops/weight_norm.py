"""A weight as a length times a direction.

Source: Salimans and Kingma, https://arxiv.org/abs/1602.07868
"""

from .._engine import added_up, op, wide


@op(name="WeightNormInterfaceBackward0")
def weight_norm(xp, v, g, *, dim: int):
    """``g * v / ‖v‖``, the norm over all dimensions but `dim`, where `g` keeps its own lengths."""
    axes = tuple(axis for axis in range(v.ndim) if axis != dim % v.ndim)

    def along(a, b):
        return added_up(wide(a) * b, axes, True)

    def of_direction(gradient):  # what lies across v, for along v only the length changes
        square = along(v, v)
        return wide(g) / xp.sqrt(square) * (gradient - v * (along(gradient, v) / square))

    if v.dtype.itemsize == 2:  # float16 holds too few digits to add up in
        out = weight_norm.inside(xp, wide(v), wide(g), dim=dim).astype(v.dtype)
    else:
        out = v * (g / xp.sqrt(along(v, v)))
    return out, of_direction, lambda gradient: along(gradient, v) / xp.sqrt(along(v, v))
