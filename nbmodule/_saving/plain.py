"""Plain nests: what may be saved, as named arrays and one JSON text, and back.

``{"model": model.state_dict(), "epoch": 3}`` becomes the arrays ``"model.weight"``, ``"model.bias"`` and

    {"model": {"$ordered": {"weight": {"$tensor": "model.weight"}, ...}}, "epoch": 3}

What JSON has stays as it is. Everything else is an object whose first key starts with ``$`` and names a
type of the tables below: to read it back is to look into a table, so no file can name a function to call.
"""

from __future__ import annotations

import base64
import json
import math
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module
from pickle import UnpicklingError
from typing import Any

import numpy as np

from .. import _dtypes
from .._backend import META
from .._device import device
from .._dtypes import dtype
from .._methods.sizes import Size
from .._tensor import Tensor
from .damage import damaged
from .keys import check_keys, checked_set
from .memories import Memories, Misfit, Places
from .places import placed

VERSION = 1
"""Which of these notations a file is written in."""

DEEPEST = 100
"""How many containers may lie within one another."""

ALLOWED = (
    "dict, OrderedDict, Counter, list, tuple, set, str, bytes, bytearray, int, float, complex, bool, "
    "None, tensors, parameters, Size, dtype, device, and NumPy's arrays and scalars of numbers"
)
Keys = tuple[Any, ...]
Json = Any


def shown(path: Keys) -> str:
    """Return `path` as one writes it in Python: ``obj['optimizer']['state'][0]``."""
    return "obj" + "".join(f"[{key!r}]" for key in path)


def unsaveable(path: str, obj: Any) -> TypeError:
    """Return the error for something that cannot be saved, at `path`, with what to do."""
    kind = type(obj)
    name = f"{kind.__module__}.{kind.__qualname__}"
    if callable(getattr(obj, "state_dict", None)):
        advice = "Save its state_dict() instead, and load that into a new one: no code has to be in the file."
    elif hasattr(kind, "materialize"):
        advice = "It has no shape yet: run a first batch through the model."
    elif isinstance(obj, Tensor):
        advice = "Save a plain tensor instead: .detach().as_subclass(nbmodule.Tensor)."
    else:
        advice = f"What can be saved: {ALLOWED}."
    return TypeError(f"cannot save {path}, which is of type {name}\n{advice}")


def check_readable(keys: Iterable[Any], path: Keys, wide: int = 0) -> int:
    """Return what `check_keys` returns for `keys` at `path`: what could not be read is not written.

    Raises:
        ValueError: `load` would refuse them.
    """
    try:
        return check_keys(keys, wide)
    except UnpicklingError as e:
        raise ValueError(f"cannot save {shown(path)}: {e}, which load refuses") from None


@cache
def parameter_class() -> Any:
    """Return `nn.Parameter`. By name, because `nn` lies above this folder."""
    return import_module("..nn.parameter", __package__).Parameter


# ---- writing


def flatten(obj: Any, **facts: Any) -> tuple[dict[str, np.ndarray], str]:
    """Return the arrays of `obj` by name, and its structure as JSON of ASCII letters, with the `facts` in front.

    Tensors that share memory share one array. The arrays are contiguous, and not copied if they were.

    Raises:
        TypeError: `obj` holds something that cannot be saved; the message says where.
        ValueError: it is nested too deeply, or holds itself.
    """
    memories = Memories()
    tree = _Writer(memories).write(obj, ())
    arrays = memories.settle()
    return arrays, json.dumps({"version": VERSION, **facts, "obj": tree}, separators=(",", ":"))


