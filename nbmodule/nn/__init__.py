"""Building blocks of networks, as in ``torch.nn``."""

from . import functional, grad, init, modules, utils
from .modules import *  # noqa: F403
from .parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter
