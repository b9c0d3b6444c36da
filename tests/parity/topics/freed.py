"""Whether a second backward pass finds what the operation saved, operation by operation."""

from casebook import case, error

EXPRESSIONS = [
    "a * 2", "2 * a", "a / 2", "a + 1", "a - 1", "1 - a", "-a", "a.sum()", "a.mean()", "a**2", "2 / a",
    "a.view(-1)", "a[0]", "a.exp()", "a.relu()", "a.clamp(0, 1)", "a.t()", "a.tril()", "a.triu()",
    "a.masked_fill(a > 0, 1.0)", "t.where(a > 0, a, 0.0)", "t.cat([a, a])", "t.stack([a, a])", "a.cumsum(0)",
    "a.max()", "a.max(0)[0]", "a.sort()[0]", "a[[0]]", "a[a > 0]", "a.index_select(0, t.tensor([0]))",
    "a.repeat(2, 1)", "a.flip(0)", "a.roll(1)", "a.expand(2, 2, 2)", "a.diagonal()", "a.abs()", "a.sign()",
    "a.round()", "a @ a", "a.var()", "a.norm()", "a.prod()", "a.double()", "a.clone()", "a.unbind()[0]",
    "a.split(1)[0]", "a.lerp(a.detach(), 0.5)", "t.maximum(a, a.detach())", "a.topk(1)[0]", "a.sqrt()",
    "a.softmax(0)", "a * t.tensor(2.0)", "a.remainder(2)", "a.narrow(0, 0, 1)", "a.unfold(0, 2, 1)",
    "a.logsumexp(0)", "a.amax()",
]  # fmt: skip


@case
def second_pass(t):
    found = {}
    for expression in EXPRESSIONS:
        a = t.tensor([[1.0, -2.0], [3.0, 4.0]], requires_grad=True)
        y = eval(expression, {"t": t, "a": a}).sum()
        y.backward()
        found[expression] = error(y.backward).partition(" (or")[0]
    return found
