"""Steps on a copy: what the gradient is, whether it gets through, and where the steps lead."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from nbmodule_widgets.diagnosing.case import Case
from nbmodule_widgets.diagnosing.passes import Pass, finite, number, numbers, run, tape_of
from nbmodule_widgets.diagnosing.records import CERTAIN, LIKELY, Finding, finding
from nbmodule_widgets.facts.nests import is_tensor
from nbmodule_widgets.facts.words import decimal, visible
from nbmodule_widgets.protocol import attempt, class_name, read


class Gradients(NamedTuple):
    """The gradients of one loss.

    Attributes:
        values: By the path of the parameter; only those that the loss reaches.
        error: What backward raised; None if nothing.
    """

    values: dict[str, np.ndarray]
    error: BaseException | None = None


def gradients_of(case: Case, made: Pass) -> Gradients:
    """The gradients of a pass's loss, without writing to `.grad`."""
    needy = {
        p: t for p, t in made.copy.parameters.items() if read(t, "requires_grad").value is True
    }
    if not needy or not is_tensor(made.loss) or not read(made.loss, "requires_grad").value:
        return Gradients({})
    try:
        found = case.lib.autograd.grad(
            made.loss, list(needy.values()), retain_graph=True, allow_unused=True
        )
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Gradients({}, error)
    pairs = ((p, numbers(g)) for p, g in zip(needy, found, strict=True) if g is not None)
    return Gradients({p: g for p, g in pairs if g is not None})


def gradients(case: Case, first: Pass, own: Gradients) -> Iterator[Finding]:
    """What is wrong with the gradients themselves."""
    loss = number(first.loss)
    bad = [p for p, g in own.values.items() if not finite(g)]
    if bad and loss is not None and np.isfinite(loss):
        yield _infinite(case, bad)
        return
    yield from _hooked(case, own)
    if loss is None or not np.isfinite(loss):
        return
    yield from _symmetric(first, own)
    yield from _vanishing(own)


def _hooked(case: Case, own: Gradients) -> Iterator[Finding]:
    """A hook on a parameter that turns its gradient into zeros."""
    for path, tensor in case.parameters.items():
        table = case.engine.hook_tables(tensor)[0] if case.engine is not None else None
        grad = own.values.get(path)
        if not table or grad is None or not grad.any():
            continue
        for hook in list(table.values()):
            made = numbers(attempt(lambda h=hook, g=grad: h(case.lib.tensor(g))).value)
            if made is not None and not made.any():
                yield finding(
                    "gradient-hook", CERTAIN, f"A hook on `{visible(path, 60)}` replaces its gradient by zeros, so it never learns",
                    ["the hook was given the gradient of this batch, and returned 0 everywhere"])  # fmt: skip
                return


def _infinite(case: Case, bad: list[str]) -> Finding:
    """Where a gradient stops being a number on its way back."""
    culprit: list[tuple[str, Any, int]] = []
    copy = case.fresh()
    if copy is not None:
        made = run(case, copy, heard=False)
        tape = tape_of(made.loss)
        handles = [_listen(node, culprit) for node in tape.nodes if hasattr(node, "register_hook")]
        gradients_of(case, made)
        for handle in handles:
            attempt(handle.remove)
    lines = ["the loss is finite, and so is all that forward computed"]
    if culprit:
        name, node, many = culprit[0]
        lines.append(
            f"`{name}` was given a finite gradient and returned {many} values that are not finite"
        )
        lines += _zeros(case, node)
    lines.append(
        f"the next step would write them into `{visible(bad[0], 60)}`"
        + (f" and {len(bad) - 1} more" if len(bad) > 1 else "")
    )
    what = f"`{culprit[0][0].replace('Backward0', '').lower()}`" if culprit else "an operation"
    return finding(
        "nan-gradient", CERTAIN,
        f"The loss is finite and its gradient is not: {what} has a derivative here that isn't finite, as sqrt and log have at 0",
        lines)  # fmt: skip


