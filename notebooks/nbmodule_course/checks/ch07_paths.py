"""Chapter 07, by path: `get_submodule("body.0")` and its two sisters, `add_module`, `set_submodule`."""

from __future__ import annotations

from typing import Any

from ..exercise import Exercise
from ..referee import Step, each, place
from ..referee.world import World
from .grown import ask, grow

# ---- 07.5

by_path = Exercise(
    "07.5",
    title="Follow a path",
    takes=("Module",),
    minutes=10,
    writes=("get_submodule", "get_parameter", "get_buffer"),
    hints=(
        'What are the names in `"body.0.weight"`? Which of your methods turns one name into a Module?',
        'Start with `module = self`. For each name in `target.split(".")`: `module = getattr(module, name)`, and test that it is a Module. '
        '`"".split(".")` is `[""]`, so take care of the empty path.',
        '`path, _, name = target.rpartition(".")` and `self.get_submodule(path)` give the Module that holds the Parameter or buffer. '
        "Then test `isinstance(…, Parameter)`, or `name in module._buffers`.",
    ),
)
_TREE = (
    *grow("m", body="body", gone="None", w="P"),
    *grow("body", fc="fc", mean="t"),
    *grow("fc", weight="Q", mean="u"),
    *place("_parameters", bias="None", special="special"),
    *place("__dict__", plain="child", number="u"),
)


def _by_path(method: str, *paths: str) -> list:
    """Return a step for each path; a message must name its last name, and need not name the class."""

    def follow(m: Any, path: str) -> Any:
        try:
            return getattr(m, method)(path)
        except AttributeError as error:
            error.args = (str(error).replace("Zebra", "Module"),)
            raise

    return [
        step
        for path in paths
        for step in ask(
            f'm.{method}("{path}")', lambda m, path=path: follow(m, path), *path.rpartition(".")[2:]
        )
    ]


