"""The re-ranker that ships, and those that measure it.

Of the grid of training runs (SWIF2T tries 48) some papers, set aside, choose one and the number of its epochs. It is
then trained on all papers, and five times on all but a fifth of them, so that each paper is left out once
(cross-validation). The choice has seen all papers; the weights of a fold have not.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import torch

from state.errors import SettingsError
from state.files import write_atomically
from tools.reranking import FOLDS
from tools.reranking.plan_reranker import EncodedText
from training.fitting import LAST
from training.plan_reranker.config import RerankerRun, RerankerTraining
from training.plan_reranker.plans import PlannedParagraph, PlanSplit, folds_of, sha256_of, split_by_paper
from training.plan_reranker.shared_words import weigh_shared_words
from training.plan_reranker.train import CHOSEN_BY, hashes, train
from training.run_record import Epoch, TrainingRecord

WEIGHTS = "weights"
TABLE = "grid.md"


class GridRun(NamedTuple):
    """A finished run of the grid."""

    name: str
    config: RerankerRun
    folder: Path
    record: TrainingRecord

    @property
    def best(self) -> Epoch:
        """The epoch whose weights are kept."""
        return self.record.history[self.record.best_epoch - 1]


def train_grid(training: RerankerTraining, paragraphs: Sequence[PlannedParagraph], out: Path) -> Path:
    """Train every run of the grid that is not finished yet, and with the best of them the re-ranker and its folds.

    A second call with the same `out` goes on where the first one was stopped. Of runs that are worse than another, the
    records are kept and the weights are not.

    Args:
        training: The run, the grid, and what is set aside.
        paragraphs: The data.
        out: Gets `runs/<name>/`, `grid.md` with every run of the grid, and `weights/` with the re-ranker and its folds.

    Returns:
        The folder of the re-ranker.

    Raises:
        BadInput: The data cannot be used.
        SettingsError: A run cannot be trained as it is set up, or `out` holds others.
        StateError: `out` cannot be written.
    """
    split = split_by_paper(paragraphs, training.validation, training.validation_seed)
    finished: list[GridRun] = []
    for name, config in training.runs():
        finished.append(_run(name, config, split, out / "runs" / name))
        _keep_best_weights(finished)
        write_atomically(out / TABLE, table(finished).encode())
    best = best_of(finished)
    facts = {
        "grid": training.grid.model_dump(mode="json"),
        "runs": len(finished),
        "chosen": best.name,
        "chosen_by": _count(split.validation),
        "written_by": sorted({each.model for each in paragraphs}),
        "plans_sha256": sha256_of(paragraphs),
    }
    config = best.config.model_copy(update={"epochs": best.record.best_epoch})
    known: dict[EncodedText, torch.Tensor] = {}
    whole = PlanSplit(list(paragraphs), split.validation)  # what is measured on the latter says nothing here
    for name, data in {**folds_of(paragraphs), "": whole}.items():
        folder = out / "runs" / (f"fold {name}" if name else "all")
        reranker, record = train(config, data, folder, metric=LAST, known=known)
        reranker.save(
            out / WEIGHTS / (f"{FOLDS}/{name}" if name else ""),
            {**facts, "run": record.model_dump(mode="json"), "train": _count(data.train)},
            papers={each.paper_id for each in data.train},
            dtype=getattr(torch, training.dtype),
        )
    if training.shared_words:
        weigh_shared_words(out / WEIGHTS, paragraphs)
    return out / WEIGHTS


def best_of(finished: Sequence[GridRun]) -> GridRun:
    """The run that did best on the validation papers; the first of those that are equal."""
    return max(finished, key=lambda run: run.record.best_metric)


def table(finished: Sequence[GridRun]) -> str:
    """Every run with what it came to on the validation papers, as Markdown."""
    lines = ["| run | best epoch | epochs | Recall@1 | pairs | loss | seconds | |", "|---" * 8 + "|"]
    for run in finished:
        figures = [run.best.metrics["recall_at_1"], run.best.metrics[CHOSEN_BY], run.best.dev_loss]
        cells = [run.name, f"{run.record.best_epoch}", f"{len(run.record.history)}", *(f"{x:.3f}" for x in figures)]
        chosen = "chosen" if run is best_of(finished) else ""
        lines.append(f"| {' | '.join(cells)} | {run.record.seconds:.0f} | {chosen} |")
    return "\n".join(lines) + "\n"


def _run(name: str, config: RerankerRun, split: PlanSplit, folder: Path) -> GridRun:
    """Train a run, or take its record if it is finished: its weights may be gone."""
    file = folder / "record.json"
    record = TrainingRecord.model_validate_json(file.read_bytes()) if file.is_file() else None
    if record is None:
        record = train(config, split, folder).record
    elif (record.config, record.data) != (config.model_dump(mode="json"), hashes(split)):
        raise SettingsError(
            f"The folder {folder} holds a run with other settings or data; name another folder, or delete this one."
        )
    return GridRun(name, config, folder, record)


def _keep_best_weights(finished: Sequence[GridRun]) -> None:
    """Delete the weights of the other runs: those of the paper's whole grid would take 21 GB."""
    for run in finished:
        if run is not best_of(finished):
            for weights in run.folder.glob("best-*.safetensors"):
                weights.unlink()


def _count(paragraphs: Sequence[PlannedParagraph]) -> dict[str, int]:
    return {"paragraphs": len(paragraphs), "papers": len({each.paper_id for each in paragraphs})}
