"""Losses, and what is like them."""

from ..module_row import Row
from .containers import deprecated

A = (3, 4)


def classes(t):
    return t.tensor([2, 0, 3])


def pixels(t):
    return t.tensor([[[0, 1], [2, 2]], [[-100, 1], [0, 0]]])


def signs(t):
    return t.tensor([[1.0, -1.0, 1.0, 1.0], [-1.0, -1.0, 1.0, -1.0], [1.0, 1.0, -1.0, 1.0]])


def ones(t):
    return (signs(t) + 1) / 2


def probable(module, x, y):
    return module(x.sigmoid(), y)


def weights(t, n=4):
    return t.arange(1.0, n + 1) / 2


def each(name, inputs, call=None, variants=({}, {"reduction": "sum"}, {"reduction": "none"}), **more):  # fmt: skip
    return [
        Row(
            f"{name}{''.join(f'_{k}_{v}' for k, v in options.items())}",
            lambda t, options=options: getattr(t.nn, name)(
                **{k: v(t) if callable(v) else v for k, v in options.items()}
            ),
            inputs,
            call,
            **more,
        )
        for options in variants
    ]


NO_HALF = {"half": False}
NO_CALL = "methods of the module, not calls"

ROWS = [
    *each("L1Loss", (A, A)),
    *each("MSELoss", (A, A)),
    *each("SmoothL1Loss", (A, A), variants=({}, {"beta": 0.5, "reduction": "sum"}, {"beta": 0.0})),
    *each("HuberLoss", (A, A), variants=({}, {"delta": 0.5, "reduction": "none"})),
    *each("PoissonNLLLoss", (A, A), positive=True, variants=({}, {"log_input": False, "eps": 1e-3}, {"full": True})),
    *each("GaussianNLLLoss", (A, A, A), positive=True, variants=({}, {"full": True, "reduction": "none"})),
    *each("KLDivLoss", (A, A), lambda m, x, y: m(x.log_softmax(1), y.softmax(1)), variants=({"reduction": "batchmean"}, {"reduction": "sum"})),
    Row("KLDivLoss_logs", lambda t: t.nn.KLDivLoss(reduction="none", log_target=True), (A, A)),
    *each("BCELoss", (A, ones), probable),
    Row("BCELoss_weight", lambda t: t.nn.BCELoss(weights(t)), (A, ones), probable),
    *each("BCEWithLogitsLoss", (A, ones)),
    Row("BCEWithLogitsLoss_weights", lambda t: t.nn.BCEWithLogitsLoss(weights(t), pos_weight=weights(t) + 1), (A, ones)),
    *each("NLLLoss", (A, classes)),
    Row("NLLLoss_weight", lambda t: t.nn.NLLLoss(weights(t), ignore_index=0), (A, classes)),
    Row("NLLLoss2d", deprecated(lambda t: t.nn.NLLLoss2d()), ((2, 3, 2, 2), pixels)),
    Row("NLLLoss_pixels", lambda t: t.nn.NLLLoss(reduction="none"), ((2, 3, 2, 2), pixels)),
    *each("CrossEntropyLoss", (A, classes), variants=({}, {"reduction": "none"}, {"label_smoothing": 0.1})),
    Row("CrossEntropyLoss_weight", lambda t: t.nn.CrossEntropyLoss(weights(t), ignore_index=2), (A, classes)),
    Row("CrossEntropyLoss_pixels", lambda t: t.nn.CrossEntropyLoss(weights(t, 3), reduction="sum"), ((2, 3, 2, 2), pixels)),
    Row("CrossEntropyLoss_soft", lambda t: t.nn.CrossEntropyLoss(), (A, A), lambda m, x, y: m(x, y.softmax(1))),
    *each("LinearCrossEntropyLoss", (A, classes), variants=({"in_features": 4, "num_classes": 5}, {"in_features": 4, "num_classes": 5, "bias": True, "reduction": "none"})),
    Row("LinearCrossEntropyLoss_pixels", lambda t: t.nn.LinearCrossEntropyLoss(4, 5, out_features=(2,), weight=weights(t, 5)), (A, lambda t: t.tensor([[0, 1], [4, 2], [3, 3]]))),
    *each("SoftMarginLoss", (A, signs)),
    *each("MultiLabelMarginLoss", (A, lambda t: t.tensor([[1, 3, -1, 0], [2, 2, 0, -1], [-1, 1, 2, 3]])), **NO_HALF),
    *each("MultiLabelSoftMarginLoss", (A, ones)),
    *each("MultiMarginLoss", (A, classes), variants=({}, {"p": 2, "reduction": "none"}), **NO_HALF),
    Row("MultiMarginLoss_weight", lambda t: t.nn.MultiMarginLoss(margin=0.5, weight=weights(t)), (A, classes), half=False),
    *each("HingeEmbeddingLoss", (A, signs), variants=({}, {"margin": 0.5, "reduction": "none"})),
    *each("CosineEmbeddingLoss", (A, A, lambda t: t.tensor([1, -1, -1])), variants=({}, {"margin": -0.3, "reduction": "none"})),
    *each("MarginRankingLoss", (A, A, signs), variants=({}, {"margin": 0.5, "reduction": "none"})),
    *each("TripletMarginLoss", (A, A, A), variants=({}, {"margin": 2.0, "p": 1.0, "swap": True}), **NO_HALF),
    *each("TripletMarginWithDistanceLoss", (A, A, A), variants=({}, {"margin": 2.0, "swap": True, "reduction": "none"}), **NO_HALF),
    *each(
        "CTCLoss",
        ((6, 2, 4), lambda t: t.tensor([[1, 2, 2], [3, 1, 0]]), lambda t: t.tensor([6, 5]), lambda t: t.tensor([3, 2])),
        lambda m, x, *rest: m(x.log_softmax(2), *rest),
        variants=({}, {"blank": 3, "reduction": "none", "zero_infinity": True}),
        **NO_HALF,
    ),
    Row("AdaptiveLogSoftmaxWithLoss", lambda t: t.nn.AdaptiveLogSoftmaxWithLoss(4, 9, [2, 5], 2.0, True), (A, lambda t: t.tensor([0, 3, 8]))),
    Row("AdaptiveLogSoftmaxWithLoss_log_prob", lambda t: t.nn.AdaptiveLogSoftmaxWithLoss(4, 9, [2, 5], 2), (A,), lambda m, x: (m.log_prob(x), m.predict(x)), skip={"hooks": NO_CALL, "functional_call": NO_CALL}),
]  # fmt: skip
