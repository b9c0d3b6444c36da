"""Datasets: four small ones that ship, and readers for larger ones that are on this computer.

=============  =================================================================================
`Digits`       1,797 handwritten digits, 8 x 8
`FashionMini`  2,500 pictures of clothes, 28 x 28: a part of Fashion-MNIST
`Names`        5,163 first names
`Sonnets`      Shakespeare's 154
`MNIST`        70,000 handwritten digits, 28 x 28, from a folder of idx files; `FashionMNIST` too
=============  =================================================================================

Pictures come under torchvision's names (``data``, ``targets``, ``classes``, ``transform``). For texts there are
`Characters`, which numbers the letters, and `Windows`, which cuts a text into inputs and targets. Nothing is
downloaded.
"""

from .idx import read_idx
from .images import Digits, FashionMini, VisionDataset
from .mnist import MNIST, FashionMNIST
from .shipped import DataFileError
from .texts import Characters, Names, Sonnets, Windows

__all__ = [
    "MNIST",
    "Characters",
    "DataFileError",
    "Digits",
    "FashionMNIST",
    "FashionMini",
    "Names",
    "Sonnets",
    "VisionDataset",
    "Windows",
    "read_idx",
]
