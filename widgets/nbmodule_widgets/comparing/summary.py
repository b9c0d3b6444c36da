"""What exactly changes, in a sentence or two; and what is to be said of the flags."""

from __future__ import annotations

from nbmodule_widgets.comparing.judging import ONLY_ZEROS
from nbmodule_widgets.comparing.records import ModuleModes
from nbmodule_widgets.comparing.walking import Place
from nbmodule_widgets.facts.words import count, visible

Flags = tuple[bool | None, bool | None]
Moved = dict[str, tuple[str, ...]]

ITSELF = "the model itself"


def sentence(
    modules: tuple[ModuleModes, ...], problem: str, moved: tuple[Moved, ...] = ({}, {}),
    kept: bool = False, odd: int = 0,
) -> str:  # fmt: skip
    """What exactly changes.

    Args:
        modules: What was found out about each.
        problem: Why nothing could be compared, or the empty string.
        moved: Buffers that a pass under `train()`, and one under `eval()`, changed: names by the path of the Module.
        kept: Whether the modes that were set by hand were kept.
        odd: In how many Modules they were, and are another one here.
    """
    causes = [module for module in modules if module.role == "cause"]
    counted = [module for module in modules if module.path or module.role == "cause"]
    total = max(len(counted), 1)
    idle = not causes
    random = [module for module in modules if module.role == "random in both"]
    rounding = ", apart from rounding" * any(module.role == "rounding" for module in modules)
    if causes:
        behave = "behaves" if len(causes) == 1 else "behave"
        said = (
            f"Between train() and eval(), {len(causes):,} of {count(total, 'module')} {behave} "
            f"differently: {_listed(causes)}."
        )
    elif problem:
        return f"The two modes could not be compared: {problem}."
    elif random:
        said = (
            f"{_upper(_few([m.name for m in random]))} {_is(random)} random under eval() as well as under train(). Apart from "
            f"that, the two modes make no difference to the output of any module on this input{rounding}."
        )
    else:
        said = f"train() and eval() make no difference to the output of any module on this input{rounding}."
    if problem:
        said += f" And {problem}."
    if random and causes:
        said += f" {_upper(_few([m.name for m in random]))} {_is(random)} random under eval() too."
    zeros = [module for module in modules if module.words.endswith(ONLY_ZEROS)]
    if zeros:
        said += f" {_upper(_few([m.name for m in zeros]))} {_is(zeros)} random in train(), but got only zeros here."
    said += _buffers(modules, moved, idle) + _stuck(modules, kept)
    if odd and not kept:
        said += f" {_upper(count(odd, 'module'))} had another mode than the model before; that was not kept."
    return said


def _upper(words: str) -> str:
    """With a capital letter, as a sentence begins."""
    return words[:1].upper() + words[1:]


def _is(some: list[ModuleModes]) -> str:
    return "is" if len(some) == 1 else "are"


def _buffers(modules: tuple[ModuleModes, ...], moved: tuple[Moved, ...], idle: bool) -> str:
    """What passes do to buffers, as far as it is not the moving of running statistics that was told of."""
    told = {module.path for module in modules if module.kind == "norm"}
    said = ""
    for mode, of_modules in zip(("train()", "eval()"), moved, strict=True):
        names = [
            f"{path}.{name}" if path else name
            for path, each in of_modules.items()
            if path not in told or mode == "eval()"
            for name in each
        ]
        if names:
            start = " But a" if idle and not said else " A"
            too = " too" if said else ""
            noun = "buffer" if len(names) == 1 else "buffers"
            said += f"{start} pass under {mode} changes the {noun} {_few(names)}{too}."
    return said


def _stuck(modules: tuple[ModuleModes, ...], kept: bool) -> str:
    """Which Modules do not follow the switch."""
    said = ""
    for mode, other, flags in (
        ("train()", "eval", [(m, m.flag_train is False) for m in modules]),
        ("eval()", "train", [(m, m.flag_eval is True) for m in modules]),
    ):
        stuck = [module for module, stays in flags if stays and module.reached]
        if not stuck:
            continue
        paths = {module.path for module in stuck}
        tops = [m for m in stuck if not any(above in paths for above in _above(m.path))]
        inside = " and everything in it" if len(tops) == 1 < len(stuck) else ""
        names = _few([module.name for module in tops]) + inside
        stay = "stays" if len(stuck) == 1 else "stay"
        why = ", as set before" if kept else ""
        said += f" {_upper(names)} {stay} in {other} mode under {mode}{why}."
    return said


