"""Chapter 12, second half: backward, broadcasting, and what a layer needs. Gradients are compared on random graphs."""

from __future__ import annotations

from itertools import permutations, product

from ..exercise import Exercise
from .tapes import small_graphs, uses

# ---- 12.4

playing = Exercise(
    "12.4",
    title="Play it backward",
    takes=("Tensor",),
    minutes=15,
    writes=("Tensor",),
    keeps=("12.2",),
    hints=(
        "Keep a dictionary from each node to the gradient that has arrived there. What's in it before the loop starts?",
        "Go through `self._node().topological_order()`. When it's a node's turn, everything it will ever get has arrived. If it has a `variable`, that's where the gradient stays. "
        "Otherwise each vjp makes a gradient for one of `next_functions`. Add it to what's there already.",
        "In the loop: `g = arrived[node]`. For a leaf, `leaf.grad = Tensor(g.copy())`, or `Tensor(leaf.grad.data + g)` if it has one. Then `for (following, _), vjp in "
        "zip(node.next_functions, node.vjps)`: unless `following` is None, `arrived[following]` is `vjp(g)` plus what was there.",
    ),
)
_STEPS = ("{0} * {1}", "{0} + {1}", "{1} * {0}", "2 * {0}", "{0} * {0}")
playing.compare_uses(
    "each leaf gets its gradient",
    uses(
        "slopes(a, a)", "slopes(a * b, a, b)", "slopes(a + b, a, b)", "slopes(a * a, a)", "slopes(a + a, a)", "x = a * a; slopes(x + x, a)",
        "x = a + b; slopes(x * a, a, b)", "slopes(a * c, a, c)", "slopes(2 * a + 1, a)", *small_graphs(_STEPS, "abc", 120), *small_graphs(_STEPS, "vw", 32),
    ),
)  # fmt: skip
playing.compare_uses(
    "only leaves that require one have a gradient",
    uses(
        "x = a * b; slopes(x * x, x)", "slopes(a * c, c)", "x = a * b; y = x + a; slopes(y * x, y, x, c)",
        "x = a * b; x.backward(); [a.requires_grad, a.grad_fn, x.item()]",
    ),
)  # fmt: skip
playing.compare_uses(
    "gradients add up",
    uses(
        "(a * b).backward(); slopes(a * b, a, b)", "a.backward(); slopes(a, a)", "(v * w).backward(v); slopes(v * w, v, w)",
        "(a * b).backward(); (b * c).backward(); [a.grad.item(), b.grad.item()]", "a.backward(); a.grad = None; slopes(a * b, a, b)",
    ),
)  # fmt: skip
playing.compare_uses(
    "it starts with 1, or with the gradient that's given",
    uses(
        "(a * b).backward(Tensor(10.0)); [a.grad.item(), b.grad.item()]", "(a * b).backward(np.array(10.0)); a.grad.item()",
        "(a * b).backward(gradient=10.0); a.grad.item()", "(v * v).backward(np.array([1.0, 10.0, 100.0])); v.grad.data.tolist()",
        "(v * v).backward(w); [v.grad.data.tolist(), w.grad]", "x = Tensor([3.0], requires_grad=True); (x * x).backward(); x.grad.data.tolist()",
        "x = Tensor([[3.0]], requires_grad=True); slopes(x * x, x)",
    ),
)  # fmt: skip
playing.compare_uses(
    "it's refused where it makes no sense",
    uses(
        *(f"tried(lambda: {call})" for call in (
            "c.backward()", "(c * c).backward()", "(v * v).backward()", "v.backward()", "(v * v).backward(np.ones(2))", "(v * v).backward(1.0)",
            "(a * a).backward(np.ones(1))", "(v * v).backward(np.ones((1, 3)))",
        )),
        "tried(lambda: (v * w).backward()); [v.grad, w.grad]", "tried(lambda: v.backward(1.0)); v.grad",
    ),
)  # fmt: skip
playing.compare_uses(
    "a gradient is a Tensor with numbers of its own",
    uses(
        "a.backward(); a.grad", "(f * f).backward(np.ones(2)); f.grad", "a.backward(); [a.grad.requires_grad, a.grad.grad_fn]",
        "(v + w).backward(np.ones(3)); v.grad.data[0] = 7; w.grad.data.tolist()", "g = np.ones(3); v.backward(g); v.grad.data[0] = 7; g.tolist()",
        "g = Tensor([1, 1, 1]); v.backward(g); v.backward(g); [g.data.tolist(), v.grad.data.tolist()]", "a.backward()",
        "(v + v).backward(np.ones(3)); [v.data.tolist(), v.grad.data.tolist()]", "x = v + w; (x * x).backward(np.ones(3)); x.data.tolist()",
    ),
)  # fmt: skip
_REFUSE = 'if not self.requires_grad:\n    raise RuntimeError("this tensor doesn\'t require a gradient")'
_SHAPE = "if gradient is None or np.shape(gradient) != self.shape:"
_LEAF = "leaf.grad = Tensor(g.copy() if leaf.grad is None else leaf.grad.data + g)"
_ADD = "sent = arrived[following] + sent"
_ORDER = "for node in self._node().topological_order():"
# fmt: off
playing.wrongs(
    ("overwritten", {_LEAF: "leaf.grad = Tensor(g.copy())"}, "a second `backward` overwrites the gradient of the first; add to it"),
    ("last one only", {_ADD: "pass"}, "where two gradients arrive at a node, the second one replaces the first; add them"),
    ("first one only", {_ADD: "sent = arrived[following]"}, "where two gradients arrive at a node, the second one is lost; add them"),
    ("no order", {_ORDER: "todo = [self._node()]\nfor node in todo:\n    if node not in arrived:\n        continue", "arrived[following] = sent": "arrived[following] = sent\ntodo.append(following)"}, "a node passes its gradient on before all of it has arrived; follow `topological_order()`"),
    ("turned around", {_ORDER: "for node in self._node().topological_order()[::-1]:"}, "the walk begins at the leaves, where nothing has arrived yet"),
    ("leaf overwritten", {_LEAF: "leaf.grad = Tensor(g.copy()) if leaf.grad is None else leaf.grad"}, "a second `backward` changes nothing; add the new gradient to the old one"),
    ("arrays", {_LEAF: "leaf.grad = g.copy() if leaf.grad is None else leaf.grad + g"}, "`grad` is an array; make it a Tensor"),
    ("shared", {_LEAF: "leaf.grad = Tensor(g if leaf.grad is None else leaf.grad.data + g)"}, "two gradients share their numbers, so changing one changes the other; copy the array"),
    ("into what was given", {_LEAF: "if leaf.grad is None:\n    leaf.grad = Tensor(g)\nelse:\n    leaf.grad.data += g"}, "the first gradient is stored without a copy, and then `+=` changes an array that belongs to someone else"),
    ("in place", {_ADD: "sent += arrived[following]"}, "`+=` changes an array that another node has been sent as well; write `x = x + y`"),
    ("always ones", {"arrived = {self._node(): self._lift(gradient).data}": "arrived = {self._node(): np.ones(self.shape)}"}, "the walk always starts with ones, whatever `gradient` is"),
    ("no gradient needed", {"if gradient is None and self.data.size == 1:": "if gradient is None:"}, "a tensor with several numbers starts with ones; without a `gradient` that's a RuntimeError, because there's no single slope"),
    ("any shape", {_SHAPE: "if gradient is None:"}, "a gradient of another shape is accepted; raise a RuntimeError"),
    ("broadcast", {_SHAPE: "if gradient is not None:\n    gradient = np.broadcast_to(getattr(gradient, 'data', gradient), self.shape)\nelse:"}, "a gradient is stretched to the shape of the tensor; raise a RuntimeError if it has another shape"),
    ("constants too", {_REFUSE: "if not self.requires_grad:\n    return"}, "a tensor that requires no gradient returns without a word; raise a RuntimeError"),
    ("not refused", {_REFUSE: ""}, "a tensor that requires no gradient has no node to start from; raise a RuntimeError"),
    ("a ValueError", {'raise RuntimeError(f"this tensor needs': 'raise ValueError(f"this tensor needs'}, "the exception is a ValueError; PyTorch raises a RuntimeError"),
    ("inner ones too", {"leaf = arrived.pop(node), node.variable": "leaf = arrived.pop(node), node.variable\nself.grad = Tensor(g) if node is self.grad_fn else self.grad"}, "the result gets a gradient too; only leaves keep theirs"),
    ("returns", {"arrived[following] = sent": "arrived[following] = sent\nreturn self.grad"}, "the walk ends at the first gradient that is sent: is a `return` inside the loop?"),
)
# fmt: on

