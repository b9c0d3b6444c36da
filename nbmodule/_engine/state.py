"""What every tensor carries, and what the engine remembers: storages, versions, modes, the clock."""

from __future__ import annotations

import threading
import warnings
from collections import deque
from itertools import count
from typing import Any, TypeAlias
from weakref import ref

from .._backend import Array

Tensor: TypeAlias = Any
"""What annotations call a tensor in the files on which the class `Tensor` is built, where its methods are not known yet."""


class Silence:
    """Our filter of warnings: infinities and NaNs pass without a word, as in PyTorch.

    NumPy's warnings that are attributed to our own modules are ignored; the user's own code warns as before. A
    filter costs nothing, whereas `np.errstate` around every operation would add a third to its time.
    """

    filter: Any = None


silence = Silence()


def be_silent() -> None:
    """Put our filter before all others, where it is not the first any more."""
    filters = warnings.filters
    if not filters or filters[0] != silence.filter:
        warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"nbmodule\.")
    silence.filter = warnings.filters[0]


be_silent()

clock = count(1).__next__
"""Ticks at each birth of a node and each write in place: which of two came first can be told afterwards."""


class Entry(ref[Any]):
    """A weak reference that is equal only to itself, so that a set can still drop it when its object is gone."""

    __slots__ = ()
    __eq__ = object.__eq__
    __hash__ = object.__hash__


rare: set[Entry] = set()
"""What rarely is on, in any thread, and asks operations to do more: modes such as inference mode, and listeners.

It is nearly always empty, and then a single test spares an operation all of these questions. Each entry is a weak
reference that leaves the set by itself when its object is gone: a thread that ended in a mode, a listener that nobody
holds. A set needs no lock, since Python adds and discards an entry in one step, and no count that could go wrong.
"""


class Mark:
    """Stands in `rare` for the modes that are on in a thread.

    The thread holds it while one is on. A tensor made in inference mode holds it as long as it lives, because
    recorded operations must refuse that tensor. When nobody holds it any more it leaves `rare`.
    """

    __slots__ = ("__weakref__",)


class Modes(threading.local):
    """What is switched on in this thread."""

    enabled = True  # operations are recorded
    inference = False  # results are tensors that can never be recorded
    anomaly = False  # nodes remember the line that made them
    check_nan = True  # with `anomaly`: a NaN in a gradient is an error
    packing: tuple[Any, ...] = ()  # pairs of hooks on what is saved; the last one is in force
    packing_refused: str | None = None  # why there must not be any
    listeners: tuple[Entry, ...] = ()  # who is told of operations: see `observing.py`
    unheard = False  # what runs now belongs to a listener, or to an operation told of as a whole
    mark: Mark | None = None  # while `inference`, `anomaly` or `packing` is on

    def switch(self, **modes: Any) -> None:
        """Set `modes` that stand in `rare`: all in one step, so that Ctrl-C comes before or after it."""
        own, mark = self.__dict__, None
        now = own | modes
        if now.get("inference") or now.get("anomaly") or now.get("packing"):
            mark = own.get("mark")
            if mark is None:
                mark = Mark()
                rare.add(Entry(mark, rare.discard))
        own.update(modes, mark=mark)


grad_mode = Modes()


def is_inference_mode_enabled() -> bool:
    """Return whether this thread is inside `inference_mode`."""
    return grad_mode.inference


def is_grad_enabled() -> bool:
    """Return whether operations are being recorded in this thread."""
    return grad_mode.enabled


class Storage:
    """What tensors that share memory have in common: how often, and when, it was written in place.

    A walk back compares this with the births of the nodes: it must not compute with values that have changed since.
    """

    version = 0  # what `tensor._version` shows
    written = 0  # the clock at the last write
    maker: type | None = None  # the class of the node that the last recorded write made
    log: deque[int] | None = None  # the clock at each of the last writes, if there were several
    is_inference = False
    listed = False  # whether `writes.memories` has it; that of `tensor.data` only says so

    def version_at(self, time: float) -> int:
        """Return the version at `time`, as far as the log reaches back."""
        return self.version - sum(t > time for t in self.log or (self.written,))

    def apart(self) -> Storage:
        """Return a storage with the same history, for other memory."""
        other = new(type(self))
        other.__dict__.update(self.__dict__)
        other.__dict__.pop("listed", None)
        return other


