"""The one run record: what a run was given, how it stands, what its calls cost, and where all of it is stored.

Records lie in the state folder, a JSON file a run, whose name is the run's id.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from secrets import randbelow
from typing import Any, Literal, NamedTuple, NotRequired, TypeVar
from uuid import uuid4

from filelock import FileLock, Timeout
from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict

from state.documents import DocumentRef
from state.errors import DraftroomError, StateError
from state.files import ensure_folder, make_storage_error, resolve_state_folder, write_atomically
from state.records import CallRecord
from state.settings import describe_validation_error

Group = TypeVar("Group", bound=Hashable)


class UsageTotals(TypedDict):
    """What some answered calls cost."""

    calls: int
    input_tokens: int
    output_tokens: int
    tokens_estimated: bool
    """Of one of them at least."""
    seconds: float
    """Sum of the calls, which exceeds the time that passed where some are made at once."""
    http_retries: int
    reasks: int
    trims: int


class Usage(UsageTotals):
    """What one role cost in one round."""

    role: str
    round: int


class Cost(UsageTotals):
    """What one role of one system cost, over all samples of an evaluation that ended."""

    system: str
    role: str
    model: str
    samples: int
    """Of the system that ended, whether the role was called for them or not."""


def compute_usage(calls: Iterable[CallRecord]) -> list[Usage]:
    """Sum up calls by round and role, in the order of their first call."""
    groups = _group_usage_totals(calls, lambda call: (call["round"], call["role"]))
    return [Usage(role=role, round=number, **sum_usage_totals(group)) for (number, role), group in groups.items()]


def compute_costs(outputs: Mapping[tuple[str, str], Mapping[str, Any]]) -> list[Cost]:
    """Sum up the calls of each system by role, in the order in which they first occur.

    Args:
        outputs: With `calls`, by the sample's id and the system's name.
    """
    found = []
    for system in dict.fromkeys(system for _, system in outputs):
        of_system = [output["calls"] for (_, name), output in outputs.items() if name == system]
        calls = (call for each in of_system for call in each)
        for (role, model), group in _group_usage_totals(calls, lambda call: (call["role"], call["model"])).items():
            found.append(Cost(system=system, role=role, model=model, samples=len(of_system), **sum_usage_totals(group)))
    return found


def sum_usage_totals(parts: Sequence[UsageTotals]) -> UsageTotals:
    """What several sums come to."""
    return UsageTotals(
        calls=sum(part["calls"] for part in parts),
        input_tokens=sum(part["input_tokens"] for part in parts),
        output_tokens=sum(part["output_tokens"] for part in parts),
        tokens_estimated=any(part["tokens_estimated"] for part in parts),
        seconds=round(sum(part["seconds"] for part in parts), 3),
        http_retries=sum(part["http_retries"] for part in parts),
        reasks=sum(part["reasks"] for part in parts),
        trims=sum(part["trims"] for part in parts),
    )


def _group_usage_totals(
    calls: Iterable[CallRecord], group_of: Callable[[CallRecord], Group]
) -> dict[Group, list[UsageTotals]]:
    groups: dict[Group, list[UsageTotals]] = {}
    for call in calls:
        sums = UsageTotals(
            calls=1,
            input_tokens=call["input_tokens"],
            output_tokens=call["output_tokens"],
            tokens_estimated=call["tokens_estimated"],
            seconds=call["seconds"],
            http_retries=call["http_retries"],
            reasks=int(call["reask"]),
            trims=len(call["trims"]),
        )
        groups.setdefault(group_of(call), []).append(sums)
    return groups


Status = Literal["running", "done", "paused", "stopped", "failed"]


class RunInput(TypedDict):
    """What the run works on."""

    name: str
    """As a person calls it: the file's name, or `standard input`."""
    path: str
    """Absolute path that the graph reads."""
    paper: DocumentRef
    request: NotRequired[dict[str, Any]]
    """What is asked of it beside the settings, as the graph takes it: the paragraphs to review."""


