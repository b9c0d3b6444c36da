"""`nbmodule.nn.functional`: the functions that layers call, with PyTorch's signatures. This is the list of names; each topic is a file.

Begin with `cross_entropy` in `_class_losses`: valid arguments go straight to the formula, a rule in `nbmodule._ops.loss`;
PyTorch's error messages for other arguments stand at the end of the file.

Some functions have a second form at PyTorch's top level, with other arguments: ``nbmodule.kl_div`` takes a number for the
reduction. It stands below the first and has an underscore there, ``_kl_div``; `nn/_top_level.py` lists all of them.

What many of them need:

    _checks               sizes given once or for each dimension, and the mark of a form at the top level
    _packed_sequence      sequences of different lengths, without gaps

Weighted sums:

    _linear               the linear and the bilinear map
    _conv                 convolutions and transposed convolutions
    _padding              a number, a mirror image, an edge or the other end around a tensor
    _folding              windows as columns, and back
    _sparse               embeddings, one-hot vectors
    _attention            means of values, weighted by how keys fit queries
    _multi_head           several attentions side by side
    _recurrent            networks that read a sequence step by step
    _weight_norm          a weight as a length times a direction

Images:

    _pooling              summaries of windows: maxima, means, power averages
    _adaptive_pooling     ... with the output size given
    _irregular_pooling    fractional max pooling, max unpooling
    _interpolation        resizing
    _grid_sampling        reading at the points of a grid
    _shuffling            channels become pixels, and back

Element by element, or nearly:

    _activation           piecewise linear activations, such as ReLU
    _smooth_activation    smooth ones, such as GELU
    _softmax              scores become probabilities
    _dropout              random elements or channels become 0
    _normalization        mean 0, variance 1
    _normalization_checks ... and its errors
    _distance             of vectors, and the similarity of their directions

Losses:

    _losses               of regression: how far numbers are from their targets
    _probability_losses   of probabilities, counts and distributions
    _class_losses         of classifiers
    _linear_cross_entropy of classifiers with very many classes
    _margin_losses        of classifiers whose scores should differ by a margin
    _embedding_losses     of what should be close together or far apart
    _ctc                  of texts that are not aligned with the input

Source: https://docs.pytorch.org/docs/stable/nn.functional.html
"""

