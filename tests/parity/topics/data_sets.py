"""Data sets: what they hold, and what they refuse."""

from casebook import case, error, heard


def kinds(t):
    """Return datasets of each kind, by a name."""
    D = t.utils.data

    class Squares(D.Dataset):
        def __init__(self, n):
            self.n = n

        def __len__(self):
            return self.n

        def __getitem__(self, i):
            return i * i

    class AtOnce(Squares):
        def __getitems__(self, indices):
            return [-self[i] for i in indices]

    class TooFew(Squares):
        def __getitems__(self, indices):
            return [self[i] for i in indices][1:]

    class Stream(D.IterableDataset):
        def __init__(self, n):
            self.n = n

        def __iter__(self):
            return iter(range(self.n))

    class Measured(Stream):
        def __len__(self):
            return self.n

    return Squares, AtOnce, TooFew, Stream, Measured


def tries(function, arguments):
    return {str(a): error(lambda: function(*a)) for a in arguments}  # noqa: B023


@case
def abstract(t):
    D = t.utils.data
    Squares, _, _, Stream, Measured = kinds(t)
    return [
        error(lambda: D.Dataset()[0]), error(lambda: len(D.Dataset())), error(D.IterableDataset), error(lambda: Stream(2)[0]), error(lambda: len(Stream(2))),
        error(lambda: iter(D.Sampler())), error(lambda: list(D.Sampler())), error(lambda: D.Sampler(None)), error(lambda: len(D.Sampler())),
        list(Stream(2) + Measured(3)), error(lambda: len(Stream(2) + Measured(3))), len(Measured(2) + Measured(3)), error(lambda: list(Stream(1) + Squares(2))), error(lambda: len(Measured(1) + Squares(2))),
        error(lambda: Squares(2) + Stream(3)), next(iter(D.ChainDataset([Stream(2), Squares(3)]))), [list(c) for c in [D.ChainDataset(Stream(k) for k in (1, 2))] * 2],
        [[c.__name__ for c in kind.__mro__] for kind in (D.ChainDataset, D.TensorDataset, D.BatchSampler)], [hasattr(kind, "__getitems__") for kind in (D.Dataset, D.TensorDataset, D.ConcatDataset, D.Subset, D.StackDataset)],
        [str(kind[int]) for kind in (D.Dataset, D.IterableDataset, D.Subset, D.Sampler)], isinstance(Squares(1), D.IterableDataset),
    ]  # fmt: skip


@case
def tensors(t):
    D = t.utils.data
    x, y = t.arange(12.0).reshape(6, 2), t.arange(6)
    both = D.TensorDataset(x, y)
    keys = [0, -1, slice(1, 3), [0, 2], t.tensor([0, 1]), t.tensor(1), True, (1,)]
    return [
        len(both), [both[k] for k in keys], tries(lambda k: both[k], [(6,), (1.5,), ("a",), ((1, 0),)]), list(both)[-1], both[1][0].data_ptr() == x[1].data_ptr(), len(D.TensorDataset(x[:0])),
        error(lambda: D.TensorDataset(x, y[:3])), error(lambda: D.TensorDataset(t.tensor(1.0))), D.TensorDataset().tensors, error(lambda: len(D.TensorDataset())), error(lambda: D.TensorDataset([1, 2])), error(lambda: D.TensorDataset(x, [1])),
    ]  # fmt: skip


@case
def stacks(t):
    D = t.utils.data
    Squares, AtOnce, TooFew, Stream, _ = kinds(t)
    found = {}
    for name, (args, named) in {
        "tuple": ((Squares(4), AtOnce(4), "abcd"), {}), "dict": ((), {"b": Squares(4), "a": AtOnce(4)}), "few": ((Squares(4), TooFew(4)), {}), "few by name": ((), {"a": TooFew(4)}),
    }.items():  # fmt: skip
        stack = D.StackDataset(*args, **named)
        found[name] = [
            len(stack), stack[1], stack[-1], type(stack.datasets).__name__, error(lambda: stack[7]),  # noqa: B023
            {str(i): error(lambda: stack.__getitems__(i)) for i in ([0, 2], [], (1, 1), [9])},  # noqa: B023
        ]  # fmt: skip
    return [
        found, error(D.StackDataset), error(lambda: D.StackDataset(Squares(2), a=Squares(2))), error(lambda: D.StackDataset(Squares(2), Squares(3))),
        error(lambda: D.StackDataset(a=Squares(2), b=Squares(3))), error(lambda: D.StackDataset(Stream(3))),
    ]  # fmt: skip


