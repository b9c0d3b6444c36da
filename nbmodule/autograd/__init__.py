"""Recording and not recording. The walk itself is in `nbmodule/_engine.py`."""

from .grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled
