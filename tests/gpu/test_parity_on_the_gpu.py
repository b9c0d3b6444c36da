"""The cases that were recorded from PyTorch on the CPU, with all tensors made on the GPU: the same comes of them."""

import re

import pytest
from test_parity import CASES, plain, recorded, same

import nbmodule

DROPPED, UNCHECKED = "dropout draws on the GPU", "a GPU does not look at indices and values"
HERE = "it is about the CPU: its memory, NumPy, lengths of sequences"
IN_ROWS = "CuPy lays out results in rows, whatever the order of their operands"
SAYS_SO = "its text names the device otherwise than in `tensor(...)`"
OTHERWISE = {
    "amp-what_is_refused_when": HERE,
    "details-places_of_wrong_indices": UNCHECKED,
    "dtypes-casts": HERE,
    "dtypes-names_of_types": HERE,
    "factories-devices": HERE,
    "graph-checkpoints": DROPPED,
    "habits-dropped_at_random": DROPPED,
    "habits-numpy_numbers_are_numbers": HERE,
    "hostile_input-a_capsule_used_twice": HERE,
    "index_expressions-drawn": UNCHECKED,
    "indexing-reading_refused": UNCHECKED,
    "layers-loss_errors": UNCHECKED,
    "layers_losses-binary_cross_entropy": UNCHECKED,
    "nn_activations-draws": DROPPED,
    "nn_activations-dropout_nodes": DROPPED,
    "nn_attention-attention_draws_its_dropout": DROPPED,
    "nn_attention-causal_biases": SAYS_SO,
    "nn_edges-channels_stay_last": IN_ROWS,
    "nn_hostile-bags": UNCHECKED,
    "nn_hostile-sequences": HERE,
    "nn_losses-classes_that_do_not_fit": UNCHECKED,
    "nn_normalization-arguments_of_other_kinds": HERE,
    "nn_recurrent-bags_refuse": UNCHECKED,
    "nn_recurrent-dropout_lies_between_layers": DROPPED,
    "nn_recurrent-embedding_refuses": UNCHECKED,
    "nn_recurrent-nodes_have_names": HERE,
    "nn_recurrent-packed_sequences_convert": HERE,
    "nn_recurrent-packing_and_padding": HERE,
    "nn_recurrent-packing_refuses": HERE,
    "optim_averages-an_averaged_model": HERE,
    "optim_averages-statistics": HERE,
    "optim_refusals-for_subclasses": SAYS_SO,
    "shared_memory-which_results_show_the_argument": HERE,
    "versions-another_part_of_an_array_may_be_overwritten": HERE,
}
"""Cases that say something else on a GPU, and why."""

ELSEWHERE = ("data", "freed", "gradcheck", "interop", "large", "meta", "saving")
"""How topics begin that are not about computing, or compute the same thing over and over."""


@pytest.mark.parametrize(
    ("topic", "name"),
    [
        pytest.param(*key, id="-".join(key))
        for key in CASES
        if "-".join(key) not in OTHERWISE and not key[0].startswith(ELSEWHERE)
    ],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_gpu_does_what_was_recorded(gpu, topic, name):
    nbmodule.set_default_device("cuda")
    same(at_home(plain(CASES[topic, name](nbmodule))), at_home(recorded(topic)[name]))


def at_home(x):
    """Return `x` without what texts say of the device, and laid out in as many lines."""
    if isinstance(x, (list, tuple)):
        return [at_home(v) for v in x]
    if isinstance(x, dict):
        return {k: at_home(v) for k, v in x.items()}
    if not isinstance(x, str):
        return x
    text = (
        re.sub(r",?\s*device='cuda:0'", "", x)
        .replace("torch.cuda.", "torch.")
        .replace("cuda:0", "cpu")
    )
    return re.sub(r"\s+", " ", text.replace(" (cpu)", ""))
