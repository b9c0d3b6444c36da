"""Whether samples of a batch mix: a batch taken for time, a softmax across it, a reshape that scrambles it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
    shape,
)
from nbmodule_widgets.diagnosing.records import CERTAIN, LIKELY, Finding, finding
from nbmodule_widgets.engines import Heard, recording
from nbmodule_widgets.facts.nests import is_tensor, tensors_in
from nbmodule_widgets.protocol import own_dict, read

_READERS = ("LSTM", "GRU", "RNN", "MultiheadAttention", "Transformer")
_TOLD = "with all other samples replaced, the last sample's answer is another one, in eval mode"


def mixing(case: Case, first: Pass) -> Iterator[Finding]:
    """Whether a sample's answer depends on its neighbors, in eval mode, and on their order."""
    x, y, out = case.x, case.y, numbers(first.out)
    if not is_tensor(x) or out is None or out.ndim < 2 or len(shape(x)) < 2 or len(x) != len(out):
        return
    size = shape(x)
    batch = len(out)
    if y is None and out.ndim == 2 and _across(out):
        yield _softmax("the output", "the rows don't")
    sequence = len(size) > 2 or "int" in str(read(x, "dtype").value)
    if not is_tensor(y) or batch < 2 or shape(y)[:1] != size[:1]:
        return
    if sequence and len(shape(y)) > 1 and shape(y)[:2] == size[:2]:
        return  # a sequence for a sequence: which dimension is the batch is not known
    one, before = _answers(case, lambda t: t)
    two, _ = _answers(case, _others_replaced)
    if one is None or two is None or before is None or one.shape != two.shape:
        return
    if _close(one, two) and not _close(one[:-1], one[1:]):
        last, _ = _answers(case, _last_replaced)
        if last is not None and last.shape == one.shape and not _close(one, last):
            yield finding(
                "samples-mixed", CERTAIN,
                "All answers are made of the last sample alone: `out[-1]` takes the last one of dimension 0, and that is the batch",
                ["with all other samples replaced no answer changes, with the last one replaced they do, in eval mode"],
                "out[:, -1]  # with batch_first=True")  # fmt: skip
        return
    if not np.isfinite([one[-1], two[-1]]).all() or _close(one[-1], two[-1]) or _unbatched(before):
        return
    turned = [c for c in before.calls if _takes_for_time(c, size)]
    if turned:
        path, given = turned[0].path, list(shape(turned[0].given[0]))
        yield finding(
            "batch-first", CERTAIN,
            f"`{path_of(path)}` takes the batch for the time: it was made without `batch_first=True` and is given "
            f"{given}, so it reads one sample after the other as one sequence",
            [_TOLD, f"`batch_first` of `{path_of(path)}` is False, and dimension 0 of its input is the batch of {batch}"])  # fmt: skip
        return
    if _compares_samples(case, before, batch):
        return
    if _softmax_ran(case, batch):
        yield _softmax("what a softmax in it returned", _TOLD, LIKELY)
        return
    back, _ = _answers(case, lambda t: t[list(range(batch - 1, -1, -1))])
    if (
        len(size) > 2
        and back is not None
        and back.shape == one.shape
        and not _close(back[::-1], one)
    ):
        yield finding(
            "samples-mixed", CERTAIN,
            "The answer for one sample is made of pieces of other samples: a reshape or view runs across the batch, where "
            "a permute or transpose was meant",
            [_TOLD, "with the samples in reverse order the answers are other ones, not the same in reverse order"])  # fmt: skip


def _answers(case: Case, change: Callable[[Any], Any]) -> tuple[np.ndarray | None, Pass | None]:
    """What a copy answers in eval mode to the input, changed."""

    def changed(copy: Copy) -> None:
        copy.inputs = (change(copy.inputs[0].detach()),)

    made = answered(case, changed, heard=True)
    return (None, None) if made is None else (numbers(made.out), made)


def _others_replaced(tensor: Any) -> Any:
    changed = tensor.clone()
    changed[:-1] = tensor[-1:]
    return changed


def _last_replaced(tensor: Any) -> Any:
    changed = tensor.clone()
    changed[-1] = tensor[0]
    return changed


def _close(one: np.ndarray, two: np.ndarray) -> bool:
    return np.allclose(one, two, rtol=1e-3, atol=1e-5)


def _unbatched(made: Pass) -> bool:
    """Whether a layer was given one sample, whose first dimension is then its time or its channels."""
    for call in made.calls:
        dimensions = len(shape(call.given[0])) if call.given else 0
        name = type(call.module).__name__
        spatial = int(name[-2]) if "Conv" in name and name[-2:-1].isdigit() else 0
        if dimensions < spatial + 2 and (
            spatial or (dimensions == 2 and kind_of(call.module, *_READERS))
        ):
            return True
    return False


def _takes_for_time(call: Call, size: tuple[int, ...]) -> bool:
    given = shape(call.given[0]) if call.given else ()
    odd = kind_of(call.module, *_READERS) and own_dict(call.module).get("batch_first") is False
    return odd and len(given) == 3 and given[0] == size[0] and given[1] > 1


def _compares_samples(case: Case, made: Pass, batch: int) -> bool:
    """Whether samples are compared on purpose: a graph over them, each with each, or a norm told to use the batch."""
    plain = [t for _, t in case.attributes() if id(t) not in case.names]
    sizes = [shape(t) for t in [*case.buffers.values(), *plain]]
    sizes.append(shape(made.out)[1:])
    alone = [own_dict(c.module).get("track_running_stats") is False for c in made.calls]
    return any(batch in each for each in sizes) or any(alone)


def _across(array: np.ndarray) -> bool:
    """Whether the columns are distributions, and nothing else is."""
    spread = array.ndim > 1 and len(array) > 1 and array.shape[1] > 1 and is_distribution(array, 0)
    return spread and not any(is_distribution(array, n) for n in range(1, array.ndim))


def _softmax_ran(case: Case, batch: int) -> bool:
    """Whether a softmax over dimension 0, the batch, ran."""
    found: list[bool] = []

    def hear(heard: Heard) -> None:
        if "softmax" in heard.name and heard.error is None:
            arrays = [numbers(t) for _, t in tensors_in(heard.result)]
            found.extend(a is not None and len(a) == batch and _across(a) for a in arrays)

    with recording(hear):
        _answers(case, lambda t: t)
    return any(found)


def _softmax(what: str, told: str, certainty: str = CERTAIN) -> Finding:
    return finding(
        "softmax-wrong-dim", certainty,
        "Softmax runs over the batch instead of the classes (`dim=0`): the samples compete with each other",
        [f"every column of {what} sums to 1 over the samples", told])  # fmt: skip
