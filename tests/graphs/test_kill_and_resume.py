"""A run that is killed after any model call resumes to the same end and repeats no finished call."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphs.medical_simplification import builder as medical_simplification
from graphs.science_journalism import builder as science_journalism
from tests.fake_endpoint import Json, Script, Text, When
from tests.graphs.killing import Killed, is_first_try, kill_after_each_call
from tests.graphs.society import ABSTRACT, PART, WORDING, Society
from tests.graphs.support import PAPER


def newsroom() -> Script:
    """The default answers, but for the reader's first one."""
    return Script([When(Text("I would rather not."), schema="ReadingNotes", where=is_first_try)])


def society() -> Script:
    """Each loop goes its whole way; the layperson's first answer is no JSON, and a lost detail is sent back."""
    lossy = {"fits": ["all"], "paragraphs": [ABSTRACT.replace("400 mcg twice daily", "twice daily")]}
    return Script(
        [
            When(Text("I would rather not."), schema="Questions", where=is_first_try),
            When(Json(lossy), schema="ReasonedSimplification"),
            When(choice("layperson"), schema="AgentChoice", prompt="`layperson` (may act"),
            When(choice("language_clarifier"), schema="AgentChoice"),
        ],
        otherwise=Society(Wordings=[{"suggestions": [WORDING]}], Redundancies=[{"redundancies": [PART]}]),
    )


def choice(agent: str) -> Json:
    return Json({"reason": "It helps most now.", "agent": agent})


JOURNALISM = Killed(
    ["explain", "--rounds", "1"],
    science_journalism,
    PAPER,
    newsroom,
    ["Article", "ReadingNotes", "ReadingNotes", "EditorReview", "RevisedArticle"],
)
SIMPLIFICATION = Killed(
    ["simplify", "--entries", "1", "--aids", "restore,rewrite_copied,edit_by_code"],
    medical_simplification,
    ABSTRACT,
    society,
    [
        *["AgentChoice", "Questions", "Questions", "Answers", "ReasonedSimplification"],
        *["RewrittenSentences", "AccuracyCheck", "Repairs"],
        *["AgentChoice", "Wordings", "WordingVerdicts"],
        *["Redundancies", "RemovalVerdicts"],
    ],
)


@pytest.mark.timeout(600)  # some twenty processes
@pytest.mark.parametrize("system", [JOURNALISM, SIMPLIFICATION], ids=["explain", "simplify"])
def test_killed_after_each_call_in_turn(system: Killed, tmp_path: Path) -> None:
    kill_after_each_call(system, tmp_path)
