"""What changes the parameters, as in ``torch.optim``."""

from .optimizer import Optimizer
from .sgd import SGD
