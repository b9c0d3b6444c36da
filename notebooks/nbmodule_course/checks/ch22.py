"""Chapter 22: a run written down, and names, nodes and rules for it."""

from __future__ import annotations

from ..exercise import Exercise
from .recording import uses

# ---- 22.1

running = Exercise(
    "22.1",
    title="Write down a run",
    takes=("Run",),
    minutes=20,
    writes=("Step", "Run"),
    hints=(
        "Three things have to be listening while the model runs: one function for the operations, and two for each Module. Which of them have to stop listening afterward?",
        "Keep the paths of the Modules that are running in a list. A pre-hook appends its Module's path, a forward hook removes the last one, and a step's path is `self.paths[-1]`. "
        "`observe(self.note)` is for a `with` line, beside `nbmodule.no_grad()`.",
        "`modes = {module: module.training for module in model.modules()}` comes before the `try`, and `module.training = mode` for each of them into the `finally`, beside `handle.remove()`. "
        "`register_forward_hook(leave, always_call=True)` runs `leave` even if the Module raises an error.",
    ),
)
running.compare_uses(
    "each operation is a step, with the path of its Module",
    uses(
        "listed(Run(nn.ReLU(), x))",
        "listed(Run(own(lambda x: x * 2 + 1), x))",
        "listed(Run(own(lambda x: x), x))",
        "listed(Run(net(), x))",
        "listed(Run(deep(), x))",
        "listed(Run(many(), x))",
        "listed(Run(brave(), x))",
        "again = own(lambda x: again(x * 2) if x.max() < 9 else x.tanh()); m = own(lambda x: again(x).exp()); m.again = again; listed(Run(m, x))",
        "listed(Run(nn.Sequential(brave(), nn.Tanh()), x))",
        "m = nn.Tanh(); m.register_forward_hook(lambda module, args, y: y * 2); listed(Run(m, x))",
        "[str(each) for each in Run(net(), x).steps]",
    ),
)
running.compare_uses(
    "steps hold the very tensors of the run",
    uses(
        "m = net(); found = Run(m, x); [found.x is x, found.steps[0].args[1] is x, found.steps[-1].result is found.output]",
        "m = net(); found = Run(m, x); [found.steps[0].args[2] is m.body.weight, found.steps[-1].args[1] is m.shift, found.steps[0].result is found.steps[1].args[0]]",
        "m = net(); Run(m, x).output.tolist() == m.eval()(x).tolist()",
        "Run(own(lambda x: x.flatten()), x).steps[0].options",
        "Run(net(), x).output.requires_grad",
        "m = nn.BatchNorm1d(4); Run(m, x); m.running_mean.tolist()",
    ),
)
running.compare_uses(
    "the model is left as it was, even after an error",
    uses(
        "m = net(); Run(m, x); modes(m)",
        "m = net().eval(); Run(m, x); modes(m)",
        "m = net(); m.drop.eval(); Run(m, x); modes(m)",
        "m = net().eval(); m.drop.train(); Run(m, x); modes(m)",
        "m = net(); Run(m, x); hooks(m)",
        "m = net(); m.body.register_forward_hook(lambda *_: None); m.register_forward_pre_hook(lambda *_: None); Run(m, x); hooks(m)",
        "m = failing(); tried(lambda: Run(m, x))",
        "m = failing(); m.fine.eval(); tried(lambda: Run(m, x)); [modes(m), hooks(m)]",
        "m = net(); found = Run(m, x); count = len(found.steps); m(x); len(found.steps) - count",
        "m = net(); Run(m, x); nbmodule.is_grad_enabled()",
        "Run(net(), x); x.requires_grad",
        "x.requires_grad_(); Run(net(), x); x.requires_grad",
        "m = net(); Run(m, x); [each.requires_grad for each in m.parameters()]",
        "tried(lambda: Run(failing(), x)); nbmodule.is_grad_enabled()",
        "nbmodule.set_grad_enabled(False); Run(net(), x); nbmodule.is_grad_enabled()",
        "calls, m = [], net(); m.register_forward_hook(lambda *_: calls.append(1)); Run(m, x); len(calls)",
        "t = nn.Tanh(); m = nn.Sequential(t, nn.Sequential(t)); t.eval(); Run(m, x); modes(m)",
        "events = []; Loud = type('Loud', (Run,), {'note': lambda self, event: events.append(event)}); tried(lambda: Loud(failing(), x)); count = len(events); x.exp(); len(events) - count",
    ),
)
_STEP = "step = Step(self.paths[-1], event.name, event.args, event.options, event.result)"
_MODES = "modes = {module: module.training for module in model.modules()}"
_BACK = "for module, mode in modes.items():\n                module.training = mode"
_OFF = "for handle in handles:\n                handle.remove()"
_RUNS = "with nbmodule.no_grad(), observe(self.note):\n                self.output = model(x)"
_LEAVE = "module.register_forward_hook(leave, always_call=True)"
# fmt: off
running.wrongs(
    ("no paths", {_STEP: _STEP.replace("self.paths[-1]", '""')}, "every step has an empty path; it should be the path of the Module whose `forward` is running"),
    ("never leaves", {"self.paths.pop()": "pass"}, "after a layer has finished, later operations still get its path; remove the path in a forward hook"),
    ("the outermost", {_STEP: _STEP.replace("self.paths[-1]", "self.paths[0]")}, "every step has an empty path; it should be the path of the Module whose `forward` is running"),
    ("class names", {"self.paths.append(path)": "self.paths.append(type(module).__name__)"}, "the path of a step is the name of a class; use the path that `named_modules` gives"),
    ("failed ones too", {"if event.error is None:": "if True:"}, "an operation that failed is in the list; test `event.error`"),
    ("lost after an error", {_LEAVE: "module.register_forward_hook(leave)"}, "when a Module raises an error and its caller catches it, the path isn't removed; pass `always_call=True`"),
    ("a copy", {"self.output = model(x)": "self.output = __import__('copy').deepcopy(model)(x)"}, "a copy of the model runs, so its Parameters aren't the model's; run the model itself"),
    ("training mode", {"model.eval()\n": "pass\n"}, "the model runs in the mode that it happens to be in, so Dropout and BatchNorm may behave as in training; call `model.eval()` first"),
    ("stays in eval", {_BACK: "pass"}, "the model stays in eval mode"),
    ("all to train", {_BACK: "model.train()"}, "afterward, every Module is in training mode; give each one the mode that it had"),
    ("the root's mode", {_BACK: "model.train(modes[model])"}, "afterward, every Module has the mode of the outermost one; give each one its own"),
    ("parents by name", {"self.paths.append(path)": "self.paths[:] = [path]", "self.paths.pop()": "self.paths[:] = [path.rpartition('.')[0]]"}, "after a layer of a ModuleList, the path is that of the list, which has no `forward`; go back to the path before"),
    ("one path before", {"self.paths.append(path)": "enter.before, self.paths[:] = self.paths[-1], [path]", "self.paths.pop()": "self.paths[:] = [enter.before]"}, "after a Module that calls itself, its path stays; keep a list of the paths, with one for each call"),
    ("nothing after an error", {"finally:": "except ZeroDivisionError:\n    pass\nelse:"}, "after an error, the model keeps the hooks and the modes of the run; restore both in a `finally`"),
    ("train on each", {_BACK: "for module, mode in modes.items():\n                module.train(mode)"}, "`module.train(mode)` also sets the Modules inside, which may have their own mode again already; set `module.training`"),
    ("no_grad by hand", {_RUNS: "nbmodule.set_grad_enabled(False)\nwith observe(self.note):\n    self.output = model(x)\nnbmodule.set_grad_enabled(True)"}, "gradients aren't switched back as they were; `with nbmodule.no_grad():` does that, even after an error"),
    ("frozen", {_RUNS: "model.requires_grad_(False)\nwith observe(self.note):\n    self.output = model(x)"}, "afterward, the Parameters don't require gradients any more; use `no_grad`"),
    ("called twice", {_RUNS: "model(x)\n" + _RUNS}, "the model is called twice"),
    ("still observed", {_RUNS: "observe(self.note).__enter__()\nwith nbmodule.no_grad():\n    self.output = model(x)"}, "operations after the run are still noted; use `observe` in a `with` line"),
    ("hooks stay", {_OFF: "pass"}, "the hooks stay on the model; remove them"),
    ("all hooks removed", {_OFF: "for module in modes:\n                module._forward_hooks.clear()\n                module._forward_pre_hooks.clear()"}, "hooks that were there before are removed too; remove only your own"),
    ("forward", {"self.output = model(x)": "self.output = model.forward(x)"}, "`forward` is called directly, so the hooks of the outermost Module don't run; call the model"),
    ("graph recorded", {"with nbmodule.no_grad(), observe(self.note):": "with observe(self.note):"}, "the run records a graph for `backward`; use `no_grad`"),
    ("output not kept", {"self.output = model(x)": "self.output = model(x).clone()"}, "the output isn't the result of the last step of the model; keep the very tensor that the model returned"),
)
# fmt: on

