"""Losses of classes, margins, distances, distributions and texts: odd arguments, messages, names of nodes, warnings."""

import warnings

from casebook import case, error


def F(t):
    return t.nn.functional


def things(t):
    """Return scores, probabilities, classes, signs and whole numbers, of three examples with four classes."""
    x = t.tensor([[0.5, -1.0, 2.0, 0.25], [1.5, 0.0, -0.5, 1.0], [-2.0, 0.75, 0.5, 3.0]])
    y = t.tensor([[0.1, 0.9, 0.4, 0.7], [0.2, 0.3, 1.0, 0.5], [0.6, 0.8, 0.05, 0.35]])
    s = t.tensor([[1.0, -1.0, 1.0, -1.0], [-1.0, -1.0, 1.0, 1.0], [1.0, 1.0, -1.0, -1.0]])
    return x, y, t.tensor([0, 1, 2]), s, t.tensor([[1, 2], [3, -1]])


def tried(functions):
    """Return what each of `functions` gives: a tensor, or its error; and the name of the node, and warnings."""
    found = []
    for f in functions:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                value = f()
                value = [value, value.grad_fn.name() if value.grad_fn else None]
            except Exception:
                value = error(f)
        found.append([value, [[w.category.__name__, str(w.message)] for w in said][:1]])
    return found


def names(t, loss, *inputs):
    """Return what `loss` gives for each reduction, its node and its gradients."""
    found = []
    for reduction in ("mean", "sum", "none"):
        given = [x.clone().requires_grad_() if x.is_floating_point() else x for x in inputs]
        out = loss(*given, reduction=reduction)
        leaves = [x for x in given if x.requires_grad]
        found.append([out, out.grad_fn.name(), t.autograd.grad(out.sum(), leaves, allow_unused=True)])  # fmt: skip
    return found


@case
def nodes_and_gradients(t):
    x, y, c, s, _ = things(t)
    f = F(t)
    return [
        names(t, f.poisson_nll_loss, x, y),
        names(t, f.gaussian_nll_loss, x, y, y),
        names(t, lambda a, b, reduction: f.kl_div(a, b, reduction=reduction, log_target=True), x, y),
        names(t, f.multi_margin_loss, x, c),
        names(t, f.multilabel_margin_loss, x, t.tensor([[1, 2, -1, 0]] * 3)),
        names(t, f.multilabel_soft_margin_loss, x, y),
        names(t, lambda a, reduction: f.hinge_embedding_loss(a, s, reduction=reduction), x),
        names(t, lambda a, reduction: f.soft_margin_loss(a, s, reduction=reduction), x),
        names(t, lambda a, b, reduction: f.margin_ranking_loss(a, b, s, reduction=reduction), x, y),
        names(t, lambda a, b, reduction: f.cosine_embedding_loss(a, b, c, reduction=reduction), x, y),
        names(t, f.triplet_margin_loss, x, y, y + 1),
        names(t, f.triplet_margin_with_distance_loss, x, y, y + 1),
        names(t, f.cross_entropy, x, y),
        names(t, f.cross_entropy, x[..., None], c[:, None]),
        names(t, f.nll_loss, x[..., None, None], c[:, None, None]),
        names(t, lambda a, reduction: f.cross_entropy(a, c, reduction=reduction, label_smoothing=0.1), x),
    ]  # fmt: skip


