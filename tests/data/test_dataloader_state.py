"""A loader that is resumed yields what was left, with the same random numbers, and so do the epochs after it."""

import copy
import random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import nbmodule
from nbmodule import Generator, manual_seed, rand
from nbmodule._random_states import RandomStates
from nbmodule.utils import data as D


class Noisy(D.Dataset):
    """Samples that depend on the random numbers of whoever fetches them."""

    def __len__(self):
        return 7

    def __getitem__(self, i):
        return i, rand(()), nbmodule.randn(())


class Own(Noisy):
    """Samples that depend on a generator of the dataset's own, which it saves itself."""

    def __init__(self):
        self.g = Generator().manual_seed(1)

    def __getitem__(self, i):
        return i, rand((), generator=self.g)

    def state_dict(self):
        return {"g": self.g.get_state()}

    def load_state_dict(self, state):
        self.g.set_state(state["g"])


class Stream(D.IterableDataset):
    """A stream of which the first worker has less than the others."""

    def __iter__(self):
        info = D.get_worker_info()
        number, step = (info.id, info.num_workers) if info else (0, 1)
        for i in range(number, 9 if number else 5, step):
            yield i, rand(()) if info else 0


class Stateful(Stream):
    """A stream that knows where it is."""

    i = 0

    def __iter__(self):
        while self.i < 5:
            self.i += 1
            yield self.i, rand(())
        self.i = 0

    def state_dict(self):
        return {"i": self.i}

    def load_state_dict(self, state):
        self.i = state["i"]


class Shuffled(D.Sampler):
    """An order from the generators of Python and NumPy."""

    def __iter__(self):
        order = list(range(7))
        random.shuffle(order)
        np.random.shuffle(order)  # noqa: NPY002 - as many do
        return iter(order)


class StepByStep(D.Sampler):
    """An order that is drawn index by index, while the program draws other numbers."""

    def __iter__(self):
        left = list(range(7))
        while left:
            yield left.pop(nbmodule.randint(len(left), ()).item())


class Buffer(D.IterableDataset):
    """A stream that is shuffled by a buffer."""

    def __iter__(self):
        waiting = [0, 1, 2]
        for i in range(3, 9):
            place = nbmodule.randint(3, ()).item()
            yield waiting[place], nbmodule.randn(())
            waiting[place] = i


class WithGenerator(Noisy):
    """Samples from a generator that is an attribute, of which the dataset says nothing."""

    def __init__(self):
        self.g = Generator().manual_seed(1)

    def __getitem__(self, i):
        return i, rand((), generator=self.g)


def with_replacement():
    g = Generator().manual_seed(2)
    return D.RandomSampler(range(7), replacement=True, num_samples=40, generator=g)


KINDS = {
    "in order": lambda: dict(dataset=Noisy(), batch_size=2),
    "shuffled": lambda: dict(dataset=Noisy(), batch_size=2, shuffle=True),
    "one by one": lambda: dict(dataset=Noisy(), batch_size=None, shuffle=True),
    "a generator": lambda: dict(dataset=Noisy(), batch_size=3, shuffle=True, generator=Generator().manual_seed(5)),
    "replacement": lambda: dict(dataset=Noisy(), batch_size=9, sampler=with_replacement()),
    "subset": lambda: dict(dataset=Noisy(), batch_size=2, sampler=D.SubsetRandomSampler(range(5))),
    "weights": lambda: dict(dataset=Noisy(), batch_size=4, drop_last=True, sampler=D.WeightedRandomSampler([0.1] * 7, 15)),
    "sampler": lambda: dict(dataset=Noisy(), batch_size=2, sampler=Shuffled()),
    "step by step": lambda: dict(dataset=Noisy(), batch_size=2, sampler=StepByStep()),
    "buffer": lambda: dict(dataset=Buffer(), batch_size=2),
    "own numbers": lambda: dict(dataset=Own(), batch_size=2, shuffle=True),
    "stream": lambda: dict(dataset=Stream(), batch_size=2),
    "stream of single": lambda: dict(dataset=Stream(), batch_size=None),
    "stream of full": lambda: dict(dataset=Stream(), batch_size=2, drop_last=True),
    "stateful": lambda: dict(dataset=Stateful(), batch_size=2),
}  # fmt: skip


def plain(batch):
    return [x.tolist() if hasattr(x, "tolist") else x for x in batch]


def epochs(make, stop=None):
    """Return what three epochs see, with draws of the program in between; stopped and resumed after `stop` batches."""
    manual_seed(11)
    random.seed(1)
    np.random.seed(2)  # noqa: NPY002
    loader, seen, done, epoch = make(), [], 0, 0
    while epoch < 3:
        for batch in loader:
            seen.append([plain(batch), rand(()).item(), random.random()])
            done += 1
            if done == stop:
                break
        else:
            seen.append("end of epoch")
            epoch += 1
            continue
        state, program = copy.deepcopy((loader.state_dict(), RandomStates([]).plain()))
        manual_seed(99)
        random.seed(98)
        rand(3)
        loader = make()
        loader.load_state_dict(state)
        RandomStates.of(program).put_back([])
    return seen


def test_a_generator_within_the_dataset_goes_on_where_it_was():
    def make():
        return D.DataLoader(D.ConcatDataset([D.Subset(WithGenerator(), [3, 1, 2, 0])]), 1)

    whole = epochs(make)
    assert all(epochs(make, stop) == whole for stop in (1, 4, 6))


