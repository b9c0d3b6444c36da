"""Tensors of several devices in one operation: PyTorch's error, which names both; single numbers may cross."""

import pytest

import nbmodule
from nbmodule import nn
from nbmodule.nn import functional as F

MIXTURES = {
    "add": lambda a, b: a + b,
    "compare": lambda a, b: a == b,
    "matmul": lambda a, b: a @ b,
    "cat": lambda a, b: nbmodule.cat([a, b]),
    "stack": lambda a, b: nbmodule.stack([a, b]),
    "where": lambda a, b: nbmodule.where(a > 0, a, b),
    "in place": lambda a, b: a.add_(b),
    "lerp": lambda a, b: a.lerp(b, 0.5),
    "einsum": lambda a, b: nbmodule.einsum("ij,jk", a, b),
    "linear": lambda a, b: F.linear(a, b),
    "layer_norm": lambda a, b: F.layer_norm(a, (2,), b[0]),
    "batch_norm": lambda a, b: F.batch_norm(a, b[0], b[0], training=True),
    "conv2d": lambda a, b: F.conv2d(a[None, None], b[None, None]),
    "mse_loss": lambda a, b: F.mse_loss(a, b),
    "cross_entropy": lambda a, b: F.cross_entropy(a, b[0].long()),
    "embedding": lambda a, b: F.embedding(a.long(), b),
    "gather": lambda a, b: a.gather(0, b.long()),
    "index_select": lambda a, b: a.index_select(0, b[0].long()),
    "scatter": lambda a, b: a.scatter(0, b.long(), a),
    "masked_fill": lambda a, b: a.masked_fill(b > 0, 1.0),
    "assign rows": lambda a, b: a.__setitem__([0, 1], b),
    "LSTM": lambda a, b: nn.LSTM(2, 2).to(b.device)(a[None]),
    "masked_scatter": lambda a, b: a.masked_scatter(b > 0, a),
    "embedding_bag": lambda a, b: F.embedding_bag(a.long(), b),
    "searchsorted": lambda a, b: nbmodule.searchsorted(a[0], b[0]),
    "bincount": lambda a, b: nbmodule.bincount(a[0].long(), b[0]),
    "repeat_interleave": lambda a, b: a.repeat_interleave(b[0].long(), 0),
    "quantile": lambda a, b: a.quantile(b[0]),
    "out": lambda a, b: nbmodule.add(a, a, out=b),
}


@pytest.mark.parametrize("name", MIXTURES)
def test_mixing_devices_names_both(gpu, name):
    a, b = nbmodule.ones(2, 2), nbmodule.ones(2, 2, device="cuda")
    with pytest.raises(
        RuntimeError, match="Expected all tensors to be on the same device"
    ) as error:
        MIXTURES[name](a, b)
    assert "cpu" in str(error.value)
    assert "cuda:0" in str(error.value)
    with pytest.raises(
        RuntimeError, match="Expected all tensors to be on the same device, but found at least"
    ):
        MIXTURES[name](b, a)


def test_numbers_on_the_cpu_may_meet_the_gpu(gpu):
    x, number = nbmodule.ones(2, device="cuda"), nbmodule.tensor(3.0, requires_grad=True)
    for y in (
        x * number,
        number - x,
        nbmodule.where(x > 0, x, number),
        nbmodule.maximum(number, x),
        x > number,
    ):
        assert y.is_cuda
    (x * number).sum().backward()
    assert number.grad.tolist() == 2
    assert not number.grad.is_cuda
    x.mul_(number.detach())
    x[0] = number.detach()
    assert x.tolist() == [3, 3]
