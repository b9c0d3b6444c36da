"""One pass of the whole model: started alike each time, listened to, and noted for the table of combinations."""

from __future__ import annotations

import sys
from collections.abc import Container
from typing import Any

from nbmodule_widgets.comparing.buffers import Buffers
from nbmodule_widgets.comparing.listening import Around, Call, Heard, listening
from nbmodule_widgets.comparing.reading import copied, distance, look
from nbmodule_widgets.comparing.records import Combination
from nbmodule_widgets.comparing.switching import (
    gradients,
    seed_all,
    weighing,
)
from nbmodule_widgets.comparing.walking import Place
from nbmodule_widgets.facts.nests import tensors_in
from nbmodule_widgets.facts.random_state import drawn_between, random_states
from nbmodule_widgets.facts.words import decimal, visible
from nbmodule_widgets.protocol import attempt, class_attribute, drawer, read
from nbmodule_widgets.shadowing import forward_of

Inputs = tuple[tuple[Any, ...], dict[str, Any]]


class Runner:
    """Runs a model, always on copies of the same input.

    Args:
        model: The model.
        places: Its Modules.
        inputs: What to call it with.
        buffers: Its buffers.
        around: What to call in the place of each `forward` under `train()`.

    Attributes:
        combinations: What was noted for the table, by `(training, grad)`.
        passes: How often the model ran.
    """

    def __init__(
        self, model: Any, places: list[Place], inputs: Inputs, buffers: Buffers, around: Around
    ) -> None:
        self.model, self.places, self.inputs = model, places, inputs
        self.buffers, self.around = buffers, around
        self.combinations: dict[tuple[bool, bool], Combination] = {}
        self.passes = 0
        self._with_grad: dict[bool, Any] = {}

    def one(
        self, training: bool, grad: bool, seed: int, keep: Container[int] = (),
        places: list[Place] | None = None, table: bool = True, renew: bool = True,
    ) -> Heard:  # fmt: skip
        """One pass of the model.

        Args:
            training: The mode that it is in; for the record, nothing is switched.
            grad: Whether to record a graph.
            seed: For the random numbers.
            keep: Numbers of the Modules that are to be run again by themselves: what they are given is copied.
            places: The Modules to listen to; all of them if not given.
            table: Whether to note what a line of the table of combinations needs.
            renew: Whether the buffers start as they were at the beginning.
        """
        if renew:
            self.buffers.renew()
        inputs = copied(list(self.inputs), wants_grad=True)
        before = self.buffers.seen() if table else {}
        around = self.around if training else None
        listened = self.places if places is None else places
        seed_all(seed)
        states = random_states() if table else []
        self.passes += 1
        # Of PyTorch's operations alone is told what they keep.
        own = self._own_memory(inputs) if table and "torch" in sys.modules else set()
        with (
            listening(listened, keep, around) as heard,
            gradients(grad),
            weighing(own) as kept,
        ):
            said = attempt(self._call, inputs)
        first = said.problem.partition("\n")[
            0
        ]  # what follows is advice, and has its place below the cell
        heard.problem, heard.output = visible(first, 500), look(said.value)
        if 0 not in heard.calls and not heard.problem and forward_of(self.model) is None:
            heard.calls[0] = [Call(look(self.inputs), -1, heard.output)]  # only a `__call__`
            heard.counts[0] = 1
        if table:
            random = drawn_between(states, random_states())
            self.combinations[training, grad] = Combination(
                training,
                grad,
                heard.problem,
                _graph(said.value),
                random,
                self.buffers.moved(before, self.buffers.seen()),
                sum(kept) if _is_torch(said.value) else None,
                self._beside(heard, training, grad, random),
            )
        return heard

    def _call(self, inputs: Any) -> Any:
        """Calls the model as its reader would."""
        if class_attribute(self.model, "__call__") is not None:
            return self.model(*inputs[0], **inputs[1])
        return self.model.forward(*inputs[0], **inputs[1])

    def _own_memory(self, inputs: Any) -> set[int]:
        """Addresses of the memory that is there before a pass."""
        tensors = [tensor for _, tensor in tensors_in(inputs)]
        for place in self.places:
            for name in ("_parameters", "_buffers"):
                tensors += [value for _, value in drawer(place.module, name).entries]
        said = (attempt(lambda t=t: t.untyped_storage().data_ptr()) for t in tensors)
        return {each.value for each in said if not each.problem}

    def _beside(self, heard: Heard, training: bool, grad: bool, random: bool) -> str:
        """The output beside that of the same mode with gradients on."""
        if heard.problem:
            return ""
        if grad:
            self._with_grad[training] = heard.output
            return ""
        if training not in self._with_grad:
            return ""
        apart = distance(heard.output, self._with_grad[training])
        if random and not apart.rounding:
            return "another output: it is random in each pass"
        if apart.equal:
            return "the same output (bit for bit)"
        if apart.rounding:
            return f"the same output (up to rounding: at most {decimal(apart.most)} apart)"
        return f"another output (mean |difference| {decimal(apart.mean)})"


def _graph(output: object) -> bool | None:
    """Whether the output was recorded."""
    said = [read(tensor, "requires_grad").value for _, tensor in tensors_in(output)]
    known = [each for each in said if type(each) is bool]
    return any(known) if known else None


def _is_torch(output: object) -> bool:
    """Whether PyTorch made the output; of other libraries nobody tells what they keep."""
    torch = sys.modules.get("torch")
    kind = getattr(torch, "Tensor", ())
    return any(issubclass(type(tensor), kind) for _, tensor in tensors_in(output))
