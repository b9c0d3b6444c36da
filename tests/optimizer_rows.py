"""All optimizers with the options that change what a step does, and a short training to try them on."""

import math

ROWS = {
    "SGD": [
        {"lr": 0.1},
        {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.1, "maximize": True},
        {"lr": 0.1, "momentum": 0.9, "dampening": 0.3},
        {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.1},
    ],
    "Adam": [
        {"lr": 0.1},
        {"lr": 0.1, "betas": (0.3, 0.4), "eps": 0.1, "weight_decay": 0.1, "maximize": True},
        {"lr": 0.1, "amsgrad": True, "betas": (0.0, 0.2)},
        {"lr": 0.1, "decoupled_weight_decay": True, "weight_decay": 0.1},
    ],
    "AdamW": [
        {"lr": 0.1},
        {"lr": 0.1, "amsgrad": True, "weight_decay": 0.3, "maximize": True},
    ],
    "RMSprop": [
        {"lr": 0.01},
        {"lr": 0.01, "alpha": 0.5, "eps": 0.1, "weight_decay": 0.1, "maximize": True},
        {"lr": 0.01, "centered": True},
        {"lr": 0.01, "momentum": 0.9, "centered": True, "weight_decay": 0.1},
    ],
    "Adagrad": [
        {"lr": 0.1},
        {"lr": 0.1, "lr_decay": 0.1, "weight_decay": 0.1, "eps": 0.1, "maximize": True},
        {"lr": 0.1, "initial_accumulator_value": 0.5},
    ],
    "Adadelta": [
        {},
        {"lr": 0.5, "rho": 0.3, "eps": 0.1, "weight_decay": 0.1, "maximize": True},
    ],
    "Adamax": [
        {"lr": 0.1},
        {"lr": 0.1, "betas": (0.3, 0.4), "eps": 0.1, "weight_decay": 0.1, "maximize": True},
    ],
    "NAdam": [
        {"lr": 0.1},
        {"lr": 0.1, "betas": (0.3, 0.4), "eps": 0.1, "weight_decay": 0.1, "maximize": True},
        {"lr": 0.1, "momentum_decay": 0.3, "decoupled_weight_decay": True, "weight_decay": 0.1},
    ],
    "RAdam": [
        {"lr": 0.1},
        {"lr": 0.1, "betas": (0.3, 0.4), "eps": 0.1, "weight_decay": 0.1, "maximize": True},
        {"lr": 0.1, "decoupled_weight_decay": True, "weight_decay": 0.1},
    ],
    "Rprop": [
        {"lr": 0.1},
        {"lr": 0.1, "etas": (0.3, 1.7), "step_sizes": (0.05, 0.2), "maximize": True},
    ],
    "ASGD": [
        {"lr": 0.1},
        {"lr": 0.1, "lambd": 0.1, "alpha": 0.5, "t0": 2, "weight_decay": 0.1, "maximize": True},
    ],
}
"""Options by the name of the class."""

SHAPES = [(), (3,), (2, 2), (0,)]


def numbers(shape, seed):
    """Return a nested list of numbers between -1 and 1 that look random, none of them 0."""
    count = math.prod(shape)
    flat = [math.sin(7.3 * i + 2.1 * seed + 0.4) for i in range(count)]
    if len(shape) == 2:
        return [flat[i : i + shape[1]] for i in range(0, count, shape[1])]
    return flat if shape else flat[0]


def parameters(t, dtype, leaf=True):
    """Return four tensors of different shapes."""
    made = [t.tensor(numbers(shape, 10 + i), dtype=dtype) for i, shape in enumerate(SHAPES)]
    return [p.requires_grad_() for p in made] if leaf else made


def train(t, optimizer, start=0, stop=7):
    """Take steps along gradients that do not depend on the parameters; now and then one is missing."""
    params = [p for group in optimizer.param_groups for p in group["params"]]
    for step in range(start, stop):
        for i, p in enumerate(params):
            g = t.tensor(numbers(tuple(p.shape), step + 3 * i), dtype=p.dtype)
            p.grad = None if (step + i) % 4 == 1 else g
        optimizer.step()
    return params


def made(t, kind, options, dtype=None, **more):
    """Return the optimizer `kind` of four parameters."""
    given = parameters(t, dtype or t.float32, leaf=not more.get("differentiable"))
    return getattr(t.optim, kind)(given, **options, **more)
