"""Chapter 07: walking the tree. Programs grow small trees with shared layers, empty places and cycles, and walk them."""

from __future__ import annotations

from typing import Any

from ..exercise import Exercise
from ..referee import Step, each, place, programs
from ..referee.world import World
from .grown import ask, grow, items

# ---- 07.1

one_level = Exercise(
    "07.1",
    title="One level down",
    takes=("Module",),
    minutes=6,
    writes=("named_children", "children"),
    hints=(
        "The names and the children are in `_modules`. How do you know that you have yielded a child before?",
        "Keep a set of the children that you have yielded. Test `child is not None and child not in seen`.",
        "`for name, child in self._modules.items():`, then the test, `seen.add(child)` and `yield name, child`. "
        "In `children`: `for _, child in self.named_children(): yield child`.",
    ),
)
_CHILDREN = [
    *ask("list(m.named_children())", lambda m: items(m.named_children())),
    *ask("list(m.children())", lambda m: items(m.children())),
]
_A = [*grow("m", a="fc"), *grow("m", a="None"), *grow("m", a="body"), *grow("m", a="m")]
_B = [*grow("m", b="fc"), *grow("m", b="None"), *grow("m", b="act"), *grow("m", b="empty")]
_UP = [*grow("body", up="m"), *grow("body", up="body"), *grow("body", up="fc")]
one_level.compare("each child comes with its name, in order", programs(_B, _A, _CHILDREN))
one_level.compare(
    "only one level", programs(grow("m", a="body"), grow("body", c="act", d="fc"), _CHILDREN)
)
one_level.compare(
    "a child with several names comes once",
    programs(_A, _B, grow("m", c="fc", d="body", e="empty"), _CHILDREN),
)
one_level.compare("a second walk gives the same", programs(_A, _CHILDREN, _CHILDREN))
_NEXT = [
    *ask("next(m.named_children())", lambda m: next(m.named_children())),
    *ask("next(m.children())", lambda m: next(m.children())),
]
one_level.compare("both are iterators", programs(grow("m", a="fc"), _NEXT))
_SEEN, _YIELD = "if child is not None and child not in seen:", "yield name, child"
_CALL, _ONE = "for _, child in self.named_children():", "yield child"
# fmt: off
one_level.wrongs(
    ("None too", {_SEEN: "if child not in seen:"}, "a name whose child is None is yielded as well; skip it"),
    ("every name", {_SEEN: "if child is not None:"}, "a child with two names is yielded twice; remember the children that were yielded, not their names"),
    ("asks for truth", {_SEEN: "if child and child not in seen:"}, "a child whose `len` is 0, like an empty container, is skipped; test `child is not None`"),
    ("the last name counts", {_SEEN: "if child is not None and child not in seen and [n for n, c in self._modules.items() if c is child][-1] == name:"}, "a child with two names comes under its last name; the first one counts"),
    ("stops at None", {_SEEN: "if child is None:\n    return\nif child not in seen:"}, "the walk ends at the first None; skip it and go on"),
    ("stops at a repeat", {_SEEN: "if child in seen:\n    return\nif child is not None:"}, "the walk ends at a child that was yielded before; skip it and go on"),
    ("not itself", {_SEEN: "if child is not None and child is not self and child not in seen:"}, "a Module that is its own child is left out; it's a child like any other"),
    ("the whole tree", {_YIELD: "yield name, child\nyield from child.named_children()"}, "the children of the children are yielded as well; this walk is one level deep"),
    ("children without a memo", {"children": "def children(self):\n    return (child for child in self._modules.values() if child is not None)"}, "`children` yields a child with two names twice; go through `self.named_children()`"),
    ("children with None", {_CALL: "for child in dict.fromkeys(self._modules.values()):"}, "`children` yields None as well; go through `self.named_children()`"),
    ("children gives the names", {_CALL: "for child, _ in self.named_children():"}, "`children` yields the names; the child is the second of each pair"),
    ("children gives pairs", {_CALL: "for child in self.named_children():"}, "`children` yields pairs; take the child out of each"),
    ("a list", {"children": "def children(self):\n    return [child for _, child in self.named_children()]"}, "`children` returns a list, so `next` can't ask for one child; `yield` makes it a generator"),
    ("the first only", {_ONE: "return iter([child])", _CALL: "for _, child in list(self.named_children()):"}, "`children` ends after the first child"),
)
# fmt: on

