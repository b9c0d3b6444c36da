"""What `inspect.signature`, `help` and Jupyter show of a method, or of a function made of one.

The `def` that a method is says what it takes. An operation made of a rule has none: there PyTorch's table says it. Where
the table has several signatures, the longest is shown, and what another one does without may be left out.
"""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Callable
from inspect import Parameter, Signature, unwrap
from typing import Any

from . import _signatures as table

_TYPES = {
    "Tensor+": "Tensor | float", "Tensors": "Sequence[Tensor]", "Number": "float", "ints": "Sequence[int]",
    "ints1": "int | Sequence[int]", "floats": "Sequence[float]",
}  # fmt: skip
"""The kinds of parameters in the table that Python calls otherwise."""


def shown_signature(method: Callable[..., Any], name: str, is_method: bool) -> Signature:
    """Return the signature of what is made of `method`, and is called `name` in PyTorch's table.

    `is_method`: a method of Tensor; a function has `input` for `self`, and ``out`` where PyTorch's has.
    """
    definition = Signature.from_callable(unwrap(method))
    parameters = [*definition.parameters.values()]
    if of_rule := parameters[0].name == "xp":
        del parameters[0]
    known = table.signatures_of(name, is_method)
    if known and (of_rule or any(p.kind is p.VAR_KEYWORD for p in parameters)):
        parameters = _most_general(known)
        if is_method:
            parameters.insert(0, Parameter("self", Parameter.POSITIONAL_OR_KEYWORD))
    elif parameters[0].name == "self" and not is_method:
        parameters = [_of_function(p) for p in parameters]
    takes_out = not is_method and any(p.name == "out" for s in known for p in s)
    if takes_out and parameters[-1].name != "out":
        kind = Parameter.KEYWORD_ONLY
        parameters.append(Parameter("out", kind, default=None, annotation="Tensor | None"))
    result = "Tensor" if of_rule else definition.return_annotation
    return Signature(parameters, return_annotation=result)


def _of_function(p: Parameter) -> Parameter:
    """Return the parameter `p` of a method as a function has it: sizes come in one argument."""
    if p.kind is p.VAR_POSITIONAL:
        return p.replace(kind=p.POSITIONAL_OR_KEYWORD)
    return p.replace(name="input", annotation="Tensor") if p.name == "self" else p


def _most_general(signatures: tuple[table.Signature, ...]) -> list[Parameter]:
    """Return the parameters of the longest of PyTorch's `signatures`; of two, of the one that has `input`."""
    longest = max(signatures, key=lambda s: (len(s), any(p.name == "input" for p in s)))
    names = {p.name for p in longest}
    shorter = [own for s in signatures if (own := {p.name for p in s}) < names]
    kinds = {n: [p for s in signatures for p in s if p.name == n] for n in names}
    return [_parameter(p, kinds[p.name], any(p.name not in s for s in shorter)) for p in longest]


def _parameter(p: table.Parameter, forms: list[table.Parameter], optional: bool) -> Parameter:
    """Return `p` as Python shows it, with the types of all `forms` in which the signatures have it."""
    default: Any = Parameter.empty
    if p.default is not None:
        default = literal_eval(p.default)
    elif optional:
        default = None
    types = [_TYPES.get(form.kind, form.kind) for form in forms]
    if default is None or any(form.nullable for form in forms):
        types.append("None")
    shown = " | ".join(dict.fromkeys(" | ".join(types).split(" | ")))
    kind = Parameter.KEYWORD_ONLY if p.by_keyword else Parameter.POSITIONAL_OR_KEYWORD
    name = "from_" if p.name == "from" else p.name  # which Python keeps for itself
    return Parameter(name, kind, default=default, annotation=shown)
