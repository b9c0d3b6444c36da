"""What the checks of chapter 10 use: a tree with every kind of tensor, what a state holds, and files read by the rules."""

from __future__ import annotations

import json
import re
import tempfile
from collections import OrderedDict
from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

import nbmodule
from nbmodule import Tensor, tensor
from nbmodule.nn import Parameter

from ..exercise import attempt
from ..referee import Words
from ..referee.values import Special
from ..referee.world import slots_of
from .lines import compiled, vocabulary

_MEANING = {
    "tree": "`tree()` has the Parameters weight, bias (None) and scale (frozen), the buffers mean, later (None) and mask (not persistent), and a child fc with the Parameter w and the buffer n",
    "blank": "`blank()` is the same tree with zeros",
    "show": "`show` lists the keys, with kind and numbers",
    "numbers": "`numbers` lists what is in the tree",
    "same": "`same` names the tensors that are still the same objects",
    "state": "`state()` is the state of a `tree()`",
    "unpack": "`unpack` calls `_load_from_state_dict`, with True for `strict`, and gives the lists of missing keys, unexpected keys and errors",
    "tried": "`tried` gives the report, or the keys that the error names",
    "Special": "`Special()` is a Module with a `_save_to_state_dict` and a `_load_from_state_dict` of its own",
    "Aside": "`Aside()` is a Module with a `state_dict` of its own",
    "special": "`special` is an object of a subclass of Parameter",
    "wide": "`wide` is a float64 tensor",
    "hooked": "`hooked` puts a hook into a dictionary of the Module; it notes its arguments in `seen`",
}


def lines(*parts: tuple[str, ...]) -> list[str]:
    """Return every program that takes one statement from each part."""
    return ["; ".join(filter(None, chosen)) for chosen in product(*parts)]


def _value_of(text: str, Module: type) -> Any:
    before, last = compiled(text)
    seen: list[Any] = []
    names = {**_WORDS, "Module": Module, "seen": seen}
    names |= {"tree": lambda: tree(Module), "blank": lambda: tree(Module, 0)}
    names |= {"Special": lambda: _special(Module)(), "Aside": lambda: _aside(Module)()}
    names["special"] = Special(_VALUES["weight"])
    names |= {"hooked": lambda *given: _hooked(seen, *given), "wide": _WIDE.clone()}
    exec(before, names)
    return eval(last, names)


uses = vocabulary(_MEANING, _value_of)


# ---- trees and states


def node(Module: type, parameters: Any = (), buffers: Any = (), **children: Any) -> Any:
    """Return a Module with these entries, put in past every method of its class."""
    made = Module()
    slots = slots_of(made)
    slots["_parameters"].update(parameters)
    slots["_buffers"].update(buffers)
    slots["_modules"].update(children)
    return made


def tree(Module: type, factor: int = 1) -> Any:
    """Return a tree with every kind of tensor, whose numbers are multiplied by `factor`."""
    values = {name: value * factor for name, value in _VALUES.items()}
    fc = node(Module, {"w": Parameter(values["w"])}, {"n": values["n"]})
    own = {"weight": Parameter(values["weight"]), "bias": None}
    own["scale"] = Parameter(values["scale"], requires_grad=False)
    buffers = {"mean": values["mean"], "later": None, "mask": values["mask"]}
    made = node(Module, own, buffers, fc=fc, gone=None)
    slots_of(made)["_non_persistent_buffers_set"].add("mask")
    return made


_VALUES = {
    "weight": tensor([1.0, 2.0]), "scale": tensor([0.5]), "mean": tensor([3.0]), "mask": tensor([4.0]),
    "w": tensor([5.0, 6.0]), "n": tensor(7),
}  # fmt: skip
_PATHS = ("weight", "scale", "mean", "fc.w", "fc.n")


def _state() -> dict[str, Any]:
    """Return what the state of a tree is, by hand: new tensors by path."""
    return {path: _VALUES[path.rpartition(".")[2]].clone() for path in _PATHS}


