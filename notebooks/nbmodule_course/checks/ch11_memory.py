"""Chapter 11, its last exercise: models of many kinds, and the memory that they take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import nbmodule
from nbmodule import nn

from ..exercise import Exercise, expect
from ..second_device import second_device

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


def _net(
    *,
    half: bool = False,
    shared: bool = False,
    grad: bool = False,
    frozen: bool = False,
    unsaved: bool = False,
    part: bool = False,
    plain: bool = False,
) -> nn.Module:
    net = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.Sequential(nn.Linear(3, 4)))
    if grad:
        net(nbmodule.ones(2, 4)).sum().backward()
    if frozen:
        net[0].weight.requires_grad_(False)
    if half:
        net[0].half()
    if shared:
        net.again, net.weight = net[0], net[0].weight
        net[2].register_buffer("mean", net[1].running_mean)
    if part:
        net.register_buffer("first", nbmodule.ones(10)[:3])
    if plain:
        net.table = nbmodule.ones(7)
    if unsaved:
        net.register_buffer("mask", nbmodule.ones(5), persistent=False)
    return net


counting.compare_calls(
    "each place has its bytes",
    {
        "memory(nn.Linear(4, 3))": lambda: (nn.Linear(4, 3),),
        "memory(nn.ReLU())": lambda: (nn.ReLU(),),
        "memory(nn.BatchNorm1d(3))": lambda: (nn.BatchNorm1d(3),),
        "memory(net)  # two Linears and a BatchNorm1d": lambda: (_net(),),
        "memory(net)  # it has an ordinary tensor as an attribute": lambda: (_net(plain=True),),
        "memory(net)  # one of its buffers is the first three numbers of a longer tensor": lambda: (
            _net(part=True),
        ),
        "memory(net)  # it has a buffer with persistent=False": lambda: (_net(unsaved=True),),
        "memory(net)  # the same, and its first Linear is in float16": lambda: (_net(half=True),),
    },
)
counting.compare_calls(
    "nothing is counted twice, and gradients count",
    {
        "memory(net)  # its first Linear and a buffer have a second name": lambda: (
            _net(shared=True),
        ),
        "memory(net)  # the weight of its first Linear is frozen": lambda: (_net(frozen=True),),
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


@counting.sub("a second device is another place")
def _elsewhere(memory: Callable[[nn.Module], Any]) -> None:
    net = nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2))
    with second_device() as device:
        net[0].to(device)
        found = memory(net)
    here, there = ("cpu", nbmodule.float32), (device.type, nbmodule.float32)
    expect(
        found == {here: 32, there: 60},
        did=f"`memory(net)`, with its first Linear on a second device, gives `{found}`",
        real=f"it gives `{ {there: 60, here: 32} }`",
        likely="everything is counted for one device; ask each tensor for its `device.type`",
    )


_ALL, _SUM = (
    "[*model.parameters(), *model.buffers()]",
    "found[place] = found.get(place, 0) + t.numel() * t.element_size()",
)
_GRADS = "tensors += [param.grad for param in model.parameters() if param.grad is not None]"
# fmt: off
counting.wrongs(
    ("numbers", {"t.numel() * t.element_size()": "t.numel()"}, "the numbers are counted; multiply by `t.element_size()` to get bytes"),
    ("the whole storage", {"t.numel() * t.element_size()": "t.untyped_storage().nbytes()"}, "all of the memory behind a tensor is counted, even where the tensor is only a part of it; count `t.numel() * t.element_size()`"),
    ("ordinary tensors", {"found = {}": "tensors += [v for m in model.modules() for v in vars(m).values() if hasattr(v, 'numel')]\nfound = {}"}, "ordinary tensors are counted as well; count Parameters, buffers and gradients"),
    ("four bytes each", {"t.element_size()": "4"}, "each number is counted as 4 bytes; `t.element_size()` says how many it has"),
    ("tensors overwritten", {_SUM: "found[place] = t.numel() * t.element_size()"}, "only the last tensor in each place is counted; add to what is there"),
    ("no buffers", {_ALL: "[*model.parameters()]"}, "the buffers aren't counted"),
    ("no gradients", {_GRADS: ""}, "the gradients aren't counted"),
    ("gradients assumed", {_GRADS: "tensors += list(model.parameters())"}, "each Parameter is counted as if it had a gradient; `param.grad` may be None"),
    ("frozen left out", {_ALL: "[*(p for p in model.parameters() if p.requires_grad), *model.buffers()]"}, "frozen Parameters aren't counted, but they take memory as well"),
    ("meta counted", {"if not t.is_meta:": "if True:"}, "tensors on `meta` are counted; they take no memory"),
    ("every name", {_ALL: "[p for _, p in model.named_parameters(remove_duplicate=False)] + list(model.buffers())"}, "a shared Parameter is counted under each of its names"),
    ("every name of a buffer", {_ALL: "[*model.parameters(), *(b for _, b in model.named_buffers(remove_duplicate=False))]"}, "a shared buffer is counted under each of its names"),
    ("the saved state", {_ALL: "list(model.state_dict().values())"}, "the tensors of `state_dict()` are counted: shared ones come several times there, and buffers that aren't saved are missing"),
    ("always the CPU", {"t.device.type, t.dtype": "'cpu', t.dtype"}, "everything is counted for one device; ask each tensor for its `device.type`"),
    ("by dtype", {"t.device.type, t.dtype": "t.dtype"}, "the keys are dtypes alone; a place is a pair of the device's type and the dtype"),
    ("the device itself", {"t.device.type": "t.device"}, "the keys hold the device itself; take its `type`, which is a string"),
    ("dtype as a string", {"t.device.type, t.dtype": "t.device.type, str(t.dtype)"}, "the keys hold the dtype as a string; take the dtype itself"),
    ("one level", {_ALL: "[*model.parameters(recurse=False), *model.buffers(recurse=False)]"}, "only the model's own tensors are counted, without those below"),
)
# fmt: on
