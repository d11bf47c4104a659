"""What `draftroom check` has found, in each format."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import cast

from draftroom.rendering.blocks import Block, Heading, Items, Note, NotedPaper, ResultDocument, TextLine, format_place
from draftroom.rendering.html import render_html
from draftroom.rendering.markdown import render_blocks
from draftroom.rendering.provenance import build_reader_notices, describe_costs, describe_provenance, format_count
from draftroom.rendering.rendering import Rendering, build_formats
from runs.record import RunInput, RunRecord
from state.computed_findings import SEVERITIES, ComputedFinding, PaperReport
from state.number_check import NumberCheckOutput
from state.records import Values

COMPUTED_COLOUR = "c3cad1"  # the colour of its notes
UNIT = "passage"


def build_computed_note(found: ComputedFinding, id_: str = "", wording: str = "") -> Note:
    """Make a note of a finding, with the words of the reviewer if there are any."""
    place = format_place(found["paragraph"], found["page"], found["section"]) or "the list of references"
    lines = [TextLine(f"{found['computation']}."), TextLine(f"{found['consistent']}.", label="Consistent would be")]
    if found["explanations"]:
        lines.append(TextLine(f"{'; '.join(found['explanations'])}.", label="What else could explain it"))
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
        lines=[*lines, *([TextLine(wording, label="The reviewer")] if wording else [])],
    )


def build_check_document(paper: RunInput, report: PaperReport) -> ResultDocument:
    """Build the document of the findings and of what was read for them."""
    findings = report["findings"]
    counts = {severity: sum(found["severity"] == severity for found in findings) for severity in SEVERITIES}
    told = ", ".join(f"{number} {severity}" for severity, number in counts.items() if number)
    none = "No contradiction was found among what can be computed."
    summary = f"{format_count(len(findings), 'finding')}: {told}." if findings else none
    title = f"Checks of {paper['paper']['title'] or paper['name']}"
    return ResultDocument(
        title=title,
        result=[
            Heading(title, 1),
            TextLine(summary),
            NotedPaper([build_computed_note(found) for found in findings]),
            *_describe_coverage(report),
        ],
        remarks=[],
        conclusion="",
    )


def _describe_coverage(report: PaperReport) -> list[Block]:
    """Say what was read and what was not: a paper without findings may be one that could not be read."""
    read = ", ".join(format_count(number, kind) for kind, number in report["read"].items())
    lines = [TextLine(f"{read}.", label="Read")]
    lines += [TextLine(f"{each}.", label="Not read", tone="warning") for each in report["unread"]]
    if report["left_out"]:
        lines.append(
            TextLine(f"{format_count(report['left_out'], 'finding')} (--severity low, --without).", label="Left out")
        )
    if not report["references_looked_up"]:
        lines.append(TextLine("whether the references exist (--references).", label="Not looked up"))
    return [Heading("What was read"), Items(lines)]


def _render_json(paper: RunInput, report: PaperReport) -> str:
    named = {"name": paper["name"], "title": paper["paper"]["title"], "sha256": paper["paper"]["sha256"]}
    return json.dumps({"paper": named, **report}, ensure_ascii=False, indent=2) + "\n"


def build_check_run_document(record: RunRecord, values: Values) -> ResultDocument:
    """Build the document of a run of `number_check`, also of one that has no result yet."""
    is_finished = values.get("finished")
    empty = PaperReport(findings=[], read={}, unread=[], left_out=0, references_looked_up=False)
    document = build_check_document(record["input"], cast("PaperReport", {**empty, **values}))
    return replace(
        document,
        result=document.result if is_finished else [],
        remarks=build_reader_notices(values, UNIT),
        conclusion=f"Run {record['id']}" if is_finished else "The run has no result yet.",
        provenance=describe_provenance(record, values),
        costs=list(describe_costs(record, UNIT)),
    )


def describe_check_progress(node: str, update: Values, _: Values) -> str:
    """Return a line when the passages are chosen, and when one could not be read."""
    if node == "initialise":
        return f"{format_count(len(update['passages']), UNIT)} with numbers to read"
    problems = [each for each in update.get("readings", []) if each["problem"]]
    return f"{problems[0]['paragraph']} was not read: {problems[0]['problem']}" if problems else ""


RENDERING = Rendering(
    unit=UNIT,
    milestone=describe_check_progress,
    document=build_check_run_document,
    formats=build_formats(build_check_run_document, NumberCheckOutput),
)

REPORT_FORMATS: Mapping[str, Callable[[RunInput, PaperReport], str]] = {
    ".json": _render_json,
    ".md": lambda paper, report: render_blocks(build_check_document(paper, report).result),
    ".html": lambda paper, report: render_html(build_check_document(paper, report)),
}
"""By the suffix of a file."""
