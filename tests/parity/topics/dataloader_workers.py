"""The loader of batches with workers: PyTorch's are processes, ours are threads, and nobody shall see it."""

import importlib
import warnings

from casebook import case, error, heard


class Two(Exception):
    """Cannot be made from a message alone."""

    def __init__(self, a, b):
        super().__init__(a)


def home(t, path=""):
    return importlib.import_module(f"{t.__name__}.utils.data{path}")


def loader(t, *args, **options):
    """Return a loader; that there are more workers than processors is told elsewhere."""
    options.setdefault("num_workers", 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return home(t).DataLoader(*args, **options)


def noisy(t, n=6):
    class Noisy(home(t).Dataset):
        def __len__(self):
            return n

        def __getitem__(self, i):
            return i, t.rand(1), t.randn(1), t.randint(0, 9, (1,))

    return Noisy()


def stream(t, *lengths, shown=True):
    """Return a stream that has `lengths[i]` samples in worker `i`."""
    D = home(t)

    class Count(D.IterableDataset):
        def __iter__(self):
            worker = D.get_worker_info()
            for i in range(lengths[worker.id]):
                yield 10 * worker.id + i

        def __repr__(self):
            return "Count()"

    return Count()


@case
def random_numbers(t):
    """A worker draws from `base_seed` and its number on."""
    t.manual_seed(5)
    found = [list(loader(t, noisy(t), 2, num_workers=n)) for n in (1, 2)]
    g = t.Generator().manual_seed(4)
    found += [list(loader(t, noisy(t), 3, shuffle=True, generator=g)), t.rand(1)]
    kept = loader(t, noisy(t), 2, persistent_workers=True)
    found += [[list(kept), list(kept)], t.rand(1)]

    def seeded(worker_id):
        t.manual_seed(worker_id)

    return [*found, list(loader(t, noisy(t, 4), 2, worker_init_fn=seeded)), t.initial_seed() > 1]


@case
def streams(t):
    options = (dict(batch_size=2), dict(batch_size=None), dict(batch_size=2, drop_last=True))
    lengths = ((3, 3), (1, 4), (4, 1), (0, 3), (0, 0), (5, 0))
    found = [list(loader(t, stream(t, *n), **rest)) for n in lengths for rest in options]
    kept = loader(t, stream(t, 1, 4), 2, persistent_workers=True)
    return [found, list(kept), list(kept), list(loader(t, stream(t, 1, 5, 2), 1, num_workers=3))]


@case
def a_wrong_length(t):
    counted = stream(t, 3, 3)
    type(counted).__len__ = lambda self: 4
    found = loader(t, counted, 2)
    return heard(lambda: [len(found), list(found)])


@case
def what_a_worker_knows(t):
    D = home(t)
    t.manual_seed(2)

    class Asks(D.Dataset):
        def __len__(self):
            return 3

        def __getitem__(self, i):
            info = D.get_worker_info()
            return [
                i, info.id, info.num_workers, info.seed == t.initial_seed(), info.dataset is self,
                error(lambda: setattr(info, "id", 3)), sorted(type(info).__dataclass_fields__), self.mark,
            ]  # fmt: skip

    def mark(worker_id):
        dataset = D.get_worker_info().dataset
        assert not hasattr(dataset, "mark")
        dataset.mark = f"for {worker_id}"

    asks = Asks()
    asked = loader(t, asks, None, worker_init_fn=mark)
    return [
        list(asked),
        list(asked),
        hasattr(asks, "mark"),
        D.get_worker_info(),
        type(iter(asked)).__name__,
    ]


@case
def each_has_its_own_dataset(t):
    D = home(t)

    class Counts(D.Dataset):
        def __init__(self):
            self.seen, self.n, self.deep = [], 0, {"a": [[0]]}
            self.inner = D.Subset(range(6), [5, 4, 3, 2, 1, 0])
            self.g = t.Generator().manual_seed(1)

        def __len__(self):
            return 6

        def __getitem__(self, i):
            self.n += 1
            self.seen.append(i)
            self.deep["a"][0][0] += i
            self.inner.indices[i] += 10
            return [self.n, len(self.seen), self.deep["a"][0][0], sum(self.inner.indices), t.rand(1, generator=self.g)]  # fmt: skip

    counts = Counts()
    once, kept = loader(t, counts, None), loader(t, counts, None, persistent_workers=True)
    found = [list(once), list(once), list(kept), list(kept)]
    counts.n = 100
    return [
        *found,
        list(once)[:1],
        list(kept)[:1],
        counts.n,
        counts.seen,
        counts.deep,
        counts.inner.indices,
    ]


@case
def errors_in_workers(t):
    D = home(t)

    class Broken(D.Dataset):
        def __len__(self):
            return 7

        def __getitem__(self, i):
            raise [ValueError("a"), KeyError("b"), Two(1, 2), OSError(2, "c"), StopIteration(3), IndexError, AssertionError][i]  # fmt: skip

    def of(batches, limit=12):
        found = []
        while True:
            if len(found) == limit:
                return found
            try:
                found.append(next(batches))
            except StopIteration as e:
                found.append("stop")
                if not str(e):
                    return found
            except Exception as e:
                lines = str(e).splitlines()
                found.append([type(e).__name__, lines[:2], lines[-1]])

    class BrokenStream(D.IterableDataset):
        def __iter__(self):
            yield 1
            raise ZeroDivisionError("in a stream")

    class NoIterator(D.IterableDataset):
        def __iter__(self):
            raise LookupError("no iterator")

    def refuse(worker_id):
        raise RuntimeError(f"not {worker_id}")

    def sampler():
        yield 0
        raise OSError("no more")

    def cannot(batch):
        raise TypeError(f"cannot {batch}")

    return [
        of(iter(loader(t, Broken(), None))), of(iter(loader(t, Broken(), None, persistent_workers=True))),
        of(iter(loader(t, BrokenStream(), None, num_workers=1))), of(iter(loader(t, NoIterator(), None, num_workers=1)), 1),
        of(iter(loader(t, range(1), None, num_workers=1, worker_init_fn=refuse))),
        of(iter(loader(t, range(3), 1, collate_fn=cannot))),
        error(lambda: iter(loader(t, range(3), 1, sampler=sampler()))),
        of(iter(loader(t, range(2), 1, sampler=[0, 5]))),
    ]  # fmt: skip


@case
def ahead_of_time(t):
    """Indices are handed out `prefetch_factor` batches ahead for each worker."""
    asked = []

    class Watched(home(t).Sampler):
        def __iter__(self):
            for i in range(20):
                asked.append(i)
                yield i

    found = []
    for options in (dict(), dict(prefetch_factor=1), dict(prefetch_factor=3), dict(num_workers=1)):
        asked.clear()
        batches = iter(loader(t, range(20), 1, sampler=Watched(), **options))
        found.append([len(asked), next(batches), len(asked), next(batches), len(asked)])
    return found


@case
def iterators(t):
    once, kept = loader(t, range(5), 2), loader(t, range(5), 2, persistent_workers=True)
    first = iter(kept)
    two = [iter(once), iter(once)]
    return [
        next(first), list(kept), iter(kept) is first, kept._iterator is first, once._iterator,
        [next(two[0]), next(two[1]), next(two[0])], [(a, b) for a in once for b in once],
        len(two[0]), error(lambda: loader(t, range(3), prefetch_factor=0).__iter__()),
        list(loader(t, range(3), timeout=60)), list(loader(t, range(7), 2, in_order=False, num_workers=1)),
        list(loader(t, [], 2)), len(first._workers), all(w.is_alive() for w in first._workers), all(w.daemon for w in first._workers),
        [isinstance(w.pid, int) for w in first._workers],
    ]  # fmt: skip


@case
def under_no_grad(t):
    D = home(t)
    w = t.ones(1, requires_grad=True)

    class Weighted(D.Dataset):
        def __len__(self):
            return 2

        def __getitem__(self, i):
            return t.is_grad_enabled(), (w * i).detach()

    with t.no_grad():
        found = list(loader(t, Weighted(), None))
    return [found, list(loader(t, Weighted(), None))]


@case
def words_for_numpy(t):
    state = home(t, "._utils.worker")._generate_state
    return [
        state(base, i) for base, i in ((4, 13434), (884386318 << 32, 1), (2**62 + 7, 0), (0, 0))
    ]
