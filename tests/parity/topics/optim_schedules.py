"""Schedules of learning rates: the rates of each epoch."""

import random

from casebook import case, error, told
from schedules import SCHEDULES, advance, optimizer, options


def course(t, name, steps=16, **kinds):
    """Return what the schedule `name` does to the groups, step by step."""
    o = optimizer(t, **kinds)
    schedule = SCHEDULES[name](t.optim.lr_scheduler, o)
    return [options(o), advance(o, schedule, steps), schedule.get_last_lr()]


@case
def rates(t):
    return {name: course(t, name) for name in SCHEDULES}


@case
def rates_that_are_tensors(t):
    return {name: course(t, name, 9, tensors=True) for name in SCHEDULES}


@case
def momentum_of_adam(t):
    return [course(t, name, 9, kind="AdamW") for name in ("cycles", "one cycle", "own cycles")]


@case
def jumps(t):
    """The closed forms, and how many warnings there are; some schedules know no jumps."""
    found = {}
    for name, make in SCHEDULES.items():
        o = optimizer(t)
        schedule = make(t.optim.lr_scheduler, o)
        o.step()
        seen = found[name] = []
        for epoch in (5, 0, 3, 3, None, 11):
            outcome, remarks = told(lambda: schedule.step(epoch))  # noqa: B023
            seen.append([outcome, len(remarks), schedule.get_last_lr()])
            seen.append(getattr(schedule, "last_epoch", None))
    return found


@case
def epochs_that_are_fractions(t):
    o = optimizer(t)
    s = t.optim.lr_scheduler.CosineAnnealingWarmRestarts(o, 2, T_mult=3)
    found = []
    for epoch in (0.0, 0.5, 1.75, 2.25, 7.9, 8.0, 30.5, 1):
        s.step(epoch)
        found.append([s.get_last_lr(), s.T_cur, s.T_i, s.last_epoch])
    return [found, error(lambda: s.step(-1))]


GOING_ON = [n for n in SCHEDULES if n not in ("sequence", "chain", "sequence of chains")]


@case
def going_on(t):
    """A schedule that is made with the last epoch, of groups that come from a checkpoint."""
    found = {}
    for name in GOING_ON:
        o = optimizer(t)
        schedule = SCHEDULES[name](t.optim.lr_scheduler, o)
        advance(o, schedule, 4)
        new = optimizer(t)
        new.load_state_dict(o.state_dict())

        class Later:
            """The schedules, made with `last_epoch`."""

            def __getattr__(self, kind):
                made = getattr(t.optim.lr_scheduler, kind)
                return lambda *args, **kwargs: made(*args, **kwargs, last_epoch=4)

        again = SCHEDULES[name](Later(), new)
        found[name] = [options(new), again.last_epoch, advance(new, again, 4)]
    return found


@case
def several_at_a_time(t):
    m = t.optim.lr_scheduler
    o = optimizer(t)
    both = [m.ExponentialLR(o, 0.5), m.CosineAnnealingLR(o, 5)]
    seen = []
    for _ in range(6):
        o.step()
        for schedule in both:
            schedule.step()
        seen.append([schedule.get_last_lr() for schedule in both])
    return seen


@case
def plateaus(t):
    draw = random.Random(0)
    numbers = [draw.choice([1.0, 0.9, 0.5, 2.0, -1.0, 0.8999, float("nan")]) for _ in range(24)]
    found = []
    for options_ in (
        {},
        {"patience": 0},
        {"patience": 1, "factor": 0.5, "cooldown": 2},
        {"mode": "max", "patience": 2, "threshold": 0.1},
        {"threshold_mode": "abs", "threshold": 0.1, "patience": 1},
        {"mode": "max", "threshold_mode": "abs", "patience": 1, "min_lr": 0.1},
        {"min_lr": [0.3, 0.01], "patience": 0, "eps": 0.01},
    ):
        o = optimizer(t, tensors=len(found) % 2 == 1)
        schedule = t.optim.lr_scheduler.ReduceLROnPlateau(o, **options_)
        for i, number in enumerate(numbers):
            schedule.step(t.tensor(number) if i % 2 else number)
            found.append([schedule.get_last_lr(), schedule.num_bad_epochs, schedule.in_cooldown])
        found.append(list(schedule.state_dict().items()))
    return found


@case
def groups_added_later(t):
    found = {}
    for name, make in SCHEDULES.items():
        o = optimizer(t)
        schedule = make(t.optim.lr_scheduler, o)
        advance(o, schedule, 1)
        o.add_param_group({"params": [t.ones(1, requires_grad=True)], "lr": 0.25, "momentum": 0.1})
        found[name] = [error(schedule.step), options(o)]
    o = optimizer(t)
    m = t.optim.lr_scheduler
    plateau, listed = m.ReduceLROnPlateau(o, patience=0), m.ReduceLROnPlateau(o, patience=0, min_lr=[0, 1])  # fmt: skip
    o.add_param_group({"params": [t.ones(1, requires_grad=True)], "lr": 0.25})
    return [
        found,
        *[error(lambda s=s: [s.step(1), s.step(1)]) for s in (plateau, listed)],
        options(o),
    ]
