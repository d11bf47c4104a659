"""Recall@1 of the plan re-ranker, by cross-validation over papers, beside what ranks plans without it.

The plans of a paper are ranked by weights that have not learnt from it: those of a fold, or the whole re-ranker's if
the paper is new to it.
"""

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
from tools.reranking import load_reranker, unseen
from tools.reranking.plan_reranker import PlanReranker
from training.plan_reranker.baselines import Score, heuristics, surface_model, untrained_encoder
from training.plan_reranker.judge import judged
from training.plan_reranker.plans import CRITERIA, FOUR, PlanName, PlannedParagraph, sha256_of
from training.plan_reranker.train import outranks, recall_at_1, share_above
from training.run_record import file_sha256

RERANKER = "plan re-ranker"

TASKS: dict[str, tuple[PlanName, ...]] = {
    "four plans": FOUR,
    "four, hard": ("optimal", "same paper", "generic", "repeated"),
}
"""The plans that are ranked: SWIF2T's four, and four that are more alike. A paragraph that lacks one of them does not
count there. Besides, all plans of a paragraph are ranked together."""
ALL = "all plans"


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
    """How often the optimal plan is above one that lacks this: by criterion, then by kind of plan."""
    less: RecallEstimate
    """Recall@1 of the re-ranker less this system's, on the four plans."""