# ---- 07.2

tree = Exercise(
    "07.2",
    title="Every Module",
    takes=("Module",),
    minutes=12,
    writes=("named_modules", "modules"),
    keeps=("07.1",),
    hints=(
        "Write down the pairs for a model with one child and one grandchild. Which of them come from the child's own `named_modules`?",
        "First the memo: if `self` is in it, return. Then `yield prefix, self`. For each child, `yield from` its `named_modules`, "
        "which gets the same memo, the longer path and `remove_duplicate`.",
        '`if memo is None: memo = set()`, then `if self in memo: return`. In the loop: `path = f"{prefix}.{name}" if prefix else name` and '
        "`yield from child.named_modules(memo, path, remove_duplicate)`.",
    ),
)
_NAMED = [
    *ask("list(m.named_modules())", lambda m: items(m.named_modules())),
    *ask("list(m.modules())", lambda m: items(m.modules())),
]
_FLAG = "remove_duplicate=False"
_ALL = [
    *ask(
        f"list(m.named_modules({_FLAG}))", lambda m: items(m.named_modules(remove_duplicate=False))
    ),
    *ask(f"list(m.modules({_FLAG}))", lambda m: items(m.modules(remove_duplicate=False))),
]
_C = [
    *grow("body", c="fc"),
    *grow("body", c="None"),
    *grow("body", c="act"),
    *grow("body", c="empty"),
]
_D = [*grow("m", b="fc"), *grow("m", b="None"), *grow("m", b="body"), *grow("fc", x="act")]
tree.compare(
    "the model first, then each child with everything below it",
    programs(_A, _D, _NAMED),
    programs(grow("m", a="body"), _C, grow("m", b="act"), _NAMED),
)
tree.compare(
    "a Module with several names comes once", programs(grow("m", a="body"), _C, _D, _NAMED)
)
tree.compare("without the memo, every name is given", programs(grow("m", a="body"), _C, _D, _ALL))
tree.compare(
    "a cycle ends where it began",
    programs(grow("m", a="body"), _UP, [*grow("body", c="fc"), *grow("m", b="act")], _NAMED),
    programs(grow("m", a="m", b="fc"), _NAMED),
)
_LATE = (*grow("m", a="body"), *grow("body", c="fc"), *grow("m", b="fc"))
_PATHS = [
    *ask('list(m.named_modules(prefix="net"))', lambda m: items(m.named_modules(prefix="net"))),
    *ask(
        'list(m.named_modules(None, "net", False))',
        lambda m: items(m.named_modules(None, "net", False)),
    ),
]
tree.compare(
    "paths begin with the prefix",
    each(_PATHS),
    each(_PATHS, start=_LATE),
    each(_PATHS, start=_LATE[:2]),
)


def _shared(m: Any, remove_duplicate: bool) -> tuple[list, set]:
    memo: set = set()
    found = items(m.named_modules(memo, "", remove_duplicate))
    return found, {"a number" if isinstance(kept, int) else kept for kept in memo}