@case
def multi_margin_loss(t):
    x, _, c, _, whole = things(t)
    f = F(t).multi_margin_loss
    return tried([
        lambda: f(x, c.int()), lambda: f(x, c + 2), lambda: f(x, c[:2]), lambda: f(x[0], c[0]), lambda: f(x[0], c[:1], reduction="none"),
        lambda: f(x[0], c[0], reduction="none"), lambda: f(x[0, 0], c[0]), lambda: f(x[0, 0], c[:1], reduction="none"), lambda: f(x[None], c),
        lambda: f(x[:0], c[:0], reduction="none"), lambda: f(x[:, :0], c), lambda: f(x, c, p=3), lambda: f(x, c, p=2.0),
        lambda: f(x, c, weight=x), lambda: f(x, c, weight=t.ones(3)), lambda: f(x.double(), c, weight=t.ones(4)), lambda: f(x.half(), c),
        lambda: f(whole, c[:2]), lambda: f(x, c[None]), lambda: f(x, c, margin="a"), lambda: f(x, c, margin=None), lambda: f(x, 5),
        lambda: f(5, x), lambda: f(x, c, reduction="q"), lambda: f(x, c, margin=-1.0), lambda: f(x, c, weight=t.ones(4, requires_grad=True)),
        lambda: f(x, -c), lambda: f(x, c, size_average=False), lambda: t.nn.MultiMarginLoss(3), lambda: t.nn.MultiMarginLoss(weight=x),
    ])  # fmt: skip


@case
def multilabel_margin_loss(t):
    x, _, _, _, whole = things(t)
    c = t.tensor([[1, 2, -1, 0]] * 3)
    f = F(t).multilabel_margin_loss
    return tried([
        lambda: f(x, c), lambda: f(x, c.int()), lambda: f(x, c + 3), lambda: f(x, c - 2), lambda: f(x, c[:2]), lambda: f(x[0], c[0], reduction="none"),
        lambda: f(x[0], c[:1]), lambda: f(x[0, 0], c[0, 0]), lambda: f(x[0, 0], t.tensor(0)), lambda: f(x[None], c[None]),
        lambda: f(x[:0], c[:0], reduction="none"), lambda: f(x[:, :0], c[:, :0]), lambda: f(x.half(), c), lambda: f(whole, whole), lambda: f(x, 5),
        lambda: f(5, c), lambda: f(x, t.tensor([[1, 1, 2, 2]] * 3), reduction="none"), lambda: f(x, t.tensor([[-1, 1, 2, 2]] * 3), reduction="none"),
    ])  # fmt: skip


@case
def losses_of_signs(t):
    x, y, _, s, whole = things(t)
    soft, hinge, rank = F(t).soft_margin_loss, F(t).hinge_embedding_loss, F(t).margin_ranking_loss
    return tried([
        lambda: soft(x, s[:1]), lambda: soft(x[:1], s), lambda: soft(x, s[:, :2]), lambda: soft(x, s.double()), lambda: soft(x.double(), s),
        lambda: soft(x, s.long()), lambda: soft(whole, whole), lambda: soft(x.half(), s.half()), lambda: soft(x[:0], s[:0]),
        lambda: soft(x * 100, s, reduction="none"), lambda: soft(x.bool(), s), lambda: soft(x, s.bool()), lambda: soft(x, 5),
        lambda: soft(x, s.clone().requires_grad_()),
        lambda: hinge(x, s.long()), lambda: hinge(x, s[:1]), lambda: hinge(x, s[:, :2]), lambda: hinge(whole, whole), lambda: hinge(whole, whole, reduction="sum"),
        lambda: hinge(x, s.bool()), lambda: hinge(x, s * 0, reduction="none"), lambda: hinge(x, s, margin="a"), lambda: hinge(x, 5), lambda: hinge(5, x),
        lambda: hinge(x[:0], s[:0]),
        lambda: rank(x, y, s[:1]), lambda: rank(x, y, s[0]), lambda: rank(x, y, s.long()), lambda: rank(whole, whole, whole), lambda: rank(x.double(), y, s),
        lambda: rank(x, y, s, margin="a"), lambda: rank(x, y, 5), lambda: rank(x[:0], y[:0], s[:0]), lambda: rank(x, y, s, reduction="z"),
        lambda: rank(x, y, s, size_average=True, reduce=False),
    ])  # fmt: skip


