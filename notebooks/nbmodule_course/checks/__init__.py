"""The exercises, one module a chapter: `chNN.py`."""
