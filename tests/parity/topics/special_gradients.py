"""Where infinities and NaNs in the arriving gradient go: not to elements that the result did not depend on."""

import math

from casebook import case

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
