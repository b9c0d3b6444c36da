"""Pictures with a class each, under torchvision's names, and two sets of them that ship.

A picture is a float tensor (channels, height, width) from 0 to 1: what torchvision's ``ToTensor()`` makes of
its pictures. So no transform is needed, and one that is given works on tensors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._dtypes import int64
from .._factories import from_numpy
from .._tensor import Tensor
from ..utils.data._utils.rows import is_as_written, rows_at
from ..utils.data.dataset import Dataset
from .shipped import FOLDER, read_arrays

Transform = Callable[[Any], Any]

DIGITS = [
    "0 - zero", "1 - one", "2 - two", "3 - three", "4 - four",
    "5 - five", "6 - six", "7 - seven", "8 - eight", "9 - nine",
]  # fmt: skip
CLOTHES = [
    "T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
    "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot",
]  # fmt: skip


class VisionDataset(Dataset[tuple[Any, Any]]):
    """Pictures and their classes, in memory: what the sets below share.

    A subclass sets `data`, `targets` and `classes`.

    Args:
        root: the folder that the files are in; None for what ships.
        transform: called with each picture; any callable, as a module.
        target_transform: called with each class.

    Attributes:
        data: uint8, (N, H, W): the pixels as they are in the file.
        targets: int64, (N,): indices into `classes`.
        classes: the names.
        white: the pixel that becomes 1.0.

    Source: https://docs.pytorch.org/vision/stable/generated/torchvision.datasets.VisionDataset.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.datasets import VisionDataset
        >>> class Dots(VisionDataset):
        ...     data, classes = nbmodule.tensor([[[0, 255]]], dtype=nbmodule.uint8), ["right"]
        ...     targets = nbmodule.tensor([0])
        >>> Dots(transform=lambda picture: picture.flip(-1))[0]
        (tensor([[[1., 0.]]]), 0)
    """

    data: Tensor
    targets: Tensor
    classes: list[str]
    white = 255

    def __init__(self, root: Any = None, *, transform: Transform | None = None, target_transform: Transform | None = None) -> None:  # fmt: skip
        self.root = root
        self.transform = transform
        self.target_transform = target_transform

    @property
    def class_to_idx(self) -> dict[str, int]:
        """The number of each class, by its name."""
        return {name: number for number, name in enumerate(self.classes)}

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        """Return picture `index`, (1, H, W) from 0 to 1, and its class, both transformed."""
        picture: Any = self.data[index].unsqueeze(0) / self.white
        target: Any = int(self.targets[index])
        if self.transform is not None:
            picture = self.transform(picture)
        if self.target_transform is not None:
            target = self.target_transform(target)
        return picture, target

    def _batch_at(self, indices: list[int]) -> list[Tensor] | None:
        plain = self.transform is None and self.target_transform is None
        if not (plain and type(self.white) is int and is_as_written(self, VisionDataset)):
            return None
        if (rows := rows_at((self.data, self.targets), indices)) is None:
            return None
        pictures, targets = rows
        if targets.dtype is not int64 or targets.dim() != 1:
            return None
        return [pictures.unsqueeze(1) / self.white, targets]

    def __len__(self) -> int:
        return len(self.data)

    def __repr__(self) -> str:
        lines = [f"Number of datapoints: {len(self)}"]
        if self.root is not None:
            lines.append(f"Root location: {self.root}")
        lines += self.extra_repr().splitlines()
        if self.transform is not None or self.target_transform is not None:
            lines.append("StandardTransform")
            lines += _headed("Transform: ", self.transform)
            lines += _headed("Target transform: ", self.target_transform)
        return "\n    ".join([f"Dataset {type(self).__name__}", *lines])

    def extra_repr(self) -> str:
        """Return further lines for the representation."""
        return ""


def _headed(head: str, transform: Transform | None) -> list[str]:
    """Return the lines of ``repr(transform)`` behind `head`."""
    if transform is None:
        return []
    return [f"{head}{transform!r}".replace("\n", "\n" + " " * (4 + len(head)))]


class _Split(VisionDataset):
    """A set that comes in two parts, to train and to test with."""

    def __init__(self, train: bool = True, transform: Transform | None = None, target_transform: Transform | None = None) -> None:  # fmt: skip
        super().__init__(transform=transform, target_transform=target_transform)
        self.train = train

    def _hold(self, images: np.ndarray, labels: np.ndarray) -> None:
        self.data, self.targets = from_numpy(images), from_numpy(labels.astype(np.int64))

    def extra_repr(self) -> str:
        """Return which part it is."""
        return f"Split: {'Train' if self.train else 'Test'}"


class Digits(_Split):
    """1,797 handwritten digits, 8 x 8 pixels from 0 to 16, of thirteen people; the last 297 are to test with.

    Args:
        train: the first 1,500 instead of the others.
        transform: called with each picture, a float tensor (1, 8, 8) from 0 to 1.
        target_transform: called with each digit, an int.

    Raises:
        DataFileError: the file that ships is missing or damaged.

    Source: https://archive.ics.uci.edu/dataset/80/optical+recognition+of+handwritten+digits

    Example:
        >>> from nbmodule.datasets import Digits
        >>> picture, digit = Digits(train=False)[0]
        >>> picture.shape, digit, len(Digits()), Digits().classes[digit]
        (nbmodule.Size([1, 8, 8]), 1, 1500, '1 - one')
    """

    classes = DIGITS
    white = 16

    def __init__(self, train: bool = True, transform: Transform | None = None, target_transform: Transform | None = None) -> None:  # fmt: skip
        super().__init__(train, transform, target_transform)
        images, labels = read_arrays(FOLDER / "digits8x8.npz", "images", "labels")
        part = slice(1500) if train else slice(1500, None)
        self._hold(images[part], labels[part])


class FashionMini(_Split):
    """2,500 pictures of clothes, 28 x 28 pixels: 200 of each class to train with and 50 to test.

    They are a part of Fashion-MNIST, and answer as `FashionMNIST` does.

    Args:
        train: the 2,000 to train with instead of the 500 to test.
        transform: called with each picture, a float tensor (1, 28, 28) from 0 to 1.
        target_transform: called with each class, an int.

    Raises:
        DataFileError: the file that ships is missing or damaged.

    Source: https://github.com/zalandoresearch/fashion-mnist

    Example:
        >>> from nbmodule.datasets import FashionMini
        >>> FashionMini(train=False)
        Dataset FashionMini
            Number of datapoints: 500
            Split: Test
    """

    classes = CLOTHES

    def __init__(self, train: bool = True, transform: Transform | None = None, target_transform: Transform | None = None) -> None:  # fmt: skip
        super().__init__(train, transform, target_transform)
        part = "train" if train else "test"
        self._hold(*read_arrays(FOLDER / "fashion_mini.npz", f"{part}_images", f"{part}_labels"))
