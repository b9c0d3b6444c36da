"""The file against the model: names, shapes, values, and whose memory it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from nbmodule_widgets.diagnosing.case import Case
from nbmodule_widgets.diagnosing.opening import Opened, opened
from nbmodule_widgets.diagnosing.passes import finite, number, numbers, shape
from nbmodule_widgets.diagnosing.records import CERTAIN, LIKELY, Finding, finding
from nbmodule_widgets.facts.words import count, visible
from nbmodule_widgets.protocol import attempt, error_text, read

_INNER = ("state_dict", "model_state_dict", "model", "net", "weights", "params", "module")


def files(case: Case) -> Iterator[Finding]:
    """What a file and a model have in common, and what not."""
    if case.file is None:
        return
    found = opened(case)
    if found.pickled:
        yield _pickled(found)
        return
    state = found.state
    if state is None:
        if found.problem:
            case.notes.append(f"file: {found.problem}")
        return
    mine = attempt(lambda: dict(case.model.state_dict())).value
    if not isinstance(mine, dict):
        case.notes.append(
            "file: the model's `state_dict()` could not be asked, so nothing was compared"
        )
        return
    mine = {k: t for k, t in mine.items() if _is_tensor(t)}
    yield from _compared(case, state, mine)


def _compared(case: Case, state: dict[str, Any], mine: dict[str, Any]) -> Iterator[Finding]:
    tensors = {k: t for k, t in state.items() if isinstance(k, str) and _is_tensor(t)}
    where = ""
    inner = next((k for k in _INNER if isinstance(state.get(k), dict) and k not in mine), None)
    if inner is None:
        inner = next(
            (k for k, v in state.items() if isinstance(v, dict) and set(v) & set(mine)), None
        )
    if inner is not None and not set(tensors) & set(mine):
        held = {k: t for k, t in state[inner].items() if isinstance(k, str) and _is_tensor(t)}
        if case.error is not None and _of_loading(case.error):
            yield finding(
                "nested-checkpoint", CERTAIN,
                f"The file is a checkpoint around the state dict: the weights are one level deeper, in `[{inner!r}]`",
                [f"its keys are {_keys(state)}", f"`[{inner!r}]` has {count(len(held), 'tensor')}"])  # fmt: skip
            return
        tensors = held
        where = f"[{visible(str(inner), 40)!r}]"
    elif {"state", "param_groups"} <= set(state):
        yield finding(
            "optimizer-state-for-model", CERTAIN,
            "The file holds an optimizer's state and not a model's", [f"its keys are {_keys(state)}"])  # fmt: skip
        return
    if not tensors:
        return
    shared = [k for k in tensors if k in mine]
    bad = [k for k, t in tensors.items() if not finite(numbers(t))]
    if bad:
        yield finding(
            "nan-in-file", CERTAIN, f"The file has NaN or infinity in {_listed(bad)}: it was saved after the training had blown up",
            [f"{len(bad)} of {len(tensors)} entries are not finite"])  # fmt: skip
    if _live(tensors, mine, shared):
        yield finding(
            "best-is-live", CERTAIN,
            "The saved state is no copy: its tensors are the model's own, so each step of the optimizer changes it too. What was kept "
            "as the best is always the last",
            [f"all {len(shared)} entries lie in the same memory as the model's parameters and buffers (equal `data_ptr()`)"])  # fmt: skip
        return
    if not shared:
        yield from _renamed(case, tensors, mine)
        return
    yield from _partly(case, tensors, mine, shared, where)


def _renamed(case: Case, tensors: dict[str, Any], mine: dict[str, Any]) -> Iterator[Finding]:
    """No name in common: one prefix may explain it."""
    fit = prefix(tensors, mine)
    name = "key-prefix" if case.error is not None else "strict-false"
    if fit is None:
        same = sorted(map(shape, tensors.values())) == sorted(map(shape, mine.values()))
        told = (
            "the shapes are the same, so the layers were renamed"
            if same
            else "the shapes differ too"
        )
        yield finding(
            "keys-differ" if case.error is not None else name, CERTAIN if case.error is not None else LIKELY,
            "No name in the file is a name in the model, so nothing of it can be loaded",
            [f"the file has {_keys(tensors)}, the model {_keys(mine)}", told],
            "model.load_state_dict(dict(zip(model.state_dict(), saved.values())))  # the layers were renamed, their order is the same"
            if [shape(t) for t in tensors.values()] == [shape(t) for t in mine.values()] else "")  # fmt: skip
        return
    extra, added, renamed = fit
    equal = [k for k in renamed if _equal(renamed[k], mine[k])]
    if len(equal) == len(mine):
        return  # renamed and loaded
    who = {"module.": " (`nn.DataParallel`)", "_orig_mod.": " (`torch.compile`)"}.get(extra, "")
    in_front = (
        f"every name in the file has `{visible(extra, 40)}` in front{who}"
        if extra
        else f"every name in the model has `{visible(added, 40)}` in front, and in the file it is missing"
    )
    words = (
        "loading with `strict=False` copies nothing and says nothing"
        if case.error is None
        else "loading it is refused"
    )
    yield finding(
        name, CERTAIN,
        f"The file's weights are not in the model: {in_front}, so no name fits and {words}",
        [f"{len(equal)} of {len(mine)} values of the model equal the file's",
         f"with that prefix {'taken away' if extra else 'added'}, {len(renamed)} of {len(mine)} fit in name and shape"],
        f"saved = {{k.removeprefix({visible(extra, 40)!r}): v for k, v in saved.items()}}; model.load_state_dict(saved)" if extra else
        f"saved = {{{visible(added, 40)!r} + k: v for k, v in saved.items()}}; model.load_state_dict(saved)")  # fmt: skip


def prefix(tensors: dict[str, Any], mine: dict[str, Any]) -> tuple[str, str, dict[str, Any]] | None:
    """The one prefix that makes the names fit: taken from the file's, or added; None without one."""
    for key in list(tensors)[:3]:
        for own in mine:
            if key != own and key.endswith(own):
                extra = key[: len(key) - len(own)]
                renamed = {k[len(extra) :]: t for k, t in tensors.items() if k.startswith(extra)}
                if extra.endswith(".") and _fits(renamed, mine):
                    return extra, "", renamed
            elif key != own and own.endswith(key):
                added = own[: len(own) - len(key)]
                renamed = {added + k: t for k, t in tensors.items()}
                if added.endswith(".") and _fits(renamed, mine):
                    return "", added, renamed
    return None


