"""A review that is killed after any model call resumes to the same end; finished parallel branches are not repeated."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphs.focused_feedback import builder as focused_feedback
from tests.fake_endpoint import Script, Text, When
from tests.graphs.killing import Killed, is_first_try, kill_after_each_call
from tests.graphs.review_room import MISSING, Room, plan
from tests.graphs.review_room import PAPER as REVIEWED

FEEDBACK_PLAN = plan("What was the water like?", "How tall were the seedlings?")


def feedback(execution: str, calls: list[str], at_once: int) -> Killed:
    """Two questions and a claim that something is missing; the reviewer's first answer is no JSON."""

    def room() -> Script:
        nonsense = When(Text("I would rather not."), schema="Review", where=is_first_try)
        return Script([nonsense], otherwise=Room(ProposedPlan=[FEEDBACK_PLAN], Review=[MISSING]))

    command = ["review", "--paragraph", "3", "--plans", "1", "--execution", execution]
    planned, reviewed = ["ProposedPlan"], ["Weaknesses", "Review", "Review", "AbsenceTest"]
    return Killed(command, focused_feedback, REVIEWED, room, [*planned, *calls, *reviewed], "paper.md", at_once)


SEQUENTIAL = feedback(
    "sequential", ["StepDecision", "PassageAnswer", "StepDecision", "PassageAnswer", "StepDecision"], at_once=1
)
PARALLEL = feedback("parallel", ["PassageAnswer", "PassageAnswer", "StepDecision"], at_once=2)


@pytest.mark.timeout(900)  # some twenty processes, each of which loads the index
@pytest.mark.parametrize("system", [SEQUENTIAL, PARALLEL], ids=["sequential", "parallel"])
def test_killed_after_each_call_in_turn(system: Killed, tmp_path: Path) -> None:
    kill_after_each_call(system, tmp_path)
