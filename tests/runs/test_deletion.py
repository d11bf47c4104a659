"""`draftroom runs delete` leaves nothing of a run, and nothing missing of another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from draftroom.exit_codes import EXIT_CODES
from draftroom.systems import GRAPHS
from runs.record import lock_thread, write_record
from runs.threads import update_records
from state.records import Values
from tests.draftroom.conftest import PAPER, Command
from tests.draftroom.review_command import TwoMinds
from tests.fake_endpoint import Answer, Script, Text, When
from tests.support.review_room import PAPER as DRAFT
from tests.support.society import ABSTRACT, Society
from tests.support.steps import asks
from tools.literature.web import Download, DownloadCache

SENTENCE = "One grey heron watched all of it."

QUOTES = Script([When(Text(f"# A heron\n\n{SENTENCE}"), where=asks("write_draft"))])


def leaks(draftroom: Command) -> set[str]:
    """Folders and databases of the state folder in which the sentence stands, in whatever format."""
    state = draftroom.home / "state"
    files = [path for path in state.rglob("*") if path.is_file() and SENTENCE.encode() in path.read_bytes()]
    return {path.relative_to(state).parts[0] for path in files}


def with_sentence(paper: str) -> bytes:
    """A paper whose last paragraph before the references ends with the sentence."""
    text, references, rest = paper.partition("\n\n## References")
    return f"{text.rstrip()} {SENTENCE}{references}{rest}\n".encode()


@pytest.mark.parametrize(
    ("arguments", "paper", "answer"),
    [
        (["explain", "--rounds", "1"], PAPER, QUOTES),
        (["simplify", "--entries", "1"], ABSTRACT, Society()),
        (["review", "--paragraph", "3", "--plans", "1", "--retrieval", "dense"], DRAFT, TwoMinds()),
    ],
    ids=["explain", "simplify", "review"],
)
def test_nothing_is_left_of_a_run(arguments: list[str], paper: str, answer: Answer, draftroom: Command) -> None:
    draftroom.endpoint.answer = answer
    begun = draftroom(arguments[0], "-", *arguments[1:], stdin=with_sentence(paper))
    assert begun.exit_code == 0, begun.output
    assert {"documents", "checkpoints.sqlite"} <= leaks(draftroom)
    if arguments[0] == "review":
        assert "indexes" in leaks(draftroom)

    searches = DownloadCache(draftroom.home / "state" / "literature" / "searches")
    searches.store_entry("a query", Download(f"https://api.test/?q={SENTENCE}", "text/plain", b"Nothing was found."))
    assert "literature" in leaks(draftroom)

    deleted = draftroom("runs", "delete", "last", "--yes")
    assert deleted.exit_code == 0, deleted.output
    assert leaks(draftroom) == set()
    assert draftroom.records() == []
    assert list((draftroom.home / "state" / "runs").iterdir()) == []


def test_a_paper_that_another_run_uses_stays_as_long_as_that_one(draftroom: Command) -> None:
    for _ in range(2):
        assert draftroom("explain", "-", "--variant", "single", stdin=with_sentence(PAPER)).exit_code == 0
    assert draftroom("runs", "delete", "last", "--yes").exit_code == 0
    assert len(draftroom.records()) == 1
    assert "documents" in leaks(draftroom)
    assert draftroom("resume", "last").exit_code == 0
    assert draftroom("runs", "delete", "last", "--yes").exit_code == 0
    assert leaks(draftroom) == set()


def test_the_paper_itself_is_the_users(draftroom: Command, paper: Path) -> None:
    assert draftroom("explain", paper, "--variant", "single").exit_code == 0
    assert draftroom("runs", "delete", "last", "--yes").exit_code == 0
    assert paper.read_text(encoding="utf-8") == PAPER


def test_a_run_that_is_being_driven_is_not_deleted(
    draftroom: Command, paper: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert draftroom("explain", paper, "--variant", "single").exit_code == 0
    (before,) = draftroom.records()
    monkeypatch.setenv("DRAFTROOM_HOME", str(draftroom.home))
    with lock_thread(before["thread"]):
        refused = draftroom("runs", "delete", "last", "--yes")
    assert "driven by another process" in refused.stderr
    assert draftroom.records() == [before]
    assert draftroom("show", "last").exit_code == 0


def test_a_run_is_not_deleted_while_its_record_is_written(
    draftroom: Command, paper: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert draftroom("explain", paper, "--variant", "single").exit_code == 0
    (record,) = draftroom.records()
    monkeypatch.setenv("DRAFTROOM_HOME", str(draftroom.home))
    write_record({**record, "checkpoint": "an earlier one"})
    graph, refused = GRAPHS[record["system"]], []

    def delete(values: Values) -> dict[str, Any]:
        with draftroom.start("runs", "delete", record["id"], "--yes") as process:
            refused.append(process.wait() == EXIT_CODES["run_busy"])
        return graph.results(values)

    assert update_records({record["system"]: replace(graph, results=delete)}) == []
    assert refused == [True]


def test_a_person_is_asked_first(draftroom: Command, paper: Path) -> None:
    assert draftroom("explain", paper, "--variant", "single").exit_code == 0
    (before,) = draftroom.records()
    assert draftroom("runs", "delete", "last", stdin=b"n\n").exit_code == 1
    assert draftroom.records() == [before]
    assert draftroom("runs", "delete", "last", stdin=b"y\n").exit_code == 0
    assert draftroom.records() == []
