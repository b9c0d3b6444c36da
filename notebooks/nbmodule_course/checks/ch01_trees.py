"""Chapter 01, functions of a tree: how many numbers it holds, and what it looks like."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nbmodule import nn, tensor, zeros
from nbmodule.nn import Parameter

from ..exercise import Exercise


class Module:
    """An object with drawers and no methods: the reader's Module as it is in this chapter."""

    def __init__(self, **children: Any) -> None:
        self.training = True
        self._parameters: dict[str, Any] = {}
        self._buffers: dict[str, Any] = {}
        self._modules = dict(children)

    def holding(self, *shapes: tuple[int, ...]) -> Module:
        """Add a Parameter for each shape, and a place for one that is not there; return the object."""
        made = {f"w{number}": Parameter(zeros(shape)) for number, shape in enumerate(shapes)}
        self._parameters |= {**made, "absent": None}
        return self

    def plain(self) -> Module:
        """Add two ordinary attributes; return the object."""
        self.sizes, self.later = {"depth": 3}, None
        return self


class Net(Module):
    """A subclass of it."""


class Queue(Module):
    """A subclass whose empty objects are false in an `if`."""

    def __len__(self) -> int:
        return 0


class A(nn.Module):
    """The object `a` of the chapter, with a property and an attribute of the class."""

    scale = 2

    def __init__(self) -> None:
        super().__init__()
        self.w = Parameter(tensor([1.0]))
        self.register_buffer("mean", tensor([0.0]))
        self.fc = nn.Linear(2, 2)
        self.t = tensor([1.0])

    @property
    def alias(self) -> Any:
        """Return what `w` holds: the value is in a drawer, this name isn't."""
        return self.w

    @property
    def costly(self) -> Any:
        """Raise: nothing should have read it."""
        raise RuntimeError("this property was read, although only its place was asked for")


class Quiet(nn.Module):
    """An object without drawers."""

    def __init__(self) -> None:
        self.n = 5


class SaysYes(nn.Module):
    """Finds every name, when Python is asked."""

    def __getattr__(self, name: str) -> str:
        return "anything"


for _class in (Module, Net, Queue, A, Quiet, SaysYes):
    _class.__module__ = "__main__"  # in a report, they are classes like the reader's own

_ABSENT = "and a name in `_parameters` whose value is None"
_PLAIN = {
    "quiet": ("quiet", "`super().__init__()` was forgotten, so it has no drawers"),
    "says_yes": ("says_yes", "its class has a `__getattr__` that answers to every name"),
    "Module().plain()": (
        "module",
        "a Module with the ordinary attributes `sizes`, which is {'depth': 3}, and `later`, which is None",
    ),
    "Module().holding((2, 3))": ("module", f"a Module with a Parameter of shape (2, 3), {_ABSENT}"),
    "Module(body=nn.Linear(2, 3))": ("module", "a Module whose child `body` is `nn.Linear(2, 3)`"),
    "Module(body=Module().holding((2, 3))).holding((4,))": (
        "module",
        "a Module with a Parameter of shape (4,), and a child with one of shape (2, 3)",
    ),
    "Module(body=Module(deep=Module(last=Module().holding((2, 2)))))": (
        "module",
        "a Module in a Module in a Module in a Module; the innermost has a Parameter of shape (2, 2)",
    ),
    "Module(body=Queue().holding((2, 3)))": (
        "module",
        "a Module whose child has a Parameter of shape (2, 3), and a `__len__` that gives 0",
    ),
    "Module(body=None)": ("module", "a Module whose child `body` is None"),
    "Module(first=None, second=nn.Linear(2, 3))": (
        "module",
        "a Module whose child `first` is None, and `second` is `nn.Linear(2, 3)`",
    ),
    "Net(b=nn.ReLU(), a=nn.Linear(2, 2))": (
        "net",
        "a Net whose children are `b`, an `nn.ReLU`, and `a`, an `nn.Linear`, in this order",
    ),
    "Net(body=nn.Sequential(nn.ReLU()), head=nn.Linear(2, 2))": (
        "net",
        "a Net whose children are `body`, an `nn.Sequential(nn.ReLU())`, and `head`, an `nn.Linear`",
    ),
    "Net(a=Module(b=Module(c=Net(d=nn.ReLU()))), e=nn.Tanh())": (
        "net",
        "a Net with the children `a` and `e`; in `a` is `b`, in `b` is `c`, and in `c` is `d`",
    ),
    "Net(gone=None)": ("net", "a Net whose child `gone` is None"),
    "Net(a=nn.ReLU(), gone=None, b=nn.Tanh())": (
        "net",
        "a Net with the children `a`, `gone` and `b`; `gone` is None",
    ),
}
"""Expressions that a reader couldn't type: what a report calls their result, and what it is."""

