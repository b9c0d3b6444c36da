"""Chapter 00b: small classes, compared by what can be done with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..exercise import Exercise


class Shift:
    """The class that the chapter begins with."""

    def __init__(self, amount: float) -> None:
        self.amount = amount

    def apply(self, x: float) -> float:
        """Return `x` plus the amount."""
        return x + self.amount


def _uses(*texts: str) -> dict[str, Callable[[type], Any]]:
    """Return a use of a class for each expression; the class itself is called `C` in `_text`."""
    return {
        text: lambda given, text=text: eval(text, {"Shift": Shift, **_named(given)})
        for text in texts
    }


def _named(given: type) -> dict[str, Any]:
    return dict.fromkeys(("Scale", "ShiftThenScale", "Shown", "Chain"), given)


# ---- 00b.1

scaling = Exercise(
    "00b.1",
    title="A class of your own",
    takes=("Scale",),
    minutes=3,
    hints=(
        "`Scale` has the same shape as `Shift`. What does each object have to remember?",
        "`__init__` stores the factor in the object: `self.factor = factor`. `apply` reads it again and multiplies.",
        "In `__init__`: `self.factor = factor`. In `apply`: `return x * self.factor`.",
    ),
)
scaling.compare_uses(
    "an object multiplies by its factor",
    _uses("Scale(3).apply(10)", "Scale(0.5).apply(4)", "Scale(0).apply(7)"),
)
scaling.compare_uses(
    "each object remembers its own factor",
    _uses(
        "(lambda one, other: [one.apply(10), other.apply(10), one.apply(10)])(Scale(3), Scale(2))",
        "Scale(3).factor",
    ),
)
scaling.wrong(
    "a local name",
    {"self.factor = factor": "factor = factor", "x * self.factor": "x * factor"},
    says="a name without `self.` is gone when `__init__` ends; store it with `self.factor = factor`",
)
scaling.wrong(
    "adds",
    {"x * self.factor": "x + self.factor"},
    says="this adds the factor, as `Shift` does; `Scale` multiplies",
)
scaling.wrong(
    "prints",
    {"return x * self.factor": "print(x * self.factor)"},
    says="`print` shows the result to you; `return` hands it to the caller",
)
scaling.wrong(
    "kept in the class",
    {"self.factor = factor": "Scale.factor = factor"},
    says="all objects share one factor; `self.factor` belongs to the object alone",
)
scaling.wrong(
    "a fixed number",
    {"x * self.factor": "x * 3"},
    says="the factor is always the same; read the one that the object remembers",
)

# ---- 00b.2


def _asks_parent(method: str, instead: Any, do: Callable[[type], Any]) -> Callable[[type], Any]:
    """Return a use that runs while `method` of the class's parent does something else."""

    def use(given: type) -> Any:
        parent = given.__mro__[1]
        if parent is object:
            return "there is no parent"
        before = vars(parent)[method]
        setattr(parent, method, instead)
        try:
            return do(given)
        finally:
            setattr(parent, method, before)

    return use


def _louder(self: Any, amount: float) -> None:
    self.amount = 100 * amount


