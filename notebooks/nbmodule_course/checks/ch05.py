"""Chapter 05: Parameters and buffers. Programs register under every kind of name, and list small trees."""

from __future__ import annotations

from nbmodule import nn, tensor
from nbmodule.nn import Parameter

from ..exercise import Exercise
from ..referee import each, place, programs, put, read, run, write
from .trees import ask, first, hold, register, side_by_side

_TAKEN = (
    *place("_parameters", w="Q"),
    *place("_buffers", mean="t"),
    *place("_modules", fc="child"),
    put("__dict__", "lr", "5"),
)
_NAMES = ("w", "_w", "mean", "fc", "lr", "forward", "unit", "heat", "training", "_modules")
_ODD = ("", ".", "a.b", ".w", "w.", 5, None, ("w",))

# ---- 05.1

parameters = Exercise(
    "05.1",
    title="A name for a Parameter",
    takes=("Module",),
    minutes=8,
    writes=("register_parameter",),
    hints=(
        "Write the four checks one below the other, in the order of the list. After them, the last line stores the value.",
        "`hasattr(self, name)` tells whether the object has anything called `name`: in its class, in `__dict__` or in one of the "
        "dictionaries. If it has, `name in entries` tells whether that's an entry that may be replaced.",
        "In the helper: `if hasattr(self, name) and name not in entries: raise KeyError(f\"attribute '{name}' already exists\")`. In "
        "the method: `self._check_name(name, self._parameters)`, then the check of `param`, then `self._parameters[name] = param`.",
    ),
)
_GIVEN = ("P", "None", "frozen", "special")
_REFUSED = ("t", "trainable", "5", "child", "shaped", "'text'")
parameters.compare(
    "a Parameter or None is stored in `_parameters`",
    each(register("parameter", ("w", "_w", "gamma"), *_GIVEN)),
    programs(
        register("parameter", ("w", "b"), "P", "None"),
        register("parameter", ("w",), *_GIVEN),
        read("w"),
    ),
    programs(write("w", "P"), register("parameter", ("w",), "Q", "None"), write("w", "P", "None")),
)
parameters.compare(
    "a name that has a dot, is empty or isn't a string is refused",
    each(register("parameter", _ODD, "P", "None")),
    each(register("parameter", _ODD[:5], "5", "t")),
)
parameters.compare(
    "a name that belongs to something else is refused",
    each(register("parameter", _NAMES, "P", "None", "5"), start=_TAKEN),
    each(register("parameter", ("forward", "unit", "heat", "__init__"), "P", "None")),
)
parameters.compare(
    "anything but a Parameter or None is refused",
    each(register("parameter", ("w",), *_REFUSED)),
    each(register("parameter", ("w",), *_REFUSED), start=_TAKEN),
)
_STORE, _NONE = (
    "self._parameters[name] = param",
    "param is not None and not isinstance(param, Parameter)",
)
_KEY, _HAS = 'raise KeyError(f"attribute…', "if hasattr(self, name) and name not in entries:"
_CHECK = "self._check_name(name, self._parameters)"
# fmt: off
parameters.wrongs(
    ("dots allowed", {'name == "" or "." in name': 'name == ""'}, "a name with a dot is accepted; then nobody could tell the path `a.b` from `b` in the child `a`"),
    ("empty allowed", {'name == "" or "." in name': '"." in name'}, "the empty string is accepted as a name"),
    ("never replaced", {_HAS: "if hasattr(self, name):"}, "an entry of `_parameters` can't be replaced; leave out those names when you look for something else"),
    ("dictionaries only", {_HAS: "if name in self._buffers or name in self._modules or name in self.__dict__:"}, "names that only the class has, such as `forward`, aren't taken into account; `hasattr` looks there as well"),
    ("no layers", {_HAS: "if (name in self.__dict__ or hasattr(type(self), name)) and name not in entries:"}, "a name that belongs to a child or a buffer is accepted"),
    ("takes any name", {_HAS: "if False:"}, "a name is accepted even if it belongs to something else"),
    ("AttributeError", {_KEY: "raise AttributeError(f\"'{name}' already exists\")"}, "a name that's taken raises an AttributeError; it should be a KeyError"),
    ("None refused", {_NONE: "not isinstance(param, Parameter)"}, "None is refused, but it is how a layer says that it has no bias"),
    ("None not stored", {_STORE: f"if param is not None:\n    {_STORE}"}, "the name isn't stored if `param` is None; None is an entry like any other"),
    ("any tensor", {_NONE: "param is not None and not isinstance(param, Tensor)"}, "an ordinary tensor is accepted; ask for a Parameter"),
    ("asks requires_grad", {_NONE: "not getattr(param, 'requires_grad', param is None)"}, "`requires_grad` decides here, so a frozen Parameter is refused; its class should decide"),
    ("makes one", {_NONE: "param is not None and not hasattr(param, 'shape')", _STORE: "self._parameters[name] = param if param is None or isinstance(param, Parameter) else Parameter(tensor([0.0]))"}, "a value that isn't a Parameter is turned into one; refuse it"),
    ("assigned", {_STORE: "setattr(self, name, param)"}, "None is assigned, and an assignment puts a None under a new name into `__dict__`; store it in `_parameters`"),
    ("stored first", {_CHECK: f"{_STORE}\n{_CHECK}"}, "the value is stored before all checks are done, so a refused name stays behind"),
    ("value first", {"register_parameter": f'def register_parameter(self, name, param):\n    if {_NONE}:\n        raise TypeError(f"{{name}} takes a Parameter")\n    {_CHECK}\n    {_STORE}'}, "`param` is checked before `name`; the list of the exercise begins with the name"),
    ("first stays", {_STORE: "self._parameters.setdefault(name, param)"}, "the old Parameter stays when the name is registered again"),
)
# fmt: on

