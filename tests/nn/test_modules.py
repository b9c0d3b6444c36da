"""Every check on every row of the table of modules.

What PyTorch returned lies in `recorded_modules/<topic>.npz` (numbers) and `<topic>.json` (texts): see CONTRIBUTING.md.
"""

import copy
import json
import pickle
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import recorded_cases

import nbmodule
from nbmodule_course.exams.module_rows import TOPICS

RECORDS = Path(__file__).with_name("recorded_modules")
CHECKED = [(topic, row) for topic, rows in TOPICS.items() for row in rows]
DTYPES = {"f2": "float16", "f4": "float32", "f8": "float64"}
TOLERANCE = {"f2": 4e-3, "f4": 4e-5, "f8": 1e-9}
PRECISIONS = ["f4", "f8"]


def each(check, rows=CHECKED):
    """Run on every row but those that skip `check`, and say why."""
    return pytest.mark.parametrize(
        ("topic", "row"),
        [
            pytest.param(
                topic,
                row,
                id=str(row),
                marks=[pytest.mark.skip(reason=row.skip[check])] if check in row.skip else [],
            )
            for topic, row in rows
        ],
    )


# ---- one run of a row, on nbmodule or on PyTorch


def make(t, row, dtype="f4", training=True):
    """Return the module of `row` with the parameters that seed 0 gives it, rounded: the last bit may differ."""
    t.manual_seed(0)
    module = row.make(t)
    with t.no_grad():
        for p in module.parameters():
            if not is_lazy(p):
                p.copy_((p * 4096).round() / 4096)
    return module.to(getattr(t, DTYPES[dtype])).train(training)


def is_lazy(parameter):
    """Whether it has no shape yet; then it is drawn in the first call."""
    return type(parameter).__name__ == "UninitializedParameter"


def inputs_of(t, row, dtype="f4"):
    """Return the inputs of `row`, those from shapes requiring gradients."""
    kind = getattr(t, DTYPES[dtype])
    return [
        in_dtype(t, x(t), kind) if callable(x) else t.tensor(x.tolist(), dtype=kind).reshape(x.shape).requires_grad_()
        for x in row.arrays("f8")
    ]  # fmt: skip


def in_dtype(t, x, kind):
    """Return what a function of a row gave, its floating point tensors in `kind`."""
    if isinstance(x, t.Tensor):
        return x.to(kind) if x.is_floating_point() else x
    if isinstance(x, t.nn.utils.rnn.PackedSequence):
        return x.to(kind)
    if isinstance(x, (tuple, list)):
        return type(x)(in_dtype(t, v, kind) for v in x)
    return x


def forward(t, row, module, inputs):
    """Return what `module` gives, always with the same random numbers."""
    t.manual_seed(1)
    return row.run(module, inputs)


def total_of(t, outputs):
    """Return a random mix of the outputs that can be differentiated, or None."""
    rng, total = np.random.default_rng(3), None
    for out in outputs:
        weights = rng.standard_normal(tuple(out.shape)).tolist()
        if out.requires_grad:
            mixed = (out * t.tensor(weights, dtype=out.dtype).reshape(out.shape)).sum()
            total = mixed if total is None else total + mixed
    return total


def numbers(t, row, dtype, training):
    """Return every number that a row gives: outputs, gradients, and the state that it leaves behind."""
    module = make(t, row, dtype, training)
    inputs = inputs_of(t, row, dtype)
    outputs = forward(t, row, module, inputs)
    found = {f"output{i}": out for i, out in enumerate(outputs)}
    total = total_of(t, outputs)
    if total is not None and "gradients" not in row.skip:
        total.backward()
        leaves = {f"input{i}": x for i, x in enumerate(inputs) if isinstance(x, t.Tensor)}
        for name, leaf in {**leaves, **dict(module.named_parameters())}.items():
            if leaf.grad is not None:
                found[f"{name}.grad"] = leaf.grad
    found |= {f"state {k}": v for k, v in module.state_dict().items() if isinstance(v, t.Tensor)}
    return {name: v.detach().numpy() for name, v in found.items()}


def texts(t, row):
    """Return what a row says of itself."""
    module = make(t, row)
    told = {"repr": repr(module), "training": [m.training for m in module.modules()]}
    told["state"] = {
        k: None if is_lazy(v) else list(v.shape)
        for k, v in module.state_dict().items()
        if isinstance(v, t.Tensor)
    }
    told["parameters"] = [n for n, _ in module.named_parameters()]
    told["children"] = [n for n, _ in module.named_modules()]
    outputs = forward(t, row, module, inputs_of(t, row))
    told["nodes"] = [out.grad_fn.name() if out.grad_fn else None for out in outputs]
    told["dtypes"] = [str(out.dtype) for out in outputs]
    return json.loads(json.dumps(told).replace("nbmodule", "torch"))


