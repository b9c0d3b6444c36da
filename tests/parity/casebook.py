"""What PyTorch does, as small functions of the library `t`; each returns something that can be compared.

A module in `topics/` holds the cases of one topic, and `recorded/<topic>.json` what PyTorch returned.
`test_parity.py` runs them on nbmodule against that record, and on PyTorch where it is installed.
"""

import warnings

CASES = {}
"""The cases, by (topic, name)."""


def case(function):
    """Add `function` to the cases of its module's topic."""
    key = function.__module__.rpartition(".")[2], function.__name__
    assert key not in CASES, key
    CASES[key] = function
    return function


def error(function):
    """Return "Type: first line of the message" of what `function` raises, or that it does not."""
    try:
        value = function()
    except Exception as e:
        return f"{type(e).__name__}: {str(e).splitlines()[0] if str(e) else ''}"
    return f"no error, {value!r}"


def heard(function):
    """Return what `function` returns, and the warnings on the way, each as "Category: message"."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value = function()
    return [value, [f"{w.category.__name__}: {w.message}" for w in caught]]


def told(function):
    """Return what `error` says of `function`, and the warnings on the way."""
    return heard(lambda: error(function))


def make_net(t):
    """Return a module with a parameter, a buffer, a child and a plain tensor."""
    nn = t.nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(t.ones(2))
            self.register_buffer("b", t.zeros(2))
            self.l = nn.Linear(2, 2)
            self.plain = t.zeros(1)

        def forward(self, x, scale=1):
            return self.l(x) * scale

    return Net()
