"""The comments as Markdown, by section, with an appendix that says what was not commented on and how it was made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from draftroom.rendering.feedback.terminal import (
    UNIT,
    RankedComment,
    about,
    computed_findings,
    computed_lines,
    computed_title,
    earlier_comments,
    earlier_in_short,
    left_out_comments,
    place,
    place_of_finding,
    ranked_comments,
    seen,
    silent_reviews,
    source,
    summary,
    why_silent,
)
from draftroom.rendering.markdown import on_one_line, provenance, table
from draftroom.rendering.rendering import warnings
from draftroom.systems.feedback import notices
from runs.record import RunRecord
from state.feedback import Comment
from state.records import Values


def to_markdown(record: RunRecord, values: Values) -> str:
    """The comments and their appendix."""
    document = values.get("document")
    title = on_one_line((document["title"] if document else "") or record["input"]["name"])
    parts = [
        f"# Feedback on: {title}",
        f"{summary(values)}; the numbers rank them, the best supported first.".capitalize(),
        *_computed(values),
        *_by_section(values),
        _listed("## Comments on the version before", map(earlier_in_short, earlier_comments(values))),
        "---",
        _listed("## Comments that were left out", map(_in_short, left_out_comments(values))),
        _listed("## Paragraphs without a comment", map(why_silent, silent_reviews(values))),
        _findings(values),
        _listed("## Please note", [*notices(values), *warnings(values, UNIT)]),
        "## How this was made",
        _costs(record),
        provenance(record, values),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _by_section(values: Values) -> Iterator[str]:
    """Sections and the comments in them as the paper has them."""
    order = {target["id"]: target["number"] for target in values.get("targets", [])}
    in_order = sorted(
        ranked_comments(values), key=lambda ranked: order.get(ranked.comment["paragraph"], len(order) + 1)
    )
    section = None
    for ranked in in_order:
        if ranked.comment["section"] != section:
            section = ranked.comment["section"]
            yield f"## {on_one_line(section) or 'Before the first heading'}"
        yield _comment(ranked)


def _comment(ranked: RankedComment) -> str:
    rank, comment = ranked
    evidence = [
        f"- Evidence {item['id']}: {on_one_line(item['question'])} {on_one_line(item['answer'])} "
        f"({on_one_line(source(item))})"
        for item in comment["evidence"]
    ]
    lines = [
        f"### {rank}. {comment['label']} ({on_one_line(place(comment))})",
        "",
        f"> {on_one_line(comment['quote'])}" if comment["quote"] else f"About {about(comment)}.",
        "",
        on_one_line(comment["review"]),
        "",
        *([f"- Suggestion: {on_one_line(comment['suggestion'])}"] if comment["suggestion"] else []),
        *evidence,
        f"- Check: {comment['verification']['verdict']}",
        *(f"  - {on_one_line(note)}" for note in comment["verification"]["notes"]),
    ]
    return "\n".join(lines)


def _computed(values: Values) -> Iterator[str]:
    """What was computed, the gravest first; it stands before the comments, for it is certain."""
    found = computed_findings(values)
    if found:
        yield "## Computed, without a model"
    for item in found:
        lines = [f"- {on_one_line(line)}" for line in computed_lines(item)]
        yield "\n".join([f"### {on_one_line(computed_title(item))}", "", f"> {on_one_line(item['quote'])}", "", *lines])


def _in_short(comment: Comment) -> str:
    """A comment that is not shown, in one line, with the reason if there is one."""
    reasons = " ".join(comment["verification"]["notes"])
    return f"{place(comment)}: {comment['label']}, {about(comment)}: {comment['review']} {reasons}".strip()


def _listed(heading: str, items: Sequence[str] | Iterator[str]) -> str:
    lines = [f"- {on_one_line(item)}" for item in items]
    return "\n".join([heading, "", *lines]) if lines else ""


def _findings(values: Values) -> str:
    rows = [
        [place_of_finding(finding), seen(finding), finding["quote"], finding["explanation"]]
        for finding in values.get("findings", [])
    ]
    heading = "## Text that addresses a language model, or that a reader cannot see"
    return f"{heading}\n\n{table(['where', 'what', 'words', 'explanation'], rows)}" if rows else ""


def _costs(record: RunRecord) -> str:
    """What each role cost over all paragraphs."""
    rows = []
    for role in dict.fromkeys(part["role"] for part in record["usage"]):
        parts = [part for part in record["usage"] if part["role"] == role]
        cells = [sum(part[key] for part in parts) for key in ("calls", "input_tokens", "output_tokens")]
        rows.append([role.replace("_", " "), *map(str, cells), f"{sum(part['seconds'] for part in parts):.1f}"])
    return table(["role", "calls", "tokens in", "tokens out", "seconds"], rows)
