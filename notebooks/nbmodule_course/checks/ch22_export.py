"""Chapter 22: what differs between two runs, and a file that another program agrees with."""

from __future__ import annotations

from ..exercise import Exercise
from .recording import uses

# ---- 22.4

comparing = Exercise(
    "22.4",
    title="Two runs are better than one",
    takes=("merged",),
    minutes=18,
    writes=("merged",),
    hints=(
        "Go through both lists in pairs. Which arguments of a step may differ between the runs, because the file will compute them?",
        "Keep the `id` of `first.x` and of each result of the first run in a set. An argument is fine if it's the same object in both runs, if its `id` is in that set, or if `np.array_equal` says that the numbers are the same.",
        '`options["shape"] = [-1 if n != m else n for n, m in zip(a.options["shape"], b.options["shape"], strict=True)]`, with `options = dict(a.options)` before it. Then count the -1s.',
    ),
)
_R = "first, second = run(x, {}), run(other, {}); "
_DIFFER = "tried(lambda: merged(first, second))"
_SHAPES = ("(2, 4), (3, 4)", "(4, 2), (4, 3)", "(2, 2, 2), (3, 2, 2)", "(8,), (12,)", "(4,), (4,)", "(-1, 4), (-1, 4)", "(2, 1, 4), (3, 1, 4)")  # fmt: skip


def _pair(a: str, b: str = "") -> str:
    return _R.format(a.replace("X", "x"), (b or a).replace("X", "other"))


