"""kernel_walk: each position reads what the layer reads, and a padded pixel comes from where it says."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from every_view import used_up

import nbmodule
import nbmodule_widgets as nw

SETTINGS: list[dict[str, Any]] = [
    {},
    {"stride": 2, "bias": False},
    {"padding": (1, 2), "dilation": (2, 1)},
    {"padding": "same"},
    {"padding": "valid", "groups": 2},
    *({"padding": (2, 1), "padding_mode": mode} for mode in ("reflect", "replicate", "circular")),
    {"padding": 2, "padding_mode": "circular", "stride": (2, 1), "groups": 2},
]


def layer_of(lib: Any, **settings: Any) -> Any:
    lib.manual_seed(0)
    return lib.nn.Conv2d(4, 6, (3, 2), **settings)


@pytest.mark.filterwarnings("ignore:Using padding='same'")  # of an even kernel
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_each_sum_is_what_the_layer_gives(lib, settings):
    layer, images = layer_of(lib, **settings), lib.randn(2, 4, 6, 5)
    for filter in (0, 4):
        facts = nw.lessons.kernel_walk(layer, images, filter).facts
        wanted = layer(images)[0, filter].detach().numpy()
        totals = [facts.total(step) for step in range(wanted.size)]
        assert totals == pytest.approx(wanted.ravel().tolist(), abs=1e-5)
        assert facts.gave.tolist() == pytest.approx(wanted)
        in_groups = (2, 3) if filter else (0, 1)
        assert facts.channels == (in_groups if "groups" in settings else (0, 1, 2, 3))
        for name, value in settings.items():
            if name not in ("bias", "padding_mode"):
                said = " × ".join(map(str, value)) if isinstance(value, tuple) else str(value)
                assert (
                    f"{said} groups" if name == "groups" else f"{name} {said}"
                ) in facts.settings


@pytest.mark.parametrize("mode", ["zeros", "reflect", "replicate", "circular"])
def test_a_padded_pixel_is_linked_to_its_source(lib, mode):
    layer, image = layer_of(lib, padding=(2, 1), padding_mode=mode), lib.randn(1, 4, 5, 4)
    view = nw.lessons.kernel_walk(layer, image)
    facts, kind = view.facts, "constant" if mode == "zeros" else mode
    wanted = lib.nn.functional.pad(image, (1, 1, 2, 2), mode=kind)[0].numpy()
    np.testing.assert_array_equal(facts.padded, wanted)
    np.testing.assert_allclose(view.walk["padded"], wanted, rtol=1e-4)
    assert sum(facts.beyond(i, j) for i in range(9) for j in range(6)) == 9 * 6 - 5 * 4
    for step in range(facts.gave.size):
        for (row, column), source in facts.copied(step):
            assert not (0 <= row < 5 and 0 <= column < 4)
            assert (source is None) == (mode == "zeros")
            number = image[0, 1][source].item() if source else 0
            assert number == wanted[1, row + 2, column + 1]


def test_all_forms_say_the_same_and_nothing_is_changed(lib):
    layer, image = layer_of(lib, padding=1, padding_mode="circular"), lib.ones(1, 4, 4, 5)
    weight = layer.weight.tolist()
    view = used_up(nw.lessons.kernel_walk(layer, image))
    assert layer.weight.tolist() == weight
    assert layer.weight.grad is None
    words = "position (0, 0): rows −1, 0, 1 and columns −1, 0; 24 products and the bias"
    for text in (str(view), view.to_html(), view.walk["words"][0]):
        assert words in text
        assert "(−1, −1) from (3, 4)" in text
    assert len(view.walk["words"]) == view.facts.gave.size == 24
    assert [axes.get_title() for axes in view.figure().axes] == [
        "channel 0 with its padding",
        "filter 0",
    ]


def test_a_layer_of_ones_own_is_read_and_its_mistake_is_told():
    class Own(SimpleNamespace):
        def __call__(self, x: Any) -> Any:
            return nbmodule.zeros(1, 1, 2, 2)

    own = Own(weight=nbmodule.ones(1, 1, 2, 2), padding=0, stride=1)
    view = nw.lessons.kernel_walk(own, nbmodule.ones(1, 1, 3, 3))
    assert "together 4, but the layer gives 0" in str(view)
    own.padding = 1
    with pytest.raises(
        ValueError, match=r"4 × 4 positions .*, and its result has the shape \(1, 1, 2, 2\)"
    ):
        nw.lessons.kernel_walk(own, nbmodule.ones(1, 1, 3, 3))


def test_a_large_image_has_no_table_of_numbers(lib):
    view = nw.lessons.kernel_walk(lib.nn.Conv2d(1, 1, 5), lib.rand(1, 1, 28, 28))
    assert len(str(view).splitlines()) == 5
    assert view.to_html().count("<td") == 25  # the kernel's


def test_only_what_is_there_is_said_to_be_there(lib):
    """Every word for the padding stays away without one, and a layer that pads by no pixel in a mode says so."""
    image = lib.ones(1, 1, 5, 5)
    for settings, said in (({}, None), ({"padding_mode": "circular"}, "padding 0 (circular)")):
        view = nw.lessons.kernel_walk(lib.nn.Conv2d(1, 1, 3, **settings), image)
        forms = (str(view), view.to_html(), str(view.walk))
        assert all("with its padding" not in form and "Dashed" not in form for form in forms)
        assert all((said or "padding 0") in form for form in forms) == bool(said)
        assert [axes.get_title() for axes in view.figure().axes] == ["channel 0", "filter 0"]


def test_wrong_arguments_are_refused_in_words(lib):
    layer, image = layer_of(lib), lib.ones(1, 4, 6, 5)
    for wrong, given in ((lib.nn.Linear(2, 2), image), (lib.nn.ReLU(), image)):
        with pytest.raises(TypeError, match="weight of four dimensions"):
            nw.lessons.kernel_walk(wrong, given)
    with pytest.raises(TypeError, match="batch of images"):
        nw.lessons.kernel_walk(layer, image[0])
    with pytest.raises(ValueError, match="filter must be from 0 to 5; got 6"):
        nw.lessons.kernel_walk(layer, image, 6)
    with pytest.raises(ValueError, match="at most 40"):
        nw.lessons.kernel_walk(layer, lib.ones(1, 4, 50, 5))
