"""Losses and average pooling: values, messages, names of nodes, modules."""

import warnings

from casebook import case, error

LOSSES = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")


def F(t):
    return t.nn.functional


def pair(t):
    x = t.tensor([0.2, 0.7, 0.4], requires_grad=True)
    return x, t.tensor([0.0, 1.0, 0.25])


def warned(function):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        value = function()
    return [value, [[w.category.__name__, str(w.message)] for w in found]]


@case
def losses_of_numbers(t):
    found = []
    for name in LOSSES:
        f = getattr(F(t), name)
        x, y = pair(t)
        for reduction in ("mean", "sum", "none"):
            out = f(x, y, reduction=reduction)
            found += [out, out.grad_fn.name(), t.autograd.grad(out.sum(), x)]
        wide = f(x[None].expand(2, 3), y, reduction="sum")
        found += [
            wide,
            t.autograd.grad(wide, x),
            f(x.double(), y),
            f(x, y.double()),
            f(x.half(), y.half()),
            f(x, t.tensor([1, 2, 3])),
            f(t.zeros(0), t.zeros(0)),
            f(t.zeros(0), t.zeros(0), reduction="sum"),
            f(x, t.tensor([float("nan"), float("inf"), 0.0]), reduction="none"),
        ]
    return found


@case
def losses_of_numbers_errors(t):
    found = []
    for name in LOSSES:
        f = getattr(F(t), name)
        x, y = pair(t)
        found += [
            error(lambda: f(x, y, reduction="q")),  # noqa: B023
            error(lambda: f(x, 5)),  # noqa: B023
            error(lambda: f(5, x)),  # noqa: B023
            error(lambda: f(x, t.ones(2))),  # noqa: B023
            error(lambda: f(t.tensor([1, 2]), t.tensor([3, 4]))),  # noqa: B023
            error(lambda: f(x)),  # noqa: B023
            warned(lambda: f(x, y[:1])),  # noqa: B023
        ]
        if name != "huber_loss":
            found += [
                warned(lambda: f(x, y, False)),  # noqa: B023
                warned(lambda: f(x, y, True, False)),  # noqa: B023
                warned(lambda: f(x, y, reduce=True)),  # noqa: B023
                warned(lambda: f(x, y, reduction="elementwise_mean")),  # noqa: B023
            ]
    x, y = pair(t)
    return [
        *found,
        error(lambda: F(t).smooth_l1_loss(x, y, beta=-1.0)),
        F(t).smooth_l1_loss(x, y, beta=0.0).grad_fn.name(),
        error(lambda: F(t).huber_loss(x, y, delta=0.0)),
        F(t).huber_loss(x, y, delta=t.tensor(0.5)),
        F(t).smooth_l1_loss(x, y, beta=0.1, reduction="none"),
        F(t).huber_loss(x, y, delta=0.1, reduction="none"),
    ]


@case
def weighted_losses(t):
    x, y = pair(t)
    w = t.tensor([1.0, 2.0, 0.5])
    found = []
    for name in ("mse_loss", "l1_loss", "huber_loss"):
        f = getattr(F(t), name)
        for reduction in ("mean", "sum", "none"):
            out = f(x, y, weight=w, reduction=reduction)
            found += [out, out.grad_fn.name()]
        found += [
            error(lambda: f(x, y, weight=w[:1])),  # noqa: B023
            error(lambda: f(x, y, weight=w, reduction="x")),  # noqa: B023
        ]
    return found


