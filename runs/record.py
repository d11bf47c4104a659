"""Run records: input, status, usage and results of each run, and the place of its checkpoints.

Records lie in the state folder, one JSON file for each run, named by the run's id.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
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
from state.files import delete_state_files, ensure_folder, make_storage_error, resolve_state_folder, save_state_file
from state.records import CallRecord
from state.settings import describe_validation_error

Group = TypeVar("Group", bound=Hashable)


class UsageTotals(TypedDict):
    """Sums over answered model calls."""

    calls: int
    input_tokens: int
    output_tokens: int
    tokens_estimated: bool
    """Whether the tokens of at least one call are estimated."""
    seconds: float
    """Sum over the calls, which is more than the time that passed where calls are made at once."""
    http_retries: int
    reasks: int
    trims: int


class Usage(UsageTotals):
    """Usage of one role in one round."""

    role: str
    round: int


class Cost(UsageTotals):
    """Usage of one role of one system with one model, over all samples of an evaluation that ended."""

    system: str
    role: str
    model: str
    samples: int
    """Samples of the system that ended, whether the role was called for them or not."""


def compute_usage(calls: Iterable[CallRecord]) -> list[Usage]:
    """Return the usage of each role in each round, in the order of their first calls."""
    groups = _group_usage_totals(calls, lambda call: (call["round"], call["role"]))
    return [Usage(role=role, round=number, **sum_usage_totals(group)) for (number, role), group in groups.items()]


def compute_costs(outputs: Mapping[tuple[str, str], Mapping[str, Any]]) -> list[Cost]:
    """Sum up the calls, tokens and seconds of an evaluation's outputs, by system, role and model."""
    costs = []
    for system in dict.fromkeys(system for _, system in outputs):
        calls_of_samples = [output["calls"] for (_, name), output in outputs.items() if name == system]
        calls = (call for calls in calls_of_samples for call in calls)
        for (role, model), group in _group_usage_totals(calls, lambda call: (call["role"], call["model"])).items():
            totals = sum_usage_totals(group)
            costs.append(Cost(system=system, role=role, model=model, samples=len(calls_of_samples), **totals))
    return costs


def sum_usage_totals(parts: Sequence[UsageTotals]) -> UsageTotals:
    """Return the sums of usage totals, with seconds to three decimals."""
    counted: Sequence[Any] = parts  # keys of a TypedDict must be literal
    sums: Any = {name: sum(part[name] for part in counted) for name in UsageTotals.__annotations__}
    sums |= {"tokens_estimated": bool(sums["tokens_estimated"]), "seconds": round(sums["seconds"], 3)}
    totals: UsageTotals = sums
    return totals


def _group_usage_totals(
    calls: Iterable[CallRecord], group_of: Callable[[CallRecord], Group]
) -> dict[Group, list[UsageTotals]]:
    """Return the usage of each call by its group, as totals that are not yet summed up."""
    groups: dict[Group, list[UsageTotals]] = {}
    for call in calls:
        # All other totals have the names of the call's own fields.
        totals: Any = {**call, "calls": 1, "reasks": int(call["reask"]), "trims": len(call["trims"])}
        groups.setdefault(group_of(call), []).append(totals)
    return groups


Status = Literal["running", "done", "paused", "stopped", "failed"]


class RunInput(TypedDict):
    """Input of a run."""

    name: str
    """Name of the file, or `standard input`."""
    path: str
    """Absolute path that the graph reads."""
    paper: DocumentRef
    request: NotRequired[dict[str, Any]]
    """Further input of the graph beside the settings, such as the paragraphs to review."""


class Failure(TypedDict):
    """An error that ended an attempt."""

    kind: str
    message: str
    time: str
    spent: list[CallRecord]
    """Answered calls that the state of the graph does not hold."""


