"""A nest of everything that PyTorch's restricted reader takes, as the files in `tests/saving/files` hold it."""

from collections import Counter, OrderedDict


def nest(t):
    """Return the nest, made with the library `t`."""
    x = t.arange(6.0)
    noted = t.ones(1)
    noted.tag = "mine"
    state = OrderedDict(weight=x.reshape(2, 3), bias=x[1:3])
    state._metadata = OrderedDict({"": {"version": 1}})
    return {
        "state": state, "x": x, "transposed": x.reshape(2, 3).t(), "parameter": t.nn.Parameter(x[:2]), "noted": noted,
        "types": [t.zeros(2, dtype=getattr(t, name)) for name in ("int8", "int64", "bool", "float16", "float64")],
        "empty": t.zeros(0, 3), "scalar": t.tensor(7), "meta": t.empty(2, 3, device="meta"),
        "plain": [1, -1, 2**40, 2**70, 1.5, None, True, "é", b"\0\xff", (1, (2,)), {1, 2}, Counter("aab"), 1 + 2j],
        "words": [t.float32, t.Size([2, 3]), t.device("cuda:1"), t.strided], 3: {"a": 1}, (1, 2): bytearray(b"ab"),
    }  # fmt: skip
