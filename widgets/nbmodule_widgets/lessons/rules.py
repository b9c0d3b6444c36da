"""The rules by which a library's Module stores, deletes and registers, as rows of questions.

Each function looks at the module as it is before the line, and answers the questions up to the one that decides. The
rules are those of `nn.Module` in PyTorch, which nbmodule follows.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.lessons.flow import Ending, Kind, Question, Row
from nbmodule_widgets.protocol import (
    DRAWERS,
    article,
    attempt,
    class_attribute,
    class_name,
    drawer,
    own_dict,
    plain_text,
    read,
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
    case = _Facts(module, name, value, library)
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


class _Facts:
    """What the questions are about: the module before the line, the name and the value."""

    def __init__(self, module: Any, name: Any, value: Any, library: str) -> None:
        self.module, self.value, self.library = module, value, library
        self.name = plain_text(name) if issubclass(type(name), str) else name
        self.own = own_dict(module)
        self.quoted = f"`{visible(name, 60)}`"
        self.kind = article(visible(class_name(value), 60)) if value is not None else "None"

    # ---- what is there

    def is_a(self, *classes: str) -> bool:
        """Whether the value is an instance of a class of the library."""
        networks, top = sys.modules.get(f"{self.library}.nn"), sys.modules.get(self.library)
        for name in classes:
            found = getattr(networks, name, None) or getattr(top, name, None)
            if found is not None and attempt(isinstance, self.value, found).value is True:
                return True
        return False

    def there(self, slot: str) -> bool:
        """Whether the module has the drawer."""
        return slot in self.own

    def taken(self, slot: str) -> bool:
        """Whether the name lies in the drawer."""
        names = [key for key, _ in drawer(self.module, slot).entries if type(key) is str]
        return slot in self.own and self.name in names

    def homes(self) -> tuple[str, ...]:
        """Every place that has the name now."""
        plain = ("__dict__",) if type(self.name) is str and self.name in list(self.own) else ()
        return (*plain, *(slot for slot in DRAWERS if self.taken(slot)))

    def in_class(self) -> object:
        """What the class has under the name."""
        return class_attribute(self.module, self.name) if type(self.name) is str else None

    # ---- questions that several rules ask

    def value_is(self, kind: str) -> Callable[[], tuple[bool, str]]:
        """Whether the value is a Parameter, a Module or a Buffer."""

        def asked() -> tuple[bool, str]:
            yes = self.is_a(kind)
            if yes:
                more = "" if class_name(self.value) == kind else f": {article(kind)}"
                return True, f"the value is {self.kind}{more}"
            return False, f"the value is {self.kind}, no {kind}"

        return asked

    def names_in(self, slot: str) -> Callable[[], tuple[bool, str]]:
        """Whether the name belongs to an entry of the drawer."""

        def asked() -> tuple[bool, str]:
            if not self.there(slot):
                return False, f"there is no `{slot}` yet"
            if self.taken(slot):
                return True, f"`{slot}` has {self.quoted}"
            entries = drawer(self.module, slot).entries
            names = ", ".join(f"`{visible(key, 30)}`" for key, _ in entries[:4])
            more = ", …" if len(entries) > 4 else ""
            return False, f"`{slot}` has {names}{more}" if names else f"`{slot}` is empty"

        return asked

    def is_none(self) -> tuple[bool, str]:
        """Whether the value is None."""
        return self.value is None, f"it is {self.kind}"

    def drawer_there(self, slot: str) -> Callable[[], tuple[bool, str]]:
        """Whether `super().__init__()` has made the drawer."""
        return lambda: (
            (True, f"`{slot}` is there")
            if self.there(slot)
            else (False, f"no `{slot}`: was `super().__init__()` called?")
        )

    def registrable(self, slot: str, kept: bool) -> tuple[bool, str]:
        """Whether the value may become an entry of the drawer under this name.

        Args:
            slot: The drawer.
            kept: Whether the name stays in the other places, where it is in the way; an assignment clears them.
        """
        if not self.there(slot):
            return False, f"no `{slot}`: was `super().__init__()` called?"
        fine, why = self.good_name()
        if not fine:
            return fine, why
        fine, why = self.free(slot, kept)
        if fine and slot == "_parameters" and self.value is not None and read(self.value, "grad_fn").value is not None:  # fmt: skip
            return False, "it was computed from other tensors, so it is no leaf"
        return fine, why

    def good_name(self) -> tuple[bool, str]:
        """Whether the name can be part of a path."""
        if type(self.name) is not str:
            return False, f"the name is {article(class_name(self.name))}, no str"
        if not self.name:
            return False, "the name is empty"
        return ("." not in self.name, "a name with a dot would look like a path" if "." in self.name else "no dot in it")  # fmt: skip

    def free(self, slot: str, kept: bool) -> tuple[bool, str]:
        """Whether nobody else has the name."""
        if self.taken(slot):
            return True, f"{self.quoted} is an entry of `{slot}` already, and is replaced"
        if self.in_class() is not None:
            owner = article(visible(class_name(self.in_class()), 40))
            return False, f"the class has {owner} {self.quoted}"
        others = [place for place in self.homes() if place != slot] if kept else []
        if others:
            return False, f"{self.quoted} is in `{others[0]}`"
        return True, f"`{slot}` is there, and {self.quoted} is free"

    # ---- the rules

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

    def fits_buffer(self) -> tuple[bool, str]:
        """Whether the value may lie among the buffers."""
        fine = self.value is None or self.is_a("Tensor") or class_attribute(self.value, "__torch_function__") is not None  # fmt: skip
        return fine, f"it is {self.kind}"

    def may_be_buffer(self) -> tuple[bool, str]:
        """Whether an assignment may put the value among the buffers; unlike a Parameter, a Buffer takes no other's name."""
        fine, why = self.fits_buffer()
        if not fine:
            return fine, why
        if not self.there("_buffers"):
            return self.drawer_there("_buffers")()
        return self.free("_buffers", True)

    def buffer_named(self) -> tuple[bool, str]:
        """Whether an assignment is about a buffer."""
        if self.is_a("Buffer"):
            return True, "the value is a Buffer"
        yes, why = self.names_in("_buffers")()
        return yes, why if yes else f"{self.kind} is no Buffer, and {why}"

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
            computed = self.value is not None and read(self.value, "grad_fn").value is not None
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
