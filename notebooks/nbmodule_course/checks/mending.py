"""What the checks of the Clinic use: small networks, files with prefixes, and lines about them."""

from __future__ import annotations

import warnings
import weakref
from collections import OrderedDict
from typing import Any

import nbmodule as torch
from nbmodule import nn
from nbmodule.nn import functional as F

from .lines import compiled, vocabulary

_MEANING = {
    "normed": "`normed` makes a network with BatchNorm, `plain` one without",
    "plain": "`plain` makes a Linear layer",
    "x": "`x` and `y` are random numbers",
    "evaluated": "`evaluated` is the loss in eval mode",
    "modes": "`modes` is the mode of the BatchNorm in each pass that goes backward",
    "gradients": "`gradients` counts the gradients that the body's Parameters get",
    "kept": "`kept` is what keeps the graph of a step when the step is over",
    "body": "`body` is everything but the head",
    "wrapped": '`wrapped(3)` has the prefix "module." three times',
    "deep": '`deep` is a network whose child is called "module"',
    "inner": '`inner` has such a network as its child "sub"',
    "rows": "`rows` are three rows, and the second one is zero",
    "slope": "`slope` is the gradient of `(f(rows) * weights).sum()` at `rows`",
    "watched": "`watched` is the same with anomaly detection, which raises at the first NaN",
    "number": "`number` rounds a number or a tensor with one",
    "tried": "`tried` names the exception",
}


class _Net(nn.Module):
    """A body with BatchNorm, and a head for two classes."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU())
        self.head = nn.Linear(4, 2)

    def forward(self, x: Any) -> Any:
        return self.head(self.body(x))


class _Deep(nn.Module):
    """A network that has a child of the name that a wrapper would give."""

    def __init__(self) -> None:
        super().__init__()
        self.module = nn.Linear(2, 1)


def _inner() -> nn.Module:
    return nn.Sequential(OrderedDict(sub=_Deep()))


def _normed() -> nn.Module:
    return nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))


def _plain() -> nn.Module:
    return nn.Linear(3, 1)


def _evaluated(net: nn.Module, x: Any, y: Any) -> float:
    net.eval()
    with torch.no_grad():
        return round(F.mse_loss(net(x), y).item(), 4)


def _body(net: Any) -> dict[str, Any]:
    return {name: value.clone() for name, value in net.body.state_dict().items()}


def _modes(fit_best: Any, rates: list[float], x: Any, y: Any) -> list[bool]:
    """Note the mode in which each pass ran that a gradient comes back to."""
    net: Any = _normed()
    seen: list[bool] = []

    def look(norm: nn.Module, args: Any, output: Any) -> None:
        mode = norm.training
        if output.requires_grad:
            output.register_hook(lambda _: seen.append(mode))

    net[1].register_forward_hook(look)
    fit_best(net, x, y, rates)
    return seen


def _gradients(fine_tune: Any, x: Any, kinds: Any) -> int:
    net, seen = _Net(), []
    for p in net.body.parameters():
        p.register_hook(lambda _: seen.append(1))
    fine_tune(net, x, kinds, 3)
    return len(seen)


def _kept(log_class: Any, x: Any) -> str:
    """Let a step go, and see whether something of its graph is left while the log is there."""
    net, nodes = nn.Sequential(nn.Linear(3, 2), nn.Linear(2, 1)), []
    for layer in net:
        layer.register_forward_hook(lambda m, args, out: nodes.append(_weak(out.grad_fn)))
    log = log_class(net)
    loss = (net(x) ** 2).mean()
    log.update(loss)
    nodes.append(_weak(loss.grad_fn))
    del loss
    left = any(node() is not None for node in nodes)
    return f"the {type(log).__name__}" if left else "nothing"


def _weak(node: Any) -> Any:
    return weakref.ref(node) if node is not None else lambda: None


def _wrapped(times: int, net: nn.Module | None = None) -> dict[str, Any]:
    state = (net or nn.Linear(2, 1)).state_dict()
    return {"module." * times + name: value for name, value in state.items()}


def _slope(unit: Any) -> Any:
    rows = _ROWS.clone().requires_grad_()
    (unit(rows) * torch.tensor([[1.0, 2.0]])).sum().backward()
    return rows.grad


def _watched(unit: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with torch.autograd.detect_anomaly():
            return _slope(unit)


def _number(value: Any) -> float:
    return round(value.item() if isinstance(value, torch.Tensor) else float(value), 4)


def _tried(call: Any) -> str:
    try:
        return repr(call())
    except Exception as error:
        return type(error).__name__


_ROWS = torch.tensor([[3.0, 4.0], [0.0, 0.0], [-1.0, 0.5]])
_WORDS = {
    "torch": torch,
    "nn": nn,
    "normed": _normed,
    "plain": _plain,
    "Net": _Net,
    "modes": _modes,
    "gradients": _gradients,
    "kept": _kept,
    "evaluated": _evaluated,
    "body": _body,
    "wrapped": _wrapped,
    "deep": _Deep,
    "inner": _inner,
    "slope": _slope,
    "watched": _watched,
    "number": _number,
    "tried": _tried,
}


def _value_of(text: str, given: Any) -> Any:
    before, last = compiled(text)
    torch.manual_seed(0)
    names = {given.__name__: given, **_WORDS, "rows": _ROWS.clone(), "x": 2 + torch.randn(12, 3)}
    names["y"] = names["x"].sum(1, keepdim=True)
    names["kinds"] = (names["x"][:, 0] > 2).long() + (names["x"][:, 1] > 2).long()
    with torch.enable_grad():
        exec(before, names)
        return eval(last, names)


uses = vocabulary(_MEANING, _value_of)