def _fits(renamed: dict[str, Any], mine: dict[str, Any]) -> bool:
    common = [k for k in mine if k in renamed and shape(mine[k]) == shape(renamed[k])]
    return len(common) == len(mine) or (len(common) == len(renamed) and len(common) > 1)


def _partly(
    case: Case, tensors: dict[str, Any], mine: dict[str, Any], shared: list[str], where: str
) -> Iterator[Finding]:
    odd = [k for k in shared if shape(tensors[k]) != shape(mine[k])]
    same = [k for k in shared if k not in odd]
    equal = [k for k in same if _equal(tensors[k], mine[k])]
    loading = case.error is not None and _of_loading(case.error)
    if odd and (loading or not equal):
        yield _shapes(tensors, mine, odd, same, equal)
        return
    missing = [k for k in mine if k not in tensors]
    unexpected = [k for k in tensors if k not in mine]
    buffers = [k for k in missing if k in case.buffers]
    running = [k for k in buffers if k.endswith(("running_mean", "running_var"))]
    if not odd and ((loading and (missing or unexpected)) or (running and buffers == missing)):
        name = "missing-buffers" if missing and len(buffers) == len(missing) else "keys-differ"
        yield finding(
            name, CERTAIN,
            "The file lacks buffers of the model" if name == "missing-buffers" else
            "The file was saved by another architecture: some names are in one of the two only",
            [f"missing in the file: {_listed(missing)}" if missing else "",
             f"unknown to the model: {_listed(unexpected)}" if unexpected else ""])  # fmt: skip
        return
    learned = [k for k in same if number(mine[k]) is None]
    if case.optimizers or case.loss_fn is not None:
        return  # it may have been trained since
    if learned and not equal and not missing and not unexpected:
        yield finding(
            "file-not-loaded", LIKELY,
            "The model does not hold what the file holds: all names and shapes fit, and no value is equal. The file was not "
            "loaded into this model, or the model was created or initialized again afterwards",
            [f"0 of {len(same)} entries are equal"], f"model.load_state_dict(torch.load(path){where})")  # fmt: skip
    elif 0 < len(equal) < len(same) and unexpected and missing:
        yield finding(
            "strict-false", LIKELY,
            f"The file was loaded in part: {_listed(missing)} found nothing under its name and is still random",
            [f"{len(equal)} of {len(mine)} entries equal the file's", f"the file's {_listed(unexpected)} went nowhere"])  # fmt: skip