class _Writer:
    """Turns values into JSON, and collects the tensors on the way."""

    def __init__(self, memories: Memories) -> None:
        self.memories = memories

    def write(self, value: Any, path: Keys) -> Json:
        """Return `value`, which lies at `path`, as JSON."""
        if len(path) > DEEPEST:
            raise ValueError(
                f"{shown(path[:4])}... is nested more than {DEEPEST} deep, or holds itself"
            )
        how = _WRITE.get(type(value))
        if how is not None:
            return how(self, value, path)
        if isinstance(value, np.generic) and value.dtype in _dtypes.of_numpy:
            return {"$scalar": [value.dtype.name, self.write(value.item(), path)]}
        if isinstance(value, Tensor):
            return self.tensor(value, path)
        raise unsaveable(shown(path), value)

    def items(self, values: Any, path: Keys) -> list:
        return [self.write(v, (*path, i)) for i, v in enumerate(values)]

    def mapping(self, value: Mapping, path: Keys) -> Json:
        """Return a JSON object if all keys are text that it can hold, else a list of pairs."""
        if all(type(k) is str and not k.startswith("$") for k in value):
            return {k: self.write(v, (*path, k)) for k, v in value.items()}
        check_readable(value, path)
        return [[self.write(k, path), self.write(v, (*path, k))] for k, v in value.items()]

    def plain_dict(self, value: dict, path: Keys) -> Json:
        written = self.mapping(value, path)
        return {"$dict": written} if isinstance(written, list) else written

    def ordered(self, value: OrderedDict, path: Keys) -> Json:
        written = {"$ordered": self.mapping(value, path)}
        metadata = getattr(value, "_metadata", None)  # the versions that a state dict carries along
        return written if metadata is None else written | {"metadata": self.write(metadata, path)}

    def tensor(self, t: Tensor, path: Keys) -> Json:
        if type(t) not in (Tensor, parameter_class()):
            raise unsaveable(shown(path), t)
        if t.device == META:
            raise TypeError(
                f"cannot save {shown(path)}: it is on the meta device and has no numbers"
            )
        marks = {"requires_grad": True} if t.requires_grad else {}
        if isinstance(t, parameter_class()):
            marks["parameter"] = True
        return self.memories.add("$tensor", t, t._array, path, marks)

    def array(self, a: np.ndarray, path: Keys) -> Json:
        native = a.astype(a.dtype.newbyteorder("="), copy=False)
        # no tensor runs backwards, so files have no word for it
        if min(native.strides, default=0) < 0:
            native = native.copy()
        if native.dtype not in _dtypes.of_numpy:
            raise TypeError(
                f"cannot save {shown(path)}, an array of {a.dtype}: only numbers and bools"
            )
        return self.memories.add("$array", a, native, path, {})


def _number(_: Any, x: float, path: Keys) -> Json:
    return x if math.isfinite(x) else {"$float": str(x)}


def _whole(_: Any, n: int, path: Keys) -> Json:
    return n if -(2**63) <= n < 2**64 else {"$int": hex(n)}


def _same(_: Any, value: Any, path: Keys) -> Json:
    return value


def _row(tag: str) -> Any:
    return lambda writer, value, path: {tag: writer.items(value, path)}


def _members(tag: str) -> Any:
    def write(writer: _Writer, value: Any, path: Keys) -> Json:
        check_readable(value, path)
        # sorted, so that equal sets give equal files
        return {tag: writer.items(sorted(value, key=repr), path)}

    return write


_WRITE: dict[type, Callable[[_Writer, Any, Keys], Json]] = {
    type(None): _same,
    bool: _same,
    str: _same,
    int: _whole,
    float: _number,
    complex: lambda w, z, path: {"$complex": w.items([z.real, z.imag], path)},
    bytes: lambda w, b, path: {"$bytes": base64.b64encode(b).decode()},
    bytearray: lambda w, b, path: {"$bytearray": base64.b64encode(b).decode()},
    list: lambda w, value, path: w.items(value, path),
    tuple: _row("$tuple"),
    set: _members("$set"),
    frozenset: _members("$frozenset"),
    slice: lambda w, s, path: {"$slice": w.items([s.start, s.stop, s.step], path)},
    Size: _row("$Size"),
    dtype: lambda w, d, path: {"$dtype": d.name},
    device: lambda w, d, path: {"$device": str(d)},
    dict: _Writer.plain_dict,
    OrderedDict: _Writer.ordered,
    Counter: lambda w, c, path: {"$counter": w.mapping(c, path)},
    np.ndarray: _Writer.array,
}


# ---- reading


def unflatten(file: Any, arrays: Mapping[str, np.ndarray], text: str | bytes | None, map_location: Any) -> Any:  # fmt: skip
    """Return what `flatten` took apart; a dict of tensors where there is no structure.

    Args:
        file: where all this comes from, for errors.
        arrays: the arrays by name, writable, each with memory of its own.
        text: the structure, None in files of others.
        map_location: on which devices tensors shall be.

    Raises:
        RuntimeError: the two do not fit together, or `text` is not what `flatten` writes.
    """
    places = Places(arrays)
    try:
        obj = _without_structure(places) if text is None else _read(text, places)
    except Misfit as e:
        raise damaged(file, str(e)) from None
    # Only now, outside of `try`: an error of the user's `map_location` is none of the file's.
    for t in places.tensors():
        moved = placed(t.detach(), map_location)
        t._array, t._storage = moved._array, moved._storage
    return obj