# ---- 05.2

buffers = Exercise(
    "05.2",
    title="A tensor that isn't trained",
    takes=("Module",),
    minutes=8,
    writes=("register_buffer",),
    keeps=("05.1",),
    hints=(
        "Start from your 05.1. Which two names change? What comes after the value is stored?",
        "`isinstance(tensor, Tensor)` is true for a Parameter as well, and that's fine. A set has `add` and `discard`. `discard` takes an "
        "element out if it's there, and does nothing otherwise.",
        "`self._check_name(name, self._buffers)`, the check of `tensor`, `self._buffers[name] = tensor`, and then "
        "`self._non_persistent_buffers_set.discard(name)` if `persistent`, else `.add(name)`.",
    ),
)
_UNSAVED = run(
    "sorted(m._non_persistent_buffers_set)",
    lambda world: sorted(world.m._non_persistent_buffers_set),
)
_TENSORS = ("t", "None", "u", "measured", "trainable", "P")
buffers.compare(
    "a tensor or None is stored in `_buffers`",
    each(register("buffer", ("w", "_w", "mean"), *_TENSORS)),
    programs(
        register("buffer", ("w", "b"), "t", "None"),
        register("buffer", ("w",), *_TENSORS),
        read("w"),
    ),
    programs(register("buffer", ("w",), "t", "None"), write("w", "u", "None", "5", "P")),
)
buffers.compare(
    "names and values that can't work are refused",
    each(register("buffer", _ODD, "t", "None")),
    each(register("buffer", (*_NAMES, "__init__"), "t", "None", "5"), start=_TAKEN),
    each(register("buffer", ("w", "a.b"), "5", "child", "shaped", "'text'", "items")),
)
_BOTH = [
    *register("buffer", ("w",), "t", persistent=False),
    *register("buffer", ("w",), "t", persistent=True),
]
buffers.compare(
    "`persistent` decides whether the name is in `_non_persistent_buffers_set`",
    programs([*register("buffer", ("w",), "t", "None"), *_BOTH], _UNSAVED),
    programs(
        _BOTH,
        [*register("buffer", ("w", "b"), "u"), *register("buffer", ("b",), "u", persistent=False)],
        _UNSAVED,
    ),
    programs(_BOTH, register("buffer", ("w", "b", "a.b"), "5", "None", persistent=False), _UNSAVED),
    programs(register("buffer", ("w.w", "forward", "w"), "5", persistent=False), _UNSAVED),
)
_STORE, _NONE = (
    "self._buffers[name] = tensor",
    "tensor is not None and not isinstance(tensor, Tensor)",
)
_CHECK = "self._check_name(name, self._buffers)"
_OUT, _IN = (
    "self._non_persistent_buffers_set.discard(name)",
    "self._non_persistent_buffers_set.add(name)",
)
# fmt: off
buffers.wrongs(
    ("always saved", {_IN: "pass"}, "`persistent=False` has no effect; the name belongs in `_non_persistent_buffers_set`"),
    ("never again", {_OUT: "pass"}, "a name stays in `_non_persistent_buffers_set` when it's registered again with `persistent=True`"),
    ("the wrong way round", {"if persistent:": "if not persistent:"}, "the set holds the names that are persistent; it should hold the others"),
    ("a new set", {_IN: "self._non_persistent_buffers_set = {name}"}, "every such name replaces the set, so the earlier names are lost"),
    ("remove", {_OUT: "self._non_persistent_buffers_set.remove(name)"}, "`remove` raises a KeyError for a name that isn't in the set; `discard` doesn't"),
    ("the tensor in the set", {_IN: "self._non_persistent_buffers_set.add(tensor)"}, "the set holds tensors; it should hold names"),
    ("None refused", {_NONE: "not isinstance(tensor, Tensor)"}, "None is refused, but a buffer may be None"),
    ("exactly a Tensor", {_NONE: "tensor is not None and type(tensor) is not Tensor"}, "an object of a subclass of Tensor, such as a Parameter, is refused; ask `isinstance(tensor, Tensor)`"),
    ("no Parameters", {_NONE: f"isinstance(tensor, Parameter) or {_NONE}"}, "a Parameter is refused, but it's a tensor as well"),
    ("duck typing", {_NONE: "tensor is not None and not hasattr(tensor, 'shape')"}, "anything with a `shape` is accepted; ask for a Tensor"),
    ("no gradient", {_STORE: f"if tensor is not None:\n    tensor.requires_grad_(False)\n{_STORE}"}, "the tensor itself is changed: its `requires_grad` is switched off"),
    ("frozen Parameter", {_STORE: "self._buffers[name] = None if tensor is None else Parameter(tensor, requires_grad=False)"}, "what is stored is a new, frozen Parameter; store the tensor itself"),
    ("a copy", {_STORE: "self._buffers[name] = None if tensor is None else tensor.clone()"}, "a copy is stored; store the tensor itself"),
    ("entries of 05.1", {_CHECK: "self._check_name(name, self._parameters)"}, "a Parameter's name is accepted, and a buffer can't be replaced: which entries may be replaced here?"),
    ("no look at the name", {_CHECK: ""}, "`name` isn't checked at all; the rules of 05.1 apply here as well"),
    ("assigned", {_STORE: "setattr(self, name, tensor)"}, "an assignment puts a new tensor into `__dict__`; store it in `_buffers`"),
    ("set before the check", {_CHECK: f"if not persistent:\n    {_IN}\n{_CHECK}"}, "a refused name still gets into `_non_persistent_buffers_set`"),
)
# fmt: on

