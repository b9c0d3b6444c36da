"""One protocol, three libraries: nbmodule's Module, PyTorch's, and the class that the chapters build."""

import copy
import functools
import importlib
import pickle
import sys
from types import ModuleType, SimpleNamespace

import pytest


def nbmodule_library():
    import nbmodule

    return SimpleNamespace(
        Module=nbmodule.nn.Module,
        Parameter=nbmodule.nn.Parameter,
        ones=nbmodule.ones,
        zeros=nbmodule.zeros,
        no_grad=nbmodule.no_grad,
    )


def torch_library():
    torch = pytest.importorskip("torch", reason="the referee: pip install torch")
    return SimpleNamespace(
        Module=torch.nn.Module,
        Parameter=torch.nn.Parameter,
        ones=torch.ones,
        zeros=torch.zeros,
        no_grad=torch.no_grad,
    )


def readers_library():
    """The class of a reader who has solved all chapters; its parameters are nbmodule's."""
    module = ModuleType("my_module")
    exec(readers_code(), vars(module))
    sys.modules["my_module"] = module  # pickle looks for the class there
    library = nbmodule_library()
    library.Module = module.Module
    return library


@functools.cache
def readers_code():
    solved = importlib.import_module("nbmodule_course.mine.solved")
    return compile(solved.solved_text(), "my_module.py", "exec")


LIBRARIES = [
    pytest.param(nbmodule_library, id="nbmodule"),
    pytest.param(torch_library, id="torch", marks=pytest.mark.torch),
    pytest.param(readers_library, id="reader"),
]


@pytest.fixture(params=LIBRARIES)
def lib(request):
    yield request.param()
    sys.modules.pop("my_module", None)


def net_of(lib):
    """Return a Module with a parameter, a child with a parameter, and a plain attribute."""

    class Child(lib.Module):
        def __init__(self):
            super().__init__()
            self.v = lib.Parameter(lib.ones(3))

    class Net(lib.Module):
        def __init__(self):
            super().__init__()
            self.w = lib.Parameter(lib.ones(2))
            self.child = Child()
            self.size = 5

        def forward(self, x, scale=1):
            return x * self.w * scale

    return Net()


# ---- construction


def test_a_fresh_module_has_its_drawers(lib):
    m = lib.Module()
    assert vars(m)["training"] is True
    for drawer in ("_parameters", "_buffers", "_modules"):
        assert vars(m)[drawer] == {}


def test_every_module_has_drawers_of_its_own(lib):
    assert lib.Module()._parameters is not lib.Module()._parameters


def test_nothing_is_assigned_before_init(lib):
    class Early(lib.Module):
        def __init__(self):
            self.w = lib.Parameter(lib.ones(1))

    with pytest.raises(AttributeError):
        Early()


def test_plain_values_may_come_before_init(lib):
    class Early(lib.Module):
        def __init__(self):
            self.size = 3
            super().__init__()

    assert Early().size == 3


# ---- registration by assignment


def test_values_go_to_their_drawers(lib):
    m = net_of(lib)
    assert list(m._parameters) == ["w"]
    assert list(m._modules) == ["child"]
    assert vars(m)["size"] == 5
    assert "w" not in vars(m)


def test_what_was_assigned_is_found(lib):
    m = net_of(lib)
    assert m.w is m._parameters["w"]
    assert m.child is m._modules["child"]


@pytest.mark.parametrize("name", ["w", "child"])
def test_a_wrong_value_is_refused_and_changes_nothing(lib, name):
    m = net_of(lib)
    before = getattr(m, name)
    with pytest.raises(TypeError):
        setattr(m, name, 5)
    assert getattr(m, name) is before


@pytest.mark.parametrize("name", ["w", "child"])
def test_none_keeps_the_place(lib, name):
    m = net_of(lib)
    setattr(m, name, None)
    assert getattr(m, name) is None
    assert name in m._parameters or name in m._modules


def test_a_name_lives_in_one_place(lib):
    m = net_of(lib)
    m.size = lib.Parameter(lib.ones(1))
    assert "size" not in vars(m)
    assert "size" in m._parameters
    m.child = lib.Parameter(lib.ones(1))
    assert "child" not in m._modules
    assert "child" in m._parameters


