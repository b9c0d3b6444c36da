"""How tensors are printed, with all options."""

from casebook import case


def some(t):
    i = t.arange(24)
    return [
        t.tensor(1.0), t.tensor([1.12345678, 2]), t.tensor([1e-5, 1.0]), t.tensor([1e10, 1.0]), t.tensor([float("nan"), float("inf"), -1.0]), t.tensor([1.0, 2.0]), t.zeros(0), t.zeros(2, 0),
        i.reshape(2, 3, 4), i.double().reshape(4, 6) / 7, (i.float() * 1000.5).reshape(2, 12), i > 3, i.to(t.uint8), t.arange(2000), t.arange(1200.0).reshape(10, 10, 12) / 3, t.full((2, 2), 1e-8),
        t.arange(30.0, requires_grad=True), t.arange(14.0, requires_grad=True) * 2, i.to(t.int16)[:13], t.tensor([[-0.0, 0.0]]), t.tensor([1.5], dtype=t.float16), t.tensor(True), t.zeros(0, dtype=t.int64),
        t.ones(3, 3).double().requires_grad_() * 1.5, t.nn.Parameter(t.ones(2, 2)), t.tensor([1e38, 1e-38]), t.tensor([123456789.0, 1.0]), t.tensor([[1.0, 1e4], [1e5, 2]]), i.to(t.uint16)[:3],
    ]  # fmt: skip


@case
def as_usual(t):
    return [repr(x) for x in some(t)]


@case
def with_options(t):
    every = [
        {"precision": 2}, {"precision": 0}, {"precision": 8, "linewidth": 40}, {"threshold": 5}, {"threshold": 5, "edgeitems": 1}, {"threshold": 5, "edgeitems": 0}, {"sci_mode": True},
        {"sci_mode": False}, {"profile": "short"}, {"profile": "full", "linewidth": 120}, {"profile": "short", "precision": 3, "threshold": 3},
    ]  # fmt: skip
    found = []
    for options in every:
        try:
            t.set_printoptions(**options)
            found.append([repr(x) for x in some(t) if options.get("profile") != "full" or x.numel() < 100])  # fmt: skip
        finally:
            t.set_printoptions(profile="default")
    return found


@case
def as_text(t):
    return [str(t.tensor([1.5])), "%s" % t.tensor(2), f"{t.tensor([1, 2])}", format(t.tensor(2.5), ".3f"), f"{t.tensor(7):>5}"]  # noqa: UP031  # fmt: skip
