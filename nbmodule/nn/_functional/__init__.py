"""What `nbmodule.nn.functional` is made of.

checks         what is asked of arguments
linear         weighted sums
conv           filters that slide
pooling        summaries of windows
normalization  mean 0, variance 1
activation     curves and softmax
dropout        forgetting
sparse         classes as vectors
losses         of numbers and of probabilities
class_losses   of classifiers
"""
