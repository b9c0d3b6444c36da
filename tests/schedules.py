"""Schedules by name: each makes one from the module `m` (``lr_scheduler``) and an optimizer of two groups."""


def half(epoch):
    return 0.5 * epoch + 1


class Counted:
    """A function of the epoch that remembers something."""

    def __init__(self):
        self.calls = 0

    def __call__(self, epoch):
        self.calls += 1
        return 1 / (1 + epoch + self.calls)


SCHEDULES = {
    "step": lambda m, o: m.StepLR(o, 3, 0.5),
    "step by default": lambda m, o: m.StepLR(o, step_size=2),
    "milestones": lambda m, o: m.MultiStepLR(o, [2, 5, 5, 9], gamma=0.3),
    "no milestones": lambda m, o: m.MultiStepLR(o, ()),
    "constant": lambda m, o: m.ConstantLR(o),
    "constant for no time": lambda m, o: m.ConstantLR(o, 0.25, total_iters=0),
    "linear": lambda m, o: m.LinearLR(o),
    "linear down": lambda m, o: m.LinearLR(o, 1.0, 0.1, total_iters=7),
    "exponential": lambda m, o: m.ExponentialLR(o, 0.9),
    "polynomial": lambda m, o: m.PolynomialLR(o),
    "root": lambda m, o: m.PolynomialLR(o, 9, power=0.5),
    "cosine": lambda m, o: m.CosineAnnealingLR(o, 4),
    "cosine above": lambda m, o: m.CosineAnnealingLR(o, T_max=7, eta_min=0.125),
    "cosine of one": lambda m, o: m.CosineAnnealingLR(o, 1, 0.1),
    "restarts": lambda m, o: m.CosineAnnealingWarmRestarts(o, 3),
    "longer restarts": lambda m, o: m.CosineAnnealingWarmRestarts(o, 2, T_mult=2, eta_min=0.01),
    "function": lambda m, o: m.LambdaLR(o, half),
    "functions": lambda m, o: m.LambdaLR(o, [Counted(), half]),
    "factor": lambda m, o: m.MultiplicativeLR(o, half),
    "factors": lambda m, o: m.MultiplicativeLR(o, (half, Counted())),
    "cycles": lambda m, o: m.CyclicLR(o, 0.01, 0.1, step_size_up=3),
    "lower cycles": lambda m, o: m.CyclicLR(o, [0.01, 0.1], [0.1, 1.0], 3, 2, mode="triangular2"),
    "fading cycles": lambda m, o: m.CyclicLR(o, 0.1, 0.5, 2, 4, "exp_range", gamma=0.9),
    "own cycles": lambda m, o: m.CyclicLR(
        o, 0.1, 0.5, 2, scale_fn=Counted(), scale_mode="iterations", cycle_momentum=False
    ),
    "one cycle": lambda m, o: m.OneCycleLR(o, 0.5, total_steps=30),
    "one straight cycle": lambda m, o: m.OneCycleLR(
        o, [0.5, 1.0], epochs=6, steps_per_epoch=5, anneal_strategy="linear", three_phase=True
    ),
    "one cycle of rates": lambda m, o: m.OneCycleLR(
        o, 0.5, 30, pct_start=0.25, cycle_momentum=False, div_factor=4.0, final_div_factor=2.0
    ),
    "sequence": lambda m, o: m.SequentialLR(
        o, [m.ConstantLR(o, 0.1, 3), m.ExponentialLR(o, 0.5), m.StepLR(o, 2)], [3, 7]
    ),
    "chain": lambda m, o: m.ChainedScheduler([m.LinearLR(o, 0.5, total_iters=3), m.StepLR(o, 4)]),
    "sequence of chains": lambda m, o: m.SequentialLR(
        o, [m.ChainedScheduler([m.ConstantLR(o), m.ExponentialLR(o, 0.9)]), m.PolynomialLR(o)], [4]
    ),
}


def options(o):
    """Return what a schedule may have changed in the groups of an optimizer."""
    names = ("lr", "initial_lr", "momentum", "betas", "max_lr", "min_lr", "max_momentum", "base_momentum", "swa_lr")  # fmt: skip
    return [{k: v for k, v in group.items() if k in names} for group in o.param_groups]


def optimizer(t, kind="SGD", tensors=False):
    """Return an optimizer of two groups with rates 1 and 0.5, which may be tensors."""
    rates = [t.tensor(1.0), t.tensor([0.5])] if tensors else [1.0, 0.5]
    groups = [{"params": [t.ones(1, requires_grad=True)], "lr": rate} for rate in rates]
    return getattr(t.optim, kind)(groups, **({"momentum": 0.9} if kind == "SGD" else {}))


def advance(o, schedule, steps):
    """Step both, and return the rates of both groups after each step; with the momentum, if it cycles."""
    found = []
    for _ in range(steps):
        o.step()
        schedule.step()
        found.append([group["lr"] for group in o.param_groups])
        if getattr(schedule, "cycle_momentum", False):
            first = o.param_groups[0]
            found[-1].append(first["betas"][0] if "betas" in first else first["momentum"])
    return found
