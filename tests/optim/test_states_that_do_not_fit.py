"""A state that an optimizer or a schedule cannot take over changes nothing of it."""

from collections import defaultdict

import pytest

import nbmodule
from nbmodule import optim
from nbmodule.optim import lr_scheduler as schedules

ADAPTIVE = (optim.Adam, optim.AdamW, optim.RMSprop, optim.Adagrad, optim.Adadelta, optim.Adamax, optim.NAdam, optim.RAdam, optim.Rprop, optim.ASGD, optim.Adafactor)  # fmt: skip


def of_optimizer(optimizer):
    state = {id(p): {k: str(v) for k, v in known.items()} for p, known in optimizer.state.items()}
    return state, str(optimizer.param_groups), sorted(optimizer.defaults), sorted(vars(optimizer))


@pytest.mark.parametrize("kind", [optim.SGD, *ADAPTIVE], ids=lambda kind: kind.__name__)
def test_an_optimizer_stays(kind):
    p = nbmodule.ones(2, 2, requires_grad=True)
    optimizer = kind([p], lr=0.1)
    p.sum().backward()
    optimizer.step()
    good, before = optimizer.state_dict(), of_optimizer(optimizer)
    damaged = [5, {}, {"state": good["state"]}, good | {"state": 3}, good | {"param_groups": [{}]}]
    if kind in ADAPTIVE:
        damaged += [good | {"state": {0: x}} for x in (5, {"exp_avg": 1}, {"step": "x"}, {"step": []})]  # fmt: skip
    for state in damaged:
        with pytest.raises((TypeError, KeyError, ValueError, AttributeError)):
            optimizer.load_state_dict(state)
        assert of_optimizer(optimizer) == before, state


class Halves:
    def __init__(self):
        self.note = 1

    def __call__(self, epoch):
        return 0.5


def two(o):
    return [schedules.ConstantLR(o), schedules.LambdaLR(o, Halves())]


SCHEDULES = {
    "StepLR": (lambda o: schedules.StepLR(o, 2), [5, [("gamma", 1), 5]]),
    "LambdaLR": (lambda o: schedules.LambdaLR(o, Halves()), [{}, {"lr_lambdas": 3, "a": 1}, {"lr_lambdas": [{"note": 2}, {"note": 3}]}]),
    "ReduceLROnPlateau": (lambda o: schedules.ReduceLROnPlateau(o), [{"mode": "up"}, {"threshold_mode": "much"}]),
    "CyclicLR": (lambda o: schedules.CyclicLR(o, 0.1, 0.2), [{}, {"_scale_fn_custom": None, "mode": []}, {"_scale_fn_custom": {"a": 1}}]),
    "SequentialLR": (lambda o: schedules.SequentialLR(o, two(o), [1]), [{}, {"_schedulers": [{"factor": 9}, {}]}, {"_schedulers": [{}, {"lr_lambdas": [{"note": 2}, 1]}]}]),
    "ChainedScheduler": (lambda o: schedules.ChainedScheduler(two(o)), [{"_schedulers": [{"factor": 9}, {}]}]),
}  # fmt: skip


def of_schedule(schedule):
    told = defaultdict(dict)
    for name, value in vars(schedule).items():
        parts = value if isinstance(value, (list, tuple)) else [value]
        told[name] = [of_schedule(x) if isinstance(x, (Halves, optim.lr_scheduler.LRScheduler)) else repr(x) for x in parts]  # fmt: skip
    return told


@pytest.mark.parametrize("name", SCHEDULES)
def test_a_schedule_stays(name):
    make, damaged = SCHEDULES[name]
    schedule = make(optim.SGD([nbmodule.ones(1, requires_grad=True)], lr=0.1, momentum=0.9))
    before = of_schedule(schedule)
    for state in damaged:
        with pytest.raises((TypeError, KeyError, ValueError, IndexError, AttributeError)):
            schedule.load_state_dict(state)
        assert of_schedule(schedule) == before, state
