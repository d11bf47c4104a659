"""Whether a training plan is what it should be: the optimal one keeps the golden rules, another lacks its criterion."""

from __future__ import annotations

import re

from tools.checks.fidelity import stems
from training.plan_reranker.normalising import normalised, questions_of
from training.plan_reranker.writing import Criterion, WrittenPlan

_STEP = re.compile(r"^\s*\d+[.)]\s*(?:Investigator|Reviewer)\b", re.IGNORECASE | re.MULTILINE)
_FORM = re.compile(r"\d+\. Investigator: answer from the (?:paper|literature): |\d+\. Reviewer: write the review\.")


def flaw(
    written: WrittenPlan, criterion: Criterion, *, paragraph: str, review: str, comment: str, fewest: int
) -> str | None:
    """What keeps a plan from being used for `criterion`; None if it can be.

    That an optimal plan broke a golden rule, which code has mended, is the last thing that is found.

    Args:
        written: The plan.
        criterion: What it is to lack, or `optimal`.
        paragraph: What it plans the review of.
        review: What the human reviewer said of the paragraph.
        comment: What the plan was to lead to; the same as `review` for two of the criteria.
        fewest: Questions that it is to ask in any form, so that their number does not tell which plan is which.
    """
    if criterion == "structure" and _STEP.search(written["plan"]):
        return "has the structure that it should lack"
    if questions_of(normalised(written["plan"], most=fewest)) < fewest:
        return "says less than the other plans"
    asked = subjects(written["plan"])
    if criterion == "optimal":
        return _unsuitable(asked, stems(paragraph), stems(review)) or next(iter(written["repairs"]), None)
    if criterion == "specificity" and not asked & stems(paragraph):
        return "asks about nothing in the paragraph"  # the planner's own are dropped for that, so no ranking meets them
    if criterion == "coherence" and not asked & (stems(comment) - stems(paragraph) - stems(review)):
        return "takes nothing from the comment on another paragraph"
    return None


def subjects(plan: str) -> set[str]:
    """The content words of a plan's questions, without those of its form."""
    return stems(_FORM.sub("", plan))


def pertinence(plan: str, review: str) -> float:
    """Share of a plan's content words that the review of the paragraph has, from 0 to 1."""
    asked = subjects(plan)
    return len(asked & stems(review)) / len(asked) if asked else 0.0


def _unsuitable(asked: set[str], paragraph: set[str], review: set[str]) -> str | None:
    if not asked & paragraph:
        return "asks about nothing in the paragraph"
    if review and not asked & review:
        return "asks about nothing in the review"
    return None
