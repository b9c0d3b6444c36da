"""The records of a comparison: what each Module, the output and the four combinations did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from nbmodule_widgets.facts.model import ModuleFacts
from nbmodule_widgets.facts.words import visible

Role = Literal[
    "cause", "passes on", "holds a cause", "random in both", "rounding", "same", "not called", "unknown"
]  # fmt: skip

ROLES: dict[Role, str] = {
    "cause": "behaves differently: another output for the same input",
    "passes on": "computes the same: its output differs because its input does",
    "holds a cause": "its output differs because of a module inside it",
    "random in both": "draws random numbers in eval() too",
    "rounding": "the same up to rounding: another way to compute it",
    "same": "the same output, bit for bit",
    "not called": "its forward did not run",
    "unknown": "its output differs; whether it or its input is the reason is not known",
}
"""What can be said of a Module, and what it means."""


@dataclass(frozen=True, slots=True)
class ModuleModes:
    """One Module under `train()` and under `eval()`.

    Attributes:
        path: Its path; the empty string for the model itself.
        label: Class and `extra_repr`.
        class_name: The class alone.
        depth: Steps from the root.
        role: One of `ROLES`.
        words: How it behaves, in a sentence for the learner.
        kind: What it was recognised as by what it does: `"dropout"`, `"norm"`, or the empty string.
        flag: Its `training` before anything was done; None where there is none.
        flag_train: Its `training` after `train()`.
        flag_eval: Its `training` after `eval()`.
        reached: Whether `train()` and `eval()` of the model can reach it.
        calls: How often it ran in one pass.
        difference: Mean of |train - eval| over its output and the draws; NaN if not known.
        relative: That, divided by the mean of |eval|; NaN if not known.
        mean_eval: Mean of its output under `eval()`.
        std_eval: Standard deviation of its output there.
        mean_train: Mean of its output under `train()`, over the draws.
        std_train: Standard deviation within a draw, averaged over the draws.
        random_train: Whether its output differs between draws under `train()`; None if not known.
        random_eval: Whether it does under `eval()`.
    """

    path: str
    label: str
    class_name: str
    depth: int
    role: Role
    words: str
    kind: str
    flag: bool | None
    flag_train: bool | None
    flag_eval: bool | None
    reached: bool
    calls: int
    difference: float
    relative: float
    mean_eval: float
    std_eval: float
    mean_train: float
    std_train: float
    random_train: bool | None
    random_eval: bool | None

    @property
    def name(self) -> str:
        """The path as it is shown to people."""
        return visible(self.path, 80) or "the model itself"


@dataclass(frozen=True, slots=True, eq=False)
class MaskFacts:
    """What one dropout did in each draw, to the first example of the batch; or to all of them, if it drops whole ones.

    Attributes:
        path: Of the Module.
        shape: Of what it was given.
        units: How many numbers of the first example the masks are about, from the front.
        of: How many it has.
        rows: Lines in which to write them.
        packed: A mask for each draw, eight units in a byte: uint8 of shape (draws, ceil(units / 8)); 1 is kept.
        kept: Share that was kept in all draws, of the whole batch.
        p: What the Module's `p` says, NaN if it has none.
        scale: By what the kept ones were multiplied, NaN if by different numbers.
        dropped: What a dropped 1 becomes: 0, or another number for alpha dropout.
        what: What is dropped as a whole, and so what the masks count: `"unit"`, `"channel"`, `"example"` of the batch.
    """

    path: str
    shape: tuple[int, ...]
    units: int
    of: int
    rows: int
    packed: np.ndarray
    kept: float
    p: float
    scale: float
    dropped: float
    what: str = "unit"

    def mask(self, draw: int) -> np.ndarray:
        """Which units a draw kept: bool of shape (units,)."""
        return np.unpackbits(self.packed[draw], count=self.units).astype(bool)


@dataclass(frozen=True, slots=True, eq=False)
class NormFacts:
    """Statistics of the batch beside the running ones, channel by channel.

    Attributes:
        path: Of the Module.
        channels: How many it has; the arrays hold the first of them.
        count: Numbers of a channel in one batch.
        momentum: What the Module says; None for the plain average of all batches.
        batch_mean: Of each draw's batch, shape (draws, channels).
        batch_var: Likewise, divided by n.
        running_mean: Before the first draw and after each, shape (draws + 1, channels).
        running_var: Likewise.
        tracked: `num_batches_tracked` before the first draw and after the last; (-1, -1) if it is not counted.
        rule: How the running ones moved, in words, checked against the numbers.
        holds: Whether the rule in `rule` gives the numbers that were measured; None if it was not checked.
    """

    path: str
    channels: int
    count: int
    momentum: float | None
    batch_mean: np.ndarray
    batch_var: np.ndarray
    running_mean: np.ndarray
    running_var: np.ndarray
    tracked: tuple[int, int]
    rule: str
    holds: bool | None


@dataclass(frozen=True, slots=True, eq=False)
class OutputFacts:
    """The output of the model, unit by unit.

    Attributes:
        name: Where in the output the tensor is: `""` if it is the output, `"[0]"`, `"['logits']"`.
        shape: Its shape.
        units: How many of its numbers are described, from the front.
        of: How many it has.
        eval: Under `eval()`, shape (units,).
        draws: Under `train()`, shape (draws, units).
        mean: Over the draws.
        std: Over the draws, divided by n.
        edges: Of the bins, shape (bins + 1,).
        eval_counts: How many numbers of the output fall into each bin under `eval()`.
        train_counts: The same in each draw, shape (draws, bins).
        after: Under `eval()` with the running statistics as each draw left them, shape (draws, units); no rows if none move.
        after_counts: How many numbers fall into each bin then, shape (draws, bins); no rows if none move.
    """

    name: str
    shape: tuple[int, ...]
    units: int
    of: int
    eval: np.ndarray
    draws: np.ndarray
    mean: np.ndarray
    std: np.ndarray
    edges: np.ndarray
    eval_counts: np.ndarray
    train_counts: np.ndarray
    after: np.ndarray
    after_counts: np.ndarray


@dataclass(frozen=True, slots=True)
class Combination:
    """One of train/eval with gradients on or off.

    Attributes:
        training: True for `train()`.
        grad: False inside `no_grad()`.
        problem: What the pass raised, or the empty string.
        graph: Whether the output requires a gradient, that is, whether a graph was recorded; None if not known.
        random: Whether random numbers were drawn.
        moved: Names of buffers that the pass changed.
        kept_bytes: Memory kept for `backward()`; None where the library does not tell.
        output: The output compared with that of the same mode with gradients on, in words.
    """

    training: bool
    grad: bool
    problem: str = ""
    graph: bool | None = None
    random: bool = False
    moved: tuple[str, ...] = ()
    kept_bytes: int | None = None
    output: str = ""

    @property
    def name(self) -> str:
        """`"train() with no_grad()"`."""
        return f"{'train()' if self.training else 'eval()'}{'' if self.grad else ' in no_grad()'}"


@dataclass(frozen=True, slots=True, eq=False)
class ModesFacts:
    """The same input under `train()` and `eval()`.

    Attributes:
        model: The model as it was before.
        label: Its class.
        modules: Its Modules in the order of the tree; those it holds out of reach come last.
        masks: What the dropouts did.
        norms: What the running statistics did.
        output: The output, None if there is none to compare.
        combinations: train/eval with and without gradients: four, in the order train, train no_grad, eval, eval no_grad.
        seed: The first draw's seed; draw n (from 0) has `seed + n`.
        draws: How many different draws there were.
        passes: How often the model ran in all.
        notes: What the reader should know.
        problem: Which of the modes failed and how, or the empty string.
        sentence: What exactly changes.
        odd: How many Modules had another mode than the model itself before anything was done.
        keep_modes: Whether these kept it.
    """

    model: ModuleFacts
    label: str
    modules: tuple[ModuleModes, ...]
    masks: tuple[MaskFacts, ...]
    norms: tuple[NormFacts, ...]
    output: OutputFacts | None
    combinations: tuple[Combination, ...]
    seed: int
    draws: int
    passes: int
    notes: tuple[str, ...]
    problem: str
    sentence: str
    odd: int = 0
    keep_modes: bool = False

    @property
    def causes(self) -> tuple[ModuleModes, ...]:
        """The Modules that behave differently."""
        return tuple(module for module in self.modules if module.role == "cause")

    def find(self, path: str) -> ModuleModes:
        """The Module of a path.

        Raises:
            KeyError: If there is none.
        """
        for module in self.modules:
            if module.path == path:
                return module
        known = ", ".join(repr(module.path) for module in self.modules[:20])
        raise KeyError(f"no module {path!r}; there is {known}")
