"""Chapter 02: `__setattr__`, the clerk at the door."""

from __future__ import annotations

from collections.abc import Callable

from nbmodule import nn, tensor
from nbmodule.nn import Parameter

from ..exercise import Exercise, expect
from ..wording import listing
from .drawers import expect_home, held, places, weight

# ---- 02.1

sorting = Exercise(
    "02.1",
    title="Three kinds of parcel",
    takes=("MyModule",),
    hints=(
        "Ask the value what it is with `isinstance`: three answers are possible, so `if`, `elif`, `else`.",
        "A drawer is a dictionary: `self._parameters[name] = value`. For the third answer the clerk "
        "must do what Python would have done without a clerk: ask the parent class.",
        "`if isinstance(value, Parameter):` into `_parameters`; `elif isinstance(value, Modules):` "
        "into `_modules`; `else: super().__setattr__(name, value)`.",
    ),
)


_WIPED = "the drawer is made anew, or emptied, at every assignment; add one entry to the drawer that is there"
_BY_NAME = "the clerk looks at the name; what counts is the kind of the value"
_TWICE = "it is also, or only, stored as a plain attribute; each parcel takes one branch"


@sorting.sub("a Parameter goes into `_parameters`")
def sorts_parameters(MyModule):
    module, value = MyModule(), weight()
    module.w = value
    expect_home(
        module,
        "w",
        value,
        "_parameters",
        after="`m.w = Parameter(…)`",
        likely=_TWICE,
    )
    second = weight(2.0)
    module.curious_7 = second
    expect_home(
        module,
        "curious_7",
        second,
        "_parameters",
        after="`m.curious_7 = Parameter(…)`",
        likely=_BY_NAME,
    )
    after = "`m.w = Parameter(…)` and `m.curious_7 = Parameter(…)`"
    expect_home(module, "w", value, "_parameters", after=after, likely=_WIPED)


@sorting.sub("a frozen Parameter is a Parameter all the same")
def sorts_frozen(MyModule):
    module, value = MyModule(), Parameter(tensor([1.0]), requires_grad=False)
    module.w = value
    expect_home(
        module,
        "w",
        value,
        "_parameters",
        after="`m.w = Parameter(…, requires_grad=False)`",
        likely=_TWICE
        if "w" in held(module, "_parameters")
        else "the clerk looks at `requires_grad`, but the class decides, not the switch",
    )


@sorting.sub("a layer goes into `_modules`")
def sorts_layers(MyModule):
    module, value = MyModule(), nn.Linear(2, 1)
    module.fc = value
    expect_home(module, "fc", value, "_modules", after="`m.fc = nn.Linear(2, 1)`")
    second = nn.Linear(1, 2)
    module.odd_9 = second
    after = "`m.odd_9 = nn.Linear(1, 2)`"
    expect_home(module, "odd_9", second, "_modules", after=after, likely=_BY_NAME)
    after = "`m.fc = nn.Linear(2, 1)` and `m.odd_9 = nn.Linear(1, 2)`"
    expect_home(module, "fc", value, "_modules", after=after, likely=_WIPED)


@sorting.sub("so does a module of your own class")
def sorts_own_modules(MyModule):
    module, value = MyModule(), MyModule()
    module.child = value
    expect_home(
        module,
        "child",
        value,
        "_modules",
        after="`m.child = MyModule()`",
        likely="only `nn.Module` is asked for; your own class is not one. `Modules` holds both",
    )


@sorting.sub("a tensor that is no Parameter stays a plain attribute")
def sorts_tensors(MyModule):
    for made, text in (
        (tensor([1.0]), "tensor([1.0])"),
        (tensor([1.0], requires_grad=True), "tensor([1.0], requires_grad=True)"),
    ):
        module = MyModule()
        module.t = made
        expect_home(
            module,
            "t",
            made,
            "__dict__",
            after=f"`m.t = {text}`",
            likely="there is no `else`: what is neither Parameter nor Module is dropped"
            if not places(module, "t")
            else "the clerk asks for a Tensor; every Parameter is one, but few tensors are Parameters",
        )


@sorting.sub("numbers, texts, lists, functions and classes stay plain attributes")
def sorts_plain(MyModule):
    things = {
        "0.1": 0.1,
        '"relu"': "relu",
        "None": None,
        "[nn.Linear(2, 1)]": [nn.Linear(2, 1)],
        "print": print,
        "nn.Linear": nn.Linear,
    }
    for text, value in things.items():
        module = MyModule()
        module.thing = value
        expect_home(
            module,
            "thing",
            value,
            "__dict__",
            after=f"`m.thing = {text}`",
            likely="there is no `else`: what is neither Parameter nor Module is dropped",
        )


