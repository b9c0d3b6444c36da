"""Which operation a pass broke off at, and the tensors that met there: as the engine told it, or from the traceback."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from traceback import FrameSummary
from typing import Any

from nbmodule_widgets.engines import is_a_library_s
from nbmodule_widgets.facts.glance import glance
from nbmodule_widgets.facts.nests import is_tensor, tensors_in
from nbmodule_widgets.facts.words import shape_text, visible
from nbmodule_widgets.graphing.caller import variables_where_raised
from nbmodule_widgets.graphing.calls import Broken as BrokenCall
from nbmodule_widgets.graphing.calls import Calls
from nbmodule_widgets.graphing.lines import Lines, expression_of
from nbmodule_widgets.graphing.noted import Broken
from nbmodule_widgets.graphing.recording import Recorder
from nbmodule_widgets.protocol import class_name, drawer, error_text, own_dict

_SYMBOLS = {
    ast.MatMult: "matmul", ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.Pow: "pow",
}  # fmt: skip
_WITH_BIAS = ("addmm", "baddbmm", "linear")
_ROLES = ("self", "other", "mat1", "mat2", "input", "tensor", "weight")
_PRODUCTS = (
    "matmul",
    "mm",
    "bmm",
    "mv",
    "dot",
    "addmm",
    "baddbmm",
    "linear",
    "linear_without_bias",
)


def broken_at(error: BaseException, recorder: Recorder, calls: Calls, lines: Lines) -> Broken:
    """The operation that raised.

    Args:
        error: What it raised.
        recorder: The notes of the pass, which know the operation if the engine told of it.
        calls: Know the Modules that were running.
        lines: Finds the reader's lines.
    """
    places = lines.of_error(error)
    entries = [entry for _, entry in places]
    text = " · ".join(line.strip() for line in error_text(error).splitlines() if line.strip())
    broken = calls.broken if calls.broken.error is error else None
    operation, operands = (
        _told(error, recorder, lines)
        or _of_layer(broken, recorder)
        or _in_source(error, places, recorder, lines)
    )
    operands = _said_in_source(operation, operands, entries)
    named = [(visible(label, 80), tensor) for label, tensor in operands]
    operation = visible(operation, 60)
    around = broken.calls if broken is not None else ()
    line = lines.index(entries[0]) if entries else -1
    return Broken(operation, visible(text, 600), named, _words(operation, named), around, line)


def _told(
    error: BaseException, recorder: Recorder, lines: Lines
) -> tuple[str, list[tuple[str, Any]]] | None:
    """The operation that the engine said has raised this, and its operands."""
    heard = recorder.failed
    if heard is None or all(heard.error is not known for known in _chain(error, lines)):
        return None
    roles = (
        *heard.roles,
        *(f"argument {n + 1}" for n in range(len(heard.roles), len(heard.arguments))),
    )
    return heard.name, [
        (recorder.operand_label(tensor, f"{role}{place}"), tensor)
        for role, argument in zip(roles, heard.arguments, strict=False)
        for place, tensor in tensors_in(argument)
    ]


def _chain(error: BaseException | None, lines: Lines) -> Iterator[BaseException]:
    """An exception, those that it was raised from, and those that a library was handling when it raised it.

    What the reader's own code raises while it handles another exception may be about anything.
    """
    for _ in range(20):
        if error is None:
            return
        yield error
        handled = None if lines.raised(error) else error.__context__
        error = error.__cause__ or handled


def _of_layer(
    broken: BrokenCall | None, recorder: Recorder
) -> tuple[str, list[tuple[str, Any]]] | None:
    """Otherwise the layer of a library that refused what it was given, before any operation ran."""
    if broken is None or not is_a_library_s(type(broken.module)):
        return None
    own = [
        (key, tensor)
        for key, tensor in drawer(broken.module, "_parameters").entries
        if tensor is not None
    ]
    given = [*tensors_in((broken.args, broken.kwargs)), *own]
    operands = [
        (recorder.operand_label(tensor, f"argument {n + 1}"), tensor)
        for n, (_, tensor) in enumerate(given)
    ]
    return (class_name(broken.module).lower(), operands) if given else None


def _in_source(
    error: BaseException, places: list[tuple[int, FrameSummary]], recorder: Recorder, lines: Lines
) -> tuple[str, list[tuple[str, Any]]]:
    """Otherwise the innermost expression of the reader's in which tensors meet; names are looked up, nothing is run.

    Where a library raised, it is what the innermost line calls, though no name may stand for its tensors.
    """
    called = not lines.raised(error)
    for place, entry in places:
        expression, variables = expression_of(entry), variables_where_raised(error, place)
        if isinstance(expression, ast.BinOp):
            name = _SYMBOLS.get(type(expression.op), "operation")
            parts: list[ast.expr] = [expression.left, expression.right]
        elif isinstance(expression, ast.Call):
            function = expression.func
            name = getattr(function, "attr", "") or getattr(function, "id", "operation")
            owner = [function.value] if isinstance(function, ast.Attribute) else []
            parts = [*owner, *expression.args, *(keyword.value for keyword in expression.keywords)]
        else:
            continue
        values = [(ast.unparse(part), _looked_up(part, variables)) for part in parts]
        operands = [
            (recorder.operand_label(value, label), value)
            for label, value in values
            if value is not None and is_tensor(value)
        ]
        if operands or (called and (place, entry) == places[0]):
            return name, operands
    return "", []


def _said_in_source(
    operation: str, operands: list[tuple[str, Any]], entries: list[FrameSummary]
) -> list[tuple[str, Any]]:
    """The operands, those without a name called by what the reader wrote in their place."""
    expression = expression_of(entries[0]) if entries else None
    parts: list[ast.expr] = []
    if isinstance(expression, ast.BinOp):
        parts = [expression.left, expression.right]
    elif (
        isinstance(expression, ast.Call)
        and ast.unparse(expression.func).rpartition(".")[2] == operation
    ):
        parts = expression.args
    if len(parts) != len(operands):
        return operands
    written = [ast.unparse(part) for part in parts]
    return [
        (code if label in _ROLES or label.startswith("argument ") else label, tensor)
        for (label, tensor), code in zip(operands, written, strict=True)
    ]


def _looked_up(expression: ast.expr, variables: Mapping[str, Any]) -> Any:
    """The value of a name, or of attributes of one, read without running anything; None for all else."""
    if isinstance(expression, ast.Name):
        return variables.get(expression.id)
    if not isinstance(expression, ast.Attribute):
        return None
    owner = _looked_up(expression.value, variables)
    if owner is None:
        return None
    own = own_dict(owner)
    if expression.attr in own:
        return own[expression.attr]
    for slot in ("_parameters", "_buffers", "_modules"):
        for key, value in drawer(owner, slot).entries:
            if type(key) is str and key == expression.attr:
                return value
    return None


def _words(operation: str, operands: list[tuple[str, Any]]) -> str:
    """The shapes that met: `"(4, 8) @ (7, 3)"`; with the types of their numbers, where these differ."""
    seen = [glance(tensor) for _, tensor in operands]
    mixed = len({one.dtype for one in seen}) > 1
    shapes = [shape_text(one.shape) for one in seen]
    kinds = [f" {one.dtype}" if mixed else "" for one in seen]
    chosen = list(range(len(seen)))
    if operation not in _PRODUCTS or len(seen) < 2:
        return " and ".join(shapes[n] + kinds[n] for n in chosen)
    if operation in _WITH_BIAS:
        # PyTorch and nbmodule name the bias first; F.linear(input, weight, bias) names it last.
        matrices = [n for n in chosen if len(seen[n].shape) > 1]
        chosen = matrices if len(matrices) == 2 else chosen
    if operation.startswith("linear") and len(chosen) == 2:
        shapes[chosen[1]] += ".T"
    return " @ ".join(shapes[n] + kinds[n] for n in chosen[:2])
