"""Chapter 05: the lists of Parameters and buffers, of small trees with shared parts and cycles."""

from __future__ import annotations

from itertools import islice

from ..exercise import Exercise, expect
from ..referee import each, place, programs, put, write
from ..referee.world import slots_of
from ..wording import shown
from .trees import ask, first, hold, register, side_by_side

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
        for name in ("layer", "block", "deep_tree", "hollow", "apart")
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
    minutes=15,
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
        each(asks, start=[*_TWICE, *place("_modules", one="layer", two="block", three="layer")]),
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


@once.sub("`_named_members` lists what `members` gives")
def _any_members(Module: type) -> None:
    if "_named_members" not in vars(Module):  # another design, which does without
        return
    m, child = Module(), Module()
    slots_of(m)["_modules"]["child"] = child
    walk = m._named_members(lambda module: [("x", 1 + (module is child))], "net", True, True)
    got = [] if walk is None else list(islice(walk, 9))
    expect(
        got == [("net.x", 1), ("net.child.x", 2)],
        did=f'with a function that gives `x` for each Module, `m._named_members(function, "net", True, True)` gives `{shown(got)}`',
        real="it gives `net.x` and `net.child.x`",
        likely="the walk lists what `members(self)` returns, in place of `self._parameters.items()`: 05.5 hands it another function",
    )


# ---- 05.5

remembered = Exercise(
    "05.5",
    title="List the buffers",
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
    ("not returned", {_PASS: _PASS.replace("return ", "")}, "`named_buffers` returns None; return what `_named_members` gives"),
    ("yields the generator", {_PASS: _PASS.replace("return", "yield")}, "`yield` hands over the generator itself; `return` it"),
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
