"""Workers are threads: they end, they die, they are interrupted, and they share nothing that they should not."""

import collections
import gc
import random
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import nbmodule
from nbmodule.utils.data import DataLoader, Dataset, get_worker_info
from nbmodule.utils.data._utils.private import private


class Calls(Dataset):
    """Gives what `function` returns for an index."""

    def __init__(self, function, length=8):
        self.function, self.length = function, length

    def __len__(self):
        return self.length

    def __getitem__(self, i):
        return self.function(i)


@pytest.fixture(autouse=True)
def no_thread_is_left():
    before = set(threading.enumerate())
    yield
    if left(before):
        gc.collect()  # a caught exception holds the frame that holds it
    assert left(before) == []


def left(before):
    return [t for t in set(threading.enumerate()) - before if "DataLoader" in t.name]


def two_workers(dataset, **options):
    return DataLoader(dataset, **{"batch_size": None, "num_workers": 2, **options})


def test_threads_end_with_their_iterator():
    once, kept = two_workers(range(9)), two_workers(range(9), persistent_workers=True)
    for loader in (once, kept):
        iterator = iter(loader)
        next(iterator)
        workers = iterator._workers
        assert [w.is_alive() for w in workers] == [True, True]
        del iterator
        assert [w.is_alive() for w in workers] == [loader is kept] * 2
    del kept, loader
    assert [w.is_alive() for w in workers] == [False, False]


def test_an_iterator_ends_its_threads_when_it_is_exhausted():
    iterator = iter(two_workers(range(9)))
    assert list(iterator) == list(range(9))
    assert not any(w.is_alive() for w in iterator._workers)


@pytest.mark.parametrize("options", [{"num_workers": 2}, {"num_workers": 1}, {"num_workers": 2, "prefetch_factor": 5}])  # fmt: skip
def test_workers_change_nothing(options):
    data = nbmodule.arange(30.0).reshape(10, 3)
    plain = DataLoader(data, batch_size=4)
    for a, b in zip(plain, DataLoader(data, batch_size=4, **options), strict=True):
        assert a.equal(b)


@pytest.mark.parametrize("persistent_workers", [False, True])
def test_threads_that_share_an_iterator(persistent_workers):
    batches = iter(two_workers(range(200), persistent_workers=persistent_workers))
    found = []
    readers = [threading.Thread(target=lambda: found.extend(batches)) for _ in range(3)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join(timeout=20)
    assert not any(reader.is_alive() for reader in readers)
    assert sorted(found) == list(range(200))


def test_a_worker_that_exits_is_reported():
    iterator = iter(two_workers(Calls(lambda i: sys.exit("enough") if i == 2 else i), prefetch_factor=1))  # fmt: skip
    assert [next(iterator), next(iterator)] == [0, 1]
    with pytest.raises(RuntimeError, match=r"DataLoader worker \(pid\(s\) \d+\) exited unexpectedly") as caught:  # fmt: skip
        list(iterator)
    assert repr(caught.value.__cause__) == "SystemExit('enough')"


def test_a_worker_that_was_kept_and_is_gone():
    loader = two_workers(Calls(lambda i: sys.exit() if i == 2 else i, 3), persistent_workers=True)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="exited unexpectedly"):
            list(loader)


def test_a_batch_that_does_not_come_in_time():
    go_on = threading.Event()
    iterator = iter(two_workers(Calls(lambda i: go_on.wait()), num_workers=1, timeout=0.01))
    with pytest.raises(RuntimeError, match=r"DataLoader timed out after 0\.01 seconds"):
        next(iterator)
    go_on.set()
    del iterator


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="Windows cannot send it to a thread")  # fmt: skip
def test_an_interruption_while_waiting_loses_nothing():
    main, go_on, waiting = threading.get_ident(), threading.Event(), threading.Event()

    def interrupting(i):
        if i == 3 and not go_on.is_set():
            waiting.wait()
            signal.pthread_kill(main, signal.SIGINT)
            go_on.wait()
        return i

    loader = two_workers(Calls(interrupting))
    iterator = iter(loader)
    found = [next(iterator) for _ in range(3)]
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012 - it may come before the wait has begun
        waiting.set()
        next(iterator)
    go_on.set()
    assert found + list(iterator) == list(range(8))
    assert list(loader) == list(range(8))


