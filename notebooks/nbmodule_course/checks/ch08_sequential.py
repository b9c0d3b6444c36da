"""Chapter 08, second half: Sequential, and its layers by number."""

from __future__ import annotations

from ..exercise import Exercise
from .boxes import programs, uses

# ---- 08.4

chaining = Exercise(
    "08.4",
    title="Sequential",
    takes=("Sequential",),
    minutes=8,
    writes=("Sequential",),
    hints=(
        "Only two methods differ from ModuleList: how it begins, and what it does when it's called.",
        "With `*layers`, the positional arguments are a tuple. If there's exactly one and it's an OrderedDict, its items are the names and layers; otherwise `enumerate` numbers them. "
        "In `forward`, one variable goes from layer to layer.",
        "`for layer in self: x = layer(x)`, then `return x`. In `__init__`: `self.add_module(str(number), layer)` for each layer.",
    ),
)
_CHAINS = ("m = Sequential()", "m = Sequential(a)", "m = Sequential(a, b, c)", "m = Sequential(a, a)", "m = Sequential(OrderedDict(one=a, two=b))", "m = Sequential(Sequential(a, b), c)", "m = Sequential(OrderedDict())")  # fmt: skip
chaining.compare_uses(
    "layers get numbers, and those in an OrderedDict keep their names",
    uses(
        [
            *programs(
                _CHAINS, ("", "m.append(d)", "m.append(d).append(c)", "m.append(None)"), ("m",)
            ),
            *programs(_CHAINS[:5], ("", "m.append(d)"), ("len(m)", "list(m)", "bool(m)")),
            "Sequential(type('Own', (OrderedDict,), {})(k=a))",
        ]
    ),
)
chaining.compare_uses(
    "each layer gets what the one before it returned",
    uses(
        programs(_CHAINS, ("", "m.append(d)", "m.extra = d", "hook(a)"), ("m(x)",))
        + programs(_CHAINS, ("m((x, 5))", "m(None)"))
    ),
)
chaining.compare_uses(
    "only Modules get in",
    uses(
        programs(("m = Sequential(a)",), ("m.append(5)", "Sequential(5)", "Sequential([a])", "Sequential({'k': a})", "Sequential(OrderedDict(k=a), b)", "Sequential(OrderedDict(k=5))", "Sequential(OrderedDict(forward=a))", "Sequential(a, 5)"), ("m",))
        + programs(_CHAINS, ("[name for name, _ in m.named_modules()]",))
    ),
)  # fmt: skip
_BOTH = "if len(layers) == 1 and isinstance(layers[0], OrderedDict):"
_RUN = "for layer in self:\n    x = layer(x)\nreturn x"
# fmt: off
chaining.wrongs(
    ("forward of each", {"x = layer(x)": "x = layer.forward(x)"}, "it calls `forward` of each layer, so their hooks don't run; call the layer"),
    ("first only", {_RUN: "for layer in self:\n    return layer(x)\nreturn x"}, "`return` is in the loop, so only the first layer runs"),
    ("each gets the input", {_RUN: "y = x\nfor layer in self:\n    y = layer(x)\nreturn y"}, "each layer gets the input; it should get what the layer before it returned"),
    ("backwards", {"for layer in self:": "for layer in reversed(list(self)):"}, "the layers run backwards"),
    ("unpacked", {"x = layer(x)": "x = layer(*x) if isinstance(x, tuple) else layer(x)"}, "a tuple is unpacked; it's one value, like any other"),
    ("no input", {_RUN: "for layer in self:\n    x = layer(x)"}, "`forward` returns None; return what the last layer gave"),
    ("layers are remembered", {"super().__init__()": "super().__init__()\nself.layers = layers", "for layer in self:": "for layer in self.layers:"}, "it runs the layers of its `__init__`; those that came later are in `_modules`"),
    ("any dict", {"isinstance(layers[0], OrderedDict)": "isinstance(layers[0], dict)"}, "a plain dict is accepted; only an OrderedDict is"),
    ("a list", {_BOTH: f"if len(layers) == 1 and isinstance(layers[0], list):\n    named = enumerate(map(str, []))\n    layers = layers[0]\n{_BOTH}"}, "a list is accepted; the layers are arguments of their own"),
    ("the first is enough", {_BOTH: "if layers and isinstance(layers[0], OrderedDict):"}, "layers behind an OrderedDict are dropped without a word"),
    ("numbers for all", {"named = layers[0].items()": "named = ((str(n), layer) for n, layer in enumerate(layers[0].values()))"}, "the names in the OrderedDict are replaced by numbers"),
    ("straight into the drawer", {"self.add_module(name, layer)": "self._modules[name] = layer"}, "`__init__` accepts what isn't a Module; `add_module` refuses it"),
    ("setattr", {"self.add_module(name, layer)": "setattr(self, name, layer)"}, "`__init__` accepts what isn't a Module; `add_module` refuses it"),
    ("append by hand", {"self.add_module(str(len(self)), layer)": "self._modules[str(len(self))] = layer"}, "`append` accepts what isn't a Module; `add_module` refuses it"),
    ("no super", {"super().__init__()": ""}, "the drawers are missing: call `super().__init__()` first"),
    ("append returns nothing", {"self.add_module(str(len(self)), layer)\nreturn self": "self.add_module(str(len(self)), layer)"}, "`append` returns None; it returns the container"),
    ("from one", {"enumerate(layers)": "enumerate(layers, 1)"}, "the first layer is called `1`; count from 0"),
    ("children", {"return len(self._modules)": "return len(list(self.children()))"}, "a layer with two names counts once in `len`"),
    ("only once", {"return iter(self._modules.values())": "return self.children()"}, "a layer that was put in twice runs once"),
)
# fmt: on

