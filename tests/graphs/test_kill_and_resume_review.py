"""A review that is killed after any model call resumes to the same end; finished parallel branches are not repeated."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import pytest

from graphs.focused_feedback import builder as focused_feedback
from tests.fake_endpoint import FakeEndpoint, Hang, Hold, RecordedRequest, Reply, Script, Text, When
from tests.graphs.killing import (
    Killed,
    answers_in_checkpoint,
    command,
    is_first_try,
    kill_after_each_call,
    wait_until,
)
from tests.graphs.review_room import CLAIM, MISSING, SOUND, Room, plan
from tests.graphs.review_room import PAPER as REVIEWED

FEEDBACK_PLAN = plan("What was the water like?", "How tall were the seedlings?")


def feedback(execution: str, calls: list[str], at_once: int) -> Killed:
    """Two questions and a claim that something is missing; the reviewer's first answer is no JSON."""

    def room() -> Script:
        nonsense = When(Text("I would rather not."), schema="Review", where=is_first_try)
        return Script([nonsense], otherwise=Room(ProposedPlan=[FEEDBACK_PLAN], Review=[MISSING]))

    command = ["review", "--paragraph", "3", "--plans", "1", "--execution", execution]
    planned, reviewed = ["ProposedPlan"], ["Review", "Review", "AbsenceTest"]
    return Killed(command, focused_feedback, REVIEWED, room, [*planned, *calls, *reviewed], "paper.md", at_once)


SEQUENTIAL = feedback(
    "sequential", ["StepDecision", "PassageAnswer", "StepDecision", "PassageAnswer", "StepDecision"], at_once=1
)
PARALLEL = feedback("parallel", ["PassageAnswer", "PassageAnswer", "StepDecision"], at_once=2)


@pytest.mark.timeout(900)  # some twenty processes, each of which loads the index
@pytest.mark.parametrize("system", [SEQUENTIAL, PARALLEL], ids=["sequential", "parallel"])
def test_killed_after_each_call_in_turn(system: Killed, tmp_path: Path) -> None:
    kill_after_each_call(system, tmp_path)


def test_every_answer_that_is_stored_in_a_burst_is_kept(tmp_path: Path) -> None:
    paragraphs = [CLAIM.replace("three weeks", f"{weeks} weeks") for weeks in range(3, 11)]
    (tmp_path / "paper.md").write_text("# Tea\n\n## Results\n\n" + "\n\n".join(paragraphs), encoding="utf-8")
    arguments = ["review", str(tmp_path / "paper.md"), "--plans", "1", "--retrieval", "bm25", "--quiet"]
    burst, room, home = Event(), Room(Weaknesses=[SOUND]), tmp_path / "killed"

    def planner_only(request: RecordedRequest) -> Reply:
        return Hold(burst, room(request)) if request.schema_name == "ProposedPlan" else Hang()

    with FakeEndpoint(answer=planner_only) as endpoint:
        process = command(endpoint, home, *arguments)
        endpoint.wait_for_requests(len(paragraphs), timeout_s=60)
        burst.set()
        wait_until(lambda: answers_in_checkpoint(home) > 0)
        process.kill()
        process.wait(30)
        kept = answers_in_checkpoint(home)
        endpoint.answer = room
        assert command(endpoint, home, "resume", "last").wait(120) == 0
        asked = [request for request in endpoint.chat_requests if request.schema_name == "ProposedPlan"]
    assert len(asked) == 2 * len(paragraphs) - kept, "only what was not stored is asked again"