_BAD = (
    "nope",
    "body.nope",
    "body.fc.nope",
    "unit",
    "heat",
    "training",
    "gone",
    "number",
    "bias",
    "forward",
)
_LEAVES = [
    *ask('m.get_submodule("nope.fc")', lambda m: m.get_submodule("nope.fc"), "nope"),
    *ask('m.get_submodule("gone.fc")', lambda m: m.get_submodule("gone.fc"), "gone"),
    *ask('m.get_submodule("w.fc")', lambda m: m.get_submodule("w.fc"), "w"),
]
by_path.compare(
    "a path leads to a Module",
    each(_by_path("get_submodule", "", "body", "body.fc", "plain"), start=_TREE),
)
by_path.compare(
    "a path that leads to none is an AttributeError",
    each(_by_path("get_submodule", *_BAD, "w", "body.fc.weight", "body.mean"), start=_TREE),
    each(_by_path("get_submodule", ".", "body.", ".body", "body..fc"), _LEAVES, start=_TREE),
)
by_path.compare(
    "a path leads to a Parameter",
    each(_by_path("get_parameter", "w", "body.fc.weight", "special"), start=_TREE),
)
by_path.compare(
    "anything else isn't a Parameter",
    each(_by_path("get_parameter", *_BAD, "body", "body.mean", "body.fc"), start=_TREE),
    each(_by_path("get_parameter", "", "nope.weight", "gone.weight", "body.w"), start=_TREE),
)
by_path.compare(
    "a path leads to a buffer",
    each(_by_path("get_buffer", "body.mean", "body.fc.mean"), start=_TREE),
)
_AGAIN = (*_TREE, *grow("m", again="fc"))
by_path.compare(
    "every name of a layer leads to it",
    each(_by_path("get_submodule", "again", "body.fc"), start=_AGAIN),
    each(_by_path("get_parameter", "again.weight"), start=_AGAIN),
    each(_by_path("get_buffer", "again.mean"), start=_AGAIN),
)
by_path.compare(
    "anything else isn't a buffer",
    each(_by_path("get_buffer", *_BAD, "w", "body.fc.weight", "body.fc"), start=_TREE),
    each(_by_path("get_buffer", "", "nope.mean", "gone.mean", "mean"), start=_TREE),
)
_START, _EACH, _STEP = (
    "module = self",
    'for name in target.split(".") if target else []:',
    "module = getattr(module, name)",
)
_TEST = 'if not isinstance(module, Module):\n    raise AttributeError(f"`{name}` is not a Module")'
_PARAMETER, _LEARNS = (
    "parameter = getattr(self.get_submodule(path), name)",
    'if not isinstance(parameter, Parameter):\n    raise AttributeError(f"`{name}` is not a Parameter")',
)
_BUFFER = 'if name not in module._buffers:\n    raise AttributeError(f"`{name}` is not a buffer")'
# fmt: off
by_path.wrongs(
    ("the empty path", {_EACH: 'for name in target.split("."):'}, 'the empty path leads nowhere, because `"".split(".")` is `[""]`; it\'s the Module itself'),
    ("empty names skipped", {_EACH: 'for name in filter(None, target.split(".")):'}, "an empty name between, before or after the dots is skipped; no attribute has an empty name"),
    ("not tested", {_TEST: ""}, "what isn't a Module is returned as if it were one; test each step with `isinstance(…, Module)`"),
    ("anything to call", {_TEST: 'if not callable(module):\n    raise AttributeError(f"`{name}` is not a Module")'}, "anything that can be called, such as a method, is taken for a Module; ask `isinstance(module, Module)`"),
    ("tested at the end", {_TEST: "", "return module": "if not isinstance(module, Module):\n    raise AttributeError(f\"`{target}` is not a Module\")\nreturn module"}, "only the end of the path is tested, so the error inside a path names what comes after the culprit"),
    ("the drawers only", {_STEP: "module = module._modules.get(name)"}, "a Module that is an ordinary attribute isn't found; `getattr` finds any attribute"),
    ("a KeyError", {_STEP: "module = module._modules[name]"}, "a missing name raises a KeyError; `getattr` raises the AttributeError that was asked for"),
    ("from the walk", {"get_submodule": "def get_submodule(self, target):\n    return dict(self.named_modules())[target]"}, "a path is looked up in `named_modules()`, where a missing one is a KeyError"),
    ("None for nothing", {_STEP: "module = getattr(module, name, None)", _TEST: "if not isinstance(module, Module):\n    return None"}, "a path that leads nowhere gives None; raise an AttributeError"),
    ("always from the start", {_STEP: "module = getattr(self, name)"}, "each name is looked up in the first Module; go on from the Module that was found"),
    ("bare message", {_TEST: 'if not isinstance(module, Module):\n    raise AttributeError("not a Module")'}, "the message doesn't name the attribute that isn't a Module"),
    ("a TypeError", {_TEST: "if not isinstance(module, Module):\n    raise TypeError(f\"`{name}` is not a Module\")"}, "an attribute that isn't a Module raises a TypeError; make it an AttributeError"),
    ("any attribute for a Parameter", {_LEARNS: ""}, "`get_parameter` returns anything; test with `isinstance(…, Parameter)`"),
    ("asks the drawer", {_LEARNS: "if name not in self._parameters:\n    raise AttributeError(f\"`{name}` is not a Parameter\")"}, "`get_parameter` looks for the name in the first Module; the Parameter is in the last one"),
    ("a Parameter here only", {_PARAMETER: "parameter = getattr(self, name)"}, "`get_parameter` ignores the path in front of the name; `get_submodule` follows it"),
    ("None for a Parameter", {_LEARNS: "if name not in self.get_submodule(path)._parameters:\n    raise AttributeError(f\"`{name}` is not a Parameter\")"}, "a name in `_parameters` whose value is None gives None; None isn't a Parameter"),
    ("a Parameter from the walk", {"get_parameter": "def get_parameter(self, target):\n    return dict(self.named_parameters())[target]"}, "`get_parameter` looks in `named_parameters()`, where a missing path is a KeyError"),
    ("a Parameter by its first name", {"get_parameter": "def get_parameter(self, target):\n    for path, parameter in self.named_parameters():\n        if path == target:\n            return parameter\n    raise AttributeError(target)"}, "a Parameter is found only under its first name, as in `named_parameters()`; follow the path instead"),
    ("a buffer by its first name", {"get_buffer": "def get_buffer(self, target):\n    for path, buffer in self.named_buffers():\n        if path == target:\n            return buffer\n    raise AttributeError(target)"}, "a buffer is found only under its first name, as in `named_buffers()`; follow the path instead"),
    ("bare message of a Parameter", {_LEARNS: 'if not isinstance(parameter, Parameter):\n    raise AttributeError("not a Parameter")'}, "the message of `get_parameter` doesn't name what isn't a Parameter"),
    ("any tensor for a buffer", {_BUFFER: "", "return module._buffers[name]": "found = getattr(module, name)\nif not hasattr(found, 'dtype'):\n    raise AttributeError(name)\nreturn found"}, "`get_buffer` returns tensors that aren't buffers; the name has to be in `_buffers`"),
    ("a KeyError for a buffer", {_BUFFER: ""}, "a name that isn't in `_buffers` raises a KeyError; make it an AttributeError"),
    ("a buffer here only", {_BUFFER: "module = self\n" + _BUFFER}, "`get_buffer` ignores the path in front of the name"),
    ("bare message of a buffer", {_BUFFER: 'if name not in module._buffers:\n    raise AttributeError("not a buffer")'}, "the message of `get_buffer` doesn't name what isn't a buffer"),
)
# fmt: on

