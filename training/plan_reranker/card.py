"""The model card of a plan re-ranker, from what its training and its evaluation recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined

from state.errors import SettingsError
from state.files import write_atomically
from tools.bert import PACKAGED_ENCODER
from tools.reranking.plan_reranker import WHAT, RerankerConfig, read_weights
from training.plan_reranker.config import RerankerRun
from training.plan_reranker.evaluate import RankingEvaluation, read_evaluation, tables
from training.plan_reranker.plans import CRITERIA
from training.run_record import TrainingRecord

_TEMPLATE = Path(__file__).parent / "card.md"
_ENCODERS = {
    PACKAGED_ENCODER: ("sentence-transformers/all-MiniLM-L6-v2", "Apache-2.0"),
    "bert-base-cased": ("google-bert/bert-base-cased", "Apache-2.0"),
}
"""Names on the hub, and licences."""
_TOLD = {
    "encoder",
    "max_length",
    "joined_layers",
    "parts",
    "top_layers",
    "adapter",
    "adapter_modules",
    "epochs",
    "patience",
}
"""Settings that the description of the model tells."""


def write_card(weights: Path, evaluation: Path) -> Path:
    """Write `README.md` beside the weights.

    Args:
        weights: Folder of the re-ranker.
        evaluation: `evaluation.json` of the same weights.

    Returns:
        The card.

    Raises:
        SettingsError: The re-ranker cannot be read, or something else was evaluated.
    """
    config, arrays = read_weights(weights, RerankerConfig, what=WHAT)
    if "run" not in config.training:
        raise SettingsError(f"{weights} does not say how it was trained; a card can be written of `train_grid`'s only.")
    measured = read_evaluation(evaluation)
    if measured.weights_sha256 != config.sha256:
        raise SettingsError(f"{evaluation} is about other weights than those in {weights}; evaluate these.")
    environment = Environment(
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - Markdown, not HTML
    )
    template = environment.from_string(_TEMPLATE.read_text(encoding="utf-8"))
    card = weights / "README.md"
    dtypes = sorted({str(value.dtype) for value in arrays.values()})
    size = (weights / "weights.safetensors").stat().st_size / 1e6
    text = template.render(**_values(config, measured), dtype=" and ".join(dtypes), megabytes=size)
    write_atomically(card, text.encode())
    return card


def _values(config: RerankerConfig, measured: RankingEvaluation) -> dict[str, Any]:
    training = config.training
    record = TrainingRecord.model_validate(training["run"])
    run = RerankerRun.model_validate(record.config)
    base_model, licence = _ENCODERS.get(config.encoder, (Path(config.encoder).name, "under a licence of its own"))
    return {
        "encoder": Path(config.encoder).name,
        "max_length": config.max_length,
        "joined_layers": config.joined_layers,
        "shared_words": config.shared_words,
        "sha256": config.sha256,
        "base_model": base_model,
        "licence": licence,
        "written_by": ", ".join(training["written_by"]) or "a language model",
        "parts": _parts(run),
        "train": training["train"],
        "chosen_by": training["chosen_by"],
        "runs": training["runs"],
        "chosen": training["chosen"],
        "record": record,
        "epochs": run.epochs,
        "settings": run.model_dump(mode="json", exclude=_TOLD),
        "versions": ", ".join(f"{name} {version}" for name, version in record.versions.items()),
        "evaluation": measured,
        "criteria": CRITERIA,
        "tables": tables(measured),
    }


def _parts(run: RerankerRun) -> str:
    if run.parts == "everything":
        return "All of it was trained."
    always = "the pooler and the last linear layer were trained, and nothing else."
    if run.parts == "top layers":
        return f"Its upper {run.top_layers} layers, {always}"
    modules = ", ".join(run.adapter_modules)
    where = f" of the last {run.joined_layers} layers" if run.joined_layers else ""
    factors = f"Low-rank factors (LoRA, rank {run.adapter.rank}, alpha {run.adapter.alpha}, on {modules}{where})"
    return f"{factors}, {always}"
