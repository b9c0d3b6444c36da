"""How far an iteration has come, so that a run that was stopped can go on with the same batches.

A sampler cannot be asked where it is. But it gives the same indices again if the random numbers stand where they stood
at the start of the epoch: so a resumed iteration starts there, leaves out what was taken before, and then puts the
random numbers back. PyTorch's own loader has nothing of the kind; the names are those of torchdata's.

Source: https://docs.pytorch.org/data/main/stateful_dataloader_tutorial.html
"""

from __future__ import annotations

from collections.abc import Generator as Steps
from contextlib import contextmanager
from operator import index
from typing import Any

from ...._generator import Generator, default_generator
from ...._random_states import RandomStates, plain_stream, stream_of
from ..dataset import Dataset
from .draws import Draws
from .worker import _Left, own_state

_COUNTS = ("base_seed", "taken", "next_worker")
_FLAGS = ("kept_workers", "ended", "finished")


class Position:
    """How far an iteration of `loader` has come.

    Attributes:
        start: where all random numbers stood when the epoch began; `sampler`: the sampler's own state then, if it has one.
        base_seed: what the workers' seeds count from; `kept_workers`: they had begun in an epoch before.
        taken: how many batches were handed out, or failed; `ended`: the last of them ended the stream, without workers;
            `finished`: there are no more.
        next_worker: whose turn it is; `workers`: where each of them stands.
        draws: where the default generator stood for who draws as the epoch goes along.
    """

    def __init__(self, loader: Any) -> None:
        self.base_seed = 0
        self.workers = [WorkerPosition() for _ in range(loader.num_workers)]
        self.begin_epoch(loader, kept_workers=False)

    def begin_epoch(self, loader: Any, kept_workers: bool) -> None:
        """Note where everything stands before a sampler is asked."""
        self.start = RandomStates(generators_of(loader))
        self.draws = Draws()
        self.sampler = own_state(loader._index_sampler)
        self.kept_workers, self.finished, self.ended = kept_workers, False, False
        self.taken = self.next_worker = 0
        for worker in self.workers:
            worker.taken, worker.ended, worker.epoch_stream = 0, False, worker.stream

    def take(self, worker_id: int, stream: Any, dataset: Any, ended: bool) -> None:
        """Note that a batch of a worker is handed out, and where the worker stood after it."""
        worker = self.workers[worker_id]
        worker.taken += 1
        worker.stream, worker.dataset, worker.ended = stream, dataset, ended
        self.taken += 1
        self.next_worker = (worker_id + 1) % len(self.workers)

    def finish(self) -> None:
        """Note that the epoch is over: what workers drew after their last batch counts now."""
        self.finished, self.draws = True, Draws()
        for worker in self.workers:
            if worker.end is not None:
                worker.stream, worker.dataset, _ = worker.end
            worker.end, worker.ended = None, False

    @contextmanager
    def replaying(self, loader: Any) -> Steps[None]:
        """Let random numbers stand where they stood at the start of the epoch, to the end of the block."""
        generators = generators_of(loader)
        now = RandomStates(generators)
        self.start.put_back(generators)
        self.draws.begin()
        if self.sampler is not None:
            loader._index_sampler.load_state_dict(self.sampler)
        try:
            yield
        finally:
            repeated = default_generator._stream.__getstate__()
            now.put_back(generators)
            if plain_stream(repeated).equal(plain_stream(now.default)):
                self.draws.go_on()

    def plain(self) -> dict[str, Any]:
        """Return the position as a nest that can be saved."""
        fields = {name: getattr(self, name) for name in (*_COUNTS, *_FLAGS, "sampler")}
        workers = [worker.plain() for worker in self.workers]
        return {**fields, "start": self.start.plain(), "draws": self.draws.plain(), "workers": workers}  # fmt: skip

    @classmethod
    def of(cls, plain: dict[str, Any]) -> Position:
        """Return the position that `plain` was made of; raise a KeyError or a TypeError if it is damaged."""
        self = cls.__new__(cls)
        vars(self).update({name: index(plain[name]) for name in _COUNTS})
        if min(vars(self).values()) < 0 or self.base_seed >= 2**64:
            raise TypeError("a count or a seed is negative or too large")
        vars(self).update({name: bool(plain[name]) for name in _FLAGS})
        self.sampler = plain["sampler"]
        self.start = RandomStates.of(plain["start"])
        self.draws = Draws.of(plain["draws"])
        self.workers = [WorkerPosition.of(worker) for worker in plain["workers"]]
        return self


class WorkerPosition:
    """Where one worker stands.

    Attributes:
        taken: how many of its batches were handed out in this epoch; `ended`: its stream ended with the last of them.
        stream: where its random numbers stood after them; None: nothing was drawn. `epoch_stream`: at the epoch's start.
        dataset: what its dataset's `state_dict` was after them.
        end: stream and dataset after its last batch, until the epoch is over.
    """

    def __init__(self) -> None:
        self.taken = 0
        self.ended = False
        self.stream: Any = None
        self.epoch_stream: Any = None
        self.dataset: Any = None
        self.end: Any = None

    def left(self, asked: Any, finished: bool) -> _Left:
        """Return what the worker is told when it takes up where it was left; `asked` is what a stream is asked for."""
        skip = [] if asked is ... or finished else [asked] * self.taken
        return _Left(self.epoch_stream, skip, self.stream, self.dataset, self.ended)

    def plain(self) -> dict[str, Any]:
        """Return it as a nest that can be saved."""
        streams = {
            name: None if getattr(self, name) is None else plain_stream(getattr(self, name))
            for name in ("stream", "epoch_stream")
        }
        return {"taken": self.taken, "ended": self.ended, **streams, "dataset": self.dataset}

    @classmethod
    def of(cls, plain: dict[str, Any]) -> WorkerPosition:
        """Return what `plain` was made of."""
        self = cls()
        self.taken, self.ended = index(plain["taken"]), plain["ended"]
        self.dataset = plain["dataset"]
        for name in ("stream", "epoch_stream"):
            setattr(self, name, None if plain[name] is None else stream_of(plain[name]))
        return self


def generators_of(loader: Any) -> list[Generator]:
    """Return the generators that the loader, its samplers and its dataset hold, each once.

    A dataset that workers copy is left out: theirs are others.
    """
    places = [loader, loader.sampler, loader.batch_sampler, getattr(loader.batch_sampler, "sampler", None)]  # fmt: skip
    found = [getattr(place, "generator", None) for place in places]
    if not loader.num_workers:
        found += _generators_within(loader.dataset)
    return list({id(g): g for g in found if isinstance(g, Generator)}.values())


def _generators_within(dataset: Any) -> list[Generator]:
    """Return those that are attributes of a dataset, and of the datasets of which it is made."""
    found, waiting, seen = [], [dataset], set()
    while waiting:
        one = waiting.pop(0)
        if id(one) in seen or not isinstance(one, Dataset) or hasattr(one, "load_state_dict"):
            continue  # one with a state of its own has them in there
        seen.add(id(one))
        parts = vars(one)
        found += [value for value in parts.values() if isinstance(value, Generator)]
        several = parts.get("datasets")
        waiting += [parts.get("dataset"), *(several if isinstance(several, (list, tuple)) else ())]
    return found
