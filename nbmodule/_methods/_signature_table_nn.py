"""What PyTorch's functions of networks take; the form is that of `_signature_table.py`."""

CONVOLUTION = """
"""
"""Convolution, padding, folding."""

POOLING = """
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
lstm: (Tensor data, Tensor batch_sizes, Tensors hx, Tensors params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional) (Tensor input, Tensors hx, Tensors params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first)
gru rnn_tanh rnn_relu: (Tensor data, Tensor batch_sizes, Tensor hx, Tensors params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional) (Tensor input, Tensor hx, Tensors params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first)
lstm_cell: (Tensor input, Tensors hx, Tensor w_ih, Tensor w_hh, Tensor b_ih=None, Tensor b_hh=None)
gru_cell rnn_tanh_cell rnn_relu_cell: (Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor b_ih=None, Tensor b_hh=None)
"""
"""Recurrent layers and embeddings."""

ATTENTION = """
"""
"""Linear layers and attention."""

LOSSES = """
nll_loss_nd: (Tensor input, Tensor target, Tensor weight=None, int reduction=at::Reduction::Mean, int ignore_index=-100)
cross_entropy_loss: (Tensor input, Tensor target, Tensor weight=None, int reduction=at::Reduction::Mean, int ignore_index=-100, float label_smoothing=0.0)
multilabel_margin_loss soft_margin_loss: (Tensor input, Tensor target, int reduction=at::Reduction::Mean, *, Tensor out)
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
