"""Functions that PyTorch has at the top level too, with arguments of their own there."""
