"""The engine: how an operation is written, recorded, and walked backwards. Our ``torch._C``.

**One way to write a differentiable operation.** A rule is a plain function on raw arrays. It returns the
result first, then one *vjp* (vector-Jacobian product) for each array argument: a function from the
gradient of the result to the gradient of that argument. It reads as a line in a table of derivatives::

    @op
    def tanh(xp, x):
        y = xp.tanh(x)
        return y, lambda g: g * (1 - y * y)

The contract of a rule:

1. `xp` (the array library) comes first, arrays are positional, options are keyword-only. Return
   ``(out, *vjps)``; None stands for an argument that has no derivative.
2. A vjp returns `g` itself, a view, or a fresh array, never an array that it captured; it does not
   write into `g`. It is linear in `g`, and takes no short cut for special values: `jvp` differentiates it
   with respect to `g`, where `g` is 0.
3. A vjp may return the broadcast shape. The engine sums it down, once, for every rule.
4. Operators, array methods and `xp.` functions only, never ``np.``: the same lines run on a GPU.
5. Python or `math` numbers, never NumPy's: ``float32_array * np.sqrt(2)`` would be float64.
6. Of floating point arrays a vjp captures only arguments of the rule and its result, the very objects:
   no view of them, nothing computed from them. Then the walk itself can be recorded (``create_graph``):
   the engine puts recorded arrays in their places. Anything else raises an error there. An argument whose values
   only a walk that is recorded reads is the default of a parameter, ``lambda g, x=x: …``: in any other it may have
   been written in place.
7. A vjp that writes into views of a buffer, or is clever otherwise, is an operation of its own, called
   as ``other.inside(xp, g, w)``.

**The tape.** A recorded operation is a `Node`. Its edges point to the nodes of its inputs, never to its
output, so there are no reference cycles and a graph is freed the moment its last tensor is. Each node
has a birth number, and the inputs of an operation are older than itself: visiting nodes from the youngest
to the oldest is therefore a topological order, without any recursion.

An operation keeps its rule as `rule` and ``__wrapped__``: `inspect.getsource` shows the formula. `signature.py` makes its signature.

The files: `state.py` (tensors and storages), `graph.py` (nodes), `arrays.py` (what is asked of arrays),
`sums.py` (sums that do not drift), `operation.py` (`op`), `unrolled.py` (the same, written out for few arrays), `walk.py` (backward),
`in_place.py` (writes, views), `packing.py` (hooks on what is saved), `observing.py` (who is told of all this).
"""

from __future__ import annotations

from .._cores import (
    MUCH,
    are_cut,
    in_parts,
    joined_parts,
    over_elements,
    product,
    products,
    sum_of_parts,
)
from .arrays import Copier, by_blocks, captured_arrays, repeated_axes
from .graph import (
    AccumulateGrad,
    HandleClass,
    Node,
    Notes,
    Port,
    Shared,
    as_tensor,
    edge_of,
    register,
    renamed,
    saved_text,
    wants_grad,
)
from .in_place import (
    count_up,
    divided,
    graft,
    look,
    refuse_recorded_write,
    to_the_end,
    write,
)
from .observing import Event, Handle, heard, observe, tell_of, told_as_one
from .operation import (
    Recording,
    calling_line,
    keep_class,
    kept,
    number,
    op,
)
from .packing import Packed, pack_saved, pop_hooks, push_hooks, with_history, without_hooks
from .state import (
    TENSOR_FIELDS,
    Since,
    Storage,
    TensorBase,
    be_silent,
    build_tensors_as,
    clock,
    grad_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    note_write,
    quick,
    rare,
    wrap,
)
from .sums import added_up, sum_of_rows, wide
from .walk import Recorder, Walk, run_backward, youngest_first

__all__ = [
    "MUCH",
    "TENSOR_FIELDS",
    "AccumulateGrad",
    "Copier",
    "Event",
    "Handle",
    "HandleClass",
    "Node",
    "Notes",
    "Packed",
    "Port",
    "Recorder",
    "Recording",
    "Shared",
    "Since",
    "Storage",
    "TensorBase",
    "Walk",
    "added_up",
    "are_cut",
    "as_tensor",
    "be_silent",
    "build_tensors_as",
    "by_blocks",
    "calling_line",
    "captured_arrays",
    "clock",
    "count_up",
    "divided",
    "edge_of",
    "grad_mode",
    "graft",
    "heard",
    "in_parts",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "joined_parts",
    "keep_class",
    "kept",
    "look",
    "note_write",
    "number",
    "observe",
    "op",
    "over_elements",
    "pack_saved",
    "pop_hooks",
    "product",
    "products",
    "push_hooks",
    "quick",
    "rare",
    "refuse_recorded_write",
    "register",
    "renamed",
    "repeated_axes",
    "run_backward",
    "saved_text",
    "sum_of_parts",
    "sum_of_rows",
    "tell_of",
    "to_the_end",
    "told_as_one",
    "wants_grad",
    "wide",
    "with_history",
    "without_hooks",
    "wrap",
    "write",
    "youngest_first",
]