class Failure(TypedDict):
    """An error that ended an attempt."""

    kind: str
    message: str
    time: str
    spent: list[CallRecord]
    """Answered calls that the state of the graph does not hold."""


class RunRecord(TypedDict):
    """One run. Times are UTC in ISO 8601."""

    id: str
    thread: str
    """Of its checkpoints: a UUID, as LangGraph's server wants it."""
    system: str
    version: str
    """Of Draftroom."""
    status: Status
    created: str
    updated: str
    resumed: int
    """How often it was resumed."""
    checkpoints: str
    """Where they are; of a Postgres address only `postgres`, because it may hold a password."""
    input: RunInput
    settings: dict[str, Any]
    """As frozen into the state of the graph."""
    extensions: list[str]
    """Those that were on; see docs/extensions.md."""
    models: dict[str, str]
    """Model names by role."""
    prompts: dict[str, str]
    """SHA-256 of each prompt that was used, by name."""
    usage: list[Usage]
    results: dict[str, Any]
    """What the system itself wants on record; see its module."""
    failures: list[Failure]


def make_run_id() -> str:
    """A readable id that sorts by time to the millisecond: for example `20261121-030112-1a33f9c7`.

    Its last five digits are random, because two processes may begin a run at the same moment.
    """
    time = datetime.now(UTC)
    return f"{time:%Y%m%d-%H%M%S}-{time.microsecond // 1000:03x}{randbelow(16**5):05x}"


def build_run_record(system: str, run_input: RunInput, settings: Mapping[str, Any], checkpoints: str) -> RunRecord:
    """The record of a run that has not begun.

    Args:
        system: Name of the system.
        run_input: What the run works on.
        settings: As the graph freezes them into its state.
        checkpoints: Address of the checkpoints.
    """
    time = format_current_time()
    return RunRecord(
        id=make_run_id(),
        thread=str(uuid4()),
        system=system,
        version=version("draftroom"),
        status="running",
        created=time,
        updated=time,
        resumed=0,
        checkpoints="postgres" if checkpoints.startswith("postgres") else checkpoints,
        input=run_input,
        settings=dict(settings),
        extensions=list_enabled_extensions(settings),
        models={role: str(model["model"]) for role, model in settings["models"].items()},
        prompts={},
        usage=[],
        results={},
        failures=[],
    )


def list_enabled_extensions(settings: Mapping[str, Any]) -> list[str]:
    """Return the extensions of a run's frozen settings, which hold the table of one system."""
    known = [table["extensions"] for table in settings.values() if isinstance(table, dict) and "extensions" in table]
    return list(known[0]) if known else []


def add_failure(record: RunRecord, error: DraftroomError) -> RunRecord:
    """`record` after an attempt that ended in `error`; `refresh_record` accounts for its calls."""
    failure = Failure(kind=error.kind, message=str(error), time=format_current_time(), spent=error.spent)
    return {**record, "status": "failed", "failures": [*record["failures"], failure]}


def merge_calls(calls: Iterable[CallRecord], failures: Iterable[Failure]) -> list[CallRecord]:
    """The calls in the state and those spent on failures, each once.

    A first answer outlives a failed re-ask in the checkpoints, so a failure and the state may both tell of it.
    """
    found = list(calls)
    for failure in failures:
        found += [call for call in failure["spent"] if call not in found]
    return found


def count_run_tokens(record: RunRecord) -> int:
    """Tokens in and out of the whole run."""
    return sum(part["input_tokens"] + part["output_tokens"] for part in record["usage"])


def count_run_calls(record: RunRecord) -> int:
    """Answered calls of the whole run."""
    return sum(part["calls"] for part in record["usage"])


