"""Chapter 06: layers of the reader's own. They are compared by what can be done with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import nbmodule
from nbmodule import nn, no_grad, tensor

from ..exercise import Exercise
from .lines import compiled


def _counted(layer: Any) -> Any:
    """Return the layer, with 1, 2, 3, … in each of its Parameters."""
    with no_grad():
        for parameter in layer.parameters():
            parameter.copy_(nbmodule.arange(1.0, parameter.numel() + 1).view(parameter.shape))
    return layer


def _draws(make: Callable[[], Any]) -> str:
    """Return what is to be seen of the random numbers in a tensor, whatever they are."""
    firsts, later = [], []
    for _ in range(2):
        nbmodule.manual_seed(0)
        firsts.append(make().tolist())
        later.append(make().tolist())
    if make().unique().numel() == 1:
        return "one number everywhere"
    if firsts[0] == later[0]:
        return "the same numbers every time"
    if firsts[0] != firsts[1]:
        return "numbers that ignore the seed"
    negative = any((make() < 0).any() for _ in range(16))
    return "random numbers" if negative else "random numbers, none below 0"


def _spread(values: Any) -> str:
    """Return between which numbers the `values` are, and how they are distributed."""
    low, high = values.min().item(), values.max().item()
    even = abs(2 * values.abs().mean().item() - high) < 0.1 * high
    return f"{low:.2f} to {high:.2f}, {'uniformly' if even else 'not uniformly'}"


def uses(*texts: str) -> dict[str, Callable[[type], Any]]:
    """Return a use of a class for each text: statements and, behind the last ";", an expression."""
    return {text: lambda given, text=text: _value_of(text, given) for text in texts}


def _value_of(text: str, given: type) -> Any:
    names = {given.__name__: given, "tensor": tensor}
    names |= {"counted": _counted, "draws": _draws, "spread": _spread}
    names["x"] = tensor([[1.0, 2.0, 3.0], [0.5, -1.0, 4.0]])
    if "Halve" in text:
        names["Halve"] = _halving(given)
    before, last = compiled(text)
    exec(before, names)
    return eval(last, names)


def _halving(given: type) -> type:
    """Return a class on the same Module: its objects return half of their input, and count their calls."""

    class Halve(given.__mro__[1]):
        def __init__(self) -> None:
            super().__init__()
            self.half, self.calls = nn.Parameter(tensor(0.5)), 0

        def forward(self, x: Any) -> Any:
            self.calls += 1
            return x * self.half

    return Halve


# ---- 06.1

own = Exercise(
    "06.1",
    title="MyLinear",
    takes=("MyLinear",),
    minutes=8,
    writes=("MyLinear",),
    hints=(
        "Which line comes first in the `__init__` of every Module? And which method of chapter 05 registers a name without a value?",
        '`self.register_parameter("bias", None)` registers the name. In `forward`, `self.bias is None` tells whether there is a bias.',
        "The weight is `Parameter(nbmodule.randn(out_features, in_features))`. In `forward`: `y = x @ self.weight.T`, and then "
        "`return y if self.bias is None else y + self.bias`.",
    ),
)
own.compare_uses(
    "both Parameters are registered, in this order and with these shapes",
    uses(
        "list(MyLinear(3, 2)._parameters)",
        "tuple(MyLinear(3, 2).weight.shape)",
        "tuple(MyLinear(3, 2).bias.shape)",
        "layer = MyLinear(3, 2); [layer.in_features, layer.out_features]",
        "[p.requires_grad for p in MyLinear(3, 2).parameters()]",
    ),
)
own.compare_uses(
    "without a bias, the name is registered",
    uses(
        "list(MyLinear(3, 2, bias=False)._parameters)",
        "list(MyLinear(3, 2, False)._parameters)",
        "MyLinear(3, 2, bias=False).bias",
    ),
)
own.compare_uses(
    "the numbers are random",
    uses("draws(lambda: MyLinear(3, 2).weight)", "draws(lambda: MyLinear(3, 2).bias)"),
)
own.compare_uses(
    "each output is a sum of weight times input, plus the bias",
    {
        f"{text}  # counted: with 1, 2, 3, … in each Parameter": use
        for text, use in uses(
            "layer = counted(MyLinear(3, 2)); layer(x[0])",
            "layer = counted(MyLinear(3, 2)); layer(x)",
            "layer = counted(MyLinear(3, 3)); layer(x)",
            "layer = counted(MyLinear(3, 2)); layer(x.view(1, 2, 1, 3))",
            "layer = counted(MyLinear(3, 2, bias=False)); layer(x)",
            "layer = counted(MyLinear(3, 2)); layer.bias = None; layer(x)",
            "layer = counted(MyLinear(3, 2)); (layer(x) ** 2).sum().backward(); [p.grad.tolist() for p in layer.parameters()]",
        ).items()
    },
)
_W, _B = (
    "self.weight = Parameter(nbmodule.randn(out_features, in_features))",
    "self.bias = Parameter(nbmodule.randn(out_features))",
)
_NONE, _OUT = (
    'self.register_parameter("bias", None)',
    "return y if self.bias is None else y + self.bias",
)
# fmt: off
own.wrongs(
    ("the other layout", {_W: _W.replace("out_features, in_features", "in_features, out_features"), "self.weight.T": "self.weight"}, "the weight is stored as `(in_features, out_features)`; a row of it should hold the numbers of one output"),
    ("both ways", {_W: _W.replace("out_features, in_features", "in_features, out_features")}, "the weight has the shape `(in_features, out_features)`, which doesn't fit `x @ weight.T`"),
    ("no .T", {"self.weight.T": "self.weight"}, "the weight isn't transposed: `x @ self.weight.T`"),
    ("weight first", {"x @ self.weight.T": "self.weight @ x"}, "`weight @ x` is right for a single input only; write `x @ self.weight.T`"),
    ("a plain weight", {_W: "self.weight = nbmodule.randn(out_features, in_features)"}, "`weight` isn't registered: it's a tensor, and only a Parameter goes into `_parameters`"),
    ("a plain bias", {_B: "self.bias = nbmodule.randn(out_features)"}, "`bias` isn't registered: it's a tensor, and only a Parameter goes into `_parameters`"),
    ("bias = None", {_NONE: "self.bias = None"}, "`self.bias = None` stores an ordinary attribute; `register_parameter` registers the name"),
    ("no name", {f"else:\n    {_NONE}": ""}, "without a bias there's no attribute `bias` either, and `forward` needs one"),
    ("always a bias", {"if bias:": "if True:"}, "`bias=False` is ignored"),
    ("a bias of zeros", {_NONE: "self.bias = Parameter(nbmodule.zeros(out_features))"}, "with `bias=False` there is a Parameter of zeros, which would be learned; register None"),
    ("a bias for each input", {_B: _B.replace("out", "in")}, "the bias has one number for each input; it needs one for each output"),
    ("one bias", {_B: _B.replace("out_features", "1")}, "all outputs share one number of the bias; each has its own"),
    ("a row", {_B: _B.replace("out", "1, out")}, "the bias has two dimensions; its shape is `(out_features,)`"),
    ("bias first", {_W: "", f"else:\n    {_NONE}": f"else:\n    {_NONE}\n{_W}"}, "`bias` is registered before `weight`, so `parameters()` gives them in another order"),
    ("asks for truth", {_OUT: "return y + self.bias if self.bias else y"}, "a tensor with several numbers is neither true nor false; ask `self.bias is None`"),
    ("remembers the option", {"self.in_features = in_features": "self.in_features = in_features\nself.has_bias = bias", _OUT: "return y + self.bias if self.has_bias else y"}, "`forward` doesn't notice that `bias` is None by now; ask `self.bias is None`"),
    ("bias left out", {_OUT: "return y"}, "the bias isn't added"),
    ("zeros", {"nbmodule.randn(out_features, in_features)": "nbmodule.zeros(out_features, in_features)"}, "all numbers in the weight are the same; fill it with `nbmodule.randn`"),
    ("rand", {_W: _W.replace("randn", "rand"), _B: _B.replace("randn", "rand")}, "no number is negative: `rand` draws uniformly from 0 to 1; use `randn`"),
    ("one seed", {"super().__init__()": "super().__init__()\nnbmodule.manual_seed(1)"}, "every layer gets the same numbers: is a seed set in `__init__`?"),
    ("no super", {"super().__init__()": ""}, "`super().__init__()` isn't called, so the drawers aren't there yet"),
    ("sizes not stored", {"self.in_features = in_features": "", "self.out_features = out_features": ""}, "`in_features` and `out_features` aren't stored in the layer"),
)
# fmt: on

# ---- 06.2

drawn = Exercise(
    "06.2",
    title="Smaller first numbers",
    takes=("MyLinear",),
    minutes=8,
    writes=("MyLinear",),
    keeps=("06.1",),
    hints=(
        "What is the bound for this layer? The same one holds for the weight and for the bias.",
        "`bound = 1 / math.sqrt(self.in_features)`, and `init.uniform_` for each Parameter that isn't None. "
        "Which Parameters must be there when `__init__` calls this?",
        "`init.uniform_(self.weight, -bound, bound)`, and then the same for `self.bias`, unless it's None. `extra_repr` returns an f-string "
        "that ends in `bias={self.bias is not None}`.",
    ),
)
drawn.compare_uses(
    "the numbers are drawn uniformly from this range",
    uses(
        "spread(MyLinear(4, 1000).weight)",
        "spread(MyLinear(4, 1000).bias)",
        "spread(MyLinear(100, 100).weight)",
        "spread(MyLinear(100, 1000).bias)",
        "spread(MyLinear(4, 1000, bias=False).weight)",
    ),
)
drawn.compare_uses(
    "`reset_parameters` draws again, in place",
    uses(
        "layer = counted(MyLinear(4, 1000)); layer.reset_parameters(); spread(layer.weight)",
        "layer = counted(MyLinear(4, 1000)); layer.reset_parameters(); spread(layer.bias)",
        "layer = MyLinear(4, 1000); layer.bias = None; layer.reset_parameters(); layer.bias",
        "layer = MyLinear(3, 2); old = layer.weight; layer.reset_parameters(); layer.weight is old",
        "layer = MyLinear(3, 2); old = layer.bias; layer.reset_parameters(); layer.bias is old",
        "layer = MyLinear(3, 2); layer.weight.requires_grad_(False); layer.reset_parameters(); "
        "[p.requires_grad for p in layer.parameters()]",
        "layer = MyLinear(3, 2); draws(lambda: layer.reset_parameters() or layer.bias)",
        "layer = MyLinear(3, 2); [p.is_leaf for p in layer.parameters()]",
    ),
)
drawn.compare_uses(
    "`__init__` calls it, after everything is registered",
    uses(
        "seen = []; Sub = type('Sub', (MyLinear,), {'reset_parameters': lambda self: seen.extend(self._parameters)}); "
        "Sub(3, 2); Sub(3, 2, bias=False); seen",
    ),
)
drawn.compare_uses(
    "it prints its sizes",
    uses(
        "MyLinear(3, 2).extra_repr()",
        "repr(MyLinear(3, 2))",
        "repr(MyLinear(8000, 10, bias=False))",
        "layer = MyLinear(3, 2); layer.bias = None; repr(layer)",
    ),
)
_BOUND, _ROW = (
    "bound = 1 / math.sqrt(self.in_features)",
    "init.uniform_(self.weight, -bound, bound)",
)
_ROW_B, _Z_B = "init.uniform_(self.bias, -bound, bound)", "nbmodule.zeros(out_features)"
_CALL, _LAST = "self.reset_parameters()", 'return f"{sizes}, bias={self.bias is not None}"'
# fmt: off
drawn.wrongs(
    ("1 / n", {_BOUND: "bound = 1 / self.in_features"}, "the bound is 1 divided by the *square root* of `in_features`"),
    ("root of n", {_BOUND: "bound = math.sqrt(self.in_features)"}, "the bound grows with the number of inputs; it's 1 divided by the square root"),
    ("outputs", {_BOUND: "bound = 1 / math.sqrt(self.out_features)"}, "the bound is computed from the outputs; it depends on `in_features`"),
    ("from zero", {_ROW: _ROW.replace("-bound", "0"), _ROW_B: _ROW_B.replace("-bound", "0")}, "no number is negative; the range begins at `-bound`"),
    ("weight only", {f"if self.bias is not None:\n    {_ROW_B}": ""}, "all numbers of the bias are the same: `reset_parameters` has to draw it as well"),
    ("weight only, as in 06.1", {_Z_B: _Z_B.replace("zeros", "randn"), f"if self.bias is not None:\n    {_ROW_B}": ""}, "the bias keeps its first numbers: `reset_parameters` has to draw it as well"),
    ("normal", {_ROW: "init.normal_(self.weight, 0, bound)", _ROW_B: "init.normal_(self.bias, 0, bound)"}, "the numbers are drawn from a normal distribution, so there's no bound; use `init.uniform_`"),
    ("never called", {_CALL: ""}, "a new layer holds one number everywhere: `__init__` doesn't call `reset_parameters`"),
    ("never called, as in 06.1", {"nbmodule.zeros(out_features, in_features)": "nbmodule.randn(out_features, in_features)", _Z_B: _Z_B.replace("zeros", "randn"), _CALL: ""}, "a new layer still has the numbers of `randn`: `__init__` doesn't call `reset_parameters`"),
    ("drawn in __init__", {_CALL: f"{_BOUND}\n{_ROW}\nif bias:\n    {_ROW_B}"}, "`__init__` draws the numbers itself; let it call `reset_parameters`, which a subclass may replace"),
    ("called too early", {_CALL: "", "self.out_features = out_features": f"self.out_features = out_features\nself.bias = self.weight = Parameter(nbmodule.zeros(out_features, in_features))\n{_CALL}"}, "`reset_parameters` is called before everything is registered; call it at the end of `__init__`"),
    ("new Parameters", {_ROW: "self.weight = Parameter(init.uniform_(nbmodule.zeros(self.weight.shape), -bound, bound))", _ROW_B: "self.bias = Parameter(init.uniform_(nbmodule.zeros(self.bias.shape), -bound, bound))"}, "`reset_parameters` creates new Parameters; draw into those that are there"),
    ("there is always a bias", {"if self.bias is not None:\n    init…": _ROW_B}, "`reset_parameters` fails without a bias"),
    ("bias=True for all", {_LAST: 'return f"{sizes}, bias=True"'}, "it prints `bias=True` even without a bias"),
    ("the option", {"self.in_features = in_features": "self.in_features = in_features\nself.has_bias = bias", _LAST: 'return f"{sizes}, bias={self.has_bias}"'}, "`bias` may have become None since `__init__`; print `self.bias is not None`"),
    ("the bias itself", {_LAST: 'return f"{sizes}, bias={self.bias}"'}, "the numbers of the bias are printed; print whether there is one"),
    ("the class too", {_LAST: 'return f"MyLinear({sizes}, bias={self.bias is not None})"'}, "`extra_repr` returns what stands between the parentheses; `__repr__` adds the rest"),
    ("no bias", {_LAST: "return sizes"}, "`extra_repr` doesn't say whether there's a bias"),
)
# fmt: on

# ---- 06.5

repeated = Exercise(
    "06.5",
    title="As often as needed",
    takes=("Repeat",),
    minutes=8,
    importance="useful",
    writes=("Repeat",),
    hints=(
        "There are two reasons to stop. Which of them can be a `for` loop, and which an `if` inside it?",
        "`x.abs().max() <= self.limit` is a tensor with one number, and an `if` takes it. `break` leaves the loop.",
        "`for _ in range(self.most):`, and inside it `if x.abs().max() <= self.limit: break` and `x = self.layer(x)`. After the loop, `return x`.",
    ),
)
_HALVES = "  # Halve() is a Module that returns half of its input"
repeated.compare_uses(
    "it stops as soon as no value is greater than the limit",
    {
        text + _HALVES: use
        for text, use in uses(
            "Repeat(Halve())(tensor([8.0]))",
            "Repeat(Halve(), limit=3.0)(tensor([8.0]))",
            "Repeat(Halve())(tensor([1.0]))",
            "Repeat(Halve())(tensor([2.0]))",
            "Repeat(Halve())(tensor([-8.0]))",
            "Repeat(Halve())(tensor([-8.0, 0.5]))",
            "Repeat(Halve())(tensor([[0.5, 0.75], [0.75, 4.0]]))",
            "Repeat(Halve())(tensor([[0.5, 0.75], [0.75, 0.75]]))",
        ).items()
    },
)
repeated.compare_uses(
    "it stops after `most` calls",
    {
        text + _HALVES: use
        for text, use in uses(
            "Repeat(Halve())(tensor([4096.0]))",
            "Repeat(Halve(), most=2)(tensor([8.0]))",
            "Repeat(Halve(), 3.0, 1)(tensor([64.0]))",
            "Repeat(Halve(), most=0)(tensor([8.0]))",
            "halve = Halve(); Repeat(halve)(tensor([8.0])); halve.calls",
            "halve = Halve(); Repeat(halve, 0.0)(tensor([8.0])); halve.calls",
            "repeat = Repeat(Halve(), most=2); [repeat(tensor([8.0])).item(), repeat(tensor([8.0])).item()]",
        ).items()
    },
)
repeated.compare_uses(
    "the layer is its child, and is called like any other",
    {
        text + _HALVES: use
        for text, use in uses(
            "list(Repeat(Halve())._modules)",
            "halve = Halve(); Repeat(halve).layer is halve",
            "repeat = Repeat(Halve(), 3.0, 5); [repeat.limit, repeat.most]",
            "repeat = Repeat(Halve()); [repeat.limit, repeat.most]",
            "halve = Halve(); halve._forward_hooks[0] = lambda layer, args, y: y / 2; Repeat(halve)(tensor([8.0]))",
            "repeat = Repeat(Halve()); repeat.limit = 3.0; repeat(tensor([8.0]))",
            "repeat = Repeat(Halve()); repeat.most = 1; repeat(tensor([8.0]))",
            "repeat = Repeat(Halve()); repeat.layer = Repeat(Halve(), 0.0, 2); repeat(tensor([8.0]))",
            "halve = Halve(); Repeat(halve)(tensor([8.0])).sum().backward(); halve.half.grad.item()",
            "start = tensor([8.0], requires_grad=True); Repeat(Halve())(start).sum().backward(); start.grad.item()",
            "start = tensor([8.0]); Repeat(Halve())(start); start.item()",
        ).items()
    },
)
_LOOP, _IF, _STEP = (
    "for _ in range(self.most):",
    "if x.abs().max() <= self.limit:",
    "x = self.layer(x)",
)
_STOP = f"{_IF}\n    break"
# fmt: off
repeated.wrongs(
    ("no abs", {_IF: "if x.max() <= self.limit:"}, "large negative values are ignored; take `x.abs()`"),
    ("abs of the largest", {_IF: "if abs(x.max()) <= self.limit:"}, "the absolute value of the largest number is taken; take the largest of the absolute values, `x.abs().max()`"),
    ("smallest", {_IF: "if x.abs().min() <= self.limit:"}, "it stops when one value is small enough; all of them have to be"),
    ("sum", {_IF: "if x.abs().sum() <= self.limit:"}, "the sum of the values is compared with `limit`; compare the largest one"),
    ("at least once", {f"{_STOP}\n{_STEP}": f"{_STEP}\n{_STOP}"}, "the layer is called before anything is compared, so it runs at least once; ask first"),
    ("stops too late", {_IF: "if x.abs().max() < self.limit:"}, "a value that is exactly `limit` isn't greater than `limit`, so it's time to stop"),
    ("no most", {_LOOP: "while True:"}, "`most` is ignored"),
    ("one too few", {_LOOP: "for _ in range(1, self.most):"}, "it stops one call before `most`"),
    ("one too many", {_LOOP: "for _ in range(self.most + 1):"}, "it allows one call more than `most`"),
    ("always most", {_STOP: ""}, "the layer is called `most` times, whatever the values are"),
    ("once", {_LOOP: "if self.most > 0:", _STOP: f"{_IF}\n    return x"}, "the layer is called once at most; repeat it"),
    ("forward", {_STEP: "x = self.layer.forward(x)"}, "`self.layer.forward(x)` skips the hooks of the layer; call the layer"),
    ("result unused", {_STEP: "self.layer(x)"}, "the layer is called, and its result isn't used"),
    ("counts down", {_STEP: f"{_STEP}\nself.most -= 1"}, "a call leaves something behind, so the next one allows fewer steps: does `most` change, or does `self` hold a counter?"),
    ("no gradient", {_STEP: "x = self.layer(x).detach()"}, "the gradient doesn't reach the layer; is `detach` or `no_grad` used?"),
    ("in a list", {"self.layer = layer": "self.layers = [layer]", _STEP: "x = self.layers[0](x)"}, "there's no child `layer`: assign the layer to `self.layer`"),
    ("limit of 1", {"self.limit = limit": "self.limit = 1.0"}, "the argument `limit` is ignored"),
    ("a copy", {"self.layer = layer": "import copy\nself.layer = copy.deepcopy(layer)"}, "the layer is copied; it should be the same object"),
)
# fmt: on
