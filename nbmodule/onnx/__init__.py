"""Export to ONNX: a model as a file that other programs run, without Python and without nbmodule.

In reading order: `_tracing.py` runs the model and writes down its operations, `_graph.py` gives a name to every value and
every size, `_rules.py` and `_layers.py` say what each operation is called in ONNX, and `_build.py` puts it all together.

Source: https://docs.pytorch.org/docs/stable/onnx.html
"""

from ._export import export as export
from ._tracing import OnnxExporterError as OnnxExporterError
