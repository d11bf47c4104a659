"""What `draftroom review` refuses before a model is called and a run begins, in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import Result

from draftroom.exit_codes import EXIT_CODES
from state.errors import ErrorKind
from tests.draftroom.conftest import Command
from tests.draftroom.refusing import assert_refused
from tests.support.review_room import CLAIM, PAPER


@pytest.mark.parametrize(
    ("flags", "kind", "named"),
    [
        (["--paragraph", "99"], "bad_request", "p1 to p3"),
        (["--paragraph", "second"], "bad_request", "'second'"),
        (["--section", "Nonsense"], "bad_request", "Abstract, Methods, Results"),
        (["--min-words", "400"], "empty_input", "400 words"),
        (["--text", " "], "empty_input", "--text"),
        (["--section", ""], "empty_input", "--section"),
        (["--pause"], "bad_request", "not 2"),
        (["--literature", "no such folder"], "missing_file", "no such folder"),
        (["--literature", "openalex"], "bad_settings", "OPENALEX_API_KEY"),
        (["--plans", "99"], "bad_settings", "plans"),
    ],
    ids=lambda value: "" if isinstance(value, str) else value[0],
)
def test_a_request_that_cannot_be_followed(room: Command, draft: Path, flags: list[str], kind: ErrorKind, named: str):
    result = room.with_variables({"OPENALEX_API_KEY": "secret\a"})("review", draft, *flags)
    assert_refused(room, result, kind)
    assert named in result.stderr
    assert "secret" not in result.output


def test_a_reranker_that_is_not_there(room: Command, draft: Path, tmp_path: Path):
    chosen = {"DRAFTROOM_FEEDBACK__RERANKER": str(tmp_path / "gone"), "DRAFTROOM_FEEDBACK__PLANS": "2"}
    result = room.with_variables(chosen)("review", draft)
    assert_refused(room, result, "missing_file")
    assert "no plan re-ranker" in result.stderr


def assert_misused(room: Command, result: Result) -> None:
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.stderr
    assert room.endpoint.requests == []
    assert room.records() == []


@pytest.mark.parametrize(
    "flags",
    [
        ["--paragraph", "3", "--section", "Results"],
        ["--section", "Results", "--text", CLAIM],
        ["--literature", "one", "--literature", "two"],
        ["--variant", "best"],
        ["--execution", "fast"],
        ["--retrieval", "guess"],
        ["-o", "comments.odt"],
        ["-o", "comments.pdf"],
    ],
    ids=" ".join,
)
def test_flags_that_cannot_be_used(room: Command, draft: Path, flags: list[str]):
    assert_misused(room, room("review", draft, *flags))


def test_standard_input_cannot_be_two_things(room: Command):
    assert_misused(room, room("review", "-", "--text", "-", stdin=PAPER.encode()))


def test_nothing_on_standard_input(room: Command):
    assert_refused(room, room("review", "-", stdin=b""), "empty_input")
    assert not (room.home / "state" / "documents").exists(), "what is refused is not kept"


def test_a_paper_in_which_nothing_is_worth_it_has_an_exit_code_of_its_own(room: Command, tmp_path: Path):
    path = tmp_path / "short.md"
    path.write_text("# Short\n\nToo short to be reviewed.\n", encoding="utf-8")
    result = room("review", path)
    assert result.exit_code == EXIT_CODES["empty_input"]
    assert "min_words" in result.stderr