def _above(path: str) -> list[str]:
    """The paths of the Modules around one, from the root on."""
    parts = path.split(".") if path else []
    return [".".join(parts[:n]) for n in range(len(parts))]


def _few(names: list[str]) -> str:
    """The first three of some names, and how many others there are."""
    shown = [name if name == ITSELF else f"`{visible(name, 80)}`" for name in names[:3]]
    if len(names) > 3:
        return f"{', '.join(shown)} and {count(len(names) - 3, 'other')}"
    return _and(shown)


def _listed(causes: list[ModuleModes]) -> str:
    """The reasons, those of a kind together; only how many they are where there are many."""
    groups: dict[tuple[str, str], list[str]] = {}
    for module in causes:
        groups.setdefault((module.class_name, _brief(module)), []).append(
            f"`{module.name}`" if module.path else f"{module.name},"
        )
    parts = []
    for (name, brief), names in list(groups.items())[:6]:
        many = f"{len(names):,}" if len(names) > 4 else _and(names)
        parts.append(f"{many} {name} ({brief})")
    parts += [f"{len(groups) - 6:,} other kinds"] if len(groups) > 6 else []
    return _and(parts)


def _and(parts: list[str]) -> str:
    """`"a, b and c"`."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _brief(module: ModuleModes) -> str:
    """Half a sentence about a reason."""
    if "raises in train()" in module.words:
        return "raises in train()"
    if module.kind == "dropout":
        if module.words.startswith("drops everything"):
            return "drops everything"
        whole = next((f"drops {w}, " for w in ("whole channels", "whole examples") if w in module.words), "")  # fmt: skip
        if "= 1/(1 - p)" in module.words:
            return f"random, {whole}scales what it keeps by 1/(1 - p)"
        return f"random, {whole}without the scale 1/(1 - p)" if "drops" in module.words.partition(";")[0] else "random"  # fmt: skip
    if module.kind == "norm":
        return "batch statistics / running statistics"
    if module.words.startswith("gives something else"):
        return "gives something of another form"
    if module.words.startswith("its own forward"):
        return "in its own forward"
    if module.words.startswith("random in train() (`"):
        return "random: " + module.words.split("`")[1]
    return "random" if module.words.startswith("random") else "another computation"


def flag_notes(
    places: list[Place], before: list[bool | None], flags: list[Flags], kept: dict[int, bool]
) -> list[str]:
    """What is to be said of the flags themselves.

    Args:
        places: The Modules.
        before: Their flags before anything was done.
        flags: And under `train()` and `eval()`.
        kept: Those that were kept as they were, by the number of the Module.
    """
    notes = []
    reached = [place for place in places if place.reached]
    root = before[0]
    other = [p for p in reached[1:] if before[p.index] is not None and before[p.index] is not root]
    if root is not None and other:
        mode = "train" if root else "eval"
        stay = all(flags[p.index] == (before[p.index], before[p.index]) for p in other)
        then = (
            "They keep their mode here (`keep_modes=True`)"
            if kept
            else "`train()` and `eval()` of this model leave that as it is"
            if stay
            else "Here both modes were set for the whole model, as `train()` and `eval()` do; "
            "`keep_modes=True` leaves these modules as they are"
        )
        notes.append(
            f"before, the model was in {mode} mode, but not {_some(other)}: `training` was set there by "
            f"assignment, train() or eval() was called on a part, or the part was put in later. {then}"
        )
    hidden = [place for place in places if not place.reached]
    if hidden:
        notes.append(
            f"out of reach of train() and eval(): {_some(hidden)}, in plain attributes "
            "instead of `_modules`"
        )
    for n, (mode, wanted) in enumerate((("train", True), ("eval", False))):
        stayed = [p for p in reached if flags[p.index][n] is (not wanted) and p.index not in kept]
        if stayed:
            notes.append(f"{mode}() leaves `training={not wanted}` in {_some(stayed)}")
    return notes


def _some(places: list[Place]) -> str:
    return _few([place.path or ITSELF for place in places])
