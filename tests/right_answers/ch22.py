"""Right answers to the exercises of chapter 22."""

from __future__ import annotations

_STEP = r"""
@mine.extend
class Step:
    def __init__(self, path, name, args, options, result):
        self.path, self.name = path, name
        self.args, self.options, self.result = args, options, result

    def __repr__(self):
        return f"{self.name} in {self.path or 'the model itself'}"
"""

RIGHT = {
    "22.1": [
        # an ExitStack takes everything back; one variable for the path, and each hook keeps the one before
        _STEP
        + r"""
@mine.extend
class Run:
    def follow(self, path, module):
        before = []

        def enter(module, args):
            before.append(self.path)
            self.path = path

        def leave(module, args, output):
            self.path = before.pop()

        return [
            module.register_forward_pre_hook(enter, prepend=True),
            module.register_forward_hook(leave, always_call=True),
        ]

    def __init__(self, model, x):
        import contextlib

        self.path, self.x, self.steps = "", x, []
        with contextlib.ExitStack() as stack:
            for path, module in model.named_modules():
                stack.callback(setattr, module, "training", module.training)
                for handle in self.follow(path, module):
                    stack.callback(handle.remove)
                module.training = False
            stack.enter_context(nbmodule.inference_mode())
            stack.enter_context(observe(self.note))
            self.output = model(x)

    def note(self, event):
        if event.error is not None:
            return
        self.steps += [Step(self.path, event.name, event.args, event.options, event.result)]
""",
        # the events first, each with its path, and the Steps at the end
        _STEP
        + r"""
@mine.extend
class Run:
    def follow(self, path, module):
        return [
            module.register_forward_pre_hook(lambda *_: self.where.append(path)),
            module.register_forward_hook(lambda *_: self.where.__delitem__(-1), always_call=True),
        ]

    def note(self, event):
        self.events.append((self.where[-1] if self.where else "", event))

    def __init__(self, model, x):
        self.x, self.where, self.events = x, [], []
        switched = [m for m in model.modules() if m.training]
        handles = [h for p, m in model.named_modules() for h in self.follow(p, m)]
        try:
            with observe(self.note):
                with nbmodule.no_grad():
                    self.output = model.eval()(x)
        finally:
            [handle.remove() for handle in handles]
            for m in switched:
                m.training = True
        self.steps = [
            Step(path, e.name, e.args, e.options, e.result) for path, e in self.events if e.error is None
        ]
""",
    ],
    "22.2": [
        # names are counted, weights become initializers when they are read, and tensors are kept with their names
        r"""
@mine.extend
class Graph:
    SAME = {
        "add": "Add", "sub": "Sub", "mul": "Mul", "div": "Div", "neg": "Neg", "mm": "MatMul",
        "sqrt": "Sqrt", "exp": "Exp", "relu": "Relu", "sigmoid": "Sigmoid", "tanh": "Tanh",
    }

    def __init__(self, model, x):
        self.nodes = []
        self.names = {id(x): "x"}
        self.kept = [x]
        self.initializers = dict(map(self.own, model.named_parameters()))
        self.initializers.update(map(self.own, model.named_buffers()))

    def own(self, pair):
        name, tensor = pair
        self.kept.append(tensor)
        self.names[id(tensor)] = name
        return name, tensor.detach().numpy().copy()

    def name_of(self, value, dtype):
        try:
            return self.names[id(value)]
        except KeyError:
            pass
        if isinstance(value, nbmodule.Tensor):
            array = value.detach().numpy()
        elif isinstance(value, np.ndarray):
            array = value
        else:
            array = np.array(value, dtype=dtype)
        name = "constant" + "_" * len(self.initializers)
        self.initializers[name] = array
        return name

    def rule(self, step):
        operator = self.SAME.get(step.name)
        if operator:
            return operator, list(step.args), dict()
        if not hasattr(self, "rule_" + step.name):
            raise NotImplementedError(str(step))
        return getattr(self, "rule_" + step.name)(step)

    def add(self, step):
        operator, inputs, attributes = self.rule(step)
        self.kept.append(step)
        inputs = [self.name_of(i, step.result.detach().numpy().dtype) for i in inputs]
        result = f"value {len(self.kept)}"
        self.nodes += [(operator, inputs, result, attributes)]
        self.names[id(step.result)] = result
""",
    ],
    "22.3": [
        # lambdas, defaults left out, lists in place of tuples, an axis counted from the end
        r"""
@mine.extend
class Graph:
    def gemm(self, x, weight, *bias):
        return "Gemm", [x, weight, *bias], dict(transB=True)

    def rule_linear(self, step):
        return self.gemm(*step.args[1:], step.args[0])

    def rule_linear_without_bias(self, step):
        return self.gemm(*step.args)

    def rule_permute(self, step):
        (x,) = step.args
        return "Transpose", (x,), {"perm": [*step.options["dims"]]}

    def rule_softmax(self, step):
        return "Softmax", [step.args[0]], {"axis": step.options["axis"] - step.result.ndim}

    def rule_reshape(self, step):
        (x,) = step.args
        return "Reshape", (x, np.asarray(step.options["shape"], dtype="int64")), {}

    def rule_conv(self, step):
        x, weight, *bias = step.args
        o = step.options
        pads = [*o["padding"], *o["padding"]]
        return (
            "Conv",
            [x, weight] + [b for b in bias if b is not None],
            dict(
                strides=list(o["stride"]), dilations=list(o["dilation"]), pads=pads, group=o["groups"],
                kernel_shape=weight.shape[2:], auto_pad="NOTSET",
            ),
        )
""",
    ],
    "22.4": [
        # a function inside, `any`, an exception of the strict zip
        r"""
@mine.extend
def merged(first, second):
    known = [first.x]

    def fine(a, b):
        return a is b or any(a is each for each in known) or np.array_equal(np.asarray(a), np.asarray(b))

    def sizes(step, a, b):
        shape = tuple(n if n == m else -1 for n, m in zip(a, b, strict=True))
        if sum(n != m for n, m in zip(a, b)) >= 2:
            raise ValueError(f"{step}: too many sizes differ")
        return shape

    steps = []
    for one, two in zip(first.steps, second.steps, strict=True):
        if repr(one) != repr(two):
            raise ValueError(f"{one}, but {two} in the second run")
        for a, b in zip(one.args, two.args, strict=True):
            if not fine(a, b):
                raise ValueError(f"{one}: an argument differs")
        known.append(one.result)
        options = {
            key: sizes(one, value, two.options[key]) if key == "shape" else value
            for key, value in one.options.items()
        }
        steps.append(Step(one.path, one.name, one.args, options, one.result))
    return steps
""",
        # stricter: what stands for a computed value in the other run has to be its counterpart
        r"""
@mine.extend
def merged(first, second):
    if [(s.name, s.path) for s in first.steps] != [(s.name, s.path) for s in second.steps]:
        raise ValueError("the two runs did different things")
    pairs = {id(first.x): id(second.x)}
    steps = []
    for one, two in zip(first.steps, second.steps):
        if len(one.args) != len(two.args):
            raise ValueError(f"{one}: more arguments in one run")
        for a, b in zip(one.args, two.args):
            if not (a is b or pairs.get(id(a), 0) == id(b) or np.array_equal(a, b)):
                raise ValueError(f"{one}: an argument differs")
        options = dict(one.options)
        if "shape" in options:
            ours, theirs = one.options["shape"], two.options["shape"]
            if len(ours) != len(theirs):
                raise ValueError(f"{one}: {ours} and {theirs}")
            shape = [n if n == m else -1 for n, m in zip(ours, theirs)]
            if shape.count(-1) > 1:
                raise ValueError(f"{one}: {ours} and {theirs}")
            options["shape"] = tuple(shape)
        steps.append(Step(one.path, one.name, one.args, options, one.result))
        pairs[id(one.result)] = id(two.result)
    return steps
""",
    ],
    "22.5": [
        # written in steps, with a plain loop; the comparison as a difference
        r"""
@mine.extend
class Graph:
    def to_onnx(self, x, output):
        from onnx import checker, helper, numpy_helper

        last = self.name_of(output, None)
        nodes, used = [], {last}
        for operator, inputs, name, attributes in self.nodes:
            nodes.append(helper.make_node(operator, inputs, [name], name, **attributes))
            used |= set(inputs)
        nodes.append(helper.make_node("Identity", [last], ["y"]))
        weights = []
        for name in self.initializers:
            if name in used:
                weights.append(numpy_helper.from_array(self.initializers[name], name))

        def end(name, t):
            kind = helper.np_dtype_to_tensor_dtype(t.detach().numpy().dtype)
            return helper.make_tensor_value_info(name, kind, ["batch"] + list(t.shape)[1:])

        ends = [end("x", x), end("y", output)]
        graph = helper.make_graph(nodes, "model", ends[:1], ends[1:], weights)
        opset = helper.make_opsetid("", 18)  # the version of the operators
        made = helper.make_model(graph, opset_imports=[opset], ir_version=8)
        checker.check_model(made, full_check=True)
        return made


@mine.extend
def export(model, x, other, path):
    import onnxruntime

    runs = Run(model, x), Run(model, other)
    graph = Graph(model, x)
    [graph.add(step) for step in merged(*runs)]
    content = graph.to_onnx(x, runs[0].output).SerializeToString()
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    for run in runs:
        found = session.run(["y"], {"x": run.x.numpy()})[0]
        wanted = run.output.detach().numpy()
        if found.shape != wanted.shape or np.abs(found - wanted).max() > 1e-3:
            raise RuntimeError("they differ")
    with open(path, "wb") as file:
        file.write(content)
""",
    ],
}
