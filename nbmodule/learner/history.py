"""What a training run has brought: a row of numbers for each epoch, loss and learning rate of each step."""

from __future__ import annotations

import csv
import io
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .._dtypes import float64
from .._interop import tensor
from .._saving.atomic import replacing
from .callback import Callback, Learner

_SHOWN = 20
"""How many epochs the table of a long run shows at its beginning, and at its end."""


class History(Callback):
    """The results of all epochs of a learner. It prints as a table.

    ``history["valid_loss"]`` is a list of numbers to plot, ``history[-1]`` the dictionary of the last epoch, ``history.rows``
    the list of all; `losses` and `lrs` have a number for each training batch.

    Source: https://keras.io/api/callbacks/ (the idea)

    Example:
        >>> from nbmodule.learner import History
        >>> history = History()
        >>> history.rows += [{"epoch": 1, "train_loss": 0.75}, {"epoch": 2, "train_loss": 0.5}]
        >>> history["train_loss"]
        [0.75, 0.5]
        >>> history[-1]["epoch"]
        2
        >>> history
        epoch  train_loss
            1        0.75
            2         0.5
    """

    order = 10

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self._losses, self._lrs = array("d"), array("d")

    @property
    def losses(self) -> list[float]:
        """The loss of each training batch."""
        return self._losses.tolist()

    @property
    def lrs(self) -> list[float]:
        """The learning rate of the first group of parameters at each training batch."""
        return self._lrs.tolist()

    def after_loss(self, learner: Learner) -> None:
        """Note loss and learning rate of a training batch."""
        if learner.training:
            self._losses.append(learner.loss_value)
            self._lrs.append(learner.optimizer.param_groups[0]["lr"])

    def after_epoch(self, learner: Learner) -> None:
        """Add a row."""
        # a callback may have put a tensor there, or a number of NumPy's
        results: dict[str, Any] = learner.results
        results.update({name: v.item() for name, v in results.items() if hasattr(v, "item")})
        lr = float(learner.optimizer.param_groups[0]["lr"])
        self.rows.append({"epoch": learner.epoch, **results, "lr": lr})

    @property
    def names(self) -> list[str]:
        """The names of all columns; "lr" is the last one."""
        names = list(dict.fromkeys(name for row in self.rows for name in row))
        return sorted(names, key=lambda name: name == "lr")

    def __getitem__(self, name: Any) -> Any:
        """Return a column by its name, or a row by its place: ``history[-1]`` is the last epoch."""
        if isinstance(name, (int, slice)):
            return self.rows[name]
        if name not in self.names:
            raise KeyError(f"{name}: the history has {', '.join(self.names) or 'no epoch yet'}")
        return [row.get(name) for row in self.rows]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def __repr__(self) -> str:
        if not self.rows:
            return "no epoch yet"
        names, rows = self.names, self.rows
        if len(rows) > 2 * _SHOWN:
            rows = [*rows[:_SHOWN], dict.fromkeys(names, "..."), *rows[-_SHOWN:]]
        table = [names, *([shown(row.get(name)) for name in names] for row in rows)]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        return "\n".join("  ".join(map(str.rjust, line, widths)) for line in table)

    def state_dict(self) -> dict[str, Any]:
        """Return rows, losses and learning rates."""
        return {
            "rows": [dict(row) for row in self.rows],
            "losses": tensor(self.losses, dtype=float64),
            "lrs": tensor(self.lrs, dtype=float64),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take over what `state_dict` returned."""
        self.rows[:] = [dict(row) for row in state["rows"]]
        self._losses, self._lrs = array("d", state["losses"].tolist()), array("d", state["lrs"].tolist())  # fmt: skip


def shown(value: Any) -> str:
    """Return a number with four digits, whole numbers as they are."""
    return f"{value:.4g}" if isinstance(value, float) else "" if value is None else str(value)


class CSVLogger(Callback):
    """Writes the history to a file of comma-separated values after each epoch, whole and at once.

    After a resume the file holds exactly the epochs that belong to the run.

    Args:
        path: of the file; it is replaced.

    Source: https://keras.io/api/callbacks/csv_logger/ (the idea)

    Example:
        >>> import pathlib, tempfile
        >>> import nbmodule
        >>> from nbmodule import nn, optim
        >>> from nbmodule.learner import CSVLogger, Learner
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "run.csv")
        ...     learner = Learner(nn.Linear(1, 1), nn.MSELoss(), optim.SGD, [nbmodule.ones(2, 1)], callbacks=[CSVLogger(path)])
        ...     _ = learner.fit(2)
        ...     print(path.read_text().splitlines()[0])
        epoch,train_loss,lr
    """

    order = 40

    def __init__(self, path: Any) -> None:
        self.path = Path(path)

    def before_fit(self, learner: Learner) -> None:
        """Make the folder: a fit of hours should not end in that it is missing."""
        self.path.parent.mkdir(parents=True, exist_ok=True)

    def after_epoch(self, learner: Learner) -> None:
        """Write the file anew."""
        text = io.StringIO()
        writer = csv.DictWriter(text, learner.history.names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(learner.history.rows)
        with replacing(self.path) as file:
            file.write(text.getvalue().encode())
