"""Chapter 14, continued: SGD, Adam and AdamW, compared by where each step leads."""

from __future__ import annotations

from ..exercise import Exercise
from .stepping import uses

# ---- 14.3

momentum = Exercise(
    "14.3",
    title="SGD with momentum",
    takes=("SGD",),
    minutes=15,
    writes=("SGD",),
    hints=(
        "Compute the direction `d` first, decay included. Then ask whether the group has a momentum.",
        'At the first step there is no `"momentum_buffer"` in `state`, and the velocity is `d`. Later it\'s momentum times the old one, plus `d`.',
        '`d = p.grad.data + group["weight_decay"] * p.data`. With momentum: `v = group["momentum"] * state["momentum_buffer"] + (1 - group["dampening"]) * d`. '
        'With `nesterov`, the direction is `d + group["momentum"] * v`, otherwise `v`.',
    ),
)
momentum.compare_uses(
    "the options, and what is refused",
    uses(
        "sorted(SGD([p]).param_groups[0])",
        "[SGD([p]).param_groups[0][name] for name in ('lr', 'momentum', 'dampening', 'weight_decay', 'nesterov')]",
        "[SGD([p], 1, 2, 3, 4).param_groups[0][name] for name in ('lr', 'momentum', 'dampening', 'weight_decay')]",
        "SGD([p], momentum=0.9, nesterov=True).param_groups[0]['nesterov']",
        "tried(lambda: SGD([p], nesterov=True))",
        "tried(lambda: SGD([p], momentum=0.9, dampening=0.1, nesterov=True))",
        "tried(lambda: SGD([p], momentum=-0.5, nesterov=True))",
        "SGD([p], momentum=0.9, dampening=0.1).param_groups[0]['dampening']",
        "tried(lambda: SGD([]))",
        "isinstance(SGD([p]), SGD.__bases__[0])",
    ),
)
momentum.compare_uses(
    "without options, it's gradient descent",
    uses(
        "trail(SGD([p], lr=0.5), 1, 1, -4)",
        "SGD([p]).step(); p.tolist()",
        "opt = SGD([p], lr=1); give(p, 1, 1); opt.step(); p.grad.tolist()",
        "opt = SGD([p], lr=1); give(p, 1, 1); opt.step(); sum(map(len, opt.state.values()))",
    ),
)
momentum.compare_uses(
    "weight decay pulls toward 0",
    uses(
        "trail(SGD([p], lr=0.5, weight_decay=0.1), 1, 1, -4)",
        "trail(SGD([p], lr=0.5, weight_decay=0.1), 0, 0)",
        "trail(SGD([p], lr=0.5, weight_decay=0.1), None)",
        "opt = SGD([p], weight_decay=0.1); give(p, 1, 1); opt.step(); p.grad.tolist()",
        "opt = SGD([{'params': [p], 'weight_decay': 0.5}, {'params': [q]}], lr=1); give(p, 0, 0); give(q, 0); opt.step(); [p.tolist(), q.tolist()]",
    ),
)
momentum.compare_uses(
    "momentum remembers the steps before",
    uses(
        "trail(SGD([p], lr=0.5, momentum=0.9), 1)",
        "trail(SGD([p], lr=0.5, momentum=0.9), 1, 1)",
        "trail(SGD([p], lr=0.5, momentum=0.9), 1, 1, -4, 2)",
        "trail(SGD([p], lr=0.5, momentum=0.9), 1, 0, 0)",
        "trail(SGD([p], lr=0.5, momentum=0.9), 1, None, 1)",
        "trail(SGD([p], lr=0.5, momentum=0.9, dampening=0.5), 1)",
        "trail(SGD([p], lr=0.5, momentum=0.9, dampening=0.5), 1, 1, -4)",
        "trail(SGD([p], lr=0.5, momentum=0.9, weight_decay=0.1), 1, 1, -4)",
        "trail(SGD([p], lr=0.5, momentum=0.9, weight_decay=0.1), 0, 0, 0)",
        "opt = SGD([p], lr=0.5, momentum=0.9); give(p, 1, 3); opt.step(); opt.step(); opt.state[p]['momentum_buffer'].tolist()",
        "opt = SGD([p, q], lr=0.5, momentum=0.9); give(p, 1, 1); give(q, 5); opt.step(); opt.step(); [p.tolist(), q.tolist()]",
        "opt = SGD([p], lr=0.5, momentum=0.9); trail(opt, 1); opt.param_groups[0]['lr'] = 0.1; trail(opt, 1)",
        "refilled(SGD([p], lr=0.5, momentum=0.9), 1, 0, 2)",
        "trail(SGD([n], lr=0.5, momentum=0.9, weight_decay=0.1), 1, -4, of=n)",
    ),
)
momentum.compare_uses(
    "Nesterov looks one step ahead",
    uses(
        "trail(SGD([p], lr=0.5, momentum=0.9, nesterov=True), 1)",
        "trail(SGD([p], lr=0.5, momentum=0.9, nesterov=True), 1, 1, -4)",
        "trail(SGD([p], lr=0.5, momentum=0.9, nesterov=True, weight_decay=0.1), 1, 1, -4)",
        "refilled(SGD([p], lr=0.5, momentum=0.9, nesterov=True), 1, 0, 2)",
    ),
)
_CHECK = "if nesterov and (momentum <= 0 or dampening != 0):"
_D = 'd = p.grad.data + group["weight_decay"] * p.data'
_V = 'v = group["momentum"] * state["momentum_buffer"] + (1 - group["dampening"]) * d'
_SEEN = 'if "momentum_buffer" in state:'
_KEEP, _FIRST = 'state["momentum_buffer"] = v', "v = d"
_LOOK = 'd = d + group["momentum"] * v if group["nesterov"] else v'
_GO = 'p.data -= group["lr"] * d'
# fmt: off
momentum.wrongs(
    ("options on self", {"super().__init__(params, lr, **options, weight_decay=weight_decay, nesterov=nesterov)": "super().__init__(params, lr)\nself.options = options"}, "the options aren't passed on to `super().__init__`, so the groups don't have them"),
    ("negative", {_CHECK: "if nesterov and (momentum == 0 or dampening != 0):"}, "`nesterov=True` is accepted with a momentum below 0; raise a ValueError"),
    ("velocity in place", {_D: 'd = p.grad.data\nif group["weight_decay"]:\n    d = d + group["weight_decay"] * p.data', f"{_SEEN}\n    {_V}": f'{_SEEN}\n    v = state["momentum_buffer"]\n    v *= group["momentum"]\n    v += (1 - group["dampening"]) * d'}, "the velocity of the first step *is* the gradient, and `*=` changes it in place, and so the gradient; store a new tensor"),
    ("nesterov alone", {_CHECK: "if False:"}, "`nesterov=True` is accepted without a momentum; raise a ValueError"),
    ("dampening ignored", {_CHECK: "if nesterov and momentum <= 0:"}, "`nesterov=True` is accepted together with a dampening; raise a ValueError"),
    ("no decay", {_D: "d = p.grad.data * 1"}, "`weight_decay` isn't used; add it times the Parameter to the gradient"),
    ("decay upward", {_D: _D.replace(" + ", " - ")}, "the decay is subtracted from the gradient, so the weights grow"),
    ("decay after", {_D: "d = p.grad.data * 1", _GO: 'p.data -= group["lr"] * (d + group["weight_decay"] * p.data)'}, "the decay is added after the momentum, so it isn't remembered; add it to the gradient first"),
    ("gradient changed", {_D: 'd = p.grad.data\nd += group["weight_decay"] * p.data', _FIRST: "v = d * 1"}, "the gradient itself is changed: `+=` works in place; create a new tensor with `+`"),
    ("the same tensor", {_D: 'd = p.grad.data\nif group["weight_decay"]:\n    d = d + group["weight_decay"] * p.data'}, "the velocity of the first step *is* the gradient, so it changes when the gradient is filled again; store a new tensor"),
    ("not stored", {_KEEP: ""}, "the velocity isn't stored in `state`, so every step is the first one"),
    ("the gradient stored", {_KEEP: 'state["momentum_buffer"] = d'}, "the last direction is stored; store the velocity"),
    ("the other name", {_SEEN: 'if "velocity" in state:', _V: _V.replace('state["momentum_buffer"]', 'state["velocity"]'), _KEEP: 'state["velocity"] = v'}, "the velocity has another name than PyTorch's, `momentum_buffer`, so a saved state won't fit"),
    ("average", {_V: 'v = group["momentum"] * state["momentum_buffer"] + (1 - group["momentum"]) * d'}, "the velocity is an average; PyTorch's is a sum: momentum times the old one, plus the direction"),
    ("dampening unused", {_V: 'v = group["momentum"] * state["momentum_buffer"] + d'}, "`dampening` isn't used; the direction is multiplied by 1 − dampening"),
    ("dampened at once", {_FIRST: 'v = (1 - group["dampening"]) * d'}, "the first step is dampened too; the velocity starts as the whole direction"),
    ("from zero", {_FIRST: "v = d * 0"}, "the first velocity is 0, so nothing moves; it starts as the direction"),
    ("lr inside", {_FIRST: 'v = d * group["lr"]', _V: _V.replace("* d", '* group["lr"] * d'), _LOOK: _LOOK, _GO: 'p.data -= d if group["momentum"] else group["lr"] * d'}, "the learning rate is in the velocity, so a new one takes effect late; multiply at the end"),
    ("always nesterov", {_LOOK: 'd = d + group["momentum"] * v'}, "every momentum looks ahead; that's for `nesterov=True` only"),
    ("never nesterov", {_LOOK: "d = v"}, "`nesterov` isn't used; the direction is then d plus momentum times the velocity"),
    ("velocity twice", {_LOOK: 'd = v + group["momentum"] * v if group["nesterov"] else v'}, "with `nesterov`, the velocity is counted twice; add it to `d`"),
    ("first options", {_D: _D.replace("group[", "self.defaults[")}, "the decay of the optimizer is used for every group; take the group's own"),
    ("one velocity", {_SEEN: 'if "momentum_buffer" in self.state:', _V: _V.replace('state["momentum_buffer"]', 'self.state["momentum_buffer"]'), _KEEP: 'self.state["momentum_buffer"] = v'}, "all Parameters share one velocity; each has its own, in `state`"),
)
# fmt: on