building = Exercise(
    "00b.2",
    title="Build on a parent",
    takes=("ShiftThenScale",),
    minutes=4,
    hints=(
        "`Shift` already knows how to store an amount and how to add it. How does a child reach the methods of its parent?",
        "`super().__init__(amount)` lets `Shift` store the amount. After that, the factor is yours to store. "
        "`super().apply(x)` returns what `Shift` makes of `x`.",
        "In `__init__`: `super().__init__(amount)` and `self.factor = factor`. In `apply`: "
        "`return super().apply(x) * self.factor`.",
    ),
)
building.compare_uses(
    "it shifts, and then scales",
    _uses(
        "ShiftThenScale(3, 2).apply(10)",
        "ShiftThenScale(-1, 0.5).apply(5)",
        "ShiftThenScale(0, 4).apply(1)",
    ),
)
building.compare_uses(
    "the object remembers both numbers",
    _uses(
        "ShiftThenScale(3, 2).amount",
        "ShiftThenScale(3, 2).factor",
        "(lambda one, other: [one.apply(10), other.apply(10)])(ShiftThenScale(3, 2), ShiftThenScale(1, 5))",
    ),
)
building.compare_uses(
    "it is a child of `Shift`", _uses("[c.__name__ for c in ShiftThenScale.__mro__[1:]]")
)
building.compare_uses(
    "`Shift` does its part",
    {
        "ShiftThenScale(3, 2).amount, while Shift.__init__ stores 100 times the amount": _asks_parent(
            "__init__", _louder, lambda given: given(3, 2).amount
        ),
        "ShiftThenScale(3, 2).apply(10), while Shift.apply returns 1000": _asks_parent(
            "apply", lambda self, x: 1000, lambda given: given(3, 2).apply(10)
        ),
    },
)
building.compare_uses(
    "a child of yours works, too",
    _uses("type('Child', (ShiftThenScale,), {})(3, 2).apply(10)"),
)
building.wrong(
    "the parent of the object's own class",
    {
        "super().__init__": "super(type(self), self).__init__",
        "super().apply": "super(type(self), self).apply",
    },
    says="`super(type(self), self)` never gets past the first subclass; write `super()`",
)
building.wrong(
    "kept in the class",
    {"self.factor = factor": "ShiftThenScale.factor = factor"},
    says="all objects share one factor; `self.factor` belongs to the object alone",
)
building.wrong(
    "no super",
    {"super().__init__(amount)": ""},
    says="`Shift.__init__` never runs, so there's no `amount`; call `super().__init__(amount)`",
)
building.wrong(
    "copied init",
    {"super().__init__(amount)": "self.amount = amount"},
    says="this stores the amount itself; `super().__init__(amount)` lets `Shift` do that",
)
building.wrong(
    "copied apply",
    {"super().apply(x)": "(x + self.amount)"},
    says="this adds the amount itself; `super().apply(x)` lets `Shift` do that",
)
building.wrong(
    "the other order",
    {"super().apply(x) * self.factor": "super().apply(x * self.factor)"},
    says="this scales first and shifts afterwards; it's the other way around",
)
building.wrong(
    "self as well",
    {"super().__init__(amount)": "super().__init__(self, amount)"},
    says="`super()` passes `self` for you; write `super().__init__(amount)`",
)
building.wrong(
    "calls itself",
    {"super().apply(x)": "self.apply(x)"},
    says="`self.apply` is this same method, so it calls itself without end; `super().apply` is the parent's",
)

# ---- 00b.3

_KINDS = {
    "Shift(3)": lambda Shown: type("Shift", (Shown, Shift), {})(3),
    "an object of a class Empty, which stores nothing": lambda Shown: type("Empty", (Shown,), {})(),
    "an object of a class Point that stores x=1 and y=2.5": lambda Shown: _holding(
        Shown, "Point", x=1, y=2.5
    ),
    "an object of a class Label that stores text='up'": lambda Shown: _holding(
        Shown, "Label", text="up"
    ),
    "an object of a class Box that stores inner, an Empty": lambda Shown: _holding(
        Shown, "Box", inner=_holding(Shown, "Empty")
    ),
}


def _holding(Shown: type, name: str, **stored: Any) -> Any:
    made = type(name, (Shown,), {"unit": "cm"})()
    vars(made).update(stored)
    return made


