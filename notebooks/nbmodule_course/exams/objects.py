"""Questions about one object: how it is made, what it files, what it finds, how it is called and shown."""

from __future__ import annotations

from .questions import question as q

# fmt: off
QUESTIONS = (
    q("drawers", "01.2", "a new Module has its drawers, and it is in training mode", """
    slots = vars(Module())
    [len(slots[name]) for name in ("_parameters", "_buffers", "_modules")], slots["training"]
    """, "([0, 0, 0], True)"),
    q("own-drawers", "01.2", "no two Modules share a drawer", """
    one, other = Module(), Module()
    one._parameters is other._parameters, one._buffers is other._buffers, one._modules is other._modules
    """, "(False, False, False)"),
    q("filing", "02.3", "an assignment files a Parameter and a Module, and leaves anything else in `__dict__`", """
    m = Net()
    list(m._parameters), list(m._modules), vars(m)["size"], "w" in vars(m), "leaf" in vars(m)
    """, "(['w'], ['leaf'], 5, False, False)"),
    q("frozen", "02.3", "a frozen Parameter is filed, and a tensor is not", """
    m = Module()
    m.frozen = Parameter(ones(1), requires_grad=False)
    m.plain = ones(1)
    list(m._parameters), list(m._buffers), "plain" in vars(m)
    """, "(['frozen'], [], True)"),
    q("early", "02.3", "a Parameter that comes before `super().__init__()` is an AttributeError", """
    class Early(Module):
        def __init__(self):
            self.w = Parameter(ones(1))

    refused(AttributeError, Early)
    """, "'AttributeError'"),
    q("early-plain", "02.3", "an ordinary value may come before `super().__init__()`", """
    class Early(Module):
        def __init__(self):
            self.size = 3
            super().__init__()

    Early().size
    """, "3"),
    q("wrong-value", "02.3", "a Parameter and a layer refuse a number, and stay", """
    m = Net()
    w, leaf = m.w, m.leaf
    said = [refused(TypeError, lambda: setattr(m, name, 5)) for name in ("w", "leaf")]
    said, m.w is w, m.leaf is leaf
    """, "(['TypeError', 'TypeError'], True, True)"),
    q("over-a-parameter", "02.3", "a layer can't take the name of a Parameter", """
    m = Net()
    refused(TypeError, lambda: setattr(m, "w", Leaf())), list(m._parameters)
    """, "('TypeError', ['w'])"),
    q("none", "02.3", "None keeps the place of a Parameter and of a layer", """
    m = Net()
    m.w = None
    m.leaf = None
    m.w, m.leaf, list(m._parameters), list(m._modules)
    """, "(None, None, ['w'], ['leaf'])"),
    q("none-at-first", "02.3", "None under a new name is an ordinary value", """
    m = Module()
    m.bias = None
    list(m._parameters), "bias" in vars(m)
    """, "([], True)"),
    q("one-home", "02.2", "a name is in one place: a Parameter takes it from everywhere else", """
    m = Net()
    m._buffers["mean"] = ones(1)
    for name in ("size", "leaf", "mean"):
        setattr(m, name, Parameter(ones(1)))
    list(m._parameters), list(m._modules), list(m._buffers), "size" in vars(m)
    """, "(['w', 'size', 'leaf', 'mean'], [], [], False)"),
    q("child-home", "02.2", "a layer takes a name from `__dict__` and from the buffers", """
    m = Net()
    m._buffers["mean"] = ones(1)
    m.size = m.mean = Leaf()
    list(m._modules), list(m._buffers), "size" in vars(m)
    """, "(['leaf', 'size', 'mean'], [], False)"),
    q("replaced", "02.3", "a Parameter that replaces another keeps its place in the order", """
    m = Net()
    m.b = Parameter(ones(1))
    m.w = Parameter(zeros(2))
    list(m._parameters), m.w.tolist()
    """, "(['w', 'b'], [0.0, 0.0])"),
    q("buffer-filing", "02.3", "a buffer stays a buffer, and refuses a number", """
    m = Module()
    m._buffers["mean"] = zeros(1)
    m.mean = ones(2)
    m._buffers["mean"].tolist(), "mean" in vars(m), refused(TypeError, lambda: setattr(m, "mean", 5))
    """, "([1.0, 1.0], False, 'TypeError')"),
    q("lookup", "03.1", "what was filed is found", """
    m = Net()
    m._buffers["mean"] = mean = ones(1)
    m.w is m._parameters["w"], m.leaf is m._modules["leaf"], m.mean is mean, m.size
    """, "(True, True, True, 5)"),
    q("missing", "03.1", "a missing name is an AttributeError that names the class and the attribute", """
    refused(AttributeError, lambda: Net().nope, "Net", "nope"), hasattr(Net(), "nope")
    """, "('AttributeError', False)"),
    q("half-built", "03.2", "an object without drawers has no attributes, and no endless recursion", """
    refused(AttributeError, lambda: Net.__new__(Net).w)
    """, "'AttributeError'"),
    q("delete", "03.3", "`del` takes a name out of any drawer, and out of `__dict__`", """
    m = Net()
    m._buffers["mean"] = ones(1)
    del m.w, m.leaf, m.size, m.mean
    [hasattr(m, name) for name in ("w", "leaf", "size", "mean")]
    """, "[False, False, False, False]"),
    q("delete-missing", "03.3", "`del` of a missing name is an AttributeError", """
    refused(AttributeError, lambda: delattr(Net(), "nope"))
    """, "'AttributeError'", "delete"),
    q("dir", "03.4", "`dir` lists what the drawers hold, and only names that can be typed", """
    m = Net()
    m._modules["0"] = Leaf()
    names = dir(m)
    {"w", "leaf", "size", "training", "forward"} <= set(names), "0" in names
    """, "(True, False)"),
    q("call", "04.1", "a call runs `forward` with all arguments, and returns its result", """
    m = Net()
    m(ones(2)).tolist(), m(ones(2), 2).tolist(), m(ones(2), scale=3).tolist()
    """, "([1.0, 1.0], [2.0, 2.0], [3.0, 3.0])"),
    q("no-forward", "04.1", "a Module without `forward` can't be called, and the error says what is missing", """
    refused(NotImplementedError, lambda: Module()(1), "forward")
    """, "'NotImplementedError'"),
    q("call-order", "04.3", "the order of a call: pre-hooks, `forward`, hooks", """
    class Loud(Module):
        def forward(self, x):
            log.append("forward")
            return x

    m, log = Loud(), []
    m._forward_pre_hooks["a"] = lambda module, args: log.append("pre 1")
    m._forward_pre_hooks["b"] = lambda module, args: log.append("pre 2")
    m._forward_hooks["c"] = lambda module, args, result: log.append("hook 1")
    m._forward_hooks["d"] = lambda module, args, result: log.append("hook 2")
    m(7)
    log
    """, "['pre 1', 'pre 2', 'forward', 'hook 1', 'hook 2']", "call"),
    q("pre-hook", "04.2", "what a pre-hook returns becomes the arguments, and None changes nothing", """
    m = Net()
    m._forward_pre_hooks["a"] = lambda module, args: args[0] * 2
    m._forward_pre_hooks["b"] = lambda module, args: None
    one = m(ones(2)).tolist()
    m._forward_pre_hooks["c"] = lambda module, args: (args[0], 10)
    one, m(ones(2)).tolist()
    """, "([2.0, 2.0], [20.0, 20.0])", "call call-order"),
    q("hook", "04.3", "what a hook returns replaces the result, and None changes nothing", """
    m = Net()
    m._forward_hooks["a"] = lambda module, args, result: None
    one = m(ones(2)).tolist()
    m._forward_hooks["b"] = lambda module, args, result: result + 1
    one, m(ones(2)).tolist()
    """, "([1.0, 1.0], [2.0, 2.0])", "call call-order"),
    q("call-raises", "04.1", "an exception in `forward` comes out of the call as it is", """
    class Broken(Module):
        def forward(self, x):
            raise ZeroDivisionError("in forward")

    refused(ZeroDivisionError, lambda: Broken()(1), "in forward")
    """, "'ZeroDivisionError'", "call"),
    q("repr", "04.4", "a Module prints itself as a tree", """
    m = Net()
    m.more = Net()
    repr(m)
    """, repr("Net(\n  (leaf): Leaf()\n  (more): Net(\n    (leaf): Leaf()\n  )\n)")),
    q("extra-repr", "04.4", "`extra_repr` comes first, on the same line if there is nothing else", """
    class Size(Module):
        def extra_repr(self):
            return f"size={self.size}"

    m = Size()
    m.size = 3
    alone = repr(m)
    m.leaf = Leaf()
    alone, repr(m)
    """, repr(("Size(size=3)", "Size(\n  size=3\n  (leaf): Leaf()\n)")), "repr"),
    q("stray", "06.3", "`super().__init__` refuses arguments that no one takes", """
    refused(TypeError, lambda: Module(3)), refused(TypeError, lambda: Module(size=3))
    """, "('TypeError', 'TypeError')"),
    q("call-super-init", "06.3", "with `call_super_init`, the arguments go on to the next class", """
    class Named:
        def __init__(self, name):
            self.name = name

    class Both(Module, Named):
        call_super_init = True

    Both("net").name, len(Both("net")._parameters)
    """, "('net', 0)"),
)
# fmt: on
