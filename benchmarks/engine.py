"""Small things to time, where the engine's own work is most of it: each function takes the library."""

from __future__ import annotations

from types import ModuleType

from harness import Work, named


def small_product(t: ModuleType) -> Work:
    """A recorded product of 8 floats."""
    a, b = t.ones(8, requires_grad=True), t.ones(8)
    return lambda: a * b


def small_product_and_backward(t: ModuleType) -> Work:
    """A chain of 100 of them, and back."""
    a, b = t.ones(8, requires_grad=True), t.ones(8)

    def work() -> None:
        x = a
        for _ in range(100):
            x = x * b
        x.sum().backward()

    return work


def backward_of_100_small_products(t: ModuleType) -> Work:
    """Only back through the chain, which is kept. Both arguments want a gradient."""
    a, b = t.ones(8, requires_grad=True), t.ones(8, requires_grad=True)
    x = a
    for _ in range(100):
        x = x * b
    total = x.sum()

    def work() -> None:
        a.grad = b.grad = None
        total.backward(retain_graph=True)

    return work


def small_matrix_product(t: ModuleType) -> Work:
    x = t.randn(8, 16)
    return lambda: x @ x.T


def zeros(t: ModuleType) -> Work:
    return lambda: t.zeros(3)


def a_list_of_numbers(t: ModuleType) -> Work:
    numbers = [float(i) for i in range(1000)]
    return lambda: t.tensor(numbers)


def index_a_row(t: ModuleType) -> Work:
    x = t.ones(8, 16)
    return lambda: x[2]


def view(t: ModuleType) -> Work:
    x = t.ones(8, 16)
    return lambda: x.view(16, 8)


def add_in_place(t: ModuleType) -> Work:
    x = t.ones(8)
    return lambda: x.add_(0.0)


def write_rows_in_a_loop(t: ModuleType) -> Work:
    x = t.zeros(100)

    def work() -> None:
        for i in range(100):
            x[i] = 1.0

    return work


def write_rows_in_a_recorded_loop(t: ModuleType) -> Work:
    w = t.ones((), requires_grad=True)

    def work() -> None:
        x = t.zeros(100)
        for i in range(100):
            x[i] = w * i
        x.sum().backward()

    return work


def rnn_over_200_steps(t: ModuleType) -> Work:
    t.manual_seed(0)
    sequence = t.randn(200, 4, 8)
    into, onward = t.nn.Linear(8, 16), t.nn.Linear(16, 16)

    def work() -> None:
        state = t.zeros(4, 16)
        for x in sequence.unbind(0):
            state = (into(x) + onward(state)).tanh()
        state.sum().backward()

    return work


def create_graph_step(t: ModuleType) -> Work:
    t.manual_seed(0)
    net = t.nn.Sequential(t.nn.Linear(8, 16), t.nn.Tanh(), t.nn.Linear(16, 1))
    x = t.randn(32, 8, requires_grad=True)

    def work() -> None:
        (slope,) = t.autograd.grad(net(x).sum(), x, create_graph=True)
        ((slope**2).sum(1) - 1).pow(2).mean().backward()

    return work


def module_with_hooks(t: ModuleType) -> Work:
    layer, x = t.nn.Linear(4, 4), t.ones(2, 4, requires_grad=True)
    layer.register_forward_pre_hook(lambda module, args: None)
    layer.register_forward_hook(lambda module, args, output: None)
    layer.register_full_backward_hook(lambda module, grad_input, grad_output: None)
    return lambda: layer(x).sum().backward()


def state_dict_round_trip(t: ModuleType) -> Work:
    nn = t.nn
    net = nn.Sequential(*(nn.Linear(16, 16) for _ in range(8)))
    return lambda: net.load_state_dict(net.state_dict())


ENGINE = named(
    [
        small_product,
        small_product_and_backward,
        backward_of_100_small_products,
        small_matrix_product,
        zeros,
        a_list_of_numbers,
        index_a_row,
        view,
        add_in_place,
        write_rows_in_a_loop,
        write_rows_in_a_recorded_loop,
        rnn_over_200_steps,
        create_graph_step,
        module_with_hooks,
        state_dict_round_trip,
    ]
)
