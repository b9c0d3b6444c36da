"""Why a Module never fired, and what else a pass does not show."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from nbmodule_widgets.engines import is_a_library_s
from nbmodule_widgets.facts.compiled import is_compiled, is_scripted
from nbmodule_widgets.facts.mentions import mentioned
from nbmodule_widgets.facts.words import count
from nbmodule_widgets.protocol import class_attribute, mro_of, type_name
from nbmodule_widgets.tracing.records import NeverFired
from nbmodule_widgets.tracing.subjects import Subject
from nbmodule_widgets.tracing.tape import Tape
from nbmodule_widgets.tracing.tracer import Tracer

# Classes of PyTorch and nbmodule that compute what their parts are for without calling these.
_FUSED = (
    "MultiheadAttention",
    "TransformerEncoderLayer",
    "TransformerEncoder",
    "TransformerDecoderLayer",
)


def is_container(module: Any) -> bool:
    """Whether the class says nothing about a forward, as ModuleList does: nobody is meant to call it."""
    function, calls = class_attribute(module, "forward"), class_attribute(module, "__call__")
    # A `__call__` that asks for a forward would find none; one that does not can do without.
    in_vain = calls is None or (type(calls) is FunctionType and mentioned(calls, ("forward",)))
    if function is None:
        return in_vain
    if type(function) is not FunctionType:
        return False
    missing = (
        function.__name__ == "_forward_unimplemented" or function.__qualname__ == "Module.forward"
    )
    return missing and is_a_library_s(function) and (in_vain or is_a_library_s(calls))


def _goes_past_forward(module: Any) -> bool:
    """Whether the reader's own `__call__` says nothing of a forward."""
    calls = class_attribute(module, "__call__")
    return not mentioned(calls, ("forward", "__call__", "_call_impl")) and not is_a_library_s(calls)


def may_be_fused(module: Any) -> bool:
    """Whether the class is one of those that compute in one piece what their parts are for."""
    return any(type_name(cls) in _FUSED and is_a_library_s(cls) for cls in mro_of(type(module)))


def never_fired(tracer: Tracer, tape: Tape, failed: bool) -> tuple[NeverFired, ...]:
    """The Modules of the tree that no call was heard of, or whose hooks never ran, each with its reason.

    Args:
        tracer: Has the Modules.
        tape: Has the calls.
        failed: Whether the model raised; not a loss or a backward pass after it.
    """
    called = tracer.called()
    by_path = {s.path: index for index, s in enumerate(tracer.subjects) if s.node >= 0}
    found = []
    for index, subject in enumerate(tracer.subjects):
        if subject.node < 0:
            continue
        if index in called:
            why = _hooks_that_never_ran(index, tracer, tape)
        elif index in tracer.unseen and not is_container(subject.module):
            why = f"not recorded: {tracer.unseen[index]}"
        elif not is_container(subject.module) and _goes_past_forward(subject.module):
            why = "not recorded: its own `__call__` does not go through forward"
        else:
            why = _why(subject, tracer, called, by_path, failed)
        if why:
            found.append(NeverFired(subject.path, subject.node, subject.class_name, why))
    return tuple(found)


def _hooks_that_never_ran(index: int, tracer: Tracer, tape: Tape) -> str:
    hooks = sum(len(each.keys()) for each in tracer.wrapped_of(index))
    calls = [call for call, module in enumerate(tape.module) if module == index] if hooks else []
    if not calls or not all(call in tape.direct for call in calls):
        return ""
    return f"forward called directly: its {count(hooks, 'hook')} did not run"


def _why(
    subject: Subject, tracer: Tracer, called: set[int], by_path: dict[str, int], failed: bool
) -> str:
    if is_container(subject.module):
        return "container: its forward is never called"
    above = _nearest_called(subject.path, called, by_path)
    if above is None:
        return "not reached: " + (
            "the pass failed first" if failed else "nothing around it was called"
        )
    holder = tracer.subjects[above]
    name = (
        f"{holder.path} ({holder.class_name})"
        if holder.path
        else f"the model ({holder.class_name})"
    )
    if is_scripted(holder.module):
        return f"not recorded: inside {name}, a TorchScript program"
    if may_be_fused(holder.module):
        return f"fused: {name} computed this in one piece, without calling its parts"
    if failed:
        return "not reached: the pass failed first"
    return f"not reached: forward of {name} did not call it"


def _nearest_called(path: str, called: set[int], by_path: dict[str, int]) -> int | None:
    """The innermost Module around a path that was called."""
    while path:
        path = path.rpartition(".")[0]
        index = by_path.get(path)
        if index is not None and index in called:
            return index
    return None


def fused(tracer: Tracer, tape: Tape) -> set[int]:
    """The calls of Modules that computed in one piece what their parts are for: none of these was called."""
    modules = [subject.module for subject in tracer.subjects]
    of_each_class = {id(type(module)): module for module in modules}
    kinds = {kind for kind, module in of_each_class.items() if may_be_fused(module)}
    if not kinds:
        return set()
    parents = set(tape.parent)
    return {
        call
        for call, module in enumerate(tape.module)
        if call not in parents and module >= 0 and id(type(modules[module])) in kinds
    }


def compiled_notes(tracer: Tracer) -> list[str]:
    """What the reader should know about compiled Modules."""
    modules = [subject.module for subject in tracer.subjects]
    of_each_class = {id(type(module)): module for module in modules}.values()
    notes = []
    if any(map(is_compiled, modules)):
        notes.append("torch.compile: the pass ran the original Python code, not the compiled code")
    if any(map(is_scripted, of_each_class)):
        notes.append("TorchScript: what runs inside a compiled Module cannot be recorded")
    return notes