class Since:
    """A storage as seen by what was saved just now: only later writes count.

    For an operation in place that saves its own result: the write that made it must not count against it.
    """

    def __init__(self, storage: Storage) -> None:
        self.storage, self.start = storage, clock()

    def __getattr__(self, name: str) -> Any:
        """Return what the storage says."""
        return getattr(self.storage, name)

    @property
    def written(self) -> int:
        """The clock at the last write, 0 if there was none since."""
        return self.storage.written if self.storage.written > self.start else 0

    def version_at(self, time: float) -> int:
        """Return the version at `time`, which cannot lie before the start."""
        return self.storage.version_at(max(time, self.start))


class InferenceStorage(Storage):
    """The storage of a tensor that was made in `inference_mode`: nobody counts its writes."""

    is_inference = True
    listed = True  # without being so: no node holds such memory

    def __init__(self) -> None:
        self.mark = grad_mode.mark  # operations look twice as long as it lives


class Writes:
    """What was written in place, anywhere: usually one comparison says that nothing of a node's was.

    Attributes:
        last: the clock at the last write.
        last_seen: the clock at the last write that `memories` holds.
        memories: the storage of memory that was written, by the id of the object that owns it. When that is gone
            its id may come to stand for another object, which is younger than any write to the storage.
    """

    last = 0
    last_seen = 0
    memories: dict[int, Storage] = {}


writes = Writes()


def note_write(storage: Storage, array: Array | None = None) -> None:
    """Record that memory of `storage` was changed in place.

    Args:
        storage: of the tensor that was written.
        array: its array; None for what only arguments and results of operations can show, such as a gradient.
    """
    storage.version += 1
    now = clock()
    if storage.log is not None:
        storage.log.append(now)
    elif storage.written:
        storage.log = deque((storage.written, now), 32)
    storage.written = writes.last = now
    if array is not None:
        writes.last_seen = now
        if not storage.listed:
            enlist(storage, array)


def enlist(storage: Storage, array: Array) -> None:
    """Enter `storage` in `writes.memories` as that of the memory of `array`, replacing another one."""
    key = id(owner(array))
    known = writes.memories.get(key)
    if known is not None:
        known.listed = False
    writes.memories[key], storage.listed = storage, True


def written_since(array: Array, time: float) -> Storage | None:
    """Return the storage of the memory that `array` shows, if it was written since `time`."""
    storage = writes.memories.get(id(owner(array)))
    return storage if storage is not None and storage.written > time else None


def owner(array: Any) -> Any:
    """Return the object that owns the memory of `array`: at the end of the chain of what it is a view of."""
    base = array.base
    while base is not None:
        array, base = base, getattr(base, "base", None)
    return array


class TensorBase:
    """An array with a place in the graph. `nbmodule.Tensor` adds PyTorch's methods.

    The defaults live on the class: a fresh tensor sets only what differs.
    """

    _array: Array
    _storage: Storage
    _grad: Tensor | None = None
    _node: Any = None  # the `Node` of the operation that made this tensor, if it was recorded
    _requires_grad = False  # for leaves; a tensor with a node requires grad anyway
    _accumulator: Any = None  # the `AccumulateGrad` where gradients for this leaf arrive
    _grad_dtype: Any = (
        ...
    )  # what ``.grad`` of this leaf shall hold, if not the type of the leaf itself
    _base: Tensor | None = None  # for a view: the tensor whose memory it shows
    _seen: int = 0  # for a view: the version of its storage when `_node` was made
    _view_kind: str = ""  # for a view whose recorded writes PyTorch refuses: how it was made
    _keeps_class: bool | None = None  # for subclasses: results are of the subclass too
    _output: int = 0  # which of the views that one operation returned this is


TENSOR_FIELDS = frozenset(TensorBase.__annotations__) | {"_requires_grad"}
"""The attributes of a tensor that are the engine's, not its user's."""


class TensorClass:
    """Which class the results of operations have: set by `_tensor.py`, which imports this file."""

    built: type = TensorBase


quick: set[type] = {TensorBase}
"""The library's own classes of tensors, whose results are plain tensors: what the unrolled forms accept.

A class that a user derives is not among them, so it slows down only the operations in which it takes part.
"""


def build_tensors_as(cls: type) -> None:
    """Tell the engine which class the results of operations have (`_tensor.py` calls this once)."""
    TensorClass.built = cls
    quick.add(cls)


new = object.__new__


def new_storage() -> Storage:
    """Return the storage of a new tensor, as the mode of this thread wants it."""
    return InferenceStorage() if rare and grad_mode.inference else Storage()


def wrap(array: Array, storage: Storage | None = None) -> Any:
    """Return a tensor around `array` that requires no gradient.

    Args:
        array: an array of a known library.
        storage: the storage of a tensor whose memory it shares; by default it has its own.
    """
    t = new(TensorClass.built)
    t._array = array
    t._storage = (storage or new_storage()) if rare else storage or Storage()
    return t
