"""Chapter 01: where a name is kept."""

from __future__ import annotations

from typing import Any

from ..exercise import Exercise
from .ch01_trees import cases

# ---- 01.3

finding = Exercise(
    "01.3",
    title="Find the place",
    takes=("where_is",),
    minutes=6,
    writes=("where_is",),
    hints=(
        "`hasattr` and `getattr` look everywhere, and run properties. You want to know where the name is, so look "
        "yourself: `vars(module)` is the `__dict__`.",
        "Look for the name in each drawer, and then in `vars(module)` itself. A drawer may be missing; then "
        "`vars(module).get(drawer, {})` is an empty one.",
        '`for drawer in ("_parameters", "_buffers", "_modules"):`, and inside `if name in vars(module).get(drawer, {}): '
        'return drawer`. After the loop, return `"__dict__"` if the name is in `vars(module)`.',
    ),
)


def _where(*calls: tuple[str, str]) -> dict[str, Any]:
    return cases("where_is", *calls)


finding.compare_calls(
    "a parameter, a buffer and a child",
    _where(
        ("a", "w"),
        ("a", "mean"),
        ("a", "fc"),
        ("nn.Linear(2, 2)", "weight"),
        ("nn.BatchNorm1d(2)", "running_mean"),
        ("nn.Sequential(nn.ReLU())", "0"),
    ),
)
finding.compare_calls(
    "an ordinary attribute",
    _where(
        ("a", "t"),
        ("a", "training"),
        ("a", "_modules"),
        ("nn.Linear(2, 2)", "in_features"),
        ("Module()", "_parameters"),
    ),
)
finding.compare_calls(
    "a name that is nowhere",
    _where(("a", "nothing"), ("Module()", "weight"), ("a", ""), ("Module().plain()", "depth")),
)
finding.compare_calls(
    "a name whose value is None",
    _where(
        ("Module().plain()", "later"),
        ("nn.Linear(2, 2, bias=False)", "bias"),
        ("nn.BatchNorm1d(2, affine=False)", "weight"),
        ("nn.BatchNorm1d(2, track_running_stats=False)", "running_mean"),
    ),
)
finding.compare_calls(
    "what the class has isn't in the object",
    _where(
        ("a", "forward"), ("a", "scale"), ("a", "alias"), ("a", "costly"), ("Module()", "holding")
    ),
)
finding.compare_calls(
    "what a child has isn't its parent's",
    _where(("a", "weight"), ("a", "fc.weight"), ("nn.Sequential(nn.Linear(2, 2))", "bias")),
)
finding.compare_calls(
    "an object without drawers", _where(("quiet", "n"), ("quiet", "w"), ("quiet", "_modules"))
)
finding.compare_calls(
    "an object that answers to every name",
    _where(("says_yes", "nothing"), ("says_yes", "training")),
)
_LAST = 'if name in slots:\n    return "__dict__"\nreturn None'
finding.wrong(
    "hasattr",
    {_LAST: 'return "__dict__" if hasattr(module, name) else None'},
    says="names of the class are found as well, and properties run, as with `hasattr` and `getattr`; look in `vars(module)`",
)
finding.wrong(
    "only __dict__",
    {
        "where_is": 'def where_is(module, name):\n    return "__dict__" if name in vars(module) else None'
    },
    says="what is in a drawer isn't found; a Parameter's name is a key of `_parameters`",
)
finding.wrong(
    "needs every drawer",
    {"slots.get(drawer, {})": "slots[drawer]"},
    says="a drawer that isn't there counts as an empty one: `vars(module).get(drawer, {})`",
)
finding.wrong(
    "asks for every drawer",
    {"slots.get(drawer, {})": "getattr(module, drawer)"},
    says="a drawer that isn't there raises an AttributeError here; `vars(module).get(drawer, {})` gives an empty one",
)
finding.wrong(
    "looks at the value",
    {"if name in slots.get(drawer, {}):": "if slots.get(drawer, {}).get(name) is not None:"},
    says="the value may be None; ask whether the *name* is in the drawer: `name in drawer`",
)
finding.wrong(
    "truth of the value",
    {"if name in slots.get(drawer, {}):": "if slots.get(drawer, {}).get(name):"},
    says="this tests whether the value is true; ask whether the *name* is in the drawer",
)
finding.wrong(
    "the drawer itself",
    {"return drawer": "return slots[drawer]"},
    says="this returns the drawer itself; return its name",
)
finding.wrong(
    "__dict__ for everything else",
    {_LAST: 'return "__dict__"'},
    says="`__dict__` isn't the answer for everything else; a name that is nowhere gives None",
)
finding.wrong(
    "buffers forgotten",
    {'("_parameters", "_buffers", "_modules")': '("_parameters", "_modules")'},
    says="what is in `_buffers` isn't found",
)
finding.wrong(
    "the whole tree",
    {
        "where_is": "def where_is(module, name):\n    slots = vars(module)\n    for drawer in ('_parameters', '_buffers', '_modules'):\n"
        "        if name in slots.get(drawer, {}):\n            return drawer\n    for child in slots.get('_modules', {}).values():\n"
        "        if where_is(child, name) in ('_parameters', '_buffers', '_modules'):\n            return where_is(child, name)\n"
        "    return '__dict__' if name in slots else None"
    },
    says="the children are searched as well; only the drawers of `module` itself count",
)
