"""The Clinic: five broken programs to mend; what counts is what they do afterwards."""

from __future__ import annotations

from typing import Any

import nbmodule as torch

from ..exercise import Exercise
from .mending import uses

# ---- C.1

fitting = Exercise(
    "C.1",
    title="It learned, and after loading it does not",
    takes=("fit_best",),
    minutes=10,
    importance="extra",
    writes=("fit_best",),
    hints=(
        "There are three faults. Load what comes back into a new network, strictly. Which keys does the network have, and which does `best` have?",
        "BatchNorm has buffers besides its Parameters. `detach()` gives you the same memory. And in which mode do the steps after the first one run?",
        "`best = copy.deepcopy(net.state_dict())`, and `net.train()` before the forward pass of each step.",
    ),
)
fitting.compare_uses(
    "what comes back fits a new network, and has the smallest loss",
    uses(
        "sorted(fit_best(plain(), x, y, [0.01, 0.01]))",
        "sorted(fit_best(normed(), x, y, [0.01, 0.01]))",
        "net = plain(); net.load_state_dict(fit_best(net, x, y, [0.01] * 4 + [3.0])); evaluated(net, x, y)",
        "net = plain(); net.load_state_dict(fit_best(net, x, y, [0.01, 3.0, 0.01])); evaluated(net, x, y)",
        "net = normed(); best = fit_best(net, x, y, [0.01, 0.01, 9.0]); fresh = normed(); tried(lambda: fresh.load_state_dict(best)); evaluated(fresh, x, y)",
        "net = plain(); best = fit_best(net, x, y, [0.0]); net.weight.data.zero_(); best['weight']",
        "net = plain(); before = net.weight.tolist(); fit_best(net, x, y, [0.01] * 3); net.weight.tolist() == before",
    ),
)
fitting.compare_uses(
    "every step runs in training mode",
    uses(
        "modes(fit_best, [0.01], x, y)",
        "modes(fit_best, [0.01] * 4, x, y)",
    ),
)
_KEEP = "record, best = loss, copy.deepcopy(net.state_dict())"
# fmt: off
fitting.wrongs(
    ("live", {_KEEP: "record, best = loss, net.state_dict()"}, "the values that come back are the network's own tensors, and the next step writes into them; copy them"),
    ("detached", {_KEEP: "record, best = loss, {name: value.detach() for name, value in net.state_dict().items()}"}, "the values that come back are the network's own tensors, and the next step writes into them; copy them"),
    ("a copy of the dict", {_KEEP: "record, best = loss, dict(net.state_dict())"}, "the values that come back are the network's own tensors, and the next step writes into them; copy them"),
    ("Parameters only", {_KEEP: "record, best = loss, {name: p.detach().clone() for name, p in net.named_parameters()}"}, "the Parameters are copied, and the buffers are left out: a new BatchNorm doesn't know the running statistics"),
    ("eval stays", {"net.train()": ""}, "after the first validation, every step runs in eval mode; switch back before the step"),
    ("validated in training mode", {"net.eval()": ""}, "the loss is measured in training mode: it isn't the loss that the loaded network has, and each measurement moves the running statistics"),
    ("always", {"if loss < record:": "if True:"}, "every state replaces the one before, whatever its loss: what comes back is the last one that was validated"),
    ("a copy learns", {'record, best = float("inf"), None': 'record, best, net = float("inf"), None, copy.deepcopy(net)'}, "a copy of the network takes the steps, and the network itself doesn't learn"),
    ("the last one", {"return best": "return copy.deepcopy(net.state_dict())"}, "what comes back is the state after the last step, and not the best one"),
)
# fmt: on

# ---- C.2

