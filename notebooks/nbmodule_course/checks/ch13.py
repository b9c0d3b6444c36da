"""Chapter 13: an engine that survives long tapes and is told what not to record."""

from __future__ import annotations

from ..exercise import Exercise
from .boxes import programs
from .playing import uses

# ---- 13.1

ordering = Exercise(
    "13.1",
    title="Newest first",
    takes=("Node",),
    minutes=12,
    writes=("__init__", "topological_order"),
    hints=(
        "A node can only use nodes that were there before it. So what does sorting by age give?",
        "Keep two collections: the nodes you have found, and those whose `next_functions` you haven't looked at yet. A loop takes one of the latter until there are none.",
        "`while todo: for node, _ in todo.pop().next_functions:` adds a new node to both. At the end: `sorted(found, key=lambda node: node.number, reverse=True)`.",
    ),
)
_FIRST = ("y = op('y', a)", "y = op('y', a, b)", "y = op('y', b, a)", "y = op('y', a, a)", "y = op('y', a, const)")  # fmt: skip
_SECOND = ("z = op('z', y)", "z = op('z', y, y)", "z = op('z', y, a)", "z = op('z', a, y)", "z = op('z', b)", "z = op('z', const, y)")  # fmt: skip
_THIRD = ("w = op('w', y, z)", "w = op('w', z, y)", "w = op('w', z, a)", "w = op('w', b, z)", "w = op('w', z, z)")  # fmt: skip
_NODES = "op makes a node with a name and its inputs; the nodes of a and b are made when they are first used"
ordering.compare_uses(
    "a newer node has a greater number",
    uses(programs(_FIRST[:4], ("number(y) > number(a)",)) + programs(_FIRST[:1], _SECOND, ("number(z) > number(y)",)), _NODES),
)  # fmt: skip
ordering.compare_uses(
    "a node knows those of its inputs",
    uses(programs(_FIRST, ("edges(y)", "y._node().variable", "y._node().saved")), _NODES),
)
ordering.compare_uses(
    "all nodes are listed, the newest first",
    uses(
        [
            "order(a)",
            *programs(_FIRST, ("order(y)",)),
            *programs(_FIRST, _SECOND, ("order(z)", "order(y)", "[order(z), order(z)]")),
            *programs(_FIRST[1:3], _SECOND[1:], _THIRD, ("order(w)",)),
        ],
        _NODES,
    ),
)
ordering.compare_uses(
    "each node is looked at once, however many paths lead there",
    uses(["order(doubled(3))", "order(doubled(18))", "order(doubled(18))[:3]"], "each of the nodes uses the one before it twice"),
)  # fmt: skip
ordering.compare_uses(
    "a tape may be 2,000 nodes deep",
    uses(["order(deep(3))", "order(deep(2000))[-3:]"], "each of the nodes uses the one before it"),
)  # fmt: skip
_NUMBER, _SORTED = (
    "self.number = next(Node.numbers)",
    "return sorted(found, key=lambda node: node.number, reverse=True)",
)
_NAME, _BELOW = (
    "self._name, self.vjps, self.variable = name, vjps, variable",
    "if node is not None and node not in found:",
)
_FOUND, _ADD = "found, todo = {self}, [self]", "found.add(node)"
_VISIT = """seen, finished = set(), []

def visit(node):
    if node is not None and node not in seen:
        seen.add(node)
        for following, _ in node.next_functions:
            visit(following)
        finished.append(node)

visit(self)"""
_WALK = f"""{_FOUND}
while todo:
    for node, _ in todo.pop().next_functions:
        {_BELOW}
            {_ADD}
            todo.append(node)
"""
# fmt: off
ordering.wrongs(
    ("number first", {_NUMBER: "", _NAME: f"{_NUMBER}\n{_NAME}"}, "a node gets its number before the leaves that it's the first to use, so they count as newer; set `number` in the last line"),
    ("marked for ever", {_BELOW: "if node is not None and not getattr(node, 'found', False):", _ADD: "found.add(node)\nnode.found = True"}, "what has been found is marked in the nodes themselves, so the next call leaves it out; begin with an empty collection each time"),
    ("an iterator", {_SORTED: "return reversed(sorted(found, key=lambda node: node.number))"}, "`reversed` gives an iterator, which can be used once; return a list"),
    ("oldest first", {_SORTED: _SORTED.replace(", reverse=True", "")}, "the oldest node comes first; sort with `reverse=True`"),
    ("not sorted", {_FOUND: "found, todo = [self], [self]", _ADD: "found.append(node)", _SORTED: "return found"}, "the nodes are listed as they're found, so a node can come before another one that sends it a gradient; sort them by `number`"),
    ("recursive", {_WALK: _VISIT, _SORTED: _SORTED.replace("found", "finished")}, "the order is right, but the method calls itself for each layer; use a list of nodes to look at, and a loop"),
    ("recursive, not sorted", {_WALK: _VISIT, _SORTED: "return finished[::-1]"}, "this is the order of chapter 12, found by recursion; go through the nodes with a loop, and sort them by `number`"),
    ("without itself", {_FOUND: "found, todo = set(), [self]"}, "the node itself isn't in its list"),
    ("every path", {_BELOW: "if node is not None:"}, "a node is looked at again for each path that leads to it; skip those that you have found already"),
    ("None too", {_BELOW: "if node not in found:"}, "None is taken for a node; an input that doesn't require a gradient has none"),
    ("one layer", {"todo.append(node)": "pass"}, "the nodes below the inputs are missing; look at the `next_functions` of every node that you find"),
    ("first input only", {"todo.append(node)": "todo.append(node)\nbreak"}, "of a node's new inputs, all but the first are left out"),
    ("operations only", {_BELOW: "if node is not None and node not in found and node.next_functions:"}, "the nodes of the leaves are missing"),
)
# fmt: on

