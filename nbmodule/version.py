"""Which nbmodule this is.

Attributes:
    cuda: None: no CUDA is built in; CuPy brings its own.
    hip: None.
    debug: False.
"""

__version__ = "0.1.0"
cuda = None
hip = None
debug = False
