"""Chapter 02, the last exercise: what the clerk refuses."""

from __future__ import annotations

from nbmodule import nn, tensor

from ..exercise import Exercise, Wrong, attempt, expect
from .drawers import expect_home, held, places, said_places, weight

refusing = Exercise(
    "02.3",
    title="What the clerk refuses",
    takes=("MyModule",),
    hints=(
        "Go through the table row by row: each row is one `if` that ends in `return` or `raise`. The order "
        "of the rows matters: the first one that fits decides.",
        "For the rows about an old name: `if name in self._parameters:` and inside, raise a TypeError "
        'unless `value is None`. The drawers may not exist yet: `self.__dict__.get("_parameters")`.',
        "Parameter: `return self._parameters`. Name in `_parameters`: None or TypeError. Modules: "
        "`return self._modules`. Name in `_modules`: None or TypeError. Name in `_buffers`: Tensor, None or "
        "TypeError. Otherwise `return None`. And before all that: a Parameter or Module without "
        '`"_modules" in self.__dict__` is an AttributeError.',
    ),
)


# What Python says when `home[name] = value` meets something that is no dictionary.
_NO_DRAWER = "does not support item assignment"
_RETURNED = (
    "`return TypeError(…)` hands the exception over like a drawer; `raise TypeError(…)` refuses"
)


def _assign(module: object, name: str, value: object, *, after: str, likely: str = "") -> None:
    """Assign; raise `Wrong` if an assignment that is allowed is refused."""
    tried = attempt(lambda: setattr(module, name, value))
    if tried.error is None:
        return
    if f"'str' object {_NO_DRAWER}" in str(tried.error):
        likely = "the drawer's name was returned, a text; the drawer itself is `self._parameters`, no quotes"
    if tried.raised(TypeError):
        raise Wrong(
            did=f"after {after}, there was {tried.said}",
            real="it is accepted: the value goes to its drawer, and an old one makes room",
            likely=likely,
        ) from tried.error
    raise tried.error


def _expect_moves(MyModule: type, kind: str, drawer: str, value: object, over: str) -> None:
    """Raise `Wrong` unless `value` moves in where a buffer or a plain value was."""
    module = MyModule()
    if over == "buffer":
        held(module, "_buffers")["x"] = tensor([0.0])
    else:
        held(module, "__dict__")["x"] = 5
    after = f"`x` was a {over}, and then `m.x` got a {kind}"
    likely = _TOO_EARLY[over]
    _assign(module, "x", value, after=after, likely=likely)
    expect_home(module, "x", value, drawer, after=after, likely=likely)


_TOO_EARLY = {
    "buffer": "the row for names in `_buffers` stands too early: whether the value is a Parameter (which is "
    "a Tensor, too) or a Module is asked before that",
    "plain value": "a name in `__dict__` need not stay there: the kind of the new value decides",
}


def _expect_refused(
    module: object, name: str, value: object, old: object, drawer: str, *, after: str, likely: str
) -> None:
    """Raise `Wrong` unless the assignment is a TypeError that changes nothing."""
    tried = attempt(lambda: setattr(module, name, value))
    if not tried.raised(TypeError):
        where = said_places(places(module, name))
        raise Wrong(
            did=f"{after} gave {tried.said}, and `{name}` is now {where}",
            real="it is a TypeError",
            likely=likely,
        )
    expect(
        places(module, name) == [drawer] and held(module, drawer)[name] is old,
        did=f"{after} was refused, but `{name}` is now {said_places(places(module, name))}",
        real=f"a refused assignment changes nothing: the old value stays in `{drawer}`",
        likely=_RETURNED
        if _NO_DRAWER in str(tried.error)
        else "something is taken out or stored before the value is looked at",
    )
    expect(
        name in str(tried.error),
        did=f"{after} says `{tried.said}`",
        real=f"the message names the attribute, `{name}`, so that the reader of a long traceback "
        "knows which one it was",
        likely="the f-string lacks the name",
    )


@refusing.sub("the three kinds still go to their drawers")
def still_sorts(MyModule):
    module = MyModule()
    w, fc, own, t = weight(), nn.Linear(2, 1), MyModule(), tensor([1.0])
    for name, value in {"w": w, "fc": fc, "own": own, "t": t, "lr": 0.1}.items():
        _assign(module, name, value, after=f"`m.{name} = …` on a fresh module")
    expect_home(module, "w", w, "_parameters", after="`m.w = Parameter(…)`")
    expect_home(module, "fc", fc, "_modules", after="`m.fc = nn.Linear(2, 1)`")
    expect_home(module, "own", own, "_modules", after="`m.own = MyModule()`")
    expect_home(module, "t", t, "__dict__", after="`m.t = tensor([1.0])`")
    module.lr = 0.2
    expect_home(module, "lr", 0.2, "__dict__", after="`m.lr = 0.1` and `m.lr = 0.2`")
    for over in ("buffer", "plain value"):
        _expect_moves(MyModule, "Parameter", "_parameters", weight(), over)
        _expect_moves(MyModule, "Module", "_modules", nn.Linear(2, 1), over)


@refusing.sub("a plain value over a Parameter is a TypeError")
def refuses_plain_over_parameter(MyModule):
    for value, text in ((5, "5"), (tensor([5.0]), "tensor([5.0])")):
        module, old = MyModule(), weight()
        module.w = old
        _expect_refused(
            module,
            "w",
            value,
            old,
            "_parameters",
            after=f"`m.w = Parameter(…)` and then `m.w = {text}`",
            likely="the row for names that live in `_parameters` is missing, or comes too late",
        )


