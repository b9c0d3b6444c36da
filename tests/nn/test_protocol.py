"""One protocol, three libraries: nbmodule's Module, PyTorch's, and the class that the chapters build.

Each test says what it needs. The class of the reader has learned construction, assignment and look-up by
chapter 03; what comes later is skipped for it.
"""

import copy
import importlib
import pickle
from types import SimpleNamespace

import pytest


def nbmodule_library():
    import nbmodule

    return SimpleNamespace(
        Module=nbmodule.nn.Module,
        Parameter=nbmodule.nn.Parameter,
        ones=nbmodule.ones,
        zeros=nbmodule.zeros,
        no_grad=nbmodule.no_grad,
        complete=True,
    )


def torch_library():
    torch = pytest.importorskip("torch", reason="the referee: pip install torch")
    return SimpleNamespace(
        Module=torch.nn.Module,
        Parameter=torch.nn.Parameter,
        ones=torch.ones,
        zeros=torch.zeros,
        no_grad=torch.no_grad,
        complete=True,
    )


def readers_library():
    """The class of a reader who has solved all chapters; its parameters are nbmodule's."""
    solved = importlib.import_module("nbmodule_course.mine.solved")
    names = {"__name__": "my_module"}
    exec(solved.solved_text(), names)
    library = nbmodule_library()
    library.Module, library.complete = names["Module"], False
    return library


LIBRARIES = [
    pytest.param(nbmodule_library, id="nbmodule"),
    pytest.param(torch_library, id="torch", marks=pytest.mark.torch),
    pytest.param(readers_library, id="reader"),
]


@pytest.fixture(params=LIBRARIES)
def lib(request):
    return request.param()


@pytest.fixture
def whole(lib):
    """A library whose Module can do everything."""
    if not lib.complete:
        pytest.skip("the chapters do not come that far yet")
    return lib


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


def test_registering_by_method(whole):
    m = whole.Module()
    m.register_parameter("p", whole.Parameter(whole.ones(1)))
    m.register_buffer("b", whole.ones(1))
    m.add_module("c", net_of(whole))
    assert [list(d) for d in (m._parameters, m._buffers, m._modules)] == [["p"], ["b"], ["c"]]


@pytest.mark.parametrize("name", ["", "a.b", "training"])
def test_names_that_are_refused(whole, name):
    m = whole.Module()
    with pytest.raises(KeyError):
        m.register_parameter(name, whole.Parameter(whole.ones(1)))
    with pytest.raises(KeyError):
        m.register_buffer(name, whole.ones(1))
    with pytest.raises(KeyError):
        m.add_module(name, net_of(whole))


def test_a_buffer_that_is_not_kept(whole):
    m = whole.Module()
    m.register_buffer("b", whole.ones(1), persistent=False)
    assert "b" not in m.state_dict()
    assert dict(m.named_buffers()).keys() == {"b"}


# ---- traversal


def test_paths(whole):
    m = net_of(whole)
    assert [name for name, _ in m.named_parameters()] == ["w", "child.v"]
    assert [name for name, _ in m.named_modules()] == ["", "child"]
    assert [name for name, _ in m.named_parameters(recurse=False)] == ["w"]
    assert [name for name, _ in m.named_parameters(prefix="net")] == ["net.w", "net.child.v"]


def test_what_occurs_twice_is_visited_once(whole):
    m = net_of(whole)
    m.again = m.child
    assert len(list(m.parameters())) == 2
    assert len(list(m.named_parameters(remove_duplicate=False))) == 3


def test_by_path(whole):
    m = net_of(whole)
    assert m.get_submodule("child") is m.child
    assert m.get_parameter("child.v") is m.child.v
    m.set_submodule("child", net_of(whole))
    assert m.get_parameter("child.child.v").shape == (3,)
    with pytest.raises(AttributeError):
        m.get_submodule("child.nope")


def test_apply_goes_from_below(whole):
    seen = []
    net_of(whole).apply(lambda module: seen.append(type(module).__name__))
    assert seen == ["Child", "Net"]


# ---- modes and gradients


def test_train_and_eval(whole):
    m = net_of(whole)
    assert m.eval() is m
    assert not m.child.training
    m.train()
    assert m.child.training
    with pytest.raises(ValueError, match="boolean"):
        m.train("yes")


def test_freezing(whole):
    m = net_of(whole)
    m.requires_grad_(False)
    assert not any(p.requires_grad for p in m.parameters())


def test_gradients_are_cleared(whole):
    m = net_of(whole)
    m(whole.ones(2)).sum().backward()
    m.zero_grad(set_to_none=False)
    assert m.w.grad.tolist() == [0.0, 0.0]
    m.zero_grad()
    assert m.w.grad is None


def test_a_cast_keeps_the_parameters(whole):
    m = net_of(whole)
    w = m.w
    m.double()
    assert m.w is w
    assert str(w.dtype).endswith("float64")


