"""Numbers that are too large or none at all, indices into nothing, and generators that are none."""

from casebook import case, error

NUMBERS = (
    [2**63, 1], [2**63], [1, 2**63], [2**63, -1], [-(2**63) - 1], [2**63, 1.0], [[1, 2], [2**63, 3]], [2**63 - 1, 1], (2**63, 1), [2**64, 1], [2**70, 1.5], 2**63, [1, 1e30], [True, 2**63],
    [1.0, None], [1, "a"], [None], [{}], None, {1}, [[1], [None]], [float("nan"), 1], [],
)  # fmt: skip


@case
def numbers(t):
    kinds = (None, t.int64, t.float32, t.float64, t.uint8, t.bool)
    return {str(n): [error(lambda: t.tensor(n, dtype=k)).replace("nbmodule", "torch") for k in kinds] for n in NUMBERS}  # noqa: B023  # fmt: skip


@case
def large_unsigned(t):
    return [error(lambda: t.tensor(n, dtype=t.uint64).tolist()) for n in NUMBERS[:10]]  # noqa: B023


@case
def indices_into_nothing(t):
    empty, flat, full = t.zeros(0, 3), t.zeros(3, 0), t.zeros(2, 3)
    tries = [
        (empty, [0, 1]), (empty, []), (empty, t.tensor([5])), (empty, (t.tensor([9]), t.tensor([0]))), (empty, (t.tensor([0]), t.tensor([9]))), (empty, (slice(None), [0])), (empty, 0),
        (flat, (slice(None), [0])), (flat, [1]), (flat, (t.tensor([0]), t.tensor([0]))), (full, ["a", "b"]), (full, [1, "a"]), (full, [b"a"]),
    ]  # fmt: skip
    return [error(lambda: list(x[key].shape)) for x, key in tries]  # noqa: B023


@case
def no_generators(t):
    return [
        error(f) for f in (
            lambda: t.randperm(3, generator=3), lambda: t.randint(3, (2,), generator=3), lambda: t.rand(2, generator=3), lambda: t.multinomial(t.ones(3), 2, generator=3), lambda: t.ones(3).multinomial(2, generator=3),
            lambda: t.poisson(t.ones(3), generator=3), lambda: t.zeros(2).normal_(generator=3),
        )
    ]  # fmt: skip


@case
def weights(t):
    """What cannot be drawn from, in the two ways of drawing."""
    wrong = (
        [0, 0],
        [],
        [-1, 2],
        [2, -1],
        [float("inf"), 1],
        [float("nan"), 1],
        [1, float("inf"), -1],
    )
    return {
        f"{w}": [error(lambda: t.multinomial(t.tensor(w, dtype=t.float64), n, r)) for n, r in ((1, True), (2, True), (1, False), (2, False))] for w in wrong  # noqa: B023
    }  # fmt: skip


@case
def stacked_with_others(t):
    import numpy as np

    x = t.zeros(2)
    return [error(lambda: t.stack(v)) for v in ([x, 1], [x, np.zeros(2)], [x, None], [], [x, x[:1]], 3, x)]  # noqa: B023  # fmt: skip
