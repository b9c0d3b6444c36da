"""What computes: only the answers that programs ask for before they begin.

Source: https://docs.pytorch.org/docs/stable/backends.html
"""

from . import cuda, cudnn, mha, mkldnn, mps
