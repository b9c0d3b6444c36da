"""Operations that take or return integers and booleans, for `ops/test_writes_in_place.py`.

A row is a `Sample` whose call may return several tensors. The integers and booleans are made from the library
inside the call, by name, so that they can be written to afterwards.
"""

from sample_row import A, B, F, Sample


def numbers(t, *values):
    return t.tensor(list(values))


def weights(t, *values):
    return t.tensor(list(values), dtype=t.float64)


def places(t):
    return t.tensor([[0, 1, 1, 0], [2, 2, 0, 1]])


def columns(t):
    return t.tensor([[0, 3], [1, 1], [2, 0]])


def mask(t):
    return t.tensor(
        [[True, False, True, True], [False, False, True, False], [True, False, False, True]]
    )


def row_mask(t):
    return t.tensor([True, False, True, False])


def targets(t):
    return t.tensor([[1.0, 0, 1, 1], [0.0, 0, 1, 0], [1.0, 1, 1, 0]], dtype=t.float64)


def assigned(x, key, value):
    x[key] = value
    return x


def classes(t):
    return numbers(t, 0, 3, 1)


HALF, FOUR = (2, 4), (4,)

READING = [
    Sample("index", lambda t, a: a[numbers(t, 0, -1)], (A,)),
    Sample("index_pairs", lambda t, a: a[numbers(t, 0, 2), numbers(t, 1, 1)], (A,)),
    Sample("index_strided", lambda t, a: a[numbers(t, 0, 5, 2)[::2]], (A,)),
    Sample("index_columns", lambda t, a: a[:, numbers(t, 0, 2)], (B,)),
    Sample("index_number_first", lambda t, a: a[0, :, numbers(t, 0, 2)], (B,)),
    Sample("index_apart", lambda t, a: a[numbers(t, 0, 1), :, numbers(t, 0, 2)], (B,)),
    Sample("index_mask", lambda t, a: a[mask(t)], (A,)),
    Sample("index_mask_of_rows", lambda t, a: a[t.tensor([True, False, True])], (A,)),
    Sample("index_none", lambda t, a: a[None, numbers(t, 0, 1)], (A,)),
    Sample("index_scalar", lambda t, a: a[t.tensor(1), numbers(t, 1, 2)], (A,)),
    Sample("index_int32", lambda t, a: a[numbers(t, 0, 2).int()], (A,)),
    Sample("take", lambda t, a: a.take(numbers(t, 0, 5, -1)), (A,)),
    Sample("gather", lambda t, a: a.gather(0, places(t)), (A,)),
    Sample("gather_scalar", lambda t, a: a.gather(0, t.tensor(0)), ((3,),)),
    Sample("take_along_all", lambda t, a: a.take_along_dim(numbers(t, 0, 3)), (A,)),
    Sample("index_select", lambda t, a: a.index_select(1, numbers(t, 0, 3, 3)), (A,)),
    Sample("masked_select", lambda t, a: a.masked_select(mask(t)), (A,)),
    Sample("repeat_interleave", lambda t, a: a.repeat_interleave(numbers(t, 1, 2, 0), 0), (A,)),
    Sample("embedding", lambda t, w: F(t).embedding(columns(t) % 3, w), (A,)),
    Sample("embedding_padded", lambda t, w: F(t).embedding(numbers(t, 0, 2, 1), w, 1), (A,)),
    Sample("embedding_by_count", lambda t, w: F(t).embedding(numbers(t, 0, 1, 1), w, scale_grad_by_freq=True), (A,)),
    *(
        Sample(f"embedding_bag_{mode}", lambda t, w, mode=mode: F(t).embedding_bag(numbers(t, 0, 2, 1, 1), w, numbers(t, 0, 2), mode=mode), (A,))
        for mode in ("sum", "mean", "max")
    ),
    Sample("embedding_bag_weighted", lambda t, w, p: F(t).embedding_bag(numbers(t, 0, 2, 1, 1), w, numbers(t, 0, 2), mode="sum", per_sample_weights=p), (A, FOUR)),
]  # fmt: skip

