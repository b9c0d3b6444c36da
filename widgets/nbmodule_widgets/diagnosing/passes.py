"""One pass through a copy: what each Module was given and gave, the loss, and the tape behind it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from nbmodule_widgets.diagnosing.case import Case, Copy
from nbmodule_widgets.engines import array_of, engine_of, is_a_library_s
from nbmodule_widgets.facts.nests import is_tensor, tensors_in
from nbmodule_widgets.facts.orphans import tree_of
from nbmodule_widgets.facts.tensors import refuse_freed
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.protocol import attempt, class_name, read

_MOST_CALLS = 3000
_MOST_NODES = 50_000


class Call(NamedTuple):
    """One Module that ran.

    Attributes:
        path: Its path; empty for the model.
        module: The Module of the copy.
        given: The tensors that it was given.
        made: The tensors that it returned.
        training: Its mode then.
        recorded: Whether operations were recorded when it returned.
    """

    path: str
    module: Any
    given: list[Any]
    made: list[Any]
    training: bool
    recorded: bool


class Pass(NamedTuple):
    """What a pass gave.

    Attributes:
        copy: What ran.
        raw: What the model returned.
        out: The tensor in it that a loss is computed from; None if there is none.
        loss: What the loss function returned; None without one.
        calls: The Modules that ran, in the order in which they returned.
        strangers: The Modules that ran and are in no drawer of the model; held, so that their parameters live.
        error: What was raised; None if nothing was.
        stage: Where: `"forward"` or `"loss"`; empty if nowhere.
    """

    copy: Copy
    raw: Any
    out: Any
    loss: Any
    calls: list[Call]
    strangers: list[Any]
    error: BaseException | None = None
    stage: str = ""


def run(case: Case, copy: Copy, *, heard: bool = True, loss: bool = True) -> Pass:
    """Calls a copy, and its loss function where there is one.

    Args:
        case: Where it comes from.
        copy: What is called.
        heard: Whether Modules are listened to.
        loss: Whether the loss is computed too.
    """
    calls: list[Call] = []
    raw = out = value = None
    strangers: list[Any] = []
    handles = list(_listening(copy.model, calls)) if heard else []
    handles += _around(case, copy, strangers)
    stage = "forward"
    try:
        with case.timed():
            raw = call_model(copy)
        out = main_tensor(raw)
        if loss and copy.loss_fn is not None:
            stage = "loss"
            value = loss_of(copy, raw)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Pass(copy, raw, out, None, calls, strangers, error, stage)
    finally:
        for handle in handles:
            attempt(handle.remove)
    return Pass(copy, raw, out, value, calls, strangers)


def answered(
    case: Case, change: Callable[[Copy], Any] = lambda copy: None, *, heard: bool = False
) -> Pass | None:
    """A pass of a copy in eval mode, without a loss; None where there is no copy, or it raised.

    Args:
        case: Where it comes from.
        change: What is done to the copy before.
        heard: Whether Modules are listened to.
    """
    copy = case.fresh()
    if copy is None:
        return None
    attempt(copy.model.eval)
    change(copy)
    with case.quiet():
        made = run(case, copy, heard=heard, loss=False)
    return None if made.error is not None else made


def has_say(case: Case, change: Callable[[Copy], Any]) -> bool | None:
    """Whether a copy that was changed returns something else, in eval mode; None where it can't be said."""
    made = answered(case), answered(case, change)
    outs = [[numbers(t) for _, t in tensors_in(each.raw)] for each in made if each is not None]
    if len(outs) < 2 or not outs[0] or len(outs[0]) != len(outs[1]):
        return None
    return not all(map(same_array, *outs))


def call_model(copy: Copy) -> Any:
    """What the model returns."""
    copy.ran.append(None)
    if callable(copy.model):
        return copy.model(*copy.inputs, **copy.named)
    return copy.model.forward(*copy.inputs, **copy.named)


def loss_of(copy: Copy, out: Any) -> Any:
    """The loss of an output."""
    return copy.loss_fn(out, *_targets(copy))