_KNOWN = {"nn": nn, "Module": Module, "Net": Net, "Queue": Queue, "says_yes": SaysYes}
_MAKERS = {"a": A, "quiet": Quiet, "says_yes": SaysYes}


def _made(text: str) -> Any:
    """Return the module that `text` names or makes; its numbers are always the same."""
    module = _MAKERS[text]() if text in _MAKERS else eval(text, dict(_KNOWN))
    for parameter in vars(module).get("_parameters", {}).values():
        if parameter is not None:
            parameter.data.fill_(0.5)
    return module


def cases(function: str, *calls: tuple[str, ...]) -> dict[str, Callable[[], tuple[Any, ...]]]:
    """Return a case for each tuple of an expression that makes a module and, perhaps, a name."""
    return {_told(function, call): lambda call=call: (_made(call[0]), *call[1:]) for call in calls}


def _told(function: str, call: tuple[str, ...]) -> str:
    """Return a call as a reader would type it and, where that isn't clear, what it is handed."""
    name, what = _PLAIN.get(call[0], (call[0], ""))
    text = f"{function}({', '.join([name, *map(repr, call[1:])])})".replace("'", '"')
    return f"{text}  # `{name}`: {what}" if what else text


# ---- 01.4

counting = Exercise(
    "01.4",
    title="Count without a method",
    takes=("count_tree",),
    minutes=7,
    writes=("count_tree",),
    hints=(
        "First count the module's own Parameters. Where are they? Then think of a child: which function counts a "
        "whole tree?",
        "Go through `module._parameters.values()` and add `parameter.numel()`. Then go through "
        "`module._modules.values()` and add `count_tree(child)`. Skip every None.",
        "`total = 0`, then `for parameter in module._parameters.values():` `if parameter is not None: total += "
        "parameter.numel()`, then the same for the children with `total += count_tree(child)`, then `return total`.",
    ),
)


def _count(*texts: str) -> dict[str, Any]:
    return cases("count_tree", *((text,) for text in texts))


counting.compare_calls("a layer", _count("nn.Linear(4, 3)", "nn.Conv2d(1, 20, 5)", "nn.ReLU()"))
counting.compare_calls(
    "a place for a Parameter that isn't there",
    _count("nn.Linear(4, 3, bias=False)", "Module().holding((2, 3))"),
)
counting.compare_calls("buffers don't learn", _count("nn.BatchNorm1d(3)"))
counting.compare_calls(
    "children, and their children",
    _count(
        "nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2))",
        "nn.Sequential(nn.Sequential(nn.Sequential(nn.Linear(4, 3))), nn.Linear(3, 2))",
    ),
)
counting.compare_calls(
    "your own Module, which has drawers and no methods",
    _count(
        "Module()",
        "Module(body=nn.Linear(2, 3))",
        "Module(body=Module().holding((2, 3))).holding((4,))",
        "Module(body=Module(deep=Module(last=Module().holding((2, 2)))))",
        "Module(body=Queue().holding((2, 3)))",
    ),
)
counting.compare_calls(
    "a Parameter in two places counts twice",
    {
        "count_tree(net)  # `net`: a Net whose children `a` and `b` are one and the same `nn.Linear(2, 3)`": lambda: (
            Net(**dict.fromkeys("ab", nn.Linear(2, 3))),
        )
    },
)
counting.compare_calls(
    "a child that is None",
    _count("Module(body=None)", "Module(first=None, second=nn.Linear(2, 3))"),
)
_CHILDREN = "for child in module._modules.values():\n    if child is not None:\n        total += count_tree(child)"
counting.wrong(
    "no children",
    {_CHILDREN: ""},
    says="the children are left out; add `count_tree(child)` for each",
)
counting.wrong(
    "one level",
    {
        "total += count_tree(child)": "total += sum(p.numel() for p in child._parameters.values() if p is not None)"
    },
    says="only the children are counted, not their children; `count_tree(child)` counts a whole tree",
)
counting.wrong(
    "no None among the Parameters",
    {"if parameter is not None:\n    total += parameter.numel()": "total += parameter.numel()"},
    says="a place in `_parameters` can hold None, as `bias` does in `nn.Linear(4, 3, bias=False)`; skip it",
)
counting.wrong(
    "no None among the children",
    {"if child is not None:\n    total += count_tree(child)": "total += count_tree(child)"},
    says="a child can be None; skip it",
)
counting.wrong(
    "truth of a child",
    {"if child is not None:": "if child:"},
    says="a child that is false in an `if`, as an empty list is, isn't counted; ask `is not None`",
)
counting.wrong(
    "once each",
    {
        "count_tree": "def count_tree(module, seen=None):\n    seen = {} if seen is None else seen\n"
        "    seen.update((id(p), p.numel()) for p in module._parameters.values() if p is not None)\n"
        "    for child in module._modules.values():\n        if child is not None:\n            count_tree(child, seen)\n"
        "    return sum(seen.values())"
    },
    says="a Parameter in two places is counted once; here it counts twice",
)
counting.wrong(
    "asks for the method",
    {
        "count_tree": "def count_tree(module):\n    return sum(p.numel() for p in module.parameters())"
    },
    says="your Module has no method `parameters` yet; read the drawers",
)
counting.wrong(
    "how many Parameters",
    {"parameter.numel()": "1"},
    says="this counts the Parameters, not the numbers in them; add `parameter.numel()`",
)
counting.wrong(
    "buffers too",
    {
        "for parameter in module._parameters.values():": "for parameter in [*module._parameters.values(), *module._buffers.values()]:"
    },
    says="the numbers in `_buffers` don't learn; leave them out",
)
counting.wrong(
    "children's sum lost",
    {"total += count_tree(child)": "total = count_tree(child)"},
    says="what was counted before a child is lost; `+=` adds to it, and `=` replaces it",
)

