"""A method that works in place takes any of its options by name, and gives what its twin without the underscore gives."""

import inspect

import pytest

import nbmodule
from nbmodule import Tensor

NUMBERS = [3.0, -0.5, float("inf"), float("nan"), -4.0]


def numeric_options(name):
    """Return the options of a method that have a default and may be a number."""
    parameters = inspect.signature(getattr(Tensor, name)).parameters.values()
    return [p.name for p in parameters if p.default is None and p.name not in ("self", "dtype")]


METHODS = [
    (name, option)
    for name in ("clamp", "clip", "nan_to_num", "logit")
    for option in numeric_options(name)
]


@pytest.mark.parametrize(("name", "option"), METHODS)
def test_each_option_by_its_name_alone(name, option):
    before, there = nbmodule.tensor(NUMBERS), nbmodule.tensor(NUMBERS)
    expected = getattr(before, name)(**{option: 0.25})
    assert getattr(there, f"{name}_")(**{option: 0.25}) is there
    assert there.equal(expected) or str(there) == str(expected)


def test_a_clamp_in_place_with_one_end_is_recorded():
    w = nbmodule.tensor([1.0, 2.5], requires_grad=True)
    (w * 1).clamp_(max=nbmodule.tensor([2.0, 2.0])).sum().backward()
    assert w.grad.tolist() == [1.0, 0.0]
