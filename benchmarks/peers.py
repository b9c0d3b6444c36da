"""The workloads in NumPy by hand, in MyGrad and in autograd: with the same weights, inputs and losses.

The networks are read off nbmodule's modules, and their weights are copied. What a peer has no operation for, it
leaves out of the race.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
from types import ModuleType
from typing import Any

import numpy as np
from by_hand.networks import StepByHand, modules, update_of
from harness import Prepare, Work
from networks import Workload

import nbmodule

NAMES = ["by hand", "mygrad", "autograd"]
TOLERANCE = 1e-4


def installed() -> list[ModuleType]:
    """Return the peers that are there and tell their version."""
    return [importlib.import_module(name) for name in ("mygrad",) if importlib.util.find_spec(name)]


def missing() -> list[str]:
    names = ("torch", "mygrad", "autograd")
    return [f"{name}: not installed" for name in names if not importlib.util.find_spec(name)]


def works(prepare: Prepare) -> dict[str, Work]:
    """Return a workload's step in each peer that can do it."""
    kinds = {"by hand": StepByHand, "mygrad": MyGradStep, "autograd": AutogradStep}
    found = {}
    for name, kind in kinds.items():
        if name == "by hand" or importlib.util.find_spec(name):
            with contextlib.suppress(NotImplementedError):
                found[name] = kind(seeded(prepare, nbmodule))
    return found


def seeded(prepare: Prepare, library: ModuleType) -> Any:
    library.manual_seed(0)
    return prepare(library)


def check_that_losses_agree(prepare: Prepare, libraries: list[ModuleType]) -> None:
    """Compare the losses of two steps, between which all weights are updated; nothing is dropped.

    Raises:
        ValueError: they differ.
    """

    def certain(library: ModuleType) -> Workload:
        workload = seeded(prepare, library)
        for m in workload.net.modules():
            if type(m).__name__ == "Dropout":
                m.p = 0.0
        sgd = library.optim.SGD(workload.net.parameters(), lr=0.1)
        workload.optimizer = workload.optimizer or sgd
        return workload

    steps: dict[str, Work] = {library.__name__: certain(library) for library in libraries}
    steps |= works(certain)
    losses = {name: [number(step()) for _ in range(2)] for name, step in steps.items()}
    for name, found in losses.items():
        if not np.allclose(found, losses["nbmodule"], rtol=TOLERANCE):
            raise ValueError(f"{name} computes other losses: {losses}")


def number(loss: Any) -> float:
    return loss.item() if hasattr(loss, "item") else loss


