"""Losses."""

from sample_row import A, F, Sample, labels

ROWS = [
    # losses
    Sample("mse_loss", lambda t, a, b: F(t).mse_loss(a, b), (A, A)),
    Sample("mse_loss_sum", lambda t, a, b: F(t).mse_loss(a, b, reduction="sum"), (A, A)),
    Sample("nll_loss", lambda t, x: F(t).nll_loss(x, labels(t)), ((6, 3),)),
    Sample(
        "nll_loss_images",
        lambda t, x: F(t).nll_loss(x, labels(t, 8).reshape(2, 2, 2)),
        ((2, 3, 2, 2),),
    ),
    Sample("cross_entropy", lambda t, x: F(t).cross_entropy(x, labels(t)), ((6, 3),)),
    Sample(
        "cross_entropy_none",
        lambda t, x: F(t).cross_entropy(x, labels(t), reduction="none"),
        ((6, 3),),
    ),
    Sample(
        "cross_entropy_sum",
        lambda t, x: F(t).cross_entropy(x, labels(t), reduction="sum"),
        ((6, 3),),
    ),
    Sample(
        "cross_entropy_weight",
        lambda t, x: F(t).cross_entropy(x, labels(t), weight=t.tensor([1.0, 2.0, 0.5]).to(x.dtype)),
        ((6, 3),),
    ),
    Sample(
        "cross_entropy_ignore",
        lambda t, x: F(t).cross_entropy(x, labels(t), ignore_index=1),
        ((6, 3),),
    ),
    Sample(
        "cross_entropy_images",
        lambda t, x: F(t).cross_entropy(x, labels(t, 8).reshape(2, 2, 2)),
        ((2, 3, 2, 2),),
    ),
    Sample("cross_entropy_one", lambda t, x: F(t).cross_entropy(x, t.tensor(1)), ((3,),)),
    Sample(
        "cross_entropy_soft",
        lambda t, x: F(t).cross_entropy(x, t.tensor([[0.2, 0.3, 0.5]] * 6).to(x.dtype)),
        ((6, 3),),
    ),
    Sample(
        "cross_entropy_smooth",
        lambda t, x: F(t).cross_entropy(x, labels(t), label_smoothing=0.2, ignore_index=0),
        ((6, 3),),
    ),
    Sample("mse_loss_none", lambda t, a, b: F(t).mse_loss(a, b, reduction="none"), (A, A)),
    Sample("mse_loss_weight", lambda t, a, b, w: F(t).mse_loss(a, b, weight=w), (A, A, A), True),
    Sample("l1_loss", lambda t, a, b: F(t).l1_loss(a, b), (A, A)),
    Sample("l1_loss_weight", lambda t, a, b, w: F(t).l1_loss(a, b, weight=w), (A, A, A), True),
    *(
        Sample(
            f"{name}_{how}",
            lambda t, a, b, f=name, r=how: getattr(F(t), f)(a, b, reduction=r),
            (A, A),
        )
        for name in ("smooth_l1_loss", "huber_loss")
        for how in ("mean", "sum", "none")
    ),
    Sample("smooth_l1_loss_beta", lambda t, a, b: F(t).smooth_l1_loss(a, b, beta=0.3), (A, A)),
    Sample("huber_loss_delta", lambda t, a, b: F(t).huber_loss(a, b, delta=0.3), (A, A)),
    *(
        Sample(
            f"binary_cross_entropy_{how}",
            lambda t, a, b, r=how: F(t).binary_cross_entropy(a.sigmoid(), b.sigmoid(), reduction=r),
            (A, A),
        )
        for how in ("mean", "sum", "none")
    ),
    Sample(
        "binary_cross_entropy_weight",
        lambda t, a, b: F(t).binary_cross_entropy(a / 3, b / 3, weight=t.ones_like(a).cumsum(-1)),
        (A, A),
        True,
    ),
    *(
        Sample(
            f"binary_cross_entropy_with_logits_{how}",
            lambda t, a, b, r=how: F(t).binary_cross_entropy_with_logits(a, b, reduction=r),
            (A, A),
        )
        for how in ("mean", "sum", "none")
    ),
    Sample(
        "binary_cross_entropy_with_logits_weights",
        lambda t, a, b: F(t).binary_cross_entropy_with_logits(
            a,
            b,
            weight=t.ones_like(a).cumsum(-1),
            pos_weight=t.ones_like(a[:, :1]).cumsum(0),
        ),
        (A, A),
    ),
]
