"""Gradients at infinities, NaNs, kinks and ties, and of empty tensors."""

import math

from casebook import case, error

EXPRESSIONS = [
    "a.relu()", "a.clamp(-0.5, 0.5)", "a.clamp(min=0.1)", "t.clamp(a, b - 1, b + 1)", "t.maximum(a, b)",
    "t.minimum(a, b)", "t.fmax(a, b)", "a.max()", "a.max(0)[0]", "a.amax(0)", "t.where(a > 0, a, b)",
    "a.masked_fill(a > 0, 1.0)", "a * b", "a.abs()", "a.cumsum(1)", "a.sum(0)", "a.softmax(1)", "a.sort()[0]",
    "t.nn.functional.max_pool2d(a[None], 2)",
]  # fmt: skip


@case
def infinities_and_nans(t):
    found = {}
    for expression in EXPRESSIONS:
        for arriving in (math.nan, math.inf):
            a = t.tensor([[0.4, -1.5, 1.2], [0.0, 1.9, -0.3]], requires_grad=True)
            b = t.tensor([[1.1, -1.5, 0.2], [0.7, -1.0, 0.0]], requires_grad=True)
            y = eval(expression, {"t": t, "a": a, "b": b})
            g = t.ones(y.numel())
            g[::2] = arriving
            y.backward(g.reshape(y.shape))
            found[f"{expression} {arriving}"] = [a.grad, b.grad]
    return found


SECOND = [
    "a.relu()", "a.abs()", "a.relu() * a", "t.relu_(a.clone())", "a.norm(1)",
    "t.linalg.vector_norm(a, float('inf'), -1)", "t.linalg.vector_norm(a, 1, 0)", "t.logaddexp(a, b)",
    "t.logaddexp2(a, b)", "t.logaddexp(a, a.detach())",
]  # fmt: skip


@case
def second_derivatives_at_kinks_and_ties(t):
    found = {}
    for expression in SECOND:
        a = t.tensor([[0.0, -1.5, 1.5], [0.5, 2.0, math.nan]], requires_grad=True)
        b = t.tensor([[0.0, -1.5, 0.2], [0.7, -1.0, 0.0]], requires_grad=True)
        y = eval(expression, {"t": t, "a": a, "b": b})
        (first,) = t.autograd.grad(y.sum(), a, create_graph=True)
        (second,) = t.autograd.grad(first.sum(), a)
        found[expression] = [first.detach(), second + 0]
    return found


@case
def nothing_to_reduce(t):
    empty = t.zeros(3, 0, requires_grad=True)
    empty.mv(empty[0]).sum().backward()
    return [
        empty.grad.shape,
        t.zeros(0, 3).aminmax(dim=-1).min,
        error(lambda: t.zeros(0, 3).aminmax(dim=-2)),
        error(lambda: t.zeros(0, 3).aminmax()),
        error(lambda: t.zeros(0).aminmax(dim=1)),
        t.tensor(0.5).scatter_reduce(0, t.tensor(0), t.tensor(2.0), "mean"),
    ]


@case
def rows_that_are_ignored(t):
    f, found = t.nn.functional, []
    for target in ([-100, -100], [1, -100]):
        for loss in (f.cross_entropy, f.nll_loss):
            for reduction in ("mean", "sum", "none"):
                x = t.zeros(2, 3, requires_grad=True)
                loss(x, t.tensor(target), reduction=reduction).sum().backward()
                found += [x.grad, repr(x.grad)]
    return found
