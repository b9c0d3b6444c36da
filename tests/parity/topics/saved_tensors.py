"""Hooks on the tensors that operations save for the way back."""

import gc
import weakref

from casebook import case, error


def leaf(t, *values):
    return t.tensor(list(values) or [1.0, 2.0, 3.0], requires_grad=True)


def hooks(t, pack, unpack=lambda packed: packed):
    return t.autograd.graph.saved_tensors_hooks(pack, unpack)


def wavy(t, model):
    """Give the parameters of `model` numbers that need no generator."""
    for i, p in enumerate(model.parameters()):
        p.data = t.sin(t.arange(p.numel(), dtype=p.dtype).reshape(p.shape) + i)
    return model


@case
def what_common_operations_save(t):
    a, b = t.ones(3, 4, requires_grad=True), t.ones(3, 4, requires_grad=True)
    w, fixed = t.ones(4, 2, requires_grad=True), t.ones(3, 4)
    F = t.nn.functional
    calls = {
        "mul": lambda: a * b, "by a constant": lambda: a * fixed, "square": lambda: a * a, "double": lambda: a * 2,
        "exp": lambda: a.exp(), "relu": lambda: a.relu(), "sigmoid": lambda: a.sigmoid(), "tanh": lambda: a.tanh(),
        "softmax": lambda: a.softmax(1), "matmul": lambda: a @ w, "div": lambda: a / b, "sum": lambda: a.sum(),
        "log": lambda: a.log(), "norm": lambda: a.norm(), "mse": lambda: F.mse_loss(a, b), "add": lambda: a + b,
        "gelu": lambda: F.gelu(a), "exp_": lambda: (a * 1).exp_(), "no grad": lambda: fixed.exp(),
        "conv": lambda: t.nn.Conv2d(1, 2, 2, bias=False)(a[None, None]), "var": lambda: a.var(), "std": lambda: a.std(0),
    }  # fmt: skip
    found = {}
    for name, call in calls.items():
        seen = []

        def pack(x, seen=seen):
            kind = type(x).__name__
            seen.append(
                [*x.shape, str(x.dtype), kind, x.requires_grad, x.is_leaf, t.is_grad_enabled()]
            )
            return x.detach()  # fmt: skip

        with hooks(t, pack):
            call()
        found[name] = sorted(seen, key=str)
    return found


@case
def arguments_are_packed_themselves(t):
    a, b, seen = leaf(t), leaf(t, 4.0, 5.0, 6.0), []
    c = a * 1
    with hooks(t, lambda x: seen.append([x is a, x is b, x is c]) or x):
        c * b
        c.exp()
    return seen


@case
def the_innermost_pair_counts(t):
    a, log = leaf(t), []

    def logging(name):
        return hooks(t, lambda x: log.append(name) or x, lambda x: log.append("un" + name) or x)

    with logging("outer"):
        with logging("inner"):
            y = a.exp()
        z = y.exp()
    try:
        with logging("left"):
            raise KeyError
    except KeyError:
        z = z.exp()
    z.sum().backward(retain_graph=True)
    z.sum().backward()
    return [log, a.grad, error(lambda: z.sum().backward())]


@case
def gradients_come_from_what_was_unpacked(t):
    found = []
    for pack, unpack in (
        (lambda x: x.detach() * 2, lambda x: x),
        (lambda x: x.detach().half(), lambda x: x.float()),
        (lambda x: [x.device, x.detach().cpu().tolist()], lambda x: t.tensor(x[1], device=x[0])),
        (lambda x: x.detach().double(), lambda x: x),
        (lambda x: x.detach(), lambda x: x.sum()),
    ):
        a = leaf(t)
        with hooks(t, pack, unpack):
            y = (a * a).sigmoid()
        y.sum().backward()
        found.append(a.grad)
    return found


@case
def hooks_that_misbehave(t):
    def run(pack, unpack=lambda x: x):
        a = leaf(t)
        with hooks(t, pack, unpack):
            y = a.exp().sin()
        y.sum().backward()

    def writes(x):
        x.detach().mul_(1)
        return x

    def fails(x):
        raise ValueError("no")

    pairs = (
        (writes,), (fails,), (lambda x: x, fails), (lambda x: None,), (lambda x: x, lambda x: 3),
        (lambda x: x.detach().cpu().numpy(),), (lambda x: x.detach()[:2],), (3,), (lambda x: x, 3), (lambda: 3,),
    )  # fmt: skip
    found = [error(lambda pair=pair: run(*pair)) for pair in pairs]
    y = leaf(t).exp()
    return [*found, y.grad_fn._saved_result]


@case
def saved_tensors_are_unpacked_by_name(t):
    a, count = leaf(t), []
    with hooks(t, lambda x: x.detach() + 0, lambda x: count.append(1) or x + 100):
        y, z = a * a, a.exp()
    found = [y.grad_fn._saved_self, y.grad_fn._saved_other, z.grad_fn._saved_result]
    found += [[s.requires_grad, s.is_leaf] for s in found]
    names = [y.grad_fn.name(), y.grad_fn.next_functions[0][0].name(), z.grad_fn is found[2].grad_fn]
    missing = [error(lambda n=n: n._saved_other) for n in (z.grad_fn, a.exp().grad_fn)]
    y.sum().backward()
    return [found, names, len(count), a.grad, error(lambda: y.grad_fn._saved_self), missing]


