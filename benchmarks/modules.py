"""Work on modules to time: single ones, and a tree of 10 111 of them. Each function takes the library."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from types import ModuleType
from typing import Any

Work = Callable[[], Any]


def tree(t: ModuleType, modules: int = 10_000) -> Any:
    """Return a tree of about so many modules, three levels deep; 10 000 make 19 800 small parameters."""
    nn = t.nn

    def layers() -> Any:
        return nn.Sequential(*(nn.Linear(4, 4) for _ in range(modules // 100 - 1)), nn.ReLU())

    def block() -> Any:
        return nn.Sequential(*(layers() for _ in range(10)))

    return nn.Sequential(*(block() for _ in range(10)))


def exhausted(iterator: Any) -> None:
    """Take everything from `iterator`."""
    for _ in iterator:
        pass


# ---- single modules


def call_identity(t: ModuleType) -> Work:
    identity = t.nn.Identity()
    return lambda: identity(1)


def call_with_forward_hook(t: ModuleType) -> Work:
    identity = t.nn.Identity()
    identity.register_forward_hook(lambda module, args, output: None)
    return lambda: identity(1)


def call_with_pre_hook(t: ModuleType) -> Work:
    identity = t.nn.Identity()
    identity.register_forward_pre_hook(lambda module, args: None)
    return lambda: identity(1)


def call_with_hook_of_keywords(t: ModuleType) -> Work:
    identity = t.nn.Identity()
    identity.register_forward_hook(lambda module, args, kwargs, output: None, with_kwargs=True)
    return lambda: identity(input=1)


def call_with_backward_hook(t: ModuleType) -> Work:
    identity, x = t.nn.Identity(), t.ones(2, requires_grad=True)
    identity.register_full_backward_hook(lambda module, grad_input, grad_output: None)
    return lambda: identity(x)


def get_parameter(t: ModuleType) -> Work:
    layer = t.nn.Linear(4, 4)
    return lambda: layer.weight


def get_submodule(t: ModuleType) -> Work:
    net = t.nn.Module()
    net.layer = t.nn.Identity()
    return lambda: net.layer


def get_plain_attribute(t: ModuleType) -> Work:
    layer = t.nn.Linear(4, 4)
    return lambda: layer.in_features


def set_plain_attribute(t: ModuleType) -> Work:
    layer = t.nn.Linear(4, 4)
    return lambda: setattr(layer, "extra", 3)


def set_parameter(t: ModuleType) -> Work:
    layer, parameter = t.nn.Linear(4, 4), t.nn.Parameter(t.ones(1))
    return lambda: setattr(layer, "weight", parameter)


def set_submodule(t: ModuleType) -> Work:
    net, layer = t.nn.Module(), t.nn.Identity()
    return lambda: setattr(net, "layer", layer)


def make_linear(t: ModuleType) -> Work:
    return lambda: t.nn.Linear(4, 4)


def make_conv(t: ModuleType) -> Work:
    return lambda: t.nn.Conv2d(3, 8, 3)


def make_batch_norm(t: ModuleType) -> Work:
    return lambda: t.nn.BatchNorm2d(8)


def make_lstm(t: ModuleType) -> Work:
    return lambda: t.nn.LSTM(8, 8)


def make_embedding(t: ModuleType) -> Work:
    return lambda: t.nn.Embedding(20, 8)


def make_sequential(t: ModuleType) -> Work:
    layers = [t.nn.Identity() for _ in range(8)]
    return lambda: t.nn.Sequential(*layers)


def make_module_list(t: ModuleType) -> Work:
    layers = [t.nn.Identity() for _ in range(8)]
    return lambda: t.nn.ModuleList(layers)


# ---- a small network, as a training loop treats it


def small_network(t: ModuleType) -> Any:
    nn = t.nn
    return nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 4))  # fmt: skip


def parameters_of_small_network(t: ModuleType) -> Work:
    net = small_network(t)
    return lambda: list(net.parameters())


def zero_grad_of_small_network(t: ModuleType) -> Work:
    net = small_network(t)
    return net.zero_grad


def train_small_network(t: ModuleType) -> Work:
    return small_network(t).train


def freeze_small_network(t: ModuleType) -> Work:
    net = small_network(t)
    return lambda: net.requires_grad_(False)


def functional_call(t: ModuleType) -> Work:
    net, x = small_network(t), t.ones(2, 16)
    named = dict(net.named_parameters())
    return lambda: t.func.functional_call(net, named, (x,))


def many_gradients(t: ModuleType) -> list[Any]:
    """Return 200 small parameters that have gradients."""
    found = [t.nn.Parameter(t.ones(4, 4)) for _ in range(200)]
    for p in found:
        p.grad = t.ones(4, 4)
    return found


def clip_grad_norm(t: ModuleType) -> Work:
    parameters = many_gradients(t)
    return lambda: t.nn.utils.clip_grad_norm_(parameters, 1.0)


def parameters_to_vector(t: ModuleType) -> Work:
    parameters = many_gradients(t)
    return lambda: t.nn.utils.parameters_to_vector(parameters)


# ---- the tree


def build_tree(t: ModuleType) -> Work:
    return lambda: tree(t)


def named_modules_of_tree(t: ModuleType) -> Work:
    net = tree(t)
    return lambda: exhausted(net.named_modules())


def named_parameters_of_tree(t: ModuleType) -> Work:
    net = tree(t)
    return lambda: exhausted(net.named_parameters())


def state_dict_of_tree(t: ModuleType) -> Work:
    return tree(t).state_dict


def load_state_dict_of_tree(t: ModuleType) -> Work:
    net = tree(t)
    state = tree(t).state_dict()
    return lambda: net.load_state_dict(state)


def apply_to_tree(t: ModuleType) -> Work:
    net = tree(t)
    return lambda: net.apply(lambda module: None)


def zero_grad_of_tree(t: ModuleType) -> Work:
    return tree(t).zero_grad


def train_tree(t: ModuleType) -> Work:
    return tree(t).train


def convert_tree(t: ModuleType) -> Work:
    """From float32 to float64, and back."""
    net = tree(t)
    return lambda: net.to(t.float64).to(t.float32)


def deepcopy_tree(t: ModuleType) -> Work:
    net = tree(t)
    return lambda: copy.deepcopy(net)


def pickle_tree(t: ModuleType) -> Work:
    net = tree(t)
    return lambda: pickle.dumps(net)


MODULES: dict[str, Callable[[ModuleType], Work]] = {
    "module call": call_identity,
    "module call, one hook": call_with_forward_hook,
    "module call, one pre-hook": call_with_pre_hook,
    "module call, a hook with keywords": call_with_hook_of_keywords,
    "module call, one backward hook": call_with_backward_hook,
    "get a parameter": get_parameter,
    "get a submodule": get_submodule,
    "get a plain attribute": get_plain_attribute,
    "set a parameter": set_parameter,
    "set a submodule": set_submodule,
    "set a plain attribute": set_plain_attribute,
    "make a Linear": make_linear,
    "make a Conv2d": make_conv,
    "make a BatchNorm2d": make_batch_norm,
    "make an LSTM": make_lstm,
    "make an Embedding": make_embedding,
    "make a Sequential": make_sequential,
    "make a ModuleList": make_module_list,
    "small network: parameters": parameters_of_small_network,
    "small network: zero_grad": zero_grad_of_small_network,
    "small network: train": train_small_network,
    "small network: requires_grad_": freeze_small_network,
    "small network: functional_call": functional_call,
    "clip_grad_norm_": clip_grad_norm,
    "parameters_to_vector": parameters_to_vector,
    "build": build_tree,
    "named_modules": named_modules_of_tree,
    "named_parameters": named_parameters_of_tree,
    "state_dict": state_dict_of_tree,
    "load_state_dict": load_state_dict_of_tree,
    "apply": apply_to_tree,
    "zero_grad": zero_grad_of_tree,
    "train": train_tree,
    "to": convert_tree,
    "deepcopy": deepcopy_tree,
    "pickle": pickle_tree,
}
"""The rows of the table; those of one word are about the tree."""
