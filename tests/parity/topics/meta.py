"""The meta device: shapes without numbers."""

import copy
import pickle

from casebook import case, error


def shapes(results):
    return [[list(r.shape), str(r.dtype), r.device.type] for r in results]


@case
def shown(t):
    m = t.empty(2, 3, device="meta")
    tensors = [m, t.empty(0, device="meta"), t.empty((), device="meta"), t.empty(2, device="meta", dtype=t.int), t.empty(2, device="meta", requires_grad=True), t.nn.Parameter(m), m.bool(), m * 2]  # fmt: skip
    return [
        [repr(x) for x in tensors], m.is_meta, m.is_cpu, str(m.device), m.get_device(), m.data_ptr(), m.nbytes, m.untyped_storage().nbytes(),
        repr(copy.deepcopy(m)), repr(pickle.loads(pickle.dumps(m))), m.to("meta") is m, repr(t.ones(2).to("meta")), repr(t.tensor([1.5], device="meta")),
    ]  # fmt: skip


@case
def no_data(t):
    m = t.empty(2, 3, device="meta")
    return [error(f) for f in (
        lambda: m.item(), lambda: m[0, 0].item(), lambda: m.tolist(), lambda: m.cpu(), lambda: m.to("cpu"), lambda: m.numpy(), lambda: m.numpy(force=True), lambda: bool(m[0, 0]), lambda: bool(m),
        lambda: float(m[0, 0]), lambda: int(m[0, 0]), lambda: t.zeros(2).copy_(t.zeros(2, device="meta")), lambda: m + t.ones(2, 3), lambda: t.ones(2, 3) + m, lambda: t.allclose(m, m),
    )]  # fmt: skip


@case
def shapes_of_results(t):
    m, v = t.empty(2, 3, device="meta"), t.empty(3, device="meta")
    return [
        shapes([
            m + 1, m + m, m + v, m + t.tensor(2.0), m * 2.5, m > 0, m @ m.t(), m @ v, m.sum(), m.sum(1), m.mean(0, keepdim=True), m.exp(), m.view(-1), m.reshape(3, 2), m.t(), m[0], m[:, 1], m[..., None],
            m.expand(4, 2, 3), m.unsqueeze(0), m.flatten(), m.clone(), m.double(), m.int(), t.cat([m, m]), t.stack([m, m], 1), m.softmax(1), m.argmax(1), m.max(1).values, m.std(0), m.norm(), t.where(m > 0, m, 1.0),
            m.clamp(0, 1), m.relu(), t.einsum("ij,kj->ik", m, m), m.zero_(), m.fill_(2), m.normal_(), m.copy_(t.zeros(2, 3)), t.zeros_like(m), t.empty_like(t.zeros(2), device="meta"), m.new_ones(4),
            t.arange(5, device="meta"), t.eye(3, device="meta"), t.rand(2, device="meta"), t.randint(3, (2,), device="meta"), t.full((2,), 3, device="meta"), t.linspace(0, 1, 3, device="meta"),
            t.nn.functional.linear(m, m), t.nn.functional.conv2d(t.zeros(2, 3, 8, 8, device="meta"), t.zeros(4, 3, 3, 3, device="meta")),
            t.nn.functional.max_pool2d(t.zeros(2, 3, 8, 8, device="meta"), 2), t.zeros_like(m, device="cpu"),
        ]),
        m.t().stride(), m.expand(4, 2, 3).stride(), m[:, ::2].stride(), m.t().contiguous().stride(), error(lambda: m.view(4)), error(lambda: m.sum(5)), error(lambda: m.t().view(6))[:30],
    ]  # fmt: skip


@case
def takes_no_memory(t):
    wide = t.nn.Linear(10**6, 10**6, device="meta")
    x = t.zeros(10**5, 10**6, device="meta")
    y = t.nn.functional.relu(wide(x)).sum(0)
    return [repr(wide), shapes([wide.weight, x.t(), y, x.softmax(-1)]), x.t().stride(), sum(p.numel() for p in wide.parameters())]  # fmt: skip


@case
def reductions_of_nothing(t):
    empty = t.zeros(0, 3, device="meta")
    return shapes([empty.amax(1), empty.amin(1, True), *empty.max(1), empty.argmax(1), empty.sum(0), empty.prod()])  # fmt: skip


@case
def gradients_without_numbers(t):
    net = t.nn.Sequential(t.nn.Linear(3, 4), t.nn.ReLU(), t.nn.Linear(4, 2)).to("meta")
    net(t.zeros(5, 3, device="meta")).sum().backward()
    fresh = t.nn.Linear(3, 2, device="meta").to_empty(device="cpu")
    x = t.ones(2, requires_grad=True)
    return [shapes([p.grad for p in net.parameters()]), shapes([fresh.weight]), x.to("meta").requires_grad]  # fmt: skip


@case
def state_is_loaded_over_itself(t):
    """Without numbers there is nothing that could overlap."""
    m = t.nn.Linear(2, 3, device="meta")
    loaded = repr(m.load_state_dict(m.state_dict()))
    return [loaded, m.bias.data.copy_(m.bias.detach()).device.type]


@case
def data_stays_on_its_side(t):
    """`data` takes other shapes and dtypes, but nothing that has numbers where there were none, and the other way round."""
    here, there = t.nn.Parameter(t.ones(2)), t.nn.Parameter(t.ones(2, device="meta"))

    def put(x, y):
        x.data = y

    said = [error(lambda x=x, y=y: put(x, y)) for x, y in (
        (here, t.ones(2, device="meta")), (there, t.ones(2)), (t.ones(2), there), (here, t.ones(2, dtype=t.int64, device="meta")),
        (here, t.ones(3, dtype=t.float64)), (there, t.ones(3, device="meta").double()), (there, t.ones(2, dtype=t.int64, device="meta")),
    )]  # fmt: skip
    return [said, shapes([here, there])]
