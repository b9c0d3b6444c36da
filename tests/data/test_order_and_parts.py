"""What holds for every dataset, sampler and split: nothing is lost, nothing comes twice."""

import warnings
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nbmodule
from nbmodule.utils import data as D

lengths = st.integers(0, 20)
seeds = st.integers(0, 2**32)
quick = settings(max_examples=50, deadline=None)


def seeded(seed):
    return nbmodule.Generator().manual_seed(seed)


@quick
@given(st.lists(lengths, min_size=1, max_size=4))
def test_a_concatenation_is_the_lists_after_each_other(sizes):
    parts = [[(i, k) for k in range(n)] for i, n in enumerate(sizes)]
    whole, flat = D.ConcatDataset(parts), [*chain(*parts)]
    n = len(flat)
    assert len(whole) == n
    assert [whole[i] for i in range(-n, n)] == flat + flat
    for outside, kind in ((n, IndexError), (-n - 1, ValueError)):
        with pytest.raises(kind):
            whole[outside]


@quick
@given(lengths, st.integers(1, 7), st.booleans())
def test_batches_hold_every_index_once(n, size, drop_last):
    sampler = D.BatchSampler(range(n), size, drop_last)
    found = list(sampler)
    kept = n - n % size if drop_last else n
    assert [*chain(*found)] == list(range(kept))
    assert len(found) == len(sampler)
    assert all(len(batch) == size for batch in found[:-1])


@quick
@given(lengths, st.integers(1, 50), seeds)
def test_a_shuffle_is_a_permutation_again_and_again(n, count, seed):
    if not n:
        return
    sampler = D.RandomSampler(range(n), num_samples=count, generator=seeded(seed))
    found = list(sampler)
    assert len(found) == len(sampler) == count
    for start in range(0, count, n):
        piece = found[start : start + n]
        assert len(set(piece)) == len(piece)
    drawn = list(D.RandomSampler(range(n), True, count, seeded(seed)))
    assert len(drawn) == count
    assert set(drawn) <= set(range(n))


@quick
@given(lengths, st.integers(1, 5), st.booleans(), st.booleans(), st.integers(0, 9))
def test_replicas_share_all_and_get_equally_many(n, count, shuffle, drop_last, epoch):
    replicas = [D.DistributedSampler(range(n), count, r, shuffle, 0, drop_last) for r in range(count)]  # fmt: skip
    for sampler in replicas:
        sampler.set_epoch(epoch)
    found = [list(sampler) for sampler in replicas]
    assert {len(part) for part in found} == {len(replicas[0])}
    together = [*chain(*found)]
    if drop_last:
        assert len(together) == len(set(together)) >= n - n % count - (count if n < count else 0)
    else:
        assert set(together) == set(range(n))


@quick
@given(lengths, st.lists(st.integers(1, 9), min_size=1, max_size=4), seeds, st.booleans())
def test_a_split_loses_nothing(n, weights, seed, by_fractions):
    total = sum(weights)
    fractions = [w / total for w in weights]
    if by_fractions and sum(fractions) > 1:
        return  # rounding
    n = n if by_fractions else total
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an empty part
        parts = D.random_split(range(n), fractions if by_fractions else weights, seeded(seed))
    assert sorted(i for part in parts for i in part) == list(range(n))
    if by_fractions:
        assert all(abs(len(p) - n * f) < len(weights) + 1 for p, f in zip(parts, fractions, strict=True))  # fmt: skip
    else:
        assert [len(p) for p in parts] == weights


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda: D.random_split(range(1), [0.5, 0.5]), UserWarning),
        (lambda: D.ConcatDataset(["a"]).cummulative_sizes, FutureWarning),
    ],
)
def test_a_warning_points_at_the_line_that_is_to_be_changed(call, kind):
    with pytest.warns(kind) as caught:
        call()
    assert Path(caught[0].filename) == Path(__file__)


def test_errors_say_more_on_a_second_line():
    x = nbmodule.zeros(3)
    told = {
        "first dimensions are [3, 2]": lambda: D.TensorDataset(x, x[:2]),
        "They have [3, 2] samples": lambda: D.StackDataset(x, x[:2]),
        "The index is -4, the length 3": lambda: D.ConcatDataset([x])[-4],
        "it has 3 samples": lambda: D.random_split(x, [1, 1]),
        "give `num_replicas` and `rank`": lambda: D.DistributedSampler(x),
        "Their lengths are [1, 2]": lambda: D.default_collate([[1], [2, 3]]),
        "`collate_fn`": lambda: D.default_collate([None]),
    }
    for words, call in told.items():
        with pytest.raises((AssertionError, ValueError, RuntimeError, TypeError)) as caught:
            call()
        assert words in str(caught.value).partition("\n")[2]


def test_a_row_read_by_number_is_a_view_as_any_other():
    """Rows through which no gradient goes are made by a short cut; nothing else may tell."""
    x = nbmodule.tensor([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
    row = x[1]
    assert row._base is x
    row += 1
    assert x.tolist() == [[0, 1], [3, 4], [4, 5]]
    assert (x._version, row._version) == (1, 1)
    assert row[0]._base is x
    with nbmodule.no_grad():
        blind = x[0]
    x.requires_grad_()
    assert x[1].grad_fn.name() == "SelectBackward0"
    with pytest.raises(RuntimeError, match="created in no_grad mode"):
        blind.mul_(x[1])
    for i in (3, -4):
        with pytest.raises(IndexError, match=f"index {i} is out of bounds for dimension 0 with size 3"):  # fmt: skip
            x.detach()[i]
