"""`nbmodule.nn.functional` of the same names, with numbers for the reductions: PyTorch's ``torch._C._nn``.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#loss-functions
"""

from __future__ import annotations

from ...._functions._wrap import explained_function
from ...._ops import loss_margins as rules
from ...._tensor import Tensor
from ..._reduction import MEAN, name_of


@explained_function
def soft_margin_loss(input: Tensor, target: Tensor, reduction: int = MEAN) -> Tensor:
    """Do what `nbmodule.nn.functional.soft_margin_loss` does."""
    if target.requires_grad:
        raise RuntimeError(
            "The function 'soft_margin_loss' is not differentiable with respect to argument 'target'. This "
            "input cannot have requires_grad True."
        )
    shape, kind = input._array.shape, input._array.dtype.kind
    if kind == "b":
        return -input  # which raises what PyTorch raises
    if target._array.shape != shape:
        wide = (input.detach() * target).shape
        if wide != shape:
            raise RuntimeError(
                f"output with shape {list(shape)} doesn't match the broadcast shape {list(wide)}"
            )
    if kind != "f":
        raise RuntimeError(
            f"result type Float can't be cast to the desired output type {input.dtype.scalar_name}"
        )
    return rules.soft_margin_loss(input, target, reduction=name_of(reduction))


@explained_function
def multilabel_margin_loss(input: Tensor, target: Tensor, reduction: int = MEAN) -> Tensor:
    """Do what `nbmodule.nn.functional.multilabel_margin_loss` does."""
    size, found = list(input.shape), list(target.shape)
    _check_rows(size)
    if size != found and (len(size) > 1 or len(found) > 1 or target.numel() != input.numel()):
        raise RuntimeError(f"inconsistent target size: {found} for input of size: {size}")
    classes = size[-1] if size else 1
    labels = target._array
    if labels.size and not target.is_meta and not (labels.min() >= -1 and labels.max() < classes):
        raise RuntimeError("argument #2 'target' is out of range\nIt must hold classes, or -1.")
    _check_dtypes("multilabel_margin_loss_forward_out_frame", input, target)
    return rules.multilabel_margin_loss(input, target=labels, reduction=name_of(reduction))


@explained_function
def multi_margin_loss(input: Tensor, target: Tensor, p: int = 1, margin: float = 1, weight: Tensor | None = None, reduction: int = MEAN) -> Tensor:  # fmt: skip
    """Do what `nbmodule.nn.functional.multi_margin_loss` does."""
    size = list(input.shape)
    _check_rows(size)
    rows, classes = size[0] if len(size) > 1 else 1, size[-1] if size else 1
    if target.dim() > 1 or target.numel() != rows:
        raise RuntimeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples "
            f"(batch size). Expected target size [{rows}], but got {list(target.shape)}. Input has shape {size}."
        )
    if weight is not None:
        if weight.requires_grad:
            raise RuntimeError(
                "The function 'multi_margin_loss' is not differentiable with respect to argument 'weight'. "
                "This input cannot have requires_grad True."
            )
        if weight.numel() != classes:
            raise RuntimeError(
                f"inconsistent weight size, expected {classes} but got {list(weight.shape)}"
            )
    _check_dtypes("multi_margin_loss_cpu_kernel", input, target, weight)
    labels = target._array
    if labels.size and not target.is_meta and not (labels.min() >= 0 and labels.max() < classes):
        raise RuntimeError(f"target out of range\nThere are {classes} classes, 0 to {classes - 1}.")
    options = {"p": int(p), "margin": float(margin), "reduction": name_of(reduction)}
    return rules.multi_margin_loss(input, weight, target=labels, **options)


def _check_rows(size: list[int]) -> None:
    if len(size) > 2 or (size and size[-1] == 0):
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {size}"
        )


def _check_dtypes(kernel: str, input: Tensor, target: Tensor, weight: Tensor | None = None) -> None:
    if input._array.dtype.str not in ("<f4", "<f8"):
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{input.dtype.scalar_name}'")
    if target._array.dtype.str != "<i8":
        raise RuntimeError(f"expected scalar type Long but found {target.dtype.scalar_name}")
    if weight is not None and weight._array.dtype != input._array.dtype:
        expected, found = input.dtype.scalar_name, weight.dtype.scalar_name
        raise RuntimeError(f"expected scalar type {expected} but found {found}")