# ---- against PyTorch


@cache
def recorded(topic):
    with np.load(RECORDS / f"{topic}.npz", allow_pickle=False) as data:
        return dict(data.items())


@cache
def recorded_texts(topic):
    return json.loads((RECORDS / f"{topic}.json").read_text(encoding="utf-8"))


def modes(row):
    return {True: "train", False: "eval"}.items()


def same_numbers(found, topic, row, dtype, mode):
    """Compare with the record. It is in float64; narrower numbers are compared with their own precision."""
    prefix, own = f"{row.name}/{mode}/", TOLERANCE[dtype]
    if any(map(is_lazy, row.make(nbmodule).parameters())):
        own = max(own, TOLERANCE["f4"])
    expected = {k[len(prefix) :]: v for k, v in recorded(topic).items() if k.startswith(prefix)}
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert found[name].shape == value.shape, name
        scale = max(1.0, float(np.abs(value[np.isfinite(value)]).max(initial=0)))
        np.testing.assert_allclose(found[name], value, rtol=own, atol=own * scale, err_msg=name)


@each("numbers")
@pytest.mark.parametrize("dtype", PRECISIONS)
def test_numbers_are_those_recorded_from_torch(topic, row, dtype):
    """Outputs, gradients of inputs and parameters, and the state afterwards, in training and in eval mode."""
    for training, mode in modes(row):
        same_numbers(numbers(nbmodule, row, dtype, training), topic, row, dtype, mode)


@each("texts")
def test_texts_are_those_recorded_from_torch(topic, row):
    assert texts(nbmodule, row) == recorded_texts(topic)[row.name]


@each("numbers")
@pytest.mark.torch
@pytest.mark.filterwarnings("ignore")
def test_torch_does_what_was_recorded(topic, row):
    torch = pytest.importorskip("torch", reason="the referee: pip install torch")
    for training, mode in modes(row):
        same_numbers(numbers(torch, row, "f8", training), topic, row, "f4", mode)
    assert texts(torch, row) == recorded_texts(topic)[row.name]


# ---- of nbmodule alone


@each("finite differences", [(t, r) for t, r in CHECKED if r.smooth])
def test_gradients_match_finite_differences(topic, row):
    module, inputs = make(nbmodule, row, "f8"), inputs_of(nbmodule, row, "f8")
    start = copy.deepcopy(module.state_dict())
    leaves = [x for x in inputs if isinstance(x, nbmodule.Tensor) and x.requires_grad]
    leaves += [p for p in module.parameters() if p.requires_grad]

    def total_at(step, directions):
        """Return the mixed outputs where the leaves are moved; where a buffer was updated, begin anew."""
        module.load_state_dict(start)
        with nbmodule.no_grad():
            for leaf, value, direction in zip(leaves, values, directions, strict=True):
                leaf.copy_(value + step * direction)
        return total_of(nbmodule, forward(nbmodule, row, module, inputs))

    values = [leaf.detach().clone() for leaf in leaves]
    total = total_at(0.0, values)
    if total is None:
        pytest.skip("nothing to differentiate")
    grads = nbmodule.autograd.grad(total, leaves, allow_unused=True)
    for i, (leaf, grad) in enumerate(zip(leaves, grads, strict=True)):
        rng = np.random.default_rng(40 + i)
        drawn = nbmodule.tensor(rng.standard_normal(tuple(leaf.shape)))
        directions = [drawn if j == i else nbmodule.zeros_like(x) for j, x in enumerate(leaves)]
        h = 1e-6
        expected = (total_at(h, directions) - total_at(-h, directions)).item() / (2 * h)
        found = 0.0 if grad is None else float((grad * drawn).sum())
        assert found == pytest.approx(expected, rel=1e-5, abs=1e-6), i


@each("dtypes")
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_types_are_kept(topic, row, dtype):
    if dtype == "f2" and not row.half:
        pytest.skip("PyTorch refuses float16 here")
    module, inputs = make(nbmodule, row, dtype), inputs_of(nbmodule, row, dtype)
    outputs = forward(nbmodule, row, module, inputs)
    total = total_of(nbmodule, outputs)
    held = [out for out in outputs if out.is_floating_point()]
    if total is not None:
        total.backward()
        held += [x.grad for x in (*inputs, *module.parameters()) if getattr(x, "grad", None) is not None]  # fmt: skip
    assert {str(x.dtype) for x in held} <= {f"nbmodule.{DTYPES[dtype]}"}