# ---- 05.3

lists = Exercise(
    "05.3",
    title="List what can be learned",
    takes=("Module",),
    minutes=10,
    writes=("named_parameters", "parameters"),
    hints=(
        "Begin with the object's own `_parameters`, and run it on a Module without children. What does a child yield, if you ask it the "
        "same question? What has to come in front of its paths?",
        "A child can list itself: `child.named_parameters(…)`. Hand it a prefix, the path so far, so that its paths are complete. "
        "At the root, the prefix is empty, and then there's no dot.",
        '`dot = prefix + "." if prefix else ""`. Then `yield dot + name, param` for every Parameter that isn\'t None, and '
        "`yield from child.named_parameters(dot + name)` for every child that isn't None.",
    ),
)
_ASKS = ask(
    "named_parameters()",
    'named_parameters("net")',
    'named_parameters(prefix="a.b")',
    "named_parameters(recurse=False)",
    'named_parameters("net", False)',
    "parameters()",
    "parameters(recurse=False)",
    "parameters(False)",
)
_NEXT = first("named_parameters()", "parameters()")
_OWN = (*place("_parameters", w="P", bias="None", a="Q"), *place("_buffers", mean="t"))
_BELOW = (*place("_modules", z="block", gone="None", fc="layer"), put("_modules", "0", "deep_tree"))
lists.compare(
    "a Module without children lists its own Parameters",
    each(_ASKS, _NEXT),
    each(_ASKS, _NEXT, start=_OWN),
    each(_ASKS[:1], start=place("_parameters", gamma="frozen", alpha="special", nought="nil")),
)
lists.compare(
    "every Parameter below is listed, with its path, in order",
    *(
        each(_ASKS, _NEXT, start=place("_modules", net=name))
        for name in ("layer", "block", "deep_tree", "hollow")
    ),
    each(_ASKS, _NEXT, start=[*_BELOW, *_OWN]),
    programs(_ASKS[:1], write("late", "P"), _ASKS[:1], start=_BELOW),
    programs(_NEXT, _ASKS[:1], start=_OWN),
)
_DOT = 'dot = prefix + "." if prefix else ""'
_DEEPER, _MINE = "yield from child.named_parameters(dot + name)", "yield dot + name, param"
_EACH, _THERE = "for name, param in self._parameters.items():", "if param is not None:"
_CHILD, _ALL = "if child is not None:", "for _, param in self.named_parameters(recurse=recurse):"
_WALK = """def named_parameters(self, prefix="", recurse=True):
    dot = prefix + "." if prefix else ""
    {}
"""
_TWO = ("own = [(dot + n, p) for n, p in self._parameters.items() if p is not None]",
        "below = [pair for n, c in self._modules.items() if recurse and c is not None for pair in c.named_parameters(dot + n)]")  # fmt: skip