def _listen(node: Any, culprit: list[tuple[str, Any, int]]) -> Any:
    def heard(given: Any, taken: Any) -> None:
        arriving = [numbers(t) for t in taken if is_tensor(t)]
        leaving = [numbers(t) for t in given if is_tensor(t)]
        if not culprit and all(map(finite, arriving)) and not all(map(finite, leaving)):
            many = sum(int((~np.isfinite(a)).sum()) for a in leaving if a is not None)
            culprit.append((class_name(node), node, many))

    return attempt(node.register_hook, heard).value


def _zeros(case: Case, node: Any) -> list[str]:
    """Whether what the node kept is 0 somewhere."""
    kept = attempt(case.engine.saved, node).value or () if case.engine is not None else ()
    for name, value, _ in kept:
        array = numbers(value) if is_tensor(value) else None
        if array is not None and array.dtype.kind == "f" and (array == 0).any():
            places = np.argwhere(array == 0)[:3].tolist()
            return [f"the value that it kept ({visible(name, 30)}) is exactly 0 at {places}"]
    return []


def steps_of(case: Case, tensor: Any) -> int:
    """How often an optimizer has stepped a parameter: by its state, or else by how often it was written to."""
    for each in case.optimizers:
        state = read(each, "state").value
        entry = attempt(lambda state=state: state.get(tensor)).value
        said = number(entry.get("step")) if isinstance(entry, dict) else None
        if said is not None:
            return int(said)
    version = read(tensor, "_version").value
    return version - 1 if type(version) is int else 0


def _symmetric(first: Pass, own: Gradients) -> Iterator[Finding]:
    """Units that are equal, and whose gradients are equal too."""
    alike = []
    for path, tensor in first.copy.parameters.items():
        weight, grad = numbers(tensor), own.values.get(path)
        if weight is None or grad is None or weight.ndim < 2 or len(weight) < 2:
            continue
        if (weight == weight[:1]).all() and np.allclose(grad, grad[:1], rtol=1e-5, atol=0):
            alike.append((path, weight))
    pairs = [(p, numbers(t)) for p, t in first.copy.parameters.items()]
    matrices = [(p, w) for p, w in pairs if w is not None and w.ndim > 1 and w.size > 1]
    if not alike and len(matrices) > 1 and all(w.any() and not np.ptp(w) for _, w in matrices):
        yield finding(
            "symmetric-weights", CERTAIN,
            "Each weight matrix began as one number everywhere: its units compute the same, and differ by their biases alone",
            [f"all values of `{visible(p, 60)}` are {decimal(float(w.flat[0]))}" for p, w in matrices[:3]])  # fmt: skip
    if not alike or "embed" in alike[0][0].lower():
        return
    path, weight = alike[0]
    zero = not weight.any()
    yield finding(
        "symmetric-weights", CERTAIN,
        f"The units of `{visible(path, 60)}` are all alike and stay so: they began with the same weights"
        + (" (all 0)" if zero else "") + ", get the same gradient, and so never become different",
        [f"all {len(weight)} rows of `{visible(path, 60)}` are equal, and so are all rows of its gradient",
         f"{len(alike)} such {'matrix' if len(alike) == 1 else 'matrices'}"])  # fmt: skip


def _vanishing(own: Gradients) -> Iterator[Finding]:
    sizes = [(p, float(np.abs(g).mean())) for p, g in own.values.items() if g.ndim > 1]
    sizes = [(p, s) for p, s in sizes if s > 0]
    if len(sizes) < 4:
        return
    (path, least), (last, most) = sizes[0], sizes[-1]
    if 0 < least < 1e-6 * most and most < 1e6:
        yield finding(
            "vanishing-gradient", LIKELY,
            f"The gradient dies out on its way back: at `{visible(path, 60)}` hardly anything arrives",
            [f"mean size of a gradient's values: {decimal(most)} at `{visible(last, 60)}`, {decimal(least)} at `{visible(path, 60)}`"])  # fmt: skip
    elif 0 < most < 1e-6 * least and least > 1e3:
        yield finding(
            "exploding-gradient", LIKELY,
            f"The gradient grows on its way back, up to `{visible(path, 60)}`",
            [f"mean size of a gradient's values: {decimal(most)} at `{visible(last, 60)}`, {decimal(least)} at `{visible(path, 60)}`"])  # fmt: skip