# ---- state


def test_state_goes_round(whole):
    m, other = net_of(whole), net_of(whole)
    with whole.no_grad():
        m.child.v.fill_(7)
    keys = other.load_state_dict(m.state_dict())
    assert keys.missing_keys == []
    assert keys.unexpected_keys == []
    assert other.child.v.tolist() == [7.0, 7.0, 7.0]
    assert other.child.v is not m.child.v


def test_state_is_checked(whole):
    m = net_of(whole)
    state = m.state_dict()
    del state["w"]
    state["odd"] = whole.ones(1)
    with pytest.raises(RuntimeError, match=r'Missing key.*"w"'):
        m.load_state_dict(state)
    keys = m.load_state_dict(state, strict=False)
    assert (keys.missing_keys, keys.unexpected_keys) == (["w"], ["odd"])


def test_a_wrong_shape_is_refused(whole):
    m = net_of(whole)
    state = {**m.state_dict(), "w": whole.ones(5)}
    with pytest.raises(RuntimeError, match="size mismatch for w"):
        m.load_state_dict(state, strict=False)


def test_state_hooks(whole):
    m, log = net_of(whole), []
    m.register_state_dict_pre_hook(lambda *args: log.append("pre"))
    m.register_state_dict_post_hook(lambda *args: log.append("post"))
    m.register_load_state_dict_pre_hook(lambda *args: log.append("load pre"))
    m.register_load_state_dict_post_hook(lambda *args: log.append("load post"))
    m.load_state_dict(m.state_dict())
    assert log == ["pre", "post", "load pre", "load post"]


def test_copies_are_apart(whole):
    m = net_of(whole)
    twin = copy.deepcopy(m)
    with whole.no_grad():
        twin.w.fill_(9)
    assert m.w.tolist() == [1.0, 1.0]


def test_pickle(whole):
    m = whole.Module()
    m.w = whole.Parameter(whole.ones(2))
    m.tied = m.w
    again = pickle.loads(pickle.dumps(m))
    assert again.w is again.tied
    assert again.w.tolist() == [1.0, 1.0]


# ---- calling and hooks


def test_a_call_runs_forward(whole):
    m = net_of(whole)
    assert m(whole.ones(2), scale=3).tolist() == [3.0, 3.0]
    with pytest.raises(NotImplementedError):
        whole.Module()(1)


def test_forward_hooks_change_what_passes(whole):
    m, x = net_of(whole), whole.ones(2)
    with m.register_forward_pre_hook(lambda module, args: args[0] * 2):
        with m.register_forward_hook(lambda module, args, out: out + 1):
            assert m(x).tolist() == [3.0, 3.0]
        assert m(x).tolist() == [2.0, 2.0]
    assert m(x).tolist() == [1.0, 1.0]


def test_hooks_run_in_order(whole):
    m, log = net_of(whole), []
    m.register_forward_hook(lambda *args: log.append("second"))
    m.register_forward_hook(lambda *args: log.append("third"))
    m.register_forward_hook(lambda *args: log.append("first"), prepend=True)
    m(whole.ones(2))
    assert log == ["first", "second", "third"]


def test_hooks_see_keywords(whole):
    m, seen = net_of(whole), []
    m.register_forward_hook(lambda mod, a, k, out: seen.append(k), with_kwargs=True)
    m(whole.ones(2), scale=4)
    assert seen == [{"scale": 4}]


def test_hooks_that_are_always_called(whole):
    m, seen = net_of(whole), []
    m.register_forward_hook(lambda mod, args, out: seen.append(out), always_call=True)
    with pytest.raises(TypeError):
        m()
    assert seen == [None]


def test_backward_hooks_see_gradients(whole):
    m, seen = net_of(whole), []
    m.register_full_backward_hook(lambda mod, grad_in, grad_out: seen.append((grad_in, grad_out)))
    x = whole.ones(2)
    x.requires_grad_()
    (m(x) * 3).sum().backward()
    ((grad_in,), (grad_out,)) = seen[0]
    assert grad_in.tolist() == [3.0, 3.0]
    assert grad_out.tolist() == [3.0, 3.0]


def test_backward_hooks_change_gradients(whole):
    m, x = net_of(whole), whole.ones(2)
    x.requires_grad_()
    m.register_full_backward_pre_hook(lambda mod, grad_out: (grad_out[0] * 10,))
    m.register_full_backward_hook(lambda mod, grad_in, grad_out: (grad_in[0] + 1,))
    m(x).sum().backward()
    assert x.grad.tolist() == [11.0, 11.0]
    assert m.w.grad.tolist() == [10.0, 10.0]


def test_repr_is_a_tree(whole):
    assert repr(net_of(whole)) == "Net(\n  (child): Child()\n)"