_ONLY = "nothing from the children is listed; calling `child.named_parameters(…)` only creates a generator, and `yield from` runs it"


def _listing(end: str) -> dict[str, str]:
    return {"named_parameters": _WALK.format("\n    ".join((*_TWO, end)))}


# fmt: off
lists.wrongs(
    ("a list", _listing("return own + below"), "`named_parameters` returns a list, so `next(…)` fails; with `yield` it's an iterator"),
    ("children first", _listing("yield from below + own"), "the children come before the object's own Parameters"),
    ("sorted", _listing("yield from sorted(own + below, key=lambda pair: pair[0])"), "the paths are sorted; the order of the dictionaries counts"),
    ("None listed", {_THERE: "if True:"}, "a Parameter that is None is listed as well"),
    ("asks a Parameter for its truth", {_THERE: "if param:"}, "a Parameter is asked whether it's true, and one that holds 0 isn't; ask `is not None`"),
    ("asks a child for its truth", {_CHILD: "if child:"}, "a child is asked whether it's true, and an empty container isn't; ask `is not None`"),
    ("a missing child", {_CHILD: "if True:"}, "a child that is None is asked for its Parameters; skip it"),
    ("prefix lost", {_DEEPER: "yield from child.named_parameters(name)"}, "a child gets its own name as prefix, without the path so far; below the first level, the beginning is lost"),
    ("no prefix below", {_DEEPER: "yield from child.named_parameters(prefix)"}, "the names of the children are missing in the paths"),
    ("no dot", {_DOT: "dot = prefix"}, "the names are joined without a dot"),
    ("always a dot", {_DOT: 'dot = prefix + "."'}, "a path begins with a dot; with an empty prefix there's none"),
    ("one level", {_DEEPER: "yield from child.named_parameters(dot + name, recurse=False)"}, "only the direct children are asked; what's below them is missing"),
    ("no recursion", {"if recurse:": "if False:"}, _ONLY),
    ("always below", {"if recurse:": "if True:"}, "the children are listed even with `recurse=False`"),
    ("calls it only", {_DEEPER: "child.named_parameters(dot + name)"}, _ONLY),
    ("yields the generator", {_DEEPER: "yield child.named_parameters(dot + name)"}, "`yield` hands over the child's generator itself; `yield from` hands over what it yields"),
    ("buffers too", {_EACH: "for name, param in [*self._parameters.items(), *self._buffers.items()]:"}, "the buffers are listed as well"),
    ("frozen left out", {_THERE: "if param is not None and param.requires_grad:"}, "a frozen Parameter isn't listed, but it's still a Parameter"),
    ("no paths", {_MINE: "yield param"}, "`named_parameters` yields Parameters without their paths"),
    ("pairs in parameters", {"yield param": "yield _, param"}, "`parameters` yields pairs; the Parameters alone are asked for"),
    ("recurse forgotten", {_ALL: "for _, param in self.named_parameters():"}, "`parameters` doesn't pass `recurse` on"),
    ("recurse as prefix", {_ALL: "for _, param in self.named_parameters(recurse):"}, "`recurse` is the second argument of `named_parameters`; the first is the prefix"),
    ("parameters is a list", {"parameters": "def parameters(self, recurse=True):\n    return [p for _, p in self.named_parameters(recurse=recurse)]"}, "`parameters` returns a list, so `next(model.parameters())` fails"),
    ("stops at None", {_THERE: "if param is None:\n    return\nelse:"}, "the walk ends at the first Parameter that is None; go on with the next one"),
)
# fmt: on

