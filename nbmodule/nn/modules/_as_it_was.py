"""Changes of a module that are made whole or not at all, whatever stops them: an error, or Ctrl-C."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .module import Module


class as_it_was:
    """A context in which a module is changed: if an error leaves it, the module is as it was before.

    Args:
        module: the attributes that it has itself, its class and the properties of that are put back.
        *tensors: those that get other numbers by ``.data`` or ``set_``.
    """

    def __init__(self, module: Module, *tensors: Any) -> None:
        self.module, self.kind = module, type(module)
        self.own, self.properties = dict(module.__dict__), dict(vars(self.kind))
        self.drawers = [(v, v.copy()) for v in self.own.values() if isinstance(v, (dict, set))]
        self.tensors = [(t, object.__getattribute__(t, "_array"), object.__getattribute__(t, "_storage"), type(t)) for t in tensors]  # fmt: skip

    def __enter__(self) -> None:
        """The constructor has done everything."""

    def __exit__(self, kind: Any, *error: object) -> None:
        if kind is not None:
            self.put_back()

    def put_back(self) -> None:
        """Let the module and the tensors be what they were."""
        self.module.__class__ = self.kind
        for name in vars(self.kind).keys() - self.properties.keys():
            delattr(self.kind, name)
        for name in self.properties.keys() - vars(self.kind).keys():
            setattr(self.kind, name, self.properties[name])
        for drawer, old in self.drawers:
            drawer.clear()
            drawer.update(old)
        self.module.__dict__.clear()
        self.module.__dict__.update(self.own)
        for t, array, storage, kind in self.tensors:
            t.__class__ = kind
            object.__setattr__(t, "_array", array)
            object.__setattr__(t, "_storage", storage)
