"""What PyTorch's functions of networks take; the form is that of `_signature_table.py`."""

CONVOLUTION = """
"""
"""Convolution, padding, folding."""

POOLING = """
"""
"""Pooling, resizing, sampling, shuffling."""

ACTIVATION = """
"""
"""Activations and dropout."""

NORMALIZATION = """
"""
"""Normalisation and distances."""

RECURRENT = """
"""
"""Recurrent layers and embeddings."""

ATTENTION = """
"""
"""Linear layers and attention."""

LOSSES = """
"""
"""Losses."""