# ---- 05.4

once = Exercise(
    "05.4",
    title="Everything once",
    takes=("Module",),
    minutes=12,
    writes=("named_parameters",),
    keeps=("05.3",),
    hints=(
        "The walk of 05.3 works. What must it do before it yields a value, and before it enters a Module?",
        "The set is made once, by the first call, and handed on to all others. A Tensor and a Module can be in a set, and `in` asks for "
        "the same object. (In a list, `in` would compare the numbers.) With `remove_duplicate=False`, nothing is added.",
        "First `seen = set() if seen is None else seen` and `if self in seen: return`. Add `self` if `remove_duplicate`. Then the two loops "
        "of 05.3, with `members(self)` in the first, and `child._named_members(members, dot + name, True, remove_duplicate, seen)` in the second.",
    ),
)
_TWICE = (
    *place("_parameters", w="P", bias="None", again="P", same="P2"),
    *place("_buffers", mean="t", copy="t", equal="t2"),
)
_SHARED = ("tied", "twins", "apart")


def _all_of(kind: str) -> list:
    """Return what is asked of a tree with duplicates."""
    named, alone = f"named_{kind}", kind
    return ask(f"{named}()", f'{named}("net", recurse=False)', f"{named}(remove_duplicate=False)", f'{named}("net", True, False)',
               f'{named}("x", False, True)', f'{named}("", False, False)', f"{alone}()", f"{alone}(recurse=False)")  # fmt: skip