@case
def losses_of_distances(t):
    x, y, _, s, whole = things(t)
    p = t.tensor([1, -1, 1])
    cos, three, own = (
        F(t).cosine_embedding_loss,
        F(t).triplet_margin_loss,
        F(t).triplet_margin_with_distance_loss,
    )
    return tried([
        lambda: cos(x, y, p.float()), lambda: cos(x, y, p[:2]), lambda: cos(x, y[:1], p), lambda: cos(x[0], y[0], p[0]), lambda: cos(x[0], y[0], p),
        lambda: cos(x, y, p[0]), lambda: cos(x, y, p[None]), lambda: cos(x, y, t.tensor([1, 0, 2]), reduction="none"), lambda: cos(whole, whole, p[:2]),
        lambda: cos(x.double(), y, p), lambda: cos(x[:0], y[:0], p[:0]), lambda: cos(x, y, p, margin="a"), lambda: cos(x, y, 5),
        lambda: cos(x * 0, y * 0, p, reduction="none"), lambda: cos(x, y[0], p), lambda: cos(x * 1e-8, y * 1e-5, p, reduction="none"),
        lambda: three(x, y, s[0]), lambda: three(x, y[:1], s), lambda: three(x, y, s, margin=0), lambda: three(x, y, s, p=1), lambda: three(x, y, s, p=float("inf")),
        lambda: three(x, y, s, swap=True), lambda: three(x[0], y[0], s[0], reduction="none"), lambda: three(whole, whole, whole), lambda: three(x, y, s, margin="a"),
        lambda: three(x, y, 5), lambda: three(x, y, s, p="a"), lambda: three(x[:0], y[:0], s[:0]), lambda: three(x, y[:, :2], s), lambda: three(x, y, s, swap=1),
        lambda: own(x, y, s[0]), lambda: own(x, y, s, margin=0), lambda: own(x, y, s, reduction="q"), lambda: own(x, y, s, swap=True), lambda: own(x, y, 5),
        lambda: t.nn.TripletMarginLoss(margin=0), lambda: t.nn.TripletMarginWithDistanceLoss(margin=-1.0),
    ])  # fmt: skip


@case
def losses_of_distributions(t):
    x, y, c, _, whole = things(t)
    kl, poisson, gauss = F(t).kl_div, F(t).poisson_nll_loss, F(t).gaussian_nll_loss
    return tried([
        lambda: kl(x, y), lambda: kl(x, y, reduction="batchmean"), lambda: kl(x, y, False), lambda: kl(x, y, reduction="q"), lambda: kl(x, y[:1]),
        lambda: kl(x, y[:, :2]), lambda: kl(x, y.double()), lambda: kl(whole, whole), lambda: kl(x, whole[:1, :1]), lambda: kl(x, 5), lambda: kl(5, x),
        lambda: kl(t.tensor(1.0), t.tensor(1.0), reduction="batchmean"), lambda: kl(x[:0], y[:0], reduction="batchmean"), lambda: kl(x, -y, reduction="none"),
        lambda: kl(x, y * 0, reduction="none"), lambda: kl(x, y, log_target=1), lambda: kl(x, y, reduction="elementwise_mean"),
        lambda: poisson(x, y, False), lambda: poisson(x, y * 5, True, True, reduction="none"), lambda: poisson(x, y, reduction="q"),
        lambda: poisson(x, y, size_average=False), lambda: poisson(whole, whole, full=True), lambda: poisson(x, 5), lambda: poisson(5, x),
        lambda: poisson(x, y, eps="a"), lambda: poisson(x[:0], y[:0]), lambda: poisson(x, y, log_input=1), lambda: poisson(x, c), lambda: poisson(x, y, reduction=5),
        lambda: gauss(x, y, 1.0), lambda: gauss(x, y, 1), lambda: gauss(x, y, -1.0), lambda: gauss(x, y, y - 1), lambda: gauss(x, y, y[:, 0]),
        lambda: gauss(x, y, y[:, :1]), lambda: gauss(x, y, y[:1]), lambda: gauss(x, y, y[:, :2]), lambda: gauss(x, y, y[0]), lambda: gauss(x, y, t.tensor(1.0)),
        lambda: gauss(x, y, y, full=True), lambda: gauss(x, y, y, reduction="q"), lambda: gauss(x, y[:1], y), lambda: gauss(x, y, y * 0, reduction="none"),
        lambda: gauss(x, y, y, eps="a"), lambda: gauss(x, y, "a"), lambda: gauss(x, 5, y),
    ])  # fmt: skip


