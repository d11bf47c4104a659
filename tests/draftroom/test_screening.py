"""A whole paper is screened first, and the team looks into what is suspected (the extension `screen`)."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.draftroom.conftest import Command
from tests.draftroom.review_command import asked, result_of, reviewed
from tests.fake_endpoint import Json, RecordedRequest, Reply, Text
from tests.support.killing import answered, answers_in_checkpoint, wait_until
from tests.support.review_room import REVIEW, Room, as_asked, prompts

BODY = (
    "was run by two gardeners who watered cress with cold tea on every second day and measured its height with a ruler "
    "when the third week was over. The trays stood side by side on one sill, and nobody else touched them. We conclude "
    "that tea makes the seedlings grow."
)
SECTIONS = {f"Series {letter}": range(6 * at + 1, 6 * at + 7) for at, letter in enumerate("ABCDEFGHIJ")}
LONG = "# Sixty trials of tea\n\n" + "\n\n".join(
    f"## {heading}\n\n" + "\n\n".join(f"Trial T{number}x {BODY}" for number in numbers)
    for heading, numbers in SECTIONS.items()
)
"""Sixty paragraphs of 50 words, p1 to p60, in ten sections."""
SUMMARY = {"claims": "Tea makes cress grow.", "design": "", "data": "Sixty trials.", "definitions": "", "places": ""}
SUSPECTED = [number for number in range(1, 61) if number % 3 == 0]
GRAVE = {number for number in SUSPECTED if number % 4 == 0}
DETAIL = 60
INVENTED = "these words are in no paragraph of it"


class Screener(Room):
    """Suspects every third trial, and every twelfth most; the reviewer says the same of each, the last a detail."""

    def __init__(self, **scripts: Any) -> None:
        super().__init__(**{"PaperSummary": [SUMMARY], "Repetition": [repetition("none")], **scripts})

    def __call__(self, request: RecordedRequest) -> Reply:
        """The suspicions about the trials in the prompt, or what the room says."""
        if request.schema_name == "RaisedSuspicions" and request.schema_name not in self.scripts:
            found = [suspicion(number) for number in trials(request) if number in SUSPECTED]
            return Json({"assessment": "It claims a cause.", "suspicions": [*found[:7], raised(INVENTED)]})
        if request.schema_name == "Review" and request.schema:
            [quote] = re.findall(r"# The paragraph\n\n.*?(Trial T\d+x was run)", request.text)
            severity = "low" if f"T{DETAIL}x" in quote else "medium"
            return Json(as_asked({**REVIEW, "quote": quote, "severity": severity, "evidence": []}, request))
        return super().__call__(request)


def raised(quote: str, severity: str = "medium") -> dict[str, str]:
    label = "Empirical and Theoretical Soundness"
    asked_for = {"problem": "No control is named.", "settled_by": "A tray with water."}
    return {"quote": quote, **asked_for, "label": label, "severity": severity}


def suspicion(number: int) -> dict[str, str]:
    return raised(f"Trial T{number}x was run", "high" if number in GRAVE else "medium")


def repetition(same_as: str) -> dict[str, str]:
    return {"explanation": "It asks for a control.", "same_as": same_as}


def trials(request: RecordedRequest) -> list[int]:
    """The trials whose paragraphs a prompt holds."""
    return [int(number) for number in re.findall(r"Trial T(\d+)x was run by", request.text)]


@pytest.fixture
def screened(room: Command) -> Command:
    """The command as it is by default, with a screener; the embeddings are the built-in ones."""
    room.endpoint.answer = Screener()
    return room.with_variables(
        {"DRAFTROOM_FEEDBACK__EVERY_PARAGRAPH": "false", "DRAFTROOM_FEEDBACK__UNDIVIDED_WORDS": "1000"}
    )


@pytest.fixture
def long_paper(tmp_path: Path) -> Path:
    path = tmp_path / "trials.md"
    path.write_text(LONG, encoding="utf-8")
    return path


def numbers_of(found: list[dict[str, Any]]) -> set[int]:
    return {int(item["paragraph"][1:]) for item in found}


def test_a_paper_that_the_context_holds_is_screened_in_one_call(room: Command, long_paper: Path) -> None:
    room.endpoint.answer = Screener()
    room.endpoint.models = {"large": 32768}
    by_default = room.with_variables({"DRAFTROOM_FEEDBACK__EVERY_PARAGRAPH": "false"})
    shown = by_default("review", long_paper)
    assert shown.exit_code == 0, shown.output
    [whole] = prompts(room.endpoint, "RaisedSuspicions")
    assert [int(number) for number in re.findall(r"Trial T(\d+)x", whole)] == list(range(1, 61))
    assert "PaperSummary" not in asked(room)
    assert "summed up" not in shown.stderr
    # Each paragraph stands below its heading, and long headings fill this context.
    long_paper.write_text(LONG.replace("## Series", f"## {'Cold tea and cress ' * 10}Series"), encoding="utf-8")
    small = by_default.with_variables({"DRAFTROOM_MODELS__SCREENER__CONTEXT_LENGTH": "9216"})
    assert small("review", long_paper).exit_code == 0
    _, *parts = prompts(room.endpoint, "RaisedSuspicions")
    assert len(parts) > 1
    assert sorted(int(n) for part in parts for n in re.findall(r"Trial T(\d+)x", part)) == list(range(1, 61))
    # A user can have any paper read in parts.
    long_paper.write_text(LONG[: len(LONG) * 2 // 3], encoding="utf-8")
    assert by_default.with_variables({"DRAFTROOM_FEEDBACK__UNDIVIDED_WORDS": "0"})("review", long_paper).exit_code == 0
    assert len(prompts(room.endpoint, "RaisedSuspicions")) > len(parts) + 2


def test_a_whole_paper_is_screened_and_the_gravest_suspicions_are_looked_into(
    screened: Command, long_paper: Path
) -> None:
    shown = screened("review", long_paper)
    assert shown.exit_code == 0, shown.output
    # 1. It is summed up once, and each paragraph is read once, beside the summary.
    [summed_up], parts = prompts(screened.endpoint, "PaperSummary"), prompts(screened.endpoint, "RaisedSuspicions")
    assert "Headings: Series A; Series B;" in summed_up
    assert len(parts) == 3, "small sections are read together"
    assert sorted(int(n) for part in parts for n in re.findall(r"Trial T(\d+)x", part)) == list(range(1, 61))
    assert all("- claims: Tea makes cress grow.\n- data: Sixty trials." in part for part in parts)
    # 2. The gravest first; what is not pursued is listed, and what quotes nothing is said to be dropped.
    result = result_of(screened)
    pursued = numbers_of([item for item in result["suspicions"] if item["pursued"]])
    assert len(pursued) == len(result["targets"]) == len(result["reviews"]) == 12
    found = numbers_of(result["suspicions"])
    assert GRAVE & found <= pursued < found <= set(SUSPECTED)
    assert {target["section"] for target in result["targets"]} >= {"Series A", "Series E", "Series J"}, "spread"
    assert f"Suspicions that were not pursued ({len(found) - 12})" in shown.stderr
    assert "in the paper the screener gave suspicions without words of the paper (1), which were dropped" in " ".join(
        shown.stderr.split()
    )
    # 3. Planner and reviewer are shown the suspicion.
    for agent in ("ProposedPlan", "Review"):
        assert all("settled by: A tray with water." in prompt for prompt in prompts(screened.endpoint, agent))
    # 4. The comments on the gravest come first, and were compared with each other; a detail comes last, folded.
    assert numbers_of(result["comments"][: len(GRAVE & pursued) - 1]) == GRAVE & pursued - {DETAIL}
    assert "Repetition" in asked(screened)
    said = shown.stderr + shown.stdout
    assert (
        said.rindex("12. Empirical")
        > said.index("Details (1): comments of low severity")
        > said.rindex("11. Empirical")
    )


def test_comments_on_one_weakness_are_one_comment(screened: Command, long_paper: Path) -> None:
    screened.endpoint.answer = Screener(Repetition=[repetition("c-p12")])
    assert screened("review", long_paper).exit_code == 0
    assert [comment["paragraph"] for comment in result_of(screened)["comments"]] == ["p12"]


@pytest.mark.parametrize(
    "flags", [["--every-paragraph"], ["--preset", "paper", "--model", "large"], ["--section", "Series B"]], ids=str
)
def test_a_named_section_the_paper_preset_and_every_paragraph_go_without(
    screened: Command, long_paper: Path, tmp_path: Path, flags: list[str]
) -> None:
    long_paper.write_text(LONG[: LONG.index("## Series C")], encoding="utf-8")
    assert screened("review", long_paper, *flags, "--plans", "1", "--max-questions", "1").exit_code == 0
    assert "RaisedSuspicions" not in asked(screened)
    assert len(reviewed(screened)) == (6 if "--section" in flags else 12)
    assert not any("suspect" in request.text for request in screened.endpoint.chat_requests)


def test_the_next_version_of_a_screened_paper_is_reviewed_where_it_changed(
    screened: Command, long_paper: Path, tmp_path: Path
) -> None:
    short = "Trial T12x was run by one gardener without a control."
    before = LONG.replace(f"Trial T12x {BODY}", short)
    long_paper.write_text(before, encoding="utf-8")
    assert screened("review", long_paper).exit_code == 0
    assert 12 in numbers_of(result_of(screened)["comments"]), "suspected, although it is short"
    asked_before, now = len(asked(screened)), tmp_path / "now.md"
    after = before.replace("without a control", "with a control of water").replace(
        "T7x was run by two", "T7x was run by six"
    )
    now.write_text(after, encoding="utf-8")
    assert screened("review", now, "--since", "last").exit_code == 0
    assert set(reviewed(screened)) == {"p7", "p12"}
    assert "RaisedSuspicions" not in asked(screened)[asked_before:]
    assert {item["status"] for item in result_of(screened)["earlier"]} == {"open"}


def test_what_could_not_be_screened_is_told_and_the_rest_goes_on(screened: Command, long_paper: Path) -> None:
    agents, nonsense = Screener(PaperSummary=[Text("I would rather not.")]), Text("I would rather not.")

    def answer(request: RecordedRequest) -> Reply:
        failing = request.schema_name == "RaisedSuspicions" and 1 in trials(request)
        return nonsense if failing else agents(request)

    screened.endpoint.answer = answer
    shown = screened("review", long_paper)
    assert shown.exit_code == 0, shown.output
    assert "Nothing of p1 to p24 was screened" in " ".join(shown.stderr.split())
    assert "The paper could not be summed up" in " ".join(shown.stderr.split())
    assert min(numbers_of(result_of(screened)["reviews"])) > 24
    assert not any("What the paper is about" in prompt for prompt in prompts(screened.endpoint, "RaisedSuspicions"))


def test_a_paper_that_could_not_be_screened_has_its_first_paragraphs_reviewed(
    screened: Command, long_paper: Path
) -> None:
    screened.endpoint.answer = Screener(RaisedSuspicions=[Text("I would rather not.")])
    shown = screened("review", long_paper)
    assert shown.exit_code == 0, shown.output
    assert "the first 12 of its 60 paragraphs were reviewed; `--every-paragraph` reviews all" in " ".join(
        shown.stderr.split()
    )
    assert numbers_of(result_of(screened)["reviews"]) == set(range(1, 13))


def test_a_suspicion_is_placed_where_most_of_its_words_stand(screened: Command, tmp_path: Path) -> None:
    path = tmp_path / "drug.md"
    said = "The effect of the {} on the survival of the patients {}."
    near, right = said.format("dose", "was not studied"), said.format("new drug", "was mediated by IL6")
    path.write_text(f"# A drug\n\n{near} {BODY}\n\n{right} {BODY}", encoding="utf-8")
    quote = said.format("drug", "was mediated by IL6")
    screened.endpoint.answer = Screener(RaisedSuspicions=[{"assessment": "So.", "suspicions": [raised(quote)]}])
    screened("review", path)
    assert [item["paragraph"] for item in result_of(screened)["suspicions"]] == ["p2"]


def test_a_sound_paper_is_said_to_be_sound_but_a_grave_computed_finding_is_looked_into(
    screened: Command, long_paper: Path
) -> None:
    screened.endpoint.answer = Screener(RaisedSuspicions=[{"assessment": "It is sound.", "suspicions": []}])
    shown = screened("review", long_paper)
    assert "nothing worth raising was found" in shown.stderr + shown.stdout
    assert reviewed(screened) == []
    wrong = LONG.replace("T7x was", "T7x found a difference, t(28) = 2.5, p = .20. Trial T7x was")
    long_paper.write_text(wrong, encoding="utf-8")
    assert screened("review", long_paper).exit_code == 0
    assert reviewed(screened) == ["p7"]


def test_a_review_that_is_killed_in_the_screening_and_in_a_paragraph_asks_nothing_again(
    screened: Command, long_paper: Path
) -> None:
    assert screened("review", long_paper).exit_code == 0
    whole, calls, endpoint = result_of(screened), Counter(asked(screened)), screened.endpoint
    stored = f"sqlite:///{screened.home / 'state' / 'checkpoints.sqlite'}"
    made, kept = len(endpoint.chat_requests), answers_in_checkpoint(stored)
    for more, command in ((3, ["review", long_paper]), (28, ["resume", "last"])):  # of 4 calls before the paragraphs
        endpoint.hold_after(len(endpoint.chat_requests) + more)
        kept += more
        with screened.start(*command, "--quiet") as process:
            wait_until(lambda kept=kept: answers_in_checkpoint(stored) == kept)  # type: ignore[misc]
            process.kill()
        endpoint.release()
    assert screened("resume", "last").exit_code == 0
    assert answered(endpoint.chat_requests[made:]) == calls, "no answered call is asked again"
    resumed = result_of(screened)
    for key in ("suspicions", "comments", "targets"):
        assert resumed[key] == whole[key]
