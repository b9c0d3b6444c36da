"""Chapter 01, its third exercise: finding where a name lies, without being fooled."""

from __future__ import annotations

from contextlib import redirect_stdout
from io import StringIO
from typing import Any

from nbmodule import nn, tensor
from nbmodule.nn import Parameter

from ..exercise import Exercise, Wrong, attempt, expect
from ..wording import shown
from .drawers import DRAWERS

finding = Exercise(
    "01.3",
    title="Find the place",
    takes=("where_is",),
    hints=(
        "`hasattr` and `getattr` say whether something is found, after Python has looked everywhere. "
        "You want to know where it lies: look yourself, with `vars(module)`.",
        "Look into each drawer for the name, drawer by drawer, and then into `vars(module)` itself. A drawer "
        "may be missing: `vars(module).get(drawer, {})` is an empty one then.",
        '`for drawer in ("_parameters", "_buffers", "_modules"):` `if name in vars(module).get(drawer, {}): '
        'return drawer`. After the loop: `"__dict__"` if the name is in `vars(module)`, else None.',
    ),
)


class _Sample(nn.Module):
    """Something in every place: three drawers, a plain attribute, the class, and a property."""

    scale = 2

    def __init__(self) -> None:
        super().__init__()
        self.w = Parameter(tensor([1.0]))
        self.fc = nn.Linear(2, 1)
        self.register_buffer("mean", tensor([0.0]))
        self.t = tensor([1.0])

    @property
    def costly(self):
        """Raise: nobody should have asked."""
        raise RuntimeError("this property was run, though only its place was asked for")


class _HalfBuilt(nn.Module):
    """Forgets `super().__init__()`."""

    def __init__(self) -> None:
        self.n = 5


class _SaysYes(nn.Module):
    """Finds everything, if Python is the one to look."""

    def __getattr__(self, name):
        return "anything you like"


def expect_place(
    where_is: Any, module: object, label: str, name: str, place: Any, why: str
) -> None:
    """Raise a diagnosis unless `where_is(module, name)` is `place`."""
    with redirect_stdout(StringIO()) as printed:
        tried = attempt(lambda: where_is(module, name))
    print(printed.getvalue(), end="")
    real = f"it is {place!r}: {why}"
    if tried.error is not None:
        raise Wrong(
            did=f'`where_is({label}, "{name}")` did not come back',
            real=real,
            likely=_why_raised(tried.error),
        ) from tried.error
    expect(
        tried.value == place and type(tried.value) is type(place),
        did=f'`where_is({label}, "{name}")` is {shown(tried.value)}',
        real=real,
        likely="the answer was printed: `print` shows it to you, `return` hands it to the caller"
        if tried.value is None and str(place) in printed.getvalue()
        else _misplaced(tried.value, place),
    )


def _why_raised(error: BaseException) -> str:
    if isinstance(error, RuntimeError) and "property" in str(error):
        return "`hasattr` and `getattr` run properties; looking into `vars(module)` runs nothing"
    if isinstance(error, KeyError | AttributeError) and any(d in str(error) for d in DRAWERS):
        return "a drawer that is not there yet counts as an empty one"
    if isinstance(error, KeyError):
        return "a name that is nowhere is no accident: the answer is None"
    if isinstance(error, AttributeError):
        return "Python was asked for the thing itself; look for its name in `vars(module)` and the drawers"
    return ""


def _misplaced(given: Any, place: str | None) -> str:
    """Return the usual reason for an answer that is not `place`."""
    if isinstance(given, dict):
        return "that is the drawer itself; its name is asked for"
    if isinstance(given, bool):
        return "yes or no is not the question: answer with the name of the place"
    if given is None:
        return (
            f"nobody looked for the name among the keys of `{place}`"
            if place in DRAWERS
            else "nobody looked for the name in `vars(module)` itself, after the drawers"
        )
    if not isinstance(given, str) or given not in (*DRAWERS, "__dict__", *_NEARLY):
        return "that is the thing itself; the name of its place is asked for"
    if given in _NEARLY and place is not None:
        return f"nearly: the place is spelled {place!r}"
    if place is None:
        return (
            "`__dict__` is not the answer for everything else: only for a name in `vars(module)`. Python may "
            "find a name in the class, or `__getattr__` may invent it, but then it does not lie in this object"
            if given == "__dict__"
            else "a child was asked as well; only the drawers of `module` itself count"
        )
    if given == "__dict__":
        return "Python finds it, but it does not lie in `__dict__`; look into the drawers first"
    return "the kind of the value was looked at; what counts is the drawer that holds the name"


_NEARLY = tuple(name.strip("_") for name in (*DRAWERS, "__dict__"))


@finding.sub("a parameter, a buffer and a child are in their drawers")
def finds_in_drawers(where_is):
    module = _Sample()
    expect_place(where_is, module, "m", "w", "_parameters", "a Parameter was assigned")
    expect_place(where_is, module, "m", "mean", "_buffers", "it was registered as a buffer")
    expect_place(where_is, module, "m", "fc", "_modules", "a layer was assigned")


@finding.sub("a plain tensor, a switch and a drawer itself are in `__dict__`")
def finds_plain(where_is):
    module = _Sample()
    expect_place(where_is, module, "m", "t", "__dict__", "a tensor that is no Parameter is plain")
    expect_place(where_is, module, "m", "training", "__dict__", "the switch is a plain attribute")
    expect_place(where_is, module, "m", "_modules", "__dict__", "the drawers themselves lie there")


@finding.sub("a name that lies nowhere gives None")
def finds_nothing(where_is):
    expect_place(where_is, _Sample(), "m", "nothing", None, "no such name was ever assigned")


@finding.sub("a registered name counts, even while its value is None")
def finds_empty_places(where_is):
    layer = nn.Linear(2, 1, bias=False)
    made = "nn.Linear(2, 1, bias=False)"
    tried = attempt(lambda: where_is(layer, "bias"))
    expect(
        tried.error is None and tried.value == "_parameters",
        did=f'`where_is({made}, "bias")` is {shown(tried.value) if tried.error is None else tried.said}',
        real="it is '_parameters': the place is kept for a bias, and None lies there",
        likely="the value was looked at; ask whether the name is in the drawer: `name in drawer`",
    )


@finding.sub("what the class has is not in the object, and no property is run")
def leaves_the_class_out(where_is):
    module = _Sample()
    expect_place(where_is, module, "m", "forward", None, "methods lie in the class")
    expect_place(where_is, module, "m", "scale", None, "`scale = 2` stands in the class")
    expect_place(where_is, module, "m", "costly", None, "a property lies in the class")


@finding.sub("what a child has is not its parent's")
def leaves_children_out(where_is):
    module = _Sample()
    expect_place(where_is, module, "m", "weight", None, "only the child `fc` has a `weight`")
    expect_place(where_is, module, "m", "fc.weight", None, "a path is not a name in a drawer")


@finding.sub("a half-built module is no reason to fail")
def survives_half_built(where_is):
    module = _HalfBuilt()
    label = "half_built"
    expect_place(where_is, module, label, "n", "__dict__", "it was assigned as a plain attribute")
    expect_place(where_is, module, label, "w", None, "there is nothing, not even a drawer")


@finding.sub("a `__getattr__` that says yes to everything fools nobody")
def is_not_fooled(where_is):
    expect_place(where_is, _SaysYes(), "says_yes", "nothing", None, "it lies nowhere")