from .. import grad
from ._activation import (
    _threshold,
    hardshrink as hardshrink,
    hardsigmoid as hardsigmoid,
    hardswish as hardswish,
    hardtanh as hardtanh,
    hardtanh_ as hardtanh_,
    leaky_relu as leaky_relu,
    leaky_relu_ as leaky_relu_,
    prelu as prelu,
    relu as relu,
    relu6 as relu6,
    relu_ as relu_,
    rrelu as rrelu,
    rrelu_ as rrelu_,
    softshrink as softshrink,
    threshold_ as threshold_,
)
from ._adaptive_pooling import (
    adaptive_avg_pool1d as adaptive_avg_pool1d,
    adaptive_avg_pool2d as adaptive_avg_pool2d,
    adaptive_avg_pool3d as adaptive_avg_pool3d,
    adaptive_max_pool1d as adaptive_max_pool1d,
    adaptive_max_pool1d_with_indices as adaptive_max_pool1d_with_indices,
    adaptive_max_pool2d as adaptive_max_pool2d,
    adaptive_max_pool2d_with_indices as adaptive_max_pool2d_with_indices,
    adaptive_max_pool3d as adaptive_max_pool3d,
    adaptive_max_pool3d_with_indices as adaptive_max_pool3d_with_indices,
)
from ._attention import scaled_dot_product_attention as scaled_dot_product_attention
from ._class_losses import cross_entropy as cross_entropy, nll_loss as nll_loss
from ._conv import (
    conv1d as conv1d,
    conv2d as conv2d,
    conv3d as conv3d,
    conv_tbc as conv_tbc,
    conv_transpose1d as conv_transpose1d,
    conv_transpose2d as conv_transpose2d,
    conv_transpose3d as conv_transpose3d,
)
from ._ctc import ctc_loss as ctc_loss
from ._distance import (
    cosine_similarity as cosine_similarity,
    pairwise_distance as pairwise_distance,
    pdist as pdist,
)
from ._dropout import (
    alpha_dropout as alpha_dropout,
    dropout as dropout,
    dropout1d as dropout1d,
    dropout2d as dropout2d,
    dropout3d as dropout3d,
    feature_alpha_dropout as feature_alpha_dropout,
)
from ._embedding_losses import (
    cosine_embedding_loss as cosine_embedding_loss,
    hinge_embedding_loss as hinge_embedding_loss,
    margin_ranking_loss as margin_ranking_loss,
    triplet_margin_loss as triplet_margin_loss,
    triplet_margin_with_distance_loss as triplet_margin_with_distance_loss,
)
from ._folding import fold as fold, unfold as unfold
from ._grid_sampling import (
    GRID_SAMPLE_INTERPOLATION_MODES as GRID_SAMPLE_INTERPOLATION_MODES,
    GRID_SAMPLE_PADDING_MODES as GRID_SAMPLE_PADDING_MODES,
    affine_grid as affine_grid,
    grid_sample as grid_sample,
)
from ._interpolation import (
    interpolate as interpolate,
    upsample as upsample,
    upsample_bilinear as upsample_bilinear,
    upsample_nearest as upsample_nearest,
)
from ._irregular_pooling import (
    _check_unpool_output_size,
    _unpool_output_size,
    fractional_max_pool2d as fractional_max_pool2d,
    fractional_max_pool2d_with_indices as fractional_max_pool2d_with_indices,
    fractional_max_pool3d as fractional_max_pool3d,
    fractional_max_pool3d_with_indices as fractional_max_pool3d_with_indices,
    max_unpool1d as max_unpool1d,
    max_unpool2d as max_unpool2d,
    max_unpool3d as max_unpool3d,
)
from ._linear import bilinear as bilinear, linear as linear
from ._linear_cross_entropy import linear_cross_entropy as linear_cross_entropy
from ._losses import (
    huber_loss as huber_loss,
    l1_loss as l1_loss,
    mse_loss as mse_loss,
    smooth_l1_loss as smooth_l1_loss,
)
from ._margin_losses import (
    multi_margin_loss as multi_margin_loss,
    multilabel_margin_loss as multilabel_margin_loss,
    multilabel_soft_margin_loss as multilabel_soft_margin_loss,
    soft_margin_loss as soft_margin_loss,
)
from ._multi_head import (
    _canonical_mask,
    _check_key_padding_mask,
    _in_projection,
    _in_projection_packed,
    _mha_shape_check,
    _none_or_dtype,
    multi_head_attention_forward as multi_head_attention_forward,
)
from ._normalization import (
    batch_norm as batch_norm,
    group_norm as group_norm,
    instance_norm as instance_norm,
    layer_norm as layer_norm,
    local_response_norm as local_response_norm,
    normalize as normalize,
    rms_norm as rms_norm,
)
from ._padding import pad as pad
from ._pooling import (
    avg_pool1d as avg_pool1d,
    avg_pool2d as avg_pool2d,
    avg_pool3d as avg_pool3d,
    lp_pool1d as lp_pool1d,
    lp_pool2d as lp_pool2d,
    lp_pool3d as lp_pool3d,
    max_pool1d as max_pool1d,
    max_pool1d_with_indices as max_pool1d_with_indices,
    max_pool2d as max_pool2d,
    max_pool2d_with_indices as max_pool2d_with_indices,
    max_pool3d as max_pool3d,
    max_pool3d_with_indices as max_pool3d_with_indices,
)
from ._probability_losses import (
    binary_cross_entropy as binary_cross_entropy,
    binary_cross_entropy_with_logits as binary_cross_entropy_with_logits,
    gaussian_nll_loss as gaussian_nll_loss,
    kl_div as kl_div,
    poisson_nll_loss as poisson_nll_loss,
)
from ._shuffling import (
    channel_shuffle as channel_shuffle,
    native_channel_shuffle as native_channel_shuffle,
    pixel_shuffle as pixel_shuffle,
    pixel_unshuffle as pixel_unshuffle,
)
from ._smooth_activation import (
    celu as celu,
    celu_ as celu_,
    elu as elu,
    elu_ as elu_,
    gelu as gelu,
    glu as glu,
    logsigmoid as logsigmoid,
    mish as mish,
    selu as selu,
    selu_ as selu_,
    sigmoid as sigmoid,
    silu as silu,
    softplus as softplus,
    softsign as softsign,
    tanh as tanh,
    tanhshrink as tanhshrink,
)
from ._softmax import (
    _get_softmax_dim,
    gumbel_softmax as gumbel_softmax,
    log_softmax as log_softmax,
    softmax as softmax,
    softmin as softmin,
)
from ._sparse import (
    embedding as embedding,
    embedding_bag as embedding_bag,
    one_hot as one_hot,
)

threshold = _threshold  # the name that PyTorch's `def` has


def _name_by_public_path() -> None:
    for shown in globals().values():
        if hasattr(shown, "__globals__") and shown.__name__ in globals():
            shown.__module__ = __name__


_name_by_public_path()