@case
def classes_that_do_not_fit(t):
    x, y, c, _, whole = things(t)
    f, g = F(t).cross_entropy, F(t).nll_loss
    deep, wide = x[..., None], x[..., None, None]
    return tried([
        lambda: f(x, y.long()), lambda: f(x, c.int()), lambda: f(x, c.byte()), lambda: f(x, c.float()), lambda: f(x, c.bool()), lambda: f(x, c + 2), lambda: f(x, c - 1),
        lambda: f(x, c - 1, ignore_index=-1), lambda: f(x, y, ignore_index=1), lambda: f(x, c, label_smoothing=2.0), lambda: f(x, c, label_smoothing=-1.0),
        lambda: f(x, c, label_smoothing=0.5, ignore_index=1), lambda: f(x, c, label_smoothing="a"), lambda: f(x, c, weight=t.ones(3)), lambda: f(x, y, weight=t.ones(3)),
        lambda: f(x, c, weight=t.ones(4).double()), lambda: f(x, c, weight=t.ones(4, 1)), lambda: f(x[0], c), lambda: f(x[0], c[:1]), lambda: f(x[0, 0], c[0]),
        lambda: f(x, c[0]), lambda: f(x, c[:2]), lambda: f(x, c[:, None]), lambda: f(deep, c), lambda: f(deep, c[:, None, None]), lambda: f(wide, c[:, None]),
        lambda: f(wide, c[:, None, None].expand(3, 2, 2)), lambda: f(wide[..., None], c), lambda: f(x[:0], c[:0]), lambda: f(x[:0], c[:0], reduction="sum"),
        lambda: f(x[:, :0], c), lambda: f(x[:0], y[:0]), lambda: f(x.half(), c), lambda: f(whole, c[:2]), lambda: f(x, 5), lambda: f(5, c), lambda: f(x, c, 5),
        lambda: f(x, c, reduction=5), lambda: f(x, c, ignore_index="a"), lambda: f(x, c * 0 - 100), lambda: f(x, c * 0 - 100, label_smoothing=0.1),
        lambda: f(x, y, label_smoothing=0.3, reduction="none"), lambda: f(x, y.double()), lambda: f(x[0], y[0], weight=y[0]), lambda: f(x, c.double(), label_smoothing=0.1),
        lambda: f(deep, c[:, None], label_smoothing=0.1, weight=y[0], reduction="none"), lambda: f(x[0], c[0], label_smoothing=0.1, weight=y[0], reduction="none"),
        lambda: g(x, y), lambda: g(x, c.float()), lambda: g(whole, c[:2]), lambda: g(deep, c[:, None], weight=t.ones(3)), lambda: g(x[0], c[:1], reduction="none"),
        lambda: g(wide, c[:, None, None].int()), lambda: g(wide, c[:, None, None].byte()), lambda: g(x[0], c[0] + 7), lambda: g(x[0], c[0] - 100),
        lambda: g(x, c, t.ones(4, requires_grad=True)), lambda: g(x[:0, :, None], c[:0, None]), lambda: g(x, c.to(t.int8)), lambda: g(x, c[0]), lambda: g(deep, c[0]),
        lambda: g(wide, c), lambda: g(wide, c[:, None, None][..., :0]), lambda: g(x, c.add(2), reduction="none"),
        lambda: f(x, y, label_smoothing=2.0), lambda: f(t.tensor([[1000.0, -1000.0, float("inf"), 0.0]]), t.tensor([1]), reduction="none"),
        lambda: f(t.tensor([[1e30, -1e30, -float("inf")]]), t.tensor([2]), reduction="none"),
    ])  # fmt: skip


