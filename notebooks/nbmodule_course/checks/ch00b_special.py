"""Chapter 00b, its second half: objects that show themselves, that are called, and where Python looks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..exercise import Exercise
from .ch00b import Shift, uses

# ---- 00b.3

_KINDS = {
    "`Shift(3)`, with your `__repr__`": lambda Shown: _holding(Shown, "Shift", amount=3),
    "an object of a class Empty, which stores nothing": lambda Shown: _holding(Shown, "Empty"),
    "an object of a class Point that stores x=1 and y=2.5": lambda Shown: _holding(
        Shown, "Point", x=1, y=2.5
    ),
    "an object of a class Label that stores text='up'": lambda Shown: _holding(
        Shown, "Label", text="up"
    ),
    "an object of a class Wall that stores width=3, then height=2": lambda Shown: _holding(
        Shown, "Wall", width=3, height=2
    ),
    "an object of a class Box that stores inner, an Empty": lambda Shown: _holding(
        Shown, "Box", inner=_holding(Shown, "Empty")
    ),
}


def _holding(Shown: type, name: str, **stored: Any) -> Any:
    made = type(name, (Shown,), {"unit": "cm", "__module__": "__main__"})()
    vars(made).update(stored)
    return made


def _repr_of(*texts: str) -> dict[str, Callable[[type], Any]]:
    return {
        f"repr(thing)  # `thing` is {text}": lambda Shown, text=text: repr(_KINDS[text](Shown))
        for text in texts
    }


showing = Exercise(
    "00b.3",
    title="An object that shows itself",
    takes=("Shown",),
    minutes=4,
    hints=(
        "Two things go into the string: the name of the object's class, and what the object stores. Where is each of them?",
        "`type(self).__name__` is the name of the class. `vars(self).items()` gives the names and values that the object "
        "stores. `', '.join(parts)` puts commas between them.",
        'Make `parts` a list of `f"{name}={value!r}"`, one for each entry of `vars(self).items()`. Then '
        "`return f\"{type(self).__name__}({', '.join(parts)})\"`.",
    ),
)
showing.compare_uses(
    "the class and what is stored",
    _repr_of(
        "`Shift(3)`, with your `__repr__`",
        "an object of a class Point that stores x=1 and y=2.5",
        "an object of a class Wall that stores width=3, then height=2",
    ),
)
showing.compare_uses(
    "an object that stores nothing", _repr_of("an object of a class Empty, which stores nothing")
)
showing.compare_uses(
    "a value is shown by its own repr",
    _repr_of(
        "an object of a class Label that stores text='up'",
        "an object of a class Box that stores inner, an Empty",
    ),
)
showing.compare_uses(
    "showing an object does not change it",
    {
        "repr of a Point that stores x=1 and y=2.5, twice": lambda Shown: (
            lambda point: [repr(point), repr(point)]
        )(_holding(Shown, "Point", x=1, y=2.5))
    },
)
# fmt: off
showing.wrongs(
    ("prints", {'return f"{type': 'print(f"{type', ', \'.join(parts)})"': ', \'.join(parts)})")'},
     "`__repr__` returns a string; it doesn't print"),
    ("str for repr", {"{value!r}": "{value}"}, "a string is shown with its quotes: `{value!r}`"),
    ("a fixed name", {"{type(self).__name__}": "Shown"}, "a child has its own name: `type(self).__name__`"),
    ("no commas", {"', '.join": "' '.join"}, "the parts are separated by a comma and a space"),
    ("only Shift", {"__repr__": 'def __repr__(self):\n    return f"Shift(amount={self.amount!r})"'},
     "this fits `Shift` only; `vars(self)` holds what any object stores"),
    ("sorted", {"vars(self).items()": "sorted(vars(self).items())"},
     "the values are sorted by their names; keep the order in which they are stored"),
    ("the class itself", {"{type(self).__name__}": "{type(self)}"},
     "`type(self)` is the class; its name is `type(self).__name__`"),
)
# fmt: on

# ---- 00b.4

chaining = Exercise(
    "00b.4",
    title="An object that can be called",
    takes=("Chain",),
    minutes=4,
    importance="useful",
    hints=(
        "`*steps` in the parentheses collects all arguments in a tuple. What does `__call__` do with each step in turn?",
        "Store the steps in `__init__`. In `__call__`, go through them and let each `apply` change `x`. `__len__` returns how "
        "many there are.",
        "`self.steps = steps`. Then `for step in self.steps: x = step.apply(x)` and `return x`. Then "
        "`return len(self.steps)`.",
    ),
)
chaining.compare_uses(
    "the steps run in order",
    uses(
        "Chain(Shift(3), Shift(-1))(10)",
        "(lambda up: Chain(up, up)(10))(Shift(3))",
        "Chain(Shift(1), Double())(10)  # `Double().apply(x)` is `2 * x`",
    ),
)
chaining.compare_uses("one step, or none", uses("Chain(Shift(3))(10)", "Chain()(10)"))
chaining.compare_uses("its length", uses("len(Chain(Shift(3), Shift(-1)))", "len(Chain())"))
chaining.compare_uses(
    "it can be called again",
    uses(
        "chain = Chain(Shift(3), Shift(-1)); [chain(10), chain(10), len(chain)]",
        "one = Chain(Shift(3)); other = Chain(); [one(10), other(10)]",
    ),
)
# fmt: off
chaining.wrongs(
    ("first step only", {
      "__call__": "def __call__(self, x):\n    for step in self.steps:\n        return step.apply(x)\n    return x"},
     "the `return` is inside the loop, so it ends after the first step"),
    ("each from the start", {"__call__":
      "def __call__(self, x):\n    result = x\n    for step in self.steps:\n        result = step.apply(x)\n"
      "    return result"},
     "each step gets the first value; it should get what the step before returned"),
    ("backwards", {"for step in self.steps:": "for step in reversed(self.steps):"}, "the steps run backwards"),
    ("used up", {"self.steps = steps": "self.steps = iter(steps)"},
     "`iter` can be gone through only once; keep the steps themselves"),
    ("called", {"step.apply(x)": "step(x)"}, "a step isn't called itself; it has a method `apply`"),
    ("one argument", {"def __init__(self, *steps):": "def __init__(self, steps):"},
     "`*steps`, with the star, takes any number of steps"),
)
# fmt: on

# ---- 00b.5


class Tagged(Shift):
    """A child of `Shift` with an attribute of the class, and one of the object that hides another."""

    unit = "cm"

    def __init__(self, amount: float) -> None:
        super().__init__(amount)
        self.label = None

    @property
    def costly(self) -> Any:
        """Raise: nothing should have read it."""
        raise RuntimeError("this property was read, although only its owner was asked for")


class Marked(Tagged):
    """A child of that class; its `unit` is None, and one of its objects stores a value under a property's name."""

    unit = None

    def __init__(self) -> None:
        super().__init__(3)
        vars(self).update(costly="stored")


