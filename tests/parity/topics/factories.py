"""Functions that make tensors, and the words for how they lie in memory."""

import warnings

from casebook import case, error


@case
def of_a_size(t):
    return [
        t.zeros(()), t.zeros([]), t.zeros((0,)), t.zeros(2, dtype=int), t.zeros(2, dtype=float), t.zeros(2, dtype=bool), t.zeros(t.Size([1])), t.zeros(size=(2,)),
        t.zeros(t.tensor(2)), t.zeros(t.tensor(2), 3), t.ones(2, layout=t.strided, pin_memory=False, device="cpu", requires_grad=True), t.empty(2, 0), t.zeros(2, out=t.ones(2)),
        *[error(f) for f in (
            lambda: t.zeros(2.5), lambda: t.zeros("a"), lambda: t.zeros(2, "a"), lambda: t.zeros((2, "a")), lambda: t.zeros(None), lambda: t.zeros(2, dtype="float"),
            lambda: t.zeros(2, dtype=3), lambda: t.zeros(2, layout=3), lambda: t.zeros(2, foo=3), lambda: t.zeros(), lambda: t.zeros(-1), lambda: t.ones(2, -1), lambda: t.zeros((1,), (2,)),
            lambda: t.zeros(2, requires_grad=3), lambda: t.zeros(2, dtype=t.int, requires_grad=True), lambda: t.zeros(2, memory_format=t.contiguous_format), lambda: t.zeros(True),
            lambda: t.zeros(2**62), lambda: t.zeros(2, device="foo"), lambda: t.zeros(t.tensor([2, 3])),
        )],
        t.empty(2, 3, 4, 5, memory_format=t.channels_last).stride(), t.empty_strided((2, 3), (1, 2)).stride(), t.empty_permuted((2, 3, 4), (0, 2, 1)).stride(),
        error(lambda: t.empty_strided((2, 3), (1,))), error(lambda: t.empty_permuted((2, 3), (0,))), error(lambda: t.empty_permuted((2, 3), (0, 0))),
    ]  # fmt: skip


@case
def of_a_number(t):
    return [
        t.full((2,), True), t.full((2,), 2), t.full((2,), 2.0), t.full((2,), t.tensor(2)), t.full((2,), 2.7, dtype=t.int32), t.full(size=(2,), fill_value=1.0), t.full((), 3),
        t.scalar_tensor(3), t.scalar_tensor(3, dtype=t.int), t.scalar_tensor(True), t.scalar_tensor(2.5, dtype=t.int), t.full((1,), -1, dtype=t.uint8),
        *[error(f) for f in (
            lambda: t.full((2,), t.tensor([1, 2])), lambda: t.full(2, 3), lambda: t.full([2], "a"), lambda: t.full((2,), 300, dtype=t.uint8), lambda: t.full((2,), 1e10, dtype=t.int32),
            lambda: t.full((2, -1), 2), lambda: t.scalar_tensor([1]), lambda: t.full((1,), 1e300, dtype=t.float32), lambda: t.full((1,), float("nan"), dtype=t.int64),
            lambda: t.full((1,), -1.5, dtype=t.uint8), lambda: t.zeros(1, dtype=t.uint8).fill_(300), lambda: t.zeros(1).fill_("a"), lambda: t.zeros(1).fill_(t.ones(1)),
        )],
        t.eye(2, 3), t.eye(0), t.eye(2, dtype=t.int), t.eye(n=2, m=1), error(lambda: t.eye(-1)), error(lambda: t.eye(2, -1)), error(lambda: t.eye(2.5)), error(lambda: t.eye("a")),
    ]  # fmt: skip


