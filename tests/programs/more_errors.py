"""Programs that raise, or whose file does not fit: each with the name of its disease."""

from __future__ import annotations

import copy

from .ran import caught
from .small import cls, ill, mlp, net, reg


@ill("forward-missing")
def foward(torch):
    nn = torch.nn

    class N(nn.Module):
        def __init__(self):
            super().__init__()
            self.o = nn.Linear(4, 1)

        def foward(self, x):
            return self.o(x)

    return dict(model=N(), x=torch.randn(3, 4))


@ill("channels-last")
def nhwc(torch):
    nn = torch.nn
    n = nn.Sequential(nn.Conv2d(3, 4, 3), nn.Flatten(), nn.Linear(4 * 36, 2))
    return dict(model=n, x=torch.randn(2, 8, 8, 3))


@ill("index-out-of-range")
def emb(torch):
    nn = torch.nn
    return dict(model=nn.Embedding(4, 3), x=torch.tensor([1, 4]))


@ill("transposed-weight")
def transp(torch):
    n = torch.nn.Linear(3, 5)
    f = {"weight": torch.randn(3, 5), "bias": torch.randn(5)}
    try:
        n.load_state_dict(f)
    except Exception as e:
        return dict(model=n, file=f, error=e)


@ill("file-not-loaded")
def notloaded(torch):
    return dict(
        model=mlp(torch.nn), x=torch.randn(3, 4), file=copy.deepcopy(mlp(torch.nn).state_dict())
    )


@ill("nan-in-forward")
def div0(torch):
    def forward(self, x):
        x = x - x
        return self.o(x / x.norm(dim=1, keepdim=True))

    return reg(torch, net(torch, forward, o=torch.nn.Linear(4, 1)))


@ill("none-returned")
def noreturn(torch):
    nn = torch.nn

    class N(nn.Module):
        def __init__(self):
            super().__init__()
            self.o = nn.Linear(4, 1)

        def forward(self, x):
            self.o(x)

    return dict(model=N(), x=torch.randn(8, 4))


@ill("missing-buffers")
def nobuffers(torch):
    n = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4))
    return dict(model=n, file={k: v.detach().clone() for k, v in n.named_parameters()})


@ill("device-mismatch")
def devices(torch):
    n = mlp(torch.nn)
    n[2] = torch.nn.Linear(16, 1, device="meta")
    return dict(model=n, x=torch.randn(8, 4))


@ill("input-not-tensor")
def array(torch):
    return dict(model=mlp(torch.nn), x=torch.randn(8, 4).numpy())


@ill("none-returned")
def nothing_returned(torch):
    nn = torch.nn

    def forward(self, x):
        self.o(x)

    r = cls(torch, net(torch, forward, o=nn.Linear(4, 3)))
    try:
        r["loss_fn"](r["model"](r["x"]), r["y"])
    except TypeError as error:
        r["error"] = error
    return r


@ill("no-module-in-container")
def list_in_sequential(torch):
    nn = torch.nn
    return dict(model=mlp(nn), error=caught(lambda: nn.Sequential([nn.Linear(2, 2)])))


@ill("name-with-dot")
def dot_in_a_name(torch):
    nn = torch.nn
    return dict(model=mlp(nn), error=caught(lambda: nn.ModuleDict({"block.1": nn.Linear(2, 2)})))


@ill("name-shadowed")
def name_of_a_method(torch):
    nn = torch.nn
    return dict(model=mlp(nn), error=caught(lambda: nn.ModuleDict({"keys": nn.Linear(2, 2)})))


@ill("layer-for-output")
def layer_for_its_output(torch):
    nn = torch.nn
    r = cls(torch, net(torch, lambda self, x: nn.ReLU(self.o(x)), o=nn.Linear(4, 3)))
    return r | dict(error=caught(lambda: r["loss_fn"](r["model"](r["x"]), r["y"])))


@ill("view-of-permuted")
def view_after_permute(torch):
    nn = torch.nn
    model = net(torch, lambda self, x: self.o(x.transpose(1, 2).view(32, -1)), o=nn.Linear(20, 3))
    r = cls(torch, model, x=torch.randn(32, 5, 4))
    return r | dict(error=caught(lambda: r["model"](r["x"])))
