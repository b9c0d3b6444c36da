"""`diagnose` names the diseases that programs have, is silent on healthy ones, and changes nothing."""

from __future__ import annotations

import copy
import gc
import io
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fingerprints import everything
from programs import DISEASES, HEALTHY, MORE, MORE_HEALTHY

import nbmodule_widgets as nw
from nbmodule_widgets.diagnosing.catalogue import CATALOGUE


@pytest.fixture(scope="module", autouse=True)
def _quick() -> Iterator[None]:
    """Leaves out of the search for living tensors what lived before, and lets small tensors wait for no thread."""
    torch = sys.modules.get("torch")
    threads = torch.get_num_threads() if torch is not None else 0
    if torch is not None:
        torch.set_num_threads(1)
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()
    if torch is not None:
        torch.set_num_threads(threads)


def diagnosed(lib: Any, given: dict[str, Any]) -> Any:
    """The diagnosis of a program, which is afterwards what it was, to the last bit."""
    things = [given.get(key) for key in ("x", "y", "optimizer", "loss_fn")]
    before = everything(lib, given["model"], *things)
    found = nw.diagnose(**given)
    assert everything(lib, given["model"], *things) == before
    return found


@pytest.mark.parametrize("name", DISEASES)
def test_a_disease_is_named_and_its_cure_is_healthy(lib: Any, name: str) -> None:
    lib.manual_seed(0)
    program = DISEASES[name](lib)  # with what it keeps
    found = diagnosed(lib, program.given)
    assert found.names == [name]
    assert all(each.sentence and each.evidence and each.cure for each in found)
    assert name in str(found)
    assert name in found.to_html()
    lib.manual_seed(0)
    assert diagnosed(lib, DISEASES[name](lib, cured=True).given).names == []


@pytest.mark.torch
@pytest.mark.parametrize("name", MORE)
def test_further_diseases_are_named(torch: Any, name: str) -> None:
    program, *wanted = MORE[name]
    torch.manual_seed(0)
    assert nw.diagnose(**program(torch)).names == wanted


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_program_has_no_finding(lib: Any, name: str) -> None:
    lib.manual_seed(0)
    assert diagnosed(lib, HEALTHY[name](lib).given).names == []


@pytest.mark.torch
@pytest.mark.parametrize("name", MORE_HEALTHY)
def test_what_looks_ill_and_is_not_has_no_finding(torch: Any, name: str) -> None:
    torch.manual_seed(0)
    assert nw.diagnose(**MORE_HEALTHY[name](torch)).names == []


def test_what_was_not_handed_over_is_said(lib: Any) -> None:
    found = nw.diagnose(lib.nn.Linear(2, 2))
    assert not found
    assert [word for word in ("`x`", "`y`", "`optimizer`", "`file`") if word in str(found)] == [
        "`x`", "`y`", "`optimizer`", "`file`",
    ]  # fmt: skip


def test_arguments_of_another_kind_are_refused(lib: Any) -> None:
    model = lib.nn.Linear(2, 2)
    for wrong in (
        {"optimizer": model}, {"loss_fn": 3}, {"loss_fn": lib.nn.MSELoss}, {"error": "NaN"}, {"file": 3},
        {"seconds": 0}, {"optimizer": [model]}, {"y": model},
    ):  # fmt: skip
        with pytest.raises(TypeError, match=rf"diagnose\(\) needs as {next(iter(wrong))}"):
            nw.diagnose(model, **wrong)
    with pytest.raises(TypeError, match="needs a Module"):
        nw.diagnose([model])


def test_a_cure_has_the_names_of_the_program(lib: Any) -> None:
    def head(outputs: int) -> Any:
        return lib.nn.Sequential(lib.nn.Linear(4, 4), lib.nn.ReLU(), lib.nn.Linear(4, outputs))

    def cured(**given: Any) -> str:
        (found,) = nw.diagnose(head(2), **given)
        return found.cure

    saved = head(2).state_dict()
    assert "startswith('2.')" in cured(file=head(3).state_dict())
    assert "removeprefix('net.')" in cured(file={f"net.{k}": v for k, v in saved.items()})
    assert "['model']" in cured(file={"epoch": 1, "model": saved})
    x, loss_fn = lib.randn(4, 4), lib.nn.CrossEntropyLoss()
    assert "y.squeeze(1)" in cured(x=x, y=lib.tensor([[0], [1], [0], [1]]), loss_fn=loss_fn)


