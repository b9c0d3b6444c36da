"""What looks like a Recorder, for views that are tested without training anything."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from nbmodule_widgets.views.parameters import ParameterView


class Recording:
    """The shape of a Recorder, with norms that grow by a factor of two from look to look."""

    def __init__(self, paths: tuple[str, ...], looks: int) -> None:
        self.paths, self.looks = paths, looks

    def history(self) -> Any:
        norms = np.outer(2.0 ** np.arange(self.looks), np.ones(len(self.paths))).astype("f4")
        return SimpleNamespace(
            paths=self.paths, steps=np.arange(1, self.looks + 1), weight_norm=norms,
            gradient_norm=norms / 10, update_norm=norms / 1000, ratio=norms / norms / 1000,
        )  # fmt: skip

    @property
    def latest(self) -> Any:
        history = self.history()
        row = {name: getattr(history, name)[-1] for name in ("weight_norm", "gradient_norm", "update_norm", "ratio")}  # fmt: skip
        return SimpleNamespace(step=self.looks, gradient_absmax=row["gradient_norm"] / 2, **row)


def paths_of(model: object) -> tuple[str, ...]:
    return tuple(place.path for place in ParameterView(model)._places.parameters)
