"""Appendix A: the reader's GPT computes what PyTorch's own blocks compute, with the same numbers in them."""

from __future__ import annotations

import re
from textwrap import dedent

import pytest
from course_chapters import course_chapters, literal_calls

import nbmodule
from nbmodule_course import check
from nbmodule_course.check import examine
from nbmodule_course.exercise import find_exercise
from nbmodule_course.mine.commands import take_back
from nbmodule_course.mine.here import SESSION
from nbmodule_course.mine.solved import write_solved
from nbmodule_course.referee.solutions import solution_class, solution_source
from nbmodule_course.referee.wrong_answers import item_of, source_of
from nbmodule_course.replay import Session

PLACES = {
    r"blocks\.(\d+)\.attention\.qkv\.": r"blocks.layers.\1.self_attn.in_proj_",
    r"blocks\.(\d+)\.attention\.out\.": r"blocks.layers.\1.self_attn.out_proj.",
    r"blocks\.(\d+)\.": r"blocks.layers.\1.",
    r"^norm\.": "blocks.norm.",
}


def renamed(key):
    for pattern, there in PLACES.items():
        if re.search(pattern, key):
            return re.sub(pattern, there, key)
    return key


@pytest.mark.torch
def test_the_twin_of_the_appendix_computes_the_same_logits_from_the_readers_state_dict():
    torch = pytest.importorskip("torch", reason="the referee: pip install torch")
    appendix = next(chapter for chapter in course_chapters() if chapter.number == "A")
    code = next(code for code, _ in literal_calls(appendix, "with_torch") if "Twin" in code)
    names = {"torch": torch, "nn": torch.nn, "__name__": "twin"}
    exec(dedent(code).partition("twin =")[0], names)
    nbmodule.manual_seed(0)
    ours = solution_class("A.4", "GPT")(27, 16, 32, 4, 2)
    for param in ours.parameters():
        param.data = nbmodule.randn(param.shape)
    state = {renamed(k): torch.from_numpy(t.numpy()) for k, t in ours.state_dict().items()}
    assert torch.equal(state["head.weight"], state["tokens"])
    twin = names["Twin"](27, 16, 32, 4, 2).eval()
    del state["head.weight"]
    twin.load_state_dict(state)  # strict: no name is left over, and none is missing
    index = nbmodule.randint(0, 27, (3, 16))
    with torch.no_grad():
        theirs = twin(torch.from_numpy(index.numpy())).numpy()
    result = ours.eval()(index).detach().numpy()
    assert abs(result - theirs).max() < 1e-5 * abs(theirs).max()
    assert abs(theirs).max() > 1


def test_what_uses_layers_of_earlier_chapters_is_kept_or_names_their_exercises(
    tmp_path, monkeypatch
):
    """`mine.MyLinear` is completed, and `mine.Dropout` is lent: a definition may use both."""
    folder = tmp_path / "mine"
    folder.mkdir()
    monkeypatch.chdir(folder)
    appendix = next(chapter for chapter in course_chapters() if chapter.number == "A")
    imports = next(cell.source for cell in appendix.cells if cell.kind == "code")

    def landed():
        with Session() as session:
            monkeypatch.setenv(SESSION, str(appendix.path))
            for source in (imports, solution_source("A.1")):
                assert session.run(source) is None
            return check("A.1", session.names["CausalSelfAttention"]).landing.to_text()

    told = landed()
    assert "`CausalSelfAttention.__init__` uses `Dropout` of exercise 09.2" in told
    assert "MyLinear" not in told
    write_solved(folder)
    take_back("MyLinear", folder)
    assert landed().startswith("Saved in my_module.py: `CausalSelfAttention.__init__`")


@pytest.mark.parametrize(("part", "later"), [("A.1", "A.3"), ("A.2", "A.3"), ("A.3", "A.4")])
def test_a_mistake_in_a_part_is_not_blamed_on_what_stands_on_it(part, later):
    wrong, right = find_exercise(part), find_exercise(later)
    source = f"{source_of(wrong, wrong.referee.wrong[0])}\n\n{solution_source(later)}"
    report = examine(right, (item_of(right, source),))
    assert report.passed, report
