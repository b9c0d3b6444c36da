"""The first exam: the protocol that nbmodule's Module and PyTorch's keep, asked of the reader's class alone."""
