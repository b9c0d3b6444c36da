"""What readers answer in chapter 02 when they are wrong."""

from __future__ import annotations

from wrong_answer import WrongAnswer

_SORTER = """
class MyModule(Module01):
    def __setattr__(self, name, value):
"""

_SORTS = """
class MyModule(Module01):
    def __setattr__(self, name, value):
        if isinstance(value, Parameter):
            self._make_room(name, keep=self._parameters)
            self._parameters[name] = value
        elif isinstance(value, Modules):
            self._make_room(name, keep=self._modules)
            self._modules[name] = value
        else:
            super().__setattr__(name, value)

    def _make_room(self, name, keep):
"""

# The finished clerk, row by row; each wrong answer of 02.3 spoils one row.
_CLERK = """
class MyModule(Filing):
    def _home_of(self, name, value):
        slots = self.__dict__
        if isinstance(value, (Parameter, *Modules)) and "_modules" not in slots:
            raise AttributeError(f"call super().__init__() before you assign '{name}'")
        if isinstance(value, Parameter):
            return self._parameters
        if name in slots.get("_parameters", {}):
            if value is not None:
                raise TypeError(f"'{name}' is a parameter")
            return self._parameters
        if isinstance(value, Modules):
            return self._modules
        if name in slots.get("_modules", {}):
            if value is not None:
                raise TypeError(f"'{name}' is a child")
            return self._modules
        if name in slots.get("_buffers", {}):
            if value is not None and not isinstance(value, nbmodule.Tensor):
                raise TypeError(f"'{name}' is a buffer")
            return self._buffers
        return None
"""


def _spoiled(old: str, new: str) -> str:
    """Return the finished clerk with one passage replaced."""
    assert _CLERK.count(old) == 1, old
    return _CLERK.replace(old, new)


