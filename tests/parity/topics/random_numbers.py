"""Random numbers: the same ones, the same errors."""

from casebook import case, error

FILLS = (
    ("uniform_", ()), ("uniform_", (-1, 2)), ("normal_", ()), ("normal_", (1, 2)), ("log_normal_", ()), ("exponential_", (2.5,)), ("cauchy_", (1, 2)), ("geometric_", (0.3,)), ("bernoulli_", ()),
    ("bernoulli_", (0.2,)), ("random_", ()), ("random_", (5,)), ("random_", (2, 100)), ("random_", (-5, 5)), ("random_", (0, 2**28)), ("random_", (0, None)),
)  # fmt: skip


def drawn(t, function):
    t.manual_seed(7)
    try:
        return [function(), t.rand(1)]
    except Exception as e:
        return f"{type(e).__name__}: {e}"


@case
def fills(t):
    return {
        f"{name}{args} {kind} {n}": drawn(t, lambda: getattr(t.zeros(n, dtype=getattr(t, kind)), name)(*args).tolist())  # noqa: B023
        for name, args in FILLS
        for kind in ("float64", "int64", "uint8", "bool")
        for n in (1, 5, 17)
    }  # fmt: skip


@case
def factories(t):
    t.manual_seed(3)
    return [
        t.rand(3), t.randn(3), t.randn(20, dtype=t.float64), t.randint(5, (4,)), t.randint(-3, 3, (2, 2), dtype=t.float32), t.randint(high=9, size=(3,)), t.randperm(10), t.randperm(4, dtype=t.float64),
        t.rand_like(t.zeros(2, 2)), t.randn_like(t.zeros(3, dtype=t.float64)), t.randint_like(t.zeros(3), 9), t.randint_like(t.zeros(3), 2, 9), t.bernoulli(t.full((4,), 0.5)), t.bernoulli(t.zeros(4), 0.5),
        t.poisson(t.tensor([0.0, 0.5, 3.0, 20.0, 100.0])), t.multinomial(t.tensor([1.0, 2.0, 3.0, 4.0]), 3), t.multinomial(t.tensor([[1.0, 2.0], [3.0, 4.0]]), 5, True), t.normal(2.0, 3.0, (3,)),
        t.normal(t.zeros(3), 2.0), t.normal(1.0, t.ones(3)), t.normal(t.zeros(3, 1), t.ones(2)), t.zeros(2, 3).t().uniform_(), t.zeros(5, 4).t().exponential_(),
    ]  # fmt: skip


@case
def nodes(t):
    x = t.tensor([0.5, 0.25], requires_grad=True)
    found = [t.bernoulli(x), t.poisson(x), t.normal(x, 1.0), t.normal(1.0, x), t.normal(x, x)]
    return [f.grad_fn.name() for f in found]


@case
def generators(t):
    g = t.Generator()
    g.manual_seed(5)
    a = t.randn(3, generator=g)
    state, copy = g.get_state(), g.clone_state()
    return [
        a, t.randn(3, generator=g), t.randn(3, generator=copy), t.randn(3, generator=g.set_state(state)), state[:40], state.shape, g.initial_seed(), g.manual_seed(-1).initial_seed(), str(g.device),
        error(lambda: g.manual_seed(2**64)), error(lambda: g.manual_seed(1.5)), error(lambda: g.manual_seed("a")), error(lambda: g.manual_seed(True)), t.manual_seed(1.5).initial_seed(), error(lambda: t.manual_seed("a")),
        error(lambda: g.set_state(3)), error(lambda: g.set_state(t.zeros(10))), error(lambda: g.set_state(t.zeros(10, dtype=t.uint8))), error(lambda: g.get_offset()), error(lambda: g.graphsafe_get_state()),
    ]  # fmt: skip


@case
def states_lie_in_memory_as_pytorchs(t):
    t.manual_seed(3)
    fresh = t.get_rng_state()
    t.randn(5)
    return [fresh, t.get_rng_state()]


@case
def forks(t):
    t.manual_seed(0)
    with t.random.fork_rng():
        a = t.rand(2)
    with t.random.fork_rng(enabled=False):
        b = t.rand(2)
    return [a, b, t.rand(2)]


@case
def refusals(t):
    z = t.zeros(3)
    return [
        error(lambda: z.exponential_(0)), error(lambda: z.geometric_(1)), error(lambda: z.cauchy_(0, -1)), error(lambda: z.log_normal_(0, 0)), error(lambda: z.bernoulli_(2)), error(lambda: z.normal_(0, -1)),
        error(lambda: z.uniform_(2, 1)), error(lambda: z.random_(5, 5)), error(lambda: z.random_(0)), error(lambda: z.random_(0.5)), error(lambda: t.zeros(2, dtype=t.uint8).random_(0, 300)), error(lambda: t.zeros(2, dtype=t.int8).random_(-200, 3)),
        error(lambda: t.arange(3).exponential_()), error(lambda: t.arange(3).cauchy_()), error(lambda: t.arange(3).log_normal_()), error(lambda: t.arange(3).normal_()), error(lambda: t.tensor([True]).geometric_(0.5)),
        error(lambda: t.randint(5, 5, (2,))), error(lambda: t.randint(1.5, (2,))), error(lambda: t.randint(3)), error(lambda: t.randint(3, 2)), error(lambda: t.randint(3, (2,), requires_grad=True)), error(lambda: t.randperm(-1)),
        error(lambda: t.randperm(2.5)), error(lambda: t.randperm(300, dtype=t.uint8)), error(lambda: t.rand(2, dtype=t.int64)), error(lambda: t.rand("a")), error(lambda: t.rand(-1)), error(lambda: t.rand()), error(lambda: t.rand_like(3)),
        error(lambda: t.multinomial(z, 2)), error(lambda: t.multinomial(t.ones(2), 3)), error(lambda: t.multinomial(t.tensor([1.0, -2.0]), 1)), error(lambda: t.multinomial(t.tensor([1, 2]), 1)), error(lambda: t.multinomial(t.ones(2, 2, 2), 1)),
        error(lambda: t.multinomial(t.ones(2), 0)), error(lambda: t.bernoulli(t.tensor([2.0]))), error(lambda: t.bernoulli(t.tensor([1, 0]))), error(lambda: t.poisson(t.tensor([-1.0]))), error(lambda: t.poisson(t.tensor([1]))),
        error(lambda: t.normal(0, 1)), error(lambda: t.normal(0.0, -1.0, (2,))), error(lambda: t.normal(z, -1.0)), error(lambda: t.normal(z, t.tensor([1.0, -1.0, 2.0]))), error(lambda: t.normal("a")), error(lambda: t.normal(std=z)),
    ]  # fmt: skip


@case
def versions_of_new_tensors(t):
    t.manual_seed(0)
    with t.inference_mode():
        quiet = t.randn(2)
    like = t.ones(2)
    made = [
        t.rand(2),
        t.randn(2, requires_grad=True),
        t.randint(5, (2,)),
        t.randperm(3),
        t.rand_like(like),
        t.randn_like(like),
        t.randint_like(like, 5),
        t.normal(0.0, 1.0, (2,)),
        t.nn.Linear(2, 2).weight,
    ]
    return [[x._version for x in made], quiet.is_inference()]
