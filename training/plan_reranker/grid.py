"""The grid of training runs (SWIF2T tries 48): the validation papers choose one of them, and its weights are kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch

from state.errors import SettingsError
from state.files import write_atomically
from training.plan_reranker.config import RerankerRun, RerankerTraining
from training.plan_reranker.plans import PlannedParagraph, PlanSplit, aspects_of, of_split, read_plans, split_by_paper
from training.plan_reranker.train import hashes, train
from training.run_record import Epoch, TrainingRecord, file_sha256

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


def train_grid(training: RerankerTraining, plans: Path, out: Path) -> Path:
    """Train every run of the grid that is not finished yet, and save the best re-ranker.

    A second call with the same `out` goes on where the first one was stopped. Of runs that are worse than another, the
    records are kept and the weights are not.

    Args:
        training: The run, the grid, and what is set aside.
        plans: The data; only its split "train" is read.
        out: Gets `runs/<name>/`, `grid.md` with every run, and `weights/` with the best re-ranker.

    Returns:
        The folder of the best re-ranker.

    Raises:
        BadInput: The data cannot be used.
        SettingsError: A run cannot be trained as it is set up, or `out` holds others.
        StateError: `out` cannot be written.
    """
    paragraphs = of_split(read_plans(plans), "train")
    split = split_by_paper(paragraphs, training.validation, training.validation_seed)
    finished: list[GridRun] = []
    for name, config in training.runs():
        finished.append(_run(name, config, split, out / "runs" / name))
        _keep_best_weights(finished)
        write_atomically(out / TABLE, table(finished).encode())
    best = best_of(finished)
    facts = _facts(training, finished, best, split) | {"plans_sha256": file_sha256(plans)}
    reranker = train(best.config, split, best.folder).reranker  # is finished: only loads it
    reranker.save(out / WEIGHTS, facts, dtype=getattr(torch, training.dtype))
    return out / WEIGHTS


def best_of(finished: Sequence[GridRun]) -> GridRun:
    """The run that did best on the validation papers; the first of those that are equal."""
    return max(finished, key=lambda run: run.record.best_metric)


def table(finished: Sequence[GridRun]) -> str:
    """Every run with what it came to on the validation papers, as Markdown."""
    lines = ["| run | best epoch | epochs | Recall@1 | pairs | loss | seconds | |", "|---" * 8 + "|"]
    for run in finished:
        figures = [run.best.metrics["recall_at_1"], run.best.metrics["pairs"], run.best.dev_loss]
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


def _facts(training: RerankerTraining, finished: Sequence[GridRun], best: GridRun, split: PlanSplit) -> dict[str, Any]:
    """How the weights came about, to be kept with them."""
    return {
        "run": best.record.model_dump(mode="json"),
        "grid": training.grid.model_dump(mode="json"),
        "runs": len(finished),
        "chosen": best.name,
        "train": _count(split.train),
        "validation": _count(split.validation),
        "written_by": sorted({each.model for each in [*split.train, *split.validation] if each.model}),
    }


def _count(paragraphs: Sequence[PlannedParagraph]) -> dict[str, Any]:
    papers = {each.paper_id for each in paragraphs}
    return {"paragraphs": len(paragraphs), "papers": len(papers), "aspects": aspects_of(paragraphs)}
