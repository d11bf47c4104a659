"""Recall@1 of the plan re-ranker on papers that it has not seen, beside what ranks plans without it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from statistics import median

from pydantic import BaseModel, ConfigDict, ValidationError

from evals.statistics import clustered_mean, grouped
from runs.many import Record
from state.errors import SettingsError, StateError
from state.files import write_atomically
from tools.reranking.plan_reranker import PlanReranker
from training.plan_reranker.baselines import Score, heuristics, pointwise, surface_model, untrained_encoder
from training.plan_reranker.judge import judged
from training.plan_reranker.plans import LACKING, PlanName, PlannedParagraph, aspects_of, of_split, read_plans
from training.plan_reranker.train import SHOWN, outranks, recall_at_1
from training.run_record import file_sha256

RERANKER = "plan re-ranker"

TASKS: dict[str, tuple[PlanName, ...]] = {
    "four plans": ("optimal", "coherence", "specificity", "structure"),
    "four, normalised": ("optimal", "coherence", "specificity", "structure, normalised"),
    "three structured": ("optimal", "coherence", "specificity"),
}
"""The plans that are ranked: SWIF2T's four; the four in one form; those that have that form by themselves."""


class RecallEstimate(BaseModel):
    """A mean with its 95% interval."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    mean: float
    low: float
    high: float


class Figures(BaseModel):
    """Of one system."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    recall_at_1: dict[str, RecallEstimate]
    """By task."""
    outranks: dict[str, RecallEstimate]
    """How often the optimal plan is above the one that lacks this."""
    less: RecallEstimate
    """Recall@1 of the re-ranker less this system's, on the four normalised plans."""


