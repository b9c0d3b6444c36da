"""The loader of batches without workers: options, orders, errors, random numbers."""

import collections
import importlib
import pickle

from casebook import case, error, heard, told


def home(t, path=""):
    return importlib.import_module(f"{t.__name__}.utils.data{path}")


def squares(t, n=5):
    return home(t).TensorDataset(t.arange(float(n)), t.arange(n) ** 2)


def stream(t, n=7, length=None):
    class Count(home(t).IterableDataset):
        def __iter__(self):
            return iter(range(n))

        def __repr__(self):
            return "Count()"

    if length is not None:
        Count.__len__ = lambda self: length
    return Count()


@case
def batches(t):
    D = home(t)
    return [
        list(D.DataLoader(squares(t))),
        list(D.DataLoader(squares(t), 2)),
        list(D.DataLoader(squares(t), batch_size=2, drop_last=True)),
        list(D.DataLoader(squares(t), batch_size=None)),
        list(D.DataLoader(squares(t), batch_sampler=[[0, 4], [1], []][:2])),
        list(D.DataLoader(squares(t), 3, sampler=[4, 2, 0, 1])),
        list(D.DataLoader(range(5), 2, collate_fn=tuple)),
        list(D.DataLoader("abcde", 2)),
        list(D.DataLoader({0: "a", 1: "b"}, 2)),
        list(D.DataLoader([], 2)),
        list(D.DataLoader(stream(t), 3)),
        list(D.DataLoader(stream(t), 3, drop_last=True)),
        list(D.DataLoader(stream(t), None)),
        list(D.DataLoader(stream(t), 3, collate_fn=sum)),
        list(D.DataLoader([{"a": 1, "b": [1.0, "x"]}, {"a": 2, "b": [2.0, "y"]}], 2)),
        list(D.DataLoader(squares(t), None, sampler=D.BatchSampler(range(5), 2, False))),
    ]


@case
def orders(t):
    D = home(t)
    t.manual_seed(3)
    found = [list(D.DataLoader(range(7), 3, True)) for _ in range(2)]
    found += [t.rand(1), iter(D.DataLoader(range(2)))._base_seed, t.rand(1)]
    g = t.Generator().manual_seed(5)
    shuffled = D.DataLoader(range(7), 3, shuffle=True, generator=g)
    found += [list(shuffled), list(shuffled), t.rand(1, generator=g), t.rand(1)]
    drawn = D.RandomSampler(range(9), replacement=True, num_samples=5)
    found += [list(D.DataLoader(range(9), 4, sampler=drawn)), t.rand(1)]
    weighted = D.WeightedRandomSampler([0.1, 0.9, 0.5], 6)
    found += [list(D.DataLoader(range(3), 4, sampler=weighted, generator=g)), t.rand(1)]
    return found


@case
def when_numbers_are_drawn(t):
    """A loader draws its seed when an iterator is made, and the order when the first batch is asked for."""
    D = home(t)
    t.manual_seed(1)
    loader = D.DataLoader(range(4), 2, shuffle=True)
    found = [t.rand(1)]
    batches = iter(loader)
    found += [t.rand(1), next(batches), t.rand(1), next(batches), t.rand(1)]

    class Eager(D.Sampler):
        def __iter__(self):
            return iter(t.randperm(4).tolist())

    return [*found, iter(D.DataLoader(range(4), None, sampler=Eager()))._base_seed, t.rand(1)]


