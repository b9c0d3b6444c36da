"""Pruning: masks, what is left to choose from, hooks, state, and what is refused."""

import copy
import pickle

from casebook import case, error


def pruning(t):
    import importlib

    return importlib.import_module(f"{t.__name__}.nn.utils.prune")


def linear(t, features=4, outputs=3):
    """Return a layer of known numbers."""
    t.manual_seed(0)
    return t.nn.Linear(features, outputs)


def shown(module):
    """Return the names and values that a module holds, and its hooks."""
    return [
        {k: [v, v.requires_grad] for k, v in module.named_parameters()},
        dict(module.named_buffers()),
        {k: v for k, v in vars(module).items() if hasattr(v, "detach")},
        [type(h).__name__ for h in module._forward_pre_hooks.values()],
        getattr(module.weight.grad_fn, "name", lambda: None)(),
    ]


@case
def each_function(t):
    p = pruning(t)
    scores = (t.arange(12.0).view(3, 4) - 5) ** 2
    calls = [
        lambda m: p.identity(m, "weight"),
        lambda m: p.random_unstructured(m, "weight", 5),
        lambda m: p.random_unstructured(m, "weight", amount=0.3),
        lambda m: p.l1_unstructured(m, "weight", 0.5),
        lambda m: p.l1_unstructured(m, "weight", 5, importance_scores=scores),
        lambda m: p.random_structured(m, "weight", 2, dim=1),
        lambda m: p.random_structured(m, "weight", 0.4, -2),
        lambda m: p.ln_structured(m, "weight", 1, n=2, dim=0),
        lambda m: p.ln_structured(m, "weight", 0.5, n=1, dim=-1),
        lambda m: p.ln_structured(m, "weight", 1, n=float("-inf"), dim=1, importance_scores=scores),
        lambda m: p.custom_from_mask(m, "weight", t.eye(3, 4)),
        lambda m: p.custom_from_mask(m, "weight", t.eye(3, 4).bool()),
        lambda m: p.l1_unstructured(m, "weight", 0),
        lambda m: p.ln_structured(m, "weight", 0.0, 2, 0),
        lambda m: p.l1_unstructured(m, "weight", 1.0),
        lambda m: p.l1_unstructured(m, "bias", 1),
    ]
    found = []
    for call in calls:
        m = linear(t)
        found.append([call(m) is m, shown(m), m(t.ones(2, 4)), p.is_pruned(m)])
    return found


