"""What readers answer in chapter 03 when they are wrong."""

from __future__ import annotations

from wrong_answer import WrongAnswer

_FETCHES = """
class Fetcher(Module02):
    def __getattr__(self, name):
"""

_SAFE = """
        for drawer in ("_parameters", "_buffers", "_modules"):
            found = self.__dict__.get(drawer, {})
            if name in found:
                return found[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
"""

_NAIVE = """
        for drawer in (self._parameters, self._buffers, self._modules):
            if name in drawer:
                return drawer[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
"""

WRONG = {
    "03.1": [
        WrongAnswer(
            name="minitorch: None for a missing name",
            source="""
class MyModule(Module02):
    def __getattr__(self, name):
        for drawer in (self._parameters, self._buffers, self._modules):
            if name in drawer:
                return drawer[name]
""",
            expect="there is no `nope`, and `m.nope` gave None",
        ),
        WrongAnswer(
            name="KeyError for a missing name",
            source="""
class MyModule(Module02):
    def __getattr__(self, name):
        return {**self._parameters, **self._buffers, **self._modules}[name]
""",
            expect="`m.nope` raised KeyError: 'nope'",
        ),
        WrongAnswer(
            name="buffers are forgotten",
            source="""
class MyModule(Module02):
    def __getattr__(self, name):
        for drawer in (self._parameters, self._modules):
            if name in drawer:
                return drawer[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
""",
            expect="`_buffers` is never asked",
        ),
        WrongAnswer(
            name="the value is asked whether it is true",
            source="""
class MyModule(Module02):
    def __getattr__(self, name):
        for drawer in (self._parameters, self._buffers, self._modules):
            value = drawer.get(name)
            if value is not None:
                return value
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
""",
            expect="`bias` lies in `_parameters`",
        ),
        WrongAnswer(
            name="an error without a text",
            source="""
class MyModule(Module02):
    def __getattr__(self, name):
        for drawer in (self._parameters, self._buffers, self._modules):
            if name in drawer:
                return drawer[name]
        raise AttributeError(f"MyModule has no {name}")
""",
            expect="the message is 'MyModule has no stripes'",
        ),
        WrongAnswer(
            name="the wrong drawer",
            source="""
class MyModule(Module02):
    def __getattr__(self, name):
        for drawer in (self._parameters, self._buffers, self._modules):
            if name in drawer:
                return next(iter(self._parameters.values()))
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
""",
            expect="`mean` lies in `_buffers`; `m.mean` gave Parameter",
        ),
        WrongAnswer(
            name="found once, kept in __dict__",
            source="""
class MyModule(Module02):
    def __getattr__(self, name):
        for drawer in (self._parameters, self._buffers, self._modules):
            if name in drawer:
                self.__dict__[name] = drawer[name]
                return drawer[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
""",
            expect="that copy grows old",
        ),
        WrongAnswer(
            name="digs into the children",
            source="""
class MyModule(Module02):
    def __getattr__(self, name):
        for drawer in (self._parameters, self._buffers, self._modules):
            if name in drawer:
                return drawer[name]
        for child in self._modules.values():
            if child is not None and hasattr(child, name):
                return getattr(child, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
""",
            expect="the children were asked as well",
        ),
        WrongAnswer(
            name="the error is returned",
            source="""
class MyModule(Module02):
    def __getattr__(self, name):
        for drawer in (self._parameters, self._buffers, self._modules):
            if name in drawer:
                return drawer[name]
        return AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
""",
            expect="hands the exception over like a value",
        ),
        WrongAnswer(
            name="the error is raised inside of the loop",
            source="""
class MyModule(Module02):
    def __getattr__(self, name):
        for drawer in (self._parameters, self._buffers, self._modules):
            if name in drawer:
                return drawer[name]
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
""",
            expect="a `raise` inside of the loop ends it",
        ),
    ],
    "03.2": [
        WrongAnswer(
            name="drawers are looked up as attributes",
            source=_FETCHES + _NAIVE,
            expect="a wrong answer to `__deepcopy__`, `__copy__`, `__setstate__` and",
        ),
        WrongAnswer(
            name="only __deepcopy__ is treated apart",
            source=_FETCHES
            + """
        if name == "__deepcopy__":
            raise AttributeError(name)
"""
            + _NAIVE,
            expect="a wrong answer to `__copy__`, `__setstate__` and `__getnewargs__`",
        ),
        WrongAnswer(
            name="all special names are treated apart",
            source=_FETCHES
            + """
        if name.startswith("__"):
            raise AttributeError(name)
"""
            + _NAIVE,
            expect="before `__init__`, the ordinary name `m.w` raised RecursionError",
        ),
        WrongAnswer(
            name="None before __init__",
            source=_FETCHES
            + """
        if "_parameters" not in self.__dict__:
            return None
"""
            + _NAIVE,
            expect="there are no drawers, and instead of raising, None is returned",
        ),
        WrongAnswer(
            name="missing drawers are made",
            source=_FETCHES + _SAFE.replace(".get(drawer, {})", ".setdefault(drawer, {})"),
            expect="now `__dict__` has ['_parameters', '_buffers', '_modules']",
        ),
        WrongAnswer(
            name="a __deepcopy__ that builds anew",
            source=_FETCHES
            + _SAFE
            + """
    def __deepcopy__(self, memo):
        return type(self)()
""",
            expect="`copy.deepcopy(m)` raised TypeError",
        ),
        WrongAnswer(
            name="the RecursionError is caught",
            source="""
class Fetcher(Module02):
    def __getattr__(self, name):
        try:
            for drawer in (self._parameters, self._buffers, self._modules):
                if name in drawer:
                    return drawer[name]
        except RecursionError:
            pass
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
""",
            expect="only their RecursionError is caught",
        ),
    ],
    "03.3": [
        WrongAnswer(
            name="parameters alone",
            source="""
class Remover(Module02):
    def __delattr__(self, name):
        if name in self._parameters:
            del self._parameters[name]
        else:
            super().__delattr__(name)
""",
            expect="`fc` was in `_modules`; after `del m.fc`",
        ),
        WrongAnswer(
            name="a missing name goes unnoticed",
            source="""
class Remover(Module02):
    def __delattr__(self, name):
        for place in (self._parameters, self._buffers, self._modules, self.__dict__):
            place.pop(name, None)
""",
            expect="there is no `nope`, and `del m.nope` gave no error",
        ),
        WrongAnswer(
            name="a KeyError for a missing name",
            source="""
class Remover(Module02):
    def __delattr__(self, name):
        for drawer in (self._parameters, self._buffers, self._modules):
            if name in drawer:
                del drawer[name]
                return
        del self.__dict__[name]
""",
            expect="`del m.nope` gave KeyError: 'nope'",
        ),
        WrongAnswer(
            name="set to None instead of deleted",
            source="""
class Remover(Module02):
    def __delattr__(self, name):
        for drawer in (self._parameters, self._buffers, self._modules):
            if name in drawer:
                drawer[name] = None
                return
        super().__delattr__(name)
""",
            expect="it is in `_parameters`, with the value None",
        ),
        WrongAnswer(
            name="and then the ordinary way as well",
            source="""
class Remover(Module02):
    def __delattr__(self, name):
        for drawer in (self._parameters, self._buffers, self._modules):
            if name in drawer:
                del drawer[name]
        super().__delattr__(name)
""",
            expect="a `return` is missing",
        ),
        WrongAnswer(
            name="the drawer is emptied",
            source="""
class Remover(Module02):
    def __delattr__(self, name):
        if any(name in d for d in (self._parameters, self._buffers, self._modules)):
            for drawer in (self._parameters, self._buffers, self._modules):
                drawer.clear()
        else:
            super().__delattr__(name)
""",
            expect="took `mean, fc` out as well",
        ),
        WrongAnswer(
            name="names that begin alike go too",
            source="""
class Remover(Module02):
    def __delattr__(self, name):
        for drawer in (self._parameters, self._buffers, self._modules):
            if name in drawer:
                for key in list(drawer):
                    if key.startswith(name):
                        del drawer[key]
                return
        super().__delattr__(name)
""",
            expect="took its neighbor `w2` out as well",
        ),
    ],
    "03.4": [
        WrongAnswer(
            name="the drawers alone",
            source="""
class Lister(Module02):
    def __dir__(self):
        names = [*self._parameters, *self._buffers, *self._modules]
        return [name for name in names if not name[0].isdigit()]
""",
            expect="`lr`, `training` are not in `dir(m)`",
        ),
        WrongAnswer(
            name="the class is forgotten",
            source="""
class Lister(Module02):
    def __dir__(self):
        names = [*self.__dict__, *self._parameters, *self._buffers, *self._modules]
        return [name for name in names if not name[0].isdigit()]
""",
            expect="methods and class attributes are missing",
        ),
        WrongAnswer(
            name="digits are kept",
            source="""
class Lister(Module02):
    def __dir__(self):
        return [*super().__dir__(), *self._parameters, *self._buffers, *self._modules]
""",
            expect="`dir(m)` lists ['0', '10', '2nd']",
        ),
        WrongAnswer(
            name="only names of digits are left out",
            source="""
class Lister(Module02):
    def __dir__(self):
        names = [*super().__dir__(), *self._parameters, *self._buffers, *self._modules]
        return [name for name in names if not name.isdigit()]
""",
            expect="`dir(m)` lists ['2nd']",
        ),
        WrongAnswer(
            name="everything twice",
            source="""
class Lister(Module02):
    def __dir__(self):
        names = [*super().__dir__(), *dir(type(self)), *self.__dict__]
        names += [*self._parameters, *self._buffers, *self._modules]
        return [name for name in names if not name[0].isdigit()]
""",
            expect="names come more than once",
        ),
        WrongAnswer(
            name="dir asks itself",
            source="""
class Lister(Module02):
    def __dir__(self):
        names = [*dir(self), *self._parameters, *self._buffers, *self._modules]
        return [name for name in names if not name[0].isdigit()]
""",
            expect="RecursionError",
        ),
        WrongAnswer(
            name="digits are removed while the loop runs",
            source="""
class Lister(Module02):
    def __dir__(self):
        names = {*super().__dir__(), *self._parameters, *self._buffers, *self._modules}
        names = sorted(names)
        for name in names:
            if name[0].isdigit():
                names.remove(name)
        return names
""",
            expect="names are removed from a list while a loop walks over it",
        ),
        WrongAnswer(
            name="lists what the children hold",
            source="""
class Lister(Module02):
    def __dir__(self):
        names = {*super().__dir__(), *self._parameters, *self._buffers, *self._modules}
        for child in self._modules.values():
            names.update(child._parameters)
        return [name for name in names if not name[0].isdigit()]
""",
            expect="only the child `m.fc` has that",
        ),
    ],
    "03.5": [
        WrongAnswer(
            name="the usual text for everything",
            source="""
def explain(module, name):
    return f"'{type(module).__name__}' object has no attribute '{name}'"
""",
            expect="the text is \"'Scales' object has no attribute 'size'\"",
        ),
        WrongAnswer(
            name="the class is asked without a default",
            source="""
def explain(module, name):
    found = getattr(type(module), name)
    if isinstance(found, property):
        try:
            found.fget(module)
        except AttributeError as inner:
            return f"in the property '{name}': {inner}"
    return f"'{type(module).__name__}' object has no attribute '{name}'"
""",
            expect="AttributeError: type object 'Scales' has no attribute 'nope'",
        ),
        WrongAnswer(
            name="inherited properties are not seen",
            source="""
def explain(module, name):
    found = vars(type(module)).get(name)
    if isinstance(found, property):
        try:
            found.fget(module)
        except AttributeError as inner:
            return f"in the property '{name}': {inner}"
    return f"'{type(module).__name__}' object has no attribute '{name}'"
""",
            expect="only the class's own `__dict__` is looked at",
        ),
        WrongAnswer(
            name="only the inner message",
            source="""
def explain(module, name):
    found = getattr(type(module), name, None)
    if isinstance(found, property):
        try:
            found.fget(module)
        except AttributeError as inner:
            return str(inner)
    return f"'{type(module).__name__}' object has no attribute '{name}'"
""",
            expect="only the inner message is returned",
        ),
        WrongAnswer(
            name="no text for ordinary names",
            source="""
def explain(module, name):
    found = getattr(type(module), name, None)
    if isinstance(found, property):
        try:
            found.fget(module)
        except AttributeError as inner:
            return f"in the property '{name}': {inner}"
""",
            expect='`explain(m, "nope")` gave None',
        ),
        WrongAnswer(
            name="knows the example by heart",
            source="""
def explain(module, name):
    if name == "size":
        return "in the property 'size': no attribute 'wieght'"
    return f"'{type(module).__name__}' object has no attribute '{name}'"
""",
            expect="the names of one example are written into the function",
        ),
        WrongAnswer(
            name="the object instead of its class",
            source="""
def explain(module, name):
    found = getattr(type(module), name, None)
    if isinstance(found, property):
        try:
            found.fget(module)
        except AttributeError as inner:
            return f"in the property '{name}': {inner}"
    return f"'{module}' object has no attribute '{name}'"
""",
            expect="the module's `repr`, or its class's",
        ),
    ],
}
