"""Batches that are taken out of tensors at once are those that collating single samples makes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nbmodule as t
from nbmodule.datasets import VisionDataset
from nbmodule.utils.data import DataLoader, Subset, TensorDataset, default_collate, random_split
from nbmodule.utils.data._utils import collate
from nbmodule.utils.data._utils.rows import rows_at

KINDS = {
    "float": lambda: t.arange(60.0).reshape(20, 3),
    "float64": lambda: t.arange(20.0, dtype=t.float64),
    "whole": lambda: t.arange(40).reshape(20, 2),
    "bytes": lambda: t.arange(80).to(t.uint8).reshape(20, 2, 2),
    "bools": lambda: t.arange(20) % 2 == 0,
    "of no elements": lambda: t.zeros(20, 0),
    "transposed": lambda: t.arange(60.0).reshape(3, 20).T,
    "parameter": lambda: t.nn.Parameter(t.arange(20.0)),
    "recorded": lambda: t.arange(20.0).requires_grad_() * 2,
    "a part": lambda: t.arange(100.0).reshape(50, 2)[10:30],
}


class Pictures(VisionDataset):
    """Twenty pictures of 2 x 3 pixels."""

    data, classes = t.arange(120).to(t.uint8).reshape(20, 2, 3), ["a", "b"]
    targets = t.arange(20) % 2


def facts(batch):
    """Return what can be told of a batch."""
    return type(batch), [
        (
            x.tolist(),
            x.dtype,
            x.stride(),
            x.requires_grad,
            str(type(x.grad_fn)),
            x._version,
            x._base,
        )
        for x in batch
    ]


def plainly(samples):
    """Collate samples; as a function of its own it is called for each list of them."""
    return default_collate(samples)


def same(dataset, **options):
    """Compare all batches of two loaders, one of which collates samples."""
    t.manual_seed(0)
    found = list(map(facts, DataLoader(dataset, 6, **options)))
    t.manual_seed(0)
    assert found == list(map(facts, DataLoader(dataset, 6, collate_fn=plainly, **options)))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.sampled_from(list(KINDS)), min_size=1, max_size=3), st.booleans())
def test_of_tensors(kinds, shuffle):
    dataset = TensorDataset(*(KINDS[kind]() for kind in kinds))
    same(dataset, shuffle=shuffle)
    same(Subset(dataset, [3, -1, 0, 19, 3, 3, 7, -20]), shuffle=shuffle)
    same(random_split(dataset, [0.5, 0.5])[1])


def test_of_pictures():
    same(Pictures(), shuffle=True)
    same(Pictures(transform=lambda x: x + 1))
    same(Pictures(target_transform=lambda y: y + 1))
    same(Pictures(), num_workers=1)
    for targets in (t.arange(20.0), t.arange(20)[:, None]):
        pictures = Pictures()
        pictures.targets = targets
        same(pictures)


def test_they_are_memory_of_their_own():
    x = t.zeros(4, 2)
    (batch,) = next(iter(DataLoader(TensorDataset(x), 4)))
    batch += 1
    assert x.tolist() == [[0.0, 0.0]] * 4


def test_a_batch_at_once_is_taken_where_it_can_be():
    assert rows_at([t.ones(3)], [0, 2])[0].tolist() == [1.0, 1.0]
    assert Pictures()._batch_at([0]) is not None
    assert Subset(TensorDataset(t.ones(3)), [2, 1])._batch_at([0]) is not None


@pytest.mark.parametrize("indices", [[], [3], [-4], [True], [t.tensor(0)], [0.0], [None]])
def test_what_is_no_plain_row_is_left_to_the_samples(indices):
    assert rows_at([t.ones(3)], indices) is None


def test_a_subclass_is_asked_for_its_samples():
    class Doubled(TensorDataset):
        def __getitem__(self, i):
            return tuple(2 * x for x in super().__getitem__(i))

    class Listed(Subset):
        def __getitem__(self, i):
            return "one"

        def __getitems__(self, indices):
            return ["several"] * len(indices)

    assert next(iter(DataLoader(Doubled(t.ones(2)), 2)))[0].tolist() == [2.0, 2.0]
    assert next(iter(DataLoader(Subset(Doubled(t.ones(2)), [0]), 2)))[0].tolist() == [2.0]
    assert next(iter(DataLoader(Listed(TensorDataset(t.ones(2)), [0]), 2))) == ["several"]


def test_another_way_to_collate_tensors_is_taken(monkeypatch):
    table = collate.default_collate_fn_map
    monkeypatch.setitem(table, t.Tensor, lambda batch, *, collate_fn_map=None: len(batch))
    assert next(iter(DataLoader(TensorDataset(t.ones(2)), 2))) == [2]


def test_an_index_that_is_too_large_is_reported_as_ever():
    with pytest.raises(IndexError, match="index 5 is out of bounds"):
        list(DataLoader(TensorDataset(t.ones(2)), sampler=[0, 5], batch_size=2))


@pytest.mark.parametrize(
    "batch",
    [
        lambda: np.array([1, 2]),
        lambda: t.tensor([1, 2]),
        lambda: iter([1, 2]),
        lambda: {1, 2},
        lambda: (1, 2),
        lambda: range(1, 3),
    ],
)
def test_a_sampler_may_yield_anything_that_can_be_gone_through_once(batch):
    loader = DataLoader(TensorDataset(t.arange(5)), batch_sampler=[batch()])
    assert next(iter(loader))[0].tolist() == [1, 2]
