"""`export`: what it checks before the first run and after the last."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from .. import nn
from .._saving.atomic import replacing
from .._tensor import Tensor
from ..nn.modules.module import _HINT
from ._build import build
from ._tracing import OnnxExporterError, traced_runs

EXTRA = 'Export to ONNX needs the packages onnx and onnxruntime: pip install "nbmodule[onnx]"'
OLDEST = 18
USED = ("forward", "eval", "named_modules", "named_parameters", "named_buffers", "register_forward_pre_hook", "register_forward_hook")  # fmt: skip
"""What a Module must have to be exported, whichever class it stands on: the reader's of the course is no `nn.Module`."""


def export(
    model: nn.Module,
    args: Any = (),
    f: str | os.PathLike[str] | None = None,
    *,
    kwargs: Mapping[str, Any] | None = None,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    opset_version: int | None = None,
    dynamic_axes: Mapping[str, Mapping[int, str] | Sequence[int]] | None = None,
) -> None:
    """Write the model, in eval mode, into the ONNX file `f`.

    A copy of the model runs on `args`, and its operations become the nodes of a graph; loops and conditions of Python are
    gone then. Where axes are dynamic, it runs again with other sizes, and every size that differs is computed in the graph.
    Before it is written, the graph is checked by ``onnx.checker``, and run by onnxruntime on the inputs of all these runs,
    which must give the numbers that the model gave. If anything can't be exported, nothing is written. The model stays as it is.

    Args:
        model: the model. Its parameters and buffers keep the names of its `state_dict`.
        args: what `forward` is given: a tuple, or one tensor. Tensors among them become inputs of the graph, other values
            are fixed.
        f: where to write.
        kwargs: what `forward` is given by name.
        input_names: names for the tensors in `args` and then `kwargs`; by default those of `forward`'s parameters.
        output_names: names for the tensors that `forward` returns, also out of tuples, lists and dictionaries; by default
            "output", or "output_0" and so on.
        opset_version: of ONNX' operators; 18 by default, which is the oldest that is written.
        dynamic_axes: for names of inputs, which of their axes may have any size: ``{"x": {0: "batch"}}``. Axes with the same
            name have the same size. Names of outputs may stand here too; their dynamic axes are found anyway.

    Raises:
        ImportError: onnx or onnxruntime isn't installed.
        OnnxExporterError: the model can't be exported; the message names the operation and where it stands.
        TypeError, ValueError: an argument doesn't fit.

    Example:
        >>> import nbmodule, onnxruntime, os, tempfile
        >>> from nbmodule import nn
        >>> model, x = nn.Sequential(nn.Linear(3, 2), nn.ReLU()), nbmodule.ones(1, 3)
        >>> file = os.path.join(tempfile.mkdtemp(), "model.onnx")
        >>> nbmodule.onnx.export(model, (x,), file, input_names=["x"], dynamic_axes={"x": {0: "batch"}})
        >>> session = onnxruntime.InferenceSession(file)
        >>> session.run(None, {"x": nbmodule.ones(5, 3).numpy()})[0].shape
        (5, 2)

    Source: https://docs.pytorch.org/docs/stable/onnx_export.html
    """
    try:
        import onnx
        import onnxruntime
    except ImportError as error:
        raise ImportError(EXTRA) from error
    missing = [name for name in USED if not callable(getattr(model, name, None))]
    if missing or isinstance(model, type):
        given = f"the class {model.__name__}" if isinstance(model, type) else type(model).__name__
        if callable(getattr(model, "forward", None)) and not isinstance(model, type):
            given += f", which has no {', '.join(missing)}"
        raise TypeError(f"export() expects a Module, but got {given}")
    if not isinstance(f, (str, os.PathLike)):
        raise TypeError(f"export() writes a file, f must be its path, but got {type(f).__name__}")
    for name, t in _named_tensors(model):
        if not isinstance(t, Tensor):
            kind = f"{type(t).__module__}.{type(t).__name__}"
            raise TypeError(
                f"export() expects a Module of nbmodule's tensors, but {name} is a {kind}"
            )
        if t.device.type != "cpu":
            raise ValueError(f"export() runs the model on the CPU, but {name} is on {t.device}")
    newest = min(onnx.defs.onnx_opset_version(), 23)
    opset = OLDEST if opset_version is None else opset_version
    if not (isinstance(opset, int) and OLDEST <= opset <= newest):
        raise ValueError(f"opset_version must be from {OLDEST} to {newest}, but got {opset!r}")
    args = args if isinstance(args, tuple) else (args,)
    runs = traced_runs(model, args, dict(kwargs or {}), input_names, dynamic_axes or {})
    proto = build(runs, output_names, opset)
    known = [end.name for end in (*proto.graph.input, *proto.graph.output)]
    if unknown := [name for name in dynamic_axes or {} if name not in known]:
        raise ValueError(f"dynamic_axes: {unknown[0]!r} is none of the names {known}")
    onnx.checker.check_model(proto, full_check=True)
    content = proto.SerializeToString()
    _agree(onnxruntime, content, runs)
    with replacing(f) as file:
        file.write(content)


def _named_tensors(model: nn.Module) -> list[tuple[str, Tensor]]:
    """Return its Parameters and buffers; a Module without drawers, which may be of a class of the reader's, is told why."""
    try:
        return [*model.named_parameters(), *model.named_buffers()]
    except AttributeError as error:
        said = str(error)
        drawers = ("'_parameters'", "'_buffers'", "'_modules'")
        if "super().__init__()" in said or not any(drawer in said for drawer in drawers):
            raise
        raise AttributeError(f"{said}{_HINT}") from error


def _agree(onnxruntime: Any, content: bytes, runs: Any) -> None:
    """Raise unless onnxruntime computes from all inputs what the model computed."""
    import numpy as np

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
        for run in runs:
            found = session.run(None, run.feed)
            for name, ours, theirs in zip(run.outputs, run.results, found, strict=True):
                rough = 1e-2 if ours.dtype == np.float16 else 1e-5 if ours.dtype.kind == "f" else 0
                scale = np.abs(ours[np.isfinite(ours)]).max(initial=1) if rough else 1
                if ours.shape != theirs.shape or not np.allclose(
                    theirs, ours, rtol=10 * rough, atol=rough * scale, equal_nan=True
                ):
                    raise OnnxExporterError(
                        f"{name} of the exported graph isn't what the model gave, so nothing was written. "
                        f"This is a bug of nbmodule: please report the model."
                    )
    except OnnxExporterError:
        raise
    except Exception as error:
        raise OnnxExporterError(f"onnxruntime can't run the graph: {error}") from error
