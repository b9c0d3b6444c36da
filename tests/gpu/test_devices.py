"""``device="cuda"`` wherever PyTorch takes a device: what comes of it, and what mixing devices says."""

import copy
import pickle

import numpy as np
import pytest

import nbmodule
from nbmodule import nn, optim
from nbmodule.nn import functional as F

FIRST, SECOND = nbmodule.device("cuda:0"), nbmodule.device("cuda:1")
FACTORIES = {
    "zeros": lambda **k: nbmodule.zeros(2, 3, **k),
    "ones": lambda **k: nbmodule.ones(2, 3, **k),
    "empty": lambda **k: nbmodule.empty(2, 3, **k),
    "full": lambda **k: nbmodule.full((2, 3), 4.0, **k),
    "eye": lambda **k: nbmodule.eye(3, **k),
    "arange": lambda **k: nbmodule.arange(3, **k),
    "linspace": lambda **k: nbmodule.linspace(0, 1, 3, **k),
    "tensor": lambda **k: nbmodule.tensor([1.0, 2.0], **k),
    "as_tensor": lambda **k: nbmodule.as_tensor(np.ones(2), **k),
    "asarray": lambda **k: nbmodule.asarray([1.0], **k),
    "empty_strided": lambda **k: nbmodule.empty_strided((2, 2), (1, 2), **k),
    "empty_permuted": lambda **k: nbmodule.empty_permuted((2, 2), (1, 0), **k),
    "rand": lambda **k: nbmodule.rand(2, **k),
    "randn": lambda **k: nbmodule.randn(20, **k),
    "randint": lambda **k: nbmodule.randint(3, (2,), **k),
    "randperm": lambda **k: nbmodule.randperm(4, **k),
    "normal": lambda **k: nbmodule.normal(0.0, 1.0, (2,), **k),
    "zeros_like": lambda **k: nbmodule.zeros_like(nbmodule.ones(2), **k),
    "rand_like": lambda **k: nbmodule.rand_like(nbmodule.ones(2), **k),
    "new_full": lambda **k: nbmodule.ones(2).new_full((3,), 1.0, **k),
    "new_tensor": lambda **k: nbmodule.ones(2).new_tensor([3.0], **k),
}


@pytest.mark.parametrize("name", FACTORIES)
def test_factories(gpu, name):
    make = FACTORIES[name]
    assert make(device="cuda").device == make(device=0).device == FIRST
    if name.startswith("rand") or name == "normal":
        nbmodule.manual_seed(0)
        expected = make().tolist()
        nbmodule.manual_seed(0)
        assert make(device="cuda").tolist() == expected  # one generator draws for all devices


@pytest.mark.parametrize("name", FACTORIES)
def test_factories_on_the_second_card(two_cards, name):
    make = FACTORIES[name]
    assert make(device="cuda:1").device == SECOND
    assert make(device="cuda").device == FIRST
    with nbmodule.cuda.device(1):
        assert make(device="cuda").device == SECOND
    if name not in ("zeros_like", "rand_like", "new_full", "new_tensor"):
        with nbmodule.device("cuda:1"):
            assert make().device == SECOND


def test_what_is_made_like_a_tensor_lies_beside_it(two_cards):
    t = nbmodule.ones(2, device="cuda:1")
    for made in (
        nbmodule.zeros_like(t),
        t.new_zeros(3),
        t.new_tensor([1.0]),
        t.clone(),
        t * 2,
        t[:1],
        t.bernoulli(),
    ):
        assert made.device == SECOND


def test_default_device(gpu):
    nbmodule.set_default_device("cuda")
    assert (
        nbmodule.get_default_device()
        == nbmodule.ones(2).device
        == nn.Linear(2, 2).weight.device
        == FIRST
    )
    assert nbmodule.tensor([1]).is_cuda
    assert nbmodule.randn(3).is_cuda
    nbmodule.set_default_device(None)
    assert not nbmodule.ones(2).is_cuda


