"""Every row of the table of modules, on a class of a reader's: the same numbers bit for bit, the same words."""

import copy
import io
import pickle
import types
from pathlib import Path

import numpy as np
import pytest

import nbmodule
from nbmodule import nn
from nbmodule_course import carried
from nbmodule_course.exams.module_rows import TOPICS
from nbmodule_course.mine import kept_file
from nbmodule_course.mine.solutions import imports_of
from nbmodule_course.mine.solved import solved_text

SOURCE = Path(nn.modules.module.__file__)


def complete():
    """A reader's class that has everything: the text of ours, run as a class that knows nothing of it."""
    names = {"__name__": "my_module", "__package__": "nbmodule.nn.modules"}
    exec(compile(SOURCE.read_text(encoding="utf-8"), "my_module.py", "exec"), names)
    return names["Module"]


def of_part_a():
    """The class of a reader who has solved all chapters that there are."""
    names = {"__name__": "my_module"}
    exec(compile(solved_text(), "my_module.py", "exec"), names)
    return names["Module"]


def begun():
    """A class with its first two methods."""
    names = {"__name__": "my_module"}
    exec(compile(solved_text("03"), "my_module.py", "exec"), names)
    return names["Module"]


CLASSES = {make.__name__: make for make in (complete, of_part_a, begun)}


@pytest.fixture(scope="module", params=CLASSES)
def mine(request):
    return carried(CLASSES[request.param](), chapter="99")


class Library:
    """nbmodule with the reader's layers in the place of its own."""

    def __init__(self, mine):
        self.nn = types.SimpleNamespace(**{**vars(nn), **{n: getattr(mine, n) for n in dir(mine._layers)}})  # fmt: skip
        self.nn.utils = mine.utils

    def __getattr__(self, name):
        return getattr(nbmodule, name)


def outcome(t, row, training):
    """Return everything that a run of `row` leaves behind, as bytes and texts."""
    t.manual_seed(0)
    module = row.make(t).train(training)
    inputs = [
        x(t) if callable(x) else nbmodule.tensor(x, requires_grad=True) for x in row.arrays("f4")
    ]
    t.manual_seed(1)
    try:
        outputs = row.run(module, inputs)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    total = sum(y.sum() for y in outputs if y.is_floating_point())
    if getattr(total, "requires_grad", False):
        total.backward()
    grads = {name: None if p.grad is None else p.grad.numpy() for name, p in module.named_parameters()}  # fmt: skip
    state = {name: value for name, value in module.state_dict().items() if hasattr(value, "numpy")}
    return [
        repr(module),
        [y.detach().numpy().tobytes() for y in outputs],
        {name: None if g is None else g.tobytes() for name, g in grads.items()},
        {name: (v.numpy().tobytes(), v.shape) for name, v in state.items()},
    ]


def test_our_file_imports_in_the_order_of_the_chapter():
    names = ["json", "OrderedDict", "Mapping", "deepcopy", "np"]
    assert list(imports_of("10", set(names))) == names


@pytest.mark.parametrize("topic", TOPICS)
def test_every_layer_computes_the_same_bits(mine, topic):
    library = Library(mine)
    for row in TOPICS[topic]:
        for training in (True, False):
            theirs, ours = outcome(library, row, training), outcome(nbmodule, row, training)
            assert theirs == ours, (row.name, training)


def test_every_name_is_a_subclass_of_the_readers_class(mine):
    for name in nn.modules.__all__:
        ours, theirs = getattr(nn, name), getattr(mine, name)
        if issubclass(ours, nn.Module):
            assert issubclass(theirs, mine.so_far), name
            assert not issubclass(theirs, nn.Module), name
        else:
            assert theirs is ours, name


@pytest.mark.parametrize("make", CLASSES.values(), ids=CLASSES)
def test_carried_modules_are_copied_pickled_and_loaded(make):
    mine = carried(
        make(), chapter="99"
    )  # a pickled layer comes back on the class that was carried last
    net = mine.Sequential(mine.Conv2d(1, 2, 3), mine.BatchNorm2d(2), mine.LSTM(2, 2))
    for again in (copy.copy(net), copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert [type(part) for part in again.modules()] == [type(part) for part in net.modules()]
        for name, value in net.state_dict().items():
            assert np.array_equal(again.state_dict()[name].numpy(), value.numpy())
    file = io.BytesIO()
    nbmodule.save(net.state_dict(), file)
    file.seek(0)
    other = mine.Sequential(mine.Conv2d(1, 2, 3), mine.BatchNorm2d(2), mine.LSTM(2, 2))
    other.load_state_dict(nbmodule.load(file))
    assert np.array_equal(other[0].weight.detach().numpy(), net[0].weight.detach().numpy())
    ours = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.LSTM(2, 2))
    ours.load_state_dict(net.state_dict())


def test_prune_and_parametrize_know_carried_modules(mine):
    ways, prune = mine.utils.parametrizations, mine.utils.prune
    layers = [
        prune.l1_unstructured(mine.Linear(4, 4), "weight", 0.5),
        ways.weight_norm(mine.Linear(4, 4)),
        ways.spectral_norm(mine.Linear(4, 4)),
    ]
    net = mine.Sequential(*layers)
    net(nbmodule.ones(2, 4)).sum().backward()
    assert all(isinstance(part, mine.so_far) for part in net.modules())
    assert "1.parametrizations.weight.original0" in net.state_dict()
    assert mine.utils.parametrize.is_parametrized(net[1])
    mine.utils.parametrize.remove_parametrizations(net[1], "weight")
    assert not hasattr(net[1], "parametrizations")
    prune.remove(net[0], "weight")
    assert net[0](nbmodule.ones(1, 4)).shape == (1, 4)


def test_nothing_of_nbmodule_has_changed(mine, monkeypatch, tmp_path):
    monkeypatch.setenv(kept_file.ENVIRONMENT, str(tmp_path / "my_module.py"))
    before = dict(vars(nn))
    carried(chapter="99")
    assert vars(nn) == before
    assert isinstance(nn.Linear(1, 1), nn.Module)
    assert nn.modules.linear.Module is nn.Module