class PeerStep:
    """Forward, backward and update in a library whose operations are functions named as NumPy's."""

    np: Any

    def __init__(self, workload: Workload) -> None:
        self.labels = None if workload.y is None else workload.y.numpy()
        self.layers = modules(workload.net)
        self.x = self.tensor(workload.x.detach().numpy().copy())
        self.to_input = workload.x.requires_grad
        named = workload.net.named_parameters()
        self.weights = {name: self.tensor(p.detach().numpy().copy()) for name, p in named}
        for _, m in self.layers:
            self.supported(m)
        arrays = [self.array(w).reshape(-1) for w in self.weights.values()]
        self.update = update_of(workload.optimizer, arrays)

    def tensor(self, array: Any) -> Any:
        return array

    def array(self, tensor: Any) -> Any:
        return tensor

    def supported(self, m: Any) -> None:
        """Raise NotImplementedError if there is no operation for module `m`."""
        if not hasattr(self, type(m).__name__):
            raise NotImplementedError

    def loss(self, weights: dict[str, Any], x: Any) -> Any:
        for name, m in self.layers:
            own = {k.removeprefix(f"{name}."): w for k, w in weights.items() if not name or k.startswith(f"{name}.")}  # fmt: skip
            x = getattr(self, type(m).__name__)(m, x, **own)
        if self.labels is None:
            return self.np.mean(x * x)
        return self.cross_entropy(x, self.labels)

    def cross_entropy(self, logits: Any, labels: Any) -> Any:
        shifted = logits - self.np.max(logits, axis=1, keepdims=True)
        logs = shifted - self.np.log(self.np.sum(self.np.exp(shifted), axis=1, keepdims=True))
        return -self.np.mean(logs[np.arange(len(labels)), labels])

    def Linear(self, m: Any, x: Any, weight: Any, bias: Any) -> Any:
        return self.np.matmul(x, self.np.transpose(weight)) + bias

    def ReLU(self, m: Any, x: Any) -> Any:
        return self.np.maximum(x, np.float32(0))

    def Flatten(self, m: Any, x: Any) -> Any:
        return self.np.reshape(x, (x.shape[0], -1))

    def AdaptiveAvgPool2d(self, m: Any, x: Any) -> Any:
        return x  # it has that size

    def Dropout(self, m: Any, x: Any) -> Any:
        keep = np.random.default_rng().random(x.shape, np.float32) >= m.p
        return x * (keep / np.float32(1 - m.p))

    def layer_norm(self, x: Any, weight: Any, bias: Any) -> Any:
        centred = x - self.np.mean(x, axis=-1, keepdims=True)
        variance = self.np.mean(centred * centred, axis=-1, keepdims=True)
        return centred / self.np.sqrt(variance + np.float32(1e-5)) * weight + bias

    def TransformerEncoderLayer(self, m: Any, x: Any, **w: Any) -> Any:
        batch, length, features = x.shape
        heads = m.self_attn.num_heads
        normed = self.layer_norm(x, w["norm1.weight"], w["norm1.bias"])
        qkv = self.Linear(m, normed, w["self_attn.in_proj_weight"], w["self_attn.in_proj_bias"])
        parts = self.np.reshape(qkv, (batch, length, 3, heads, features // heads))
        q, k, v = (self.np.transpose(parts[:, :, i], (0, 2, 1, 3)) for i in range(3))
        scores = self.np.matmul(q * np.float32((features // heads) ** -0.5), self.np.transpose(k, (0, 1, 3, 2)))  # fmt: skip
        powers = self.np.exp(scores - self.np.max(scores, axis=-1, keepdims=True))
        attention = powers / self.np.sum(powers, axis=-1, keepdims=True)
        together = self.np.transpose(self.np.matmul(attention, v), (0, 2, 1, 3))
        out = self.np.reshape(together, (batch, length, features))
        x = x + self.Linear(m, out, w["self_attn.out_proj.weight"], w["self_attn.out_proj.bias"])
        normed = self.layer_norm(x, w["norm2.weight"], w["norm2.bias"])
        hidden = self.ReLU(m, self.Linear(m, normed, w["linear1.weight"], w["linear1.bias"]))
        return x + self.Linear(m, hidden, w["linear2.weight"], w["linear2.bias"])


class MyGradStep(PeerStep):
    """With the layers of `mygrad.nnet`, and without the guard that makes arrays in a graph read-only."""

    def __init__(self, workload: Workload) -> None:
        self.np = mygrad = importlib.import_module("mygrad")
        self.nnet: Any = importlib.import_module("mygrad.nnet")
        mygrad.turn_memory_guarding_off()
        super().__init__(workload)
        if not self.to_input:
            self.x = self.array(self.x)

    def __call__(self) -> Any:
        for tensor in (*self.weights.values(), self.x):
            if hasattr(tensor, "null_grad"):
                tensor.null_grad()
        loss = self.loss(self.weights, self.x)
        loss.backward()
        self.update([w.grad.reshape(-1) for w in self.weights.values()])
        return loss

    def supported(self, m: Any) -> None:
        super().supported(m)
        if getattr(m, "stride", 1) == (4, 4):
            raise NotImplementedError("its windows have to cover the whole picture")

    def tensor(self, array: Any) -> Any:
        return self.np.tensor(array)

    def array(self, tensor: Any) -> Any:
        return tensor.data

    def cross_entropy(self, logits: Any, labels: Any) -> Any:
        return self.nnet.softmax_crossentropy(logits, labels)

    def ReLU(self, m: Any, x: Any) -> Any:
        return self.nnet.relu(x)

    def Conv2d(self, m: Any, x: Any, weight: Any, bias: Any) -> Any:
        y = self.nnet.conv_nd(x, weight, stride=m.stride, padding=m.padding)
        return y + self.np.reshape(bias, (-1, 1, 1))

    def MaxPool2d(self, m: Any, x: Any) -> Any:
        return self.nnet.max_pool(x, (m.kernel_size, m.kernel_size), m.stride)

    def BatchNorm2d(self, m: Any, x: Any, weight: Any, bias: Any) -> Any:
        return self.nnet.batchnorm(x, gamma=weight, beta=bias, eps=m.eps)


class AutogradStep(PeerStep):
    """With `autograd.numpy`. It has no layers: a convolution is a sum of products over the kernel's places."""

    def __init__(self, workload: Workload) -> None:
        self.np: Any = importlib.import_module("autograd.numpy")
        super().__init__(workload)
        autograd: Any = importlib.import_module("autograd")
        wanted = (0, 1) if self.to_input else (0,)
        self.loss_and_grads = autograd.differential_operators.value_and_grad(self.loss, wanted)

    def __call__(self) -> Any:
        loss, (grads, *_) = self.loss_and_grads(self.weights, self.x)
        self.update([grad.reshape(-1) for grad in grads.values()])
        return loss

    def supported(self, m: Any) -> None:
        super().supported(m)
        if type(m).__name__ == "MaxPool2d" and m.kernel_size != m.stride:
            raise NotImplementedError("its windows overlap")

    def Conv2d(self, m: Any, x: Any, weight: Any, bias: Any) -> Any:
        (padding, _), (_, _, kh, kw) = m.padding, weight.shape
        if padding:
            x = self.np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)), "constant")
        oh, ow = x.shape[2] - kh + 1, x.shape[3] - kw + 1
        x = self.np.transpose(x, (0, 2, 3, 1))
        total = bias
        for i in range(kh):
            for j in range(kw):
                taps = self.np.transpose(weight[:, :, i, j])
                total = total + self.np.matmul(x[:, i : i + oh, j : j + ow], taps)
        return self.np.transpose(total, (0, 3, 1, 2))

    def MaxPool2d(self, m: Any, x: Any) -> Any:
        n, c, h, w = x.shape
        k = m.kernel_size
        return self.np.max(self.np.reshape(x, (n, c, h // k, k, w // k, k)), axis=(3, 5))

    def BatchNorm2d(self, m: Any, x: Any, weight: Any, bias: Any) -> Any:
        centred = x - self.np.mean(x, axis=(0, 2, 3), keepdims=True)
        variance = self.np.mean(centred * centred, axis=(0, 2, 3), keepdims=True)
        scale = self.np.reshape(weight, (1, -1, 1, 1)) / self.np.sqrt(variance + np.float32(m.eps))
        return centred * scale + self.np.reshape(bias, (1, -1, 1, 1))

    def LSTM(self, m: Any, x: Any, **w: Any) -> Any:
        def sigmoid(z: Any) -> Any:
            return (self.np.tanh(z / 2) + 1) / 2

        h = c = np.zeros((len(x), m.hidden_size), np.float32)
        into = self.np.transpose(w["weight_ih_l0"])
        onward, bias = self.np.transpose(w["weight_hh_l0"]), w["bias_ih_l0"] + w["bias_hh_l0"]
        found = []
        for t in range(x.shape[1]):
            z = self.np.matmul(x[:, t], into) + self.np.matmul(h, onward) + bias
            i, f, g, o = (z[:, k * m.hidden_size : (k + 1) * m.hidden_size] for k in range(4))
            c = sigmoid(f) * c + sigmoid(i) * self.np.tanh(g)
            h = sigmoid(o) * self.np.tanh(c)
            found.append(h)
        return self.np.stack(found)
