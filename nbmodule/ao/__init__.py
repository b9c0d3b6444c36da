"""Models for small machines: what is left of PyTorch's folder by this name.

quantization           `quantize_dynamic`: a model whose Linears hold int8
nn.quantized.dynamic   the Linear that it puts there

Source: https://docs.pytorch.org/docs/2.13/quantization.html
"""

from . import nn, quantization
