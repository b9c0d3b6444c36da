"""Where older pickles look for the class of their hooks, which lies in `module.py` now. Nothing else imports this."""

from .module import _WrappedHook as WrappedHook  # noqa: F401
