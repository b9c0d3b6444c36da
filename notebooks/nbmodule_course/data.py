"""`fashion()`: 2500 small pictures of clothes, from a file that ships with nbmodule."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .wording import UsageError

_NAMES = ("train_images", "train_labels", "test_images", "test_labels")


@dataclass(frozen=True)
class FashionData:
    """A part of Fashion-MNIST.

    Attributes:
        train_images: float32, (2000, 1, 28, 28), from 0 to 1.
        train_labels: int64, (2000,), an index into `classes`.
        test_images: float32, (500, 1, 28, 28), from 0 to 1.
        test_labels: int64, (500,).
        classes: the ten names.
    """

    train_images: Any
    train_labels: Any
    test_images: Any
    test_labels: Any
    classes: tuple[str, ...]

    def __repr__(self) -> str:
        return (
            f"FashionData({len(self.train_images)} training and {len(self.test_images)} test images "
            f"of 28x28, {len(self.classes)} classes)"
        )


def fashion(file: Path | None = None) -> FashionData:
    """Load the pictures, by default those that ship with nbmodule; nothing is downloaded.

    Raises:
        UsageError: the file is missing or damaged; the message says how to mend it.
    """
    from nbmodule.datasets import FashionMini
    from nbmodule.datasets.shipped import FOLDER, DataFileError, read_arrays

    try:
        arrays = read_arrays(file or FOLDER / "fashion_mini.npz", *_NAMES)
    except DataFileError as error:
        raise UsageError(
            f"{str(error).splitlines()[0]} Install the course again: "
            'pip install --force-reinstall "nbmodule[lab]"'
        ) from None
    train_images, train_labels, test_images, test_labels = arrays
    return FashionData(
        _images(train_images),
        train_labels.astype(np.int64),
        _images(test_images),
        test_labels.astype(np.int64),
        tuple(FashionMini.classes),
    )


def _images(pixels: Any) -> Any:
    """From bytes (N, 28, 28) to float32 (N, 1, 28, 28) between 0 and 1."""
    return pixels[:, None].astype(np.float32) / np.float32(255)