@case
def evenly_spaced(t):
    return [
        t.arange(5), t.arange(1.0, 4), t.arange(0, 1, 0.3), t.arange(end=4), t.arange(start=1, end=4), t.arange(1, 4, dtype=t.float), t.arange(0, 4, step=2), t.arange(True),
        t.arange(t.tensor(3)), t.arange(t.tensor(3.0)), t.arange(-1, -5, -2), t.arange(0.5, 3, dtype=t.int), t.arange(0, 2.5, 0.5, dtype=t.int), t.arange(3.7, 0.2, -1.5, dtype=t.int64),
        t.arange(-5, 5, dtype=t.uint8), t.arange(0, 0), t.arange(-3.3, 9, 0.37), t.arange(-3.3, 9, 0.37, dtype=t.float64), t.arange(0, 40, 1.3),
        t.linspace(0, 1, 1), t.linspace(0, 1, 0), t.linspace(0, 10, 5, dtype=t.int), t.linspace(0, 10, 4, dtype=t.long), t.linspace(t.tensor(0.0), t.tensor(1.0), 3), t.linspace(start=0, end=1, steps=3),
        t.linspace(-3.3, 7.7, 30), t.linspace(7, -3, 30, dtype=t.float64), t.linspace(-3.5, 3.5, 5, dtype=t.int32), t.linspace(9, -11, 16, dtype=t.float16),
        t.logspace(0, 2, 3), t.logspace(0, 2, 3, base=2), t.logspace(0, 2, 3, dtype=t.int), t.logspace(0, 1, 1), t.logspace(0, 1, 0), t.logspace(-1, 1, 7, dtype=t.float64),
        *[error(f) for f in (
            lambda: t.arange(3, dtype=t.bool), lambda: t.arange("a"), lambda: t.arange(1, "a"), lambda: t.arange(), lambda: t.arange(1, 2, 3, 4), lambda: t.arange(float("nan")),
            lambda: t.arange(float("inf")), lambda: t.arange(5, requires_grad=True), lambda: t.arange(0, 1, 0), lambda: t.arange(1, 0), lambda: t.arange(0, 5, -1), lambda: t.arange(t.tensor([1, 2])),
            lambda: t.arange(None), lambda: t.linspace(0, 1, -1), lambda: t.linspace(0, 1), lambda: t.linspace(0, t.tensor([1.0, 2]), 3), lambda: t.linspace("a", 1, 3), lambda: t.linspace(0, 1, 2.5),
            lambda: t.logspace(0, 2), lambda: t.arange(0, 5, 0.5, dtype=t.int64), lambda: t.linspace(0, 300, 3, dtype=t.uint8),
        )],
    ]  # fmt: skip


@case
def range_is_deprecated(t):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        made = [t.range(0, 3), t.range(1, 2, 0.5), error(lambda: t.range(0, 3, 0)), error(lambda: t.range(3, 0))]  # fmt: skip
    return [made, sorted({str(w.message)[:60] for w in seen})]


@case
def like_another(t):
    a, b = t.zeros(2, 3).t(), t.zeros(2, 3, 4).permute(2, 0, 1)
    return [
        t.zeros_like(a), t.zeros_like(a, dtype=t.int, layout=t.strided, device="cpu", requires_grad=False, memory_format=t.preserve_format), t.zeros_like(input=a),
        [t.ones_like(x).stride() for x in (a, b, t.zeros(2, 4)[:, ::2], t.zeros(1, 3).expand(2, 3))], t.ones_like(b, memory_format=t.contiguous_format).stride(),
        t.full_like(a, 3), t.full_like(a, 2.5, dtype=t.int), t.full_like(a, fill_value=t.tensor(3.0)), t.empty_like(t.ones(2, requires_grad=True)).requires_grad,
        t.empty_like(t.zeros(1, 2, 3, 4), memory_format=t.channels_last).stride(),
        *[error(f) for f in (
            lambda: t.zeros_like(3), lambda: t.zeros_like([1]), lambda: t.zeros_like(a, foo=1), lambda: t.zeros_like(a.int(), requires_grad=True), lambda: t.full_like(a),
            lambda: t.empty_like(a, memory_format=t.channels_last), lambda: t.empty_like(a, memory_format=3),
        )],
        [repr(w) for w in (t.strided, t.contiguous_format, t.channels_last, t.preserve_format, t.channels_last_3d, type(t.strided), type(t.preserve_format))],
    ]  # fmt: skip


