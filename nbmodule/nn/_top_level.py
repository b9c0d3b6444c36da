"""The functions of networks that PyTorch has at its top level too, such as ``torch.conv2d``.

`nbmodule` takes them from here when one is first asked for: see the end of `nbmodule/__init__.py`.
"""

# ruff: noqa: F401
from .functional._adaptive_pooling import (
    _adaptive_max_pool1d as adaptive_max_pool1d,
)
from .functional._adaptive_pooling import (
    adaptive_avg_pool1d,
)
from .functional._conv import (
    conv1d,
    conv2d,
    conv3d,
    conv_tbc,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
    convolution,
)
from .functional._distance import cosine_similarity, pairwise_distance
from .functional._grid_sampling import (
    affine_grid_generator,
    grid_sampler,
    grid_sampler_2d,
    grid_sampler_3d,
)
from .functional._linear import bilinear
from .functional._native.batch_normalization import batch_norm, instance_norm, native_batch_norm
from .functional._native.ctc import ctc_loss
from .functional._native.dropout import (
    alpha_dropout,
    alpha_dropout_,
    dropout,
    dropout_,
    feature_alpha_dropout,
    feature_alpha_dropout_,
    feature_dropout,
    feature_dropout_,
    native_dropout,
)
from .functional._native.embedding import embedding, embedding_bag, embedding_renorm_
from .functional._native.losses import (
    binary_cross_entropy_with_logits,
    cosine_embedding_loss,
    hinge_embedding_loss,
    kl_div,
    margin_ranking_loss,
    poisson_nll_loss,
    triplet_margin_loss,
)
from .functional._native.normalization import (
    group_norm,
    layer_norm,
    native_group_norm,
    native_layer_norm,
    rms_norm,
)
from .functional._native.recurrent import gru, lstm, rnn_relu, rnn_tanh
from .functional._native.recurrent_cells import gru_cell, lstm_cell, rnn_relu_cell, rnn_tanh_cell
from .functional._native.weight_norm import _weight_norm, norm_except_dim
from .functional._padding import constant_pad_nd
from .functional._pooling import (
    _max_pool1d as max_pool1d,
)
from .functional._pooling import (
    _max_pool1d_with_indices as max_pool1d_with_indices,
)
from .functional._pooling import (
    _max_pool2d as max_pool2d,
)
from .functional._pooling import (
    _max_pool3d as max_pool3d,
)
from .functional._pooling import (
    avg_pool1d,
)
from .functional._shuffling import (
    channel_shuffle,
    native_channel_shuffle,
    pixel_shuffle,
    pixel_unshuffle,
)
