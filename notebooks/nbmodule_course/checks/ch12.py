"""Chapter 12: a tape. Its graphs are compared node by node, and its gradients number by number."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product
from typing import Any

from ..exercise import Exercise
from .tapes import uses

# ---- 12.1

keeping = Exercise(
    "12.1",
    title="A tensor and its node",
    takes=("Tensor",),
    minutes=12,
    writes=("Tensor", "Node"),
    hints=(
        "Both `__init__` methods only store things. `_node` has three answers: `grad_fn`, the node of a leaf, or None. Which question comes first?",
        "`np.asarray(data)` makes an array of anything, and `array.dtype.kind` is `'f'` for floats. Keep the leaf's node in `_accumulator`, "
        "which is None until `_node` is called for the first time.",
        "`tuple((t._node(), 0) for t in inputs)` in `Node`. In `_node`: return `self.grad_fn` if it isn't None or `self.requires_grad` is false. After that, create "
        '`Node("AccumulateGrad", variable=self)` if there\'s none yet, and return it.',
    ),
)
keeping.compare_uses(
    "`data` is an array of floats",
    uses(
        *(f"Tensor({data}).data" for data in ("3.0", "3", "[1.5, 2.5]", "[[1, 2], [3, 4]]", "np.arange(3)", "[True, False]")),
        "Tensor(np.ones(2, np.float32)).data", "Tensor(np.ones(2, np.float16)).data", "type(Tensor(3).data) is np.ndarray", "Tensor([[1, 2, 3]]).shape", "Tensor([1, 2]).numpy()", "Tensor(3).item()",
    ),
)  # fmt: skip
keeping.compare_uses(
    "a new tensor has no gradient and no history",
    uses(
        *(f"Tensor({given}).requires_grad" for given in ("3", "3, True", "3, requires_grad=True")),
        *(f"{name}.{attribute}" for name in "ac" for attribute in ("grad", "grad_fn", "is_leaf")),
    ),
)
keeping.compare_uses(
    "`_node` is where a gradient goes",
    uses(
        "c._node()", "a._node().name()", "a._node().variable is a", "a._node() is a._node()", "a._node() is b._node()",
        "a._accumulator", "a._node() is a._accumulator", "a._node().next_functions", "a._node(); a.grad_fn", "a._node(); a.is_leaf", "a.requires_grad = False; a._node()", 'a.grad_fn = Node("Mul"); a._node(); a._accumulator',
        "c._node(); c.requires_grad = True; c._node().variable is c", 'a._node(); a.grad_fn = Node("Mul"); a._node() is a.grad_fn',
        'c.grad_fn = Node("Mul"); c._node() is c.grad_fn',
    ),
)  # fmt: skip
keeping.compare_uses(
    "a node keeps what it's given, and knows the nodes of its inputs",
    uses(
        'Node("Mul").name()', 'Node("Mul")._name', 'Node("Mul").variable', 'Node("Mul", variable=a).variable is a', 'Node("Mul", [a, b], [7, 8]).vjps',
        'Node("Mul").next_functions', 'Node("Mul", [a, b]).next_functions', 'Node("Mul", [a, a]).next_functions',
        'Node("Mul", [a, c]).next_functions', 'node = Node("Mul", [a]); node.next_functions[0][0] is a._node()',
        'c.grad_fn = Node("Mul", [a]); Node("Add", [c, b]).next_functions',
    ),
)  # fmt: skip
_FLOATS = 'self.data = data if data.dtype.kind == "f" else data.astype(float)'
_OLD = "if self._accumulator is None:"
_ONE = f'{_OLD}\n    self._accumulator = Node("AccumulateGrad", variable=self)'
_EDGES = "self.next_functions = tuple((t._node(), 0) for t in inputs)"
_NONE = "if self.grad_fn is not None or not self.requires_grad:"
# fmt: off
keeping.wrongs(
    ("name hidden", {"self._name, self.vjps": "self.name, self.vjps"}, "`self.name` hides the method `name`, so a call finds the text; keep it as `_name`"),
    ("under another name", {"self._name, self.vjps": "self._title, self.vjps", "return self._name": "return self._title"}, "the name isn't kept as `_name`, where methods of later chapters look for it"),
    ("node under another name", {"self._accumulator = None": "self._leaf = None", f"{_ONE}\nreturn self._accumulator": f"{_ONE}\nreturn self._accumulator".replace("_accumulator", "_leaf")}, "the leaf's node isn't kept as `_accumulator`, where methods of later chapters look for it"),
    ("from the start", {"self._accumulator = None": 'self._accumulator = Node("AccumulateGrad", variable=self)'}, "`__init__` creates the leaf's node; `_accumulator` is None until `_node` needs it"),
    ("a spare node", {_ONE: "", _NONE: f"{_ONE}\n{_NONE}"}, "`_node` creates a node that it doesn't return; create it only for a leaf that requires a gradient"),
    ("a list of pairs", {_EDGES: "self.next_functions = [(t._node(), 0) for t in inputs]"}, "`next_functions` is a list; make a tuple of it"),
    ("each node once", {_EDGES: "self.next_functions = tuple(dict.fromkeys((t._node(), 0) for t in inputs))"}, "an input that is used twice gets one pair only; there's one for each input"),
    ("all float64", {_FLOATS: "self.data = data.astype(float)"}, "every array becomes float64; a float array keeps its dtype"),
    ("as it is", {_FLOATS: "self.data = data"}, "integers stay integers; turn what isn't a float into one"),
    ("always float32", {_FLOATS: "self.data = data.astype(np.float32)"}, "every array becomes float32; a float array keeps its dtype, anything else becomes float64"),
    ("never requires", {"self.requires_grad = requires_grad": "self.requires_grad = False"}, "`requires_grad` isn't kept"),
    ("a new node each time", {_OLD: "if True:"}, "each call of `_node` creates another node; create it once and keep it"),
    ("a node for all", {_NONE: "if self.grad_fn is not None:"}, "a tensor that doesn't require a gradient gets a node too; return None"),
    ("leaves only", {_NONE: "if not self.requires_grad:\n    return None\nif False:"}, "for a tensor that was computed, `_node` doesn't return its `grad_fn`"),
    ("no variable", {_ONE: f'{_OLD}\n    self._accumulator = Node("AccumulateGrad")'}, "the leaf's node doesn't know its tensor; pass `variable=self`"),
    ("kept in grad_fn", {_ONE: 'self.grad_fn = self._accumulator = Node("AccumulateGrad", variable=self)'}, "`_node` stores the leaf's node in `grad_fn`, so the tensor isn't a leaf anymore"),
    ("no Nones", {_EDGES: "self.next_functions = tuple((t._node(), 0) for t in inputs if t._node() is not None)"}, "inputs without a node are left out, so the pairs no longer match the vjps; keep `(None, 0)`"),
    ("no pairs", {_EDGES: "self.next_functions = tuple(t._node() for t in inputs)"}, "`next_functions` holds nodes; it should hold pairs `(node, 0)`"),
    ("their numbers", {_EDGES: "self.next_functions = tuple((t._node(), i) for i, t in enumerate(inputs))"}, "the number counts the inputs; it says which output of the other node is meant, and that's 0"),
    ("grad_fn of the inputs", {_EDGES: "self.next_functions = tuple((t.grad_fn, 0) for t in inputs)"}, "the pairs hold the `grad_fn` of the inputs, which a leaf doesn't have; call `_node()`"),
)
# fmt: on

# ---- 12.2

recording = Exercise(
    "12.2",
    title="Record what happens",
    takes=("Tensor",),
    minutes=12,
    writes=("Tensor",),
    keeps=("12.1",),
    hints=(
        "The result's numbers don't depend on the record: compute them from `self.data` and `other.data` first. What does the gradient of `a * b` become on its way to `a`?",
        "In `_record`, `any(t.requires_grad for t in inputs)` decides. `__mul__` has two vjps: `lambda g: g * b` and `lambda g: g * a`, where `a` and `b` are arrays.",
        'In `__add__`: `other = self._lift(other)`, then `return Tensor(self.data + other.data)._record("AddBackward0", [self, other], [lambda g: g, lambda g: g])`. '
        "In `_record`, set `self.requires_grad` and `self.grad_fn`, and return `self` in any case.",
    ),
)
_FIRST = ("a + b", "a * b", "a * a", "a + c", "c * a", "c * c", "2 * a", "a + 2")
_SECOND = ("x * a", "b + x", "x + x", "x * c", "x * 2")
recording.compare_uses(
    "the numbers are those of NumPy",
    uses(
        *(f"{text}" for text in _FIRST), *(f"x = {one}; {two}" for one, two in product(_FIRST, _SECOND)),
        "v * w", "v + w", "2 * v", "np.float64(2) * a", "np.ones(3) * v", "np.ones(3) + v", "v * np.ones(3)", "v + [1, 2, 3]",
        "(f * 2).data", "(2.5 + f).data", "(f * np.ones(2)).data", "x = a * b; a.data", "x = v + v; v.data",
    ),
)  # fmt: skip
recording.compare_uses(
    "a node is recorded where a gradient is required",
    uses(
        *(f"tree({text})" for text in _FIRST), *(f"x = {one}; tree({two})" for one, two in product(_FIRST, _SECOND)),
        *(f"({text}).{name}" for text in ("a * b", "c * c", "c + 2", "a * c") for name in ("requires_grad", "is_leaf", "grad")),
        "tree(np.ones(3) * v)", "Sub = type('Sub', (Tensor,), {}); p = Sub(2.0, requires_grad=True); (a * p).grad_fn.next_functions[1][0].variable is p",
        *(f"Sub = type('Sub', (Tensor,), {{}}); p = Sub(2.0); type(p {op} a) is Tensor" for op in "+*"), "(c * c).grad_fn", "x = a * b; [a.grad_fn, a.grad]",
    ),
)  # fmt: skip
recording.compare_uses(
    "the vjps multiply a gradient by the right numbers",
    uses(
        *(f"vjps({text}, 10.0)" for text in _FIRST if text != "c * c"),
        "x = a * b; vjps(x * a, 10.0)", "x = a + b; vjps(x * x, 10.0)", "vjps(v * w, [1.0, 10.0, 100.0])", "vjps(v + w, [1.0, 10.0, 100.0])",
        "vjps(np.ones(3) * v, [1.0, 10.0, 100.0])", "x = a * b; y = a * a; vjps(x, 10.0)",
    ),
)  # fmt: skip
_ANY, _MUL = "if any(t.requires_grad for t in inputs):", "vjps = [lambda g: g * b, lambda g: g * a]"
_FN, _ON = "self.grad_fn = Node(name, inputs, vjps)", "self.requires_grad = True"
# fmt: off
recording.wrongs(
    ("always", {_ANY: "if True:"}, "a node is recorded even if no input requires a gradient"),
    ("only if all", {_ANY: "if all(t.requires_grad for t in inputs):"}, "nothing is recorded if one of the inputs doesn't require a gradient; one that does is enough"),
    ("the first decides", {_ANY: "if inputs[0].requires_grad:"}, "the first input alone decides whether there's a node"),
    ("no requires_grad", {_ON: ""}, "the result doesn't require a gradient, so the next operation doesn't record it"),
    ("no node", {_FN: ""}, "the result requires a gradient and has no node: set `grad_fn`"),
    ("vjps swapped", {_MUL: "vjps = [lambda g: g * a, lambda g: g * b]"}, "the two vjps of `*` are swapped: `a`'s gradient is `g * b`"),
    ("without g", {_MUL: "vjps = [lambda g: b, lambda g: a]"}, "the vjps of `*` leave out the gradient that arrives; multiply by `g`"),
    ("g alone", {_MUL: "vjps = [lambda g: g, lambda g: g]"}, "the vjps of `*` pass the gradient on as it is; that's right for `+`"),
    ("one vjp", {_MUL: "vjps = [lambda g: g * b]"}, "there is one vjp for two inputs"),
    ("tensors", {_MUL: "vjps = [lambda g: g * other, lambda g: g * self]"}, "the vjps return tensors; they take and return arrays, so multiply by `.data`"),
    ("class of self", {"return Tensor(a * b)": "return type(self)(a * b)", "return Tensor(self.data + other.data)": "return type(self)(self.data + other.data)"}, "the result gets the class of `self`, so a Parameter times something is a Parameter; create a Tensor"),
    ("not lifted", {"__mul__": "def __mul__(self, other):\n    a, b = self.data, other.data\n    vjps = [lambda g: g * b, lambda g: g * a]\n    return Tensor(a * b)._record('MulBackward0', [self, other], vjps)"}, "a number has no `data`: call `self._lift(other)` first"),
    ("wrong name", {'"MulBackward0"': '"AddBackward0"'}, "the node of a product is called AddBackward0"),
    ("without other", {_FN: "self.grad_fn = Node(name, inputs[:1], vjps[:1])"}, "the node knows one input only; the other one gets no gradient"),
    ("in place", {"return Tensor(self.data + other.data)._record(…": "self.data += other.data\nreturn self._record('AddBackward0', [self, other], vjps)"}, "`a + b` changes `a`; the result is a new tensor"),
)
# fmt: on

# ---- 12.3


def _ordered(text: str) -> Callable[[Any], str]:
    """Return a use of `Node`: whether the order of a graph is right, otherwise what is wrong with it."""

    def use(Node: Any) -> str:
        nodes, asked = {}, []
        for line in reversed(text.split(" | ")):
            name, _, below = line.partition(": ")
            node = Node("MulBackward0", [_Input(nodes.get(each)) for each in below.split()])
            node.next_functions = _Counted(node.next_functions)
            asked.append(node.next_functions)
            nodes[name] = node
        first, known = (
            nodes[text[: text.index(":")]],
            {id(node): name for name, node in nodes.items()},
        )
        orders = [first.topological_order()]
        counted = max(each.times for each in asked)
        orders.append(first.topological_order())
        if not isinstance(orders[0], list | tuple):
            return f"a `{type(orders[0]).__name__}`, not a list"
        named = [[known.get(id(node), "something else") for node in order] for order in orders]
        if named[0] != named[1]:
            return (
                f"{' '.join(named[0])}, and {' '.join(named[1]) or 'nothing'} when it's asked again"
            )
        return _fault(named[0], text, counted)

    return use


class _Input:
    """Stands in the place of a tensor: it knows its node."""

    def __init__(self, node: Any) -> None:
        self._node = lambda: node


class _Counted(tuple):
    """A tuple that counts how often it is gone through."""

    times = 0

    def __iter__(self) -> Any:
        self.times += 1
        return super().__iter__()


def _fault(order: list[str], text: str, asked: int) -> str:
    """Return what is wrong with an order of names, or that nothing is."""
    below = {line.partition(": ")[0]: line.partition(": ")[2].split() for line in text.split(" | ")}
    first = next(iter(below))
    reached = {first}
    for name, following in below.items():  # the lines stand in a right order
        reached |= {each for each in following if each != "-"} if name in reached else set()
    said = " ".join(order)
    if len(set(order)) < len(order):
        return f"{said}: a node is listed twice"
    if set(order) != reached:
        return f"{said}: not the nodes that can be reached"
    for name in order:
        for each in below[name]:
            if each != "-" and order.index(each) < order.index(name):
                return f"{said}: {each} comes before {name}, which sends it a gradient"
    return "a right order" if asked < 10 else f"a right order, and a node was visited {asked} times"


def _graphs(count: int) -> list[str]:
    """Return random graphs as texts: "z: x y | x: - | y: -", each line a node and those that it sends gradients to."""
    chance, found = random.Random(0), []
    for number in range(count):
        names = "zyxwvu"[: 2 + number % 5]
        lines, reached = [], {names[0]}
        for place, name in enumerate(names):
            later = [*names[place + 1 :], *("-" if place else "")] or ["-"]
            below = [chance.choice(later) for _ in range(1 + chance.randrange(3))]
            if name in reached:
                reached.update(below)
                lines.append(f"{name}: {' '.join(below)}")
        found.append(" | ".join(lines))
    return sorted(dict.fromkeys(found), key=len)


ordering = Exercise(
    "12.3",
    title="In which order?",
    takes=("Node",),
    minutes=15,
    writes=("Node",),
    hints=(
        "Begin at the other end: which nodes could safely be the *last* ones in the order?",
        "Visit everything below a node first, and add the node to a list when that's done. Then each node comes *after* everything below it. Turn the list around at the end.",
        "An inner function `visit(node)`: return if the node is None or in `seen`; add it to `seen`; call `visit(following)` for each `following, _` in "
        "`node.next_functions`; append the node to `finished`. The method returns `finished[::-1]`.",
    ),
)  # fmt: skip
_NOTE = "  # z is the node that is asked; each line is a node and those that it sends gradients to, - is None"
ordering.compare_uses(
    "every node comes after all that send it a gradient",
    {
        f'order("{text}"){_NOTE}': _ordered(text)
        for text in ("z: -", "z: y | y: -", "z: - y | y: -", "z: y y | y: -", *_graphs(60))
    },
)
_LADDER = " | ".join(f"{name}: {below} {below}" for name, below in zip("zyxwvutsrqponm", "yxwvutsrqponm-", strict=True))  # fmt: skip
ordering.compare_uses(
    "no node is visited again and again",
    {f'order("{_LADDER}"){_NOTE}': _ordered(_LADDER)},
)
_SEEN, _END, _BACK = "if node is None or node in seen:", "finished.append(node)", "return finished[::-1]"  # fmt: skip
# fmt: off
ordering.wrongs(
    ("not turned around", {_BACK: "return finished"}, "the order begins at the leaves; turn the list around"),
    ("None too", {_SEEN: "if node in seen:"}, "an input without a node is visited: None has no `next_functions`"),
    ("None is listed", {_SEEN: "if node in seen:", "for following, _ in node.next_functions:": "for following, _ in node.next_functions if node else ():"}, "None is in the list: it stands for an input without a node"),
    ("nothing is seen", {"seen.add(node)": ""}, "a node that can be reached in two ways is listed twice; remember what has been visited"),
    ("duplicates removed", {"seen.add(node)": "", _BACK: "return list(dict.fromkeys(finished[::-1]))[:]"}, "the list begins with the latest visits, so a node can come too early: is a node visited again and again, and are duplicates removed at the end?"),
    ("first visits kept", {"seen.add(node)": "", _BACK: "return list(dict.fromkeys(finished))[::-1]"}, "the order is right, but a node is visited once for every path to it, which doubles with each level; remember what has been visited"),
    ("on the way down", {_END: "", "seen.add(node)": "seen.add(node)\nfinished.append(node)", _BACK: "return finished"}, "each node is listed before everything below it on one path, but maybe before another node that sends it a gradient too; add it to the list when everything below it is done"),
    ("breadth first", {"visit(self)": "finished, todo = [], [self]\nwhile todo:\n    node = todo.pop(0)\n    if node is not None and node not in finished:\n        finished.append(node)\n        todo += [following for following, _ in node.next_functions]\nfinished.reverse()"}, "the nodes are listed level by level, so a node that is near the result comes early, even if a longer path leads to it too"),
    ("first input only", {"visit(following)": "visit(following)\nbreak"}, "only the first input of each operation is followed"),
    ("seen for ever", {"seen, finished = set(), []": "seen, finished = vars(Node.topological_order).setdefault('seen', set()), []"}, "what has been visited is remembered for the next call, so that one leaves it out; begin with an empty set each time"),
    ("by name", {_SEEN: "if node is None or node.name() in seen:", "seen.add(node)": "seen.add(node.name())"}, "nodes are told apart by their names, and two products have the same one; remember the nodes themselves"),
    ("an iterator", {_BACK: "return reversed(finished)"}, "`reversed` gives an iterator, which can be used once; return a list"),
    ("without itself", {_BACK: "return finished[-2::-1]"}, "the node itself isn't in the list"),
)
# fmt: on