def test_the_program_ends_whatever_its_workers_do():
    code = """
import threading
from nbmodule.utils.data import DataLoader
class Stuck:
    def __len__(self): return 4
    def __getitem__(self, i): return i or threading.Event().wait()
stuck = iter(DataLoader(Stuck(), sampler=[1, 0, 2], num_workers=1))
next(stuck)
kept = DataLoader(range(3), num_workers=1, persistent_workers=True)
list(kept)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, check=False)  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")


def test_an_exception_keeps_nothing_alive():
    class Big:
        alive = 0

        def __init__(self):
            Big.alive += 1

        def __del__(self):
            Big.alive -= 1

    def failing(i):
        big = Big()
        raise ValueError(f"no {i}", big)

    iterator = iter(two_workers(Calls(failing)))
    for _ in range(8):
        with pytest.raises(ValueError, match="Caught ValueError in DataLoader worker process"):
            next(iterator)
    del iterator
    assert Big.alive == 0


def test_batches_are_freed_when_their_reader_is_done():
    made = []

    class Item:
        def __init__(self):
            made.append(1)

        def __del__(self):
            made.pop()

    iterator = iter(two_workers(Calls(lambda i: Item(), 20), num_workers=1, prefetch_factor=1))
    for _ in range(20):
        item = next(iterator)
        assert len(made) <= 3  # this one, one ahead, one in the making
    del item, iterator
    assert made == []


def test_a_loader_within_a_worker():
    found = list(two_workers(Calls(lambda i: list(two_workers(range(i))), 4)))
    assert found == [[], [0], [0, 1], [0, 1, 2]]


def test_the_main_threads_numbers_are_its_own():
    nbmodule.manual_seed(3)
    loader = two_workers(Calls(lambda i: nbmodule.rand(())))
    iterator, twin = iter(loader), nbmodule.random.get_rng_state()
    first = next(iterator)
    assert nbmodule.random.get_rng_state().equal(twin)
    assert first.equal(nbmodule.rand((), generator=nbmodule.Generator().manual_seed(iterator._base_seed)))  # fmt: skip


def test_generators_in_the_place_of_the_common_ones():
    def drawn(i):
        info = get_worker_info()
        g = nbmodule.random.thread_safe_generator()
        assert g is info.rng.torch_generator
        return [info.rng.random_generator.random(), info.rng.numpy_generator.random(), nbmodule.rand((), generator=g).item()]  # fmt: skip

    def run():
        nbmodule.manual_seed(1)
        return list(two_workers(Calls(drawn)))

    assert nbmodule.random.thread_safe_generator() is None
    assert run() == run()


def test_what_is_copied_for_a_worker():
    class Slotted:
        __slots__ = ("a", "b")

    class Plain:
        def __deepcopy__(self, memo):
            raise AssertionError("a fork runs no code")

    one = Plain()
    one.slotted, one.lock, one.array, one.large = (
        Slotted(),
        threading.Lock(),
        np.zeros(3),
        np.zeros(2**18),
    )
    one.slotted.a = [1]
    one.tensor, one.module, one.list = nbmodule.ones(2), nbmodule, [nbmodule.ones(2)]
    one.again, one.derived = one.tensor, nbmodule.ones(2, requires_grad=True) * 2
    one.random, one.numpy = random.Random(3), np.random.default_rng(3)
    one.deque, one.table = collections.deque([1]), collections.defaultdict(list, a=[2])
    one.itself, one.pair, one.names = one, ([1], one), ("a", "b")
    two = private(one, {})
    assert two is not one
    assert two.itself is two
    assert two.pair[1] is two
    shared = {name for name, value in vars(two).items() if value is getattr(one, name)}
    assert shared == {"lock", "large", "module", "names", "derived"}
    assert two.list[0] is one.list[0]
    assert two.again is two.tensor
    assert two.slotted.a == [1]
    assert two.slotted.a is not one.slotted.a
    assert two.table["b"] == []
    assert two.random.random() == one.random.random()
    assert two.numpy.random() == one.numpy.random()


def test_methods_belong_to_the_workers_copy():
    class Collates(Dataset):
        count = 0

        def __len__(self):
            return 4

        def __getitem__(self, i):
            return i

        def collate(self, batch):
            self.count += 1
            return self is get_worker_info().dataset, self.count, batch

    data = Collates()
    found = list(DataLoader(data, collate_fn=data.collate, num_workers=1))
    assert found == [(True, 1, [0]), (True, 2, [1]), (True, 3, [2]), (True, 4, [3])]
    assert data.count == 0


def test_the_faster_first():
    """With `in_order=False` a slow batch is handed out when it is there."""
    go_on = threading.Event()
    data = Calls(lambda i: go_on.wait() and 0 if i == 0 else i)
    iterator = iter(two_workers(data, in_order=False))
    first = [next(iterator) for _ in range(3)]
    assert 0 not in first
    go_on.set()
    assert sorted(first + list(iterator)) == list(range(8))
    with pytest.raises(ValueError, match="in_order=False"):
        two_workers(data, in_order=False).state_dict()
