"""A name without underscore is a PyTorch name, at PyTorch's path, with PyTorch's parameters and defaults."""

import importlib
import inspect
import json
import pkgutil
import sys
from pathlib import Path

import pytest
import recorded_cases

RECORDED = Path(__file__).with_name("torch_names.json")

PATHS = [
    "", "Tensor", "Generator", "autograd", "autograd.grad_mode", "autograd.functional", "autograd.anomaly_mode", "func", "nn", "nn.Module", "nn.Sequential", "nn.ModuleList", "nn.ModuleDict", "nn.ParameterList", "nn.ParameterDict", "nn.utils.stateless", "nn.functional", "nn.init",
    "nn.parameter", "nn.modules.module", "nn.modules.linear", "nn.modules.conv", "nn.modules.container", "nn.modules.activation",
    "nn.modules.dropout", "nn.modules.flatten", "nn.modules.loss", "nn.modules.pooling", "nn.modules", "nn.modules.adaptive", "nn.modules.batchnorm",
    "nn.modules.channelshuffle", "nn.modules.distance", "nn.modules.fold", "nn.modules.instancenorm", "nn.modules.lazy", "nn.modules.normalization",
    "nn.modules.padding", "nn.modules.pixelshuffle", "nn.modules.rnn", "nn.modules.sparse", "nn.modules.transformer", "nn.modules.upsampling", "nn.modules.utils",
    "nn.utils", "nn.utils.clip_grad", "nn.utils.convert_parameters", "nn.utils.fusion", "nn.utils.init", "nn.utils.memory_format", "nn.utils.parametrizations",
    "nn.utils.parametrize", "nn.utils.prune", "nn.utils.rnn", "nn.attention", "nn.attention.bias", "nn.grad", "optim", "optim.Optimizer", "optim.SGD",
    *(f"optim.{name}" for name in ("optimizer", "adadelta", "adagrad", "adam", "adamax", "adamw", "asgd", "lbfgs", "lr_scheduler", "nadam", "radam", "rmsprop", "rprop", "sgd", "sparse_adam", "swa_utils")),
    "utils.data", "utils.data.dataset", "utils.data.dataloader", "utils.data.distributed", "utils.data.sampler", "utils.data.DataLoader", "serialization", "random", "special", "testing", "functional", "autograd.graph", "utils.checkpoint", "utils.hooks",
    "amp", "amp.grad_scaler", "amp.autocast_mode", "cuda.amp", "cuda.amp.autocast_mode", "cuda.amp.grad_scaler",
]  # fmt: skip

# Python's own leftovers of an import, and the short list of names that PyTorch spells elsewhere.
OURS = {
    "annotations",
    "Any",
    "TypeVar",
    "TYPE_CHECKING",
    "Callable",
    "Sequence",
    "Iterator",
    "OrderedDict",
    "T",
    "M",
}
NOT_IN_TORCH = {
    "nn.modules.conv": {"F"},
    "nn.modules.flatten": set(),
    "nn.modules.container": set(),
    "utils.data.DataLoader": {
        "state_dict",
        "load_state_dict",
    },  # torchdata's: where a loader stands
}


COMPLETE = [
    "nn",
    "nn.modules",
    "nn.functional",
    "nn.init",
    "nn.utils",
    "nn.grad",
    *(
        p
        for p in PATHS
        if p.startswith(("nn.modules.", "nn.utils.", "optim", "utils.data", "amp", "cuda.amp"))
    ),
]
"""Where nothing of PyTorch's is missing but what follows."""

SIGNED = ("nn", "optim", "random", "utils", "serialization", "func", "autograd.functional", "amp", "cuda.amp")  # fmt: skip
"""How the places begin where parameters and defaults are compared, too."""

MISSING = {
    "nn": {"factory_kwargs"},
    "nn.functional": {
        # products of 8-bit floats, on accelerators
        *("grouped_mm", "scaled_mm", "scaled_grouped_mm", "ScalingType", "SwizzleType"),
        # what a subclass with __torch_function__ is asked
        *("has_torch_function", "has_torch_function_unary"),
        *("has_torch_function_variadic", "assert_int_or_pair"),
    },
    "utils.data": {
        *("IterDataPipe", "MapDataPipe", "DFIterDataPipe", "DataChunk", "functional_datapipe"),
        *("argument_validation", "runtime_validation", "runtime_validation_disabled"),
        *("guaranteed_datapipes_determinism", "non_deterministic"),
    },
}
"""What PyTorch has there, and nbmodule does not: `docs/compat.md` says why."""


def find(root, path):
    for step in path.split(".") if path else ():
        if hasattr(root, step):
            root = getattr(root, step)
        else:  # PyTorch deletes some modules from their package, which can be imported all the same
            root = importlib.import_module(f"{root.__name__}.{step}")
    return root


def own_names(owner):
    """The public names of a module or class that are defined in it, or, for packages, shown by it."""
    names = {n for n, v in vars(owner).items() if not n.startswith("_") and not inspect.ismodule(v)}
    if inspect.ismodule(owner) and not hasattr(owner, "__path__"):
        names = {
            n for n in names if getattr(getattr(owner, n), "__module__", None) == owner.__name__
        }
    return sorted(names)


def signature(f):
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return None
    simple = (int, float, str, bool, type(None))
    return [
        [p.name, p.kind.name, p.default if isinstance(p.default, simple) else None]
        for p in parameters
        if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]