@case
def of_data(t):
    return [
        t.tensor([1, 2.5, True]), t.tensor([True, 1]), t.tensor(()), t.tensor([[]]), t.tensor([[], []]), t.tensor(range(3)), t.tensor([t.tensor(1), 2.5]), t.tensor([(1, 2), [3, 4]]),
        t.tensor(2**63 - 1), t.tensor(2.7, dtype=t.int), t.tensor([-1], dtype=t.uint8), t.tensor([2], dtype=t.bool), t.tensor(bytearray(b"ab")), t.tensor([[t.tensor(1), 2], [3, 4]]),
        t.tensor([t.zeros(1, 1)]), t.tensor([[], 1]), t.tensor([2**63], dtype=t.float32),
        *[error(f) for f in (
            lambda: t.tensor(None), lambda: t.tensor([None]), lambda: t.tensor("abc"), lambda: t.tensor([1, "a"]), lambda: t.tensor({}), lambda: t.tensor(object()), lambda: t.tensor([[1, 2], [3]]),
            lambda: t.tensor([[1, 2], 3]), lambda: t.tensor([1, [2]]), lambda: t.tensor(2**63), lambda: t.tensor([300], dtype=t.uint8), lambda: t.tensor(1e10, dtype=t.int32),
            lambda: t.tensor(float("nan"), dtype=t.int), lambda: t.tensor(1, requires_grad=True), lambda: t.tensor(), lambda: t.tensor(1, foo=2), lambda: t.tensor(b"ab"), lambda: t.tensor({1}),
            lambda: t.tensor(iter([1])), lambda: t.tensor([t.tensor([1, 2])]), lambda: t.tensor([t.zeros(0)]), lambda: t.tensor([[[1, 2]], [[3]]]), lambda: t.tensor([[1], []]),
            lambda: t.tensor([b"a"]), lambda: t.tensor([1], dtype="int"), lambda: t.tensor([1], device="foo"), lambda: t.tensor(t.float32), lambda: t.tensor(["a", 1]),
        )],
    ]  # fmt: skip


@case
def devices(t):
    d = t.device
    with d("meta"):
        inside = [repr(t.zeros(2)), str(t.get_default_device()), repr(t.tensor([1])), repr(t.zeros(2, device="cpu")), repr(t.nn.Linear(2, 1).weight)]  # fmt: skip
    t.set_default_device("meta")
    after = repr(t.arange(2))
    t.set_default_device(None)
    return [
        [repr(x) for x in (d("cpu"), d("cpu", 0), d("cuda:1"), d(type="cuda", index=1), d("meta"), d("mps"), d(d("cpu")))], [str(x) for x in (d("cuda:1"), d("cpu"))],
        d("cpu") == "cpu", d("cpu") == d("cpu:0"), hash(d("cuda:1")) == hash(d("cuda", 1)), d("cuda").index, d("cpu:1").index, inside, after, repr(t.zeros(1)), str(t.get_default_device()),
        *[error(f) for f in (
            lambda: d(), lambda: d("foo"), lambda: d("cuda:a"), lambda: d("cpu:-1"), lambda: d(""), lambda: d(None), lambda: d(3.5), lambda: d("cuda:1", 2), lambda: d("cuda", "1"),
            lambda: d("cuda", -1), lambda: setattr(d("cpu"), "type", "a"), lambda: t.set_default_device("foo"), lambda: t.zeros(2).to("mps"),
        )],
        t.cuda.device_count(), t.cuda.is_available(), t.accelerator.is_available(), t.backends.mps.is_available(),
        t.backends.cudnn.benchmark, t.are_deterministic_algorithms_enabled(), error(lambda: t.set_num_threads(0)), error(lambda: t.set_num_threads("a")),
        t.get_float32_matmul_precision(),
    ]  # fmt: skip
