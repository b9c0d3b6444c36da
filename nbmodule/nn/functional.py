"""Functions of networks without state, by PyTorch's signatures; `_functional/` holds them, one topic a file.

They check shapes; the rules in `nbmodule._ops` compute.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html
"""

# ruff: noqa: F401
from .._functions.activations import (
    celu_,
    hardshrink,
    prelu,
    relu_,
    rrelu_,
    selu_,
    threshold_,
)
from . import grad
from ._functional.activation import (
    _threshold,
    hardsigmoid,
    hardswish,
    hardtanh,
    leaky_relu,
    relu,
    relu6,
    rrelu,
    threshold,
)
from ._functional.attention import scaled_dot_product_attention
from ._functional.class_losses import cross_entropy, nll_loss
from ._functional.conv import (
    conv1d,
    conv2d,
    conv3d,
    conv_tbc,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
)
from ._functional.ctc import ctc_loss
from ._functional.distance import cosine_similarity, pairwise_distance, pdist
from ._functional.dropout import (
    alpha_dropout,
    dropout,
    dropout1d,
    dropout2d,
    dropout3d,
    feature_alpha_dropout,
)
from ._functional.embedding_losses import (
    cosine_embedding_loss,
    hinge_embedding_loss,
    margin_ranking_loss,
    triplet_margin_loss,
    triplet_margin_with_distance_loss,
)
from ._functional.folding import fold, unfold
from ._functional.grid_sampling import (
    GRID_SAMPLE_INTERPOLATION_MODES,
    GRID_SAMPLE_PADDING_MODES,
    affine_grid,
    grid_sample,
)
from ._functional.interpolation import (
    interpolate,
    upsample,
    upsample_bilinear,
    upsample_nearest,
)
from ._functional.irregular_pooling import (
    _check_unpool_output_size,
    _fractional_max_pool2d,
    _fractional_max_pool3d,
    _unpool_output_size,
    fractional_max_pool2d,
    fractional_max_pool2d_with_indices,
    fractional_max_pool3d,
    fractional_max_pool3d_with_indices,
    max_unpool1d,
    max_unpool2d,
    max_unpool3d,
)
from ._functional.linear import bilinear, linear
from ._functional.linear_cross_entropy import linear_cross_entropy
from ._functional.losses import huber_loss, l1_loss, mse_loss, smooth_l1_loss
from ._functional.margin_losses import (
    multi_margin_loss,
    multilabel_margin_loss,
    multilabel_soft_margin_loss,
    soft_margin_loss,
)
from ._functional.multi_head import (
    _canonical_mask,
    _check_key_padding_mask,
    _in_projection,
    _in_projection_packed,
    _mha_shape_check,
    _none_or_dtype,
    multi_head_attention_forward,
)
from ._functional.normalization import (
    batch_norm,
    group_norm,
    instance_norm,
    layer_norm,
    local_response_norm,
    normalize,
    rms_norm,
)
from ._functional.padding import pad
from ._functional.pooling import (
    _adaptive_max_pool1d,
    _adaptive_max_pool2d,
    _adaptive_max_pool3d,
    _max_pool1d,
    _max_pool2d,
    _max_pool3d,
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool1d_with_indices,
    adaptive_max_pool2d,
    adaptive_max_pool2d_with_indices,
    adaptive_max_pool3d,
    adaptive_max_pool3d_with_indices,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    max_pool1d,
    max_pool1d_with_indices,
    max_pool2d,
    max_pool2d_with_indices,
    max_pool3d,
    max_pool3d_with_indices,
)
from ._functional.power_pooling import lp_pool1d, lp_pool2d, lp_pool3d
from ._functional.probability_losses import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    gaussian_nll_loss,
    kl_div,
    poisson_nll_loss,
)
from ._functional.smooth_activation import (
    celu,
    elu,
    glu,
    mish,
    selu,
    sigmoid,
    silu,
    softsign,
    tanh,
    tanhshrink,
)
from ._functional.softmax import (
    _get_softmax_dim,
    gumbel_softmax,
    log_softmax,
    softmax,
    softmin,
)
from ._functional.sparse import embedding, embedding_bag, one_hot
from ._native.activation import (
    elu_,
    gelu,
    hardtanh_,
    leaky_relu_,
    softplus,
    softshrink,
)
from ._native.activation import log_sigmoid as logsigmoid
from ._native.shuffling import (
    channel_shuffle,
    native_channel_shuffle,
    pixel_shuffle,
    pixel_unshuffle,
)


def _name_by_public_path() -> None:
    for shown in globals().values():
        if hasattr(shown, "__globals__") and shown.__name__ in globals():
            shown.__module__ = __name__


_name_by_public_path()
