"""Writes the files of this folder with PyTorch: ``python make_files.py``. They are committed, PyTorch 2.13 made them.

What is in them stands in `test_pytorch_files.py`, too, which reads them with nbmodule; `saved_nest.py` is the nest in two of them.
"""

import pathlib
import sys
import warnings

import torch
from torch import nn

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

from saved_nest import nest  # noqa: E402

OLD = {"_use_new_zipfile_serialization": False}


def main():
    """Write the files."""
    torch.manual_seed(0)
    torch.save(nest(torch), HERE / "nest.pt")
    torch.save(nest(torch), HERE / "nest_legacy.pt", **OLD)
    torch.save(torch.tensor([1.0, -2.5, 3.0]).bfloat16(), HERE / "bfloat16.pt")
    torch.save(torch.tensor([1.0, -2.5, 3.0]).bfloat16(), HERE / "bfloat16_legacy.pt", **OLD)
    net = nn.Linear(2, 1)
    nn.init.ones_(net.weight), nn.init.zeros_(net.bias)
    torch.save(net, HERE / "module.pt")
    torch.save(torch.zeros(2, dtype=torch.complex64), HERE / "complex.pt")
    torch.save(torch.eye(2).to_sparse(), HERE / "sparse.pt")
    torch.save(torch.zeros(2).to(torch.float8_e5m2), HERE / "float8.pt")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        quantized = torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8)
    torch.save(quantized, HERE / "quantized.pt")


if __name__ == "__main__":
    main()