Tagged.__module__ = Marked.__module__ = "__main__"
_TAGGED = "of a child of `Shift` with `unit = 'cm'` in the class, and `label` None in the object"
_NOTES = {
    "up": "`up` is `Shift(3)`",
    "tagged": f"`tagged` is an object {_TAGGED}",
    "hiding": f"`hiding` is an object {_TAGGED}; its own `unit` is 'm'",
    "marked": "`marked` is an object of Marked, a child of Tagged, which is a child of `Shift`; it stores `costly`, and Marked has `unit = None`",
}


def _hiding() -> Tagged:
    made = Tagged(3)
    made.unit = "m"
    return made


def _asking(*calls: tuple[str, str]) -> dict[str, Callable[[], tuple[Any, ...]]]:
    makers = {
        "up": lambda: Shift(3),
        "tagged": lambda: Tagged(3),
        "hiding": _hiding,
        "marked": Marked,
    }
    return {
        f'found_in({thing}, "{name}")  # {_NOTES[thing]}': lambda thing=thing, name=name: (
            makers[thing](),
            name,
        )
        for thing, name in calls
    }


owning = Exercise(
    "00b.5",
    title="Find the owner",
    takes=("found_in",),
    minutes=5,
    hints=(
        "The object comes first: `vars(thing)` holds what it stores. Where does Python go on?",
        "`type(thing).__mro__` lists the classes in the order of the search. `vars(owner)` holds what a class itself has, "
        "and `owner.__name__` is its name.",
        '`if name in vars(thing): return "the object"`. Then `for owner in type(thing).__mro__:` and inside `if name in '
        "vars(owner): return owner.__name__`. At the end, `return None`.",
    ),
)
owning.compare_calls("what the object stores", _asking(("up", "amount"), ("tagged", "label")))
owning.compare_calls(
    "what its class has",
    _asking(
        ("up", "apply"),
        ("tagged", "unit"),
        ("tagged", "__init__"),
        ("tagged", "costly"),
        ("marked", "unit"),
    ),
)
owning.compare_calls(
    "what a parent has",
    _asking(
        ("tagged", "apply"), ("up", "__repr__"), ("tagged", "__setattr__"), ("marked", "apply")
    ),
)
owning.compare_calls(
    "the object comes before its class", _asking(("hiding", "unit"), ("marked", "costly"))
)
owning.compare_calls(
    "a name that is nowhere", _asking(("up", "nothing"), ("tagged", ""), ("hiding", "m"))
)
_LOOP = (
    "for owner in type(thing).__mro__:\n    if name in vars(owner):\n        return owner.__name__"
)
# fmt: off
owning.wrongs(
    ("no parents", {_LOOP: "if name in vars(type(thing)):\n    return type(thing).__name__"},
     "what only a parent has isn't found; look in each class of `type(thing).__mro__`"),
    ("hasattr on the class", {_LOOP: "if hasattr(type(thing), name):\n    return type(thing).__name__"},
     "`hasattr` also finds what the parents have; look in `vars(owner)`"),
    ("the class itself", {"return owner.__name__": "return owner"},
     "this returns the class; its name is `owner.__name__`"),
    ("parents first", {"type(thing).__mro__": "reversed(type(thing).__mro__)"},
     "where a class and its parent both have the name, this gives the parent; the first class in "
     "`type(thing).__mro__` counts"),
    ("class first", {'if name in vars(thing):\n    return "the object"': "",
      "return None": 'return "the object" if name in vars(thing) else None'},
     "the object comes first, before its class"),
    ("object forgotten", {'if name in vars(thing):\n    return "the object"': ""},
     "the object itself is left out; `vars(thing)` holds what it stores"),
    ("among the values", {"if name in vars(thing):": "if name in vars(thing).values():"},
     "this looks for the name among the values that the object stores; names are the keys of `vars(thing)`"),
    ("truth of the class's value", {"if name in vars(owner):": "if vars(owner).get(name):"},
     "an attribute of a class can be None or 0; ask whether the *name* is there: `name in vars(owner)`"),
    ("properties first", {'if name in vars(thing):\n    return "the object"':
      "for owner in type(thing).__mro__:\n    if isinstance(vars(owner).get(name), property):\n"
      '        return owner.__name__\nif name in vars(thing):\n    return "the object"'},
     "a property comes before what the object stores; Python does look there first, but the question here is who has "
     "the name"),
    ("truth of the value", {"if name in vars(thing):": "if vars(thing).get(name):"},
     "a value can be None or 0; ask whether the *name* is there: `name in vars(thing)`"),
)
# fmt: on
