"""Functions of networks without state, by PyTorch's signatures; `_functional/` holds them, one topic a file.

They check shapes; the rules in `nbmodule._ops` compute.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html
"""

# ruff: noqa: F401
from .._functions.activations import (
    celu_,
    hardshrink,
    prelu,
    relu_,
    rrelu_,
    selu_,
    threshold_,
)
from ._functional.activation import (
    _threshold,
    hardsigmoid,
    hardswish,
    hardtanh,
    leaky_relu,
    relu,
    relu6,
    rrelu,
    threshold,
)
from ._functional.class_losses import cross_entropy, nll_loss
from ._functional.conv import conv2d
from ._functional.dropout import dropout
from ._functional.linear import linear
from ._functional.losses import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    huber_loss,
    l1_loss,
    mse_loss,
    smooth_l1_loss,
)
from ._functional.normalization import layer_norm
from ._functional.pooling import adaptive_avg_pool2d, avg_pool2d, max_pool2d
from ._functional.sparse import one_hot
from ._functional.smooth_activation import (
    celu,
    elu,
    glu,
    mish,
    selu,
    sigmoid,
    silu,
    softsign,
    tanh,
    tanhshrink,
)
from ._functional.softmax import (
    _get_softmax_dim,
    gumbel_softmax,
    log_softmax,
    softmax,
    softmin,
)
from ._native.activation import (
    elu_,
    gelu,
    hardtanh_,
    leaky_relu_,
    softplus,
    softshrink,
)
from ._native.activation import log_sigmoid as logsigmoid


def _name_by_public_path() -> None:
    for shown in globals().values():
        if hasattr(shown, "__globals__") and shown.__name__ in globals():
            shown.__module__ = __name__


_name_by_public_path()
