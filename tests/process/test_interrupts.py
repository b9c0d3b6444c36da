"""Ctrl-C at many lines of what changes an object: afterwards it is as before or as after, and goes on working."""

import contextlib
import sys

import pytest

import nbmodule
from nbmodule import nn, optim
from nbmodule._engine import grad_mode, rare
from nbmodule._engine.graph import accumulating
from nbmodule._engine.walk import walks
from nbmodule._generator import drawing
from nbmodule.nn.utils import parametrizations, parametrize, prune
from nbmodule.observer import observe


def at_lines(call, reach):
    """Call, and tell `reach` of each line of nbmodule that is about to be run: its function and number."""

    def local(frame, event, argument):
        if event == "line":
            reach(frame.f_code.co_name, frame.f_lineno)
        return local

    def entered(frame, event, argument):
        return local if "nbmodule" in frame.f_code.co_filename else None

    before = sys.gettrace()
    sys.settrace(entered)
    try:
        call()
    finally:
        sys.settrace(before)


def lines_of(call):
    """Return how many lines of nbmodule `call` runs."""
    reached = []
    at_lines(call, lambda *place: reached.append(place))
    return len(reached)


def interrupt(call, number):
    """Interrupt `call` before the line of that `number`, counted from 1; what is cached may have made it shorter."""
    left = number

    def reach(*place):
        nonlocal left
        left -= 1
        if not left:
            raise KeyboardInterrupt

    with contextlib.suppress(KeyboardInterrupt):
        at_lines(call, reach)
    for lock in (accumulating, drawing):
        while (
            lock._is_owned()
        ):  # a trace also raises where no Ctrl-C arrives: at the end of a `with`
            lock.release()


def numbers(t):
    return t.detach().tolist() if isinstance(t, nbmodule.Tensor) else t


def trained(kind, steps, **options):
    """Return parameters and an optimizer that has made some steps."""
    parameters = [nbmodule.ones(2, 2).requires_grad_(), nbmodule.full((2, 2), 2.0).requires_grad_()]
    optimizer = getattr(optim, kind)(parameters, **options)
    for _ in range(steps):
        step(parameters, optimizer)
    return parameters, optimizer


def step(parameters, optimizer):
    def closure():
        optimizer.zero_grad()
        loss = sum(((p - 3) ** 2).sum() for p in parameters)
        loss.backward()
        return loss

    if isinstance(optimizer, optim.LBFGS):
        return optimizer.step(closure)
    for p in parameters:
        p.grad = p.detach() - 3
    return optimizer.step()


OPTIMIZERS = {
    "SGD": dict(lr=0.1, momentum=0.9, dampening=0.5), "Adam": dict(amsgrad=True), "AdamW": {}, "Adagrad": {},
    "Adadelta": {}, "Adamax": {}, "ASGD": {}, "NAdam": {}, "RAdam": {}, "RMSprop": dict(momentum=0.9, centered=True),
    "Rprop": {}, "Adafactor": {}, "Muon": {}, "LBFGS": dict(max_iter=3),
}  # fmt: skip


def remembered(parameters, optimizer):
    return [
        {k: str(v) for k, v in optimizer.state.get(p, {}).items()} | {"p": numbers(p)}
        for p in parameters
    ]


@pytest.mark.parametrize("steps", [0, 1])
@pytest.mark.parametrize("kind", OPTIMIZERS)
def test_a_step(kind, steps):
    options = OPTIMIZERS[kind]
    fresh = trained(kind, steps, **options)
    before = remembered(*fresh)
    count = lines_of(lambda: step(*fresh))
    after = remembered(*fresh)
    for number in range(1, count, max(1, count // 25)):
        parameters, optimizer = trained(kind, steps, **options)
        interrupt(lambda: step(parameters, optimizer), number)  # noqa: B023
        grad_mode.enabled = True
        found = remembered(parameters, optimizer)
        for now, old, new in zip(found, before, after, strict=True):
            assert now.keys() in ({"p"}, old.keys(), new.keys()), number
            if "step" in new and now.get("step", "tensor(0.)") not in (old.get("step"), "tensor(0.)"):  # fmt: skip
                assert now == new, number  # it is counted when it is done
            if kind == "LBFGS":
                assert now in (old, new), number
        step(parameters, optimizer)
        trained(kind, 0, **options)[1].load_state_dict(optimizer.state_dict())


def as_seen(m):
    return {
        name: (type(x).__name__, list(x._modules), sorted(x.__dict__))
        + tuple({k: numbers(t) for k, t in d.items()} for d in (x._parameters, x._buffers))
        for name, x in m.named_modules()
    }


def network():
    nbmodule.manual_seed(0)
    return nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2), nn.Linear(2, 2))


