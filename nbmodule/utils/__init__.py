"""Utilities under PyTorch's path; empty on purpose, so that importing one does not import the others."""