# ---- 01.5

outlining = Exercise(
    "01.5",
    title="Draw the tree",
    takes=("outline",),
    minutes=10,
    importance="useful",
    writes=("outline",),
    hints=(
        "What is the outline of a module without children? And if you have the outline of each child, how do its lines "
        "change when they're put below the parent?",
        "Start with `[type(module).__name__]`. For each name and child, take `outline(child)`. Its first line gets the "
        "name in front. All of its lines get two more spaces.",
        'Inside the loop: `first, *below = outline(child)`, then `lines.append(f"  {name}: {first}")`, and for each line '
        'in `below`: `lines.append(f"  {line}")`.',
    ),
)


def _lines(*texts: str) -> dict[str, Any]:
    return cases("outline", *((text,) for text in texts))


outlining.compare_calls("a module without children", _lines("nn.Linear(2, 2)", "Module()", "Net()"))
outlining.compare_calls(
    "children in the order of their drawer",
    _lines(
        "Net(b=nn.ReLU(), a=nn.Linear(2, 2))",
        "nn.Sequential(nn.Linear(2, 2), nn.ReLU())",
        "Net(a=nn.ReLU(), later=nn.Sequential())",
    ),
)
outlining.compare_calls(
    "children of children",
    _lines(
        "Net(body=nn.Sequential(nn.ReLU()), head=nn.Linear(2, 2))",
        "Net(a=Module(b=Module(c=Net(d=nn.ReLU()))), e=nn.Tanh())",
    ),
)
outlining.compare_calls(
    "a child that is None", _lines("Net(gone=None)", "Net(a=nn.ReLU(), gone=None, b=nn.Tanh())")
)
outlining.compare_calls(
    "one layer in two places",
    {
        "outline(net)  # `net`: a Net whose children `a` and `b` are one and the same layer": lambda: (
            Net(**dict.fromkeys("ab", nn.ReLU())),
        )
    },
)
_BELOW = 'for line in below:\n    lines.append(f"  {line}")'
outlining.wrong(
    "one level",
    {_BELOW: ""},
    says="the children of a child are missing; add the child's other lines as well",
)
outlining.wrong(
    "same depth",
    {_BELOW: "lines += below"},
    says="each level adds two spaces, to all lines of the child",
)
outlining.wrong(
    "no name",
    {'f"  {name}: {first}"': 'f"  {first}"'},
    says="the child's name is missing in front of its class: `name: Class`",
)
outlining.wrong(
    "no skip",
    {"if child is not None:": "if True:"},
    says="a child can be None; leave it out",
)
outlining.wrong(
    "asks for truth",
    {"if child is not None:": "if child:"},
    says="an empty container is false in an `if`, as an empty list is; ask `is not None`",
)
outlining.wrong(
    "one string",
    {"return lines": 'return "\\n".join(lines)'},
    says="the result is a list of lines, not one string",
)
outlining.wrong(
    "nested lists",
    {_BELOW: "if below:\n    lines.append(below)"},
    says="a list inside the list; `+=` or a loop adds the lines themselves",
)
outlining.wrong(
    "the object for the class",
    {"lines = [type(module).__name__]": "lines = [type(module)]"},
    says="this is the class itself; its name is `type(module).__name__`",
)
outlining.wrong(
    "sorted",
    {"module._modules.items()": "sorted(module._modules.items())"},
    says="the children keep the order of their drawer, not that of the alphabet",
)
