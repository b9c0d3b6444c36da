"""Chapter 14: gradients are forgotten, and an optimizer walks over Parameters. Both are compared by the numbers they leave."""

from __future__ import annotations

from ..exercise import Exercise
from .stepping import uses

# ---- 14.1

forgetting = Exercise(
    "14.1",
    title="Forget the gradients",
    takes=("Module",),
    minutes=6,
    writes=("zero_grad",),
    hints=(
        "Which method of chapter 05 gives you every Parameter of the tree, each of them once?",
        "In the loop there are two cases: `set_to_none`, and otherwise a gradient that isn't None. What sets all numbers of a tensor to 0 in place, whether `data` is a tensor or an array?",
        "`for param in self.parameters():`, then `if set_to_none: param.grad = None` and `elif param.grad is not None: param.grad.data[...] = 0`.",
    ),
)
forgetting.compare_uses(
    "every gradient is None",
    uses(
        "m = tree(Module); m.zero_grad(); grads(m)",
        "m = tree(Module); m.zero_grad(True); grads(m)",
        "m = tree(Module); m.zero_grad(set_to_none=True); grads(m)",
        "m = tree(Module); m.zero_grad()",
        "m = Module(); m.zero_grad()",
        "m = tree(Module); m.child.zero_grad(); grads(m)",
        "m = tree(Module); m.zero_grad(); [p.tolist() for p in m.parameters()]",
        "m = tree(Module); m.zero_grad(); [p.requires_grad for p in m.parameters()]",
    ),
)
forgetting.compare_uses(
    "with `set_to_none=False`, gradients that are there become 0",
    uses(
        "m = tree(Module); m.zero_grad(set_to_none=False); grads(m)",
        "m = tree(Module); m.zero_grad(False); grads(m)",
        "m = tree(Module); old = m.child.b.grad; m.zero_grad(False); old is m.child.b.grad",
        "m = tree(Module); old = m.child.b.grad; m.zero_grad(False); old.tolist()",
        "m = tree(Module); m.a.grad = tensor([float('nan')]).double(); m.zero_grad(False); grads(m)",
        "m = tree(Module); m.zero_grad(False); m.child.b.grad.requires_grad",
    ),
)
_ALL, _NONE, _ZERO = (
    "for param in self.parameters():",
    "param.grad = None",
    "param.grad.data[...] = 0",
)
# fmt: off
forgetting.wrongs(
    ("zeros by default", {"set_to_none=True": "set_to_none=False"}, "the default is `set_to_none=False`, as it was in old versions; today it's True"),
    ("zeros only", {_NONE: "if param.grad is not None:\n    param.grad.data[...] = 0"}, "the gradients become 0; the default is to set them to None"),
    ("None only", {_ZERO: _NONE}, "`set_to_none=False` is ignored: the gradients are None in both cases"),
    ("new zeros", {_ZERO: "param.grad = param.grad * 0"}, "a new tensor is created; set the one that is there to 0 in place"),
    ("in place, times 0", {_ZERO: "param.grad.mul_(0)"}, "the gradient is multiplied by 0, and nan times 0 is nan; write zeros: `grad.data[...] = 0`"),
    ("zeros out of nothing", {f"elif param.grad is not None:\n    {_ZERO}": "else:\n    import nbmodule\n    param.grad = nbmodule.zeros_like(param).detach()"}, "a Parameter without a gradient gets zeros; it stays at None"),
    ("none there", {"elif param.grad is not None:": "else:"}, "a Parameter without a gradient raises an error; test whether `grad` is None"),
    ("itself only", {_ALL: "for param in self.parameters(recurse=False):"}, "only the object's own Parameters are reset; go through the whole tree"),
    ("the weights", {_NONE: "param.data.zero_()\nparam.grad = None"}, "the weights themselves become 0; only their gradients should"),
    ("frozen ones left out", {_ALL: f"{_ALL}\n    if not param.requires_grad:\n        continue"}, "the gradient of a frozen Parameter stays; forget it as well"),
    ("returns self", {_ALL: f"{_ALL}\n    pass\n{_ALL}", _ZERO: f"{_ZERO}\nreturn self"}, "`zero_grad` returns something; PyTorch's returns None"),
)
# fmt: on