@case
def options_that_exclude_one_another(t):
    D, data = home(t), squares(t)
    rows = [
        dict(num_workers=-1), dict(timeout=-1), dict(prefetch_factor=2), dict(persistent_workers=True),
        dict(num_workers=1, prefetch_factor=-1), dict(shuffle=True, sampler=[0]), dict(batch_size=0),
        dict(batch_size=-1), dict(batch_size=2.5), dict(batch_size=True), dict(batch_size="2"),
        dict(batch_sampler=[[0]], batch_size=2), dict(batch_sampler=[[0]], shuffle=True),
        dict(batch_sampler=[[0]], sampler=[0]), dict(batch_sampler=[[0]], drop_last=True),
        dict(batch_sampler=[[0]], batch_size=None), dict(batch_size=None, drop_last=True),
        dict(drop_last=1), dict(drop_last="yes"), dict(multiprocessing_context="fork"),
        dict(num_workers=1, multiprocessing_context=3),
        dict(generator=3, shuffle=True), dict(num_workers="1"), dict(timeout=None), dict(in_order=3),
        dict(shuffle="yes", sampler=[0]), dict(num_workers=None),
    ]  # fmt: skip
    found = [error(lambda row=row: type(D.DataLoader(data, **row)).__name__) for row in rows]
    rows = [dict(shuffle=True), dict(sampler=[0]), dict(batch_sampler=[[0]]), dict(shuffle=False), dict(shuffle=0)]  # fmt: skip
    found += [error(lambda row=row: list(D.DataLoader(stream(t), **row))) for row in rows]
    found += [error(D.DataLoader), error(lambda: D.DataLoader(3, shuffle=True)), error(lambda: list(D.DataLoader(3)))]  # fmt: skip
    found += [error(lambda: list(D.DataLoader(squares(t), timeout=1)))]
    return found


@case
def errors_on_the_way(t):
    D = home(t)

    class Broken(D.Dataset):
        def __len__(self):
            return 4

        def __getitem__(self, i):
            if i == 1:
                raise KeyError("gone")
            return i

    def sampler():
        yield 0
        raise OSError("no more")

    loader = iter(D.DataLoader(Broken()))
    found = [next(loader), error(lambda: next(loader)), next(loader), next(loader)]
    found += [error(lambda: next(loader)), error(lambda: next(loader))]
    loader = iter(D.DataLoader(range(3), sampler=sampler()))
    found += [next(loader), error(lambda: next(loader)), error(lambda: next(loader))]
    found += [error(lambda: list(D.DataLoader(D.Dataset(), sampler=[0])))]
    found += [
        error(lambda: len(D.DataLoader(D.Dataset()))),
        error(lambda: list(D.DataLoader(D.Dataset()))),
    ]
    found += [error(lambda: list(D.DataLoader([1, "a"], 2)))]
    found += [error(lambda: list(D.DataLoader([t.ones(2), t.ones(3)], 2)))]
    found += [error(lambda: list(D.DataLoader([object()], 1)))[:40]]
    found += [error(lambda: list(D.DataLoader(range(2), collate_fn=lambda batch: 1 / 0)))]
    return found


@case
def lengths(t):
    D = home(t)

    def count(**options):
        loader = D.DataLoader(stream(t, 7, 5), **options)
        return heard(lambda: [len(loader), loader._IterableDataset_len_called, len(list(loader))])

    return [
        [len(D.DataLoader(range(7), b, drop_last=d)) for b in (1, 2, 7, 9) for d in (False, True)],
        len(D.DataLoader(range(7), None)),
        len(D.DataLoader(range(7), batch_sampler=[[1], [2]])),
        len(iter(D.DataLoader(range(7), 3))),
        count(), count(batch_size=2), count(batch_size=3, drop_last=True), count(batch_size=None),
        error(lambda: len(D.DataLoader(stream(t)))), error(lambda: len(D.DataLoader(range(3), sampler=iter([1])))),
    ]  # fmt: skip


