"""An observer hears of every operation, changes nothing, and costs nothing when it has gone."""

import gc
import sys
import threading

import pytest

import nbmodule
from nbmodule import nn
from nbmodule._engine import grad_mode, push_hooks, rare
from nbmodule.observer import observe


def heard(work):
    """Return the events of `work`."""
    events = []
    with observe(events.append):
        work()
    return events


def names(work):
    return [(event.kind, event.name) for event in heard(work)]


def leaf(*shape):
    return nbmodule.ones(*shape, requires_grad=True)


# ---- what is told


def test_a_write_has_a_name_that_says_something():
    x = nbmodule.ones(3)
    functions = (nn.functional.elu_, nn.functional.leaky_relu_, nn.functional.rrelu_)
    told = names(
        lambda: [
            x.normal_(),
            *(f(x, training=True) if "rrelu" in f.__name__ else f(x) for f in functions),
        ]
    )
    assert told == [("write", each) for each in ("random_fill_", "elu_", "leaky_relu_", "leak_")]


def test_an_operation():
    x = leaf(2)
    y = []
    (event,) = heard(lambda: y.append(x.softmax(dim=0)))
    assert (event.kind, event.name, event.error) == ("operation", "softmax", None)
    assert event.args[0] is x
    assert event.result is y[0]
    assert event.node is y[0].grad_fn
    assert event.options == {"axis": 0}
    assert event.operation(nbmodule.zeros(2), axis=0).tolist() == [0.5, 0.5]


@pytest.mark.parametrize("work", [lambda x: x.exp(), lambda x: x * 2, lambda x: 2 / x, lambda x: nbmodule.linalg.vector_norm(x), lambda x: nn.functional.linear(x, x, x[0])])  # fmt: skip
def test_the_short_ways_and_the_loop_tell_the_same(work):
    class Own(nbmodule.Tensor):
        pass

    x = nbmodule.ones(2, 2)
    y = x.clone()
    y.__class__ = Own  # takes the loop
    assert names(lambda: work(x)) == names(lambda: work(y)) != []


def test_what_is_not_recorded_has_no_node():
    with nbmodule.no_grad():
        (event,) = heard(lambda: leaf(2).exp())
    assert event.node is None


def test_an_operation_that_fails():
    events = []
    with pytest.raises(RuntimeError, match="mat1 and mat2") as raised, observe(events.append):
        nbmodule.ones(2, 3) @ nbmodule.ones(2, 3)
    (event,) = events
    assert (event.name, event.result, event.error) == ("mm", None, raised.value)
    assert [tuple(t.shape) for t in event.args] == [(2, 3), (2, 3)]


def test_a_mode_that_refuses_the_result():
    with nbmodule.inference_mode():
        a = nbmodule.ones(2)
    events, w = [], leaf(2)
    with pytest.raises(RuntimeError, match="Inference tensors"), observe(events.append):
        w * a
    assert [(event.name, event.result) for event in events] == [("mul", None)]
    events.clear()  # the exception holds this frame, and that what was made in inference mode


