"""`GradScaler`: multiply the loss so that small gradients survive 16 bits, and divide the gradients again.

The scale is found by trial: after a step with an infinite gradient, which is left out, it shrinks; after
`growth_interval` good steps in a row it grows.

Source: https://docs.pytorch.org/docs/stable/amp.html#gradient-scaling, and Micikevicius et al., 2018,
https://arxiv.org/abs/1710.03740.
"""

from __future__ import annotations

import inspect
import math
import warnings
from collections import defaultdict
from collections.abc import Iterable
from enum import Enum
from typing import Any

from .. import _dtypes
from .._backend import namespace_of
from .._creation import full
from .._device import device as Device
from .._engine import to_the_end
from .._limits import finfo
from .._tensor import Tensor
from ..optim import Optimizer

__all__ = ["GradScaler", "OptState"]

NO_SCALE = (
    "Attempted {} but {} is None.  This may indicate your script did not use scaler.scale(loss or outputs) "
    "earlier in the iteration."
)
NO_NEW_SCALE = (
    "new_scale should be a float or a 1-element nbmodule.cuda.FloatTensor or nbmodule.FloatTensor with "
    "requires_grad=False."
)


class OptState(Enum):
    """How far an optimizer has come in this iteration: its gradients are scaled, are not, or are used."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


def _refresh_per_optimizer_state() -> dict[str, Any]:
    return {"stage": OptState.READY, "found_inf_per_device": {}}


class GradScaler:
    """Scale losses by a number s, divide gradients by it, and leave out steps with infinite gradients.

    `update` lets s follow what was found: s ← s · backoff_factor after an infinite or NaN gradient;
    s ← s · growth_factor after `growth_interval` iterations in a row without one.

    Args:
        device: the type of device that computes: "cpu" or "cuda". For "cuda" without a GPU it warns and does nothing.
        init_scale: s before the first `update`.
        growth_factor: more than 1.
        backoff_factor: less than 1.
        growth_interval: a number of iterations.
        enabled: False: `scale` returns what it gets, `step` calls ``optimizer.step()``, the others do nothing.

    Raises:
        AssertionError: a factor on the wrong side of 1.

    Source: https://docs.pytorch.org/docs/stable/amp.html#torch.amp.GradScaler

    Example:
        >>> import nbmodule
        >>> scaler = nbmodule.amp.GradScaler("cpu", init_scale=8.0)
        >>> w = nbmodule.tensor([1.0], requires_grad=True)
        >>> optimizer = nbmodule.optim.SGD([w], lr=0.1)
        >>> scaler.scale(w.square().sum()).backward()
        >>> w.grad
        tensor([16.])
        >>> scaler.step(optimizer)
        >>> scaler.update()
        >>> w, w.grad, scaler.get_scale()
        (tensor([0.8000], requires_grad=True), tensor([2.]), 8.0)
    """

    def __init__(self, device: str = "cuda", init_scale: float = 2.0**16, growth_factor: float = 2.0, backoff_factor: float = 0.5, growth_interval: int = 2000, enabled: bool = True) -> None:  # fmt: skip
        from .. import cuda

        self._device = device
        self._enabled = enabled
        if enabled and device == "cuda" and not cuda.is_available():
            warnings.warn(
                "nbmodule.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.",
                stacklevel=2,
            )
            self._enabled = False
        if not self._enabled:
            return
        if growth_factor <= 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if backoff_factor >= 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._init_scale = init_scale
        self._scale: Tensor | None = None  # made by `scale`, on the device of the first loss
        self._growth_factor = growth_factor
        self._backoff_factor = backoff_factor
        self._growth_interval = growth_interval
        self._init_growth_tracker = 0
        self._growth_tracker: Tensor | None = None  # good iterations in a row
        self._per_optimizer_states: dict[int, dict[str, Any]] = defaultdict(_refresh_per_optimizer_state)  # fmt: skip

    # ---- the loss

    def scale(self, outputs: Any) -> Any:
        """Return `outputs` times the scale.

        Args:
            outputs: a tensor, or an iterable of such, nested as may be; lists and tuples keep their type,
                other iterables become a `map`.

        Raises:
            ValueError: there is something else in it.
        """
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            if self._scale is None:
                self._lazy_init_scale_growth_tracker(outputs.device)
            return outputs * self._current("scale")[0].to(outputs.device)
        if isinstance(outputs, (list, tuple)):
            return type(outputs)(map(self.scale, outputs))
        if isinstance(outputs, Iterable):
            return map(self.scale, outputs)
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def _lazy_init_scale_growth_tracker(self, dev: Device) -> None:
        if self._growth_tracker is not None:
            raise AssertionError("_growth_tracker initialized before _scale")
        self._scale = full((), self._init_scale, dtype=_dtypes.float32, device=dev)
        self._growth_tracker = full((), self._init_growth_tracker, dtype=_dtypes.int32, device=dev)

    def _current(self, asker: str) -> tuple[Tensor, Tensor]:
        """Return the scale and the count of good iterations, as tensors."""
        if self._scale is None:
            raise AssertionError(NO_SCALE.format(asker, "_scale"))
        if self._growth_tracker is None:
            raise AssertionError(NO_SCALE.format(asker, "_growth_tracker"))
        return self._scale, self._growth_tracker

    # ---- the gradients

    def unscale_(self, optimizer: Optimizer) -> None:
        """Divide the gradients of `optimizer` by the scale, in place, and note whether they are finite.

        `step` does it where it was not done; by hand it is done to clip or look at gradients.

        Args:
            optimizer: whose parameters hold the gradients.

        Raises:
            RuntimeError: they are divided, or used, already.
            ValueError: a gradient is float16: what was lost in it is lost.
        """
        if not self._enabled:
            return
        scale, _ = self._current("unscale_")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.UNSCALED:
            raise RuntimeError(
                "unscale_() has already been called on this optimizer since the last update()."
            )
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        grads = _gradients(optimizer, allow_fp16=False)
        inverse, found = _inverse(scale.item()), _found_inf(grads)
        scaled = [g._array * namespace_of[type(g._array)].float32(inverse) for g in grads]

        def store() -> None:
            for grad, numbers in zip(grads, scaled, strict=True):
                grad._array[...] = numbers
            state.update(found_inf_per_device=found, stage=OptState.UNSCALED)

        to_the_end(store)

    def step(self, optimizer: Optimizer, *args: Any, **kwargs: Any) -> Any:
        """Divide the gradients, unless `unscale_` did; then step, if all of them are finite.

        Args:
            optimizer: what to step. One that says ``_step_supports_amp_scaling`` is always called and finds the
                scale in ``optimizer.grad_scale`` and whether to skip in ``optimizer.found_inf``.
            args: for ``optimizer.step``.
            kwargs: for ``optimizer.step``.

        Returns:
            what ``optimizer.step`` returns; None where it was left out.

        Raises:
            RuntimeError: it was stepped since the last `update`, or a closure is given.
            AssertionError: no loss was scaled, or there is no gradient.
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._current("step")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if getattr(optimizer, "_step_supports_amp_scaling", False):
            return self._step_of_fused(optimizer, state, args, kwargs)
        if state["stage"] is OptState.READY:
            self.unscale_(optimizer)
        if not state["found_inf_per_device"]:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        result = self._maybe_opt_step(optimizer, state, *args, **kwargs)
        state["stage"] = OptState.STEPPED
        return result

    def _maybe_opt_step(self, optimizer: Optimizer, optimizer_state: dict[str, Any], *args: Any, **kwargs: Any) -> Any:  # fmt: skip
        found = optimizer_state["found_inf_per_device"].values()
        return None if sum(f.item() for f in found) else optimizer.step(*args, **kwargs)

    def _step_of_fused(self, optimizer: Any, state: dict[str, Any], args: tuple, kwargs: dict) -> Any:  # fmt: skip
        """Step an optimizer that divides its gradients, and skips, by itself."""
        takes_scaler = "grad_scaler" in inspect.signature(optimizer.step).parameters
        if takes_scaler:
            warnings.warn(
                "GradScaler is going to stop passing itself as a keyword argument to the passed "
                "optimizer. In the near future GradScaler registers `grad_scale: Tensor` and "
                "`found_inf: Tensor` to the passed optimizer and let the optimizer use them directly.",
                FutureWarning,
                stacklevel=3,
            )
            kwargs["grad_scaler"] = self
        else:
            if state["stage"] is OptState.READY:
                self._check_inf_per_device(optimizer)
            scale, _ = self._current("step")
            given = getattr(optimizer, "grad_scale", None)
            if state["stage"] is not OptState.UNSCALED:
                given = scale if given is None else scale * given
            optimizer.grad_scale = given
            optimizer.found_inf = sum(
                f.to(scale.device) for f in state["found_inf_per_device"].values()
            )
        result = optimizer.step(*args, **kwargs)
        state["stage"] = OptState.STEPPED
        if not takes_scaler:
            del optimizer.grad_scale, optimizer.found_inf
        return result

    def _check_inf_per_device(self, optimizer: Optimizer) -> dict[Device, Tensor]:
        """Note whether the gradients are finite, and leave them as they are."""
        self._current("_check_inf_per_device")
        state = self._per_optimizer_states[id(optimizer)]
        state["found_inf_per_device"] = _found_inf(_gradients(optimizer, allow_fp16=True))
        return state["found_inf_per_device"]

    def _found_inf_per_device(self, optimizer: Optimizer) -> dict[Device, Tensor]:
        return self._per_optimizer_states[id(optimizer)]["found_inf_per_device"]

    # ---- the scale

    def update(self, new_scale: float | Tensor | None = None) -> None:
        """End the iteration: let the scale shrink or grow, as the gradients of all optimizers ask for.

        Args:
            new_scale: take this scale instead, a float or a tensor () of the scaler's device.

        Raises:
            AssertionError: no optimizer was stepped, or `new_scale` is something else.
        """
        if not self._enabled:
            return
        scale, tracker = self._current("update")
        good: Any = tracker
        if new_scale is None:
            states = self._per_optimizer_states.values()
            found = [f.item() for state in states for f in state["found_inf_per_device"].values()]
            if not found:
                raise AssertionError("No inf checks were recorded prior to update.")
            new_scale, good = self._following(scale, tracker, any(found))
        elif not isinstance(new_scale, float):
            given: Any = new_scale
            alike = given.device.type == self._device and given.numel() == 1
            if not alike or given.requires_grad:
                raise AssertionError(NO_NEW_SCALE)
            new_scale = given.item()

        def store() -> None:
            scale.fill_(new_scale)
            tracker.fill_(good)
            self._per_optimizer_states = defaultdict(_refresh_per_optimizer_state)

        to_the_end(store)

    def _following(self, scale: Tensor, tracker: Tensor, found_inf: bool) -> tuple[float, int]:
        """Return the next scale and count: it shrinks after an infinite gradient, and grows after enough good iterations."""
        if found_inf:
            return scale.item() * self._backoff_factor, 0
        good = tracker.item() + 1
        if good != self._growth_interval:
            return scale.item(), good
        grown = scale.item() * self._growth_factor
        fits = abs(grown) <= finfo(scale.dtype).max  # else it is as large as it can be
        return (grown if fits else scale.item()), 0

    def _get_scale_async(self) -> Tensor | None:
        return self._scale

    def get_scale(self) -> float:
        """Return the scale as a number; 1.0 where scaling is off."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else self._scale.item()

    def get_growth_factor(self) -> float:
        """Return what the scale is multiplied with when it grows."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Set what the scale is multiplied with when it grows to `new_factor`."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """Return what the scale is multiplied with when it shrinks."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Set what the scale is multiplied with when it shrinks to `new_factor`."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """Return after how many good iterations in a row the scale grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Set after how many good iterations in a row the scale grows to `new_interval`."""
        self._growth_interval = new_interval

    def _get_growth_tracker(self) -> int:
        if not self._enabled:
            return 0
        tracker = self._growth_tracker
        return self._init_growth_tracker if tracker is None else int(tracker.item())

    def is_enabled(self) -> bool:
        """Return whether losses are scaled."""
        return self._enabled

    # ---- saving

    def state_dict(self) -> dict[str, Any]:
        """Return the scale and its settings as plain numbers, after `update`; {} where scaling is off."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._get_growth_tracker(),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from what `state_dict` returned. Does nothing where scaling is off.

        Args:
            state_dict: the numbers.

        Raises:
            RuntimeError: there are none.
        """
        if not self._enabled:
            return
        if len(state_dict) == 0:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved "
                "from a disabled instance of GradScaler."
            )
        names = ("growth_factor", "backoff_factor", "growth_interval")
        new = {f"_{name}": state_dict[name] for name in names}
        new["_init_scale"] = scale = state_dict["scale"]
        new["_init_growth_tracker"] = tracker = state_dict["_growth_tracker"]

        def store() -> None:
            vars(self).update(new)
            if self._scale is not None:
                self._scale.fill_(scale)
            if self._growth_tracker is not None:
                self._growth_tracker.fill_(tracker)

        to_the_end(store)

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        if self._enabled:
            if self._per_optimizer_states:
                raise AssertionError(
                    "A GradScaler instance may only be pickled at the beginning "
                    "of an iteration, or at the end after scaler.update()."
                )
            # numbers in place of tensors: where they live is found out again
            state["_init_scale"] = self.get_scale()
            state["_init_growth_tracker"] = self._get_growth_tracker()
            state["_scale"] = state["_growth_tracker"] = None
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


def _inverse(scale: float) -> float:
    """Return 1 / `scale`, infinite for 0."""
    return 1.0 / scale if scale else math.copysign(math.inf, scale)


def _gradients(optimizer: Optimizer, allow_fp16: bool) -> list[Tensor]:
    """Return the gradients of the parameters of `optimizer`."""
    grads = []
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            if not isinstance(parameter, Tensor):
                raise AssertionError(
                    f"expected param to be nbmodule.Tensor, got {type(parameter).__name__}"
                )
            if parameter.grad is None:
                continue
            if not allow_fp16 and parameter.grad.dtype is _dtypes.float16:
                raise ValueError("Attempting to unscale FP16 gradients.")
            grads.append(parameter.grad)
    return grads


def _found_inf(grads: list[Tensor]) -> dict[Device, Tensor]:
    """Return for each device 1.0 where a gradient there is infinite or NaN, else 0.0, both as tensors ()."""
    found: dict[Device, Tensor] = {}
    for grad in grads:
        array = grad._array
        if grad.is_complex():
            raise NotImplementedError(
                '"_amp_foreach_non_finite_check_and_unscale_cpu" not implemented for '
                f"'{'ComplexFloat' if array.dtype.itemsize == 8 else 'ComplexDouble'}'"
            )
        if grad.device not in found:
            found[grad.device] = full((), 0.0, dtype=_dtypes.float32, device=grad.device)
        if not namespace_of[type(array)].isfinite(array).all():
            found[grad.device].fill_(1.0)
    return found
