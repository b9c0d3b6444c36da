"""Schedules of learning rates: states, copies, warnings, refusals, and what subclasses rely on."""

import copy
import functools
import gc
import pickle
import types
import warnings
import weakref

from casebook import case, error, told
from schedules import SCHEDULES, Counted, advance, half, optimizer, options


def kinds(state):
    """Return the entries of a state in their order, and of what type they are."""
    return [
        [key, type(value).__name__, kinds(value) if isinstance(value, dict) else value]
        for key, value in state.items()
    ]


@case
def states(t):
    found = {}
    for name, make in SCHEDULES.items():
        o = optimizer(t)
        schedule = make(t.optim.lr_scheduler, o)
        advance(o, schedule, 3)
        state = copy.deepcopy(schedule.state_dict())
        advance(o, schedule, 2)
        schedule.load_state_dict(copy.copy(state))
        found[name] = [kinds(state), advance(o, schedule, 3)]
    return found


@case
def states_of_others(t):
    """A state counts for more than what the schedule was made with, but for its functions."""
    m = t.optim.lr_scheduler
    o = optimizer(t)
    found = []
    for first, second in (
        (m.StepLR(o, 3), m.StepLR(o, 1, 0.5)),
        (m.MultiStepLR(o, [1, 2]), m.MultiStepLR(o, [7])),
        (m.LambdaLR(o, Counted()), m.LambdaLR(o, half)),
        (m.LambdaLR(o, Counted()), m.LambdaLR(o, Counted())),
        (m.CyclicLR(o, 0.1, 0.2, 2, scale_fn=Counted()), m.CyclicLR(o, 0.1, 0.5, scale_fn=Counted())),
        (m.CyclicLR(o, 0.1, 0.2, 2, mode="exp_range"), m.CyclicLR(o, 0.1, 0.5, mode="triangular2")),
        (m.CosineAnnealingWarmRestarts(o, 2), m.CosineAnnealingWarmRestarts(o, 5)),
        (m.ReduceLROnPlateau(o, "max"), m.ReduceLROnPlateau(o, patience=0)),
    ):  # fmt: skip
        for _ in range(3):
            o.step()
            first.step(*[1.0] * isinstance(first, m.ReduceLROnPlateau))
        found.append(error(lambda: second.load_state_dict(first.state_dict())))  # noqa: B023
        found.append(kinds(second.state_dict()))
    s = m.StepLR(o, 3)
    s.load_state_dict({"own": 1})
    chain = m.ChainedScheduler([s])
    return [
        *found,
        s.own,
        error(lambda: m.LambdaLR(o, half).load_state_dict({})),
        error(lambda: m.CyclicLR(o, 0.1, 0.2).load_state_dict({})),
        error(lambda: chain.load_state_dict({})),
        error(lambda: chain.load_state_dict({"_schedulers": [{}, {}]})),
        error(lambda: m.ReduceLROnPlateau(o).load_state_dict({"mode": "best"})),
    ]


@case
def old_states_of_one_cycle(t):
    m = t.optim.lr_scheduler
    o = optimizer(t)
    s = m.OneCycleLR(o, 0.5, total_steps=10)
    state = s.state_dict()
    del state["_anneal_func_type"]
    del s._anneal_func_type
    s.load_state_dict(state | {"anneal_func": s._annealing_linear})
    o.step()
    s.step()
    return s.get_last_lr()


@case
def copies_and_pickles(t):
    found = {}
    for name, make in SCHEDULES.items():
        o = optimizer(t, "Adam")
        schedule = make(t.optim.lr_scheduler, o)
        advance(o, schedule, 3)
        for way in (copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))):
            other = way(schedule)
            moved = told(other.step)[1]
            found[name] = [other.optimizer is o, moved, advance(other.optimizer, other, 2)]
        found[name].append(options(o))
    return found