def _once(ex: Exercise, kind: str) -> None:
    """Compare how a tree with duplicates is listed."""
    asks = _all_of(kind)
    ex.compare(
        "what has two names is listed once, or under each of them",
        each(asks, start=_TWICE),
        *(each(asks, start=place("_modules", net=name)) for name in _SHARED),
        *(
            each(asks, start=[*_TWICE, *place("_modules", one="layer", two="block", three="layer")])
            for _ in "1"
        ),
        each(asks, start=[*place("_modules", z="twins", y="tied", x="deep_tree"), *_TWICE]),
    )
    ex.compare(
        "every walk starts from the beginning",
        programs(asks[:1], asks[:2], start=[*_TWICE, *place("_modules", net="tied")]),
        programs(first(f"{kind}()"), asks[:1], start=[*_TWICE, *place("_modules", net="tied")]),
        each(side_by_side(f"{kind}()"), start=[*_TWICE, *place("_modules", net="twins")]),
    )
    safe = [step for step in asks if "False" not in step.text.replace("recurse=False", "")]
    ex.compare(
        "a cycle comes to an end",
        each(safe, start=place("_modules", net="ring")),
        each(safe, start=[*_TWICE, hold("me"), *place("_modules", net="block")]),
    )


_once(once, "parameters")
_SEEN, _ADD_MODULE, _ADD = (
    "seen = set() if seen is None else seen",
    "seen.add(self)",
    "seen.add(value)",
)
_HEAD = "def _named_members(self, members, prefix…"
_NEW = "def _named_members(self, members, prefix, recurse, remove_duplicate, seen={}):"
_DEEPER = "yield from child._named_members(members, dot + name, True, remove_duplicate, seen)"
_IF_MODULE, _IF_VALUE = (
    f"if remove_duplicate:\n    {_ADD_MODULE}",
    f"if remove_duplicate:\n    {_ADD}",
)
_GATE = "if self in seen:\n    return"
# fmt: off
once.wrongs(
    ("as in 05.3", {_IF_MODULE: "", _IF_VALUE: ""}, "nothing is remembered, so a shared Parameter is listed under each of its names"),
    ("a list", {_SEEN: "seen = [] if seen is None else seen", _ADD_MODULE: "seen.append(self)", _ADD: "seen.append(value)"}, "in a list, `in` compares the numbers of two tensors; a set asks whether they're the same object"),
    ("one set for all walks", {_HEAD: _NEW.format("set()")}, "a second walk lists less than the first: the default `set()` is made once, when Python reads the `def`"),
    ("a set for each Module", {_DEEPER: _DEEPER.replace(", seen)", ")")}, "each child starts with an empty set, so what two of them share is listed twice; hand `seen` on"),
    ("only values", {_IF_MODULE: ""}, "the Parameters are remembered but not the Modules, so the walk never leaves a cycle"),
    ("only Modules", {_IF_VALUE: ""}, "the Modules are remembered but not the Parameters, so a Parameter that two Modules share is listed twice"),
    ("Modules in any case", {_IF_MODULE: _ADD_MODULE}, "with `remove_duplicate=False`, a Module that has two names is listed under the first only"),
    ("values in any case", {_IF_VALUE: _ADD}, "with `remove_duplicate=False`, a Parameter that has two names is still listed once"),
    ("switch not handed on", {_DEEPER: _DEEPER.replace("remove_duplicate, seen", "True, seen")}, "`remove_duplicate=False` doesn't reach the children"),
    ("by name", {"value not in seen": "name not in seen", _ADD: "seen.add(name)"}, "two Parameters count as the same if their names are equal; every layer has a `weight`"),
    ("raises", {_GATE: "if self in seen:\n    raise RecursionError"}, "a Module that is met again raises an error; the walk should skip it"),
    ("None remembered", {"if value is not None and value not in seen:": "if value not in seen:"}, "a Parameter that is None is listed as well"),
    ("the other default", {"recurse=True, remove_duplicate=True):": "recurse=True, remove_duplicate=False):"}, "without `remove_duplicate`, everything is listed under each name; its default is True"),

    ("asks the direct children", {"if recurse else ()": "if recurse or remove_duplicate else ()"}, "the children are listed even with `recurse=False`"),
)
# fmt: on

