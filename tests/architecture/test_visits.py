"""One call leads through few files: a reader who follows it with a debugger does not get lost."""

import sys
from pathlib import Path

import pytest

import nbmodule
from nbmodule import nn

HOME = Path(nbmodule.__file__).parent


def image():
    return nbmodule.randn(2, 3, 8, 8)


CALLS = {
    "ReLU": (5, lambda: (nn.ReLU(), image())),
    "Linear": (7, lambda: (nn.Linear(8, 4), nbmodule.randn(2, 8))),
    "Conv2d": (11, lambda: (nn.Conv2d(3, 4, 3), image())),
    "BatchNorm2d": (13, lambda: (nn.BatchNorm2d(3), image())),
    "CrossEntropyLoss": (
        8,
        lambda: (nn.CrossEntropyLoss(), nbmodule.randn(5, 3), nbmodule.tensor([0, 1, 2, 1, 0])),
    ),
    "MaxPool2d": (8, lambda: (nn.MaxPool2d(2), image())),
    "LayerNorm": (12, lambda: (nn.LayerNorm(8), image())),
    "Dropout": (11, lambda: (nn.Dropout(), image())),
    "MSELoss": (8, lambda: (nn.MSELoss(), nbmodule.randn(3), nbmodule.randn(3))),
    "sum": (5, lambda: (nbmodule.Tensor.sum, image())),
    "mean": (5, lambda: (nbmodule.Tensor.mean, image())),
    "cat": (5, lambda: (nbmodule.cat, [image(), image()])),
    "x[0]": (4, lambda: (nbmodule.Tensor.__getitem__, image(), 0)),
}


def visited(call, *args):
    """Return the files of the library whose functions run while ``call(*args)`` does."""
    files = set()

    def note(frame, event, arg):
        files.add(frame.f_code.co_filename)

    call(*args)  # what is only done once has been done
    sys.setprofile(note)
    try:
        call(*args)
    finally:
        sys.setprofile(None)
    here = str(HOME)
    return sorted(f[len(here) + 1 :].replace("\\", "/") for f in files if f.startswith(here))


@pytest.mark.parametrize("name", CALLS)
def test_a_call_visits_few_files(name):
    most, make = CALLS[name]
    files = visited(*make())
    assert len(files) <= most, files
