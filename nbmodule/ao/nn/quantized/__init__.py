"""Layers that hold integers."""

from . import dynamic
