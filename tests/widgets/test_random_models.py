"""Models made at random, plain against looked at: the same numbers, nothing changed, and what is said is true."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from every_view import LOOKS, loss_of
from fingerprints import everything
from random_models import RandomModel

from nbmodule_widgets.tracing import record

pytestmark = pytest.mark.filterwarnings("ignore")
LOOKED_AT = [name for name in LOOKS if name not in ("trace", "trace with a failing loss")]


def seeded(lib: Any) -> None:
    lib.manual_seed(1)
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002 - the models draw from it


def numbers_into(made: RandomModel) -> tuple[list[Any], Any]:
    """A list that gets the output and the gradients of a pass, and the loss that fills it."""
    found: list[Any] = []
    for number, leaf in enumerate({id(t): t for t in (*made.model.parameters(), made.x)}.values()):
        leaf.grad = None
        if leaf.requires_grad:
            leaf.register_post_accumulate_grad_hook(
                lambda leaf, number=number: found.append((number, leaf.grad.numpy().tobytes()))
            )

    def loss(output: Any) -> Any:
        found.append(output.detach().numpy().tobytes())
        return loss_of(output)

    return found, loss


@pytest.mark.parametrize("failing", [0.0, 0.06])
def test_a_traced_pass_is_the_plain_one_and_is_told_as_it_happened(
    lib: Any, failing: float
) -> None:
    for seed in range(30):
        plain, traced = RandomModel(lib, seed, failing), RandomModel(lib, seed, failing)
        expected, loss = numbers_into(plain)
        plain.arrived = Counter()
        raised = ""
        many = len({id(t) for t in plain.model.parameters()})
        seeded(lib)
        try:
            loss(plain.model(plain.x)).backward()
        except Exception as error:
            raised = type(error).__name__
        lib.set_grad_enabled(True)
        numbers, loss = numbers_into(traced)
        seeded(lib)
        before = everything(lib, traced.model, traced.x)
        found = record(traced.model, (traced.x,), loss=loss)
        assert everything(lib, traced.model, traced.x) == before, seed
        assert numbers == expected, seed
        assert traced.log == plain.log, seed
        assert found.problem.partition(":")[0] == raised, seed
        told_as_it_happened(found, traced, seed)
        if not raised:
            each_gradient_once(
                found, plain, sum(type(each) is tuple and each[0] < many for each in expected), seed
            )


def each_gradient_once(found: Any, plain: RandomModel, accumulated: int, seed: int) -> None:
    """The gradients that are listed are those that a plain pass delivers, whatever hooks there are."""
    listed = Counter(
        (event.kind, event.path)
        for event in found.events
        if event.kind in ("gradient in", "gradient out") and event.tensors and event.node >= 0
    )
    assert listed == plain.arrived, (seed, listed - plain.arrived, plain.arrived - listed)
    done = [e for e in found.events if e.kind == "parameter gradient" and not e.changed]
    assert len([e for e in done if e.parameter != "late_parameter"]) == accumulated, seed


def told_as_it_happened(found: Any, made: RandomModel, seed: int) -> None:
    """The facts against the log: hooks in their order with what they did, and who never ran."""
    fired = [line[1:] for line in made.log if line[0] == "hook" and line[1] not in made.late]
    hooks = [
        e for e in found.events if e.changed and e.name[1:].isdigit() and e.name not in made.late
    ]
    assert [event.name for event in hooks] == [name for name, _ in fired], seed
    for event, (_, deed) in zip(hooks, fired, strict=True):
        nothing = "nothing" in event.changed  # "returned the output as it was: nothing changed"
        saw = event.before or event.tensors  # where there was no tensor there was nothing to change
        if deed == "raise":
            assert "Boom" in event.changed, (seed, event)
        elif deed in ("replace", "in place"):
            assert not (nothing and saw), (seed, event)
        else:
            assert nothing, (seed, event)
    ran = {line[1] for line in made.log if line[0] == "in"}
    ran |= {event.path for event in found.events if "hook" in event.kind}
    never = {one.path for one in found.never_fired if not one.why.startswith("forward called")}
    assert never == set(made.paths.values()) - ran, seed
    assert [event.at_us for event in found.events if event.kind in ("call", "return")] == sorted(
        event.at_us for event in found.events if event.kind in ("call", "return")
    ), seed


@pytest.mark.parametrize("look", LOOKED_AT)
def test_no_view_changes_a_random_model(lib: Any, look: str, wire: Any) -> None:
    for seed in range(100, 103):
        made = RandomModel(lib, seed, failing=0.05)
        before = everything(lib, made.model, made.x)
        view = LOOKS[look](made.model, made.x)
        assert str(view), seed
        assert view.to_html(), seed
        view.close()
        assert everything(lib, made.model, made.x) == before, seed
