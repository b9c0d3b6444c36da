"""What is found out once about a class, so that its ten thousand instances can be read quickly.

Reading quickly must not be less careful than reading slowly. So nothing here lets the reader's code compare
or hash: a class is known by its identity, a name is looked up only in an exact dict of exact strings, and a
shape or a device is a key only if its class cannot lie about being equal to another one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter, itemgetter
from typing import Any

from nbmodule_widgets.facts.outside import METHODS, saves_itself
from nbmodule_widgets.facts.records import HOOK_KINDS
from nbmodule_widgets.protocol import (
    SLOTS,
    class_attribute,
    class_name,
    dict_opener,
    is_written_in_c,
    may_be_module,
)

_AS_TUPLES_DO = (tuple.__dict__["__hash__"], tuple.__dict__["__eq__"])

Getter = Callable[[dict[str, Any]], tuple[Any, ...]]


class Layout:
    """Which attributes an instance has, and how to get at them.

    Attributes:
        class_name: Name of the class in which it was met.
        names: The names in order.
        drawers: From an instance's `__dict__` to its parameters, buffers, modules and `training`.
        hooks: To the hook dictionaries, in the order of `hook_slots`.
        hook_slots: Their names.
        plain: To the attributes that are no slots of a Module.
    """

    __slots__ = ("class_name", "drawers", "hook_slots", "hooks", "names", "plain")

    def __init__(self, kind: ModuleKind, own: dict[str, Any]) -> None:
        self.class_name, self.names = kind.name, list(own)
        self.hook_slots = [name for name in HOOK_KINDS if name in own]
        self.hooks = _getter(self.hook_slots)
        self.plain = _getter([name for name in own if name not in SLOTS])
        self.drawers: Getter = itemgetter("_parameters", "_buffers", "_modules", "training")
        if "training" not in own:
            three, mode = itemgetter("_parameters", "_buffers", "_modules"), kind.training
            self.drawers = lambda at: (*three(at), mode)


def _getter(names: Sequence[str]) -> Getter:
    """A function from a dictionary to the values of these names."""
    if len(names) > 1:
        return itemgetter(*names)
    if names:
        only = names[0]
        return lambda at: (at[only],)
    return lambda at: ()


class ModuleKind:
    """A class of Modules.

    Attributes:
        cls: The class; as long as it is kept, no other one can get its identity.
        name: Its name.
        opener: Python's own way to the `__dict__` of an instance, or None.
        says_extra: Whether there is an `extra_repr` to call.
        odd: Whether its instances have to be read carefully: they save what lies in no drawer, or compute their mode.
        training: What the class itself has under this name.
        latest: The layout that was met last.
        signature: What was found in the instance that was read last.
        number: The number of its pattern.
    """

    __slots__ = (
        *(
            "_layouts",
            "cls",
            "latest",
            "name",
            "number",
            "odd",
            "opener",
            "says_extra",
            "signature",
        ),
        "training",
    )

    def __init__(self, module: object) -> None:
        self.cls, self.name = type(module), class_name(module)
        self.opener: Any = dict_opener(self.cls) if may_be_module(module) else None
        self.says_extra = class_attribute(module, "extra_repr") is not None
        self.training = class_attribute(module, "training")
        self.odd = saves_itself(self.cls) or type(self.training) is property
        self.latest: Layout | None = None
        self.signature: tuple[Any, ...] = ()
        self.number = -1
        self._layouts: dict[tuple[str, ...], Layout] = {}

    def layout(self, own: dict[str, Any]) -> Layout:
        """The layout of an instance; from now on it is the latest.

        Args:
            own: The instance's `__dict__`.

        Raises:
            TypeError: If it has other keys than plain strings.
        """
        if any(type(name) is not str for name in own):
            raise TypeError("a name of an unusual kind")
        if any(name in own for name in METHODS):
            raise TypeError("a method of its own")
        names = tuple(own)
        if names not in self._layouts:
            self._layouts[names] = Layout(self, own)
        self.latest = self._layouts[names]
        return self.latest


class TensorKind:
    """A class of tensors, and how the first of its instances answered.

    Attributes:
        cls: The class, kept for its identity.
        look: From a tensor to `(shape, dtype, requires_grad, device)`. May raise anything.
        shape: Class of the shapes if they can be compared, else None.
        device_class: Class of the devices.
        compares: Whether dtypes and devices can be compared; of others only the identity is.
        dtype: Of those that cannot be compared the one that was met last.
        device: Likewise.
        mark: What stands for these two in a comparison.
    """

    __slots__ = (
        *("cls", "compares", "device", "device_class", "dtype", "look", "mark", "shape"),
        "_kept",
    )

    def __init__(self, tensor: object) -> None:
        self.cls = type(tensor)
        has_device = class_attribute(tensor, "device") is not None
        self.look: Callable[[Any], tuple[Any, ...]] = _look_at_all if has_device else _look
        if tensor is None:  # a place that is registered but empty
            self.look = lambda nothing: ((), None, False, None)
        shape, dtype, _, device = self.look(tensor)
        methods = (class_attribute(shape, "__hash__"), class_attribute(shape, "__eq__"))
        honest = is_written_in_c(type(shape)) or methods == _AS_TUPLES_DO
        self.shape = type(shape) if issubclass(type(shape), tuple) and honest else None
        self.device_class = type(device)
        self.compares = is_written_in_c(type(dtype)) and is_written_in_c(type(device))
        self._kept: list[object] = []
        self.meet(dtype, device)

    def meet(self, dtype: object, device: object) -> None:
        """Takes note of a dtype and a device that are known by their identity: they must not go away."""
        self.dtype, self.device = dtype, device
        self.mark = id(dtype), id(device)
        self._kept += dtype, device


_look_at_all = attrgetter("shape", "dtype", "requires_grad", "device")


def _look(tensor: Any) -> tuple[Any, ...]:
    """The same for a class that may not know of devices."""
    return tensor.shape, tensor.dtype, tensor.requires_grad, getattr(tensor, "device", ...)
