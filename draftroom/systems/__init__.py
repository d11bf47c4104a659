"""The registry of systems: for each table of the settings the module of that name here. It imports no graph."""

from importlib import import_module

from draftroom.systems.system import Lazy, RunRequest, System
from state.errors import StateError
from state.settings import TABLES

OF_TABLE: dict[str, tuple[System, ...]] = {
    table: import_module(f"draftroom.systems.{table}").SYSTEMS for table in TABLES
}
"""A table's own system, then its baselines."""
SYSTEMS = {system.name: system for systems in OF_TABLE.values() for system in systems}


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


__all__ = ["OF_TABLE", "SYSTEMS", "Lazy", "RunRequest", "System", "find_system"]
