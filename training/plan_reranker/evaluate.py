"""Recall@1 of the plan re-ranker, by cross-validation over papers, beside what needs no understanding.

The plans of a paper are ranked by weights that have not learnt from it: those of a fold, or the whole re-ranker's if
the paper is new to it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from evals.statistics import clustered_mean, grouped
from state.errors import StateError
from state.files import write_atomically
from tools.reranking import load_reranker, unseen
from tools.reranking.plan_reranker import words_shared
from training.plan_reranker.plans import CRITERIA, FOUR, PlanName, PlannedParagraph, folds_of

Scores = Mapping[str, Mapping[PlanName, float]]
"""Of each plan, by the id of its paragraph."""

TASKS: dict[str, tuple[PlanName, ...]] = {
    "four plans": FOUR,
    "four, hard": ("optimal", "same paper", "generic", "repeated"),
}
"""The plans that are ranked: SWIF2T's four, and four that are more alike. A paragraph that lacks one of them does not
count there. Besides, all plans of a paragraph are ranked together."""

_STEP = re.compile(r"\s*\d+[.)]\s*(?:Investigator|Reviewer)\b", re.IGNORECASE)


def evaluate(weights: Path, paragraphs: Sequence[PlannedParagraph], out: Path) -> str:
    """Measure a re-ranker, and write `evaluation.md`.

    Args:
        weights: Its folder.
        paragraphs: With their plans.
        out: Folder of the result, made if it does not exist.

    Returns:
        Recall@1 by task, and how often the optimal plan is above another by what that lacks, as Markdown, in per cent
        with 95% intervals.

    Raises:
        SettingsError: The re-ranker cannot be loaded, or all its weights have learnt from one of the papers.
        StateError: The folder cannot be written.
    """
    systems: dict[str, Scores] = {
        "plan re-ranker": scores_of(weights, paragraphs),
        "form, length and shared words, linear": surface_scores(paragraphs),
        "chance": {each.id: dict.fromkeys(each.texts, 0.0) for each in paragraphs},
    }
    recall = {name: _recall(scores, paragraphs) for name, scores in systems.items()}
    above = {name: _above(scores, paragraphs) for name, scores in systems.items()}
    told = f"{_table('Recall@1', recall)}\n\n{_table('above plans lacking', above)}\n"
    try:
        out.mkdir(parents=True, exist_ok=True)
        write_atomically(out / "evaluation.md", told.encode())
    except OSError as error:
        raise StateError(
            f"The evaluation cannot be written in {out} ({error.strerror}); name another folder."
        ) from error
    return told


def scores_of(weights: Path, paragraphs: Sequence[PlannedParagraph]) -> Scores:
    """The re-ranker's scores: of each paper, by weights that have not learnt from it.

    Raises:
        SettingsError: As `unseen` and `load_reranker`.
    """
    of_paper = {paper: load_reranker(unseen(weights, paper)) for paper in {each.paper_id for each in paragraphs}}
    return {
        each.id: dict(
            zip(each.texts, of_paper[each.paper_id].score(each.paragraph, list(each.texts.values())), strict=True)
        )
        for each in paragraphs
    }


def surface_scores(paragraphs: Sequence[PlannedParagraph]) -> Scores:
    """A pairwise logistic model of what needs no understanding, for each fold fitted to the papers of the others."""
    features = {
        each.id: np.array([_features(each.paragraph, text) for text in each.texts.values()]) for each in paragraphs
    }
    found: dict[str, dict[PlanName, float]] = {}
    for split in folds_of(paragraphs).values():
        differences = np.concatenate([features[each.id][:1] - features[each.id][1:] for each in split.train])
        model = make_pipeline(StandardScaler(with_mean=False), LogisticRegression(fit_intercept=False))
        model.fit(np.concatenate([differences, -differences]), [1] * len(differences) + [0] * len(differences))
        for each in split.validation:
            found[each.id] = dict(zip(each.texts, model.decision_function(features[each.id]), strict=True))
    return found


def recall_at_1(optimal: float, others: Sequence[float]) -> float:
    """1 if the optimal plan has the highest score, 0 if another has; plans with the same score are drawn by lot."""
    best = max(others)
    if optimal == best:
        return 1 / (1 + others.count(best))
    return float(optimal > best)


def _features(paragraph: str, plan: str) -> list[float]:
    lines = [line for line in plan.splitlines() if line.strip()]
    in_form = fmean(bool(_STEP.match(line)) for line in lines)
    return [len(plan.split()), len(lines), in_form, words_shared(paragraph, plan)]


def _recall(scores: Scores, paragraphs: Sequence[PlannedParagraph]) -> dict[str, str]:
    found = {}
    for task, names in {**TASKS, "all plans": ()}.items():
        ranked = [each for each in paragraphs if each.texts.keys() >= set(names)]
        firsts = []
        for each in ranked:
            others = [
                score for name, score in scores[each.id].items() if name != "optimal" and (not names or name in names)
            ]
            firsts.append(recall_at_1(scores[each.id]["optimal"], others))
        found[task] = _share(firsts, ranked)
    return found


def _above(scores: Scores, paragraphs: Sequence[PlannedParagraph]) -> dict[str, str]:
    """How often the optimal plan is above the others, by what they lack and by what they are."""
    columns: dict[str, Sequence[PlanName]] = {
        **CRITERIA,
        **{kind: (kind,) for kinds in CRITERIA.values() for kind in kinds},
    }
    found = {}
    for column, kinds in columns.items():
        having = [each for each in paragraphs if each.texts.keys() & set(kinds)]
        shares = [
            fmean(
                recall_at_1(scores[each.id]["optimal"], [scores[each.id][kind]]) for kind in kinds if kind in each.texts
            )
            for each in having
        ]
        found[column] = _share(shares, having)
    return found


def _share(values: Sequence[float], paragraphs: Sequence[PlannedParagraph]) -> str:
    """The mean with its interval by the bootstrap over papers, because the paragraphs of one paper are alike."""
    if not values:
        return ""
    mean, low, high = clustered_mean(grouped(values, [each.paper_id for each in paragraphs]))
    return f"{100 * mean:.1f} [{100 * low:.1f}, {100 * high:.1f}]"


def _table(corner: str, rows: Mapping[str, Mapping[str, str]]) -> str:
    columns = list(next(iter(rows.values())))
    lines = [f"| {corner} | {' | '.join(columns)} |", "|---" * (1 + len(columns)) + "|"]
    return "\n".join([*lines, *(f"| {name} | {' | '.join(row.values())} |" for name, row in rows.items())])
