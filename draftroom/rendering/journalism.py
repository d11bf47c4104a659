"""Render the results of science journalism: the article, its readability, and the rounds that led to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from draftroom.rendering import blocks as b
from draftroom.rendering.provenance import build_reader_notices, list_detail_lines
from draftroom.rendering.rendering import Dialogue, Rendering
from nodes.journalism.editor import REVIEW_PARTS, extract_advice
from nodes.journalism.reader import NOTES_PARTS
from runs.record import RunRecord
from state.journalism import Assessment, Draft, DraftReview, JournalismOutput, Notes
from state.records import Values
from tools.text import diff_words, list_points, split_at_labels

UNIT = "round"
READABILITY_LABELS = {"cli": "CLI", "fkgl": "FKGL", "dcrs": "DCRS", "ari": "ARI"}
_Item = TypeVar("_Item", bound=Mapping[str, Any])


def build_article_document(record: RunRecord, values: Values) -> b.ResultDocument:
    """Build the result document of an article, also of an unfinished run without one."""
    article = values.get("article", "")
    selected = int(values["selected_round"]) if article else None
    assessments: dict[int, Assessment] = _index_by_round(values.get("assessments", []))
    if selected is None:
        outcome = f"The run has not chosen a draft yet ({record['status']})."
    else:
        outcome = f"Draft {selected}: {values['selected_because']}. The loop ended: {values['stop_reason']}."
    chosen = assessments.get(selected) if selected is not None else None
    unsupported = list_detail_lines(chosen["unsupported"]) if chosen else []
    none = "None was found." if chosen else "None was found yet."
    paper = values.get("source") or record["input"]["paper"]
    return b.ResultDocument(
        title=paper["title"] or record["input"]["name"],
        result=[b.Prose(article)] if article else [],
        remarks=[
            b.TextLine(outcome, tone="soft"),
            *_tabulate_readability(assessments, selected),
            b.Heading("Details that the paper does not support"),
            b.Items(unsupported) if unsupported else b.TextLine(none),
            *build_reader_notices(values, UNIT),
        ],
        conclusion=f"Run {record['id']}",
        story=list(_build_round_history(values, assessments, selected)),
    )


def _tabulate_readability(assessments: Mapping[int, Assessment], selected: int | None) -> list[b.Block]:
    """Return a heading and a table of the drafts' grades, words, coverage and unsupported details."""
    if not assessments:
        return [b.Heading("Readability"), b.TextLine("No draft has been measured yet.")]
    rows = []
    for number, item in assessments.items():
        scores = item["readability"]
        grades = (f"{scores[measure]:.1f}" for measure in ("cli", "fkgl", "dcrs", "ari"))
        counts = (str(scores["words"]), f"{item['coverage']:.0%}", str(len(item["unsupported"])))
        rows.append([str(number), *grades, *counts])
    explanation = (
        "School grades of the United States: lower is easier. "
        "Coverage is the share of the paper's longer words that a draft uses."
    )
    columns = ("draft", *READABILITY_LABELS.values(), "words", "coverage", "unsupported")
    highlighted = None if selected is None else list(assessments).index(selected)
    table = b.DataTable(columns, rows, selected=highlighted)
    return [b.Heading("Readability"), b.TextLine(explanation, tone="soft"), table]


def _build_round_history(
    values: Values, assessments: Mapping[int, Assessment], selected: int | None
) -> Iterable[b.FoldedBlocks]:
    """Yield folded blocks on each round's draft with the notes and advice behind it; round 0 is the first draft."""
    drafts: dict[int, Draft] = _index_by_round(values.get("drafts", []))
    notes: dict[int, Notes] = _index_by_round(values.get("notes", []))
    # A person's advice follows the editor's as a second review of the same draft: the later one counts.
    reviews: dict[int, DraftReview] = _index_by_round(values.get("reviews", []))
    # Notes and advice on a draft belong to the next round, which may have no draft yet.
    for number in sorted({*drafts, *(before + 1 for before in (*notes, *reviews))}):
        draft, before, assessment = drafts.get(number), drafts.get(number - 1), assessments.get(number)
        noted = notes[number - 1]["text"] if number - 1 in notes else ""
        explanation = split_at_labels(noted, NOTES_PARTS).get("explanation", noted)
        lines = _list_point_lines(explanation, "note", "question")
        if review := reviews.get(number - 1):
            evaluation = split_at_labels(review["text"], REVIEW_PARTS).get("evaluation", "")
            lines += _list_point_lines(evaluation, "evaluation", "soft")
            lines += _list_point_lines(extract_advice(review["text"]), "advice", "answer", source=review["origin"])
        lines += _list_point_lines(draft["improvements"] if draft else "", "improved", "thought")
        inner: list[b.Block] = [b.Items(lines)] if lines else []
        if draft:
            inner.append(b.Diff(diff_words(before["text"] if before else draft["text"], draft["text"])))
        if assessment and assessment["unsupported"]:
            unsupported = b.Items(list_detail_lines(assessment["unsupported"]))
            inner += [b.TextLine("Not in the paper:", tone="warning"), unsupported]
        grade = f": grade {assessment['mean_grade']:.1f}" if assessment else ""
        title = f"{f'Round {number}' if number else 'First draft'}{grade}"
        yield b.FoldedBlocks(title, inner, number, unfolded=number == selected)


def _list_point_lines(text: str, label: str, tone: b.Tone, source: str = "") -> list[b.TextLine]:
    """Return a line for each point of a text, with the same label, tone and source."""
    return [b.TextLine(point, label=label, source=source, tone=tone) for point in list_points(text)]


def _index_by_round(items: Iterable[_Item]) -> dict[int, _Item]:
    """Return the items by their round; of several of one round only the last."""
    return {int(item["round"]): item for item in items}


def describe_draft_progress(node: str, update: Values, _: Values) -> str:
    """Return a progress line after each assessment of a draft, otherwise an empty string."""
    if node != "assess_draft":
        return ""
    item: Assessment = update["assessments"][-1]
    scores = item["readability"]
    grades = f"CLI {scores['cli']:.1f}, FKGL {scores['fkgl']:.1f}, DCRS {scores['dcrs']:.1f}, ARI {scores['ari']:.1f}"
    return (
        f"Draft {item['round']}: grade {item['mean_grade']:.1f} ({grades}), {scores['words']} words, "
        f"{len(item['unsupported'])} unsupported facts"
    )


RENDERING = Rendering(
    unit=UNIT,
    milestone=describe_draft_progress,
    build_result=build_article_document,
    output=JournalismOutput,
    dialogue=Dialogue(
        lambda question: f"The advice for round {question['round']}:", these="this advice", line="piece of advice"
    ),
)
