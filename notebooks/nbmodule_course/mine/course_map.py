"""In which chapter the reader writes which method of Module, and what else."""

from __future__ import annotations

_MAP = {
    "01": "__init__",
    "02": "__setattr__",
    "03": "__getattr__ __delattr__ __dir__",
    "04": "__call__ forward extra_repr __repr__",
    "05": "register_parameter register_buffer named_parameters parameters named_buffers buffers",
    "06": "requires_grad_",
    "07": "add_module register_module named_children children named_modules modules apply get_submodule "
    "set_submodule get_parameter get_buffer",
    "09": "train eval",
    "10": "state_dict load_state_dict",
    "11": "to to_empty type float double half cpu",
    "14": "zero_grad",
    "15": "register_forward_pre_hook register_forward_hook",
    "16": "register_full_backward_pre_hook register_full_backward_hook",
    "17": "__getstate__ __setstate__ get_extra_state set_extra_state register_state_dict_pre_hook "
    "register_state_dict_post_hook register_load_state_dict_pre_hook register_load_state_dict_post_hook",
}

_BESIDE = {
    "06": "MyLinear Repeat",
    "08": "Sequential ModuleList ModuleDict find_orphans",
    "09": "Dropout BatchNorm1d evaluate",
    "10": "save_file load_file",
    "11": "memory",
    "12": "Tensor Node unbroadcast",
    "13": "Saved no_grad",
    "14": "Optimizer SGD Adam AdamW",
    "15": "RemovableHandle ActivationStats",
    "16": "mask_gradient pass_through clip_grad_norm_ clip_grad_value_",
    "17": "save_checkpoint load_checkpoint migration",
    "18": "places windows convolve fold conv2d_input conv2d_weight sources cross_entropy MyConv2d",
    "19": "TensorDataset default_collate RandomSampler DataLoader Learner Metrics "
    "Schedule OneCycle LRFinder",
    "20": "collapsed initialize ZebraNet confusion strongest freeze unfreeze swap_head",
    "21": "Masking custom_from_mask remove parametrize Int8Linear",
    "22": "Step Run Graph merged export",
    "A": "CausalSelfAttention MyLayerNorm Block GPT",
    "B": "shards average_gradients Buckets DistributedDataParallel MPIWorld",
}

WITH_MODULE = ("15", "21", "B")
"""The chapters whose classes beside Module, such as `RemovableHandle`, land in `my_module.py`: they belong to its hooks."""


def methods_by_chapter() -> dict[str, list[str]]:
    """Return the names of the methods by the chapter that they are written in, in the order of the course."""
    return {chapter: names.split() for chapter, names in _MAP.items()}


def beside_by_chapter() -> dict[str, list[str]]:
    """Return by chapter the classes and functions that the reader writes beside Module and keeps."""
    return {chapter: names.split() for chapter, names in _BESIDE.items()}
