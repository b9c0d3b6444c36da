"""Chapter 01: the drawers of an empty Module, and functions that read them."""

from __future__ import annotations

from typing import Any

from ..exercise import Exercise
from ..referee import Program, Words, place, programs, run
from ..referee.steps import Step
from ..referee.world import DRAWERS, World, slots_of
from ..wording import listing, shown

HOOKS = (
    *("_backward_pre_hooks", "_backward_hooks", "_forward_hooks", "_forward_hooks_with_kwargs"),
    *("_forward_hooks_always_called", "_forward_pre_hooks", "_forward_pre_hooks_with_kwargs"),
    *("_state_dict_hooks", "_state_dict_pre_hooks"),
    *("_load_state_dict_pre_hooks", "_load_state_dict_post_hooks"),
)
_FILLED = [
    place("_parameters", w="P"),
    place("_buffers", mean="t"),
    place("_modules", fc="child"),
]

# ---- 01.1


def _looked_up(world: World) -> Words:
    """Return what looking up a name does that no drawer holds."""
    try:
        slots_of(world.m)["_parameters"]["nope"]
    except KeyError:
        return Words("raises KeyError")
    return Words("creates an entry `nope`")


drawers = Exercise(
    "01.1",
    title="Four entries for every object",
    takes=("Module",),
    minutes=4,
    writes=("__init__",),
    hints=(
        "`__init__` runs once for each new object, and `self` is that object. What does each one need of its own?",
        "`training` is True at the start. An empty drawer is an empty dictionary, `{}`. Write it once for each "
        "drawer, so that there are three dictionaries.",
        "`self.training = True`, then `self._parameters = {}`, and the same for `_buffers` and `_modules`.",
    ),
)
drawers.compare("a switch that is on, and three empty drawers", [Program(())])
drawers.compare_uses(
    "the drawers have their right names, and are in the object",
    {
        'hasattr(Module, "_parameters")': lambda Module: hasattr(Module, "_parameters"),
        '"parameters" in vars(Module())': lambda Module: "parameters" in vars(Module()),
        '"_Module__parameters" in vars(Module())': lambda Module: (
            "_Module__parameters" in vars(Module())
        ),
    },
)
drawers.compare(
    "no drawer is shared by two objects or by two names",
    programs(*_FILLED),
    *([Program(tuple(s))] for s in _FILLED),
)
drawers.compare(
    "a drawer holds only what was put into it", programs(run('m._parameters["nope"]', _looked_up))
)
_THREE = "self._parameters = {}\nself._buffers = {}\nself._modules = {}"
_IN_CLASS = "_parameters = {}\n_buffers = {}\n_modules = {}\n\ndef __init__(self):"
drawers.wrong(
    "one dictionary for all three",
    {_THREE: "self._parameters = self._buffers = self._modules = {}"},
    says="`a = b = {}` gives one dictionary two names; write `{}` once for each drawer",
)
drawers.wrong(
    "in the class",
    {_THREE: "", "def __init__(self):": _IN_CLASS},
    says="the drawers are found in the class and not in the object; store them with `self.` in `__init__`",
)
drawers.wrong(
    "no switch",
    {"self.training = True": ""},
    says="`training` isn't there; a new module is learning, so it starts as True",
)
drawers.wrong(
    "eval at first",
    {"self.training = True": "self.training = False"},
    says="a new module is learning, so `training` starts as True",
)
drawers.wrong(
    "lists",
    {_THREE: _THREE.replace("{}", "[]")},
    says="a list has no names, and `self.fc` is looked up by its name; use `{}`",
)
drawers.wrong(
    "sets",
    {_THREE: _THREE.replace("{}", "set()")},
    says="a set holds names without values; the empty dictionary is `{}`",
)
drawers.wrong(
    "defaultdict",
    {_THREE: _THREE.replace("{}", "__import__('collections').defaultdict(dict)")},
    says="a `defaultdict` creates an entry when a missing name is looked up; use `{}`",
)
drawers.wrong(
    "None",
    {_THREE: _THREE.replace("{}", "None")},
    says="you can't put anything into None; start with `{}`",
)
drawers.wrong(
    "local names",
    {_THREE: _THREE.replace("self.", "")},
    says="`training` is in the object, but no drawer is; store each one as `self._parameters = {}` does",
)
drawers.wrong(
    "another method",
    {"def __init__(self):": "def _init_(self):"},
    says="nothing is stored in a new object: Python calls `__init__`, with two underscores on each side, and no other method",
)
drawers.wrong(
    "two underscores",
    {_THREE: _THREE.replace("self._", "self.__")},
    says="two underscores at the start: Python renames it to `_Module__parameters`; write one",
)
drawers.wrong(
    "one underscore missing",
    {_THREE: _THREE.replace("self._", "self.")},
    says="the names of the drawers start with an underscore: `_parameters`, not `parameters`",
)

# ---- 01.2


def _spy(world: World) -> Words:
    """Return which entries went through `__setattr__` of a subclass."""
    heard: list[str] = []
    changed: list[str] = []

    class Watched(type):
        def __setattr__(cls, name: str, value: Any) -> None:
            changed.append(name)
            super().__setattr__(name, value)

    class Spy(world.Module):
        def __setattr__(self, name: str, value: Any) -> None:
            if name not in heard:
                heard.append(name)
            super().__setattr__(name, value)

    class Below(Spy, metaclass=Watched):
        pass

    Spy()
    Below()
    if changed:
        return Words(f"changes `{changed[0]}` of the object's class, for all its objects")
    names = [f"`{name}`" for name in heard]
    if len(names) > 3:
        names = [*names[:2], f"{len(names) - 2} more"]
    return Words(f"calls `__setattr__` of its class for {listing(names) if names else 'nothing'}")


