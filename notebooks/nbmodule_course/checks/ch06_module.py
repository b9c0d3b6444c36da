"""Chapter 06, the methods of Module: the arguments of `__init__`, and frozen Parameters."""

from __future__ import annotations

import re
from inspect import isgenerator
from typing import Any

from nbmodule import tensor
from nbmodule.nn import Parameter

from ..exercise import Exercise
from ..referee import Step, Words, add_value, place, programs, put, run
from ..referee.world import DRAWERS, World, slots_of
from ..wording import listing, shown
from .ch01 import HOOKS

# ---- 06.3

_DRAWERS = {*DRAWERS, *HOOKS}


class Note:
    """A parent that is no Module: it notes with what it was called, and whether the drawers were there by then."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        slots = slots_of(self)
        given = [*map(repr, args), *(f"{name}={value!r}" for name, value in kwargs.items())]
        when = "when all drawers are there" if slots.keys() >= _DRAWERS else "too early"
        slots["heard"] = f"`Note.__init__({', '.join(given)})` {when}"


class Fill:
    """A parent that is no Module: it assigns a Parameter, and turns the switch off."""

    def __init__(self) -> None:
        self.w = Parameter(tensor([1.0]))
        self.training = False


def _class(name: str, *parents: type, **body: Any) -> Any:
    """Return what makes a class on the reader's Module, with more parents behind it."""
    return lambda Module: type(name, (Module, *parents), body)


def _both(Module: type) -> type:
    class One(Module):
        def __init__(self, **more: Any) -> None:
            super().__init__(**more)

    class Two(Module):
        def __init__(self, **more: Any) -> None:
            super().__init__(**more)

    return type("Both", (One, Two, Note), {"call_super_init": True})


_ASKS = {"call_super_init": True}
for _name, _words, _make in (
    ("Own", "`class Own(Module)`, without an `__init__`", _class("Own")),
    ("Asks", "`class Asks(Module)` with `call_super_init = True`", _class("Asks", **_ASKS)),
    ("Deaf", "`class Deaf(Module, Note)`", _class("Deaf", Note)),
    ("Hears", "`class Hears(Module, Note)` with `call_super_init = True`", _class("Hears", Note, **_ASKS)),
    ("Fills", "`class Fills(Module, Fill)` with `call_super_init = True`; `Fill.__init__` assigns a Parameter `w` and `training = False`", _class("Fills", Fill, **_ASKS)),
    ("Both", "`class Both(One, Two, Note)` with `call_super_init = True`; `One` and `Two` are Modules that pass keyword arguments on", _both),
):  # fmt: skip
    add_value(_name, _words, _make)


def _making(text: str, *named: str) -> list[Step]:
    """Return the step that makes an object: `Own(5)`; of a TypeError it tells which of the words it names."""
    name = text.partition("(")[0]

    def act(world: World) -> Words:
        try:
            slots = slots_of(eval(text, {name: world.value(name)}))
        except TypeError as error:
            found = [
                f"`{word}`" for word in named if re.search(rf"(?<!\w){word}(?!\w)", str(error))
            ]
            names = (
                f"names {listing(found)}" if found else "names neither the class nor the argument"
            )
            return Words(f"raises a TypeError that {names}" if named else "raises a TypeError")
        heard = slots.get("heard", "no other `__init__`")
        return Words(f"calls {heard}")

    return [Step(text, act, values=(name,))]


def _filled() -> list[Step]:
    """Return the step that makes an object whose other parent fills it."""

    def act(world: World) -> Words:
        slots = slots_of(world.value("Fills")())
        return Words(
            f"leaves `training={slots['training']}` and {list(slots['_parameters'])} in `_parameters`"
        )

    return [Step("Fills()", act, values=("Fills",))]


