"""Schedules of learning rates."""

import warnings

from casebook import case, error


def optimizer(t, **options):
    p, q = t.ones(1, requires_grad=True), t.ones(1, requires_grad=True)
    return t.optim.SGD([{"params": [p]}, {"params": [q], "lr": 0.5}], lr=1.0, **options)


def rates(t, make, steps=6):
    o = optimizer(t)
    s = make(t.optim.lr_scheduler, o)
    found = [s.get_last_lr()]
    for _ in range(steps):
        o.step()
        s.step()
        found.append([g["lr"] for g in o.param_groups])
    state = s.state_dict()
    return [found, s.get_last_lr(), s.last_epoch, sorted(state), o.param_groups[1]["initial_lr"]]


@case
def schedules(t):
    return [
        rates(t, lambda m, o: m.StepLR(o, 2)),
        rates(t, lambda m, o: m.StepLR(o, step_size=3, gamma=0.5)),
        rates(t, lambda m, o: m.ExponentialLR(o, 0.9)),
        rates(t, lambda m, o: m.LambdaLR(o, lambda e: 0.95**e)),
        rates(t, lambda m, o: m.LambdaLR(o, [lambda e: 1 / (1 + e), lambda e: e])),
    ]


@case
def chained_and_resumed(t):
    m = t.optim.lr_scheduler
    o = optimizer(t)
    a, b = m.ExponentialLR(o, 0.5), m.StepLR(o, 2, 0.1)
    seen = []
    for _ in range(4):
        o.step()
        a.step()
        b.step()
        seen.append([a.get_last_lr(), b.get_last_lr()])
    state, inner = b.state_dict(), o.state_dict()
    new = optimizer(t)
    new.load_state_dict(inner)
    s = m.StepLR(new, 7, 0.3, last_epoch=3)
    s.load_state_dict(state)
    new.step()
    s.step()
    tensor = t.optim.SGD([t.ones(1, requires_grad=True)], lr=t.tensor(1.0))
    rate = tensor.param_groups[0]["lr"]
    e = m.ExponentialLR(tensor, 0.5)
    tensor.step()
    e.step()
    return [seen, state, s.get_last_lr(), s.step_size, rate, e.get_last_lr(), e.base_lrs]


@case
def warnings_and_errors(t):
    m = t.optim.lr_scheduler
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        o = optimizer(t)
        s = m.StepLR(o, 1)
        s.step()
        s.step()
        s.get_lr()
        s.step(5)
        after = s.get_last_lr()
        o = optimizer(t)
        s = m.ExponentialLR(o, 0.5)
        o.step = lambda: None
        s.step()
    return [
        [[w.category.__name__, str(w.message)] for w in found],
        after,
        error(lambda: m.StepLR(5, 1)),
        error(lambda: m.StepLR(optimizer(t), 1, last_epoch=3)),
        error(lambda: m.LambdaLR(optimizer(t), [lambda e: e])),
        error(lambda: m.LRScheduler(optimizer(t))),
        error(lambda: m.StepLR(optimizer(t))),
    ]
