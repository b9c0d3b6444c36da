"""What the checks of appendix B use: worlds with replicas that aren't there, small Parameters, and a communicator of MPI."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import nbmodule
from nbmodule import tensor
from nbmodule.nn import Parameter

from ..worlds import run_replicas
from .lines import compiled, tried, vocabulary

_MEANING = {
    "p": "`p` is a Parameter, 1 and -2",
    "q": "`q` is a Parameter of shape (2, 1), 3 and 4",
    "r": "`r` is a Parameter of 3 numbers",
    "d": "`d` is a Parameter of 2 numbers in float64",
    "frozen": "`frozen` is a Parameter that requires no gradient",
    "Others": "`Others(n)` is a world with 4 replicas: the others send n in all for each number, and replica 0 has n more; `log` lists what is sent to them",
    "give": "`give` sets these gradients",
    "tried": "`tried` names the exception",
    "named": "`named` names the Parameters in each bucket",
    "Net": "`Net()` is a Module with Parameters w (2 numbers) and v (1), and buffers mean and count; Net()(x, False) doesn't use v",
    "x": "`x` has 2 rows",
    "quiet": "`quiet` calls the function in `no_grad`",
    "in_two": "`in_two` lets two replicas make a pass, of which the second one doesn't use everything, and shows the weights and gradients of both",
    "run_replicas": "`run_replicas` runs the function in two replicas",
    "comm": "`comm` is the communicator of process 1 of 3: the others send 10 for each number, and process 0 has 7 in all places",
}


class Others:
    """A world in which the other replicas send the same number in all places."""

    rank, size = 1, 4

    def __init__(self, number: float) -> None:
        self.number, self.log = number, []

    def allreduce(self, array: Any) -> np.ndarray:
        """Return the array with what the others have sent."""
        return self._noted("allreduce", array)

    def broadcast(self, array: Any) -> np.ndarray:
        """Return what replica 0 has: a bit more than this one."""
        return self._noted("broadcast", array)

    def _noted(self, what: str, array: Any) -> np.ndarray:
        if not isinstance(array, np.ndarray):
            raise TypeError(f"{what} takes a NumPy array, got {type(array).__name__}")
        self.log.append((what, array.ravel().tolist()))
        return np.asarray(array + np.array(self.number, array.dtype))


class _Communicator:
    """What mpi4py's communicators do with arrays, for a process whose partners are made up."""

    rank, size = 1, 3

    def Get_rank(self) -> int:
        return self.rank

    def Get_size(self) -> int:
        return self.size

    def Allreduce(self, sendbuf: Any, recvbuf: Any, op: Any = None) -> None:
        sent, received = _memory(sendbuf), _memory(recvbuf, written=True)
        if np.may_share_memory(sent, received):
            raise ValueError("invalid buffer pointer: buffers must not be aliased")
        if sent.dtype != received.dtype or sent.size != received.size:
            raise ValueError("message: buffers of different sizes or types")
        received[...] = sent + np.array(10, sent.dtype)

    def Bcast(self, buf: Any, root: int = 0) -> None:
        _memory(buf, written=True)[...] = 7 if root == 0 else -root

    def allreduce(self, sendobj: Any, op: Any = None) -> Any:
        return sendobj + 10

    def bcast(self, obj: Any, root: int = 0) -> Any:
        return np.full_like(obj, 7 if root == 0 else -root)


def _memory(given: Any, written: bool = False) -> np.ndarray:
    """Return the numbers of an array in the order in which they are in memory: MPI knows no other."""
    array = given[0] if isinstance(given, list | tuple) else given
    if not isinstance(array, np.ndarray):
        raise TypeError("message: expecting buffer or list/tuple")
    if not (array.flags.c_contiguous or array.flags.f_contiguous):
        raise ValueError("ndarray is not contiguous")
    if written and not array.flags.writeable:
        raise ValueError("the array is read-only")
    return array.reshape(-1, order="A")


def _net_on(base: type) -> type:
    class Net(base):
        def __init__(self) -> None:
            super().__init__()
            self.w, self.v = Parameter(tensor([1.0, -2.0])), Parameter(tensor([3.0]))
            self.register_buffer("mean", tensor([5.0]))
            self.register_buffer("count", tensor(4))

        def forward(self, x: Any, both: bool = True) -> Any:
            y = x * self.w
            return y * self.v if both else y

    return Net


def _quiet(call: Callable[[], Any]) -> Any:
    with nbmodule.no_grad():
        return call()


def _in_two(given: Any, Net: Any = None) -> list[Any]:
    def buckets(world: Any) -> Any:
        params = [Parameter(tensor([1.0, 2.0])) for _ in range(3)]
        made = given(params, world, 4)
        for each in params[world.rank : 2]:
            (each * 3).sum().backward()
        made.finish()
        return [each.grad for each in params]

    def wrapped(world: Any) -> Any:
        net, x = Net(), tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        net.w.detach().add_(world.rank)
        made = given(net, world)
        made(x[2 * world.rank : 2 + world.rank], world.rank == 0).mean().backward()
        made.finish()
        return net.w.detach(), net.w.grad, net.v.grad

    return run_replicas(2, wrapped if Net else buckets)


def _value_of(text: str, given: Any) -> Any:
    before, last = compiled(text)
    p, q = Parameter(tensor([1.0, -2.0])), Parameter(tensor([[3.0], [4.0]]))
    r, d = Parameter(tensor([5.0, 6.0, 7.0])), Parameter(tensor([1.0, 2.0]).double())
    frozen = Parameter(tensor([8.0]), requires_grad=False)
    letters = {id(each): name for name, each in zip("pqrdf", (p, q, r, d, frozen), strict=True)}

    def give(**grads: list[float]) -> None:
        for name, values in grads.items():
            param = {"p": p, "q": q, "r": r, "d": d}[name]
            param.grad = tensor(values, dtype=param.dtype).reshape(param.shape)

    names: dict[str, Any] = {
        "p": p, "q": q, "r": r, "d": d, "frozen": frozen, "give": give, "Others": Others, "comm": _Communicator(),
        "x": tensor([[1.0, 2.0], [3.0, 4.0]]), "quiet": _quiet, "run_replicas": run_replicas, "in_two": _in_two,
        "np": np, "tensor": tensor, "nbmodule": nbmodule, "Parameter": Parameter,
        "named": lambda buckets: [[letters.get(id(each), "?") for each in bucket] for bucket in buckets.buckets],
        "tried": tried,
        given.__name__: given,
    }  # fmt: skip
    if isinstance(given, type) and given.__bases__ != (object,):
        names["Net"] = _net_on(given.__bases__[0])
    with nbmodule.enable_grad():
        exec(before, names)
        return eval(last, names)


uses = vocabulary(_MEANING, _value_of)
