"""`fashion()`: 2500 small pictures of clothes, from a file that ships with the course."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from .wording import UsageError

_FILE = Path(__file__).resolve().parent / "data" / "fashion_mini.npz"
CLASSES = (
    "T-shirt/top",
    "Trouser",
    "Pullover",
    "Dress",
    "Coat",
    "Sandal",
    "Shirt",
    "Sneaker",
    "Bag",
    "Ankle boot",
)


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
    classes: tuple[str, ...] = CLASSES

    def __repr__(self) -> str:
        return (
            f"FashionData({len(self.train_images)} training and {len(self.test_images)} test images "
            f"of 28x28, {len(self.classes)} classes)"
        )


def fashion(file: Path = _FILE) -> FashionData:
    """Load the pictures; nothing is downloaded.

    Raises:
        UsageError: the file is missing or damaged; the message says how to mend it.
    """
    try:
        with file.open("rb") as raw, np.load(raw, allow_pickle=False) as held:
            return FashionData(
                _images(held["train_images"]),
                held["train_labels"].astype(np.int64),
                _images(held["test_images"]),
                held["test_labels"].astype(np.int64),
            )
    except FileNotFoundError:
        fault = "is missing"
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        fault = f"is damaged ({type(error).__name__})"
    raise UsageError(
        f'The picture file {file.name} {fault}. Install the course again: pip install --force-reinstall "nbmodule[lab]"'
    )


def _images(pixels: Any) -> Any:
    """From bytes (N, 28, 28) to float32 (N, 1, 28, 28) between 0 and 1."""
    return pixels[:, None].astype(np.float32) / np.float32(255)
