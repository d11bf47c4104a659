"""`draftroom review --since`: a new version of a draft, and what became of the comments on the one before."""

from __future__ import annotations

from pathlib import Path

import pytest

from draftroom.exit_codes import EXIT_CODES
from tests.draftroom.conftest import Command
from tests.draftroom.review_command import result_of, reviewed
from tests.fake_endpoint import Script
from tests.support.review_room import CLAIM, METHODS, NOT_NEEDED, PAPER, SOUND, Room

NEW_METHODS = METHODS.replace("three weeks", "five weeks")
NEW_CLAIM = CLAIM.replace("Tea therefore makes seedlings grow", "Tea and growth went together in our trays")


@pytest.fixture
def earlier(room: Command, draft: Path) -> Command:
    """The command after a review that has a comment on p3, the results, and none on p2, the methods."""
    assert room("review", draft).exit_code == 0
    return room


def review_again(command: Command, folder: Path, text: str) -> list[tuple[str, str]]:
    """Review a new version; the status of each earlier comment and the paragraph that is now its own."""
    path = folder / "second.md"
    path.write_text(text, encoding="utf-8")
    finished = command("review", path, "--since", "last", "-o", folder / "comments.md")
    assert finished.exit_code == 0, finished.output
    return [(item["status"], item["paragraph"]) for item in result_of(command)["earlier"]]


def test_only_what_changed_is_reviewed_and_the_rest_is_still_open(earlier: Command, tmp_path: Path):
    asked = len(earlier.endpoint.chat_requests)
    assert review_again(earlier, tmp_path, PAPER.replace(METHODS, NEW_METHODS)) == [("open", "p3")]
    assert reviewed(earlier) == ["p2"]
    assert not any(
        CLAIM in request.text.partition("# The paragraph")[2] for request in earlier.endpoint.chat_requests[asked:]
    )
    assert "Comments on the version before" in (tmp_path / "comments.md").read_text(encoding="utf-8")


def test_a_comment_on_a_paragraph_that_raises_it_no_more_is_addressed(earlier: Command, tmp_path: Path):
    earlier.endpoint.answer = Script([], otherwise=Room(Weaknesses=[SOUND], Review=[NOT_NEEDED]))
    moved = PAPER.replace(CLAIM, "").replace(METHODS, f"{METHODS}\n\n{NEW_CLAIM}")
    assert review_again(earlier, tmp_path, moved) == [("addressed", "p3")]


def test_a_changed_paragraph_with_the_same_weakness_is_open(earlier: Command, tmp_path: Path):
    assert review_again(
        earlier, tmp_path, PAPER.replace("in every tray that we looked at", "in each of our trays")
    ) == [("open", "p3")]
    assert reviewed(earlier) == ["p3"]


def test_a_comment_goes_with_its_paragraph(earlier: Command, tmp_path: Path):
    assert review_again(earlier, tmp_path, PAPER.replace(CLAIM, "").replace(METHODS, NEW_METHODS)) == [("gone", "")]
    shown = earlier("show", "last", "-o", tmp_path / "shown.md")
    assert shown.exit_code == 0
    assert "Gone with its paragraph" in (tmp_path / "shown.md").read_text(encoding="utf-8")


def test_an_open_comment_is_carried_over_again(earlier: Command, tmp_path: Path):
    review_again(earlier, tmp_path, PAPER.replace(METHODS, NEW_METHODS))
    third = PAPER.replace(METHODS, NEW_METHODS.replace("five", "six"))
    assert review_again(earlier, tmp_path, third) == [("open", "p3")]


def test_a_version_without_changes_is_refused_before_any_model_is_asked(earlier: Command, draft: Path):
    asked = len(earlier.endpoint.requests)
    refused = earlier("review", draft, "--since", "last")
    assert refused.exit_code == EXIT_CODES["bad_request"]
    assert "No paragraph that is worth a review has changed" in refused.stderr
    assert len(earlier.endpoint.requests) == asked


def test_what_is_no_finished_review_is_refused(earlier: Command, draft: Path, paper: Path):
    assert earlier("explain", paper, "--rounds", "0").exit_code == 0
    assert "is no review" in earlier("review", draft, "--since", "last").stderr
    assert earlier("review", draft, "--since", "nothing").exit_code == EXIT_CODES["run_not_found"]
    assert earlier("review", draft, "--since", "last", "--section", "Results").exit_code == 2