_MEMO = [
    *ask("memo = set(); list(m.named_modules(memo)), memo", lambda m: _shared(m, True)),
    *ask(f"memo = set(); list(m.named_modules(memo, {_FLAG})), memo", lambda m: _shared(m, False)),
    *ask("list(m.named_modules({m}))", lambda m: items(m.named_modules({m}))),
    *ask(
        "list(m.named_modules({m}, remove_duplicate=False))",
        lambda m: items(m.named_modules({m}, remove_duplicate=False)),
    ),
]
tree.compare("the caller's memo is used and filled", each(_MEMO), each(_MEMO, start=_LATE))
tree.compare(
    "a second walk gives the same", each(_NAMED, start=_LATE), programs(_NAMED, _NAMED, start=_LATE)
)
tree.compare(
    "both are iterators",
    each(
        ask("next(m.named_modules())", lambda m: next(m.named_modules())),
        ask("next(m.modules())", lambda m: next(m.modules())),
    ),
)
_NEW, _KNOWN, _MARK, _SELF = (
    "if memo is None:\n    memo = set()",
    "if self in memo:\n    return",
    "if remove_duplicate:\n    memo.add(self)",
    "yield prefix, self",
)
_NONE, _PATH, _DOWN = (
    "if child is not None:",
    'path = f"{prefix}.{name}" if prefix else name',
    "yield from child.named_modules(memo, path, remove_duplicate)",
)
_HEAD, _THROUGH = (
    'def named_modules(self, memo=None, prefix="", remove_duplicate=True):',
    "for _, module in self.named_modules(remove_duplicate=remove_duplicate):",
)
# fmt: off
tree.wrongs(
    ("a shared default", {_HEAD: 'def named_modules(self, memo=set(), prefix="", remove_duplicate=True):', _NEW: ""}, "a second walk gives nothing: a default value is made once, so all walks share one memo; write `memo=None`"),
    ("a memo each", {_DOWN: "yield from child.named_modules(None, path, remove_duplicate)"}, "each child starts with an empty memo, so a Module in two places comes twice; pass `memo` on"),
    ("a copy of the memo", {_DOWN: "yield from child.named_modules(set(memo), path, remove_duplicate)"}, "each child gets a copy of the memo, so what it met is forgotten; pass on the memo itself"),
    ("memo or set()", {_NEW: "memo = memo or set()"}, "an empty set from the caller isn't filled, because `memo or …` replaces it; test `memo is None`"),
    ("a memo of its own", {_NEW: "memo = set() if memo is None else set(memo)"}, "the walk fills a copy of the memo; add to the set that was passed"),
    ("never looks", {_KNOWN: ""}, "a Module in two places comes twice; return if `self` is in the memo"),
    ("never remembers", {_MARK: ""}, "nothing is put into the memo, so a Module in two places comes twice"),
    ("always remembers", {_MARK: "memo.add(self)"}, "with `remove_duplicate=False` a second name is skipped; don't add to the memo then"),
    ("looks only if it removes", {_KNOWN: "if remove_duplicate and self in memo:\n    return"}, "with `remove_duplicate=False` the caller's memo isn't looked at"),
    ("the flag is lost", {_DOWN: "yield from child.named_modules(memo, path)"}, "`remove_duplicate` isn't passed on to the children"),
    ("the prefix is lost", {_DOWN: "yield from child.named_modules(memo, name, remove_duplicate)"}, "a path holds only the last name; put the path of the parent in front"),
    ("a dot in front", {_PATH: 'path = f"{prefix}.{name}"'}, "a child's path begins with a dot, because its parent has an empty path"),
    ("a dot behind", {_PATH: "path = prefix + name", _DOWN: 'yield from child.named_modules(memo, path + ".", remove_duplicate)'}, "paths end with a dot; it belongs between two names"),
    ("no dot", {_PATH: "path = prefix + name"}, "there is no dot between the names of a path"),
    ("children first", {_SELF: "", _DOWN: f"{_DOWN}\n{_SELF}", _NONE: "if True:"}, "the Module comes after its children, or not at all; yield it first"),
    ("the model left out", {_SELF: "if prefix:\n    yield prefix, self"}, "the Module with the empty path is left out; it comes first"),
    ("one level", {_DOWN: "if child not in memo:\n    yield path, child"}, "only the children are yielded, without what is below them"),
    ("through named_children", {"for name, child in self._modules.items():": "for name, child in self.named_children():"}, "with `remove_duplicate=False`, a second name in the same parent is skipped; go through `_modules` itself"),
    ("asks for truth", {_NONE: "if child:"}, "a child whose `len` is 0, like an empty container, is skipped; test `is not None`"),
    ("stops at None", {_NONE: "if child is None:\n    return\nelse:"}, "the walk ends at the first None; skip it and go on"),
    ("stops at a repeat", {_NONE: "if child in memo:\n    return\nif child is not None:"}, "the walk ends at a child that is in the memo; go on with the next one"),
    ("the classes", {_KNOWN: "if type(self) in memo:\n    return", _MARK: "if remove_duplicate:\n    memo.add(type(self))"}, "the memo holds classes, so a second Module of one class is skipped; two layers of one class are two Modules"),
    ("ids", {_KNOWN: "if id(self) in memo:\n    return", _MARK: "if remove_duplicate:\n    memo.add(id(self))"}, "the memo holds numbers, not Modules, so a memo that the caller passes isn't understood"),
    ("modules ignores the flag", {_THROUGH: "for _, module in self.named_modules():"}, "`modules` ignores `remove_duplicate`; pass it on"),
    ("modules are the children", {_THROUGH: "for module in self.children():"}, "`modules` gives the children only; it gives the whole tree, the Module itself first"),
    ("modules gives the paths", {_THROUGH: "for module, _ in self.named_modules(remove_duplicate=remove_duplicate):"}, "`modules` yields the paths; the Module is the second of each pair"),
    ("a list", {"modules": "def modules(self, remove_duplicate=True):\n    return [module for _, module in self.named_modules(remove_duplicate=remove_duplicate)]"}, "`modules` returns a list, so `next` can't ask for one Module; `yield` makes it a generator"),
)
# fmt: on