def texts(t):
    """Return log-probabilities of five letters at six times, three texts, and their lengths."""
    raw = t.tensor([[[((7 * i + 5 * j + 3 * k * k) % 11) / 3 for k in range(5)] for j in range(3)] for i in range(6)])  # fmt: skip
    return raw.log_softmax(2), t.tensor([[1, 2], [3, 4], [1, 1]]), (6, 6, 6), (2, 2, 2)


@case
def ctc_loss(t):
    x, y, n, m = texts(t)
    f = F(t).ctc_loss
    return tried([
        lambda: f(x, y, n, m), lambda: f(x, y.int(), n, m), lambda: f(x, y.float(), n, m), lambda: f(x.half(), y, n, m), lambda: f(x.long(), y, n, m), lambda: f(x[None], y, n, m),
        lambda: f(x[0, 0], y, n, m), lambda: f(x[:, 0], y[0], (6,), (2,)), lambda: f(x[:, 0], y[0], 6, 2), lambda: f(x[:, 0], y[0], t.tensor(6), t.tensor(2), reduction="none"),
        lambda: f(x, y, n, m, blank=5), lambda: f(x, y, n, m, blank=-1), lambda: f(x, y, n, m, blank=1), lambda: f(x, y, (6, 6), m), lambda: f(x, y, n, (2, 2)),
        lambda: f(x, y, (7, 6, 6), m), lambda: f(x, y, (-1, 6, 6), m), lambda: f(x, y, n, (3, 2, 2)), lambda: f(x, y, n, (-1, 2, 2)), lambda: f(x, y.reshape(-1), n, m),
        lambda: f(x, y.reshape(-1)[:5], n, m), lambda: f(x, y.reshape(-1), n, (1, 2, 2)), lambda: f(x, y[:2], n, m), lambda: f(x, y[None], n, m), lambda: f(x, t.tensor(1), n, m),
        lambda: f(x, y, t.tensor([6.0, 6, 6]), t.tensor(m)), lambda: f(x, y, t.tensor(n), m), lambda: f(x, y, [6, 6, 6], [2.0, 2, 2]), lambda: f(x, y, n, m, reduction="x"),
        lambda: f(x, y, (6, 6, 2), m, reduction="none"), lambda: f(x, y, (6, 6, 2), m, reduction="none", zero_infinity=True), lambda: f(x, y, (0, 6, 1), (0, 2, 0), reduction="none"),
        lambda: f(x[:, :0], y[:0], (), ()), lambda: f(x, y, (0, 0, 0), (0, 0, 0)), lambda: f(1, y, n, m), lambda: f(x, 1, n, m), lambda: f(x, y, None, m),
        lambda: f(x, y, n, m, blank="a"), lambda: f(x, y, n, m, zero_infinity=1),
    ])  # fmt: skip


@case
def ctc_loss_gradients(t):
    x, y, _, m = texts(t)
    found = []
    for zero in (False, True):
        for times, sizes in (((6, 5, 2), m), ((6, 5, 0), (2, 0, 0))):
            leaf = x.clone().requires_grad_()
            out = F(t).ctc_loss(leaf, y, times, sizes, reduction="none", zero_infinity=zero)
            found += [out, t.autograd.grad(out, leaf, t.tensor([1.0, 2.0, 3.0]))]
    never = t.full((4, 1, 3), -float("inf"))
    never[:, :, 1] = 0
    never.requires_grad_()
    out = F(t).ctc_loss(never, t.tensor([[1]]), (4,), (1,))
    return [*found, out, t.autograd.grad(out, never)]


@case
def without_second_derivatives(t):
    x, _, c, _, _ = things(t)

    def twice(loss):
        leaf = x.clone().requires_grad_()
        (g,) = t.autograd.grad(loss(leaf), leaf, create_graph=True)
        return error(lambda: t.autograd.grad(g.square().sum(), leaf))

    f = F(t)
    return [
        twice(lambda a: f.multi_margin_loss(a, c)),
        twice(lambda a: f.multilabel_margin_loss(a, t.tensor([[1, 2, -1, 0]] * 3))),
        twice(lambda a: f.ctc_loss(a.log_softmax(1)[:, None], t.tensor([[1]]), (3,), (1,))),
    ]


