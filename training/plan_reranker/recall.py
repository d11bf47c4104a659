"""Whether the optimal plan is ranked first, and how sure its share is."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from evals.statistics import clustered_mean, grouped


class RecallEstimate(BaseModel):
    """A mean with its 95% interval."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    mean: float
    low: float
    high: float


def recall_at_1(optimal: float, others: Sequence[float]) -> float:
    """1 if the optimal plan has the highest score, 0 if another has; plans with the same score are drawn by lot."""
    best = max(others)
    if optimal == best:
        return 1 / (1 + others.count(best))
    return float(optimal > best)


def outranks(optimal: float, other: float) -> float:
    """1 if the optimal plan has the higher score, 0 if the other has, 0.5 if they have the same."""
    return recall_at_1(optimal, [other])


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