def spoken(t, function):
    """Return the warnings of `function`, and whether each points at this file."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function()
    return [[w.category.__name__, str(w.message), w.filename == __file__] for w in found]


@case
def warnings_of_order(t):
    m = t.optim.lr_scheduler
    found = []
    o = optimizer(t)
    s = m.StepLR(o, 1)
    found.append(spoken(t, lambda: [s.step(), s.step(), s.get_lr(), s.step(5)]))
    s = m.StepLR(o, 1)  # the optimizer of another schedule has made no step yet either
    found.append(spoken(t, s.step))
    o.step()
    s = m.StepLR(o, 1)
    found.append(spoken(t, s.step))
    o = optimizer(t)
    s = m.ExponentialLR(o, 0.5)
    inner = o.step
    o.step = types.MethodType(lambda self: inner(), o)
    found.append(spoken(t, lambda: [o.step(), s.step()]))
    o = optimizer(t)
    s = t.optim.swa_utils.SWALR(o, 0.1)
    found.append(spoken(t, lambda: [o.step(), s.get_lr(), s.step(2)]))
    o = optimizer(t)
    s = m.ReduceLROnPlateau(o)
    found.append(spoken(t, lambda: [s.step(1.0), s.step(1.0, 7), s.step(1.0, epoch=3)]))
    s = m.SequentialLR(o, [m.StepLR(o, 1), m.ExponentialLR(o, 0.5)], [1])
    found.append(spoken(t, lambda: [s.step(), s.step()]))
    with_remark = o.step.__name__, hasattr(o.step, "_wrapped_by_lr_sched")
    return [found, m.EPOCH_DEPRECATION_WARNING, with_remark]


@case
def refusals(t):
    m = t.optim.lr_scheduler
    swa = t.optim.swa_utils
    o, other = optimizer(t), optimizer(t)
    plain = t.optim.Optimizer([t.ones(1, requires_grad=True)], {"lr": 1.0})
    step = m.StepLR(o, 1)
    before = options(o)
    attempts = [
        lambda: m.LRScheduler(o),
        lambda: m._LRScheduler(5),
        lambda: m.StepLR(5, 1),
        lambda: m.StepLR(o),
        lambda: m.StepLR(o, 0).step(),
        lambda: m.StepLR(optimizer(t), 1, last_epoch=3),
        lambda: m.LambdaLR(5, half),
        lambda: m.LambdaLR(o, [half]),
        lambda: m.LambdaLR(o, None),
        lambda: m.LambdaLR(),
        lambda: m.MultiplicativeLR(o, [half, 5]),
        lambda: m.MultiplicativeLR(o, (half,) * 3),
        lambda: m.MultiStepLR(o, 5),
        lambda: m.ConstantLR(o, 1.5),
        lambda: m.ConstantLR(o, -0.5),
        lambda: m.ConstantLR(optimizer(t), 0, total_iters=1).step(),
        lambda: m.LinearLR(o, 0.0),
        lambda: m.LinearLR(o, 1.5),
        lambda: m.LinearLR(o, 0.5, -1),
        lambda: m.LinearLR(o, 0.5, 1.5),
        lambda: m.PolynomialLR(optimizer(t), 0).step(0),
        lambda: m.CosineAnnealingLR(optimizer(t), 0).step(),
        lambda: m.CosineAnnealingWarmRestarts(o, 0),
        lambda: m.CosineAnnealingWarmRestarts(o, 2.5),
        lambda: m.CosineAnnealingWarmRestarts(o, 2, 0),
        lambda: m.CosineAnnealingWarmRestarts(o, 2, 1.5),
        lambda: m.CosineAnnealingWarmRestarts(o, 2, eta_min="0"),
        lambda: m.CyclicLR(5, 0.1, 0.2),
        lambda: m.CyclicLR(o, [0.1], 0.2),
        lambda: m.CyclicLR(o, 0.1, [0.2] * 3),
        lambda: m.CyclicLR(o, 0.1, 0.2, mode="square"),
        lambda: m.CyclicLR(o, 0.1, 0.2, base_momentum=[0.5]),
        lambda: m.CyclicLR(o, 0.1, 0.2, max_momentum=[0.5]),
        lambda: m.CyclicLR(plain, 0.1, 0.2),
        lambda: m.OneCycleLR(5, 0.1, 10),
        lambda: m.OneCycleLR(o, 0.1),
        lambda: m.OneCycleLR(o, 0.1, epochs=2),
        lambda: m.OneCycleLR(o, 0.1, 0),
        lambda: m.OneCycleLR(o, 0.1, 2.5),
        lambda: m.OneCycleLR(o, 0.1, epochs=0, steps_per_epoch=2),
        lambda: m.OneCycleLR(o, 0.1, epochs=2, steps_per_epoch=-1),
        lambda: m.OneCycleLR(o, 0.1, 10, pct_start=1),
        lambda: m.OneCycleLR(o, 0.1, 10, pct_start=1.5),
        lambda: m.OneCycleLR(o, 0.1, 10, anneal_strategy="exp"),
        lambda: m.OneCycleLR(o, [0.1], 10),
        lambda: m.OneCycleLR(o, 0.1, 10, max_momentum=[1]),
        lambda: m.OneCycleLR(plain, 0.1, 10),
        lambda: m.SequentialLR(o, [], []),
        lambda: m.SequentialLR(o, [5], []),
        lambda: m.SequentialLR(o, [step], [1]),
        lambda: m.SequentialLR(o, [m.ReduceLROnPlateau(o)], []),
        lambda: m.SequentialLR(other, [step], []),
        lambda: m.ChainedScheduler([]),
        lambda: m.ChainedScheduler([5], o),
        lambda: m.ChainedScheduler([5]),
        lambda: m.ChainedScheduler([m.ReduceLROnPlateau(o)]),
        lambda: m.ChainedScheduler([step, m.StepLR(other, 1)]),
        lambda: m.ReduceLROnPlateau(5),
        lambda: m.ReduceLROnPlateau(o, factor=1.0),
        lambda: m.ReduceLROnPlateau(o, "least"),
        lambda: m.ReduceLROnPlateau(o, threshold_mode="part"),
        lambda: m.ReduceLROnPlateau(o, min_lr=[1]),
        lambda: m.ReduceLROnPlateau(o).step(),
        lambda: m.ReduceLROnPlateau(o).step("much"),
        lambda: m.ReduceLROnPlateau(o).get_lr(),
        lambda: swa.SWALR(5, 0.1),
        lambda: swa.SWALR(o, [0.1]),
        lambda: swa.SWALR(o, 0.1, anneal_strategy="exp"),
        lambda: swa.SWALR(o, 0.1, anneal_epochs=-1),
        lambda: swa.SWALR(o, 0.1, anneal_epochs=1.5),
    ]
    return [[error(attempt) for attempt in attempts], before]


@case
def no_steps_left(t):
    o = optimizer(t)
    s = t.optim.lr_scheduler.OneCycleLR(o, 0.5, total_steps=3)
    advance(o, s, 3)
    return [error(s.step), s.last_epoch, s.get_last_lr(), options(o)]


@case
def tensors_are_not_shared(t):
    """A rate that is a tensor stays the same tensor; whatever is kept of it is a copy."""
    found = {}
    for name, make in SCHEDULES.items():
        rate = t.tensor(1.0)
        groups = [{"params": [t.ones(1, requires_grad=True)]} for _ in range(2)]
        o = t.optim.SGD(groups, lr=rate, momentum=0.9)
        s = make(t.optim.lr_scheduler, o)
        first, second = o.param_groups
        same = [first["lr"] is rate, second["lr"] is rate]
        advance(o, s, 2)
        last = s.get_last_lr()
        kept = [v for k, v in first.items() if k != "lr"] + last + list(getattr(s, "base_lrs", []))
        found[name] = [
            same,
            first["lr"] is rate,
            any(v is rate for v in kept),
            first["lr"],
            last[0],
        ]
    return found


@case
def own_schedules(t):
    m = t.optim.lr_scheduler

    class Inverse(m._LRScheduler):
        def __init__(self, optimizer, power, last_epoch=-1):
            self.power = power
            super().__init__(optimizer, last_epoch)

        def get_lr(self):
            if not self._get_lr_called_within_step:
                return ["outside"]
            return [base / (1 + self.last_epoch) ** self.power for base in self.base_lrs]

        def _get_closed_form_lr(self):
            return [base * 100 for base in self.base_lrs]

    class Asks(m.LRScheduler):
        def get_lr(self, epoch):
            return []

    class Few(m.LRScheduler):
        def get_lr(self):
            return [1.0]

    o = optimizer(t)
    s = Inverse(o, 2)
    found = [advance(o, s, 3), s.get_lr(), [k for k, *_ in kinds(s.state_dict())]]
    told(lambda: s.step(1))
    found += [
        options(o),
        isinstance(s, m.LRScheduler),
        issubclass(m.ReduceLROnPlateau, m.LRScheduler),
    ]
    return [*found, error(lambda: Asks(o)), error(lambda: Few(o)), m._LRScheduler.__name__]


@case
def nothing_is_kept_alive(t):
    gc.collect()
    gc.disable()
    try:
        found = {}
        for name, make in SCHEDULES.items():
            o = optimizer(t)
            s = make(t.optim.lr_scheduler, o)
            advance(o, s, 1)
            gone = weakref.ref(s), weakref.ref(o)
            del s, o
            found[name] = [r() is None for r in gone]
        return found
    finally:
        gc.enable()


@case
def names_and_homes(t):
    m = t.optim.lr_scheduler
    made = [
        m.StepLR,
        m.OneCycleLR,
        m.ReduceLROnPlateau,
        m.ChainedScheduler,
        t.optim.swa_utils.SWALR,
    ]
    partial = functools.partial(m.LambdaLR, lr_lambda=half)(optimizer(t))
    return [
        sorted(m.__all__),
        [f"{c.__module__}.{c.__qualname__}" for c in made],
        partial.get_last_lr(),
    ]
