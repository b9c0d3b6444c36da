"""Which way a line takes through `__setattr__`, `__delattr__` or one of the methods that register."""

from __future__ import annotations

import ast
from dataclasses import replace
from types import CodeType
from typing import Any

from nbmodule_widgets.facts.careful import describe_module
from nbmodule_widgets.facts.slots import describe
from nbmodule_widgets.facts.tensors import TensorReader
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.lesson_facts.flow import FlowFacts, Moment, Outcome, Row
from nbmodule_widgets.lesson_facts.following import (
    Call,
    CountedLine,
    Following,
    code_of,
    defined_in,
    source_lines,
)
from nbmodule_widgets.lesson_facts.rules import Decision, decide
from nbmodule_widgets.protocol import (
    class_name,
    is_tensor_like,
    mro_of,
    namespace_of,
    own_dict,
    type_name,
)

METHODS = ("__setattr__", "__delattr__", "register_buffer", "register_parameter", "add_module")
_DELETED = "__delattr__"
_STEPS = 300  # lines of the reader's own method that are played


def methods_of(modules: list[object]) -> set[CodeType]:
    """The code of every method that stores, deletes or registers, of every class that has one.

    Args:
        modules: The Modules that a line may touch.
    """
    kinds = {id(type(module)): module for module in modules}
    found = set()
    for module in kinds.values():
        for cls in mro_of(type(module)):
            namespace = namespace_of(cls)
            found |= {code_of(namespace.get(method)) for method in METHODS}
    return {code for code in found if code is not None}


def following(modules: list[object], paths: dict[int, str]) -> Following:
    """Follows what a line does to these Modules, with the way of each call through the rules as its note.

    Args:
        modules: The Modules.
        paths: Their identities, with the way to each as code after `self`: `".layers[0]"`.
    """

    def entered(call: Call) -> Decision | None:
        if not call.values or id(call.values[0]) not in paths:
            return None  # a Module that is only being made
        return decide(call.name, _library(call), call.values)

    return Following(methods_of(modules), entered)


def _library(call: Call) -> str:
    """The library whose `nn.Module` this method belongs to; the empty string for any other class's own."""
    home = _home(call)
    place = getattr(home, "__module__", "")
    is_module = home is not None and type_name(home) == "Module" and place in _HOMES
    return place.split(".")[0] if is_module else ""


def _owner(call: Call) -> str:
    """The name of the class whose method this is."""
    return visible(type_name(_home(call) or type(call.values[0])), 60)


def _home(call: Call) -> type | None:
    """The class whose method this is."""
    for cls in mro_of(type(call.values[0])):
        if code_of(namespace_of(cls).get(call.name)) is call.code:
            return cls
    return None


_HOMES = ("nbmodule.nn.modules.module", "torch.nn.modules.module")


def flow_facts(
    line: str, module: object, paths: dict[int, str], calls: list[Call], outcome: Outcome
) -> FlowFacts:
    """Puts together what was seen while a line ran on a copy.

    Args:
        line: The line.
        module: The copy, after the line.
        paths: The copy's Modules by identity, as `following` takes them.
        calls: The calls that `following` has seen.
        outcome: What the line did.
    """
    tops = [call for call in calls if call.parent is None]
    if not tops:
        return _unseen(line, module, outcome)
    first = tops[0]
    inside = [call for call in calls if _same(call, first)]
    ruled = next((call for call in inside if _library(call)), None)
    own = next((call for call in inside if not _library(call)), None)
    target: Any = first.values[0]
    decision: Decision = (ruled or first).note
    rows = _with_the_error(decision.rows, outcome) if ruled else ()
    who = f"self{visible(paths.get(id(target), ''), 100)}"
    if who != "self" and not outcome.error:
        ends = [ending.text for row in rows for ending in row.endings if ending.lit]
        outcome = replace(outcome, sentence=f"In `{who}`: {(ends or ['its own method ran'])[0]}.")
    method = first.name
    value = "" if method == _DELETED else _words(decision.value)
    arguments = ", ".join([who, repr(decision.name), *([value] if value else [])])
    call = f"{_owner(first)}.{method}({arguments})"
    source = source_lines(own) if own else ()
    removed = decision.removed if ruled else ()
    return FlowFacts(
        line=line,
        label=describe_module(target),
        method=method,
        call=call,
        clerk=_clerk(first, own, ruled),
        library=_library(ruled) if ruled else "",
        name=decision.name,
        value=value,
        rows=rows,
        removed=removed if ruled else _left(decision.name, outcome),
        outcome=outcome,
        agrees=_agrees(decision, outcome, target is module) if ruled else None,
        moments=_moments(f"Python calls {call}.", _ran(own, source), rows, removed, outcome),
        notes=_notes(first, decision, tops, ruled is not None, outcome),
        source=source,
        source_of=f"{_owner(own)}.{method}" if own else "",
    )


