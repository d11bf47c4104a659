"""Results of science journalism in each format: the article, its readability, and the rounds that led to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, TypeVar

import plotext
from rich.table import Table
from rich.text import Text

from draftroom.rendering.html import page
from draftroom.rendering.markdown import please_note, provenance, table
from draftroom.rendering.rendering import (
    ERR,
    OUT,
    Dialogue,
    Rendering,
    by_sentence,
    json_of,
    named,
    new_table,
    print_account,
    print_changes,
    print_line,
    print_table,
    print_text,
    tell,
    warnings,
)
from runs.record import RunRecord
from state.journalism import Assessment, Draft, DraftReview, JournalismOutput, Notes
from state.records import Fact, Values
from tools.text import Change, plain, word_changes

UNIT = "round"
_Item = TypeVar("_Item", bound=Mapping[str, Any])


@dataclass(frozen=True)
class Round:
    """Notes and advice on one draft, and the draft that they led to. Round 0 has only its draft, the first.

    What a round has not reached, or its variant leaves out, is None.
    """

    number: int
    notes: Notes | None
    review: DraftReview | None
    draft: Draft | None
    assessment: Assessment | None
    changes: list[Change]
    """From the draft before."""


def rounds(values: Values) -> list[Round]:
    """All rounds, also one that has begun and has no draft yet."""
    drafts: dict[int, Draft] = _by_round(values.get("drafts", []))
    assessments: dict[int, Assessment] = _by_round(values.get("assessments", []))
    # A person's advice follows the editor's as a second review of the same draft: the later one counts.
    notes: dict[int, Notes] = _by_round(values.get("notes", []))
    reviews: dict[int, DraftReview] = _by_round(values.get("reviews", []))
    numbers = sorted({*drafts, *(number + 1 for number in (*notes, *reviews))})
    return [
        Round(
            number=number,
            notes=notes.get(number - 1),
            review=reviews.get(number - 1),
            draft=drafts.get(number),
            assessment=assessments.get(number),
            changes=_changes(drafts, number),
        )
        for number in numbers
    ]


def selected_round(values: Values) -> int | None:
    """Number of the returned draft; None while there is none."""
    return int(values["selected_round"]) if values.get("article") else None


def unsupported_by_sentence(values: Values) -> dict[str, list[Fact]]:
    """Details of the returned draft that the paper does not support, under the sentence that holds them."""
    selected = selected_round(values)
    found = [item["unsupported"] for item in values.get("assessments", []) if item["round"] == selected]
    return by_sentence(found[-1]) if found else {}


def _by_round(items: Iterable[_Item]) -> dict[int, _Item]:
    return {int(item["round"]): item for item in items}


def _changes(drafts: Mapping[int, Draft], number: int) -> list[Change]:
    before, after = drafts.get(number - 1), drafts.get(number)
    return word_changes(before["text"], after["text"]) if before and after else []


Measure = Literal["cli", "fkgl", "dcrs", "ari"]

MEASURES: dict[Measure, str] = {"cli": "CLI", "fkgl": "FKGL", "dcrs": "DCRS", "ari": "ARI"}

WIDTH, HEIGHT = 640, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 70, 16, 30
_LABEL = 14
"""Least distance of two labels."""


def plot(assessments: Sequence[Assessment], width: int) -> str:
    """The curve as lines of text; each measure is drawn with the first letter of its name.

    Args:
        assessments: One a draft, in order.
        width: In characters.
    """
    rounds = [assessment["round"] for assessment in assessments]
    figure = plotext.figure
    figure.clear()
    figure.theme("colorless")
    figure.plot_size(width, 14)
    for measure, label in MEASURES.items():
        grades = [assessment["readability"][measure] for assessment in assessments]
        figure.draw(figure.signal(rounds, grades, marker=label[0]).lines().label(label))
    figure.ruler("x").ticks(rounds, [str(number) for number in rounds])
    return str(plotext.uncolorize(figure.build().string())).rstrip()


@dataclass(frozen=True)
class Polyline:
    """One measure as points of the drawing."""

    label: str
    points: list[tuple[float, float]]
    label_y: float
    """Height of the label: that of the last point, moved so that no label lies on another."""


@dataclass(frozen=True)
class Drawing:
    """Coordinates in a field of `WIDTH` by `HEIGHT`, y pointing down."""

    lines: list[Polyline]
    grades: list[tuple[float, str]]
    """Height and label of each mark of the vertical axis."""
    rounds: list[tuple[float, str]]
    """Position and label of each mark of the horizontal axis."""


def drawing(assessments: Sequence[Assessment]) -> Drawing:
    """Lay the curve out."""
    rounds = [assessment["round"] for assessment in assessments]
    values = [assessment["readability"][measure] for assessment in assessments for measure in MEASURES]
    low, high = int(min(values)) - 1, int(max(values)) + 2
    span = max(len(rounds) - 1, 1)

    def x(place: int) -> float:
        return round(_LEFT + place * (WIDTH - _LEFT - _RIGHT) / span, 1)

    def y(grade: float) -> float:
        return round(_TOP + (high - grade) * (HEIGHT - _TOP - _BOTTOM) / (high - low), 1)

    ends = apart([y(assessments[-1]["readability"][measure]) for measure in MEASURES], _LABEL, HEIGHT - _BOTTOM)
    lines = [
        Polyline(label, [(x(place), y(item["readability"][measure])) for place, item in enumerate(assessments)], end)
        for (measure, label), end in zip(MEASURES.items(), ends, strict=True)
    ]
    marks = range(low, high + 1, max(1, (high - low) // 6))
    return Drawing(
        lines=lines,
        grades=[(y(grade), str(grade)) for grade in marks],
        rounds=[(x(place), str(number)) for place, number in enumerate(rounds)],
    )


def apart(wanted: Sequence[float], gap: float, lowest: float) -> list[float]:
    """Heights that are at least `gap` apart, in the order of those wanted and near them, none below `lowest`."""
    placed, order = list(wanted), sorted(range(len(wanted)), key=wanted.__getitem__)
    for above, place in pairwise(order):
        placed[place] = max(placed[place], placed[above] + gap)
    for rest, place in enumerate(reversed(order)):
        placed[place] = min(placed[place], lowest - rest * gap)
    return placed


_PLOT_WIDTH = 64


def print_article(_: RunRecord, values: Values) -> None:
    """Print the article to standard output."""
    print_text(values["article"])


def print_findings(record: RunRecord, values: Values) -> None:
    """Print to standard error what a reader of the article should know: readability, unsupported facts, warnings."""
    print_table(ERR, readability_table(values.get("assessments", []), selected_round(values)))
    facts = unsupported_by_sentence(values)
    if facts:
        tell("Not in the paper:", style="yellow")
    for sentence, details in facts.items():
        tell(f"- {named(details)}, in: {sentence}", style="yellow")
    for warning in warnings(values, UNIT):
        tell(f"Please note: {warning}.", style="yellow")
    tell(f"Draft {values['selected_round']}: {values['selected_because']}. Run {record['id']}", style="dim")


def print_story(record: RunRecord, values: Values, only: int | None) -> None:
    """Print every round to standard output, or only round `only`; then curve, costs and warnings."""
    for part in rounds(values):
        if only in {None, part.number}:
            _print_round(part)
    if only is not None:
        return
    assessments = values.get("assessments", [])
    if assessments:
        print_table(OUT, readability_table(assessments, selected_round(values)))
        OUT.print(Text(plot(assessments, min(_PLOT_WIDTH, OUT.width))))
    print_account(record, values, UNIT)


def readability_table(assessments: Sequence[Assessment], selected: int | None) -> Table:
    """The measures of each draft, the selected one marked."""
    table = new_table(
        "draft", *MEASURES.values(), "words", "coverage", "unsupported", title="Readability (lower is easier)"
    )
    for item in assessments:
        chosen = item["round"] == selected
        grades = [f"{item['readability'][measure]:.1f}" for measure in MEASURES]
        words, coverage = str(item["readability"]["words"]), f"{item['coverage']:.0%}"
        cells = [*grades, words, coverage, str(len(item["unsupported"]))]
        table.add_row(f"{item['round']}{' *' if chosen else ''}", *cells, style="bold" if chosen else None)
    return table


def _print_round(part: Round) -> None:
    grade = f", grade {part.assessment['mean_grade']:.1f}" if part.assessment else ""
    print_line(f"\nRound {part.number}{grade}" if part.number else f"First draft{grade}", "bold underline")
    for term in part.notes["terms"] if part.notes else []:
        made_up = "" if term["in_article"] else ", not in the draft"
        print_line(f"  note: {term['term']}: {term['explanation']} ({term['basis']}{made_up})", "cyan")
    for advice in part.review["advice"] if part.review else []:
        print_line(f"  advice ({advice['aspect']}, {advice['origin']}): {advice['text']}", "magenta")
    for text in part.draft["improvements"] if part.draft else []:
        print_line(f"  improved: {text}", "blue")
    if part.draft:
        OUT.print()
        print_changes(part.changes or [Change("same", part.draft["text"])])
    for sentence, details in by_sentence(part.assessment["unsupported"] if part.assessment else []).items():
        print_line(f"  not in the paper: {named(details)}, in: {sentence}", "yellow")


def to_markdown(record: RunRecord, values: Values) -> str:
    """The returned article and its appendix."""
    parts = [
        plain(values.get("article", "")).strip(),
        "---",
        "## How this article was made",
        "Readability in United States school grades; lower is easier to read. Coverage is the share of the paper's "
        "longer words that a draft uses.",
        _readability(values.get("assessments", []), selected_round(values)),
        _selection(values),
        "### Details that the paper does not support",
        _facts(values),
        please_note(values, UNIT),
        provenance(record, values),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _readability(assessments: Sequence[Assessment], selected: int | None) -> str:
    rows = [
        [
            f"**{item['round']}**" if item["round"] == selected else str(item["round"]),
            *(f"{item['readability'][measure]:.1f}" for measure in ("cli", "fkgl", "dcrs", "ari")),
            str(item["readability"]["words"]),
            f"{item['coverage']:.0%}",
            str(len(item["unsupported"])),
        ]
        for item in assessments
    ]
    return table(["draft", "CLI", "FKGL", "DCRS", "ARI", "words", "coverage", "unsupported"], rows)


def _selection(values: Values) -> str:
    selected = selected_round(values)
    if selected is None:
        return "The run has not chosen a draft yet."
    return f"Draft {selected} was chosen: {values['selected_because']}. The loop ended: {values['stop_reason']}."


def _facts(values: Values) -> str:
    rows = [[named(details), sentence] for sentence, details in unsupported_by_sentence(values).items()]
    return table(["details", "sentence"], rows) if rows else "None was found."


def to_html(record: RunRecord, values: Values) -> str:
    """The page."""
    assessments = values.get("assessments", [])
    return page(
        "journalism.html",
        record,
        values,
        UNIT,
        article=values.get("article", ""),
        selected=selected_round(values),
        because=values.get("selected_because", ""),
        stop_reason=values.get("stop_reason", ""),
        assessments=assessments,
        measures=MEASURES,
        curve=drawing(assessments) if assessments else None,
        width=WIDTH,
        height=HEIGHT,
        facts=unsupported_by_sentence(values),
        rounds=rounds(values),
    )


def milestone(node: str, update: Values, _: Values) -> str:
    """A line after each assessment."""
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
    """The advice of a paused run, numbered."""
    advice = "\n".join(f"  {number}. {text}" for number, text in enumerate(question["advice"], start=1))
    return f"The advice for round {question['round']}:\n{advice}"


RENDERING = Rendering(
    unit=UNIT,
    milestone=milestone,
    print_result=print_article,
    print_warnings=print_findings,
    print_details=print_story,
    formats={".md": to_markdown, ".markdown": to_markdown, ".html": to_html, ".json": json_of(JournalismOutput)},
    dialogue=Dialogue(describe_question, these="this advice", line="piece of advice"),
)
