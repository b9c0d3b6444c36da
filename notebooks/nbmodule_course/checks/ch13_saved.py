"""Chapter 13: what a node keeps and for how long, and what happens if it's overwritten meanwhile."""

from __future__ import annotations

from ..exercise import Exercise
from . import tapes
from .boxes import programs
from .playing import uses

# ---- 13.2

keeping = Exercise(
    "13.2",
    title="What a node keeps",
    takes=("Tensor",),
    minutes=25,
    writes=("Saved", "_record", "__mul__", "__matmul__", "relu", "backward"),
    keeps=("12.4", "12.5"),
    hints=(
        "Begin with `Saved`: three short methods around one attribute. Then look for the place in `backward` where a node has done its work.",
        "In `__mul__`, the vjp for `self` needs the numbers of `other`. Let it call `get` when it runs, not when it's created.",
        "`a, b = Saved(self), Saved(other)` and `vjps = [lambda g: g * b.get(), lambda g: g * a.get()]`. At the end of the loop in `backward`: `if not retain_graph: for saved in node.saved: saved.free()`.",
    ),
)
_Y = ("y = a * b", "y = a * a", "y = a * c", "y = c * a", "y = a + b", "y = a * 3", "y = W @ W", "y = W @ Tensor([[1.0, 2.0], [0.0, 1.0]])", "y = Tensor([[1.0, 2.0], [0.0, 1.0]]) @ W", "y = (a + b).relu()", "y = (a + a).exp()", "y = a**3", "y = a.log() + b")  # fmt: skip
_STEPS = ("{0} * {1}", "{0} + {1}", "{0} @ {1}", "{0}.relu()", "{0}**2", "({0} * 0.1).exp()")
_GRADS, _TWO = "[a.grad, b.grad, W.grad]", "k = y.sum(); l = (y * y).sum()"
_AGAIN = ("l.backward(retain_graph=True); l.backward()", "l.backward(retain_graph=True); l.backward(); l.backward()", "l.backward(None, True); l.backward()", "l.backward(retain_graph=False); l.backward()")  # fmt: skip
keeping.compare_uses(
    "the gradients are right",
    uses(
        [
            *programs(_Y, ("", "y = y * y + y"), ("y.sum().backward()",), (_GRADS,)),
            "y = W @ [[1.0], [2.0]]; y.sum().backward(); [W.grad, y]",
            "f = lambda: (a * b * a).relu().sum(); agrees(f, a)",
            "f = lambda: (W @ W * W).sum(); agrees(f, W)",
        ]
    )
    | tapes.uses(*tapes.small_graphs(_STEPS, "MN", 24, "{0}.sum()")),
)
keeping.compare_uses(
    "the second time, a node that has kept something refuses",
    uses(
        [
            *programs(_Y, ("l = y.sum()", "l = (y + y).sum()"), ("l.backward(); l.backward()",), (_GRADS,)),
            "l = a.sum() * 2; l.backward(); l.backward(); a.grad",
        ]
    ),
)  # fmt: skip
keeping.compare_uses(
    "`retain_graph=True` allows one more time",
    uses(programs(_Y[:7], ("l = y.sum()",), _AGAIN, (_GRADS,))),
)
keeping.compare_uses(
    "two losses can share nodes",
    uses(programs(_Y[:6], ("k = (y + 1).sum(); l = (y + 2).sum()", _TWO), ("k.backward(); l.backward()", "k.backward(retain_graph=True); l.backward()", "(k + l).backward()"), (_GRADS,))),
)  # fmt: skip
keeping.compare_uses(
    "`data` is the tensor's own array, until it's freed",
    uses(
        [
            *programs(("s = (a * b).grad_fn.saved", "s = (W @ W).grad_fn.saved", "s = (a * c).grad_fn.saved"), ("[any(x.data is t.data for x in s) for t in (a, b, c, W)]", "[[x.free(), x.data] for x in s]")),
            "h = a * b; y = h * h; l = y.sum(); h.sum().backward(); with suppress(RuntimeError): l.backward(); [x.data for x in y.grad_fn.saved]",
        ]
    )
    | uses(["h = a * 2; s = (h * h).grad_fn.saved; r = ref(h); del h; r() is None"], "r() is None says that h itself isn't in memory anymore"),
)  # fmt: skip
keeping.compare_uses(
    "nothing is copied, and what is freed is gone",
    uses(
        programs(
            ("h = a * b; l = (h * h).sum()", "h = W @ W; l = (h @ h).sum()", "h = a * b; l = h.exp().sum()"),
            ("r = ref(h.data); del h",),
            ("r() is None", "l.backward(); r() is None", "l.backward(retain_graph=True); r() is None"),
        ),
        "r() is None says that the numbers of h aren't in memory anymore",
    ),
)  # fmt: skip
keeping.compare_uses(
    "the message is PyTorch's, and what ran before it counts",
    uses(
        programs(
            ("l = (a * b).sum() + W.sum()", "l = W.sum() + (a * b).sum()"),
            ("l.backward(); e = said(l.backward)",),
            ("e", "[W.grad, a.grad]"),
        )
    ),
)  # fmt: skip
_FREE, _KEEP, _IF = "saved.free()", "self.data = tensor.data", "if not retain_graph:"
_FREED = f"{_IF}\n    for saved in node.saved:\n        {_FREE}"
_TURN, _SECOND = "g, leaf = arrived.pop(node), node.variable", 'raise RuntimeError("Trying to backward through the graph a second time")'  # fmt: skip
_ORDER = "for node in self._node().topological_order():"
_AT_THE_END = """order = self._node().topological_order()
for node in [*order, None]:
    if node is None:
        for saved in [] if retain_graph else [each for one in order for each in one.saved]:
            saved.free()
        continue"""
