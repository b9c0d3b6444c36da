"""Facts about models, compared with NumPy and with what the models were built from."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from module_subjects import (
    MISBEHAVING,
    Forgetful,
    LeavesInExtraRepr,
    Linear,
    ListOfModules,
    Module,
    Net,
    OddShapes,
    OddTensors,
    Parameter,
    Recurses,
    ReturnsNone,
    SaysAStubbornText,
    SharedDrawer,
    StubbornDrawers,
    Tensor,
    chain,
    cycle,
    dismantle,
    hostile,
    wide,
)

import nbmodule_widgets as nw
from nbmodule_widgets.facts import ModuleFacts, Note, statistics
from nbmodule_widgets.facts.tensors import values
from nbmodule_widgets.facts.words import decimal, size, visible
from nbmodule_widgets.protocol import own_dict
from nbmodule_widgets.text import tree_text


def notes(known: ModuleFacts) -> list[str]:
    return [note.text for node in known.nodes for note in node.notes]


def test_rows_totals_and_paths_of_a_known_model():
    known = nw.facts(Net())
    paths = [known.path(row) for row in range(known.rows)]
    assert paths == [
        "", "empty", "mean", "mask", "first", "first.weight", "first.bias",
        "second", "second.weight", "second.bias", "again",
    ]  # fmt: skip
    totals = known.totals
    assert (totals.modules, totals.parameters, totals.trainable, totals.frozen) == (3, 26, 24, 2)
    assert (totals.buffers, totals.nbytes) == (6, 26 * 4 + 4 * 4 + 2)
    assert [node.numel for node in known.nodes] == [26, 16, 10, 16]
    empty, mean, mask = known.root.tensors
    assert empty.empty
    assert mean.persistent
    assert not mask.persistent
    assert (mask.dtype, mask.shape, mask.kind) == ("bool", (2,), "buffer")


def test_find_is_the_inverse_of_path():
    known = nw.facts(wide(150))
    for row in range(known.rows):
        item = known.at(row)[1]
        if not isinstance(item, Note):
            assert known.find(known.path(row)) == row
    assert known.find("m0.nothing") == -1


def test_shared_objects_are_marked_and_counted_once():
    model = Net()
    model.second.weight = model.first.weight
    known = nw.facts(model)
    again, tied = known.nodes[3], known.nodes[2].tensors[-1]
    assert known.path(again.twin) == "first"
    assert not again.cycle
    assert again.tensors == ()
    assert known.path(tied.twin) == "first.weight"
    assert [node.numel for node in known.nodes] == [18, 16, 14, 16]
    assert known.totals.parameters == 18


def test_counts_of_every_subtree_are_those_of_its_distinct_parameters():
    generator = np.random.default_rng(3)
    made = [Module() for _ in range(12)]
    parameters = [Parameter(np.zeros(2**k)) for k in range(12)]
    for index, module in enumerate(made):
        for k in generator.integers(0, 12, 2):
            module._parameters[f"p{k}"] = parameters[k]
        for child in generator.integers(0, 12, 2):  # any other, ancestors included
            module._modules[f"m{child}"] = made[child]
        module._modules["next"] = made[(index + 1) % 12]

    def distinct(module: Module) -> int:
        seen, pending = {id(module): module}, [module]
        while pending:
            for child in pending.pop()._modules.values():
                if id(child) not in seen:
                    seen[id(child)] = child
                    pending.append(child)
        found = {id(p): p for m in seen.values() for p in m._parameters.values()}
        return sum(p.shape[0] for p in found.values())

    known = nw.facts(made[0])
    objects = {0: made[0]}
    for index, node in enumerate(known.nodes[1:], start=1):
        objects[index] = objects[node.parent]._modules[node.name]
    for index, node in enumerate(known.nodes):
        assert node.numel == distinct(objects[index])


@pytest.mark.parametrize("make", MISBEHAVING)
def test_misbehaving_models_have_facts_text_and_html(make):
    model = make()
    before = list(own_dict(model).items())
    known = nw.facts(model)
    view, drawers = nw.show(model), nw.lessons.anatomy(model)
    for row in range(known.rows):
        view.selection = [view.tree["version"], row]
        assert known.at(row)[1] is not None or view.selected is not None
    paths = tuple(known.path(row) for row, tensor in known.tensor_rows())
    view.paint({"weight norm": [1.0] * len(paths)}, paths)
    view.refresh()
    drawers.try_line("self.x = 5")
    assert nw.text(model) == str(view)
    assert view.to_html()
    assert str(drawers)
    assert view.problem == drawers.problem == ""
    assert [(id(k), id(v)) for k, v in before] == [
        (id(k), id(v)) for k, v in own_dict(model).items()
    ]


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (ListOfModules, "`_modules` is a list, not a dict"),
        (Forgetful, "Was `super().__init__()` called?"),
        (ReturnsNone, "not created yet: `_parameters`, `_buffers`"),
        (Recurses, "not created yet: `_parameters`, `_buffers`, `_modules`"),
        (SharedDrawer, "`_modules` belongs to the class, so every SharedDrawer shares it"),
        (LeavesInExtraRepr, "`extra_repr` raised SystemExit: 3"),
    ],
)
def test_what_could_not_be_read_is_said(make, sentence):
    assert sentence in " ".join(notes(nw.facts(make())))


def test_a_raising_extra_repr_is_said_where_it_happened():
    class Broken(Module):
        def extra_repr(self) -> str:
            return {}["x"]

    model = Module()
    model._modules["bad"] = Broken()
    (note,) = nw.facts(model).nodes[1].notes
    assert note.text == "`extra_repr` raised KeyError: 'x'"


def test_odd_things_among_the_parameters_do_not_stop_the_walk():
    text, unshaped, number = nw.facts(OddTensors()).root.tensors
    assert unshaped.problem == "Unshaped has no readable shape: ValueError: no shape today"
    assert text.shape is None
    assert number.class_name == "int"


def test_shapes_that_cannot_be_are_said():
    said = {tensor.name: tensor.problem for tensor in nw.facts(OddShapes()).root.tensors}
    assert said["negative"] == "its shape (-5, 2) is impossible"
    assert "is impossible" in said["huge"]
    assert said["endless"] == "its shape has more than 64 dimensions"
    assert said["words"].startswith("its shape is no tuple of numbers: ValueError")
    assert nw.facts(OddShapes()).totals.parameters == 2


def test_what_hides_is_read_all_the_same():
    known = nw.facts(StubbornDrawers())
    assert known.root.hooks == (("_forward_hooks", 1),)
    (mean,) = [tensor for tensor in known.root.tensors if tensor.kind == "buffer"]
    assert (mean.name, mean.persistent) == ("mean", False)
    names = [node.name for node in known.nodes]
    assert names == ["", "fc", "numbered", "an int of 16,610 bits", "<NoneType>", "1.5"]
    assert nw.facts(SaysAStubbornText()).root.extra == "2, 3"


def test_a_property_for_the_dict_is_not_run():
    class Fakes(Module):
        ran = False

        @property
        def __dict__(self) -> dict[str, object]:  # type: ignore[override]
            Fakes.ran = True
            return {"_modules": {"fake": Linear(1, 1)}}

        def __init__(self) -> None:
            pass

    assert len(nw.facts(Fakes()).nodes) == 1
    assert not Fakes.ran


def test_attributes_in_slots_are_a_sentence():
    class Slotted:
        __slots__ = ("_modules",)

    with pytest.raises(TypeError, match="a Slotted, which has no `__dict__`: its class uses `__sl"):
        nw.show(Slotted())


def test_a_drawer_that_the_class_computes_is_said_and_not_run():
    class Computed:
        @property
        def _modules(self) -> dict[str, object]:
            raise AssertionError("this was run")

        def __init__(self) -> None:
            self.__dict__["_parameters"] = {}

    sentence = "`_modules` is a property of the class, not an entry of `__dict__`"
    assert sentence in notes(nw.facts(Computed()))
    assert sentence in str(nw.lessons.anatomy(Computed()))


def test_things_among_the_children_that_are_no_modules():
    model = Module()
    model._modules.update(number=5, cls=Linear, function=test_numbers_read_well)  # type: ignore[arg-type]
    assert notes(nw.facts(model)) == [
        "an int is not a Module: it has no drawers",
        "this is the class Linear itself, not a Module: write Linear() to create one",
        "a function is not a Module: it has no drawers",
    ]


def test_a_wrapping_function_is_no_module():
    """`functools.wraps` copies the `__dict__` of a Module into that of a function."""
    model = Module()
    model.__dict__["forward"] = functools.wraps(Linear(2, 2))(lambda x: x)
    model.__dict__["np"] = np  # has `shape` and `dtype`, but is no tensor
    assert notes(nw.facts(model)) == []
    assert str(nw.lessons.anatomy(model)).endswith("np       module")


def test_lines_of_an_extra_repr_become_one():
    class Long(Module):
        def extra_repr(self) -> str:
            return "(0): one\n  (1): two"

    assert nw.facts(Long()).root.label == "Long((0): one (1): two)"


def test_a_parameter_without_a_shape_yet():
    class UninitializedParameter:
        dtype = "float32"
        shape = property(lambda self: {}["shape"])

    model = Module()
    model._parameters["weight"] = UninitializedParameter()
    (weight,) = nw.facts(model).root.tensors
    assert weight.problem == "no shape yet: the first forward() gives it one"
    view = nw.show(model).select("weight")
    assert view.detail["lines"][-1] == ["shape", weight.problem]


def test_cycles_end_and_deep_chains_are_read():
    known = nw.facts(cycle())
    assert known.nodes[2].cycle
    assert known.nodes[2].twin == 0
    assert known.totals.modules == 2
    deep = chain(100_000)
    try:
        known = nw.facts(deep)
        assert known.totals.modules == 100_001
        assert len(tree_text(known)) < 60_000
        assert known.find("c." * 5_000 + "c") == 5_001
    finally:
        dismantle(deep)


def test_hidden_modules_are_named_with_the_remedy():
    model = Module()
    model.layers = [Linear(2, 2), (Linear(2, 2),)]
    model.heads = {"a": Linear(2, 2)}
    model._modules["known"] = Linear(2, 2)
    model.parent = [model, model._modules["known"]]  # in the tree anyway: nothing to warn about
    said = notes(nw.facts(model))
    assert len(said) == 2
    assert "`layers` is a plain list with 2 Modules (Linear)" in said[0]
    assert "nn.ModuleList" in said[0]
    assert "nn.ModuleDict" in said[1]


def test_hooks_and_modes_are_counted():
    model = Net()
    model.first.training = False
    model.first._forward_hooks[1] = print
    model.first._state_dict_hooks[2] = print
    known = nw.facts(model)
    assert known.nodes[1].training is False
    assert known.root.training is True
    assert known.nodes[1].hooks == (("_forward_hooks", 1), ("_state_dict_hooks", 1))


@pytest.mark.parametrize("dtype", ["float32", "float16", "int64", "bool", "complex64"])
def test_statistics_agree_with_numpy(dtype):
    raw = np.random.default_rng(0).normal(size=(7, 11)) * 3
    array = raw.astype(dtype)
    found, problem = statistics(Tensor(array, dtype=dtype))
    assert problem == ""
    assert found is not None
    numbers = (np.abs(array) if dtype == "complex64" else array).astype("float64")
    expected = numbers.mean(), numbers.std(), numbers.min(), numbers.max()
    assert (found.mean, found.std, found.minimum, found.maximum) == pytest.approx(expected)
    assert found.norm == pytest.approx(np.linalg.norm(numbers))
    assert found.zeros == (numbers == 0).sum()
    assert sum(found.histogram) == 77


def test_statistics_tell_nan_and_infinity_apart():
    found, _ = statistics(Tensor([1.0, np.nan, np.inf, 0.0]))
    assert found is not None
    assert (found.nans, found.infinities, found.zeros, found.mean) == (1, 1, 1, 0.5)
    assert statistics(Tensor([np.nan]))[1] == "it holds no finite number"
    assert statistics(Tensor([]))[1] == "it holds no numbers"


def test_a_large_tensor_is_sampled_evenly():
    said, step = values(Tensor(np.arange(1000)), 100)
    assert step == 10
    assert list(said.value[:3]) == [0, 10, 20]


def test_an_expanded_tensor_is_not_written_out():
    expanded = Tensor([0.0])
    expanded._array = np.broadcast_to(np.arange(9), (10**12, 9))  # 72 TB if it were
    said, step = values(expanded, 7)
    assert list(said.value) == [index * step % 9 for index in range(7)]


def test_what_is_no_module_is_refused_with_a_sentence():
    cases = [
        (5, "got an object of class int (5)"),
        (Net, "got the class Net itself: write Net() to create one"),
        ([Net()], "got a list: pass one of the Modules in it"),
        (Tensor([1]), "got an object of class Tensor"),
        (None, "got an object of class NoneType (None)"),
    ]
    for given, sentence in cases:
        with pytest.raises(TypeError) as caught:
            nw.show(given)
        assert sentence in str(caught.value)
        assert "`_modules`" in str(caught.value)


def test_nothing_in_a_name_stays_hidden():
    assert visible("a\u202eb\x07") == r"a\u202eb\x07"
    assert visible("x" * 10_000).endswith("… (10,000 characters)")
    assert all(ord(c) < 0xD800 or ord(c) > 0xDFFF for c in nw.text(hostile()))


def test_numbers_read_well():
    assert [size(n) for n in (0, 999, 1000, 999_960, 43_000, 3 * 10**12)] == [
        "0 B", "999 B", "1.0 kB", "1.0 MB", "43.0 kB", "3.0 TB",
    ]  # fmt: skip
    assert [decimal(x) for x in (0.0, 1 / 3, float("nan"), float("-inf"))] == [
        "0",
        "0.3333",
        "NaN",
        "-inf",
    ]