passing = Exercise(
    "06.3",
    title="Pass them on",
    takes=("Module",),
    minutes=10,
    importance="useful",
    writes=("call_super_init", "__init__"),
    keeps=("01.2",),
    hints=(
        "Take `*args` and `**kwargs`. When do you look at them, and when do you pass them on?",
        "`next(iter(kwargs))` is the first keyword, and `len(args) + 1` counts `self`. `type(self).__name__` is the class of the object. "
        "The call of the next `__init__` is the last line.",
        "Begin with `if not self.call_super_init:`, and in it `if kwargs: raise TypeError(…)`, then `if args: raise TypeError(…)`. "
        "End with `if self.call_super_init: super().__init__(*args, **kwargs)`.",
    ),
)
passing.compare(
    "by default, arguments are refused",
    programs(
        [
            *_making("Own()"),
            *_making("Own(5)", "Own", "2"),
            *_making("Own(5, 6)", "Own", "3"),
            *_making("Own(bias=True)", "Own", "bias"),
            *_making("Own(device=None, bias=True)", "Own", "device"),
            *_making("Own(5, bias=True)", "Own", "bias"),
            *_making("Deaf(5)", "Deaf", "2"),
            *_making("Deaf()"),
        ]
    ),
    programs(run("m.call_super_init", lambda world: world.m.call_super_init)),
)
passing.compare(
    "with `call_super_init = True`, they go to the next class in line",
    programs(
        [
            *_making("Hears()"),
            *_making("Hears(5)", "Hears"),
            *_making("Hears(label='a')"),
            *_making("Hears(5, 6, label='a')"),
            *_making("Both(label='a')"),
            *_making("Asks()"),
            *_making("Asks(5)"),
            *_making("Asks(bias=True)"),
        ]
    ),
)
passing.compare("the drawers are there by then, and stay as they are", programs(_filled()))
_REFUSE, _PASS = "if not self.call_super_init:", "super().__init__(*args, **kwargs)"
_PASS_ON = f"if self.call_super_init:\n    {_PASS}"
_WHO = 'who = f"{type(self).__name__}.__init__()"'
_KEYWORD = "if kwargs:\n    raise TypeError(f\"{who} got an unexpected keyword argument '{next(iter(kwargs))}'\")"
_POSITION = 'if args:\n    raise TypeError(f"{who} takes 1 positional argument but {len(args) + 1} were given")'
# fmt: off
passing.wrongs(
    ("nothing refused", {_KEYWORD: "pass", _POSITION: "pass"}, "arguments are silently dropped by default; raise a TypeError"),
    ("keywords dropped", {_KEYWORD: "pass"}, "keyword arguments are silently dropped by default"),
    ("positions dropped", {_POSITION: "pass"}, "positional arguments are silently dropped by default"),
    ("always refused", {_REFUSE: "if True:"}, "arguments are refused even with `call_super_init = True`"),
    ("without self", {"{len(args) + 1}": "{len(args)}"}, "`self` isn't counted; Python counts it as well"),
    ("last keyword", {"next(iter(kwargs))": "list(kwargs)[-1]"}, "the message names the last keyword; name the first"),
    ("positions first", {f"{_KEYWORD}\n{_POSITION}": f"{_POSITION}\n{_KEYWORD}"}, "with both kinds of argument, the message is about the positional ones; look at the keywords first"),
    ("Module by heart", {_WHO: 'who = "Module.__init__()"'}, "the message doesn't name the class of the object; `type(self).__name__` does"),
    ("ValueError", {_KEYWORD: _KEYWORD.replace("TypeError", "ValueError"), _POSITION: _POSITION.replace("TypeError", "ValueError")}, "a stray argument raises ValueError; Python's own refusals are TypeErrors"),
    ("never passed on", {_PASS_ON: ""}, "with `call_super_init = True`, the next `__init__` isn't called"),
    ("always passed on", {_PASS_ON: _PASS}, "the next `__init__` is called even without `call_super_init = True`"),
    ("without arguments", {_PASS: "super().__init__()"}, "the next `__init__` is called without the arguments"),
    ("keywords lost", {_PASS: "super().__init__(*args)"}, "keyword arguments aren't passed on"),
    ("positions lost", {_PASS: "super().__init__(**kwargs)"}, "positional arguments aren't passed on"),
    ("not unpacked", {_PASS: "super().__init__(args, kwargs)"}, "the next `__init__` gets a tuple and a dictionary; unpack them with `*args, **kwargs`"),
    ("object", {_PASS: "object.__init__(self, *args, **kwargs)"}, "`object.__init__` is called directly, so the classes in between are left out; use `super()`"),
    ("too early", {_PASS_ON: "", "slots = self.__dict__": f"{_PASS_ON}\nslots = self.__dict__"}, "the next `__init__` runs before the drawers are there; call it last"),
    ("Module's own switch", {_REFUSE: "if not Module.call_super_init:", _PASS_ON: _PASS_ON.replace("self.", "Module.")}, "`call_super_init` is read from Module; read it from `self`, so that a class can set its own"),
    ("on by default", {"call_super_init = False": "call_super_init = True"}, "`call_super_init` is True by default; it should be False"),
)
# fmt: on

# ---- 06.4


def _house(Module: type) -> Any:
    """Return a Module with a Parameter of its own, and a layer in it."""
    house, layer = type("House", (Module,), {})(), type("Layer", (Module,), {})()
    cold = Parameter(tensor([1.0]), requires_grad=False)
    slots_of(layer).setdefault("_parameters", {})["w"] = cold
    slots_of(house).setdefault("_modules", {})["layer"] = layer
    slots_of(house).setdefault("_parameters", {})["v"] = Parameter(tensor([2.0]))
    return house


add_value(
    "house", "a Module with a Parameter `v`, and a layer with a frozen Parameter `w` in it", _house
)


def _learning(module: Any, prefix: str = "") -> list[str]:
    """Return the names of the Parameters that require a gradient."""
    slots = slots_of(module)
    found = [
        prefix + n for n, p in slots["_parameters"].items() if p is not None and p.requires_grad
    ]
    for name, child in slots["_modules"].items():
        found += _learning(child, f"{prefix}{name}.") if child is not None else []
    return found


