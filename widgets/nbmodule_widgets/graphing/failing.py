"""Which operation a pass broke off at, and the tensors that met there: from the exception's traceback."""

from __future__ import annotations

import ast
import linecache
from itertools import islice
from types import FrameType, TracebackType
from typing import Any

from nbmodule_widgets.facts.glance import glance
from nbmodule_widgets.facts.nests import is_tensor, tensors_in
from nbmodule_widgets.facts.words import shape_text, visible
from nbmodule_widgets.graphing.noted import Broken
from nbmodule_widgets.graphing.recording import Recorder
from nbmodule_widgets.graphing.stack import Stack, of_a_library
from nbmodule_widgets.protocol import attempt, drawer, error_text, own_dict

_SYMBOLS = {
    ast.MatMult: "matmul", ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.Pow: "pow",
}  # fmt: skip
_WITH_BIAS = ("addmm", "baddbmm", "linear")
_ROLES = ("self", "other", "mat1", "mat2", "input", "tensor", "weight")
_MOST = 64  # tensors of the variables at hand
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


def broken_at(error: BaseException, recorder: Recorder, stack: Stack, base: FrameType) -> Broken:
    """The operation that raised.

    Args:
        error: What it raised.
        recorder: The notes of the pass, which know the operation for PyTorch.
        stack: Finds modules and lines.
        base: The frame that started the pass.
    """
    frames = list(_frames(error.__traceback__, base))
    text = " · ".join(line.strip() for line in error_text(error).splitlines() if line.strip())
    operation, operands = (
        recorder.failed or _in_nbmodule(frames, recorder) or _in_source(frames, recorder)
    )
    calls, line = _place(frames, stack)
    operands = _said_in_source(operation, operands, frames)
    named = [(visible(label, 80), tensor) for label, tensor in operands]
    operation = visible(operation, 60)
    return Broken(operation, visible(text, 600), named, _words(operation, named), calls, line)


def tensors_at_hand(error: BaseException, base: FrameType) -> list[Any]:
    """Tensors in the variables of the functions that were running, the innermost function first.

    Args:
        error: What was raised.
        base: The frame that started the pass.
    """
    found: dict[int, Any] = {}
    for frame, _, _ in reversed(list(_frames(error.__traceback__, base))):
        for value in list(frame.f_locals.values()) if not len(found) > _MOST else ():
            if is_tensor(value):
                found.setdefault(id(value), value)
    return list(found.values())[:_MOST]


def _frames(traceback: TracebackType | None, base: FrameType) -> Any:
    """`(frame, line, index of the instruction)` from the outermost to the innermost, below `base`."""
    while traceback is not None:
        if traceback.tb_frame is not base:
            yield traceback.tb_frame, traceback.tb_lineno, traceback.tb_lasti
        traceback = traceback.tb_next


def _place(frames: list[Any], stack: Stack) -> tuple[tuple[Any, ...], int]:
    if not frames:
        return (), -1
    # The frames have ended; `f_lineno` is still the line that raised.
    return stack.at(frames[-1][0])


def _in_nbmodule(frames: list[Any], recorder: Recorder) -> tuple[str, list[tuple[str, Any]]] | None:
    """In nbmodule one function ends up with every operation that fails; its variables say what it was given."""
    for frame, _, _ in reversed(frames):
        if (
            frame.f_code.co_name == "loop"
            and frame.f_globals.get("__name__") == "nbmodule._engine.operation"
        ):
            arguments = frame.f_locals.get("args", ())
            operands = [
                (recorder.operand_label(tensor, f"argument {number + 1}"), tensor)
                for number, value in enumerate(arguments)
                for _, tensor in tensors_in(value)
            ]
            return str(frame.f_locals.get("called", "operation")), operands
    return None


def _in_source(frames: list[Any], recorder: Recorder) -> tuple[str, list[tuple[str, Any]]]:
    """Otherwise the innermost expression of the traceback in which tensors meet; names are looked up, nothing is run."""
    for frame, _, instruction in reversed(frames):
        expression = attempt(_expression, frame, instruction).value
        if expression is None:
            continue
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
        found = [(ast.unparse(part), _looked_up(part, frame)) for part in parts]
        operands = [
            (recorder.operand_label(value, label), value)
            for label, value in found
            if value is not None and is_tensor(value)
        ]
        if operands:
            return name, operands
    return "", []


def _said_in_source(
    operation: str, operands: list[tuple[str, Any]], frames: list[Any]
) -> list[tuple[str, Any]]:
    """The operands, those without a name called by what the reader wrote in their place."""
    last = next((found for found in reversed(frames) if not of_a_library(found[0])), None)
    expression = attempt(_expression, last[0], last[2]).value if last is not None else None
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


def _expression(frame: FrameType, instruction: int) -> ast.expr | None:
    """The expression that was being computed, from the columns that Python keeps for each instruction."""
    position = next(islice(frame.f_code.co_positions(), instruction // 2, None))
    first, last, start, end = position
    if first is None or last is None or start is None or end is None:
        return None
    lines = [linecache.getline(frame.f_code.co_filename, n) for n in range(first, last + 1)]
    raw = [line.encode() for line in lines]
    raw[-1] = raw[-1][:end]
    raw[0] = raw[0][start:]
    return ast.parse(f"({b''.join(raw).decode()})", mode="eval").body


def _looked_up(expression: ast.expr, frame: FrameType) -> Any:
    """The value of a name, or of attributes of one, read without running anything; None for all else."""
    if isinstance(expression, ast.Name):
        found = frame.f_locals.get(expression.id)
        return frame.f_globals.get(expression.id) if found is None else found
    if not isinstance(expression, ast.Attribute):
        return None
    owner = _looked_up(expression.value, frame)
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
