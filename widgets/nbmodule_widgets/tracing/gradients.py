"""Catching gradients as they arrive, without changing a bit of them.

A full backward hook puts an operation of its own before and behind a Module; that changes the order in which
gradients are added up, forbids ReLU(inplace=True), and takes longer. A hook on the tensor, or
on the operation that made it, changes nothing. One tensor is often the output of one Module, the output of the
Module around it and the input of the next: it gets one hook, which knows them all.
"""

from __future__ import annotations

from functools import partial
from time import perf_counter_ns
from typing import Any

from nbmodule_widgets.tracing.looks import Looks

Attached = list[tuple[int, int, str]]  # kind, call, label


class Gradients:
    """The hooks of one pass.

    Args:
        moments: Gets a moment for each gradient.
        looks: Sees them.
    """

    def __init__(self, moments: list[Any], looks: Looks) -> None:
        self._moments: Any = moments
        self._looks: Any = looks
        self._leaves: dict[int, tuple[Any, Attached]] = {}
        self._handles: list[Any] = []
        self._notes: list[dict[Any, Any]] = []

    def attached(self, tensor: Any, given: bool) -> Attached | None:
        """The list that the tensor's hook reads; puts the hook there if it is the first time.

        Args:
            tensor: The tensor.
            given: Whether it may come from outside, so that its graph outlives the pass.

        Returns:
            Pairs of kind and call with a label, to be added to; None if the tensor wants no gradient.
        """
        try:
            if not tensor.requires_grad:
                return None
            maker = tensor.grad_fn
            if maker is None:
                return self._attached_to_leaf(tensor)
            which, notes = tensor.output_nr, maker.metadata
            found = notes.get((self, which))
            if found is None:
                found = notes[self, which] = []
                handle = maker.register_prehook(partial(self._arrived, found, which))
                if given:
                    self._handles.append(handle)
                    self._notes.append(notes)
            return found
        except Exception:  # somebody's own tensor: no hooks, no events
            return None

    def _attached_to_leaf(self, tensor: Any) -> Attached:
        known = self._leaves.get(id(tensor))
        if known is None:
            known = self._leaves[id(tensor)] = (tensor, [])
            self._handles.append(tensor.register_hook(partial(self._arrived_at, known[1])))
        return known[1]

    def _arrived_at(self, attached: Attached, gradient: Any) -> None:
        self._arrived(attached, 0, (gradient,))

    def _arrived(self, attached: Attached, which: int, gradients: tuple[Any, ...]) -> None:
        """The hook. Innermost first: the last that was given the tensor has its gradient done first."""
        gradient = gradients[which]
        if gradient is None or self._looks is None:
            return
        look, at, moments = self._looks.see_new(gradient), perf_counter_ns(), self._moments
        for kind, call, label in reversed(attached):
            moments.append((kind, call, at, look, label))

    def finish(self) -> None:
        """Takes the hooks off what lives on. Those in the graph of the pass go with it, and are deaf from now on."""
        for handle in self._handles:
            handle.remove()
        for notes in self._notes:
            for key in [key for key in notes if type(key) is tuple and key[0] is self]:
                del notes[key]
        self._moments = self._looks = None
        self._leaves, self._handles, self._notes = {}, [], []
