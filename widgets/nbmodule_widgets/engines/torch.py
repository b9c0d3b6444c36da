"""How PyTorch is asked: by its dispatch mode, and by what its nodes tell.

PyTorch tells a dispatch mode of every operation that reaches its kernels; the node that is recorded for it was made just
before, so its sequence number says which it is. No kernel, random number or bit of a result changes by that.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np

from nbmodule_widgets.engines.dialects import base_name, saved_names
from nbmodule_widgets.engines.engine import (
    PACKED,
    Engine,
    Heard,
    Memories,
    Memory,
    Recording,
    made_memory,
    saved_of_function,
)
from nbmodule_widgets.engines.products import Counted, torch_products
from nbmodule_widgets.protocol import as_text, attempt, class_attribute, read

_RAW = "_raw_saved_"  # such attributes of a node give what it saved as it is kept, packed or not


class TorchEngine(Engine):
    """PyTorch."""

    def array(self, tensor: Any) -> np.ndarray | None:
        """The memory of an ordinary tensor on the CPU."""
        try:
            # `numpy()` would forbid the storage ever to be resized again: a change made by looking.
            # A minus that is only noted would be lost on the way.
            if (
                tensor.is_cpu
                and not tensor.is_neg()
                and (tensor.numel() == 0 or tensor.untyped_storage().nbytes())
            ):
                return np.from_dlpack(tensor.detach())
        except (
            RuntimeError,
            TypeError,
            BufferError,
            NotImplementedError,
            AttributeError,
            ValueError,
        ):
            pass
        return None

    def set_version(self, tensor: Any, version: int) -> None:
        """Sets the count of writes back: a graph that the reader still holds compares it with what it saved.

        PyTorch has no public way.
        """
        self.module._C._autograd._unsafe_set_version_counter((tensor,), (version,))

    def compiling_off(self) -> Callable[[], Any] | None:
        """Nothing is done where nothing can have been compiled: to ask PyTorch's compiler would load it."""
        if "torch._dynamo" not in sys.modules:
            return None
        stance = attempt(lambda: self.module.compiler.set_stance("force_eager"))
        return None if stance.problem else lambda: stance.value.__exit__(None, None, None)

    def retaining(self, nodes: list[Any]) -> list[Any]:
        """Those of the whole program: PyTorch's nodes do not tell."""
        tensors = [o for o in gc.get_objects() if type(o) is self.module.Tensor]
        return [t for t in tensors if attempt(lambda t=t: t.retains_grad and not t.is_leaf).value]

    def memory(self, tensor: Any) -> Memory | None:
        """By the storage; sparse and opaque tensors have none."""
        try:
            item = tensor.itemsize
            return made_memory((
                tensor.untyped_storage()._cdata, tensor.storage_offset(), tensor.shape, tensor.stride(),
                (tensor.dtype, tensor.is_conj(), tensor.is_neg()), item, item,
            ))  # fmt: skip
        except (RuntimeError, NotImplementedError, AttributeError):
            return None

    def memories(self) -> Memories:
        """By weak references to the storages."""
        return _TorchMemories(self.module)

    @contextmanager
    def recording(self, listener: Callable[[Heard], Any]) -> Iterator[Recording]:
        """Listens by a dispatch mode."""
        found = _TorchRecording(listener, self.module)
        with _dispatching(lambda mode, func, args, named: found.run(func, args, named)):
            yield found

    @contextmanager
    def counting(self, listener: Counted) -> Iterator[None]:
        """Tells of every operation how many multiply-adds it took.

        In an inference mode operations arrive in one piece that otherwise come in parts: they are taken apart.
        """
        home = self.module._C

        def run(mode: Any, func: Any, args: Any, named: Any) -> Any:
            name = _full(func)
            if _is_composite(home, func, name):
                with mode:
                    return func.decompose(*args, **named)
            made = func(*args, **named)
            listener(name, attempt(torch_products, name, args, made).value)
            return made

        with _dispatching(run):
            yield

    def made(self, node: Any) -> list[tuple[tuple[int, ...] | None, str]]:
        """`(shape, dtype)` of each tensor that the operation made."""
        said = attempt(lambda: [(tuple(m.shape), _dtype(m.dtype)) for m in node._input_metadata])
        return said.value or []

    def age(self, node: Any) -> float:
        """The sequence number that the engine's queue goes by."""
        return attempt(node._sequence_nr).value or 0

    def saved(self, node: Any) -> list[tuple[str, Any, str]]:
        """What the node saved, also for a custom Function; what a hook has packed stays packed."""
        found = []
        for name in saved_names(type(node)):
            if _has_unpack_hook(node, f"_raw{name}"):
                found.append((name.removeprefix("_saved_"), None, PACKED))
                continue
            said = read(node, name)
            found.append((name.removeprefix("_saved_"), said.value, said.problem))
        if class_attribute(node, "saved_tensors") is not None:
            packed = self.is_packed(node)
            found += [("saved_tensors", None, PACKED)] if packed else saved_of_function(node)
        return found

    def hook_tables(self, leaf: Any) -> tuple[Any, Any]:
        """The dictionaries of hooks on a leaf, asked without a detour: PyTorch's answer runs nothing of a reader's."""
        if type(leaf) in self.plain:
            return leaf._backward_hooks, leaf._post_accumulate_grad_hooks
        return super().hook_tables(leaf)

    def is_packed(self, node: Any) -> bool:
        """Whether a hook would run if what a live node saved were read; the hook itself does not run here."""
        return any(_has_unpack_hook(node, name) for name in _raw_names(type(node)))

    def hooks(self, node: Any) -> tuple[Any, ...]:
        """The hooks of a leaf; PyTorch does not show those of other nodes."""
        leaf = self.leaf(node)
        if leaf is None:
            return ()
        return tuple(
            hook for hooks in self.hook_tables(leaf) for hook in list((hooks or {}).values())
        )