# ---- 07.3

members = Exercise(
    "07.3",
    title="One walk for all",
    takes=("Module",),
    minutes=6,
    importance="useful",
    writes=("_named_members",),
    keeps=("05.4", "05.5"),
    hints=(
        "`named_modules` gives each Module with its path. What is left to do for each of them?",
        "Two loops: one over the pairs of path and Module, and inside it one over `drawer(module)`. A set holds the values that were yielded.",
        "`for path, module in whole_tree if recurse else [(prefix, self)]:`, then `for name, value in drawer(module):`. "
        'The name to yield is `f"{path}.{name}" if path else name`.',
    ),
)
_NOTHING = [*place("_parameters", bias="None"), *place("_buffers", later="None")]
_LISTS = [
    *ask("list(m.named_parameters())", lambda m: items(m.named_parameters())),
    *ask("list(m.named_buffers())", lambda m: items(m.named_buffers())),
    *ask(
        f"list(m.named_parameters({_FLAG}))",
        lambda m: items(m.named_parameters(remove_duplicate=False)),
    ),
    *ask(
        "list(m.named_parameters(recurse=False))",
        lambda m: items(m.named_parameters(recurse=False)),
    ),
    *ask('list(m.named_buffers("net"))', lambda m: items(m.named_buffers("net"))),
    *ask(
        'list(m.named_parameters("net", False))', lambda m: items(m.named_parameters("net", False))
    ),
]
_OWN = [*grow("m", w="P"), *grow("m", w="t"), *grow("m", b="fc"), *_NOTHING]
_BELOW = [*grow("fc", weight="P"), *grow("fc", mean="t"), *grow("fc", x="P", y="u")]
members.compare(
    "each value comes once",
    each(_LISTS, start=[*grow("m", w="P", v="P", b="fc"), *grow("fc", x="P", y="Q")]),
)
members.compare("each value comes with its path", programs(grow("m", a="fc"), _OWN, _BELOW, _LISTS))
members.compare(
    "every name, where that is asked for",
    programs(grow("m", a="body"), grow("body", c="fc"), _OWN, _BELOW, _LISTS),
)
_SHY = [
    *ask("list(shy.named_parameters())", lambda shy: items(shy.named_parameters()), of="shy"),
    *ask("list(shy.named_buffers())", lambda shy: items(shy.named_buffers()), of="shy"),
]
members.compare(
    "the walk is that of `named_modules`", programs(grow("shy", a="fc", w="P"), _BELOW, _SHY)
)
_WALK, _ALONE = (
    "whole_tree = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)",
    "for path, module in whole_tree if recurse else [(prefix, self)]:",
)
_VALUE, _GIVE = (
    "if value is not None and value not in seen:",
    'yield f"{path}.{name}" if path else name, value',
)
# fmt: off
members.wrongs(
    ("a walk of its own", {"_named_members": 'def _named_members(self, drawer, prefix="", recurse=True, remove_duplicate=True, seen=None):\n    seen = set() if seen is None else seen\n    if self in seen:\n        return\n    if remove_duplicate:\n        seen.add(self)\n    dot = prefix + "." if prefix else ""\n    for name, value in drawer(self):\n        if value is not None and value not in seen:\n            if remove_duplicate:\n                seen.add(value)\n            yield dot + name, value\n    for name, child in self._modules.items() if recurse else ():\n        if child is not None:\n            yield from child._named_members(drawer, dot + name, True, remove_duplicate, seen)'}, "a class that changes `named_modules` changes nothing here: the walk is one of its own, as in 05.4"),
    ("the prefix is lost", {_WALK: "whole_tree = self.named_modules(remove_duplicate=remove_duplicate)"}, "`prefix` isn't passed to `named_modules`"),
    ("the flag is lost", {_WALK: "whole_tree = self.named_modules(prefix=prefix)"}, "`remove_duplicate` isn't passed to `named_modules`, so a second name of a Module is skipped"),
    ("always recursive", {_ALONE: "for path, module in whole_tree:"}, "with `recurse=False`, the values of the children are given as well"),
    ("without the prefix alone", {_ALONE: 'for path, module in whole_tree if recurse else [("", self)]:'}, "with `recurse=False`, the prefix is left out"),
    ("None too", {_VALUE: "if value not in seen:"}, "an entry that is None is yielded as well; skip it"),
    ("every value", {_VALUE: "if value is not None:"}, "a value with two names is yielded twice"),
    ("a set for each Module", {"seen = set()": "", _ALONE: f"{_ALONE}\n    seen = set()"}, "a value in two Modules is yielded twice: the set is a new one for each Module"),
    ("a dot in front", {_GIVE: 'yield f"{path}.{name}", value'}, "a name begins with a dot, because the Module has an empty path"),
    ("the name alone", {_GIVE: "yield name, value"}, "the path of the Module is missing in front of the name"),
)
# fmt: on

