"""Where a run that failed, one of many, goes on when it is tried again."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypedDict

import pytest
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph

from runs.checkpoints import open_checkpointer
from runs.driver import run_to_completion
from state.errors import DraftroomError, ModelOutputError, ModelUnavailableError, NoUsableResultError


class State(TypedDict):
    """What is asked for, and what came of it."""

    asked: str
    answer: str


class Writing:
    """A graph that plans, then writes; its first try at writing fails."""

    def __init__(self, failure: DraftroomError) -> None:
        self.steps: list[str] = []
        self.failure = failure
        self.builder = StateGraph(State)
        self.builder.add_node("plan", self.plan)
        self.builder.add_node("write", self.write)
        self.builder.add_edge(START, "plan")
        self.builder.add_edge("plan", "write")
        self.builder.add_edge("write", END)

    async def plan(self, _: State) -> dict[str, Any]:
        self.steps.append("plan")
        return {}

    async def write(self, state: State) -> dict[str, Any]:
        self.steps.append("write")
        if self.steps.count("write") == 1:
            raise self.failure
        return {"answer": f"{state['asked']} is answered"}


async def again(writing: Writing, checkpoints: Path) -> dict[str, Any]:
    """Run it as another process would."""
    async with open_checkpointer(f"sqlite:///{checkpoints}") as saver:
        return await run_to_completion(writing.builder, saver, "one", {"asked": "It"}, None)


async def twice(writing: Writing, checkpoints: Path) -> dict[str, Any]:
    """Run it, see it fail, and run it again."""
    with pytest.raises(type(writing.failure)):
        await again(writing, checkpoints)
    return await again(writing, checkpoints)


@pytest.mark.parametrize("failure", [ModelUnavailableError("Down."), ModelOutputError("Nonsense.", problem="nonsense")])
async def test_what_was_answered_before_a_failure_is_kept(tmp_path: Path, failure: DraftroomError) -> None:
    writing = Writing(failure)
    assert await twice(writing, tmp_path / "runs.sqlite") == {"asked": "It", "answer": "It is answered"}
    assert writing.steps == ["plan", "write", "write"]


async def test_answers_of_which_none_was_of_use_are_not_built_upon_again(tmp_path: Path) -> None:
    writing = Writing(NoUsableResultError("It is all nonsense.", problem="nonsense"))
    assert await twice(writing, tmp_path / "runs.sqlite") == {"asked": "It", "answer": "It is answered"}
    assert writing.steps == ["plan", "write", "plan", "write"]


class LosesItsCheckpoint(AsyncSqliteSaver):
    """Stores the writes of the first step, and nothing after them."""

    async def aput(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        if metadata["step"] > 0:
            async with self.lock:  # what was to be stored before is stored by now
                raise ModelUnavailableError("Killed.")
        return await super().aput(config, checkpoint, metadata, new_versions)


async def test_a_sample_whose_step_was_stored_without_its_checkpoint_goes_on(tmp_path: Path) -> None:
    writing = Writing(ModelUnavailableError("Down."))
    writing.steps = ["write"]  # so that the next try succeeds
    thread: Any = {"configurable": {"thread_id": "one"}}
    async with LosesItsCheckpoint.from_conn_string(str(tmp_path / "runs.sqlite")) as saver:
        with pytest.raises(ModelUnavailableError):
            await writing.builder.compile(checkpointer=saver).ainvoke({"asked": "It"}, thread, durability="sync")
    assert writing.steps == ["write", "plan"]
    assert (await again(writing, tmp_path / "runs.sqlite"))["answer"] == "It is answered"
    assert writing.steps == ["write", "plan", "write"]


async def test_a_run_that_ended_is_not_repeated_if_it_was_killed_before_anyone_heard_of_it(tmp_path: Path) -> None:
    writing = Writing(ModelUnavailableError("Down."))
    writing.steps = ["write"]  # so that the next try succeeds
    thread: Any = {"configurable": {"thread_id": "one"}}
    async with open_checkpointer(f"sqlite:///{tmp_path / 'runs.sqlite'}") as saver:
        await writing.builder.compile(checkpointer=saver).ainvoke({"asked": "It"}, thread, durability="sync")
    assert await again(writing, tmp_path / "runs.sqlite") == {"asked": "It", "answer": "It is answered"}
    assert writing.steps == ["write", "plan", "write"]