WRONG = {
    "02.1": [
        WrongAnswer(
            name="own modules are not Modules",
            source=_SORTER
            + """
        if isinstance(value, Parameter):
            self._parameters[name] = value
        elif isinstance(value, nn.Module):
            self._modules[name] = value
        else:
            super().__setattr__(name, value)
""",
            expect="only `nn.Module` is asked for",
        ),
        WrongAnswer(
            name="plain values are dropped",
            source=_SORTER
            + """
        if isinstance(value, Parameter):
            self._parameters[name] = value
        elif isinstance(value, Modules):
            self._modules[name] = value
""",
            expect="`thing` is nowhere",
        ),
        WrongAnswer(
            name="minitorch: stored in the drawer and as an attribute",
            source=_SORTER
            + """
        if isinstance(value, Parameter):
            self._parameters[name] = value
        elif isinstance(value, Modules):
            self._modules[name] = value
        super().__setattr__(name, value)
""",
            expect="`w` is in `_parameters` and `__dict__`",
        ),
        WrongAnswer(
            name="every trainable tensor is a parameter",
            source=_SORTER
            + """
        if getattr(value, "requires_grad", False):
            self._parameters[name] = value
        elif isinstance(value, Modules):
            self._modules[name] = value
        else:
            super().__setattr__(name, value)
""",
            expect="the class decides, not the switch",
        ),
        WrongAnswer(
            name="self.name = value calls itself",
            source=_SORTER
            + """
        if isinstance(value, Parameter):
            self._parameters[name] = value
        elif isinstance(value, Modules):
            self._modules[name] = value
        else:
            setattr(self, name, value)
""",
            expect="RecursionError",
        ),
        WrongAnswer(
            name="properties are passed by",
            source=_SORTER
            + """
        if isinstance(value, Parameter):
            self._parameters[name] = value
        elif isinstance(value, Modules):
            self._modules[name] = value
        else:
            self.__dict__[name] = value
""",
            expect="its setter had not run",
        ),
        WrongAnswer(
            name="every assignment wipes the drawer",
            source="""
class MyModule(Module01):
    def __setattr__(self, name, value):
        if isinstance(value, Parameter):
            self.__dict__["_parameters"] = {name: value}
        elif isinstance(value, Modules):
            self._modules[name] = value
        else:
            super().__setattr__(name, value)
""",
            expect="the drawer is made anew, or emptied, at every assignment",
        ),
        WrongAnswer(
            name="sorts by name",
            source="""
class MyModule(Module01):
    def __setattr__(self, name, value):
        if name in ("w", "b", "weight", "bias"):
            self._parameters[name] = value
        elif isinstance(value, Modules):
            self._modules[name] = value
        else:
            super().__setattr__(name, value)
""",
            expect="the clerk looks at the name",
        ),
        WrongAnswer(
            name="the text name as key",
            source="""
class MyModule(Module01):
    def __setattr__(self, name, value):
        if isinstance(value, Parameter):
            self._parameters["name"] = value
        elif isinstance(value, Modules):
            self._modules[name] = value
        else:
            super().__setattr__(name, value)
""",
            expect='the key is the text "name"',
        ),
    ],
    "02.2": [
        WrongAnswer(
            name="minitorch: two truths",
            source=_SORTS
            + """
        if name in keep:
            del keep[name]
""",
            expect="after `m.x = 5`, and then `m.x` got a Parameter, `x` is in `_parameters` and `__dict__`",
        ),
        WrongAnswer(
            name="fastbook: a list that grows",
            source="""
class MyModule(Module01):
    def __setattr__(self, name, value):
        if isinstance(value, Parameter):
            self._parameters[f"{name} ({len(self._parameters)})"] = value
        elif isinstance(value, Modules):
            self._modules[f"{name} ({len(self._modules)})"] = value
        super().__setattr__(name, value)
""",
            expect="`_parameters` has 3 entries",
        ),
        WrongAnswer(
            name="only __dict__ is cleared",
            source=_SORTS
            + """
        self.__dict__.pop(name, None)
""",
            expect="not `__dict__` alone",
        ),
        WrongAnswer(
            name="its own place is cleared too",
            source=_SORTS
            + """
        for place in (self.__dict__, self._parameters, self._buffers, self._modules):
            place.pop(name, None)
""",
            expect="`_parameters` lists ['b', 'w']",
        ),
        WrongAnswer(
            name="stored first, cleared afterwards",
            source="""
class MyModule(Module01):
    def __setattr__(self, name, value):
        if isinstance(value, Parameter):
            self._parameters[name] = value
        elif isinstance(value, Modules):
            self._modules[name] = value
        else:
            super().__setattr__(name, value)
        for place in (self.__dict__, self._buffers, self._modules, self._parameters):
            if name in place and name != "training":
                place.pop(name)
""",
            expect="the eviction comes after the storing",
        ),
        WrongAnswer(
            name="a name that is not there is an error",
            source=_SORTS
            + """
        for place in (self.__dict__, self._parameters, self._buffers, self._modules):
            if place is not keep:
                del place[name]
""",
            expect="KeyError: 'w'",
        ),
    ],
    "02.3": [
        WrongAnswer(
            name="nothing is refused over a Parameter",
            source=_spoiled(
                """            if value is not None:
                raise TypeError(f"'{name}' is a parameter")
            return self._parameters
""",
                """            return self._parameters if value is None else None
""",
            ),
            expect="`m.w = Parameter(…)` and then `m.w = 5` gave no error",
        ),
        WrongAnswer(
            name="Modules are looked at before the names of parameters",
            source=_spoiled(
                """        if name in slots.get("_parameters", {}):
            if value""",
                """        if name in slots.get("_parameters", {}) and not isinstance(value, Modules):
            if value""",
            ),
            expect="the row for Modules stands above the row for names in `_parameters`",
        ),
        WrongAnswer(
            name="None deletes the name",
            source=_CLERK
            + """
    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        if value is None and "_parameters" in self.__dict__:
            self._parameters.pop(name, None)
""",
            expect="after `m.w = Parameter(…)` and `m.w = None`, `w` is nowhere",
        ),
        WrongAnswer(
            name="a buffer takes anything",
            source=_spoiled(
                """            if value is not None and not isinstance(value, nbmodule.Tensor):
                raise TypeError(f"'{name}' is a buffer")
""",
                "",
            ),
            expect="`mean` was a buffer and then `m.mean = 0.5` gave no error",
        ),
        WrongAnswer(
            name="Python's own message before __init__",
            source=_spoiled(
                """        if isinstance(value, (Parameter, *Modules)) and "_modules" not in slots:
            raise AttributeError(f"call super().__init__() before you assign '{name}'")
""",
                "",
            ),
            expect="this is the message that Python makes by itself",
        ),
        WrongAnswer(
            name="missing drawers are made on the spot",
            source=_spoiled(
                """            raise AttributeError(f"call super().__init__() before you assign '{name}'")
""",
                """            Module01.__init__(self)
""",
            ),
            expect="the drawers are made on the spot",
        ),
        WrongAnswer(
            name="a buffer stays a buffer, whatever tensor comes",
            source=_spoiled(
                """        if isinstance(value, Parameter):
""",
                """        if name in slots.get("_buffers", {}) and isinstance(value, nbmodule.Tensor):
            return self._buffers
        if isinstance(value, Parameter):
""",
            ),
            expect="`x` was a buffer, and then `m.x` got a Parameter, `x` is in `_buffers`",
        ),
        WrongAnswer(
            name="a Module over a buffer is refused",
            source=_spoiled(
                """        if isinstance(value, Modules):
            return""",
                """        if name in slots.get("_buffers", {}) and isinstance(value, Modules):
            raise TypeError(f"'{name}' is a buffer")
        if isinstance(value, Modules):
            return""",
            ),
            expect="`x` was a buffer, and then `m.x` got a Module, there was TypeError: 'x' is a buffer",
        ),
        WrongAnswer(
            name="a plain value stays plain",
            source=_spoiled(
                """        if isinstance(value, Parameter):
""",
                """        if name in slots:
            return None
        if isinstance(value, Parameter):
""",
            ),
            expect="a name in `__dict__` need not stay there",
        ),
        WrongAnswer(
            name="the TypeError is returned",
            source=_spoiled(
                """                raise TypeError(f"'{name}' is a parameter")
""",
                """                return TypeError(f"'{name}' is a parameter")
""",
            ),
            expect="hands the exception over like a drawer",
        ),
        WrongAnswer(
            name="the drawer's name is returned",
            source=_spoiled(
                """        if isinstance(value, Parameter):
            return self._parameters
""",
                """        if isinstance(value, Parameter):
            return "_parameters"
""",
            ),
            expect="the drawer's name was returned, a text",
        ),
    ],
}
