"""Chapter 03: fetch, throw away, list. The drawers are filled by hand, then programs read, delete and list."""

from __future__ import annotations

import copy
from typing import Any

from ..exercise import Exercise
from ..referee import Program, each, listing_of, place, programs, put, read, remove, run, write
from ..referee.world import DRAWERS, World, slots_of

_FULL = (
    *place("_parameters", gamma="P", _gamma="Q", bias="None", gamma2="P", heat="Q"),
    *place("_buffers", mean="t", unit="u", later="None"),
    *place("_modules", fc="layer", act="child", gone="None"),
    put("_modules", "2nd", "child"),
)
_NAMES = ("gamma", "_gamma", "mean", "fc", "bias", "later", "gone", "act", "2nd", "heat", "unit")
_MISSING = ("nope", "gam", "Gamma", "weight", "__deepcopy__", "_hidden", "forwards")

fetches = Exercise(
    "03.1",
    title="Fetch from the drawers",
    takes=("Module",),
    minutes=6,
    writes=("__getattr__",),
    hints=(
        "By the time `__getattr__` runs, Python has already looked everywhere it normally looks. Which three "
        "places are left?",
        "For each drawer, ask `if name in drawer`, and return its entry. Ask about the name and not about the "
        "value, because the value may be None. After the last drawer, raise the AttributeError.",
        "`if name in self._parameters: return self._parameters[name]`, the same for `_buffers` and `_modules`, and "
        "then `raise AttributeError(f\"'{type(self).__name__}' object has no attribute '{name}'\")`.",
    ),
)
fetches.compare("every name in a drawer is found", each(read(*_NAMES, "training"), start=_FULL))
fetches.compare(
    "a missing name is an AttributeError that names the class and the attribute",
    each(read(*_MISSING)),
    each(read(*_MISSING), start=_FULL),
)
fetches.compare(
    "nothing is cached: a second look sees the new value",
    programs(
        read("gamma", "mean", "nope"),
        place("_parameters", gamma="Q", nope="P"),
        read("gamma", "nope"),
        start=_FULL,
    ),
    programs(read(*_NAMES, "nope"), read("gamma", "mean", "fc"), start=_FULL),
)
_RAISE = "raise AttributeError(…"
_LOOP = "for drawer in (self._parameters, self._buffers, self._modules):"
_NO_CLASS = "the message doesn't name the object's own class; `type(self).__name__` does"
_TEXT = "raise AttributeError(f\"'{type(self).__name__}' object has no attribute '{name}'\")"


def _getattr(*lines: str) -> dict[str, str]:
    return {"__getattr__": "\n    ".join(("def __getattr__(self, name):", *lines))}


# fmt: off
fetches.wrongs(
    ("None", {_RAISE: ""}, "a missing name gives None; it must raise an AttributeError"),
    ("KeyError", _getattr("return {**self._parameters, **self._buffers, **self._modules}[name]"), "a missing name raises KeyError; `hasattr` and `copy` only understand an AttributeError"),
    ("buffers forgotten", {"if name in self._buffers:\n    return self._buffers[name]": ""}, "what is in `_buffers` isn't found"),
    ("modules forgotten", {"if name in self._modules:\n    return self._modules[name]": ""}, "what is in `_modules` isn't found"),
    ("None is missing", _getattr(_LOOP, "    if drawer.get(name) is not None:", "        return drawer[name]", _TEXT), "an entry whose value is None is there, too: ask `name in drawer`, not for its value"),
    ("bare message", {_RAISE: "raise AttributeError(name)"}, _NO_CLASS),
    ("class by heart", {_RAISE: "raise AttributeError(f\"'Module' object has no attribute '{name}'\")"}, _NO_CLASS),
    ("kept in __dict__", _getattr(_LOOP, "    if name in drawer:", "        self.__dict__[name] = drawer[name]", "        return drawer[name]", _TEXT), "the value is copied into `__dict__`, where it stays when the drawer changes"),
    ("asks the children", _getattr(_LOOP, "    if name in drawer:", "        return drawer[name]", "for child in self._modules.values():", "    if child is not None and hasattr(child, name):", "        return getattr(child, name)", _TEXT), "the children are searched as well; a name belongs to the object itself"),
    ("returned", {_RAISE: "return AttributeError(name)"}, "the AttributeError is returned like a value; `raise` it"),
    ("raised in the loop", _getattr(_LOOP, "    if name in drawer:", "        return drawer[name]", "    " + _TEXT), "only what is in `_parameters` is found: is the `raise`, or a `return`, inside the loop?"),
    ("getattr", _getattr("return getattr(self, name)"), "`__getattr__` calls itself without end, as `getattr(self, name)` does for a name that isn't there; look into the drawers"),
)
# fmt: on