def _without_structure(places: Places) -> dict[str, Tensor]:
    return {name: places.once(name, {}, lambda t, node: t) for name in places.names()}


def _read(text: str | bytes, places: Places) -> Any:
    try:
        document = json.loads(text, parse_constant=_no_constant)
        if not isinstance(document, dict) or document.get("version") != VERSION:
            raise Misfit(f"its structure is no nbmodule structure of version {VERSION}")
        obj = _Reader(places).read(document["obj"], 0)
        places.check_all_used()
    except Misfit:
        raise
    except RecursionError:
        raise Misfit(f"its structure is nested more than {DEEPEST} deep") from None
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError, RuntimeError, UnpicklingError) as e:  # fmt: skip
        raise Misfit(f"its structure is damaged ({type(e).__name__}: {e})") from None
    return obj


def _no_constant(name: str) -> Any:
    raise Misfit(f"its structure holds {name}, which is not JSON")


class _Reader:
    """Turns JSON back into values."""

    def __init__(self, places: Places) -> None:
        self.places = places

    def read(self, tree: Json, depth: int) -> Any:
        """Return the value that `tree` stands for."""
        if depth > 2 * DEEPEST:  # a container is at most two levels of JSON
            raise Misfit(f"its structure is nested more than {DEEPEST} deep")
        if isinstance(tree, list):
            return [self.read(v, depth + 1) for v in tree]
        if not isinstance(tree, dict):
            return tree
        tag = next(iter(tree), "")
        if not tag.startswith("$"):
            return self.pairs(tree, depth)
        how = _READ.get(tag)
        if how is None:
            raise Misfit(f"its structure names {tag!r}, which is unknown here")
        return how(self, tree[tag], tree, depth + 1)

    def pairs(self, tree: Json, depth: int) -> dict:
        if isinstance(tree, dict):
            return {k: self.read(v, depth + 1) for k, v in tree.items()}
        keys = [self.read(k, depth + 1) for k, _ in tree]
        check_keys(keys)
        return dict(zip(keys, [self.read(v, depth + 1) for _, v in tree], strict=True))

    def ordered(self, tree: Json, node: dict, depth: int) -> OrderedDict:
        out: Any = OrderedDict(self.pairs(tree, depth))
        if "metadata" in node:
            out._metadata = self.read(node["metadata"], depth)
        return out

    def tensor(self, name: str, node: dict, depth: int) -> Tensor:
        return self.places.once(name, node, self.build)

    def build(self, t: Tensor, node: dict) -> Tensor:
        if node.get("parameter") is True:
            return parameter_class()(t, node.get("requires_grad", False))
        return t.requires_grad_() if node.get("requires_grad") is True else t

    def scalar(self, pair: list, depth: int) -> np.generic:
        name, number = pair
        return _dtypes.named(name).numpy.type(self.read(number, depth))

    def rows(self, tree: list, depth: int) -> list:
        return [self.read(v, depth) for v in tree]


def _built(kind: Callable[[list], Any]) -> Any:
    return lambda reader, tree, node, depth: kind(reader.rows(tree, depth))


_FLOATS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}

_READ: dict[str, Callable[[_Reader, Any, dict, int], Any]] = {
    "$float": lambda r, text, node, depth: _FLOATS[text],
    "$int": lambda r, text, node, depth: int(text, 16),
    "$complex": _built(lambda parts: complex(*parts)),
    "$bytes": lambda r, text, node, depth: base64.b64decode(text, validate=True),
    "$bytearray": lambda r, text, node, depth: bytearray(base64.b64decode(text, validate=True)),
    "$tuple": _built(tuple),
    "$set": _built(checked_set),
    "$frozenset": _built(lambda parts: frozenset(checked_set(parts))),
    "$slice": _built(lambda parts: slice(*parts)),
    "$Size": _built(Size),
    "$dtype": lambda r, name, node, depth: _dtypes.named(name),
    "$device": lambda r, name, node, depth: device(name),
    "$scalar": lambda r, pair, node, depth: r.scalar(pair, depth),
    "$dict": lambda r, pairs, node, depth: r.pairs(pairs, depth),
    "$ordered": _Reader.ordered,
    "$counter": lambda r, pairs, node, depth: Counter(r.pairs(pairs, depth)),
    "$tensor": _Reader.tensor,
    "$array": lambda r, name, node, depth: r.places.array(name, node),
}