# ---- 07.4

applying = Exercise(
    "07.4",
    title="Do it everywhere",
    takes=("Module",),
    minutes=4,
    writes=("apply",),
    hints=(
        "Which of the two comes first: what happens to the children, or `fn(self)`?",
        "Each child has an `apply` too, and it does the same for its own children. `children()` gives the children.",
        "`for child in self.children(): child.apply(fn)`, then `fn(self)` and `return self`.",
    ),
)


def _visited(m: Any) -> list:
    found: list = []
    m.apply(found.append)
    return found


_APPLY = [
    *ask("visited = []; m.apply(visited.append); visited", _visited),
    *ask("m.apply(lambda module: 5)", lambda m: m.apply(lambda module: 5)),
    *ask("m.apply(lambda module: 1 / 0)", lambda m: m.apply(lambda module: 1 / 0)),
]
applying.compare(
    "children first, then the Module, which is returned",
    each(_APPLY),
    programs(_A[:3], _D, _APPLY),
    programs(grow("m", a="body"), _C, grow("m", b="act"), _APPLY),
)
applying.compare(
    "a Module with two names in one parent has one turn",
    programs(_A[:3], _B, grow("m", c="fc", d="body"), _APPLY),
)
applying.compare(
    "a Module with two parents has two turns", programs(grow("m", a="body"), _C, _D, _APPLY)
)
_LOOP, _FN = "for child in self.children():\n    child.apply(fn)", "fn(self)"
# fmt: off
applying.wrongs(
    ("the Module first", {_LOOP: f"fn(self)\n{_LOOP}", f"{_FN}\nreturn self": "return self"}, "`fn` runs on the Module before its children; the children come first"),
    ("through modules", {_LOOP: "", _FN: "for module in self.modules():\n    fn(module)"}, "`modules()` gives a Module before its children, and a Module with two parents only once"),
    ("modules backwards", {_LOOP: "", _FN: "for module in reversed(list(self.modules())):\n    fn(module)"}, "the walk backwards also turns the order of the children around"),
    ("a memo", {_LOOP: "", _FN: "seen = set()\n\ndef visit(module):\n    if module not in seen:\n        seen.add(module)\n        for child in module.children():\n            visit(child)\n        fn(module)\n\nvisit(self)"}, "a Module with two parents has only one turn; `apply` keeps no memo"),
    ("every name", {_LOOP: "for child in self._modules.values():\n    if child is not None:\n        child.apply(fn)"}, "a child with two names in one parent has two turns; go through `children()`"),
    ("no None", {_LOOP: "for child in dict.fromkeys(self._modules.values()):\n    child.apply(fn)"}, "a place that is None has no `apply`; `children()` leaves it out"),
    ("one level", {_LOOP: "for child in self.children():\n    fn(child)"}, "`fn` reaches the children only, not what is below them; call `apply` on each child"),
    ("not itself", {_FN: ""}, "`fn` never runs: neither on a Module without children nor on its parent"),
    ("only the leaves", {_FN: "if not self._modules:\n    fn(self)"}, "`fn` runs only on Modules without children; it runs on each Module"),
    ("no return", {"return self": ""}, "`apply` returns None; return the Module, so that calls can be chained"),
    ("returns what fn returns", {f"{_FN}\nreturn self": "return fn(self)"}, "`apply` returns what `fn` returns; it returns the Module"),
    ("swallows errors", {_FN: "try:\n    fn(self)\nexcept Exception:\n    pass"}, "an exception of `fn` is swallowed; let it pass"),
)
# fmt: on

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
    """Return a step for each path; a message must name its last name."""
    return [
        step
        for path in paths
        for step in ask(
            f'm.{method}("{path}")',
            lambda m, path=path: getattr(m, method)(path),
            *path.rpartition(".")[2:],
        )
    ]


