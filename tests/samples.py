"""One table of operations; every check in `tests/ops` looks at every row.

A row is a call that works on nbmodule and on PyTorch alike: it gets the library as `t`, and tensors of
the given shapes. `positive` draws them from [0.5, 2.5) instead of a normal distribution. Integer operands
are made from the library inside the call.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Sample:
    name: str
    call: Callable
    shapes: tuple
    positive: bool = False
    differentiable: bool = True

    def __str__(self):
        return self.name

    def arrays(self, dtype, seed=0):
        rng = np.random.default_rng(seed)
        if self.positive:
            return [(rng.random(s) * 2 + 0.5).astype(dtype) for s in self.shapes]
        return [rng.standard_normal(s).astype(dtype) for s in self.shapes]


def _labels(t, n=6, classes=3):
    return t.tensor([(3 * i + i // 2) % classes for i in range(n)])


def F(t):
    return t.nn.functional


A, B = (3, 4), (2, 3, 4)
SAMPLES = [
    # arithmetic and broadcasting
    Sample("add", lambda t, a, b: a + b, (A, (4,))),
    Sample("add_both_ways", lambda t, a, b: a + b, ((3, 1), (1, 4))),
    Sample("add_number", lambda t, a: 2 + a + 1.5, (A,)),
    Sample("add_alpha", lambda t, a, b: t.add(a, b, alpha=3), (A, A)),
    Sample("add_itself", lambda t, a: a + a, (A,)),
    Sample("sub", lambda t, a, b: a - b, (A, ())),
    Sample("sub_from_number", lambda t, a: 1 - a, (A,)),
    Sample("mul", lambda t, a, b: a * b, (B, (3, 1))),
    Sample("mul_scalar_tensor", lambda t, a, b: a * b, (A, ())),
    Sample("div", lambda t, a, b: a / b, (A, (3, 1)), True),
    Sample("div_number", lambda t, a: 2 / a, (A,), True),
    Sample("pow", lambda t, a: a**3, (A,)),
    Sample("pow_zero", lambda t, a: a**0, (A,)),
    Sample("pow_root", lambda t, a: a**0.5, (A,), True),
    Sample("pow_tensor", lambda t, a, b: a**b, (A, (4,)), True),
    Sample("pow_of_number", lambda t, a: 2**a, (A,)),
    Sample("remainder", lambda t, a, b: a % b, (A, A), True),
    Sample("floor_divide", lambda t, a, b: a // b, (A, A), True, differentiable=False),
    Sample("neg", lambda t, a: -a, (A,)),
    Sample("abs", lambda t, a: t.abs(a), (A,)),
    Sample("sign", lambda t, a: t.sign(a), (A,)),
    Sample("maximum", lambda t, a, b: t.maximum(a, b), (A, (4,))),
    Sample("minimum", lambda t, a, b: t.minimum(a, b), (A, (4,))),
    Sample("clamp", lambda t, a: a.clamp(-0.5, 0.5), (A,)),
    Sample("clamp_low", lambda t, a: a.clamp(min=0.1), (A,)),
    Sample("square", lambda t, a: t.square(a), (A,)),
    # roots, exponentials, waves
    Sample("sqrt", lambda t, a: t.sqrt(a), (A,), True),
    Sample("rsqrt", lambda t, a: t.rsqrt(a), (A,), True),
    Sample("reciprocal", lambda t, a: t.reciprocal(a), (A,), True),
    Sample("exp", lambda t, a: t.exp(a), (A,)),
    Sample("log", lambda t, a: t.log(a), (A,), True),
    Sample("log1p", lambda t, a: t.log1p(a), (A,), True),
    Sample("sin", lambda t, a: t.sin(a), (A,)),
    Sample("cos", lambda t, a: t.cos(a), (A,)),
    Sample("floor", lambda t, a: t.floor(a), (A,)),
    Sample("ceil", lambda t, a: t.ceil(a), (A,)),
    Sample("round", lambda t, a: t.round(a), (A,)),
    # activations
    Sample("relu", lambda t, a: t.relu(a), (A,)),
    Sample("tanh", lambda t, a: t.tanh(a), (A,)),
    Sample("sigmoid", lambda t, a: t.sigmoid(a), (A,)),
    Sample("softmax", lambda t, a: t.softmax(a, 1), (A,)),
    Sample("softmax_first", lambda t, a: t.softmax(a, 0), (B,)),
    Sample("log_softmax", lambda t, a: F(t).log_softmax(a, -1), (B,)),
    Sample("dropout_eval", lambda t, a: F(t).dropout(a, 0.5, training=False), (A,)),
    # choice
    Sample("where", lambda t, a, b: t.where(a > 0, a, b), (A, (4,))),
    Sample("where_number", lambda t, a: t.where(a > 0, a, 0.5), (A,)),
    Sample("masked_fill", lambda t, a: a.masked_fill(a > 0, 7.0), (A,)),
    # reductions
    Sample("sum", lambda t, a: a.sum(), (A,)),
    Sample("sum_dim", lambda t, a: a.sum(1), (B,)),
    Sample("sum_dims_keep", lambda t, a: a.sum((0, -1), keepdim=True), (B,)),
    Sample("mean", lambda t, a: a.mean(), (A,)),
    Sample("mean_dim", lambda t, a: a.mean(-1, keepdim=True), (B,)),
    Sample("var", lambda t, a: a.var(), (A,)),
    Sample("var_dim", lambda t, a: a.var(1, unbiased=False), (B,)),
    Sample("std", lambda t, a: a.std(0), (A,)),
    Sample("amax", lambda t, a: a.amax(1), (B,)),
    Sample("amin", lambda t, a: a.amin((0, 2)), (B,)),
    Sample("max_all", lambda t, a: a.max(), (A,)),
    Sample("max_dim", lambda t, a: a.max(1).values, (B,)),
    Sample("min_dim_keep", lambda t, a: a.min(0, keepdim=True)[0], (B,)),
    Sample("prod", lambda t, a: a.prod(), ((4,),)),
    Sample(
        "prod_with_zero", lambda t, a: (a * t.tensor([1.0, 0.0, 1.0]).to(a.dtype)).prod(), ((3,),)
    ),
    Sample("logsumexp", lambda t, a: t.logsumexp(a, 1), (A,)),
    Sample("cumsum", lambda t, a: a.cumsum(1), (B,)),
    Sample("norm", lambda t, a: a.norm(), (A,)),
    Sample("norm_one_dim", lambda t, a: a.norm(1, 1), (A,)),
    Sample("argmax", lambda t, a: a.argmax(1), (A,), differentiable=False),
    Sample("argmin", lambda t, a: a.argmin(), (A,), differentiable=False),
    Sample("compare", lambda t, a, b: (a > b) & (a <= 1) | (a == b), (A, A), differentiable=False),
    # shapes
    Sample("reshape", lambda t, a: a.reshape(2, -1), (A,)),
    Sample("view_of_transpose", lambda t, a: a.t().reshape(12), (A,)),
    Sample("flatten", lambda t, a: a.flatten(1), (B,)),
    Sample("unflatten", lambda t, a: a.unflatten(1, (2, 2)), (A,)),
    Sample("permute", lambda t, a: a.permute(2, 0, 1), (B,)),
    Sample("transpose", lambda t, a: a.transpose(0, -1), (B,)),
    Sample("T", lambda t, a: a.T, (A,)),
    Sample("squeeze", lambda t, a: a.squeeze(), ((1, 3, 1),)),
    Sample("squeeze_dim", lambda t, a: a.squeeze(0), ((1, 3, 1),)),
    Sample("unsqueeze", lambda t, a: a.unsqueeze(-1), (A,)),
    Sample("expand", lambda t, a: a.expand(2, 3, -1), ((3, 1),)),
    Sample("repeat", lambda t, a: a.repeat(2, 1, 3), ((2, 2),)),
    Sample("flip", lambda t, a: a.flip(0, 1), (A,)),
    Sample("select", lambda t, a: a[1], (A,)),
    Sample("slice", lambda t, a: a[:, 1:4:2], (A,)),
    Sample("index_list", lambda t, a: a[[0, 2, 0]], (A,)),
    Sample("index_tensors", lambda t, a: a[t.tensor([0, 2]), t.tensor([1, 1])], (A,)),
    Sample("index_mask", lambda t, a: a[a > 0], (A,)),
    Sample("index_none", lambda t, a: a[:, None, ..., -1], (B,)),
    Sample("index_select", lambda t, a: t.index_select(a, 1, t.tensor([3, 0])), (A,)),
    Sample("gather", lambda t, a: a.gather(1, t.tensor([[0, 3], [1, 1], [2, 0]])), (A,)),
    Sample("narrow", lambda t, a: a.narrow(1, 1, 2), (A,)),
    Sample("split", lambda t, a: t.cat([2 * p for p in a.split(3, 1)], 1), (A,)),
    Sample("chunk", lambda t, a: a.chunk(2)[1], (A,)),
    Sample("unbind", lambda t, a: a.unbind(1)[2], (A,)),
    Sample("cat", lambda t, a, b: t.cat([a, b], 1), ((3, 2), (3, 1))),
    Sample("stack", lambda t, a, b: t.stack([a, b], -1), (A, A)),
    Sample("clone", lambda t, a: a.clone(), (A,)),
    # matrices
    Sample("mm", lambda t, a, b: a @ b, (A, (4, 2))),
    Sample("matmul_batch", lambda t, a, b: a @ b, (B, (2, 4, 5))),
    Sample("matmul_broadcast", lambda t, a, b: a @ b, (B, (4, 5))),
    Sample("matmul_left_2d", lambda t, a, b: a @ b, ((2, 3), (5, 3, 4))),
    Sample("matvec", lambda t, a, b: a @ b, (A, (4,))),
    Sample("matvec_batch", lambda t, a, b: a @ b, (B, (4,))),
    Sample("vecmat", lambda t, a, b: a @ b, ((3,), A)),
    Sample("vecmat_batch", lambda t, a, b: a @ b, ((3,), B)),
    Sample("dot", lambda t, a, b: t.dot(a, b), ((4,), (4,))),
    Sample("linear", lambda t, x, w, b: F(t).linear(x, w, b), ((6, 4), (3, 4), (3,))),
    Sample("linear_3d", lambda t, x, w, b: F(t).linear(x, w, b), ((2, 5, 4), (3, 4), (3,))),
    Sample("linear_1d", lambda t, x, w, b: F(t).linear(x, w, b), ((4,), (3, 4), (3,))),
    Sample("linear_no_bias", lambda t, x, w: F(t).linear(x, w), ((6, 4), (3, 4))),
    # convolution and pooling
    Sample("conv2d", lambda t, x, w, b: F(t).conv2d(x, w, b), ((2, 3, 6, 5), (4, 3, 3, 2), (4,))),
    Sample(
        "conv2d_stride_pad",
        lambda t, x, w, b: F(t).conv2d(x, w, b, stride=2, padding=(1, 2)),
        ((2, 2, 5, 6), (3, 2, 3, 3), (3,)),
    ),
    Sample(
        "conv2d_dilation",
        lambda t, x, w: F(t).conv2d(x, w, dilation=2),
        ((1, 2, 7, 7), (2, 2, 3, 2)),
    ),
    Sample(
        "conv2d_groups",
        lambda t, x, w, b: F(t).conv2d(x, w, b, groups=2),
        ((2, 4, 4, 4), (6, 2, 2, 2), (6,)),
    ),
    Sample(
        "conv2d_same",
        lambda t, x, w: F(t).conv2d(x, w, padding="same"),
        ((1, 2, 4, 5), (3, 2, 3, 2)),
    ),
    Sample("conv2d_unbatched", lambda t, x, w: F(t).conv2d(x, w), ((2, 4, 5), (3, 2, 2, 2))),
    Sample("conv2d_one_pixel", lambda t, x, w: F(t).conv2d(x, w), ((2, 3, 3, 3), (4, 3, 1, 1))),
    Sample("max_pool2d", lambda t, x: F(t).max_pool2d(x, 2), ((2, 2, 4, 6),)),
    Sample(
        "max_pool2d_overlap",
        lambda t, x: F(t).max_pool2d(x, 3, stride=2, padding=1),
        ((1, 2, 5, 5),),
    ),
    Sample("max_pool2d_ceil", lambda t, x: F(t).max_pool2d(x, 2, ceil_mode=True), ((1, 2, 5, 5),)),
    Sample(
        "max_pool2d_dilation", lambda t, x: F(t).max_pool2d(x, 2, 1, dilation=2), ((1, 1, 5, 5),)
    ),
    Sample(
        "max_pool2d_ties",
        lambda t, x: F(t).max_pool2d(t.round(x * 0) + x[..., :1, :1], 3, 1),
        ((1, 1, 4, 4),),
    ),
    Sample(
        "max_pool2d_indices",
        lambda t, x: F(t).max_pool2d(x, 3, 2, 1, return_indices=True)[1],
        ((1, 2, 5, 5),),
        differentiable=False,
    ),
    # losses
    Sample("mse_loss", lambda t, a, b: F(t).mse_loss(a, b), (A, A)),
    Sample("mse_loss_sum", lambda t, a, b: F(t).mse_loss(a, b, reduction="sum"), (A, A)),
    Sample("nll_loss", lambda t, x: F(t).nll_loss(x, _labels(t)), ((6, 3),)),
    Sample(
        "nll_loss_images",
        lambda t, x: F(t).nll_loss(x, _labels(t, 8).reshape(2, 2, 2)),
        ((2, 3, 2, 2),),
    ),
    Sample("cross_entropy", lambda t, x: F(t).cross_entropy(x, _labels(t)), ((6, 3),)),
    Sample(
        "cross_entropy_none",
        lambda t, x: F(t).cross_entropy(x, _labels(t), reduction="none"),
        ((6, 3),),
    ),
    Sample(
        "cross_entropy_sum",
        lambda t, x: F(t).cross_entropy(x, _labels(t), reduction="sum"),
        ((6, 3),),
    ),
    Sample(
        "cross_entropy_weight",
        lambda t, x: F(t).cross_entropy(
            x, _labels(t), weight=t.tensor([1.0, 2.0, 0.5]).to(x.dtype)
        ),
        ((6, 3),),
    ),
    Sample(
        "cross_entropy_ignore",
        lambda t, x: F(t).cross_entropy(x, _labels(t), ignore_index=1),
        ((6, 3),),
    ),
    Sample(
        "cross_entropy_images",
        lambda t, x: F(t).cross_entropy(x, _labels(t, 8).reshape(2, 2, 2)),
        ((2, 3, 2, 2),),
    ),
    Sample("cross_entropy_one", lambda t, x: F(t).cross_entropy(x, t.tensor(1)), ((3,),)),
    Sample(
        "cross_entropy_soft",
        lambda t, x: F(t).cross_entropy(x, t.tensor([[0.2, 0.3, 0.5]] * 6).to(x.dtype)),
        ((6, 3),),
    ),
    Sample(
        "cross_entropy_smooth",
        lambda t, x: F(t).cross_entropy(x, _labels(t), label_smoothing=0.2, ignore_index=0),
        ((6, 3),),
    ),
    # other forms
    Sample("maximum_three_ways", lambda t, a: t.maximum(a, t.minimum(a * 2, a)), (A,)),
    Sample("clamp_between_tensors", lambda t, a, b: a.clamp(b, b + 1), (A, (4,))),
    Sample(
        "norm_zero_infinity", lambda t, a: a.norm(float("inf"), 1) + a.norm(float("-inf"), 1), (A,)
    ),
    Sample("norm_two_dim", lambda t, a: a.norm(2, (0, 2), keepdim=True), (B,)),
    Sample("std_dim", lambda t, a: a.std((0, 2), keepdim=True), (B,)),
    Sample("index_number_and_array", lambda t, a: a[0, :, [1, 2]], (B,)),
    Sample("split_uneven", lambda t, a: t.cat(t.split(a, [1, 3], 1)[::-1], 1), (A,)),
    Sample("mv", lambda t, a, b: t.mv(a, b), (A, (4,))),
    Sample("bmm", lambda t, a, b: t.bmm(a, b), (B, (2, 4, 2))),
    Sample("div_down", lambda t, a: a.div(0.3, rounding_mode="floor") + a, (A,)),
    Sample("div_towards_zero", lambda t, a: a.div(0.3, rounding_mode="trunc") + a, (A,)),
    Sample("round_decimals", lambda t, a: a.round(decimals=1) + a, (A,)),
    Sample("logsumexp_dims", lambda t, a: a.logsumexp((0, 1)), (A,)),
    Sample(
        "in_place_unary", lambda t, a: (a * 1).sin_().square_().log1p_().reciprocal_(), (A,), True
    ),
    # graphs
    Sample("diamond", lambda t, a: (a * 2) * (a * 3) + a, (A,)),
    Sample("in_place_chain", lambda t, a: (a * 1).mul_(a).add_(2).exp_(), (A,)),
    Sample("in_place_write", lambda t, a, b: _written(a, b), (A, (4,))),
    Sample("cast_and_back", lambda t, a: (a.double() * 2).to(a.dtype), (A,)),
]


def _written(a, b):
    out = a * 1
    out[1] = b * 2
    out[:, 0] = 0
    return out