# ---- 12.5

fitting = Exercise(
    "12.5",
    title="Undo the broadcasting",
    takes=("Tensor",),
    minutes=12,
    writes=("Tensor",),
    keeps=("12.2", "12.4"),
    hints=(
        "Where NumPy stretches an array, one number is used several times. What do you do with several gradients for one number?",
        "Two things happen in broadcasting: dimensions are added on the left, and dimensions of size 1 are repeated. Undo them one after the other, with `g.sum(0)` and `g.sum(dim, keepdims=True)`.",
        "`while g.ndim > len(shape): g = g.sum(0)`. Then `for dim, size in enumerate(shape)`: if `size == 1`, `g = g.sum(dim, keepdims=True)`. In `_record`, replace each vjp by a "
        "function that returns `unbroadcast(vjp(g), t.shape)`, and beware of a `lambda` in a loop: which `vjp` does it see?",
    ),
)  # fmt: skip
_SHAPES = ((), (1,), (3,), (2, 3), (1, 3), (2, 1), (1, 1), (2, 1, 3), (4, 1, 1))


def _written(shape: tuple[int, ...]) -> str:
    return f"shaped({', '.join(map(str, shape))})"


fitting.compare_uses(
    "the gradient has the shape of the leaf",
    uses(
        *(
            f"p, q = {_written(one)}, {_written(two)}; slopes(p {op} q, p, q)"
            for one, two in permutations(_SHAPES, 2) for op in "*+"
        ),
        "slopes(np.ones((2, 3)) * a, a)", "slopes(2 * shaped(3), a)", "p = shaped(2, 3); slopes(2 * p, p)", "p = shaped(3, 1); slopes(np.ones(2) + p, p)",
    ),
)  # fmt: skip
fitting.compare_uses(
    "the vjps themselves give this shape",
    uses(
        "vjps(M * v[0], 1.0)" if False else "p = shaped(2, 1); vjps(p * M, [[1.0, 10.0], [100.0, 1000.0]])", "vjps(a + M, [[1.0, 10.0], [100.0, 1000.0]])",
        "p, q = shaped(2), shaped(2, 1); vjps(p * q, [[1.0, 10.0], [100.0, 1000.0]])",
    ),
)  # fmt: skip
fitting.compare_uses(
    "in larger graphs, too",
    uses(*small_graphs(("{0} * {1}", "{0} + {1}", "{1} * {0}"), "aMb", 60), *small_graphs(("{0} * {1}", "{0} + {1}"), "vac", 40)),
)  # fmt: skip
