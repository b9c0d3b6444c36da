"""Questions about a tree of Modules: registering, listing, walking, containers and modes."""

from __future__ import annotations

from .questions import question as q

# fmt: off
QUESTIONS = (
    q("register-parameter", "05.1", "`register_parameter` stores a Parameter or None", """
    m = Module()
    m.register_parameter("w", Parameter(ones(1)))
    m.register_parameter("bias", None)
    list(m._parameters), m.bias
    """, "(['w', 'bias'], None)"),
    q("parameter-names", "05.1", "`register_parameter` refuses names that can't work", """
    m, w = Net(), Parameter(ones(1))
    names = ("", "a.b", "size", "leaf", "forward")
    said = [refused(KeyError, lambda: m.register_parameter(name, w)) for name in names]
    said, refused(TypeError, lambda: m.register_parameter(3, w))
    """, "(['KeyError', 'KeyError', 'KeyError', 'KeyError', 'KeyError'], 'TypeError')", "register-parameter"),
    q("parameter-values", "05.1", "`register_parameter` refuses a tensor that is no Parameter", """
    m = Module()
    [refused(TypeError, lambda: m.register_parameter("w", value)) for value in (ones(1), 5)], list(m._parameters)
    """, "(['TypeError', 'TypeError'], [])", "register-parameter"),
    q("parameter-leaf", "05.1", "`register_parameter` refuses a Parameter that was computed", """
    m, w = Module(), Parameter(ones(1), requires_grad=False)
    w.mul_(ones(1).requires_grad_())
    refused(ValueError, lambda: m.register_parameter("w", w)), list(m._parameters)
    """, "('ValueError', [])", "register-parameter"),
    q("register-buffer", "05.2", "`register_buffer` stores a tensor or None, and refuses other values", """
    m = Module()
    m.register_buffer("mean", ones(1))
    m.register_buffer("mask", None)
    list(m._buffers), refused(TypeError, lambda: m.register_buffer("b", 5))
    """, "(['mean', 'mask'], 'TypeError')"),
    q("buffer-names", "05.2", "`register_buffer` refuses names that can't work", """
    m = Net()
    [refused(KeyError, lambda: m.register_buffer(name, ones(1))) for name in ("", "a.b", "size", "w")]
    """, "['KeyError', 'KeyError', 'KeyError', 'KeyError']", "register-buffer"),
    q("parameters", "05.3", "`named_parameters` lists its own Parameters and those below, with their paths", """
    m = Net()
    m._parameters["bias"] = None
    paths = [path for path, _ in m.named_parameters()]
    values = [value.tolist() for value in m.parameters()]
    paths, values
    """, "(['w', 'leaf.v'], [[1.0, 1.0], [1.0, 1.0, 1.0]])"),
    q("parameter-options", "05.3", "`prefix` comes before every path, and `recurse=False` stays at the top", """
    m = Net()
    [path for path, _ in m.named_parameters("net")], [path for path, _ in m.named_parameters(recurse=False)]
    """, "(['net.w', 'net.leaf.v'], ['w'])", "parameters"),
    q("shared", "05.4", "a Parameter with two names is listed once, unless you ask for every name", """
    m = Net()
    m.again, m.tied = m.leaf, m.w
    once = [path for path, _ in m.named_parameters()]
    every = [path for path, _ in m.named_parameters(remove_duplicate=False)]
    once, every, len(list(m.parameters()))
    """, "(['w', 'leaf.v'], ['w', 'tied', 'leaf.v', 'again.v'], 2)", "parameters"),
    q("buffers", "05.5", "`named_buffers` lists buffers, saved or not", """
    m = Net()
    m.leaf.register_buffer("mean", zeros(1))
    m.register_buffer("mask", ones(1), persistent=False)
    [path for path, _ in m.named_buffers()], [buffer.tolist() for buffer in m.buffers()]
    """, "(['mask', 'leaf.mean'], [[1.0], [0.0]])", "register-buffer parameters"),
    q("linear", "06.2", "your linear layer computes with weights of shape (out, in), and can have no bias", """
    fc = Linear(3, 2)
    with no_grad():
        fc.weight.fill_(2)
        fc.bias.fill_(1)
    bare = Linear(3, 2, bias=False)
    fc(ones(1, 3)).tolist(), tuple(fc.weight.shape), bare.bias, [path for path, _ in bare.named_parameters()]
    """, "([[7.0, 7.0]], (2, 3), None, ['weight'])", "call register-parameter parameters"),
    q("freezing", "06.4", "`requires_grad_` freezes and unfreezes the whole tree, and returns the Module", """
    m = Net()
    same = m.requires_grad_(False) is m
    frozen = [p.requires_grad for p in (m.w, m.leaf.v)]
    m.requires_grad_()
    same, frozen, [p.requires_grad for p in (m.w, m.leaf.v)]
    """, "(True, [False, False], [True, True])", "parameters"),
    q("children", "07.1", "`named_children` lists each child once, and no None", """
    m = Net()
    m.again, m._modules["none"] = m.leaf, None
    [name for name, _ in m.named_children()], [child is m.leaf for child in m.children()]
    """, "(['leaf'], [True])"),
    q("modules", "07.2", "`named_modules` starts with the Module itself, and lists every Module below it", """
    m = Net()
    m.more = Net()
    paths = [path for path, _ in m.named_modules()]
    paths, [path for path, _ in m.named_modules(prefix="net")], next(m.modules()) is m
    """, "(['', 'leaf', 'more', 'more.leaf'], ['net', 'net.leaf', 'net.more', 'net.more.leaf'], True)"),
    q("cycle", "07.2", "a shared layer is visited once, and a cycle ends", """
    m = Net()
    m.again, m.leaf.parent = m.leaf, m
    [path for path, _ in m.named_modules()], [path for path, _ in m.named_parameters()]
    """, "(['', 'leaf'], ['w', 'leaf.v'])", "modules parameters"),
    q("apply", "07.4", "`apply` goes to the children first, and returns the Module", """
    m, seen = Net(), []
    m.more = Module()
    same = m.apply(lambda module: seen.append(type(module).__name__)) is m
    seen, same
    """, "(['Leaf', 'Module', 'Net'], True)", "children"),
    q("path", "07.5", "a path leads to a Module, a Parameter and a buffer", """
    m = Net()
    m.leaf._buffers["mean"] = mean = ones(1)
    modules = m.get_submodule("leaf") is m.leaf, m.get_submodule("") is m
    modules, m.get_parameter("leaf.v") is m.leaf.v, m.get_buffer("leaf.mean") is mean
    """, "((True, True), True, True)"),
    q("bad-path", "07.5", "a path that leads nowhere is an AttributeError", """
    m = Net()
    said = [refused(AttributeError, lambda: m.get_submodule(path)) for path in ("nope", "w")]
    said, refused(AttributeError, lambda: m.get_parameter("leaf")), refused(AttributeError, lambda: m.get_buffer("w"))
    """, "(['AttributeError', 'AttributeError'], 'AttributeError', 'AttributeError')", "path"),
    q("add-module", "07.6", "`add_module` stores a Module or None, and refuses anything else", """
    m = Net()
    m.add_module("0", Leaf())
    m.add_module("none", None)
    said = [refused(KeyError, lambda: m.add_module(name, Leaf())) for name in ("", "a.b", "size")]
    list(m._modules), said, refused(TypeError, lambda: m.add_module("b", 5))
    """, "(['leaf', '0', 'none'], ['KeyError', 'KeyError', 'KeyError'], 'TypeError')", "register-parameter"),
    q("set-submodule", "07.6", "`set_submodule` replaces a layer by its path", """
    m, new = Net(), Leaf()
    m.more = Net()
    m.set_submodule("more.leaf", new)
    m.more.leaf is new, refused(AttributeError, lambda: m.set_submodule("nope.leaf", new))
    """, "(True, 'AttributeError')", "path"),
    q("sequential", "08.4", "`Sequential` calls its layers in order, and names them by number", """
    m = Sequential(Net(), Net())
    with no_grad():
        m[1].w.fill_(3)
    m(ones(2)).tolist(), [name for name, _ in m.named_children()], len(m), [layer is m[i] for i, layer in enumerate(m)]
    """, "([3.0, 3.0], ['0', '1'], 2, [True, True])", "call children add-module"),
    q("slices", "08.5", "a slice of a `Sequential` is a `Sequential` of the same layers", """
    m = Sequential(Leaf(), Net(), Leaf())
    part = m[1:]
    type(part) is Sequential, len(part), part[0] is m[1], m[-1] is m[2], [path for path, _ in part.named_children()]
    """, "(True, 2, True, True, ['1', '2'])", "sequential"),
    q("module-list", "08.2", "the layers in a `ModuleList` are found", """
    m = Module()
    m.layers = ModuleList([Leaf(), Leaf()])
    m.layers.append(Leaf())
    [path for path, _ in m.named_parameters()], len(m.layers), m.layers[-1] is m.layers[2], len(m.layers[:2])
    """, "(['layers.0.v', 'layers.1.v', 'layers.2.v'], 3, True, 2)", "parameters add-module"),
    q("module-dict", "08.3", "the layers in a `ModuleDict` are found by their keys", """
    m = ModuleDict({"a": Leaf()})
    m["b"] = Net()
    keys = list(m.keys())
    del m["a"]
    keys, [path for path, _ in m.named_parameters()], "a" in m, len(m)
    """, "(['a', 'b'], ['b.w', 'b.leaf.v'], False, 1)", "parameters add-module"),
    q("modes", "09.1", "`train` and `eval` switch the whole tree, and return the Module", """
    m = Net()
    same = m.eval() is m
    off = m.training, m.leaf.training
    same, off, m.train() is m, (m.training, m.leaf.training)
    """, "(True, (False, False), True, (True, True))", "children"),
    q("wrong-mode", "09.1", "`train` refuses anything but True and False", """
    refused(ValueError, lambda: Net().train("yes"))
    """, "'ValueError'", "modes"),
    q("dropout", "09.2", "`Dropout` keeps the mean in training mode, and does nothing in eval mode", """
    m = Dropout(0.5)
    values = sorted(set(m(ones(200)).tolist()))
    m.eval()
    values, sorted(set(m(ones(200)).tolist())), refused(ValueError, lambda: Dropout(2))
    """, "([0.0, 2.0], [1.0], 'ValueError')", "call modes"),
    q("batch-norm", "09.4", "`BatchNorm1d` uses the batch in training mode, and what it remembers in eval mode", """
    m, x = BatchNorm1d(1), tensor([[0.0], [2.0]])
    batch = [round(value, 2) for value in m(x).flatten().tolist()]
    kept = [round(m.running_mean.item(), 3), round(m.running_var.item(), 3), m.num_batches_tracked.item()]
    m.eval()
    batch, kept, [round(value, 2) for value in m(x).flatten().tolist()]
    """, "([-1.0, 1.0], [0.1, 1.1, 1], [-0.1, 1.81])", "call modes register-buffer"),
)
# fmt: on