class RankingEvaluation(BaseModel):
    """All that was measured."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    plans_sha256: str
    paragraphs: int
    papers: int
    aspects: dict[str, int]
    """Reviews by the type of weakness that they are about."""
    weights_sha256: str
    judge: str | None
    """The model that judged plans."""
    unjudged: int
    """Comparisons without a verdict."""
    seconds: float
    """To score the four plans of a paragraph, the median."""
    systems: dict[str, Figures]


def evaluate(weights: Path, plans: Path, out: Path, verdicts: Sequence[Record] = ()) -> RankingEvaluation:
    """Measure a re-ranker on the split "dev", and write `evaluation.json` and `evaluation.md`.

    Args:
        weights: Its folder.
        plans: The data; what needs training among the baselines learns from its split "train".
        out: Folder of the results, made if it does not exist.
        verdicts: Of `judge_plans` on the same paragraphs, if there are any.

    Raises:
        BadInput: The data cannot be used.
        SettingsError: The re-ranker cannot be loaded.
        StateError: The folder cannot be written.
    """
    every = read_plans(plans)
    paragraphs = of_split(every, "dev")
    reranker = PlanReranker.load(weights)
    systems = {
        RERANKER: scores_of(reranker),
        **heuristics(paragraphs),
        "all of these, linear, trained": surface_model(of_split(every, "train"), SHOWN["both"], paragraphs),
        f"{Path(reranker.encoder_name).name}, untrained (cosine)": untrained_encoder(
            reranker.encoder_name, reranker.max_length
        ),
    }
    models = {verdict["model"] for verdict in verdicts if "model" in verdict}
    if verdicts:
        systems[f"{', '.join(sorted(models))} as a judge"] = judged(verdicts)
    result = RankingEvaluation(
        plans_sha256=file_sha256(plans),
        paragraphs=len(paragraphs),
        papers=len({each.paper_id for each in paragraphs}),
        aspects=aspects_of(paragraphs),
        weights_sha256=file_sha256(weights / "weights.safetensors"),
        judge=", ".join(sorted(models)) or None,
        unjudged=sum("winner" not in verdict for verdict in verdicts),
        seconds=_seconds(reranker, paragraphs),
        systems=figures(systems, paragraphs),
    )
    _write(result, out)
    return result


def scores_of(reranker: PlanReranker) -> Score:
    """The re-ranker as one of the systems that are measured."""
    return pointwise(cache(lambda paragraph, plan: reranker.score(paragraph, [plan])[0]))


def figures(systems: Mapping[str, Score], paragraphs: Sequence[PlannedParagraph]) -> dict[str, Figures]:
    """Of each system; the first one is what the others are compared with."""
    papers = [each.paper_id for each in paragraphs]
    found: dict[str, Figures] = {}
    ours: list[float] = []
    for name, score in systems.items():
        firsts = {task: [_first(score, each, names) for each in paragraphs] for task, names in TASKS.items()}
        theirs = firsts["four, normalised"]
        ours = ours or theirs
        found[name] = Figures(
            recall_at_1={task: share(values, papers) for task, values in firsts.items()},
            outranks={
                lacking: share([_above(score, each, lacking) for each in paragraphs], papers) for lacking in LACKING
            },
            less=share([our - their for our, their in zip(ours, theirs, strict=True)], papers),
        )
    return found


def share(values: Sequence[float], papers: Sequence[str], *, seed: int = 0) -> RecallEstimate:
    """Mean over paragraphs, with the 95% percentile interval of the bootstrap over papers (Efron).

    Whole papers are drawn, because the paragraphs of one paper are alike.

    Args:
        values: One for each paragraph, at least one.
        papers: The paper of each.
        seed: Of the resampling: the same values always give the same interval.
    """
    mean, low, high = clustered_mean(grouped(values, papers), seed=seed)
    return RecallEstimate(mean=mean, low=low, high=high)


def tables(result: RankingEvaluation) -> str:
    """Recall@1 by task, and pairs by what the other plan lacks, as Markdown, in per cent with 95% intervals."""
    columns = [*TASKS, "re-ranker less this (normalised)"]
    recall = {
        name: [*map(_percent, each.recall_at_1.values()), "" if name == RERANKER else _percent(each.less, sign="+")]
        for name, each in result.systems.items()
    }
    pairs = {name: [*map(_percent, each.outranks.values())] for name, each in result.systems.items()}
    return "\n\n".join([_table("Recall@1", columns, recall), _table("above the plan lacking", LACKING, pairs)]) + "\n"


def read_evaluation(path: Path) -> RankingEvaluation:
    """What `evaluate` wrote.

    Raises:
        SettingsError: The file cannot be read, or is something else.
    """
    try:
        return RankingEvaluation.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise SettingsError(f"There is no evaluation in {path}; evaluate the re-ranker, or name its file.") from error


def _write(result: RankingEvaluation, out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
        write_atomically(out / "evaluation.json", result.model_dump_json(indent=2).encode() + b"\n")
        write_atomically(out / "evaluation.md", tables(result).encode())
    except OSError as error:
        raise StateError(
            f"The evaluation cannot be written in {out} ({error.strerror}); name another folder."
        ) from error


def _first(score: Score, planned: PlannedParagraph, names: Sequence[PlanName]) -> float:
    optimal, *others = score(planned, names)
    return recall_at_1(optimal, others)


def _above(score: Score, planned: PlannedParagraph, lacking: PlanName) -> float:
    optimal, other = score(planned, ("optimal", lacking))
    return outranks(optimal, other)


def _seconds(reranker: PlanReranker, paragraphs: Sequence[PlannedParagraph]) -> float:
    taken = []
    for each in paragraphs[:20]:
        start = time.perf_counter()
        reranker.score(each.paragraph, [each.texts[name] for name in TASKS["four plans"]])
        taken.append(time.perf_counter() - start)
    return median(taken)


def _percent(value: RecallEstimate, *, sign: str = "") -> str:
    return f"{100 * value.mean:{sign}.1f} [{100 * value.low:.1f}, {100 * value.high:.1f}]"


def _table(corner: str, columns: Sequence[str], rows: Mapping[str, Sequence[str]]) -> str:
    lines = [f"| {name} | {' | '.join(cells)} |" for name, cells in rows.items()]
    return "\n".join([f"| {corner} | {' | '.join(columns)} |", "|---" * (1 + len(columns)) + "|", *lines])
