"""PyTorch's wording for what NumPy refuses. Nothing here runs until an operation has failed."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Sequence
from typing import Any

from . import _dtypes
from ._settings import settings

SECOND_BACKWARD = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they "
    "have already been freed). Saved intermediate values of the graph are freed when you call "
    ".backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the "
    "graph a second time or if you need to access saved tensors after calling backward."
)

LEAF_WAS_WRITTEN = "a leaf Variable that requires grad has been used in an in-place operation."

LEAF_WRITTEN = "a leaf Variable that requires grad is being used in an in-place operation."

VIEW_OF_LEAF_WRITTEN = (
    "a view of a leaf Variable that requires grad is being used in an in-place operation."
)

PACK_HOOK_WROTE = (
    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be "
    "modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if you "
    "need to perform in-place operations on the input to a pack hook."
)

NOT_WRITABLE = (
    "unsupported operation: more than one element of the written-to tensor refers to a single memory "
    "location. Please clone() the tensor before performing the operation.\nIt is an expanded view, or was "
    "made from a NumPy array that must not be written to."
)

OVERLAP = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single "
    "memory location. Please clone() the tensor before performing the operation."
)

DATA_ELSEWHERE = "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have incompatible tensor type."

VIEW_DETACHED = (
    "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for "
    "training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence "
    "detach_() cannot be called on these gradients. To fix this error, please refer to the "
    "Optimizer.zero_grad() function in nbmodule/optim/optimizer.py as the solution."
)

TOO_BIG = "int too big to convert"

NO_SUBTRACTION_OF_TWO = (
    "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
    "`logical_xor()` operator instead."
)

NO_SUBTRACTION = (
    "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a "
    "mask, use the `~` or `logical_not()` operator instead."
)

NO_NEGATION = (
    "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, "
    "use the `~` or `logical_not()` operator instead."
)


_warned: set[str] = set()


def warn_once(text: str, stacklevel: int) -> None:
    """Warn, once in the life of the program, as PyTorch does of some things. `set_warn_always` has its say."""
    if settings.warn_always or text not in _warned:
        _warned.add(text)
        warnings.warn(text, UserWarning, stacklevel=stacklevel + 1)


def name_of_type(value: object) -> str:
    """Return the name of the type of `value` as PyTorch's messages write it."""
    kind = type(value)
    own = kind.__module__ == "nbmodule" and kind.__name__[0].islower()  # dtype, device, layout
    if own or kind.__name__ == "Size":
        return f"nbmodule.{kind.__name__}"
    return f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__


def invalid_call(
    name: str, args: Sequence[Any], named: dict[str, Any], forms: str = ""
) -> TypeError:
    """Return the error for a call of `name` that fits none of its `forms`."""
    shown = [name_of_type(a) for a in args]
    # PyTorch keeps arguments by name in a table that gives the last one first.
    shown += [f"{key}={name_of_type(a)}" for key, a in reversed(named.items())]
    got = ", ".join(shown) + (", " if named and not args else "")
    return TypeError(
        f"{name}() received an invalid combination of arguments - got ({got}), but expected one of:{forms}"
    )


def is_foreign(operand: object) -> bool:
    """Return whether `operand` is neither a tensor, nor an array, nor a number."""
    return not (hasattr(operand, "dtype") or isinstance(operand, (int, float)))


def not_a_tensor(function: str, argument: str, position: int, value: object) -> TypeError:
    """Return the error for an argument that should have been a tensor."""
    return TypeError(
        f"{function}(): argument '{argument}' (position {position}) must be Tensor, not "
        f"{name_of_type(value)}"
    )


def no_derivative(node: str) -> str:
    """Return what to say where the argument of an operation has no derivative."""
    steps = re.findall("[A-Z][a-z]*", node.removesuffix("Backward0"))
    inner = "_" if node.startswith("_") else ""
    return f"derivative for aten::{inner}{'_'.join(steps).lower()} is not implemented"


