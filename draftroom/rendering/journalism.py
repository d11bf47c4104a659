"""Results of science journalism: the article, its readability, and the rounds that led to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from draftroom.rendering.account import describe_costs, describe_run, detail_lines, please_note
from draftroom.rendering.blocks import (
    Block,
    DataTable,
    Diff,
    FoldedBlocks,
    Heading,
    Items,
    Prose,
    ResultDocument,
    TextLine,
    Tone,
)
from draftroom.rendering.rendering import Dialogue, Rendering, document_formats
from nodes.journalism.editor import REVIEW_PARTS, advice_of
from nodes.journalism.reader import NOTES_PARTS
from runs.record import RunRecord
from state.journalism import Assessment, Draft, DraftReview, JournalismOutput, Notes
from state.records import Values
from tools.text import list_points, split_parts, word_changes

UNIT = "round"
MEASURES = {"cli": "CLI", "fkgl": "FKGL", "dcrs": "DCRS", "ari": "ARI"}
_Item = TypeVar("_Item", bound=Mapping[str, Any])


def build_document(record: RunRecord, values: Values) -> ResultDocument:
    """Build the document of a run, also of one that has no article yet."""
    article = values.get("article", "")
    selected = int(values["selected_round"]) if article else None
    assessments: dict[int, Assessment] = _by_round(values.get("assessments", []))
    if selected is None:
        outcome = f"The run has not chosen a draft yet ({record['status']})."
    else:
        outcome = f"Draft {selected}: {values['selected_because']}. The loop ended: {values['stop_reason']}."
    chosen = assessments.get(selected) if selected is not None else None
    unsupported = detail_lines(chosen["unsupported"]) if chosen else []
    none = "None was found." if chosen else "None was found yet."
    paper = values.get("source") or record["input"]["paper"]
    return ResultDocument(
        title=paper["title"] or record["input"]["name"],
        result=[Prose(article)] if article else [],
        remarks=[
            TextLine(outcome, tone="soft"),
            *_measure(assessments, selected),
            Heading("Details that the paper does not support"),
            Items(unsupported) if unsupported else TextLine(none),
            *please_note(values, UNIT),
        ],
        conclusion=f"Run {record['id']}",
        story=list(_tell_rounds(values, assessments, selected)),
        provenance=describe_run(record, values),
        costs=list(describe_costs(record, UNIT)),
    )


def _measure(assessments: Mapping[int, Assessment], selected: int | None) -> list[Block]:
    if not assessments:
        return [Heading("Readability"), TextLine("No draft has been measured yet.")]
    rows = []
    for number, item in assessments.items():
        scores = item["readability"]
        grades = (f"{scores[measure]:.1f}" for measure in ("cli", "fkgl", "dcrs", "ari"))
        counted = (str(scores["words"]), f"{item['coverage']:.0%}", str(len(item["unsupported"])))
        rows.append([str(number), *grades, *counted])
    return [
        Heading("Readability"),
        TextLine(
            "School grades of the United States: lower is easier. "
            "Coverage is the share of the paper's longer words that a draft uses.",
            tone="soft",
        ),
        DataTable(
            ("draft", *MEASURES.values(), "words", "coverage", "unsupported"),
            rows,
            selected=None if selected is None else list(assessments).index(selected),
        ),
    ]


def _tell_rounds(values: Values, assessments: Mapping[int, Assessment], selected: int | None) -> Iterable[FoldedBlocks]:
    """Tell of each round its notes and advice on one draft, and the draft that they led to; round 0 has only that."""
    drafts: dict[int, Draft] = _by_round(values.get("drafts", []))
    notes: dict[int, Notes] = _by_round(values.get("notes", []))
    # A person's advice follows the editor's as a second review of the same draft: the later one counts.
    reviews: dict[int, DraftReview] = _by_round(values.get("reviews", []))
    for number in sorted({*drafts, *(before + 1 for before in (*notes, *reviews))}):
        draft, before, assessment = drafts.get(number), drafts.get(number - 1), assessments.get(number)
        said = [*_list_notes(notes.get(number - 1)), *_list_advice(reviews.get(number - 1))]
        said += _list_lines(draft["improvements"] if draft else "", "improved", "thought")
        inner: list[Block] = [Items(said)] if said else []
        if draft:
            inner.append(Diff(word_changes(before["text"] if before else draft["text"], draft["text"])))
        if assessment and assessment["unsupported"]:
            inner += [TextLine("Not in the paper:", tone="warning"), Items(detail_lines(assessment["unsupported"]))]
        grade = f": grade {assessment['mean_grade']:.1f}" if assessment else ""
        title = f"{f'Round {number}' if number else 'First draft'}{grade}"
        yield FoldedBlocks(title, inner, number, unfolded=number == selected)


def _list_notes(notes: Notes | None) -> list[TextLine]:
    text = notes["text"] if notes else ""
    return _list_lines(split_parts(text, NOTES_PARTS).get("explanation", text), "note", "question")


def _list_advice(review: DraftReview | None) -> list[TextLine]:
    if not review:
        return []
    evaluation = split_parts(review["text"], REVIEW_PARTS).get("evaluation", "")
    advice = _list_lines(advice_of(review["text"]), "advice", "answer", source=review["origin"])
    return [*_list_lines(evaluation, "evaluation", "soft"), *advice]


def _list_lines(text: str, label: str, tone: Tone, source: str = "") -> list[TextLine]:
    return [TextLine(point, label=label, source=source, tone=tone) for point in list_points(text)]


def _by_round(items: Iterable[_Item]) -> dict[int, _Item]:
    return {int(item["round"]): item for item in items}


def milestone(node: str, update: Values, _: Values) -> str:
    """Return a line after each assessment."""
    if node != "assess_draft":
        return ""
    item: Assessment = update["assessments"][-1]
    scores = item["readability"]
    grades = f"CLI {scores['cli']:.1f}, FKGL {scores['fkgl']:.1f}, DCRS {scores['dcrs']:.1f}, ARI {scores['ari']:.1f}"
    return (
        f"Draft {item['round']}: grade {item['mean_grade']:.1f} ({grades}), {scores['words']} words, "
        f"{len(item['unsupported'])} unsupported facts"
    )


def describe_question(question: Values) -> str:
    """Number the advice of a paused run."""
    advice = "\n".join(f"  {number}. {text}" for number, text in enumerate(question["advice"], start=1))
    return f"The advice for round {question['round']}:\n{advice}"


RENDERING = Rendering(
    unit=UNIT,
    milestone=milestone,
    document=build_document,
    formats=document_formats(build_document, JournalismOutput),
    dialogue=Dialogue(describe_question, these="this advice", line="piece of advice"),
)
