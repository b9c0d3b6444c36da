"""The output of a model under `eval()` and in each draw under `train()`."""

from __future__ import annotations

import numpy as np

from nbmodule_widgets.comparing.reading import Look
from nbmodule_widgets.comparing.records import OutputFacts
from nbmodule_widgets.facts.tensors import as_float64

UNITS = 256
BINS = 24


def output_facts(
    evaluated: tuple[Look, ...], draws: list[tuple[Look, ...]], after: list[tuple[Look, ...]],
) -> OutputFacts | None:  # fmt: skip
    """Compares the first tensor in the output that holds several numbers, or one if there are no others.

    Args:
        evaluated: The output under `eval()`.
        draws: That of each draw under `train()`.
        after: That under `eval()` after each draw, or after none.

    Returns:
        What was found; None if there is nothing to compare.
    """
    places = [n for n, one in enumerate(evaluated) if _compares(n, one, draws)]
    place = next(
        (n for n in places if evaluated[n].numbers.size > 1), places[0] if places else None
    )
    if place is None or not draws:
        return None
    chosen = evaluated[place]
    one = as_float64(chosen.numbers)
    all_draws = np.stack([as_float64(draw[place].numbers) for draw in draws])
    later = [as_float64(each[place].numbers) for each in after if _compares(place, chosen, [each])]
    if len(later) < len(draws):
        later = []
    all_after = np.stack(later) if later else np.empty((0, one.size))
    edges = _edges(one, np.concatenate([all_draws, all_after]))
    units = min(UNITS, one.size)
    drawn = all_draws[:, :units]
    with np.errstate(all="ignore"):
        arrays = [one[:units], drawn, drawn.mean(0), drawn.std(0), edges, _counts(one, edges)]
    arrays.append(np.stack([_counts(draw, edges) for draw in all_draws]))
    arrays.append(all_after[:, :units])
    arrays.append(np.array([_counts(each, edges) for each in all_after]).reshape(-1, BINS))
    for array in arrays:
        array.flags.writeable = False
    of = int(np.prod(chosen.shape))
    return OutputFacts(chosen.name, chosen.shape, units, of, *arrays)


def _compares(place: int, one: Look, draws: list[tuple[Look, ...]]) -> bool:
    """Whether the tensor holds numbers, and every draw has one like it."""
    return (
        one.numbers.size > 0
        and one.numbers.dtype.kind in "fciu"
        and all(len(draw) > place and draw[place].shape == one.shape for draw in draws)
    )


def _edges(one: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """The bins that all passes share."""
    every = np.concatenate([one, draws.reshape(-1)])
    finite = every[np.isfinite(every)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    if not low < high or not np.isfinite(high - low):
        low, high = (low - 0.5, low + 0.5) if abs(low) < 1e15 else (-1.0, 1.0)
    return np.linspace(low, high, BINS + 1)


def _counts(numbers: np.ndarray, edges: np.ndarray) -> np.ndarray:
    return np.histogram(numbers[np.isfinite(numbers)], edges)[0]
