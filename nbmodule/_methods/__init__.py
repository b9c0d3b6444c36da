"""The methods of Tensor, one topic a file; `_tensor.py` puts them together into the class."""
