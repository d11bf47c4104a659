"""Which parts of the re-ranker are trained: all of it, its upper layers, or low-rank factors beside its weights."""

from __future__ import annotations

from peft import LoraConfig, inject_adapter_in_model

from state.errors import SettingsError
from tools.reranking.plan_reranker import PlanReranker
from training.plan_reranker.config import RerankerRun


def choose_parts(reranker: PlanReranker, run: RerankerRun) -> None:
    """Freeze what is not trained. Pooler and head always are: they are what is new about the task.

    Raises:
        SettingsError: The encoder has fewer layers, or none of the modules.
    """
    if run.parts == "everything":
        return
    reranker.encoder.requires_grad_(False)
    if run.parts == "top layers":
        _thaw_top_layers(reranker, run.top_layers)
    else:
        _add_adapter(reranker, run)
    reranker.encoder.pooler.requires_grad_(True)


def _thaw_top_layers(reranker: PlanReranker, number: int) -> None:
    layers = reranker.encoder.encoder.layer
    if number > len(layers):
        raise SettingsError(f"The encoder has {len(layers)} layers; set `top_layers` to at most that.")
    for layer in layers[-number:]:
        layer.requires_grad_(True)


def _add_adapter(reranker: PlanReranker, run: RerankerRun) -> None:
    config = LoraConfig(
        r=run.adapter.rank,
        lora_alpha=run.adapter.alpha,
        lora_dropout=run.dropout,
        target_modules=list(run.adapter_modules),
    )
    try:
        inject_adapter_in_model(config, reranker.encoder.encoder)  # the layers, without the pooler
    except ValueError as error:
        raise SettingsError(
            f"The encoder has no layers named {', '.join(run.adapter_modules)}; set `adapter_modules` to some of "
            "query, key, value and dense."
        ) from error
    reranker.adapter = run.adapter
