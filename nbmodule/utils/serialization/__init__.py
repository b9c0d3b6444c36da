"""Settings of `save` and `load`: see `config`."""

from . import config as config