_BAD = ("nope", "body.nope", "body.fc.nope", "unit", "heat", "training", "gone", "number", "bias")
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
    minutes=8,
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
_THINGS = ("child", "layer", "None", "5", "P", "Layer", "shaped")


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
for _method in ("add_module", "register_module"):
    placing.compare(
        f"`{_method}` puts a Module under its name",
        each(*(_add(_method, "fc", value) for value in _THINGS)),
        each(*(_add(_method, name, "child") for name in (*_NAMES, "5")), start=_FULL),
        each(
            *(_add(_method, name, "None") for name in ("taken", "later", "w", "a.b")), start=_FULL
        ),
        each(
            _add(_method, "a.b", "5"),
            _add(_method, "later", "child"),
            _add(_method, "w", "5"),
            start=_FULL,
        ),
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
    "body.new",
    "w",
    "mean",
    "unit",
    "later",
    "body.fc.weight",
    "nope.fc",
    "w.fc",
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
    each(
        *(_set(path, "child", flag) for path in _PATHS_TO for flag in (True, False)),
        start=(*_TREE, *_FULL),
    ),
)
# fmt: off
placing.wrongs(
    ("no test of the name", {"self._check_name(name, self._modules)": ""}, "`add_module` takes any name; the rules of 05.1 are in `self._check_name(name, self._modules)`"),
    ("the wrong drawer", {"self._check_name(name, self._modules)": "self._check_name(name, self._parameters)"}, "`add_module` refuses to replace a child, or lets a Parameter's name pass: the names to spare are those in `_modules`"),
    ("any value", {"if module is not None and not isinstance(module, Module):\n    raise TypeError(…": ""}, "`add_module` takes anything; only a Module or None may go into `_modules`"),
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
