"""Losses of margins, distances, counts and texts."""

from sample_row import A, F, Sample, labels


def signs(t, *shape):
    """Return 1 and -1 in turns."""
    count = 1
    for n in shape:
        count *= n
    return t.tensor([1.0 - 2 * (i * i % 3 % 2) for i in range(count)]).reshape(shape)


def weights(t, like, n):
    return t.tensor([(i + 1) / 2 for i in range(n)]).to(like.dtype)


def texts(t):
    return t.tensor([[1, 2, 2], [3, 1, 0]])


HOW = ("mean", "sum", "none")

ROWS = [
    *(
        Sample(
            f"soft_margin_loss_{how}",
            lambda t, x, r=how: F(t).soft_margin_loss(x, signs(t, 3, 4).to(x.dtype), reduction=r),
            (A,),
        )
        for how in HOW
    ),
    *(
        Sample(
            f"multilabel_soft_margin_loss_{how}",
            lambda t, x, r=how: F(t).multilabel_soft_margin_loss(
                x, (signs(t, 3, 4).to(x.dtype) + 1) / 2, weights(t, x, 4), reduction=r
            ),
            (A,),
        )
        for how in HOW
    ),
    *(
        Sample(
            f"multi_margin_loss_{how}_{p}",
            lambda t, x, r=how, p=p: F(t).multi_margin_loss(
                x, labels(t), p, 0.7, weights(t, x, 3), reduction=r
            ),
            ((6, 3),),
            differentiable=False,  # not twice, in PyTorch; once: see the table of modules
        )
        for how in HOW
        for p in (1, 2)
    ),
    *(
        Sample(
            f"multilabel_margin_loss_{how}",
            lambda t, x, r=how: F(t).multilabel_margin_loss(
                x, t.tensor([[1, 3, -1, 0], [2, 2, 0, -1], [-1, 1, 2, 3]]), reduction=r
            ),
            (A,),
            differentiable=False,
        )
        for how in HOW
    ),
    *(
        Sample(
            f"ctc_loss_{how}",
            lambda t, x, r=how: F(t).ctc_loss(
                x.log_softmax(-1), texts(t), t.tensor([6, 5]), t.tensor([3, 2]), reduction=r
            ),
            ((6, 2, 4),),
            differentiable=False,
        )
        for how in HOW
    ),
    Sample(
        "ctc_loss_one_after_the_other",
        lambda t, x: F(t).ctc_loss(
            x.log_softmax(-1), t.tensor([1, 2, 2, 3, 1]), (6, 2), (3, 2), 0, "none", True
        ),
        ((6, 2, 4),),
        differentiable=False,
    ),
    *(
        Sample(
            f"kl_div_{how}",
            lambda t, x, y, r=how: F(t).kl_div(x.log_softmax(-1), y.softmax(-1), reduction=r),
            (A, A),
        )
        for how in ("batchmean", "sum", "none")
    ),
    Sample(
        "kl_div_logs",
        lambda t, x, y: F(t).kl_div(
            x.log_softmax(-1), y.log_softmax(-1), reduction="sum", log_target=True
        ),
        (A, A),
    ),
    *(
        Sample(
            f"poisson_nll_loss_{how}",
            lambda t, x, y, r=how: F(t).poisson_nll_loss(x, y + 1, full=True, reduction=r),
            (A, A),
            True,
        )
        for how in HOW
    ),
    Sample(
        "poisson_nll_loss_counts", lambda t, x, y: F(t).poisson_nll_loss(x, y, False), (A, A), True
    ),
    *(
        Sample(
            f"gaussian_nll_loss_{how}",
            lambda t, x, y, v, r=how: F(t).gaussian_nll_loss(x, y, v, full=True, reduction=r),
            (A, A, (3, 1)),
            True,
        )
        for how in HOW
    ),
    *(
        Sample(
            f"{name}_{how}",
            lambda t, a, b, f=name, r=how: getattr(F(t), f)(a, b, signs(t, 3), 0.3, reduction=r),
            (shape, shape),
        )
        for name, shape in (("margin_ranking_loss", (3,)), ("cosine_embedding_loss", A))
        for how in HOW
    ),
    *(
        Sample(
            f"hinge_embedding_loss_{how}",
            lambda t, x, r=how: F(t).hinge_embedding_loss(x, signs(t, 3, 4), 0.6, reduction=r),
            (A,),
        )
        for how in HOW
    ),
    *(
        Sample(
            f"triplet_margin_loss_{how}_{p}",
            lambda t, a, b, c, r=how, p=p: F(t).triplet_margin_loss(
                a, b, c, 2.0, p, swap=True, reduction=r
            ),
            (A, A, A),
        )
        for how, p in (("mean", 2), ("sum", 1), ("none", 3))
    ),
    Sample(
        "triplet_margin_with_distance_loss",
        lambda t, a, b, c: F(t).triplet_margin_with_distance_loss(
            a, b, c, distance_function=lambda x, y: (x - y).square().sum(-1), margin=9.0
        ),
        (A, A, A),
    ),
    Sample(
        "linear_cross_entropy",
        lambda t, x, w: F(t).linear_cross_entropy(x, w, labels(t), label_smoothing=0.1),
        ((6, 2), (3, 2)),
    ),
    Sample(
        "cross_entropy_volumes",
        lambda t, x: F(t).cross_entropy(
            x, labels(t, 8).reshape(2, 2, 1, 2), reduction="none", ignore_index=2
        ),
        ((2, 3, 2, 1, 2),),
    ),
    Sample(
        "cross_entropy_soft_smooth_weight",
        lambda t, x, y: F(t).cross_entropy(
            x, y.softmax(1), weight=weights(t, x, 3), label_smoothing=0.3
        ),
        ((2, 3, 4), (2, 3, 4)),
    ),
]