WRITING = [
    Sample("index_add", lambda t, a, b: a.index_add(0, numbers(t, 0, 2), b), (A, HALF)),
    Sample("index_add_", lambda t, a, b: (a * 1).index_add_(0, numbers(t, 0, 2), b), (A, HALF)),
    Sample("index_copy", lambda t, a, b: a.index_copy(0, numbers(t, 0, 2), b), (A, HALF)),
    Sample("index_fill", lambda t, a: a.index_fill(0, numbers(t, 0, 2), 3.0), (A,)),
    Sample("index_fill_", lambda t, a: (a * 1).index_fill_(0, numbers(t, 0, 2), 3.0), (A,)),
    Sample("index_put", lambda t, a, b: a.index_put((numbers(t, 0, 2),), b), (A, HALF)),
    Sample("index_put_", lambda t, a, b: (a * 1).index_put_((numbers(t, 0, 2),), b), (A, HALF)),
    Sample("index_put_adding", lambda t, a, b: a.index_put((numbers(t, 1, 1),), b, True), (A, HALF)),
    Sample("index_put_mask", lambda t, a, b: a.index_put((mask(t),), b), (A, (6,))),
    *(
        Sample(f"index_reduce_{how}", lambda t, a, b, how=how: a.index_reduce(0, numbers(t, 0, 0), b, how), (A, HALF))
        for how in ("mean", "prod", "amax", "amin")
    ),
    *(
        Sample(f"scatter_reduce_{how}_{own}", lambda t, a, b, how=how, own=own: a.scatter_reduce(0, places(t), b, how, include_self=own), (A, HALF))
        for how in ("sum", "mean", "prod", "amax", "amin")
        for own in (True, False)
    ),
    Sample("scatter", lambda t, a, b: a.scatter(0, places(t), b), (A, HALF)),
    Sample("scatter_", lambda t, a, b: (a * 1).scatter_(0, places(t), b), (A, HALF)),
    Sample("scatter_number", lambda t, a: a.scatter(0, places(t), 2.0), (A,)),
    Sample("scatter_add", lambda t, a, b: a.scatter_add(0, places(t), b), (A, HALF)),
    Sample("put", lambda t, a, b: a.put(numbers(t, 0, 5), b), (A, (2,))),
    Sample("put_adding", lambda t, a, b: a.put(numbers(t, 5, 5), b, True), (A, (2,))),
    Sample("assign_rows", lambda t, a, b: assigned(a * 1, numbers(t, 0, 2), b), (A, HALF)),
    Sample("assign_mask", lambda t, a, b: assigned(a * 1, mask(t), b), (A, (6,))),
    Sample("assign_mask_number", lambda t, a: assigned(a * 1, mask(t), 0.5), (A,)),
    Sample("assign_columns", lambda t, a, b: assigned(a * 1, (slice(None), numbers(t, 1, 2)), b), (A, (2,))),
    Sample("where", lambda t, a, b: t.where(mask(t), a, b), (A, A)),
    Sample("where_number", lambda t, a: t.where(row_mask(t), a, 0.5), (A,)),
    Sample("where_method", lambda t, a, b: a.where(mask(t), b), (A, A)),
    Sample("masked_fill", lambda t, a: a.masked_fill(mask(t), 2.0), (A,)),
    Sample("masked_fill_", lambda t, a: (a * 1).masked_fill_(row_mask(t), 2.0), (A,)),
    Sample("masked_fill_tensor", lambda t, a, b: a.masked_fill(mask(t), b), (A, ())),
    Sample("masked_scatter", lambda t, a, b: a.masked_scatter(mask(t), b), (A, A)),
    Sample("masked_scatter_", lambda t, a, b: (a * 1).masked_scatter_(mask(t), b), (A, A)),
    Sample("times_mask", lambda t, a: a * mask(t), (A,)),
    Sample("over_integers", lambda t, a: a / numbers(t, 1, 2, 3, 4), (A,)),
    Sample("lerp_at", lambda t, a, b: a.lerp(b, weights(t, 0.1, 0.2, 0.3, 0.4)), (A, A)),
    Sample("max_unpool", lambda t, a: F(t).max_unpool1d(a, t.tensor([[[0, 2], [3, 4]]]), 2, 2, output_size=[5]), ((1, 2, 2),)),
]  # fmt: skip