survives = Exercise(
    "03.2",
    title="Objects without drawers",
    takes=("Module",),
    minutes=6,
    writes=("__getattr__",),
    keeps=("03.1",),
    hints=(
        "Which line of your `__getattr__` can call `__getattr__` again, although you can't see a call there?",
        "`self._parameters` is an attribute access like any other, so it ends in `__getattr__` if that drawer is "
        "missing. `self.__dict__` is always there. It's a dictionary, and its `get` has a default.",
        '`for drawer in ("_parameters", "_buffers", "_modules"):`, and inside it `found = '
        "self.__dict__.get(drawer, {})` and `if name in found: return found[name]`. The `raise` after the loop "
        "stays as it was.",
    ),
)
_SPECIAL = ("__deepcopy__", "__copy__", "__setstate__", "__getnewargs__")
survives.compare(
    "an object without drawers raises an AttributeError for every missing name",
    each(read("w", "_parameters", "_modules", *_SPECIAL, "_w", "forwards"), made="blank"),
    [Program((*read("w"), *write("lr", "5"), *read("lr")), "blank")],
)
survives.compare(
    "an object with some of its drawers finds what is in them",
    *(
        programs(
            [put(drawer, "w", "P")],
            read("w", "nope", "_parameters", "_modules", "__setstate__"),
            made="blank",
        )
        for drawer in DRAWERS
    ),
)


def _copied(how: Any) -> Any:
    def act(world: World) -> Any:
        twin = how(world.m)
        drawers = [(name, list(slots_of(twin).get(name, {}))) for name in DRAWERS]
        return type(twin).__name__, twin is world.m, drawers

    return act


survives.compare(
    "a copy has what the original has",
    each(
        run("copy.copy(m)", _copied(copy.copy)),
        run("copy.deepcopy(m)", _copied(copy.deepcopy)),
        start=_FULL[:8],
    ),
    each(
        run("copy.deepcopy(m).gamma is m.gamma", lambda w: copy.deepcopy(w.m).gamma is w.m.gamma),
        start=_FULL,
    ),
)
_NAIVE = (_LOOP, "    if name in drawer:", "        return drawer[name]", _TEXT)
# fmt: off
survives.wrongs(
    ("as in 03.1", _getattr(*_NAIVE), "`self._parameters` is an attribute like any other: when it is missing, Python calls `__getattr__` again, without end"),
    ("only __deepcopy__", _getattr('if name == "__deepcopy__":', "    raise AttributeError(f'{type(self).__name__} {name}')", *_NAIVE), "only `__deepcopy__` gets special treatment, but any name can be looked up in an object without drawers"),
    ("special names", _getattr('if name.startswith("__"):', "    raise AttributeError(f'{type(self).__name__} {name}')", *_NAIVE), "only special names such as `__deepcopy__` are treated apart; an ordinary name still goes round and round"),
    ("None without drawers", _getattr('if "_parameters" not in self.__dict__:', "    return None", *_NAIVE), "without drawers it gives None, and `copy` takes None for a method; raise an AttributeError"),
    ("makes drawers", {".get(drawer, {})": ".setdefault(drawer, {})"}, "reading a name creates the drawers; reading changes nothing"),
    ("all or nothing", _getattr('if "_parameters" not in self.__dict__:', "    raise AttributeError(f'{type(self).__name__} {name}')", *_NAIVE), "the test is for `_parameters` only, but any of the three drawers may be missing"),
    ("RecursionError caught", _getattr("try:", *(f"    {line}" for line in _NAIVE[:3]), "except RecursionError:", "    pass", _TEXT), "one missing drawer hides the others; a drawer that isn't there counts as empty: `self.__dict__.get(drawer, {})`"),
    ("a new object", {"__deepcopy__": "def __deepcopy__(self, memo):\n    return type(self)()"}, "`copy.deepcopy(m)` gives a new, empty object instead of a copy"),
)
# fmt: on

