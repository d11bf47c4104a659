"""Keeps the record of a run right while the run is driven, and holds its calls to a budget."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from langgraph.errors import GraphDrained

from runs.record import (
    RunRecord,
    Status,
    add_failure,
    compute_usage,
    count_run_calls,
    count_run_tokens,
    format_current_time,
    list_enabled_extensions,
    merge_calls,
    write_record,
)
from runs.runnable import RunnableGraph, list_calls
from state.errors import DraftroomError, NoUsableResultError, StateError
from state.settings import CHOSEN_KEY

# The record is written again when the run has made this share of new calls, so that a call of a long run costs no more
# time than one of a short run.
RECORD_GROWTH_SHARE = 0.1


@dataclass(frozen=True)
class Budget:
    """Most calls and tokens that a run may use, over all its resumes; None is no limit."""

    calls: int | None = None
    tokens: int | None = None


UNLIMITED_BUDGET = Budget()


def format_resume_command(record: RunRecord) -> str:
    """Return the command that resumes a run."""
    return f"draftroom resume {record['id']}"


def refresh_record(record: RunRecord, values: Mapping[str, Any], runnable: RunnableGraph) -> RunRecord:
    """Return a copy of the record with the usage and results in the graph's state, which may lack keys."""
    calls = merge_calls(list_calls(values), record["failures"])
    # A resume can have changed the models.
    settings = {**(values.get("settings") or record["settings"]), "models": record["settings"]["models"]}
    settings.pop(CHOSEN_KEY, None)
    return {
        **record,
        "updated": format_current_time(),
        "settings": settings,
        "prompts": {call["prompt"]: call["prompt_sha256"] for call in calls},
        "usage": compute_usage(calls),
        "results": runnable.results(values),
        "extensions": list_enabled_extensions(settings),
    }


class RunRecorder:
    """Keeper of the record and usage of a run that is being driven, which also holds its calls to the budget."""

    def __init__(self, record: RunRecord, runnable: RunnableGraph, budget: Budget) -> None:
        self.record, self.runnable, self._budget = record, runnable, budget
        self.values: Mapping[str, Any] = {}
        self.tokens = 0
        """Tokens of the answered calls, on record or not."""
        self.exhaustion = ""
        """Which limit of the budget is reached, and how to go on."""
        self._calls = 0  # made so far, including those under way
        self._saved = False

    def save(self, status: Status, values: Mapping[str, Any]) -> None:
        """Write the record with a new status, and the usage and results in the state of the graph.

        Raises:
            StateError: The state folder cannot be written.
        """
        self.values = values
        self.record = refresh_record({**self.record, "status": status}, values, self.runnable)
        write_record(self.record)
        self._saved = True

    def begin_streaming(self, values: Mapping[str, Any]) -> None:
        """Write that the run is running, and count its calls and tokens from there on."""
        self.save("running", values)
        self._calls, self.tokens = count_run_calls(self.record), count_run_tokens(self.record)

    def charge_budget(self) -> None:
        """Count a call that is about to be made, or raise `GraphDrained` if the budget is used up.

        Raises:
            GraphDrained: The budget is used up. LangGraph lets the other tasks of the step end, and stores their work.
        """
        budget = self._budget
        for limit, used, unit in ((budget.calls, self._calls, "calls"), (budget.tokens, self.tokens, "tokens")):
            if limit is not None and used >= limit:
                self.exhaustion = (
                    f"The run has used {used:,} {unit} of the {limit:,} that --max-{unit} allows; "
                    f"to go on: {format_resume_command(self.record)} --max-{unit} MORE"
                )
                raise GraphDrained(self.exhaustion)
        self._calls += 1

    def track_usage(self, values: Mapping[str, Any]) -> None:
        """Count the tokens in the graph's state, and write the record if it has grown enough."""
        self.values = values
        answered = merge_calls(list_calls(values), self.record["failures"])
        self.tokens = sum(call["input_tokens"] + call["output_tokens"] for call in answered)
        on_record = count_run_calls(self.record)
        if len(answered) - on_record >= RECORD_GROWTH_SHARE * on_record:
            self.save("running", values)

    @contextmanager
    def record_failures(self) -> Iterator[None]:
        """Record an error that ends the context, add to it how to resume, and raise it again.

        An error before the first `save` leaves no trace, because the run has not begun.
        """
        try:
            yield
        except DraftroomError as error:
            if self._saved:
                self.record = refresh_record(add_failure(self.record, error), self.values, self.runnable)
                if not isinstance(error, NoUsableResultError):
                    error.add_note(f"To go on: {format_resume_command(self.record)}")
            raise
        finally:
            # Any other error leaves the status "running", too.
            if self._saved and self.record["status"] in {"running", "failed"}:
                self.record = {**self.record, "status": "failed"}
                with suppress(StateError):  # the user must hear of the first error
                    write_record(self.record)
