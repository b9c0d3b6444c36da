"""Writing to and reading from places given by index tensors and masks."""

from sample_row import A, Sample


def places(t):
    return t.tensor([[0, 1, 1, 0], [2, 2, 0, 1]])


def mask(t):
    return t.tensor(
        [[True, False, True, True], [False, False, True, False], [True, False, False, True]]
    )


HALF = (2, 4)

ROWS = [
    Sample("scatter", lambda t, a, b: a.scatter(0, t.tensor([[0, 1, 2, 0]]), b), (A, (1, 4))),
    Sample("scatter_number", lambda t, a: a.scatter(0, places(t), 1.5), (A,)),
    Sample("scatter_add", lambda t, a, b: a.scatter_add(0, places(t), b), (A, HALF)),
    Sample(
        "scatter_reduce_sum", lambda t, a, b: a.scatter_reduce(0, places(t), b, "sum"), (A, HALF)
    ),
    Sample(
        "scatter_reduce_mean", lambda t, a, b: a.scatter_reduce(0, places(t), b, "mean"), (A, HALF)
    ),
    Sample(
        "scatter_reduce_prod", lambda t, a, b: a.scatter_reduce(0, places(t), b, "prod"), (A, HALF)
    ),
    Sample(
        "scatter_reduce_amax", lambda t, a, b: a.scatter_reduce(0, places(t), b, "amax"), (A, HALF)
    ),
    Sample(
        "scatter_reduce_amin_without_self",
        lambda t, a, b: a.scatter_reduce(0, places(t), b, "amin", include_self=False),
        (A, HALF),
    ),
    Sample("index_add", lambda t, a, b: a.index_add(0, t.tensor([2, 2]), b, alpha=2), (A, HALF)),
    Sample("index_copy", lambda t, a, b: a.index_copy(0, t.tensor([2, 0]), b), (A, HALF)),
    Sample("index_fill", lambda t, a: a.index_fill(1, t.tensor([0, 3]), -1.0), (A,)),
    Sample("index_fill_tensor", lambda t, a, b: a.index_fill(1, t.tensor([0, 3]), b), (A, ())),
    Sample(
        "index_reduce_mean",
        lambda t, a, b: a.index_reduce(0, t.tensor([1, 1]), b, "mean"),
        (A, HALF),
    ),
    Sample(
        "index_reduce_prod",
        lambda t, a, b: a.index_reduce(0, t.tensor([1, 1]), b, "prod"),
        (A, HALF),
    ),
    Sample("index_put", lambda t, a, b: a.index_put((t.tensor([2, 0]),), b), (A, (4,))),
    Sample(
        "index_put_accumulate",
        lambda t, a, b: a.index_put((t.tensor([1, 1]),), b, accumulate=True),
        (A, HALF),
    ),
    Sample("put_", lambda t, a, b: (a * 1).put_(t.tensor([5, -1]), b), (A, (2,))),
    Sample("take", lambda t, a: a.take(t.tensor([[0, -1], [5, 5]])), (A,)),
    Sample("take_along_dim", lambda t, a: t.take_along_dim(a, t.tensor([[1], [0], [1]]), 1), (A,)),
    Sample("masked_select", lambda t, a: a.masked_select(mask(t)), (A,)),
    Sample("masked_scatter", lambda t, a, b: a.masked_scatter(mask(t), b), (A, A)),
    Sample("scatter_in_place", lambda t, a, b: (a * 1).scatter_add_(0, places(t), b), (A, HALF)),
    Sample("select_scatter", lambda t, a, b: a.select_scatter(b, 0, 1), (A, (4,))),
    Sample("slice_scatter", lambda t, a, b: a.slice_scatter(b, 1, 0, 4, 2), (A, (3, 2))),
    Sample("diagonal_scatter", lambda t, a, b: a.diagonal_scatter(b, 1), (A, (3,))),
    Sample("nonzero", lambda t, a: (a > 0).nonzero(), (A,), differentiable=False),
]
