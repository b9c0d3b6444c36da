"""What PyTorch's users also write."""

import copy
import pickle
import warnings

from casebook import case, error


class Friendly:
    """Knows how to meet a tensor on its left, as a tensor does not know how to meet it."""

    def __radd__(self, other):
        return "radd"

    def __rmatmul__(self, other):
        return "rmatmul"

    def __gt__(self, other):
        return "gt"


@case
def operators_with_strangers(t):
    x, f = t.ones(2), Friendly()

    def in_place():
        y = t.ones(2)
        y += None

    return [
        x + f, x @ f, x < f, error(lambda: x + None), error(lambda: None - x), error(lambda: x * "a"), error(lambda: x < "a"), error(lambda: [1] - x),
        error(in_place), error(lambda: t.mul(x, None)), error(lambda: x.matmul(5)), x == None, x == "a", x.__add__(None) is NotImplemented,  # noqa: E711
    ]  # fmt: skip


@case
def numpy_numbers_are_numbers(t):
    import numpy as np

    i = t.arange(2)
    return [
        i * np.float64(2.5), np.float64(2.5) * i, i + np.int64(2), t.ones(2) * np.float32(2), t.ones(2) + np.ones(2), np.sqrt(t.ones(2)), np.maximum(t.zeros(2), 1),
        t.tensor([np.float64(1.5)]), t.tensor([np.int32(1)]), t.tensor([np.int64(1), 2.5]), t.arange(np.int64(2)), t.full((1,), np.int64(3)), t.ones(2, 3).sum(np.int64(1)),
    ]  # fmt: skip


@case
def small_integers_wrap_around(t):
    x = t.tensor([200], dtype=t.uint8)
    return [
        x + 300,
        x * 2,
        x > -1,
        t.tensor([5], dtype=t.int8) * 1000,
        error(lambda: t.tensor([1]) + 2**70),
    ]


