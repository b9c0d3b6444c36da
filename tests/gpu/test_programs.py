"""What programs for PyTorch do with a GPU: training, files, models on two cards, mixed precision."""

import copy
import io
import itertools

import pytest

import nbmodule
from nbmodule import nn, optim
from nbmodule.nn import functional as F

ON_TWO_CARDS = sorted(
    {"SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "NAdam", "RAdam", "Rprop", "Adafactor"}
)  # fmt: skip


def saved(obj, **options):
    """Return what a file with `obj` holds."""
    file = io.BytesIO()
    nbmodule.save(obj, file)
    file.seek(0)
    return nbmodule.load(file, **options)


def test_quickstart(gpu):
    """The first tutorial of PyTorch, on other data."""
    device = nbmodule.accelerator.current_accelerator().type
    assert device == "cuda"
    model = nn.Sequential(
        nn.Flatten(), nn.Linear(16, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2)
    )
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    model.to(device)  # after the optimizer was made, which works as parameters stay themselves
    images = nbmodule.randn(32, 1, 4, 4)
    data = nbmodule.utils.data.TensorDataset(images, (images.sum((1, 2, 3)) > 0).long())
    batches = nbmodule.utils.data.DataLoader(data, batch_size=8, shuffle=True, pin_memory=True)
    losses = []
    for _ in range(10):
        for x, y in batches:
            x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            losses.append(loss.item())
    assert losses[-1] < losses[0]
    model.eval()
    right = sum((model(x.cuda()).argmax(1) == y.cuda()).float().sum().item() for x, y in batches)
    assert right > 20
    state = model.state_dict()
    assert {t.device.type for t in saved(state).values()} == {"cuda"}
    for place in ("cpu", nbmodule.device("cpu"), lambda storage, where: storage.cpu()):
        assert {t.device.type for t in saved(state, map_location=place).values()} == {"cpu"}
    assert copy.deepcopy(model)[1].weight.is_cuda


def test_resuming_is_exact(gpu):
    """Weights, optimizer and generators saved on the GPU; the same steps after as without the break."""

    def begin():
        model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 1)).cuda()
        return model, optim.Adam(model.parameters(), lr=0.1)

    def steps(model, optimizer):
        for _ in range(3):
            optimizer.zero_grad()
            model(nbmodule.randn(5, 4, device="cuda")).pow(2).mean().backward()
            optimizer.step()
        return [p.tolist() for p in model.parameters()]

    nbmodule.manual_seed(0)
    model, optimizer = begin()
    steps(model, optimizer)
    states = {
        "model": model.state_dict(), "optimizer": optimizer.state_dict(),
        "rng": nbmodule.get_rng_state(), "cuda": nbmodule.cuda.get_rng_state_all(),
    }  # fmt: skip
    states = saved(states, map_location="cpu")
    expected = steps(model, optimizer)
    model, optimizer = begin()
    model.load_state_dict(states["model"])
    optimizer.load_state_dict(states["optimizer"])
    nbmodule.set_rng_state(states["rng"])
    nbmodule.cuda.set_rng_state_all(states["cuda"])
    assert steps(model, optimizer) == expected


def test_a_generator_for_the_gpu(gpu):
    generator = nbmodule.Generator(device="cuda").manual_seed(3)
    first = nbmodule.randn(4, device="cuda", generator=generator).tolist()
    assert nbmodule.randn(4, device="cuda", generator=generator.manual_seed(3)).tolist() == first
    assert nbmodule.randn(4, generator=nbmodule.Generator().manual_seed(3)).tolist() == first


@pytest.mark.parametrize(("home", "other"), [("cpu", "cuda"), ("cuda", "cpu")])
def test_a_step_with_states_elsewhere(gpu, home, other):
    """Parameters take their gradients along, but what the optimizer remembers stays."""
    model = nn.Linear(2, 2, device=home)
    optimizer = optim.Adam(model.parameters())
    model(nbmodule.ones(1, 2, device=home)).sum().backward()
    optimizer.step()
    model.to(other)
    with pytest.raises(
        RuntimeError, match=r"found at least two devices, (cpu and cuda:0|cuda:0 and cpu)!"
    ):
        optimizer.step()
    optimizer.load_state_dict(optimizer.state_dict())
    optimizer.step()


def test_pinned_memory_may_be_written_to_after_a_copy(gpu):
    x = nbmodule.ones(1 << 16).pin_memory()
    y = x.to("cuda")
    x.zero_()
    assert y.min() == 1
    with pytest.raises(RuntimeError, match="storage of a tensor on device"):
        y.set_(x)


def test_matrices_that_are_not_as_they_must_be(gpu):
    """CuPy itself returns numbers that mean nothing."""
    singular, wrong = nbmodule.ones(2, 2, device="cuda"), nbmodule.eye(2, device="cuda").neg()
    for function in (nbmodule.linalg.inv, lambda a: nbmodule.linalg.solve(a, a)):
        for a in (singular, nbmodule.stack([wrong, singular])):
            with pytest.raises(nbmodule.linalg.LinAlgError, match="singular"):
                function(a)
    for a in (wrong, nbmodule.stack([wrong.neg(), wrong])):
        with pytest.raises(nbmodule.linalg.LinAlgError, match="minor of order 1"):
            nbmodule.linalg.cholesky(a)
    assert nbmodule.linalg.det(singular).item() == 0
    x = nbmodule.linalg.solve(nbmodule.eye(2, device="cuda").expand(3, 2, 2), wrong)
    assert x.tolist() == [wrong.tolist()] * 3


class OnTwoCards(nn.Module):
    """A network whose halves lie on two GPUs."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(3, 4).to("cuda:0"), nn.Linear(4, 2).to("cuda:1")
        self.norm = nn.BatchNorm1d(4, device="cuda:1")

    def forward(self, x):
        return self.second(self.norm(self.first(x.to("cuda:0")).relu().to("cuda:1")))


@pytest.mark.parametrize("kind", ON_TWO_CARDS)
def test_a_model_on_two_cards(two_cards, kind):
    """Steps, clipping, files and copies leave each half where it is, and compute what one card does."""

    def trained(model, other):
        optimizer = getattr(optim, kind)(model.parameters())
        for step in range(4):
            loss = F.mse_loss(model(x.to("cuda:0")), nbmodule.zeros(5, 2, device=other))
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            nn.utils.clip_grad_value_(model.parameters(), 0.4)
            optimizer.step()
            if step == 1:
                states = saved((model.state_dict(), optimizer.state_dict()))
                model = copy.deepcopy(model)
                optimizer = getattr(optim, kind)(model.parameters())
                model.load_state_dict(states[0])
                optimizer.load_state_dict(states[1])
        return model

    x, model = nbmodule.randn(5, 3), OnTwoCards()
    near = nn.Sequential(*copy.deepcopy([model.first, nn.ReLU(), model.norm, model.second])).cuda()
    far, near = trained(model, "cuda:1"), trained(near, "cuda:0")
    places = {name: p.device.index for name, p in far.named_parameters()}
    assert set(places.values()) == {0, 1}
    assert places["first.weight"] == 0
    expected = itertools.chain(near[0].parameters(), near[3].parameters(), near[2].parameters())
    for p, q in zip(far.parameters(), expected, strict=True):
        assert p.cpu().allclose(q.cpu(), atol=1e-6)