def _clerk(first: Call, own: Call | None, ruled: Call | None) -> str:
    """Who decides.

    Args:
        first: The method that Python called.
        own: That of the reader's class, if it ran.
        ruled: That of a library's `Module`, if it ran.
    """
    owner, method = _owner(first), first.name
    if own is None:
        heir = visible(class_name(first.values[0]), 60)
        return f"{owner}.{method} decides: the one of {_library(first)}, which {heir} inherits."
    if ruled is None:
        return (
            f"{owner}.{method} decides: the class's own, not a library's. Its rules are its lines."
        )
    return f"{_owner(own)}.{method} comes first, and passes on to {_library(ruled)}'s Module.{method}, which decides."


def _words(value: object) -> str:
    """A value in a few words, a tensor with its class."""
    kind = visible(class_name(value), 60) + " " if is_tensor_like(value) else ""
    return kind + describe(value, TensorReader())


def _with_the_error(rows: tuple[Row, ...], outcome: Outcome) -> tuple[Row, ...]:
    """The rows, with the exception as it was raised where they end with one."""
    if not outcome.error:
        return rows
    told = []
    for row in rows:
        endings = tuple(
            replace(ending, text=outcome.error) if ending.lit and ending.kind == "refused" else ending
            for ending in row.endings
        )  # fmt: skip
        told.append(replace(row, endings=endings))
    return tuple(told)


def _same(call: Call, first: Call) -> bool:
    """Whether a call is the first one, or the same request passed on to a parent class."""
    return (
        call.name == first.name
        and call.values[0] is first.values[0]
        and (len(call.values) > 1) == (len(first.values) > 1)
        and all(
            name is other or (type(name) is type(other) is str and name == other)
            for name, other in zip(call.values[1:2], first.values[1:2], strict=True)
        )
    )


def _left(name: str, outcome: Outcome) -> tuple[str, ...]:
    """The places that a name has left, seen from outside."""
    return tuple(
        before for moved, before, after in outcome.moves
        if moved == name and before is not None and after is not None and before != after
    )  # fmt: skip


def _unseen(line: str, module: object, outcome: Outcome) -> FlowFacts:
    """What to say when none of the methods ran: the rules of any object, or nobody was asked."""
    method, name = _parsed(line)
    label = describe_module(module)
    rows: tuple[Row, ...] = ()
    value = call = ""
    agrees = None
    notes: tuple[str, ...] = ()
    if method and not (outcome.error and not _about(name, outcome)):
        rows = decide(method, "", (module, name)).rows if method == "__setattr__" else ()
        found = own_dict(module).get(name)
        value = _words(found) if method == "__setattr__" and name in own_dict(module) else ""
        arguments = ", ".join(["self", repr(visible(name, 60)), *([value] if value else [])])
        call = f"object.{method}({arguments})"
        clerk = f"{visible(type_name(type(module)), 60)} has no `{method}` of its own, so it is object's: no drawer is involved."
        agrees = None if outcome.error else True
    elif outcome.error:
        method, clerk = "", "The line raised an exception before anything was assigned."
    elif outcome.moves:
        method, clerk = "", "No `__setattr__` was called: the line bypassed it."
        notes = ("Nothing checks what you put into a drawer by hand, so a name may then have two homes.",)  # fmt: skip
    else:
        method, clerk = "", "The line assigned nothing to this module, so no `__setattr__` was called."  # fmt: skip
    moments = _moments(f"Python calls {call}." if call else clerk, [], rows, (), outcome)
    return FlowFacts(
        line, label, method, call, clerk, "", visible(name, 60) if method else "", value, rows, (), outcome,
        agrees, moments, notes,
    )  # fmt: skip


