"""Every argument and every result of an operation is written between forward and backward.

Backward raises, or gives the gradient that it gave without the write; and where PyTorch runs, it runs. What PyTorch
does is recorded: for each row a word for each choice of leaves that require grad, with a letter for each tensor that
can be written: the arguments, what the call made of numbers, the results.
"""

import json
import sys
from pathlib import Path

import index_rows
import numpy as np
import pytest
import recorded_cases
from samples import SAMPLES

import nbmodule
from nbmodule._engine.state import writes

RECORD = Path(__file__).with_name("recorded") / "writes.json"
ROWS = {f"{row.name}_of_indices": row for row in index_rows.ROWS}
ROWS |= {row.name: row for row in SAMPLES if row.differentiable}
VERDICTS = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
RAISES, RUNS, FAILS = "r.x"

KEEP_MORE = (
    "attention", "einsum", "kron", "linear_transposed", "matmul_left_2d", "rms_norm_weight", "tensordot",
    "vecmat_batch",
)  # fmt: skip
"""Operations in one step, or without a copy, that keep arguments where PyTorch keeps what it made of them."""


class Watched:
    """A library that notes what tensors are made by its name."""

    def __init__(self, library):
        self.library, self.made = library, []

    def __getattr__(self, name):
        found = getattr(self.library, name)
        if name not in ("tensor", "arange", "ones", "zeros", "full"):
            return found

        def make(*args, **options):
            self.made.append(found(*args, **options))
            return self.made[-1]

        return make


class Run:
    """A row that was called: its arguments, and all that can be written."""

    def __init__(self, library, row, wanted):
        self.library, watched = library, Watched(library)
        self.leaves = [
            library.tensor(a).requires_grad_(i in wanted) for i, a in enumerate(row.arrays("f8"))
        ]
        library.manual_seed(0)
        self.results = list(tensors_in(library, row.call(watched, *self.leaves)))
        self.written = [*self.leaves, *watched.made, *self.results]

    def write(self, place):
        """Change the values of the tensor at `place`: of itself, through a view, or through `detach`."""
        with self.library.no_grad():
            t = self.written[place]
            t = (t, t.view_as(t), t.detach())[place % 3]
            if t.dtype == self.library.bool:
                t.logical_not_()
            else:
                t.add_(1) if t.is_floating_point() else t.zero_()

    def gradients(self):
        """Return the gradients of the leaves; None where nothing was recorded."""
        outs = [out for out in self.results if out.requires_grad]
        if not outs:
            return None
        rng = np.random.default_rng(1)
        given = [self.library.tensor(rng.standard_normal(tuple(out.shape))) for out in outs]
        self.library.autograd.backward(outs, given)
        return [None if t.grad is None else t.grad.numpy() for t in self.leaves]


def tensors_in(library, found):
    if isinstance(found, library.Tensor):
        yield found
    elif isinstance(found, (tuple, list)):
        for part in found:
            yield from tensors_in(library, part)


def choices(row):
    """Return which leaves require grad: all; and each alone, where there are several but not many."""
    n = len(row.shapes)
    return [range(n), *([i] for i in range(n) if 1 < n < 5)]


def outcome(run, place):
    """Return what backward does after a write, and the gradients."""
    try:
        run.write(place)
        return RUNS, run.gradients()
    except (RuntimeError, NotImplementedError) as error:
        return (RAISES if "modified by an inplace operation" in str(error) else FAILS), None


def is_same(found, expected):
    pairs = zip(found, expected, strict=True)
    return all(
        (f is None and e is None) or np.allclose(f, e, 1e-9, 1e-12, equal_nan=True)
        for f, e in pairs
    )


@pytest.mark.parametrize("name", ROWS)
def test_a_write_is_noticed_or_does_no_harm(name):
    row = ROWS[name]
    for wanted, word in zip(choices(row), VERDICTS[name].split(), strict=True):
        first = Run(nbmodule, row, wanted)
        expected = first.gradients()
        if expected is None:
            continue
        assert len(first.written) == len(word)
        for place, verdict in enumerate(word):
            found, gradients = outcome(Run(nbmodule, row, wanted), place)
            told = f"tensor {place} written, {list(wanted)} require grad: PyTorch says {verdict!r}"
            if found == RUNS:
                assert is_same(gradients, expected), told
            elif verdict == RUNS:
                assert name.startswith(KEEP_MORE), told


def test_no_node_looks_for_batches_that_were_counted():
    layer, x = nbmodule.nn.BatchNorm1d(2), nbmodule.ones(3, 2)
    layer(x)
    seen = writes.last_seen
    layer(x)
    assert writes.last_seen == seen


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ROWS)
def test_torch_says_what_was_recorded(name):
    assert words(pytest.importorskip("torch"), ROWS[name]) == VERDICTS[name]


def words(library, row):
    """Return the verdicts of `library` on `row`, a word for each choice of leaves."""
    found = []
    for wanted in choices(row):
        places = range(len(Run(library, row, wanted).written))
        found.append("".join(outcome(Run(library, row, wanted), place)[0] for place in places))
    return " ".join(found)


def record():
    """Write the record again. Needs torch: see CONTRIBUTING.md."""
    import torch

    found = {name: words(torch, row) for name, row in sorted(ROWS.items())}
    recorded_cases.write(RECORD, found)


if __name__ == "__main__":
    sys.exit(record())