# ---- 07.6

placing = Exercise(
    "07.6",
    title="Put a layer in its place",
    takes=("Module",),
    minutes=10,
    importance="useful",
    writes=("add_module", "register_module", "set_submodule"),
    hints=(
        "`register_parameter` has nearly the lines of `add_module`. For `set_submodule`: which of your methods finds the parent?",
        "`self._check_name(name, self._modules)` tests the name. For `set_submodule`, "
        "`parent.get_submodule(name)` raises the right error if there's something wrong with the last name.",
        '`path, _, name = target.rpartition(".")`, `parent = self.get_submodule(path)`, then '
        "`if strict or hasattr(parent, name): parent.get_submodule(name)`, and `setattr(parent, name, module)`.",
    ),
)
_NAMES = ("fc", "a.b", "", "unit", "heat", "training", "w", "mean", "forward", "taken", "0")
_THINGS = ("child", "layer", "None", "5", "0", "P", "Layer", "shaped")


def _add(method: str, name: str, value: str) -> list:
    text = f"m.{method}({name if name == '5' else chr(34) + name + chr(34)}, {value})"
    key = 5 if name == "5" else name
    said = (name,) if name.isidentifier() else ()
    return [
        Step(
            text,
            lambda world: getattr(world.m, method)(key, world.value(value)),
            said,
            (value,),
            gives=False,
        )
    ]


_FULL = (
    *place("_parameters", w="P"),
    *place("_buffers", mean="t"),
    *place("_modules", taken="other", later="None"),
)
placing.compare(
    "`add_module` puts a Module under its name",
    each(*(_add("add_module", "fc", value) for value in _THINGS)),
    each(*(_add("add_module", name, "child") for name in (*_NAMES, "5")), start=_FULL),
    each(*(_add("add_module", name, "None") for name in ("taken", "later", "w")), start=_FULL),
)
placing.compare(
    "`register_module` does the same",
    each(*(_add("register_module", "fc", value) for value in ("child", "5"))),
    each(_add("register_module", "w", "child"), start=_FULL),
)


