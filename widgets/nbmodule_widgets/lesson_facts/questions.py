"""The questions by which a library's Module decides where a value goes, answered by looking at the object as it is."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from nbmodule_widgets.facts.words import visible
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

Answer = tuple[bool, str]


class Questions:
    """What can be asked about a call that stores, deletes or registers; each answer is yes or no, and why.

    Args:
        module: The module as it is before the line.
        name: The attribute's name.
        value: The value; None also for a deletion.
        library: `"nbmodule"`, `"torch"`, or the empty string for the rules of any object.
    """

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

    def value_is(self, kind: str) -> Callable[[], Answer]:
        """Whether the value is a Parameter, a Module or a Buffer."""

        def asked() -> Answer:
            yes = self.is_a(kind)
            if yes:
                more = "" if class_name(self.value) == kind else f": {article(kind)}"
                return True, f"the value is {self.kind}{more}"
            return False, f"the value is {self.kind}, no {kind}"

        return asked

    def names_in(self, slot: str) -> Callable[[], Answer]:
        """Whether the name belongs to an entry of the drawer."""

        def asked() -> Answer:
            if not self.there(slot):
                return False, f"there is no `{slot}` yet"
            if self.taken(slot):
                return True, f"`{slot}` has {self.quoted}"
            entries = drawer(self.module, slot).entries
            names = ", ".join(f"`{visible(key, 30)}`" for key, _ in entries[:4])
            more = ", …" if len(entries) > 4 else ""
            return False, f"`{slot}` has {names}{more}" if names else f"`{slot}` is empty"

        return asked

    def is_none(self) -> Answer:
        """Whether the value is None."""
        return self.value is None, f"it is {self.kind}"

    def drawer_there(self, slot: str) -> Callable[[], Answer]:
        """Whether `super().__init__()` has made the drawer."""
        return lambda: (
            (True, f"`{slot}` is there")
            if self.there(slot)
            else (False, f"no `{slot}`: was `super().__init__()` called?")
        )

    def registrable(self, slot: str, kept: bool) -> Answer:
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
        if fine and slot == "_parameters" and self.computed():
            return False, "it was computed from other tensors, so it is no leaf"
        return fine, why

    def good_name(self) -> Answer:
        """Whether the name can be part of a path."""
        if type(self.name) is not str:
            return False, f"the name is {article(class_name(self.name))}, no str"
        if not self.name:
            return False, "the name is empty"
        return ("." not in self.name, "a name with a dot would look like a path" if "." in self.name else "no dot in it")  # fmt: skip

    def free(self, slot: str, kept: bool) -> Answer:
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

    def fits_buffer(self) -> Answer:
        """Whether the value may lie among the buffers."""
        fine = self.value is None or self.is_a("Tensor") or class_attribute(self.value, "__torch_function__") is not None  # fmt: skip
        return fine, f"it is {self.kind}"

    def may_be_buffer(self) -> Answer:
        """Whether an assignment may put the value among the buffers; unlike a Parameter, a Buffer takes no other's name."""
        fine, why = self.fits_buffer()
        if not fine:
            return fine, why
        if not self.there("_buffers"):
            return self.drawer_there("_buffers")()
        return self.free("_buffers", True)

    def buffer_named(self) -> Answer:
        """Whether an assignment is about a buffer."""
        if self.is_a("Buffer"):
            return True, "the value is a Buffer"
        yes, why = self.names_in("_buffers")()
        return yes, why if yes else f"{self.kind} is no Buffer, and {why}"

    def computed(self) -> bool:
        """Whether the value was computed from other tensors, so that it is no leaf."""
        return self.value is not None and read(self.value, "grad_fn").value is not None
