"""What changes the parameters, as in ``torch.optim``."""

from .adam import Adam, AdamW
from .optimizer import Optimizer
from .sgd import SGD