comparing.compare_uses(
    "one list of steps, with the tensors of the first run",
    uses(
        "first, second = run(x), run(other); whose(merged(first, second), first)",
        _pair("step('relu', X)") + "whose(merged(first, second), first)",
        _pair("step('relu', X, path='body'), step('softmax', X, axis=1)")
        + "whose(merged(first, second), first)",
        "m = net(); " + _pair("step('mul', X, m.scale)") + "whose(merged(first, second), first)",
        "a, b = step('exp', x), step('exp', other); first, second = run(x, a, step('add', x, a.result)), run(other, b, step('add', other, b.result)); whose(merged(first, second), first)",
        _pair("step('mul', X, 2.5), step('add', X, tensor([1.0, 2.0]))")
        + "whose(merged(first, second), first)",
        _pair("step('add', X, np.ones(4))") + "whose(merged(first, second), first)",
    ),
)
comparing.compare_uses(
    "a size that differs is -1",
    uses(
        *(_pair(f"step('reshape', X, shape={a})", f"step('reshape', X, shape={b})") + "whose(merged(first, second), first)" for a, b in (text.split(", (") for text in _SHAPES) for b in ["(" + b]),
        _pair("step('reshape', X, shape=(2, 4))", "step('reshape', X, shape=(3, 4))") + "merged(first, second); first.steps[0].options",
        _pair("step('reshape', X, shape=(2, 4))", "step('reshape', X, shape=(3, 4))") + "merged(first, second); [each.options for each in second.steps]",
        _pair("step('reshape', X, shape=(2, 2))", "step('reshape', X, shape=(3, 3))") + _DIFFER,
        _pair("step('reshape', X, shape=(2, 4))", "step('reshape', X, shape=(2, 4, 1))") + _DIFFER,
    ),
)  # fmt: skip
comparing.compare_uses(
    "a trace that isn't good for both runs is refused",
    uses(
        _pair("step('relu', X)", "step('tanh', X)") + _DIFFER,
        _pair("step('relu', X)", "step('relu', X), step('relu', X)") + _DIFFER,
        _pair("step('relu', X), step('relu', X)", "step('relu', X)") + _DIFFER,
        _pair("step('relu', X), step('tanh', X)", "step('tanh', X), step('relu', X)") + _DIFFER,
        _pair("step('mul', X)", "step('mul', X, 2)") + _DIFFER,
        _pair("step('sub', 2, X)", "step('sub', 3, X)") + _DIFFER,
        _pair("step('mul', X, tensor([1.0, 2.0]))", "step('mul', X, tensor([2.0, 1.0]))") + _DIFFER,
        _pair("step('mul', X, tensor([1.5, 2.5]))", "step('mul', X, tensor([1.5, 2.500001]))") + _DIFFER,
        _pair("step('mul', X, tensor([1.0]))", "step('mul', X, tensor([1.0, 1.0]))") + _DIFFER,
        _pair("step('relu', X, path='a')", "step('relu', X, path='b')") + _DIFFER,
        _pair("step('mul', X, 2)", "step('mul', X, 3)") + _DIFFER,
        _pair("step('mul', X, 2, 5)", "step('mul', X, 2, 7)") + _DIFFER,
        _pair("step('relu', X), step('mul', X, 2)", "step('relu', X), step('mul', X, 3)") + _DIFFER,
        _pair("step('mul', X, tensor([1.0, 2.0]))", "step('mul', X, tensor([1.0, 3.0]))") + _DIFFER,
        _pair("step('mul', X, nbmodule.ones(2))", "step('mul', X, nbmodule.ones(3))") + _DIFFER,
        _pair("step('mul', X, x.clone())", "step('mul', X, other.clone())") + _DIFFER,
        _pair("step('mul', X, 2, path='body')", "step('mul', X, 3, path='body')") + "names(lambda: merged(first, second), 'mul', 'body')",
        _pair("step('reshape', X, shape=(2, 2), path='body')", "step('reshape', X, shape=(3, 3), path='body')") + "names(lambda: merged(first, second), 'reshape', 'body')",
    ),
)  # fmt: skip
_SAME = "[str(step) for step in first.steps] != [str(step) for step in second.steps]"
_EQUAL = "np.array_equal(one, other)"
_ARGS = "zip(a.args, b.args, strict=True)"
_FINE = f"one is other or id(one) in made or {_EQUAL}"
_MADE = "made = [], {id(first.x)}"
_ADD = "made.add(id(a.result))"
_OPTIONS = "options = dict(a.options)"
_TWO = 'if options["shape"].count(-1) > 1:'
# fmt: off
comparing.wrongs(
    ("not compared", {_SAME: "False"}, "two runs with different operations are accepted"),
    ("only counted", {_SAME: "len(first.steps) != len(second.steps)"}, "only the number of steps is compared; compare the operations too"),
    ("up to the shorter one", {_SAME: "any(str(a) != str(b) for a, b in zip(first.steps, second.steps))"}, "a run that goes on after the other one has ended is accepted; compare how many steps there are, too"),
    ("names only", {_SAME: "[step.name for step in first.steps] != [step.name for step in second.steps]"}, "the operations are compared without their paths"),
    ("the input is refused", {_MADE: "made = [], set()"}, "the input is refused because it differs, but the file gets it anew each time"),
    ("results are refused", {_ADD: "pass"}, "results of earlier steps are refused because they differ, but the file computes them"),
    ("numbers not compared", {_FINE: "True"}, "a number that differs between the runs is accepted, and the file would have the first one forever"),
    ("tensors not compared", {_FINE: _FINE + " or not isinstance(one, int | float)"}, "a tensor that no step has made may differ between the runs, and the file would have the first one forever"),
    ("numbers by identity", {_FINE: "one is other or id(one) in made"}, "equal constants are refused if they aren't the same object; compare their numbers"),
    ("nearly equal", {_EQUAL: "np.allclose(one, other)"}, "numbers that are nearly equal are accepted; the file would have the first one"),
    ("as text", {_EQUAL: "str(one) == str(other)"}, "numbers are compared as text, which doesn't show all digits"),
    ("broadcast", {_EQUAL: "np.all(np.asarray(one) == np.asarray(other))"}, "tensors of different shapes are accepted, because `==` broadcasts; `np.array_equal` compares the shapes too"),
    ("any order", {_SAME: "sorted(map(str, first.steps)) != sorted(map(str, second.steps))"}, "the order of the operations isn't compared"),
    ("more arguments", {_ARGS: "zip(a.args, b.args)"}, "a step with more arguments in one run than in the other is accepted; `zip` stops at the shorter one, unless you pass `strict=True`"),
    ("not the first", {_ARGS: "zip(a.args[1:], b.args[1:])"}, "the first argument isn't compared"),
    ("second changed", {_TWO: "b.options['shape'] = options['shape']\n" + _TWO}, "the options of the second run are changed; work on a copy"),
    ("first arguments", {_ARGS: "zip(a.args[:2], b.args[:2])"}, "only the first two arguments are compared"),
    ("sizes frozen", {"-1 if n != m else n": "n"}, "a size that differs stays as it was in the first run; make it -1"),
    ("first axis", {'options["shape"] = [-1 if n != m else n for n, m in sizes]': 'options["shape"] = [-1, *a.options["shape"][1:]]'}, "the first size is always -1; only a size that differs between the runs should be"),
    ("several", {_TWO: "if False:"}, "several sizes differ, and all become -1; ONNX can work out only one, so raise a ValueError"),
    ("changed in place", {_OPTIONS: "options = a.options"}, "the options of the first run are changed; work on a copy"),
    ("second run", {"Step(a.path, a.name, a.args, options, a.result)": "Step(b.path, b.name, b.args, options, b.result)"}, "the steps hold the tensors of the second run"),
    ("no names in the message", {'raise ValueError(f"{a} uses {one} in one run and {other} in the other")': 'raise ValueError("the runs differ")'}, "the message doesn't say which step differs"),
    ("lengths not compared", {"zip(a.options[\"shape\"], b.options[\"shape\"], strict=True)": "zip(a.options[\"shape\"], b.options[\"shape\"])"}, "shapes with different numbers of axes are accepted; `zip` stops at the shorter one, unless you pass `strict=True`"),
)
# fmt: on