@case
def binary_cross_entropy(t):
    f = F(t).binary_cross_entropy
    x, y = pair(t)
    edge = t.tensor([0.0, 1.0, 1.0], requires_grad=True)
    f(edge, t.tensor([0.0, 1.0, 0.0])).backward()
    w = t.ones(3, requires_grad=True)
    return [
        f(x, y),
        f(x, y).grad_fn.name(),
        f(x, y, reduction="none"),
        f(x, y, weight=t.tensor([2.0])),
        f(x, y, weight=t.tensor([1.0, 2.0, 3.0]), reduction="sum"),
        edge.grad,
        f(x.half(), y.half()),
        f(t.zeros(0), t.zeros(0)),
        warned(lambda: f(x, y, None, False)),
        error(lambda: f(x * 2, y)),
        error(lambda: f(x, y * 2)),
        error(lambda: f(x, y - 1)),
        error(lambda: f(x, y.double())),
        error(lambda: f(x.double(), y)),
        error(lambda: f(x, t.tensor([1, 0, 1]))),
        error(lambda: f(t.tensor([1, 0]), t.tensor([1, 0]))),
        error(lambda: f(x, y[:2])),
        error(lambda: f(x, y[None])),
        error(lambda: f(x, y, weight=t.ones(2))),
        error(lambda: f(x, y, weight=t.ones(2, 3))),
        error(lambda: f(x, y, weight=w)),
        error(lambda: f(x, y, reduction="x")),
        error(lambda: f(x, 5)),
        error(lambda: f(5, x)),
    ]


@case
def binary_cross_entropy_with_logits(t):
    f = F(t).binary_cross_entropy_with_logits
    x, y = pair(t)
    far = t.tensor([-1000.0, 1000.0, 0.0], requires_grad=True)
    f(far, t.tensor([0.0, 1.0, 0.0]), reduction="sum").backward()
    w = t.ones(3, requires_grad=True)
    return [
        f(x, y),
        f(x, y).grad_fn.name(),
        f(x, y, reduction="none"),
        f(far, t.ones(3), reduction="none"),
        far.grad,
        f(x, y, weight=t.tensor([1.0, 2.0, 3.0]), reduction="sum"),
        f(x, y, pos_weight=t.tensor([2.0]), reduction="none"),
        f(x, y, pos_weight=t.tensor([1.0, 2.0, 3.0])),
        f(x[None].expand(2, 3), y[None].expand(2, 3), pos_weight=t.tensor([1.0, 2.0, 3.0])),
        f(x, y.double()),
        f(x.double(), y),
        warned(lambda: f(x, y, None, True, False)),
        error(lambda: f(x, t.tensor([1, 0, 1]))),
        error(lambda: f(t.tensor([1, 0, 1]), y)),
        error(lambda: f(t.tensor([1, 0]), t.tensor([1, 0]))),
        error(lambda: f(x, y, weight=t.ones(2))),
        error(lambda: f(x, y, pos_weight=t.ones(2))),
        error(lambda: f(x, y, weight=t.ones(2, 3))),
        error(lambda: f(x, y[:1])),
        error(lambda: f(x, y, weight=w)),
        error(lambda: f(x, y, pos_weight=w)),
        error(lambda: f(x, y, reduction="x")),
        error(lambda: f(x, 5)),
    ]


@case
def older_options(t):
    logits, labels = t.tensor([[1.0, 2.0, 0.5]]), t.tensor([2])
    nn = t.nn
    return [
        warned(lambda: F(t).nll_loss(logits, labels, None, False)),
        warned(lambda: F(t).cross_entropy(logits, labels, None, True, 1, False)),
        F(t).nll_loss(logits, labels, None, None, 2),
        error(lambda: F(t).cross_entropy(logits, labels, reduction="x")),
        warned(lambda: nn.MSELoss(False).reduction),
        warned(lambda: nn.CrossEntropyLoss(None, False, 1, True).reduction),
        warned(lambda: nn.BCEWithLogitsLoss(None, None, False).reduction),
        nn.NLLLoss(None, None, 2).ignore_index,
    ]


