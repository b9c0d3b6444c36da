"""Catching gradients as they arrive, without changing a bit of them.

A full backward hook puts an operation of its own before and behind a Module; that changes the order in which
gradients are added up, forbids ReLU(inplace=True), and takes three times as long. A hook on the tensor, or
on the operation that made it, changes nothing. One tensor is often the output of one Module, the output of the
Module around it and the input of the next: it gets one hook, which knows them all.
"""

from __future__ import annotations

from functools import partial
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nbmodule_widgets.tracing.tape import Tape

Attached = list[tuple[int, int, str]]  # call, kind, label


class Gradients:
    """The hooks of one pass.

    Args:
        tape: Gets a moment for each gradient.
    """

    def __init__(self, tape: Tape) -> None:
        self._tape: Any = tape
        self._looks = tape.looks
        self._last: list[tuple[Any, Any, Attached]] = []  # the tensors that were met last
        self._leaves: dict[int, tuple[Any, Attached]] = {}
        self._handles: list[Any] = []
        self._notes: list[dict[Any, Any]] = []

    def catch(self, tensor: Any, call: int, kind: int, label: str) -> bool:
        """Writes the gradient of a tensor down when it arrives.

        Args:
            tensor: The tensor.
            call: The call that it is an output or an input of.
            kind: Which of the two.
            label: Its place there.

        Returns:
            Whether the tensor wants a gradient.
        """
        try:
            if not tensor.requires_grad:
                return False
            maker = tensor.grad_fn
            for known, its_maker, attached in self._last:
                if known is tensor and its_maker is maker:
                    attached.append((call, kind, label))
                    return True
            attached = self._attach(tensor, maker, call == 0)
        except Exception:  # somebody's own tensor: no hooks, no events
            return False
        attached.append((call, kind, label))
        if len(self._last) >= 3:
            del self._last[0]
        self._last.append((tensor, maker, attached))
        return True

    def _attach(self, tensor: Any, maker: Any, given: bool) -> Attached:
        """The list that the tensor's hook reads; puts the hook there if it is the first time.

        Args:
            tensor: The tensor.
            maker: The operation that made it; None for a leaf.
            given: Whether it may come from outside, so that its graph outlives the pass.
        """
        if maker is None:
            known = self._leaves.get(id(tensor))
            if known is None:
                known = self._leaves[id(tensor)] = (tensor, [])
                self._handles.append(tensor.register_hook(partial(self._arrived_at, known[1])))
            return known[1]
        which = tensor.output_nr
        notes = maker.metadata
        attached = notes.get((self, which))
        if attached is None:
            attached = notes[self, which] = []
            handle = maker.register_prehook(partial(self._arrived, attached, which))
            if given:
                self._handles.append(handle)
                self._notes.append(notes)
        return attached

    def _arrived_at(self, attached: Attached, gradient: Any) -> None:
        self._arrived(attached, 0, (gradient,))

    def _arrived(self, attached: Attached, which: int, gradients: tuple[Any, ...]) -> None:
        """The hook. Innermost first: the last that was given the tensor has its gradient done first."""
        tape = self._tape
        gradient = gradients[which]
        if tape is None or gradient is None:
            return
        look, at = self._looks.see(gradient), perf_counter_ns()
        moments = tape.moments
        for call, kind, label in reversed(attached):
            moments.append((kind, call, at, look, label))

    def finish(self) -> None:
        """Takes the hooks off what lives on. Those in the graph of the pass go with it, and are deaf from now on."""
        for handle in self._handles:
            handle.remove()
        for notes in self._notes:
            for key in [key for key in notes if type(key) is tuple and key[0] is self]:
                del notes[key]
        self._tape = self._looks = None
        self._last, self._leaves, self._handles, self._notes = [], {}, [], []
