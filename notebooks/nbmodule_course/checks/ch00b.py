"""Chapter 00b: small classes, compared by what can be done with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..exercise import Exercise
from .lines import compiled


class Shift:
    """The class that the chapter begins with."""

    def __init__(self, amount: float) -> None:
        self.amount = amount

    def apply(self, x: float) -> float:
        """Return `x` plus the amount."""
        return x + self.amount


class Double:
    """A step of another class."""

    def apply(self, x: float) -> float:
        """Return `x` twice."""
        return 2 * x


for _made in (Shift, Double):
    _made.__module__ = "__main__"  # in a report, it is a class like the reader's own


def uses(*texts: str) -> dict[str, Callable[[type], Any]]:
    """Return a use of a class for each text: statements and, behind the last ";", an expression.

    A note for the reader may follow after "  # ".
    """
    return {text: lambda given, text=text: _value_of(text, given) for text in texts}


def _value_of(text: str, given: type) -> Any:
    before, last = compiled(text.partition("  # ")[0])
    names = {"Shift": Shift, "Double": Double}
    names |= dict.fromkeys(("Scale", "ShiftThenScale", "Shown", "Chain"), given)
    exec(before, names)
    return eval(last, names)


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
    "each object multiplies by its factor",
    uses("Scale(3).apply(10)", "Scale(0.5).apply(4)", "Scale(0).apply(7)"),
)
scaling.compare_uses(
    "each object remembers its own factor",
    uses(
        "one = Scale(3); other = Scale(2); [one.apply(10), other.apply(10), one.apply(10)]",
        "Scale(3).factor",
    ),
)
# fmt: off
scaling.wrongs(
    ("a local name", {"self.factor = factor": "factor = factor", "x * self.factor": "x * factor"},
     "a name without `self.` is gone when `__init__` ends; store it with `self.factor = factor`"),
    ("adds", {"x * self.factor": "x + self.factor"}, "this adds the factor, as `Shift` does; `Scale` multiplies"),
    ("prints", {"return x * self.factor": "print(x * self.factor)"},
     "`print` shows the result to you; `return` hands it to the caller"),
    ("kept in the class", {"self.factor = factor": "Scale.factor = factor"},
     "all objects share one factor; `self.factor` belongs to the object alone"),
    ("a fixed number", {"x * self.factor": "x * 3"},
     "the factor is always the same; read the one that the object remembers"),
)
# fmt: on

# ---- 00b.2


def _asks_parent(method: str, instead: Any, do: Callable[[type], Any]) -> Callable[[type], Any]:
    """Return a use that runs while `method` of the class's parent does something else."""

    def use(given: type) -> Any:
        parent = given.__mro__[1]
        if parent is object:
            return "there is no parent"
        before = vars(parent)[method]
        instead.__name__, instead.__qualname__ = (
            before.__name__,
            before.__qualname__,
        )  # for messages
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
    uses(
        "ShiftThenScale(3, 2).apply(10)",
        "ShiftThenScale(-1, 0.5).apply(5)",
        "ShiftThenScale(0, 4).apply(1)",
    ),
)
building.compare_uses(
    "the object remembers both numbers",
    uses(
        "ShiftThenScale(3, 2).amount",
        "ShiftThenScale(3, 2).factor",
        "(lambda one, other: [one.apply(10), other.apply(10)])(ShiftThenScale(3, 2), ShiftThenScale(1, 5))",
        "thing = ShiftThenScale(3, 2); thing.amount = 5; thing.apply(10)",
    ),
)
building.compare_uses(
    "it is a child of `Shift`", uses("[c.__name__ for c in ShiftThenScale.__mro__[1:]]")
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
    uses("type('Child', (ShiftThenScale,), {})(3, 2).apply(10)"),
)
# fmt: off
building.wrongs(
    ("the parent of the object's own class", {"super().__init__": "super(type(self), self).__init__",
      "super().apply": "super(type(self), self).apply"},
     "`super(type(self), self)` never gets past the first subclass; write `super()`"),
    ("kept in the class", {"self.factor = factor": "ShiftThenScale.factor = factor"},
     "all objects share one factor; `self.factor` belongs to the object alone"),
    ("no super", {"super().__init__(amount)": ""},
     "`Shift.__init__` never runs, so there's no `amount`; call `super().__init__(amount)`"),
    ("copied init", {"super().__init__(amount)": "self.amount = amount"},
     "this stores the amount itself; `super().__init__(amount)` lets `Shift` do that"),
    ("copied apply", {"super().apply(x)": "(x + self.amount)"},
     "this adds the amount itself; `super().apply(x)` lets `Shift` do that"),
    ("the other order", {"super().apply(x) * self.factor": "super().apply(x * self.factor)"},
     "this scales first and shifts afterwards; it's the other way around"),
    ("self as well", {"super().__init__(amount)": "super().__init__(self, amount)"},
     "`Shift.__init__` gets one value too many; `super()` passes `self`, so only `amount` is left: "
     "`super().__init__(amount)`"),
    ("calls itself", {"super().apply(x)": "self.apply(x)"},
     "`self.apply` is this same method, so it calls itself without end; `super().apply` is the parent's"),
)
# fmt: on
