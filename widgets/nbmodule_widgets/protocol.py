"""What can be asked of a Module, and how to ask without trusting the answer.

A Module here is *any* object with the drawers `_modules`, `_parameters` and `_buffers`: ours, PyTorch's,
or the class that a reader is half-way through writing. Such a class may have a `__getattr__` that returns
`None` for everything, calls itself for ever, or raises `KeyError`. So the views read `vars(module)`, which no
such method can falsify, look a name up in the class without running it (as `inspect.getattr_static` does, but
fast enough for 10,000 Modules), and run the reader's own code in
one place only: `attempt`, which turns an exception into a sentence.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType, ModuleType
from typing import Any, NamedTuple

DRAWERS = ("_parameters", "_buffers", "_modules")

HOOK_SLOTS = (
    "_backward_pre_hooks",
    "_backward_hooks",
    "_is_full_backward_hook",
    "_forward_hooks",
    "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called",
    "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs",
)

STATE_DICT_HOOK_SLOTS = (
    "_state_dict_hooks",
    "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)

# The state of a fresh Module, in the order in which PyTorch's `Module.__init__` creates it.
SLOTS = (
    "training",
    "_parameters",
    "_buffers",
    "_non_persistent_buffers_set",
    *HOOK_SLOTS,
    *STATE_DICT_HOOK_SLOTS,
    "_modules",
)

# Where a Module that `torch.jit.trace` made keeps the one that has its drawers.
STAND_IN = "_actual_script_module"

LIBRARIES = ("nbmodule", "torch")

# What only a Module's class has; one of these is enough for an object whose `__init__` has not run yet.
_MODULE_METHODS = ("named_parameters", "register_parameter", "add_module", "parameters", "forward")


class Outcome(NamedTuple):
    """What came of calling somebody else's code.

    Attributes:
        value: What it returned, or `None` when it raised.
        problem: `"KeyError: 'x'"` when it raised, otherwise the empty string.
    """

    value: Any
    problem: str


# Half the time of `Outcome(…)` and `Drawer(…)`.
_new: Callable[[type[Outcome], tuple[Any, str]], Outcome] = tuple.__new__
_drawer: Callable[[type[Drawer], tuple[Any, bool, str]], Drawer] = tuple.__new__


class Drawer(NamedTuple):
    """The contents of one drawer, and what was wrong with it.

    Attributes:
        entries: `(name, object)` pairs in order; empty when the drawer could not be read.
        present: Whether the instance has such a drawer at all.
        problem: A sentence for the reader, or the empty string.
    """

    entries: list[tuple[Any, Any]]
    present: bool
    problem: str


def type_name(cls: type) -> str:
    """Name of a class, even if its metaclass lies about it."""
    return type.__dict__["__name__"].__get__(cls)


def class_name(obj: object) -> str:
    """Name of the object's class."""
    return type_name(type(obj))


def plain_text(text: Any) -> str:
    """A `str` of Python's own from an instance of it or of a subclass, whose methods may lie."""
    return text if type(text) is str else str.__str__(text)


def is_written_in_c(cls: type) -> bool:
    """Whether the class comes from compiled code, so that comparing its instances runs nothing of the reader's."""
    return not _flags_of(cls) & _MADE_BY_A_CLASS_STATEMENT


def package_of(cls: type) -> str:
    """`"torch"` for a class that says it comes from `torch.nn`; the empty string if it says nothing."""
    said: Any = _module_of(cls)
    return said.partition(".")[0] if type(said) is str else ""


def of_a_library(cls: type) -> bool:
    """Whether the class is PyTorch's or ours, whose methods only answer when they are asked for their state."""
    return package_of(cls) in LIBRARIES


def definers(cls: type, name: str) -> list[type]:
    """The classes along the MRO that define a name, the one that Python takes first."""
    return [c for c in mro_of(cls) if name in namespace_of(c)]


def is_exactly(obj: object, *kinds: type) -> bool:
    """Whether the object's class is one of these; `in` would ask its metaclass what "equal" means."""
    kind = type(obj)
    for wanted in kinds:  # noqa: SIM110  # `any` of a generator takes twice as long, and this is asked very often
        if kind is wanted:
            return True
    return False


