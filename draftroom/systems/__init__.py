"""The registry of systems: for each table of the settings the module of that name here. It imports no graph.

What is light of a system is in its module, what takes time to import is named there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pkgutil import resolve_name
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from runs.record import RunInput, RunRecord
from runs.runnable import RunnableGraph
from state.errors import StateError
from state.settings import SYSTEM_TABLES

if TYPE_CHECKING:  # takes time to import
    from draftroom.rendering.rendering import Rendering
    from state.settings import Settings

EMPTY_MAPPING: Mapping[str, Any] = MappingProxyType({})
PaperReader = Callable[..., RunInput]
"""Reads the paper, of which it is told `scope` and `max_pages`."""


class LazyImport(NamedTuple):
    """What is imported when it is used, and its line in the help, which is shown without importing it."""

    address: str
    """The module, a colon, and the name in it."""
    help: str

    def import_object(self) -> Any:
        """Import it."""
        return resolve_name(self.address)


def omit_scores(_: Mapping[str, Any]) -> Mapping[str, Any]:
    """Of a system that has none."""
    return EMPTY_MAPPING


@dataclass(frozen=True)
class System:
    """One system, and where everything is that is made for it alone."""

    name: str
    """In run records and in `langgraph.json`."""
    table: str
    """Of its settings."""
    progress: Callable[[Mapping[str, Any]], tuple[str, str]]
    """From the results on record: how far it is, and what has come of it; of texts the grade of the first and the
    newest one."""
    graph: RunnableGraph
    """How runs of it are started, followed and recorded."""
    rendering_address: str
    commands: Mapping[str, LazyImport] = field(default_factory=dict)
    """Those that begin a run, by name."""
    evaluation: LazyImport | None = None
    asked: tuple[str, ...] = ()
    """Its settings that matter most to a person, in the order of the form on the page."""
    begin_address: str = "draftroom.commands.run_commands:prepare_paper_run"
    """Of the function that makes a paper, settings and a request the record of a run that may begin."""
    wanted_address: str = "draftroom.commands.run_commands:build_run_request"
    """Of the function that makes the flags of its command what is wanted of any paper."""
    scores: Callable[[Mapping[str, Any]], Mapping[str, Any]] = omit_scores
    """From the results on record: what a table of many papers tells of a finished run, numbers and words by name."""

    def build_request(self, flags: Mapping[str, Any]) -> RunRequest:
        """What the flags of its command ask of any paper.

        Raises:
            DraftroomError: What is wrong with them or the settings.
        """
        return cast("RunRequest", resolve_name(self.wanted_address)(self, flags))

    @property
    def rendering(self) -> Rendering:
        """How its runs are told and shown."""
        return cast("Rendering", resolve_name(self.rendering_address))


class RunRequest(NamedTuple):
    """What a person asks of a system, whatever the paper."""

    system: System
    settings: Settings
    """Resolved."""
    request: Mapping[str, Any] = EMPTY_MAPPING
    """What is asked of the graph beside its paper."""

    def prepare_record(self, take: PaperReader) -> RunRecord:
        """The record of a run on one paper that may begin now.

        Args:
            take: Reads the paper, when what comes before it is right.

        Raises:
            DraftroomError: What is wrong with the settings, the paper or the request.
        """
        begin = resolve_name(self.system.begin_address)
        return cast("RunRecord", begin(self.system, self.settings, take, self.request))


SYSTEMS_BY_TABLE: dict[str, tuple[System, ...]] = {
    table: import_module(f"draftroom.systems.{table}").SYSTEMS for table in SYSTEM_TABLES
}
"""A table's own system, then its baselines."""
SYSTEMS = {system.name: system for systems in SYSTEMS_BY_TABLE.values() for system in systems}


def find_system(name: str) -> System:
    """The system called `name` in a run record.

    Raises:
        StateError: If this version of Draftroom does not have it.
    """
    if name not in SYSTEMS:
        raise StateError(
            f"This version of Draftroom has no system {name!r}; use the version that began the run.",
            kind="run_incompatible",
        )
    return SYSTEMS[name]


__all__ = ["SYSTEMS", "SYSTEMS_BY_TABLE", "LazyImport", "PaperReader", "RunRequest", "System", "find_system"]
