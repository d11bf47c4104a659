"""The state file of a profile: which servers Draftroom started, so that a later command finds them again."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from serving.processes import ProcessGroup
from serving.profiles import Server
from state.errors import ServingError
from state.files import state_folder, write_atomically


class ServerRecord(BaseModel):
    """One server that was started."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    server: Server
    """As it was defined when it was started."""
    process: ProcessGroup
    base_url: str
    log: Path
    ready: bool = False
    """Whether it has answered since it was started."""


_RECORDS = TypeAdapter(dict[str, ServerRecord])


def servers_folder() -> Path:
    """Folder of state files, locks and logs of servers."""
    return state_folder() / "servers"


def recorded_profiles() -> list[str]:
    """Names of the profiles that have a state file."""
    return sorted(path.stem for path in servers_folder().glob("*.json"))


def read_records(profile: str) -> dict[str, ServerRecord]:
    """The recorded servers of a profile by their name; empty if none was started.

    Raises:
        ServingError: The state file is not readable.
    """
    path = _state_file(profile)
    try:
        return _RECORDS.validate_json(path.read_bytes())
    except FileNotFoundError:
        return {}
    except ValidationError as error:
        raise ServingError(
            f"The state file {path} cannot be understood: stop the servers it names by their pid, then delete it."
        ) from error


def write_record(profile: str, record: ServerRecord) -> None:
    """Add or replace one server's record."""
    _write(profile, read_records(profile) | {record.server.name: record})


def remove_record(profile: str, server: str) -> None:
    """Remove one server's record, and the file with the last one."""
    records = read_records(profile)
    records.pop(server, None)
    _write(profile, records)


def _state_file(profile: str) -> Path:
    return servers_folder() / f"{profile}.json"


def _write(profile: str, records: dict[str, ServerRecord]) -> None:
    path = _state_file(profile)
    if not records:
        path.unlink(missing_ok=True)
        return
    write_atomically(path, _RECORDS.dump_json(records, indent=2))
