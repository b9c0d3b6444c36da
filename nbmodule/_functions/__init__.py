"""PyTorch's top-level functions, one topic a file. Most are methods of Tensor under another roof.

How a method becomes a function:

    _wrap                   `function`: with PyTorch's errors for a call that does not fit
    _arguments              numbers, and types that are refused
    _out                    ``out=``, the tensor that a result is written into

The functions:

    general                 what a tensor is
    elementwise             computed element by element
    reductions              over dimensions, and along them
    sorting                 order, and places in an order
    shapes                  views, and copies in another shape or order
    copies                  views that are copied at once: ``view_copy``
    indexing                parts of a tensor, and writes to places
    joining                 several tensors made one
    matrices                products, inverses, decompositions
    einsum                  sums of products, written with letters
    coordinates             differences over a grid, coordinates of flat indices
    windows                 windows of signal processing
"""
