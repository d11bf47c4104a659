"""The registry of systems: a line each, which commands, rendering and evaluation ask. It imports no graph."""

from draftroom.systems.feedback import CHAIN_OF_VERIFICATION, FOCUSED_FEEDBACK, SINGLE_MODEL
from draftroom.systems.journalism import JOURNALISM
from draftroom.systems.simplification import SIMPLIFICATION
from draftroom.systems.system import Lazy, System
from state.errors import StateError

SYSTEMS = {
    system.name: system
    for system in (
        JOURNALISM,
        SIMPLIFICATION,
        FOCUSED_FEEDBACK,
        SINGLE_MODEL,
        CHAIN_OF_VERIFICATION,
    )
}


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


__all__ = [
    "CHAIN_OF_VERIFICATION",
    "FOCUSED_FEEDBACK",
    "JOURNALISM",
    "SIMPLIFICATION",
    "SINGLE_MODEL",
    "SYSTEMS",
    "Lazy",
    "System",
    "find_system",
]
