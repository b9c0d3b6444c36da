"""What PyTorch computes in C++, with the arguments that it takes there.

Many functions have two forms. ``nbmodule.layer_norm`` asks for an argument that ``nn.functional.layer_norm`` does not have,
``nbmodule.ctc_loss`` takes a number where that one takes "mean". The forms at the top level lie here; where there
is no other, `nn.functional` shows the same function.

Weighted sums:

    convolution           all convolutions as one function

Images:

    pool_checks           what pooling asks of its arguments
    signal_pooling        maxima and means of windows over signals
    pooling               ... over images and volumes
    adaptive_pooling      ... to a given size
    irregular_pooling     windows at random places, and back from maxima
    shuffling             pixels from channels and back
    resize_maps           which elements a resized one is mixed from
    upsampling            resizing by each of the modes
    grid_sampling         reading at the places of a grid

Losses:

    losses                of numbers, probabilities and distances
    margin_losses         of classifiers that are to be sure
    ctc                   of texts whose letters may come at any time
"""