@refusing.sub("so is a Module over a Parameter")
def refuses_module_over_parameter(MyModule):
    module, old = MyModule(), weight()
    module.w = old
    _expect_refused(
        module,
        "w",
        nn.Linear(2, 1),
        old,
        "_parameters",
        after="`m.w = Parameter(…)` and then `m.w = nn.Linear(2, 1)`",
        likely="the row for Modules stands above the row for names in `_parameters`",
    )


@refusing.sub("None over a Parameter keeps the name in its drawer")
def none_over_parameter(MyModule):
    module = MyModule()
    module.w = weight()
    module.w = None
    found = places(module, "w")
    expect(
        found == ["_parameters"] and held(module, "_parameters")["w"] is None,
        did=f"after `m.w = Parameter(…)` and `m.w = None`, `w` is {said_places(found)}",
        real="`w` stays in `_parameters`, with the value None: a reserved place",
        likely="None is let through to the third branch, or the key is deleted",
    )
    second = weight(2.0)
    module.w = second
    expect_home(
        module, "w", second, "_parameters", after="`m.w = None` and then a new Parameter in `m.w`"
    )


@refusing.sub("over a child only a Module, a Parameter or None")
def over_a_child(MyModule):
    for value, text in ((5, "5"), (tensor([1.0]), "tensor([1.0])"), ([], "[]")):
        module, old = MyModule(), nn.Linear(2, 1)
        module.fc = old
        _expect_refused(
            module,
            "fc",
            value,
            old,
            "_modules",
            after=f"`m.fc = nn.Linear(2, 1)` and then `m.fc = {text}`",
            likely="the row for names that live in `_modules` is missing",
        )
    module, second = MyModule(), MyModule()
    module.fc = nn.Linear(2, 1)
    module.fc = second
    expect_home(module, "fc", second, "_modules", after="a second Module in `m.fc`")
    module.fc = None
    found = places(module, "fc")
    expect(
        found == ["_modules"] and held(module, "_modules")["fc"] is None,
        did=f"after `m.fc = None`, `fc` is {said_places(found)}",
        real="`fc` stays in `_modules`, with the value None",
        likely="None over a child is sent to another place",
    )
    third = weight()
    module.fc = third
    expect_home(module, "fc", third, "_parameters", after="a Parameter over the child `m.fc`")


@refusing.sub("a buffer takes a new tensor, or None")
def buffer_takes_tensors(MyModule):
    for value, text in ((tensor([3.0]), "tensor([3.0])"), (None, "None")):
        module = MyModule()
        held(module, "_buffers")["mean"] = tensor([0.0])
        module.mean = value
        expect_home(
            module,
            "mean",
            value,
            "_buffers",
            after=f"`mean` was a buffer and `m.mean = {text}`",
            likely="there is no row for names that live in `_buffers`: the tensor went past it",
        )


@refusing.sub("a number over a buffer is a TypeError")
def buffer_refuses_numbers(MyModule):
    module, old = MyModule(), tensor([0.0])
    held(module, "_buffers")["mean"] = old
    _expect_refused(
        module,
        "mean",
        0.5,
        old,
        "_buffers",
        after="`mean` was a buffer and then `m.mean = 0.5`",
        likely="the row for buffers lets everything in; it wants a Tensor or None",
    )


def _forgetful(MyModule, name: str, value: object, first: object = None):
    """Return an object of a class that forgot `super().__init__()`, and what came of assigning."""

    class Forgetful(MyModule):
        def __init__(self):
            if first is not None:
                setattr(self, name, first)

    module = Forgetful()
    return module, attempt(lambda: setattr(module, name, value))


@refusing.sub("before `super().__init__()`: an AttributeError that helps")
def refuses_before_init(MyModule):
    for name, value, text in (
        ("w", weight(), "Parameter(…)"),
        ("fc", nn.Linear(2, 1), "nn.Linear(2, 1)"),
    ):
        after = f"a class forgot `super().__init__()`; `self.{name} = {text}`"
        _, tried = _forgetful(MyModule, name, value)
        expect(
            tried.raised(AttributeError),
            did=f"{after} gave {tried.said}",
            real="it is an AttributeError: there are no drawers yet",
            likely="the drawers are made on the spot, or the value slips past them; the author of "
            "the class should learn what is missing",
        )
        expect(
            "__init__" in str(tried.error),
            did=f"{after} says `{tried.said}`",
            real='PyTorch says "cannot assign module before Module.__init__() call"',
            likely="this is the message that Python makes by itself; write one that says what to do, "
            "with the words `super().__init__()`",
        )


@refusing.sub("and nothing is half done")
def nothing_half_done(MyModule):
    module, tried = _forgetful(MyModule, "fc", nn.Linear(2, 1), first=7)
    slots = held(module, "__dict__")
    expect(
        tried.error is not None and slots == {"fc": 7},
        did="without `super().__init__()`, after `self.fc = 7` and a refused `self.fc = nn.Linear(2, 1)`, "
        f"`__dict__` has the names {sorted(slots)}",
        real="the old value 7 is still there, and nothing else",
        likely="the old name is evicted, or a drawer made, before the clerk looks whether drawers exist",
    )


@refusing.sub("plain values need no drawers")
def plain_before_init(MyModule):
    module, tried = _forgetful(MyModule, "lr", 0.1)
    expect(
        tried.error is None and places(module, "lr") == ["__dict__"],
        did=f"without `super().__init__()`, `self.lr = 0.1` gave {tried.said}",
        real="a plain value is stored at any time: it needs no drawer",
        likely="the drawers are asked (`name in self._parameters`) before it is known that they exist",
    )
