"""The rules by which a library's Module stores, deletes and registers, as rows of questions.

Each function looks at the module as it is before the line, and answers the questions up to the one that decides. The
rules are those of `nn.Module` in PyTorch, which nbmodule follows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.lesson_facts.flow import Ending, Kind, Question, Row
from nbmodule_widgets.lesson_facts.questions import Questions
from nbmodule_widgets.protocol import (
    DRAWERS,
    article,
    class_attribute,
    class_name,
)


class Decision(NamedTuple):
    """What the rules say about one call.

    Attributes:
        method: The method's name.
        name: The attribute's name, in words.
        value: The value; None also for a deletion.
        rows: The questions with their answers.
        removed: Places that the name is taken out of.
        target: Where the value goes: a drawer, `"__dict__"`, or the empty string for nowhere.
        refused: Whether an exception is expected.
    """

    method: str
    name: str
    value: object
    rows: tuple[Row, ...]
    removed: tuple[str, ...]
    target: str
    refused: bool


class _Case(NamedTuple):
    """One row before it is answered; the functions are called only if the row is reached."""

    text: str
    holds: Callable[[], tuple[bool, str]]
    leaves: bool
    check: tuple[str, Callable[[], tuple[bool, str]]] | None
    endings: tuple[tuple[str, Kind, str], ...]  # text, kind, where the value is afterwards


def decide(method: str, library: str, arguments: tuple[Any, ...]) -> Decision:
    """Which way a call takes.

    Args:
        method: `"__setattr__"`, `"__delattr__"`, `"register_buffer"`, `"register_parameter"` or `"add_module"`.
        library: `"nbmodule"`, `"torch"`, or the empty string for the rules of any object.
        arguments: The module, the name, and the value if there is one.
    """
    module, name, value = (*arguments, None, None, None)[:3]
    case = _Rules(module, name, value, library)
    if not library:
        cases, removed = [case.plain()], ()
        if method == "__delattr__":
            cases = [case.plain_deletion()]
    else:
        cases, removed = {
            "__setattr__": case.storing,
            "__delattr__": case.deleting,
            "register_buffer": case.buffer,
            "register_parameter": case.parameter,
        }.get(method, case.child)()
    rows, target, refused = _answered(cases)
    stored = target in ("_parameters", "_modules") and not refused
    gone = tuple(place for place in removed if place != target) if stored else ()
    return Decision(method, visible(name, 60), value, rows, gone, target, refused)


def _answered(cases: list[_Case]) -> tuple[tuple[Row, ...], str, bool]:
    """Asks the questions one after the other until one way ends; the rest stays unasked."""
    rows: list[Row] = []
    target, refused, over = "", False, False
    for text, holds, leaves, check, endings in cases:
        question = Question(text) if text else None
        asked = Question(check[0]) if check else None
        ends = [Ending(words, kind) for words, kind, _ in endings]
        if not over:
            answer, because = holds() if text else (leaves, "")
            question = Question(text, answer, because) if text else None
            if answer is leaves:
                over, chosen = True, 0
                if check:
                    fine, why = check[1]()
                    asked, chosen = Question(check[0], fine, why), 0 if fine else 1
                ends[chosen] = replace(ends[chosen], lit=True)
                target, refused = endings[chosen][2], endings[chosen][1] == "refused"
        rows.append(Row(question, leaves, asked, tuple(ends)))
    return tuple(rows), target, refused


class _Rules(Questions):
    """What each method asks, in its order; every rule returns its cases, and the places that the name leaves."""

    def storing(self) -> tuple[list[_Case], tuple[str, ...]]:
        """`Module.__setattr__`."""
        q = self.quoted
        none = "Is the value None?"
        buffer = ("Is it a Tensor or None, and the name free?", self.may_be_buffer)
        return [
            _Case("Is the value a Parameter?", self.value_is("Parameter"), True,
                  ("May it be registered?", lambda: self.registrable("_parameters", False)),
                  ((f"{q} is taken out of all other places; the value goes into `_parameters`", "stored", "_parameters"),
                   ("an exception: no drawers yet, or the name is taken, or no leaf", "refused", ""))),
            _Case(f"Is {q} the name of a parameter?", self.names_in("_parameters"), True, (none, self.is_none),
                  ((f"`_parameters` keeps {q}, with None in it", "kept", "_parameters"), ("TypeError: cannot assign … as parameter", "refused", ""))),
            _Case("Is the value a Module?", self.value_is("Module"), True, ("Is `_modules` there?", self.drawer_there("_modules")),
                  ((f"{q} is taken out of all other places; the value goes into `_modules`", "stored", "_modules"),
                   ("AttributeError: cannot assign module before Module.__init__() call", "refused", ""))),
            _Case(f"Is {q} the name of a child?", self.names_in("_modules"), True, (none, self.is_none),
                  ((f"`_modules` keeps {q}, with None in it", "kept", "_modules"), ("TypeError: cannot assign … as child module", "refused", ""))),
            _Case(f"Is the value a Buffer, or {q} the name of one?", self.buffer_named, True, buffer,
                  ((f"the value goes into `_buffers` under {q}", "stored", "_buffers"), ("TypeError: cannot assign … as buffer, or KeyError: already exists", "refused", ""))),
            self.plain(),
        ], self.homes()  # fmt: skip

    def plain(self) -> _Case:
        """`object.__setattr__`."""
        found = self.in_class()
        has_set = found is not None and class_attribute(found, "__set__") is not None
        setter = "the setter of the class gets the value"
        kind: Kind = "plain"
        if type(found) is property and found.fset is None:
            setter, kind = "AttributeError: the property has no setter", "refused"

        def asked() -> tuple[bool, str]:
            words = f"the class has {article(class_name(found))} {self.quoted}" if has_set else f"the class has no property {self.quoted}"  # fmt: skip
            return has_set, words

        return _Case("", lambda: (True, ""), True, (f"Does the class have a property {self.quoted}?", asked),
                     ((setter, kind, ""), (f"`object.__setattr__`: {self.quoted} becomes a plain attribute in `__dict__`", "plain", "__dict__")))  # fmt: skip

    def plain_deletion(self) -> _Case:
        """`object.__delattr__`."""

        def asked() -> tuple[bool, str]:
            there = "__dict__" in self.homes()
            return there, f"`__dict__` has {self.quoted if there else f'no {self.quoted}'}"

        return _Case("", lambda: (True, ""), True, (f"Is {self.quoted} in `__dict__`?", asked),
                     ((f"`object.__delattr__`: {self.quoted} is gone from `__dict__`", "deleted", ""), ("AttributeError: no such attribute", "refused", "")))  # fmt: skip

    def deleting(self) -> tuple[list[_Case], tuple[str, ...]]:
        """`Module.__delattr__`."""
        q = self.quoted
        missing = _Case("Are the drawers there?", self.drawer_there("_parameters"), False, None,
                        (("AttributeError: no `_parameters`", "refused", ""),))  # fmt: skip
        found = [
            _Case(f"Is {q} in `{slot}`?", self.names_in(slot), True, None,
                  ((f"{q} is gone from `{slot}`" + (", and with it the mark \"not saved\"" if slot == "_buffers" else ""), "deleted", ""),))
            for slot in DRAWERS
        ]  # fmt: skip
        return [missing, *found, self.plain_deletion()], ()

    def _gates(self, slot: str, noun: str) -> list[_Case]:
        """The questions before anything is registered under a name."""
        return [
            _Case(f"Is `{slot}` there?", self.drawer_there(slot), False, None,
                  ((f"AttributeError: cannot assign {noun} before Module.__init__() call", "refused", ""),)),
            _Case(f"Is {self.quoted} a name, without a dot?", self.good_name, False, None,
                  ((f"KeyError: {noun} name can't contain \".\"" if type(self.name) is str else "TypeError: the name must be a str", "refused", ""),)),
            _Case(f"Is the name free, or an entry of `{slot}`?", lambda: self.free(slot, True), False, None,
                  ((f"KeyError: attribute {self.quoted} already exists", "refused", ""),)),
        ]  # fmt: skip

    def _stores(self, slot: str) -> _Case:
        return _Case("", lambda: (True, ""), True, None, ((f"the value goes into `{slot}` under {self.quoted}", "stored", slot),))  # fmt: skip

    def buffer(self) -> tuple[list[_Case], tuple[str, ...]]:
        """`Module.register_buffer`."""
        last = _Case("Is the value a Tensor or None?", self.fits_buffer, False, None,
                     (("TypeError: cannot assign … object to buffer", "refused", ""),))  # fmt: skip
        return [*self._gates("_buffers", "buffer"), last, self._stores("_buffers")], ()

    def parameter(self) -> tuple[list[_Case], tuple[str, ...]]:
        """`Module.register_parameter`."""

        def fits() -> tuple[bool, str]:
            return self.value is None or self.is_a("Parameter"), f"it is {self.kind}"

        def leaf() -> tuple[bool, str]:
            computed = self.computed()
            return not computed, "it was computed from other tensors" if computed else "nothing computed it"  # fmt: skip

        more = [
            _Case("Is the value a Parameter or None?", fits, False, None, (("TypeError: cannot assign … object to parameter", "refused", ""),)),
            _Case("Is it a leaf?", leaf, False, None, (("ValueError: Cannot assign non-leaf Tensor to parameter", "refused", ""),)),
        ]  # fmt: skip
        return [*self._gates("_parameters", "parameter"), *more, self._stores("_parameters")], ()

    def child(self) -> tuple[list[_Case], tuple[str, ...]]:
        """`Module.add_module`."""

        def fits() -> tuple[bool, str]:
            return self.value is None or self.is_a("Module"), f"it is {self.kind}"

        first = _Case("Is the value a Module or None?", fits, False, None, (("TypeError: … is not a Module subclass", "refused", ""),))  # fmt: skip
        _, name, free = self._gates("_modules", "module")
        return [first, free, name, self._stores("_modules")], ()
