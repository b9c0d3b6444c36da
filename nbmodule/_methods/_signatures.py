"""What PyTorch's functions take, and its words for a call that does not fit.

A call is not checked beforehand: that would cost every right one. Where it fails, `bind_call` reads the
signatures of the function and raises what PyTorch would have said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from .._dtypes import dtype
from .._engine import TensorBase, wants_grad
from .._errors import invalid_call, name_of_type, warn_once
from .._settings import settings
from . import _signature_table as _tensors
from . import _signature_table_nn as _networks


class Parameter(NamedTuple):
    """One parameter of a signature: its type as PyTorch names it, and whether it may be left out.

    `nullable`: None may be given for it.
    """

    kind: str
    name: str
    default: str | None
    by_keyword: bool
    nullable: bool

    def __str__(self) -> str:
        default = "" if self.default is None else f" = {self.default}"
        return f"{self.shown_kind} {self.name}{default}"

    @property
    def shown_kind(self) -> str:
        """The type in PyTorch's words."""
        return _SHOWN_KINDS.get(self.kind, self.kind)


_SHOWN_KINDS = {
    "dtype": "nbmodule.dtype", "Generator": "nbmodule.Generator", "Tensor+": "Tensor",
    "ints": "tuple of ints", "ints1": "tuple of ints", "floats": "tuple of floats",
    "Tensors": "tuple of Tensors",
}  # fmt: skip


Signature = tuple[Parameter, ...]


@cache
def _by_name() -> dict[str, str]:
    found = {}
    tables = [v for table in (_tensors, _networks) for k, v in vars(table).items() if k.isupper()]
    for line in "".join(tables).splitlines():
        names, _, texts = line.partition(": ")
        found.update(dict.fromkeys(names.split(), texts))
    return found


def has_signature(name: str) -> bool:
    """Return whether the table has the function, or the method in place, that is called `name`."""
    return _text_of(name) is not None


def may_take_bool(name: str) -> bool:
    """Return whether a signature of `name` says "bool", without parsing it: that takes a while for all."""
    return "bool" in (_text_of(name) or "")


def _text_of(name: str) -> str | None:
    table = _by_name()
    return table.get(name) or table.get(name.rstrip("_"))


@cache
def signatures_of(name: str, method: bool) -> tuple[Signature, ...]:
    """Return the signatures of the function `name`, or of the method, which lacks the tensor itself."""
    texts = _text_of(name)
    if texts is None:
        return ()
    found = [_parsed(text) for text in texts.strip("()").split(") (")]
    if name.endswith("_") and name not in _by_name():  # the form in place of what the table has
        found = [tuple(p for p in s if p.name != "out") for s in found]
    if method:
        found = [tuple(_without_own(s)) for s in found if any(_is_own(p) for p in s)]
    return tuple(found)


def _is_own(p: Parameter) -> bool:
    return p.name in ("input", "count") and p.kind.startswith("Tensor")


def _without_own(signature: Signature) -> list[Parameter]:
    rest = [p for p in signature if p.name != "out"]
    rest.remove(next(p for p in rest if _is_own(p)))
    return rest


def _parsed(text: str) -> Signature:
    parameters, by_keyword = [], False
    for part in text.split(", "):
        if part == "*":
            by_keyword = True
            continue
        kind, _, rest = part.partition(" ")
        name, _, default = rest.partition("=")
        given = "None" if name == "out" else default or None
        nullable = kind.endswith("?") or given == "None"
        parameters.append(Parameter(kind.rstrip("?"), name, given, by_keyword, nullable))
    return tuple(parameters)


_NUMPY_NAMES = {
    "input": ("x", "a", "x1"), "other": ("x2",), "dim": ("axis",), "keepdim": ("keepdims",),
}  # fmt: skip
_ALIASES = frozenset(sum(_NUMPY_NAMES.values(), ()))


