"""Reading quickly says the same as reading carefully, and does the careful work once for each pattern."""

from __future__ import annotations

import importlib
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mock_page import encoded
from module_subjects import (
    MISBEHAVING,
    Linear,
    Module,
    Net,
    Parameter,
    Tensor,
    hostile,
    wide,
)

import nbmodule_widgets as nw
from nbmodule_widgets.facts import Note, quick
from nbmodule_widgets.facts.quick import Odd, QuickReader
from nbmodule_widgets.facts.tensors import TensorReader
from nbmodule_widgets.protocol import Outcome
from nbmodule_widgets.views.wire import pack

_STATIC = Path(nw.__file__).parent / "static"
_UNPACK = """(packed) => {
  const revive = (value) => {
    if (value === null || typeof value !== "object") return value;
    if ("base64" in value) return new DataView(Uint8Array.from(atob(value.base64), (c) => c.charCodeAt(0)).buffer);
    if (Array.isArray(value)) return value.map(revive);
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, revive(item)]));
  };
  const rows = unpack(revive(packed));
  rows.position = shapeOf(rows, new Map(), true).position.slice(0, rows.total);
  const plain = Object.entries(rows).filter(([name]) => !["tree", "column"].includes(name));
  return Object.fromEntries(plain.map(([name, value]) => [name, typeof value === "number" ? value : Array.from(value)]));
}"""


def entangled(seed: int) -> Module:
    """Fourteen Modules that share tensors and each other, with slots missing and odd values in them."""
    chance = np.random.default_rng(seed)
    made = [Module() for _ in range(14)]
    tensors = [Parameter(np.zeros(2**k), requires_grad=bool(k % 3)) for k in range(12)]
    for index, module in enumerate(made):
        for k in chance.integers(0, 12, 3):
            drawer = module._parameters if chance.random() < 0.7 else module._buffers
            drawer[f"p{k}"] = tensors[k]
        for child in chance.integers(0, 14, 2):
            module._modules[f"m{child}"] = made[child]
        own = module.__dict__
        odd: list[tuple[str, Any]] = [
            ("_non_persistent_buffers_set", {"p3", "p7"}),
            ("training", 1),
            ("training", False),
            ("plain", [made[0], Linear(1, 1)]),
            ("_forward_hooks", {1: print}),
            ("number", 7),
        ]
        own.update(pair for pair in odd if chance.random() < 0.3)
        for slot in ("_forward_hooks", "training", "_non_persistent_buffers_set", "_buffers"):
            if chance.random() < 0.1:
                del own[slot]
        if chance.random() < 0.2:
            module._modules["empty"] = None  # type: ignore[assignment]
        module._modules["next"] = made[(index + 1) % 14]
    return made[0]