removes = Exercise(
    "03.3",
    title="Take it out again",
    takes=("Module",),
    minutes=4,
    writes=("__delattr__",),
    keeps=("03.2",),
    hints=(
        "The structure is that of `__getattr__`: three drawers, and one more case at the end.",
        "`del drawer[name]` removes an entry from a dictionary. If no drawer holds the name, the parent class "
        "knows what to do, and which error to raise.",
        "`if name in self._parameters: del self._parameters[name]`, then an `elif` for `_buffers` and one for "
        "`_modules`, and `else: super().__delattr__(name)`.",
    ),
)
_THERE = [step for step in _FULL if step.names[0] not in ("heat", "unit")]
_FILLED = (*_THERE, put("__dict__", "lr", "5"), put("__dict__", "_lr", "7"))
_DELETED = [n for n in (*_NAMES, "lr", "_lr", "training", "nope", "weight", "unit") if n != "2nd"]
removes.compare(
    "the name leaves its drawer, and the others stay", each(remove(*_DELETED[:9]), start=_FILLED)
)
removes.compare(
    "ordinary attributes, properties and missing names behave as in any object",
    each(remove(*_DELETED[9:]), start=_FILLED),
)
removes.compare(
    "one after the other, and twice",
    programs(remove("gamma", "mean", "fc", "lr"), remove(*_DELETED), start=_FILLED),
    programs(remove("gamma", "mean", "fc"), read("gamma", "mean", "fc"), start=_FILLED),
)
_LAST = "else:\n    super().__delattr__(name)"


def _delattr(*lines: str) -> dict[str, str]:
    return {"__delattr__": "\n    ".join(("def __delattr__(self, name):", *lines))}


# fmt: off
removes.wrongs(
    ("parameters alone", _delattr("if name in self._parameters:", "    del self._parameters[name]", *_LAST.split("\n")), "what is in `_buffers` or `_modules` isn't deleted"),
    ("nothing said", {_LAST: ""}, "a name that is in no drawer is silently ignored; pass it on to `super()`"),
    ("popped everywhere", _delattr("for place in (self._parameters, self._buffers, self._modules, self.__dict__):", "    place.pop(name, None)"), "a missing name causes no error, and a property is ignored; leave both to `super()`"),
    ("KeyError", {"super().__delattr__(name)": "del self.__dict__[name]"}, "a missing name raises KeyError, and properties are bypassed; call `super().__delattr__(name)`"),
    ("set to None", {"del self._parameters[name]": "self._parameters[name] = None", "del self._buffers[name]": "self._buffers[name] = None", "del self._modules[name]": "self._modules[name] = None"}, "the value is set to None, and the name stays; `del` removes both"),
    ("and super too", {_LAST: "super().__delattr__(name)"}, "a name is taken out of its drawer, and then an AttributeError is raised all the same: is an `else` or a `return` missing?"),
    ("cleared", {"del self._parameters[name]": "self._parameters.clear()"}, "the whole drawer is emptied"),
    ("del self.name", {"super().__delattr__(name)": "delattr(self, name)"}, "`__delattr__` calls itself without end, as `delattr(self, name)` does; call `super().__delattr__(name)`"),
    ("prefix", _delattr(_LOOP, "    for key in list(drawer):", "        if key.startswith(name):", "            del drawer[key]", "            found = True", "if 'found' not in locals():", "    super().__delattr__(name)"), "every name that begins with this one is deleted as well"),
)
# fmt: on

