"""The switches of a pass: the modes of the Modules, the random numbers, gradients on or off."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

from nbmodule_widgets.comparing.walking import Place
from nbmodule_widgets.facts.compiled import is_scripted
from nbmodule_widgets.protocol import attempt, class_attribute, own_dict, read

_LIBRARIES = ("torch", "nbmodule")


def libraries() -> list[Any]:
    """The libraries with tensors that have been imported."""
    return [sys.modules[name] for name in _LIBRARIES if name in sys.modules]


def set_mode(
    model: Any, places: list[Place], training: bool, kept: dict[int, bool] | None = None
) -> str:
    """Switches a model over, with its own `train()` or `eval()` if it has them.

    Args:
        model: The model.
        places: Its Modules.
        training: True for `train()`.
        kept: Flags that stay what they are in both modes, by the number of the Module.

    Returns:
        What had to be done instead, or the empty string.
    """
    said = _switched(model, places, training)
    for index, flag in (kept or {}).items():
        set_flag(places[index].module, flag)
    return said


def _switched(model: Any, places: list[Place], training: bool) -> str:
    name = "train" if training else "eval"
    if class_attribute(model, name) is not None:
        said = attempt(lambda: getattr(model, name)())
        if not said.problem:
            return ""
        why = f"`{name}()` raised {said.problem}"
    else:
        why = f"the class has no `{name}()`"
    for place in places:
        if place.reached:
            set_flag(place.module, training)
    return f"{why}: the `training` flags of all modules were set one by one"


def flag_of(module: object) -> bool | None:
    """The `training` flag of a Module; None if it has none that says yes or no."""
    found = own_dict(module).get("training", class_attribute(module, "training"))
    if type(found) is not bool:  # a property, or a flag in TorchScript
        found = read(module, "training").value
    return found if type(found) is bool else None


def set_flag(module: Any, flag: bool) -> None:
    """Sets the `training` flag of one Module; of a program of `torch.jit`, with all that lies in it."""
    if is_scripted(module):
        attempt(module.train, flag)
    else:
        own_dict(module)["training"] = flag


def odd_flags(places: list[Place], flags: list[bool | None]) -> dict[int, bool]:
    """The flags that are not that of the model itself, by the number of the Module.

    Args:
        places: The Modules; those out of reach of `train()` and `eval()` do not count.
        flags: Their flags.
    """
    found = {}
    for place in places:
        flag = flags[place.index]
        if place.reached and flags[0] is not None and flag is not None and flag is not flags[0]:
            found[place.index] = flag
    return found


def seed_all(seed: int) -> None:
    """Starts every global random generator anew: Python's, NumPy's, the libraries'."""
    random.seed(seed)
    np.random.seed(seed % 2**32)  # noqa: NPY002  # what a reader's own module may draw from
    for library in libraries():
        generator = getattr(library, "default_generator", None)
        # `torch.manual_seed` would leave a call behind for a CUDA that nobody has asked for.
        attempt((generator or library).manual_seed, seed)
    cuda = _cuda()
    if cuda is not None:
        attempt(cuda.manual_seed_all, seed)


def _cuda() -> Any:
    """`torch.cuda` if it is in use: to ask anything else of it would start it."""
    cuda = sys.modules.get("torch.cuda")
    return cuda if cuda is not None and attempt(cuda.is_initialized).value is True else None


@contextmanager
def gradients(wanted: bool) -> Iterator[None]:
    """Turns the recording of graphs on or off in all libraries."""
    with ExitStack() as stack:
        for library in libraries():
            how = getattr(library, "enable_grad" if wanted else "no_grad", None)
            if how is not None:
                stack.enter_context(how())
        yield


@contextmanager
def step_by_step() -> Iterator[None]:
    """Keeps the libraries from computing a whole layer in one piece under `eval()`, so that its parts can be heard."""
    switches = [sys.modules.get(f"{library}.backends.mha") for library in _LIBRARIES]
    on = [s for s in switches if attempt(lambda s=s: s.get_fastpath_enabled()).value is True]
    for switch in on:
        switch.set_fastpath_enabled(False)  # type: ignore[union-attr]
    try:
        yield
    finally:
        for switch in on:
            switch.set_fastpath_enabled(True)  # type: ignore[union-attr]


@contextmanager
def weighing(own: set[int]) -> Iterator[list[int]]:
    """Adds up what a pass keeps for `backward()`.

    Args:
        own: Addresses of memory that is there anyway: parameters, buffers, inputs.

    Yields:
        A list that will hold the bytes, and stays empty where the library does not tell.
    """
    torch = sys.modules.get("torch")
    kept: list[int] = []
    hooks = getattr(getattr(getattr(torch, "autograd", None), "graph", None), "saved_tensors_hooks", None)  # fmt: skip
    if hooks is None:
        yield kept
        return
    seen = set(own)

    def pack(tensor: Any) -> Any:
        try:  # without a detour: this is asked for each tensor that is kept
            storage = tensor.untyped_storage()
            place = storage.data_ptr()
            if place not in seen:
                seen.add(place)
                kept.append(storage.nbytes())
        except Exception:  # sparse, …
            pass
        return tensor

    with hooks(pack, lambda tensor: tensor):
        yield kept