def carefully(model: object, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The facts of a model in which nothing is read quickly."""

    def refuse(reader: QuickReader, module: Any) -> None:
        try:
            said = module.extra_repr() if quick.ModuleKind(module).says_extra else ""
        except BaseException as error:
            raise Odd(Outcome(None, quick.error_text(error))) from error
        raise Odd(Outcome(said, ""))

    with monkeypatch.context() as patch:
        patch.setattr(QuickReader, "read", refuse)
        return nw.facts(model)


class Scaled:
    """A tensor whose dtype is a new object at each look, and whose device is a class of its own."""

    def __init__(self, bits: int, device: str) -> None:
        self.bits, self.place = bits, device
        self.requires_grad = True

    shape = property(lambda self: (2, 2))
    dtype = property(lambda self: "".join(["float", str(self.bits)]))

    @property
    def device(self) -> object:
        text = self.place
        return type(
            "Device", (), {"__str__": lambda self: text, "__eq__": lambda self, other: True}
        )()


class Place:
    """A device that claims to be equal to every other one."""

    __eq__ = lambda self, other: True  # noqa: E731
    __hash__ = lambda self: 7  # type: ignore[assignment]  # noqa: E731
    __str__ = lambda self: self.name  # type: ignore[attr-defined]  # noqa: E731

    def __init__(self, name: str) -> None:
        self.name = name


class Secretive(dict):
    """Hooks that claim not to be there."""

    __len__ = lambda self: 0  # noqa: E731
    __iter__ = lambda self: iter(())  # noqa: E731


class SameShape(tuple):
    """A shape that claims to be equal to every other one."""

    __slots__ = ()
    __eq__ = lambda self, other: True  # noqa: E731
    __hash__ = lambda self: 7  # type: ignore[assignment]  # noqa: E731


def holder(tensor: Any, **more: Any) -> Module:
    model = Module()
    model._parameters["p"] = tensor
    model.__dict__.update(more)
    return model


def shaped(*shape: int) -> Any:
    made = Tensor(np.zeros(shape))
    made.__class__ = type("Shaped", (Tensor,), {"shape": property(lambda self: SameShape(shape))})
    return made


def flagged(flag: Any) -> Any:
    made = Tensor([1.0])
    made.requires_grad = flag
    return made


def placed(device: object) -> Any:
    made = Tensor([1.0])
    made.device = device  # type: ignore[attr-defined]
    return made


def row_of(*children: object) -> Module:
    model = Module()
    model._modules.update({str(i): child for i, child in enumerate(children)})  # type: ignore[misc]
    return model


ODD_HOOKS = (OrderedDict(), OrderedDict(a=1), Secretive(), Secretive(a=1, b=2), 5, [print], None)


def plain_values() -> list[object]:
    """Numbers, and values of the same kind in which a Module hides."""
    hidden = Linear(1, 1)
    return [
        (3, 3),
        (3, hidden),
        [1, "a", None],
        [[hidden]],
        [*range(100)],
        [*range(100), hidden],
        {},
        {1: hidden},
    ]


NEARLY_ALIKE = {
    "dtypes": lambda: row_of(*(holder(Scaled(bits, "cpu")) for bits in (16, 32, 64, 16))),
    "devices": lambda: row_of(*(holder(Scaled(32, place)) for place in ("a", "b", "a"))),
    "own devices": lambda: row_of(*(holder(t) for t in (flagged(True), placed("x"), placed("y")))),
    "shapes": lambda: row_of(holder(shaped(2)), holder(shaped(3)), holder(shaped(4, 5))),
    "flags": lambda: row_of(*(holder(flagged(flag)) for flag in (True, 1, False, 0, None, "no"))),
    "names": lambda: row_of(holder(None, a=1), holder(None, b=[Linear(1, 1)]), holder(None, a=Net())),
    "modes": lambda: row_of(*(holder(None, training=mode) for mode in (True, False, 1, None, "on"))),
    "hooks": lambda: row_of(*(holder(None, _forward_hooks=dict.fromkeys(range(n))) for n in range(4))),
    "odd hooks": lambda: row_of(*(holder(None, _forward_hooks=odd) for odd in ODD_HOOKS)),
    "places": lambda: row_of(*(holder(placed(Place(name))) for name in "xyxxy")),
    "plain": lambda: row_of(*(holder(None, plain=plain) for plain in plain_values())),
}  # fmt: skip


@pytest.mark.parametrize(
    "make",
    [
        *MISBEHAVING, Net, hostile, lambda: wide(300), *NEARLY_ALIKE.values(),
        *(lambda seed=seed: entangled(seed) for seed in range(12)),
    ],
)  # fmt: skip
def test_quick_and_careful_reading_agree(make, monkeypatch):
    model = make()
    known, expected = nw.facts(model), carefully(model, monkeypatch)
    assert list(known.nodes) == list(expected.nodes)
    assert known.totals == expected.totals
    assert known == expected == nw.facts(model)
    assert pack(known, 1) == pack(expected, 1)


def test_nearly_alike_modules_are_told_apart():
    tensors = {
        case: [t for _, t in nw.facts(make()).tensor_rows()] for case, make in NEARLY_ALIKE.items()
    }
    assert [t.dtype for t in tensors["dtypes"]] == ["float16", "float32", "float64", "float16"]
    assert [t.device for t in tensors["devices"]] == ["a", "b", "a"]
    assert [t.device for t in tensors["own devices"]] == ["", "x", "y"]
    assert [t.shape for t in tensors["shapes"]] == [(2,), (3,), (4, 5)]
    assert [t.requires_grad for t in tensors["flags"]] == [True, None, False, None, None, None]
    modes = [node.training for node in nw.facts(NEARLY_ALIKE["modes"]()).nodes[1:]]
    assert modes == [True, False, None, None, None]
    hooks = [node.hooks for node in nw.facts(NEARLY_ALIKE["hooks"]()).nodes[1:]]
    assert hooks == [(), *((("_forward_hooks", n),) for n in (1, 2, 3))]
    hooks = [node.hooks for node in nw.facts(NEARLY_ALIKE["odd hooks"]()).nodes[1:]]
    assert [dict(counted).get("_forward_hooks", 0) for counted in hooks] == [0, 1, 0, 2, 0, 0, 0]
    assert [t.device for t in tensors["places"]] == ["x", "y", "x", "x", "y"]
    notes = [node.notes for node in nw.facts(NEARLY_ALIKE["plain"]()).nodes[1:]]
    assert [len(said) for said in notes] == [0, 1] * 4


@pytest.mark.parametrize("size", [2**30, 2**31])
def test_sums_do_not_overflow(size):
    class Large(Scaled):
        shape = property(lambda self: (size, 2**31))

    known = nw.facts(row_of(*(holder(Large(16, "cpu")) for _ in range(6))))
    assert known.nodes[0].numel == known.totals.parameters == 6 * size * 2**31
    assert known.nodes[0].nbytes == known.totals.nbytes == 12 * size * 2**31


def test_modules_that_are_alike_are_described_once(lib, monkeypatch):
    described = []
    real = TensorReader.entry
    monkeypatch.setattr(
        TensorReader, "entry", lambda self, *told: described.append(told) or real(self, *told)
    )
    box = lib.nn.ModuleList
    model = box([box([lib.nn.Linear(2, 2) for _ in range(50)]) for _ in range(40)])
    known = nw.facts(model)
    assert len(known.nodes) == 2_041
    assert len(described) <= 4
    assert known.totals.parameters == 12_000
    assert sum(len(c["bytes"]) for c in pack(known, 1)["columns"].values()) < 12_000


def test_every_module_is_asked_for_its_extra_repr_once():
    asked = []

    class Asked(Linear):
        def extra_repr(self) -> str:
            asked.append(self)
            return f"number {len(asked)}"

    model = row_of(*(Asked(1, 1) for _ in range(50)))
    model._modules["0"]._parameters = []  # type: ignore[assignment]  # this one is read carefully
    extras = [node.extra for node in nw.facts(model).nodes[1:]]
    assert extras == [f"number {n}" for n in range(1, 51)]


def test_the_readers_wish_to_stop_comes_through():
    class Stops(Module):
        def extra_repr(self) -> str:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        nw.facts(Stops())


@pytest.mark.torch
def test_looking_at_the_numbers_leaves_the_storage_resizable():
    torch = pytest.importorskip("torch")
    weight = torch.nn.Linear(3, 3).weight
    nw.show(torch.nn.Linear(3, 3)).select("weight")
    statistics = importlib.import_module("nbmodule_widgets.facts").statistics
    assert statistics(weight)[0].norm == pytest.approx(float(weight.detach().norm()), rel=1e-6)
    assert weight.untyped_storage().resizable()
    minus = torch.tensor([1 + 2j]).conj().imag  # a view with a noted minus
    assert statistics(minus)[0].minimum == -2


# ------------------------------------------------------------------------------------------- on the page


@pytest.mark.parametrize("make", [Net, hostile, lambda: wide(500), lambda: entangled(4)])
def test_the_page_unpacks_the_rows_that_python_counts(make, stage):
    known = nw.facts(make())
    names = ("core.js", "unpack.js", "folds.js")
    parts = [(_STATIC / name).read_text(encoding="utf-8") for name in names]
    stage.page.set_content("<main></main>")
    stage.page.add_script_tag(content="const STYLES = '';" + "\n".join(parts))
    found = stage.page.evaluate(_UNPACK, encoded(pack(known, 1)))
    nodes, rows = known.nodes, range(known.rows)
    items = [known.at(row) for row in rows]
    assert found["total"] == known.rows
    assert found["module"] == [known.index(node) for node, _ in items]
    assert found["tensors"] == [row for row, _ in known.tensor_rows()]
    kinds = {None: 0, "parameter": 1, "buffer": 2}
    said = [
        3 if isinstance(item, Note) else kinds[getattr(item, "kind", None)] for _, item in items
    ]
    assert found["kind"] == said
    above = [
        (nodes.row[node.parent] if node.parent >= 0 else -1) if item is None else node.row
        for node, item in items
    ]
    assert found["parent"] == above
    assert found["depth"] == [node.depth + (item is not None) for node, item in items]
    assert found["children"] == [above.count(row) for row in rows]
    assert found["position"] == [above[: row + 1].count(above[row]) if row else 1 for row in rows]
    for row, (node, item) in enumerate(items):
        same = {0: [None], 1: node.tensors, 2: node.tensors, 3: node.notes}[found["kind"][row]]
        assert found["place"][row] == -1 if item is None else same[found["place"][row]] is item