def _shapes(
    tensors: dict[str, Any], mine: dict[str, Any], odd: list[str], same: list[str], equal: list[str]
) -> Finding:
    lines = [
        f"`{visible(k, 60)}`: {list(shape(tensors[k]))} in the file, {list(shape(mine[k]))} in the model"
        for k in odd[:6]
    ]
    turned = [
        k for k in odd if shape(tensors[k])[::-1] == shape(mine[k]) and len(shape(mine[k])) > 1
    ]
    if turned and len(turned) == len([k for k in odd if len(shape(mine[k])) > 1]):
        return finding(
            "transposed-weight", CERTAIN,
            f"The file has {_listed(turned)} transposed: it was written with another convention (`in x out` instead of `out x in`)",
            lines)  # fmt: skip
    first_only = all(shape(tensors[k])[1:] == shape(mine[k])[1:] for k in odd)
    owners = {k.rpartition(".")[0] for k in odd}
    last = [k.rpartition(".")[0] for k in mine if len(shape(mine[k])) > 1][-1:]
    head = first_only and len(owners) == 1 and same and owners == set(last)
    copied = [
        f"the other {len(same)} entries fit"
        + (f", and {len(equal)} of them hold the file's values already" if equal else "")
    ]
    if head:
        layer = visible(owners.pop(), 60)
        return finding(
            "head-shape", CERTAIN,
            f"The head has another shape than in the file: `{layer}` was trained for "
            f"{shape(tensors[odd[0]])[0]} outputs and has {shape(mine[odd[0]])[0]} here. `strict=False` is about names and does not help",
            lines + copied,
            f"rest = {{k: v for k, v in saved.items() if not k.startswith({layer + '.'!r})}}; model.load_state_dict(rest, strict=False)")  # fmt: skip
    return finding(
        "shape-mismatch", CERTAIN,
        f"The file belongs to a model of another size: {len(odd)} of {len(same) + len(odd)} entries have another shape", lines + copied)  # fmt: skip


def _pickled(found: Opened) -> Finding:
    names = ", ".join(f"`{visible(n, 60)}`" for n in found.pickled[:4])
    return finding(
        "pickled-model", CERTAIN,
        "The file holds the whole model as an object, not its `state_dict()`: it can only be read where the same classes can be "
        "imported, and reading it runs code",
        [f"its pickle names the classes {names} (read without running it)"])  # fmt: skip


def _live(tensors: dict[str, Any], mine: dict[str, Any], shared: list[str]) -> bool:
    if not shared or len(shared) < len(mine):
        return False
    places = [(read(tensors[k], "data_ptr").value, read(mine[k], "data_ptr").value) for k in shared]
    return all(
        tensors[k] is mine[k] or (callable(a) and callable(b) and a() == b() != 0)
        for k, (a, b) in zip(shared, places, strict=True)
    )


def _of_loading(error: BaseException) -> bool:
    text = error_text(error)
    words = (
        "state_dict",
        "Missing key",
        "Unexpected key",
        "size mismatch",
        "unexpected key",
        "KeyError",
    )
    return any(word in text for word in words)


def _equal(one: Any, two: Any) -> bool:
    a, b = numbers(one), numbers(two)
    if a is None or b is None or a.shape != b.shape:
        return False
    if a.dtype != b.dtype and {a.dtype.kind, b.dtype.kind} <= {"f", "V"}:
        return bool(np.allclose(a.astype(np.float64), b.astype(np.float64), rtol=1e-2, atol=1e-6))
    return bool(np.array_equal(a, b))


def _is_tensor(value: Any) -> bool:
    return numbers(value) is not None and not isinstance(value, (int, float, bool))


def _keys(state: dict[str, Any]) -> str:
    return _listed([str(k) for k in state])


def _listed(keys: list[str]) -> str:
    shown = ", ".join(f"`{visible(k, 50)}`" for k in keys[:4])
    return shown + (f" and {len(keys) - 4} more" if len(keys) > 4 else "")
