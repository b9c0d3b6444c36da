"""The dtypes of complex numbers are names to compare with: whatever would make a tensor of one says so."""

import numpy as np
import pytest

import nbmodule as t
from nbmodule import nn

C, X = t.complex64, t.ones(2)

MAKERS = [t.zeros, t.ones, t.empty, t.rand, t.randn, t.eye, t.arange]
USES = {
    **{f.__name__: lambda f=f: f(2, dtype=C) for f in MAKERS},
    **{f"{f.__name__}_like": lambda f=f: f(X, dtype=C) for f in (t.zeros_like, t.rand_like, t.empty_like)},
    **{name: lambda name=name: getattr(X, name)(dtype=C) for name in ("to", "sum", "mean", "prod", "nansum")},
    **{name: lambda name=name: getattr(X, name)(0, dtype=C) for name in ("cumsum", "softmax", "new_zeros", "new_tensor")},
    "a list": lambda: t.tensor([1j]), "a number": lambda: t.tensor(1j), "with dtype": lambda: t.tensor([1.0], dtype=C),
    "an array": lambda: t.from_numpy(np.ones(2, complex)), "full": lambda: t.full((2,), 1j), "linspace": lambda: t.linspace(0, 1, 3, dtype=C),
    "to, by place": lambda: X.to("cpu", C), "type": lambda: X.type(t.cdouble), "type by name": lambda: X.type("torch.ComplexFloatTensor"), "view": lambda: X.view(C),
    "on meta": lambda: t.zeros(2, dtype=C, device="meta"), "a norm": lambda: t.linalg.vector_norm(X, dtype=C), "half": lambda: t.zeros(2, dtype=t.complex32),
    "a module": lambda: nn.Linear(2, 2, dtype=C), "a module's to": lambda: nn.Linear(2, 2).to(C), "a module's type": lambda: nn.Linear(2, 2).type(C),
    "times": lambda: X * 1j, "a power": lambda: 1j**X, "where": lambda: t.where(X > 0, X, 1j), "equal": lambda: X == 1j, "not equal": lambda: X != 1j,
}  # fmt: skip


@pytest.mark.parametrize("name", USES)
def test_every_use_is_refused_in_one_sentence(name):
    with pytest.raises(
        TypeError, match="nbmodule has no complex tensors: keep the real and the imag"
    ):
        USES[name]()


@pytest.mark.parametrize(
    "values", [["a"], [None], ["2026-01-01"]], ids=["strings", "objects", "dates"]
)
def test_what_has_nothing_to_do_with_complex_numbers_gets_no_advice_on_them(values):
    array = np.array(values, "datetime64[D]" if values[0] == "2026-01-01" else None)
    for make in (t.tensor, t.from_numpy, t.as_tensor):
        with pytest.raises(TypeError) as caught:
            make(array)
        assert "imaginary" not in str(caught.value)


def test_a_dtype_is_saved_and_read(tmp_path):
    for name in ("a.pt", "a.nb"):
        t.save({"kept as": C}, tmp_path / name)
        assert t.load(tmp_path / name) == {"kept as": C}
