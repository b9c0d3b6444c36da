"""PyTorch's top-level functions, a topic a file."""