@pytest.mark.parametrize("path", PATHS)
def test_public_names_are_pytorchs(path):
    import nbmodule

    recorded = set(json.loads(RECORDED.read_text(encoding="utf-8"))[path]["names"])
    ours = set(own_names(find(nbmodule, path))) - OURS - NOT_IN_TORCH.get(path, set())
    assert ours - recorded == set()


@pytest.mark.parametrize("path", COMPLETE)
def test_nothing_of_pytorchs_is_missing(path):
    import nbmodule

    recorded = set(json.loads(RECORDED.read_text(encoding="utf-8"))[path]["own"])
    here = set(dir(find(nbmodule, path)))
    assert recorded - here == MISSING.get(path, set())


@pytest.mark.parametrize(
    "path",
    [p for p in PATHS if p.startswith(SIGNED)],
)
def test_parameters_and_defaults_are_pytorchs(path):
    """Ours come in PyTorch's order; what PyTorch has more of comes after, or by keyword."""
    import nbmodule

    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))[path]["signatures"]
    owner = find(nbmodule, path)
    for name in own_names(owner):
        theirs, ours = recorded.get(name), signature(getattr(owner, name))
        if not theirs or ours is None:
            continue
        defaults = {n: default for n, _, default in theirs}
        assert [n for n, *_ in ours if n not in defaults] == [], (path, name)
        order = [n for n, *_ in theirs]
        places = [order.index(n) for n, *_ in ours]
        assert places == sorted(places), (path, name)
        for n, _, default in ours:
            assert default == defaults[n], (path, name, n)


def theirs(owner):
    """The public classes and functions that PyTorch itself defines and shows there."""
    if not inspect.ismodule(owner):
        return []
    found = {n: v for n, v in vars(owner).items() if not n.startswith("_") and callable(v)}
    home = (
        owner.__name__.removesuffix(".functional")
        if owner.__name__ == "torch.nn.functional"
        else owner.__name__
    )
    return sorted(
        n
        for n, v in found.items()
        if (getattr(v, "__module__", None) or "").startswith((home, "torch._C", "torch._VF"))
    )


AREAS = [
    "torch", "torch.Tensor", "torch.Generator", "torch.linalg", "torch.special", "torch.nn", "torch.nn.functional", "torch.nn.init",
    "torch.nn.utils", "torch.nn.utils.parametrizations", "torch.nn.utils.parametrize", "torch.nn.utils.prune", "torch.nn.utils.rnn",
    "torch.nn.utils.stateless", "torch.nn.attention", "torch.nn.attention.bias", "torch.nn.grad", "torch.nn.Module", "torch.optim",
    "torch.optim.Optimizer", "torch.optim.lr_scheduler", "torch.optim.swa_utils", "torch.utils.data", "torch.utils.checkpoint",
    "torch.utils.hooks", "torch.serialization", "torch.autograd", "torch.autograd.functional", "torch.autograd.graph",
    "torch.autograd.forward_ad", "torch.func", "torch.random", "torch.testing", "torch.cuda", "torch.accelerator", "torch.backends", "torch.storage",
]  # fmt: skip
"""What `docs/compat.md` speaks of, name by name; of the other packages it says why they are not here."""


def public(path):
    """The names that PyTorch shows at `path`: a class's public attributes, a module's `__all__` or own names."""
    owner = find(sys.modules["torch"], path.removeprefix("torch").lstrip("."))
    if inspect.isclass(owner):
        return sorted(n for n in dir(owner) if not n.startswith("_"))
    if path == "torch":  # but for the classes of TorchScript, which lie there too
        own = [n for n in theirs(owner) if not inspect.isclass(getattr(owner, n))]
        types = [n for n, v in vars(owner).items() if isinstance(v, owner.dtype)]
        shown = {*owner.__all__, *own, *types}
        return sorted(n for n in shown if type(getattr(owner, n)).__name__ != "pybind11_type")
    return sorted(n for n in getattr(owner, "__all__", None) or theirs(owner) if n[0] != "_")


def packages(path):
    """The public modules and packages that lie in PyTorch's package `path`."""
    owner = find(sys.modules["torch"], path.removeprefix("torch").lstrip("."))
    return [f"{path}.{m.name}" for m in pkgutil.iter_modules(owner.__path__) if m.name[0] != "_"]


def record_public():
    """Write `torch_public.json` anew, from which `docs/compat.md` is made."""
    names = {path: public(path) for path in AREAS}
    parents = ["torch", "torch.nn", "torch.optim", "torch.utils", "torch.autograd"]
    found = {"names": names, "packages": sorted(p for path in parents for p in packages(path))}
    recorded_cases.write(RECORDED.with_name("torch_public.json"), found, depth=3)


def record():
    """Write `torch_names.json` anew. Run with a Python that has torch: see CONTRIBUTING.md."""
    import torch

    found = {}
    for path in PATHS:
        owner = find(torch, path)
        names = sorted(n for n in dir(owner) if not n.startswith("_"))
        signatures = (
            {n: signature(getattr(owner, n)) for n in names if callable(getattr(owner, n))}
            if path.startswith(SIGNED)
            else {}
        )
        found[path] = {"names": names, "signatures": signatures, "own": theirs(owner)}
    recorded_cases.write(RECORDED, found, depth=3)


if __name__ == "__main__":
    record()
    record_public()