_START = "arrived = {self._node(): self._lift(gradient).data}"
_MUL = "vjps = [lambda g: g * b.get(), lambda g: g * a.get()]"
_MM = "vjps = [lambda g: g @ b.get().T, lambda g: a.get().T @ g]"
_MUL_RECORD, _MM_RECORD = '"MulBackward0", [self, other], vjps, [a, b]', '"MmBackward0", [self, other], vjps, [a, b]'  # fmt: skip
# fmt: off
keeping.wrongs(
    ("never freed", {_FREE: "pass"}, "nothing is freed, so the second `backward` adds everything once more: does `_record` give `saved` to the node, and does `backward` free it?"),
    ("the last one only", {"for saved in node.saved:": "for saved in self._node().saved:"}, "only what the result's own node keeps is freed; free what each node keeps, when it has had its turn"),
    ("cut off", {_FREED: f"{_IF}\n    node.next_functions = ()"}, "the nodes lose their `next_functions`, so a second `backward` does nothing, without an error; free what each node keeps, and leave the rest"),
    ("always freed", {_IF: "if True:"}, "everything is freed, even with `retain_graph=True`"),
    ("the other way round", {_IF: "if retain_graph:"}, "it frees with `retain_graph=True`, and not without"),
    ("retained by default", {"retain_graph=False": "retain_graph=True"}, "`retain_graph` is True unless something else is passed; the default is False"),
    ("freed too early", {_FREED: "", _TURN: f"{_TURN}\n{_FREED}"}, "a node's numbers are freed before its vjps have used them"),
    ("used all the same", {f"if self.data is None:\n    {_SECOND}": ""}, "`get` returns None after `free`, and the vjp computes with it; raise a RuntimeError"),
    ("another error", {_SECOND: _SECOND.replace("Runtime", "Value")}, "the exception is a ValueError; PyTorch raises a RuntimeError"),
    ("other words", {_SECOND: 'raise RuntimeError("already freed")'}, "the message differs from PyTorch's"),
    ("every node refuses", {_TURN: f"{_TURN}\nif getattr(node, 'played', False):\n    {_SECOND}", _FREED: f"if not retain_graph:\n    node.played = node.variable is None\n    for saved in node.saved:\n        {_FREE}"}, "every operation refuses the second time; an addition keeps nothing, so it can be played again"),
    ("the loss refuses", {_FREE: "pass", _START: f"if getattr(self, 'played', False):\n    {_SECOND}\nself.played = not retain_graph\n{_START}"}, "the loss refuses to be played again, but its nodes keep everything; free what each node has kept"),
    ("a copy", {_KEEP: f"{_KEEP}.copy()"}, "the numbers are copied, which takes as much memory again; keep the array itself"),
    ("the tensor too", {_KEEP: f"{_KEEP}\nself.tensor = tensor"}, "after `free`, the object still holds the tensor, and so its numbers"),
    ("the tensor only", {_KEEP: "self.tensor = tensor", "self.data = None": "self.tensor = None", "if self.data is None:": "if self.tensor is None:", "return self.data": "return self.tensor.data"}, "the object keeps the tensor; keep the tensor's array, as `data`"),
    ("freed at the end", {_FREED: "", _ORDER: _AT_THE_END}, "everything is freed after the loop; free what a node keeps as soon as it has had its turn"),
    ("taken out at once", {_MUL: "x, y = a.get(), b.get()\nvjps = [lambda g: g * y, lambda g: g * x]"}, "what a product keeps isn't freed: call `get` inside the vjps, and pass what you keep to `_record`"),
    ("taken out at once by @", {_MM: "x, y = a.get(), b.get()\nvjps = [lambda g: g @ y.T, lambda g: x.T @ g]"}, "what `@` keeps isn't freed: call `get` inside the vjps, and pass what you keep to `_record`"),
    ("own factor", {_MUL: "vjps = [lambda g: g * a.get(), lambda g: g * b.get()]"}, "in a product, each factor gets its own numbers as the gradient; it's those of the other"),
    ("not transposed", {_MM: "vjps = [lambda g: g @ b.get(), lambda g: a.get() @ g]"}, "in `@`, the matrices aren't transposed"),
    ("relu past get", {"lambda g: g * (y.get() > 0)": "lambda g: g * (result.data > 0)"}, "the vjp of `relu` uses the result itself, so freeing changes nothing; call `get` inside the vjp"),
    ("the other of two", {_MUL_RECORD: _MUL_RECORD.replace("[a, b]", "[b]")}, "a product passes only one of the two that it keeps to `_record`"),
    ("one of two", {_MUL_RECORD: _MUL_RECORD.replace("[a, b]", "[a]")}, "a product passes only one of the two that it keeps to `_record`"),
)
# fmt: on

