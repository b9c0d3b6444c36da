"""The older name of `ao.quantization`.

Source: https://docs.pytorch.org/docs/2.13/quantization.html
"""

from .ao.quantization import quantize_dynamic

__all__ = ["quantize_dynamic"]
