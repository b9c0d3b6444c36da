"""Building blocks of networks, as in ``torch.nn``."""

from . import functional, init, modules, utils
from .modules import (
    AdaptiveAvgPool2d,
    AvgPool2d,
    BCELoss,
    BCEWithLogitsLoss,
    Container,
    Conv2d,
    CrossEntropyLoss,
    Dropout,
    Flatten,
    HuberLoss,
    Identity,
    L1Loss,
    Linear,
    LogSoftmax,
    MaxPool2d,
    Module,
    ModuleDict,
    ModuleList,
    MSELoss,
    NLLLoss,
    ParameterDict,
    ParameterList,
    ReLU,
    Sequential,
    Sigmoid,
    SmoothL1Loss,
    Softmax,
    Tanh,
)
from .parameter import Buffer, Parameter
