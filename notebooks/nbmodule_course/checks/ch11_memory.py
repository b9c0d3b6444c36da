"""Chapter 11, its last exercise: models of many kinds, and the memory that they take."""

from __future__ import annotations

import nbmodule
from nbmodule import nn

from ..exercise import Exercise

counting = Exercise(
    "11.5",
    title="Count the bytes",
    takes=("memory",),
    minutes=8,
    importance="useful",
    writes=("memory",),
    hints=(
        "Collect all the tensors in a list first: Parameters, buffers and gradients. Then go through the list.",
        "`t.numel() * t.element_size()` is the number of bytes. A place is the pair `(t.device.type, t.dtype)`, and `found.get(place, 0)` gives 0 for a new one.",
        "`tensors = [*model.parameters(), *model.buffers()]`, then the gradients that aren't None. In the loop, skip `t.is_meta`, and "
        "`found[place] = found.get(place, 0) + t.numel() * t.element_size()`.",
    ),
)


def _net(*, half: bool = False, shared: bool = False, grad: bool = False) -> nn.Module:
    net = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.Sequential(nn.Linear(3, 4)))
    if grad:
        net(nbmodule.ones(2, 4)).sum().backward()
    if half:
        net[0].half()
    if shared:
        net.again, net.weight, net[2].mean = net[0], net[0].weight, net[1].running_mean
    return net


counting.compare_calls(
    "each place has its bytes",
    {
        "memory(nn.Linear(4, 3))": lambda: (nn.Linear(4, 3),),
        "memory(nn.ReLU())": lambda: (nn.ReLU(),),
        "memory(nn.BatchNorm1d(3))": lambda: (nn.BatchNorm1d(3),),
        "memory(net)  # two Linears and a BatchNorm1d": lambda: (_net(),),
        "memory(net)  # the same, and its first Linear is in float16": lambda: (_net(half=True),),
    },
)
counting.compare_calls(
    "nothing is counted twice, and gradients count",
    {
        "memory(net)  # its first Linear and a buffer have a second name": lambda: (
            _net(shared=True),
        ),
        "memory(net)  # after `backward`": lambda: (_net(grad=True),),
        "memory(net)  # after `backward`, and its first Linear is in float16": lambda: (
            _net(grad=True, half=True),
        ),
    },
)
counting.compare_calls(
    "on meta there's nothing to count",
    {
        'memory(nn.Linear(4, 3, device="meta"))': lambda: (nn.Linear(4, 3, device="meta"),),
        'memory(nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2, device="meta")))': lambda: (
            nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2, device="meta")),
        ),
    },
)
