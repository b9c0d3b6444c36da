"""What `nbmodule.nn.functional` is made of, one topic a file.

Begin with `linear`: arguments are checked in PyTorch's order and words, and a rule of `nbmodule._ops` computes.

What many of them need:

    checks                what is asked of arguments
    packed_sequence       sequences of different lengths, without gaps

Weighted sums:

    linear                of features
    convolution           what all filters that slide have in common
    conv                  filters that slide, and filters that are laid down
    padding               a number, a mirror image, an edge or the other end around a tensor
    folding               windows as columns, and back
    sparse                words and classes as vectors
    attention             means of values, weighted by how keys fit queries
    multi_head            the same in several ways at once

Images:

    pooling               summaries of windows
    power_pooling         power averages of windows
    irregular_pooling     random windows, and back from maxima
    interpolation         resizing
    grid_sampling         reading at the places of a grid

Element by element, or nearly:

    activation            activations made of straight pieces
    smooth_activation     activations that bend smoothly
    softmax               numbers made into shares of a whole
    dropout               forgetting
    normalization         mean 0, variance 1
    distance              of vectors

Losses:

    losses                of numbers
    probability_losses    of probabilities, counts and distributions
    class_losses          of classifiers
    linear_cross_entropy  of classifiers with very many classes
    margin_losses         of classifiers that are to be sure
    embedding_losses      of what should be near or far
    ctc                   of texts whose letters may come at any time
"""