# ---- 13.4

versions = Exercise(
    "13.4",
    title="Versions",
    takes=("Tensor",),
    minutes=20,
    writes=("__init__", "detach", "_overwrite", "_version", "add_", "sub_", "mul_", "Saved"),
    keeps=("12.1", "13.2"),
    hints=(
        "A number that two tensors count together must be in an object that both have. That's why it's in a list.",
        "`_overwrite` computes `operation(before, other)`, where `before` is a new Tensor with a copy of the numbers and the same history. If the result is recorded, its `grad_fn` becomes this tensor's.",
        "`before = Tensor(self.data.copy(), self.requires_grad)`, `before.grad_fn = self.grad_fn`, then `self.data[...] = result.data` and `self._writes[0] += 1`. In `Saved`, keep `tensor._writes` and `tensor._version`, and compare in `get`.",
    ),
)
_WRITES = ("y.add_(1)", "y.mul_(c)", "y.mul_(a)", "y.mul_(y)", "y.sub_(a * b)", "y.add_(1).mul_(3)")
_ALL = f"[*{_GRADS}, y, y._version]"
versions.compare_uses(
    "a result that is overwritten has the right numbers and gradients",
    uses(programs(_Y[:7], _WRITES, ("y.sum().backward()",), (_ALL,))),
)
versions.compare_uses(
    "what was overwritten is refused where a vjp needs it",
    uses(
        [
            *programs(_Y[:5:2], ("l = (y * y).sum()", "l = (y + y).sum()", "l = (y * 3).sum()", "l = (y * c).sum()", "l = y.relu().sum()"), ("y.add_(1)", "y.detach().mul_(2)"), ("l.backward()",), (_ALL,)),
            *programs(("y = a * b; l = (y * y).sum()", "l = (a * b).sum(); y = b.detach()"), ("y.mul_(1)", "y.detach().add_(0)"), ("l.backward()",), (_GRADS,)),
            *programs(("y = a.exp()", "y = (a * b).relu()", "y = a * c"), ("l = y.sum()",), ("y.add_(1)", "c.add_(1)"), ("l.backward()",), (_ALL,)),
            *programs(("l = (a * b).sum()", "l = (a + b).sum()"), ("with no_grad(): b.sub_(1)",), ("l.backward()",), (_GRADS,)),
            *programs(("l = (a * b).sum()",), ("l.backward()",), ("with no_grad(): b.sub_(1)",), ("l = (a * b).sum()",), ("l.backward()",), (_GRADS,)),
        ]
    ),
)  # fmt: skip
versions.compare_uses(
    "a leaf that requires a gradient is overwritten under `no_grad` only",
    uses(
        [
            *programs(("a.add_(1)", "a.mul_(b)", "with no_grad(): a.add_(1)", "with no_grad(): a.sub_(b)"), ("[a, a.requires_grad, a.is_leaf, a._version, b]",)),
            *programs(("c.add_(1)", "c.mul_(a)", "with no_grad(): c.mul_(a)"), ("[c, c.requires_grad, c.is_leaf, c._version, a]",)),
            "said(lambda: a.add_(1)); [said(lambda: a.add_(1)), a, a._version]",
            "y = a * b; with no_grad(): y.mul_(2); y.sum().backward(); [y, a.grad, y._version]",
        ]
    ),
)  # fmt: skip
versions.compare_uses(
    "the array stays the same one, and so does the tensor",
    uses([*programs(("n = c.data",), ("r = c.add_(1)", "r = c.mul_(3)", "r = c.mul_(a)"), ("[c.data is n, r is c]",)), "s = Tensor(2.0); n = s.data; s.add_(1); [s.data is n, s, n.tolist()]"]),
)  # fmt: skip
versions.compare_uses(
    "a detached tensor shares the numbers and the version, and has no history",
    uses(
        [*programs(("y = a * b", "y = a", "y = c"), ("d = y.detach()",), ("", "d.add_(1)", "with no_grad(): y.add_(1)", "y = y * d; y.sum().backward()", "y.detach().add_(1)"), ("[d, d.requires_grad, d.is_leaf, d.grad_fn is None]", "[y, y._version, d._version]", "[a.grad, b.grad, y.requires_grad]")), "d = a.detach(); d.data is a.data", "a.sum().backward(); d = a.detach(); d.grad is None", "y = c * 1; y.add_(1); [c, c._version]"]
    ),
)  # fmt: skip
versions.compare_uses(
    "a view shares the numbers and the version",
    uses(programs(("l = (W * W).sum()",), ("v = W.T", "v = W.reshape(4)", "v = W.reshape(2, 2).T.reshape(4)"), ("with no_grad(): v.mul_(2)",), ("[W, W._version, v._version]", "said(l.backward)"))),
)  # fmt: skip
versions.compare_uses(
    "the message names both versions",
    uses(
        programs(
            ("", "y = a * 2; y.add_(1)"),
            ("y = a * b",),
            ("", "y.add_(1)"),
            ("l = (y * y).sum()",),
            ("y.add_(1)", "y.detach().add_(1).add_(1)"),
            ("said(l.backward)",),
        )
    ),
)
_LEAF = "if Tensor.recording and self.requires_grad and self.is_leaf:"
_COPY, _RUN = (
    "before = Tensor(self.data.copy(), self.requires_grad)",
    "result = operation(before, other)",
)
_COUNT, _ARRAY, _TAKE = (
    "self._writes[0] += 1",
    "self.data[...] = result.data",
    "self.requires_grad, self.grad_fn = True, result.grad_fn",
)
_DETACHED = "result = Tensor(self.data)"
_VIEW = "if np.shares_memory(data, self.data):  # `reshape` may have to copy\n    result._writes = self._writes"
_SHARED = f"{_DETACHED}\nresult._writes = self._writes"
_WAS, _MOVED = "self.version = tensor._version", "if self.writes[0] != self.version:"
# fmt: off
versions.wrongs(
    ("not compared", {_MOVED: "if False:"}, "`backward` computes with the new numbers; compare the versions in `get`"),
    ("numbers compared", {_WAS: f"{_WAS}\nself.then = tensor.data.copy()", _MOVED: "if not np.array_equal(self.then, self.data):"}, "the numbers are compared with a copy, which takes as much memory again, and `mul_(1)` isn't noticed; compare the versions"),
    ("detach keeps the gradient", {_SHARED: f"{_SHARED}\nresult.grad = self.grad"}, "a detached tensor has the gradient of the first one; it's a new tensor, whose `grad` is None"),
    ("always refused", {_MOVED: "if self.writes[0]:"}, "a tensor that was overwritten before it was used is refused as well; compare with the version at that time"),
    ("its own count", {_SHARED: _DETACHED}, "a detached tensor has its own count, although it shares the numbers; give it the same list `_writes`"),
    ("views apart", {_VIEW: ""}, "a view counts its own writes: do `reshape` and `T` call `_view`, as those given in 12.6 do, and is `_view` the given one?"),
    ("detach copies", {_DETACHED: "result = Tensor(self.data.copy())"}, "a detached tensor has a copy of the numbers; it shares the array"),
    ("detach keeps requires_grad", {_DETACHED: "result = Tensor(self.data, self.requires_grad)"}, "a detached tensor still requires a gradient"),
    ("detached itself", {"detach": "def detach(self):\n    self.requires_grad, self.grad_fn = False, None\n    return self"}, "`detach` cuts the tensor itself off; return a new one"),
    ("leaves too", {_LEAF: "if False:"}, "a leaf that requires a gradient can be overwritten; PyTorch refuses that unless nothing is recorded"),
    ("never a leaf", {_LEAF: "if self.requires_grad and self.is_leaf:"}, "a leaf is refused even under `no_grad`, so no optimizer could take a step"),
    ("no results", {_LEAF: "if Tensor.recording and self.requires_grad:"}, "a result that requires a gradient is refused as well; only leaves are"),
    ("no leaves at all", {_LEAF: "if Tensor.recording and self.is_leaf:"}, "a leaf that doesn't require a gradient is refused as well"),
    ("not copied", {_COPY: "before = Tensor(self.data, self.requires_grad)"}, "the operation keeps the array that is overwritten next, so it computes gradients with the new numbers; compute on a copy"),
    ("on itself", {_RUN: "result = operation(self, other)"}, "what the operation keeps counts the write that comes next, so `backward` refuses it; compute with a new tensor that has a copy of the numbers and a count of its own"),
    ("history lost", {"before.grad_fn = self.grad_fn": ""}, "the history before the write is lost"),
    ("history not taken", {_TAKE: "pass"}, "the write isn't in the history, so the gradients are those from before"),
    ("history always taken", {"if result.requires_grad:": "if True:", _TAKE: "self.requires_grad, self.grad_fn = result.requires_grad, result.grad_fn"}, "under `no_grad`, a write takes `requires_grad` and the history away"),
    ("another array", {_ARRAY: "self.data = result.data"}, "the tensor gets another array, so anything that shares the old one doesn't see the new numbers; write into it with `self.data[...]`"),
    ("not counted", {_COUNT: "pass"}, "the write isn't counted"),
    ("another list", {_COUNT: "self._writes = [self._writes[0] + 1]"}, "each write makes a new list, so nothing that shares the old one notices; add 1 in the list"),
    ("counted twice", {_COUNT: "self._writes[0] += 2"}, "one write counts as two"),
    ("returns nothing", {"return self": ""}, "`_overwrite` returns None; in PyTorch, `t.add_(1)` returns `t`"),
)
# fmt: on