# ---- 05.5

remembered = Exercise(
    "05.5",
    title="List what is remembered",
    takes=("Module",),
    minutes=5,
    writes=("named_buffers", "buffers"),
    keeps=("05.4",),
    hints=(
        "Compare with `named_parameters` and `parameters`. Which dictionary is another one here?",
        "The function that you hand to `_named_members` returns `module._buffers.items()`. All four arguments go on in the same order.",
        "`return self._named_members(members, prefix, recurse, remove_duplicate)`, and in `buffers`: "
        "`for _, buffer in self.named_buffers(recurse=recurse): yield buffer`.",
    ),
)
_WITH = (*place("_buffers", mean="t", later="None", a="u", p="Q"), *place("_parameters", w="P"))
_ASKS = ask(
    "named_buffers()", 'named_buffers("net")', "named_buffers(recurse=False)", 'named_buffers("net", False)',
    "buffers()", "buffers(recurse=False)", "buffers(False)",
)  # fmt: skip
remembered.compare(
    "every buffer is listed, with its path, in order",
    each(_ASKS, first("named_buffers()", "buffers()")),
    each(_ASKS, first("named_buffers()", "buffers()"), start=_WITH),
    *(each(_ASKS, start=place("_modules", net=name)) for name in ("block", "deep_tree", "hollow")),
    programs(register("buffer", ("b",), "t", persistent=False), _ASKS),
)
_once(remembered, "buffers")
_PASS = "return self._named_members(members, prefix, recurse, remove_duplicate)"
_ALL = "for _, buffer in self.named_buffers(recurse=recurse):"
# fmt: off
remembered.wrongs(
    ("Parameters", {"return module._buffers.items()": "return module._parameters.items()"}, "the Parameters are listed; buffers are in `_buffers`"),
    ("both", {"return module._buffers.items()": "return [*module._parameters.items(), *module._buffers.items()]"}, "the Parameters are listed as well"),
    ("only saved ones", {"return module._buffers.items()": "return [(n, b) for n, b in module._buffers.items() if n not in module._non_persistent_buffers_set]"}, "a buffer with `persistent=False` isn't listed; it isn't saved, but it's a buffer"),
    ("own ones", {"return module._buffers.items()": "return self._buffers.items()"}, "the function looks at `self` each time, not at the Module that it's given"),
    ("prefix forgotten", {_PASS: _PASS.replace("prefix", '""')}, "`prefix` isn't passed on"),
    ("recurse forgotten", {_PASS: _PASS.replace("recurse", "True")}, "`recurse` isn't passed on"),
    ("duplicates forgotten", {_PASS: _PASS.replace(", remove_duplicate", "")}, "`remove_duplicate` isn't passed on"),
    ("swapped", {_PASS: _PASS.replace("recurse, remove_duplicate", "remove_duplicate, recurse")}, "`recurse` and `remove_duplicate` arrive in the wrong order"),
    ("pairs in buffers", {"yield buffer": "yield _, buffer"}, "`buffers` yields pairs; the buffers alone are asked for"),
    ("buffers without recurse", {_ALL: "for _, buffer in self.named_buffers():"}, "`buffers` doesn't pass `recurse` on"),
    ("a list", {"buffers": "def buffers(self, recurse=True):\n    return [b for _, b in self.named_buffers(recurse=recurse)]"}, "`buffers` returns a list, so `next(model.buffers())` fails"),
)
# fmt: on

# ---- 05.6

