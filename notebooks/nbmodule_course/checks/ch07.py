"""Chapter 07: walking the tree. Programs grow small trees with shared layers, empty places and cycles, and walk them."""

from __future__ import annotations

from typing import Any

from ..exercise import Exercise
from ..referee import each, place, programs
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
    programs(grow("m", b="child"), grow("m", a="other"), _CHILDREN),  # of one class
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
    ("one of each class", {_SEEN: "if child is not None and type(child) not in seen:", "seen.add(child)": "seen.add(type(child))"}, "two children of one class count as the same; remember the children themselves"),
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
    programs(grow("m", b="fc"), grow("m", a="act"), _NAMED),
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


def _shared(m: Any, remove_duplicate: bool) -> tuple[list | None, set]:
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
    keeps=("05.4",),
    hints=(
        "`named_modules` gives each Module with its path. What is left to do for each of them?",
        "Two loops: one over the pairs of path and Module, and inside it one over `members(module)`. A set holds the values that were yielded.",
        "`for path, module in whole_tree if recurse else [(prefix, self)]:`, then `for name, value in members(module):`. "
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
_DEEP = (*grow("m", a="body"), *grow("body", c="fc"))
members.compare(
    "each value comes with its path",
    programs(_OWN, _BELOW[:2], _LISTS[:3], start=_DEEP),
    each(_LISTS, start=(*_DEEP, *_BELOW)),
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
    ("a walk of its own", {"_named_members": "def _named_members(self, members, prefix, recurse, remove_duplicate, seen=None):\n    seen = set() if seen is None else seen\n    if self in seen:\n        return\n    if remove_duplicate:\n        seen.add(self)\n    dot = f'{prefix}.' if prefix else ''\n    for name, value in members(self):\n        if value is not None and value not in seen:\n            if remove_duplicate:\n                seen.add(value)\n            yield dot + name, value\n    for name, child in self._modules.items() if recurse else ():\n        if child is not None:\n            yield from child._named_members(members, dot + name, True, remove_duplicate, seen)"}, "a class that changes `named_modules` changes nothing here: the walk is one of its own, as in 05.4"),
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
    programs(grow("m", b="fc"), grow("m", a="act"), _APPLY),
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
    ("sorted", {_LOOP: "for _, child in sorted(self.named_children(), key=lambda pair: pair[0]):\n    child.apply(fn)"}, "the children have their turns in the order of their names; take them as `children()` gives them"),
    ("swallows errors", {_FN: "try:\n    fn(self)\nexcept Exception:\n    pass"}, "an exception of `fn` is swallowed; let it pass"),
)
# fmt: on