def respelled(named: Mapping[str, Any], bound: Mapping[str, Any]) -> bool:
    """Return whether an argument of `named` came under one of NumPy's names."""
    return any(n in _ALIASES and n not in bound for n in named)


def _fits(value: Any, kind: str) -> bool:
    """Return whether PyTorch takes `value` for a parameter of this kind."""
    if isinstance(value, TensorBase):
        if kind.startswith("Tensor"):
            return kind != "Tensors"
        plain = value._array.ndim == 0 and not wants_grad(value)
        whole = value._array.dtype.kind in "iu"
        return plain and (kind in ("Number", "float") or (kind == "int" and whole))
    if isinstance(value, np.ndarray):  # which knows how to become a number, but is none
        return kind == "Any"
    if kind in ("Number", "float", "Tensor+"):
        return hasattr(value, "__float__") and (
            isinstance(value, (int, float)) or (hasattr(value, "dtype") and not value.shape)
        )
    if kind == "int":
        return (isinstance(value, int) and not isinstance(value, bool)) or (
            hasattr(value, "__index__") and not isinstance(value, bool)
        )
    if kind == "Any":
        return True
    if kind in ("ints", "ints1", "floats", "Tensors"):
        if isinstance(value, (list, tuple)):
            one = {"floats": "float", "Tensors": "Tensor"}.get(kind, "int")
            return all(_fits(x, one) for x in value)
        return kind == "ints1" and _fits(value, "int")
    if kind == "bool":
        return isinstance(value, bool)
    if kind == "str":
        return isinstance(value, str)
    if kind == "dtype":
        return isinstance(value, (dtype, type))
    if kind == "Generator":
        return hasattr(value, "initial_seed")
    return False


