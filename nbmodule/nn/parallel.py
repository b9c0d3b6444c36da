"""The wrapper of programs that share a batch among several GPUs. There is one place to compute here.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.DataParallel.html
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._device import device
from .modules.module import Module

__all__ = ["DataParallel"]


class DataParallel(Module):
    """Calls `module`, as PyTorch's does on a machine without GPUs; names of parameters begin with "module.".

    Programs wrap their model in it when they find several GPUs, and files of theirs have such names:
    ``DataParallel(model).load_state_dict(...)`` reads them.

    Args:
        module: what is called.
        device_ids: on which devices. The module stays where it is.
        output_device: where results would be gathered.
        dim: which dimension would be shared among devices.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.DataParallel.html

    Example:
        >>> import nbmodule as torch
        >>> net = torch.nn.DataParallel(torch.nn.Linear(2, 3), device_ids=[0, 1])
        >>> net(torch.ones(4, 2)).shape, list(net.state_dict()), net.device_ids
        (nbmodule.Size([4, 3]), ['module.weight', 'module.bias'], [])
    """

    module: Module
    device_ids: list[int]

    def __init__(self, module: Module, device_ids: Sequence[int | device] | None = None, output_device: int | device | None = None, dim: int = 0) -> None:  # fmt: skip
        super().__init__()
        self.module = module
        self.device_ids = []

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Return what the module makes of the inputs."""
        return self.module(*inputs, **kwargs)