def test_moving(gpu):
    x = nbmodule.arange(6.0).reshape(2, 3)
    y = x.cuda()
    assert y.device == FIRST
    assert y is y.cuda() is y.to("cuda") is y.to("cuda:0") is y.to(FIRST)
    assert (y.get_device(), x.get_device(), y.is_cuda, y.is_cpu) == (0, -1, True, False)
    assert x.to("cuda", nbmodule.float64, non_blocking=True).dtype == nbmodule.float64
    assert x.to(y).is_cuda
    assert not y.to(x).is_cuda
    assert y.cpu().tolist() == x.tolist()
    assert x.t().cuda().stride() == x.t().cuda().cpu().stride() == (1, 3)
    assert y.type() == "nbmodule.cuda.FloatTensor"
    w = nbmodule.ones(2, requires_grad=True)
    (w.cuda() * 2).cpu().sum().backward()
    assert w.grad.tolist() == [2, 2]
    assert not w.grad.is_cuda


def test_moving_from_card_to_card(two_cards):
    x = nbmodule.ones(2, 2, device="cuda", requires_grad=True)
    y = x.to("cuda:1")
    assert (y.device, y.to("cuda").device) == (SECOND, FIRST)
    (
        (y * 3).sum().to("cuda:0") + (x * 2).sum() + (x.to("cuda:1") * 4).sum().to("cuda:0")
    ).backward()
    assert x.grad.device == FIRST
    assert x.grad.tolist() == [[9, 9], [9, 9]]
    with pytest.raises(RuntimeError, match="two devices, cuda:0 and cuda:1!"):
        x + y
    with pytest.raises(RuntimeError, match="invalid device ordinal"):
        x.to("cuda:9")


def test_indices(gpu):
    x = nbmodule.arange(6.0, device="cuda").reshape(2, 3)
    for i in (
        nbmodule.tensor([1, 0]),
        nbmodule.tensor([1, 0], device="cuda"),
        [1, 0],
        np.array([1, 0]),
    ):
        assert x[i].tolist() == [[3, 4, 5], [0, 1, 2]]
        assert x[:, i].is_cuda
    mask = nbmodule.tensor([True, False])
    assert x[mask].tolist() == x[mask.cuda()].tolist() == [[0, 1, 2]]
    x[mask] = 7.0
    x[x > 6] = 0
    assert x.tolist() == [[0, 0, 0], [3, 4, 5]]
    w = nbmodule.ones(3, device="cuda", requires_grad=True)
    w[nbmodule.tensor([0, 0, 2])].sum().backward()
    assert w.grad.tolist() == [2, 0, 1]
    with pytest.raises(
        RuntimeError, match=r"either on cpu or on the same device as the indexed tensor \(cpu\)"
    ):
        nbmodule.ones(3)[nbmodule.tensor([0], device="cuda")]


def test_out_of_the_gpu(gpu):
    x = nbmodule.ones(2, device="cuda")
    for ask in (x.numpy, lambda: np.asarray(x)):
        with pytest.raises(
            TypeError, match=r"can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu\(\)"
        ):
            ask()
    assert x.numpy(force=True).tolist() == x.tolist() == [1, 1]
    assert (x.sum().item(), bool(x[0]), int(x[0]), float(x[0]), len(x)) == (2, True, 1, 1.0, 2)
    assert f"{x.sum():.2f}" == "2.00"
    assert repr(x) == "tensor([1., 1.], device='cuda:0')"
    assert (
        repr(nn.Parameter(x))
        == "Parameter containing:\ntensor([1., 1.], device='cuda:0', requires_grad=True)"
    )
    for twin in (pickle.loads(pickle.dumps(x)), copy.deepcopy(x), copy.copy(x)):
        assert twin.device == FIRST
        assert twin.tolist() == [1, 1]