def article(noun: str) -> str:
    """`"an int"`, `"a Module"`."""
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def own_dict(obj: object) -> dict[str, Any]:
    """`vars(obj)`, read past any `__getattribute__`; empty when the object has none."""
    kind = type(obj)
    known = _OPENERS.get(id(kind))  # as in `dict_opener`, without the call: asked most of all
    opens = known[1] if known is not None and known[0] is kind else dict_opener(kind)
    found = opens(obj) if opens is not None else None
    return found if isinstance(found, dict) else {}


def has_own_dict(obj: object) -> bool:
    """Whether the object can hold attributes of its own."""
    return dict_opener(type(obj)) is not None


mro_of: Callable[[type], tuple[type, ...]] = type.__dict__["__mro__"].__get__
"""A class and those that it inherits from, asked past its metaclass."""

namespace_of: Callable[[type], Any] = type.__dict__["__dict__"].__get__
"""What stands in the body of a class, asked past its metaclass; read only."""


def class_attribute(obj: object, name: str, default: Any = None) -> Any:
    """What the class (or one it inherits from) defines under this name, without running any of it."""
    for cls in mro_of(type(obj)):
        namespace = namespace_of(cls)
        if name in namespace:
            return namespace[name]
    return default


def dict_opener(cls: type) -> Callable[[object], dict[str, Any]] | None:
    """Python's own way from an instance to its `__dict__`, which a property of that name can only hide; or None."""
    known = _OPENERS.get(id(cls))
    if known is None or known[0] is not cls:
        found = (namespace_of(base).get("__dict__") for base in mro_of(cls))
        genuine = (f for f in found if is_exactly(f, GetSetDescriptorType, MemberDescriptorType))
        opener = None if issubclass(cls, type) else getattr(next(genuine, None), "__get__", None)
        if len(_OPENERS) >= _MOST_OPENERS:
            _OPENERS.clear()
        known = _OPENERS[id(cls)] = (cls, opener)
    return known[1]


def error_text(error: BaseException) -> str:
    """`"KeyError: 'x'"`, also for an exception whose `__str__` raises."""
    kind = class_name(error)
    try:
        message = plain_text(str(error))
    except KeyboardInterrupt:
        raise
    except BaseException:
        message = "(its message could not be read)"
    return f"{kind}: {message}" if message else kind


def attempt(function: Callable[..., Any], *arguments: Any) -> Outcome:
    """Calls code that is not ours and reports what it raised instead of raising it.

    A `KeyboardInterrupt` comes from the reader, who wants to stop, and goes on to them.
    """
    try:
        return _new(Outcome, (function(*arguments), ""))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # `sys.exit()` in an `extra_repr` must not end the kernel
        return Outcome(None, error_text(error))


def read(obj: object, name: str) -> Outcome:
    """`obj.name`, guarded: this is allowed to run a property or a `__getattr__`."""
    return attempt(getattr, obj, name)


def as_text(obj: object, how: Callable[[object], str] = str) -> str:
    """`str(obj)`, or `repr(obj)`, as a text of Python's own; the empty string if that raises."""
    return attempt(lambda: plain_text(how(obj))).value or ""


def said_as_text(obj: object, name: str) -> str:
    """`str(obj.name)`, such as that of a device or a dtype; the empty string if one of the two raises."""
    said = read(obj, name)
    return "" if said.problem else as_text(said.value)


def drawer(module: object, name: str) -> Drawer:
    """Opens one of the module's dictionaries.

    Args:
        module: Any object.
        name: `"_modules"`, `"_parameters"`, `"_buffers"` or another slot that holds a dictionary.
    """
    own = own_dict(module)
    if name not in own and STAND_IN in own:
        own = own_dict(own[STAND_IN])
    if name in own:
        found, present, problem = own[name], True, ""
    else:
        found, present = class_attribute(module, name), False
        if found is None:
            return Drawer([], False, "")
        problem = not_its_own(name, found, class_name(module))
        if not issubclass(type(found), dict):
            return Drawer([], False, problem)
    if issubclass(type(found), dict):
        return _drawer(Drawer, (list(dict.items(found)), present, problem))
    if of_a_library(type(found)) and class_attribute(found, "items") is not None:
        said = attempt(lambda: list(found.items()))  # what `torch.jit` has in place of a dict
        return Drawer(said.value or [], present, said.problem and f"`{name}` raised {said.problem}")
    return Drawer([], present, f"`{name}` is {article(class_name(found))}, not a dict")