def overwritten(saved: str, anomaly: bool = False) -> RuntimeError:
    """Return the error for a saved tensor that an in-place operation changed before backward."""
    hint = (
        "the backtrace further above shows the operation that failed to compute its gradient. The variable in "
        "question was changed in there or anywhere later. Good luck!"
        if anomaly
        else "enable anomaly detection to find the operation that failed to compute its gradient, with "
        "nbmodule.autograd.set_detect_anomaly(True, check_nan=False)."
    )
    return RuntimeError(
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"{saved}. Hint: {hint}\n"
        "Do the write before the forward pass, or replace it by an operation out of place."
    )


def legacy_name(array: Any) -> str:
    """Return what PyTorch called tensors of the type of `array` before it had dtypes: "FloatTensor"."""
    return _dtypes.of_numpy[array.dtype].legacy


def typed_name(array: Any) -> str:
    """Return the name of the type of `array` as ``tensor.type()`` gives it."""
    return f"nbmodule.{legacy_name(array)}"


def output_text(kind: type, number: int = 0) -> str:
    """Say of which operation, given by the class of its nodes, a tensor is an output."""
    return f", which is output {number} of {short_name(kind)},"


def short_name(kind: type) -> str:
    """Return the name of a class of nodes as messages give it: "Exp" for "ExpBackward0"."""
    name = kind.__name__
    if name in ("CopyBackwards", "CopySlices"):
        return f"nbmodule::autograd::{name}"
    head, backward, number = name.rpartition("Backward")  # a Function may have it in its own name
    return head + number.removeprefix("0") if backward else name


def view_written(kind: str, node: Any, number: int, direct: bool) -> str:
    """Say why a view cannot be written to, or not used after such a write.

    Args:
        kind: how it was made: in which mode, or "multi", "function".
        node: the operation that made it.
        number: of the output of that operation.
        direct: the view itself is to be written to; False if its base or another view of it was.
    """
    done = (
        "is being modified inplace"
        if direct
        else "its base or another view of its base has been modified inplace"
    )
    name = "" if node is None else short_name(type(node.shown))
    output = f"Output {getattr(node, 'index', number)} of {name} is a view"
    if kind in ("no_grad", "inference"):
        mode = f"{kind}_mode" if kind == "inference" else kind
        words = "inference mode" if kind == "inference" else "no_grad mode"
        normal = "in normal mode" if kind == "inference" else "with grad mode enabled"
        what = "A view was" if node is None else f"{output} of a view which was"
        return (
            f"{what} created in {words} and {done} {normal}. Given that this use case is ambiguous and "
            "error-prone, it is forbidden. You can clarify your code by moving both the view and the inplace "
            f"either both inside the {mode} block (if you don't want the inplace to be tracked) or both "
            "outside (if you want the inplace to be tracked)."
        )
    what = f"{output} and {done}. "
    if node is None:  # the base had no history then
        what = f"A view was created in no_grad mode and {done} with grad mode enabled. "
    if kind == "multi":
        return (
            what
            + "This view is the output of a function that returns multiple views. Such functions do not allow "
            "the output views to be modified inplace. You should replace the inplace operation by an "
            "out-of-place one."
        )
    return (
        what
        + "This view was created inside a custom Function (or because an input was returned as-is) and the "
        "autograd logic to handle view+inplace would override the custom backward associated with the "
        "custom Function, leading to incorrect gradients. This behavior is forbidden. You can fix this by "
        "cloning the output of the custom Function."
    )


INFERENCE_SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
    "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and "
    "use it in autograd, or use `nbmodule.no_grad()` instead of `nbmodule.inference_mode()`."
)

INFERENCE_WRITTEN = (
    "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a "
    "normal tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details."
)


