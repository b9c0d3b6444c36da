"""Building blocks of networks, as in ``torch.nn``."""

from . import functional, init, modules, utils
from .modules import *
from .parameter import Buffer, Parameter