@case
def what_is_packed_may_be_written(t):
    found = []
    for pack in (lambda x: x, lambda x: x.detach().clone()):
        a = leaf(t)
        y = a * 1
        with hooks(t, pack):
            z = y.sin().exp()
        y.add_(1)
        z.sum().backward()
        found.append(a.grad)
    return found


@case
def packed_walks_are_recorded(t):
    a, log = leaf(t), []
    with hooks(t, lambda x: log.append("p") or x, lambda x: log.append("u") or x):
        (g,) = t.autograd.grad((a**3).sum(), a, create_graph=True)
        (gg,) = t.autograd.grad(g.sum(), a)
    with hooks(t, lambda x: x.detach().cpu(), lambda x: x.to(a.device)):
        y = (a.exp() * a.sigmoid()).prod() / a.norm()
    (first,) = t.autograd.grad(y, a, create_graph=True)
    (second,) = t.autograd.grad(first.sum(), a)
    with hooks(t, lambda x: x.detach().clone()):
        whole = t.autograd.functional.hessian(lambda x: (x.exp() * x.sigmoid()).prod(), leaf(t))
        product = t.func.jvp(lambda x: x.tanh(), (t.ones(2),), (t.ones(2),))
    return [log, g, gg, first, second, whole, product]


@case
def functions_save_packed_tensors(t):
    log = []

    class Times(t.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            out = x * y
            ctx.save_for_backward(x, None, y, out)
            return out

        @staticmethod
        def backward(ctx, g):
            x, nothing, y, out = ctx.saved_tensors
            log.append([nothing, x.requires_grad, y.requires_grad, out.grad_fn is not None])
            return g * y, g * x

    a, b = leaf(t), t.ones(3)
    with hooks(t, lambda x: log.append(x.requires_grad) or x.detach() * 2, lambda x: x):
        y = Times.apply(a, b)
    (g,) = t.autograd.grad(y.sum(), a, create_graph=True)
    return [g, log]


@case
def networks_train_as_without_hooks(t):
    model = wavy(t, t.nn.Sequential(t.nn.Linear(4, 8), t.nn.ReLU(), t.nn.Linear(8, 8), t.nn.Sigmoid(), t.nn.BatchNorm1d(8)))  # fmt: skip
    cell, x = wavy(t, t.nn.LSTM(8, 3)), t.cos(t.arange(20.0)).reshape(5, 4)
    store = {}

    def keep(x):
        store[len(store)] = x.detach().clone()
        return len(store) - 1

    found = []
    for pack, unpack in ((lambda x: x, lambda x: x), (keep, store.__getitem__)):
        with hooks(t, pack, unpack):
            loss = t.nn.functional.cross_entropy(cell(model(x))[0], t.tensor([0, 1, 2, 0, 1]))
        loss.backward()
        found += [p.grad.norm().item() for p in (*model.parameters(), *cell.parameters())]
        model.zero_grad()
        cell.zero_grad()
    return found


@case
def checkpoints_inside_and_around(t):
    from importlib import import_module

    checkpoint = import_module(f"{t.__name__}.utils.checkpoint").checkpoint
    model = wavy(t, t.nn.Sequential(t.nn.Linear(3, 5), t.nn.Sigmoid(), t.nn.Linear(5, 3)))
    found, seen = [], []

    def inner(x):
        with hooks(t, lambda x: x.detach().clone()):
            return model(x).exp()

    def pack(x):
        seen.append(5 in x.shape)  # is of the inside of the network
        return x.detach() + 0

    for call in (model, inner):
        for reentrant in (False, True):
            x = leaf(t)
            with hooks(t, pack):
                y = checkpoint(call, x, use_reentrant=reentrant).sin().sum()
            y.backward()
            found.append(x.grad)
    return [*found, any(seen)]


@case
def what_was_packed_is_freed(t):
    a = leaf(t)
    with hooks(t, lambda x: x.detach().half(), lambda x: x.float()):
        h = a.exp()
        y, gone = h.sin().sum(), weakref.ref(h)
    del h
    gc.collect()
    y.backward()
    return [gone() is None, a.grad.half()]


@case
def hooks_may_be_refused(t):
    graph = t.autograd.graph

    def enter(context):
        with context:
            pass

    found = []
    with graph.disable_saved_tensors_hooks("outer"):
        with graph.disable_saved_tensors_hooks("inner"):
            found.append(error(lambda: enter(graph.save_on_cpu())))
        found.append(error(lambda: enter(hooks(t, lambda x: x))))
    with hooks(t, lambda x: x):
        found.append(error(lambda: enter(graph.disable_saved_tensors_hooks("late"))))
    a = leaf(t)
    with graph.save_on_cpu(pin_memory=False):
        y = (a * a).sum()
    y.backward()
    return [*found, a.grad]


@case
def indices_and_masks_are_packed_too(t):
    x, i, m = leaf(t), t.tensor([2, 0, 2]), t.tensor([True, False, True])
    with hooks(t, lambda packed: packed.clone()):
        largest, place = x.reshape(1, 3).max(1)
        y = x[i].square().sum() + x[m].sum() + x.masked_fill(m, 0.0).sum() + largest.sum()
        y = y + x.gather(0, i).sum() + t.where(m, x, -x).sum()
    for written in (i, place):
        written.zero_()
    m.logical_not_()
    y.backward()
    return x.grad
