"""Chapter 05: Parameters and buffers. Programs register, in every order, and list a small tree."""

from __future__ import annotations

from ..exercise import Exercise
from ..referee import each, run

for _id, _writes in (
    ("05.1", ("register_parameter",)),
    ("05.2", ("register_buffer",)),
    ("05.3", ("named_parameters", "parameters")),
    ("05.4", ("named_parameters",)),
    ("05.5", ("named_buffers", "buffers")),
):
    _ex = Exercise(_id, title=_id, takes=("Module",), hints=("", "", ""), writes=_writes)
    _ex.compare("it is there", each(run("m.training", lambda world: world.m.training)))
Exercise(
    "05.6", title="sizes", takes=("sizes",), hints=("", "", ""), writes=("sizes",)
).compare_calls("it is there", {})