def _targets(copy: Copy) -> tuple[Any, ...]:
    """The targets, also where there are none and the loss function takes two arguments."""
    if copy.y is not None:
        return (copy.y,)
    takes = attempt(lambda: list(inspect.signature(copy.loss_fn).parameters.values())).value or []
    needed = [p for p in takes if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
    return (None,) if len(needed) > 1 else ()


def main_tensor(raw: Any) -> Any:
    """The tensor of an output that matters most: itself, its `logits`, or the first."""
    if is_tensor(raw):
        return raw
    named = _named(raw, "logits")
    if is_tensor(named):
        return named
    return next((t for _, t in tensors_in(raw)), None)


def own_loss(raw: Any) -> Any:
    """The loss with a tape in an output: a model that was given the targets, too, computes it itself; or None."""
    loss = _named(raw, "loss")
    found = is_tensor(loss) and not shape(loss) and read(loss, "requires_grad").value is True
    return loss if found else None


def _named(raw: Any, name: str) -> Any:
    """What an output holds by a name."""
    value = read(raw, name).value
    return raw.get(name) if value is None and isinstance(raw, dict) else value


def _listening(model: Any, calls: list[Call]) -> Iterator[Any]:
    """Hooks on every Module, which come after the reader's own."""
    for path, module in tree_of(model):
        if not hasattr(type(module), "register_forward_hook"):
            continue

        def heard(m: Any, given: Any, made: Any, path: str = path) -> None:
            if len(calls) < _MOST_CALLS:
                tensors = [t for _, t in tensors_in(given)], [t for _, t in tensors_in(made)]
                engine = engine_of(tensors[1][0]) if tensors[1] else None
                recorded = engine is None or engine.records()
                calls.append(Call(path, m, *tensors, bool(m.training), recorded))

        handle = attempt(module.register_forward_hook, heard).value  # scripted Modules take none
        if handle is not None:
            yield handle


def _around(case: Case, copy: Copy, strangers: list[Any]) -> list[Any]:
    """A hook on all Modules of the library, which hears those that the model does not have."""
    known = {id(m) for _, m in tree_of(copy.model)}

    def heard(m: Any, given: Any, made: Any) -> None:
        if id(m) not in known and len(strangers) < _MOST_CALLS:
            strangers.append(m)

    said = attempt(lambda: case.lib.nn.modules.module.register_module_forward_hook(heard))
    return [] if said.value is None else [said.value]


# ------------------------------------------------------------------------------------------------ the tape


class Tape(NamedTuple):
    """What lies behind a tensor.

    Attributes:
        nodes: The nodes, from the tensor backwards, held so that their identities stay their own.
        leaves: The leaves by identity, each with how many times it is used.
        lost: How many leaves are gone: their owner was dropped after the pass.
    """

    nodes: list[Any]
    leaves: dict[int, tuple[Any, int]]
    lost: int


def tape_of(*tensors: Any, but: Iterable[Any] = ()) -> Tape:
    """Walks the tape from tensors back to its leaves, past no node of `but`."""
    nodes: list[Any] = []
    leaves: dict[int, tuple[Any, int]] = {}
    met: dict[int, Any] = {id(node): node for node in but}
    uses: dict[int, int] = {}
    pending = []
    for tensor in tensors:
        node = read(tensor, "grad_fn").value
        if node is not None:
            pending.append(node)
        elif read(tensor, "requires_grad").value is True:
            leaves[id(tensor)] = (tensor, 1)
    while pending and len(nodes) < _MOST_NODES:
        node = pending.pop()
        if id(node) in met:
            continue
        met[id(node)] = node
        nodes.append(node)
        for further, _ in read(node, "next_functions").value or ():
            if further is None:
                continue
            uses[id(further)] = uses.get(id(further), 0) + 1
            if id(further) not in met:
                pending.append(further)
    lost = 0
    for node in nodes:
        if class_name(node) != "AccumulateGrad":
            continue
        leaf = read(node, "variable").value
        if leaf is None:
            lost += 1
        else:
            leaves[id(leaf)] = (leaf, uses.get(id(node), 1))
    return Tape(nodes, leaves, lost)


def behind_inputs(copy: Copy) -> set[int]:
    """The identities of tensors that came with the inputs and the targets."""
    given = tensors_in((copy.inputs, copy.named, copy.y))
    return {id(t) for _, t in given}


# ------------------------------------------------------------------------------------------------ numbers


def numbers(tensor: Any) -> np.ndarray | None:
    """The values of a tensor as an array of their own; None where they can't be had."""
    shared = array_of(tensor)
    if shared is not None:
        return np.array(shared)
    # `numpy()` forbids PyTorch's memory ever to be resized again: the reader's own isn't asked for it.
    said = attempt(lambda: _cloned(tensor).numpy())
    if said.problem:
        said = attempt(lambda: _cloned(tensor).float().numpy())
    if said.problem:  # a sparse gradient
        said = attempt(lambda: _cloned(tensor.to_dense()).numpy())
    if said.problem and type(tensor) in (np.ndarray, float, int):
        said = attempt(lambda: np.array(tensor))
    return said.value


def _cloned(tensor: Any) -> Any:
    refuse_freed(tensor)
    return tensor.detach().cpu().clone()


def same_array(a: np.ndarray | None, b: np.ndarray | None) -> bool:
    """Whether two arrays have the same shape and the same values, NaN for NaN."""
    if a is None or b is None:
        return a is b
    return a.shape == b.shape and bool(np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"))


def number(value: Any) -> float | None:
    """A loss as a number."""
    if isinstance(value, (int, float)):
        return float(value)
    found = numbers(value) if is_tensor(value) else None
    return float(found.reshape(-1)[0]) if found is not None and found.size == 1 else None


def shape(tensor: Any) -> tuple[int, ...]:
    """The shape of a tensor as a tuple."""
    return tuple(read(tensor, "shape").value or ())


def finite(array: np.ndarray | None) -> bool:
    """Whether all values are finite; true where it can't be said."""
    return array is None or array.dtype.kind not in "fc" or bool(np.isfinite(array).all())


def methods_of(module: Any, *but: str) -> list[Any]:
    """What the reader's own classes of a Module define, apart from some names."""
    return [
        f for cls in type(module).__mro__[:-1] if not is_a_library_s(cls)
        for n, f in vars(cls).items() if callable(f) and n not in but
    ]  # fmt: skip


def kind_of(module: Any, *words: str) -> bool:
    """Whether a Module is of one of these families, going by the names of its classes."""
    names = [c.__name__ for c in type(module).__mro__]
    return any(word in name for name in names for word in words)


def path_of(path: str) -> str:
    """A path, in a sentence."""
    return visible(path, 80) or "the model"
