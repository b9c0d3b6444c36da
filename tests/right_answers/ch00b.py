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
    ],
    "00b.3": [
        r"""
class Shown:
    def __repr__(self):
        return "{}({})".format(
            type(self).__name__, ", ".join("%s=%r" % kv for kv in vars(self).items())
        )
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
    ],
    "00b.5": [
        r"""
def found_in(thing, name):
    for where, label in [(thing, "the object"), *[(c, c.__name__) for c in type(thing).__mro__]]:
        if name in vars(where):
            return label
""",
    ],
}