def format_current_time() -> str:
    """The time in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


NO_RUNS_MESSAGE = "There are no runs yet; begin one with `draftroom explain FILE`, `simplify FILE` or `review FILE`."
_RECORD_ADAPTER = TypeAdapter(RunRecord)
_LOCK_WAIT_S = 1.0
"""`draftroom runs` holds a lock for a moment to see whether it is free; a run that begins just then waits for it."""


class LoadedRecords(NamedTuple):
    """All records that can be read, newest first, and what is wrong with the others."""

    readable: list[RunRecord]
    problems: list[str]


def write_record(record: RunRecord) -> None:
    """Write a record whole or not at all.

    Raises:
        StateError: If the state folder cannot be written.
    """
    folder = ensure_folder(_get_records_folder())
    try:
        write_atomically(folder / f"{record['id']}.json", _RECORD_ADAPTER.dump_json(record, indent=2))
    except OSError as error:
        raise make_storage_error(error, folder) from error


def delete_record(run_id: str) -> None:
    """Remove the files of a run that this process holds.

    Raises:
        StateError: If the state folder cannot be written.
    """
    try:
        for suffix in ("json", "lock"):
            (_get_records_folder() / f"{run_id}.{suffix}").unlink(missing_ok=True)
    except OSError as error:
        raise make_storage_error(error, _get_records_folder()) from error


def load_records() -> LoadedRecords:
    """Read every record of the state folder.

    Raises:
        StateError: If the folder cannot be read.
    """
    found, problems = [], []
    for path in _list_record_paths():
        try:
            found.append(_load_record(path))
        except StateError as error:
            problems.append(str(error))
    return LoadedRecords(found, problems)


def find_record(name: str) -> RunRecord:
    """The record of the run called `name`: its id, a prefix that no other id has, or `last` for the newest.

    Raises:
        StateError: If there is no such run, or more than one, or its record cannot be read.
    """
    paths = _list_record_paths()
    if name == "last":
        matches = paths[:1]
    else:
        matches = [path for path in paths if path.stem == name] or [
            path for path in paths if path.stem.startswith(name)
        ]
    if len(matches) == 1:
        return _load_record(matches[0])
    if not paths:
        raise StateError(NO_RUNS_MESSAGE, kind="run_not_found")
    problem = "More than one run has" if matches else "No run has"
    candidates = [path.stem for path in matches or paths]
    known = ", ".join(candidates[:5]) + (" and others" if len(candidates) > 5 else "")
    raise StateError(f"{problem} an id that begins with {name!r}; choose from {known}.", kind="run_not_found")


@contextmanager
def lock_run(run_id: str) -> Iterator[None]:
    """Keep every other process from driving this run. The lock ends with the process, however that ends.

    Raises:
        StateError: If another process drives it, or the state folder cannot be written.
    """
    lock = _make_run_lock(run_id)
    try:
        lock.acquire(timeout=_LOCK_WAIT_S)
    except Timeout as error:
        raise StateError(
            f"The run {run_id} is being driven by another process; wait for it or stop it.", kind="run_busy"
        ) from error
    except OSError as error:
        raise make_storage_error(error, _get_records_folder()) from error
    try:
        yield
    finally:
        lock.release()


def determine_status(record: RunRecord) -> str:
    """The status for a person: a run that claims to be running but that no process drives was interrupted."""
    if record["status"] != "running":
        return record["status"]
    lock = _make_run_lock(record["id"])
    try:
        lock.acquire(blocking=False)
    except (Timeout, OSError):
        return "running"
    lock.release()
    return "interrupted"


def _get_records_folder() -> Path:
    return resolve_state_folder() / "runs"


def _list_record_paths() -> list[Path]:
    """Newest first: ids begin with the time."""
    try:
        return sorted(_get_records_folder().glob("*.json"), reverse=True)
    except OSError as error:
        raise make_storage_error(error, _get_records_folder()) from error


def _load_record(path: Path) -> RunRecord:
    try:
        return _RECORD_ADAPTER.validate_json(path.read_bytes())
    except OSError as error:
        raise make_storage_error(error, path) from error
    except ValidationError as error:
        raise StateError(
            f"The run record {path} cannot be understood ({describe_validation_error(error)}); "
            "move it away if it is of no use.",
            kind="run_incompatible",
        ) from error


def _make_run_lock(run_id: str) -> FileLock:
    # Not of a thread: a server takes it in one of its threads and gives it back in another.
    return FileLock(ensure_folder(_get_records_folder()) / f"{run_id}.lock", thread_local=False)
