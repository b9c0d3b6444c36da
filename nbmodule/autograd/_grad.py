"""`grad`: the walk from outside, to the tensors that are asked for.

Source: https://docs.pytorch.org/docs/stable/generated/torch.autograd.grad.html
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

from .._backend import namespace_of
from .._engine import TensorBase, run_backward, wrap
from .._methods.backward import (
    edges_of,
    first_gradients,
    gradients_given,
    refuse_others,
    targets_of,
    tensors_given,
)
from .._tensor import Tensor


def grad(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Iterable[Tensor],
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor, ...]:
    """Return the derivative of the sum of `outputs` by each of `inputs`; no ``.grad`` is touched.

    Args:
        outputs: one or several.
        inputs: one or several, leaves or not.
        grad_outputs: for each output its gradient, in its shape; None for single numbers, and is then 1.
        retain_graph: keep the graph, so that it can be walked again; by default what `create_graph` is.
        create_graph: record the walk itself, so that the results can be differentiated.
        only_inputs: must be True.
        allow_unused: None stands in the result for an input that no output depends on; else that raises.
        is_grads_batched: `grad_outputs` have a first dimension more, and so have the results.
        materialize_grads: zeros stand in the result where None would.

    Raises:
        RuntimeError: as `backward`; or an input does not require grad, or is not part of the graph.
        ValueError: `materialize_grads` was asked for and `allow_unused` refused.
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
            "allow_unused=False."
        )
    allow_unused = materialize_grads if allow_unused is None else allow_unused
    if not only_inputs:
        warnings.warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for "
            "other parts of the graph, please use torch.autograd.backward.",
            FutureWarning,
            stacklevel=2,
        )
    outs, wanted = tensors_given(outputs), tensors_given(inputs)
    given = gradients_given(grad_outputs, len(outs))[: len(outs)]
    if not wanted:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    if is_grads_batched:
        return _batched(
            outs, wanted, given, create_graph, allow_unused, materialize_grads, retain_graph
        )
    starts = first_gradients(outs, given, create_graph)
    retain = create_graph if retain_graph is None else retain_graph
    edges = edges_of(outs)
    refuse_others(wanted)
    targets = targets_of(wanted, "One of the differentiated Tensors does not require grad")
    found = run_backward(edges, starts, retain=retain, create=create_graph, targets=targets)
    grads: list[Any] = []
    for number, (t, target) in enumerate(zip(wanted, targets, strict=True)):
        g = found.get(target)
        if g is None and not allow_unused:
            raise RuntimeError(
                f"The differentiated Tensor at index {number} appears to not have been used in the graph. Set "
                "allow_unused=True if this is the desired behavior."
            )
        if g is None and materialize_grads:
            g = namespace_of[type(t._array)].zeros_like(t._array)
        grads.append(g if g is None or isinstance(g, TensorBase) else wrap(g))
    return tuple(grads)


def _batched(
    outs: Sequence[Any], wanted: Sequence[Any], given: Sequence[Any], create: bool, allow_unused: bool,
    materialize: bool, retain: bool | None,
) -> tuple[Any, ...]:  # fmt: skip
    """Return what `grad` gives for each entry of a batch of gradients, stacked."""
    from .._ops import shape

    n = len(given[0])
    rows = []
    for i in range(n):
        last = i == n - 1 and not (create if retain is None else retain)
        each = tuple(g if g is None else g[i] for g in given)
        rows.append(
            grad(
                outs, wanted, each, retain_graph=not last, create_graph=create, allow_unused=allow_unused,
                materialize_grads=materialize,
            )
        )  # fmt: skip
    return tuple(
        None if column[0] is None else shape.stack(*column, axis=0)
        for column in zip(*rows, strict=True)
    )
