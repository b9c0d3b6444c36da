"""The table of layers: multiply-adds that are true on both engines, and rows that say what happened and what did not."""

from __future__ import annotations

import builtins
import re
from functools import partial
from typing import Any

import numpy as np
import pytest
from mock_page import CONTRAST

import nbmodule
from nbmodule_widgets.facts import facts
from nbmodule_widgets.summarizing import summarize
from nbmodule_widgets.views.summary import summary

# ------------------------------------------------------------------------------------------- multiply-adds


def functional(lib: Any) -> Any:
    """Everything in one forward, one weight twice, and much that counts as none."""

    class Model(lib.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = lib.nn.Parameter(lib.ones(6, 6))
            self.table = lib.nn.Embedding(9, 6)

        def forward(self, index: Any) -> Any:
            call = lib.nn.functional
            x = call.layer_norm(self.table(index), (6,))  # (2, 5, 6)
            x = call.linear(call.gelu(x), self.weight) @ self.weight.T
            x = lib.bmm(x, x.transpose(1, 2)) @ x + lib.einsum("bij,jk->bik", x, self.weight)
            x = call.scaled_dot_product_attention(*[x.reshape(2, 1, 5, 6)] * 3).reshape(2, 5, 6)
            x = (
                x
                + lib.addmm(x[0], x[0], self.weight)
                + lib.baddbmm(x, x, self.weight.expand(2, 6, 6))
            )
            x = call.conv1d(x.transpose(1, 2), lib.ones(4, 3, 3), groups=2, dilation=2)
            return call.conv_transpose1d(x, lib.ones(4, 2, 3), stride=2).softmax(-1).sum()

    return Model(), lib.tensor([[1, 2, 3, 4, 5], [0, 1, 2, 3, 4]])


def layers(make: Any, *shape: int) -> Any:
    return lambda lib: (make(lib.nn), lib.ones(*shape))


def attending(lib: Any) -> Any:
    class Model(lib.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = lib.nn.MultiheadAttention(8, 2, batch_first=True)

        def forward(self, x: Any) -> Any:
            return self.inner(x, x[:, :3], x[:, :3])

    return Model(), lib.ones(2, 5, 8)


def encoder(lib: Any) -> Any:
    layer = lib.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    return lib.nn.TransformerEncoder(layer, 3, enable_nested_tensor=False), lib.ones(2, 5, 8)


def encoder_in_eval(lib: Any) -> Any:
    model, x = encoder(lib)
    return model.eval(), x


def reused(lib: Any) -> Any:
    layer = lib.nn.Linear(4, 4)
    return lib.nn.Sequential(layer, lib.nn.ReLU(), layer, lib.nn.Flatten(), layer), lib.ones(3, 4)


COUNTED = {
    "functional": functional,
    "grouped, strided, dilated": layers(
        lambda nn: nn.Conv2d(4, 6, (3, 2), stride=2, padding=1, dilation=2, groups=2), 2, 4, 9, 9
    ),
    "depthwise": layers(
        lambda nn: nn.Conv1d(4, 8, 3, groups=4, padding_mode="reflect", padding=1), 2, 4, 9
    ),
    "transposed": layers(
        lambda nn: nn.ConvTranspose2d(4, 6, 3, stride=2, groups=2, output_padding=1), 2, 4, 5, 6
    ),
    "three dimensions": layers(lambda nn: nn.Conv3d(2, 3, 2), 1, 2, 4, 4, 4),
    "one example": layers(lambda nn: nn.Conv2d(3, 4, 3), 3, 6, 6),
    "linear": layers(lambda nn: nn.Linear(7, 5, bias=False), 2, 3, 4, 7),
    "lstm": layers(lambda nn: nn.LSTM(4, 3, 2, bidirectional=True), 5, 2, 4),
    "lstm with a projection": layers(lambda nn: nn.LSTM(4, 6, proj_size=2), 5, 2, 4),
    "gru": layers(lambda nn: nn.GRU(4, 3, batch_first=True), 5, 2, 4),
    "rnn": layers(lambda nn: nn.RNN(4, 3), 5, 2, 4),
    "cell": layers(lambda nn: nn.GRUCell(4, 3), 5, 4),
    "attention": attending,
    "encoder": encoder,
    "encoder in eval": encoder_in_eval,
    "norms and activations": layers(
        lambda nn: nn.Sequential(nn.BatchNorm2d(3), nn.ReLU(), nn.MaxPool2d(2), nn.Dropout()),
        2,
        3,
        4,
        4,
    ),
    "reused": reused,
}


@pytest.mark.torch
@pytest.mark.filterwarnings(
    "ignore:TF32 acceleration:UserWarning", "ignore:LSTM with proj:UserWarning"
)
@pytest.mark.parametrize("name", COUNTED)
def test_multiply_adds_are_half_of_pytorchs_flops_and_the_same_on_both_engines(name, torch):
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.utils.flop_counter import FlopCounterMode

    model, x = COUNTED[name](torch)
    found = summarize(model, (x,))
    fast = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)  # what runs in one piece PyTorch does not count
    try:
        with (
            torch.no_grad(), sdpa_kernel(SDPBackend.MATH), torch.backends.mkldnn.flags(enabled=False),
            FlopCounterMode(display=False) as referee,
        ):  # fmt: skip
            model(x)
    finally:
        torch.backends.mha.set_fastpath_enabled(fast)
    assert 2 * found.totals.multiply_adds == referee.get_total_flops()
    ours = summarize(*(lambda model, x: (model, (x,)))(*COUNTED[name](nbmodule)))
    for one in (found, ours):
        assert (one.problem, one.not_counted, one.notes) == ("", (), ())
    rows = [[(r.path, r.calls, r.multiply_adds, r.parameters, [s.shape for s in r.inputs + r.outputs])
             for r in one.layers if not one.model.nodes[r.index].tensors or r.calls] for one in (found, ours)]  # fmt: skip
    assert rows[0] == rows[1]
    assert found.totals == ours.totals


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
def test_what_pytorchs_counter_leaves_out_is_counted(torch):
    """Products with vectors, bilinear layers, an inference mode inside, and layers that run in one piece."""
    nn = torch.nn

    class Vectors(nn.Module):
        def forward(self, x: Any) -> Any:  # (3, 4)
            with torch.inference_mode():
                torch.nn.functional.linear(x, torch.ones(5, 4))
            return (x @ x[0]) @ x[:, 0] + x.clone().addmm_(x, torch.ones(4, 4)).sum()

    assert summarize(Vectors(), (torch.ones(3, 4),)).totals.multiply_adds == 60 + 12 + 3 + 48
    bilinear = nn.Bilinear(3, 4, 5)
    given = torch.ones(7, 3), torch.ones(7, 4)
    assert summarize(bilinear, given).totals.multiply_adds == 7 * 5 * 3 * 4 + 7 * 5 * 4
    layer, x = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval(), torch.ones(2, 5, 8)
    expected = summarize(layer, (x,)).totals.multiply_adds
    assert summarize(torch.jit.script(layer), (x,)).totals.multiply_adds == expected


@pytest.mark.torch
def test_what_is_not_counted_is_said(torch):
    class Waves(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return (
                torch.fft.rfft(x).abs().sum()
                + torch.cdist(x, x).sum()
                + torch.fft.rfft(x).abs().sum()
            )

    class Own(nbmodule.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x @ x

    class Ours(nbmodule.nn.Module):
        def forward(self, x: Any) -> Any:
            return Own.apply(x.split(1)[0].detach().T) @ x

    text = str(summary(Waves(), torch.ones(3, 4)))
    assert "0 multiply-adds · not counted: _cdist_forward, 1 call, _fft_r2c, 2 calls" in text
    assert summarize(Ours(), (nbmodule.ones(1, 1),)).not_counted == (("Own", 1),)


# ------------------------------------------------------------------------------------------- rows


def several(lib: Any) -> tuple[Any, Any]:
    nn = lib.nn

    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.Sequential(nn.Linear(4, 4), nn.ReLU(inplace=True), nn.Flatten(0))
            self.again = nn.Identity()
            self.tied = nn.Linear(4, 4)
            self.tied.weight = self.body[0].weight
            self.same = self.body[1]
            self.unused = nn.Linear(2, 2)
            for parameter in self.tied.parameters():
                parameter.requires_grad_(False)

        def forward(self, x: Any, *, scale: Any = None) -> Any:
            self.again(x), self.again(x[0])
            return {"y": self.tied(self.body(x).reshape(3, 4)) * scale}

    return Model(), lib.ones(3, 4)


def test_each_row_says_what_happened(lib):
    model, x = several(lib)
    view = summary(model, x, scale=2)
    rows = {row.path: row for row in view.facts.layers}
    assert [shape.place for shape in rows[""].outputs] == ["['y']"]
    assert (rows["again"].calls, rows["again"].note) == (2, "called 2 times, with other shapes too")
    assert [call.inputs[0].shape for call in rows["again"].seen] == [(3, 4), (4,)]
    assert rows["tied"].shared == ("weight is body.0.weight",)
    assert rows["same"].note == "same object as body.1"
    assert rows["unused"].note == "never called"
    assert (rows["tied"].frozen, rows["body"].frozen, rows[""].frozen) == (20, 16, 20)
    total = view.facts.totals
    assert (total.parameters, total.trainable) == (16 + 4 + 4 + 6, 4 + 6)
    # body.0, tied and the model made something; ReLU and Flatten hand memory on, Identity gives its input.
    assert total.output_bytes == 3 * 48
    assert rows["body.1"].output_bytes == rows["body.2"].output_bytes == 48
    assert total.multiply_adds == rows[""].multiply_adds == 2 * 48
    for said in (str(view), re.sub("<[^>]*>", "", view.to_html())):
        for words in (
            "never called",
            "weight is body.0.weight",
            "called 2 times",
            "20 frozen",
            "96",
        ):
            assert words in said


def test_without_inputs_there_are_no_shapes_and_the_table_says_so(lib):
    model, _ = several(lib)
    view = summary(model)
    assert view.facts.totals.multiply_adds is None
    assert "no input was given" in str(view)
    assert "multiply-adds " not in str(view).splitlines()[1]
    assert "input" not in view.columns
    assert view.columns["trainable"].tolist() == [10, 4, 4, 0, 0, 0, 0, 0, 6]


def test_a_pass_that_fails_fills_the_table_up_to_the_failure(lib):
    nn = lib.nn
    inner = nn.Sequential(nn.Linear(8, 8), nn.Linear(7, 3), nn.ReLU())
    found = summarize(nn.Sequential(nn.Linear(4, 8), inner), (lib.ones(2, 4),))
    assert found.failed == "1.1"
    notes = {row.path: (row.calls, row.note) for row in found.layers}
    assert notes["1.1"] == (1, "raised")
    assert notes["1.2"] == (0, "not reached")
    assert found.totals.multiply_adds == 2 * 8 * 4 + 2 * 8 * 8
    assert found.layers[0].outputs == ()
    assert "the pass failed in 1.1: RuntimeError" in str(summary(nn.Sequential(nn.Linear(4, 8), inner), lib.ones(2, 4)))  # fmt: skip


def test_a_lazy_model_stays_lazy(lib):
    model = lib.nn.Sequential(lib.nn.LazyLinear(3), lib.nn.ReLU(), lib.nn.LazyLinear(2))
    before = [(type(layer), dict(vars(layer))) for layer in model]
    state = lib.get_rng_state().tolist()
    view = summary(model, lib.ones(2, 5))
    assert view.facts.totals.parameters == 3 * 6 + 2 * 4
    assert view.facts.totals.multiply_adds == 2 * 3 * 5 + 2 * 2 * 3
    assert "a copy of it" in str(view)
    assert [(type(layer), dict(vars(layer))) for layer in model] == before
    assert lib.get_rng_state().tolist() == state
    assert str(summary(model)).count("no shape yet") == 2


def test_fused_parts_are_heard_or_said_to_be_fused(torch):
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    found = summarize(torch.nn.TransformerEncoder(layer, 2).eval(), (torch.ones(2, 5, 8),))
    rows = {row.path: row for row in found.layers}
    assert rows["layers.1.linear2"].calls == 1
    assert rows["layers.1.self_attn.out_proj"].note == (
        "not recorded: computed in one piece by MultiheadAttention"
    )
    assert torch.backends.mha.get_fastpath_enabled()


def test_readers_own_classes_have_a_table():
    class Half:
        def __init__(self) -> None:
            self._modules = {"<b>": nbmodule.nn.Linear(4, 3)}

        def forward(self, x: Any) -> Any:
            return self._modules["<b>"](x)

    view = summary(Half(), nbmodule.ones(2, 4))
    assert view.facts.totals.multiply_adds == 24
    assert view.columns["path"] == ["", "<b>"]
    assert view.columns["output"] == [((2, 3),), ((2, 3),)]
    assert "<b>&lt;b&gt;</b>" in view.to_html()
    with pytest.raises(TypeError, match=r"y=: neither .* Linear.forward \(input=\)"):
        summary(nbmodule.nn.Linear(4, 3), y=nbmodule.ones(2, 4))


def test_columns_become_a_frame_or_an_error_that_helps(monkeypatch):
    view = summary(nbmodule.nn.Linear(4, 3), nbmodule.ones(2, 4))
    asked: list[Any] = []
    genuine = builtins.__import__

    def importing(name: str, *rest: Any, **named: Any) -> Any:
        if name == "pandas":
            if asked:
                raise ImportError("No module named 'pandas'")
            return type(
                "pandas", (), {"DataFrame": lambda columns: asked.append(columns) or "a frame"}
            )
        return genuine(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", importing)
    assert view.frame() == "a frame"
    assert asked[0].keys() == view.columns.keys()
    assert len({len(column) for column in asked[0].values()}) == 1
    assert isinstance(asked[0]["multiply_adds"], np.ndarray)
    with pytest.raises(ImportError, match=r"pip install pandas.*view\.columns"):
        view.frame()


# ------------------------------------------------------------------------------------------- folding


def blocks(lib: Any, odd: Any = None, at: int = 7) -> Any:
    nn = lib.nn
    made = nn.Sequential(*(nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5), nn.BatchNorm1d(4)) for _ in range(12)))  # fmt: skip
    if odd is not None:
        odd(nn, made[at])
    return made


ODD = {
    "a mode": lambda nn, block: block[1].eval(),
    "frozen": lambda nn, block: block[0].bias.requires_grad_(False),
    "a hook": lambda nn, block: block[2].register_forward_hook(lambda *given: None),
    "an extra": lambda nn, block: setattr(block[1], "p", 0.25),
    "a class": lambda nn, block: block.__setitem__(1, nn.Identity()),
    "a part more": lambda nn, block: block.append(nn.ReLU()),
    "a name": lambda nn, block: block._modules.__setitem__("x", block._modules.pop("2")),
    "a shape": lambda nn, block: block.__setitem__(0, nn.Linear(4, 4, bias=False)),
}


def test_equal_neighbours_are_one_row(lib):
    from nbmodule_widgets import text
    from nbmodule_widgets.html import tree_html

    model = blocks(lib)
    folded = text(model)
    assert "└─ 0 … 11: Sequential() x 12 · 28 each" in folded
    assert len(folded.splitlines()) < 14
    assert len(text(model, fold=False).splitlines()) > 12 * 9
    assert "<b>0 … 11</b>: Sequential" in tree_html(facts(model))
    assert tree_html(facts(model)).count("BatchNorm1d") == 1
    view = summary(model, lib.ones(3, 4))
    assert "0 … 11: Sequential x 12" in str(view)
    assert view.text(fold=False).count("BatchNorm1d") == 12
    assert len(view.columns["path"]) == 1 + 12 * 4
    assert len(view.text(depth=1).splitlines()) < len(str(view).splitlines())


@pytest.mark.parametrize("odd", ODD)
def test_what_differs_is_never_folded(odd, lib):
    from nbmodule_widgets import text

    said = text(blocks(lib, ODD[odd]))
    assert "0 … 6: Sequential() x 7" in said
    assert "8 … 11: Sequential() x 4" in said
    assert "─ 7: Sequential()" in said


def test_blocks_whose_hooks_do_other_things_are_not_folded(lib):
    """By kind and number they are alike; what tells them apart is another function or another bound argument."""
    from nbmodule_widgets import text

    notes = {name: [] for name in "ab"}  # lists are equal, and two

    def note(*given: Any, into: Any = None) -> None: ...

    def closing(into: Any) -> Any:
        return lambda *given: into.append(given)

    def said(hook: Any) -> str:
        model = blocks(lib)
        for number, block in enumerate(model):
            block[2].register_forward_hook(hook(number, block))
        before = facts(model)
        assert before == facts(model)
        return text(model)

    for same in (
        lambda n, block: note,
        lambda n, block: lambda *given: None,
        lambda n, block: partial(note, into=notes["a"]),
        lambda n, block: closing(notes["a"]),
        lambda n, block: partial(note, block[2]),  # each its own Module
        lambda n, block: notes["a"].append,
    ):
        assert "0 … 11: Sequential() x 12" in said(same)
    for other in (
        lambda n, block: note if n != 7 else print,
        lambda n, block: partial(note, into=notes["b" if n == 7 else "a"]),
        lambda n, block: partial(note, f"block {n == 7}"),
        lambda n, block: closing(notes["b" if n == 7 else "a"]),
        lambda n, block: notes["b" if n == 7 else "a"].append,
        lambda n, block: partial(note, block if n == 7 else block[2]),
    ):
        assert "0 … 6: Sequential() x 7" in said(other)
        assert "8 … 11: Sequential() x 4" in said(other)


def test_blocks_that_were_called_in_other_ways_are_not_folded(lib):
    class Model(lib.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.list = lib.nn.ModuleList(lib.nn.Linear(4, 4) for _ in range(6))

        def forward(self, x: Any) -> Any:
            for layer in self.list[:5]:
                x = layer(x)
            return self.list[2](x[0])

    text = str(summary(Model(), lib.ones(3, 4)))
    for row in ("0 … 1: Linear x 2", "2: Linear ", "3 … 4: Linear x 2", "5: Linear "):
        assert row in text


def test_a_shared_block_is_told_from_its_neighbours(lib):
    layer = lib.nn.Linear(4, 4)
    model = lib.nn.Sequential(layer, lib.nn.Linear(4, 4), layer, layer)
    rows = summarize(model, (lib.ones(2, 4),)).rows()
    assert [(place.name, place.times) for place in rows[1:]] == [("0", 1), ("1", 1), ("2 … 3", 2)]


# ------------------------------------------------------------------------------------------- in a page


@pytest.mark.browser
@pytest.mark.parametrize("page", ["white", "#111"])
def test_the_table_in_a_page(stage, page, wire, from_page):
    view = summary(blocks(nbmodule), nbmodule.ones(3, 4))
    if page != "white":
        stage.page.emulate_media(color_scheme="dark")
    stage.show(view, ("table", "problem"), page)
    table = stage.page.get_by_role("table")
    assert table.get_by_role("row").count() == 6
    root = stage.page.locator(".view")
    assert root.evaluate(CONTRAST) == []
    assert "x 12" in table.inner_text()
    stage.page.get_by_label("equal blocks as one row").uncheck()
    assert stage.page.evaluate("window.sent.at(-1)") == {"kind": "fold", "fold": False}
    from_page(view, kind="fold", fold=False)
    stage.push("table")
    assert table.get_by_role("row").count() == 2 + 12 * 4
    region = stage.page.get_by_role("region", name="layers")
    region.evaluate("(box) => { box.scrollTop = 300; }")
    top = "(head) => head.getBoundingClientRect().top - head.closest('.layers').getBoundingClientRect().top"
    assert abs(stage.page.get_by_role("columnheader", name="multiply-adds").evaluate(top)) < 3