def test_a_buffer_keeps_its_drawer(lib):
    m = lib.Module()
    m._buffers["b"] = lib.zeros(1)
    m.b = lib.ones(2)
    assert tuple(m._buffers["b"].shape) == (2,)
    with pytest.raises(TypeError):
        m.b = 5


@pytest.mark.parametrize("name", ["w", "child", "size"])
def test_deleted_is_gone(lib, name):
    m = net_of(lib)
    delattr(m, name)
    assert not hasattr(m, name)
    with pytest.raises(AttributeError):
        delattr(m, name)


def test_what_is_missing_is_named(lib):
    with pytest.raises(AttributeError, match="'Net' object has no attribute 'nope'"):
        net_of(lib).nope  # noqa: B018


def test_dir_lists_the_drawers(lib):
    names = dir(net_of(lib))
    assert {"w", "child", "size", "training"} <= set(names)
    assert names == sorted(names)


# ---- registration by method


def test_registering_by_method(lib):
    m = lib.Module()
    m.register_parameter("p", lib.Parameter(lib.ones(1)))
    m.register_buffer("b", lib.ones(1))
    m.add_module("c", net_of(lib))
    assert [list(d) for d in (m._parameters, m._buffers, m._modules)] == [["p"], ["b"], ["c"]]


@pytest.mark.parametrize("name", ["", "a.b", "training"])
def test_names_that_are_refused(lib, name):
    m = lib.Module()
    with pytest.raises(KeyError):
        m.register_parameter(name, lib.Parameter(lib.ones(1)))
    with pytest.raises(KeyError):
        m.register_buffer(name, lib.ones(1))
    with pytest.raises(KeyError):
        m.add_module(name, net_of(lib))


def test_a_buffer_that_is_not_kept(lib):
    m = lib.Module()
    m.register_buffer("b", lib.ones(1), persistent=False)
    assert "b" not in m.state_dict()
    assert dict(m.named_buffers()).keys() == {"b"}


# ---- traversal


def test_paths(lib):
    m = net_of(lib)
    assert [name for name, _ in m.named_parameters()] == ["w", "child.v"]
    assert [name for name, _ in m.named_modules()] == ["", "child"]
    assert [name for name, _ in m.named_parameters(recurse=False)] == ["w"]
    assert [name for name, _ in m.named_parameters(prefix="net")] == ["net.w", "net.child.v"]


def test_what_occurs_twice_is_visited_once(lib):
    m = net_of(lib)
    m.again = m.child
    assert len(list(m.parameters())) == 2
    assert len(list(m.named_parameters(remove_duplicate=False))) == 3


def test_by_path(lib):
    m = net_of(lib)
    assert m.get_submodule("child") is m.child
    assert m.get_parameter("child.v") is m.child.v
    m.set_submodule("child", net_of(lib))
    assert m.get_parameter("child.child.v").shape == (3,)
    with pytest.raises(AttributeError):
        m.get_submodule("child.nope")


def test_apply_goes_from_below(lib):
    seen = []
    net_of(lib).apply(lambda module: seen.append(type(module).__name__))
    assert seen == ["Child", "Net"]


# ---- modes and gradients


def test_train_and_eval(lib):
    m = net_of(lib)
    assert m.eval() is m
    assert not m.child.training
    m.train()
    assert m.child.training
    with pytest.raises(ValueError, match="boolean"):
        m.train("yes")


def test_freezing(lib):
    m = net_of(lib)
    m.requires_grad_(False)
    assert not any(p.requires_grad for p in m.parameters())


def test_gradients_are_cleared(lib):
    m = net_of(lib)
    m(lib.ones(2)).sum().backward()
    m.zero_grad(set_to_none=False)
    assert m.w.grad.tolist() == [0.0, 0.0]
    m.zero_grad()
    assert m.w.grad is None


def test_a_cast_keeps_the_parameters(lib):
    m = net_of(lib)
    w = m.w
    m.double()
    assert m.w is w
    assert str(w.dtype).endswith("float64")


# ---- state


def test_state_goes_round(lib):
    m, other = net_of(lib), net_of(lib)
    with lib.no_grad():
        m.child.v.fill_(7)
    keys = other.load_state_dict(m.state_dict())
    assert keys.missing_keys == []
    assert keys.unexpected_keys == []
    assert other.child.v.tolist() == [7.0, 7.0, 7.0]
    assert other.child.v is not m.child.v


