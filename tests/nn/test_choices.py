"""Where nbmodule's Module decides for itself."""

import gc
import weakref

import pytest

import nbmodule
from nbmodule import nn


def test_shared_memory_is_refused_and_nothing_changes():
    m = nn.Linear(1, 1)
    w = m.weight
    with pytest.raises(NotImplementedError, match="share_memory"):
        m.share_memory()
    assert m.weight is w


@pytest.mark.torch
def test_helpers_are_not_methods():
    """A subclass may use any name that PyTorch leaves free, also for private methods."""
    torch = pytest.importorskip("torch", reason="the referee: pip install torch")
    own = set(vars(nn.Module)) - set(dir(torch.nn.Module))
    assert own <= {"_repr_mimebundle_", "__slotnames__"}


@pytest.mark.parametrize(
    "register",
    [
        lambda m: m.register_forward_hook(lambda *args: None),
        lambda m: m.register_full_backward_hook(lambda *args: None),
        lambda m: m.register_load_state_dict_pre_hook(lambda *args: None),
    ],
)
def test_a_module_with_hooks_is_freed_by_counting(register):
    gc.disable()
    try:
        m = nn.Linear(1, 1)
        register(m)
        m(nbmodule.ones(1, 1, requires_grad=True)).sum().backward()
        gone = weakref.ref(m)
        del m
        assert gone() is None
    finally:
        gc.enable()


def test_no_layer_keeps_helpers_under_free_names():
    free = [name for name in vars(nn.Sequential) if name.startswith("_") and name[1] != "_"]
    assert set(free) <= {"_modules", "_version"}


def test_a_hook_in_the_graph_keeps_its_module():
    m, seen = nn.Linear(1, 1), []
    m.register_full_backward_hook(lambda module, grad_in, grad_out: seen.append(module))
    y = m(nbmodule.ones(1, 1, requires_grad=True))
    del m
    y.sum().backward()
    assert len(seen) == 1
