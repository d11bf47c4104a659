"""Run records: what a run was given, what it cost and what came of it, in one JSON file a run.

A record is built from the state of the graph by pure functions. The command, the reports and the evaluations read it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any, Literal, NotRequired
from uuid import uuid4

from typing_extensions import TypedDict

from runs.usage import Usage, usage
from state.documents import DocumentRef
from state.errors import DraftroomError
from state.records import CallRecord

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
    thread: NotRequired[str]
    """Of its checkpoints: a UUID, as LangGraph's server wants it. Runs of earlier versions have their id there."""
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
    aids: NotRequired[list[str]]
    """Those that were on; see docs/aids.md. Runs of versions that knew none have no such field."""
    models: dict[str, str]
    """Model names by role."""
    prompts: dict[str, str]
    """SHA-256 of each prompt that was used, by name."""
    usage: list[Usage]
    results: dict[str, Any]
    """What the system itself wants on record; see its module."""
    failures: list[Failure]


def new_run_id() -> str:
    """A readable id that sorts by time to the microsecond, which ends it: for example `20261121-030112-3f9a0`."""
    time = datetime.now(UTC)
    return f"{time:%Y%m%d-%H%M%S}-{time.microsecond:05x}"


def thread_of(record: RunRecord) -> str:
    """The thread id of the run's checkpoints."""
    return record.get("thread", record["id"])


def new_record(system: str, run_input: RunInput, settings: Mapping[str, Any], checkpoints: str) -> RunRecord:
    """The record of a run that has not begun.

    Args:
        system: Name of the system.
        run_input: What the run works on.
        settings: As the graph freezes them into its state.
        checkpoints: Address of the checkpoints.
    """
    time = now()
    return RunRecord(
        id=new_run_id(),
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
        aids=aids_of(settings) or [],
        models={role: str(model["model"]) for role, model in settings["models"].items()},
        prompts={},
        usage=[],
        results={},
        failures=[],
    )


def with_state(
    record: RunRecord, values: Mapping[str, Any], answered: Iterable[CallRecord], results: dict[str, Any]
) -> RunRecord:
    """`record` brought up to the state of its graph.

    Args:
        record: The record so far.
        values: The state.
        answered: The calls that the state tells of.
        results: What the system makes of the state.
    """
    calls = all_calls(answered, record["failures"])
    settings = values.get("settings") or record["settings"]
    newest: RunRecord = {
        **record,
        "updated": now(),
        "settings": settings,
        "prompts": {call["prompt"]: call["prompt_sha256"] for call in calls},
        "usage": usage(calls),
        "results": results,
    }
    if (aids := aids_of(settings)) is not None:
        newest["aids"] = aids
    return newest


def aids_of(settings: Mapping[str, Any]) -> list[str] | None:
    """The aids of a run's frozen settings, which hold the table of one system; None if its version knew none."""
    known = [table["aids"] for table in settings.values() if isinstance(table, dict) and "aids" in table]
    return list(known[0]) if known else None


def with_failure(record: RunRecord, error: DraftroomError) -> RunRecord:
    """`record` after an attempt that ended in `error`; `with_state` accounts for its calls."""
    failure = Failure(kind=error.kind, message=str(error), time=now(), spent=error.spent)
    return {**record, "status": "failed", "failures": [*record["failures"], failure]}


def all_calls(calls: Iterable[CallRecord], failures: Iterable[Failure]) -> list[CallRecord]:
    """The calls in the state and those spent on failures, each once.

    A first answer outlives a failed re-ask in the checkpoints, so a failure and the state may both tell of it.
    """
    found = list(calls)
    for failure in failures:
        found += [call for call in failure["spent"] if call not in found]
    return found


def total_tokens(record: RunRecord) -> int:
    """Tokens in and out of the whole run."""
    return sum(part["input_tokens"] + part["output_tokens"] for part in record["usage"])


def total_calls(record: RunRecord) -> int:
    """Answered calls of the whole run."""
    return sum(part["calls"] for part in record["usage"])


def now() -> str:
    """The time in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