tuning = Exercise(
    "C.2",
    title="My loss does not move",
    takes=("fine_tune",),
    minutes=10,
    importance="extra",
    writes=("fine_tune",),
    hints=(
        "Ask the optimizer: are the Parameters of `net.head` in `opt.param_groups`? And compare the body's `state_dict()` before and after.",
        "The optimizer was made with the old head's Parameters, which no longer belong to the network. And `requires_grad_(False)` doesn't stop BatchNorm from moving.",
        "Create the optimizer after `net.head = …`, and call `net.body.eval()` after `net.train()`.",
    ),
)
tuning.compare_uses(
    "the new head learns",
    uses(
        "net = Net(); fine_tune(net, x, kinds, 1); net.head.weight.shape",
        "net = Net(); fine_tune(net, x, kinds, 5); net.head.weight",
        "net = Net(); fine_tune(net, x, kinds, 5); net.head.bias",
        "net = Net(); round(fine_tune(net, x, kinds, 30), 3)",
    ),
)
tuning.compare_uses(
    "the body stays as it is",
    uses(
        "net = Net(); before = body(net); fine_tune(net, x, kinds, 3); all(torch.equal(before[name], value) for name, value in body(net).items())",
        "net = Net(); fine_tune(net, x, kinds, 3); [p.grad is None for p in net.body.parameters()]",
        "gradients(fine_tune, x, kinds)",
    ),
)
_OPT = "opt = torch.optim.SGD(net.head.parameters(), lr=0.5)"
_NEW = "net.head = nn.Linear(net.head.in_features, 3)"
# fmt: off
tuning.wrongs(
    ("old head", {_OPT: "", _NEW: f"{_OPT}\n{_NEW}"}, "the optimizer was made before the new head, so it moves the old one; make it afterwards"),
    ("the body moves", {"net.body.eval()": ""}, "the body's BatchNorm is in training mode, and its running statistics move; `requires_grad` has no say in that"),
    ("not frozen", {"net.body.requires_grad_(False)": ""}, "the optimizer leaves the body alone, but `backward()` still computes gradients for it; freeze it"),
    ("thrown away", {"net.body.requires_grad_(False)": "", "opt.step()": "opt.step()\nnet.body.zero_grad()"}, "the body's gradients are thrown away after each step, but `backward()` still computes them; freeze the body"),
    ("the head is frozen", {"net.body.requires_grad_(False)": "", "opt = …": "net.requires_grad_(False)\nnet.head.bias.requires_grad_()\n" + _OPT}, "the new head's weight is frozen, and only its bias learns"),
    ("no zero_grad", {"opt.zero_grad()": ""}, "gradients add up from step to step"),
)
# fmt: on

# ---- C.3

logging = Exercise(
    "C.3",
    title="Out of memory after some steps",
    takes=("Log",),
    minutes=6,
    importance="extra",
    writes=("Log",),
    hints=(
        "After a step, ask `log.average` and `log.largest` for their `grad_fn`.",
        "Both keep a graph. A number doesn't, and a detached tensor doesn't either. The loss itself must stay as it is: `backward()` comes later.",
        "`loss.item()` where the average is computed, and `output.detach()` where the largest output is.",
    ),
)
_STEP = "net = nn.Sequential(nn.Linear(3, 2), nn.Linear(2, 1)); log = Log(net); loss = (net(x) ** 2).mean(); log.update(loss)"
logging.compare_uses(
    "nothing that is kept has a graph",
    uses(
        f"{_STEP}; getattr(log.average, 'grad_fn', None) is None",
        f"{_STEP}; [getattr(value, 'grad_fn', None) is None for value in log.largest.values()]",
        f"{_STEP}; log.update((net(2 * x) ** 2).mean()); getattr(log.average, 'grad_fn', None) is None",
        f"{_STEP}; net(3 * x); [getattr(value, 'grad_fn', None) is None for value in log.largest.values()]",
        f"{_STEP}; net(x / 9); [getattr(value, 'grad_fn', None) is None for value in log.largest.values()]",
        "kept(Log, x)",
    ),
)
logging.compare_uses(
    "it still says the same",
    uses(
        f"{_STEP}; number(log.average)",
        f"{_STEP}; log.update((net(2 * x) ** 2).mean()); number(log.average)",
        f"{_STEP}; [number(value) for value in log.largest.values()]",
        f"{_STEP}; net(3 * x); [number(value) for value in log.largest.values()]",
        f"{_STEP}; net(x / 9); [number(value) for value in log.largest.values()]",
    ),
)
logging.compare_uses(
    "the loss can still go backward",
    uses(f"{_STEP}; loss.backward(); net[0].weight.grad", f"{_STEP}; round(loss.item(), 4)"),
)
_LOSS, _OUT = "loss.item()", "output.detach()"
# fmt: off
logging.wrongs(
    ("the average", {_LOSS: "loss"}, "the average keeps the graph of every step so far"),
    ("the outputs", {_OUT: "output"}, "the hook keeps the graph of each layer's output"),
    ("in place", {_LOSS: "loss.detach_()"}, "the loss itself is cut off the network, as by `detach_()`, or by a hook that returns what it detached; `detach()` alone leaves the loss as it is"),
    ("a history", {"self.average = 0.9 * self.average + 0.1 * loss.item()": "self.history = [*getattr(self, 'history', []), loss]\nself.average = 0.9 * self.average + 0.1 * loss.item()"}, "what you were asked about holds no graph, but something else that the log keeps does"),
    ("the step alone", {"0.9 * self.average + 0.1 * loss.item()": "loss.item()"}, "the average is the loss of the last step alone"),
    ("last output", {"max(self.largest.get(name, 0.0), size)": "size"}, "the largest output is that of the last call alone"),
)
# fmt: on

