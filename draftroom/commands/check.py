"""`draftroom check`: find contradictions within a paper by computation; a named model reads more of its numbers."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from draftroom.commands import options
from draftroom.exit_codes import CONTRADICTIONS
from draftroom.files import build_output_error, check_output_paths, read_run_input
from draftroom.rendering.console import print_to_stderr
from draftroom.rendering.findings import REPORT_FORMATS, build_check_document
from draftroom.rendering.terminal import print_result
from draftroom.systems import RunRequest
from draftroom.systems.check import NUMBER_CHECK
from runs.record import RunInput
from state.computed_findings import CHECK_KINDS, DEFAULT_SEVERITY, PaperReport, Severity, select_findings
from tools.configuration import load_settings
from tools.documents.reading import load_document
from tools.numbers import check_paper

if TYPE_CHECKING:
    from draftroom.batch.batch import CheckWork


def validate_kinds(kinds: list[str]) -> list[str]:
    """Return kinds of findings in alphabetical order, or raise typer.BadParameter if one is unknown."""
    if unknown := set(kinds) - set(CHECK_KINDS):
        raise typer.BadParameter(f"{unknown.pop()!r} is none of {', '.join(CHECK_KINDS)}.")
    return sorted(kinds)


def check(  # noqa: PLR0913 - each parameter is a flag
    file: options.PaperArgument,
    *,
    severity: Annotated[Severity, typer.Option(help="Lowest severity to show.")] = DEFAULT_SEVERITY,
    without: Annotated[
        list[str], typer.Option(callback=validate_kinds, help="Leave out this kind of finding; repeatable.")
    ] = [],  # noqa: B006 - Typer copies it
    max_pages: Annotated[int, typer.Option(min=1, help="Maximum number of pages of a PDF.")] = 100,
    references: Annotated[
        bool, typer.Option("--references", help="Look up references: sends DOIs and titles to Crossref and OpenAlex.")
    ] = False,
    model: options.ModelOption = None,
    base_url: options.BaseUrlOption = None,
    preset: options.PresetOption = None,
    prompts: options.PromptsOption = None,
    max_calls: options.MaxCallsOption = None,
    max_tokens: options.MaxTokensOption = None,
    output: Annotated[
        list[Path], typer.Option("-o", "--output", help="Also write the report here: .json, .md, .html; repeatable.")
    ] = [],  # noqa: B006 - Typer copies it
    quiet: options.QuietOption = False,
) -> None:
    """Find contradictions within a paper.

    Recompute tests, percentages, means and intervals, and look for citations that lead nowhere.
    With a model it reads more numbers, and checks sums.
    """
    check_output_paths(output, REPORT_FORMATS)
    flags = {"severity": severity, "without": without, "max_pages": max_pages, "references": references}
    asked = {"model": model, "base_url": base_url, "preset": preset, "prompts": prompts}
    if request := _build_model_request({**flags, **asked}):
        # Loads LangGraph, which takes seconds.
        from draftroom.commands.console_run import drive_and_show  # noqa: PLC0415
        from runs.driver import Budget  # noqa: PLC0415

        record, budget = request.prepare_record(partial(read_run_input, file)), Budget(max_calls, max_tokens)
        values = drive_and_show(record, output, quiet=quiet, checkpoints=request.settings.checkpoints, budget=budget)
        _exit_on_contradictions(values["findings"])
        return
    paper = read_run_input(file, scope="whole", max_pages=max_pages)
    report = build_paper_report(severity, without, paper, references=references)
    for path in output:
        try:
            path.write_text(REPORT_FORMATS[path.suffix.lower()](paper, report), encoding="utf-8")
        except OSError as error:
            raise build_output_error(path, error.strerror or type(error).__name__) from error
    print_result(build_check_document(paper, report))
    if not quiet:
        named = "PAPER" if file == "-" else shlex.quote(file)
        print_to_stderr(f"Next: draftroom check {named} -o findings.html (as a page), draftroom review {named}.")
    _exit_on_contradictions(report["findings"])


def build_batch_check(flags: Mapping[str, Any]) -> RunRequest | CheckWork:
    """Build the request of `number_check` if the flags name a model, else the work that computes."""
    if request := _build_model_request(flags):
        return request
    # Loads the clients of models, which the check of one paper does not need.
    from draftroom.batch.batch import CheckWork  # noqa: PLC0415

    choices = {name: flags[name] for name in ("severity", "without", "max_pages", "references")}
    examine = partial(build_paper_report, flags["severity"], flags["without"], references=flags["references"])
    return CheckWork(choices, examine, flags["max_pages"])


def _build_model_request(flags: Mapping[str, Any]) -> RunRequest | None:
    """Build the request of a check with a model, or return None if the flags name no model."""
    if not any(flags[name] for name in ("model", "base_url", "preset", "prompts")):
        return None
    if flags["references"]:
        raise typer.BadParameter(
            "a check with a model cannot look references up; leave out --references, or the model.",
            param_hint="--references",
        )
    return NUMBER_CHECK.build_request(flags)


def _exit_on_contradictions(findings: Sequence[Mapping[str, Any]]) -> None:
    """Raise typer.Exit with the code for contradictions if a finding is more severe than low."""
    if any(found["severity"] != "low" for found in findings):
        raise typer.Exit(CONTRADICTIONS)


def build_paper_report(
    severity: Severity, without: Collection[str], paper: RunInput, *, references: bool
) -> PaperReport:
    """Check a paper (references too if wanted); return findings of at least `severity`, except kinds in `without`."""
    document = load_document(paper["paper"])
    report = check_paper(document, paper["paper"]["warnings"])
    if references:
        from tools.literature.references import look_up_references  # noqa: PLC0415 - loads what talks to services

        report = look_up_references(report, document, load_settings().feedback.literature)
    return select_findings(report, severity, without)