# ---- 14.2

stepping = Exercise(
    "14.2",
    title="A list, a loop, a line",
    takes=("Optimizer",),
    minutes=20,
    writes=("Optimizer",),
    hints=(
        "Begin with `step`, which is two loops and an `if`. What must `__init__` keep so that they can run?",
        "`params` may be a generator, so make a list of it first. Its first element is a dict if the caller passed groups; otherwise the whole list is one group. "
        'A group is complete as `{**self.defaults, **group, "params": params}`.',
        'In `step`: `if p.grad is not None: self.update(p, group, self.state.setdefault(p, {}))`. In `update`: `p.data -= group["lr"] * p.grad.data`. '
        "In `add_param_group`, compare with the Parameters of all groups that are there before you append.",
    ),
)
stepping.compare_uses(
    "`__init__` makes a group with its options",
    uses(
        "len(Optimizer([p, q]).param_groups)",
        "[x is p for x in Optimizer([p, q]).param_groups[0]['params']]",
        "[x is p for x in Optimizer(iter([p, q])).param_groups[0]['params']]",
        "sorted(Optimizer([p]).param_groups[0])",
        "Optimizer([p]).param_groups[0]['lr']",
        "Optimizer([p], lr=0.5).param_groups[0]['lr']",
        "Optimizer([p], 0.5).param_groups[0]['lr']",
        "Optimizer([p], lr=0.5, speed=3).param_groups[0]['speed']",
        "Optimizer([p]); len(Optimizer([q]).param_groups)",
        "tried(lambda: Optimizer([]))",
        "tried(lambda: Optimizer(iter([])))",
    ),
)
_TWO = "opt = Optimizer([{'params': [p]}, {'params': [q], 'lr': 2}], lr=0.1, speed=3); "
stepping.compare_uses(
    "several groups, each with its own options",
    uses(
        _TWO + "[group['lr'] for group in opt.param_groups]",
        _TWO + "[group['speed'] for group in opt.param_groups]",
        _TWO + "[group['params'][0] is q for group in opt.param_groups]",
        _TWO + "give(p, 1, 1); give(q, 1); opt.step(); [p.tolist(), q.tolist()]",
        "len(Optimizer([{'params': iter([p, q])}]).param_groups[0]['params'])",
        "len(Optimizer(iter([{'params': [p]}, {'params': [q]}])).param_groups)",
        "Optimizer([{'params': [p], 'name': 'first'}]).param_groups[0]['name']",
        "opt = Optimizer([p], lr=0.1); opt.add_param_group({'params': [q], 'lr': 2}); [group['lr'] for group in opt.param_groups]",
        "opt = Optimizer([p], lr=0.1); opt.add_param_group({'params': [q]}); [group['lr'] for group in opt.param_groups]",
        "opt = Optimizer([p], lr=0.1); opt.param_groups[0]['lr'] = 7; opt.add_param_group({'params': [q]}); opt.param_groups[1]['lr']",
        "opt = Optimizer([p]); opt.add_param_group({'params': iter([q])}); opt.param_groups[1]['params'][0] is q",
    ),
)
stepping.compare_uses(
    "no Parameter is in two groups",
    uses(
        "tried(lambda: Optimizer([{'params': [p]}, {'params': [p]}]))",
        "tried(lambda: Optimizer([{'params': [p]}, {'params': [q]}, {'params': [p]}]))",
        "tried(lambda: Optimizer([{'params': [p, q]}, {'params': [q]}]))",
        "tried(lambda: Optimizer([{'params': [p]}, {'params': iter([q, p])}]))",
        "opt = Optimizer([p, q]); tried(lambda: opt.add_param_group({'params': [q]}))",
        "opt = Optimizer([p]); tried(lambda: opt.add_param_group({'params': [p]})); len(opt.param_groups)",
    ),
)
stepping.compare_uses(
    "a step goes against the gradient",
    uses(
        "trail(Optimizer([p], lr=0.5), 1, 1, -4)",
        "trail(Optimizer([p]), 1)",
        "opt = Optimizer([p], lr=1); opt.step(); p.tolist()",
        "opt = Optimizer([p, q], lr=1); give(q, 1); opt.step(); [p.tolist(), q.tolist()]",
        "opt = Optimizer([q, p], lr=1); give(q, 1); give(p, 1, 1); opt.step(); [p.tolist(), q.tolist()]",
        "opt = Optimizer([p], lr=1); give(p, 1, 1); opt.param_groups[0]['lr'] = 0.25; opt.step(); p.tolist()",
        "opt = Optimizer([p], lr=1); give(p, 1, 1); opt.step(); p.grad.tolist()",
        "give(p, 1, 1); opt = Optimizer([p]); opt.step()",
        "give(p, 1, 1); p.requires_grad = False; Optimizer([p], lr=1).step(); p.tolist()",
        "give(p, 1, 1); old = p.grad; Optimizer([p]).zero_grad(False); [old is p.grad, old.tolist()]",
        "give(p, 1, 1); opt = Optimizer([p], lr=1); opt.step(); p.requires_grad and p.is_leaf",
        "opt = Optimizer([n], lr=0.5); trail(opt, 1, -4, of=n)",
        "Optimizer([p]).zero_grad(False)",
        "opt = Optimizer([p, q]); give(p, 1, 1); give(q, 1); opt.zero_grad(); [p.grad, q.grad]",
        "opt = Optimizer([{'params': [p]}, {'params': [q]}]); give(p, 1, 1); give(q, 1); opt.zero_grad(False); [p.grad.tolist(), q.grad.tolist()]",
        "opt = Optimizer([p, q]); give(p, 1, 1); give(q, 1); opt.zero_grad(False); [p.grad.tolist(), q.grad.tolist()]",
    ),
)
_COUNT = "opt = counting(Optimizer)([p, q], lr=1); give(p, 1, 1); opt.step(); "
stepping.compare_uses(
    "each Parameter has a state of its own",
    uses(
        _COUNT + "opt.state[p]",
        _COUNT + "opt.step(); opt.state[p]",
        _COUNT + "'count' in opt.state",
        _COUNT + "give(q, 1); opt.step(); [opt.state[p], opt.state[q]]",
        _COUNT + "opt.zero_grad(); give(q, 1); opt.step(); [opt.state[p], opt.state[q]]",
        _COUNT + "opt.param_groups[0]['lr'] = 5; opt.step(); opt.state[p]",
        "kind = counting(Optimizer); one, two = kind([p], lr=1), kind([p], lr=1); give(p, 1, 1); one.step(); two.step(); two.state[p]",
        _COUNT + "p.tolist()",
    ),
)
_LIST, _EMPTY = (
    "groups = list(params)",
    'if not groups:\n    raise ValueError("optimizer got an empty parameter list")',
)
_DICT = "if not isinstance(groups[0], dict):"
_TWICE = "if not set(params).isdisjoint(known):"
_KNOWN = 'known = [p for other in self.param_groups for p in other["params"]]'
_APPEND = 'self.param_groups.append({**self.defaults, **group, "params": params})'
_REFUSE = 'raise ValueError("some parameters appear in more than one parameter group")'
_STATE = "self.update(p, group, self.state.setdefault(p, {}))"
_MOVE = 'p.data -= group["lr"] * p.grad.data'
# fmt: off
stepping.wrongs(
    ("compared with ==", {_TWICE: "if any(p in known for p in params):"}, "`in` compares with `==`, which compares tensors number by number; compare the objects: with a set, or with `is`"),
    ("all optimizers share", {"self.param_groups, self.state = [], {}": "self.param_groups = []\nself.state = vars(Optimizer.step).setdefault('state', {})"}, "all optimizers share one `state`; make a new dict in `__init__`"),
    ("frozen ones left out", {"if p.grad is not None:\n    self.update(p, group, self.state.setdefault(p, {}))": "if p.grad is not None and p.requires_grad:\n    self.update(p, group, self.state.setdefault(p, {}))"}, "a Parameter with a gradient is left out because it doesn't require one; only `grad` decides"),
    ("new zeros", {"p.grad.data[...] = 0": "p.grad = type(p.grad)(p.grad.data * 0)"}, "with `set_to_none=False`, `zero_grad` creates a new gradient; write the zeros into the one that is there"),
    ("empty", {_EMPTY: "if not groups:\n    return"}, "an empty list is accepted; raise a ValueError, because it's nearly always a generator that was used up"),
    ("params twice", {_LIST: "groups = list(params)\nparams = list(params)", 'groups = [{"params": groups}]': 'groups = [{"params": params}]'}, "a generator can be read once; make a list of it, and use the list from then on"),
    ("group kept as it is", {'params = list(group["params"])': 'params = group["params"]'}, "the `params` of a group may be a generator; keep a list"),
    ("defaults win", {_APPEND: 'self.param_groups.append({**group, **self.defaults, "params": params})'}, "the defaults replace a group's own options; the group's come last"),
    ("no defaults", {_APPEND: 'self.param_groups.append({**group, "lr": group.get("lr", self.defaults["lr"]), "params": params})'}, "options other than `lr` are lost; keep all of them as defaults, and give every group a copy"),
    ("first group's options", {_APPEND: 'first = self.param_groups[0] if self.param_groups else {}\nself.param_groups.append({**self.defaults, **first, **group, "params": params})'}, "a new group takes its missing options from the first group; take them from the defaults"),
    ("same twice", {_TWICE: "if False:"}, "a Parameter may be in two groups, so it would move twice in a step; raise a ValueError"),
    ("last group only", {_KNOWN: 'known = self.param_groups[-1]["params"] if self.param_groups else []'}, "a new group is compared with the one before it only; compare with all of them"),
    ("first one only", {_TWICE: "if any(params[0] is p for p in known):"}, "only the first Parameter of a new group is compared; compare all"),
    ("added, then refused", {f"{_TWICE}\n    {_REFUSE}\n{_APPEND}": f"{_APPEND}\n{_TWICE}\n    {_REFUSE}"}, "the group is in the list when the error is raised; test first"),
    ("no question", {"if p.grad is not None:": "if True:"}, "a Parameter without a gradient raises an error; leave it out"),
    ("stops there", {"if p.grad is not None:": "if p.grad is None:\n    return\nelse:"}, "the step ends at the first Parameter without a gradient; go on with the next one"),
    ("first group only", {"for group in self.param_groups:\n    for p in group[\"params\"]:\n        if p.grad is not None:": "for group in self.param_groups[:1]:\n    for p in group[\"params\"]:\n        if p.grad is not None:"}, "only the first group is updated; loop over all of them"),
    ("uphill", {_MOVE: _MOVE.replace("-=", "+=")}, "the step goes along the gradient, so the loss grows; subtract"),
    ("no lr", {_MOVE: "p.data -= p.grad.data"}, "the learning rate isn't used; multiply the gradient by it"),
    ("first lr", {_MOVE: 'p.data -= self.defaults["lr"] * p.grad.data'}, "the default learning rate moves every group; take the group's own"),
    ("forgets", {_MOVE: f"{_MOVE}\np.grad = None"}, "the step sets the gradient to None; that's the job of `zero_grad`"),
    ("one state", {_STATE: "self.update(p, group, self.state)"}, "all Parameters share one state; each has its own, `self.state[p]`"),
    ("new state", {_STATE: "self.state[p] = {}\nself.update(p, group, self.state[p])"}, "a step begins with an empty state; keep what the last one stored"),
    ("state unused", {_STATE: "self.update(p, group, {})"}, "what `update` stores is lost: pass the dict that is in `self.state`"),
    ("itself", {_STATE: f"self.state.setdefault(p, {{}})\n{_MOVE}"}, "`step` moves the Parameters itself; let it call `self.update`, which a subclass may replace"),
    ("zeros made None", {"p.grad.data[...] = 0": "p.grad = None"}, "`zero_grad` ignores `set_to_none=False`: the gradients are None in both cases"),
    ("the weights", {"p.grad.data[...] = 0": "p.data[...] = 0"}, "`zero_grad` sets the weights to 0; it's for their gradients"),
    ("recorded", {_MOVE: "import nbmodule\nwith nbmodule.no_grad():\n    p -= group[\"lr\"] * p.grad"}, "`p -= …` works on a tensor of `nbmodule`, and not on your own Tensor; compute with `p.data` and `p.grad.data`"),
)
# fmt: on
