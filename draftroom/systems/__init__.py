"""The registry of systems, by their table in the settings. It imports no graph, so that `draftroom --help` is quick.

Each table has a module of its name here, with the light parts of its system. Heavy parts (rendering, commands,
evaluations) are named there by address, or imported by the methods that need them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pkgutil import resolve_name
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from runs.record import RunInput, RunRecord, are_records_current, build_run_record, find_record
from runs.runnable import RunnableGraph
from state.errors import DraftroomError, StateError
from state.settings import SYSTEM_TABLES, Settings
from tools.configuration import load_settings

if TYPE_CHECKING:  # takes time to import
    from draftroom.rendering.rendering import Rendering

# Reads the paper, given `scope` and `max_pages`.
PaperReader = Callable[..., RunInput]


class LazyImport(NamedTuple):
    """Tuple of an object's address, by which it is imported when it is needed, and a help line."""

    address: str
    """Module, colon, name."""
    help: str

    def import_object(self) -> Any:
        """Import the module and return the object."""
        return resolve_name(self.address)


@dataclass(frozen=True)
class System:
    """Registry entry of one system; subclasses change how requests and records are built."""

    name: str
    """Name in run records and in `langgraph.json`."""
    table: str
    """Name of its table in the settings."""
    progress: Callable[[Mapping[str, Any]], tuple[str, str]]
    """Formats recorded results as progress and outcome, such as rounds and grades."""
    graph: RunnableGraph
    rendering_address: str
    commands: Mapping[str, LazyImport] = field(default_factory=dict)
    """Commands that start a run, by name."""
    evaluation: LazyImport | None = None
    asked: tuple[str, ...] = ()
    """Settings in the page's form, in order."""
    scores: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda _: {}
    """Collects scores of a finished run from its recorded results, for the table of a batch."""

    @property
    def rendering(self) -> Rendering:
        """Its formats and terminal texts, imported at each access."""
        return cast("Rendering", resolve_name(self.rendering_address))

    def build_request(self, flags: Mapping[str, Any]) -> RunRequest:
        """Load the settings and return a request to run the system, from the flags of its command."""
        return RunRequest(self, load_settings(build_setting_overrides(self.table, flags)))

    def prepare_record(self, settings: Settings, take: PaperReader, request: Mapping[str, Any]) -> RunRecord:
        """Read the paper with `take`, and return the record of a new run, which is not saved.

        Raises:
            DraftroomError: If the settings, the paper or the request are wrong.
        """
        del request
        options = getattr(settings, self.table)
        run_input = take(scope=getattr(options, "scope", "whole"), max_pages=getattr(options, "max_pages", 100))
        return build_run_record(self.name, run_input, settings.freeze_settings(self.table), settings.checkpoints)


class RunRequest(NamedTuple):
    """A system with its settings and further input, from which the runs on any number of papers are made."""

    system: System
    settings: Settings
    """Resolved settings."""
    request: Mapping[str, Any] = MappingProxyType({})
    """Input of the graph besides the paper."""

    def prepare_record(self, take: PaperReader) -> RunRecord:
        """Return the record of a new run on one paper, not saved; `take` reads the paper after other checks."""
        return self.system.prepare_record(self.settings, take, self.request)


def build_setting_overrides(table: str, flags: Mapping[str, Any]) -> dict[str, Any]:
    """Return command-line flags as nested settings, for `load_settings`.

    Args:
        table: Table of the system in the settings; a flag named after one of its settings sets it.
        flags: All flags by name; None means not given, and unrelated ones are ignored.
    """
    given = {name: value for name, value in flags.items() if value is not None}
    settings = SYSTEM_TABLES[table].model_fields.keys() & given.keys()
    found = {table: {name: given[name] for name in settings}}
    # --model and --base-url override all roles, also those that a preset sets one by one.
    if endpoint := {name: given[name] for name in ("model", "base_url") if name in given}:
        found["models"] = dict.fromkeys(("default", *SYSTEM_TABLES[table].roles), endpoint)
    return {**found, **{name: given[name] for name in ("preset", "prompts") if name in given}}


# The system of each table, followed by its baselines.
SYSTEMS_BY_TABLE: dict[str, tuple[System, ...]] = {
    table: import_module(f"draftroom.systems.{table}").SYSTEMS for table in SYSTEM_TABLES
}
SYSTEMS = {system.name: system for systems in SYSTEMS_BY_TABLE.values() for system in systems}
# The system of each command that starts a run.
SYSTEM_BY_COMMAND = {command: system for system in SYSTEMS.values() for command in system.commands}
GRAPHS = {name: system.graph for name, system in SYSTEMS.items()}


def update_run_records() -> list[str]:
    """Write the records that are behind their runs' checkpoints, and return the problems; blocks."""
    try:
        if load_settings().checkpoints == "sqlite" and are_records_current():
            return []
    except DraftroomError as problem:
        return [str(problem)]
    from runs.threads import update_records  # noqa: PLC0415 - loads LangGraph

    return update_records(GRAPHS)


def find_run(name: str) -> RunRecord:
    """Return the record of a run by `find_record`, brought up to its checkpoints first; blocks."""
    update_run_records()
    return find_record(name)


def find_system(name: str) -> System:
    """Return the system with this name in run records, or raise StateError if this version has none."""
    if name not in SYSTEMS:
        raise StateError(
            f"This version of Draftroom has no system {name!r}; use the version that began the run.",
            kind="run_incompatible",
        )
    return SYSTEMS[name]