def explain(name: str, error: Exception, operands: Sequence[Any]) -> Exception:
    """Return the error that PyTorch would raise where `error` came out of the rule `name`."""
    shapes = [tuple(x.shape) for x in operands if hasattr(x, "shape")]
    text = str(error)
    for position, x in enumerate(operands):
        if isinstance(error, TypeError) and is_foreign(x):
            return not_a_tensor(name, "other" if position else "input", position + 1, x)
    if isinstance(error, OverflowError):
        return OverflowError(TOO_BIG)
    if isinstance(error, ValueError) and (name == "matmul" or "matmul" in text):
        return RuntimeError(matmul_text(shapes[0], shapes[1]))
    if isinstance(error, ValueError) and name == "put":
        return RuntimeError(
            f"shape mismatch: value tensor of shape {list(shapes[1])} cannot be broadcast to indexing "
            "result of shape " + _picked_shape(text)
        )
    if isinstance(error, ValueError) and "broadcast" in text and len(shapes) > 1:
        return RuntimeError(
            broadcast_text(shapes)
            + f"\nin {name}, where shapes {' and '.join(map(str, shapes))} met"
        )
    if isinstance(error, IndexError):
        return IndexError(text.replace("axis", "dimension"))
    if "negative integer powers" in text:
        return RuntimeError(text)
    if "boolean negative" in text:
        return RuntimeError(NO_NEGATION)
    if "'invert' not supported" in text:
        return TypeError(
            "~ (operator.invert) is only implemented on integer and Boolean-type tensors"
        )
    if "ufunc 'bitwise_" in text:
        return NotImplementedError(f"\"{name}_cpu\" not implemented for 'Float'")
    return error


def _picked_shape(text: str) -> str:
    """Return the shape that `text`, NumPy's words on a failed assignment, gives last."""
    if shapes := re.findall(r"\(([\d,]*)\)", text):
        return str([int(n) for n in shapes[-1].split(",") if n])
    return f"[{re.findall(r'[0-9]+', text)[-1]}]"


def broadcast_text(shapes: Sequence[tuple[int, ...]]) -> str:
    """Say at which dimension the first two of `shapes` that cannot be broadcast meet."""
    for position, a in enumerate(shapes):
        for b in shapes[position + 1 :]:
            longest = max(len(a), len(b))
            for back in range(1, min(len(a), len(b)) + 1):
                m, n = a[-back], b[-back]
                if m != n and 1 not in (m, n):
                    return (
                        f"The size of tensor a ({m}) must match the size of tensor b ({n}) at "
                        f"non-singleton dimension {longest - back}"
                    )
    return f"The shapes {', '.join(map(str, shapes))} cannot be broadcast together"


def matmul_text(a: tuple[int, ...], b: tuple[int, ...]) -> str:
    """Say why arrays of shapes `a` and `b` cannot be multiplied."""
    if len(a) == 0 or len(b) == 0:
        return (
            f"both arguments to matmul need to be at least 1D, but they are {len(a)}D and {len(b)}D"
        )
    if len(a) == len(b) == 1:
        return f"inconsistent tensor size, expected tensor [{a[0]}] and src [{b[0]}] to have the same number of elements, but got {a[0]} and {b[0]} elements respectively"
    if len(b) == 1:
        rows = math.prod(a[:-1])
        return f"size mismatch, got input ({rows}), mat ({rows}x{a[-1]}), vec ({b[0]})"
    if len(b) == 2:
        left = math.prod(a[:-1]), a[-1]
        return f"mat1 and mat2 shapes cannot be multiplied ({left[0]}x{left[1]} and {b[0]}x{b[1]})"
    if a[-1] != b[-2]:
        batch = math.prod(max(a[:-2], b[:-2], key=math.prod))
        return batches_text([batch, a[-1]], [batch, b[-2]])
    return broadcast_text([a[:-2], b[:-2]])


def batches_text(expected: list[int], found: list[int]) -> str:
    """Say that a batch of matrices has the wrong sizes (batch, rows)."""
    return f"Expected size for first two dimensions of batch2 tensor to be: {expected} but got: {found}."
