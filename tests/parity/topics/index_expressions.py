"""Index expressions drawn by a generator: masks of every rank, numbers, booleans, None, slices, tensors.

Each is read, written (a tensor, a broadcast one, numbers) and added to, with gradients: that gives one line.
"""

import math

from casebook import case, error

SLICES = [slice(None), slice(1, None), slice(None, None, 2), slice(-1), slice(-2, 3), slice(0, 0)]


class Draw:
    """Random numbers that are the same everywhere and for ever."""

    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % n

    def of(self, *choices):
        return choices[self.below(len(choices))]


def expression(t, draw):
    """Return the shape of a tensor, and an index into it, which fits more often than not."""
    shape = [draw.of(1, 2, 2, 3, 3, 4, draw.of(0, 2, 3)) for _ in range(draw.below(5))]
    common, key, axis = draw.of((), (1,), (2,), (2,), (3,), (2, 2), (0,)), [], 0
    for _ in range(draw.of(0, 1, 2, 2, 3, 3, 4)):
        left = shape[axis:]
        kind = draw.of(*"nbBetttlimmmmss" if left or not draw.below(10) else "nbBe")
        if kind == "e" and any(k is ... for k in key):
            kind = "n"
        k = part(t, draw, kind, left or [2], common)
        key.append(k)
        axis += k.dim() if kind == "m" else kind in "tlis"
    return shape, tuple(key)


def part(t, draw, kind, left, common):
    """Return one part of an index into dimensions of the lengths `left`."""
    n, wrong = left[0], not draw.below(30)
    if kind == "b":
        return draw.of(True, False, True)
    if kind == "B":
        return t.tensor(draw.of(True, False, True))
    if kind == "s":
        return draw.of(*SLICES)
    if kind == "i":
        return draw.below(2 * n or 1) - n + wrong * n
    if kind == "m":
        lengths = [k + wrong for k in left[: 1 + draw.below(3)]]
        bits = [draw.below(2) for _ in range(math.prod(lengths))]
        return t.tensor(bits, dtype=draw.of(t.bool, t.bool, t.bool, t.uint8)).reshape(lengths)
    if kind in "tl":
        numbers = [draw.below(2 * n or 1) - n + wrong for _ in range(math.prod(common))]
        found = t.tensor(numbers, dtype=draw.of(t.int64, t.int64, t.int32)).reshape(common)
        return found.tolist() if kind == "l" and common else found
    return None if kind == "n" else ...


def counted(t, shape, dtype):
    return t.arange(1, math.prod(shape) + 1, dtype=dtype).reshape(shape).clone()


def brief(x):
    """Return the shape and a weighted sum, which other arrangements of the numbers hardly share."""
    numbers = x.detach().reshape(-1).tolist()
    return f"{[*x.shape]}{sum(n * (k * k % 17 + 1) for k, n in enumerate(numbers)):g}"


def weighted(t, x):
    return (x * (counted(t, x.shape, t.float64) * 3 % 7)).sum()


def read(t, shape, key):
    x = counted(t, shape, t.float64).requires_grad_()
    y = (x * 1)[key]
    weighted(t, y).backward()
    return f"{brief(y)} {brief(x.grad)}"


def written(t, shape, key, kept):
    wanted = counted(t, shape, t.float64)[key].shape
    x = counted(t, shape, t.float64).requires_grad_()
    v = (-counted(t, wanted[kept:], t.float64)).requires_grad_()
    y = x * 1
    y[key] = v
    weighted(t, y).backward()
    return f"{brief(y)} {brief(x.grad)} {'-' if v.grad is None else brief(v.grad)}"


def put(t, shape, key, value):
    x = counted(t, shape, t.float32)
    x[key] = value
    return brief(x)


def added(t, shape, key):
    x = counted(t, shape, t.int64)
    x[key] += 100
    return brief(x)


def shown(k):
    if isinstance(k, slice):
        return ":".join("" if n is None else str(n) for n in (k.start, k.stop, k.step))
    return str(k.tolist()) if hasattr(k, "tolist") else "..." if k is ... else str(k)


def line(t, shape, key):
    """Return what comes of `key`, as one line; results that are equal stand there once."""
    steps = [
        lambda: read(t, shape, key),
        lambda: written(t, shape, key, 0),
        lambda: written(t, shape, key, 1),
        lambda: put(t, shape, key, -5.5),
        lambda: put(t, shape, key, t.tensor(2)),
        lambda: added(t, shape, key),
    ]
    found = dict.fromkeys(error(step).removeprefix("no error, ").strip("'")[:70] for step in steps)
    return f"{shape} [{', '.join(map(shown, key))}]: {' | '.join(found)}"


@case
def drawn(t):
    draw = Draw(16)
    return [line(t, *expression(t, draw)) for _ in range(200)]


@case
def named(t):
    m, idx = t.tensor([[True, False], [True, True]]), t.tensor([[1], [0]])
    keys = [
        ((2, 2, 3, 2), (m, slice(None), 1)),
        ((2, 4), (m[0], 0)),
        ((2, 3, 4), (0, slice(None), True)),
        ((3, 2, 3, 2), (None, [0, 1], 1, ..., idx)),
        ((2, 2, 3), (m, True, 1)),
        ((2, 2, 3), (m.to(t.uint8), [0, 1, 2])),
        ((3, 4), ([1.0, 0.9],)),
        ((3, 4), (t.tensor(1, dtype=t.int8), slice(None))),
        ((3, 4), (range(2), ..., [0, 1])),
        ((3, 0), ([9],)),
        ((3, 4), (9, "a")),
    ]
    return [line(t, *key) for key in keys]


@case
def leaves_and_repeated_elements(t):
    def write(x, key, value):
        x[key] = value
        return x.tolist()

    found = []
    for key in (0, slice(0, 1), ..., [0], (0, [1]), t.tensor([True, False]), False, (False,)):
        leaf = t.arange(4.0).reshape(2, 2).requires_grad_()
        tensors = [leaf, leaf.detach().clone().requires_grad_(), t.ones(2, 1).expand(2, 2)]
        found += [error(lambda x=x, key=key: write(x, key, 5.0)) for x in tensors]
    return found
