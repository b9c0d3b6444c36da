"""The workloads in NumPy alone, with gradients derived by hand."""
