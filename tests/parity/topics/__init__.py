"""What PyTorch does, a topic a file; see `casebook.py`."""
