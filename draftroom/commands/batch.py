"""`draftroom batch`: do with many papers what another command does with one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar

from draftroom.batch.batch import Batch
from draftroom.batch.folder import BatchFolder
from draftroom.batch.system_runs import SystemRunWork
from draftroom.batch.work import INTERNAL_ERROR_KIND, PaperWork
from draftroom.commands import check
from draftroom.commands.options import ActorsOption, EngineOption, QuietOption
from draftroom.exit_codes import PAPERS_FAILED, STOPPED
from draftroom.rendering.console import ERR, print_line, print_to_stderr
from draftroom.systems import SYSTEMS, System
from runs.jobs import EndedJob
from tools.text import strip_control_characters

batch_app = typer.Typer(
    help="Do with many papers what another command does with one; the same command goes on where it stopped.",
    no_args_is_help=True,
)
_SINGLE_PAPER_FLAGS = {"file", "output", "quiet", "pause", "max_calls", "max_tokens", "since"}
"""What the command for one paper takes and that for many does not."""


def _define_batch_flags(  # noqa: PLR0913 - each parameter is a flag
    papers: Annotated[
        list[str],
        typer.Argument(
            metavar="PAPERS",
            help="Files, folders, patterns; tables (.jsonl, .csv) of `id`, and `path` or `text`.",
        ),
    ],
    *,
    out: Annotated[Path, typer.Option(help="Folder of the results; a batch that is there goes on.")],
    formats: Annotated[
        str,
        typer.Option(
            "--formats",
            help="Formats of the results, with commas: md, json, html; of reviews also pdf, docx, tex.",
        ),
    ] = "md,json",
    at_once: Annotated[
        int | None,
        typer.Option(min=1, max=4096, help="Papers that a process has under way; by default what keeps models busy."),
    ] = None,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Try again what has failed.")] = False,
    engine: EngineOption = "local",
    actors: ActorsOption = 1,
    quiet: QuietOption = False,
) -> None:
    """Parameters of every batch, before those of its command."""


def _register_batch_command(
    name: str, single: Callable[..., None], work_of: Callable[[Mapping[str, Any]], PaperWork]
) -> None:
    """Add the command for many papers beside the one for a single paper; it has its flags and those of every batch."""
    of_single = inspect.signature(single, eval_str=True).parameters
    own = inspect.signature(_define_batch_flags, eval_str=True).parameters
    kept = [parameter for key, parameter in of_single.items() if key not in _SINGLE_PAPER_FLAGS | own.keys()]

    def command(**flags: Any) -> None:
        work = work_of({**dict.fromkeys(of_single), **flags, "pause": False})
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
            at_once=flags["at_once"],
            retry_failed=flags["retry_failed"],
            engine=flags["engine"],
            actors=flags["actors"],
        )
        _run_batch(batch, quiet=flags["quiet"])

    command.__doc__ = f"{single.__doc__}\n\nOf many papers, each with a result of its own, and a table of all."
    command.__signature__ = inspect.Signature([*own.values(), *kept])  # type: ignore[attr-defined] # as inspect has it
    batch_app.command(name)(command)


def _build_system_work(system: System, flags: Mapping[str, Any]) -> PaperWork:
    return SystemRunWork(system.build_request(flags))


for _system in SYSTEMS.values():
    for _name, _command in _system.commands.items():
        _register_batch_command(_name, _command.import_object(), partial(_build_system_work, _system))
_register_batch_command("check", check.check, check.build_check_work)


def _run_batch(batch: Batch, *, quiet: bool) -> None:
    with _BatchProgress(quiet=quiet) as progress:
        rows = batch.run(progress.report_paper, print_to_stderr, progress.report_start)
    failed = [row for row in rows if row["status"] == "failed"]
    if not quiet:
        done = f"{len(rows) - len(failed)} done" + (f", {len(failed)} failed" if failed else "")
        folder = batch.folder
        print_line(f"{done}; results in {folder.path}, a table of them in {folder.table.name} there.", "")
    if batch.is_stopped:
        print_to_stderr("Stopped; nothing that was paid for is lost. The same command goes on.")
        raise typer.Exit(STOPPED)
    if failed:
        print_to_stderr("To try again what has failed, add --retry-failed to the same command.")
        raise typer.Exit(1 if any(row["kind"] == INTERNAL_ERROR_KIND for row in failed) else PAPERS_FAILED)
    if not quiet:
        print_to_stderr(
            f"Next: look into {batch.folder.path}; the same command with more papers does only those that are new."
        )


class _BatchProgress:
    """A line for each paper that ends, and on a terminal a bar below them."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._bar = Bar(
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.description}"),
            console=ERR,
            transient=True,
            disable=quiet or not ERR.is_terminal,
        )

    def __enter__(self) -> _BatchProgress:
        self._bar.start()
        self._task = self._bar.add_task("reading the first papers", total=None)
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def report_start(self, ended: int, total: int) -> None:
        """Tell that it goes on, and how many papers there are."""
        if ended and not self._quiet:
            print_to_stderr(f"Going on: {ended} of {total} papers have ended.")
        self._bar.update(self._task, completed=ended, total=total, description="the first ones are under way")

    def report_paper(self, ended: EndedJob) -> None:
        """Tell of a paper, and how long the others take."""
        if not self._quiet:
            row = ended.result
            scores = (f"{name.replace('_', ' ')} {value}" for name, value in row.get("scores", {}).items())
            told = row.get("error") or ", ".join(scores) or "done"
            pace = "" if ERR.is_terminal else f" ({ended.pace})"
            print_to_stderr(
                f"{ended.number}/{ended.total} {row['id']}: {told}{pace}", style="red" if "error" in row else ""
            )
            failed = f", {ended.failed} failed" if ended.failed else ""
            self._bar.update(
                self._task,
                completed=ended.number,
                total=ended.total,
                description=strip_control_characters(f"{ended.pace}{failed}"),
            )
