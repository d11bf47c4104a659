"""Render the findings of `draftroom check` in each format."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import cast

from draftroom.rendering.blocks import Block, Heading, Items, Note, NotedPaper, ResultDocument, TextLine, format_place
from draftroom.rendering.html import render_html
from draftroom.rendering.markdown import render_blocks
from draftroom.rendering.provenance import build_reader_notices, format_count
from draftroom.rendering.rendering import Rendering
from runs.record import RunInput, RunRecord
from state.computed_findings import SEVERITIES, ComputedFinding, PaperReport
from state.number_check import NumberCheckOutput
from state.records import Values

COMPUTED_COLOUR = "c3cad1"  # grey: the other colours stand for types of comments
UNIT = "passage"


def build_computed_note(found: ComputedFinding, id_: str = "", wording: str = "") -> Note:
    """Build the note of a computed finding, with the reviewer's wording added if there is any."""
    place = format_place(found["paragraph"], found["page"], found["section"]) or "the list of references"
    lines = [TextLine(f"{found['computation']}."), TextLine(f"{found['consistent']}.", label="Consistent would be")]
    if found["explanations"]:
        lines.append(TextLine(f"{'; '.join(found['explanations'])}.", label="What else could explain it"))
    if wording:
        lines.append(TextLine(wording, label="The reviewer"))
    return Note(
        id=id_,
        rank=0,
        kind="Computed",
        title=f"Computed: {found['kind']}, {found['severity']} ({place})",
        colour=COMPUTED_COLOUR,
        paragraph=found["paragraph"],
        section=found["section"],
        page=found["page"],
        quote=found["quote"],
        start=0,
        lines=lines,
    )


def build_check_document(paper: RunInput, report: PaperReport) -> ResultDocument:
    """Build the result document of a check without a model: its findings and what was read."""
    findings = report["findings"]
    counts = {severity: sum(found["severity"] == severity for found in findings) for severity in SEVERITIES}
    severities = ", ".join(f"{number} {severity}" for severity, number in counts.items() if number)
    summary = "No contradiction was found among what can be computed."
    if findings:
        summary = f"{format_count(len(findings), 'finding')}: {severities}."
    # A paper without findings may be one that could not be read, so its coverage is always shown.
    read = ", ".join(format_count(number, kind) for kind, number in report["read"].items())
    coverage = [TextLine(f"{read}.", label="Read")]
    coverage += [TextLine(f"{each}.", label="Not read", tone="warning") for each in report["unread"]]
    if report["left_out"]:
        omitted = format_count(report["left_out"], "finding")
        coverage.append(TextLine(f"{omitted} (--severity low, --without).", label="Left out"))
    if not report["references_looked_up"]:
        coverage.append(TextLine("whether the references exist (--references).", label="Not looked up"))
    title = f"Checks of {paper['paper']['title'] or paper['name']}"
    notes = NotedPaper([build_computed_note(found) for found in findings])
    result: list[Block] = [Heading(title, 1), TextLine(summary), notes, Heading("What was read"), Items(coverage)]
    return ResultDocument(title=title, result=result, remarks=[], conclusion="")


def _render_json(paper: RunInput, report: PaperReport) -> str:
    """Render the paper's identity and the report as JSON text."""
    named = {"name": paper["name"], "title": paper["paper"]["title"], "sha256": paper["paper"]["sha256"]}
    return json.dumps({"paper": named, **report}, ensure_ascii=False, indent=2) + "\n"


def build_check_run_document(record: RunRecord, values: Values) -> ResultDocument:
    """Build the result document of a finished or unfinished run of `number_check`."""
    is_finished = values.get("finished")
    empty = PaperReport(findings=[], read={}, unread=[], left_out=0, references_looked_up=False)
    document = build_check_document(record["input"], cast("PaperReport", {**empty, **values}))
    return replace(
        document,
        result=document.result if is_finished else [],
        remarks=build_reader_notices(values, UNIT),
        conclusion=f"Run {record['id']}" if is_finished else "The run has no result yet.",
    )


def describe_check_progress(node: str, update: Values, _: Values) -> str:
    """Return a progress line on the number of passages to read or on an unread one, otherwise an empty string."""
    if node == "initialise":
        return f"{format_count(len(update['passages']), UNIT)} with numbers to read"
    problems = [each for each in update.get("readings", []) if each["problem"]]
    return f"{problems[0]['paragraph']} was not read: {problems[0]['problem']}" if problems else ""


RENDERING = Rendering(
    unit=UNIT,
    milestone=describe_check_progress,
    build_result=build_check_run_document,
    output=NumberCheckOutput,
)

# By the suffix of a file.
REPORT_FORMATS: Mapping[str, Callable[[RunInput, PaperReport], str]] = {
    ".json": _render_json,
    ".md": lambda paper, report: render_blocks(build_check_document(paper, report).result),
    ".html": lambda paper, report: render_html(build_check_document(paper, report)),
}
