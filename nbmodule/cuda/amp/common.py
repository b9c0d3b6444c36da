"""Whether there is a GPU for mixed precision."""

from .. import is_available

__all__ = ["amp_definitely_not_available"]


def amp_definitely_not_available() -> bool:
    """Return whether there is no GPU.

    Source: https://docs.pytorch.org/docs/stable/amp.html

    Example:
        >>> import nbmodule
        >>> nbmodule.cuda.amp.amp_definitely_not_available() == (not nbmodule.cuda.is_available())
        True
    """
    return not is_available()
