"""What `nbmodule.nn.functional` is made of.

checks         what is asked of arguments
linear         weighted sums
conv           filters that slide, and filters that are laid down
convolution    what all of these have in common
padding        a number, a mirror image, an edge or the other end around a tensor
folding        windows as columns, and back
pooling        summaries of windows
power_pooling       power averages of windows
irregular_pooling   random windows, and back from maxima
interpolation       resizing
grid_sampling       reading at the places of a grid
distance       of vectors
normalization  mean 0, variance 1
activation     activations made of straight pieces
smooth_activation   activations that bend smoothly
softmax        numbers made into shares of a whole
dropout        forgetting
attention      means of values, weighted by how keys fit queries
multi_head     the same in several ways at once
sparse         words and classes as vectors
packed_sequence   sequences of different lengths, without gaps
losses         of numbers
probability_losses   of probabilities, counts and distributions
class_losses   of classifiers
margin_losses  of classifiers that are to be sure
embedding_losses   of what should be near or far
ctc            of texts whose letters may come at any time
"""
