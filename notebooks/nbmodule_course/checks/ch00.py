"""Chapter 00: one small exercise, to meet `check`, `hint` and `solution`."""

from __future__ import annotations

from numbers import Integral, Number
from typing import Any

from nbmodule import Tensor, nn

from ..exercise import Exercise, Wrong, attempt, expect
from ..wording import shown

counting = Exercise(
    "00.1",
    title="Count what it can learn",
    takes=("count",),
    hints=(
        "`module.parameters()` hands you every Parameter of a module, one after the other: for a Linear "
        "layer its weight, then its bias.",
        "Each Parameter knows how many numbers it holds: `parameter.numel()`. Go through them in a loop, "
        "add up, and `return` the total.",
        "One line does it: `return sum(p.numel() for p in module.parameters())`.",
    ),
)

_MAKE = {
    "nn.Linear(4, 3)": lambda: nn.Linear(4, 3),
    "nn.Linear(7, 2)": lambda: nn.Linear(7, 2),
    "nn.Linear(5, 4, bias=False)": lambda: nn.Linear(5, 4, bias=False),
    "nn.Conv2d(1, 20, 5)": lambda: nn.Conv2d(1, 20, 5),
    "nn.ReLU()": lambda: nn.ReLU(),
    "nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2))": lambda: nn.Sequential(
        nn.Linear(4, 3), nn.Linear(3, 2)
    ),
}


@counting.sub("a Linear layer from 4 to 3: 12 weights and 3 biases")
def counts_a_layer(count):
    _expect_count(count, "nn.Linear(4, 3)", 15, _first_mistake)


@counting.sub("a Linear layer of another size")
def counts_another_size(count):
    _expect_count(count, "nn.Linear(7, 2)", 16, _fixed_number)


@counting.sub("a layer that was built without a bias")
def counts_without_bias(count):
    _expect_count(count, "nn.Linear(5, 4, bias=False)", 20, _bias_is_none)


@counting.sub("layers of other kinds: a convolution, and one with nothing to learn")
def counts_other_kinds(count):
    _expect_count(count, "nn.Conv2d(1, 20, 5)", 520, _shape_by_hand)
    _expect_count(count, "nn.ReLU()", 0, _has_no_weight)


@counting.sub("a whole network is counted like a layer")
def counts_a_network(count):
    _expect_count(
        count, "nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2))", 23, _only_its_own_numbers
    )


def _expect_count(count: Any, made: str, right: int, likely: Any) -> None:
    """Raise a diagnosis unless `count` gives `right` for what `made` makes."""
    tried = attempt(lambda: count(_MAKE[made]()))
    if tried.error is not None:
        raise Wrong(
            did=f"`count({made})` did not come back with a number",
            real=f"it is {right}",
            likely=likely(tried.error),
        ) from tried.error
    given = tried.value
    expect(
        isinstance(given, Number) and given == right,
        did=f"`count({made})` is {shown(given)}",
        real=f"it is {right}",
        likely=_not_a_number(given) or likely(given),
    )


def _not_a_number(given: Any) -> str:
    if given is None:
        return (
            "nothing was returned: `print` shows a number to you, `return` hands it to the caller"
        )
    if isinstance(given, Tensor):
        return "the values were added up; `numel()` says how many values there are"
    if not isinstance(given, Number):
        return f"a number is asked for, and this is a `{type(given).__name__}`"
    return ""


def _first_mistake(given: Any) -> str:
    if isinstance(given, TypeError) and "method" in str(given) and "iterable" in str(given):
        return "a method was taken without calling it: `module.parameters()`, with parentheses"
    if isinstance(given, TypeError) and "method" in str(given):
        return "a method was taken without calling it: `p.numel()`, with parentheses"
    return _FIRST_MISTAKES.get(int(given), "") if isinstance(given, Integral) else ""


_FIRST_MISTAKES = {
    12: "the bias was forgotten: it is a Parameter of its own, with one number for each output. (A `return` "
    "inside of the loop ends it after the first Parameter.)",
    3: "the weight was forgotten: it holds 4 numbers for each of the 3 outputs",
    2: "the Parameters were counted (weight, bias), and not the numbers in them",
    5: "the sides were counted or added; a weight of shape (3, 4) holds 3 times 4 numbers",
    10: "the sides were added up; a weight of shape (3, 4) holds 3 times 4 numbers",
    6: "`len(p)` is the length of the first side only; `p.numel()` counts every number",
    7: "inputs and outputs were added; each output has a weight for each input",
    16: "four biases were counted: there is one for each of the 3 outputs, none for the inputs",
    36: "the sizes of all Parameters were multiplied; within one Parameter that is right, but Parameters add up",
}


def _fixed_number(given: Any) -> str:
    if isinstance(given, Number) and given == 15:
        return (
            "15 was right for the layer before: the number must come from the module that is given"
        )
    return ""


def _bias_is_none(given: Any) -> str:
    if isinstance(given, Exception) and "NoneType" in str(given):
        return "`layer.bias` is None here, and None has no numbers; `module.parameters()` leaves it out"
    if isinstance(given, Number) and given == 24:
        return "4 biases were counted that this layer does not have"
    return ""


def _shape_by_hand(given: Any) -> str:
    if _misses(given, "in_features"):
        return "a convolution has no `in_features`; ask the Parameters themselves how many numbers they hold"
    if isinstance(given, Number) and given in (100, 120, 500):
        return "not all of its numbers were counted: the weight has four sides, and there is a bias, too"
    return ""


def _has_no_weight(given: Any) -> str:
    if _misses(given, "weight", "bias"):
        return "a ReLU has no `weight`; ask `module.parameters()`, which every Module has"
    return ""


def _only_its_own_numbers(given: Any) -> str:
    if _misses(given, "weight", "bias", "in_features"):
        return "a network has no `weight` of its own; `module.parameters()` also asks the children"
    if isinstance(given, Number) and given == 0:
        return (
            "the children were not asked: `recurse=False`, or only `_parameters`, stays at the top"
        )
    return ""


def _misses(given: Any, *names: str) -> bool:
    """Tell whether `given` is the complaint that an object lacks one of these attributes."""
    return isinstance(given, AttributeError) and any(f"'{name}'" in str(given) for name in names)