class RankingEvaluation(BaseModel):
    """All that was measured."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    plans_sha256: str
    paragraphs: int
    papers: int
    counted: dict[str, int]
    """Paragraphs by task, and by kind of plan."""
    weights_sha256: str
    judge: str | None
    """The model that judged plans."""
    unjudged: int
    """Comparisons without a verdict."""
    seconds: float
    """To score the four plans of a paragraph, the median."""
    systems: dict[str, Figures]


def evaluate(
    weights: Path, paragraphs: Sequence[PlannedParagraph], out: Path, verdicts: Sequence[Record] = ()
) -> RankingEvaluation:
    """Measure a re-ranker, and write `evaluation.json` and `evaluation.md`.

    Args:
        weights: Its folder.
        paragraphs: With their plans.
        out: Folder of the results, made if it does not exist.
        verdicts: Of `judge_plans` on the same paragraphs, if there are any.

    Raises:
        BadInput: The data are of too few papers.
        SettingsError: The re-ranker cannot be loaded, or all its weights have learnt from one of the papers.
        StateError: The folder cannot be written.
    """
    reranker = load_reranker(weights)
    systems = {
        RERANKER: scores_of(weights, paragraphs),
        **heuristics(paragraphs),
        "all of these, linear, trained": surface_model(paragraphs),
        f"{Path(reranker.encoder_name).name}, untrained (cosine)": untrained_encoder(
            reranker.encoder_name, reranker.max_length
        ),
    }
    models = {verdict["model"] for verdict in verdicts if "model" in verdict}
    if verdicts:
        systems[f"{', '.join(sorted(models))} as a judge"] = judged(verdicts)
    kinds = [kind for kinds in CRITERIA.values() for kind in kinds]
    result = RankingEvaluation(
        plans_sha256=sha256_of(paragraphs),
        paragraphs=len(paragraphs),
        papers=len({each.paper_id for each in paragraphs}),
        counted={name: len(_with(paragraphs, names)) for name, names in TASKS.items()}
        | {kind: len(_with(paragraphs, (kind,))) for kind in kinds},
        weights_sha256=file_sha256(weights / "weights.safetensors"),
        judge=", ".join(sorted(models)) or None,
        unjudged=sum("winner" not in verdict for verdict in verdicts),
        seconds=_seconds(reranker, paragraphs),
        systems=figures(systems, paragraphs),
    )
    _write(result, out)
    return result


def scores_of(weights: Path, paragraphs: Sequence[PlannedParagraph]) -> Score:
    """The re-ranker as one of the systems that are measured: of each paper, weights that have not learnt from it.

    Raises:
        SettingsError: As `unseen` and `load_reranker`.
    """
    of_paper = {paper: load_reranker(unseen(weights, paper)) for paper in {each.paper_id for each in paragraphs}}

    @cache
    def score(paper: str, paragraph: str, plan: str) -> float:
        return of_paper[paper].score(paragraph, [plan])[0]

    return lambda planned, names: [score(planned.paper_id, planned.paragraph, planned.texts[name]) for name in names]


def figures(systems: Mapping[str, Score], paragraphs: Sequence[PlannedParagraph]) -> dict[str, Figures]:
    """Of each system; the first one is what the others are compared with."""
    found: dict[str, Figures] = {}
    ours: list[float] = []
    for name, score in systems.items():
        firsts = {
            task: [_first(score, each, names) for each in _with(paragraphs, names)] for task, names in TASKS.items()
        }
        theirs = firsts["four plans"]
        ours = ours or theirs
        every = [_first(score, each, list(each.texts)) for each in paragraphs]
        above = [_above(score, each) for each in paragraphs]
        found[name] = Figures(
            recall_at_1={
                **{
                    task: share(values, _papers(_with(paragraphs, TASKS[task])))
                    for task, values in firsts.items()
                    if values
                },
                ALL: share(every, _papers(paragraphs)),
            },
            outranks=_by_lack(above, _papers(paragraphs)),
            less=share(
                [our - their for our, their in zip(ours, theirs, strict=True)], _papers(_with(paragraphs, FOUR))
            ),
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
    criteria = list(CRITERIA)
    kinds = [kind for kinds in CRITERIA.values() for kind in kinds]
    recall = {name: {**each.recall_at_1, "re-ranker less this": each.less} for name, each in result.systems.items()}
    above = {name: each.outranks for name, each in result.systems.items()}
    columns = [*TASKS, ALL, "re-ranker less this"]
    found = [_table("Recall@1", columns, recall), _table("above plans lacking", criteria, above)]
    return "\n\n".join([*found, _table("above the plan", kinds, above)]) + "\n"


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


def _with(paragraphs: Sequence[PlannedParagraph], names: Sequence[PlanName]) -> list[PlannedParagraph]:
    """Those that have all plans named."""
    return [each for each in paragraphs if each.texts.keys() >= set(names)]


def _papers(paragraphs: Sequence[PlannedParagraph]) -> list[str]:
    return [each.paper_id for each in paragraphs]


def _first(score: Score, planned: PlannedParagraph, names: Sequence[PlanName]) -> float:
    optimal, *others = score(planned, names)
    return recall_at_1(optimal, others)


def _above(score: Score, planned: PlannedParagraph) -> dict[str, float]:
    """How often the optimal plan is above the others, by what they lack and by what they are."""
    names = list(planned.texts)
    optimal, *others = score(planned, names)
    by_kind = dict(zip(names[1:], others, strict=True))
    return share_above(optimal, by_kind) | {kind: outranks(optimal, other) for kind, other in by_kind.items()}


def _by_lack(above: Sequence[Mapping[str, float]], papers: Sequence[str]) -> dict[str, RecallEstimate]:
    names = dict.fromkeys(name for each in above for name in each)
    found = {}
    for name in names:
        values, of = zip(
            *((each[name], paper) for each, paper in zip(above, papers, strict=True) if name in each), strict=True
        )
        found[name] = share(values, of)
    return found


def _seconds(reranker: PlanReranker, paragraphs: Sequence[PlannedParagraph]) -> float:
    taken = []
    for each in _with(paragraphs, FOUR)[:20]:
        start = time.perf_counter()
        reranker.score(each.paragraph, [each.texts[name] for name in FOUR])
        taken.append(time.perf_counter() - start)
    return median(taken)


def _percent(value: RecallEstimate | None) -> str:
    return f"{100 * value.mean:.1f} [{100 * value.low:.1f}, {100 * value.high:.1f}]" if value else ""


def _table(corner: str, columns: Sequence[str], rows: Mapping[str, Mapping[str, RecallEstimate]]) -> str:
    lines = [
        f"| {name} | {' | '.join(_percent(row.get(column)) for column in columns)} |" for name, row in rows.items()
    ]
    return "\n".join([f"| {corner} | {' | '.join(columns)} |", "|---" * (1 + len(columns)) + "|", *lines])