# ---- 08.5

numbering = Exercise(
    "08.5",
    title="By number",
    takes=("Sequential",),
    minutes=10,
    importance="useful",
    writes=("Sequential",),
    keeps=("08.4",),
    hints=(
        "The names aren't always numbers, so an index counts places in `_modules`. What turns a dictionary into something that has places?",
        "`list(self._modules)` are the names, `list(self._modules.items())` the pairs. All of them understand `-1` and slices. For a slice, give `type(self)` an OrderedDict.",
        "`type(self)(OrderedDict(list(self._modules.items())[index]))` is the slice. After deleting, fill `_modules` again: `self._modules[str(number)] = layer` for each layer that is left.",
    ),
)
_ROWS = (*_CHAINS[:5], "m = type('Own', (Sequential,), {})(a, b, c, d)")
_NUMBERS = ("0", "-1", "1", "-4", "9")
numbering.compare_uses(
    "an index gives a layer",
    uses(programs(_ROWS, tuple(f"m[{n}]" for n in _NUMBERS))),
)
numbering.compare_uses(
    "a slice gives a new container of the same layers, with their names",
    uses(
        programs(_ROWS, tuple(f"m[{cut}]" for cut in ("1:", ":1", ":", "::-1", "::2", "7:")))
        + programs(
            _ROWS[2:],
            ("n = m[1:]",),
            ("", "n.append(d)", "n[0] = d", "m.append(d)"),
            ("[m, n]", "n(x)"),
        )
    ),
)
numbering.compare_uses(
    "a layer is replaced in its place",
    uses(
        programs(_ROWS, (*(f"m[{n}] = d" for n in _NUMBERS), "m[1] = None"), ("m",))
        + programs(_ROWS[1:], ("m[0] = 5",), ("m",))  # of two faults, either may be named first
    ),
)
numbering.compare_uses(
    "what is left after deleting is numbered again",
    uses(
        programs(_ROWS, tuple(f"del m[{n}]" for n in (*_NUMBERS, "0:2", ":", "::2", "7:")), ("m",))
        + programs(_ROWS[2:], ("del m[0]", "del m[:2]"), ("m.append(d)",), ("m",))
    ),
)
_PLACE, _SLICE = (
    "return list(self)[index]",
    "return type(self)(OrderedDict(list(self._modules.items())[index]))",
)
_AGAIN = "self._modules[str(number)] = layer"
# fmt: off
numbering.wrongs(
    ("by name", {_PLACE: "return self._modules[str(index)]"}, "the index is taken for a name; with other names, or counted from the end, it isn't found"),
    ("a list for a slice", {_SLICE: "return list(self)[index]"}, "a slice gives a plain list, in which the layers are lost to the tree"),
    ("numbers for a slice", {_SLICE: "return type(self)(*list(self)[index])"}, "a slice numbers its layers again; they keep their names"),
    ("always Sequential", {_SLICE: _SLICE.replace("type(self)", "Sequential")}, "a slice of a subclass is a plain Sequential; `type(self)` keeps the class"),
    ("a slice is a copy", {_SLICE: "import copy\n" + _SLICE.replace("list(self._modules.items())[index]", "[(n, copy.deepcopy(m)) for n, m in list(self._modules.items())[index]]")}, "a slice has copies of the layers; it should share them"),
    ("replaced by name", {"setattr(self, list(self._modules)[index], layer)": "setattr(self, str(index), layer)"}, "the index is taken for a name: with other names, a new layer is added behind the others"),
    ("anything goes", {"setattr(self, list(self._modules)[index], layer)": "self._modules[list(self._modules)[index]] = layer"}, "anything can replace a layer; `setattr` refuses what isn't a Module"),
    ("not numbered again", {_AGAIN: "pass", "self._modules.clear()": ""}, "after deleting, the names keep their gap, so `append` can meet a name that is there already"),
    ("nothing is left", {_AGAIN: "pass"}, "after deleting, the container is empty"),
    ("one only", {"for name in names[index] if isinstance(index, slice) else [names[index]]:": "for name in [names[index]]:"}, "a slice can't be deleted"),
    ("deleted by name", {"for name in names[index] if isinstance(index, slice) else [names[index]]:": "for name in names[index] if isinstance(index, slice) else [str(index)]:"}, "the index is taken for a name; with other names, or counted from the end, it isn't found"),
)
# fmt: on
