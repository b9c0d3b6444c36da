"""Chapter 16, continued: gradients that are too long are shortened, together or number by number."""

from __future__ import annotations

from ..exercise import Exercise
from .listening import uses

# ---- 16.5

by_norm = Exercise(
    "16.5",
    title="Clip by norm",
    takes=("clip_grad_norm_",),
    minutes=10,
    writes=("clip_grad_norm_",),
    hints=(
        "There are two passes: first the norm of everything, and then one factor for everything. Which gradients count?",
        "The norm of the norms is the norm of all numbers together: `nbmodule.stack([…]).norm(norm_type)`. `g.mul_(factor)` changes a gradient in place.",
        "`total = nbmodule.stack([g.norm(norm_type) for g in gradients]).norm(norm_type)`, then `factor = max_norm / (total + 1e-6)`, "
        "and if the factor is below 1, `g.mul_(factor)` for each gradient. Return `total`.",
    ),
)
by_norm.compare_uses(
    "all gradients become shorter, and keep their direction",
    uses(
        "give(p, 3, 0); give(q, 4); clip_grad_norm_([p, q], 1.0); p.grad, q.grad",
        "give(p, 3, -4); clip_grad_norm_([p], 1.0); p.grad",
        "give(p, 3000, 4000); clip_grad_norm_([p], 1.0); p.grad",
        "give(p, 3, 4); clip_grad_norm_([p], 0.0); p.grad",
        "give(p, 30, 40); give(q, 0); clip_grad_norm_([p, q], max_norm=5); p.grad, q.grad",
        "give(p, 0.6, 0); give(q, -0.8); clip_grad_norm_([p, q], 0.5); p.grad, q.grad",
        "give(p, 3, 0); give(q, 4); clip_grad_norm_((t for t in [p, q]), 1.0); p.grad, q.grad",
        "give(p, 1e-6, 0); clip_grad_norm_([p], 1e-6); p.grad * 1e6",
        "m = tensor([[1.0, 0.0], [0.0, 1.0]]); m.grad = tensor([[3.0, 0.0], [0.0, 4.0]]); clip_grad_norm_([m], 1.0); m.grad",
    ),
)
by_norm.compare_uses(
    "short gradients stay as they are",
    uses(
        "give(p, 0.3, 0); give(q, 0.4); clip_grad_norm_([p, q], 1.0); p.grad, q.grad",
        "give(p, 0.6, 0); give(q, 0.7); clip_grad_norm_([p, q], 1.0); p.grad, q.grad",
        "give(p, 0, 0); clip_grad_norm_([p], 1.0); p.grad",
    ),
)
by_norm.compare_uses(
    "it returns the norm from before the clipping",
    uses(
        "give(p, 3, 0); give(q, 4); clip_grad_norm_([p, q], 1.0).item()",
        "give(p, 0.3, 0); give(q, -0.4); clip_grad_norm_([p, q], 1.0).item()",
        "give(p, 3, -4); clip_grad_norm_(iter([p]), 1.0).item()",
        "clip_grad_norm_([p, q], 1.0).item()",
        "clip_grad_norm_([], 1.0).item()",
    ),
)
by_norm.compare_uses(
    "other norms",
    uses(
        "give(p, 3, 0); give(q, -4); clip_grad_norm_([p, q], 1.0, norm_type=1).item()",
        "give(p, 3, 1); give(q, -4); clip_grad_norm_([p, q], 1.0, norm_type=float('inf')).item()",
        "give(p, 3, 1); give(q, -4); clip_grad_norm_([p, q], 2.0, float('inf')); p.grad, q.grad",
        "give(p, 3, 1); give(q, -4); clip_grad_norm_([p, q], 2.0, 1.0); p.grad, q.grad",
    ),
)
by_norm.compare_uses(
    "gradients change in place, and nothing else changes",
    uses(
        "g = give(p, 3, 4); clip_grad_norm_([p], 1.0); p.grad is g, g",
        "g = give(p, 3, 4); part = g[1:]; clip_grad_norm_([p], 1.0); part",
        "give(p, 3, 4); p.requires_grad_(False); clip_grad_norm_([p], 1.0); p.grad",
        "give(p, 3, 4); clip_grad_norm_([p], 1.0); p.detach()",
        "give(p, 3, 4); clip_grad_norm_([p, q], 1.0); p.grad, q.grad",
        "give(q, 4); clip_grad_norm_([p, q], 1.0); p.grad, q.grad",
        "give(p, 3, 4); give(q, 4); clip_grad_norm_([p], 1.0); q.grad",
    ),
)
_GRADS = "gradients = [p.grad for p in parameters if p.grad is not None]"
_NORMS = "norms = nbmodule.stack([g.norm(norm_type) for g in gradients])"
_TOTAL, _FACTOR = "total = norms.norm(norm_type)", "factor = max_norm / (total + 1e-6)"
_IF, _MUL = "if factor < 1:", "g.mul_(factor)"
# fmt: off
by_norm.wrongs(
    ("each for itself", {_MUL: "if g.norm(norm_type) > max_norm:\n    g.mul_(max_norm / g.norm(norm_type))", _IF: "if True:"}, "each gradient is shortened by its own norm, so the direction of the whole changes; use one factor for all of them"),
    ("always scaled", {_IF: "if True:"}, "short gradients are made longer; use the factor only if it's below 1"),
    ("sum of norms", {_TOTAL: "total = norms.sum()"}, "the norms are added up; the norm of all numbers together is the norm of the norms"),
    ("longest only", {_TOTAL: "total = norms.max()"}, "only the longest gradient counts; take the norm over all of them together"),
    ("mean of norms", {_TOTAL: "total = norms.mean()"}, "this is the average of the norms; take the norm over all of them together"),
    ("squared", {_TOTAL: "total = norms.norm(norm_type) ** 2"}, "this uses the square of the norm; take its root"),
    ("norm 2 only", {_NORMS: _NORMS.replace("norm_type", ""), _TOTAL: "total = norms.norm()"}, "`norm_type` isn't used"),
    ("inner norm 2", {_NORMS: _NORMS.replace("norm_type", "")}, "`norm_type` is used for the norm of the norms only; each gradient's norm needs it too"),
    ("no small number", {_FACTOR: "factor = max_norm / total"}, "the denominator lacks 1e-6; PyTorch divides by the norm plus 1e-6"),
    ("a new tensor", {_IF: "if factor < 1:\n    for p in [p for p in parameters if p.grad is not None]:\n        p.grad = p.grad * factor\nif False:", _GRADS: f"parameters = list(parameters)\n{_GRADS}"}, "`grad` becomes another tensor; change it in place, with `mul_`"),
    ("twice through", {_MUL: "pass", _IF: "if factor < 1:\n    for p in parameters:\n        if p.grad is not None:\n            p.grad.mul_(factor)\nif False:"}, "a generator is empty the second time, so nothing is shortened; make a list of the gradients once"),
    ("another name", {_MUL: "g = g * factor"}, "nothing is shortened: `g = …` only gives the name `g` to another tensor; `g.mul_(factor)` changes the gradient itself"),
    ("the limit", {"return total": "return tensor(float(max_norm))"}, "`max_norm` is returned; return the norm before the shortening"),
    ("values", {_GRADS: f"parameters = list(parameters)\n{_GRADS}", _MUL: "g.mul_(factor)\nfor p in parameters:\n    p.data.mul_(factor)"}, "the Parameters themselves are shortened as well; shorten only their gradients"),
    ("None breaks", {_GRADS: "gradients = [p.grad for p in parameters]"}, "a Parameter without a gradient isn't skipped"),
    ("nothing to do breaks", {"if not gradients:\n    return tensor(0.0)": ""}, "without any gradient, there's nothing to stack; return a norm of 0"),
    ("norm after", {"return total": "return min(total, tensor(float(max_norm)))"}, "the norm after the shortening is returned; return the one before"),
    ("the factor", {"return total": "return factor"}, "the factor is returned; return the norm before the shortening"),
    ("nothing", {"return total": ""}, "`clip_grad_norm_` returns None; return the norm before the shortening"),
    ("a number", {"return total": "return total.item()"}, "a Python number is returned; return the norm as a tensor"),
    ("the plain 0", {"return tensor(0.0)": "return 0.0"}, "without any gradient, a Python number is returned; return a tensor with 0"),
    ("other memory", {_MUL: "g.data = g.data * factor"}, "the new numbers are in another piece of memory, so a view of the gradient keeps the old ones; change it in place, with `mul_`"),
    ("no limit of 0", {_IF: "if max_norm and factor < 1:"}, "a `max_norm` of 0 is a limit as well: the gradients become 0"),
    ("stops at None", {_GRADS: "gradients = []\nfor p in parameters:\n    if p.grad is None:\n        break\n    gradients.append(p.grad)"}, "everything after a Parameter without a gradient is left out; skip only that one"),
)
# fmt: on

