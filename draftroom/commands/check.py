"""`draftroom check`: what a paper contradicts in itself, computed without a model."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from draftroom.commands.options import QuietOption
from draftroom.exit_codes import CONTRADICTIONS
from draftroom.files import check_paths, take_paper, unwritable
from draftroom.rendering.console import tell
from draftroom.rendering.findings import FORMATS, build_document
from draftroom.rendering.terminal import print_result
from runs.record import RunInput
from state.computed_findings import CHECK_KINDS, SEVERITIES, PaperReport, Severity, gravest_first
from tools.documents.reading import load_document
from tools.numbers import check_paper

if TYPE_CHECKING:
    from draftroom.batch.paper_checks import Checks


def check(
    file: Annotated[
        str,
        typer.Argument(metavar="PAPER", help="PDF, Word, HTML, JATS, Markdown, LaTeX or text; - reads standard input."),
    ],
    *,
    severity: Annotated[Severity, typer.Option(help="Leave out what is below this.")] = "low",
    without: Annotated[list[str] | None, typer.Option(help="Leave out this kind of finding; repeatable.")] = None,
    max_pages: Annotated[int, typer.Option(min=1, help="Longest PDF that is accepted.")] = 100,
    references: Annotated[
        bool,
        typer.Option(
            "--references", help="Look the references up at Crossref and OpenAlex, which are told DOIs and titles."
        ),
    ] = False,
    output: Annotated[
        list[Path], typer.Option("-o", "--output", help="Also write it here; .json, .md or .html; repeatable.")
    ] = [],  # noqa: B006 - Typer copies it
    quiet: QuietOption = False,
) -> None:
    """Find what a paper contradicts in itself: tests, percentages, intervals, citations; no model is asked."""
    check_paths(output, FORMATS)
    _refuse_unknown(without)
    paper = take_paper(file, scope="whole", max_pages=max_pages)
    report = _report(severity, without or [], paper, references=references)
    for path in output:
        try:
            path.write_text(FORMATS[path.suffix.lower()](paper, report), encoding="utf-8")
        except OSError as error:
            raise unwritable(path, error.strerror or type(error).__name__) from error
    print_result(build_document(paper, report))
    if not quiet:
        named = "PAPER" if file == "-" else shlex.quote(file)
        tell(
            f"Next: draftroom check {named} -o findings.html (as a page), draftroom review {named} (agents' comments)."
        )
    if any(found["severity"] != "low" for found in report["findings"]):
        raise typer.Exit(CONTRADICTIONS)


def checks(flags: Mapping[str, Any]) -> Checks:
    """The work on many papers that the flags ask for."""
    from draftroom.batch.paper_checks import Checks  # noqa: PLC0415 - loads what talks to models, which one check needs not

    severity, without, max_pages = flags["severity"], flags["without"] or [], flags["max_pages"]
    _refuse_unknown(without)
    choices = {
        "severity": severity,
        "without": sorted(without),
        "max_pages": max_pages,
        "references": flags["references"],
    }
    return Checks(choices, partial(_report, severity, without, references=flags["references"]), max_pages)


def _refuse_unknown(kinds: Collection[str] | None) -> None:
    if unknown := set(kinds or []) - set(CHECK_KINDS):
        raise typer.BadParameter(f"{unknown.pop()!r} is none of {', '.join(CHECK_KINDS)}.", param_hint="--without")


def _report(severity: Severity, without: Collection[str], paper: RunInput, *, references: bool) -> PaperReport:
    """Report on a paper, without the findings that are left out, the gravest first."""
    shown = SEVERITIES[: SEVERITIES.index(severity) + 1]
    document = load_document(paper["paper"])
    report = check_paper(document, paper["paper"]["warnings"])
    if references:
        from tools.configuration import load_settings  # noqa: PLC0415 - only here
        from tools.numbers.references import look_up_references  # noqa: PLC0415 - loads what talks to services

        report = look_up_references(report, document, load_settings().feedback.literature)
    found = sorted(report["findings"], key=gravest_first)
    kept = [each for each in found if each["severity"] in shown and each["kind"] not in without]
    return {**report, "findings": kept}
