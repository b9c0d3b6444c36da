"""What PyTorch refuses is refused, where NumPy would compute something of it; what it takes is taken."""

import numpy as np
import pytest

import nbmodule
from nbmodule.nn import functional as F

ROW, TABLE = nbmodule.tensor([1]), nbmodule.ones(3, 2)
IMAGE, FILTERS = nbmodule.ones(1, 3, 5, 5), nbmodule.ones(2, 3, 3, 3)


@pytest.mark.parametrize("wrong", [[1.0], (-1,), 1j, "1", np.ones(2)], ids=str)
@pytest.mark.parametrize("name", ["max_norm", "norm_type"])
def test_norms_of_tables_are_numbers(name, wrong):
    with pytest.raises(TypeError, match=name):
        F.embedding(ROW, TABLE, **{"max_norm": 1.0, name: wrong})
    with pytest.raises(TypeError, match=name):
        F.embedding_bag(ROW[None], TABLE, **{"max_norm": 1.0, name: wrong})
    assert TABLE.eq(1).all()


@pytest.mark.parametrize("wrong", [{"transposed": 0}, {"transposed": ""}, {"output_padding": [None, 0]}], ids=str)  # fmt: skip
def test_a_convolution_looks_at_what_it_does_not_use(wrong):
    rest = {"stride": [1], "padding": [1], "dilation": [1], "transposed": False, "output_padding": [0], "groups": 1}  # fmt: skip
    with pytest.raises(TypeError, match=next(iter(wrong))):
        nbmodule.convolution(IMAGE, FILTERS, None, **{**rest, **wrong})


def test_a_reduction_is_whole():
    lengths = nbmodule.tensor([6, 5]), nbmodule.tensor([1, 1])
    with pytest.raises(TypeError):
        nbmodule.ctc_loss(nbmodule.zeros(6, 2, 4), nbmodule.ones(2, 1).long(), *lengths, 0, nbmodule.tensor(0.5), False)  # fmt: skip


@pytest.mark.parametrize("wrong", [[], [3], (1,)], ids=str)
def test_a_divisor_is_one_number(wrong):
    with pytest.raises(TypeError, match="divisor_override"):
        F.avg_pool2d(IMAGE, 2, divisor_override=wrong)
    with pytest.raises(TypeError, match="divisor_override"):
        F.avg_pool3d(IMAGE[None], 1, divisor_override=wrong)


@pytest.mark.parametrize("pool", [F.max_pool1d, F.avg_pool1d, lambda x, k, s: F.lp_pool1d(x, 2, k, s)])  # fmt: skip
def test_a_stride_may_be_a_number_of_numpy(pool):
    assert pool(nbmodule.ones(1, 2, 6), 2, np.int64(2)).shape == (1, 2, 3)


@pytest.mark.parametrize("training", [True, False])
def test_batch_norm_of_no_tensor(training):
    error = AttributeError if training else TypeError  # PyTorch asks for its size first
    with pytest.raises(error, match="tuple"):
        F.batch_norm((1.0,), nbmodule.zeros(1), nbmodule.ones(1), training=training)
    with pytest.raises(AttributeError, match="dim"):
        nbmodule.nn.BatchNorm1d(1)((1.0,))
