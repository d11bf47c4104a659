"""`draftroom batch`: run another command on many papers."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar

from draftroom.batch.batch import INTERNAL_ERROR_KIND, Batch, PaperWork, SystemRunWork
from draftroom.batch.files import BatchFolder
from draftroom.commands import check
from draftroom.commands.options import ActorsOption, EngineOption, QuietOption
from draftroom.exit_codes import PAPERS_FAILED, STOPPED
from draftroom.rendering.console import ERR, print_line, print_to_stderr
from draftroom.systems import SYSTEM_BY_COMMAND, RunRequest
from runs.jobs import EndedJob, Workers
from tools.text import strip_control_characters

batch_app = typer.Typer(
    help="Run another command on many papers.\n\n"
    "Writes a result for each, and a table of all. The same command resumes a stopped batch.",
    no_args_is_help=True,
)
# Flags of the command for one paper that make no sense for many.
_SINGLE_PAPER_FLAGS = {"file", "output", "quiet", "pause", "max_calls", "max_tokens", "since"}


def _define_batch_flags(  # noqa: PLR0913 - each parameter is a flag
    papers: Annotated[
        list[str],
        typer.Argument(metavar="PAPERS", help="Files, folders, patterns; tables of `id` and `path` or `text`."),
    ],
    *,
    out: Annotated[Path, typer.Option(help="Folder of the results; an existing batch is resumed.")],
    formats: Annotated[
        str, typer.Option(help="Formats, with commas: md, json, html; of reviews also pdf, docx, tex.")
    ] = "md,json",
    at_once: Annotated[
        int | None, typer.Option(min=1, max=4096, help="Papers at once in a process; by default enough for the models.")
    ] = None,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Retry papers that failed.")] = False,
    engine: EngineOption = "local",
    actors: ActorsOption = 1,
    quiet: QuietOption = False,
) -> None:
    """Do nothing: the signature declares the flags of every batch, which precede those of its command."""


def _register_batch_command(
    name: str, single: Callable[..., None], build: Callable[[Mapping[str, Any]], RunRequest | PaperWork]
) -> None:
    """Add a command to `batch_app` with the flags of the command `single` and those of every batch.

    From the flags `build` returns the request that is run on each paper, or work of another kind.
    """
    single_flags = inspect.signature(single, eval_str=True).parameters
    batch_flags = inspect.signature(_define_batch_flags, eval_str=True).parameters
    kept = [flag for key, flag in single_flags.items() if key not in _SINGLE_PAPER_FLAGS | batch_flags.keys()]

    def run_command(**flags: Any) -> None:
        """Build the work and the batch from the flags, and run it."""
        built = build({**dict.fromkeys(single_flags), **flags, "pause": False})
        work = SystemRunWork(built) if isinstance(built, RunRequest) else built
        suffixes = list(dict.fromkeys(f".{name.strip().lower().lstrip('.')}" for name in flags["formats"].split(",")))
        if unknown := [suffix for suffix in suffixes if suffix not in work.formats]:
            known = ", ".join(suffix[1:] for suffix in work.formats)
            raise typer.BadParameter(f"{unknown[0][1:]!r} is none of {known}.", param_hint="--formats")
        batch = Batch(
            command=name,
            work=work,
            named=flags["papers"],
            folder=BatchFolder(flags["out"]),
            suffixes=suffixes,
            workers=Workers(flags["at_once"] or work.at_once, flags["actors"] if flags["engine"] == "ray" else 0),
            retry_failed=flags["retry_failed"],
        )
        _run_batch(batch, quiet=flags["quiet"])

    run_command.__doc__ = inspect.getdoc(single)
    signature = inspect.Signature([*batch_flags.values(), *kept])
    run_command.__signature__ = signature  # type: ignore[attr-defined] # as inspect has it
    batch_app.command(name)(run_command)


for _name, _system in SYSTEM_BY_COMMAND.items():
    _register_batch_command(_name, _system.commands[_name].import_object(), _system.build_request)
_register_batch_command("check", check.check, check.build_batch_check)


def _run_batch(batch: Batch, *, quiet: bool) -> None:
    """Run a batch with its progress on the terminal; raise typer.Exit if it was stopped or papers failed."""
    progress = _BatchProgress(quiet=quiet)
    with progress.bar:
        rows = batch.run(progress.report_paper, print_to_stderr, progress.report_start)
    failed = [row for row in rows if row["status"] == "failed"]
    if not quiet:
        done = f"{len(rows) - len(failed)} done" + (f", {len(failed)} failed" if failed else "")
        print_line(f"{done}; results are in {batch.folder.path}, with the table {batch.folder.table.name}.", "")
    if batch.control.drain_requested:
        print_to_stderr("Stopped; all answers so far are kept. The same command resumes the batch.")
        raise typer.Exit(STOPPED)
    if failed:
        print_to_stderr("To retry the failed papers, add --retry-failed to the same command.")
        raise typer.Exit(1 if any(row["kind"] == INTERNAL_ERROR_KIND for row in failed) else PAPERS_FAILED)
    if not quiet:
        print_to_stderr(f"Next: look into {batch.folder.path}; the same command with more papers runs the new ones.")


class _BatchProgress:
    """Progress of a batch: a line for each finished paper, and on a terminal a bar below, which is a context."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
        self.bar = Bar(*columns, console=ERR, transient=True, disable=quiet or not ERR.is_terminal)
        self._task = self.bar.add_task("reading the first papers", total=None)

    def report_start(self, ended: int, total: int) -> None:
        """Show how many of all papers a resumed batch has finished before; callback of `Batch.run`."""
        if ended and not self._quiet:
            print_to_stderr(f"Resuming: {ended} of {total} papers are finished.")
        self.bar.update(self._task, completed=ended, total=total, description="running the first papers")

    def report_paper(self, ended: EndedJob) -> None:
        """Show the outcome of a paper and the pace of the batch, unless quiet; callback of `Batch.run`."""
        if self._quiet:
            return
        row, number, total = ended.result, ended.number, ended.total
        scores = (f"{name.replace('_', ' ')} {value}" for name, value in row.get("scores", {}).items())
        outcome = row.get("error") or ", ".join(scores) or "done"
        # On a terminal the bar shows the pace.
        pace = "" if ERR.is_terminal else f" ({ended.pace})"
        print_to_stderr(f"{number}/{total} {row['id']}: {outcome}{pace}", style="red" if "error" in row else "")
        description = strip_control_characters(ended.pace + (f", {ended.failed} failed" if ended.failed else ""))
        self.bar.update(self._task, completed=number, total=total, description=description)