def outputs_equal(row, one, other):
    """Assert that two modules give the very same numbers."""
    mine, theirs = (forward(nbmodule, row, m, inputs_of(nbmodule, row, "f4")) for m in (one, other))
    for a, b in zip(mine, theirs, strict=True):
        np.testing.assert_array_equal(a.detach().numpy(), b.detach().numpy())


@each("state")
def test_a_state_dict_makes_an_equal_module(topic, row):
    module = make(nbmodule, row)
    forward(nbmodule, row, module, inputs_of(nbmodule, row))
    nbmodule.manual_seed(99)
    other = row.make(nbmodule)
    if any(map(is_lazy, other.parameters())):
        forward(nbmodule, row, other, inputs_of(nbmodule, row))
    assert str(other.load_state_dict(module.state_dict())) == "<All keys matched successfully>"
    outputs_equal(row, module.eval(), other.eval())


@each("copies")
@pytest.mark.parametrize("way", ["deepcopy", "pickle"])
def test_a_copy_is_equal_and_apart(topic, row, way):
    module = make(nbmodule, row, training=False)
    forward(nbmodule, row, module, inputs_of(nbmodule, row))
    twin = copy.deepcopy(module) if way == "deepcopy" else pickle.loads(pickle.dumps(module))
    assert repr(twin) == repr(module)
    outputs_equal(row, module, twin)
    mine = {id(x._array) for x in (*module.parameters(), *module.buffers())}
    assert not mine & {id(x._array) for x in (*twin.parameters(), *twin.buffers())}


@each("to")
def test_a_conversion_keeps_the_parameters_objects(topic, row):
    module = make(nbmodule, row)
    forward(nbmodule, row, module, inputs_of(nbmodule, row))
    before = list(module.parameters())
    assert module.double() is module
    assert all(a is b for a, b in zip(module.parameters(), before, strict=True))
    floats = [x for x in (*before, *module.buffers()) if x.is_floating_point()]
    assert {x.dtype for x in floats} <= {nbmodule.float64}


@each("hooks")
def test_hooks_are_called_once(topic, row):
    module, inputs, calls = make(nbmodule, row), inputs_of(nbmodule, row), []
    module.register_forward_pre_hook(lambda m, args: calls.append("pre"))
    module.register_forward_hook(lambda m, args, out: calls.append("forward"))
    if "backward hooks" not in row.skip:
        module.register_full_backward_hook(lambda m, gi, go: calls.append("backward"))
    total = total_of(nbmodule, forward(nbmodule, row, module, inputs))
    backward = []
    if total is not None:
        total.backward()
        backward = [] if "backward hooks" in row.skip else ["backward"]
    assert calls == ["pre", "forward", *backward]


@each("functional_call")
def test_functional_call_uses_the_given_parameters(topic, row):
    module = make(nbmodule, row, training=False)
    forward(nbmodule, row, module, inputs_of(nbmodule, row))
    zeros = {n: nbmodule.zeros_like(p) for n, p in module.named_parameters()}
    other = copy.deepcopy(module)
    with nbmodule.no_grad():
        for p in other.parameters():
            p.zero_()

    class Stateless:
        def __call__(self, *args, **kwargs):
            return nbmodule.func.functional_call(module, zeros, args, kwargs)

        def __getattr__(self, name):
            return getattr(module, name)

    before = {n: p.detach().clone() for n, p in module.named_parameters()}
    outputs_equal(row, Stateless(), other)
    assert all(bool((p == before[n]).all()) for n, p in module.named_parameters())


def test_names_are_unique():
    names = [row.name for _, row in CHECKED]
    assert len(names) == len(set(names))


def record(*asked):
    """Write the records of the topics `asked` anew, or all. Needs torch: see CONTRIBUTING.md."""
    import torch

    RECORDS.mkdir(exist_ok=True)
    for topic in asked or TOPICS:
        data, told = {}, {}
        for row in TOPICS[topic]:
            try:
                told[row.name] = texts(torch, row)
                for training, mode in modes(row):
                    if "numbers" not in row.skip:
                        found = numbers(torch, row, "f8", training)
                        data |= {f"{row.name}/{mode}/{k}": v for k, v in found.items()}
            except Exception as error:
                error.add_note(f"in row {row.name}")
                raise
        np.savez_compressed(RECORDS / f"{topic}.npz", **data)
        recorded_cases.write(RECORDS / f"{topic}.json", told)


if __name__ == "__main__":
    record(*sys.argv[1:])
