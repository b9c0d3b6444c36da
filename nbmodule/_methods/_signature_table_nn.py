"""What PyTorch's functions of networks take; the form is that of `_signature_table.py`."""

CONVOLUTION = """
conv1d conv2d conv3d: (Tensor input, Tensor weight, Tensor? bias=None, ints1 stride=1, ints1 padding=0, ints1 dilation=1, int groups=1) (Tensor input, Tensor weight, Tensor? bias=None, ints1 stride=1, str padding="valid", ints1 dilation=1, int groups=1)
conv_transpose1d conv_transpose2d conv_transpose3d: (Tensor input, Tensor weight, Tensor? bias=None, ints1 stride=1, ints1 padding=0, ints1 output_padding=0, int groups=1, ints1 dilation=1)
conv_tbc: (Tensor input, Tensor weight, Tensor bias, int pad=0)
convolution: (Tensor input, Tensor weight, Tensor? bias, ints stride, ints padding, ints dilation, bool transposed, ints output_padding, int groups)
constant_pad_nd: (Tensor input, ints pad, Number value=0)
pad: (Tensor input, ints pad, str mode="constant", float value=None)
im2col: (Tensor input, ints1 kernel_size, ints1 dilation, ints1 padding, ints1 stride)
col2im: (Tensor input, ints1 output_size, ints1 kernel_size, ints1 dilation, ints1 padding, ints1 stride)
"""
"""Convolution, padding, folding."""

POOLING = """
max_pool1d max_pool2d max_pool3d max_pool1d_with_indices max_pool2d_with_indices max_pool3d_with_indices: (Tensor input, ints1 kernel_size, ints1? stride=(), ints1 padding=0, ints1 dilation=1, bool ceil_mode=False)
avg_pool1d: (Tensor input, ints1 kernel_size, ints1? stride=(), ints1 padding=0, bool ceil_mode=False, bool count_include_pad=True)
avg_pool2d avg_pool3d: (Tensor input, ints1 kernel_size, ints1? stride=None, ints1 padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None, *, Tensor out=None)
adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d: (Tensor input, ints1 output_size)
fractional_max_pool2d fractional_max_pool3d: (Tensor input, ints1 kernel_size, ints1 output_size, Tensor random_samples)
max_unpool2d: (Tensor input, Tensor indices, ints1 output_size)
max_unpool3d: (Tensor input, Tensor indices, ints1 output_size, ints1 stride, ints1 padding)
grid_sampler grid_sampler_2d grid_sampler_3d: (Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners)
affine_grid_generator: (Tensor theta, ints size, bool align_corners)
pixel_shuffle: (Tensor input, int upscale_factor)
pixel_unshuffle: (Tensor input, int downscale_factor)
channel_shuffle native_channel_shuffle: (Tensor input, int groups)
"""
"""Pooling, resizing, sampling, shuffling."""

ACTIVATION = """
hardtanh: (Tensor input, Number min_val=-1, Number max_val=1, *, Tensor out)
relu6 silu mish hardsigmoid hardswish: (Tensor input)
leaky_relu: (Tensor input, Number negative_slope=0.01, *, Tensor out)
elu: (Tensor input, Number alpha=1, Number scale=1, Number input_scale=1, *, Tensor out)
gelu: (Tensor input, *, str approximate='none', Tensor out)
softplus: (Tensor input, Number beta=1, Number threshold=20, *, Tensor out)
softshrink: (Tensor input, Number lambd=0.5, *, Tensor out)
log_sigmoid: (Tensor input, *, Tensor out)
glu: (Tensor input, int dim=-1)
dropout alpha_dropout feature_dropout feature_alpha_dropout: (Tensor input, float p, bool train)
native_dropout: (Tensor input, float p, bool? train)
"""
"""Activations and dropout."""

