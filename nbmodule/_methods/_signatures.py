"""What PyTorch's functions take, and its words for a call that does not fit.

A call is not checked beforehand: that would cost every right one. Where it fails, `explain_call` reads the
signatures of the function and raises what PyTorch would have said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from .._dtypes import dtype
from .._engine import TensorBase, wants_grad
from .._errors import name_of_type
from ._signatures_of_shapes import TABLE

_TABLE = """
abs absolute acos acosh angle arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh bitwise_not ceil conj_physical cos cosh deg2rad digamma erf erfc erfinv exp exp2 expm1 fix floor frac i0 isneginf isposinf lgamma log log10 log1p log2 logical_not neg negative rad2deg reciprocal rsqrt sgn sigmoid sign signbit sin sinc sinh sqrt square tan tanh trunc frexp: (Tensor input, *, Tensor out)
special_digamma special_entr special_erf special_erfc special_erfcx special_erfinv special_exp2 special_expit special_expm1 special_gammaln special_i0 special_i0e special_i1 special_i1e special_log1p special_log_ndtr special_ndtr special_ndtri special_psi special_sinc special_bessel_j0 special_bessel_j1 special_bessel_y0 special_bessel_y1 special_modified_bessel_i0 special_modified_bessel_i1: (Tensor input, *, Tensor out)
isnan isinf isfinite isreal positive relu selu real conj detach clone: (Tensor input)
add: (Tensor+ input, Tensor+ other, *, Number alpha=1, Tensor out)
sub: (Tensor+ input, Tensor+ other, *, Number alpha=1, Tensor out)
subtract: (Tensor+ input, Tensor+ other, *, Number alpha=1, Tensor out) (Tensor input, Number other, Number alpha=1)
mul: (Tensor+ input, Tensor+ other, *, Tensor out)
multiply true_divide: (Tensor+ input, Tensor+ other, *, Tensor out) (Tensor input, Number other)
div: (Tensor+ input, Tensor+ other, *, Tensor out) (Tensor+ input, Tensor+ other, *, str rounding_mode, Tensor out) (Tensor input, Number other, *, str rounding_mode)
divide: (Tensor+ input, Tensor+ other, *, Tensor out) (Tensor+ input, Tensor+ other, *, str rounding_mode, Tensor out) (Tensor input, Number other) (Tensor input, Number other, *, str rounding_mode)
rsub: (Tensor input, Tensor other, *, Number alpha=1) (Tensor input, Number other, Number alpha=1)
floor_divide: (Tensor+ input, Tensor+ other, *, Tensor out) (Tensor input, Number other)
fmod copysign eq ne lt le gt ge not_equal less less_equal greater greater_equal: (Tensor input, Tensor other, *, Tensor out) (Tensor input, Number other, *, Tensor out)
remainder bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift: (Tensor input, Tensor other, *, Tensor out) (Number self, Tensor other) (Tensor input, Number other, *, Tensor out)
xlogy special_xlogy special_xlog1py special_zeta: (Tensor input, Tensor other, *, Tensor out) (Number self, Tensor other, *, Tensor out) (Tensor input, Number other, *, Tensor out)
pow float_power: (Tensor input, Tensor exponent, *, Tensor out) (Number self, Tensor exponent, *, Tensor out) (Tensor input, Number exponent, *, Tensor out)
atan2 arctan2 fmax fmin gcd hypot igamma igammac lcm ldexp logaddexp logaddexp2 logical_and logical_or logical_xor maximum minimum nextafter special_gammainc special_gammaincc: (Tensor input, Tensor other, *, Tensor out)
heaviside: (Tensor input, Tensor values, *, Tensor out)
equal: (Tensor input, Tensor other)
isclose allclose: (Tensor input, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False)
clamp clip: (Tensor input, Tensor min=None, Tensor max=None, *, Tensor out) (Tensor input, Number min=None, Number max=None, *, Tensor out)
clamp_min: (Tensor input, Tensor min, *, Tensor out) (Tensor input, Number min, *, Tensor out)
clamp_max: (Tensor input, Tensor max, *, Tensor out) (Tensor input, Number max, *, Tensor out)
lerp: (Tensor input, Tensor end, Tensor weight, *, Tensor out) (Tensor input, Tensor end, Number weight, *, Tensor out)
addcmul addcdiv: (Tensor input, Tensor tensor1, Tensor tensor2, *, Number value=1, Tensor out)
nan_to_num: (Tensor input, float nan=None, float posinf=None, float neginf=None, *, Tensor out)
logit special_logit: (Tensor input, float eps=None, *, Tensor out)
polygamma special_polygamma: (int n, Tensor input, *, Tensor out)
mvlgamma special_multigammaln: (Tensor input, int p, *, Tensor out)
round: (Tensor input, *, Tensor out) (Tensor input, *, int decimals, Tensor out)
special_round: (Tensor input, *, int decimals=0, Tensor out)
isin: (Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool invert=False, Tensor out) (Number element, Tensor test_elements, *, bool assume_unique=False, bool invert=False, Tensor out) (Tensor elements, Number test_element, *, bool assume_unique=False, bool invert=False, Tensor out)
celu: (Tensor input, Number alpha=1.0)
rrelu: (Tensor input, Number lower=0.125, Number upper=0.333333, bool training=False, Generator generator=None)
prelu: (Tensor input, Tensor weight)
threshold: (Tensor input, Number threshold, Number value)
hardshrink: (Tensor input, Number lambd=0.5, *, Tensor out)
softmax log_softmax: (Tensor input, int dim, dtype dtype=None, *, Tensor out)
masked_fill: (Tensor input, Tensor mask, Tensor value) (Tensor input, Tensor mask, Number value)
where: (Tensor condition) (Tensor condition, Tensor input, Tensor other, *, Tensor out) (Tensor condition, Number self, Tensor other) (Tensor condition, Tensor input, Number other) (Tensor condition, Number self, Number other)
bernoulli: (Tensor input, *, Generator generator=None, Tensor out) (Tensor input, float p, *, Generator generator=None)
multinomial: (Tensor input, int num_samples, bool replacement=False, *, Generator generator=None, Tensor out)
poisson: (Tensor input, Generator generator=None)
binomial: (Tensor count, Tensor prob, Generator generator=None)
uniform_: (Tensor input, float from=0.0, float to=1.0, *, Generator generator=None)
normal_: (Tensor input, float mean=0.0, float std=1.0, *, Generator generator=None)
log_normal_: (Tensor input, float mean=1.0, float std=2.0, *, Generator generator=None)
cauchy_: (Tensor input, float median=0.0, float sigma=1.0, *, Generator generator=None)
exponential_: (Tensor input, float lambd=1.0, *, Generator generator=None)
geometric_: (Tensor input, float p, *, Generator generator=None)
bernoulli_: (Tensor input, Tensor p, *, Generator generator=None) (Tensor input, float p=0.5, *, Generator generator=None)
random_: (Tensor input, *, Generator generator=None) (Tensor input, int from, int to, *, Generator generator=None) (Tensor input, int to, *, Generator generator=None)
"""
# `Tensor+` takes a number as well, `Tensor out` stands for `Tensor out = None`.


class Parameter(NamedTuple):
    """One parameter of a signature: its type as PyTorch names it, and whether it may be left out."""

    kind: str
    name: str
    default: str | None
    by_keyword: bool

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
    for line in (_TABLE.strip() + TABLE.rstrip()).splitlines():
        names, _, texts = line.partition(": ")
        found.update(dict.fromkeys(names.split(), texts))
    return found


def has_signature(name: str) -> bool:
    """Return whether the table has the function, or the method in place, that is called `name`."""
    return name in _by_name() or name.rstrip("_") in _by_name()


@cache
def signatures_of(name: str, method: bool) -> tuple[Signature, ...]:
    """Return the signatures of the function `name`, or of the method, which lacks the tensor itself."""
    texts = _by_name().get(name) or _by_name().get(name.rstrip("_"))
    if texts is None:
        return ()
    found = [_parsed(text) for text in texts.strip("()").split(") (")]
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
        parameters.append(
            Parameter(kind, name, "None" if name == "out" else default or None, by_keyword)
        )
    return tuple(parameters)


_NUMPY_NAMES = {
    "input": ("x", "a", "x1"), "other": ("x2",), "dim": ("axis",), "keepdim": ("keepdims",),
}  # fmt: skip


def _fits(value: Any, kind: str) -> bool:
    """Return whether PyTorch takes `value` for a parameter of this kind."""
    if isinstance(value, TensorBase):
        if kind.startswith("Tensor"):
            return True
        plain = value._array.ndim == 0 and not wants_grad(value)
        whole = value._array.dtype.kind in "iu"
        return plain and (kind in ("Number", "float") or (kind == "int" and whole))
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
    if len(args) > len(places):
        least = sum(p.default is None for p in signature)
        raise TypeError(_too_many(name, places, least, len(args)))
    bound, used = dict[str, Any](), 0
    for i, p in enumerate(signature):
        spelling = next((n for n in (p.name, *_NUMPY_NAMES.get(p.name, ())) if n in named), None)
        if i < len(args) and not p.by_keyword:
            value = args[i]
        elif spelling is not None:
            value, used = named[spelling], used + 1
        elif p.default is not None:
            continue
        else:
            raise TypeError(_missing(name, places[len(args) :], named))
        if value is None and p.default is not None:
            continue
        if not _fits(value, p.kind):
            place = "" if i >= len(args) else f" (position {i + 1})"
            raise TypeError(
                f"{name}(): argument '{p.name}'{place} must be {p.shown_kind}, not "
                f"{name_of_type(value)}"
            )
        bound[p.name] = value
    if used < len(named):
        known = {p.name for p in signature}
        for n in named:
            if n not in known and n not in sum(_NUMPY_NAMES.values(), ()):
                raise TypeError(f"{name}() got an unexpected keyword argument '{n}'")
        twice = next(
            n for n in named if n in [p.name for p in places[: len(args)]] or n not in known
        )
        raise TypeError(f"{name}() got multiple values for argument '{twice}'")
    return bound


def _too_many(name: str, places: Sequence[Parameter], least: int, given: int) -> str:
    most = len(places)
    count = f"{most}" if most == least else f"from {least} to {most}"
    s = "" if most == least == 1 else "s"
    return f"{name}() takes {count} positional argument{s} but {given} were given"


def _missing(name: str, rest: Sequence[Parameter], named: Mapping[str, Any]) -> str:
    lost = [p.name for p in rest if p.default is None and p.name not in named]
    quoted = ", ".join(f'"{n}"' for n in lost)
    s = "s" if len(lost) == 1 else ""  # PyTorch has it this way round
    return f"{name}() missing {len(lost)} required positional argument{s}: {quoted}"


def _combination(name: str, signatures: Sequence[Signature], args: Sequence[Any], named: Mapping[str, Any]) -> str:  # fmt: skip
    """Return PyTorch's words where several signatures were tried in vain."""
    start = f"{name}() received an invalid combination of arguments - got "
    if len(signatures) > 1:
        got = [name_of_type(a) for a in args]
        got += [f"{n}={name_of_type(value)}" for n, value in named.items()]
        shown = [f" * ({_listed(s)})\n" for s in signatures]
        comma = ", " if named and not args else ""  # PyTorch has it so
        return f"{start}({', '.join(got)}{comma}), but expected one of:\n{''.join(shown)}"
    known = {p.name for p in signatures[0]}
    if unknown := [n for n in named if n not in known]:
        return f"{start}unrecognized keyword arguments: {', '.join(unknown)}"
    places = [p for p in signatures[0] if not p.by_keyword]
    got = [_marked(a, places[i] if i < len(places) else None) for i, a in enumerate(args)]
    got += [f"{n}={name_of_type(value)}" for n, value in named.items()]
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


_HIDDEN = frozenset({"add", "sub", "addcmul", "addcdiv"})
"""Functions with a further signature from the past, which PyTorch does not show."""


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
        except TypeError:
            if len(signatures) == 1 and name.rstrip("_") not in _HIDDEN:
                raise
    count = len(args) + len(named)
    plausible = [s for s in signatures if _plausible(s, count)]
    if len(plausible) == 1:
        return _bind(name, plausible[0], args, named)
    raise TypeError(_combination(name, signatures, args, named))