# ---- 22.5

writing = Exercise(
    "22.5",
    title="A file that two programs agree on",
    takes=("export",),
    minutes=25,
    writes=("Graph", "export"),
    hints=(
        "`to_onnx` only translates `self.nodes` and `self.initializers`, item by item. In `export`, what's the last thing to happen?",
        "`helper.make_node(operator, inputs, [name], name, **attributes)` for each node. An array is needed if a node's `.input` has its name. `export` runs the model twice, adds each step of `merged(first, second)` to a `Graph`, and asks the runtime before it writes.",
        '`session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])`, then `[found] = session.run(None, {"x": run.x.numpy()})` for both runs, and `np.allclose(found, run.output.detach().numpy(), rtol=1e-3, atol=1e-4)`. After that, `Path(path).write_bytes(content)`.',
    ),
)
_E = "export({}, x, other, file); "
writing.compare_uses(
    "the file computes what the model computes, for any number of rows",
    uses(
        *(_E.format(model) + "ran(file, third)" for model in ("net()", "own(lambda x: x)", "own(lambda x: x.reshape(len(x), 2, 2))", "own(lambda x: x.flatten(1).softmax(1))", "own(lambda x: (x.sigmoid() + x).tanh() - x)")),
        "m = net(); export(m, x, other, file); m.scale.data.fill_(0); ran(file, third)",
        "export(own(lambda x: x + 1), x.double(), other.double(), file); ran(file, third.double())",
        "m = own(lambda x: m.scale); m.scale = nn.Parameter(tensor([2.0])); export(m, x, other, file); ran(file, third)",
        "export(net(), x, other, str(file)); ran(file, x)",
        "[export(net(), x, other, file), there()]",
        "m = net(); export(m, x, other, file); modes(m)",
        "file.write_text('old'); export(nn.ReLU(), x, other, file); ran(file, x)",
    ),
)  # fmt: skip
writing.compare_uses(
    "its input is x, its output is y, and the first axis has a name",
    uses(
        _E.format("net()") + "ends(file)",
        _E.format("own(lambda x: x.reshape(len(x), 2, 2))") + "ends(file)",
        "export(own(lambda x: x + 1), x.double(), other.double(), file); ends(file)",
        _E.format("net()") + "stored(file)",
        _E.format("own(lambda x: x.tanh() * 2)") + "operators(file)",
        "m = net(); m.spare = nn.Parameter(tensor([1.0])); m.head.bias = None; export(m, x, other, file); stored(file)",
        "export(net().body, x, other, file); stored(file)",
    ),
)
writing.compare_uses(
    "on a difference, nothing is written",
    uses(
        *(f"[tried(lambda: export({model}, x, other, file)), there()]" for model in ("nn.GELU()", "failing()", "own(lambda x: x * len(x))", "own(lambda x: x.reshape(2, 4))", "own(lambda x: x * nbmodule.rand(4))", "own(lambda x: x * 2 if x.sum() > -3 else -x)")),
        "[tried(lambda: wrongly(lambda: export(nn.ReLU(), x, other, file), relu='Abs')), there()]",
        "tried(lambda: wrongly(lambda: export(nn.ReLU(), x, other, file), relu='Identity'))",
        "tried(lambda: wrongly(lambda: export(nn.ReLU(), x / 1000, other / 1000, file), relu='Abs'))",
        "a = tensor([[1.0, -1.0]]); tried(lambda: wrongly(lambda: export(own(lambda x: -x), a, a * 2, file), neg='Identity'))",
        "a = tensor([[3.0, -1.0]]); tried(lambda: wrongly(lambda: export(nn.ReLU(), a, a * 2, file), relu='Abs'))",
        "tried(lambda: wrongly(lambda: export(nn.ReLU(), x.abs(), other, file), relu='Abs'))",
        "tried(lambda: wrongly(lambda: export(nn.ReLU(), x, other.abs(), file), relu='Abs'))",
        "wrongly(lambda: export(nn.ReLU(), x.abs(), other.abs(), file), relu='Abs'); there()",
        "a, b = nbmodule.full((2, 4), 8.0), nbmodule.full((3, 4), 8.0); wrongly(lambda: export(nn.ReLU(), a, b, file), relu='Softplus'); there()",
        "tried(lambda: wrongly(lambda: export(nn.ReLU(), x, other, file), relu='NoSuchOperator')); there()",
        "tried(lambda: export(own(lambda x: tensor(x.numpy())), x, other, file)); there()",
        "tried(lambda: export(nn.ReLU(), x.short(), other.short(), file)) != 'NoneType', there()",
        "file.write_text('old'); tried(lambda: wrongly(lambda: export(nn.ReLU(), x, other, file), relu='Abs')); file.read_bytes() == b'old'",
    ),
)  # fmt: skip
_BOTH = "for run in (first, second):"
_CLOSE = "if not np.allclose(found, run.output.detach().numpy(), rtol=1e-3, atol=1e-4):"
_SESSION = 'session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])'
_WRITE = "Path(path).write_bytes(content)"
_READ = "if name in read]"
_SHAPE = '["batch", *t.shape[1:]]'
# fmt: off
writing.wrongs(
    ("frozen batch", {_SHAPE: "t.shape"}, "the first axis has the size of the example, although the graph takes any; give the axis a name"),
    ("float32 for all", {"helper.np_dtype_to_tensor_dtype(t.detach().numpy().dtype)": "1"}, "inputs and outputs are declared as float32 whatever their dtype is"),
    ("everything stored", {_READ: "]"}, "weights that no node reads are in the file too"),
    ("nothing compared", {_CLOSE: "if False:"}, "a file with other numbers is written; compare them first"),
    ("one direction", {_CLOSE: "if (found - run.output.detach().numpy()).max() > 1e-3:"}, "numbers that are too small are accepted; the difference has a sign"),
    ("other direction", {_CLOSE: "if (run.output.detach().numpy() - found).max() > 1e-3:"}, "numbers that are too large are accepted; the difference has a sign"),
    ("loose", {_CLOSE: _CLOSE.replace("1e-4", "0.1")}, "small numbers may differ too much; take `rtol=1e-3, atol=1e-4`"),
    ("strict", {_CLOSE: _CLOSE.replace(", rtol=1e-3, atol=1e-4", "")}, "numbers that differ by a rounding error are refused; take `rtol=1e-3, atol=1e-4`"),
    ("means", {_CLOSE: "if abs(found.mean() - run.output.detach().numpy().mean()) > 1e-4:"}, "only the mean is compared; compare every number"),
    ("classes", {_CLOSE: "if (found.argmax(-1) != run.output.detach().numpy().argmax(-1)).any():"}, "only the largest output is compared; compare every number"),
    ("stays in eval", {"first, second = Run(model, x), Run(model, other)": "model.eval()\nfirst, second = Run(model, x), Run(model, other)"}, "the model stays in eval mode"),
    ("appended", {_WRITE: "with Path(path).open('ab') as old:\n        old.write(content)"}, "a file that's there already isn't replaced: the new bytes come after the old ones"),
    ("both runs", {"for step in merged(first, second):": "for step in [*merged(first, second), *second.steps]:"}, "the file has the operations of both runs; add the merged steps only"),
    ("first run only", {_BOTH: "for run in (first,):"}, "only the first run is compared"),
    ("written first", {_SESSION: f"{_WRITE}\n{_SESSION}"}, "the file is written before the numbers are compared"),
    ("one run", {"merged(first, second)": "first.steps"}, "the steps come from one run, so sizes and numbers that depend on the input are frozen; use `merged`"),
    ("same run twice", {"first, second = Run(model, x), Run(model, other)": "first = second = Run(model, x)"}, "the second run uses the same input as the first"),
    ("not written", {_WRITE: "content"}, "nothing is written"),
    ("other names", {'(("x", x), ("y", output))': '(("x", x), ("output", output))', '["y"]': '["output"]'}, "the output is called something else; its name is `y`"),
    ("returned", {_WRITE: "return " + _WRITE}, "`export` returns something; it only writes"),
    ("not loaded", {_SESSION: f"try:\n    {_SESSION}\nexcept Exception:\n    return"}, "if onnxruntime can't load the file, nothing is raised; let the exception pass"),
    ("errors swallowed", {'raise RuntimeError("onnxruntime computes other numbers than the model")': "return"}, "when the numbers differ, nothing is raised; raise a RuntimeError"),
)
# fmt: on