# ---- 14.4

adam = Exercise(
    "14.4",
    title="Adam",
    takes=("Adam",),
    minutes=15,
    writes=("Adam",),
    hints=(
        "There are five lines, in the order of the text: the gradient with its decay, the count, the two averages, the correction, the step.",
        '`state.get("exp_avg", 0)` is the average so far, and 0 at the start. Which of the two averages is of squares?',
        '`m = b1 * state.get("exp_avg", 0) + (1 - b1) * g`, and the same for `v` with `b2` and `g**2`. Both are stored before the correction: '
        '`m / (1 - b1**t)`. The step is `group["lr"] * m / (v**0.5 + group["eps"])`.',
    ),
)
adam.compare_uses(
    "the options",
    uses(
        "[Adam([p]).param_groups[0][name] for name in ('lr', 'betas', 'eps', 'weight_decay')]",
        "[Adam([p], 1, (0.5, 0.6), 0.1, 2).param_groups[0][name] for name in ('lr', 'betas', 'eps', 'weight_decay')]",
        "tried(lambda: Adam([]))",
        "isinstance(Adam([p]), Adam.__bases__[0])",
    ),
)
adam.compare_uses(
    "each step, as PyTorch's",
    uses(
        "trail(Adam([p], lr=0.1), 1)",
        "trail(Adam([p], lr=0.1), 1000)",
        "trail(Adam([p], lr=0.1), 1, 1)",
        "trail(Adam([p], lr=0.1), 1, -4, 2, 0)",
        "trail(Adam([p], lr=0.1), 1, None, 1)",
        "trail(Adam([p], lr=0.1), 0)",
        "trail(Adam([p], lr=0.1, eps=0.5), 1, -4, 2)",
        "trail(Adam([p], lr=0.1, betas=(0.5, 0.6)), 1, -4, 2)",
        "trail(Adam([p], lr=0.1, betas=(0, 0)), 1, -4, 2)",
        "trail(Adam([n], lr=0.1, weight_decay=0.1), 1, -4, of=n)",
        "refilled(Adam([p], lr=0.1), 1, 0, 2)",
        "refilled(Adam([p], lr=0.1, betas=(0, 0)), 1, 0, 2)",
        "opt = Adam([p], lr=0.1); trail(opt, 1); opt.param_groups[0]['lr'] = 1; trail(opt, 1)",
    ),
)
adam.compare_uses(
    "the decay is added to the gradient",
    uses(
        "trail(Adam([p], lr=0.1, weight_decay=0.1), 1, -4)",
        "trail(Adam([p], lr=0.1, weight_decay=0.1), 0)",
        "opt = Adam([p], weight_decay=0.1); give(p, 1, 1); opt.step(); p.grad.tolist()",
        "opt = Adam([p], weight_decay=0.1); give(p, 1, 1); opt.step(); opt.step(); p.grad.tolist()",
    ),
)
_AVERAGES = "opt = Adam([p], lr=0.1, betas=(0.5, 0.75)); give(p, 1, 2); opt.step(); opt.step(); "
adam.compare_uses(
    "the state of each Parameter",
    uses(
        _AVERAGES + "sorted(opt.state[p])",
        _AVERAGES + "float(opt.state[p]['step'])",
        _AVERAGES + "opt.state[p]['exp_avg'].tolist()",
        _AVERAGES + "opt.state[p]['exp_avg_sq'].tolist()",
        "opt = Adam([p, q], lr=0.1); trail(opt, 1, 2); give(q, 1); opt.step(); [p.tolist(), q.tolist()]",
        "opt = Adam([{'params': [p]}, {'params': [q], 'betas': (0.1, 0.2)}], lr=0.1); give(p, 1, 2); give(q, 1); opt.step(); give(q, 5); opt.step(); [p.tolist(), q.tolist()]",
    ),
)
_G = 'g = p.grad.data + group["weight_decay"] * p.data'
_T = 't = state["step"] = state.get("step", 0) + 1'
_M = 'm = state["exp_avg"] = b1 * state.get("exp_avg", 0) + (1 - b1) * g'
_S = 'v = state["exp_avg_sq"] = b2 * state.get("exp_avg_sq", 0) + (1 - b2) * g**2'
_FIX = "m, v = m / (1 - b1**t), v / (1 - b2**t)"
_STEP = 'p.data -= group["lr"] * m / (v**0.5 + group["eps"])'
# fmt: off
adam.wrongs(
    ("no decay", {_G: "g = p.grad.data"}, "`weight_decay` isn't used; add it times the Parameter to the gradient"),
    ("gradient changed", {_G: 'g = p.grad.data\ng += group["weight_decay"] * p.data'}, "the gradient itself is changed: `+=` works in place"),
    ("decoupled", {_G: 'g = p.grad.data\np.data *= 1 - group["lr"] * group["weight_decay"]'}, "the decay acts on the Parameter itself, as AdamW's does; Adam adds it to the gradient"),
    ("from step 0", {_T: 't = state["step"] = state.get("step", -1) + 1', _FIX: "m, v = m / (1 - b1**(t + 1)), v / (1 - b2**(t + 1))"}, "`step` is one too small: after the first step it's 1"),
    ("one count", {_T: 't = self.steps = getattr(self, "steps", 0) + 1\nstate["step"] = t'}, "all Parameters share one count; each has its own, in `state`"),
    ("no correction", {_FIX: ""}, "the averages aren't corrected, so the first steps are too small or too large; divide by 1 − beta to the power of t"),
    ("first only", {_FIX: "m = m / (1 - b1**t)"}, "the average of the squares isn't corrected; divide it by 1 − b2 to the power of t"),
    ("second only", {_FIX: "v = v / (1 - b2**t)"}, "the average of the gradients isn't corrected; divide it by 1 − b1 to the power of t"),
    ("stored corrected", {_FIX: 'm, v = m / (1 - b1**t), v / (1 - b2**t)\nstate["exp_avg"] = m'}, "the corrected average is stored, and corrected again at the next step; store the one before"),
    ("sums", {_M: _M.replace("(1 - b1) * g", "g"), _FIX: "v = v / (1 - b2**t)"}, "the gradients are summed up; each new one counts with 1 − b1 only"),
    ("no squares", {_S: _S.replace("g**2", "g")}, "the second average is of the gradients too; it's of their squares"),
    ("betas swapped", {'b1, b2 = group["betas"]': 'b2, b1 = group["betas"]'}, "the two betas are mixed up; the first is for the gradients"),
    ("fixed betas", {'group["betas"]': "(0.9, 0.999)"}, "`betas` isn't used"),
    ("default betas", {'group["betas"]': 'self.defaults["betas"]'}, "the betas of the optimizer are used for every group; take the group's own"),
    ("eps inside", {_STEP: 'p.data -= group["lr"] * m / (v + group["eps"])**0.5'}, "`eps` is under the root; add it after the root"),
    ("no eps", {_STEP: 'p.data -= group["lr"] * m / v**0.5'}, "`eps` isn't used, so a gradient of 0 divides 0 by 0"),
    ("no root", {_STEP: 'p.data -= group["lr"] * m / (v + group["eps"])'}, "the root is missing: divide by `v**0.5`"),
    ("the gradient", {_STEP: 'p.data -= group["lr"] * g / (v**0.5 + group["eps"])'}, "the gradient itself is divided; take the average of the gradients"),
)
# fmt: on

