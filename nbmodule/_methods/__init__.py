"""The methods of Tensor, one topic a file; `_tensor.py` puts the classes together.

What many of them need:

    common                  the array library of a tensor, names of types, the axes that `dim` names
    sizes                   the class `Size`, and sizes as arguments
    _signature_table        what PyTorch's functions take
    _signature_table_nn     what its functions of networks take
    _signatures             reads the table, and finds PyTorch's words for a call that does not fit
    _signature_shown        what `inspect.signature` shows of them
    rule_to_method          how a rule becomes a method, an operator, and a method in place
    pytorch_errors          wraps a method, so that a call that failed says those words

Numbers:

    elementwise             functions of one number, and of two
    arithmetic              arithmetic, comparisons, logic, choice, and the operators
    in_place                both, where they overwrite their tensor
    reductions              sums, means, extremes, tests and norms over dimensions
    cumulative              sums, products and extremes so far, differences
    statistics              spread, median, quantiles, covariance, histograms
    sorting                 order, and places in an order

Shape and place:

    shapes                  views, and copies in another shape
    slicing                 slices and splits along a dimension
    indexing                square brackets
    index_expressions       what stands between them
    gathering               elements at places given by index tensors
    scatter                 writes to such places
    scatter_helpers         what those writes share
    diagonals               diagonals and triangles
    arrange                 repeats, flips, rolls, rotations
    layout                  strides, and the memory under them

Matrices:

    matrices                products, and the older names of linear algebra
    matrix_sums             products that are added to a tensor
    linalg_products         functions of `nbmodule.linalg`: products of several, powers, cross products
    linalg_solving          ... inverses, linear equations, determinants
    linalg_decompositions   ... Cholesky, eigenvalues, singular values, QR
    linalg_lu               ... LU, least squares
    linalg_norms            ... norms, condition numbers, distances
    linalg_checks           what all these ask of their arguments
    deprecations            what PyTorch says of its older functions

The tensor itself:

    properties              what it is: shape, dtype, device, and many small questions
    history                 its place in the graph: gradients, hooks
    backward                the walk from outside, and what is asked of its arguments
    casting                 another dtype or device
    filling                 other values, or other memory, in place
    random_fills            random numbers in place
    random_draws            draws with probabilities that a tensor holds
    new_tensors             new tensors like this one
    copying                 deep copies, pickles, subclasses
    exporting               numbers for Python, NumPy, and other libraries
"""
