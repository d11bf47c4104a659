"""The article as Markdown, with an appendix that says how it was made and what to check."""

from __future__ import annotations

from collections.abc import Sequence

from draftroom.rendering.journalism.story import UNIT, selected_round, unsupported_by_sentence
from draftroom.rendering.markdown import please_note, provenance, table
from draftroom.rendering.rendering import named
from runs.record import RunRecord
from state.journalism import Assessment
from state.records import Values
from tools.text.characters import plain


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
