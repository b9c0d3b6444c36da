"""Models of the libraries that most people take theirs from, transformers and timm: small, with random weights.

Each row of `HUB` makes one, and what it is called with, by name, as these models are called. Nothing is downloaded.
"""

from __future__ import annotations

import importlib
import os
import warnings
from collections.abc import Callable
from typing import Any

import pytest

Made = tuple[Any, dict[str, Any]]
_libraries: list[Any] = []
WORDS = 50


def _imported(name: str) -> Any:
    """A library, which is told to stay offline."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _torchvision()
        return _installed(name)


def _installed(name: str) -> Any:
    """A library; without it the tests are skipped, but where NBMODULE_REQUIRE_HUB=1."""
    if os.environ.get("NBMODULE_REQUIRE_HUB") == "1":
        return importlib.import_module(name)
    return pytest.importorskip(name, reason="models from outside: pip install timm transformers")


def _torchvision() -> None:
    """Import it, which timm needs and transformers tries, also beside a PyTorch without CUDA.

    Its wheel for Linux is made for CUDA; without one, its operators aren't loaded, and its import still asks for two.
    """
    try:
        _installed("torchvision")
    except RuntimeError as error:
        if "nms does not exist" not in str(error):
            raise
        library = _torch().library.Library("torchvision", "FRAGMENT")
        _libraries.append(library)  # whose end takes the names away
        for name in ("nms", "qnms"):
            library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        importlib.import_module("torchvision")


def _torch() -> Any:
    """PyTorch, which is there: what is marked `torch` is left out elsewhere."""
    return importlib.import_module("torch")


def _ids(rows: int = 2) -> Any:
    return _torch().randint(1, WORDS, (rows, 6))


def _small(kind: str, **more: Any) -> Any:
    """The configuration of a tiny model with two layers."""
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}
    return getattr(_imported("transformers"), kind)(**sizes, intermediate_size=32, **more)


def bert() -> Made:
    """Sorts texts; given the labels, it computes the loss itself."""
    torch, library = _torch(), _imported("transformers")
    known = _small("BertConfig", vocab_size=WORDS, max_position_embeddings=16)
    given = {"input_ids": _ids(), "attention_mask": torch.ones(2, 6, dtype=torch.long)}
    given["labels"] = torch.tensor([0, 1])
    return library.BertForSequenceClassification(known), given


def gpt2() -> Made:
    """Writes on; the weight of its head is that of its embedding."""
    library = _imported("transformers")
    sizes = {"n_embd": 16, "n_layer": 2, "n_head": 2, "n_positions": 16}
    known = library.GPT2Config(**sizes, vocab_size=WORDS, bos_token_id=0, eos_token_id=0)
    return library.GPT2LMHeadModel(known), {"input_ids": _ids()}


def t5() -> Made:
    """Translates; encoder, decoder and head share one embedding, and some Modules are called twice."""
    library = _imported("transformers")
    sizes = {"d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": 1, "num_heads": 2}
    known = library.T5Config(**sizes, vocab_size=WORDS, decoder_start_token_id=0, pad_token_id=0)
    ids = _ids()
    return library.T5ForConditionalGeneration(known), {"input_ids": ids, "labels": ids}


def vision_transformer() -> Made:
    torch, library = _torch(), _imported("transformers")
    known = _small("ViTConfig", image_size=16, patch_size=8)
    return library.ViTForImageClassification(known), {"pixel_values": torch.randn(2, 3, 16, 16)}


def _of_timm(name: str, **options: Any) -> Made:
    torch, library = _torch(), _imported("timm")
    model = library.create_model(name, pretrained=False, num_classes=4, **options)
    return model, {"x": torch.randn(2, 3, 32, 32)}


def timm_resnet() -> Made:
    return _of_timm("test_resnet")


def timm_vit() -> Made:
    return _of_timm("test_vit", img_size=32)


def timm_efficientnet() -> Made:
    """Convolutions by channel, squeeze and excitation, norms with an activation inside, drop path."""
    return _of_timm("test_efficientnet", drop_path_rate=0.2)


HUB: tuple[Callable[[], Made], ...] = (
    bert,
    gpt2,
    t5,
    vision_transformer,
    timm_resnet,
    timm_vit,
    timm_efficientnet,
)
