"""Optimisers."""

from casebook import case, error


def trained(t, **options):
    p, q = t.tensor([1.0, -2.0], requires_grad=True), t.tensor([3.0], requires_grad=True)
    optimizer = t.optim.SGD([p, q], **options)
    for _ in range(4):
        optimizer.zero_grad()
        (p * p).sum().backward()
        optimizer.step()
    return [p, q, p._version]


@case
def sgd(t):
    return [
        trained(t, lr=0.1),
        trained(t, lr=0.1, momentum=0.9),
        trained(t, lr=0.1, momentum=0.9, nesterov=True),
        trained(t, lr=0.1, momentum=0.9, dampening=0.5),
        trained(t, lr=0.1, weight_decay=0.5),
        trained(t, lr=0.1, maximize=True),
        trained(t)[:2],
    ]


@case
def sgd_groups(t):
    p, q = t.tensor([1.0], requires_grad=True), t.tensor([1.0], requires_grad=True)
    o = t.optim.SGD([{"params": [p], "lr": 1.0}, {"params": q}], lr=0.1, momentum=0.5)
    (p + q).sum().backward()
    loss = o.step(lambda: 42)
    keys = ("dampening", "lr", "momentum", "nesterov", "weight_decay", "maximize")
    return [
        p,
        q,
        loss,
        [[g[k] for k in keys] for g in o.param_groups],
        len(o.state),
        list(o.state[p]),
    ]


@case
def optimizer_errors(t):
    p = t.ones(1, requires_grad=True)
    SGD = t.optim.SGD
    return [
        error(lambda: SGD([], lr=0.1)),
        error(lambda: SGD(p, lr=0.1)),
        error(lambda: SGD([5], lr=0.1)),
        error(lambda: SGD([p * 2], lr=0.1)),
        error(lambda: SGD([p], lr=-1)),
        error(lambda: SGD([p], lr=0.1, momentum=-1)),
        error(lambda: SGD([p], lr=0.1, nesterov=True)),
        error(lambda: SGD([{"params": [p]}, {"params": [p]}], lr=0.1)),
        error(lambda: SGD(t.nn.Linear(1, 1).parameters(), lr=0.1) and None),
    ]


@case
def training_a_small_net(t):
    t.manual_seed(1)
    net = t.nn.Sequential(
        t.nn.Conv2d(1, 4, 3), t.nn.ReLU(), t.nn.MaxPool2d(2), t.nn.Flatten(), t.nn.Linear(36, 3)
    )
    x, y = t.randn(8, 1, 8, 8), t.randint(3, (8,))
    optimizer = t.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    losses = []
    for _ in range(5):
        loss = t.nn.functional.cross_entropy(net(x), y)
        net.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss)
    return [losses, net[0].bias]
