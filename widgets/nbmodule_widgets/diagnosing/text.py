"""A diagnosis as text."""

from __future__ import annotations

from nbmodule_widgets.diagnosing.records import DiagnosisFacts
from nbmodule_widgets.facts.words import count


def headline(found: DiagnosisFacts) -> str:
    """`"2 findings in Net"`."""
    if not found.found and found.raised:
        return f"{found.model} raised `{found.raised}`, and why is not known"
    if not found.found:
        return f"nothing found in {found.model}"
    return f"{count(len(found.found), 'finding')} in {found.model}"


def diagnosis_text(found: DiagnosisFacts) -> str:
    """The findings with their evidence, and what was not examined."""
    lines = [f"diagnose: {headline(found)}"]
    for each in found.found:
        lines += ["", f"{each.name} ({each.certainty})", f"  {each.sentence}."]
        lines += [f"    seen: {line}" for line in each.evidence if line]
        lines += [f"    cure: {line}" for line in each.cure.splitlines()]
        lines += [f"    chapter: {each.chapter}"] if each.chapter else []
    lines += ["", f"examined: {', '.join(found.examined) or 'nothing'}"]
    return "\n".join(
        [*lines, *(f"not examined: {note}" for note in found.unexamined), *found.outside]
    )