NORMALIZATION = """
layer_norm: (Tensor input, ints normalized_shape, Tensor weight=None, Tensor bias=None, float eps=1e-05, bool cudnn_enable=True)
rms_norm: (Tensor input, ints normalized_shape, Tensor weight=None, float eps=None)
group_norm: (Tensor input, int num_groups, Tensor weight=None, Tensor bias=None, float eps=1e-05, bool cudnn_enabled=True)
batch_norm: (Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps, bool cudnn_enabled)
instance_norm: (Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool use_input_stats, float momentum, float eps, bool cudnn_enabled)
native_batch_norm: (Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps, *, Tensor out)
native_layer_norm: (Tensor input, ints normalized_shape, Tensor? weight, Tensor? bias, float eps)
native_group_norm: (Tensor input, Tensor? weight, Tensor? bias, int N, int C, int HxW, int group, float eps)
cosine_similarity: (Tensor x1, Tensor x2, int dim=1, float eps=1e-08)
pairwise_distance: (Tensor x1, Tensor x2, float p=2, float eps=1e-06, bool keepdim=False)
norm_except_dim: (Tensor v, int pow=2, int dim=0)
_weight_norm: (Tensor v, Tensor g, int dim=0)
"""
"""Normalisation and distances."""

RECURRENT = """
embedding: (Tensor weight, Tensor indices, int padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False)
embedding_renorm_: (Tensor input, Tensor indices, float max_norm, float norm_type)
embedding_bag: (Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False) (Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq, int mode, bool sparse, Tensor? per_sample_weights, bool include_last_offset, int? padding_idx)
one_hot: (Tensor input, int num_classes=-1)
lstm: (Tensor data, Tensor batch_sizes, Tensors hx, Tensors params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional) (Tensor input, Tensors hx, Tensors params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first)
gru rnn_tanh rnn_relu: (Tensor data, Tensor batch_sizes, Tensor hx, Tensors params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional) (Tensor input, Tensor hx, Tensors params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first)
lstm_cell: (Tensor input, Tensors hx, Tensor w_ih, Tensor w_hh, Tensor b_ih=None, Tensor b_hh=None)
gru_cell rnn_tanh_cell rnn_relu_cell: (Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor b_ih=None, Tensor b_hh=None)
"""
"""Recurrent layers and embeddings."""

ATTENTION = """
scaled_dot_product_attention: (Tensor query, Tensor key, Tensor value, Tensor attn_mask=None, float dropout_p=0.0, bool is_causal=False, *, float scale=None, bool enable_gqa=False)
linear: (Tensor input, Tensor weight, Tensor bias=None)
bilinear: (Tensor input1, Tensor input2, Tensor weight, Tensor bias=None)
"""
"""Linear layers and attention."""

LOSSES = """
nll_loss_nd: (Tensor input, Tensor target, Tensor weight=None, int reduction=at::Reduction::Mean, int ignore_index=-100)
cross_entropy_loss: (Tensor input, Tensor target, Tensor weight=None, int reduction=at::Reduction::Mean, int ignore_index=-100, float label_smoothing=0.0)
multilabel_margin_loss soft_margin_loss: (Tensor input, Tensor target, int reduction=at::Reduction::Mean, *, Tensor out)
smooth_l1_loss: (Tensor input, Tensor target, int reduction=at::Reduction::Mean, float beta=1.0, *, Tensor out)
huber_loss: (Tensor input, Tensor target, int reduction=at::Reduction::Mean, float delta=1.0, *, Tensor out)
multi_margin_loss: (Tensor input, Tensor target, Number p=1, Number margin=1, Tensor weight=None, int reduction=at::Reduction::Mean, *, Tensor out)
binary_cross_entropy: (Tensor input, Tensor target, Tensor weight=None, int reduction=at::Reduction::Mean, *, Tensor out)
binary_cross_entropy_with_logits: (Tensor input, Tensor target, Tensor weight=None, Tensor pos_weight=None, int reduction=at::Reduction::Mean)
kl_div: (Tensor input, Tensor target, int reduction=at::Reduction::Mean, *, bool log_target=False)
poisson_nll_loss: (Tensor input, Tensor target, bool log_input, bool full, float eps, int reduction)
hinge_embedding_loss: (Tensor input, Tensor target, float margin=1.0, int reduction=at::Reduction::Mean)
margin_ranking_loss cosine_embedding_loss: (Tensor input1, Tensor input2, Tensor target, float margin=0.0, int reduction=at::Reduction::Mean)
triplet_margin_loss: (Tensor anchor, Tensor positive, Tensor negative, float margin=1.0, float p=2, float eps=1e-06, bool swap=False, int reduction=at::Reduction::Mean)
ctc_loss: (Tensor log_probs, Tensor targets, ints input_lengths, ints target_lengths, int blank=0, int reduction=at::Reduction::Mean, bool zero_infinity=False) (Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank=0, int reduction=at::Reduction::Mean, bool zero_infinity=False)
"""
"""Losses."""