@case
def loss_modules(t):
    nn = t.nn
    x, y = pair(t)
    made = [
        nn.MSELoss(),
        nn.L1Loss(reduction="sum"),
        nn.BCELoss(t.tensor([1.0, 2.0, 3.0])),
        nn.BCEWithLogitsLoss(pos_weight=t.tensor([2.0])),
        nn.SmoothL1Loss(beta=0.5),
        nn.HuberLoss("none", 2.0),
        nn.BCELoss(reduction="none"),
    ]
    return [
        [
            repr(m),
            m(x, y),
            m.state_dict(),
            sorted(k for k in vars(m) if k[0] != "_"),
            [k for k, _ in m.named_buffers()],
            m.double()(x.double(), y.double()),
        ]
        for m in made
    ]


@case
def avg_pool2d(t):
    f = F(t).avg_pool2d
    x = t.arange(24.0).reshape(1, 2, 3, 4)
    r = x.clone().requires_grad_()
    return [
        f(x, 2),
        f(x[0], (2, 3), 1),
        f(x, (2,)),
        f(x, 2, ()),
        f(x, 3, stride=2, padding=1, ceil_mode=True, count_include_pad=False),
        f(x, 3, 2, 1, True),
        f(x, 2, divisor_override=-3),
        f(x.long() - 10, 2),
        f(x.half(), 2),
        f(x[:0], 2).shape,
        f(x, kernel_size=2),
        f(r, 2).grad_fn.name(),
        t.autograd.grad(f(r, 3, 2, 1, True).square().sum(), r),
        error(lambda: f(x, 0)),
        error(lambda: f(x, (2, 2, 2))),
        error(lambda: f(x, 2, 0)),
        error(lambda: f(x, 2, [1, 2, 3])),
        error(lambda: f(x, 2, padding=2)),
        error(lambda: f(x, 2, padding=-1)),
        error(lambda: f(x, 2, padding=(0, 0, 0))),
        error(lambda: f(x, 2, divisor_override=0)),
        error(lambda: f(x, 5)),
        error(lambda: f(x[0, 0], 2)),
        error(lambda: f(x[None], 2)),
        error(lambda: f(x[:, :0], 2)),
        error(lambda: f(x, "a")),
        error(lambda: f(5, 2)),
        error(lambda: f(x, 2, 1.5)),
        error(lambda: f(x.bool(), 2)),
    ]


@case
def adaptive_avg_pool2d(t):
    f = F(t).adaptive_avg_pool2d
    x = t.arange(24.0).reshape(1, 2, 3, 4)
    r = x.clone().requires_grad_()
    return [
        f(x, 2),
        f(x, (2, None)),
        f(x, (None, None)),
        f(x, (5, 3)),
        f(x[0], 2).shape,
        f(x, 0).shape,
        f(x, 1),
        f(x[0, 0], 1),
        f(x[:0], 1).shape,
        f(x[:, :0], 2).shape,
        f(r, 1).grad_fn.name(),
        f(r, 2).grad_fn.name(),
        t.autograd.grad(f(r, (2, 3)).square().sum(), r),
        error(lambda: f(x, None)),
        error(lambda: f(x, (2, 2, 2))),
        error(lambda: f(x, (1,))),
        error(lambda: f(x, -1)),
        error(lambda: f(x.long(), 1)),
        error(lambda: f(x.long(), 2)),
        error(lambda: f(x[0, 0], 2)),
        error(lambda: f(x[:, :, :0], 2)),
        error(lambda: f(5, 1)),
        error(lambda: f(x, 1.5)),
        error(lambda: f(x, "ab")),
    ]


@case
def pooling_modules(t):
    nn = t.nn
    x = t.arange(24.0).reshape(1, 2, 3, 4)
    made = [
        nn.AvgPool2d(2),
        nn.AvgPool2d((2, 3), 1, divisor_override=2),
        nn.AdaptiveAvgPool2d(1),
        nn.AdaptiveAvgPool2d((None, 3)),
    ]
    return [[repr(m), m(x), sorted(k for k in vars(m) if k[0] != "_")] for m in made]