LOSSES = [
    Sample("nll", lambda t, a: F(t).nll_loss(a, classes(t)), (A,)),
    Sample("nll_weighted", lambda t, a: F(t).nll_loss(a, classes(t), weights(t, 1, 2, 3, 4)), (A,)),
    Sample("nll_each", lambda t, a: F(t).nll_loss(a, classes(t), reduction="none"), (A,)),
    Sample("nll_images", lambda t, a: F(t).nll_loss(a, t.tensor([[[0, 1], [2, 0]]])), ((1, 3, 2, 2),)),
    Sample("cross_entropy_weighted", lambda t, a: F(t).cross_entropy(a, classes(t), weights(t, 1, 2, 3, 4)), (A,)),
    Sample("cross_entropy_smoothed", lambda t, a: F(t).cross_entropy(a, classes(t), weights(t, 1, 2, 3, 4), label_smoothing=0.1), (A,)),
    Sample("multi_margin", lambda t, a: F(t).multi_margin_loss(a, classes(t), weight=weights(t, 1, 2, 3, 4)), (A,)),
    Sample("multilabel_margin", lambda t, a: F(t).multilabel_margin_loss(a, t.tensor([[0, 1, -1, 0], [3, -1, 0, 0], [1, 2, 3, -1]])), (A,)),
    Sample("multilabel_soft_margin", lambda t, a: F(t).multilabel_soft_margin_loss(a, targets(t), weights(t, 1, 2, 3, 4)), (A,)),
    Sample("soft_margin", lambda t, a: F(t).soft_margin_loss(a, targets(t)), (A,)),
    Sample("margin_ranking", lambda t, a, b: F(t).margin_ranking_loss(a, b, weights(t, 1, -1, 1, 1)), (FOUR, FOUR)),
    Sample("hinge_embedding", lambda t, a: F(t).hinge_embedding_loss(a, weights(t, 1, -1, 1, 1)), (FOUR,)),
    Sample("cosine_embedding", lambda t, a, b: F(t).cosine_embedding_loss(a, b, numbers(t, 1, -1, 1)), (A, A)),
    Sample("binary_cross_entropy", lambda t, a: F(t).binary_cross_entropy(a.sigmoid(), targets(t), weights(t, 1, 2, 3, 4)), (A,)),
    Sample("binary_with_logits", lambda t, a: F(t).binary_cross_entropy_with_logits(a, targets(t), weights(t, 1, 2, 3, 4), pos_weight=weights(t, 1, 2, 3, 4)), (A,)),
    Sample("ctc", lambda t, a: F(t).ctc_loss(a.log_softmax(-1), t.tensor([[1, 2], [3, 1]]), numbers(t, 5, 4), numbers(t, 2, 1)), ((5, 2, 4),)),
    Sample("ctc_in_a_row", lambda t, a: F(t).ctc_loss(a.log_softmax(-1), numbers(t, 1, 2, 3), numbers(t, 5, 4), numbers(t, 2, 1)), ((5, 2, 4),)),
    Sample("batch_norm_eval", lambda t, a: F(t).batch_norm(a, weights(t, 0, 0, 0, 0), weights(t, 1, 1, 1, 1)), (A,)),
]  # fmt: skip

RETURNING = [
    *(
        Sample(f"{name}_{'_'.join(map(str, given))}", lambda t, a, name=name, given=given: getattr(a, name)(*given), (A,))
        for name, given in (
            ("max", (-1,)), ("max", (0, True)), ("min", (-1,)), ("median", (0,)), ("nanmedian", (1,)), ("mode", (-1,)),
            ("kthvalue", (2,)), ("kthvalue", (2, 0, True)), ("sort", ()), ("sort", (0, True)), ("topk", (2, 0)),
            ("cummax", (0,)), ("cummin", (1,)),
        )
    ),
    Sample("max_of_a_view", lambda t, a: a[0].max(-1), (B,)),
    Sample("argsort_used", lambda t, a: a.gather(1, a.argsort(1)), (A,)),
    *(
        Sample(f"{kind}max_pool{n}d", lambda t, a, kind=kind, n=n: getattr(F(t), f"{kind}max_pool{n}d")(a, 2, return_indices=True), ((1, 1, *[4] * n),))
        for kind in ("", "adaptive_")
        for n in (1, 2, 3)
    ),
    Sample("max_pool_channels_last", lambda t, a: F(t).max_pool2d(a.permute(0, 3, 1, 2), 2, return_indices=True), ((1, 4, 4, 2),)),
    Sample("lu_factor", lambda t, a: t.linalg.lu_factor(a), ((3, 3),)),
    Sample("slogdet", lambda t, a: t.linalg.slogdet(a), ((3, 3),)),
    Sample("svd", lambda t, a: t.linalg.svd(a, full_matrices=False), ((3, 3),)),
    Sample("frexp", lambda t, a: t.frexp(a), (A,)),
    Sample("std_mean", lambda t, a: t.std_mean(a, 1), (A,)),
    Sample("split_parts", lambda t, a: [part * 2 for part in a.split(1)], (A,)),
]  # fmt: skip

ROWS = READING + WRITING + LOSSES + RETURNING
