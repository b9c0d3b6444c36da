"""Input that no program means to give: it is refused, and nothing breaks."""

import warnings

from casebook import case, error


def _inside_itself():
    cycle = []
    cycle.append(cycle)
    return cycle


def _deep(levels):
    nested = 1.0
    for _ in range(levels):
        nested = [nested]
    return nested


class _NegativeLength:
    def __len__(self):
        return -1

    def __getitem__(self, index):
        return 1


class _NoArray:
    def __array__(self, *args, **named):
        return "no array"


class _Failing:
    def __array__(self, *args, **named):
        raise ValueError("no array")


@case
def sizes_beyond_all_memory(t):
    x = t.arange(12.0).reshape(3, 4)
    return [
        error(lambda: t.zeros(2**63)), error(lambda: t.ones(2, 2**64)), error(lambda: t.empty(2**70)), error(lambda: x.new_zeros(2**64)), error(lambda: t.zeros(2**62)),
        error(lambda: x.repeat_interleave(2**62)), error(lambda: t.combinations(t.arange(100), 20)), error(lambda: t.combinations(t.arange(4), 50)),
        error(lambda: t.nn.functional.adaptive_avg_pool2d(t.zeros(1, 1, 3, 3), 2**40)), t.combinations(t.arange(4), 3),
    ]  # fmt: skip


@case
def data_that_is_none(t):
    return [
        error(lambda: t.tensor(_inside_itself())), error(lambda: t.tensor(_deep(10_000))), error(lambda: t.tensor([_inside_itself(), 1])), error(lambda: t.tensor(_deep(129))),
        error(lambda: t.tensor(_NegativeLength())), error(lambda: t.tensor(_NoArray())), error(lambda: t.tensor(_Failing())), t.tensor(_deep(30)).shape, t.tensor(range(3)),
    ]  # fmt: skip


@case
def places_outside_of_a_storage(t):
    x = t.arange(12.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        numbers, data = x.storage(), x.untyped_storage()
    return [
        error(lambda: data[100]), error(lambda: data[-100]), error(lambda: numbers[12]), error(lambda: numbers[-13]), numbers[-12], numbers[11], data[-48],
    ]  # fmt: skip


@case
def a_capsule_used_twice(t):
    capsule = t.zeros(3).__dlpack__()
    return [t.from_dlpack(capsule), error(lambda: t.from_dlpack(capsule)), error(lambda: t.from_dlpack(5))]  # fmt: skip


@case
def histograms_without_end(t):
    nan, inf, x = float("nan"), float("inf"), t.ones(2)
    return [
        error(lambda: t.histc(t.tensor([nan]))), error(lambda: t.histc(t.tensor([1.0, inf]))), error(lambda: t.histc(x, min=nan)), error(lambda: t.histc(x, max=inf)),
        error(lambda: t.histogram(t.tensor([nan]), 3)), error(lambda: t.histogram(x, 3, range=(0.0, inf))),
    ]  # fmt: skip


@case
def windows_onto_a_storage(t):
    x = t.arange(12.0)
    data = x.untyped_storage()
    return [
        error(lambda: t.empty(0).set_(data, -1, (1,), (1,))), error(lambda: t.empty(0).set_(data, 0, (-1,), (1,))), t.empty(0).set_(data, 3, (2, 2), (4, 1)),
        error(lambda: x.as_strided((2,), (1,), 100)), error(lambda: x.as_strided((2,), (-1,))), error(lambda: x.as_strided((-2,), (1,))), error(lambda: x.as_strided((2,), (1,), -1)),
    ]  # fmt: skip
