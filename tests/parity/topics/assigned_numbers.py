"""What a number becomes that is written by square brackets, type by type."""

from casebook import case, error

NUMBERS = (1e40, 7e4, 3.4028236e38, float("inf"), 300, -1, 1.5, 2**63, 2**64, -(2**63), True)
KEYS = (0, slice(0, 1), ...)


def written(t, dtype, key, number):
    """Return a row of zeros with `number` written at `key`, as a list, or why there is none."""
    x = t.zeros(3, dtype=dtype)

    def write():
        x[key] = number

    return error(write) if fails(write) else x


def fails(function):
    """Return whether `function` raises an error."""
    try:
        function()
    except (RuntimeError, ValueError, OverflowError):
        return True
    return False


@case
def floats(t):
    return [written(t, d, k, n) for d in (t.float32, t.float64) for k in KEYS for n in NUMBERS]


@case
def integers(t):
    return [written(t, d, k, n) for d in (t.int64, t.uint8) for k in KEYS for n in NUMBERS]


@case
def booleans(t):
    return [written(t, t.bool, k, n) for k in KEYS for n in NUMBERS]


@case
def a_slice_of_a_number(t):
    return [error(lambda: t.tensor(1.0)[0:1]), error(lambda: t.tensor(1.0)[:])]
