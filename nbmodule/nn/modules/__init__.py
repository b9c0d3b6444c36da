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
from .loss import CrossEntropyLoss, MSELoss, NLLLoss
from .module import Module
from .pooling import MaxPool2d
