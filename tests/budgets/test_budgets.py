"""What common things may cost, counted in calls and graph nodes: the same on every machine and every day.

A budget is an upper bound, a good tenth above the figure of the day when it was set. Whoever needs more
raises it in the same commit, and says what for. Python 3.12 and later make fewer calls (comprehensions
are inlined), so bounds set on 3.11 hold there too.

To see today's figures: ``python tests/budgets/test_budgets.py``.
"""

import subprocess
import sys

import pytest

import nbmodule as torch
from nbmodule import nn
from nbmodule._engine import rare

BUDGETS = {  # calls of Python functions, calls of C functions
    "one mul": (4, 3),
    "one recorded mul": (6, 5),
    "one recorded mul, and its backward": (46, 54),
    "a Linear layer": (16, 14),
    "a call of a module that does nothing": (3, 1),
    "a call with one hook": (4, 4),
    "making a Linear layer": (70, 75),
    "setting a parameter": (6, 9),
    "setting a number on a module": (2, 7),
    "an MLP in no_grad": (39, 25),
    "an MLP, forward and loss": (61, 53),
    "a training step of an MLP": (152, 155),
    "indexing a row": (7, 3),
    "a tensor from a list": (18, 20),
    "to(device)": (5, 4),
    "an Adam step of 20 parameters": (350, 330),
    "an epoch of 16 batches": (1430, 880),
    "loading the state of 100 layers": (1300, 950),
}
NODES = {  # nodes of the graph, the accumulators of leaves included
    "one recorded mul": 2,
    "a Linear layer, recorded": 3,
    "an MLP, forward and loss": 8,
}
MODULES = 6
"""How many modules of the standard library `import nbmodule` loads that NumPy has not loaded."""
OUR_MODULES = 140
"""How many of our own it loads."""
LATER = (
    *("nbmodule.utils.data", "nbmodule.serialization", "nbmodule._saving", "nbmodule.learner"),
    *("nbmodule.datasets", "nbmodule.nn", "nbmodule.optim"),
)
"""What is loaded when it is first asked for."""


def subjects():
    """Return what is counted: functions without arguments, by name, and tensors to count nodes from."""
    torch.manual_seed(0)
    x, w = torch.ones(3), torch.ones(3, requires_grad=True)
    batch = torch.ones(4, 5)
    layer = nn.Linear(5, 6)
    mlp = nn.Sequential(nn.Linear(5, 6), nn.ReLU(), nn.Linear(6, 3))
    target = torch.tensor([0, 1, 2, 0])
    optimizer = torch.optim.SGD(mlp.parameters(), lr=0.1)
    identity = nn.Identity()
    hooked = nn.Identity()
    hooked.register_forward_hook(lambda module, args, output: None)
    holder = nn.Module()

    cpu = torch.device("cpu")
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(64, 3)), 4)
    deep = nn.Sequential(*(nn.Linear(1, 1) for _ in range(100)))
    state = deep.state_dict()
    many = [torch.ones(3, requires_grad=True) for _ in range(20)]
    for p in many:
        p.grad = torch.ones(3)
    adam = torch.optim.Adam(many)

    def loss():
        return nn.functional.cross_entropy(mlp(batch), target)

    def step():
        optimizer.zero_grad()
        loss().backward()
        optimizer.step()

    def in_no_grad():
        with torch.no_grad():
            mlp(batch)

    def set_parameter():
        holder.w = w_parameter

    w_parameter = nn.Parameter(torch.ones(2))
    counted = {
        "one mul": lambda: x * x,
        "one recorded mul": lambda: w * x,
        "one recorded mul, and its backward": lambda: (w * x).sum().backward(),
        "a Linear layer": lambda: layer(batch),
        "a call of a module that does nothing": lambda: identity(x),
        "a call with one hook": lambda: hooked(x),
        "making a Linear layer": lambda: nn.Linear(4, 4),
        "setting a parameter": set_parameter,
        "setting a number on a module": lambda: setattr(holder, "n", 1),
        "an MLP in no_grad": in_no_grad,
        "an MLP, forward and loss": loss,
        "a training step of an MLP": step,
        "indexing a row": lambda: batch[0],
        "a tensor from a list": lambda: torch.tensor([1.0, 2.0]),
        "to(device)": lambda: x.to(cpu),
        "an Adam step of 20 parameters": adam.step,
        "an epoch of 16 batches": lambda: list(loader),
        "loading the state of 100 layers": lambda: deep.load_state_dict(state),
    }
    graphs = {
        "one recorded mul": lambda: w * x,
        "a Linear layer, recorded": lambda: layer(batch),
        "an MLP, forward and loss": loss,
    }
    return counted, graphs


def calls(function):
    """Return how many Python and C functions a call of `function` calls, itself not counted."""
    counts = {"call": 0, "c_call": 0}

    def profile(frame, event, argument):
        if event in counts:
            counts[event] += 1

    def counted():
        counts.update(call=-1, c_call=-1)  # without `function`, and without setprofile
        before = sys.getprofile()
        sys.setprofile(profile)
        try:
            function()
        finally:
            sys.setprofile(before)
        return counts["call"], counts["c_call"]

    function()  # what is made only once is made now
    return min(counted() for _ in range(3))  # the collector may free what other tests have left


def nodes(t):
    """Return how many nodes the graph of `t` has."""
    seen, todo = {t.grad_fn}, [t.grad_fn]
    while todo:
        for node, _ in todo.pop().next_functions:
            if node is not None and node not in seen:
                seen.add(node)
                todo.append(node)
    return len(seen)


def loaded():
    """Return which of our modules, and of the standard library, `import nbmodule` loads on top of NumPy."""
    code = (
        "import numpy, sys; before = set(sys.modules); import nbmodule; "
        "print(*sorted(set(sys.modules) - before))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return found.stdout.split()


COUNTED, GRAPHS = subjects()


@pytest.mark.parametrize("name", BUDGETS)
def test_calls(name):
    assert not rare  # other tests may have used inference mode, or subclasses: that is over
    python, c = calls(COUNTED[name])
    most_python, most_c = BUDGETS[name]
    assert python <= most_python, f"{name}: {python} calls of Python functions"
    assert c <= most_c, f"{name}: {c} calls of C functions"


def test_every_subject_has_a_budget():
    assert COUNTED.keys() == BUDGETS.keys()
    assert GRAPHS.keys() == NODES.keys()


@pytest.mark.parametrize("name", NODES)
def test_nodes(name):
    assert nodes(GRAPHS[name]()) <= NODES[name]


def test_what_an_import_loads():
    found = loaded()
    others = [name for name in found if name.partition(".")[0] != "nbmodule"]
    assert len(others) <= MODULES, others
    assert not [name for name in found if name.startswith(LATER)]
    assert len(found) - len(others) <= OUR_MODULES


if __name__ == "__main__":
    for name, function in COUNTED.items():
        python, c = calls(function)
        print(f'    "{name}": ({python}, {c}),')
    for name, function in GRAPHS.items():
        print(f'    "{name}": {nodes(function())},')
    print([name for name in loaded() if name.partition(".")[0] != "nbmodule"])
