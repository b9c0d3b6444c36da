"""Tools for modules and their parameters, as in ``torch.nn.utils``."""

from . import stateless