def test_names_of_a_hostile_model_stay_text(lib: Any) -> None:
    class Model(lib.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            vars(self)["<script>`\u202e"] = [lib.nn.Linear(2, 2)]
            self.head = lib.nn.Linear(2, 1)

        def forward(self, x: Any) -> Any:
            return self.head(vars(self)["<script>`\u202e"][0](x))

    found = nw.diagnose(Model(), lib.ones(3, 2))
    assert found.names == ["plain-list"]
    assert "<script" not in found.to_html()
    assert "\u202e" not in found.to_html() + str(found)


def test_a_file_is_read_where_it_stands(lib: Any, tmp_path: Any) -> None:
    model, other = lib.nn.Linear(2, 2), lib.nn.Linear(2, 2)
    lib.save(other.state_dict(), tmp_path / "other.pt")
    lib.save(copy.deepcopy(model.state_dict()), tmp_path / "own.pt")
    x = lib.ones(1, 2)
    assert nw.diagnose(model, x, file=tmp_path / "other.pt").names == ["file-not-loaded"]
    assert nw.diagnose(model, x, file=str(tmp_path / "own.pt")).names == []
    data = io.BytesIO((tmp_path / "own.pt").read_bytes())
    data.seek(7)
    assert nw.diagnose(model, x, file=data).names == []
    assert data.tell() == 7
    assert "no file" in str(nw.diagnose(model, x, file="nowhere.pt"))


def test_what_the_program_raised_is_in_the_headline_where_no_disease_is_known(lib: Any) -> None:
    class Model(lib.nn.Linear):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Any:
            raise ArithmeticError("<no such luck>")

    found = nw.diagnose(Model(2, 2), lib.ones(3, 2))
    assert found.names == []
    assert "raised `ArithmeticError: <no such luck>`, and why is not known" in str(found)
    assert "&lt;no such luck&gt;" in found.to_html()


def test_a_chapter_is_a_link_where_it_lies_beside(
    lib: Any, tmp_path: Any, monkeypatch: Any
) -> None:
    found = nw.diagnose(
        lib.nn.Linear(2, 2), error=ValueError("Expected more than 1 value per channel")
    )
    assert "href" not in found.to_html()
    (tmp_path / "09_train_and_eval.ipynb").touch()
    monkeypatch.chdir(tmp_path)
    assert 'href="09_train_and_eval.ipynb"' in found.to_html()


def test_what_hooks_and_losses_write_to_is_as_before(lib: Any) -> None:
    nn = lib.nn
    seen: list[Any] = []
    counts = {"calls": [0]}
    critic = nn.Sequential(nn.Linear(1, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
    model = nn.Linear(3, 1)
    model.register_forward_hook(lambda m, given, made: seen.append(made.detach()))

    def loss_fn(out: Any, y: Any) -> Any:
        counts["calls"].append(1)
        return ((critic(out) - y) ** 2).mean()

    x, y, optimizer = (
        lib.randn(6, 3),
        lib.randn(6, 1),
        lib.optim.SGD(model.parameters(), lr=0.1),
    )
    before = everything(lib, critic)
    found = nw.diagnose(model, x, y, loss_fn=loss_fn, optimizer=optimizer)
    assert "steps on a copy" in found.facts.examined
    assert (seen, counts, everything(lib, critic)) == ([], {"calls": [0]}, before)


def test_a_model_too_big_for_its_time_is_not_copied(lib: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("nbmodule_widgets.diagnosing.case._LOOKS", 1e9)
    found = nw.diagnose(lib.nn.Linear(2, 2), lib.ones(3, 2))
    assert "too big: 1 Module not run" in str(found)
    assert "how it is built" in found.facts.examined


def test_there_is_an_end_to_it(lib: Any) -> None:
    found = nw.diagnose(lib.nn.Linear(2, 2), lib.ones(3, 2), seconds=1e-9)
    assert found.names == []
    assert "no time" in str(found)


def test_a_slow_model_ends_in_time(lib: Any) -> None:
    class Slow(lib.nn.Linear):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Any:
            time.sleep(0.02)
            return super().forward(x)

    found = nw.diagnose(
        Slow(2, 2), lib.ones(3, 2), lib.ones(3, 2), loss_fn=lib.nn.MSELoss(), seconds=0.1
    )
    assert found.facts.seconds < 0.5
    assert "no time for all of this" in str(found)


def test_every_chapter_that_is_named_is_there_and_has_these_words():
    titles = {}
    for file in (Path(__file__).parents[2] / "notebooks").glob("[0-9A-Z]*_*.ipynb"):
        first = json.loads(file.read_text(encoding="utf-8"))["cells"][0]["source"]
        number, _, title = "".join(first).splitlines()[0].removeprefix("# ").partition(" · ")
        titles[number] = title.replace("`", "").lower()
    named = {disease.chapter for disease in CATALOGUE.values()} - {""}
    assert len(named) > 10
    for number, _, words in (name.partition(" ") for name in named):
        assert [w for w in words.lower().split() if w.strip(",") not in titles[number]] == []
