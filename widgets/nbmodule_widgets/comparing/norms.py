"""Running statistics: what a batch says, and how the running mean and variance move towards it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nbmodule_widgets.comparing.records import NormFacts
from nbmodule_widgets.comparing.walking import Place
from nbmodule_widgets.facts.arrays import part
from nbmodule_widgets.facts.nests import tensors_in
from nbmodule_widgets.facts.tensors import as_float64
from nbmodule_widgets.facts.words import decimal
from nbmodule_widgets.protocol import own_dict, said_as_text

CHANNELS = 256
MODULES = 32
NAN_STAYS = (
    "hold NaN, as after a batch with NaN in it, and keep it: `reset_running_stats()` clears them"
)
_NAMES = ("running_mean", "running_var")
_LARGEST = 2**24  # numbers of a batch; of a larger one the statistics are not worked out


@dataclass
class Running:
    """The draws of one Module with running statistics.

    Attributes:
        module: The Module.
        path: Its path.
        means: Of each batch.
        variances: Of each batch, divided by n.
        running: The running mean and variance before the first draw and after each.
        tracked: How many batches it counted, at the same moments.
        count: Numbers of a channel in one batch.
        rounding: How far, relatively, the numbers may be from a rule that they follow.
    """

    module: Any
    path: str
    means: list[np.ndarray] = field(default_factory=list)
    variances: list[np.ndarray] = field(default_factory=list)
    running: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)
    tracked: list[int] = field(default_factory=list)
    count: int = 0
    rounding: float = 1e-3

    def hears(self, given: object) -> None:
        """Works out the statistics of a batch, which is the first tensor that the Module is given."""
        tensor = next((tensor for _, tensor in tensors_in(given)), None)
        said = part(tensor)
        if said.problem or said.value.ndim < 2 or said.value.size > _LARGEST:
            return
        batch = said.value
        if batch.dtype.kind != "f" or batch.dtype.itemsize < 4:
            batch = as_float64(batch)
        rest = tuple(axis for axis in range(batch.ndim) if axis != 1)
        shape = [-1 if axis == 1 else 1 for axis in range(batch.ndim)]
        self.count = batch.size // max(1, batch.shape[1])
        with np.errstate(all="ignore"):  # no copy in float64: batches are large
            mean = batch.mean(rest, dtype=np.float64)
            centred = batch - mean.reshape(shape).astype(batch.dtype)
            beside = centred.mean(rest, dtype=np.float64)  # what rounding the mean has left
            centred *= centred
            self.means.append(mean)
            self.variances.append(centred.mean(rest, dtype=np.float64) - beside**2)

    def looks(self) -> None:
        """Notes the running statistics as they are now."""
        drawer: Any = own_dict(self.module)["_buffers"]
        found = [part(dict.get(drawer, name)) for name in _NAMES]
        if not any(said.problem for said in found):
            mean, var = (as_float64(np.array(said.value)).reshape(-1) for said in found)
            self.running.append((mean, var))
            if any(said_as_text(dict.get(drawer, name), "dtype").endswith("16") for name in _NAMES):
                self.rounding = 0.02  # half precision
        counted = part(dict.get(drawer, "num_batches_tracked"))
        self.tracked.append(-1 if counted.problem else int(np.asarray(counted.value).reshape(-1)[0]))  # fmt: skip

    def facts(self) -> NormFacts | None:
        """All draws; None if nothing was learned of them."""
        draws = min(len(self.means), len(self.running) - 1)
        if draws < 1 or self.running[0][0].size != self.means[0].size:
            return None
        channels = self.means[0].size
        mean = np.stack(self.means[:draws])
        var = np.stack(self.variances[:draws])
        running = [np.stack([each[n] for each in self.running[: draws + 1]]) for n in (0, 1)]
        said: Any = own_dict(self.module).get("momentum")
        momentum = float(said) if type(said) in (float, int) else None
        rule, holds = self._rule(momentum, mean, var, running, draws)
        kept = tuple(array[:, :CHANNELS] for array in (mean, var, *running))
        for array in kept:
            array.flags.writeable = False
        return NormFacts(
            self.path, channels, self.count, momentum, kept[0], kept[1], kept[2], kept[3],
            (self.tracked[0], self.tracked[draws]), rule, holds,
        )  # fmt: skip

    def _rule(
        self, momentum: float | None, mean: np.ndarray, var: np.ndarray, running: list[np.ndarray],
        draws: int,
    ) -> tuple[str, bool | None]:  # fmt: skip
        """How they moved, and whether that is so in the numbers that were measured."""
        if any(np.isnan(each[0]).any() for each in running):
            return f"the running statistics {NAN_STAYS}", None
        if all(np.array_equal(each[0], each[-1]) for each in running):
            return "the running statistics did not move", None
        if self.tracked[draws] - self.tracked[0] not in (draws, 0):
            return "it ran more than once in a pass, so the running statistics moved more than once", None  # fmt: skip
        n = self.count
        factor = n / (n - 1) if n > 1 else float("nan")
        shares: list[tuple[float | None, str]] = (
            [(momentum, "m")] if momentum is not None else [(None, "1/(batches seen)")]
        )
        if momentum is not None:
            shares.append((1 - momentum, "1 - m"))  # as TensorFlow counts it
        for share, name in shares:
            for times in (factor, 1.0):
                if self._follows(share, mean, var * times, running, draws):
                    return _rule_words(momentum, name, times != 1.0, factor), True
        return "by a rule of its own, other than running = (1 - m)·running + m·batch", False

    def _follows(
        self, share: float | None, mean: np.ndarray, var: np.ndarray, running: list[np.ndarray],
        draws: int,
    ) -> bool:  # fmt: skip
        """Whether the running ones take this share of each batch; None is the plain average of all batches."""
        with np.errstate(all="ignore"):
            for draw in range(draws):
                new = share if share is not None else 1 / max(1, self.tracked[draw + 1])
                for each, batch in ((running[0], mean), (running[1], var)):
                    expected = (1 - new) * each[draw] + new * batch[draw]
                    if not np.allclose(each[draw + 1], expected, rtol=self.rounding, atol=1e-5):
                        return False
        return True


def _rule_words(momentum: float | None, share: str, unbiased: bool, factor: float) -> str:
    """The rule that was found to hold."""
    if share == "1 - m":
        words = "running = m·running + (1 - m)·batch"
    else:
        words = "running = (1 - m)·running + m·batch"
    said = f"{words} with m = {decimal(momentum) if momentum is not None else share}"
    if share == "1 - m":
        said += ", so m is the share of the old (PyTorch's `momentum` is that of the new)"
    if unbiased:
        return f"{said}; the variance is multiplied by n/(n-1) = {decimal(factor)}"
    return f"{said}; the variance is divided by n (PyTorch's BatchNorm divides it by n - 1)"


def norms(places: list[Place]) -> dict[int, Running]:
    """A Running for the first `MODULES` Modules that keep a running mean and variance."""
    some = [place for place in places if keeps_running(place)][:MODULES]
    return {place.index: Running(place.module, place.path) for place in some}


def holds_nan(place: Place) -> bool:
    """Whether there is NaN in a Module's running statistics."""
    drawer: Any = own_dict(place.module)["_buffers"]
    found = [part(dict.get(drawer, name)) for name in _NAMES]
    return any(not said.problem and np.isnan(as_float64(said.value)).any() for said in found)


def keeps_running(place: Place) -> bool:
    """Whether a Module keeps a running mean."""
    drawer: Any = own_dict(place.module).get("_buffers")
    return issubclass(type(drawer), dict) and dict.get(drawer, "running_mean") is not None
