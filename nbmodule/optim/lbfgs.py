"""L-BFGS: Newton's method with a curvature that is learned from the last steps.

Source: Liu and Nocedal, On the limited memory BFGS method for large scale optimization, 1989;
Nocedal and Wright, Numerical Optimization, chapter 7.2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._backend import namespace_of
from .._engine import wrap
from .._functions.joining import cat
from .._tensor import Tensor
from ..autograd import enable_grad, no_grad
from ._checks import check_rate
from ._line_search import _cubic_interpolate as _cubic_interpolate
from ._line_search import _strong_wolfe
from ._steps import scalar
from .optimizer import Optimizer

__all__ = ["LBFGS"]


class LBFGS(Optimizer):
    """Steps ``p += t * d`` with ``d = -H * gradient``; H estimates the inverse of the second derivatives.

    H is never stored. It follows from the last `history_size` pairs of a step s and the change y of the
    gradient along it, by the two-loop recursion. Each call of `step` makes up to `max_iter` such steps and
    evaluates the loss again for each, so that it needs a closure. There is one group of parameters only.

    Args:
        params: tensors (see `Optimizer`).
        lr: the length of a step, a number or a tensor of one element; where `line_search_fn` is set, the
            first length that is tried.
        max_iter: how many steps one call makes at most.
        max_eval: how often one call evaluates the loss at most; None: 1.25 times `max_iter`.
        tolerance_grad: stop when no element of the gradient is larger.
        tolerance_change: stop when neither loss nor parameters change by more.
        history_size: how many steps are remembered.
        line_search_fn: "strong_wolfe" to search the length of each step, or None to trust `lr`.

    Raises:
        ValueError: `lr` is negative or not one element, or there are several groups.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.LBFGS.html

    Example:
        >>> import nbmodule
        >>> w = nbmodule.tensor([-1.0, 1.5], dtype=nbmodule.float64, requires_grad=True)
        >>> optimizer = nbmodule.optim.LBFGS([w], line_search_fn="strong_wolfe")
        >>> def rosenbrock():
        ...     optimizer.zero_grad()
        ...     loss = (1 - w[0]) ** 2 + 100 * (w[1] - w[0] ** 2) ** 2
        ...     loss.backward()
        ...     return loss
        >>> for _ in range(3):
        ...     print(f"{optimizer.step(rosenbrock).item():.2g}", w.detach())
        29 tensor([0.3363, 0.0918], dtype=nbmodule.float64)
        0.49 tensor([1.0000, 1.0000], dtype=nbmodule.float64)
        3e-13 tensor([1.0000, 1.0000], dtype=nbmodule.float64)
    """

    def __init__(self, params: Any, lr: float | Tensor = 1, max_iter: int = 20, max_eval: int | None = None, tolerance_grad: float = 1e-7, tolerance_change: float = 1e-9, history_size: int = 100, line_search_fn: str | None = None) -> None:  # fmt: skip
        check_rate(lr)
        if max_eval is None:
            max_eval = max_iter * 5 // 4
        options = dict(lr=lr, max_iter=max_iter, max_eval=max_eval, tolerance_grad=tolerance_grad)
        options |= dict(tolerance_change=tolerance_change, history_size=history_size)
        super().__init__(params, options | dict(line_search_fn=line_search_fn))
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params: list[Tensor] = self.param_groups[0]["params"]
        self._numel_cache: int | None = None

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._params = self.param_groups[0]["params"]
        self._numel_cache = None

    # ---- all parameters as one vector

    def _numel(self) -> int:
        if self._numel_cache is None:
            self._numel_cache = sum(p.numel() for p in self._params)
        return self._numel_cache

    def _gather_flat_grad(self) -> Tensor:
        """Return the gradients of all parameters one after the other; 0 where there is none."""
        grads = [(p, p.grad) for p in self._params]
        return cat([p.new_zeros(p.numel()) if g is None else g.view(-1) for p, g in grads], 0)

    def _add_grad(self, step_size: Any, update: Tensor) -> None:
        """Add ``step_size * update`` to the parameters, of which `update` is one vector."""
        offset = 0
        for p in self._params:
            p.add_(update[offset : offset + p.numel()].view_as(p), alpha=step_size)
            offset += p.numel()
        if offset != self._numel():
            raise AssertionError(f"Expected offset {offset} to equal {self._numel()}")

    def _clone_param(self) -> list[Tensor]:
        return [p.clone() for p in self._params]

    def _set_param(self, params_data: list[Tensor]) -> None:
        for p, data in zip(self._params, params_data, strict=True):
            p.copy_(data)

    def _directional_evaluate(self, closure: Callable[[], Any], x: list[Tensor], t: Any, d: Tensor) -> tuple[float, Tensor]:  # fmt: skip
        """Return the loss and the gradient a step of length `t` away; the parameters go back to `x`."""
        self._add_grad(t, d)
        loss = float(closure())
        flat_grad = self._gather_flat_grad()
        self._set_param(x)
        return loss, flat_grad

    # ---- a step

    @no_grad()
    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]
        """Change the parameters, `max_iter` times at most.

        Args:
            closure: clears the gradients, computes the loss again, calls `backward` and returns the loss.

        Returns:
            What `closure` returned at first.
        """
        if len(self.param_groups) != 1:
            raise AssertionError(
                f"Expected exactly one param_group, but got {len(self.param_groups)}"
            )
        # the state is that of all parameters; under the first one it is cast when it is loaded
        known = self.state[self._params[0]]
        state = {name: list(v) if type(v) is list else v for name, v in known.items()}
        before = self._clone_param()
        try:
            loss = self._iterate(enable_grad()(closure), {"func_evals": 0, "n_iter": 0} | state)
        except BaseException:  # of the closure, or an interrupt: as if nothing had been
            with no_grad():
                self._set_param(before)
            raise
        return loss

    def _iterate(self, closure: Callable[[], Any], state: dict[str, Any]) -> Any:
        """Do a step, and keep `state` when it is done."""
        group = self.param_groups[0]
        lr = scalar(group["lr"])
        tolerance_grad, tolerance_change = group["tolerance_grad"], group["tolerance_change"]

        orig_loss = closure()
        loss = float(orig_loss)
        evals = 1
        state["func_evals"] += 1
        flat_grad = self._gather_flat_grad()
        if flat_grad.abs().max() <= tolerance_grad:
            self.state[self._params[0]].update(state)
            return orig_loss

        names = ("d", "t", "old_dirs", "old_stps", "ro", "H_diag", "prev_flat_grad", "prev_loss")
        known: dict[str, Any] = {name: state.get(name) for name in names}
        n_iter = 0
        while n_iter < group["max_iter"]:
            n_iter += 1
            state["n_iter"] += 1
            first = state["n_iter"] == 1
            if first:
                known |= dict(d=flat_grad.neg(), old_dirs=[], old_stps=[], ro=[], H_diag=1)
            else:
                _remember(known, flat_grad, group["history_size"])
                al = state.setdefault("al", [None] * group["history_size"])
                known["d"] = _direction(known, flat_grad, al)
            d = known["d"]
            known["prev_flat_grad"], known["prev_loss"] = flat_grad.clone(), loss

            # nothing is known of the curvature yet: the first step has a length of lr at most
            t = known["t"] = min(1.0, 1.0 / flat_grad.abs().sum()) * lr if first else lr
            slope = flat_grad.dot(d)
            if slope > -tolerance_change:
                break
            evals_before, settled = evals, False
            if group["line_search_fn"] is not None:
                if group["line_search_fn"] != "strong_wolfe":
                    raise RuntimeError("only 'strong_wolfe' is supported")
                loss, flat_grad, t, calls = _strong_wolfe(
                    lambda x, t, d: self._directional_evaluate(closure, x, t, d),
                    self._clone_param(), t, d, loss, flat_grad, slope, max_ls=group["max_eval"] - evals,
                )  # fmt: skip
                known["t"] = t
                self._add_grad(t, d)
                evals += calls
                settled = flat_grad.abs().max() <= tolerance_grad
            else:
                self._add_grad(t, d)
                if n_iter != group["max_iter"]:  # the last loss would be of no use
                    loss = float(closure())
                    flat_grad = self._gather_flat_grad()
                    evals += 1
                    settled = flat_grad.abs().max() <= tolerance_grad
            state["func_evals"] += evals - evals_before

            if n_iter == group["max_iter"] or evals >= group["max_eval"] or settled:
                break
            if d.mul(t).abs().max() <= tolerance_change:
                break
            if abs(loss - known["prev_loss"]) < tolerance_change:
                break
        self.state[self._params[0]].update(state | known)
        return orig_loss


def _remember(known: dict[str, Any], flat_grad: Tensor, history_size: int) -> None:
    """Take the last step s and the change y of the gradient into the memory, if the loss is convex there."""
    y = flat_grad.sub(known["prev_flat_grad"])
    s = known["d"].mul(known["t"])
    ys = y.dot(s)
    if not ys > 1e-10:
        return
    if len(known["old_dirs"]) == history_size:
        for name in ("old_dirs", "old_stps", "ro"):
            known[name].pop(0)
    known["old_dirs"].append(y)
    known["old_stps"].append(s)
    known["ro"].append(1.0 / ys)
    known["H_diag"] = ys / y.dot(y)  # the scale of the curvature along the last step


def _direction(known: dict[str, Any], flat_grad: Tensor, al: list[Any]) -> Tensor:
    """Return ``-H * gradient`` by the two-loop recursion over the pairs (y, s) that are remembered.

    Hundreds of products of vectors, so they are made of raw arrays.
    """
    q = -flat_grad._array
    xp = namespace_of[type(q)]
    remembered = zip(known["old_dirs"], known["old_stps"], known["ro"], strict=True)
    pairs = [(y._array, s._array, ro._array) for y, s, ro in remembered]
    for i, (y, s, ro) in reversed(list(enumerate(pairs))):
        al[i] = wrap(xp.asarray(s @ q * ro))  # a part of the state: a tensor, as in PyTorch
        q -= al[i]._array * y
    r = q * _raw(known["H_diag"])
    for i, (y, s, ro) in enumerate(pairs):
        r += (al[i]._array - y @ r * ro) * s
    return wrap(r)


def _raw(value: Any) -> Any:
    return value._array if isinstance(value, Tensor) else value
