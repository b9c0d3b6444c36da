"""Texts to learn to write from: two that ship, and what turns any text into inputs and targets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from .._dtypes import int64
from .._factories import as_tensor, tensor
from .._tensor import Tensor
from ..utils.data.dataset import Dataset
from .shipped import FOLDER, read_text


class _Texts(Dataset[Any]):
    """Texts, each of which may be transformed when it is asked for."""

    data: list[str]

    def __init__(self, data: list[str], transform: Callable[[str], Any] | None) -> None:
        self.data = data
        self.transform = transform

    def __getitem__(self, index: int) -> Any:
        text = self.data[index]
        return text if self.transform is None else self.transform(text)

    def __len__(self) -> int:
        return len(self.data)

    def __repr__(self) -> str:
        lines = [f"Dataset {type(self).__name__}", f"Number of datapoints: {len(self)}"]
        lines += [] if self.transform is None else [f"Transform: {self.transform!r}"]
        return "\n    ".join(lines)


class Names(_Texts):
    """5,163 first names of people in the United States in 1990, in lower case.

    Args:
        transform: called with each name.

    Attributes:
        data: the names, a list.
        text: all of them, each with a line break after it.

    Raises:
        DataFileError: the file that ships is missing or damaged.

    Source: https://www.census.gov/topics/population/genealogy/data/1990_census.html

    Example:
        >>> from nbmodule.datasets import Names
        >>> names = Names()
        >>> len(names), names[0], names[-1], len(set(names.text))
        (5163, 'aaron', 'zulma', 27)
    """

    def __init__(self, transform: Callable[[str], Any] | None = None) -> None:
        self.text = read_text(FOLDER / "names.txt")
        super().__init__(self.text.split(), transform)


class Sonnets(_Texts):
    """Shakespeare's 154 sonnets.

    Args:
        transform: called with each sonnet.

    Attributes:
        data: the sonnets without their numbers, a list.
        text: the whole file, with the title and the numbers.

    Raises:
        DataFileError: the file that ships is missing or damaged.

    Source: https://www.gutenberg.org/ebooks/1041

    Example:
        >>> from nbmodule.datasets import Sonnets
        >>> sonnets = Sonnets()
        >>> print(len(sonnets), sonnets[17].splitlines()[0])
        154 Shall I compare thee to a summer's day?
    """

    def __init__(self, transform: Callable[[str], Any] | None = None) -> None:
        self.text = read_text(FOLDER / "sonnets.txt")
        parts = re.split(r"^[IVXLC]+$", self.text, flags=re.MULTILINE)[1:]
        super().__init__([part.strip("\n") for part in parts], transform)


class Characters:
    """Numbers for the characters of a text: its vocabulary, in alphabetical order.

    Args:
        text: a text, or several; each character in it gets a number.

    Attributes:
        characters: the vocabulary, as one string; character `i` is number `i`.

    Source: https://github.com/karpathy/makemore

    Example:
        >>> from nbmodule.datasets import Characters
        >>> letters = Characters("banana")
        >>> letters.encode("nab"), letters.decode([2, 0, 1]), len(letters)
        (tensor([2, 0, 1]), 'nab', 3)
    """

    def __init__(self, text: str | Iterable[str]) -> None:
        self.characters = "".join(sorted({character for part in text for character in part}))
        self._numbers = {character: i for i, character in enumerate(self.characters)}

    def encode(self, text: str) -> Tensor:
        """Return the numbers of the characters of `text`, int64, (len(text),).

        Raises:
            ValueError: one of them is not in the vocabulary.
        """
        try:
            return tensor([self._numbers[character] for character in text], dtype=int64)
        except KeyError as error:
            raise ValueError(
                f"the character {error} is not in the vocabulary\nIt has {self.characters!r}."
            ) from None

    def decode(self, numbers: Any) -> str:
        """Return the text that `numbers` stand for: a tensor (n,) or a sequence of ints.

        Raises:
            ValueError: there is no character of that number.
        """
        indices = numbers.tolist() if isinstance(numbers, Tensor) else [int(i) for i in numbers]
        outside = [i for i in indices if not 0 <= i < len(self)]
        if outside:
            raise ValueError(
                f"there is no character number {outside[0]}\nThe vocabulary has 0 to {len(self) - 1}."
            )
        return "".join(self.characters[i] for i in indices)

    def __len__(self) -> int:
        return len(self.characters)

    def __repr__(self) -> str:
        return f"Characters({self.characters!r})"


class Windows(Dataset[tuple[Tensor, Tensor]]):
    """Pieces of a sequence, each with the same piece one further on: what comes next at every place.

    Sample `i` is ``numbers[start : start + length], numbers[start + 1 : start + length + 1]`` with
    ``start = i * step``.

    Args:
        numbers: a tensor (n,), as `Characters.encode` returns it.
        length: of a window.
        step: from one start to the next; `length` gives windows that do not overlap.

    Raises:
        ValueError: `length` or `step` is not positive, or `numbers` too short for one window.

    Source: https://github.com/karpathy/nanoGPT

    Example:
        >>> import nbmodule
        >>> from nbmodule.datasets import Windows
        >>> windows = Windows(nbmodule.arange(8), 3, step=2)
        >>> len(windows), windows[1]
        (3, (tensor([2, 3, 4]), tensor([3, 4, 5])))
    """

    def __init__(self, numbers: Any, length: int, step: int = 1) -> None:
        self.numbers = as_tensor(numbers)
        self.length = length
        self.step = step
        for name, value in (("length", length), ("step", step)):
            if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
                raise ValueError(
                    f"{name} should be a positive integer value, but got {name}={value}"
                )
        if self.numbers.dim() != 1 or len(self.numbers) <= length:
            raise ValueError(
                f"a window of {length} needs a row of at least {length + 1} numbers, "
                f"but got shape {tuple(self.numbers.shape)}"
            )

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        if not -len(self) <= index < len(self):
            raise IndexError(f"window {index} is out of range: there are {len(self)}")
        start = (index % len(self)) * self.step
        inputs = self.numbers[start : start + self.length]
        return inputs, self.numbers[start + 1 : start + self.length + 1]

    def __len__(self) -> int:
        return (len(self.numbers) - self.length - 1) // self.step + 1
