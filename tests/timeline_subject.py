"""A pass with something of everything, for the tests of the timeline."""

from __future__ import annotations

from typing import Any

import nbmodule
import nbmodule_widgets as nw
from nbmodule import nn


class Net(nn.Module):
    """Hooks that change and hooks that look, a call past the hooks, a layer used twice, one never called."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 5), nn.ReLU())
        self.again = nn.Linear(5, 5)
        self.head = nn.Linear(5, 3)
        self.spare = nn.Linear(1, 1)
        self.body[0].register_forward_hook(lambda module, args, output: output * 2)
        self.body[0].register_forward_hook(lambda module, args, output: None)
        self.head.register_forward_hook(look)

    def forward(self, x: Any) -> Any:
        x = self.again(self.again(self.body(x)))
        return self.head(x) + self.head.forward(x)


def look(module: Any, args: Any, output: Any) -> None:
    """A hook that changes nothing."""


def timeline(**more: Any) -> Any:
    nbmodule.manual_seed(0)
    return nw.trace(Net(), nbmodule.ones(2, 4), loss=lambda y: (y * y).mean(), **more)