@case
def after_training_and_removal(t):
    p, m = pruning(t), linear(t)
    weight = m.weight
    p.l1_unstructured(m, "weight", 0.5)
    optimizer = t.optim.SGD(m.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        (m(t.ones(2, 4)) ** 2).sum().backward()
        optimizer.step()
    before = shown(m)
    p.remove(m, "weight")
    return [before, shown(m), m.weight is weight, m.weight_orig if hasattr(m, "weight_orig") else 0]


@case
def one_after_the_other(t):
    p = pruning(t)
    found = []
    for second in (
        lambda m: p.l1_unstructured(m, "weight", 0.5),
        lambda m: p.ln_structured(m, "weight", 1, 2, 0),
        lambda m: p.ln_structured(m, "weight", 0.5, 2, -1),
        lambda m: p.random_structured(m, "weight", 1, 1),
        lambda m: p.custom_from_mask(m, "weight", t.eye(3, 4)),
        lambda m: p.identity(m, "weight"),
        lambda m: p.random_unstructured(m, "weight", 4),
    ):
        m = linear(t)
        p.ln_structured(m, "weight", 1, n=1, dim=1)
        second(m)
        p.l1_unstructured(m, "weight", amount=1)
        hook = next(iter(m._forward_pre_hooks.values()))
        found.append([shown(m), [type(h).__name__ for h in hook], len(hook), hook._tensor_name])
        p.remove(m, "weight")
        found.append(shown(m))
    return found


@case
def all_together(t):
    p = pruning(t)
    found = []
    for method, more in (
        (p.L1Unstructured, {"amount": 0.4}),
        (p.L1Unstructured, {"amount": 7}),
        (p.RandomUnstructured, {"amount": 5}),
    ):
        t.manual_seed(1)
        net = t.nn.Sequential(t.nn.Linear(3, 4), t.nn.ReLU(), t.nn.Linear(4, 2))
        pairs = [(net[0], "weight"), (net[2], "weight"), (net[2], "bias")]
        p.global_unstructured(pairs, pruning_method=method, **more)
        found.append([list(net.state_dict()), net.state_dict()])
        p.global_unstructured(pairs, method, {(net[2], "bias"): t.zeros(2)}, amount=3)
        found.append([net.state_dict(), net(t.ones(3)), p.is_pruned(net), p.is_pruned(net[1])])
    return found


@case
def wrong_arguments(t):
    p, m = pruning(t), linear(t)
    conv = t.nn.Linear(2, 2)
    return [
        error(lambda: p.random_unstructured(m, "weight", amount=1.5)),
        error(lambda: p.random_unstructured(m, "weight", amount=-1)),
        error(lambda: p.random_unstructured(m, "weight", amount=-0.5)),
        error(lambda: p.random_unstructured(m, "weight", amount="half")),
        error(lambda: p.random_unstructured(m, "weight", amount=13)),
        error(lambda: p.random_unstructured(m, "nothing", amount=1)),
        error(lambda: p.l1_unstructured(m, "weight", 1, importance_scores=t.ones(2))),
        error(lambda: p.random_structured(m, "bias", 1, 0)),
        error(lambda: p.random_structured(m, "weight", 1, 2)),
        error(lambda: p.random_structured(m, "weight", 1, -3)),
        error(lambda: p.ln_structured(m, "weight", 9, 2, 0)),
        error(lambda: p.ln_structured(m, "weight", 1, 2, 5)),
        error(lambda: p.custom_from_mask(m, "weight", t.ones(2))),
        error(lambda: p.remove(m, "weight")),
        error(lambda: p.global_unstructured(1, p.L1Unstructured, amount=1)),
        error(lambda: p.global_unstructured([(m, "weight")], p.L1Unstructured, [1], amount=1)),
        error(
            lambda: p.global_unstructured([(conv, "weight")], p.LnStructured, n=2, dim=0, amount=1)
        ),
        error(p.BasePruningMethod).split(" with")[0],  # Python words the rest
        error(lambda: p.PruningContainer(3)),
        error(lambda: p.L1Unstructured(amount=None)),
        error(lambda: p.L1Unstructured(0.1).prune(t.ones(3), importance_scores=t.ones(2))),
        shown(m),
    ]


@case
def a_method_on_its_own(t):
    p = pruning(t)
    x = t.tensor([[3.0, -1.0], [0.5, 2.0]])
    t.manual_seed(2)
    return [
        p.L1Unstructured(1).prune(x),
        p.L1Unstructured(1).prune(x, default_mask=t.tensor([[1.0, 0.0], [1.0, 1.0]])),
        p.L1Unstructured(1).prune(x, importance_scores=-x),
        p.RandomStructured(1, 0).prune(x),
        p.RandomUnstructured(0.5).prune(x),
        p.LnStructured(1, 2, 1).prune(x),
        p.LnStructured(1, "fro", 0).compute_mask(x, t.ones(2, 2)),
        p.Identity().prune(x),
        p.CustomFromMask(t.tensor([[1, 0], [0, 1]])).prune(x),
        p._compute_norm(t.arange(24.0).view(2, 3, 4), 2, -1),
        p._compute_nparams_toprune(0.55, 10),
        p._compute_nparams_toprune(3, 10),
    ]


@case
def a_container(t):
    p = pruning(t)
    first, second = p.L1Unstructured(1), p.RandomUnstructured(2)
    first._tensor_name = second._tensor_name = "weight"
    container = p.PruningContainer(first)
    container.add_pruning_method(second)
    other = p.L1Unstructured(1)
    other._tensor_name = "bias"
    refused = error(lambda: container.add_pruning_method(other)).split("PruningContainer ")
    return [
        len(container),
        container[0] is first,
        list(container) == [first, second],
        container._tensor_name,
        [refused[0], refused[1].split(". ")[-1]],
        error(lambda: container.add_pruning_method(10)),
        len(p.PruningContainer()),
    ]


@case
def of_your_own(t):
    p = pruning(t)

    class Checkered(p.BasePruningMethod):
        PRUNING_TYPE = "unstructured"

        def __init__(self, step=2):
            self.step = step

        def compute_mask(self, x, default_mask):
            mask = default_mask.clone()
            mask.view(-1)[:: self.step] = 0
            return mask

    class Odd(Checkered):
        PRUNING_TYPE = "odd"

    class Channels(Checkered):
        PRUNING_TYPE = "structured"

    m = linear(t)
    method = Checkered.apply(m, "weight", step=3)
    once = [type(method).__name__, shown(m)]
    again = Checkered.apply(m, "weight")
    return [
        once,
        type(again).__name__,
        shown(m),
        error(lambda: Odd.apply(p.identity(linear(t), "weight"), "weight")),
        error(lambda: Channels.apply(p.identity(linear(t), "weight"), "weight")),
    ]


@case
def copies_and_states(t):
    p, m = pruning(t), linear(t)
    p.l1_unstructured(m, "weight", 0.5)
    copied = pickle.loads(pickle.dumps(p.remove(m, "weight")))
    other = p.identity(linear(t, 4, 3), "weight")
    source = p.l1_unstructured(linear(t), "weight", 0.5)
    other.load_state_dict(source.state_dict())
    stale = other.weight
    return [copied.weight, shown(other), stale, other(t.ones(4)), shown(other)]


@case
def deepcopy_of_a_pruned_module(t):
    p, m = pruning(t), linear(t)
    p.l1_unstructured(m, "weight", 0.5)
    refused = error(lambda: copy.deepcopy(m))
    with t.no_grad():
        m(t.ones(4))
    copied = copy.deepcopy(m)
    return [refused.split("(")[0][:30], shown(copied), copied(t.ones(4))]
