"""What `draftroom doctor` has looked at and found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from state.errors import DraftroomError, Kind

Status = Literal["ok", "warning", "failed"]


@dataclass(frozen=True)
class Check:
    """What was looked at and found."""

    name: str
    status: Status
    found: str
    mend: str = ""
    """One sentence on how to mend it; empty if there is nothing to mend."""
    kind: Kind | None = None
    """If it failed: the error that a run would end with."""
    subject: str = ""
    """The roles, model and endpoint it is about; empty if it is about this machine."""


def failed(name: str, error: DraftroomError) -> Check:
    """A check that ended with `error`, whose message tells what happened and, after a semicolon, what to change."""
    found, _, mend = str(error).rpartition("; ")
    if not found:
        return Check(name, "failed", mend, kind=error.kind)
    return Check(name, "failed", f"{found}.", mend[:1].upper() + mend[1:], error.kind)