@pytest.mark.parametrize(
    ("work", "name"),
    [
        (lambda x: x.add_(1), "add_"), (lambda x: x.zero_(), "zero_"), (lambda x: x.copy_(x.clone()), "copy_"),
        (lambda x: x.fill_(3), "fill_"), (lambda x: x.relu_(), "relu_"), (lambda x: x.clamp_(0, 1), "clamp_"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("recorded", [False, True])
def test_a_write_is_one_event(work, name, recorded):
    x = leaf(2) * 1 if recorded else nbmodule.ones(2)
    *_, event = heard(lambda: work(x))
    assert (event.kind, event.name) == ("write", name)
    assert event.args[0] is x
    assert event.result is x
    assert event.node is x.grad_fn


def test_parts_and_their_writes():
    x = leaf(2, 2) * 1

    def work():
        x[0] = 5.0
        x[1]
        x.unbind(0)
        x.detach()

    told = ("operation", "index"), ("write", "copy_"), ("operation", "index"), ("operation", "unbind"), ("operation", "detach")  # fmt: skip
    assert tuple(names(work)) == told


@pytest.mark.parametrize("copy", [lambda x: nbmodule.view_copy(x, (4,)), lambda x: nbmodule.t_copy(x), lambda x: nbmodule.unbind_copy(x)])  # fmt: skip
def test_a_copy_in_place_of_a_view_is_told_of(copy):
    x, made = leaf(2, 2), []
    (event,) = heard(lambda: made.append(copy(x)))
    assert event.name.endswith("_copy")
    assert event.result is made[0]
    first = made[0][0] if event.name == "unbind_copy" else made[0]
    assert event.node is first.grad_fn


def test_a_view_says_so():
    x = nbmodule.ones(2, 2)
    (event,) = heard(lambda: x.t())
    assert event.result._base is x


def test_a_function_of_the_user_is_one_event():
    class Double(nbmodule.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2 + 0

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = leaf(2)
    y = []
    (event,) = heard(lambda: y.append(Double.apply(x)))
    assert (event.name, event.node) == ("Double", y[0].grad_fn)
    events = []
    with pytest.raises(TypeError), observe(events.append):
        Double.apply()
    assert [(event.name, type(event.error)) for event in events] == [("Double", TypeError)]


def test_an_operation_with_several_results():
    layer, x = nn.LSTM(2, 2), nbmodule.ones(3, 2)
    found = next(event for event in heard(lambda: layer(x)) if event.name == "lstm")
    assert [tuple(t.shape) for t in found.result] == [(3, 1, 2), (1, 2), (1, 2)]


def test_a_walk():
    x = leaf(2)
    y = (x * 3).sum()
    walk = heard(y.backward)
    assert [(e.kind, e.name) for e in walk] == [
        ("backward", "SumBackward0"),
        ("backward", "MulBackward0"),
        ("accumulate", "AccumulateGrad"),
    ]
    total, product, arrival = walk
    assert total.node is y.grad_fn
    assert total.args[0].item() == 1
    assert [t if t is None else t.tolist() for t in product.result] == [[3, 3], None]
    assert arrival.result is x
    assert arrival.args[0].tolist() == x.grad.tolist() == [3, 3]


def test_a_walk_that_fails():
    class Broken(nbmodule.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            raise ValueError("mine")

    y, events = Broken.apply(leaf(2)).sum(), []
    with pytest.raises(ValueError, match="mine"), observe(events.append):
        y.backward()
    found = [(event.name, str(event.error)) for event in events]
    assert found == [("SumBackward0", "None"), ("BrokenBackward", "mine")]


def test_nothing_changes_for_who_is_observed():
    def step(watched):
        nbmodule.manual_seed(0)
        model = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
        handle = observe(lambda event: None) if watched else None
        loss = nn.functional.cross_entropy(model(nbmodule.randn(5, 3)), nbmodule.tensor([0, 1] * 2 + [0]))  # fmt: skip
        loss.backward()
        if handle is not None:
            handle.remove()
        return [loss.item(), *(p.grad.tolist() for p in model.parameters())]

    assert step(False) == step(True)


# ---- who is told


def test_what_a_listener_runs_is_not_observed():
    events = []

    def listen(event):
        events.append(event.name)
        event.result.exp().sum()

    with observe(listen), observe(listen):
        nbmodule.ones(2) * 2
    assert events == ["mul", "mul"]


def test_a_listener_that_raises_breaks_nothing():
    def listen(event):
        raise ValueError("mine")

    others = []
    handle = observe(listen)
    with observe(others.append):
        y = nbmodule.ones(2) * 2 + 1
    assert str(handle.error) == "mine"
    assert y.tolist() == [3, 3]
    assert len(others) == 2
    with pytest.raises(ValueError, match="mine"), observe(listen):
        nbmodule.ones(2).exp()
    with pytest.raises(ZeroDivisionError), observe(listen):
        1 / (nbmodule.ones(2) * 0).sum().int().item()


def test_a_listener_must_be_callable():
    with pytest.raises(TypeError, match="expects a function"):
        observe(3)
    assert not rare


def test_a_listener_may_end_itself_and_begin_another():
    events, more = [], []

    def listen(event):
        events.append(event)
        more.append(observe(events.append))
        first.remove()

    first = observe(listen)
    x = nbmodule.ones(2)
    x.exp()
    x.exp()
    assert len(events) == 2
    more[0].remove()
    x.exp()
    assert len(events) == 2
    assert not rare


def test_a_thread_is_observed_alone():
    events = []
    with observe(events.append):
        other = threading.Thread(target=lambda: nbmodule.ones(2).exp())
        other.start()
        other.join()
        assert rare
    assert not events


# ---- nothing stays behind


def calls(work):
    """Return how many functions `work` calls, Python's and C's."""
    count = 0

    def look(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(look)
    work()
    sys.setprofile(None)
    return count


def in_inference_mode():
    with nbmodule.inference_mode():
        nbmodule.ones(2) * 2


def in_anomaly_mode():
    with nbmodule.autograd.detect_anomaly(), nbmodule.autograd.set_detect_anomaly(True):
        leaf(2) * 2


def with_saved_hooks():
    with nbmodule.autograd.graph.save_on_cpu():
        leaf(2) * leaf(2)


def with_a_class():
    class Own(nbmodule.Tensor):
        pass

    assert type(Own([1.0]) * 2) is Own
    assert type(2 / Own([1.0])) is Own


def with_a_failure():
    with pytest.raises(ValueError), nbmodule.inference_mode(), observe(print):  # noqa: PT011
        raise ValueError


def with_a_thread_that_ends_in_a_mode():
    def work():
        nbmodule.autograd.set_detect_anomaly(True)
        push_hooks(lambda t: t, lambda t: t)
        nbmodule.inference_mode().__enter__()
        handles.append(observe(print))
        nbmodule.ones(2)

    handles = []
    other = threading.Thread(target=work)
    other.start()
    other.join()
    handles[0].remove()


def with_a_generator_left_open():
    def numbers():
        with nbmodule.inference_mode(), observe(lambda event: None):
            yield 1
            yield 2

    opened = numbers()
    next(opened)
    assert rare
    del opened


def with_a_decorated_generator():
    @nbmodule.inference_mode()
    def numbers():
        yield nbmodule.ones(2).is_inference()

    opened = numbers()
    assert next(opened)


def with_a_handle_that_is_dropped():
    observe(print)


def with_a_removed_handle_of_another_thread():
    handle = observe(print)
    other = threading.Thread(target=handle.remove)
    other.start()
    other.join()


def with_interrupts():
    def listen(event):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), observe(listen):
        nbmodule.ones(2).exp()


DONE = [
    in_inference_mode, in_anomaly_mode, with_saved_hooks, with_a_class, with_a_failure,
    with_a_thread_that_ends_in_a_mode, with_a_generator_left_open, with_a_decorated_generator,
    with_a_handle_that_is_dropped, with_a_removed_handle_of_another_thread, with_interrupts,
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:Anomaly")
@pytest.mark.parametrize("done", DONE)
def test_the_short_ways_are_back(done):
    x, w = nbmodule.ones(2), leaf(2)

    def work():
        w.grad = None
        (w * x).sum().backward()

    work()
    before = calls(work)
    with observe(lambda event: None):
        assert calls(work) > before
    done()
    gc.collect()
    assert not rare
    assert calls(work) == before
    observe(print).remove()  # it clears away the entries of those that are gone
    assert not grad_mode.listeners


def test_who_has_gone_costs_nothing_while_another_thread_listens():
    w, handles = leaf(2), []
    other = threading.Thread(target=lambda: handles.append(observe(print)))
    other.start()
    other.join()

    def work():
        w.grad = None
        (w * 2).sum().backward()

    work()
    before = calls(work)
    observe(print)  # nobody holds it
    assert rare
    assert calls(work) == before
    handles[0].remove()
    observe(print).remove()


def test_a_tensor_of_inference_mode_is_refused_as_long_as_it_lives():
    w = leaf(2)
    with nbmodule.inference_mode():
        a = nbmodule.ones(2)
    with pytest.raises(RuntimeError, match="Inference tensors"):
        w * a
    assert rare
    del a
    gc.collect()
    assert not rare


def test_modes_may_nest_in_any_order():
    with nbmodule.inference_mode():
        with nbmodule.inference_mode(False):
            assert not rare
        with nbmodule.inference_mode():
            pass
        assert rare
        assert nbmodule.is_inference_mode_enabled()
    assert not rare
    nbmodule.autograd.set_detect_anomaly(True)
    with nbmodule.inference_mode():
        nbmodule.autograd.set_detect_anomaly(False)
        assert rare
    assert not rare


def test_many_threads_switch_at_once():
    wrong = []

    def work():
        for _ in range(200):
            with nbmodule.inference_mode():
                if not (nbmodule.ones(2) * 2).is_inference():
                    wrong.append("a mode was overlooked")
            if (nbmodule.ones(2) * 2).is_inference():
                wrong.append("a mode of another thread")

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work) for _ in range(6)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    finally:
        sys.setswitchinterval(before)
    assert not wrong
    assert not rare