# ---- C.4

loading = Exercise(
    "C.4",
    title="KeyError: unexpected key module.…",
    takes=("load_unwrapped",),
    minutes=10,
    importance="extra",
    writes=("load_unwrapped",),
    hints=(
        'Try it with a network that has a child called "module", and with a file that lacks a key.',
        "A prefix is at the beginning, it's in front of *every* key, and there may be several. If the keys fit, there's nothing to take off. And what doesn't fit must be heard.",
        '`while saved.keys() != net.state_dict().keys() and all(name.startswith("module.") for name in saved):` take one prefix off every key. Mind an empty file. Then `load_state_dict` without `strict=False`.',
    ),
)
loading.compare_uses(
    "the prefix is taken off, however often it's there",
    uses(
        *(
            f"net = nn.Linear(2, 1); load_unwrapped(net, wrapped({n})); net.weight"
            for n in (0, 1, 3)
        ),
        *(f"str(load_unwrapped(nn.Linear(2, 1), wrapped({n})))" for n in (0, 1, 2)),
    ),
)
loading.compare_uses(
    'a child that is called "module" stays',
    uses(
        *(f"net = deep(); load_unwrapped(net, wrapped({n}, deep())); net.module.weight" for n in (0, 1, 2)),
        *(f"net = inner(); load_unwrapped(net, wrapped({n}, inner())); net.sub.module.weight" for n in (0, 1)),
        "net = deep(); net.module.module = nn.Linear(2, 1); str(load_unwrapped(net, wrapped(1, net)))",
    ),
)  # fmt: skip
loading.compare_uses(
    "what doesn't fit is refused",
    uses(
        "tried(lambda: load_unwrapped(nn.Linear(2, 1), {}))",
        "tried(lambda: load_unwrapped(nn.Linear(2, 1), {'module.weight': torch.ones(1, 2)}))",
        "tried(lambda: load_unwrapped(nn.Linear(2, 1), {**wrapped(1), 'module.step': torch.ones(1)}))",
        "tried(lambda: load_unwrapped(nn.Linear(2, 1), {**wrapped(1), 'step': torch.ones(1)}))",
        "tried(lambda: load_unwrapped(nn.Linear(2, 1), {'module.weight': torch.ones(1, 2), 'bias': torch.ones(1)}))",
        "tried(lambda: load_unwrapped(nn.Linear(2, 1), {'module_weight': torch.ones(1, 2), 'module_bias': torch.ones(1)}))",
        "saved = wrapped(1); load_unwrapped(nn.Linear(2, 1), saved); list(saved)",
    ),
)
_WHILE = (
    'while saved and saved.keys() != wanted and all(name.startswith("module.") for name in saved):'
)
_OFF = 'saved = {name.removeprefix("module."): value for name, value in saved.items()}'
# fmt: off
loading.wrongs(
    ("everywhere", {_WHILE: "if True:", _OFF: _OFF.replace("removeprefix(\"module.\")", "replace(\"module.\", \"\")")}, "`replace` takes \"module.\" out wherever it stands, also where it's the name of a child"),
    ("once", {_WHILE: _WHILE.replace("while", "if")}, "one prefix is taken off; there may be several, since wrappers can be wrapped"),
    ("always", {_WHILE: _WHILE.replace("saved.keys() != wanted and ", "")}, "the prefix is taken off even if the keys fit: a network with a child called \"module\" can't be loaded any more"),
    ("any key", {_WHILE: _WHILE.replace("saved.keys() != wanted", "not saved.keys() & wanted")}, "the prefix stays on as soon as one key fits; it has to come off until all of them do"),
    ("all at once", {_OFF: _OFF.replace("removeprefix(", "lstrip(")}, "every \"module.\" at the beginning is taken off at once, even if the last one is the name of a child; take one off, then look again"),
    ("blindly", {_WHILE: "if True:"}, "one prefix is taken off every key that has it, whether the keys fit or not, and never a second one"),
    ("not strict", {"return net.load_state_dict(saved)": "return net.load_state_dict(saved, strict=False)"}, "with `strict=False`, keys that don't fit are passed over in silence"),
    ("any", {_WHILE: _WHILE.replace("all(", "any(")}, "a key without the prefix shows that it isn't a wrapper's; here, the others still lose theirs"),
)
# fmt: on