@example(kind="step by step", workers=0, kept=False, share=0.5)
@example(kind="buffer", workers=0, kept=False, share=0.5)
@example(kind="stateful", workers=0, kept=False, share=0.5)
@given(
    kind=st.sampled_from(sorted(KINDS)),
    workers=st.integers(0, 3),
    kept=st.booleans(),
    share=st.floats(0, 1),
)
@settings(max_examples=40, deadline=None, derandomize=True)
@pytest.mark.filterwarnings("ignore:This DataLoader will create")
def test_what_was_left_comes_bit_for_bit(kind, workers, kept, share):
    def make():
        kept_workers = dict(persistent_workers=kept and workers > 0)
        return D.DataLoader(num_workers=workers, **kept_workers, **KINDS[kind]())

    whole = epochs(make)
    batches = sum(item != "end of epoch" for item in whole)
    stop = 1 + int(share * (batches - 1))
    assert epochs(make, stop) == whole


def test_draws_are_found_again_unless_the_program_has_seeded_anew(monkeypatch):
    monkeypatch.setattr("nbmodule.utils.data._utils.draws._FAR", 8)

    def interrupted(between):
        manual_seed(5)
        batches = iter(loader := D.DataLoader(Buffer(), 1))
        next(batches)
        between()
        next(batches)
        state, program = loader.state_dict(), nbmodule.get_rng_state()
        again = D.DataLoader(Buffer(), 1)
        again.load_state_dict(state)
        return program, [plain(batch) for batch in batches], again

    def forked():
        with nbmodule.random.fork_rng():
            rand(700)
        rand(1500)

    program, rest, again = interrupted(forked)
    nbmodule.set_rng_state(program)
    assert [plain(batch) for batch in again] == rest
    *_, again = interrupted(lambda: manual_seed(6))
    with pytest.raises(RuntimeError, match="this epoch cannot be repeated"):
        iter(again)


def test_a_state_at_the_end_of_an_epoch_begins_the_next():
    loader = D.DataLoader(Own(), 2, generator=Generator().manual_seed(1), shuffle=True)
    list(loader)
    state = loader.state_dict()
    expected = [plain(batch) for batch in loader]
    again = D.DataLoader(Own(), 2, generator=Generator(), shuffle=True)
    again.load_state_dict(state)
    assert [plain(batch) for batch in again] == expected


def test_batches_fetched_in_vain_count_for_workers_that_are_kept():
    def make():
        return D.DataLoader(Noisy(), 2, shuffle=True, num_workers=2, persistent_workers=True)

    loader, again = make(), make()
    next(iter(loader))  # and what was fetched ahead is dropped
    batches = iter(loader)
    next(batches)
    again.load_state_dict(loader.state_dict())
    assert [plain(batch) for batch in again] == [plain(batch) for batch in batches]


def test_a_state_that_waits_is_given_again():
    loader = D.DataLoader(Noisy(), 2)
    next(iter(loader))
    again = D.DataLoader(Noisy(), 2)
    again.load_state_dict(loader.state_dict())
    third = D.DataLoader(Noisy(), 2)
    third.load_state_dict(again.state_dict())
    assert [b[0].tolist() for b in third] == [b[0].tolist() for b in again] == [[2, 3], [4, 5], [6]]


HOSTILE = (
    lambda epoch: {**epoch, "taken": "1"},
    lambda epoch: {**epoch, "base_seed": None},
    lambda epoch: {**epoch, "base_seed": -1},
    lambda epoch: {**epoch, "workers": [1]},
    lambda epoch: {**epoch, "start": {}},
    lambda epoch: {**epoch, "draws": [[0, None, 3, "x"]]},
    lambda epoch: {**epoch, "draws": [[0, None, 3]]},
    lambda epoch: {**epoch, "start": {**epoch["start"], "python": None}},
    lambda epoch: {k: v for k, v in epoch.items() if k != "ended"},
)


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({}, "expected what DataLoader.state_dict returns"),
        (None, "expected what DataLoader.state_dict returns"),
        ({"num_workers": 3}, "num_workers=3, this one has num_workers=0"),
        ({"batch_size": 7}, "batch_size=7, this one has batch_size=2"),
        ({"generators": []}, "0 generators, this one has 1"),
        ({"generators": [nbmodule.ones(3)]}, "damaged"),
        ({"dataset": {}}, "holds one of the dataset, which has no load_state_dict"),
        ({"epoch": {"taken": 1}}, "damaged"),
        ({"epoch": 3}, "damaged"),
        *(({"epoch": change}, "damaged") for change in HOSTILE),
    ],
)
def test_a_state_that_does_not_fit_changes_nothing(state, message):
    loader = D.DataLoader(Noisy(), 2, shuffle=True, generator=Generator().manual_seed(4))
    next(iter(loader))
    good = loader.state_dict()
    if state and callable(state.get("epoch")):
        state = {"epoch": state["epoch"](good["epoch"])}
    before = loader.generator.get_state()
    with pytest.raises(ValueError, match=message):
        loader.load_state_dict({**good, **state} if state else state)
    assert loader.generator.get_state().equal(before)
    assert loader._resumed is None