def _bind(name: str, signature: Signature, args: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:  # fmt: skip
    """Return the arguments by PyTorch's names.

    Raises:
        TypeError: they do not fit; in PyTorch's words for a function of one signature.
    """
    places = [p for p in signature if not p.by_keyword]
    if len(places) == 1 and places[0].kind == "ints" and args and _fits(args[0], "int"):
        args = (args,)  # sizes may come one by one
    if len(args) > len(places):
        least = sum(p.default is None for p in signature)
        raise TypeError(_too_many(name, places, least, len(args)))
    bound, used = dict[str, Any](), 0
    late: Exception | None = (
        None  # PyTorch looks into sequences once all arguments have their types
    )
    for i, p in enumerate(signature):
        spelling = next((n for n in (p.name, *_NUMPY_NAMES.get(p.name, ())) if n in named), None)
        if i < len(args) and not p.by_keyword:
            value = args[i]
        elif spelling is not None:
            value, used = named[spelling], used + 1
        elif p.default is not None:
            continue
        else:
            raise TypeError(_missing(name, signature[len(args) :], named))
        if value is None and p.nullable:
            if p.default is None:
                bound[p.name] = None
            continue
        if not _fits(value, p.kind):
            if p.kind == "Tensors" and isinstance(value, (list, tuple)):
                raise TypeError(_stranger(value, i))
            error = TypeError(_unfit(name, p, value, i + 1 if i < len(args) else 0))
            if not _begins_well(p, value):
                raise error
            late = late or error
        late = late or _too_large(name, p, value)
        bound[p.name] = value
    if used < len(named):
        known = {p.name for p in signature}
        for n in named:
            if n not in known:
                raise TypeError(f"{name}() got an unexpected keyword argument '{n}'")
        twice = next(n for n in named if n in [p.name for p in places[: len(args)]])
        raise TypeError(f"{name}() got multiple values for argument '{twice}'")
    if late is not None:
        raise late
    return bound


def _begins_well(p: Parameter, value: Any) -> bool:
    """Return whether `value` is a sequence of numbers whose first element fits."""
    one = {"ints": "int", "ints1": "int", "floats": "float"}.get(p.kind)
    return one is not None and isinstance(value, (list, tuple)) and _fits(value[0], one)


_UNPACKING = "failed to unpack the object at pos"
_OVERFLOW = "Overflow when unpacking long long"


def _too_large(name: str, p: Parameter, value: Any) -> Exception | None:
    """Return the error for a whole number that 64 bits cannot hold; None where there is none."""
    if p.kind not in ("int", "ints", "ints1"):
        return None
    several = isinstance(value, (list, tuple))
    for i, n in enumerate(value if several else (value,), 1):
        if isinstance(n, int) and not -(2**63) <= n < 2**63:
            if not several:
                return ValueError(_OVERFLOW)
            return TypeError(
                f"{name}(): argument '{p.name}' {_UNPACKING} {i} with error \"{_OVERFLOW}"
            )
    return None


def _unfit(name: str, p: Parameter, value: Any, position: int) -> str:
    """Return PyTorch's words for a value of the wrong type; `position` is 0 where it came by its name."""
    if p.kind in ("ints", "ints1") and isinstance(value, (list, tuple)):
        at, found = next((i, x) for i, x in enumerate(value) if not _fits(x, "int"))
        if at:
            return (
                f"{name}(): argument '{p.name}' {_UNPACKING} {at + 1} with error "
                f'"type must be {p.shown_kind},but got {name_of_type(found)}"'
            )
        if position:
            return (
                f"{name}(): argument '{p.name}' (position {position}) must be {p.shown_kind}, but found element "
                f"of type {name_of_type(found)} at pos 0"
            )
    place = f" (position {position})" if position else ""
    return f"{name}(): argument '{p.name}'{place} must be {p.shown_kind}, not {name_of_type(value)}"


def _stranger(values: Sequence[Any], argument: int) -> str:
    place, found = next((i, x) for i, x in enumerate(values) if not isinstance(x, TensorBase))
    return (
        f"expected Tensor as element {place} in argument {argument}, but got {name_of_type(found)}"
    )


def _too_many(name: str, places: Sequence[Parameter], least: int, given: int) -> str:
    most = len(places)
    count = f"{most}" if most == least else f"from {least} to {most}"
    s = "" if most == least == 1 else "s"
    were = "was" if given == 1 else "were"
    return f"{name}() takes {count} positional argument{s} but {given} {were} given"


def _missing(name: str, rest: Sequence[Parameter], named: Mapping[str, Any]) -> str:
    lost = [
        p.name
        for p in rest
        if p.default is None
        and not any(n in named for n in (p.name, *_NUMPY_NAMES.get(p.name, ())))
    ]
    quoted = ", ".join(f'"{n}"' for n in lost)
    s = "s" if len(lost) == 1 else ""  # PyTorch has it this way round
    return f"{name}() missing {len(lost)} required positional argument{s}: {quoted}"


def _combination(name: str, signatures: Sequence[Signature], args: Sequence[Any], named: Mapping[str, Any]) -> str:  # fmt: skip
    """Return PyTorch's words where several signatures were tried in vain."""
    start = f"{name}() received an invalid combination of arguments - got "
    if len(signatures) > 1:
        shown = (f"\n * ({_listed(s)})" for s in signatures)
        return str(invalid_call(name, args, dict(named), "".join(shown) + "\n"))
    known = {p.name for p in signatures[0]}
    if unknown := [n for n in named if n not in known]:
        return f"{start}unrecognized keyword arguments: {', '.join(unknown)}"
    if not _plausible(signatures[0], len(args) + len(named)):
        got = ", ".join(map(name_of_type, args))
        return f"{start}({got}), but expected ({_listed(signatures[0])})"
    places = [p for p in signatures[0] if not p.by_keyword]
    got = [_marked(a, places[i] if i < len(places) else None) for i, a in enumerate(args)]
    got += [f"{n}={name_of_type(value)}" for n, value in reversed([*named.items()])]
    return f"{start}({', '.join(got)}), but expected ({_listed(signatures[0])})"


def _marked(value: Any, p: Parameter | None) -> str:
    """Return the type of `value`, between exclamation marks where it does not fit."""
    inside = ", ".join(name_of_type(x) for x in value) if isinstance(value, (list, tuple)) else ""
    found = name_of_type(value) + (f" of [{inside}]" if inside else "")
    return found if p is not None and _fits(value, p.kind) else f"!{found}!"


def _listed(signature: Signature) -> str:
    parts = [str(p) for p in signature if not p.by_keyword]
    late = [str(p) for p in signature if p.by_keyword]
    return ", ".join(parts + (["*", *late] if late else []))


def _plausible(signature: Signature, count: int) -> bool:
    return sum(p.default is None for p in signature) <= count <= len(signature)


_HIDDEN = frozenset({"add", "sub", "addcmul", "addcdiv", "addmv", "addr", "addbmm"})
"""Functions with a further signature from the past, which PyTorch does not show."""


_SUMS = frozenset({"addmm", "addmv", "addr", "baddbmm", "addbmm"})
"""Sums with products of matrices, whose factors once came before what they multiply."""

_older_forms: list[str] = []


def from_older_form(
    name: str, args: Sequence[Any]
) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """Return what was meant by ``x.add(alpha, other)``, as PyTorch still takes it with a warning, else None.

    Args:
        name: of a method.
        args: what it was given by position.
    """
    stem = name.rstrip("_")
    if stem in _SUMS:
        return _older_sum(args)
    factor = "alpha" if stem in ("add", "sub") else "value"
    if stem not in _HIDDEN or len(args) != (2 if factor == "alpha" else 3):
        return None
    if isinstance(args[0], TensorBase) or not all(
        _fits(a, "Number" if i == 0 or factor == "alpha" else "Tensor") or isinstance(a, TensorBase)
        for i, a in enumerate(args)
    ):
        return None
    others = "Tensor other" if factor == "alpha" else "Tensor tensor1, Tensor tensor2"
    if settings.warn_always or not _older_forms:  # PyTorch says it of the first one alone
        _older_forms.append(name)
        warn_once(
            f"This overload of {name} is deprecated:\n\t{name}(Number {factor}, {others})\nConsider using "
            f"one of the following signatures instead:\n\t{name}({others}, *, Number {factor} = 1)",
            3,
        )
    return tuple(args[1:]), {factor: args[0]}


def _older_sum(args: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """Return what was meant by ``x.addmm(beta, a, b)`` or ``x.addmm(beta, alpha, a, b)``, else None."""
    numbers = [a for a in args[:-2] if _fits(a, "Number") and not isinstance(a, TensorBase)]
    tensors = [a for a in args[-2:] if isinstance(a, TensorBase)]
    if len(args) not in (3, 4) or len(numbers) != len(args) - 2 or len(tensors) != 2:
        return None
    return tuple(tensors), dict(zip(("beta", "alpha"), numbers, strict=False))


def bind_call(name: str, method: bool, args: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any] | None:  # fmt: skip
    """Return the arguments of a call by PyTorch's names; None for a function that the table lacks.

    Raises:
        TypeError: no signature takes them; in PyTorch's words.
    """
    signatures = signatures_of(name, method)
    if not signatures:
        return None
    if method and signatures == ((),):
        if named:
            raise TypeError(f"TensorBase.{name}() takes no keyword arguments")
        if args:
            raise TypeError(f"TensorBase.{name}() takes no arguments ({len(args)} given)")
        return {}
    for signature in signatures:
        try:
            return _bind(name, signature, args, named)
        except TypeError as error:
            within = str(error).startswith("expected Tensor as element") or _UNPACKING in str(error)
            if within or (len(signatures) == 1 and name.rstrip("_") not in _HIDDEN):
                raise
    count = len(args) + len(named)
    plausible = [s for s in signatures if _plausible(s, count)]
    if len(plausible) == 1:
        return _bind(name, plausible[0], args, named)
    raise TypeError(_combination(name, signatures, args, named))
