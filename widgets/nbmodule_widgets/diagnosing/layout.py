"""Layers that don't fit each other: a view for a transpose, a norm over the batch, a write where another still reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from nbmodule_widgets.diagnosing.case import Case, Copy
from nbmodule_widgets.diagnosing.losses import is_distribution
from nbmodule_widgets.diagnosing.passes import (
    Call,
    Pass,
    answered,
    kind_of,
    numbers,
    path_of,
    run,
    same_array,
    shape,
)
from nbmodule_widgets.diagnosing.records import LIKELY, Finding, finding
from nbmodule_widgets.engines import Heard, recording
from nbmodule_widgets.facts.nests import is_tensor, tensors_in
from nbmodule_widgets.facts.orphans import tree_of
from nbmodule_widgets.protocol import attempt, class_name, drawer, own_dict, read

_HEARD = 4000
_VIEWS = ("view", "reshape", "unsafe_view")
_PRODUCTS = ("matmul", "bmm", "baddbmm")
_PADS = ("pad", "constant_pad_nd", "cat", "concat", "concatenate")
_STRAIGHT = ("Linear", "Dropout", "Identity", "Flatten", "Unflatten")
_MOST = 8
_IN_A_ROW = 3  # two may be a feature and its head


def layout(case: Case, first: Pass) -> Iterator[Finding]:
    """What one layer does to the next."""
    yield from _turned(case)
    yield from _over_batch(case, first)
    yield from _never_bent(case, first)
    yield from _written(case)


def _turned(case: Case) -> Iterator[Finding]:
    """A view that gives a tensor the shape of its transpose."""
    copy = case.fresh()
    if copy is None:
        return
    padded: list[Any] = []
    kept: list[Any] = []
    found: list[tuple[tuple[int, ...], tuple[int, ...], str]] = []
    across: list[Any] = []
    used: list[tuple[int, ...]] = []

    def hear(heard: Heard) -> None:
        name = heard.name.strip("_")
        if heard.error is not None or len(kept) > _HEARD:
            return
        kept.append(heard)
        made = [t for _, t in tensors_in(heard.result)]
        if name in _PADS:
            padded.extend(made)
        given = [t for _, t in tensors_in(heard.arguments)][:1]
        if "softmax" in name and made and _sums_down(made[0]):
            across.extend(made)
        if name in _PRODUCTS and given and any(_same_matrix(given[0], t) for t in across):
            used.append(shape(given[0]))
        if name in _VIEWS and given and made and _turns(shape(given[0]), shape(made[0])):
            skewed = any(given[0] is t for t in padded)  # relative positions: skewed on purpose
            found.append((shape(given[0]), shape(made[0]), "" if skewed else name))

    with case.quiet(), recording(hear):
        run(case, copy, heard=False, loss=False)
    if used:
        yield finding(
            "softmax-wrong-dim", LIKELY,
            "The weights of attention sum to 1 over the queries, and are multiplied with the values over the keys: softmax runs over the "
            "last dimension but one",
            [f"a softmax returned {list(used[0])}: its columns sum to 1, its rows don't, and a matrix product took it as its left side"],
            "scores.softmax(dim=-1)")  # fmt: skip
    if found and all(name for *_, name in found):
        old, new, name = found[0]
        yield finding(
            "view-for-transpose", LIKELY,
            f"A `{name}` stands where a transpose was meant: it makes {list(new)} of {list(old)}, which only cuts the same row of numbers "
            "elsewhere, so the values of one step end up in others",
            [f"`{name}` was given {list(old)} and made {list(new)}: the size {old[1]} has moved, and its numbers have not"])  # fmt: skip


def _turns(old: tuple[int, ...], new: tuple[int, ...]) -> bool:
    if len(old) != 3 or len(new) not in (3, 4) or old[0] != new[0] or min(*old[1:], *new[1:]) < 2:
        return False
    if len(new) == 4:
        return new[2] == old[1] and new[1] != old[1]
    return new[1:] == old[:0:-1] and old[1] % old[2] != 0 and old[2] % old[1] != 0


def _sums_down(tensor: Any) -> bool:
    """Whether these are square weights that sum to 1 over the last dimension but one, and not over the last."""
    array = numbers(tensor)
    if array is None or array.ndim < 3 or array.shape[-1] != array.shape[-2] or not array.size:
        return False
    down = is_distribution(array, array.ndim - 2)
    return down and not is_distribution(array, array.ndim - 1)


def _same_matrix(one: Any, two: Any) -> bool:
    """Whether one is the other, or a view of it that does not turn it."""
    places = [attempt(lambda t=t: (t.data_ptr(), t.stride()[-2:])).value for t in (one, two)]
    return one is two or (places[0] is not None and places[0] == places[1])


def _over_batch(case: Case, first: Pass) -> Iterator[Finding]:
    """LayerNorm over all dimensions, the batch among them."""
    x, y = case.x, case.y
    if not is_tensor(x) or not is_tensor(y) or len(shape(x)) < 2 or shape(x)[:1] != shape(y)[:1]:
        return
    for call in first.calls:
        given = shape(call.given[0]) if call.given else ()
        over = read(call.module, "normalized_shape").value
        if class_name(call.module) != "LayerNorm" or not isinstance(over, tuple) or len(given) < 2:
            continue
        if tuple(over) == given and given[0] == shape(x)[0] > 1:
            yield finding(
                "norm-over-batch", LIKELY,
                f"`{path_of(call.path)}` normalizes over the batch too, so a sample's answer depends on its neighbors, and a batch of "
                "another size fails",
                [f"its `normalized_shape` is {list(over)}, all that it is given; dimension 0 is the batch of {given[0]}"])  # fmt: skip
            return


def _never_bent(case: Case, first: Pass) -> Iterator[Finding]:
    """Linear layers in a row, in a model that has nothing else."""
    leaves = [c for c in first.calls if not drawer(c.module, "_modules").entries and c.path]
    plain = all(class_name(c.module).startswith(_STRAIGHT) for c in leaves)
    if not plain or first.loss is None or not is_tensor(case.x):
        return
    row = _row(leaves)
    if len(row) < _IN_A_ROW or not _is_affine(case):
        return
    names = ", ".join(f"`{path_of(c.path)}`" for c in row[:4])
    yield finding(
        "only-linear", LIKELY,
        f"Nothing stands between {names}, and nothing else in the model bends: together all its layers are one linear layer",
        ["each of them is given what the one before returned",
         "the answers to x, -x, 3x and 0 lie on a straight line, in eval mode"])  # fmt: skip


def _row(leaves: list[Call]) -> list[Call]:
    """The first Linear layers that learn and are given what the one before returned, none of them a bottleneck."""
    row: list[Call] = []
    for call in leaves:
        if class_name(call.module) != "Linear" or not call.given or not call.made:
            continue
        learns = read(read(call.module, "weight").value, "requires_grad").value is True
        last = row[-1] if row else None
        if last is not None and not (
            learns
            and last.made[0] is call.given[0]
            and shape(last.made[0])[-1] >= min(shape(last.given[0])[-1], shape(call.made[0])[-1])
        ):
            if len(row) >= _IN_A_ROW:
                break
            row = []
        if learns:
            row.append(call)
    return row


def _is_affine(case: Case) -> bool:
    answers = []
    for times in (0.0, 1.0, -1.0, 3.0):

        def scaled(copy: Copy, times: float = times) -> None:
            copy.inputs = (copy.inputs[0].detach() * times,)

        made = answered(case, scaled)
        out = None if made is None else numbers(made.out)
        if out is None or out.dtype.kind != "f":
            return False
        answers.append(out.astype(np.float64))
    zero, one, minus, three = answers
    slack = 1e-5 * (1 + float(np.abs(one).max()))

    def same(a: np.ndarray, b: np.ndarray) -> bool:
        return np.allclose(a, b, rtol=1e-3, atol=slack)

    straight = same(one - zero, zero - minus) and same(three - zero, 3 * (one - zero))
    return straight and not same(one, zero)


def _written(case: Case) -> Iterator[Finding]:
    """A layer with `inplace=True` whose input something else still reads."""
    paths = [
        path for path, m in case.modules.items()
        if own_dict(m).get("inplace") is True and not kind_of(m, "Dropout")
    ]  # fmt: skip
    before = answered(case) if paths else None
    again = answered(case) if before is not None else None
    if before is None or again is None or not same_array(numbers(before.out), numbers(again.out)):
        return
    for path in ["", *paths[:_MOST]]:

        def spared(copy: Copy, path: str = path) -> None:
            for at, module in tree_of(copy.model):
                if at in paths and (not path or at == path):
                    module.inplace = False

        other = answered(case, spared)
        one, two = numbers(before.out), numbers(other.out) if other is not None else None
        differ = one is not None and two is not None and one.shape == two.shape
        if not differ or one is None or two is None or np.allclose(one, two, rtol=1e-3, atol=1e-5):
            if not path:
                return
            continue
        if path:
            yield finding(
                "in-place", LIKELY,
                f"`{path_of(path)}` writes into what it is given (`inplace=True`), and something else still reads that, as a skip connection: "
                "it gets the changed values",
                ["with `inplace=False` there, and all else equal, the model returns something else, in eval mode"],
                "nn.ReLU(inplace=False)  # where its input is used again")  # fmt: skip
            return