def test_copies_between_devices(gpu):
    x, y = nbmodule.zeros(3, device="cuda"), nbmodule.arange(3.0)
    assert x.copy_(y).tolist() == [0, 1, 2]
    assert y.zero_().copy_(x).tolist() == [0, 1, 2]
    x[1:] = nbmodule.tensor([8.0, 9.0])
    assert x.tolist() == [0, 8, 9]


def test_views_show_the_same_memory(gpu):
    x = nbmodule.zeros(4, 4, device="cuda")
    x[0].add_(1)
    x.view(16)[4:8] += 2
    x.t()[0] += 1
    x.diagonal().fill_(7)
    x.unfold(0, 2, 1)[2].fill_(5)
    x.as_strided((2,), (5,), 1).zero_()
    assert x.tolist() == [[7, 0, 1, 1], [3, 7, 0, 2], [5, 5, 5, 5], [5, 5, 5, 5]]
    view = x.as_strided((2, 2), (4, 1))
    assert view._base is x
    assert view.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    w = nbmodule.ones(4, device="cuda", requires_grad=True)
    y = w * 1
    y.view(2, 2)[0].mul_(3)
    y.sum().backward()
    assert w.grad.tolist() == [3, 3, 1, 1]
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        nbmodule.ones(3, 1, device="cuda").expand(3, 4).add_(1)


def test_gradients_stay_beside_their_tensors(gpu):
    p = nbmodule.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="assigned grad has data located on a different device"):
        p.grad = nbmodule.ones(2, device="cuda")
    with pytest.raises(RuntimeError, match="expected device cpu but got cuda:0"):
        (p * 2).backward(nbmodule.ones(2, device="cuda"))


def network():
    return nn.Sequential(
        nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Dropout(), nn.Linear(4, 2)
    )


def test_modules_move_in_place(gpu):
    model = network()
    weight, optimizer = model[0].weight, optim.SGD(model.parameters(), lr=0.1)
    model(nbmodule.ones(2, 3)).sum().backward()
    assert model.cuda() is model
    assert model[0].weight is weight
    assert weight.is_cuda
    assert weight.grad.is_cuda
    assert model[1].running_mean.is_cuda
    F.cross_entropy(
        model(nbmodule.ones(2, 3, device="cuda")), nbmodule.tensor([0, 1], device="cuda")
    ).backward()
    optimizer.step()
    model.to(device="cpu", dtype=nbmodule.float64)
    assert (weight.device.type, weight.dtype) == ("cpu", nbmodule.float64)
    assert nn.LSTM(2, 3, device="cuda").weight_hh_l0.is_cuda


def test_modules_on_the_second_card(two_cards):
    model = network().to("cuda:1")
    model(nbmodule.ones(2, 3, device="cuda:1")).sum().backward()
    optim.Adam(model.parameters()).step()
    assert (
        {p.device for p in model.parameters()}
        == {p.grad.device for p in model.parameters()}
        == {SECOND}
    )
    with pytest.raises(RuntimeError, match="same device"):
        model(nbmodule.ones(2, 3, device="cuda:0"))


def test_states_cross_devices(gpu):
    far, near = network().cuda(), network()
    near.load_state_dict(far.state_dict())
    assert not near[0].weight.is_cuda
    near.load_state_dict(far.state_dict(), assign=True)
    assert near[0].weight.is_cuda


