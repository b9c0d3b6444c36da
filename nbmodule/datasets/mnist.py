"""`MNIST` and `FashionMNIST`, read from folders as torchvision lays them out."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from .._factories import from_numpy
from .idx import read_idx
from .images import CLOTHES, DIGITS, Transform, VisionDataset
from .shipped import DataFileError


class MNIST(VisionDataset):
    """70,000 handwritten digits, 28 x 28 pixels, from four idx files in ``root/MNIST/raw``.

    They may be compressed (``.gz``) or not, and also lie in `root` itself. Nothing is downloaded.

    Args:
        root: a folder.
        train: the 60,000 to train with instead of the 10,000 to test.
        transform: called with each picture, a float tensor (1, 28, 28) from 0 to 1.
        target_transform: called with each class, an int.
        download: for calls written for torchvision; if the files are missing it does not help.

    Raises:
        RuntimeError: the files are not there; the message says which go where.
        DataFileError: they are damaged, or not pictures and their classes.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.datasets.MNIST.html

    Example:
        >>> from nbmodule.datasets import MNIST
        >>> try:
        ...     MNIST("no/such/folder")
        ... except RuntimeError as error:
        ...     print(str(error).splitlines()[0])
        Dataset not found.
    """

    classes = DIGITS
    home = "http://yann.lecun.com/exdb/mnist/"

    def __init__(self, root: Any, train: bool = True, transform: Transform | None = None, target_transform: Transform | None = None, download: bool = False) -> None:  # fmt: skip
        root = os.path.expanduser(root) if isinstance(root, str) else root
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.train = train
        part = "train" if train else "t10k"
        images, labels = self._file(f"{part}-images-idx3"), self._file(f"{part}-labels-idx1")
        pixels, numbers = read_idx(images), read_idx(labels)
        if pixels.ndim != 3 or pixels.dtype != np.uint8:
            raise DataFileError(
                f"{images.name} holds {pixels.dtype} of shape {pixels.shape}, and should hold uint8 of three dimensions"
            )
        if numbers.shape != pixels.shape[:1] or numbers.dtype != np.uint8:
            raise DataFileError(
                f"{labels.name} holds {numbers.dtype} of shape {numbers.shape}, and {images.name} {len(pixels)} pictures"
            )
        if numbers.size and numbers.max() >= len(self.classes):
            raise DataFileError(
                f"{labels.name} holds a class {numbers.max()}, and there are {len(self.classes)}"
            )
        self.data, self.targets = from_numpy(pixels), from_numpy(numbers.astype(np.int64))

    @property
    def raw_folder(self) -> str:
        """Where the files should be."""
        return os.path.join(self.root, type(self).__name__, "raw")

    def _file(self, stem: str) -> Path:
        """Return the file whose name begins with `stem`.

        Raises:
            RuntimeError: there is none.
        """
        for folder in (self.raw_folder, self.root):
            for name in (
                f"{stem}-ubyte",
                f"{stem}-ubyte.gz",
                f"{stem.replace('-idx', '.idx')}-ubyte",
            ):
                if (found := Path(folder, name)).is_file():
                    return found
        raise RuntimeError(
            "Dataset not found.\n"
            f"{stem}-ubyte or {stem}-ubyte.gz should be in {self.raw_folder}. Nothing is downloaded here: get the "
            f"four files from {self.home}, or use a set that ships, `Digits` or `FashionMini`."
        )

    def extra_repr(self) -> str:
        """Return which part it is."""
        return f"Split: {'Train' if self.train else 'Test'}"


class FashionMNIST(MNIST):
    """70,000 pictures of clothes, 28 x 28 pixels, from four idx files in ``root/FashionMNIST/raw``.

    Args:
        root: a folder.
        train: the 60,000 to train with instead of the 10,000 to test.
        transform: called with each picture, a float tensor (1, 28, 28) from 0 to 1.
        target_transform: called with each class, an int.
        download: for calls written for torchvision; if the files are missing it does not help.

    Raises:
        RuntimeError: the files are not there; the message says which go where.
        DataFileError: they are damaged, or not pictures and their classes.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.datasets.FashionMNIST.html

    Example:
        >>> from nbmodule.datasets import FashionMNIST
        >>> FashionMNIST.classes[:3]
        ['T-shirt/top', 'Trouser', 'Pullover']
    """

    classes = CLOTHES
    home = "https://github.com/zalandoresearch/fashion-mnist"