class RunRecord(TypedDict):
    """JSON record of one run of one system on one paper. Times are UTC in ISO 8601."""

    id: str
    thread: str
    """Thread of the checkpoints: a UUID, as LangGraph's server requires."""
    system: str
    version: str
    """Version of Draftroom."""
    status: Status
    created: str
    updated: str
    resumed: int
    """Number of times that the run was resumed."""
    checkpoints: str
    """Address of the checkpoints; only `postgres` for Postgres, because its address may hold a password."""
    input: RunInput
    settings: dict[str, Any]
    """Settings as frozen in the state of the graph."""
    extensions: list[str]
    """Extensions that were on; see docs/extensions.md."""
    models: dict[str, str]
    """Model names by role."""
    prompts: dict[str, str]
    """SHA-256 of each prompt that was used, by name."""
    usage: list[Usage]
    results: dict[str, Any]
    """Results that the system keeps on record; see its module in `draftroom/systems`."""
    failures: list[Failure]
    checkpoint: NotRequired[str]
    """Newest checkpoint of the thread when the record was written at the end of an attempt."""


def make_run_id() -> str:
    """Return a new id that sorts by time to the millisecond, such as `20261121-030112-1a33f9c7`."""
    time = datetime.now(UTC)
    # The last five digits are random, because two processes may begin a run at the same moment.
    return f"{time:%Y%m%d-%H%M%S}-{time.microsecond // 1000:03x}{randbelow(16**5):05x}"


def build_run_record(system: str, run_input: RunInput, settings: Mapping[str, Any], checkpoints: str) -> RunRecord:
    """Return, without writing it, the record of a run about to begin, with the settings as the graph freezes them."""
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
    """List the extensions in a run's frozen settings; none for a system without extensions."""
    # They hold the table of one system only.
    tables = (table for table in settings.values() if isinstance(table, dict) and "extensions" in table)
    return list(next(tables, {"extensions": []})["extensions"])


def add_failure(record: RunRecord, error: DraftroomError) -> RunRecord:
    """Return a copy of a record that has failed once more; the failure's calls join the usage in `refresh_record`."""
    failure = Failure(kind=error.kind, message=str(error), time=format_current_time(), spent=error.spent)
    return {**record, "status": "failed", "failures": [*record["failures"], failure]}


def merge_calls(calls: Iterable[CallRecord], failures: Iterable[Failure]) -> list[CallRecord]:
    """List the calls in a run's state, then those that were spent on its failures, each call once."""
    merged = list(calls)
    for failure in failures:
        # The checkpoints keep a first answer whose re-ask failed, so the state may hold a failure's call, too.
        merged += [call for call in failure["spent"] if call not in merged]
    return merged


def count_run_tokens(record: RunRecord) -> int:
    """Return the sum of the input and output tokens of the whole run."""
    return sum(part["input_tokens"] + part["output_tokens"] for part in record["usage"])


def count_run_calls(record: RunRecord) -> int:
    """Return the number of answered calls of the whole run."""
    return sum(part["calls"] for part in record["usage"])


def format_resume_command(record: RunRecord) -> str:
    """Return the command that resumes a run."""
    return f"draftroom resume {record['id']}"


def format_current_time() -> str:
    """Return the current time in UTC in ISO 8601, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


# First and newest checkpoint of each thread, in SQLite and Postgres.
THREADS_QUERY = (
    "SELECT thread_id, MIN(checkpoint_id), MAX(checkpoint_id) FROM checkpoints WHERE checkpoint_ns = '' GROUP BY 1"
)
NO_RUNS_MESSAGE = "There are no runs yet; begin one with `draftroom explain FILE`, `simplify FILE` or `review FILE`."
_RECORD_ADAPTER = TypeAdapter(RunRecord)
# `draftroom runs` takes a thread's lock for a moment to see whether it is free; a run that begins just then waits.
_LOCK_WAIT_S = 1.0


class LoadedRecords(NamedTuple):
    """Result of `load_records`: all readable records, newest first, and a sentence on each of the others."""

    readable: list[RunRecord]
    problems: list[str]


def write_record(record: RunRecord) -> None:
    """Write a record to the state folder atomically, in place of an earlier one of the run.

    Raises:
        StateError: The state folder cannot be written.
    """
    save_state_file(_get_records_folder() / f"{record['id']}.json", _RECORD_ADAPTER.dump_json(record, indent=2))


def delete_record(record: RunRecord) -> None:
    """Delete the file of a record, if there is one, and the lock file of its thread, which this process has locked.

    Raises:
        StateError: The state folder cannot be written.
    """
    for file in (f"{record['id']}.json", f"{record['thread']}.lock"):
        delete_state_files(_get_records_folder(), file)


def load_records() -> LoadedRecords:
    """Return all records of the state folder; those that cannot be read are problems, not errors.

    Raises:
        StateError: The folder cannot be read.
    """
    loaded = LoadedRecords([], [])
    for path in _list_record_paths():
        try:
            loaded.readable.append(_load_record(path))
        except StateError as error:
            loaded.problems.append(str(error))
    return loaded


def are_records_current() -> bool:
    """Return whether the newest checkpoints in the state folder's SQLite file are on record; imports no LangGraph."""
    path = resolve_state_folder() / "checkpoints.sqlite"
    if not path.exists():
        return True
    known = {record["thread"]: record.get("checkpoint") for record in load_records().readable}
    try:
        with closing(sqlite3.connect(path)) as connection:
            return all(known.get(thread) == newest for thread, _, newest in connection.execute(THREADS_QUERY))
    except sqlite3.Error:  # whoever opens it for an update says what is wrong
        return False


