"""Chapter 03, first exercise: `__getattr__`; and what the other exercises of the chapter look with."""

from __future__ import annotations

from nbmodule import nn, tensor
from nbmodule.nn import Parameter

from ..exercise import Exercise, attempt, expect
from ..wording import listing, shown
from .drawers import DRAWERS, held, weight


def furnished(Class):
    """Return an object of `Class` with one entry in every drawer, put there by hand, and those entries."""
    module = Class()
    entries = {"w": weight(3.0), "mean": tensor([4.0]), "fc": nn.Linear(2, 1)}
    for drawer, (name, value) in zip(DRAWERS, entries.items(), strict=True):
        held(module, drawer)[name] = value
    return module, entries


def expect_found(module: object, name: str, value: object, drawer: str, likely: str = "") -> None:
    """Raise `Wrong` unless `module.name` is `value` itself."""
    tried = attempt(lambda: getattr(module, name))
    got = shown(tried.value) if tried.error is None else tried.said
    expect(
        tried.error is None and tried.value is value,
        did=f"`{name}` lies in `{drawer}`; `m.{name}` gave {got}",
        real=f"it is the object that lies there, {shown(value)}",
        likely=likely,
    )


def expect_missing(module: object, name: str, likely: str = "") -> str:
    """Raise `Wrong` unless `module.name` is an AttributeError; return its message."""
    tried = attempt(lambda: getattr(module, name))
    got = f"gave {shown(tried.value)}" if tried.error is None else f"raised {tried.said}"
    expect(
        tried.raised(AttributeError),
        did=f"there is no `{name}`, and `m.{name}` {got}",
        real="it is an AttributeError: `hasattr`, `getattr` with a default, `copy` and `pickle` all wait for "
        "that one and no other",
        likely=likely,
    )
    return str(tried.error)


# ---- 03.1

fetching = Exercise(
    "03.1",
    title="Fetch it from the drawers",
    takes=("MyModule",),
    hints=(
        "Python has looked in all ordinary places already, in vain. Which three places are left?",
        "Ask each drawer `if name in drawer: return drawer[name]`. And when all three have said no, say so as "
        "Python does: `raise AttributeError(…)`, with the names of class and attribute.",
        "`for drawer in (self._parameters, self._buffers, self._modules):` with the two lines of hint 2, and "
        "after the loop `raise AttributeError(f\"'{type(self).__name__}' object has no attribute "
        "'{name}'\")`.",
    ),
)


def _finds(title: str, name: str, drawer: str) -> None:
    likely = f"`{drawer}` is never asked"
    if drawer != DRAWERS[0]:
        likely += ": it is left out, or a `raise` inside of the loop ends it at the first drawer"

    @fetching.sub(title)
    def look(MyModule):
        module, entries = furnished(MyModule)
        before = set(held(module, "__dict__"))
        expect_found(module, name, entries[name], drawer, likely)
        added = sorted(set(held(module, "__dict__")) - before)
        expect(
            not added,
            did=f"after `m.{name}` was read, `__dict__` has {listing(f'`{n}`' for n in added or ['-'])} as well",
            real="reading changes nothing: the drawer is the only place",
            likely="what was found is kept a second time, and that copy grows old: Python looks into "
            "`__dict__` first, and will not see what is put into the drawer later",
        )
        held(module, drawer)[name] = newer = _another(name)
        expect_found(module, name, newer, drawer, "an older answer was remembered somewhere")


def _another(name: str) -> object:
    """Return a second value of the kind that `furnished` stores under `name`."""
    return furnished(nn.Module)[1][name]


_finds("a parameter is found", "w", "_parameters")
_finds("a buffer is found", "mean", "_buffers")
_finds("a child is found", "fc", "_modules")


@fetching.sub("so is an entry that is None, zero or empty")
def finds_falsy(MyModule):
    """`m.bias` is None in `nn.Linear(2, 1, bias=False)`; a child without parts may have length 0."""
    module = MyModule()
    held(module, "_parameters")["bias"] = None
    likely = (
        "the value is asked whether it is true (`drawer.get(name) or …`, `if value:`); ask whether the name "
        "is there: `if name in drawer`"
    )
    expect_found(module, "bias", None, "_parameters", likely)
    for name, value in (("zero", tensor(0.0)), ("many", tensor([1.0, 2.0]))):
        held(module, "_parameters")[name] = value = Parameter(value)
        expect_found(module, name, value, "_parameters", likely)
    held(module, "_modules")["empty"] = empty = nn.Sequential()
    expect_found(module, "empty", empty, "_modules", likely)


@fetching.sub("a missing name is an AttributeError")
def missing_raises(MyModule):
    module, _ = furnished(MyModule)
    given = attempt(lambda: module.nope).value
    expect_missing(
        module,
        "nope",
        "`return AttributeError(…)` hands the exception over like a value; `raise AttributeError(…)` raises it"
        if isinstance(given, BaseException) or given is AttributeError
        else "the end of the method is reached without `raise`, which returns None (`print` raises nothing, "
        "either); or a dictionary is asked with `[…]` for a name that it has not, which is a KeyError",
    )
    expect_missing(
        module,
        "weight",
        "the children were asked as well: `m.fc` has a `weight`, but `m` has none",
    )


@fetching.sub("its message names the class and the attribute")
def message_names(MyModule):
    class ZebraNet(MyModule):
        pass

    message = expect_missing(furnished(ZebraNet)[0], "stripes")
    expect(
        "ZebraNet" in message and "stripes" in message,
        did=f"`stripes` is missing in an object of class ZebraNet, and the message is {message!r}",
        real="it is \"'ZebraNet' object has no attribute 'stripes'\"",
        likely="the message is empty, or the class is written into it; `type(self).__name__` knows it",
    )


@fetching.sub("`hasattr` and a default for `getattr` work")
def hasattr_works(MyModule):
    module, _ = furnished(MyModule)
    asked = attempt(lambda: (hasattr(module, "w"), hasattr(module, "nope")))
    expect(
        asked.value == (True, False),
        did='`hasattr(m, "w")` and `hasattr(m, "nope")` gave '
        + (str(asked.value) if asked.error is None else asked.said),
        real="they are (True, False)",
        likely="`hasattr` calls your method and understands one answer as no: an AttributeError",
    )
    default = attempt(lambda: getattr(module, "nope", "spare"))
    expect(
        default.value == "spare",
        did='`getattr(m, "nope", "spare")` gave '
        + (shown(default.value) if default.error is None else default.said),
        real='it is "spare"',
        likely="only an AttributeError makes `getattr` fall back on the default",
    )


@fetching.sub("plain attributes, methods and properties are left alone")
def ordinary_names(MyModule):
    class Thermostat(MyModule):
        unit = "kelvin"

        @property
        def heat(self):
            return 300

    module, _ = furnished(Thermostat)
    held(module, "__dict__")["lr"] = 0.1
    tried = attempt(lambda: (module.lr, module.unit, module.heat, module.training))
    expect(
        tried.value == (0.1, "kelvin", 300, True),
        did="a plain attribute, a class attribute, a property and `training` gave "
        + (shown(tried.value) if tried.error is None else tried.said),
        real="they are (0.1, 'kelvin', 300, True), found without your help",
        likely="`__getattribute__` is overridden; `__getattr__` is asked only when all else has failed",
    )
