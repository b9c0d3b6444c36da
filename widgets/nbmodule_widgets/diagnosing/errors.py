"""An exception that was caught: from its words to the objects by name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nbmodule_widgets.diagnosing.case import Case
from nbmodule_widgets.diagnosing.files import files
from nbmodule_widgets.diagnosing.messages import MESSAGES
from nbmodule_widgets.diagnosing.passes import Pass, kind_of, numbers, shape
from nbmodule_widgets.diagnosing.records import CERTAIN, LIKELY, Finding, finding
from nbmodule_widgets.facts.nests import tensors_in
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.protocol import error_text, read

_OF_LOADING = ("head-shape", "key-prefix", "keys-differ", "nested-checkpoint", "pickled-model")
_OF_THE_CALL = ("arguments-differ", "input-not-tensor")
"""What the trial itself may have brought about, by calling the model as the reader does not."""


def errors(case: Case, first: Pass | None) -> Iterator[Finding]:
    """What an exception says, of the reader's or of the trial, with the objects that it is about."""
    told = case.error if case.error is not None else first.error if first is not None else None
    if told is None:
        return
    text = error_text(told)
    for name, pattern, sentence, surely in MESSAGES:
        if re.search(pattern, text, re.S):
            if name in _OF_LOADING and case.file is not None and list(files(case)):
                return  # the file itself tells more
            if name == "head-shape" and text.count("size mismatch for") > 2:
                name = "shape-mismatch"
                sentence = (
                    "The file belongs to a model of another size: many entries have another shape"
                )
            bare = name == "input-not-tensor" and not any(
                hasattr(t, "requires_grad") for _, t in tensors_in((case.inputs, case.named))
            )
            if told is not case.error and name in _OF_THE_CALL and not bare:
                return  # the trial may have called it in a way that the reader does not
            lines = [f"the exception: {visible(text.partition(chr(10))[0], 220)}"]
            lines += _place(first) if first is not None and first.error is not None else []
            lines += list(_objects(name, case, first))
            if name == "target-dtype" and _is_one_hot(case):
                name, sentence = (
                    "one-hot-target",
                    "Cross entropy was given one-hot targets of whole numbers: it needs class indices, or floats",
                )
            if name == "plain-list" and case.parameters:
                name, sentence = (
                    "optimizer-empty",
                    "The optimizer was given no parameters, and the model has some: `parameters()` can be walked once, and was used up before",
                )
            if name == "loss-off-the-tape" and not case.recording:
                name, sentence = (
                    "grad-switched-off",
                    "Recording is switched off, also outside of the model: no operation gets onto the tape",
                )
            cure, wants = "", re.search(r"to have (\d+) channels, but got (\d+)", text)
            given = shape(next(iter(case.inputs), None))
            if wants and len(given) > 2 and int(wants[1]) != given[-1]:
                name, sentence = (
                    "channels-mismatch",
                    f"A convolution was made for {wants[1]} channels and is given {wants[2]}",
                )
                cure = f"nn.Conv2d({wants[2]}, features, 3)" + (
                    f"  # or x.expand(-1, {wants[1]}, -1, -1): gray as {wants[1]} equal channels"
                    if given[1:2] == (1,)
                    else ""
                )
            if name == "dtype-mismatch" and first is not None and first.stage == "loss":
                cure = "loss_fn(out, y.float())"
            column = name == "one-hot-target" and shape(case.y)[-1:] == (1,)
            cure = "loss_fn(out, y.squeeze(1))" if column else cure
            yield finding(name, CERTAIN if surely else LIKELY, sentence, lines, cure)
            return


def _is_one_hot(case: Case) -> bool:
    y = numbers(case.y)
    whole = y is not None and y.dtype.kind in "iu" and y.ndim == 2 and y.shape[1] > 1
    return bool(whole and y is not None and y.size and y.min() >= 0 and (y.sum(1) == 1).all())


def _place(first: Pass) -> list[str]:
    """Where the trial stopped."""
    if first.stage == "loss":
        shapes = [f"the output has shape {list(shape(first.out))}"] if first.out is not None else []
        return ["the trial stopped in the loss function", *shapes]
    last = first.calls[-1].path if first.calls else ""
    return [f"the last Module that returned was `{visible(last, 80)}`"] if last else []


def _objects(name: str, case: Case, first: Pass | None) -> Iterator[str]:
    if name == "channels-last":
        for _, t in tensors_in(case.inputs):
            yield f"the input has shape {list(shape(t))}"
    if name == "bn-batch-of-one":
        training = [
            p
            for p, m in case.modules.items()
            if kind_of(m, "BatchNorm") and read(m, "training").value is True
        ]
        if training:
            yield f"`{visible(training[0], 80)}` is in training mode"
        for _, t in tensors_in(case.inputs)[:1]:
            yield f"the input has shape {list(shape(t))}"
    if name in ("label-out-of-range", "index-out-of-range"):
        array = numbers(case.y if name == "label-out-of-range" else next(iter(case.inputs), None))
        if array is not None and array.size and array.dtype.kind in "iu":
            yield f"its indices lie between {array.min()} and {array.max()}"
        if first is not None and first.out is not None and name == "label-out-of-range":
            yield f"the output has {shape(first.out)[1:2] or '?'} classes"
    if name == "one-hot-target" and shape(case.y):
        yield f"the target has shape {list(shape(case.y))}"
    if name == "backward-twice":
        for path, t in case.attributes():
            if read(t, "grad_fn").value is not None:
                yield f"`{visible(path, 80)}` still has a `grad_fn` from an earlier step"