@case
def attributes(t):
    D = home(t)
    t.manual_seed(0)
    loader = D.DataLoader(range(4), 2, shuffle=True, drop_last=True)
    fixed = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")

    class Mine(D.DataLoader):
        pass

    def change(loader, name):
        return error(lambda: setattr(loader, name, None))

    loader.num_workers, loader.collate_fn = 0, list
    single = D.DataLoader(range(4), None)
    items = iter(single)
    return [
        [change(loader, name) for name in fixed], change(Mine(range(2)), "dataset"),
        change(loader, "generator"), list(loader), loader._auto_collation, single._auto_collation,
        type(loader.sampler).__name__, type(single._index_sampler).__name__, loader.batch_sampler is loader._index_sampler,
        sorted(vars(D.DataLoader(range(2)))), [k for k in vars(single) if k.startswith("_D")],
        loader.prefetch_factor, loader.timeout, loader.pin_memory, loader.pin_memory_device, loader.in_order,
        loader.multiprocessing_context, loader._iterator, loader._dataset_kind, D.DataLoader(stream(t))._dataset_kind,
        type(D.DataLoader(stream(t)).sampler).__name__, loader.collate_fn.__name__, single.collate_fn.__name__,
        type(items).__name__, iter(items) is items, items._num_yielded, next(items), items._num_yielded,
        error(lambda: pickle.dumps(items)), D.DataLoader[int].__origin__.__name__, items._profile_name,
        [type(x).__name__ for x in (items._index_sampler, items._dataset_fetcher)],
        home(t, ".dataloader").default_collate is D.default_collate, D.get_worker_info(),
        list(pickle.loads(pickle.dumps(D.DataLoader(range(4), 2)))),
    ]  # fmt: skip


@case
def fetching_at_once(t):
    D = home(t)

    class Many(D.Dataset):
        def __len__(self):
            return 5

        def __getitem__(self, i):
            return i

        def __getitems__(self, indices):
            return [10 * i for i in indices]

    class Absent(Many):
        __getitems__ = None

    return [list(D.DataLoader(kind(), b)) for kind in (Many, Absent) for b in (2, None)]


@case
def pinned(t):
    if t.accelerator.is_available():
        return "a GPU is here"
    return heard(lambda: [list(squares(t) and home(t).DataLoader(squares(t), 4, pin_memory=True)), list(home(t).DataLoader(range(2), pin_memory=True, pin_memory_device="cuda"))])  # fmt: skip


@case
def several_at_once(t):
    D = home(t)
    loader = D.DataLoader(range(4), 2)
    pairs = [(a, b) for a in loader for b in loader]
    first, second = iter(loader), iter(loader)
    return [pairs, next(first), next(second), next(first), error(lambda: next(first)), next(second)]


@case
def named_tuples_and_mappings(t):
    D = home(t)
    Pair = collections.namedtuple("Pair", "a b")
    found = list(D.DataLoader([Pair(i, [i]) for i in range(4)], 2))
    return [[type(b).__name__, b.a, b.b] for b in found]


@case
def too_many_workers(t):
    import os

    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    _, warned = told(lambda: home(t).DataLoader(range(2), num_workers=available + 1).num_workers)
    numbers = {str(available): "N", str(available + 1): "M"}
    warned = [
        text.replace(" (`cpuset` is not taken into account)", "") for text in warned
    ]  # macOS, Windows
    return [" ".join(numbers.get(w.strip(","), w) for w in text.split()) for text in warned]


@case
def exceptions_on_their_way(t):
    wrapper = importlib.import_module(f"{t.__name__}._utils").ExceptionWrapper

    class Two(Exception):
        def __init__(self, a, b):
            super().__init__(a)

    class Told(Exception):
        message = "there is one"

        def __init__(self, message=None):
            super().__init__(f"told {message[:22]}")

    def again(exception, **where):
        try:
            raise exception
        except Exception:
            wrapped = wrapper(**where)
        try:
            wrapped.reraise()
        except Exception as e:
            lines = str(e).splitlines()
            return [
                type(e).__name__,
                lines[:2],
                lines[-1],
                repr(e)[:20],
                e.__cause__,
                wrapped.where,
            ]

    return [
        again(ValueError("x")), again(KeyError("k"), where="in a test"), again(Two(1, 2)), again(Told("a")),
        again(StopIteration(3)), again(UnicodeDecodeError("utf-8", b"a", 0, 1, "why")),
    ]  # fmt: skip
