"""Tensor: dtypes, indexing, printing, errors."""

import warnings

from casebook import case, error


@case
def printing(t):
    tensors = [
        t.tensor(1.0),
        t.tensor(1),
        t.tensor(True),
        t.tensor([]),
        t.zeros(0, 3),
        t.tensor([1.0, 2.0]),
        t.tensor([1.5, -2.25]),
        t.tensor([1e-5, 1.0]),
        t.tensor([1e10, 1.0]),
        t.tensor([1e5, 1.0]),
        t.tensor([0.0001, 0.0002]),
        t.tensor([float("nan"), float("inf"), 1.0]),
        t.tensor([float("nan"), float("inf")]),
        t.tensor([[1, 200], [-3, 4]]),
        t.tensor([True, False]),
        t.tensor([1, 2], dtype=t.uint8),
        t.tensor([1.0], dtype=t.float64),
        t.tensor([1.0], requires_grad=True),
        t.tensor([1.0], requires_grad=True) * 2,
        t.arange(2000),
        t.arange(2000.0).reshape(40, 50) / 7,
        t.arange(24.0).reshape(2, 3, 4),
        t.arange(60.0) * 100.5,
        t.zeros(3, 0, dtype=t.int64),
        t.arange(30, dtype=t.float64, requires_grad=True),
        t.tensor([-0.0, 0.0]),
        t.zeros(2, 2),
        t.arange(1200.0).reshape(10, 10, 12),
    ]
    return [repr(x) for x in tensors]


@case
def types_of_data(t):
    made = [1, 1.0, True, [1, 2], [1, 2.0], [True, 2], [[1.0]], [], [t.tensor(1.0), 2]]
    out = [[str(t.tensor(d).dtype), tuple(t.tensor(d).shape)] for d in made]
    return [
        *out,
        error(lambda: t.tensor([[1], [2, 3]]))[:10],
        error(lambda: t.tensor("x")),
        error(lambda: t.tensor(["x"])),
    ]


@case
def promotion(t):
    kinds = [t.bool, t.uint8, t.int8, t.int32, t.int64, t.float16, t.float32, t.float64]
    two = [[str((t.ones(2, dtype=a) + t.ones(2, dtype=b)).dtype) for b in kinds] for a in kinds]
    zero_dim = [
        [str((t.ones(2, dtype=a) * t.tensor(1, dtype=b)).dtype) for b in kinds] for a in kinds
    ]
    numbers = [[str((t.ones(2, dtype=a) * n).dtype) for n in (True, 2, 2.5)] for a in kinds]
    divided = [[str((t.ones(2, dtype=a) / t.ones(2, dtype=b)).dtype) for b in kinds] for a in kinds]
    functions = [
        [str(f(t.ones(2, dtype=a)).dtype) for f in (t.exp, t.sqrt, t.sum, t.sigmoid)]
        for a in kinds[1:]
    ]
    return [
        two,
        zero_dim,
        numbers,
        divided,
        functions,
        [str(t.promote_types(a, b)) for a in kinds for b in kinds],
    ]


@case
def integer_results(t):
    x = t.tensor([7, -7, 2])
    return [
        x // 2,
        x % 3,
        x / 2,
        x * 1.5,
        -x,
        x.abs(),
        x.sum(),
        x.clamp(0, 3),
        x**2,
        x > 0,
        error(lambda: x.mean()),
        t.tensor([True, True]).sum(),
    ]


@case
def boolean_results(t):
    a, b = t.tensor([True, False]), t.tensor([True, True])
    return [a & b, a | b, a ^ b, ~a, a + b, error(lambda: a - b), a.any(), a.all(), a == b]


@case
def factories(t):
    return [
        t.zeros(2, 1), t.ones((2,)), t.full((2,), 3), t.full((1,), 2.5), t.eye(2), t.eye(2, 3), t.arange(3), t.arange(1, 2, 0.25),
        t.arange(5, 0, -2), t.linspace(0, 1, 5), t.zeros_like(t.ones(2, dtype=t.int64)), t.full_like(t.ones(1), 4), t.tensor(3.5).new_ones(2),
        error(lambda: t.arange(0, 5, -1)), error(lambda: t.arange(0, 5, 0)), error(lambda: t.randint(3, 3, (1,))),
    ]  # fmt: skip


