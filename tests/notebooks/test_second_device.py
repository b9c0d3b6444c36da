"""A pretended device keeps the rules of a GPU: what is on it computes there, and meets nothing else."""

import copy
import sys

import pytest

import nbmodule
from nbmodule import nn
from nbmodule.nn import functional as F
from nbmodule_course import second_device

pytestmark = pytest.mark.skipif(nbmodule.cuda.is_available(), reason="this machine has a real one")


def trained(device):
    """Return the losses of a small network that learns on a device."""
    nbmodule.manual_seed(0)
    layers = nn.Conv2d(1, 4, 5), nn.ReLU(), nn.Flatten(), nn.BatchNorm1d(64), nn.Linear(64, 8)
    model, x = nn.Sequential(*layers).to(device), nbmodule.randn(8, 1, 8, 8).to(device)
    sgd, y = nbmodule.optim.SGD(model.parameters(), lr=0.1, momentum=0.9), nbmodule.arange(8)
    losses = []
    for _ in range(3):
        sgd.zero_grad()
        loss = F.cross_entropy(model(x), y.to(device))
        loss.backward()
        sgd.step()
        losses.append(loss.item())
    assert copy.deepcopy(model).half()[0].weight.device == model[0].weight.grad.device == device
    return losses


def test_a_network_learns_there_as_on_the_cpu():
    with second_device() as device:
        there = trained(device)
    assert there == pytest.approx(trained(nbmodule.device("cpu")), rel=1e-4)
    assert not nbmodule.cuda.is_available()
    assert "cupy" not in sys.modules or sys.modules["cupy"].__file__


def test_it_meets_nothing_else():
    with second_device() as device:
        x = nbmodule.ones(2).to(device)
        with pytest.raises(RuntimeError, match="at least two devices"):
            x + nbmodule.ones(2)
        with pytest.raises(TypeError, match=r"cuda:0 device type tensor"):
            x.numpy()
        assert x.cpu().tolist() == [1, 1]
    with pytest.raises(AssertionError), second_device() as device:  # an error inside ends it too
        raise AssertionError
    assert not nbmodule.cuda.is_available()
