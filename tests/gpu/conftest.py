"""Every test of this folder runs on the pretend device, and on a GPU where there is one: ``pytest tests -m gpu``."""

import pretend_cupy
import pytest

import nbmodule
from nbmodule._device import chosen

REAL = pytest.param(
    "real",
    marks=[pytest.mark.gpu, pytest.mark.filterwarnings("ignore::DeprecationWarning")],
)
"""CuPy may lag behind NumPy: what it does in an old way does not fail our tests."""


@pytest.fixture(params=["pretend", REAL] if nbmodule.cuda.is_available() else ["pretend"])
def gpu(request):
    """The library behind ``device="cuda"``: the pretend CuPy, or CuPy."""
    before = chosen.card, chosen.default
    if request.param == "pretend":
        with pretend_cupy.installed() as cupy:
            yield cupy
    else:
        yield nbmodule._backend.import_cupy()
    chosen.card, chosen.default = before


@pytest.fixture
def two_cards(gpu):
    """The same, where there are at least two GPUs; the pretend device has two."""
    if nbmodule.cuda.device_count() < 2:
        pytest.skip("needs two GPUs")
    return gpu