lists = Exercise(
    "03.4",
    title="Tell Tab what there is",
    takes=("Module",),
    minutes=5,
    importance="useful",
    writes=("__dir__",),
    keeps=("03.2",),
    hints=(
        "Which names does any object list? `super().__dir__()` returns them: those in the class and in `__dict__`.",
        "Start with a `set` of those names, so that no name is there twice, and add the keys of the three drawers. "
        "Then leave out the names that can't follow a dot. Which first character is impossible?",
        "`names = set(super().__dir__())`, then `names.update(self._parameters)` and the same for the other two "
        "drawers. The last line is `return [name for name in names if not name[0].isdigit()]`.",
    ),
)
_LISTED = (
    *_FULL,
    put("_modules", "0", "child"),
    put("_modules", "10", "child"),
    put("_modules", "conv2", "layer"),
    put("__dict__", "lr", "5"),
)
lists.compare(
    "the names in the drawers are listed, and so are those that any object lists",
    [Program((*_LISTED[:end], *listing_of())) for end in (0, 1, 6, len(_LISTED))],
    [
        Program(
            (
                *place("_parameters", unit="P", training="Q"),
                put("_modules", "unit", "child"),
                *listing_of(),
            )
        )
    ],
)
lists.compare(
    "names that begin with a digit are left out",
    each(listing_of(), start=_LISTED),
    *(
        each(listing_of(), start=[put("_modules", name, "child")])
        for name in ("0", "2nd", "10", "conv2", "_0")
    ),
)
lists.compare(
    "a second look sees what has changed",
    programs(listing_of(), place("_parameters", late="P"), listing_of(), start=_LISTED),
)
_COMPREHENSION = "return [name for name in names if not name[0].isdigit()]"
# fmt: off
lists.wrongs(
    ("no super", {"set(super().__dir__())": "set()"}, "only the drawers are listed; `super().__dir__()` gives everything else"),
    ("the class is forgotten", {"set(super().__dir__())": "set(self.__dict__)"}, "the methods and the class attributes are left out; `super().__dir__()` lists both"),
    ("digits stay", {_COMPREHENSION: "return list(names)"}, "names that begin with a digit are still listed"),
    ("isdigit of all", {"name[0].isdigit()": "name.isdigit()"}, 'a name such as `2nd` is still listed; look at the first character, `name[0]`'),
    ("any digit", {"name[0].isdigit()": "any(c.isdigit() for c in name)"}, "a name with a digit at the end, such as `conv2`, is left out; look at the first character, `name[0]`"),
    ("identifiers", {"not name[0].isdigit()": "not name[0].isdigit() and not name.startswith('_')"}, "names that begin with `_` are left out as well; keep them"),
    ("twice", {"set(super().__dir__())": "list(super().__dir__())", "names.update(self._parameters)": "names += self._parameters", "names.update(self._buffers)": "names += self._buffers", "names.update(self._modules)": "names += self._modules"}, "a name that is in two places is listed twice; a `set` keeps one of each"),
    ("buffers forgotten", {"names.update(self._buffers)": ""}, "the names in `_buffers` are missing"),
    ("dir(self)", {"super().__dir__()": "dir(self)"}, "`__dir__` calls itself without end, as `dir(self)` does; call `super().__dir__()`"),
    ("removes while looping", {_COMPREHENSION: "names = sorted(names)\nfor name in names:\n    if name[0].isdigit():\n        names.remove(name)\nreturn names"}, "of two names in a row that begin with a digit, one stays: does a loop remove from the list that it walks over?"),
    ("the children's names", {"names.update(self._modules)": "names.update(self._modules)\nfor child in self._modules.values():\n    names.update(getattr(child, '_parameters', {}))"}, "the names inside the children are listed as well; list only the object's own"),
)
# fmt: on