@case
def joined(t):
    D = t.utils.data
    Squares, _, _, Stream, _ = kinds(t)
    found = {}
    for name, parts in {"one": [Squares(3)], "two": [Squares(3), "ab"], "empty": [Squares(0), Squares(2), Squares(0)]}.items():  # fmt: skip
        whole = D.ConcatDataset(parts)
        keys = [*range(-6, 6), 1.5, "a", t.tensor(1), slice(0, 1)]
        found[name] = [len(whole), whole.cumulative_sizes, tries(lambda k: whole[k], [(k,) for k in keys])]  # noqa: B023  # fmt: skip
    return [
        found, error(lambda: D.ConcatDataset([])), error(lambda: D.ConcatDataset([Squares(1), Stream(1)])), error(lambda: D.ConcatDataset([3])), (Squares(1) + Squares(2) + Squares(3)).cumulative_sizes,
        heard(lambda: D.ConcatDataset([[1]]).cummulative_sizes), D.ConcatDataset.cumsum([[1], [2, 3]]),
    ]  # fmt: skip


@case
def parts(t):
    D = t.utils.data
    Squares, AtOnce, TooFew, _, _ = kinds(t)

    class Half(D.Subset):
        def __getitem__(self, i):
            return 1

    class Whole(Half):
        def __getitems__(self, i):
            return 2

    found = {}
    for name, data in {"one by one": Squares(6), "at once": AtOnce(6), "few": TooFew(6), "tensors": D.TensorDataset(t.arange(6)), "letters": "abcdef"}.items():  # fmt: skip
        for indices in ([1, 3, 5], t.tensor([1, 3]), range(2), [9], []):
            part = D.Subset(data, indices)
            found[f"{name} {indices}".replace("nbmodule", "torch")] = [
                len(part), tries(lambda k: part[k], [(0,), (-1,), (5,), ([0, 1],), (slice(0, 2),)]),  # noqa: B023
                tries(lambda k: part.__getitems__(k), [([0, 1],), ([],), ([7],), ((-1,),)]),  # noqa: B023
            ]  # fmt: skip
    found["text"] = error(lambda: str(Half(Squares(1), [0])))
    found["whole"] = Whole(Squares(1), [0]).__getitems__([0])
    return found


SPLITS = (
    [3, 7], [0.3, 0.7], [0.5, 0.5], [1 / 3, 1 / 3, 1 / 3], [0.1] * 10, [10], [1], [1.0], [0, 10], [0, 1], [0.0, 1.0], [3, 8], [11], [], [-1, 11], [1.5, -0.5], (5, 5), [0.2, 0.3], ["a"], None, 5, [True, 9],
    [0.05] * 20, [float("nan"), 1], [0.5, 0.5 - 1e-12], [0.5, 0.5 + 1e-12], [0.333333333, 0.333333333, 0.333333334], [0.999, 0.001],
)  # fmt: skip


@case
def splits(t):
    D = t.utils.data
    found = {}
    for lengths in SPLITS:
        t.manual_seed(4)
        found[str(lengths)] = heard(lambda: error(lambda: [(type(p).__name__, p.indices, list(p)) for p in D.random_split(range(10, 20), lengths)]))  # noqa: B023  # fmt: skip
    t.manual_seed(5)
    g = t.Generator().manual_seed(42)
    found["generators"] = [[p.indices for p in D.random_split(range(7), [3, 4], generator=s)] for s in (g, None, g)]  # fmt: skip
    found["afterwards"] = t.rand(2)
    found["nothing"] = heard(lambda: [p.indices for p in D.random_split([], [0.5, 0.5])])
    return found


@case
def one_replica(t):
    """What each of several replicas gets."""
    Sampler = t.utils.data.distributed.DistributedSampler

    def order(n, count, rank, shuffle, drop_last):
        sampler = Sampler(range(n), count, rank, shuffle, 3, drop_last)
        first = list(sampler)
        sampler.set_epoch(2)
        return first, list(sampler), len(sampler), sampler.num_samples, sampler.total_size

    cases = [
        (n, count, rank, shuffle, drop) for n in (1, 5, 10) for count in (1, 3, 7) for rank in (0, count - 1, count, -1) for shuffle in (True, False) for drop in (True, False)
    ]  # fmt: skip
    return [
        tries(order, cases), error(lambda: order(0, 2, 0, True, False)), error(lambda: Sampler(range(3))), error(lambda: Sampler(range(3), 2)), error(lambda: Sampler(range(3), rank=0)), list(vars(Sampler([], 2, 0))),
    ]  # fmt: skip
