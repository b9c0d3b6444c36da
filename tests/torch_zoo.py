"""Models of PyTorch as they come in practice: quantised, compiled, wrapped, pruned, with state of their own.

Each row of `ZOO` makes one, and what it is run on: None where it cannot be run here, or not twice in the same way.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

Made = tuple[Any, Any]


def _torch() -> Any:
    return sys.modules["torch"]


def small() -> Any:
    nn = _torch().nn
    body = nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.Dropout(0.1), nn.Flatten()
    return nn.Sequential(*body, nn.Linear(2 * 4 * 4, 3))


def picture() -> Any:
    return _torch().randn(2, 1, 6, 6)


def quantized() -> Made:
    """Packed weights, which no drawer holds."""
    torch = _torch()
    nn, quantization = torch.nn, importlib.import_module("torch.ao.quantization")
    model = nn.Sequential(nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 2))
    return quantization.quantize_dynamic(model, {nn.Linear}), torch.randn(3, 8)


def half_scripted() -> Made:
    """A program among Modules."""
    torch = _torch()
    nn = torch.nn
    first = torch.jit.script(nn.Linear(4, 4))
    return nn.Sequential(first, nn.Dropout(), nn.Linear(4, 2)), torch.randn(3, 4)


def scripted() -> Made:
    return _torch().jit.script(small()), picture()


def traced() -> Made:
    return _torch().jit.trace(small().eval(), picture()), picture()


def compiled() -> Made:
    return _torch().compile(small(), backend="eager"), picture()


def lazy() -> Made:
    nn = _torch().nn
    return nn.Sequential(nn.LazyLinear(4), nn.LazyBatchNorm1d()), None


def weight_normed() -> Made:
    """The old way and the new one, beside what prunes."""
    torch = _torch()
    nn, ways = torch.nn, importlib.import_module("torch.nn.utils.parametrizations")
    prune = importlib.import_module("torch.nn.utils.prune")
    pruned = prune.l1_unstructured(nn.Linear(4, 4), "weight", 0.5)
    old = nn.utils.weight_norm(nn.Linear(4, 4)), nn.utils.spectral_norm(nn.Linear(4, 4))
    new = ways.weight_norm(nn.Linear(4, 4)), ways.spectral_norm(nn.Linear(4, 4))
    return nn.Sequential(*old, *new, pruned), torch.randn(3, 4)


def data_parallel() -> Made:
    return _torch().nn.DataParallel(small()), picture()


def attention() -> Made:
    torch = _torch()

    class Attending(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.heads = torch.nn.MultiheadAttention(8, 2, batch_first=True)

        def forward(self, x: Any) -> Any:
            return self.heads(x, x, x)[0]

    return Attending(), torch.randn(2, 3, 8)


def recurrent() -> Made:
    return _torch().nn.LSTM(4, 5, 2, bidirectional=True), _torch().randn(5, 3, 4)


def with_state_of_its_own() -> Made:
    """Counts in `asked` how often its methods were run; its hook in `seen` outside of it."""
    torch = _torch()
    nn = torch.nn

    class Extra(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.lin, self.asked = nn.Linear(2, 2), []

        def get_extra_state(self) -> Any:
            self.asked.append("get_extra_state")
            return {"count": 3}

        def set_extra_state(self, state: Any) -> None: ...

        def forward(self, x: Any) -> Any:
            return self.lin(x)

    class Saves(Extra):
        def __init__(self) -> None:
            super().__init__()
            self.table = torch.ones(3)

        def _save_to_state_dict(self, into: Any, prefix: str, keep: bool) -> None:
            self.asked.append("_save_to_state_dict")
            super()._save_to_state_dict(into, prefix, keep)
            into[prefix + "table"] = self.table

        def _load_from_state_dict(self, state: Any, prefix: str, *rest: Any) -> None:
            self.table = state.pop(prefix + "table")
            super()._load_from_state_dict(state, prefix, *rest)

    model, seen = nn.Sequential(Extra(), Saves()), []
    model._register_state_dict_hook(lambda module, state, *rest: seen.append(len(state)))
    model.seen = seen
    return model, torch.randn(4, 2)


def switching_by_itself() -> Made:
    """Its own `train()` keeps a batch norm in eval mode; one layer stands idle, one frozen; hooks of all kinds."""
    torch = _torch()
    nn = torch.nn

    class Own(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.lin, self.drop, self.idle = nn.Linear(3, 3), nn.Dropout(), nn.Linear(3, 3)
            self.frozen, self.norm = nn.Linear(3, 3).requires_grad_(False), nn.BatchNorm1d(3).eval()

        def train(self, mode: bool = True) -> Any:
            super().train(mode)
            self.norm.eval()
            return self

        def forward(self, x: Any) -> Any:
            return self.norm(self.drop(self.frozen(self.lin(x))))

    model = Own()
    model.lin.register_forward_hook(lambda *given: None)
    model.lin.register_full_backward_pre_hook(lambda module, given: None)
    model.lin.weight.register_post_accumulate_grad_hook(lambda parameter: None)
    return model, torch.randn(4, 3)


def with_low_rank() -> Made:
    """Frozen layers with small ones beside them, whose second half is zero; the rest is asked of the layer."""
    torch = _torch()
    nn = torch.nn

    class Beside(nn.Module):
        def __init__(self, base: Any) -> None:
            super().__init__()
            self.base, self.drop = base.requires_grad_(False), nn.Dropout(0.1)
            self.down = nn.Parameter(torch.randn(2, base.in_features))
            self.up = nn.Parameter(torch.zeros(base.out_features, 2))

        def __getattr__(self, name: str) -> Any:
            try:
                return super().__getattr__(name)
            except AttributeError:
                return getattr(super().__getattr__("base"), name)

        def forward(self, x: Any) -> Any:
            return self.base(x) + self.drop(x) @ self.down.T @ self.up.T

    return nn.Sequential(Beside(nn.Linear(6, 5)), Beside(nn.Linear(5, 4))), torch.randn(3, 6)


def with_plain_tensors() -> Made:
    torch = _torch()
    nn = torch.nn

    class Holding(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.lin = nn.Linear(2, 2)
            self.mean, self.again = torch.zeros(3), self.lin.weight
            self.cache = [torch.ones(2), torch.ones(2)]
            self.by_name = {"bias": self.lin.bias, "own": nn.Parameter(torch.ones(1))}

        def forward(self, x: Any) -> Any:
            return self.lin(x)

    return Holding(), torch.randn(4, 2)


ZOO: tuple[Callable[[], Made], ...] = (
    quantized,
    scripted,
    traced,
    half_scripted,
    compiled,
    lazy,
    weight_normed,
    data_parallel,
    attention,
    recurrent,
    with_state_of_its_own,
    with_plain_tensors,
    switching_by_itself,
    with_low_rank,
)