# ---- 14.5

decoupled = Exercise(
    "14.5",
    title="AdamW",
    takes=("AdamW",),
    minutes=5,
    writes=("AdamW",),
    hints=(
        "Two things happen, in this order: the Parameter shrinks, and then Adam makes its step. How do you tell Adam's step that there's no decay?",
        'The Parameter is multiplied by 1 − lr · weight_decay. `{**group, "weight_decay": 0}` is a copy of the group with another decay.',
        '`p.data *= 1 - group["lr"] * group["weight_decay"]`, and then `super().update(p, {**group, "weight_decay": 0}, state)`.',
    ),
)
decoupled.compare_uses(
    "each step, as PyTorch's",
    uses(
        "[AdamW([p]).param_groups[0][name] for name in ('lr', 'betas', 'eps', 'weight_decay')]",
        "[AdamW([p], 1, (0.5, 0.6), 0.1, 2).param_groups[0][name] for name in ('lr', 'betas', 'eps', 'weight_decay')]",
        "trail(AdamW([p], lr=0.1, weight_decay=0.5), 0)",
        "trail(AdamW([p], lr=0.1, weight_decay=0.5), 1)",
        "trail(AdamW([p], lr=0.1, weight_decay=0.5), 1, -4, 2)",
        "trail(AdamW([p], lr=0.1, weight_decay=0), 1, -4, 2)",
        "trail(AdamW([p], lr=0.1), 1, None, 1)",
        "trail(AdamW([n], lr=0.1, weight_decay=0.5), 1, -4, of=n)",
        "AdamW([p], lr=0.1, weight_decay=0.5).step(); p.tolist()",
    ),
)
decoupled.compare_uses(
    "the group and the averages are as before",
    uses(
        "opt = AdamW([p], lr=0.1, weight_decay=0.5); give(p, 1, 2); opt.step(); opt.param_groups[0]['weight_decay']",
        "opt = AdamW([p], lr=0.1, weight_decay=0.5); give(p, 1, 2); opt.step(); opt.state[p]['exp_avg'].tolist()",
        "opt = AdamW([p], lr=0.1, weight_decay=0.5); give(p, 1, 2); opt.step(); p.grad.tolist()",
        "opt = AdamW([{'params': [p]}, {'params': [q], 'weight_decay': 0}], lr=0.1, weight_decay=0.5); give(p, 0, 0); give(q, 0); opt.step(); [p.tolist(), q.tolist()]",
        "opt = AdamW([{'params': [p]}, {'params': [q], 'lr': 1, 'betas': (0.5, 0.5), 'eps': 0.5}], lr=0.1); give(p, 1, 2); give(q, 5); opt.step(); give(q, 1); opt.step(); [p.tolist(), q.tolist()]",
        "isinstance(AdamW([p]), AdamW.__bases__[0])",
    ),
)
_SHRINK = 'p.data *= 1 - group["lr"] * group["weight_decay"]'
_THEN = 'super().update(p, {**group, "weight_decay": 0}, state)'
# fmt: off
decoupled.wrongs(
    ("like Adam", {_SHRINK: "", _THEN: "super().update(p, group, state)"}, "the decay is added to the gradient, as in Adam; multiply the Parameter instead"),
    ("both", {_THEN: "super().update(p, group, state)"}, "the decay acts twice: Adam's step adds it to the gradient as well; give it a group whose `weight_decay` is 0"),
    ("no lr", {_SHRINK: 'p.data *= 1 - group["weight_decay"]'}, "the decay ignores the learning rate; the factor is 1 − lr · weight_decay"),
    ("afterwards", {_SHRINK: "", _THEN: f"{_THEN}\n{_SHRINK}"}, "the Parameter shrinks after Adam's step; PyTorch does it before"),
    ("group changed", {_THEN: 'group["weight_decay"] = 0\nsuper().update(p, group, state)'}, "the group's own `weight_decay` is set to 0, so the decay ends after the first step; pass a copy"),
    ("no decay", {_SHRINK: ""}, "nothing decays; multiply the Parameter by 1 − lr · weight_decay"),
    ("default group", {_THEN: 'super().update(p, {**self.defaults, "weight_decay": 0}, state)'}, "Adam's step gets the options of the optimizer; pass a copy of the group, with `weight_decay` 0"),
    ("copied state", {_THEN: 'super().update(p, {**group, "weight_decay": 0}, dict(state))'}, "Adam's step gets a copy of the state, so the averages are lost; pass `state` itself"),
    ("grows", {_SHRINK: _SHRINK.replace("1 -", "1 +")}, "the Parameter grows; the factor is 1 − lr · weight_decay"),
    ("Adam's default", {"weight_decay=0.01": "weight_decay=0"}, "the default of `weight_decay` is 0; AdamW's is 0.01"),
    ("default decay", {_SHRINK: 'p.data *= 1 - group["lr"] * self.defaults["weight_decay"]'}, "the decay of the optimizer is used for every group; take the group's own"),
)
# fmt: on