# ---- 13.3

quiet = Exercise(
    "13.3",
    title="`no_grad`",
    takes=("Tensor", "no_grad"),
    minutes=15,
    writes=("no_grad", "_record"),
    keeps=("12.5",),
    hints=(
        "`__enter__` runs when the `with` block begins, and `__exit__` when it ends, after an exception too. What must `__exit__` know to put things back?",
        "The state before isn't always True, so `__enter__` keeps it in the object. `__call__` is given a function and returns another one, whose body is a `with` block.",
        "`self.before = Tensor.recording`, then `Tensor.recording = False`. At the end, `Tensor.recording = self.before`. In `_record`: `if Tensor.recording and any(…)`.",
    ),
)
_STATE = "[y.requires_grad, y.grad_fn is None, y.is_leaf, y]"
_BLOCKS = ("with no_grad(): y = a * 2", "with no_grad(): y = (a * b).relu()", "with no_grad(): y = W @ W", "with no_grad(), no_grad(): y = a * 2", "y = no_grad()(double)(a)", "y = no_grad()(double)(a, more=b)", "q = no_grad(); f = q(double); y = f(f(a))")  # fmt: skip
_BEFORE = ("", "with no_grad(): pass", "with no_grad(), no_grad(): pass", "q = no_grad()", "f = no_grad()(double)", "no_grad()(double)(a)", "with suppress(LookupError), no_grad(): bad(a)", "with suppress(LookupError): no_grad()(bad)(a)", "with no_grad(): q = no_grad(); with q: pass", "f = no_grad()(lambda n: n and f(n - 1)); f(2)")  # fmt: skip
_INSIDE = ("no_grad()(double)(a)", "[q.__enter__(), q.__exit__(None, None, None)]", "f(2)")
quiet.compare_uses(
    "nothing is recorded in the block or in the function", uses(programs(_BLOCKS, (_STATE,)))
)
quiet.compare_uses(
    "afterwards it's as it was before, even after an exception",
    uses(
        [
            *programs(_BEFORE, ("y = a * b",), (_STATE, "y.sum().backward(); a.grad")),
            *programs(("f = no_grad()(lambda n: n and f(n - 1)); q = no_grad()",), tuple(f"with no_grad(): y = [{call}, a * 2][1]" for call in _INSIDE), (_STATE,)),
        ]
    ),
)  # fmt: skip
quiet.compare_uses(
    "exceptions pass, and so do arguments and results",
    uses(
        [
            "with no_grad(): bad(a); 'swallowed'",
            "no_grad()(bad)(a)",
            "no_grad()(double)(a, more=1)",
            "no_grad()(double)(x=a)",
            "no_grad()(double).__name__",
        ]
    ),
)
quiet.compare_uses(
    "the tensors themselves stay as they were",
    uses(
        [
            "with no_grad(): y = a * b; (y * a).sum().backward(); [a.grad, b.grad]",
            "y = c * c; [y.requires_grad, y.grad_fn is None]",
            "y = (a * b).sum(); y.backward(); said(y.backward)",
            "with no_grad(): y = a * b; [a.requires_grad, b.requires_grad, y.requires_grad]",
            "with no_grad(): y = [a.requires_grad, Tensor(1.0, requires_grad=True).requires_grad]; y",
            "y = (a * b).sum(); with no_grad(): y.backward(); [a.grad, b.grad]",
        ]
    ),
)
_ON, _BACK, _OFF = (
    "self.before = Tensor.recording",
    "Tensor.recording = self.before",
    "Tensor.recording = False",
)
_ASKS, _WITH = "Tensor.recording and any(t.requires_grad for t in inputs)", "with no_grad():"
_RUN = "return function(*args, **kwargs)"
# fmt: off
quiet.wrongs(
    ("always on again", {_BACK: "Tensor.recording = True"}, "the end of an inner block switches recording on again; put back what was there before"),
    ("not put back", {_BACK: "pass"}, "recording stays off after the block"),
    ("switched when created", {_OFF: "pass", "__init__": f"def __init__(self):\n    {_OFF}"}, "creating the object switches recording off; that's the job of `__enter__`"),
    ("remembered when created", {_ON: "pass", "__init__": f"def __init__(self):\n    {_ON}"}, "the state is remembered when the object is created; it can change before the block begins, so remember it in `__enter__`"),
    ("swallows", {_BACK: f"{_BACK}\nreturn True"}, "`__exit__` returns something that counts as true, which swallows the exception; return nothing"),
    ("not after errors", {_BACK: f"if error[0] is None:\n    {_BACK}"}, "after an exception, recording stays off"),
    ("nothing returned", {_RUN: "function(*args, **kwargs)"}, "the new function returns None; return what the old one returns"),
    ("not decorated", {"__call__": "def __call__(self, function):\n    return function"}, "the function is handed back as it was, so its calls are recorded"),
    ("only while decorating", {"__call__": "def __call__(self, function):\n    with no_grad():\n        return function"}, "the function is handed back as it was, so its calls are recorded"),
    ("one object for all calls", {_WITH: "with self:"}, "a function that calls itself enters the same object twice, and the first state is lost; create a new `no_grad()` for each call"),
    ("no names", {"def without(*args, **kwargs):": "def without(*args):", _RUN: "return function(*args)"}, "arguments can't be passed by name; take `*args` and `**kwargs`"),
    ("another name", {"@functools.wraps(function)": ""}, "the new function doesn't have the old one's name; `functools.wraps` copies it"),
    ("nobody asks", {_ASKS: "any(t.requires_grad for t in inputs)"}, "everything is recorded as before: `__enter__` sets `Tensor.recording` to False, and `_record` has to look at it"),
    ("everything is recorded", {_ASKS: "Tensor.recording"}, "everything is recorded, even if no input requires a gradient"),
    ("still requires a gradient", {f"if {_ASKS}:": f"self.requires_grad = any(t.requires_grad for t in inputs)\nif {_ASKS}:"}, "the result still says that it requires a gradient"),
)
# fmt: on
