"""`draftroom check`: what a paper contradicts in itself, computed; a model that is named reads more of its numbers."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from draftroom.commands.options import (
    BaseUrlOption,
    MaxCallsOption,
    MaxTokensOption,
    ModelOption,
    PresetOption,
    QuietOption,
    build_setting_overrides,
)
from draftroom.exit_codes import CONTRADICTIONS
from draftroom.files import build_output_error, check_output_paths, read_run_input
from draftroom.rendering.console import print_to_stderr
from draftroom.rendering.findings import REPORT_FORMATS, build_check_document
from draftroom.rendering.terminal import print_result
from draftroom.systems import RunRequest
from draftroom.systems.check import NUMBER_CHECK
from runs.record import RunInput
from state.computed_findings import (
    CHECK_KINDS,
    DEFAULT_SEVERITY,
    ComputedFinding,
    PaperReport,
    Severity,
    select_findings,
)
from tools.configuration import load_settings
from tools.documents.reading import load_document
from tools.numbers import check_paper

if TYPE_CHECKING:
    from draftroom.batch.work import PaperWork


def check(  # noqa: PLR0913 - each parameter is a flag
    file: Annotated[
        str,
        typer.Argument(metavar="PAPER", help="PDF, Word, HTML, JATS, Markdown, LaTeX or text; - reads standard input."),
    ],
    *,
    severity: Annotated[Severity, typer.Option(help="Leave out what is below this.")] = DEFAULT_SEVERITY,
    without: Annotated[list[str] | None, typer.Option(help="Leave out this kind of finding; repeatable.")] = None,
    max_pages: Annotated[int, typer.Option(min=1, help="Longest PDF that is accepted.")] = 100,
    references: Annotated[
        bool,
        typer.Option(
            "--references", help="Look the references up at Crossref and OpenAlex, which are told DOIs and titles."
        ),
    ] = False,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    preset: PresetOption = None,
    max_calls: MaxCallsOption = None,
    max_tokens: MaxTokensOption = None,
    output: Annotated[
        list[Path], typer.Option("-o", "--output", help="Also write it here; .json, .md or .html; repeatable.")
    ] = [],  # noqa: B006 - Typer copies it
    quiet: QuietOption = False,
) -> None:
    """Find what a paper contradicts in itself: tests, percentages, intervals, citations; a model reads if named."""
    check_output_paths(output, REPORT_FORMATS)
    _validate_finding_kinds(without)
    asked = {"severity": severity, "without": without or [], "max_pages": max_pages, "references": references}
    if request := _build_model_request({**asked, "model": model, "base_url": base_url, "preset": preset}):
        from draftroom.commands.console_run import drive_and_show  # noqa: PLC0415 - as in `checks`
        from runs.recorder import Budget  # noqa: PLC0415

        record, budget = request.prepare_record(partial(read_run_input, file)), Budget(max_calls, max_tokens)
        values = drive_and_show(record, output, quiet=quiet, checkpoints=request.settings.checkpoints, budget=budget)
        _exit_on_contradictions(values["findings"])
        return
    paper = read_run_input(file, scope="whole", max_pages=max_pages)
    report = _build_paper_report(severity, without or [], paper, references=references)
    for path in output:
        try:
            path.write_text(REPORT_FORMATS[path.suffix.lower()](paper, report), encoding="utf-8")
        except OSError as error:
            raise build_output_error(path, error.strerror or type(error).__name__) from error
    print_result(build_check_document(paper, report))
    if not quiet:
        named = "PAPER" if file == "-" else shlex.quote(file)
        print_to_stderr(
            f"Next: draftroom check {named} -o findings.html (as a page), draftroom review {named} (agents' comments)."
        )
    _exit_on_contradictions(report["findings"])


def build_check_work(flags: Mapping[str, Any]) -> PaperWork:
    """The work on many papers that the flags ask for."""
    from draftroom.batch.paper_checks import CheckWork  # noqa: PLC0415 - loads what talks to models, which one check needs not
    from draftroom.batch.system_runs import SystemRunWork  # noqa: PLC0415

    asked = {**flags, "without": sorted(flags["without"] or [])}
    _validate_finding_kinds(asked["without"])
    if request := _build_model_request(asked):
        return SystemRunWork(request)
    choices = {name: asked[name] for name in ("severity", "without", "max_pages", "references")}
    examine = partial(_build_paper_report, asked["severity"], asked["without"], references=asked["references"])
    return CheckWork(choices, examine, asked["max_pages"])


def _build_model_request(flags: Mapping[str, Any]) -> RunRequest | None:
    """Return what is asked of the graph in which a model reads, if the flags name a model."""
    if not (flags["model"] or flags["base_url"] or flags["preset"]):
        return None
    if flags["references"]:
        raise typer.BadParameter("References are looked up without a model only.", param_hint="--references")
    return RunRequest(NUMBER_CHECK, load_settings(build_setting_overrides("check", flags)))


def _exit_on_contradictions(findings: Sequence[ComputedFinding]) -> None:
    if any(found["severity"] != "low" for found in findings):
        raise typer.Exit(CONTRADICTIONS)


def _validate_finding_kinds(kinds: Collection[str] | None) -> None:
    if unknown := set(kinds or []) - set(CHECK_KINDS):
        raise typer.BadParameter(f"{unknown.pop()!r} is none of {', '.join(CHECK_KINDS)}.", param_hint="--without")


def _build_paper_report(
    severity: Severity, without: Collection[str], paper: RunInput, *, references: bool
) -> PaperReport:
    """Report on a paper, without the findings that are left out, the gravest first."""
    document = load_document(paper["paper"])
    report = check_paper(document, paper["paper"]["warnings"])
    if references:
        from tools.literature.references import look_up_references  # noqa: PLC0415 - loads what talks to services

        report = look_up_references(report, document, load_settings().feedback.literature)
    return select_findings(report, severity, without)
