"""The layers, one kind a file, under PyTorch's names."""

from .activation import LogSoftmax, ReLU, Sigmoid, Softmax, Tanh
from .container import (
    Container,
    ModuleDict,
    ModuleList,
    ParameterDict,
    ParameterList,
    Sequential,
)
from .conv import Conv2d
from .dropout import Dropout
from .flatten import Flatten
from .linear import Identity, Linear
from .loss import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    HuberLoss,
    L1Loss,
    MSELoss,
    NLLLoss,
    SmoothL1Loss,
)
from .module import Module
from .pooling import AdaptiveAvgPool2d, AvgPool2d, MaxPool2d