@sorting.sub("a property of the class still gets its value")
def sorts_properties(MyModule):
    class Thermostat(MyModule):
        @property
        def heat(self):
            return self.__dict__["stored_heat"]

        @heat.setter
        def heat(self, value):
            self.__dict__["stored_heat"] = value + 1

    module = Thermostat()
    module.heat = 20
    slots = held(module, "__dict__")
    expect(
        slots.get("stored_heat") == 21 and "heat" not in slots,
        did="a class has a property `heat`; after `m.heat = 20` its setter had not run",
        real="for any object, the setter of a property is called",
        likely="the third branch writes to `self.__dict__`; `super().__setattr__` knows about properties",
    )


# ---- 02.2

one_home = Exercise(
    "02.2",
    title="One name, one home",
    takes=("MyModule",),
    hints=(
        "A name can lie in four places: `__dict__` and the three drawers. Which of them may keep it?",
        "Walk over the four places. Where the place is not `keep`, take the name out; it may well "
        "not be there, and that is no error: `dict.pop` has a second argument.",
        "`for place in (self.__dict__, self._parameters, self._buffers, self._modules):` and inside "
        "`if place is not keep: place.pop(name, None)`.",
    ),
)


@one_home.sub("a name that nobody has yet is simply stored")
def stores_new(MyModule):
    module, value, child = MyModule(), weight(), nn.Linear(2, 1)
    module.w, module.fc = value, child
    expect_home(
        module,
        "w",
        value,
        "_parameters",
        after="`m.w = Parameter(…)` on a fresh module",
        likely="the eviction comes after the storing, and throws the new entry out again",
    )
    expect_home(module, "fc", child, "_modules", after="`m.fc = nn.Linear(2, 1)`")


def _moves(before: str, after: str, make: Callable[[], object], home: str, likely: str) -> None:
    """Add the check that a name which held a `before` moves when an `after` is assigned."""

    @one_home.sub(f"{before}, then {after}: it moves")
    def look(MyModule):
        module, value = MyModule(), make()
        if before == "buffer":
            held(module, "_buffers")["x"] = tensor([0.0])
        else:
            module.x = nn.Linear(2, 1) if before == "Module" else 5
        module.x = value
        first = {
            "buffer": "`x` was a buffer",
            "Module": "`m.x = nn.Linear(2, 1)`",
            "plain": "`m.x = 5`",
        }
        expect_home(
            module,
            "x",
            value,
            home,
            after=f"{first[before]}, and then `m.x` got a {after}",
            likely=likely,
        )


_PLAIN = "`__dict__` is a place too: while it holds the name, `m.x` never gets past it"
_OTHERS = "the other drawers have to be cleared of the name as well, not `__dict__` alone"
_moves("plain", "Parameter", weight, "_parameters", _PLAIN)
_moves("plain", "Module", lambda: nn.Linear(2, 1), "_modules", _PLAIN)
_moves("buffer", "Parameter", weight, "_parameters", _OTHERS)
_moves("buffer", "Module", lambda: nn.Linear(2, 1), "_modules", _OTHERS)
_moves("Module", "Parameter", weight, "_parameters", _OTHERS)


@one_home.sub("a second Parameter replaces the first, in the same place of the list")
def keeps_order(MyModule):
    module, second = MyModule(), weight(2.0)
    module.w, module.b = weight(1.0), weight(0.0)
    module.w = second
    names = list(held(module, "_parameters"))
    expect(
        len(names) == 2,
        did=f"`m.w` and `m.b` are set, then `m.w` again: `_parameters` has {len(names)} entries, {names}",
        real="there are two names, so there are two entries",
        likely="the drawer is used like a list that only grows; the name is the key",
    )
    expect(
        names == ["w", "b"],
        did=f"`m.w` and `m.b` are set, then `m.w` again: `_parameters` lists {names}",
        real="it lists ['w', 'b']: a replaced Parameter keeps its turn, so saved models and "
        "optimizers see the same order",
        likely="the name is evicted from its own drawer too; leave `keep` alone",
    )
    expect_home(module, "w", second, "_parameters", after="`m.w` was assigned twice")


@one_home.sub("all other names stay where they are")
def leaves_others(MyModule):
    module = MyModule()
    module.lr, module.fc, module.w = 0.1, nn.Linear(2, 1), weight()
    held(module, "_buffers")["mean"] = tensor([0.0])
    module.new = weight()
    homes = {name: places(module, name) for name in ("lr", "fc", "w", "mean")}
    wanted = {"lr": ["__dict__"], "fc": ["_modules"], "w": ["_parameters"], "mean": ["_buffers"]}
    lost = [name for name in wanted if homes[name] != wanted[name]]
    expect(
        not lost,
        did=f"after `m.new = Parameter(…)`, {listing(f'`{name}`' for name in lost or ['-'])} "
        "is not where it was",
        real="only the assigned name moves",
        likely="a whole drawer is cleared (`clear()`), instead of one name taken out",
    )
