"""The pane beside the tree: everything about the selected row."""

from __future__ import annotations

from typing import Any

from nbmodule_widgets.facts import ModuleFacts, NodeFacts, Note, TensorFacts, gradient, statistics
from nbmodule_widgets.facts.hooks import HookFacts, module_hooks, tensor_hooks
from nbmodule_widgets.facts.parameters import why_no_gradient
from nbmodule_widgets.facts.words import decimal, shape_text, size, visible
from nbmodule_widgets.protocol import attempt, own_dict
from nbmodule_widgets.text import mode_text, place
from nbmodule_widgets.views.acting import actions

Lines = list[list[str]]

_HOOKS = 20  # that are listed


def row_detail(model: ModuleFacts, row: int, obj: object) -> dict[str, Any]:
    """What the pane shows.

    Args:
        model: What `facts` returned.
        row: The selected row.
        obj: The live object of that row.
    """
    node, item = model.at(row)
    path = model.path(row)
    shown = {"row": row, "path": path[:10_000], "title": place(model, row)}
    if isinstance(item, TensorFacts):
        lines = _tensor_lines(model, item, obj)
        buttons = [] if item.empty else actions(item.kind)
        return {**shown, "kind": item.kind, "lines": lines, "actions": buttons}
    if isinstance(item, Note):
        return {**shown, "kind": "note", "lines": [["note", item.text]]}
    lines = _module_lines(model, node, obj)
    return {**shown, "kind": "module", "lines": lines, "actions": actions("module")}


def _module_lines(model: ModuleFacts, node: NodeFacts, module: object) -> Lines:
    lines = [["class", _qualified(module)]]
    if node.extra:
        lines.append(["extra_repr", node.extra])
    if node.twin >= 0:
        kind = "cycle back to" if node.cycle else "same object as"
        lines.append(["shared", f"{kind} {place(model, node.twin)}"])
    lines += [
        ["parameters", f"{node.numel:,} here and below"],
        ["memory", size(node.nbytes)],
        ["mode", mode_text(node.training)],
    ]
    lines += _hook_lines(module_hooks(module))
    lines += [["note", note.text] for note in node.notes]
    plain = [visible(name, 40) for name in own_dict(module) if _is_plain(name)]
    if plain:
        lines.append(["attributes", ", ".join(plain[:20]) + (" …" if len(plain) > 20 else "")])
    return lines


def _hook_lines(hooks: tuple[HookFacts, ...]) -> Lines:
    """The hooks in the order in which they fire."""
    if not hooks:
        return [["hooks", "none"]]
    lines = [
        ["hooks", f"{len(hooks):,}, in the order in which they fire:" if len(hooks) > 1 else "1:"]
    ]
    for number, hook in enumerate(hooks[:_HOOKS], start=1):
        marks = f" ({', '.join(hook.marks)})" if hook.marks else ""
        lines.append([f"{number}. {hook.kind}", f"`{hook.name}`{marks}"])
    return lines if len(hooks) <= _HOOKS else [*lines, ["…", f"{len(hooks) - _HOOKS:,} more"]]


def _is_plain(name: object) -> bool:
    return type(name) is str and not name.startswith("_") and name != "training"


def _tensor_lines(model: ModuleFacts, tensor: TensorFacts, obj: object) -> Lines:
    lines = [["class", _qualified(obj)]]
    if tensor.twin >= 0:
        lines.append(["shared", f"same object as {place(model, tensor.twin)}"])
    if tensor.empty:
        return [*lines, ["note", "a registered place that holds None"]]
    if tensor.shape is None:
        return [*lines, ["shape", tensor.problem]]
    lines += [
        ["shape", shape_text(tensor.shape)],
        ["dtype", tensor.dtype or "unknown"],
        ["device", tensor.device or "not said"],
        ["elements", f"{tensor.numel:,}"],
        ["memory", size(tensor.nbytes)],
    ]
    if tensor.kind == "parameter":
        lines.append(["requires_grad", _yes(tensor.requires_grad)])
        lines.append(["gradient", _gradient_words(obj)])
        lines += _hook_lines(hooks) if (hooks := tensor_hooks(obj)) else []
    else:
        lines.append(["in state_dict", "yes" if tensor.persistent else "no (non-persistent)"])
    return lines


def _yes(value: bool | None) -> str:
    return {True: "True", False: "False (frozen)", None: "not said"}[value]


def _gradient_words(tensor: object) -> str:
    """None, zero or a norm: three things that are often confused."""
    found = gradient(tensor)
    if found is None:
        return why_no_gradient(tensor)
    summary, problem = statistics(found)
    if summary is None:
        return problem
    lost = summary.nans + summary.infinities
    said = "all zeros" if summary.norm == 0 else f"norm {decimal(summary.norm)}"
    return f"{said} without its {lost:,} NaN or infinite" if lost else said


def _qualified(obj: object) -> str:
    """`Linear from torch.nn.modules.linear`: the name first, and where a line may break."""
    cls = type(obj)
    module = attempt(lambda: type.__dict__["__module__"].__get__(cls)).value
    name = type.__dict__["__qualname__"].__get__(cls)
    home = f" from {module}" if type(module) is str and module != "builtins" else ""
    return visible(name + home, 160)
