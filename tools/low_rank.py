"""Low-rank adapters: W' = W + (alpha / rank) B A, kept as the factors A and B, and added to W when they are loaded.

Source: Hu et al., "LoRA: Low-Rank Adaptation of Large Language Models", 2021, Section 4.1. The factors are trained with
peft, which is not needed to use them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from torch import Tensor

_A, _B = "lora_A.weight", "lora_B.weight"


class Adapter(BaseModel):
    """What must be known of the factors to add them up."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rank: int = Field(8, ge=1)
    alpha: int = Field(16, ge=1)


def plain_name(name: str) -> str:
    """The name of a parameter without those of the layers that peft puts around it."""
    return name.replace(".base_layer.", ".").replace(".default.", ".")


def merged(weights: Mapping[str, Tensor], base: Mapping[str, Tensor], adapter: Adapter) -> dict[str, Tensor]:
    """Weights with each pair of factors replaced by the parameter of `base` that they change.

    Args:
        weights: A is `[rank, inputs]` and named `<layer>.lora_A.weight`, B is `[outputs, rank]`; anything else is kept.
        base: Parameters by name, `<layer>.weight` among them, `[outputs, inputs]`.
        adapter: Rank and scale.

    Returns:
        New weights; factors that fit no parameter of `base` keep their names.
    """
    whole = dict(weights)
    for name in weights:
        layer = name.removesuffix(_A)
        first, second, target = weights.get(layer + _A), weights.get(layer + _B), base.get(layer + "weight")
        if first is None or second is None or target is None:
            continue
        if (first.shape, second.shape) == ((adapter.rank, target.shape[1]), (target.shape[0], adapter.rank)):
            del whole[layer + _A], whole[layer + _B]
            update = second.to(target.dtype) @ first.to(target.dtype)
            whole[layer + "weight"] = target.detach() + adapter.alpha / adapter.rank * update
    return whole
