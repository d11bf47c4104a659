"""The evaluation of reviews of whole papers: are the places found that others commented on, and is the same said?

Beside a screening and a review of the paragraphs that it chooses stand what a user would do instead, one call with the
whole paper, and paragraphs drawn by lot. A comment is found if one of the system's is about its paragraph (`exact`), or
about one at most three before or after it (`within 3`, as OpenAIReview counts). `judged` is the share of comments that
are said again, by a judge. Computed findings, which need no model, do not count as comments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from random import Random
from typing import Any

from scipy.stats import hypergeom

from evals.judge import judge_builder
from evals.task import EvaluatedSystem, Item, Judge, Measure, Row, Table, Task
from evals.tasks.focused_feedback import choose_unseen_reranker
from graphs.baselines import one_call_builder, screener_builder
from graphs.focused_feedback import builder
from runs.jobs import Record
from state.extensions import FEEDBACK_EXTENSIONS, resolve_extensions
from state.settings import FeedbackContext, FeedbackSettings
from tools.reranking import preload_reranker

_NEAR = 3  # paragraphs, as in OpenAIReview's benchmark
_CHOSEN = 12  # paragraphs of the rows without a screening: the default of `max_paragraphs`
_DEFAULT = resolve_extensions(FEEDBACK_EXTENSIONS, "default")
_SCREENED = FeedbackContext(extensions=_DEFAULT, every_paragraph=False)


def draw_paragraphs(sample: Record) -> list[str]:
    """Draw the ids of paragraphs by lot, always the same ones of a paper."""
    names = [name for name, _ in sample["candidates"]]
    return Random(sample["id"]).sample(names, min(_CHOSEN, len(names)))  # noqa: S311 - no secret


def select_longest(sample: Record) -> list[str]:
    """Return the ids of the longest paragraphs."""
    return [name for name, _ in sorted(sample["candidates"], key=lambda candidate: -candidate[1])[:_CHOSEN]]


_TEAM: dict[str, Any] = {
    "check": lambda settings: preload_reranker(settings.feedback),
    "sample_settings": choose_unseen_reranker,
}
SYSTEMS = {
    "one-call": EvaluatedSystem(one_call_builder, FeedbackContext(extensions=[])),
    "screener": EvaluatedSystem(screener_builder, _SCREENED),
    "review": EvaluatedSystem(builder, _SCREENED, **_TEAM),
    "by-lot": EvaluatedSystem(
        builder,
        FeedbackContext(extensions=[*_DEFAULT, "distinct_comments"]),
        **_TEAM,
        sample_input=lambda sample: {"paragraphs": draw_paragraphs(sample)},
    ),
}


def list_found(system: str, output: Record) -> list[Record]:
    """List what a system says about paragraphs: its comments, or of a screening the suspicions that it pursues."""
    found: list[Record] = output["comments"]
    return [each for each in output["suspicions"] if each["pursued"]] if system == "screener" else found


def format_found(comment: Mapping[str, Any]) -> str:
    """Format a comment or a suspicion with the words that it is about."""
    said = comment.get("problem") or f"{comment['review']} {comment['suggestion']}".strip()
    return f"“{comment['quote']}” {said}"


def build_judge_input(sample: Record, system: str, output: Record) -> Record:
    """Build the judge's input: the comments that are expected on a paper, and those of a system."""
    expected = [f"“{each['quote']}” {each['comment']}" for each in sample["expected"]]
    return {"expected": expected, "raised": [format_found(each) for each in list_found(system, output)]}


def _make_found_item(system: str, sample: Record, output: Record) -> Item:
    """Return the comments of a system as an item, with the numbers of their paragraphs in its output."""
    found = list_found(system, output)
    places = [sample["places"][each["paragraph"]] for each in found]
    return Item(sample, "\n\n".join(map(format_found, found)), {**output, "places": places})


def _make_chosen_item(choose: Callable[[Record], list[str]], sample: Record, _: Record) -> Item:
    """Return chosen paragraphs as an item, as if each had a comment."""
    return Item(sample, "", {"places": [sample["places"][name] for name in choose(sample)]})


def _score_places(window: int, first: int | None, item: Item) -> list[float]:
    """Return 100 for each expected comment with one of the item's first at most `window` paragraphs away, else 0."""
    expected, found = (each["place"] for each in item.sample["expected"]), item.output["places"][:first]
    return [100.0 * any(abs(place - each) <= window for place in found) for each in expected]


def _score_chance(window: int, first: int | None, item: Item) -> list[float]:
    """Return, in percent, how likely as many paragraphs as have a comment, drawn by lot, include one so near."""
    places = [item.sample["places"][name] for name, _ in item.sample["candidates"]]
    near = [sum(abs(place - each["place"]) <= window for place in places) for each in item.sample["expected"]]
    drawn = min(len({*item.output["places"][:first]}), len(places))
    return [100 * (1 - float(hypergeom.pmf(0, len(places), each, drawn))) for each in near]


def _score_judged(item: Item) -> list[float]:
    """Return 100 for each expected comment that the judge has found again, otherwise 0; nothing if it was not asked."""
    return [100.0 * found for found in item.output.get("judged", {}).get("found") or []]


ROWS = [
    Row("chance", f"{_CHOSEN} paragraphs drawn by lot", partial(_make_chosen_item, draw_paragraphs)),
    Row("longest", f"the {_CHOSEN} longest paragraphs", partial(_make_chosen_item, select_longest)),
    *(
        Row(name, title, partial(_make_found_item, name), system=name)
        for name, title in (
            ("one-call", "one call with the whole paper"),
            ("screener", "screener alone"),
            ("review", "screener and SWIF2T"),
            ("by-lot", "SWIF2T on paragraphs drawn by lot"),
        )
    ),
]
MEASURES = [
    *(
        measure
        for name, window, first in (("within 3", _NEAR, None), ("exact", 0, None), ("first 5", 0, 5))
        for measure in (
            Measure(name, "higher", parts=partial(_score_places, window, first), digits=0),
            Measure(f"{name} by lot", "neither", parts=partial(_score_chance, window, first), digits=0),
        )
    ),
    Measure("judged", "higher", parts=_score_judged, digits=0),
    Measure("comments", "neither", lambda item: float(len(item.output["places"])), digits=0),
]

WHOLE_PAPER = Task(
    name="whole_paper",
    kind="feedback",
    samples="whole_paper",
    source="none; places are counted as in OpenAIReview (arXiv 2606.19749)",
    roles=FeedbackSettings.roles,
    optional_roles=["judge"],
    systems=SYSTEMS,
    rows=ROWS,
    usual=[row.name for row in ROWS],
    measures=MEASURES,
    tables=[
        Table(
            title="Comments found again",
            rows=[row.name for row in ROWS],
            measures=[measure.name for measure in MEASURES],
            baseline="one-call",
        )
    ],
    input_fields={"paper": "paper"},
    judge=Judge(judge_builder, build_judge_input),
    notes=[
        "`within 3` and `exact` are shares of the expected comments, of all papers together, with a comment of the "
        "system at most three paragraphs away, or on the same paragraph (`first 5`: of its five gravest); `judged` "
        "is the share that it says, too.",
        "Their intervals are over papers, or over the comments of less than ten papers; differences are of the means "
        "of papers.",
        "`by lot` is what as many paragraphs as have a comment would find if they were drawn among those of 40 words "
        "or more: the exact expectation.",
        "The judge is the model of the role `judge`, and is not asked if none is named. Its calls are not counted.",
    ],
    ranked_by="within 3",
)
