"""Chapter 12, second half: backward, broadcasting, and what a layer needs. Gradients are compared on random graphs."""

from __future__ import annotations

from itertools import permutations

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
        "slopes(a * b, a, b)", "slopes(a + b, a, b)", "slopes(a, a)", "slopes(a * a, a)", "slopes(a + a, a)", "x = a * a; slopes(x + x, a)",
        "x = a + b; slopes(x * a, a, b)", "slopes(a * c, a, c)", "slopes(2 * a + 1, a)", *small_graphs(_STEPS, "abc", 80), *small_graphs(_STEPS, "vw", 32),
        "slopes(a * a * a, a)", "slopes(a + a + a, a)", "x = a * b; slopes(x * x * x, a, b)", "x = a + b; y = x + x; slopes(y + x + y, a, b)",
    ),
)  # fmt: skip
playing.compare_uses("each node has its turn once", uses("calls(3)", "calls(8)"))
playing.compare_uses(
    "only leaves that require one have a gradient",
    uses(
        "x = a * b; slopes(x * x, x)", "x = a * b; slopes(x, x, a)", "slopes(a * c, c)", "x = a * b; y = x + a; slopes(y * x, y, x, c)",
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
_REFUSE = (
    'if not self.requires_grad:\n    raise RuntimeError("this tensor doesn\'t require a gradient")'
)
_SHAPE = "if np.shape(gradient) != self.shape:"
_LEAF = "leaf.grad = Tensor(g.copy() if leaf.grad is None else leaf.grad.data + g)"
_ADD = "sent = arrived[following] + sent"
_POP = "g, leaf = arrived.pop(node), node.variable"
_ORDER = "for node in self._node().topological_order():"
# fmt: off
playing.wrongs(
    ("every path", {"arrived = {self._node(): self._lift(gradient).data}": "todo = [(self._node(), self._lift(gradient).data)]", _ORDER: "for node, g in todo:", _POP: "leaf = node.variable", "if following in arrived:\n    sent = arrived[following] + sent\narrived[following] = sent": "todo.append((following, sent))"}, "the gradients are right, but each is sent on at once, so a node has a turn for every path that leads to it; add up what arrives, in topological order"),
    ("in place of the first", {"sent = vjp(g)": "", "if following in arrived:\n    sent = arrived[following] + sent\narrived[following] = sent": "if following in arrived:\n    arrived[following] += vjp(g)\nelse:\n    arrived[following] = vjp(g)"}, "`+=` changes an array that another node may have been sent as well; write `x = x + y`"),
    ("nothing there", {"arrived = {self._node(): self._lift(gradient).data}": "arrived = {}"}, "when the loop begins, nothing has arrived anywhere; the result's own node starts with `gradient`"),
    ("always float64", {"arrived = {self._node(): self._lift(gradient).data}": "arrived = {self._node(): np.array(getattr(gradient, 'data', gradient), float)}"}, "the gradient becomes float64; `self._lift` gives it the tensor's dtype"),
    ("a number", {_LEAF: "leaf.grad = (0 if leaf.grad is None else leaf.grad) + g"}, "`grad` isn't a Tensor; make it one"),
    ("overwritten", {_LEAF: "leaf.grad = Tensor(g.copy())"}, "a second `backward` overwrites the gradient of the first; add to it"),
    ("last one only", {_ADD: "pass"}, "where two gradients arrive at a node, the second one replaces the first; add them"),
    ("first one only", {_ADD: "sent = arrived[following]"}, "where two gradients arrive at a node, the second one is lost; add them"),
    ("no order", {_ORDER: "todo = [self._node()]\nfor node in todo:", _POP: "g, leaf = arrived[node], node.variable", "arrived[following] = sent": "arrived[following] = sent\ntodo.append(following)"}, "a node passes on what has arrived so far, and passes it on again when more arrives, so it counts twice; follow `topological_order()`"),
    ("turned around", {_ORDER: "for node in self._node().topological_order()[::-1]:"}, "the walk begins at the leaves, where nothing has arrived yet"),
    ("leaf overwritten", {_LEAF: "leaf.grad = Tensor(g.copy()) if leaf.grad is None else leaf.grad"}, "a second `backward` changes nothing; add the new gradient to the old one"),
    ("arrays", {_LEAF: "leaf.grad = g.copy() if leaf.grad is None else leaf.grad + g"}, "`grad` is an array; make it a Tensor"),
    ("shared", {_LEAF: "leaf.grad = Tensor(g if leaf.grad is None else leaf.grad.data + g)"}, "two gradients share their numbers, so changing one changes the other; copy the array"),
    ("into what was given", {_LEAF: "if leaf.grad is None:\n    leaf.grad = Tensor(g)\nelse:\n    leaf.grad.data += g"}, "the first gradient is stored without a copy, and then `+=` changes an array that belongs to something else"),
    ("in place", {_ADD: "sent += arrived[following]"}, "`+=` changes an array that another node has been sent as well; write `x = x + y`"),
    ("always ones", {"arrived = {self._node(): self._lift(gradient).data}": "arrived = {self._node(): np.ones(self.shape)}"}, "the walk always starts with ones, whatever `gradient` is"),
    ("no gradient needed", {"if gradient is None and self.data.size == 1:": "if gradient is None:"}, "a tensor with several numbers starts with ones; without a `gradient` that's a RuntimeError, because there's no single slope"),
    ("any shape", {_SHAPE: "if gradient is None:"}, "a gradient of another shape is accepted; raise a RuntimeError"),
    ("broadcast", {_SHAPE: "if gradient is not None:\n    gradient = np.broadcast_to(getattr(gradient, 'data', gradient), self.shape)\nelse:"}, "a gradient is stretched to the shape of the tensor; raise a RuntimeError if it has another shape"),
    ("constants too", {_REFUSE: "if not self.requires_grad:\n    return"}, "for a tensor that doesn't require a gradient, nothing happens; raise a RuntimeError"),
    ("not refused", {_REFUSE: ""}, "a tensor that doesn't require a gradient has no node to start from; raise a RuntimeError"),
    ("a ValueError", {'raise RuntimeError(f"this tensor needs': 'raise ValueError(f"this tensor needs'}, "the exception is a ValueError; PyTorch raises a RuntimeError"),
    ("inner ones too", {_POP: f"{_POP}\nself.grad = Tensor(g) if node is self.grad_fn else self.grad"}, "the result gets a gradient too; only leaves keep theirs"),
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
        "function that returns `unbroadcast(vjp(g), shape)`, where `shape` was taken beforehand, and beware of a `lambda` in a loop: which `vjp` does it see?",
    ),
)  # fmt: skip
_SHAPES = ((), (3,), (2, 3), (1, 3), (2, 1), (1, 1), (2, 1, 3))


def _written(shape: tuple[int, ...]) -> str:
    return f"shaped({', '.join(map(str, shape))})"


fitting.compare_uses(
    "the gradient has the shape of the leaf",
    uses(
        *(
            f"p, q = {_written(one)}, {_written(two)}; slopes(p {op} q, p, q)"
            for place, (one, two) in enumerate(permutations(_SHAPES, 2)) for op in "*+"[place % 2]
        ),
        "slopes(np.ones((2, 3)) * a, a)", "slopes(2 * shaped(3), a)", "p = shaped(2, 3); slopes(2 * p, p)", "p = shaped(3, 1); slopes(np.ones(2) + p, p)",
    ),
)  # fmt: skip
fitting.compare_uses(
    "the vjps themselves give this shape",
    uses(
        "p = shaped(2, 1); vjps(p * M, [[1.0, 10.0], [100.0, 1000.0]])", "vjps(a + M, [[1.0, 10.0], [100.0, 1000.0]])",
        "p, q = shaped(2), shaped(2, 1); vjps(p * q, [[1.0, 10.0], [100.0, 1000.0]])",
    ),
)  # fmt: skip
fitting.compare_uses(
    "in larger graphs, too",
    uses(*small_graphs(("{0} * {1}", "{0} + {1}", "{1} * {0}"), "aMb", 40), *small_graphs(("{0} * {1}", "{0} + {1}"), "vac", 24)),
)  # fmt: skip
_WIDE, _ONES = "while g.ndim > len(shape):\n    g = g.sum(0)", "for dim, size in enumerate(shape):\n    if size == 1:\n        g = g.sum(dim, keepdims=True)"  # fmt: skip
_KEEP, _FIT = (
    "g = g.sum(dim, keepdims=True)",
    "vjps = [fitted(vjp, t.shape) for vjp, t in zip(vjps, inputs)]",
)
# fmt: off
fitting.wrongs(
    ("one sum", {_WIDE + "\n" + _ONES: "if g.shape != shape:\n    g = g.sum(0)"}, "one sum over the first dimension isn't enough: sum while there are more dimensions than in `shape`, and then over those of size 1"),
    ("same number of dimensions", {_WIDE: "if g.ndim == len(shape):\n    return g\n" + _WIDE}, "a gradient with the right number of dimensions is returned as it is; a dimension of size 1 may still have been stretched"),
    ("ones taken out", {"return g": "return g.reshape([size for size in shape if size != 1])"}, "dimensions of size 1 are taken out of the gradient; it has the shape `shape`"),
    ("not summed", {_FIT: ""}, "the gradient keeps the shape of the result; sum it to the shape of the input"),
    ("added dimensions only", {_ONES: ""}, "dimensions of size 1 aren't summed: `(2, 1)` may have been stretched to `(2, 3)`"),
    ("ones only", {_WIDE: ""}, "the dimensions that NumPy added on the left aren't summed away"),
    ("dimensions lost", {_KEEP: "g = g.sum(dim)"}, "dimensions of size 1 are summed away; keep them: `keepdims=True`"),
    ("from the right", {_WIDE: "while g.ndim > len(shape):\n    g = g.sum(-1)"}, "dimensions on the right are summed away; NumPy adds dimensions on the left"),
    ("mean", {_WIDE: "while g.ndim > len(shape):\n    g = g.mean(0)", _KEEP: "g = g.mean(dim, keepdims=True)"}, "the gradients are averaged; a number that is used several times gets their sum"),
    ("first row", {_WIDE: "while g.ndim > len(shape):\n    g = g[0]"}, "the first part is taken instead of the sum"),
    ("reshaped", {_WIDE: "if g.size == np.prod(shape):\n    return g.reshape(shape)\nwhile g.ndim > len(shape):\n    g = g.sum(-1)"}, "dimensions on the right are summed away unless the sizes fit; NumPy adds dimensions on the left"),
    ("the last vjp", {"def fitted(vjp, shape):\n    return lambda g: unbroadcast(vjp(g), shape)": "", _FIT: "old = vjps\nvjps = [lambda g: unbroadcast(vjp(g), t.shape) for vjp, t in zip(old, inputs)]"}, "all functions use what the loop's variables hold at its end: a `lambda` looks them up when it's called; hand them to a function that returns one"),
    ("fitted before", {"return lambda g: unbroadcast(vjp(g), shape)": "return lambda g: vjp(unbroadcast(g, shape))"}, "the gradient is summed before the vjp multiplies it; sum what the vjp gives"),
    ("shape of the result", {_FIT: "vjps = [fitted(vjp, self.shape) for vjp, t in zip(vjps, inputs)]"}, "the gradient is fitted to the shape of the result; it's the shape of the input that counts"),
)
# fmt: on

# ---- 12.6

layering = Exercise(
    "12.6",
    title="Matrices, `relu`, `sum`",
    takes=("Tensor",),
    minutes=20,
    writes=("Tensor",),
    keeps=("12.5",),
    hints=(
        "For `a @ b`, let the shapes help you: `g` has the shape of the result, and the gradient of `a` has the shape of `a`. Which product of `g` and `b` has this shape?",
        "`g @ b.T` and `a.T @ g`. `relu` passes `g` on where the input was greater than 0. A sum passes one number on to everything that it has added up: `np.broadcast_to(g, shape)`.",
        "If `dim` is given and `keepdim` isn't, `np.expand_dims(g, dim)` puts the dimension back before `np.broadcast_to(g, self.shape)` stretches it. `relu` is `np.maximum(self.data, 0)`, "
        "with the vjp `lambda g: g * (self.data > 0)`.",
    ),
)  # fmt: skip
layering.compare_uses(
    "matrix products",
    uses(
        "M @ N",
        "slopes(M @ N, M, N)",
        "p, q = shaped(2, 3), shaped(3, 4); slopes(p @ q, p, q)",
        "p = shaped(1, 2); slopes(p @ M, p, M)",
        "slopes(M @ M, M)",
        "M @ np.ones((2, 1))",
        "slopes(M @ np.ones((2, 1)), M)",
        "tree(M @ N)",
        "p = Tensor([[1.0, 2.0]]); slopes(p @ M, M, p)",
        "p = Tensor(np.ones((2, 2), np.float32)); (p @ np.ones((2, 2))).data",
    ),
)
layering.compare_uses(
    "relu",
    uses(
        "v.relu()",
        "slopes(v.relu(), v)",
        "p = Tensor([-1.0, 0.0, 2.0], requires_grad=True); slopes(p.relu(), p)",
        "Tensor([-np.inf, np.inf]).relu()",
        "f.relu().data",
        "tree(v.relu())",
        "slopes((v * w).relu() * v, v, w)",
        "v.relu(); v.data",
        "f.relu().backward(np.ones(2)); f.grad",
    ),
)
_SUMS = (
    "",
    "0",
    "1",
    "-1",
    "0, True",
    "1, keepdim=True",
    "None, True",
    "dim=0, keepdim=False",
    "(0, 1)",
)
layering.compare_uses(
    "sums",
    uses(
        *(
            f"{text}"
            for each in _SUMS
            for text in (
                f"shaped(2, 3).sum({each})",
                f"p = shaped(2, 3); slopes(p.sum({each}), p)",
                f"p = shaped(2, 3); slopes(p.sum({each}) * p, p)",
            )
        ),
        "slopes(v.sum(), v)",
        "tree(v.sum())",
        "v.sum().backward(); v.grad.data += 1; v.grad.data.tolist()",
        "slopes(a.sum(), a)",
        "p = shaped(2, 3, 2); slopes(p.sum(1), p)",
        "f.sum().data",
    ),
)
_LAYERS = ("{0} @ {1}", "{0}.relu()", "{0} * {1}", "{0} + {1}.sum(0)", "{0} - {1}.sum(1, keepdim=True)", "{0}.T", "{1} @ {0}", "{0} * {1}.mean()")  # fmt: skip
_MIXED = ("{0} * {1}", "{0} + {1}", "({0} - {1}).relu()", "{0} * {1}.mean()", "{1} - {0}.sum()")
layering.compare_uses(
    "`exp` and `log`",
    uses(
        "v.exp()", "slopes(v.exp(), v)", "tree(v.exp())", "p = shaped(3); p.log()", "p = shaped(3); slopes(p.log(), p)", "tree(a.log())",
        "f.exp().data", "f.log().data", "v.exp(); v.data",
    ),
)  # fmt: skip
layering.compare_uses(
    "`-` and `mean`",
    uses(
        "v - w", "slopes(v - w, v, w)", "v - 2", "M - np.ones(2)", "slopes(M - a, M, a)", "f - 1",
        *(
            text
            for each in ("", "0", "1", "-1", "1, True", "dim=0, keepdim=True")
            for text in (f"shaped(2, 3).mean({each})", f"p = shaped(2, 3); slopes(p.mean({each}), p)")
        ),
        "f.mean().data",
    ),
)  # fmt: skip
layering.compare_uses(
    "in larger graphs, too",
    uses(
        *small_graphs(_LAYERS, "MN", 60, "{0}.sum()"),
        *small_graphs(_MIXED, "MaN", 24, "{0}.mean()"),
        "slopes(1 - v / w, v, w)",
        "slopes(2 / v, v)",
        "slopes(-v ** 3, v)",
        "slopes(M.exp().sum(0, keepdim=True).log(), M)",
        "slopes(M.reshape(4) * M.reshape(4), M)",
        "slopes(v.mean(), v)",
        "M.mean(0)",
        "M.mean(1, keepdim=True)",
        "slopes(M.mean(0) * M, M)",
    ),
)
layering.compare_uses(
    "central differences agree",
    uses(
        "gap(lambda: (M @ N).relu().sum(), M, N)",
        "gap(lambda: ((M @ N + a).relu() * b).sum(), M, N, a, b)",
        "gap(lambda: (v * w).relu().sum(), v, w)",
        "gap(lambda: (M.sum(0) * M.sum(1)).sum(), M)",
        "gap(lambda: ((M - M.exp().sum(1, keepdim=True).log()) * N).mean(), M, N)",
    ),
)
_MM, _RELU, _KEPT = (
    "vjps = [lambda g: g @ b.T, lambda g: a.T @ g]",
    "lambda g: g * (x > 0)",
    "np.maximum(x, 0)",
)
_DIM = "if dim is not None and not keepdim:"
# fmt: off
layering.wrongs(
    ("exp of input", {"lambda g: g * y": "lambda g: g * self.data"}, "the vjp of `exp` multiplies by the input; its slope is the result"),
    ("exp passes", {"lambda g: g * y": "lambda g: g"}, "the vjp of `exp` passes the gradient on as it is; multiply it by the result"),
    ("log times", {"lambda g: g / x": "lambda g: g * x"}, "the vjp of `log` multiplies by the input; the slope is 1 / x"),
    ("another log", {"np.log(x)": "np.log10(x)"}, "`log10` has the base 10; `log` is the natural logarithm, `np.log`"),
    ("turned around", {"return self + -self._lift(other)": "return -self + other"}, "`a - b` gives b − a"),
    ("mean of all", {"return total * (total.data.size / self.data.size)": "return total * (1 / self.data.size)"}, "`mean(dim)` divides by the count of all numbers; divide by how many were added up for each result"),
    ("mean of rows", {"return total * (total.data.size / self.data.size)": "return total * (1 / (self.data.size if dim is None else self.shape[0]))"}, "`mean(dim)` divides by the size of the first dimension; divide by the size of `dim`"),
    ("not recorded", {"total = self.sum(dim, keepdim)\nreturn total * (total.data.size / self.data.size)": "return Tensor(self.data.mean(dim, keepdims=keepdim))"}, "the result of `mean` isn't recorded; make it of `self.sum` and a product"),
    ("relu in place backward", {_RELU: "lambda g: np.multiply(g, x > 0, out=g)"}, "the vjp of `relu` writes into the gradient that it's given, and that may belong to another node too; create a new array"),
    ("as in a product", {_MM: "vjps = [lambda g: g * b, lambda g: g * a]"}, "the vjps of `@` multiply element by element; a matrix product needs matrix products"),
    ("not transposed", {_MM: "vjps = [lambda g: g @ b, lambda g: a @ g]"}, "the matrices in the vjps of `@` aren't transposed: `g @ b.T` and `a.T @ g`"),
    ("wrong side", {_MM: "vjps = [lambda g: b.T @ g, lambda g: g @ a.T]"}, "the matrices in the vjps of `@` are on the wrong side: `g @ b.T` and `a.T @ g`"),
    ("swapped", {_MM: "vjps = [lambda g: a.T @ g, lambda g: g @ b.T]"}, "the two vjps of `@` are swapped"),
    ("not lifted", {"__matmul__": "def __matmul__(self, other):\n    a, b = self.data, other.data\n    vjps = [lambda g: g @ b.T, lambda g: a.T @ g]\n    return Tensor(a @ b)._record('MmBackward0', [self, other], vjps)"}, "an array isn't accepted on the right of `@`: call `self._lift(other)`"),
    ("relu passes all", {_RELU: "lambda g: g"}, "the vjp of `relu` passes every gradient on; where the input is below 0, it's 0"),
    ("relu at zero", {_RELU: "lambda g: g * (x >= 0)"}, "the gradient of `relu` at 0 is 1; PyTorch chose 0"),
    ("sign of g", {_RELU: "lambda g: np.maximum(g, 0)"}, "the vjp of `relu` applies relu to the gradient; it's the sign of the input that counts"),
    ("relu times input", {_RELU: "lambda g: g * np.maximum(x, 0)"}, "the vjp of `relu` multiplies by the output; its slope is 0 or 1"),
    ("abs", {_KEPT: "np.abs(x)"}, "numbers below 0 become positive; `relu` makes them 0"),
    ("inf times 0", {_KEPT: "x * (x > 0)"}, "`relu` of minus infinity is nan, because infinity times 0 is; use `np.maximum`"),
    ("in place", {_KEPT: "np.maximum(x, 0, out=x)"}, "`relu` changes its input"),
    ("sum passes g", {"return np.broadcast_to(g, shape)": "return g"}, "the gradient of a sum has the shape of the sum; stretch it to the shape of the input"),
    ("sum divides", {"return np.broadcast_to(g, shape)": "return np.broadcast_to(g / np.prod(shape), shape)"}, "the gradient of a sum is divided by the count; that's the mean's"),
    ("no dimension put back", {_DIM: "if False:"}, "after `sum(1)` the dimension is missing, so the gradient is stretched along the wrong one, or not at all; put it back"),
    ("keepdim ignored", {"keepdims=keepdim": "keepdims=False", _DIM: "if dim is not None:"}, "`keepdim` is ignored"),
    ("dim ignored", {"self.data.sum(dim, keepdims=keepdim)": "self.data.sum(keepdims=keepdim)"}, "`dim` is ignored: everything is added up"),
    ("dimension put back twice", {_DIM: "if dim is not None:"}, "with `keepdim=True` the dimension is still there, and putting it back again is one too many"),
)
# fmt: on