def _parsed(line: str) -> tuple[str, str]:
    """`("__setattr__", "x")` for `self.x = …`, `("__delattr__", "x")` for `del self.x`; empty texts for anything else."""
    try:
        body = ast.parse(line.strip()).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "", ""
    if len(body) != 1:
        return "", ""
    found: Any = body[0]
    targets = found.targets if isinstance(found, ast.Assign | ast.Delete) else [getattr(found, "target", None)]  # fmt: skip
    target = targets[0] if len(targets) == 1 else None
    if not (isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self"):  # fmt: skip
        return "", ""
    return ("__delattr__" if isinstance(found, ast.Delete) else "__setattr__"), target.attr


def _about(name: str, outcome: Outcome) -> bool:
    """Whether the exception came from storing the name, as that of a property without a setter does."""
    return outcome.error.startswith("AttributeError") and name in outcome.error


def _agrees(decision: Decision, outcome: Outcome, own: bool) -> bool:
    """Whether what happened on the copy is what the rules predict."""
    if decision.refused or outcome.error:
        return decision.refused == bool(outcome.error)
    if not own or not decision.target:
        return True
    places = {after for name, _, after in outcome.moves if name == decision.name}
    return decision.target in places or not places


def _notes(
    first: Call, decision: Decision, tops: list[Call], ruled: bool, outcome: Outcome
) -> tuple[str, ...]:
    """Remarks on this line."""
    notes = []
    others = [call.note.name for call in tops[1:]]
    if others:
        names = ", ".join(f"`{name}`" for name in others[:4]) + (", …" if len(others) > 4 else "")
        notes.append(f"The line calls the method {len(tops)} times; this is the first. The others are about {names}.")  # fmt: skip
    in_class = defined_in(first.values[0], first.values[1])[0] if type(first.values[1]) is str else None  # fmt: skip
    if ruled and decision.target == "_modules" and in_class is not None and not outcome.error:
        notes.append(
            f"The class {visible(type_name(in_class), 60)} has a `{decision.name}` too, and reading finds that first: "
            f"the child is registered, but `self.{decision.name}` does not reach it."
        )
    return tuple(notes)


def _ran(own: Call | None, source: tuple[CountedLine, ...]) -> list[Moment]:
    """A step for each line of the class's own method that ran, the first hundreds of them."""
    if own is None:
        return []
    start = own.first_line
    numbers = [line - start + 1 for line in own.lines[:_STEPS]]
    return [
        Moment(number, "line", source[number - 1].text.strip())
        for number in numbers
        if 0 < number <= len(source)
    ]


def _moments(
    call: str, lines: list[Moment], rows: tuple[Row, ...], removed: tuple[str, ...], outcome: Outcome
) -> tuple[Moment, ...]:  # fmt: skip
    """The steps of the player: the call, the class's own lines, each question that was asked, where it ended, what happened."""
    moments = [Moment(-1, "call", call), *lines]
    for at, row in enumerate(rows):
        if row.question is not None and row.question.answer is not None:
            moments.append(Moment(at, "question", _answer(row.question.text, row.question.answer, row.question.because)))  # fmt: skip
        if row.check is not None and row.check.answer is not None:
            moments.append(Moment(at, "check", _answer(row.check.text, row.check.answer, row.check.because)))  # fmt: skip
        for ending in row.endings:
            if ending.lit:
                places = " and ".join(f"`{place}`" for place in removed)
                gone = f" The name leaves {places}." if places else ""
                moments.append(Moment(at, "ending", f"{ending.text}.{gone}"))
    said = f"{outcome.sentence} {outcome.error}".strip()
    moments.append(Moment(-1, "result", said))
    return tuple(moments)


def _answer(text: str, answer: bool, because: str) -> str:
    return f"{text} {'Yes' if answer else 'No'}{f': {because}' if because else ''}."
