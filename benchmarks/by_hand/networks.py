"""Make a step by hand of a workload: its layers are read off nbmodule's modules, its weights copied."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from by_hand import convolutions, layers, sequences
from by_hand.layers import Array, Layer

ORDERS: dict[type[convolutions.Convolution], tuple[int, int, int, int]] = {
    convolutions.BatchLast: (1, 2, 3, 0),
    convolutions.ChannelsLast: (0, 2, 3, 1),
    convolutions.SampleBySample: (0, 1, 2, 3),
}
"""Where each kind of convolution has PyTorch's axes (sample, channel, height, width)."""


class StepByHand:
    """Forward, backward and, where the workload has one, the update."""

    def __init__(self, workload: Any) -> None:
        net, x = workload.net, workload.x.detach().numpy()
        self.labels = None if workload.y is None else workload.y.numpy()
        kind = fastest_convolution(net, len(x))
        self.order = ORDERS[kind]
        self.x = np.ascontiguousarray(x.transpose(self.order)) if x.ndim == 4 else x.copy()
        self.layers = [made for name, m in modules(net) for made in layer(name, m, len(x), kind)]
        if not workload.x.requires_grad:
            next(part for _, part in self.layers if part.weights).first = True
        parts = [part for _, part in self.layers]
        weights = [w.ravel("K") for part in parts for w in part.weights.values()]
        self.grads = [g.ravel("K") for part in parts for g in part.grads.values()]
        self.update = update_of(workload.optimizer, weights)

    def __call__(self) -> float:
        y = self.x
        for _, part in self.layers:
            y = part.forward(y)
        loss, grad = layers.mean_of_squares(y) if self.labels is None else layers.cross_entropy(y, self.labels)  # fmt: skip
        for _, part in reversed(self.layers):
            grad = part.backward(grad)
        self.input_grad = grad
        self.update(self.grads)
        return loss

    def gradients(self) -> dict[str, Array]:
        """Return the gradients under the names of nbmodule's parameters."""
        return {
            f"{name}.{which}" if name else which: grad
            for name, part in self.layers
            for which, grad in part.grads.items()
        }


def modules(net: Any) -> list[tuple[str, Any]]:
    """Return the layers of a Sequential with their names, or the network itself."""
    found = list(net.named_children())
    return found if type(net).__name__ == "Sequential" else [("", net)]


def fastest_convolution(net: Any, samples: int) -> type[convolutions.Convolution]:
    """Return the kind for a network: as measured on these workloads."""
    if any(getattr(m, "stride", 1) == (4, 4) for m in net.modules()):
        return convolutions.ChannelsLast
    has_pooling = any(type(m).__name__ == "MaxPool2d" for m in net.modules())
    return convolutions.BatchLast if has_pooling and samples >= 48 else convolutions.SampleBySample


def layer(name: str, m: Any, rows: int, convolution: Any) -> list[tuple[str, Layer]]:
    """Return the layer that does by hand what module `m` does; none if there is nothing to do."""
    weights = {which: value.detach().numpy() for which, value in m.named_parameters()}
    order = ORDERS[convolution]
    height, width = order.index(2), order.index(3)
    match type(m).__name__:
        case "Linear":
            few = 2 <= rows <= 16 and m.weight.numel() > 1_000_000
            made = (layers.LinearOfFewRows if few else layers.Linear)(**weights)
        case "ReLU":
            made = layers.ReLU()
        case "Conv2d":
            made = convolution(**weights, stride=m.stride[0], padding=m.padding[0])
        case "MaxPool2d":
            made = layers.MaxPool(height, width, m.kernel_size, m.stride)
        case "Flatten":
            made = layers.Flatten((order.index(0), order.index(1), height, width))
        case "BatchNorm2d":
            made = layers.BatchNorm(**weights)
        case "Dropout":
            made = layers.Dropout(m.p)
        case "TransformerEncoderLayer":
            made = sequences.TransformerBlock(m.self_attn.num_heads, **weights)
        case "LSTM":
            made = sequences.LSTM(**weights)
        case "AdaptiveAvgPool2d":  # ZebraNet's pictures have that size already
            return []
        case other:
            raise NotImplementedError(f"{other} is not written by hand")
    return [(name, made)]


BLOCK = 65536
"""Numbers of a weight that are updated at once, so that all that belongs to them stays in the cache."""

Update = Callable[[list[Array]], None]


def update_of(optimizer: Any, weights: list[Array]) -> Update:
    """Return the function of the gradients that updates `weights`, all flat, as nbmodule's optimizer does."""
    if optimizer is None:
        return lambda grads: None
    kind = {"SGD": descend, "Adam": adam}[type(optimizer).__name__]
    return kind(weights, optimizer.param_groups[0]["lr"])


def descend(weights: list[Array], lr: float) -> Update:
    """Descend: w -= lr grad."""
    rate, room = np.float32(lr), np.empty(BLOCK, np.float32)

    def update(grads: list[Array]) -> None:
        for weight, grad in zip(weights, grads, strict=True):
            for w, g in blocks(weight, grad):
                np.subtract(w, np.multiply(g, rate, out=room[: w.size]), out=w)

    return update


def blocks(*arrays: Array) -> list[tuple[Array, ...]]:
    size = arrays[0].size
    if size <= BLOCK:
        return [arrays]
    return [tuple(a[i : i + BLOCK] for a in arrays) for i in range(0, size, BLOCK)]


def adam(weights: list[Array], lr: float, beta1: float = 0.9, beta2: float = 0.999) -> Update:
    """Adam: w -= lr m' / (sqrt(v') + eps), with means m of the gradients and v of their squares."""
    means = [(np.zeros_like(w), np.zeros_like(w)) for w in weights]
    room, steps = np.empty(BLOCK, np.float32), 0

    def update(grads: list[Array]) -> None:
        nonlocal steps
        steps += 1
        correction1, correction2 = 1 - beta1**steps, (1 - beta2**steps) ** 0.5
        for weight, grad, (mean, square) in zip(weights, grads, means, strict=True):
            for w, g, m, v in blocks(weight, grad, mean, square):
                part = np.subtract(g, m, out=room[: w.size])
                part *= 1 - beta1
                m += part
                np.multiply(g, g, out=part)
                part -= v
                part *= 1 - beta2
                v += part
                np.sqrt(v, out=part)
                part *= 1 / correction2
                part += 1e-8
                np.divide(m, part, out=part)
                part *= lr / correction1
                w -= part

    return update