@case
def random_numbers(t):
    t.manual_seed(0)
    out = [
        t.rand(3),
        t.randn(3),
        t.randn(17),
        t.rand(2, dtype=t.float64),
        t.randn(20, dtype=t.float64),
        t.randint(10, (4,)),
        t.randint(-5, 5, (3,)),
        t.randperm(7),
    ]
    state = t.get_rng_state()
    a = t.randn(3)
    t.set_rng_state(state)
    g = t.Generator().manual_seed(5)
    return [
        *out,
        (t.randn(3) == a).all(),
        t.rand(2, generator=g),
        t.empty(2).uniform_(-1, 1),
        t.empty(3).normal_(5, 0.1),
        g.initial_seed(),
    ]


@case
def scalars(t):
    x = t.tensor([1.0, 2.0])
    return [
        t.tensor(2.5).item(), t.tensor([[3]]).item(), error(lambda: x.item()), bool(t.tensor(0.0)), error(lambda: bool(x)), error(lambda: bool(t.tensor([]))),
        float(t.tensor(1.5)), int(t.tensor(2)), [1, 2, 3][t.tensor(1)], error(lambda: len(t.tensor(1))), len(x), error(lambda: list(t.tensor(1))),
        f"{t.tensor(1.23456):.2f}", x.tolist(), 2.0 in x, x.tolist() == [v.item() for v in x],
    ]  # fmt: skip


@case
def shape_queries(t):
    x = t.zeros(2, 3, 4)
    return [
        tuple(x.shape),
        x.size(1),
        x.size(-1),
        error(lambda: x.size(3)),
        x.dim(),
        x.ndim,
        x.numel(),
        x.shape.numel(),
        x.stride(),
        x.is_contiguous(),
        x.transpose(0, 1).is_contiguous(),
        x.element_size(),
        x.type(),
    ]


@case
def views_share_memory(t):
    x = t.zeros(2, 3)
    for view in (
        x.view(6),
        x.t(),
        x[0],
        x[:, 1],
        x.reshape(3, 2),
        x.unsqueeze(0),
        x.expand(1, 2, 3),
        x.detach(),
        x.data,
        x.permute(1, 0),
    ):
        before = x.sum().item()
        x.view(-1)[0] += 1
        assert view.sum().item() != before or view.shape == (2,)
    return [x, x._version]


@case
def writing(t):
    x = t.zeros(3, 3)
    x[0] = 1
    x[:, 2] = t.tensor([7.0, 8.0, 9.0])
    x[x > 7.5] = -1
    x[1, 1] = t.tensor(5)
    x[[0, 2], [0, 0]] = t.tensor([3.0, 4.0])
    y = t.arange(4)
    y[1:3] = 9
    y += 1
    return [
        x,
        y,
        error(lambda: y.add_(0.5)),
        error(lambda: t.zeros(2).add_(t.zeros(3, 2))),
        t.zeros(2).fill_(3),
        t.zeros(2).copy_(t.ones(1)),
    ]


@case
def writing_where_memory_is_shared(t):
    return [
        error(lambda: t.zeros(1).expand(3).add_(1)),
        error(lambda: t.zeros(3, 1).expand(3, 2).mul_(2)),
    ]


@case
def losses_that_broadcast(t):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        loss = t.nn.functional.mse_loss(t.ones(3, 2), t.zeros(2))
    return [loss, [str(w.message) for w in caught], caught[0].category.__name__]


@case
def versions(t):
    x = t.zeros(2)
    v = x.view(2)
    d = x.detach()
    seen = [x._version]
    x.add_(1)
    seen.append([x._version, v._version, d._version])
    v.mul_(2)
    seen.append([x._version, v._version, d._version])
    x.data.add_(1)
    seen.append(x._version)
    x[0] = 5
    return [*seen, x._version]


@case
def comparisons_with_others(t):
    x = t.ones(2)
    return [(x == None), (x != None), x == 1, hash(x) == hash(x), x is x]  # noqa: E711
