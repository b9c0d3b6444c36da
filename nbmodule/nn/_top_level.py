"""The functions of networks that PyTorch has at its top level too, such as ``torch.conv2d``.

`nbmodule` takes them from here when one is first asked for: see the end of `nbmodule/__init__.py`. What is ``_kl_div`` in its
file is ``nbmodule.kl_div``: it takes other arguments than ``nn.functional.kl_div``, which stands above it.
"""

# ruff: noqa: F401, I001
from .functional._activation import (
    _rrelu as rrelu,
    hardshrink,
    prelu,
    relu_,
    rrelu_,
    threshold,
    threshold_,
)
from .functional._adaptive_pooling import (
    _adaptive_max_pool1d as adaptive_max_pool1d,
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
from .functional._ctc import _ctc_loss as ctc_loss
from .functional._distance import cosine_similarity, pairwise_distance
from .functional._dropout import (
    _alpha_dropout as alpha_dropout,
    _alpha_dropout_ as alpha_dropout_,
    _dropout as dropout,
    _dropout_ as dropout_,
    _feature_alpha_dropout as feature_alpha_dropout,
    _feature_alpha_dropout_ as feature_alpha_dropout_,
    _feature_dropout as feature_dropout,
    _feature_dropout_ as feature_dropout_,
    native_dropout,
)
from .functional._embedding_losses import (
    _cosine_embedding_loss as cosine_embedding_loss,
    _hinge_embedding_loss as hinge_embedding_loss,
    _margin_ranking_loss as margin_ranking_loss,
    _triplet_margin_loss as triplet_margin_loss,
)
from .functional._grid_sampling import (
    affine_grid_generator,
    grid_sampler,
    grid_sampler_2d,
    grid_sampler_3d,
)
from .functional._linear import bilinear
from .functional._normalization import (
    _batch_norm as batch_norm,
    _group_norm as group_norm,
    _instance_norm as instance_norm,
    _layer_norm as layer_norm,
    native_batch_norm,
    native_group_norm,
    native_layer_norm,
    rms_norm,
)
from .functional._padding import constant_pad_nd
from .functional._pooling import (
    _max_pool1d as max_pool1d,
    _max_pool1d_with_indices as max_pool1d_with_indices,
    _max_pool2d as max_pool2d,
    _max_pool3d as max_pool3d,
    avg_pool1d,
)
from .functional._probability_losses import (
    _binary_cross_entropy_with_logits as binary_cross_entropy_with_logits,
    _kl_div as kl_div,
    _poisson_nll_loss as poisson_nll_loss,
)
from .functional._recurrent import (
    gru,
    gru_cell,
    lstm,
    lstm_cell,
    rnn_relu,
    rnn_relu_cell,
    rnn_tanh,
    rnn_tanh_cell,
)
from .functional._shuffling import (
    channel_shuffle,
    native_channel_shuffle,
    pixel_shuffle,
    pixel_unshuffle,
)
from .functional._smooth_activation import _celu as celu, _selu as selu, celu_, selu_
from .functional._sparse import (
    _embedding as embedding,
    _embedding_bag as embedding_bag,
    embedding_renorm_,
)
from .functional._weight_norm import _weight_norm, norm_except_dim
