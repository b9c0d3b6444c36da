"""Where all generators of random numbers stand that a program shares: nbmodule's, Python's and NumPy's.

Taking a snapshot costs microseconds; making a plain nest of it, to be saved, is left to the one who saves.
"""

from __future__ import annotations

import random
import sys
from typing import Any

from ._factories import tensor
from ._generator import Generator, Stream, default_generator


class RandomStates:
    """A snapshot of the three generators, and of others if they are given.

    Args:
        generators: generators of nbmodule apart from the default one.
    """

    def __init__(self, generators: list[Generator]) -> None:
        self.default = default_generator._stream.__getstate__()
        self.others = [g._stream.__getstate__() for g in generators]
        self.python = random.getstate()
        drawing = sys.modules.get("numpy.random")  # who has not loaded it has not drawn from it
        self.numpy = drawing.get_state(legacy=False) if drawing else None

    def put_back(self, generators: list[Generator]) -> None:
        """Let the generators stand again where they stood."""
        default_generator._stream.__setstate__(self.default)
        for generator, state in zip(generators, self.others, strict=True):
            generator._stream.__setstate__(state)
        random.setstate(self.python)
        if self.numpy is not None:
            from numpy import random as drawing

            drawing.set_state(self.numpy)  # noqa: NPY002 - the shared generator is what this is about

    def plain(self) -> dict[str, Any]:
        """Return the snapshot as a nest of tensors and numbers."""
        version, python_words, spare = self.python
        numpy = self.numpy
        if numpy is not None:
            words, position = numpy["state"]["key"], numpy["state"]["pos"]
            twister = {"words": tensor(words.tolist()), "next": position}
            numpy = {**twister, "has_gauss": numpy["has_gauss"], "gauss": numpy["gauss"]}
        return {
            "nbmodule": plain_stream(self.default),
            "others": [plain_stream(state) for state in self.others],
            "python": {"version": version, "words": tensor(python_words), "gauss": spare},
            "numpy": numpy,
        }

    @classmethod
    def of(cls, plain: dict[str, Any]) -> RandomStates:
        """Return the snapshot that `plain` was made of."""
        self = cls.__new__(cls)
        self.default = stream_of(plain["nbmodule"])
        self.others = [stream_of(state) for state in plain["others"]]
        python, numpy = plain["python"], plain["numpy"]
        self.python = (python["version"], tuple(python["words"].tolist()), python["gauss"])
        if numpy is not None:
            words, place = numpy["words"].numpy().astype("uint32"), numpy["next"]
            # NumPy reads at that place without a look at it
            if type(place) is not int or not 0 <= place <= words.size == 624:
                raise ValueError(
                    f"damaged state of NumPy's generator: place {place!r} in {words.size} words"
                )
            twister = {"key": words, "pos": place}
            rest = {"has_gauss": numpy["has_gauss"], "gauss": numpy["gauss"]}
            numpy = {"bit_generator": "MT19937", "state": twister, **rest}
        self.numpy = numpy
        return self


def plain_stream(state: tuple[Any, ...]) -> Any:
    """Return the state of a stream as the uint8 tensor of `Generator.get_state`."""
    generator = Generator()
    generator._stream.__setstate__(state)
    return generator.get_state()


def stream_of(state: Any) -> tuple[Any, ...]:
    """Return what `plain_stream` was made of."""
    stream: Stream = Generator().set_state(state)._stream
    return stream.__getstate__()