def find_record(name: str) -> RunRecord:
    """Return the record of a run by its id, by the beginning of its id, by its thread, or the newest by `last`.

    Raises:
        StateError: No run or more than one has this name, or the record cannot be read.
    """
    paths = _list_record_paths()
    matches = paths[:1] if name == "last" else [path for path in paths if path.stem.startswith(name)]
    # A whole id may also be the beginning of another one.
    matches = [path for path in matches if path.stem == name] or matches
    if len(matches) == 1:
        return _load_record(matches[0])
    if threads := [record for record in load_records().readable if record["thread"] == name]:
        return threads[0]
    if not paths:
        raise StateError(NO_RUNS_MESSAGE, kind="run_not_found")
    problem = "More than one run has" if matches else "No run has"
    candidates = [path.stem for path in matches or paths]
    known = ", ".join(candidates[:5]) + (" and others" if len(candidates) > 5 else "")
    raise StateError(f"{problem} an id that begins with {name!r}; choose from {known}.", kind="run_not_found")


@contextmanager
def lock_thread(thread: str) -> Iterator[None]:
    """Lock the thread of a run against other processes in the context.

    The system frees the lock when this process ends or is killed.

    Raises:
        StateError: Another process drives the run, or the state folder cannot be written.
    """
    lock = _make_thread_lock(thread)
    try:
        lock.acquire(timeout=_LOCK_WAIT_S)
    except Timeout as error:
        raise StateError(
            "The run is being driven by another process; wait for it or stop it.", kind="run_busy"
        ) from error
    except OSError as error:
        raise make_storage_error(error, _get_records_folder()) from error
    try:
        yield
    finally:
        lock.release()


def determine_status(record: RunRecord) -> str:
    """Return the status of a run: `running` while a process drives it, `interrupted` if only its record says so."""
    if record["status"] != "done" and is_thread_locked(record["thread"]):
        return "running"
    return "interrupted" if record["status"] == "running" else record["status"]


def is_thread_locked(thread: str) -> bool:
    """Return whether a process has locked a thread, and so drives its run."""
    lock = _make_thread_lock(thread)
    if not Path(lock.lock_file).exists():
        return False
    try:
        with lock.acquire(blocking=False):
            return False
    except (Timeout, OSError):
        return True


def _get_records_folder() -> Path:
    return resolve_state_folder() / "runs"


def _list_record_paths() -> list[Path]:
    """List the files of all records, newest first."""
    try:
        return sorted(_get_records_folder().glob("*.json"), reverse=True)  # ids begin with the time
    except OSError as error:
        raise make_storage_error(error, _get_records_folder()) from error


def _load_record(path: Path) -> RunRecord:
    """Return the record in a file, or raise StateError if this version cannot read or understand it."""
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


def _make_thread_lock(thread: str) -> FileLock:
    """Return the lock of a thread, which is not acquired yet; the folder is made if it does not exist."""
    # Not bound to a thread: LangGraph's server acquires it in one thread and releases it in another.
    return FileLock(ensure_folder(_get_records_folder()) / f"{thread}.lock", thread_local=False)
