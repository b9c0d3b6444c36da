"""The differentiable rules, one topic a file. `_engine/` says how a rule is written.

Begin with `elementwise`: a rule is a line of a calculus table.

Element by element:

    elementwise             arithmetic, exponentials, comparisons, choice
    waves                   angles, hyperbolas, exponentials and logarithms in other bases
    number_parts            rounding, signs, the parts of floating point numbers
    choices                 the larger, the smaller, limits, membership
    blends                  a third number added to, or between, two others
    integers                shifts of bits, common divisors and multiples
    activations             activations made of straight pieces
    smooth_activations      activations that bend smoothly
    error_function          the error function and its relatives
    gamma                   the gamma function and its relatives
    bessel                  modified Bessel functions

Along dimensions:

    reduce                  sums, means, extremes, softmax
    cumulative              products and logarithms so far
    ranking                 the middle element, and those that differ

Elements moved:

    shape                   views, indexing, joining, padding
    strides                 diagonals, sliding windows, strides of one's own
    scatter                 writes to places that are given by numbers

Matrices:

    linalg                  products, and the linear layer
    linalg_products         products that are added to a third operand, cross products
    linalg_solving          inverses, linear equations, determinants, the exponential
    linalg_decompositions   Cholesky, eigenvalues, singular values, QR, LU
    linalg_norms            norms and distances
    einsum                  the two steps of every `einsum`

Networks:

    sliding                 what windows over an image see
    conv                    convolution and its two adjoints
    correlation             the three products behind them
    padding                 mirror images, edges and other ends around an array
    folding                 windows as columns, and back
    windows                 what poolings share: windows along one axis
    pooling                 summaries of windows
    picking                 elements of a plane by their numbers
    resampling              resizing, a sparse matrix for each axis
    grid_sampling           reading images between the pixels
    loss                    losses that are worth a rule of their own
    loss_margins            losses that keep right and wrong classes apart
    ctc                     texts, whenever their letters are spoken
    embedding               rows of a table, looked up and put together
    attention               means of values, weighted by how keys fit queries
    dropping                dropout
    hashing                 random numbers that each element of a GPU finds for itself
    fused                   a product and a sum, rounded once
    several                 operations with several results, and one pass backwards
    recurrent_steps         one step of each recurrent layer, and a layer as a loop of steps
    recurrent               recurrent layers, all steps as one operation
    packing                 sequences of different lengths, with and without padding
    normalization           mean 0 and variance 1, from which all such layers are made
    normalization_rows      ... of rows: layer normalisation
    normalization_planes    ... of channels: batch and group normalisation
    normalization_sums      sums of large arrays that do not drift
    weight_norm             a weight as a length times a direction
"""