def _repr_of(*texts: str) -> dict[str, Callable[[type], Any]]:
    return {f"repr of {text}": lambda Shown, text=text: repr(_KINDS[text](Shown)) for text in texts}


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
    _repr_of("Shift(3)", "an object of a class Point that stores x=1 and y=2.5"),
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
showing.wrong(
    "prints",
    {'return f"{type': 'print(f"{type', ", '.join(parts)})\"": ", '.join(parts)})\")"},
    says="`__repr__` returns a string; it doesn't print",
)
showing.wrong(
    "str for repr", {"{value!r}": "{value}"}, says="a string is shown with its quotes: `{value!r}`"
)
showing.wrong(
    "a fixed name",
    {"{type(self).__name__}": "Shown"},
    says="a child has its own name: `type(self).__name__`",
)
showing.wrong(
    "no commas", {"', '.join": "' '.join"}, says="the parts are separated by a comma and a space"
)
showing.wrong(
    "only Shift",
    {"__repr__": 'def __repr__(self):\n    return f"Shift(amount={self.amount!r})"'},
    says="this fits `Shift` only; `vars(self)` holds what any object stores",
)
showing.wrong(
    "the class itself",
    {"{type(self).__name__}": "{type(self)}"},
    says="`type(self)` is the class; its name is `type(self).__name__`",
)

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
    _uses(
        "Chain(Shift(3), Shift(-1))(10)",
        "(lambda up: Chain(up, up)(10))(Shift(3))",
        "Chain(Shift(1), type('Double', (), {'apply': lambda self, x: 2 * x})())(10)",
    ),
)
chaining.compare_uses("one step, or none", _uses("Chain(Shift(3))(10)", "Chain()(10)"))
chaining.compare_uses("its length", _uses("len(Chain(Shift(3), Shift(-1)))", "len(Chain())"))
chaining.compare_uses(
    "it can be called again",
    _uses(
        "(lambda chain: [chain(10), chain(10), len(chain)])(Chain(Shift(3), Shift(-1)))",
        "(lambda one, other: [one(10), other(10)])(Chain(Shift(3)), Chain())",
    ),
)
chaining.wrong(
    "first step only",
    {
        "__call__": "def __call__(self, x):\n    for step in self.steps:\n        return step.apply(x)\n    return x"
    },
    says="the `return` is inside the loop, so it ends after the first step",
)
chaining.wrong(
    "each from the start",
    {
        "__call__": "def __call__(self, x):\n    result = x\n    for step in self.steps:\n        result = step.apply(x)\n"
        "    return result"
    },
    says="each step gets the first value; it should get what the step before returned",
)
chaining.wrong(
    "backwards",
    {"for step in self.steps:": "for step in reversed(self.steps):"},
    says="the steps run backwards",
)
chaining.wrong(
    "used up",
    {"self.steps = steps": "self.steps = iter(steps)"},
    says="`iter` can be gone through only once; keep the steps themselves",
)
chaining.wrong(
    "called",
    {"step.apply(x)": "step(x)"},
    says="a step isn't called itself; it has a method `apply`",
)
chaining.wrong(
    "one argument",
    {"def __init__(self, *steps):": "def __init__(self, steps):"},
    says="`*steps`, with the star, takes any number of steps",
)

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


def _hiding() -> Tagged:
    made = Tagged(3)
    made.unit = "m"
    return made


def _asking(*calls: tuple[str, str]) -> dict[str, Callable[[], tuple[Any, ...]]]:
    makers = {"up": lambda: Shift(3), "tagged": lambda: Tagged(3), "hiding": _hiding}
    return {
        f'found_in({thing}, "{name}")': lambda thing=thing, name=name: (makers[thing](), name)
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
    _asking(("up", "apply"), ("tagged", "unit"), ("tagged", "__init__"), ("tagged", "costly")),
)
owning.compare_calls(
    "what a parent has", _asking(("tagged", "apply"), ("up", "__repr__"), ("tagged", "__setattr__"))
)
owning.compare_calls("the object comes before its class", _asking(("hiding", "unit")))
owning.compare_calls("a name that is nowhere", _asking(("up", "nothing"), ("tagged", "")))
_LOOP = (
    "for owner in type(thing).__mro__:\n    if name in vars(owner):\n        return owner.__name__"
)
owning.wrong(
    "no parents",
    {_LOOP: "if name in vars(type(thing)):\n    return type(thing).__name__"},
    says="the parents are left out; `type(thing).__mro__` lists them all",
)
owning.wrong(
    "hasattr on the class",
    {_LOOP: "if hasattr(type(thing), name):\n    return type(thing).__name__"},
    says="`hasattr` also finds what the parents have; look in `vars(owner)`",
)
owning.wrong(
    "the class itself",
    {"return owner.__name__": "return owner"},
    says="this returns the class; its name is `owner.__name__`",
)
owning.wrong(
    "parents first",
    {"type(thing).__mro__": "reversed(type(thing).__mro__)"},
    says="the search starts at the object's own class, not at `object`",
)
owning.wrong(
    "class first",
    {
        'if name in vars(thing):\n    return "the object"': "",
        "return None": 'return "the object" if name in vars(thing) else None',
    },
    says="the object comes first, before its class",
)
owning.wrong(
    "object forgotten",
    {'if name in vars(thing):\n    return "the object"': ""},
    says="the object itself is left out; `vars(thing)` holds what it stores",
)
owning.wrong(
    "truth of the value",
    {"if name in vars(thing):": "if vars(thing).get(name):"},
    says="a value can be None or 0; ask whether the *name* is there: `name in vars(thing)`",
)