def loads(assign=False, dtype=nbmodule.float32, hooked=False):
    def prepare():
        m = network()
        if hooked:
            m[1].register_load_state_dict_post_hook(lambda module, keys: None)
        state = {k: nbmodule.full(v.shape, 3.0).to(dtype) for k, v in m.state_dict().items()}
        return m, lambda: m.load_state_dict(state, assign=assign)

    return prepare


def changes(change, before=None):
    def prepare():
        nbmodule.manual_seed(0)
        m = nn.Linear(2, 2)
        with nbmodule.no_grad():
            m.weight.copy_(nbmodule.eye(2) + 1)
        if before is not None:
            before(m)
        nbmodule.manual_seed(1)
        return m, lambda: change(m)

    return prepare


def called_with(m):
    others = {name: nbmodule.zeros(p.shape) for name, p in m.named_parameters()}
    return nbmodule.func.functional_call(m, others, (nbmodule.ones(1, 2),))


CHANGES = {
    "load": loads(),
    "load and assign": loads(assign=True),
    "load and cast": loads(dtype=nbmodule.int64),
    "load and look": loads(hooked=True),
    "prune": changes(lambda m: prune.l1_unstructured(m, "weight", 0.5)),
    "remove the pruning": changes(
        lambda m: prune.remove(m, "weight"), lambda m: prune.l1_unstructured(m, "weight", 0.5)
    ),
    "parametrize": changes(parametrizations.weight_norm),
    "remove the parametrization": changes(
        lambda m: parametrize.remove_parametrizations(m, "weight"), parametrizations.weight_norm
    ),
    "weight norm of old": changes(nn.utils.weight_norm),
    "spectral norm of old": changes(nn.utils.spectral_norm),
    "functional_call": changes(called_with),
}


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("name", CHANGES)
def test_a_change_of_a_module(name):
    m, change = CHANGES[name]()
    before = as_seen(m)
    count = lines_of(change)
    after = as_seen(m)
    missed = 0
    for number in range(1, count, max(1, count // 60)):
        m, change = CHANGES[name]()
        interrupt(change, number)
        grad_mode.enabled = True
        missed += as_seen(m) not in (before, after)
    assert missed <= 2  # at the first line of what puts things back


def scheduled(make, with_tensor=False):
    optimizer = optim.SGD([nbmodule.ones(1, requires_grad=True)], lr=0.5, momentum=0.9)
    if with_tensor:
        optimizer.param_groups[0]["lr"] = nbmodule.tensor(0.5)
    return make(optimizer)


S = optim.lr_scheduler
SCHEDULES = {
    "exponential": lambda o: S.ExponentialLR(o, 0.9),
    "one cycle": lambda o: S.OneCycleLR(o, 0.5, 20),
    "warm restarts": lambda o: S.CosineAnnealingWarmRestarts(o, 2),
    "sequential": lambda o: S.SequentialLR(o, [S.ConstantLR(o), S.ExponentialLR(o, 0.9)], [1]),
    "chained": lambda o: S.ChainedScheduler([S.ConstantLR(o), S.ExponentialLR(o, 0.9)], o),
    "plateau": lambda o: S.ReduceLROnPlateau(o, patience=0),
}


def averaged():
    model = network()
    average = optim.swa_utils.AveragedModel(model)
    average.update_parameters(model)
    with nbmodule.no_grad():
        model[0].weight.add_(1)
    return model, average


def scaled():
    p, q = (nbmodule.ones(2, requires_grad=True) for _ in range(2))
    optimizer = optim.SGD([p, q], lr=0.1)
    scaler = nbmodule.amp.GradScaler("cpu", init_scale=3.0, growth_interval=2)
    for _ in range(2):
        optimizer.zero_grad()
        scaler.scale((p * q).sum()).backward()
        if scaler._get_growth_tracker() == 0:
            scaler.step(optimizer)
            scaler.update()
    return (p, q), optimizer, scaler


def of_scaler(made):
    (p, q), _, scaler = made
    return [numbers(t) for t in (p.grad, q.grad, scaler._scale, scaler._growth_tracker)]


def unscaled():
    made = scaled()
    made[2].unscale_(made[1])
    return made


WHOLE = {
    name: (
        lambda make=make, t=name == "exponential": scheduled(make, t),
        lambda s: s.step(1.0) if isinstance(s, S.ReduceLROnPlateau) else s.step(),
        lambda s: str((s.state_dict(), [{**g, "params": 0} for g in s.optimizer.param_groups])),
    )
    for name, make in SCHEDULES.items()
} | {
    "average": (averaged, lambda a: a[1].update_parameters(a[0]), lambda a: as_seen(a[1])),
    "unscale": (scaled, lambda made: made[2].unscale_(made[1]), of_scaler),
    "scale": (unscaled, lambda made: made[2].update(), of_scaler),
    "insert a child": (network, lambda m: m.insert(0, nn.ReLU()), lambda m: list(m.named_children())[1:]),
    "take out a child": (network, lambda m: m.pop(0), lambda m: list(m._modules)),
    "running statistics": (
        lambda: nn.BatchNorm1d(2),
        lambda m: m(nbmodule.eye(2) * 3),
        lambda m: (m.running_mean.tolist(), m.running_var.tolist()),
    ),
}  # fmt: skip
"""What is made, what is done with it, and what of it is looked at."""


@pytest.mark.filterwarnings("ignore:Detected call of")
@pytest.mark.parametrize("name", WHOLE)
def test_what_is_done_whole_or_not_at_all(name):
    make, act, look = WHOLE[name]
    sample = make()
    before, count = str(look(sample)), lines_of(lambda: act(sample))
    after = str(look(sample))
    assert before != after
    for number in range(1, count, max(1, count // 120)):
        made = make()
        interrupt(lambda: act(made), number)  # noqa: B023
        grad_mode.enabled = True
        assert str(look(made)) in (before, after), number


WRITES = {
    "add_": lambda x: x.add_(1),
    "exp_": lambda x: x.exp_(),
    "uniform_": lambda x: x.uniform_(),
    "out": lambda x: nbmodule.add(x, 1, out=x),
    "an element": lambda x: x.__setitem__(0, 5.0),
    "a mask": lambda x: x.masked_fill_(x > 1, 0),
}


@pytest.mark.parametrize("name", WRITES)
def test_a_write_that_was_stopped_is_known_to_backward(name):
    def made():
        x, w = nbmodule.tensor([1.0, 2.0, 3.0]), nbmodule.ones(3, requires_grad=True)
        return x, w, (w * x).sum()

    count = lines_of(lambda: WRITES[name](made()[0]))
    for number in range(1, count + 1):
        x, w, loss = made()
        interrupt(lambda: WRITES[name](x), number)  # noqa: B023
        grad_mode.enabled = True
        with contextlib.suppress(RuntimeError):  # modified by an inplace operation
            loss.backward()
            assert w.grad.tolist() == [1, 2, 3], number


def test_a_recorded_write_that_was_stopped_has_the_history_of_its_numbers():
    def made():
        w = nbmodule.ones(3, requires_grad=True)
        return w, w * 2

    count = lines_of(lambda: made()[1].mul_(3))
    for number in range(1, count + 1):
        w, y = made()
        interrupt(lambda: y.mul_(3), number)  # noqa: B023
        grad_mode.enabled = True
        factor = y[0].item()
        with contextlib.suppress(RuntimeError):
            y.sum().backward()
            assert w.grad.tolist() == [factor] * 3, number


def test_a_first_call_of_a_lazy_module_can_be_made_again():
    count = lines_of(lambda: nn.LazyLinear(2)(nbmodule.ones(1, 3)))
    for number in range(1, count, max(1, count // 30)):
        m = nn.LazyLinear(2)
        interrupt(lambda: m(nbmodule.ones(1, 3)), number)  # noqa: B023
        grad_mode.enabled = True
        assert m(nbmodule.ones(1, 3)).shape == (1, 2)


def test_a_walk_ends():
    def walked():
        w = nbmodule.ones(3, requires_grad=True)
        loss = (w * w).exp().sum()
        return w, loss.backward

    count, missed = lines_of(walked()[1]), 0
    for number in range(1, count + 1):
        w, walk = walked()
        interrupt(walk, number)
        missed += bool(walks.now) or not grad_mode.enabled
        walks.now.clear()
        grad_mode.enabled = True
        assert w.grad is None or w.grad.tolist() == (2 * w * (w * w).exp()).tolist()
        (w * 2).sum().backward()
    assert missed <= 3  # at the lines that end it


def test_what_operations_look_twice_for_is_what_is_on():
    def looked():
        with observe(lambda event: None), nbmodule.inference_mode():
            nbmodule.ones(2)

    count = lines_of(looked)
    for number in range(1, count + 1):
        interrupt(looked, number)
        assert bool(rare) == grad_mode.inference, number
        assert not grad_mode.unheard
        observe(print).remove()
        assert not grad_mode.listeners
        grad_mode.switch(inference=False)
        grad_mode.enabled = True
        assert not rare


def test_a_listener_hears_of_the_next_operation_after_one_that_was_stopped():
    x = nbmodule.ones(2)
    count, events = lines_of(lambda: x.add_(1)), []
    with observe(lambda event: events.append(event.name)):
        for number in range(1, 3 * count):
            interrupt(lambda: x.add_(1), number)
            assert not grad_mode.unheard, number
            events.clear()
            x.exp()
            assert events == ["exp"]
