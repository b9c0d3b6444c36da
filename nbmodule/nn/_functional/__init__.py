"""What `nbmodule.nn.functional` is made of.

checks         what is asked of arguments
linear         weighted sums
conv           filters that slide, and filters that are laid down
convolution    what all of these have in common
padding        a number, a mirror image, an edge or the other end around a tensor
folding        windows as columns, and back
pooling        summaries of windows
irregular_pooling   powers, random windows, and back from maxima
distance       of vectors
normalization  mean 0, variance 1
activation     curves and softmax
dropout        forgetting
sparse         words and classes as vectors
packed_sequence   sequences of different lengths, without gaps
losses         of numbers
probability_losses   of probabilities, counts and distributions
class_losses   of classifiers
margin_losses  of classifiers that are to be sure
embedding_losses   of what should be near or far
ctc            of texts whose letters may come at any time
"""
