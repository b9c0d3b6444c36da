"""`testing`: what `assert_close` accepts, what it says otherwise, and what `make_tensor` draws."""

import numpy as np
from casebook import case


def said(t, *args, **named):
    """Return the whole message of `assert_close`, or that it said nothing."""
    try:
        t.testing.assert_close(*args, **named)
    except Exception as e:
        return f"{type(e).__name__}: {e}".replace("nbmodule", "torch")
    return "close"


@case
def close_tensors(t):
    a, b = t.tensor([1.0, 2.0]), t.tensor([1.0, 2.1])
    return [
        said(t, a, a.clone()),
        said(t, a, b),
        said(t, a, b, rtol=0, atol=0),
        said(t, a, b, rtol=0.1, atol=0.0),
        said(t, a, b, rtol=0.1),
        said(t, a, b, atol=0.1),
        said(t, a, a.double()),
        said(t, a, b.double(), check_dtype=False),
        said(t, t.tensor([1, 2]), t.tensor([1, 3])),
        said(t, t.tensor([[1.0, 2.0], [3.0, 4.0]]), t.tensor([[1.0, 2.0], [5.0, 4.0]])),
        said(t, t.tensor(1.0), t.tensor(2.0)),
        said(t, t.tensor([float("nan")]), t.tensor([float("nan")])),
        said(t, t.tensor([float("nan")]), t.tensor([float("nan")]), equal_nan=True),
        said(t, a.half(), a.half() * 1.01),
        said(t, t.ones(2), t.ones(3)),
        said(t, t.ones(2, 3), t.ones(3, 2).t(), check_stride=True),
        said(t, t.ones(2, device="meta"), t.ones(2)),
        said(t, t.ones(2, device="meta"), t.ones(2, device="meta")),
        said(t, t.nn.Parameter(a), a),
        said(t, a, b, msg="no"),
        said(t, a, b, msg=lambda m: m.upper()),
    ]


@case
def close_numbers_and_structures(t):
    return [
        said(t, 1, 2),
        said(t, 1.0, 1.0000001),
        said(t, 1.0, 1),
        said(t, 1.0, 2, check_dtype=False),
        said(t, 1e-10, 1e-9, rtol=0, atol=0),
        said(t, 1.0, 0.0),
        said(t, True, False),
        said(t, None, None),
        said(t, None, 1),
        said(t, "a", "a"),
        said(t, np.float32(1), np.float32(1.5)),
        said(t, np.ones(2), np.ones(2)),
        said(t, [1, 2.0], (1, 2.0)),
        said(t, [1, [2, 3]], [1, [2, 4]]),
        said(t, [1], [1, 2]),
        said(t, {"a": {"b": 1}}, {"a": {"b": 2}}),
        said(t, {"a": 1, "c": 2}, {"b": 1}),
        said(t, [t.ones(1)], [t.zeros(1)], msg=lambda m: m[-40:]),
    ]


@case
def make_tensor(t):
    t.manual_seed(0)
    make = t.testing.make_tensor
    return [
        make(2, 3, dtype=t.float32, device="cpu"),
        make((4,), dtype=t.float64, device="cpu", low=0, high=1),
        make(5, dtype=t.int64, device="cpu"),
        make(5, dtype=t.uint8, device="cpu"),
        make(5, dtype=t.bool, device="cpu"),
        make(9, dtype=t.int32, device="cpu", low=-1, high=2, exclude_zero=True),
        make(3, 4, dtype=t.float32, device="cpu", noncontiguous=True).stride(),
        make(3, dtype=t.float32, device="cpu", requires_grad=True).requires_grad,
    ]