def _set(path: str, value: str, *strict: bool) -> list:
    text = f'm.set_submodule("{path}", {value}{"".join(f", strict={flag}" for flag in strict)}); m.get_submodule("{path}")'

    def act(world: World) -> Any:
        world.m.set_submodule(path, world.value(value), *strict)
        return world.m.get_submodule(path)

    return [
        Step(text, act, path.rpartition(".")[2:] if path and value == "child" else (), (value,))
    ]


_PATHS_TO = (
    "taken",
    "plain",
    "new",
    "body.fc",
    "body.fc.new",
    "w",
    "unit",
    "later",
    "body.fc.weight",
    "nope.fc",
    "",
)
placing.compare(
    "`set_submodule` replaces or adds a Module at a path",
    each(*(_set(path, "child") for path in _PATHS_TO), start=(*_TREE, *_FULL)),
    each(
        *(
            _set(path, value)
            for path in ("taken", "body.fc", "")
            for value in ("layer", "None", "5", "P")
        ),
        start=(*_TREE, *_FULL),
    ),
)
placing.compare(
    "with `strict=True`, the name has to be there",
    each(*(_set(path, "child", True) for path in _PATHS_TO), start=(*_TREE, *_FULL)),
    each(_set("new", "child", False), start=(*_TREE, *_FULL)),
)
# fmt: off
placing.wrongs(
    ("no test of the name", {"self._check_name(name, self._modules)": ""}, "`add_module` takes any name; the rules of 05.1 are in `self._check_name(name, self._modules)`"),
    ("the wrong drawer", {"self._check_name(name, self._modules)": "self._check_name(name, self._parameters)"}, "`add_module` refuses to replace a child, or lets a Parameter's name pass: the names to spare are those in `_modules`"),
    ("any value", {"if module is not None and not isinstance(module, Module):\n    raise TypeError(…": ""}, "`add_module` takes anything; only a Module or None may go into `_modules`"),
    ("asks for truth", {"if module is not None and not isinstance(module, Module):": "if module and not isinstance(module, Module):"}, "`add_module` takes a value that isn't true, such as 0; ask `module is not None`"),
    ("no None", {"if module is not None and not isinstance(module, Module):": "if not isinstance(module, Module):"}, "`add_module` refuses None, which keeps a place for a Module"),
    ("assigned", {"self._modules[name] = module": "setattr(self, name, module)"}, "`add_module` assigns, so None for a new name doesn't go into `_modules`; put it there directly"),
    ("takes nothing away", {"self._modules[name] = module": "self._modules.setdefault(name, module)"}, "`add_module` keeps the old child if the name is in `_modules`; the new one replaces it"),
    ("without the alias", {"self.add_module(name, module)": "pass"}, "`register_module` does nothing; it calls `add_module`"),
    ("an empty path", {'if target == "" or not isinstance(module, Module):': "if not isinstance(module, Module):"}, "`set_submodule` takes an empty path; raise a ValueError"),
    ("any Module", {'if target == "" or not isinstance(module, Module):': 'if target == "":'}, "`set_submodule` takes what isn't a Module; raise a ValueError"),
    ("in the model itself", {"parent = self.get_submodule(path)": "parent = self"}, "`set_submodule` puts the Module into the model itself; the path before the last dot leads to its parent"),
    ("never strict", {"if strict or hasattr(parent, name):": "if hasattr(parent, name):"}, "`set_submodule` ignores `strict`"),
    ("always strict", {"if strict or hasattr(parent, name):": "if True:"}, "`set_submodule` refuses a new name even without `strict`"),
    ("only if strict", {"if strict or hasattr(parent, name):": "if strict:"}, "without `strict`, `set_submodule` replaces an attribute that isn't a Module"),
    ("into the drawer", {"setattr(parent, name, module)": "parent._modules[name] = module"}, "`set_submodule` bypasses `__setattr__`; assign the Module"),
)
# fmt: on