class _TorchMemories(Memories):
    """What `torch.multiprocessing` has an object for, for thousands: each costs one number here."""

    def __init__(self, torch: Any) -> None:
        self._met: set[int] = set()
        self._free = torch.UntypedStorage._free_weak_ref

    def is_new(self, tensor: Any) -> bool:
        """Whether a tensor's storage is met for the first time."""
        storage = tensor.untyped_storage()
        if storage._cdata in self._met:
            return False
        self._met.add(storage._weak_ref())  # the same number, which stays its own until it is freed
        return True

    def __del__(self) -> None:
        for number in self._met:
            self._free(number)


class _TorchRecording(Recording):
    """Keeps what a listener says by the sequence number of the node that was made just before an operation ran."""

    def __init__(self, listener: Callable[[Heard], Any], torch: Any) -> None:
        super().__init__(listener)
        self._count, self._is_recorded = torch.autograd._get_sequence_nr, torch.is_grad_enabled
        self._start = self._count()
        self._notes: dict[int, tuple[str, Any]] = {}

    def run(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Runs an operation, and tells of it."""
        age, recorded = self._count() - 1, self._is_recorded()
        name = _short(func)
        try:
            out = func(*args, **kwargs)
        except Exception as error:
            self.listener(Heard(name, args, None, error, recorded, _roles(func)))
            raise
        # The first operation that follows a node is the node's own.
        fresh = age >= self._start and age not in self._notes
        named = tuple(kwargs.values())
        written: tuple[Any, ...] = ()
        if (places_and_names := _writes(func)) is not None:  # hardly any does
            places, names = places_and_names
            written = (*(args[n] for n in places if n < len(args)), *(kwargs.get(n) for n in names))
        note = self.listener(Heard(name, args, out, None, recorded, (), named, written, fresh))
        if note is not None:
            self._notes[age] = name, note
        return out

    def notes(self, nodes: list[Any]) -> dict[int, tuple[Any, bool]]:
        """What was kept of these live nodes; sure where the operation is the one that the node is called after."""
        found = {}
        for node in nodes:
            age = attempt(lambda node=node: node._sequence_nr()).value
            if type(node).__name__ == "CopySlices" and type(age) is int:
                age -= 1  # it follows the node of what was written to the view
            name, note = self._notes.get(age, ("", None)) if type(age) is int else ("", None)
            if note is not None:
                own, noted = base_name(type(node).__name__), base_name(name)
                found[id(node)] = note, own.startswith(noted) or noted.startswith(own)
        return found


@contextmanager
def _dispatching(run: Callable[[Any, Any, Any, Any], Any]) -> Iterator[None]:
    """A dispatch mode in whose place `run(mode, operation, arguments, named ones)` does what the operation does."""
    # Loaded with PyTorch; if it is not there, neither is a mode.
    modes: Any = sys.modules.get("torch.utils._python_dispatch")
    if modes is None:
        yield
        return

    class Mode(modes.TorchDispatchMode):
        # Held by the instance: the class lives until Python searches for cycles, with all that its methods know.
        run: Any = None

        @classmethod
        def _should_skip_dynamo(cls) -> bool:
            return False  # to skip it, PyTorch would first load its compiler: two seconds

        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            return self.run(self, func, args, kwargs or {})

    mode = Mode()
    mode.run = run
    with mode:
        yield


def _full(func: Any) -> str:
    """`"aten::addmm"` for `aten.addmm.default`."""
    return attempt(lambda: str(func._schema.name)).value or as_text(func)[:60]


@cache
def _writes(func: Any) -> tuple[tuple[int, ...], tuple[str, ...]] | None:
    """The places and the names of the arguments that an operation writes to; None if it writes to none."""
    arguments = attempt(lambda: list(func._schema.arguments)).value or []
    written = [
        (place, argument)
        for place, argument in enumerate(arguments)
        if attempt(lambda argument=argument: argument.alias_info.is_write).value
    ]
    if not written:
        return None
    places = tuple(place for place, argument in written if not argument.kwarg_only)
    return places, tuple(argument.name for _, argument in written)


@cache
def _short(func: Any) -> str:
    """`"addmm"` for `aten.addmm.default`."""
    return _full(func).rpartition("::")[2]


def _is_composite(home: Any, func: Any, name: str) -> bool:
    """Whether an operation is made of others, which PyTorch would have shown in its place with gradients."""
    known = _COMPOSITE.get(name)
    if known is None:
        said = attempt(
            lambda: home._dispatch_has_kernel_for_dispatch_key(
                func.name(), "CompositeImplicitAutograd"
            )
        )
        known = _COMPOSITE[name] = said.value is True
    return known


_COMPOSITE: dict[str, bool] = {}


def _roles(func: Any) -> tuple[str, ...]:
    """The names of an operation's arguments."""
    return tuple(
        attempt(lambda: [argument.name for argument in func._schema.arguments]).value or ()
    )


@cache
def _dtype(kind: Any) -> str:
    """`"float32"` for `torch.float32`; there are few types, and a graph asks ten thousand times."""
    return str(kind).removeprefix("torch.")


@cache
def _raw_names(kind: type) -> tuple[str, ...]:
    """The attributes of a class of nodes that give what they saved; the classes are a few dozen."""
    return tuple(name for name in attempt(dir, kind).value or () if name.startswith(_RAW))


def _has_unpack_hook(node: Any, name: str) -> bool:
    """Whether reading one of the values that a node saved would run a hook.

    Args:
        node: A node.
        name: The attribute that gives the value as it is kept, such as `"_raw_saved_self"`.
    """
    saved = attempt(getattr, node, name, None).value  # one, or those of a list of tensors
    each = saved if type(saved) in (tuple, list) else (saved,)
    return any(attempt(getattr, one, "unpack_hook", None).value is not None for one in each)