counts = Exercise(
    "05.6",
    title="Where the numbers are",
    takes=("sizes",),
    minutes=6,
    importance="useful",
    writes=("sizes",),
    hints=(
        "Go through `model.named_parameters()` and then through `model.named_buffers()`. Which part of a path names the direct child?",
        '`path.partition(".")[0]` is everything before the first dot. Several tensors belong to one child, so add to what is there '
        "already. `found.get(first, (0, 0))` gives zeros for a new name.",
        "`trained, fixed = found.get(first, (0, 0))`, and then `found[first] = (trained + value.numel(), fixed)` if "
        "`value.requires_grad`, else `found[first] = (trained, fixed + value.numel())`.",
    ),
)


def _net(frozen: bool = False, shared: bool = False) -> nn.Module:
    net = nn.Sequential(
        nn.Linear(4, 3), nn.ReLU(), nn.Sequential(nn.BatchNorm1d(3), nn.Linear(3, 4))
    )
    net.scale = Parameter(tensor([2.0]))
    net.register_buffer("table", tensor([1.0, 2.0, 3.0]), persistent=False)
    net.register_parameter("none", None)
    if frozen:
        net[0].weight.requires_grad_(False)
    if shared:
        net.again, net[2].w = net[0], net[0].weight
    return net


counts.compare_calls(
    "the numbers of each child are counted, trained or not",
    {
        "sizes(nn.Linear(4, 3))": lambda: (nn.Linear(4, 3),),
        "sizes(nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2)))": lambda: (
            nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2)),
        ),
        "sizes(nn.Sequential(nn.BatchNorm1d(3)))": lambda: (nn.Sequential(nn.BatchNorm1d(3)),),
        "sizes(nn.ReLU())": lambda: (nn.ReLU(),),
        "sizes(net)  # a net with two layers, a nested one, a Parameter `scale` and a buffer `table`": lambda: (
            _net(),
        ),
        "sizes(net)  # the same, and `net[0].weight` is frozen": lambda: (_net(frozen=True),),
        "sizes(net)  # its first layer has a second name, `again`": lambda: (_net(shared=True),),
    },
)
_FIRST, _IF = 'first = path.partition(".")[0]', "if value.requires_grad:"
_BOTH = "[*model.named_parameters(), *model.named_buffers()]"
_OLD = "trained, fixed = found.get(first, (0, 0))"
# fmt: off
counts.wrongs(
    ("tensors counted", {"(trained + value.numel(), fixed)": "(trained + 1, fixed)", "(trained, fixed + value.numel())": "(trained, fixed + 1)"}, "the tensors are counted; `value.numel()` says how many numbers one holds"),
    ("whole paths", {_FIRST: "first = path"}, "every tensor is counted on its own, under its whole path"),
    ("last name", {_FIRST: 'first = path.rpartition(".")[2]'}, "the numbers are under the last name of the path, such as `weight`; the first one names the child"),
    ("first letter", {_FIRST: "first = path[0]"}, "`path[0]` is the first character; the first name ends at the first dot"),
    ("no buffers", {_BOTH: "model.named_parameters()"}, "the buffers aren't counted"),
    ("no Parameters", {_BOTH: "model.named_buffers()"}, "the Parameters aren't counted"),
    ("frozen counts as trained", {_IF: "if isinstance(value, Parameter):"}, "a frozen Parameter counts as trained; ask for its `requires_grad`"),
    ("the wrong way round", {_IF: "if not value.requires_grad:"}, "the two numbers of each pair are swapped"),
    ("replaced", {_OLD: "trained, fixed = 0, 0"}, "only the last tensor of each child counts; add to what is there already"),
    ("shared twice", {_BOTH: "[*model.named_parameters(remove_duplicate=False), *model.named_buffers()]"}, "a Parameter with two names is counted twice"),
    ("own tensors left out", {_FIRST: f"{_FIRST}\nif first == path:\n    continue"}, "the model's own tensors aren't counted"),
    ("no recursion", {_BOTH: "[*model.named_parameters(recurse=False), *model.named_buffers(recurse=False)]"}, "what is in the children isn't counted"),
)
# fmt: on
