"""`draftroom models`: start, stop and list local model servers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Column, Table

from draftroom.rendering.console import ERR, OUT, print_table, print_to_stderr
from serving.processes import Report, list_recorded_profiles
from serving.profiles import derive_profile_name, list_profile_names, load_profile
from serving.servers import ServerState, list_server_statuses, start_profile_servers, stop_profile_servers

models_app = typer.Typer(help="Start, stop and list local model servers.", no_args_is_help=True)

_STATE_COLOURS: dict[ServerState, str] = {"running": "green", "not answering": "red", "stopped": "dim", "stale": "red"}


@models_app.command("up")
def start_profile(
    profile: Annotated[str, typer.Option(help="Name of a profile, or path of a TOML file.")] = "laptop",
) -> None:
    """Start the servers of a profile and wait until they answer; the first start installs their packages."""
    wanted = load_profile(profile)
    with _show_steps() as report:
        started = start_profile_servers(wanted, report)
    if not started:
        typer.echo(f"{wanted.name} is already up.")
    for server in wanted.servers:
        typer.echo(f"{server.served_model_name} answers at {server.base_url}")
    print_to_stderr("Next: draftroom doctor (does everything work?), draftroom models down (stop them).")


@models_app.command("down")
def stop_profiles(profile: Annotated[str | None, typer.Option(help="Stop only its servers.")] = None) -> None:
    """Stop the servers that Draftroom started."""
    names = list_recorded_profiles()
    if profile is not None:
        wanted = derive_profile_name(profile)
        names = [wanted] if wanted in names else [load_profile(profile).name]
    with _show_steps() as report:
        stopped = [server for name in names for server in stop_profile_servers(name, report)]
    typer.echo(f"Stopped {', '.join(stopped)}." if stopped else "No server was running.")
    print_to_stderr("Next: draftroom models up (start them again), draftroom models status (list them).")


@models_app.command("status")
def list_servers(profile: Annotated[str | None, typer.Option(help="Show only its servers.")] = None) -> None:
    """List the servers of all profiles and whether they answer."""
    table = Table(*(Column(name, overflow="fold") for name in ("profile", "server", "model", "url", "pid", "state")))
    names = [profile] if profile else sorted({*list_profile_names(), *list_recorded_profiles()})
    for name in names:
        # A profile known only from its record may have been started from a file anywhere.
        only_recorded = name in list_recorded_profiles() and name not in list_profile_names()
        recorded = derive_profile_name(name)
        for row in list_server_statuses(recorded, None if only_recorded else load_profile(name)):
            url, pid = row.server.base_url, str(row.pid or "")
            state = f"[{_STATE_COLOURS[row.state]}]{row.state}[/]"
            table.add_row(recorded, row.server.name, row.server.served_model_name, url, pid, state)
    print_table(OUT, table)
    print_to_stderr("Next: draftroom models up --profile PROFILE (start them), draftroom models down (stop all).")


@contextmanager
def _show_steps() -> Iterator[Report]:
    """Show a spinner, and yield a function that prints a step above it."""
    with ERR.status("Looking at the servers") as spinner:

        def report(step: str) -> None:
            print_to_stderr(step)
            spinner.update(escape(step))

        yield report