def _early(world: World) -> Words:
    """Return what became of an attribute that was set before `super().__init__()`."""

    class Early(world.Module):
        def __init__(self) -> None:
            object.__setattr__(self, "note", "mine")
            super().__init__()

    kept = "note" in slots_of(Early())
    return Words(
        "keeps the `note` that was there before"
        if kept
        else "loses the `note` that was there before"
    )


def _later(world: World) -> Words:
    """Return what `__setattr__` of a subclass stores once the object is made."""

    class Doubling(world.Module):
        def __setattr__(self, name: str, value: Any) -> None:
            super().__setattr__(name, 2 * value)

    module = Doubling()
    module.n = 21
    return Words(f"stores `{shown(slots_of(module).get('n'))}` as `n`")


def _entry(name: str) -> list[Step]:
    return run(
        f'vars(m)["{name}"]', lambda world: Words(f"gives `{shown(slots_of(world.m)[name])}`")
    )


def _shared(name: str) -> list[Step]:
    text = f'vars(m)["{name}"] is vars(another)["{name}"]'
    return run(text, lambda world: slots_of(world.m)[name] is slots_of(world.twin)[name])


whole = Exercise(
    "01.2",
    title="The whole `__init__`",
    takes=("Module",),
    minutes=10,
    writes=("__init__",),
    keeps=("01.1",),
    hints=(
        "`self.x = …` and `setattr(self, …)` both call `__setattr__` of the object's class. Which other ways are there "
        "to store something in an object?",
        "`self.__dict__` is an ordinary dictionary, and storing something in it doesn't run any code of yours. `super().__setattr__(name, "
        "value)` works too. Then copy the names from the list above, one after the other.",
        '`slots = self.__dict__`, then `slots["training"] = True`, `slots["_parameters"] = {}`, '
        '`slots["_backward_hooks"] = OrderedDict()`, and so on for all seventeen.',
    ),
)
_REST = ("_non_persistent_buffers_set", "_is_full_backward_hook", *HOOKS)
whole.compare(
    "every entry is there, and of the right kind", *(programs(_entry(name)) for name in _REST)
)
whole.compare(
    "no entry is shared",
    *(programs(_shared(name)) for name in ("_non_persistent_buffers_set", *HOOKS)),
    *([Program(tuple(place(name, key="print")))] for name in HOOKS),
    drawers=(*DRAWERS, *HOOKS),
)
whole.compare(
    "none goes through `__setattr__`, and later assignments do",
    programs(run("Spy()", _spy)),
    programs(run("m = Doubling(); m.n = 21", _later)),
)
whole.compare("what was there before stays there", programs(run("Early()", _early)))
_DICT = "slots = self.__dict__  # bypasses __setattr__, which reads drawers that don't exist yet"
whole.wrong(
    "the switch as before",
    {'slots["training"] = True': "self.training = True"},
    says="`training` goes through `__setattr__`, as with every `self.… = …`; store it in `self.__dict__` instead",
)
whole.wrong(
    "all as before",
    {
        _DICT: "slots = {}",
        'slots["_modules"] = {}': 'slots["_modules"] = {}\nfor name in slots:\n    setattr(self, name, slots[name])',
    },
    says="every entry goes through `__setattr__`, as with every `self.… = …`; store them in `self.__dict__` instead",
)
whole.wrong(
    "setattr",
    {'slots["_parameters"] = {}': 'setattr(self, "_parameters", {})'},
    says="`_parameters` goes through `__setattr__`, as with `setattr(self, …)` and `self.… = …`; store it in `self.__dict__` instead",
)
whole.wrong(
    "the class is switched over",
    {
        _DICT: "before = type(self).__setattr__\ntype(self).__setattr__ = object.__setattr__\nslots = {}",
        'slots["_modules"] = {}': 'slots["_modules"] = {}\nfor name in slots:\n    setattr(self, name, slots[name])\ntype(self).__setattr__ = before',
    },
    says="creating an object changes its class: a new `__setattr__` of a parent no longer reaches it; store in `self.__dict__` instead",
)
whole.wrong(
    "a new __dict__",
    {
        _DICT: "slots = {}",
        'slots["_modules"] = {}': 'slots["_modules"] = {}\nobject.__setattr__(self, "__dict__", slots)',
    },
    says="what was in `__dict__` before is lost; store in the dictionary that is there",
)
whole.wrong(
    "a dictionary for the set",
    {"set()": "{}"},
    says="`{}` is an empty dictionary; the empty set is written `set()`",
)
whole.wrong(
    "plain dictionaries",
    {'slots["_forward_hooks"] = OrderedDict()': 'slots["_forward_hooks"] = {}'},
    says="hooks need an `OrderedDict()`, which can move an entry to the front; a plain dictionary can't",
)
whole.wrong(
    "one store for two",
    {
        'slots["_backward_hooks"] = OrderedDict()': 'slots["_backward_hooks"] = slots["_backward_pre_hooks"]'
    },
    says="two names hold the same dictionary; write `OrderedDict()` once for each",
)
whole.wrong(
    "False for None",
    {'slots["_is_full_backward_hook"] = None': 'slots["_is_full_backward_hook"] = False'},
    says="`_is_full_backward_hook` is None until a backward hook is added; False says which kind it is",
)
whole.wrong(
    "the class is stored",
    {'slots["_forward_hooks"] = OrderedDict()': 'slots["_forward_hooks"] = OrderedDict'},
    says="`OrderedDict` is the class; with parentheses, `OrderedDict()`, it creates a dictionary",
)
