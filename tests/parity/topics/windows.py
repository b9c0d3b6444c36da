"""Windows, differences over a grid, flat indices, and other functions that stand alone."""

from casebook import case, error

NAMES = ("hann", "hamming", "blackman", "bartlett", "kaiser")


@case
def windows(t):
    return [
        getattr(t, f"{name}_window")(n, periodic, dtype=t.float64)
        for name in NAMES
        for n in (0, 1, 2, 3, 8)
        for periodic in (True, False)
    ]


@case
def window_options(t):
    return [
        t.hamming_window(5, True, 0.5, 0.4),
        t.kaiser_window(5, periodic=False, beta=3.0),
        t.hann_window(3, requires_grad=True).requires_grad,
        t.hann_window(window_length=3),
    ]


@case
def window_errors(t):
    return [
        error(lambda: t.hann_window(-1)),
        error(lambda: t.hann_window(4, dtype=t.int64)),
        error(lambda: t.kaiser_window(4, dtype=t.bool)),
        error(lambda: t.hann_window(4.0)),
        error(lambda: t.hann_window()),
    ]


@case
def gradient(t):
    c = t.tensor([1.0, 4, 9, 16, 25])
    m = t.tensor([[1.0, 2, 4, 8], [10, 20, 40, 80]])
    at = t.tensor([0.0, 1, 3, 6, 10])
    return [
        *(t.gradient(c) + t.gradient(c, spacing=2.0) + t.gradient(c, spacing=(at,))),
        *(t.gradient(c, edge_order=2) + t.gradient(c, spacing=(at,), edge_order=2)),
        *(t.gradient(m) + t.gradient(m, dim=-1) + t.gradient(m, spacing=[3.0, 2.0])),
        *t.gradient(m, spacing=2.0, dim=(1, 0)),
    ]


@case
def gradient_errors(t):
    m = t.ones(2, 4)
    return [
        error(lambda: t.gradient(3)),
        error(lambda: t.gradient(m, edge_order=3)),
        error(lambda: t.gradient(m, edge_order=2)),
        error(lambda: t.gradient(t.ones(1))),
        error(lambda: t.gradient(m, spacing=[1.0])),
        error(lambda: t.gradient(m, dim=5)),
        error(lambda: t.gradient(m, dim=(0, 0))),
        error(lambda: t.gradient(m, spacing=(1.0,), dim=(0, 1))),
        error(lambda: t.gradient(m.to(t.uint8))),
    ]


@case
def unravel_index(t):
    return [
        *t.unravel_index(t.tensor([1234, 5678]), (10, 10, 10, 10)),
        *t.unravel_index(t.tensor(4), (3, 2)),
        error(lambda: t.unravel_index(t.tensor(4.0), (3, 2))),
        error(lambda: t.unravel_index(t.tensor(4), (3, -2))),
        error(lambda: t.unravel_index(t.tensor(4), 3.0)),
        error(lambda: t.unravel_index(t.tensor(4), (3.0,))),
    ]


@case
def copies(t):
    x = t.arange(6.0).reshape(2, 3).requires_grad_()
    made = [
        t.alias_copy(x), t.as_strided_copy(x, (2, 2), (1, 1)), t.diagonal_copy(x), t.expand_copy(x, (2, 2, 3)),
        t.permute_copy(x, (1, 0)), t.select_copy(x, 0, 1), t.slice_copy(x, 1, 0, 2), t.squeeze_copy(x, 0),
        t.t_copy(x), t.transpose_copy(x, 0, 1), t.unfold_copy(x, 1, 2, 1), t.unsqueeze_copy(x, 0),
        t.view_copy(x, (3, 2)), *t.split_copy(x, 1), *t.unbind_copy(x), *t.split_with_sizes_copy(x, (1, 1)),
    ]  # fmt: skip
    return [(y.detach(), y.grad_fn.name(), y._is_view(), y.is_contiguous()) for y in made]


@case
def methods_that_stand_alone(t):
    x = t.arange(6.0).reshape(2, 3)
    return [
        x.sum_to_size(1, 3),
        x.sum_to_size((3,)),
        x.sum_to_size(2, 3) is x,
        error(lambda: x.sum_to_size(2)),
        error(lambda: x.sum_to_size()),
        reversed(x),
        x.__rmatmul__(t.ones(4, 2)),
        t.empty(2, 3, 5, 7).transpose(1, 2).dim_order(),
        error(lambda: t.empty(1, 2).dim_order(ambiguity_check=True)),
        error(lambda: t.empty(1, 2).dim_order(ambiguity_check="no")),
        x.put(t.tensor([0, 0]), t.tensor([5.0, 6.0]), accumulate=True),
        t.as_strided_scatter(x, t.ones(2), (2,), (2,)),
        error(lambda: t.as_strided_scatter(x, t.ones(3), (2,), (2,))),
        t.fill(x, 3.0),
        error(lambda: t.fill(x)),
    ]
