"""KernelWalk: the kernel of a convolution walks over an image, and padded pixels are linked to their sources."""

from __future__ import annotations

from typing import Any

import numpy as np
import traitlets

from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.lesson_facts.kernel_walk import KernelWalkFacts, kernel_walk_facts
from nbmodule_widgets.lesson_facts.kernel_walk_words import (
    head_words,
    image_words,
    kernel_walk_figure,
    kernel_walk_html,
    kernel_walk_text,
    step_words,
)
from nbmodule_widgets.refusing import refusing
from nbmodule_widgets.views.live import LiveView, script


@refusing
def kernel_walk(layer: Any, image: Any, filter: int = 0) -> KernelWalk:
    """Lets the kernel of a convolution walk over an image, and shows what each output is made of.

    The layer may be of any library or your own. It is called once with the image, and asked for `weight`, `bias`,
    `stride`, `padding`, `dilation`, `groups` and `padding_mode`, as far as it has them.

    Args:
        layer: A two-dimensional convolution.
        image: What it is called with: a tensor of the shape (N, channels, rows, columns). The first image is shown.
        filter: Which of its filters walks.

    Raises:
        TypeError: The layer is no convolution, or the image is no batch of images.
        ValueError: The image is too large to be shown, or there is no such filter.

    Example:
        >>> kernel_walk(nn.Conv2d(1, 1, 3, padding=1), nbmodule.rand(1, 1, 5, 5))  # doctest: +SKIP
    """
    return KernelWalk(kernel_walk_facts(layer, image, filter))


class KernelWalk(LiveView):
    """A kernel that walks over an image, played in the page. Made by `kernel_walk`.

    Args:
        facts: What it reads.
    """

    _esm = script("core", "player", "kernel_walk")

    walk = traitlets.Dict().tag(sync=True)
    step = traitlets.Int(0, min=0).tag(sync=True, from_page=True)  # the position that is shown
    _for_readers = ("step",)

    def __init__(self, facts: KernelWalkFacts) -> None:
        self._facts = facts
        super().__init__(walk=_packed(facts))

    @property
    def facts(self) -> KernelWalkFacts:
        """What the kernel reads at each position."""
        return self._facts

    def refresh(self) -> None:
        """Changes nothing: the layer was called once. Call `kernel_walk` again for a new walk."""

    def figure(self) -> Any:
        """The image, the first position and the output, as a `matplotlib.figure.Figure`."""
        return kernel_walk_figure(self._facts)

    def to_html(self) -> str:
        """The image with its padding and a few positions, without a script, as a saved notebook shows them."""
        return kernel_walk_html(self._facts)

    def __str__(self) -> str:
        return kernel_walk_text(self._facts)


def _packed(known: KernelWalkFacts) -> dict[str, Any]:
    """The facts as one trait."""
    return {
        "layer": visible(known.layer, 40),
        "head": head_words(known),
        "shown": [image_words(known, n) for n in range(len(known.channels))],
        "bordered": known.bordered,
        "channels": list(known.channels),
        "padded": _short(known.padded),
        "weight": _short(known.weight),
        "gave": _short(known.gave.ravel()),
        "axes": [
            {"sources": a.sources, "before": a.before, "size": a.size, "places": a.places}
            for a in (known.down, known.across)
        ],
        "words": [step_words(known, step) for step in range(known.gave.size)],
    }


def _short(numbers: np.ndarray) -> Any:
    """Numbers in few digits, for they are only shown; what JSON does not know is a word."""
    if numbers.ndim:
        return [_short(part) for part in numbers]
    return float(f"{numbers:.5g}") if np.isfinite(numbers) else str(numbers)
