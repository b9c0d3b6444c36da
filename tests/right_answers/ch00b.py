"""Right answers to the exercises of chapter 00b."""

from __future__ import annotations

RIGHT = {
    "00b.1": [
        r"""
class Scale:
    def __init__(self, factor):
        self._f = factor

    factor = property(lambda self: self._f)

    def apply(self, x):
        return self._f * x
""",
        r"""
from dataclasses import dataclass
@dataclass
class Scale:
    factor: float
    def apply(self, x):
        return x * self.factor
""",
        r"""
class Scale:
    __slots__ = ("factor",)
    def __init__(self, factor: float):
        self.factor = factor
    def apply(self, x):
        return self.factor.__mul__(x) if isinstance(self.factor, float) else x * self.factor
""",
    ],
    "00b.2": [
        r"""
class ShiftThenScale(Shift):
    def __init__(self, amount, factor):
        Shift.__init__(self, amount)
        self.factor = factor

    def apply(self, x):
        return Shift.apply(self, x) * self.factor
""",
        r"""
class ShiftThenScale(Shift):
    def __init__(self, *args):
        *first, factor = args
        super().__init__(*first)
        vars(self)["factor"] = factor
    def apply(self, *args):
        return super().apply(*args) * self.factor
""",
        r"""
class ShiftThenScale(Shift):
    def __init__(self, amount, factor):
        parent = super()
        parent.__init__(amount)
        object.__setattr__(self, "factor", factor)
    def apply(self, x):
        parent = super()
        return parent.apply(x) * self.factor
""",
    ],
    "00b.3": [
        r"""
class Shown:
    def __repr__(self):
        return "{}({})".format(
            type(self).__name__, ", ".join("%s=%r" % kv for kv in vars(self).items())
        )
""",
        r"""
class Shown:
    def __repr__(self):
        text = "".join(f", {k}={v!r}" for k, v in vars(self).items())
        return f"{type(self).__name__}({text[2:]})"
""",
        r"""
class Shown:
    def __repr__(self):
        match list(vars(self).items()):
            case []:
                inside = ""
            case items:
                inside = ", ".join([str(k) + "=" + v.__repr__() for k, v in items])
        return "%s(%s)" % (type(self).__name__, inside)
""",
    ],
    "00b.4": [
        r"""
class Chain:
    def __init__(self, *steps):
        self._s = [*steps]

    def __call__(self, x):
        import functools

        return functools.reduce(lambda v, s: s.apply(v), self._s, x)

    def __len__(self):
        return self._s.__len__()
""",
        r"""
class Chain(list):
    def __init__(self, *steps):
        super().__init__(steps)
    def __call__(self, x):
        for step in self:
            x = step.apply(x)
        return x
""",
        r"""
class Chain:
    def __init__(self, *steps):
        self.calls = [step.apply for step in steps]
    def __call__(self, x):
        for call in self.calls:
            x = call(x)
        return x
    def __len__(self):
        return len(self.calls)
""",
    ],
    "00b.5": [
        r"""
def found_in(thing, name):
    for where, label in [(thing, "the object"), *[(c, c.__name__) for c in type(thing).__mro__]]:
        if name in vars(where):
            return label
""",
        r"""
def found_in(thing, name):
    def search(classes):
        match classes:
            case []:
                return None
            case [first, *rest]:
                return first.__name__ if name in vars(first) else search(rest)
    return "the object" if name in vars(thing) else search(list(type(thing).__mro__))
""",
        r"""
def found_in(thing, name):
    if name in thing.__dict__:
        return "the object"
    if owners := [c for c in type(thing).mro() if name in vars(c)]:
        return owners[0].__name__
""",
    ],
}
