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
]
