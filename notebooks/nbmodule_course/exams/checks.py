"""What the final exam asks of every layer: in six columns, a few lines that run on each row of the table of modules."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from .layers import label_of, rows
from .module_row import Row
from .questions import Question, lines_of

COLUMNS = ("forward", "state_dict", "modes", "hooks", "repr", "copying")
FIRST_OF_ALL = "numbers"
"""The check that all others of a row stand on."""


@dataclass(frozen=True)
class Check:
    """A few lines that run on any layer.

    Attributes:
        key: a short name.
        column: where it stands in the table.
        mends: the exercise that teaches what it asks.
        title: what it is about, as a sentence without its full stop.
        code: the lines; the last one is the answer, which nbmodule's own Module has to give as well.
        skip: which entries of a row's `skip` leave it out.
        once: whether a layer is asked in its first row alone, since no option of a layer bears on it.
    """

    key: str
    column: str
    mends: str
    title: str
    code: str
    skip: tuple[str, ...] = ()
    once: bool = False

    def applies_to(self, row: Row) -> bool:
        """Tell whether a row can answer it."""
        return not any(name in row.skip for name in self.skip)

    def rows_of(self, layer: tuple[Row, ...]) -> tuple[Row, ...]:
        """Return which of a layer's rows are asked."""
        rows = tuple(row for row in layer if self.applies_to(row))
        return rows[:1] if self.once else rows


def _check(
    column: str, key: str, mends: str, title: str, code: str, *skip: str, once: bool = False
) -> Check:
    return Check(key, column, mends, title, lines_of(code), skip, once)


# fmt: off
CHECKS = (
    _check("forward", FIRST_OF_ALL, "04.1", "it computes the same bits", """
    bits(run(make()))
    """),
    _check("forward", "gradients", "05.4", "it finds the same parameters, and they get the same gradients", """
    layer = make()
    backward(run(layer))
    [(name, bits(p.grad)) for name, p in layer.named_parameters()]
    """),
    _check("state_dict", "state", "10.2", "after a run, `state_dict` has the same keys and the same numbers", """
    layer = make()
    run(layer)
    [(key, bits(value)) for key, value in layer.state_dict().items()]
    """),
    _check("state_dict", "apart", "01.2", "a second layer of the kind changes nothing in the first", """
    layer = make()
    run(layer)
    own = bits(layer.state_dict())
    run(make(seed=1))
    bits(layer.state_dict()) == own
    """, once=True),
    _check("state_dict", "load", "10.4", "a layer with other numbers loads it, and is its equal", """
    layer, other = make(), make(seed=1)
    run(layer), run(other)
    report = other.load_state_dict(layer.state_dict())
    list(report.missing_keys), list(report.unexpected_keys), bits(run(other)) == bits(run(layer))
    """),
    _check("state_dict", "strict", "10.4", "a missing key and an unknown one are refused, both by name", """
    layer = make()
    state = layer.state_dict()
    first = [state.popitem(last=False)[0] for _ in range(min(1, len(state)))]
    state["odd"] = ones(1)
    refused(RuntimeError, lambda: layer.load_state_dict(state), "odd", *first)
    """, once=True),
    _check("state_dict", "older", "10.3", "a state from before there were versions is brought up to date", """
    layer = make()
    new = [key for key in layer.state_dict() if key.endswith("num_batches_tracked")]
    state = {key: value for key, value in layer.state_dict().items() if key not in new}
    report = layer.load_state_dict(state, strict=False)
    list(report.missing_keys), list(report.unexpected_keys)
    """),
    _check("modes", "modes", "09.1", "`train` and `eval` reach everything in it", """
    layer = make()
    seen = [[module.training for module in layer.modules()]]
    for same in (layer.eval(), layer.train(), layer.train(False)):
        seen.append((same is layer, [module.training for module in layer.modules()]))
    seen
    """),
    _check("modes", "eval", "09.1", "in eval mode it computes the same bits", """
    layer = make()
    run(layer)
    bits(run(layer.eval()))
    """),
    _check("hooks", "forward-hooks", "15.2", "a pre-hook and a hook are called once, with what goes in and what comes out", """
    layer, seen = make(), []
    layer.register_forward_pre_hook(lambda module, args: seen.append((module is layer, bits(args))))
    layer.register_forward_hook(lambda module, args, out: seen.append((bits(args), bits(out))))
    seen, bits(run(layer))
    """, "hooks"),
    _check("hooks", "removed-hooks", "15.1", "a hook that was removed isn't called again", """
    layer, seen = make(), []
    handle = layer.register_forward_hook(lambda module, args, out: seen.append("out"))
    run(layer)
    handle.remove()
    run(layer)
    seen
    """, "hooks", once=True),
    _check("hooks", "keyword-hooks", "15.3", "a hook sees the keyword arguments if it asks for them", """
    layer, seen = make(), []
    layer.register_forward_pre_hook(lambda module, args, kwargs: seen.append((len(args), sorted(kwargs))), with_kwargs=True)
    run(layer)
    seen
    """, "hooks", once=True),
    _check("hooks", "backward-hooks", "16.4", "backward hooks are called once, with the gradients of both ends", """
    layer, seen = make(), []
    layer.register_full_backward_pre_hook(lambda module, outer: seen.append(bits(outer)))
    layer.register_full_backward_hook(lambda module, inner, outer: seen.append((bits(inner), bits(outer))))
    backward(run(layer))
    seen
    """, "hooks", "backward hooks"),
    _check("repr", "repr", "04.4", "it prints itself in the same words", """
    repr(make())
    """),
    _check("copying", "deepcopy", "17.6", "a deep copy is its equal, and changes alone", """
    layer = make()
    run(layer)
    before, twin = bits(layer.state_dict()), copy.deepcopy(layer)
    equal = type(twin) is type(layer) and bits(twin.state_dict()) == before
    with no_grad():
        for tensor in (*twin.parameters(), *twin.buffers()):
            tensor.zero_()
    equal, bits(layer.state_dict()) == before, repr(twin) == repr(layer)
    """),
    _check("copying", "pickle", "17.6", "it comes out of a pickle as it went in", """
    layer = make()
    run(layer)
    twin = pickle.loads(pickle.dumps(layer))
    type(twin) is type(layer), bits(twin.state_dict()) == bits(layer.state_dict()), bits(run(twin)) == bits(run(layer))
    """, "copies"),
)
# fmt: on


@lru_cache
def questions() -> tuple[Question, ...]:
    """Return every check of every row, layer by layer; what is right is not in them yet."""
    return tuple(
        Question(
            key_of(row, check.key),
            f"{label_of(row)}: {check.title}",
            check.mends,
            check.code,
            "",
            () if check.key == FIRST_OF_ALL else (key_of(row, FIRST_OF_ALL),),
            check.key,
            "nbmodule",
        )
        for rows_of_layer in rows().values()
        for row in rows_of_layer
        for check in CHECKS
        if row in check.rows_of(rows_of_layer)
    )


def key_of(row: Row, check: str) -> str:
    """Return the key of a question, such as "Conv2d_groups/state"."""
    return f"{row.name}/{check}"