# ---- 22.2

naming = Exercise(
    "22.2",
    title="A name for everything",
    takes=("Graph",),
    minutes=22,
    writes=("Graph",),
    hints=(
        "A node reads names, but a step has tensors. How do you recognize the same tensor again, later in the run?",
        "`self.names` goes from `id(tensor)` to a name. `add` asks `rule` for the operator, asks `name_of` for each input, and gives the result a name that no other value has, for example one with `len(self.nodes)` in it.",
        'In `rule`: `getattr(self, f"rule_{step.name}", None)` finds the method. In `name_of`: `np.asarray(value, dtype)` for an `int` or a `float`, and `np.asarray(value)` for anything else.',
    ),
)
_G = "g = Graph(nn.ReLU(), x); "
_M = "m = net(); g = Graph(m, x); "
naming.compare_uses(
    "a node reads what earlier nodes have made",
    uses(
        _G + "shown(g)",
        _G + "g.add(step('relu', x)); shown(g)",
        _G + "a = step('relu', x); g.add(a); g.add(step('tanh', a.result)); shown(g)",
        _G
        + "a = step('exp', x); b = step('exp', x); g.add(a); g.add(b); g.add(step('sub', b.result, a.result)); shown(g)",
        _G
        + "a = step('relu', x, path='body'); b = step('relu', a.result, path='body'); g.add(a); g.add(b); g.add(step('add', a.result, b.result)); shown(g)",
        _G + "g.add(step('mul', x, x)); shown(g)",
        _G + "a = step('add', x, x); g.add(a); g.add(step('mm', x, a.result)); shown(g)",
    ),
)
naming.compare_uses(
    "Parameters and buffers have the names of the model's state",
    uses(
        _M + "g.add(step('mul', x, m.scale)); shown(g)",
        _M + "g.add(step('add', m.shift, x)); shown(g)",
        _M + "g.add(step('mm', x, m.head.weight)); shown(g)",
        _M + "g.add(step('add', m.scale, m.scale)); shown(g)",
        "m = net(); m.register_buffer('mask', tensor([1.0]), persistent=False); 'mask' in Graph(m, x).initializers",
        "m = net(); m.scale.requires_grad_(False); 'scale' in Graph(m, x).initializers",
        _M + "[isinstance(each, np.ndarray) for each in g.initializers.values()]",
        _M + "a = step('neg', m.scale); g.add(a); g.add(step('mul', a.result, m.scale)); shown(g)",
    ),
)
naming.compare_uses(
    "everything else is a constant",
    uses(
        _G + "g.add(step('mul', x, 2)); shown(g)",
        _G + "g.add(step('sub', 0.5, x)); shown(g)",
        _G + "g.add(step('add', x.double(), 1)); shown(g)",
        _G + "a = step('mul', x, 2); b = step('mul', x.double(), 2); g.add(a); g.add(b); shown(g)",
        _G + "g.add(step('mul', x, tensor([1.0, 2.0, 3.0, 4.0]))); shown(g)",
        _G + "g.add(step('mul', x, tensor([1, 2, 3, 4]))); shown(g)",
        _G + "g.add(step('add', x, np.ones(4))); shown(g)",
        _G + "g.add(step('add', x, 1)); g.add(step('add', x, 2)); shown(g)",
        _G + "g.add(step('add', x.clone(), 1)); shown(g)",
    ),
)
naming.compare_uses(
    "a step without a rule is refused, and a rule may be a method",
    uses(
        _G + "tried(lambda: g.add(step('sort', x)))",
        _G + "names(lambda: g.add(step('sort', x, path='head')), 'sort', 'head')",
        _G + "tried(lambda: g.add(step('sort', x, 7))); shown(g)",
        _G + "before = dict(g.names); tried(lambda: g.add(step('sort', x, 7))); g.names == before",
        "Own = type('Own', (Graph,), {'rule_sort': lambda self, step: ('Sort', [step.args[0], 3], {'axis': 1})}); g = Own(nn.ReLU(), x); a = step('sort', x, 7); g.add(a); g.add(step('relu', a.result)); shown(g)",
        "Own = type('Own', (Graph,), {'SAME': {'sort': 'Sort'}}); g = Own(nn.ReLU(), x); g.add(step('sort', x)); shown(g)",
        _G
        + "operator, inputs, attributes = g.rule(step('add', x, 2)); [operator, inputs[0] is x, inputs[1], attributes]",
    ),
)
_NAMED = "if id(value) in self.names:"
_NUMBER = "dtype if isinstance(value, int | float) else None"
_NAME = 'name = f"{step.path}/{step.name}_{len(self.nodes)}"'
_CONSTANT = 'name = f"constant_{len(self.initializers)}"'
_REFUSE = 'raise NotImplementedError(f"no rule for {step}")'
_KEEP = "self.names[id(step.result)] = name"
# fmt: off
naming.wrongs(
    ("result not named", {_KEEP: "pass"}, "a result gets no name, so later nodes read it as a constant; store its name under `id(step.result)`"),
    ("one name for all", {_NAME: 'name = f"{step.path}/{step.name}"'}, "two operations of the same kind in the same layer get the same name; add a number"),
    ("a constant's name taken", {_CONSTANT: 'name = "constant"'}, "a second constant takes the place of the first; give each its own name"),
    ("float32 for all", {_NUMBER: "'float32'"}, "every constant becomes float32; only Python numbers take on another dtype, that of the result"),
    ("float32 for numbers", {_NUMBER: "'float32' if isinstance(value, int | float) else None"}, "a Python number always becomes float32; give it the dtype of the result"),
    ("NumPy's own dtype", {_NUMBER: "None"}, "a Python number becomes float64 or int64; ONNX doesn't mix dtypes, so give it the dtype of the result"),
    ("dtype for all", {_NUMBER: "dtype"}, "tensors and arrays are cast to the dtype of the result; only Python numbers should be"),
    ("numbers by identity", {_CONSTANT: _CONSTANT + "\nself.names[id(value)] = name"}, "a constant is found again by its identity; the same Python number can be needed in two dtypes"),
    ("no buffers", {"[*model.named_parameters(), *model.named_buffers()]": "model.named_parameters()"}, "buffers have no name, so they're read as constants"),
    ("no Parameters", {"[*model.named_parameters(), *model.named_buffers()]": "model.named_buffers()"}, "Parameters have no name, so they're read as constants"),
    ("tensors", {"self.initializers[name] = own.detach().numpy()": "self.initializers[name] = own.detach()"}, "the values of `initializers` are tensors; store arrays"),
    ("state_dict", {"self.names[id(own)] = name": "if name not in model.state_dict():\n    continue\nself.names[id(own)] = name"}, "a buffer that isn't persistent is left out, but the model computes with it too"),
    ("ids of copies", {"[*model.named_parameters(), *model.named_buffers()]": 'self.__dict__.setdefault("kept", model.state_dict()).items()'}, "Parameters and buffers have no name. `state_dict()` returns new tensors, and their ids aren't those that the steps hold"),
    ("frozen left out", {"*model.named_parameters()": "*((n, p) for n, p in model.named_parameters() if p.requires_grad)"}, "a Parameter that doesn't require gradients is left out"),
    ("last part of the name", {"self.names[id(own)] = name": "self.names[id(own)] = name = name.rpartition('.')[2]"}, "Parameters of layers lose their path; two layers may both have a `weight`"),
    ("input not named", {'self.nodes, self.initializers, self.names = [], {}, {id(x): "x"}': "self.nodes, self.initializers, self.names = [], {}, {}"}, "the input is read as a constant; its name is `x`"),
    ("skipped", {_REFUSE: 'return "Identity", step.args[:1], {}'}, "a step without a rule is passed over in silence; raise a NotImplementedError"),
    ("half an entry", {'operator, inputs, attributes = self.rule(step)': 'self.nodes.append(("", [], "", {}))\noperator, inputs, attributes = self.rule(step)\nself.nodes.pop()'}, "after a refused step, something is left in `nodes`; call `rule` first"),
    ("named too early", {"operator, inputs, attributes = self.rule(step)": 'self.names[id(step.result)] = "early"\noperator, inputs, attributes = self.rule(step)'}, "the result of a refused step has a name, although no node makes it; call `rule` first"),
    ("KeyError", {_REFUSE: "raise KeyError(str(step))"}, "a step without a rule raises a KeyError; raise a NotImplementedError"),
    ("no path in the message", {_REFUSE: 'raise NotImplementedError(f"no rule for {step.name}")'}, "the message doesn't name the layer; `{step}` gives the operation and the path"),
    ("attributes lost", {"self.nodes.append((operator, names, name, attributes))": "self.nodes.append((operator, names, name, {}))"}, "the attributes that a rule returns are lost"),
    ("all arguments", {"for value in inputs]": "for value in step.args]"}, "a node reads the step's arguments; it should read the inputs that the rule returns"),
    ("rules first lost", {'method = getattr(self, f"rule_{step.name}", None)': "method = None"}, "methods named `rule_…` are never called"),
)
# fmt: on