@case
def refused_arithmetic(t):
    mask, n = t.tensor([True, False]), t.arange(3)
    return [
        error(lambda: mask - 1), error(lambda: 1 - mask), error(lambda: t.ones(2) - True), error(lambda: -mask), error(lambda: ~t.ones(1)), error(lambda: t.ones(1) & 1),
        error(lambda: n % 0), error(lambda: n // t.tensor([1, 0, 1])), error(lambda: n**-1), t.ones(1) // 0, t.ones(1) % 0, error(lambda: mask.relu()),
        error(lambda: t.add(n, n, alpha=0.5)), error(lambda: n.clamp()), error(lambda: t.ones(2).dot(t.ones(2, dtype=t.float64))), error(lambda: t.ones(2, 3).bmm(t.ones(3, 2))),
    ]  # fmt: skip


@case
def operators_in_place_keep_the_object(t):
    x, mask = t.tensor([5, 7]), t.tensor([True, False])
    before, mask_before = x, mask
    x //= 2
    x %= 2
    x &= 1
    mask ^= True
    return [
        x is before,
        mask is mask_before,
        x,
        mask,
        x._version,
        t.tensor([4]) << 1,
        t.tensor([4]) >> 1,
    ]


@case
def other_call_forms(t):
    x = t.arange(6.0).reshape(2, 3)
    return [
        x.sum(axis=1), x.mean(axis=0, keepdims=True), x.reshape(shape=(3, 2)), x.view(size=(6,)), x.permute(dims=(1, 0)), x.flip(dims=[0]), x.expand(size=(1, 2, 3)),
        t.zeros(size=(2,)), t.rand(size=(0,)), t.zeros(1, dtype=int), t.ones(1, dtype=float), t.arange(end=2), t.randint(high=1, size=(2,)), t.add(2, x), t.pow(2, x), x.eq(other=1.0),
        t.max(x, other=t.ones(3)), x.var(1, False), x.prod(dtype=t.float64), x.cumsum(0, dtype=t.float64), t.split(x, split_size_or_sections=1), x.clamp(t.ones(3), t.full((3,), 3.0)),
        x.round(decimals=-1), t.div(x, 2, rounding_mode="trunc"), t.where(x > 4), x.nonzero(), t.cat([t.zeros(0), x]), t.nn.functional.relu(input=x), t.Tensor(2, 0), t.full_like(x, 2, dtype=t.int64),
    ]  # fmt: skip


@case
def extremes_read_as_in_pytorch(t):
    found = t.tensor([3.0, 1.0]).max(0)
    values, indices = found
    return [repr(found), repr(t.ones(2, 2).min(0)), type(found).__name__, values, indices]


@case
def nothing_to_reduce(t):
    empty = t.zeros(0, 3)
    return [
        error(lambda: empty.max()), error(lambda: empty.max(0)), error(lambda: empty.argmax()), error(lambda: empty.amax(0)), error(lambda: t.tensor([True]).argmax()),
        error(lambda: t.arange(3).var()), error(lambda: t.arange(3).norm()), empty.softmax(0), empty.sum(0), t.tensor(1.0).cumsum(0), error(lambda: empty.sum("a")),
    ]  # fmt: skip


@case
def byte_tensors(t):
    b = t.tensor([0, 1, 1], dtype=t.uint8)
    return [b.all(), b.any(), b.prod(), t.arange(3)[b], t.where(b, 1, 0), t.tensor([300.0]).byte()]


@case
def norms(t):
    x = t.arange(4.0).reshape(2, 2)
    return [x.norm(p) for p in (0, 1, 2, 3, float("inf"), float("-inf"), "fro")] + [
        x.norm(dim=1),
        x.norm(2, 0, True),
    ]


@case
def numbers_before_arrays_in_an_index(t):
    x = t.arange(24).reshape(2, 3, 4)
    return [
        x[0, :, [1, 2]],
        x[[0, 1], :, 0],
        x[None, 0, :, [0, 1]],
        x[0, [0, 1]],
        x[[[0, 1], [1, 1]]],
        x[..., None].shape[-1],
        x[[True, False]].shape[0],
    ]


@case
def index_errors(t):
    x, m = t.arange(5), t.arange(6).reshape(2, 3)
    return [
        error(lambda: x[1, 2]), error(lambda: x[1.0]), error(lambda: x["a"]), error(lambda: x[t.tensor([1.0])]), error(lambda: x[t.tensor([True, False])]), error(lambda: t.tensor(1)[0]),
        error(lambda: m[[0, 1], [0, 1, 2]]), error(lambda: x[0:2:0]), error(lambda: m.select(1, 5)), error(lambda: x.narrow(0, 0, -1)), error(lambda: x.gather(0, t.tensor([-1]))),
        error(lambda: x.index_select(0, t.tensor([9]))), error(lambda: x.split(0)), error(lambda: x.chunk(0)), error(lambda: m.__setitem__(m > 2, t.tensor([1, 2]))), error(lambda: m.__delitem__(0)),
        error(lambda: m.__setitem__(0, None)), error(lambda: t.tensor(1).unbind()), error(lambda: x.mT), error(lambda: m.permute(0, 0)), error(lambda: x.expand(-1, 5)),
    ]  # fmt: skip


@case
def sizes_stay_sizes(t):
    s = t.zeros(2, 3).shape
    return [
        repr(s + (4,)),
        repr((4,) + s),
        repr(s * 2),
        repr(s[1:]),
        error(lambda: t.Size([1.5])),
        type(copy.deepcopy(s)).__name__,
    ]


@case
def data_errors(t):
    return [
        error(lambda: t.tensor(None)), error(lambda: t.tensor({})), error(lambda: t.tensor([[1, 2], [3]])), error(lambda: t.tensor([[1], 2])), error(lambda: t.tensor(2**63)), error(lambda: t.tensor([1], dtype="float32")),
        error(lambda: t.zeros(1.5)), error(lambda: t.zeros("a")), error(lambda: t.zeros(2, "a")), error(lambda: t.full(2, 3)), error(lambda: t.eye(-1)), error(lambda: t.zeros_like(5)),
        error(lambda: t.arange(3).uniform_()), error(lambda: t.ones(1).uniform_(3, 2)), error(lambda: t.ones(2).fill_(t.ones(2))), error(lambda: float(t.ones(2))), error(lambda: t.manual_seed(2**64)),
    ]  # fmt: skip


@case
def dropped_at_random(t):
    t.manual_seed(3)
    F = t.nn.functional
    return [
        F.dropout(t.ones(12)), F.dropout(t.ones(3, 4), 0.2), t.nn.Dropout(0.7)(t.ones(10, dtype=t.float64)), t.empty(8).bernoulli_(0.3), t.bernoulli(t.full((8,), 0.5)), t.rand(3), t.rand(2, dtype=t.float16),
        t.normal(0.0, 1.0, (3,)), error(lambda: F.dropout(t.arange(3))),
    ]  # fmt: skip


@case
def names_of_nodes(t):
    x, m = t.ones(2, requires_grad=True), t.ones(2, 2, requires_grad=True)
    F = t.nn.functional
    made = [
        x + 1, 1 - x, 2 / x, x**2, x**x, 2**x, x.sum(), x.sum(0), x.mean(0), x.max(), x.max(0).values, m.t(), m @ m, m @ x, x @ x, m[0], m[:, 0], m[0:1], m[[0]], m[m > 0], x[None],
        m.squeeze(), m.unsqueeze(0), m.reshape(4), m.flip(0), m.repeat(1, 2), m.split(1)[0], m.unbind()[0], x.norm(), x.std(), x.clamp(0, 1), F.mse_loss(x, x), F.linear(m, m, x), F.linear(x, m, x), x.masked_fill(x > 0, 1),
    ]  # fmt: skip
    node = (x * 2).grad_fn
    return [y.grad_fn.name() for y in made] + [
        type(node).__name__,
        type(node.next_functions[0][0]).__name__,
    ]


@case
def gradients_at_the_edges(t):
    def grads(f, *values):
        leaves = [t.tensor(v, requires_grad=True) for v in values]
        f(*leaves).sum().backward()
        return [leaf.grad for leaf in leaves]

    nan = float("nan")
    return [
        grads(lambda x: x.norm(), [0.0, 0.0]), grads(lambda x: x.std(), [2.0, 2.0]), grads(lambda x: x.var(), [2.0]), grads(lambda x: x.relu(), [0.0, nan]), grads(lambda x: x.max(), [nan, 1.0]),
        grads(lambda x: x.amax(), [nan, 1.0]), grads(t.maximum, [1.0, nan], [1.0, 2.0]), grads(lambda x: x.div(2, rounding_mode="floor"), [3.0]),
    ]  # fmt: skip


@case
def switches_as_decorators(t):
    @t.set_grad_enabled(False)
    def off():
        return t.is_grad_enabled()

    @t.no_grad()
    def echo():
        got = None
        while True:
            try:
                got = yield got, t.is_grad_enabled()
            except KeyError:
                got = "caught"

    after, g = t.is_grad_enabled(), echo()
    return [
        after,
        off(),
        next(g),
        g.send(5),
        g.throw(KeyError()),
        t.is_grad_enabled(),
        g.close(),
        error(lambda: t.set_grad_enabled("x")),
    ]


@case
def layers_called_wrongly(t):
    nn, F = t.nn, t.nn.functional
    return [
        error(lambda: nn.Linear(2, 2)(None)), error(lambda: nn.Linear(2, 2)([1.0, 2.0])), error(lambda: nn.ReLU()(5)), error(lambda: F.cross_entropy(t.zeros(2, 3), [0])), error(lambda: nn.Linear(2, 2)(t.tensor(1.0))),
        error(lambda: nn.Conv2d(1, 1, 1)(t.ones(1, 1, 2, 2, dtype=t.float64))), error(lambda: nn.MaxPool2d(2)(t.ones(1, 1, 1, 1))), error(lambda: F.cross_entropy(t.zeros(4), t.tensor([1, 2]))), error(lambda: F.nll_loss(t.zeros(2, 3), t.zeros(2, 3, dtype=t.int64))),
        error(lambda: F.cross_entropy(t.arange(6).reshape(2, 3), t.tensor([0, 1]))), error(lambda: F.mse_loss(t.arange(2), t.arange(2))), error(lambda: F.one_hot(t.tensor([-1]))), error(lambda: F.one_hot(t.tensor([2]), 2)), error(lambda: nn.Sequential(nn.ReLU)),
        error(lambda: setattr(nn.Linear(1, 1), "weight", nn.Linear)), F.linear(t.ones(2), t.ones(2)), F.cross_entropy(t.zeros(3), t.tensor([1])), repr(nn.Softmax()), isinstance(nn.CrossEntropyLoss(), nn.NLLLoss),
    ]  # fmt: skip


@case
def sequential_arithmetic(t):
    nn = t.nn
    s = nn.Sequential(nn.ReLU())
    doubled, added = s * 2, nn.Sequential(nn.Tanh())
    added += s
    added *= 2
    return [
        repr(doubled),
        repr(2 * s),
        repr(added),
        error(lambda: s * 0),
        error(lambda: s * 1.5),
        error(lambda: s["0"]),
        error(lambda: s.insert(0, 5)),
    ]


@case
def optimizers_look_alike(t):
    SGD, p = t.optim.SGD, t.nn.Parameter(t.ones(1))
    two = SGD(
        [{"params": [p]}, {"params": [t.nn.Parameter(t.ones(1))], "lr": 1.0}], lr=0.1, foreach=False
    )
    named = SGD(t.nn.Linear(1, 1).named_parameters(), lr=0.1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        SGD([p, p])
    return [
        repr(two),
        list(named.param_groups[0]),
        named.param_groups[0]["param_names"],
        list(two.param_groups[1]),
        list(two.defaults),
        [str(w.message) for w in caught],
    ]


@case
def register_module_goes_through_add_module(t):
    log = []

    class M(t.nn.Module):
        def add_module(self, name, module):
            log.append(name)
            super().add_module(name, module)

    M().register_module("child", t.nn.ReLU())
    return log


@case
def copies_of_results(t):
    y = t.ones(2, requires_grad=True) * 2
    c, p = copy.copy(y), pickle.loads(pickle.dumps(y))
    turned = t.arange(6.0).reshape(2, 3).t()
    return [
        c,
        c.is_leaf,
        c.requires_grad,
        p.requires_grad,
        copy.deepcopy(turned).stride(),
        turned.clone().stride(),
        turned.contiguous().stride(),
    ]


@case
def parameters_in_text(t):
    p = t.nn.Parameter(t.tensor(1.0))
    return [f"{p}", f"{p.detach()}", f"{p * 1:.1f}"]


@case
def numbers_made_of_what_has_a_history(t):
    """A warning that comes once in the life of a program, or always."""
    x, y = t.ones((), requires_grad=True), t.ones(1, requires_grad=True) * 2
    calls = [
        lambda: float(x), lambda: float(y), lambda: complex(x).real, lambda: int(x), lambda: x.item(), lambda: bool(x), lambda: t.tensor([x, 1.0]), lambda: t.tensor([[y], (x,)]), lambda: t.as_tensor([x]),
        lambda: t.zeros(1).new_tensor([x]), lambda: float(x.detach()), lambda: t.no_grad()(lambda: float(x))(), lambda: t.no_grad()(float)(x), lambda: t.inference_mode()(list)([1]), lambda: f"{x:.2f}", lambda: t.ones(2, 3, 4).T.shape,
    ]  # fmt: skip
    found = []
    before = t.is_warn_always_enabled()
    t.set_warn_always(True)
    try:
        for call in calls:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                value = call()
            found.append(
                [
                    value,
                    [
                        f"{w.category.__name__}: {str(w.message).splitlines()[0].partition(' (Triggered')[0]}"
                        for w in caught
                    ],
                ]
            )
    finally:
        t.set_warn_always(before)
    return [found, error(lambda: t.set_warn_always(1))]