def test_state_is_checked(lib):
    m = net_of(lib)
    state = m.state_dict()
    del state["w"]
    state["odd"] = lib.ones(1)
    with pytest.raises(RuntimeError, match=r'Missing key.*"w"'):
        m.load_state_dict(state)
    keys = m.load_state_dict(state, strict=False)
    assert (keys.missing_keys, keys.unexpected_keys) == (["w"], ["odd"])


def test_a_wrong_shape_is_refused(lib):
    m = net_of(lib)
    state = {**m.state_dict(), "w": lib.ones(5)}
    with pytest.raises(RuntimeError, match="size mismatch for w"):
        m.load_state_dict(state, strict=False)


def test_state_hooks(lib):
    m, log = net_of(lib), []
    m.register_state_dict_pre_hook(lambda *args: log.append("pre"))
    m.register_state_dict_post_hook(lambda *args: log.append("post"))
    m.register_load_state_dict_pre_hook(lambda *args: log.append("load pre"))
    m.register_load_state_dict_post_hook(lambda *args: log.append("load post"))
    m.load_state_dict(m.state_dict())
    assert log == ["pre", "post", "load pre", "load post"]


def test_copies_are_apart(lib):
    m = net_of(lib)
    twin = copy.deepcopy(m)
    with lib.no_grad():
        twin.w.fill_(9)
    assert m.w.tolist() == [1.0, 1.0]


def test_pickle(lib):
    m = lib.Module()
    m.w = lib.Parameter(lib.ones(2))
    m.tied = m.w
    again = pickle.loads(pickle.dumps(m))
    assert again.w is again.tied
    assert again.w.tolist() == [1.0, 1.0]


# ---- calling and hooks


def test_a_call_runs_forward(lib):
    m = net_of(lib)
    assert m(lib.ones(2), scale=3).tolist() == [3.0, 3.0]
    with pytest.raises(NotImplementedError):
        lib.Module()(1)


def test_forward_hooks_change_what_passes(lib):
    m, x = net_of(lib), lib.ones(2)
    with m.register_forward_pre_hook(lambda module, args: args[0] * 2):
        with m.register_forward_hook(lambda module, args, out: out + 1):
            assert m(x).tolist() == [3.0, 3.0]
        assert m(x).tolist() == [2.0, 2.0]
    assert m(x).tolist() == [1.0, 1.0]


def test_hooks_run_in_order(lib):
    m, log = net_of(lib), []
    m.register_forward_hook(lambda *args: log.append("second"))
    m.register_forward_hook(lambda *args: log.append("third"))
    m.register_forward_hook(lambda *args: log.append("first"), prepend=True)
    m(lib.ones(2))
    assert log == ["first", "second", "third"]


def test_hooks_see_keywords(lib):
    m, seen = net_of(lib), []
    m.register_forward_hook(lambda mod, a, k, out: seen.append(k), with_kwargs=True)
    m(lib.ones(2), scale=4)
    assert seen == [{"scale": 4}]


def test_hooks_that_are_always_called(lib):
    m, seen = net_of(lib), []
    m.register_forward_hook(lambda mod, args, out: seen.append(out), always_call=True)
    with pytest.raises(TypeError):
        m()
    assert seen == [None]


def test_backward_hooks_see_gradients(lib):
    m, seen = net_of(lib), []
    m.register_full_backward_hook(lambda mod, grad_in, grad_out: seen.append((grad_in, grad_out)))
    x = lib.ones(2)
    x.requires_grad_()
    (m(x) * 3).sum().backward()
    ((grad_in,), (grad_out,)) = seen[0]
    assert grad_in.tolist() == [3.0, 3.0]
    assert grad_out.tolist() == [3.0, 3.0]


def test_backward_hooks_change_gradients(lib):
    m, x = net_of(lib), lib.ones(2)
    x.requires_grad_()
    m.register_full_backward_pre_hook(lambda mod, grad_out: (grad_out[0] * 10,))
    m.register_full_backward_hook(lambda mod, grad_in, grad_out: (grad_in[0] + 1,))
    m(x).sum().backward()
    assert x.grad.tolist() == [11.0, 11.0]
    assert m.w.grad.tolist() == [10.0, 10.0]


def test_repr_is_a_tree(lib):
    assert repr(net_of(lib)) == "Net(\n  (child): Child()\n)"