def not_its_own(name: str, found: object, owner: str) -> str:
    """What to say when a slot is not in the instance, but its class has something of that name.

    Args:
        name: The slot.
        found: What the class has.
        owner: Name of the class.
    """
    if issubclass(type(found), (dict, set, frozenset, bool, int)):
        return f"`{name}` belongs to the class, so every {owner} shares it"
    return f"`{name}` is {article(class_name(found))} of the class, not an entry of `__dict__`"


def set_entries(found: object) -> list[Any]:
    """What is in a set, whatever its class makes of `__iter__`; nothing if it is no set."""
    kind = next((k for k in (set, frozenset) if issubclass(type(found), k)), None)
    return list(kind.__iter__(found)) if kind is not None else []  # type: ignore[arg-type]


def has_drawers(obj: object) -> bool:
    """Whether the object itself carries at least one of the three drawers.

    A function may carry them too: `functools.wraps` copies the `__dict__` of what it wraps.
    """
    own = own_dict(obj)
    if not ("_modules" in own or "_parameters" in own or "_buffers" in own or STAND_IN in own):
        return False
    return may_be_module(obj)


def may_be_module(obj: object) -> bool:
    """False for classes, functions and Python's own modules, whatever lies in their `__dict__`."""
    return not issubclass(type(obj), _NO_MODULES)


def is_tensor_like(obj: object) -> bool:
    """Whether the object has a shape and a dtype, going by its class alone."""
    if not may_be_module(obj):  # NumPy itself has both, as functions
        return False
    own = own_dict(obj)
    return all(
        name in own or class_attribute(obj, name, _ABSENT) is not _ABSENT
        for name in ("shape", "dtype")
    )


def is_module_like(obj: object) -> bool:
    """Whether the object is a Module or on its way to becoming one."""
    if not may_be_module(obj) or not has_own_dict(obj):
        return False
    if has_drawers(obj):
        return True
    names = (*DRAWERS, *_MODULE_METHODS)
    return not is_tensor_like(obj) and any(class_attribute(obj, n) is not None for n in names)


def require_module(obj: object, caller: str) -> None:
    """Raises a TypeError that says what was given and what is needed.

    Args:
        obj: What the reader passed.
        caller: The name of the function that they called.
    """
    if is_module_like(obj):
        return
    raise TypeError(f"{caller}() needs a Module, which is an object {_NEED}; {_given(obj)}")


def require_attributes(obj: object, caller: str) -> None:
    """Raises a TypeError unless the object is an instance with attributes of its own."""
    if may_be_module(obj) and has_own_dict(obj) and not is_tensor_like(obj):
        return
    raise TypeError(
        f"{caller}() needs an object with a `__dict__`, such as a Module; {_given(obj)}"
    )


def _given(obj: object) -> str:
    """Says in half a sentence what was passed instead of a Module."""
    if issubclass(type(obj), type):
        name = type_name(obj)  # type: ignore[arg-type]
        return f"got the class {name} itself: write {name}() to create one"
    if issubclass(type(obj), (list, tuple, dict)):
        return f"got {article(class_name(obj))}: pass one of the Modules in it"
    if not has_own_dict(obj) and any(class_attribute(obj, name) is not None for name in DRAWERS):
        return (
            f"got {article(class_name(obj))}, which has no `__dict__`: its class uses `__slots__`"
        )
    shown = attempt(repr, obj) if is_exactly(obj, int, float, bool, str, type(None)) else None
    value = f" ({(shown.value or '')[:40]})" if shown else ""
    return f"got an object of class {class_name(obj)}{value}"


_ABSENT = object()
_NO_MODULES = (type, ModuleType, FunctionType)
_OPENERS: dict[int, tuple[type, Any]] = {}  # by identity: a metaclass may forbid hashing its class
_MOST_OPENERS = 1000
_flags_of = type.__dict__["__flags__"].__get__
_module_of = type.__dict__["__module__"].__get__
_MADE_BY_A_CLASS_STATEMENT = 1 << 9  # Python calls it Py_TPFLAGS_HEAPTYPE
_NEED = "with `_modules`, `_parameters` or `_buffers`"