# ---- C.5

scaling = Exercise(
    "C.5",
    title="NaN after the first step",
    takes=("unit",),
    minutes=8,
    importance="extra",
    writes=("unit",),
    hints=(
        "`torch.where` chooses between two results. Which of the two sides get a gradient? And what is the derivative of the square root at 0?",
        "Both sides are differentiated, and the side that wasn't chosen gets a gradient of 0. Infinity times 0 is NaN. So the square root mustn't see a 0 in the first place.",
        "Put the `torch.where` inside: `torch.where(squares > 0, squares, 1.0).sqrt()`. Or add a small number to the squares.",
    ),
)


def _near(right: Any, got: Any) -> bool:
    """Tell whether a result is as good as ours: a small number inside the root changes the last digits."""
    if isinstance(right, torch.Tensor):
        same = isinstance(got, torch.Tensor) and got.shape == right.shape
        return same and bool(torch.allclose(right, got, atol=1e-4))
    return type(right) is type(got) and right == got


scaling.compare_uses(
    "every row has the length 1, and a row of zeros stays",
    uses(
        "unit(rows)",
        "unit(rows[:1])",
        "unit(rows[1:2])",
        "unit(0.1 * rows)",
        "unit(-5 * rows)",
        "unit(rows).shape",
    ),
    _near,
)
scaling.compare_uses(
    "its gradient is finite everywhere, and right where a row isn't zero",
    uses(
        "slope(unit).isfinite().all().item()",
        "slope(unit)[0]",
        "slope(unit)[2]",
        "tried(lambda: watched(unit).shape)",
    ),
    _near,
)
_INSIDE = "length = torch.where(squares > 0, squares, torch.ones_like(squares)).sqrt()"
_STILL = "a row of zeros still meets a square root of 0, or a division by 0. On the way back, that's infinity times 0, which is NaN, whatever comes after it"
# fmt: off
scaling.wrongs(
    ("outside", {_INSIDE: "length = squares.sqrt()", "return x / length": "return torch.where(squares > 0, x / length, torch.zeros_like(x))"}, _STILL),
    ("after the root", {"return x / length": "return x / (length + 1e-8)", _INSIDE: "length = squares.sqrt()"}, _STILL),
    ("clamped after", {"return x / length": "return x / length.clamp_min(1e-8)", _INSIDE: "length = squares.sqrt() + squares.sqrt() * 0"}, _STILL),
    ("norm and where", {_INSIDE: "length = x.norm(dim=1, keepdim=True)", "return x / length": "return torch.where(length > 0, x / length, torch.zeros_like(x))"}, _STILL),
    ("hushed", {_INSIDE: "x.register_hook(lambda g: g.nan_to_num(0.0)) if x.requires_grad else None\nlength = squares.sqrt()", "return x / length": "return torch.where(squares > 0, x / length, torch.zeros_like(x))"}, "the NaN still arises on the way back, and is replaced afterwards; the square root mustn't meet a 0"),
    ("large", {_INSIDE: "length = (squares + 0.1).sqrt()"}, "the number inside the square root is so large that the rows aren't of length 1"),
    ("detached", {_INSIDE: _INSIDE.replace(".sqrt()", ".sqrt().detach()")}, "the length is cut off the tape, and the gradient of the rows is wrong"),
    ("not the root", {_INSIDE: _INSIDE.replace(".sqrt()", "")}, "rows are divided by the square of their length"),
)
# fmt: on
