"""Nonlinear functions as modules, under PyTorch's path; these files hold them.

_straight_activations   ReLU and what else is made of straight pieces
_leaky_activations      the same with a slope below 0
_smooth_activations     sigmoids and exponential units
_gated_activations      the input times a gate
_attention              attention with several heads, which PyTorch has here
_softmax                numbers made into shares of a whole
"""

from ._attention import MultiheadAttention
from ._gated_activations import GELU, GLU, Hardswish, Mish, SiLU
from ._leaky_activations import LeakyReLU, PReLU, RReLU
from ._smooth_activations import (
    CELU,
    ELU,
    SELU,
    LogSigmoid,
    Sigmoid,
    Softplus,
    Softsign,
    Tanh,
    Tanhshrink,
)
from ._softmax import LogSoftmax, Softmax, Softmax2d, Softmin
from ._straight_activations import (
    Hardshrink,
    Hardsigmoid,
    Hardtanh,
    ReLU,
    ReLU6,
    Softshrink,
    Threshold,
)

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "SELU",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "MultiheadAttention",
    "PReLU",
    "RReLU",
    "ReLU",
    "ReLU6",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
]

for _name in __all__:
    globals()[_name].__module__ = __name__
