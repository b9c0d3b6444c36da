"""Chapter 05: Parameters and buffers. Programs register under every kind of name; `ch05_lists` lists what is there."""

from __future__ import annotations

from nbmodule import nn, tensor
from nbmodule.nn import Parameter

from ..exercise import Exercise
from ..referee import add_value, each, place, programs, put, read, run, write
from .trees import register

_TAKEN = (
    *place("_parameters", w="Q"),
    *place("_buffers", mean="t"),
    *place("_modules", fc="child"),
    put("__dict__", "lr", "5"),
    put("__dict__", "later", "None"),
)
_NAMES = ("w", "_w", "mean", "fc", "lr", "later", "forward", "unit", "heat", "training", "_modules")
_ODD = ("", ".", "a.b", ".w", "w.", 5, None, ("w",))
add_value(
    "computed",
    "a Parameter with a `grad_fn`",
    lambda Module: Parameter(tensor([9.0]), False).mul_(tensor([1.0], requires_grad=True)),
)

# ---- 05.1

parameters = Exercise(
    "05.1",
    title="A name for a Parameter",
    takes=("Module",),
    minutes=8,
    writes=("register_parameter",),
    hints=(
        "Write the five checks one below the other, in the order of the list. After them, the last line stores the value.",
        "`hasattr(self, name)` tells whether the object has anything called `name`: in its class, in `__dict__` or in one of the "
        "dictionaries. If it has, `name in entries` tells whether that's an entry that may be replaced.",
        "In the helper: `if hasattr(self, name) and name not in entries: raise KeyError(f\"attribute '{name}' already exists\")`. In "
        "the method: `self._check_name(name, self._parameters)`, then the two checks of `param`, then `self._parameters[name] = param`.",
    ),
)
_GIVEN = ("P", "None", "frozen", "special")
_REFUSED = ("t", "trainable", "5", "0", "child", "shaped", "'text'")
parameters.compare(
    "a Parameter or None is stored in `_parameters`",
    each(register("parameter", ("w", "_w", "gamma", "0", "in-out"), *_GIVEN)),
    programs(
        register("parameter", ("w", "b"), "P", "None"),
        register("parameter", ("w",), *_GIVEN),
        read("w"),
    ),
    programs(write("w", "P"), register("parameter", ("w",), "Q", "None"), write("w", "P", "None")),
    each(register("parameter", ("w",), "P", "None"), start=place("_parameters", w="Q", b="None")),
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
parameters.compare(
    "a Parameter that was computed is refused",
    each(register("parameter", ("w", "b", "a.b", "forward"), "computed"), start=_TAKEN),
)
_STORE, _NONE = (
    "self._parameters[name] = param",
    "param is not None and not isinstance(param, Parameter)",
)
_LEAF = "param is not None and param.grad_fn is not None"
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
    ("history", {_LEAF: "False"}, "a Parameter that has a `grad_fn` is accepted"),
    ("asks requires_grad", {_NONE: "not getattr(param, 'requires_grad', param is None)"}, "`requires_grad` decides here, so a frozen Parameter is refused; its class should decide"),
    ("makes one", {_NONE: "param is not None and not hasattr(param, 'shape')", _STORE: "self._parameters[name] = param if param is None or isinstance(param, Parameter) else Parameter(tensor([0.0]))"}, "a value that isn't a Parameter is turned into one; refuse it"),
    ("assigned", {_STORE: "setattr(self, name, param)"}, "None is assigned, and an assignment puts a None under a new name into `__dict__`; store it in `_parameters`"),
    ("stored first", {_CHECK: f"{_STORE}\n{_CHECK}"}, "the value is stored before all checks are done, so a refused name stays behind"),
    ("value first", {"register_parameter": f'def register_parameter(self, name, param):\n    if {_NONE}:\n        raise TypeError(f"{{name}} takes a Parameter")\n    {_CHECK}\n    if {_LEAF}:\n        raise ValueError(name)\n    {_STORE}'}, "`param` is checked before `name`; the list of the exercise begins with the name"),
    ("asks for truth", {_NONE: "param and not isinstance(param, Parameter)"}, "a value that isn't true, such as 0, is accepted; ask `param is not None`"),
    ("only identifiers", {'name == "" or "." in name': "not name.isidentifier()"}, "a name like `0` is refused; only a dot or an empty name is a reason"),
    ("asks for its value", {_HAS: "if getattr(self, name, None) is not None and name not in entries:"}, "a name whose value is None counts as free, but the object has it; ask `hasattr`"),
    ("to the end", {_STORE: f"self._parameters.pop(name, None)\n{_STORE}"}, "a Parameter that's replaced moves to the end; it keeps its place"),
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
    each(register("buffer", ("w", "_w", "mean", "0"), *_TENSORS)),
    each(register("buffer", ("w",), "t", "None"), start=place("_buffers", w="u", b="None")),
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
    each(register("buffer", ("w", "a.b"), "5", "0", "child", "shaped", "'text'", "items")),
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
    programs(
        register("buffer", ("mean", "w"), "t", persistent=True),
        _UNSAVED,
        start=[*_BOTH[:1], *register("buffer", ("mean", "b", "c"), "t", persistent=False)],
    ),
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
    ("letters", {_IN: "self._non_persistent_buffers_set.update(name)"}, "`update` adds every letter of the name; `add` adds the name"),
    ("any name out", {_OUT: "if name in self._non_persistent_buffers_set:\n    self._non_persistent_buffers_set.pop()"}, "`pop` takes any element out of the set; `discard(name)` takes this name"),
    ("all out", {_OUT: "self._non_persistent_buffers_set.clear()"}, "a buffer that is saved empties the whole set; take out its own name only"),
    ("set before the check", {_CHECK: f"if not persistent:\n    {_IN}\n{_CHECK}"}, "a refused name still gets into `_non_persistent_buffers_set`"),
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
