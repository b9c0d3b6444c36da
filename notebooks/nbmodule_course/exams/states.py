"""Questions about what is kept and moved: the state, dtypes, gradients and copies."""

from __future__ import annotations

from .questions import question as q

# fmt: off
QUESTIONS = (
    q("state", "10.2", "`state_dict` has the Parameters and buffers of the whole tree under their paths", """
    m = Net()
    m.leaf.register_buffer("mean", zeros(1))
    state = m.state_dict()
    list(state), [value.tolist() for value in state.values()]
    """, "(['w', 'leaf.v', 'leaf.mean'], [[1.0, 1.0], [1.0, 1.0, 1.0], [0.0]])", "register-buffer"),
    q("state-shared", "10.1", "a Parameter with two names is saved under both, and None is not saved", """
    m = Net()
    m.tied, m.leaf.v = m.w, None
    list(m.state_dict())
    """, "['w', 'tied']", "none state"),
    q("not-saved", "10.1", "a buffer with `persistent=False` is not saved", """
    m = Module()
    m.register_buffer("mask", ones(1), persistent=False)
    m.register_buffer("mean", ones(1))
    list(m.state_dict())
    """, "['mean']", "register-buffer state"),
    q("live", "10.1", "the state shares its numbers with the model, and needs no gradient", """
    m = Net()
    state = m.state_dict()
    with no_grad():
        m.w.fill_(7)
    state["w"].tolist(), state["w"].requires_grad, m.state_dict(keep_vars=True)["w"] is m.w
    """, "([7.0, 7.0], False, True)", "state"),
    q("state-prefix", "10.2", "`prefix` comes before every key, and `destination` is filled", """
    place = OrderedDict()
    state = Net().state_dict(destination=place, prefix="net.")
    list(state), state is place
    """, "(['net.w', 'net.leaf.v'], True)", "state"),
    q("metadata", "10.2", "the state says in `_metadata` which version each Module has", """
    state = Net().state_dict()
    {path: entry["version"] for path, entry in state._metadata.items()}
    """, "{'': 1, 'leaf': 1}", "state"),
    q("load", "10.3", "`load_state_dict` copies the numbers into the tensors that are there", """
    m, other = Net(), Net()
    with no_grad():
        other.leaf.v.fill_(7)
    v = m.leaf.v
    report = m.load_state_dict(other.state_dict())
    m.leaf.v is v, v.tolist(), list(report.missing_keys), list(report.unexpected_keys)
    """, "(True, [7.0, 7.0, 7.0], [], [])", "state"),
    q("load-buffers", "10.3", "`load_state_dict` fills buffers as well", """
    m, other = Net(), Net()
    m.leaf.register_buffer("mean", zeros(1))
    other.leaf.register_buffer("mean", ones(1))
    m.load_state_dict(other.state_dict())
    m.leaf.mean.tolist()
    """, "[1.0]", "register-buffer load"),
    q("strict", "10.4", "a missing key and an unexpected one are a RuntimeError that names both", """
    m, state = Net(), Net().state_dict()
    del state["leaf.v"]
    state["odd"] = ones(1)
    refused(RuntimeError, lambda: m.load_state_dict(state), "leaf.v", "odd")
    """, "'RuntimeError'", "load"),
    q("not-strict", "10.4", "`strict=False` loads the rest, and reports both", """
    m, state = Net(), Net().state_dict()
    state["w"] = zeros(2)
    del state["leaf.v"]
    state["odd"] = ones(1)
    report = m.load_state_dict(state, strict=False)
    list(report.missing_keys), list(report.unexpected_keys), m.w.tolist()
    """, "(['leaf.v'], ['odd'], [0.0, 0.0])", "load"),
    q("wrong-shape", "10.3", "a wrong shape is a RuntimeError that names the key, even with `strict=False`", """
    m, state = Net(), Net().state_dict()
    state["leaf.v"] = ones(5)
    [refused(RuntimeError, lambda: m.load_state_dict(state, strict=strict), "leaf.v") for strict in (True, False)]
    """, "['RuntimeError', 'RuntimeError']", "load"),
    q("assign", "10.3", "with `assign=True` the tensors of the state take the place of the model's", """
    m = Net()
    m.register_buffer("mean", zeros(1))
    w, state = m.w, {**m.state_dict(), "w": zeros(2).double(), "mean": ones(1)}
    m.load_state_dict(state, assign=True)
    m.mean is state["mean"], str(m.w.dtype).split(".")[-1], isinstance(m.w, Parameter), w.tolist()
    """, "(True, 'float64', True, [1.0, 1.0])", "register-buffer load"),
    q("keys-stay", "10.4", "loading changes neither the state nor the keys of the model", """
    m, state = Net(), {"w": zeros(2), "odd": ones(1)}
    m.load_state_dict(state, strict=False)
    list(state), list(m.state_dict())
    """, "(['w', 'odd'], ['w', 'leaf.v'])", "load"),
    q("cast", "11.2", "`double` and `float` change the numbers of the whole tree, and return the Module", """
    m = Net()
    same = m.double() is m
    dtypes = [str(p.dtype).split(".")[-1] for p in (m.w, m.leaf.v)]
    m.float()
    same, dtypes, str(m.w.dtype).split(".")[-1]
    """, "(True, ['float64', 'float64'], 'float32')", "children"),
    q("same-object", "11.1", "a cast keeps the Parameter, so an optimizer still knows it", """
    m = Net()
    w, v = m.w, m.leaf.v
    m.double()
    m.w is w, m.leaf.v is v, str(w.dtype).split(".")[-1]
    """, "(True, True, 'float64')", "cast"),
    q("buffers-move", "11.1", "buffers are cast, integers stay, and ordinary tensors stay behind", """
    m = Module()
    m.register_buffer("mean", ones(1))
    m.register_buffer("count", tensor([3]))
    m.table = ones(1)
    m.half()
    [str(t.dtype).split(".")[-1] for t in (m.mean, m.count, m.table)]
    """, "['float16', 'int64', 'float32']", "register-buffer cast"),
    q("gradients-move", "11.3", "a gradient is cast with its Parameter", """
    m = Net()
    (m.w * 3).sum().backward()
    m.double()
    str(m.w.grad.dtype).split(".")[-1], m.w.grad.tolist()
    """, "('float64', [3.0, 3.0])", "cast"),
    q("to", "11.4", "`to` understands a dtype, a device and a tensor", """
    m = Net()
    same = m.to(float64) is m
    dtypes = [str(m.w.dtype).split(".")[-1]]
    for change in (lambda: m.to("cpu", float16), lambda: m.to(dtype=float64), lambda: m.to(ones(1))):
        change()
        dtypes.append(str(m.leaf.v.dtype).split(".")[-1])
    same, dtypes
    """, "(True, ['float64', 'float16', 'float64', 'float32'])", "cast"),
    q("to-refuses", "11.4", "`to` refuses a dtype of whole numbers, and changes nothing", """
    m = Net()
    refused(TypeError, lambda: m.to(int64)), str(m.w.dtype).split(".")[-1]
    """, "('TypeError', 'float32')", "to"),
    q("meta", "11.3", "`to` the device `meta` keeps shapes and no numbers", """
    m = Net().to("meta")
    str(m.w.device), tuple(m.leaf.v.shape), isinstance(m.w, Parameter)
    """, "('meta', (3,), True)", "to"),
    q("zero-grad", "14.1", "`zero_grad` takes the gradients of the whole tree away", """
    m = Net()
    (m.w.sum() + m.leaf.v.sum()).backward()
    m.zero_grad()
    m.w.grad, m.leaf.v.grad
    """, "(None, None)", "parameters"),
    q("zero-grad-zeros", "14.1", "`zero_grad(set_to_none=False)` sets them to zero, and leaves None alone", """
    m = Net()
    m.w.sum().backward()
    grad = m.w.grad
    m.zero_grad(set_to_none=False)
    m.w.grad is grad, grad.tolist(), m.leaf.v.grad
    """, "(True, [0.0, 0.0], None)", "zero-grad"),
    q("copies", "03.2", "`deepcopy` gives a Module with Parameters of its own, and a shared one stays shared", """
    m = Net()
    m.tied = m.w
    twin = copy.deepcopy(m)
    with no_grad():
        twin.w.fill_(9)
    m.w.tolist(), twin.tied is twin.w, type(twin) is Net, twin.leaf is m.leaf
    """, "([1.0, 1.0], True, True, False)", "half-built"),
    q("pickle", "03.2", "a Module goes through `pickle`, with its names and its tied Parameters", """
    m = Module()
    m.w = Parameter(ones(2))
    m.tied, m.child = m.w, Module()
    again = pickle.loads(pickle.dumps(m))
    again.w is again.tied, again.w.tolist(), list(again._modules), again.training
    """, "(True, [1.0, 1.0], ['child'], True)", "half-built"),
)
# fmt: on