def _tensors(module: Any, path: str = "") -> dict[str, Any]:
    """Return every tensor below, past every method of the class."""
    slots = slots_of(module)
    entries = [*slots["_parameters"].items(), *slots["_buffers"].items()]
    found = {path + name: value for name, value in entries if value is not None}
    for name, child in slots["_modules"].items():
        if child is not None:
            found |= _tensors(child, f"{path}{name}.")
    return found


def show(state: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Return what a state holds, in order."""
    return [(key, *_told(value)) for key, value in state.items()]


def _told(value: Any) -> tuple[Any, ...]:
    if not isinstance(value, Tensor):
        return (value,)
    kind = type(value).__name__ + (", requires a gradient" if value.requires_grad else "")
    return kind, str(value.dtype).partition(".")[2], value.tolist()


def numbers(module: Any) -> dict[str, Any]:
    """Return what is in a tree, by path."""
    return {path: _told(value) for path, value in sorted(_tensors(module).items())}


def _same(module: Any, call: Callable[[], Any]) -> list[str]:
    """Return the paths of the tensors that are the same objects after `call`."""
    before = _tensors(module)
    call()
    return sorted(path for path, value in _tensors(module).items() if before.get(path) is value)


# ---- calls of the reader's methods


def _unpack(module: Any, state: Any, prefix: str = "", strict: bool = True, **noted: Any) -> Any:
    """Call `_load_from_state_dict`, and return the three lists; of each error the keys that it names."""
    missing, unexpected, errors = [], [], []
    module._load_from_state_dict(state, prefix, noted, strict, missing, unexpected, errors)
    named = [_keys_in(str(error), [*state, *missing]) for error in errors]
    lists = {"missing": missing, "unexpected": unexpected, "errors": named}
    return {name: sorted(items) for name, items in lists.items()}  # a loop may go over a set


def _keys_in(message: str, known: Any) -> list[str]:
    """Return which keys a message names."""
    names = set(re.findall(r"(?<![\w.])\w+(?:\.\w+)*", message))
    return sorted(names & {str(key) for key in known})


def _tried(call: Callable[[], Any]) -> Any:
    """Return in words which keys the report names, or what kind of an error came, and which keys its message names."""
    done = attempt(call)
    if isinstance(done.error, TypeError):
        return Words("a TypeError")
    if done.error is not None:
        known = (*_PATHS, "mask", "spare", "fc.spare", "other.w", "bias", "fc", "gone.w")
        named = ", ".join(_keys_in(str(done.error), known)) or "no key"
        return Words(f"a {type(done.error).__name__} that names {named}")
    report = done.value
    if report is None:
        return None
    missing, unexpected = report
    if missing is not report.missing_keys or unexpected is not report.unexpected_keys:
        return Words("a report whose fields are in another order")
    return Words(f"a report, missing: {sorted(missing)}, unexpected: {sorted(unexpected)}")


def _hooked(seen: list[Any], module: Any, place: str, then: Callable[..., Any] = print) -> None:
    """Put a hook into a dictionary of the Module that notes its arguments, and then calls `then` with them."""

    def hook(*args: Any) -> None:
        seen.append([_argument(module, item) for item in args])
        if then is not print:
            then(*args)

    slots_of(module)[place][len(slots_of(module)[place])] = hook


def _argument(module: Any, item: Any) -> Any:
    if item is module:
        return "the Module"
    return sorted(map(str, item)) if isinstance(item, Mapping | list | tuple) else item


def _special(Module: type) -> Any:
    """Return what makes a Module that saves and loads in its own way, and has a version."""

    def save(self: Any, destination: Any, prefix: str, keep_vars: bool) -> None:
        destination[f"{prefix}special"] = keep_vars

    def load(self: Any, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, *lists: Any) -> None:  # fmt: skip
        self.__dict__["loaded"] = state_dict.pop(f"{prefix}special", "nothing"), prefix, strict
        self.__dict__["version"] = local_metadata.get("version")

    own = {"_save_to_state_dict": save, "_load_from_state_dict": load, "_version": 3}
    return lambda: type("Special", (Module,), own)()


def _aside(Module: type) -> Any:
    """Return what makes a Module that has a `state_dict` of its own."""

    def state_dict(self: Any, *, destination: Any, prefix: str, keep_vars: bool) -> Any:
        destination[f"{prefix}aside"] = keep_vars
        return {}

    return lambda: type("Aside", (Module,), {"state_dict": state_dict})()


_WIDE = tensor([8.0, 9.0], dtype=nbmodule.float64)
_WORDS = {
    "Parameter": Parameter, "tensor": tensor, "OrderedDict": OrderedDict, "proxy": MappingProxyType, "show": show,
    "numbers": numbers, "same": _same, "unpack": _unpack, "tried": _tried, "state": _state,
}  # fmt: skip

# ---- files

_KINDS = {"F16": "float16", "F32": "float32", "F64": "float64", "I64": "int64", "BOOL": "bool"}


def saved(state: Callable[[], dict[str, Any]], old: bytes = b"") -> Callable[[Any], Any]:
    """Return a use of `save_file`: what the file holds, read by the rules of the format.

    Args:
        state: makes the state.
        old: what the file held before.
    """

    def use(save_file: Any) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "m.safetensors")
            if old:
                path.write_bytes(old)
            given = state()
            before = show(given)
            save_file(given, str(path))
            changed = {} if show(given) == before else {"the state has": "changed"}
            return {**read_by_the_rules(path.read_bytes()), **changed}

    return use


def read_by_the_rules(data: bytes) -> dict[str, Any]:
    """Return what a file holds: type, shape and numbers by key; or which rule it breaks."""
    size = int.from_bytes(data[:8], "little")
    if size > len(data) - 8:
        return {"broken": f"the first 8 bytes say {size}, and {max(len(data) - 8, 0)} bytes follow"}
    try:
        text = data[8 : 8 + size].decode()
    except UnicodeDecodeError:
        return {"broken": f"the header is not UTF-8, it begins with {data[8:20]}"}
    try:
        header = json.loads(text)
    except ValueError:
        return {"broken": f"the header is not JSON, it begins with {text[:12]}"}
    body, found, end = data[8 + size :], {}, 0
    header.pop("__metadata__", None)
    for key, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        start, stop = entry["data_offsets"]
        kind = np.dtype(_KINDS.get(entry["dtype"], "uint8"))
        if start != end or stop - start != kind.itemsize * int(np.prod(entry["shape"])):
            return {"broken": f"`{key}` has the offsets {start} and {stop}"}
        part = np.frombuffer(body[start:stop], kind) if stop <= len(body) else np.zeros(0)
        found[key] = (entry["dtype"], entry["shape"], part.tolist())
        end = stop
    return found if end == len(body) else {"broken": f"{len(body)} bytes of numbers, not {end}"}


def written(header: dict[str, Any], body: bytes, spaces: int = 0, escaped: bool = False) -> bytes:
    """Return a file with this header, all of it in ASCII if it's `escaped`."""
    text = json.dumps(header, ensure_ascii=escaped).encode() + b" " * spaces
    return len(text).to_bytes(8, "little") + text + body


def opened(data: bytes) -> Callable[[Any], Any]:
    """Return a use of `load_file`: what it gives for a file with these bytes."""

    def use(load_file: Any) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "m.safetensors")
            path.write_bytes(data)
            found = load_file(str(path))
            if not isinstance(found, dict):
                return found
            told = {
                key: (*_told(found[key]), tuple(getattr(found[key], "shape", ())))
                for key in sorted(found)
            }
            stuck = [key for key, value in found.items() if attempt(value.zero_).error]
            return {**told, "can't be changed in place": stuck} if stuck else told

    return use
