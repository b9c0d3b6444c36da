"""Files from which a run can go on: written while it runs, the newest kept, the best apart.

Source: https://lightning.ai/docs/pytorch/stable/common/checkpointing.html (the idea)
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from . import state
from .callback import Callback, Learner
from .measuring import check_monitored
from .stopping import Best


class Checkpoint(Callback):
    """Writes all that the rest of a run depends on to a folder, each file whole or not at all.

    The files are called ``epoch-0002-step-00000150.pt``: epochs and training batches that were complete. With `monitor`,
    ``best.pt`` is the state of the best epoch. ``learner.resume(folder)`` goes on from the newest file.

    Args:
        folder: where; it is made if it is not there.
        every_epochs: write after each so many epochs; None for never.
        every_steps: write after each so many training batches, in the middle of epochs.
        keep: how many files stay; None for all. "best.pt" doesn't count.
        monitor: a result whose best value has a file of its own.
        mode: "min" or "max"; may be left out for losses and for metrics that know it.
        suffix: the format: ".pt", ".safetensors" or ".npz".

    Raises:
        ValueError: a number is less than 1, or nothing would ever be written.

    Source: https://lightning.ai/docs/pytorch/stable/api/lightning.pytorch.callbacks.ModelCheckpoint.html (the idea)

    Example:
        >>> import os, tempfile
        >>> import nbmodule
        >>> from nbmodule import nn, optim
        >>> from nbmodule.learner import Checkpoint, Learner
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     keep = Checkpoint(folder, keep=2, monitor="train_loss")
        ...     learner = Learner(nn.Linear(1, 1), nn.MSELoss(), optim.SGD, [nbmodule.ones(2, 1)] * 5, callbacks=[keep])
        ...     _ = learner.fit(3)
        ...     sorted(os.listdir(folder))
        ['best.pt', 'epoch-0002-step-00000010.pt', 'epoch-0003-step-00000015.pt']
    """

    order = 100  # what it writes holds what all others have done

    def __init__(self, folder: Any, every_epochs: int | None = 1, every_steps: int | None = None, keep: int | None = 1, monitor: str | None = None, mode: str | None = None, suffix: str = ".pt") -> None:  # fmt: skip
        for name, value in (("every_epochs", every_epochs), ("every_steps", every_steps), ("keep", keep)):  # fmt: skip
            if value is not None and value < 1:
                raise ValueError(f"{name} must be at least 1, or None, not {value}")
        if every_epochs is None and every_steps is None and monitor is None:
            raise ValueError("give Checkpoint every_epochs, every_steps or monitor: it would never write")  # fmt: skip
        if suffix not in (".pt", ".safetensors", ".npz"):
            raise ValueError(f"suffix must be '.pt', '.safetensors' or '.npz', not {suffix!r}")
        self.folder, self.suffix, self.keep = Path(folder), suffix, keep
        self.every_epochs, self.every_steps = every_epochs, every_steps
        self.best = None if monitor is None else Best(monitor, mode)
        self.files: list[str] = []

    def before_fit(self, learner: Learner) -> None:
        """Make the folder."""
        if self.best is not None:
            check_monitored(self.best.monitor, learner, self)
        if self.folder.is_file():
            raise NotADirectoryError(
                f"Checkpoint writes into a folder, and {self.folder} is a file"
            )
        self.folder.mkdir(parents=True, exist_ok=True)

    def after_batch(self, learner: Learner) -> None:
        """Write in the middle of an epoch."""
        if learner.training and self.every_steps and learner.step % self.every_steps == 0:
            self._write(learner)

    def after_epoch(self, learner: Learner) -> None:
        """Write at the end of an epoch."""
        best = self.best is not None and self.best.improved(learner, type(self).__name__)
        if self.every_epochs and learner.epoch % self.every_epochs == 0:
            self._write(learner)
        if best:
            state.write(learner, self.folder / f"best{self.suffix}")

    def _write(self, learner: Learner) -> None:
        """Write a file, and only then remove those that are too many."""
        name = f"epoch-{learner.epoch:04d}-step-{learner.step:08d}{self.suffix}"
        files = [file for file in self.files if file != name] + [name]
        cut = 0 if self.keep is None else max(len(files) - self.keep, 0)
        self.files, old = files[cut:], files[:cut]
        state.write(learner, self.folder / name)
        for file in old:
            (self.folder / file).unlink(missing_ok=True)

    def state_dict(self) -> dict[str, Any]:
        """Return the files that are there, and the best value."""
        best = {} if self.best is None else {"value": self.best.value, "epoch": self.best.epoch}
        return {"files": list(self.files), "best": best}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take over what `state_dict` returned. Names that are no names of ours are an error: files are removed by them."""
        files = state["files"]
        if not all(isinstance(f, str) and Path(f).name == f and f.startswith("epoch-") for f in files):  # fmt: skip
            raise ValueError(f"the checkpoint names files that Checkpoint doesn't write: {files}")
        self.files = list(files)
        if self.best is not None and state["best"]:
            self.best.value, self.best.epoch = state["best"]["value"], state["best"]["epoch"]