# ---- 22.3

ruling = Exercise(
    "22.3",
    title="A rule for each operation",
    takes=("Graph",),
    minutes=15,
    writes=("Graph",),
    keeps=("22.2",),
    hints=(
        "Print `step.args` and `step.options` for one layer of each kind. Which of ONNX' inputs and attributes are already there, and in which order?",
        "`linear` has the bias first. Reshape's second input is an array: `np.array(step.options[\"shape\"])`. Conv's `pads` lists the beginnings of all axes and then their ends.",
        '`return "Gemm", [x, weight, bias], {"transB": 1}` for `bias, x, weight = step.args`. For Conv: `[value for value in step.args if value is not None]`, and `"pads": 2 * step.options["padding"]`.',
    ),
)
_OF = "g = Graph(nn.ReLU(), x); [g.add(each) for each in steps_of({}, {})]; shown(g)"
_IMAGES = "nbmodule.ones(1, 4, 5, 6)"
ruling.compare_uses(
    "a Linear layer is one node",
    uses(
        "m = net(); g = Graph(m, x); [g.add(each) for each in steps_of(m.body, x)]; shown(g)",
        "m = net(); m.body.bias = None; g = Graph(m, x); [g.add(each) for each in steps_of(m.body, x)]; shown(g)",
    ),
)
ruling.compare_uses(
    "axes and shapes",
    uses(
        *(_OF.format(f"own(lambda x: {text})", "x") for text in ("x.T", "x.reshape(4, 2)", "x.flatten()", "x.unsqueeze(1)", "x.softmax(0)", "x.softmax(1)")),
        *(_OF.format(f"own(lambda x: x.permute({dims}))", "nbmodule.ones(2, 3, 4)") for dims in ("2, 0, 1", "0, 2, 1")),
        "g = Graph(nn.ReLU(), x); g.add(step('reshape', x, shape=(-1, 8))); shown(g)",
        "g = Graph(nn.ReLU(), x); hasattr(g.rule(step('reshape', x, shape=[4, 2]))[1][1], 'dtype')",
    ),
)  # fmt: skip
ruling.compare_uses(
    "a convolution with all its options",
    uses(
        *(
            f"m = nn.Conv{2 if _IMAGES in images else 1}d({options}); m.weight.data.fill_(1); g = Graph(m, x); [g.add(each) for each in steps_of(m, {images})]; [(operator, len(inputs), inputs[1:]) for operator, inputs, _, _ in g.nodes] + [each[2] for each in shown(g)]"
            for images, options in (
                (_IMAGES, "4, 2, 3"),
                (_IMAGES, "4, 2, 3, bias=False"),
                (_IMAGES, "4, 2, (2, 3)"),
                (_IMAGES, "4, 2, 3, stride=(2, 1)"),
                (_IMAGES, "4, 2, 3, padding=(1, 2)"),
                (_IMAGES, "4, 2, 2, dilation=(1, 2)"),
                (_IMAGES, "4, 2, 3, groups=2"),
                ("nbmodule.ones(1, 4, 6)", "4, 2, 3, padding=1"),
            )
        ),
    ),
)
_GEMM = 'return "Gemm", [x, weight, bias], {"transB": 1}'
_PADS = '"pads": 2 * options["padding"]'
# fmt: off
ruling.wrongs(
    ("bias first", {_GEMM: 'return "Gemm", step.args, {"transB": 1}'}, "Gemm gets the bias first; its inputs are x, weight and bias"),
    ("not transposed", {_GEMM: 'return "Gemm", [x, weight, bias], {}'}, "the weight isn't transposed; it has the shape (out, in), so set `transB`"),
    ("transposed in Python", {_GEMM: 'return "Gemm", [x, weight.T, bias], {}'}, "`weight.T` is a new tensor, which has no name in the graph; give Gemm the weight itself and `transB`"),
    ("transA", {_GEMM: 'return "Gemm", [x, weight, bias], {"transA": 1}'}, "`transA` transposes x; the weight is the second input, so set `transB`"),
    ("bias forgotten", {_GEMM: 'return "Gemm", [x, weight], {"transB": 1}'}, "the bias is left out"),
    ("MatMul", {'return "Gemm", step.args, {"transB": 1}': 'return "MatMul", step.args, {}'}, "without a bias, the weight is multiplied as it is; it has the shape (out, in), so use Gemm with `transB` here too"),
    ("shape as an attribute", {'return "Reshape", [*step.args, np.array(step.options["shape"])], {}': 'return "Reshape", step.args, {"shape": step.options["shape"]}'}, "the shape is an attribute; since version 5, Reshape takes it as its second input"),
    ("a list", {'np.array(step.options["shape"])': 'step.options["shape"]'}, "the shape is a list of Python numbers; make it an array"),
    ("shape of the result", {'np.array(step.options["shape"])': 'np.array(step.result.shape)'}, "the shape comes from the result, so a -1 in `options` is lost"),
    ("no perm", {'{"perm": step.options["dims"]}': "{}"}, "without `perm`, Transpose reverses all axes"),
    ("default axis", {'{"axis": step.options["axis"]}': "{}"}, "without `axis`, Softmax takes the last one"),
    ("pads once", {_PADS: '"pads": options["padding"]'}, "`pads` has one number for each axis; it needs two, first the beginnings of all axes and then their ends"),
    ("pads in pairs", {_PADS: '"pads": [n for n in options["padding"] for _ in (0, 1)]'}, "`pads` lists beginning and end of each axis in turn; ONNX wants the beginnings of all axes, and then the ends"),
    ("two axes", {_PADS: '"pads": [options["padding"][0], options["padding"][1]] * 2'}, "`pads` is written for two axes, but a Conv1d has one; take the whole `padding` twice"),
    ("no pads", {_PADS + ",": ""}, "the padding is left out"),
    ("no stride", {'"strides": options["stride"],': ""}, "the stride is left out"),
    ("no dilation", {'"dilations": options["dilation"],': ""}, "the dilation is left out"),
    ("no groups", {'"group": options["groups"],': ""}, "the groups are left out"),
    ("bias None", {"[value for value in step.args if value is not None]": "step.args"}, "without a bias, Conv still gets a third input; leave out an argument that's None"),
)
# fmt: on
