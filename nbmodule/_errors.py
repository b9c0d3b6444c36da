"""PyTorch's wording for what NumPy refuses. Nothing here runs until an operation has failed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

SECOND_BACKWARD = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they "
    "have already been freed). Saved intermediate values of the graph are freed when you call "
    ".backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the "
    "graph a second time or if you need to access saved tensors after calling backward."
)

LEAF_WRITTEN = "a leaf Variable that requires grad is being used in an in-place operation."

VIEW_OF_LEAF_WRITTEN = (
    "a view of a leaf Variable that requires grad is being used in an in-place operation."
)

NOT_WRITABLE = (
    "unsupported operation: more than one element of the written-to tensor refers to a single memory "
    "location. Please clone() the tensor before performing the operation.\nIt is an expanded view, or was "
    "made from a NumPy array that must not be written to."
)

VIEW_WRITTEN = (
    "an in-place operation on a view of a recorded tensor would have to change the history of its base, "
    "which nbmodule does not do. Write to the base itself (base[index] = value), or build the result "
    "out of place."
)

STALE_VIEW = (
    "this tensor is a view of a tensor that has since been changed by a recorded in-place operation, so "
    "its own history is out of date. Take the view again after the in-place operation."
)


def overwritten(name: str) -> RuntimeError:
    """Return the error for a saved tensor that an in-place operation changed before backward."""
    return RuntimeError(
        "one of the variables needed for gradient computation has been modified by an inplace "
        f"operation: an array that {name} saved in the forward pass was written to before backward "
        "reached it. Do the write before the forward pass, or replace it by an operation out of place."
    )


def explain(name: str, error: Exception, operands: Sequence[Any]) -> Exception:
    """Return the error that PyTorch would raise where `error` came out of the rule `name`."""
    shapes = [tuple(x.shape) for x in operands if hasattr(x, "shape")]
    text = str(error)
    if isinstance(error, ValueError) and "broadcast" in text and len(shapes) > 1:
        return RuntimeError(
            broadcast_text(shapes)
            + f"\nin {name}, where shapes {' and '.join(map(str, shapes))} met"
        )
    if isinstance(error, ValueError) and "matmul" in text and len(shapes) > 1:
        return RuntimeError(matmul_text(shapes[0], shapes[1]))
    if isinstance(error, IndexError):
        return IndexError(text.replace("axis", "dimension"))
    return error


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
        return f"size mismatch, got input ({a[-2]}), mat ({a[-2]}x{a[-1]}), vec ({b[0]})"
    if len(a) <= 2 and len(b) == 2:
        left = (1, *a)[-2:]
        return f"mat1 and mat2 shapes cannot be multiplied ({left[0]}x{left[1]} and {b[0]}x{b[1]})"
    if a[-1] != b[-2]:
        return (
            "Expected size for first two dimensions of batch2 tensor to be: "
            f"[{a[0]}, {a[-1]}] but got: [{b[0]}, {b[-2]}]."
        )
    return broadcast_text([a[:-2], b[:-2]])
