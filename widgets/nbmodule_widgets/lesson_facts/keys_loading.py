"""What `load_state_dict` says to a pair of tensors, and the error that it would raise, line by line."""

from __future__ import annotations

from typing import Literal

from nbmodule_widgets.facts.words import shape_text, visible
from nbmodule_widgets.lesson_facts.keys_expected import Expected, Wanted, families
from nbmodule_widgets.lesson_facts.keys_given import Given, Item
from nbmodule_widgets.protocol import said_as_text, type_name

Found = Literal["matched", "shape", "value"]


def compared(wanted: Wanted, item: Item) -> tuple[Found, str]:
    """Whether a value of the state can be loaded into its place, and what to say about it.

    Args:
        wanted: The place.
        item: What the state has for it.
    """
    if wanted.own or wanted.facts is None:
        return "matched", ""
    if item.facts is None or not families(item.value) & families(wanted.tensor):
        advice = ": an array is not a tensor" if type_name(type(item.value)) == "ndarray" else ""
        return "value", f"{visible(type_name(type(item.value)), 60)} in the state{advice}"
    mine, theirs = wanted.facts, item.facts
    if not mine.lazy and mine.shape != theirs.shape:
        if mine.shape == () and theirs.shape == (1,):
            return "matched", "a scalar with one dimension, as in old states, is accepted"
        return "shape", f"{shape_text(theirs.shape)} does not fit into {shape_text(mine.shape)}"
    if mine.dtype != theirs.dtype and mine.dtype and theirs.dtype:
        return "matched", f"cast while it is copied: {theirs.dtype} → {mine.dtype}"
    return "matched", ""


def error_lines(
    label: str, expected: Expected, given: Given
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The lines of the RuntimeError, for `strict=True` and for `strict=False`; empty where none would be raised.

    Args:
        label: Class of the model.
        expected: What the model expects.
        given: The state.
    """
    lenient = [line for wanted in expected.wanted if (line := _complaint(wanted, given))]
    strict = []
    for kind, keys in (("Missing", expected.missing), ("Unexpected", expected.unexpected)):
        if keys:
            listed = ", ".join(f'"{key}"' for key in keys)
            strict.append(f"{kind} key(s) in state_dict: {listed}. ")
    head = f"Error(s) in loading state_dict for {label}:"
    whole = (*strict, *lenient)
    return ((head, *whole) if whole else ()), ((head, *lenient) if lenient else ())


def _complaint(wanted: Wanted, given: Given) -> str:
    """The library's own words for what is wrong with one pair, or the empty string."""
    item = given.by_key.get(wanted.key)
    if item is None:
        return ""
    status, _ = compared(wanted, item)
    if status == "shape":
        theirs, mine = (said_as_text(thing, "shape") for thing in (item.value, wanted.tensor))
        return (
            f"size mismatch for {wanted.key}: copying a param with shape {theirs} from checkpoint, the shape in current "
            f"model is {mine}."
        )
    if status == "value":
        library = _library(wanted.tensor)
        return (
            f'While copying the parameter named "{wanted.key}", expected {library}Tensor or Tensor-like object from '
            f"checkpoint but received {_class_text(item.value)}"
        )
    return ""


def _library(tensor: object) -> str:
    """`"torch."`, as the library names its own Tensor."""
    packages = sorted(families(tensor) - {"__main__", "numpy"})
    return f"{packages[0]}." if len(packages) == 1 else ""


def _class_text(value: object) -> str:
    """`"<class 'numpy.ndarray'>"`, without asking a metaclass."""
    kind = type(value)
    module, name = _module_of(kind), _qualified(kind)
    return f"<class '{name}'>" if module == "builtins" else f"<class '{module}.{name}'>"


_module_of = type.__dict__["__module__"].__get__
_qualified = type.__dict__["__qualname__"].__get__
