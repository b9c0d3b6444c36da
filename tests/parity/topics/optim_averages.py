"""Averages of models: `swa_utils`."""

import copy
import pickle

from casebook import case, error
from schedules import advance, optimizer, options


def model(t, dtype="float32"):
    net = t.nn.Sequential(
        t.nn.Linear(2, 3), t.nn.BatchNorm1d(3, momentum=0.25), t.nn.Linear(3, 1, bias=False)
    )
    with t.no_grad():
        for i, p in enumerate(net.parameters()):
            p.copy_(t.arange(p.numel()).view_as(p) * 0.25 - i)
    return net.to(getattr(t, dtype))


def trained(t, net, average, steps=4):
    """Move the model, as training does, and take each state into the average."""
    for i in range(steps):
        with t.no_grad():
            for p in net.parameters():
                p.mul_(-0.75).add_(i)
            net[1].running_mean.add_(i + 1)
            net[1].num_batches_tracked.add_(10 + i)
        average.update_parameters(net)
    return list(average.state_dict().items())


def ways(t):
    swa = t.optim.swa_utils
    return {
        "default": {},
        "mean": {"avg_fn": swa.get_swa_avg_fn()},
        "fading": {"avg_fn": swa.get_ema_avg_fn(0.9)},
        "fading lists": {"multi_avg_fn": swa.get_ema_multi_avg_fn(0.9)},
        "fading quickly": {"multi_avg_fn": swa.get_ema_multi_avg_fn(0.25)},
        "own": {"avg_fn": lambda average, current, count: average * 0.5 + current * count},
    }


@case
def averages(t):
    found = {}
    for name, way in ways(t).items():
        for buffers in (False, True):
            net = model(t)
            average = t.optim.swa_utils.AveragedModel(net, use_buffers=buffers, **way)
            found[f"{name} {buffers}"] = trained(t, net, average)
    lists = {"multi_avg_fn": t.optim.swa_utils.get_swa_multi_avg_fn()}
    net = model(t, "float64")
    found["lists"] = trained(t, net, t.optim.swa_utils.AveragedModel(net, **lists))
    average = t.optim.swa_utils.AveragedModel(net, use_buffers=True, **lists)
    average.update_parameters(net)
    found["numbers without fractions"] = error(lambda: average.update_parameters(net))
    return found


@case
def an_averaged_model(t):
    net = model(t)
    average = t.optim.swa_utils.AveragedModel(net, "cpu")
    state = trained(t, net, average)
    other = t.optim.swa_utils.AveragedModel(model(t))
    missing = other.load_state_dict(dict(state))
    other.update_parameters(net)
    copied = [copy.deepcopy(average), pickle.loads(pickle.dumps(average))]
    x = t.ones(2, 2)
    average.eval()
    return [
        repr(average),
        [name for name, _ in average.named_parameters()],
        [p.requires_grad for p in average.parameters()],
        average.module is net,
        average.module[0].weight is net[0].weight,
        average.n_averaged.dtype == t.int64,
        str(missing),
        other.state_dict()["n_averaged"],
        [c.n_averaged for c in copied],
        average(x),
        average(input=x),
        [average.training, average.module[1].training, average.use_buffers, average.avg_fn],
        [p.grad is None for p in average.parameters()],
        error(lambda: t.optim.swa_utils.AveragedModel(net, None, max, max)),
        error(lambda: average.update_parameters(t.nn.Linear(2, 3))),
        error(lambda: average.update_parameters(t.nn.Linear(3, 3))),
    ]


@case
def lists_of_one_kind(t):
    """A function of lists is called once for each dtype."""

    class Mixed(t.nn.Module):
        def __init__(self):
            super().__init__()
            self.a = t.nn.Parameter(t.ones(2))
            self.b = t.nn.Parameter(t.ones(1, dtype=t.float64))
            self.c = t.nn.Parameter(t.ones(3))

    seen = []
    net = Mixed()

    def keep(averages, currents, count):
        shapes = [[list(p.shape) for p in several] for several in (averages, currents)]
        plain = not any(p.requires_grad for p in averages + currents)
        seen.append([str(averages[0].dtype), shapes, count.item(), plain, type(averages).__name__])

    average = t.optim.swa_utils.AveragedModel(net, multi_avg_fn=keep)
    for _ in range(2):
        average.update_parameters(net)
    return sorted(seen)


@case
def functions(t):
    swa = t.optim.swa_utils
    found = []
    for lists in (swa.get_ema_multi_avg_fn(0.5), swa.get_swa_multi_avg_fn()):
        for count in (0, 3, t.tensor(2)):
            several = [t.tensor([4.0, 8.0], requires_grad=True), t.tensor([2.0])]
            out = lists(several, [t.tensor([1.0, 2.0]), t.tensor([7.0])], count)
            whole = [t.tensor([4, 8])]
            told = error(lambda: lists(whole, [t.tensor([1, 2])], count))  # noqa: B023
            found += [out, several, whole, told, error(lambda: lists([], [], count))]  # noqa: B023
    one = t.tensor([4.0], requires_grad=True)
    for single in (swa.get_ema_avg_fn(), swa.get_swa_avg_fn()):
        value = single(one, t.tensor([1.0]), 3)
        found += [value, value.requires_grad, single.__name__]
    makers = (swa.get_ema_avg_fn, swa.get_ema_multi_avg_fn)
    refused = [error(lambda: m(d)) for m in makers for d in (-0.1, 1.5)]  # noqa: B023
    return [*found, refused, makers[0](1).__name__, makers[1](0.0).__name__]


@case
def statistics(t):
    """`update_bn` of batches that are tensors, tuples and lists."""
    found = []
    batches = [t.arange(6.0).view(3, 2) * (i + 1) for i in range(3)]
    for loader in (batches, [(x, "y") for x in batches], [[x] for x in batches], iter(batches), []):
        for momentum in (0.25, None):
            for training in (True, False):
                net = model(t).train(training)
                net[1].momentum = momentum
                net[1].running_mean.fill_(9.0)
                out = t.optim.swa_utils.update_bn(loader, net, device="cpu" if training else None)
                found.append([out, net[1].state_dict(), net.training, net[1].momentum])
    plain = t.nn.Linear(2, 2)
    return [
        found,
        t.optim.swa_utils.update_bn(5, plain),
        error(lambda: t.optim.swa_utils.update_bn(5, model(t))),
        error(lambda: t.optim.swa_utils.update_bn([{"x": 1}], model(t))),
    ]


@case
def rates_of_averaging(t):
    found = []
    for kind in (
        {"swa_lr": 0.05},
        {"swa_lr": [0.05, 0.1], "anneal_epochs": 4, "anneal_strategy": "linear"},
        {"swa_lr": 0.05, "anneal_epochs": 0},
        {"swa_lr": (0.05, 2.0), "anneal_epochs": 1},
    ):
        for tensors in (False, True):
            o = optimizer(t, tensors=tensors)
            before = t.optim.lr_scheduler.ExponentialLR(o, 0.9)
            s = t.optim.swa_utils.SWALR(o, **kind)
            found += [options(o), advance(o, before, 3), advance(o, s, 7), list(s.state_dict())]
            other = t.optim.swa_utils.SWALR(optimizer(t), 0.5)
            other.load_state_dict(s.state_dict())
            found += [other._anneal_strategy, other.anneal_func.__name__, s.get_last_lr()]
    return found
