"""Layers with few bits."""

from . import quantized