def _asked(*texts: str) -> list[Step]:
    """Return the steps `m.requires_grad_(False)` and so on."""

    def act(world: World, text: str) -> Any:
        gave = eval(text, {"m": world.m})
        if isgenerator(gave):
            return gave
        what = "`m`" if gave is world.m else shown(gave)
        learning = ", ".join(f"`{name}`" for name in _learning(world.m)) or "none"
        return Words(f"returns {what}; Parameters that require a gradient afterwards: {learning}")

    return [Step(text, lambda world, text=text: act(world, text)) for text in texts]


freezing = Exercise(
    "06.4",
    title="Freeze",
    takes=("Module",),
    minutes=3,
    writes=("requires_grad_",),
    hints=(
        "Which method of chapter 05 gives you all the Parameters, those of the children included?",
        "A tensor has a method with this name: `parameter.requires_grad_(requires_grad)`. Don't forget the `return`.",
        "`for parameter in self.parameters(): parameter.requires_grad_(requires_grad)`, and then `return self`.",
    ),
)
_TURNS = _asked(
    "m.requires_grad_(False)",
    "m.requires_grad_()",
    "m.requires_grad_(True)",
    "m.requires_grad_(requires_grad=False)",
)
_OWN = (*place("_parameters", p="P", gone="None", cold="frozen"), put("_parameters", "again", "P"))
_BUFFERS = place("_buffers", mean="t", live="trainable")
_INSIDE = place("_modules", fc="layer", none="None", house="house")
freezing.compare(
    "its own Parameters",
    programs(_TURNS),
    programs(_TURNS, start=_OWN),
    programs(_TURNS, _TURNS, start=_OWN),
)
freezing.compare(
    "those of its children, and no buffers",
    programs(_TURNS, start=[*_OWN, *_INSIDE]),
    programs(_TURNS, start=[*_OWN, *_BUFFERS]),
    programs(_TURNS, _TURNS, start=[*_OWN[:1], *_INSIDE]),
)
_EACH, _SET = "for parameter in self.parameters():", "parameter.requires_grad_(requires_grad)"
# fmt: off
freezing.wrongs(
    ("own only", {_EACH: "for parameter in self.parameters(recurse=False):"}, "the Parameters of the children stay as they were"),
    ("the drawer", {_EACH: "for parameter in self._parameters.values():"}, "the loop goes over the module's own drawer, where an entry may be None, and the children are left out; use `self.parameters()`"),
    ("one level", {_SET: "pass", "return self": "for m in [self, *filter(None, self._modules.values())]:\n    for parameter in m.parameters(recurse=False):\n        parameter.requires_grad_(requires_grad)\nreturn self"}, "the children are reached, but not what is inside them; use `self.parameters()`"),
    ("nothing returned", {"return self": ""}, "the Parameters are right, but it returns None; return `self`"),
    ("on itself", {f"{_EACH}\n    {_SET}": "self.requires_grad = requires_grad"}, "no Parameter changes: is an attribute set on the module, or misspelled?"),
    ("always off", {_SET: "parameter.requires_grad_(False)"}, "the argument is ignored: the Parameters are frozen every time"),
    ("always on", {_SET: "parameter.requires_grad_()"}, "the argument is ignored: the Parameters require a gradient every time"),
    ("the other way around", {_SET: "parameter.requires_grad_(not requires_grad)"}, "it's the wrong way around: `requires_grad_(False)` freezes"),
    ("toggles", {_SET: "parameter.requires_grad_(not parameter.requires_grad)"}, "each call switches the Parameters to the opposite, whatever the argument is"),
    ("off by default", {"requires_grad=True": "requires_grad=False"}, "without an argument, it freezes; the default is True"),
    ("frozen stay frozen", {_SET: f"if parameter.requires_grad:\n    {_SET}"}, "a frozen Parameter never requires a gradient again"),
    ("buffers too", {"return self": "for buffer in self.buffers():\n    buffer.requires_grad_(requires_grad)\nreturn self"}, "buffers are changed as well; only Parameters should be"),
    ("new Parameters", {_SET: "self.__dict__['_parameters'].update({n: type(p)(p.detach(), requires_grad) for n, p in self._parameters.items() if p is parameter})\nparameter.requires_grad_(requires_grad)"}, "the Parameters are replaced by new ones; change those that are there"),
    ("always on below", {_SET: "pass", "return self": "for m in [self, *filter(None, self._modules.values())]:\n    for parameter in m.parameters(recurse=m is not self):\n        parameter.requires_grad_(requires_grad or m is not self)\nreturn self"}, "the Parameters of the children always require a gradient afterwards; pass `requires_grad` on"),
    ("first only", {_SET: f"{_SET}\nreturn self"}, "it stops after the first Parameter; is the `return` in the loop?"),
)
# fmt: on
