"""Appendix A: the reader's GPT computes what PyTorch's own blocks compute, with the same numbers in them."""

from __future__ import annotations

import re
from textwrap import dedent

import pytest
from course_chapters import course_chapters, literal_calls

import nbmodule
from nbmodule_course.referee.solutions import solution_class

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
    torch = pytest.importorskip("torch")
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
