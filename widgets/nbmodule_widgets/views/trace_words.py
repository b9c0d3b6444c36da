"""The words of the timeline's page. They travel as data, so that the page's script has none of them."""

from __future__ import annotations

from typing import Any

from nbmodule_widgets.tracing.boxes import LANES

# For each kind of moment its sentence; {who} is the path of a module, # a number.
SAYS = {
    "call": "{who} ({class}) is called with {what}{nth}",
    "direct": "{who}.forward(…) is called directly, bypassing __call__ and its hooks, with {what}{nth}",
    "forward": "Now forward() of {who} runs, with {what}",
    "result": "forward() of {who} is done and has made {what}",
    "return": "{who} returns {what}{nth}",
    "loss": "The loss is {what}. From here the gradients go backward",
    "gradient in": "The gradient of the output of {who} has arrived: {what}{nth}",
    "gradient out": "The gradient of the input of {who} is done and goes on to what ran before: {what}{nth}",
    "stops": "Nothing goes on from {who}: its input does not require a gradient{nth}",
    "parameter gradient": "The gradient of {parameter} is done: {what}",
    "forward pre hook": "{name}, a forward pre-hook of {who}, runs before forward(): {changed}",
    "forward hook": "{name}, a forward hook of {who}, runs after forward(): {changed}",
    "backward pre hook": "{name}, a backward pre-hook of {who}, runs with the gradient of the output: {changed}",
    "backward hook": "{name}, a backward hook of {who}, runs with the gradient of the input: {changed}",
    "parameter hook": "{name}, a hook on {parameter}, runs with its gradient: {changed}",
    "nth": " (call #)",
    "root": "the model",
    "nothing": "no tensor",
    "never": "none",
    "later": "not yet",
    "statistics": 'The values were not kept, only these statistics: keep="all" keeps them.',
    "jump": "⚠ jump to the failure",
    "moments": "moments of the pass",
    "tree": "modules (Enter: next moment)",
    "twin": "⇄ the same module as ",
    "held": " values are kept in Python. ",
    "ask": "show them",
    "lanes": LANES,
    "lane": "level #",
    "zoom": ["zoom to this module", "whole pass"],
    "pre": ["forward pre hook", "", "backward pre hook", ""],
    "left": "after hooks",
    "edges": ["call", "return", "gradient in", "gradient out", "failed"],
    "own": {
        "loss": "loss",
        "parameter gradient": "gradient",
        "forward": "given to forward()",
        "result": "made by forward()",
        "failed": "seen",
    },
}

SIGNS = {
    "call": "▶",
    "forward": "▷",
    "result": "□",
    "return": "■",
    "loss": "∑",
    "gradient in": "◀",
    "gradient out": "◁",
    "parameter gradient": "●",
    "failed": "⚠",
}

# For each state of a module its sign in the tree, and what it means.
STATES = {
    "run": ["▶", "runs now"],
    "back": ["◀", "gradients pass through it now"],
    "done": ["✓", "has run"],
    "both": ["✓✓", "has run, its gradients are done"],
    "wait": ["·", "not yet"],
    "never": ["–", "never called"],
    "lost": ["?", "left out of the record"],
}


def legend(backward: bool, hooks: bool, parameters: bool, never: bool) -> list[list[str]]:
    """What the colours and signs of a pass mean, as far as it has them.

    Args:
        backward: Whether gradients went back.
        hooks: Whether hooks ran.
        parameters: Whether gradients of parameters arrived.
        never: Whether some modules were never called.
    """
    states = ["✓ has run", *["✓✓ gradients done"] * backward, *["– never called"] * never]
    return [
        ["run", "▶ forward"],
        *[["back", "◀ backward"]] * backward,
        *[["hook", "❶ a hook of yours"]] * hooks,
        *[["slope", "● gradient of a parameter"]] * parameters,
        ["both", " · ".join(states)],
    ]


def page_words(failed_in: str = "") -> dict[str, Any]:
    """All texts but those that each pass has of its own, as part of a trait.

    Args:
        failed_in: Where the pass failed, if it did.
    """
    return {
        "says": {**SAYS, "failed": f"It failed in {failed_in}: {{problem}}"},
        "signs": SIGNS,
        "states": STATES,
        "sections": ["in", "out", "gradient of\u00a0output", "gradient of\u00a0input"],
        "columns": ["tensor", "shape", "mean ± std", "min … max", "zeros"],
        "scales": [
            ["by moment", "every moment equally wide"],
            ["by time", "as wide as it took, recording included"],
        ],
        "steps": [
            ["into", "↓ into", "step into the module", "i"],
            ["over", "↷ over", "step over the module", "o"],
            ["out", "↑ out", "step out of the module", "u"],
        ],
    }