@case
def top_level(t):
    x, y, c, s, _ = things(t)
    lp, letters, n, m = texts(t)
    return tried([
        lambda: t.kl_div(x, y), lambda: t.kl_div(x, y, 1), lambda: t.kl_div(x, y, 7), lambda: t.kl_div(x, y, "mean"), lambda: t.kl_div(), lambda: t.kl_div(x, y, 1, True),
        lambda: t.poisson_nll_loss(x, y, True, False, 1e-8, 2), lambda: t.poisson_nll_loss(x, y), lambda: t.cosine_embedding_loss(x, y, c), lambda: t.cosine_embedding_loss(x, y, c, 0.1, 1),
        lambda: t.cosine_embedding_loss(1), lambda: t.hinge_embedding_loss(x, s, 0.5, 2), lambda: t.hinge_embedding_loss(x), lambda: t.margin_ranking_loss(x, y, s[0]),
        lambda: t.margin_ranking_loss(x, y, 5), lambda: t.margin_ranking_loss(x, y, s, 0.1, 1), lambda: t.triplet_margin_loss(x, y, s), lambda: t.triplet_margin_loss(x, y, s, 1.0, 2, 1e-6, False, 1),
        lambda: t.triplet_margin_loss(x, y, s[0]), lambda: t.binary_cross_entropy_with_logits(x, y), lambda: t.binary_cross_entropy_with_logits(x, y, reduction=1),
        lambda: t.binary_cross_entropy_with_logits(x, 5), lambda: t.ctc_loss(lp, letters, n, m), lambda: t.ctc_loss(lp, letters, n, m, 0, 1), lambda: t.ctc_loss(lp, letters, n, m, 0, "mean"),
    ])  # fmt: skip


@case
def adaptive_softmax(t):
    make = t.nn.AdaptiveLogSoftmaxWithLoss
    t.manual_seed(0)
    layer = make(4, 9, [2, 5], 2.0)
    x, _, c, _, _ = things(t)
    out = layer(x, c)
    return [
        type(out).__name__,
        list(out._fields),
        [out.loss, out.output, layer(x[0], c[2]).output.shape],
        error(lambda: make(4, 9, [])),
        error(lambda: make(4, 9, [5, 2])),
        error(lambda: make(4, 9, [2, 9])),
        error(lambda: make(4, 9, [0, 2])),
        error(lambda: make(4, 9, [2, 2])),
        error(lambda: layer(x, c[:2])),
        error(lambda: layer(x[None], c)),
        error(lambda: layer(x, c[0])),
        error(lambda: layer(x, c[None])),
        error(lambda: layer(x, c + 8)),
        sorted(k for k in vars(layer) if k[0] != "_"),
        layer.predict(x),
    ]


@case
def linear_cross_entropy(t):
    x, y, c, _, _ = things(t)
    w = y.clone().requires_grad_()
    f, options = F(t).linear_cross_entropy, t.nn.LinearCrossEntropyOptions

    def value(function):
        out = function()
        return [out, t.autograd.grad(out.sum(), w)]

    kept = f(x, w, c, options=options())
    kept.backward(retain_graph=True)
    return [
        *(value(lambda o=o, r=r: f(x, w, c, reduction=r, options=o, ignore_index=1)) for o in (None, options(batch_chunk_size=2)) for r in ("mean", "sum", "none")),
        value(lambda: f(x, w, c, weight=t.tensor([1.0, 2.0, 0.5]), linear_bias=t.ones(3), options=options(chunking_method="aspect_ratio"))),
        f(x[:0], w, c[:0], options=options()),
        error(kept.backward),
        error(lambda: f(x[None], w, c)),
        error(lambda: f(x, w[0], c)),
        error(lambda: f(x[:, :2], w, c)),
        error(lambda: f(x, w, c, linear_bias=t.ones(2))),
        error(lambda: f(x[0], w[:, None], c)),
        error(lambda: f(x, w, y[:, :3], ignore_index=1)),
        error(lambda: f(x, w.double(), c, options=options())),
        error(lambda: f(x, w, c, weight=t.ones(2), options=options())),
        error(lambda: f(x, w, c, options=options(acc_dtype=t.float64))),
        tried([lambda: f(x, w, c, label_smoothing=0.1, options=options())]),
        repr(options(batch_chunk_size=3)),
        error(lambda: options(acc_policy="q")),
        error(lambda: options(chunking_method="aspect_ratio:0")),
        error(lambda: options(batch_chunk_size=0)),
        error(lambda: t.nn.LinearCrossEntropyLoss(3, 5, weight=t.ones(4))),
        error(lambda: t.nn.LinearCrossEntropyLoss(3, 5, label_smoothing=2.0)),
        repr(t.nn.LinearCrossEntropyLoss(3, 5, bias=True)),
    ]  # fmt: skip