@pytest.mark.parametrize(
    "kind", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "NAdam", "Rprop", "LBFGS"]
)
def test_optimizer_states_follow_their_parameters(gpu, kind):
    def one_step(model, optimizer):
        def closure():
            optimizer.zero_grad()
            loss = model(nbmodule.ones(1, 2, device=model.weight.device)).pow(2).sum()
            loss.backward()
            return loss

        optimizer.step(closure)

    far, near = nn.Linear(2, 2, device="cuda"), nn.Linear(2, 2)
    options = {"momentum": 0.9} if kind == "SGD" else {}
    one, other = (getattr(optim, kind)(m.parameters(), lr=0.1, **options) for m in (far, near))
    one_step(far, one)
    other.load_state_dict(one.state_dict())
    for optimizer, place in ((one, "cuda"), (other, "cpu")):
        for name, value in optimizer.state[optimizer.param_groups[0]["params"][0]].items():
            if isinstance(value, nbmodule.Tensor):  # counts stay on the CPU, as in PyTorch
                assert value.device.type == (place if value.dim() else value.device.type), name
    one_step(near, other)


def test_files(gpu, tmp_path):
    file = tmp_path / "state.pt"
    nbmodule.save(nn.Linear(2, 2, device="cuda").state_dict(), file)
    assert nbmodule.load(file)["weight"].device == FIRST
    assert not nbmodule.load(file, map_location="cpu")["weight"].is_cuda
    assert not nbmodule.load(file, map_location=lambda storage, place: storage)["weight"].is_cuda
    x = nbmodule.arange(6.0, device="cuda").reshape(2, 3)
    nbmodule.save([x, x.t(), x[1, 1:]], file)
    a, b, c = nbmodule.load(file)
    assert b.stride() == (1, 3)
    assert b.tolist() == [[0, 3], [1, 4], [2, 5]]
    c.zero_()
    assert a.tolist() == [[0, 1, 2], [3, 0, 0]]  # views of one memory, as they were


def test_files_on_two_cards(two_cards, tmp_path):
    file = tmp_path / "state.pt"
    nbmodule.save(nbmodule.ones(2, device="cuda"), file)
    for location in ("cuda:1", {"cuda:0": "cuda:1"}):
        assert nbmodule.load(file, map_location=location).device == SECOND


def test_data(gpu):
    data = nbmodule.utils.data.TensorDataset(
        nbmodule.arange(4.0, device="cuda"), nbmodule.arange(4)
    )
    for x, y in nbmodule.utils.data.DataLoader(data, batch_size=2):
        assert (x.is_cuda, y.is_cuda) == (True, False)
    pinned = nbmodule.utils.data.TensorDataset(nbmodule.arange(4.0))
    for (x,) in nbmodule.utils.data.DataLoader(pinned, batch_size=2, pin_memory=True):
        assert x.is_pinned()
        assert x.to("cuda", non_blocking=True).is_cuda
    assert nbmodule.ones(2).pin_memory().tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="only dense CPU tensors can be pinned"):
        nbmodule.ones(2, device="cuda").pin_memory()


def test_packed_sequences(gpu):
    x = nbmodule.randn(5, 2, 3, device="cuda")
    packed = nn.utils.rnn.pack_padded_sequence(x, nbmodule.tensor([5, 3]))
    out, lengths = nn.utils.rnn.pad_packed_sequence(nn.LSTM(3, 4, device="cuda")(packed)[0])
    assert (out.is_cuda, lengths.is_cuda, packed.is_cuda, packed.cpu().is_cuda) == (
        True,
        False,
        True,
        False,
    )


def test_mixed_precision(gpu):
    model = nn.Linear(2, 2, device="cuda")
    scaler, optimizer = nbmodule.amp.GradScaler("cuda"), optim.SGD(model.parameters(), lr=0.1)
    scaler.scale(model(nbmodule.ones(3, 2, device="cuda")).sum()).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()


def test_functions_of_functions(gpu):
    x = nbmodule.ones(2, device="cuda", dtype=nbmodule.float64, requires_grad=True)
    (g,) = nbmodule.autograd.grad((x**3).sum(), x, create_graph=True)
    g.sum().backward()
    assert x.grad.tolist() == [6, 6]
    assert nbmodule.autograd.gradcheck(lambda a: (a**2).sum(), x)
    assert nbmodule.func.grad(lambda a: (a**2).sum())(x.detach()).tolist() == [2, 2]
