"""Samplers: the same indices in the same order, drawn from the same generators."""

import copy
import pickle

from casebook import case, error


def tried(t, function):
    """Return what `function` returns or raises, and what is drawn after it."""
    t.manual_seed(11)
    return [error(function), t.rand(1).item()]


@case
def in_order(t):
    S = t.utils.data.SequentialSampler
    return [
        list(S("abc")),
        len(S("abc")),
        error(lambda: len(S(3))),
        error(lambda: list(S(iter([1])))),
        vars(S("a")),
    ]


@case
def shuffled(t):
    D, found = t.utils.data, {}

    def twice(n, replacement, count, seed):
        generator = t.Generator().manual_seed(seed) if seed else None
        sampler = D.RandomSampler(range(n), replacement, count, generator)
        return list(sampler), list(sampler), len(sampler), sampler.num_samples

    for n in (0, 1, 5, 33):
        for replacement in (False, True):
            for count in (None, 0, 1, 31, 32, 64, 70, -1, 2.0, True, "a"):
                for seed in (None, 5):
                    found[f"{n} {replacement} {count} {seed}"] = tried(t, lambda: twice(n, replacement, count, seed))  # noqa: B023  # fmt: skip
    return found


@case
def shuffled_details(t):
    D = t.utils.data

    class Growing:
        n = 3

        def __len__(self):
            return self.n

    def growing():
        data = Growing()
        sampler = D.RandomSampler(data)
        found = [list(sampler), len(sampler)]
        data.n = 5
        found += [list(sampler), len(sampler)]
        data.n = 0
        return [*found, len(sampler), error(lambda: list(sampler))]

    def begun():
        steps = iter(D.RandomSampler(range(5)))
        before = t.rand(1).item()  # nothing was drawn yet
        return before, next(steps), list(steps)

    return [
        tried(t, growing), tried(t, begun), [error(lambda: D.RandomSampler("abc", r)) for r in (0, 1, None, "a")],  # noqa: B023
        list(vars(D.RandomSampler("abc"))), error(lambda: setattr(D.RandomSampler("abc"), "num_samples", 2)),
    ]  # fmt: skip


@case
def some(t):
    S = t.utils.data.SubsetRandomSampler

    def twice(indices):
        own = S(indices, t.Generator().manual_seed(3))
        return [list(S(indices)), list(own), list(own), len(own)]

    return {str(i): tried(t, lambda: twice(i)) for i in ([], [3, 1, 4, 1], range(5), "abc", None, 3)}  # noqa: B023  # fmt: skip


WEIGHTS = (
    [0.1, 0.9], [0, 0], [1], [], [-1, 2], [2, -1], [1, 2, 3, 4], [[1, 2]], 3, "a", [float("inf"), 1], [float("nan"), 1], [True, False], [0, 0, 1],
)  # fmt: skip


@case
def weighted(t):
    S, found = t.utils.data.WeightedRandomSampler, {}

    def twice(weights, count, replacement):
        sampler = S(weights, count, replacement)
        own = S(weights, count, replacement, t.Generator().manual_seed(2))
        return [sampler.weights, list(sampler), list(sampler), list(own), len(own)]

    for weights in WEIGHTS:
        for count in (1, 2, 5):
            for replacement in (True, False):
                found[f"{weights} {count} {replacement}"] = tried(t, lambda: str(twice(weights, count, replacement)).replace("nbmodule", "torch"))  # noqa: B023  # fmt: skip
    for count in (0, -1, True, 2.0, None, "a"):
        found[f"{count}"] = error(lambda: S([1.0, 2.0], count))  # noqa: B023
    for replacement in (0, 1, None):
        found[f"replacement {replacement}"] = error(lambda: S([1.0, 2.0], 2, replacement))  # noqa: B023
    return found


@case
def batches(t):
    S, found = t.utils.data.BatchSampler, {}
    for indices in (range(7), [], t.utils.data.SequentialSampler("abcde"), "abcd", 3):
        name = indices if isinstance(indices, (range, list, str, int)) else "sampler"
        for size in (1, 2, 3, 7, 10, 0, -1, True, 2.0, None, "a"):
            for drop in (True, False, 0, None):
                found[f"{name} {size} {drop}"] = [error(lambda: list(S(indices, size, drop))), error(lambda: len(S(indices, size, drop)))]  # noqa: B023  # fmt: skip
    steps, left = iter(range(10)), S((i for i in range(5)), 2, False)
    return [
        found, list(S(steps, 4, True)), list(steps), list(left), list(left), error(lambda: len(left)), list(S([[1], [2], [3]], 2, False)), error(lambda: S(range(3))),
        list(S(S(range(5), 2, False), 2, True)),
    ]  # fmt: skip


@case
def kept(t):
    """Samplers and datasets are copied and pickled with all that they have."""
    D = t.utils.data
    made = [
        D.TensorDataset(t.arange(3)), D.Subset("abc", [1]), D.ConcatDataset(["ab"]), D.StackDataset(a="ab"), D.SequentialSampler("ab"), D.RandomSampler("ab", generator=None), D.SubsetRandomSampler([1]),
        D.WeightedRandomSampler([1.0, 2.0], 2), D.BatchSampler(range(3), 2, True), D.DistributedSampler("abc", 2, 0),
    ]  # fmt: skip
    return [
        [type(x).__module__, list(vars(x)), str(vars(copy.deepcopy(x))) == str(vars(x)), str(vars(pickle.loads(pickle.dumps(x)))) == str(vars(x))] for x in made
    ]  # fmt: skip
