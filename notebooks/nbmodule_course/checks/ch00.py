"""Chapter 00: one small exercise, to meet `check`, `hint` and `solution`."""

from __future__ import annotations

from typing import Any

from nbmodule import nn

from ..exercise import Exercise

counting = Exercise(
    "00.1",
    title="Count what it can learn",
    takes=("count",),
    minutes=3,
    writes=("count",),
    hints=(
        "`module.parameters()` gives you each Parameter of a module in turn. For a Linear layer, that's its "
        "weight and then its bias.",
        "Each Parameter knows how many numbers it holds: `p.numel()`. Go through them in a loop, add these numbers "
        "up, and `return` the total.",
        "One line does it: `return sum(p.numel() for p in module.parameters())`.",
    ),
)


def _tied() -> nn.Module:
    """Return two layers that share one weight."""
    first, second = nn.Linear(4, 4), nn.Linear(4, 4)
    second.weight = first.weight
    return nn.Sequential(first, second)


def _cases(*texts: str) -> dict[str, Any]:
    """Return a call of `count` for each expression that makes a module."""
    return {f"count({text})": lambda text=text: (_made(text),) for text in texts}


def _made(text: str) -> nn.Module:
    """Return a module whose numbers are always the same."""
    module = eval(text, {"nn": nn, "two_that_share_a_weight": _tied})
    for parameter in module.parameters():
        parameter.data.fill_(0.5)
    return module


counting.compare_calls(
    "a Linear layer of any size", _cases("nn.Linear(4, 3)", "nn.Linear(7, 2)", "nn.Linear(4, 4)")
)
counting.compare_calls("a layer without a bias", _cases("nn.Linear(5, 4, bias=False)"))
counting.compare_calls(
    "other kinds of layers",
    _cases("nn.Conv2d(1, 20, 5)", "nn.ReLU()", "nn.LayerNorm(3)", "nn.BatchNorm1d(3)"),
)
counting.compare_calls(
    "a whole network",
    _cases(
        "nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2))",
        "nn.Sequential(nn.Sequential(nn.Linear(4, 3)), nn.ReLU(), nn.Linear(3, 2))",
        "two_that_share_a_weight()",
    ),
)


def _wrong(name: str, returns: str, says: str) -> None:
    counting.wrong(name, {"count": f"def count(module):\n    return {returns}"}, says=says)


_wrong(
    "weight only",
    "module.weight.numel()",
    "this counts the weight but not the bias, which is a Parameter too, and a network has neither",
)
_wrong(
    "how many Parameters",
    "len(list(module.parameters()))",
    "this counts the Parameters (a weight, a bias), not the numbers in them",
)
_wrong("by heart", "15", "15 is right for one layer; the number must come from the module")
_wrong(
    "the formula of a Linear layer",
    "module.in_features * module.out_features + module.out_features",
    "this formula fits a Linear layer with a bias; the Parameters themselves fit every module",
)
_wrong(
    "the values",
    "sum(p.sum() for p in module.parameters())",
    "this adds up the values; `numel()` says how many values there are",
)
_wrong(
    "not called",
    "sum(p.numel() for p in module.parameters)",
    "`module.parameters` without parentheses is the method itself; call it: `module.parameters()`",
)
_wrong(
    "numel not called",
    "sum(p.numel for p in module.parameters())",
    "`p.numel` without parentheses is the method itself; call it: `p.numel()`",
)
_wrong(
    "first side only",
    "sum(len(p) for p in module.parameters())",
    "`len(p)` is the length of the first side only; `p.numel()` counts every number",
)
_wrong(
    "not the children",
    "sum(p.numel() for p in module.parameters(recurse=False))",
    "this leaves out the children; `module.parameters()` includes them",
)
_wrong(
    "buffers too",
    "sum(t.numel() for t in module.state_dict().values())",
    "`state_dict()` holds buffers too, which don't learn, and lists a shared weight twice",
)
_wrong(
    "once for each place",
    "sum(p.numel() for _, p in module.named_parameters(remove_duplicate=False))",
    "a shared Parameter is counted at each of its places; `module.parameters()` gives it once",
)
_wrong(
    "once for each level",
    "sum(p.numel() for m in module.modules() for p in m.parameters())",
    "a child's Parameters are counted again for each Module around it",
)
# fmt: off
counting.wrongs(
    ("keeps the last", {"count":
      "def count(module):\n    total = 0\n    for p in module.parameters():\n        total = p.numel()\n"
      "    return total"},
     "`=` keeps only what came last; `+=` adds to what was there"),
    ("returns inside the loop", {"count":
      "def count(module):\n    total = 0\n    for p in module.parameters():\n        total += p.numel()\n"
      "        return total"},
     "the `return` is inside the loop, so it ends after the first Parameter; indent it less"),
)
# fmt: on
