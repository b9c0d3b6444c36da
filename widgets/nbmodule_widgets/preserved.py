"""A model put back as it was: what a view runs on the reader's model leaves no trace in it.

`Preserved` remembers every Module of a model (its `__dict__` and the containers in it, so its mode, its
drawers and its hooks in their order), every tensor in it (the object, its bits, its gradient and hooks), the
random generators and whether operations are recorded; and the optimizers that hooks can step, with their state. It does not trust the model: what cannot be read or put back is
said in `problems`, and never raised.

What lies outside of the model stays changed: a list that a hook fills, a file that it writes. So does what only C code
can reach, as the place of an iterator, and what may be shared with threads: an object with a lock in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from operator import itemgetter
from typing import Any

from nbmodule_widgets.facts.collector import collector_resting
from nbmodule_widgets.facts.compiled import compiling_off, is_scripted
from nbmodule_widgets.facts.container_state import (
    Containers,
    Sieve,
    contents,
    data_of,
    fill,
    same_objects,
)
from nbmodule_widgets.facts.dictionaries import Dictionaries
from nbmodule_widgets.facts.hidden import modules_in
from nbmodule_widgets.facts.history import leaves_behind
from nbmodule_widgets.facts.interrupts import to_its_end, uninterrupted
from nbmodule_widgets.facts.nests import is_tensor, tensors_in
from nbmodule_widgets.facts.optimizers import optimizers_behind
from nbmodule_widgets.facts.random_state import (
    Undo,
    generator_of,
    global_generators,
    gradient_modes,
)
from nbmodule_widgets.facts.tensor_columns import Columns, columns_of
from nbmodule_widgets.facts.tensor_rows import Rows
from nbmodule_widgets.facts.tensor_state import nbytes_of, state_of
from nbmodule_widgets.facts.within import Looking
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.protocol import (
    HOOK_SLOTS,
    STATE_DICT_HOOK_SLOTS,
    attempt,
    class_name,
    has_drawers,
    has_own_dict,
    own_dict,
    read,
)

COPIED = (
    256_000_000  # bytes of tensors that are copied at most; of the rest a change is only noticed
)
_MOST_PROBLEMS = 20
_KINDS = {"_parameters": "parameter", "_buffers": "buffer"}
_HOOKS = frozenset({*HOOK_SLOTS, *STATE_DICT_HOOK_SLOTS})
_NO_TENSORS = _HOOKS | {"_modules"}
_NO_MODULES = _HOOKS | {"_parameters", "_buffers"}


class Preserved:
    """A block after which a model is bit for bit what it was, also if the block raises.

        with Preserved(model, x) as kept:
            model(x).sum().backward()
        kept.problems  # () if all is as before

    Args:
        model: Any object with drawers, however it behaves.
        others: Inputs: tensors, also in tuples, lists and dicts, that are put back too, and so are the gradients of
            the leaves that they were computed from.
        gradients: True sets the gradients aside: `.grad` is None everywhere when the block begins. False
            leaves them in their places. Afterwards they are as before either way.

    Attributes:
        problems: After the block: what could not be put back, in words.
        optimizers: The classes of what hooks can step: optimizers and schedulers.
    """

    def __init__(self, model: object, *others: object, gradients: bool = True) -> None:
        self._model, self._others, self._aside = model, others, gradients
        self.problems: tuple[str, ...] = ()
        self.optimizers: tuple[str, ...] = ()
        self._problems: list[str] = []
        self._modules: list[Any] = []
        self._classes: list[type] = []
        self._kinds: dict[
            int, tuple[bool, str]
        ] = {}  # whether a class is of `torch.jit`, and its name
        self._own = Dictionaries()
        self._odd: list[
            tuple[dict[str, Any], Any]
        ] = []  # those that are dictionaries of a reader's class
        self._containers = Containers()
        self._tensors: list[tuple[str, Any]] = []
        self._rows = Rows()
        self._columns: list[Columns] = []
        self._undo: list[Undo] = []
        self._ends: list[Undo] = []  # which are no more than once
        self._hooks: list[Any] = []
        self._copied = 0

    def __enter__(self) -> Preserved:
        try:
            with uninterrupted(), collector_resting():
                self._undo, self._ends = [*gradient_modes(), *global_generators()], compiling_off()
                self._remember()
        except BaseException:  # an interrupt: gradients have been set aside by now
            self.__exit__()
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        """Puts everything back; lets an exception of the block pass, and an interrupt wait until it is done."""
        to_its_end(self._put_back)

    def rewind(self) -> None:
        """Puts everything back in the middle of the block: what comes next begins where the block began."""
        to_its_end(self._restore)
        for state in (
            (*self._columns, *(state for _, state in self._tensors)) if self._aside else ()
        ):
            attempt(state.set_aside)

    def _put_back(self) -> None:
        self._restore()
        for undo in self._ends:
            self._note(attempt(undo).problem, "what compiles could not be put back")
        self._modules, self._classes, self._own, self._odd = [], [], Dictionaries(), []
        self._tensors, self._columns, self._hooks, self._rows = [], [], [], Rows()
        self._undo, self._ends = [], []

    def _restore(self) -> None:
        for module, kind in zip(self._modules, self._classes, strict=True):
            if type(module) is not kind:  # a lazy Module has become another one
                said = attempt(setattr, module, "__class__", kind)
                self._note(said.problem, "a module could not be put back")
        self._note(attempt(self._own.put_back).problem, "the modules could not be put back")
        for own, saved in self._odd:
            if not same_objects(contents(own), saved):
                said = attempt(fill, own, saved)
                self._note(said.problem, "a module could not be put back")
        said = attempt(self._containers.put_back)
        self._note(said.problem, "a container could not be put back")
        attempt(self._rows.compare)
        for columns in self._columns:
            said = attempt(columns.put_back, self._note)
            self._note(said.problem, "tensors could not be put back")
        for name, state in self._tensors:
            said = attempt(state.put_back)
            self._note(said.problem or said.value or "", name)
        for undo in self._undo:
            self._note(attempt(undo).problem, "a random state or a mode could not be put back")
        problems = tuple(dict.fromkeys(self._problems))
        self.problems = problems[:_MOST_PROBLEMS]
        if len(problems) > _MOST_PROBLEMS:
            self.problems += (f"and {len(problems) - _MOST_PROBLEMS:,} more",)

    # ------------------------------------------------------------------ before the block

    def _remember(self) -> None:
        found: dict[int, tuple[str, Any]] = {}
        for opened in _opened(self._model):
            said = attempt(self._remember_module, opened, found)
            if said.problem:
                kind = visible(class_name(opened[0]), 60)
                self._note(said.problem, f"a {kind} could not be read")
        for other in self._others:
            inside = attempt(self._containers.keep, other).value or []
            given = tensors_in(other) + [("", item) for item in inside if is_tensor(item)]
            for place, tensor in given:
                found.setdefault(id(tensor), (f"input{place}", tensor))
            for leaf in leaves_behind(tensor for _, tensor in given):
                found.setdefault(id(leaf), ("leaf behind an input", leaf))
        # What a pass writes to is small: buffers, inputs, plain attributes. Parameters come last.
        sized = [(name, tensor, nbytes_of(tensor)) for name, tensor in found.values()]
        sized.sort(key=itemgetter(2))
        sized.sort(key=lambda entry: entry[0].startswith("parameter"))
        self._remember_tensors(sized)
        self._remember_optimizers(set(found))
        self._note(attempt(self._rows.remember).problem, "small tensors could not be copied")

    def _remember_optimizers(self, known: set[int]) -> None:
        """Those that a hook on a Module or a tensor can step."""
        optimizers = attempt(optimizers_behind, self._hooks).value or [] if self._hooks else []
        self.optimizers = tuple(visible(class_name(each), 60) for each in optimizers)
        for each, name in zip(optimizers, self.optimizers, strict=True):
            inside = attempt(self._containers.keep, own_dict(each)).value or []
            new = [t for t in filter(is_tensor, inside) if id(t) not in known]
            new = list({id(tensor): tensor for tensor in new}.values())
            known.update(map(id, new))
            self._remember_tensors([(f"state of the {name}", t, nbytes_of(t)) for t in new])

    def _remember_module(self, opened: _Opened, found: dict[int, tuple[str, Any]]) -> None:
        module, own, saved, held, empty = opened
        if not own and not has_own_dict(module):
            return
        self._modules.append(module)
        self._classes.append(type(module))
        if type(own) is dict:
            self._own.keep(own, saved[len(own) :])
        else:
            self._odd.append((own, saved))
        self._containers.empty += empty
        # By identity: a metaclass may forbid hashing its classes. The Modules hold them.
        known = self._kinds.get(id(type(module)))
        if known is None:
            known = is_scripted(module), visible(class_name(module), 40)
            self._kinds[id(type(module))] = known
        scripted, kind_of = known
        if scripted:  # its drawers lie in C++
            for tensor in attempt(lambda: [*module.parameters(), *module.buffers()]).value or []:
                found.setdefault(id(tensor), ("parameter of a ScriptModule", tensor))
            for part in attempt(lambda: [*module.modules()]).value or []:
                flag = read(part, "training").value
                self._undo += [partial(setattr, part, "training", flag)] * (type(flag) is bool)
        for name, value in held:
            inside = self._containers.keep(value)
            if type(name) is str and name in _NO_TENSORS:
                self._hooks += inside if name in _HOOKS else ()
                continue
            for item in inside:
                if is_tensor(item):
                    where = _KINDS.get(name, "tensor") if type(name) is str else "tensor"
                    text = f"{where} of {kind_of}"
                    found.setdefault(id(item), (text, item))
                elif undo := generator_of(item):
                    self._undo += undo
                elif (data := data_of(item, is_tensor)) is not None:  # a running mean, a record, …
                    for part in filter(is_tensor, self._containers.keep(data)):
                        found.setdefault(
                            id(part), (f"tensor of {visible(class_name(item), 40)}", part)
                        )

    def _remember_tensors(self, sized: list[tuple[str, Any, int]]) -> None:
        """Remembers tensors with their names and bytes: those that are ordinary together, the others one by one."""
        named, large = [], []
        for name, tensor, size in sized:
            copy = self._copied + size <= COPIED
            self._copied += size if copy else 0
            (named if copy else large).append((name, tensor))
        gradients: list[tuple[str, Any]] = []
        for columns in columns_of(self._aside, self._rows):
            named = columns.take(named)
            if columns.named:
                self._columns.append(columns)
                gradients += columns.gradients()
        for name, tensor in named:
            gradients += self._remember_tensor(name, tensor, True)
        for name, tensor in large:
            gradients += self._remember_tensor(name, tensor, False)
        if gradients:
            self._remember_tensors([(name, grad, nbytes_of(grad)) for name, grad in gradients])

    def _remember_tensor(self, name: str, tensor: Any, copy: bool) -> list[tuple[str, Any]]:
        """Remembers one; returns its gradient, if that stays in its place, with its name."""
        state, problem = state_of(tensor, copy, self._aside, self._rows)
        self._note(problem, name)
        if state is None:
            return []
        self._tensors.append((name, state))
        self._hooks += getattr(state, "called", ())
        # Where `torch.distributed.optim` has hooks step optimizers that nobody can ask for their hooks.
        if stepped := own_dict(tensor).get("_in_backward_optimizers"):
            self._hooks.append(stepped)
        gradient = getattr(state, "grad", None)
        stays = gradient is not None and not self._aside
        return [(f"gradient of the {name}", gradient)] if stays else []

    def _note(self, problem: str, what: str) -> None:
        if problem:
            self._problems.append(f"{what}: {visible(problem)}")


# A Module as it was met, its `__dict__`, the contents of that, the names and values in it that hold something, and
# the containers in it that hold nothing.
_Opened = tuple[Any, dict[str, Any], tuple[Any, ...], list[tuple[Any, Any]], list[Any]]


def _opened(model: Any) -> Iterator[_Opened]:
    """Every Module that a model holds, each once: in `_modules`, and hidden in plain attributes.

    Args:
        model: Any object; it comes first itself.
    """
    seen, pending, looking, sieve = {id(model)}, [model], Looking(), Sieve()
    while pending:
        module = pending.pop()
        own = own_dict(module)
        saved: Any = contents(own)
        held, empty = sieve.sift(saved)
        yield module, own, saved, held, empty
        below: list[Any] = []
        for name, value in held:
            if type(name) is str and name in _NO_MODULES:
                continue
            if issubclass(type(value), dict):
                below += [v for v in list(dict.values(value)) if has_drawers(v)]
            else:
                below += modules_in(value, looking)
        for child in reversed(below):
            if id(child) not in seen:
                seen.add(id(child))
                pending.append(child)