@case
def reductions_by_number(t):
    r = t.nn._reduction
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [
            [r.get_enum(x) for x in ("none", "mean", "sum", "elementwise_mean")],
            error(lambda: r.get_enum("batchmean")),
            [r.legacy_get_string(a, b) for a in (None, True, False) for b in (None, True, False)],
            r.legacy_get_enum(False, None),
            [m.reduction for m in (t.nn.MSELoss(False), t.nn.NLLLoss2d(reduce=False))],
        ]


@case
def second_derivatives_where_the_first_is_constant(t):
    """A slope that changes nowhere has a derivative all the same, 0; at the corner of huber's it is 0 too."""
    f, found = F(t), []
    y, c = t.tensor([0.0, 1.0, -1.0, 2.0]), t.tensor([1, 0])
    weight = t.tensor([1.0, 2.0], requires_grad=True)
    for loss in (
        lambda x: f.l1_loss(x, y),
        lambda x: f.smooth_l1_loss(x, y, beta=0.0),
        lambda x: f.smooth_l1_loss(x, y),
        lambda x: f.huber_loss(x, y, reduction="sum"),
        lambda x: f.nll_loss(x.view(2, 2), c),
        lambda x: f.nll_loss(x.view(2, 2, 1), c[:, None], reduction="sum"),
        lambda x: f.multilabel_soft_margin_loss(x.view(2, 2), t.eye(2), weight),
    ):
        x = t.tensor([1.0, 1.5, -1.0, 0.25], requires_grad=True)
        (g,) = t.autograd.grad(loss(x), [x], create_graph=True)
        # PyTorch's zeros may have no memory until something is added
        found.append([g.requires_grad, g, t.autograd.grad((g * y).sum(), [x])[0] + t.zeros(())])
    return found


@case
def numbers_of_another_kind(t):
    """Weights of any dtype, numbers that are no ints, ints that are no numbers here."""
    import numpy as np

    f, (x, y, c, s, _) = F(t), things(t)
    p, w = x.sigmoid(), t.tensor([0.5, 2.0, 1.0, 0.25])
    return tried([
        lambda: f.binary_cross_entropy(p, y, w.half()),
        lambda: f.binary_cross_entropy(p, y, w.double()),
        lambda: f.binary_cross_entropy(p, y, w.long()),
        lambda: t.nn.BCELoss(w).half()(p, y),
        lambda: t.hinge_embedding_loss(x, s, 10**30, np.int64(1)),
        lambda: t.hinge_embedding_loss(x, s, 1.0, True),
        lambda: t.triplet_margin_loss(x, x, y, reduction=True),
        lambda: t.margin_ranking_loss(x, 1.5, s),
        lambda: f.nll_loss(x, c, ignore_index=np.int64(1)),
        lambda: f.nll_loss(x, c, ignore_index=True),
        lambda: f.cross_entropy(x, c, ignore_index=1.5),
        lambda: t.nn.MSELoss(margin=1),
        lambda: t.nn.BCELoss(w, weight=w),
    ])  # fmt: skip
