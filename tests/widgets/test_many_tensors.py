"""What is remembered of many tensors together is put back for each that has changed, whatever changed in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from model_picture import picture

from nbmodule_widgets import preserved
from nbmodule_widgets.preserved import Preserved


def attribute(p: Any, lib: Any) -> None:
    p.mine = 1


def data(p: Any, lib: Any) -> None:
    p.data = lib.ones(3, 3)


def past_the_count(p: Any, lib: Any) -> None:
    p.detach().numpy()[0, 0] = 7


def hook(p: Any, lib: Any) -> None:
    p.register_hook(lambda g: None)
    p.register_post_accumulate_grad_hook(lambda p: None)


def frozen(p: Any, lib: Any) -> None:
    p.requires_grad_(False)


def gradient(p: Any, lib: Any) -> None:
    p.grad = lib.ones(3, 3)


def written(p: Any, lib: Any) -> None:
    with lib.no_grad():
        p.add_(1)


def written_and_back(p: Any, lib: Any) -> None:
    with lib.no_grad():
        p.neg_().neg_()


def other_class(p: Any, lib: Any) -> None:
    p.__class__ = type("Mine", (type(p),), {})


CHANGES = (attribute, data, past_the_count, hook, frozen, gradient, written, written_and_back, other_class)  # fmt: skip


@pytest.mark.parametrize("trained", [False, True])
@pytest.mark.parametrize("clear", [True, False])
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_one_of_many_is_put_back(
    monkeypatch: pytest.MonkeyPatch, lib: Any, change: Callable[..., None], clear: bool, trained: bool
) -> None:  # fmt: skip
    """Of twelve that nothing of their own is asked of, one is changed, and then another."""
    model = lib.nn.Sequential(*(lib.nn.Linear(3, 3) for _ in range(6)))
    if trained:
        model(lib.ones(1, 3)).sum().backward()
    alone = []
    state_of = preserved.state_of
    monkeypatch.setattr(preserved, "state_of", lambda *given: alone.append(1) or state_of(*given))
    before = picture(model, lib)
    with Preserved(model, gradients=clear) as kept:
        for number in (2, 5):
            assert (model[0].weight.grad is not None) == (trained and not clear)
            change(model[number].weight, lib)
            kept.rewind()
        change(model[4].weight, lib)
    assert picture(model, lib) == before
    assert type(model[4].weight) is lib.nn.Parameter
    assert kept.problems == ()
    assert not alone
    if trained:
        assert model[0].weight.grad.shape == (3, 3)


def test_gradients_that_stay_get_their_numbers_back(lib: Any) -> None:
    model = lib.nn.Linear(3, 3)
    model(lib.ones(1, 3)).sum().backward()
    gradient, before = model.weight.grad, picture(model, lib)
    with Preserved(model, gradients=False):
        model(lib.ones(1, 3)).sum().backward()
        assert model.weight.grad.sum() != 9
    assert model.weight.grad is gradient
    assert gradient.sum() == 9
    assert picture(model, lib) == before
