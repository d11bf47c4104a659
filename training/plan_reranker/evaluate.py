"""Recall@1 of the plan re-ranker by cross-validation over papers, beside simple baselines.

The plans of a paper are ranked by weights that were not trained on it: those of its fold, or those of the whole
re-ranker if the paper is new.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from evals.reports.document import format_estimate
from evals.statistics import estimate_clustered_mean
from state.files import write_atomically
from tools.checks.fidelity import collect_content_stems
from tools.reranking import load_reranker, select_unseen_weights
from tools.retrieval.embedders import compute_cosines
from training.plan_reranker.plans import FOUR_KINDS, PlanKind, PlannedParagraph, split_into_folds

# Scores of the plans of a paragraph, by its id.
Scores = Mapping[str, Mapping[PlanKind, float]]

# Plans that are ranked together, the one that should come first before the others: SWIF2T's four, four with harder
# ones, and pairs. Paragraphs that lack a plan of a ranking are left out of it.
RANKINGS: dict[str, tuple[PlanKind, ...]] = {
    "four plans": FOUR_KINDS,
    "specific for general": ("optimal", "incoherent", "specific", "unstructured"),
    "specific for general, matched": ("matched", "incoherent", "specific", "unstructured"),
    "planner's own": ("optimal", "sampled"),
    "planner's own, matched": ("matched", "sampled"),
    "coherence": ("optimal", "incoherent"),
    "specificity": ("optimal", "general"),
    "specificity, matched": ("matched", "specific"),
    "structure": ("optimal", "unstructured"),
}

LINEAR_BASELINE = "form, length and shared words, linear"

# The beginning of a plan's step.
_STEP_OPENING = re.compile(
    r"\d+\. Investigator: answer from the (?:paper|literature): |\d+\. Reviewer: write the review\."
)


def evaluate_reranker(weights: Path, paragraphs: Sequence[PlannedParagraph], out: Path) -> str:
    """Measure the re-ranker in the folder `weights` and baselines; write the table to `out/evaluation.md`, return it.

    Returns:
        Recall@1 in per cent with 95% intervals, as Markdown. Of a pair, it is the share of paragraphs whose optimal
        plan ranks above the other.

    Raises:
        SettingsError: The re-ranker cannot be loaded, or all its weights were trained on one of the papers.
    """
    # 1. Score every plan once with each system.
    systems: dict[str, Scores] = {
        "plan re-ranker": score_by_reranker(weights, paragraphs),
        LINEAR_BASELINE: score_by_surface(paragraphs),
        "packaged encoder, untrained (cosine)": score_by_encoder(paragraphs),
        "chance": {each.id: dict.fromkeys(each.texts, 0.0) for each in paragraphs},
    }
    # 2. Compute the recall of each ranking, a column of the table.
    columns = []
    for kinds in RANKINGS.values():
        complete = [each for each in paragraphs if each.texts.keys() >= set(kinds)]
        recalls: dict[str, list[float]] = {}
        for name, scores in systems.items():
            ranked = [[scores[each.id][kind] for kind in kinds] for each in complete]
            recalls[name] = [compute_recall_at_1(optimal, others) for optimal, *others in ranked]
        # The difference has an interval of its own, as both systems rank the same plans.
        reranker, linear, *_ = recalls.values()
        recalls[f"re-ranker less {LINEAR_BASELINE}"] = [a - b for a, b in zip(reranker, linear, strict=True)]
        # The bootstrap draws papers, because the paragraphs of one paper are alike.
        papers = [each.paper_id for each in complete]
        means = {name: estimate_clustered_mean(values, papers) if values else None for name, values in recalls.items()}
        columns.append({name: format_estimate(mean, scale=100, digits=1) for name, mean in means.items()})
    # 3. Render the table, a row for each system.
    lines = [f"| Recall@1 | {' | '.join(RANKINGS)} |", "|---" * (1 + len(RANKINGS)) + "|"]
    lines += [f"| {name} | {' | '.join(column[name] for column in columns)} |" for name in columns[0]]
    table = "\n".join(lines) + "\n"
    out.mkdir(parents=True, exist_ok=True)
    write_atomically(out / "evaluation.md", table.encode())
    return table


def score_by_reranker(weights: Path, paragraphs: Sequence[PlannedParagraph]) -> Scores:
    """Return the score of each plan, by paragraph and kind, by weights that were not trained on its paper."""
    papers = {each.paper_id for each in paragraphs}
    rerankers = {paper: load_reranker(select_unseen_weights(weights, paper)) for paper in papers}
    scores: dict[str, dict[PlanKind, float]] = {}
    for each in paragraphs:
        predicted = rerankers[each.paper_id].predict_scores(each.paragraph, list(each.texts.values()))
        scores[each.id] = dict(zip(each.texts, predicted, strict=True))
    return scores


def score_by_surface(paragraphs: Sequence[PlannedParagraph]) -> Scores:
    """Score plans by their surface, each paper by a pairwise logistic model trained on the other folds."""
    features: dict[str, dict[PlanKind, NDArray[np.float64]]] = {}
    for each in paragraphs:
        features[each.id] = {kind: _compute_features(each.paragraph, text) for kind, text in each.texts.items()}
    found: dict[str, dict[PlanKind, float]] = {}
    for split in split_into_folds(paragraphs).values():
        train = [features[each.id] for each in split.train]
        differences = np.array([each[FOUR_KINDS[0]] - each[kind] for each in train for kind in FOUR_KINDS[1:]])
        # Without mean and intercept, a pair and its reverse get opposite scores.
        model = make_pipeline(StandardScaler(with_mean=False), LogisticRegression(fit_intercept=False))
        model.fit(np.concatenate([differences, -differences]), [1] * len(differences) + [0] * len(differences))
        for each in split.dev:
            scores = model.decision_function(list(features[each.id].values()))
            found[each.id] = dict(zip(each.texts, scores, strict=True))
    return found


def score_by_encoder(paragraphs: Sequence[PlannedParagraph]) -> Scores:
    """Score plans by their cosine similarity to the paragraph, with the packaged encoder."""
    scores: dict[str, dict[PlanKind, float]] = {}
    for each in paragraphs:
        cosines = compute_cosines((each.paragraph,), tuple(each.texts.values()))[0]
        scores[each.id] = dict(zip(each.texts, cosines.tolist(), strict=True))
    return scores


def compute_recall_at_1(optimal: float, others: Sequence[float]) -> float:
    """Return 1 if the optimal plan has the highest score, 0 if another has, and 1/n if n plans share it."""
    best = max(others)
    return 1 / (1 + others.count(best)) if optimal == best else float(optimal > best)


def compute_word_overlap(paragraph: str, plan: str) -> float:
    """Compute the share (0 to 1) of a question's content words in the paragraph, averaged over a plan's questions."""
    known = collect_content_stems(paragraph)
    questions = [stems for line in plan.splitlines() if (stems := collect_content_stems(_STEP_OPENING.sub("", line)))]
    return fmean(len(stems & known) / len(stems) for stems in questions) if questions else 0.0


def _compute_features(paragraph: str, plan: str) -> NDArray[np.float64]:
    """Return a plan's numbers of words and lines, share of lines in form, literature steps, and shared words."""
    lines = [line for line in plan.splitlines() if line.strip()]
    in_form = fmean(bool(_STEP_OPENING.match(line)) for line in lines)
    from_literature = sum("answer from the literature" in line for line in lines)
    return np.array([len(plan.split()), len(lines), in_form, from_literature, compute_word_overlap(paragraph, plan)])