# ---- 16.6

by_value = Exercise(
    "16.6",
    title="Clip by value",
    takes=("clip_grad_value_",),
    minutes=4,
    importance="useful",
    writes=("clip_grad_value_",),
    hints=(
        "Here, no number depends on any other, so a single loop is enough.",
        "A tensor has a method that brings its numbers into a range, in place: `clamp_(low, high)`.",
        "For each `p` whose `grad` isn't None: `p.grad.clamp_(-clip_value, clip_value)`.",
    ),
)
by_value.compare_uses(
    "each number ends up in the range",
    uses(
        "give(p, 3, -0.5); give(q, -4); clip_grad_value_([p, q], 1.0); p.grad, q.grad",
        "give(p, -7, 7); clip_grad_value_([p], 2); p.grad",
        "give(p, 0.5, -0.25); clip_grad_value_([p], 1.0); p.grad",
        "give(p, 3, 4); give(q, 5); clip_grad_value_((t for t in [p, q]), clip_value=4.5); p.grad, q.grad",
        "give(p, 3, 4); clip_grad_value_([p], 1.0); p.grad.norm().item() > 1",
        "m = tensor([[1.0, 0.0], [0.0, 1.0]]); m.grad = tensor([[3.0, -1.0], [0.5, -4.0]]); clip_grad_value_([m], 1.0); m.grad",
    ),
)
by_value.compare_uses(
    "gradients change in place, and nothing else changes",
    uses(
        "g = give(p, 3, 4); clip_grad_value_([p], 1.0); p.grad is g, g",
        "g = give(p, 3, 4); part = g[1:]; clip_grad_value_([p], 1.0); part",
        "give(p, 3, 4); p.requires_grad_(False); clip_grad_value_([p], 1.0); p.grad",
        "give(p, 3, 4); clip_grad_value_([p], 1.0); p.detach()",
        "give(q, 4); clip_grad_value_([p, q], 1.0); p.grad, q.grad",
        "give(p, 3, 4); clip_grad_value_([p, q], 1.0); p.grad, q.grad",
        "give(p, 3, 4); clip_grad_value_([p], 1.0)",
    ),
)
_CLAMP = "p.grad.clamp_(-clip_value, clip_value)"
# fmt: off
by_value.wrongs(
    ("a new tensor", {_CLAMP: "p.grad = p.grad.clamp(-clip_value, clip_value)"}, "`grad` becomes another tensor; change it in place, with `clamp_`"),
    ("other memory", {_CLAMP: "p.grad.data = p.grad.clamp(-clip_value, clip_value)"}, "the new numbers are in another piece of memory, so a view of the gradient keeps the old ones; change it in place, with `clamp_`"),
    ("row by row", {_CLAMP: "for i in range(len(p.grad)):\n    p.grad[i] = max(-clip_value, min(clip_value, p.grad[i].item()))"}, "the loop works for a gradient with one dimension only; `clamp_` takes any shape"),
    ("frozen ones too long", {"if p.grad is not None:": "if p.grad is not None and p.requires_grad:"}, "a gradient is left as it is if its Parameter doesn't require one any more; clip every gradient"),
    ("nothing changes", {_CLAMP: "p.grad.clamp(-clip_value, clip_value)"}, "nothing changes, because `clamp` returns a new tensor; `clamp_` works in place"),
    ("above only", {_CLAMP: "p.grad.clamp_(max=clip_value)"}, "numbers below the range stay; there's a limit on both sides"),
    ("from 0", {_CLAMP: "p.grad.clamp_(0, clip_value)"}, "negative numbers become 0; the range begins at -clip_value"),
    ("sign lost", {_CLAMP: "p.grad.abs_().clamp_(max=clip_value)"}, "negative numbers become positive; the range goes from -clip_value to clip_value"),
    ("by the norm", {_CLAMP: "p.grad.mul_(min(1, clip_value / p.grad.abs().max().item()))"}, "the whole gradient is made smaller; limit each number on its own"),
    ("the values", {_CLAMP: "p.data.clamp_(-clip_value, clip_value)"}, "the Parameter is clipped; clip its gradient"),
    ("None breaks", {"if p.grad is not None:": "if True:"}, "a Parameter without a gradient isn't skipped"),
    ("first only", {_CLAMP: f"{_CLAMP}\nbreak"}, "only the first gradient is clipped"),
    ("dropped", {_CLAMP: "p.grad.mul_((p.grad.abs() <= clip_value).float())"}, "numbers outside the range become 0; they should become the nearer end of the range"),
)
# fmt: on
