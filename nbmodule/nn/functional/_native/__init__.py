"""What PyTorch computes in C++, with the arguments that it takes there.

Many functions have two forms. ``nbmodule.layer_norm`` asks for an argument that ``nn.functional.layer_norm`` does not have,
``nbmodule.ctc_loss`` takes a number where that one takes "mean". The forms at the top level lie here; where there
is no other, `nn.functional` shows the same function.

Weighted sums:

    embedding             tables of vectors
    attention             whole layers of attention, where nothing is recorded
    recurrent             recurrent networks, as functions of all their weights
    recurrent_cells       ... single steps of them

Element by element, or nearly:

    activation            activations
    dropout               forgetting
    normalization         mean 0 and variance 1: layer, group and root mean square
    batch_normalization   ... with running statistics
    weight_norm           a weight as a length times a direction
"""
