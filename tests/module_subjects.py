"""Modules for the tests of the views: a small library that speaks the protocol, and classes that misbehave."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

HOSTILE = '"><img src=x onerror="window.pwned=1"><script>window.pwned=2</script>\u202egnp\x07'


class Tensor:
    """The least that a tensor is, on top of NumPy."""

    def __init__(self, values: Any, requires_grad: bool = False, dtype: str = "float32") -> None:
        self._array = np.asarray(values, dtype=dtype)
        self.requires_grad = requires_grad
        self.grad: Tensor | None = None

    shape = property(lambda self: self._array.shape)
    dtype = property(lambda self: self._array.dtype)

    def numpy(self) -> np.ndarray:
        return self._array


class Parameter(Tensor):
    def __init__(self, values: Any, requires_grad: bool = True) -> None:
        super().__init__(values, requires_grad)


class Module:
    """Construction and the three drawers, as PyTorch has them."""

    def __init__(self) -> None:
        state = {
            "training": True,
            "_parameters": {},
            "_buffers": {},
            "_non_persistent_buffers_set": set(),
            "_backward_pre_hooks": {},
            "_backward_hooks": {},
            "_is_full_backward_hook": None,
            "_forward_hooks": {},
            "_forward_hooks_with_kwargs": {},
            "_forward_hooks_always_called": {},
            "_forward_pre_hooks": {},
            "_forward_pre_hooks_with_kwargs": {},
            "_state_dict_hooks": {},
            "_state_dict_pre_hooks": {},
            "_load_state_dict_pre_hooks": {},
            "_load_state_dict_post_hooks": {},
            "_modules": {},
        }
        self.__dict__.update(state)

    def __setattr__(self, name: str, value: object) -> None:
        drawers = {"_parameters": Parameter, "_modules": Module}
        home = next((d for d, kind in drawers.items() if isinstance(value, kind)), None)
        if home is None and value is not None and name in self._parameters:
            raise TypeError(f"cannot assign {type(value).__name__!r} as parameter {name!r}")
        if home is None:
            object.__setattr__(self, name, value)
            return
        for place in (self.__dict__, self._parameters, self._buffers, self._modules):
            place.pop(name, None)
        self.__dict__[home][name] = value

    def __getattr__(self, name: str) -> Any:
        for drawer in ("_parameters", "_buffers", "_modules"):
            if name in self.__dict__.get(drawer, {}):
                return self.__dict__[drawer][name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __delattr__(self, name: str) -> None:
        for drawer in (self._parameters, self._buffers, self._modules):
            if name in drawer:
                del drawer[name]
                return
        object.__delattr__(self, name)

    def forward(self, x: object) -> object:
        return x


class Linear(Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.inputs, self.outputs = inputs, outputs
        self.weight = Parameter(np.random.default_rng(inputs).normal(size=(outputs, inputs)))
        self.bias = Parameter(np.zeros(outputs))

    def extra_repr(self) -> str:
        return f"{self.inputs}, {self.outputs}"


class Net(Module):
    """Two layers, one of them twice; a buffer that is saved and one that is not; a frozen bias."""

    def __init__(self) -> None:
        super().__init__()
        self.first = Linear(3, 4)
        self.second = Linear(4, 2)
        self.again = self.first
        self.second.bias.requires_grad = False
        self._buffers["mean"] = Tensor(np.arange(4))
        self._buffers["mask"] = Tensor([1, 0], dtype="bool")
        self._non_persistent_buffers_set.add("mask")
        self._parameters["empty"] = None


def chain(length: int) -> Module:
    """Modules inside one another. Take it apart with `dismantle`: Python frees nested objects recursively."""
    top = at = Module()
    for _ in range(length):
        at._modules["c"] = Module()
        at = at._modules["c"]
    return top


def dismantle(top: Module) -> None:
    """Takes a chain apart from the top."""
    while top._modules:
        top = top._modules.pop("c")


def wide(modules: int) -> Module:
    """A tree with exactly so many Modules below the root, ten to each."""
    root = Module()
    level, made = [root], 0
    while made < modules:
        following = []
        for parent in level:
            for position in range(min(10, modules - made)):
                child = Linear(2, 2)
                parent._modules[f"m{position}"] = child
                following.append(child)
                made += 1
        level = following
    return root


# ------------------------------------------------------------------------------ half-built and hostile


class Forgetful(Module):
    """Never calls `super().__init__()`."""

    def __init__(self) -> None:
        self.__dict__["size"] = 5


class ReturnsNone:
    """Its `__getattr__` has an answer for everything."""

    def __init__(self) -> None:
        self.__dict__["_modules"] = {"fc": Linear(2, 2)}

    def __getattr__(self, name: str) -> None:
        return None


class Recurses:
    """Its `__getattr__` looks into a drawer that does not exist, and so calls itself."""

    def forward(self) -> None: ...

    def __getattr__(self, name: str) -> Any:
        return self._modules[name]


class RaisesKeyError:
    """The wrong kind of exception for a missing name."""

    def __init__(self) -> None:
        self.__dict__.update(_modules={"fc": Linear(2, 2)}, _parameters={})

    def __getattr__(self, name: str) -> Any:
        raise KeyError(name)


class RaisesEverywhere(Module):
    """Whatever a display may be tempted to call."""

    def _no(self, *arguments: object) -> Any:
        raise RuntimeError("do not call me")

    __repr__ = __str__ = __eq__ = __bool__ = __len__ = __iter__ = __dir__ = extra_repr = _no
    __hash__ = None  # type: ignore[assignment]
    __class__ = property(_no)  # type: ignore[assignment]


class SharedDrawer:
    """One dictionary for all instances: a classic."""

    _modules = {"fc": Linear(2, 2)}
    _parameters: dict[str, object] = {}


class ListOfModules(Module):
    def __init__(self) -> None:
        super().__init__()
        self.__dict__["_modules"] = [Linear(2, 2)]


class OddTensors(Module):
    """Things in `_parameters` that are no tensors."""

    def __init__(self) -> None:
        super().__init__()

        class Unshaped:
            @property
            def shape(self) -> Any:
                raise ValueError("no shape today")

        self._parameters.update(text="abc", unshaped=Unshaped(), number=3)


def _refuse(*arguments: object) -> Any:
    raise RuntimeError("do not call me")


class HidesItsDict(Module):
    """A property of this name hides the way to the attributes, but not the attributes."""

    __dict__ = property(_refuse)  # type: ignore[assignment]

    def __init__(self) -> None:
        pass


class Unfriendly(type):
    """A metaclass whose classes cannot be compared, hashed or asked for their name."""

    __eq__ = __hash__ = __repr__ = __instancecheck__ = __subclasscheck__ = _refuse  # type: ignore[assignment]
    __name__ = property(_refuse)  # type: ignore[assignment]


def of_unfriendly_class() -> Module:
    """A function, since pytest compares the classes that it is given."""

    class OfUnfriendlyClass(Module, metaclass=Unfriendly):
        pass

    model = OfUnfriendlyClass()
    model._modules["same"] = Linear(2, 2)
    model.__dict__.update(attribute=model, a_list=[model])
    return model


class StubbornKey(str):
    """A name whose methods all raise."""

    __eq__ = __str__ = __repr__ = __len__ = __format__ = isprintable = startswith = _refuse  # type: ignore[assignment]
    __hash__ = str.__hash__


class StubbornDict(dict):
    items = keys = values = get = __iter__ = __len__ = __contains__ = __bool__ = _refuse  # type: ignore[assignment]


class StubbornSet(set):
    __iter__ = __len__ = __contains__ = _refuse  # type: ignore[assignment]


class StubbornDrawers(Module):
    """Dictionaries, sets and keys that raise when they are asked in the ordinary way."""

    def __init__(self) -> None:
        super().__init__()
        entries = {
            "_modules": ("fc", Linear(2, 2)),
            "_parameters": (StubbornKey("weight"), Parameter([1.0])),
            "_buffers": (StubbornKey("mean"), Tensor([1.0])),
            "_forward_hooks": (1, print),
        }
        for slot, (key, value) in entries.items():
            self.__dict__[slot] = StubbornDict()
            dict.__setitem__(self.__dict__[slot], key, value)
        self.__dict__["_non_persistent_buffers_set"] = StubbornSet([StubbornKey("mean")])
        self._modules_of_many_kinds()

    def _modules_of_many_kinds(self) -> None:
        inner: dict[Any, Any] = {10**5000: Linear(1, 1), None: Linear(1, 1), 1.5: Linear(1, 1)}
        child = Module()
        child.__dict__["_modules"] = inner
        dict.__setitem__(self.__dict__["_modules"], "numbered", child)


class LeavesInExtraRepr(Module):
    """Raises what `except Exception` does not catch."""

    def extra_repr(self) -> str:
        raise SystemExit(3)


class SaysAStubbornText(Module):
    def extra_repr(self) -> str:
        return StubbornKey("2, 3")


class OddShapes(Module):
    """Shapes that no tensor has, and numbers that no histogram has room for."""

    def __init__(self) -> None:
        super().__init__()

        def shaped(shape: object) -> object:
            return type("Shaped", (), {"shape": shape, "dtype": "float32"})()

        self._parameters.update(
            negative=shaped((-5, 2)),
            huge=shaped((10**30,)),
            endless=shaped(itertools.repeat(1)),
            words=shaped(("a", "b")),
            far=Tensor([1e308, -1e308], dtype="float64"),
        )


def hostile() -> Module:
    """Names that try to leave their place."""
    model = Module()
    model._modules[HOSTILE] = Linear(2, 2)
    model._modules["x" * 10_000] = Linear(2, 2)
    model._modules[7] = Linear(2, 2)  # type: ignore[index]
    model._modules["\ud800"] = Linear(2, 2)
    model._modules[HOSTILE]._buffers["b</script><script>window.pwned=3</script>"] = Tensor([1.0])
    says = {"extra_repr": lambda self: "<script>window.pwned=4</script>"}
    evil = type("E<img src=x onerror=window.pwned=5>", (Module,), says)
    model._modules["evil"] = evil()
    object.__setattr__(model, "note", "</style><script>window.pwned=6</script>")
    return model


def cycle() -> Module:
    model = Module()
    model._modules["inside"] = Linear(2, 2)
    model._modules["inside"]._modules["back"] = model
    return model


MISBEHAVING = (
    Forgetful,
    ReturnsNone,
    Recurses,
    RaisesKeyError,
    RaisesEverywhere,
    SharedDrawer,
    ListOfModules,
    OddTensors,
    OddShapes,
    HidesItsDict,
    of_unfriendly_class,
    StubbornDrawers,
    LeavesInExtraRepr,
    SaysAStubbornText,
    hostile,
    cycle,
)
