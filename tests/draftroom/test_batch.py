"""`draftroom batch`: every paper ends once, whatever is stopped, broken or called alike."""

from __future__ import annotations

import json
import re
import signal
from collections import Counter
from pathlib import Path
from threading import Event
from types import MappingProxyType
from typing import Any

import pytest
from filelock import FileLock

from draftroom.batch.batch import INTERNAL_ERROR_KIND, Batch, PaperResult, PaperWork
from draftroom.batch.files import BatchFolder, NamedPaper
from draftroom.exit_codes import EXIT_CODES, PAPERS_FAILED, STOPPED
from runs.jobs import Workers
from runs.signals import STOPPING_MESSAGE
from tests.draftroom.conftest import PAPER, Command, run_without
from tests.draftroom.test_stopping import ROUND, read_until
from tests.fake_endpoint import Hold, RecordedRequest, Reply, Status, Text, fill
from tests.support.killing import answers_in_checkpoint, wait_until
from tests.support.society import ABSTRACT, Society
from tests.support.steps import step_of

PLACES = ["Iceland", "Norway", "Chile", "Japan", "Ghana"]


def rows(out: Path) -> dict[str, dict[str, Any]]:
    table = out / "results.jsonl"
    lines = table.read_text(encoding="utf-8").splitlines() if table.exists() else []
    return {row["id"]: row for row in map(json.loads, lines)}


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """Five papers that differ in where they were written."""
    folder = tmp_path / "papers"
    folder.mkdir()
    for place in PLACES:
        (folder / f"{place}.md").write_text(PAPER.replace("Iceland", place), encoding="utf-8")
    return folder


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "results"


def explain(papers: Path, out: Path, *more: str | Path) -> tuple[str | Path, ...]:
    return ("batch", "explain", papers, "--out", out, *more)


def test_a_batch_that_is_killed_ends_with_every_result_and_asks_nothing_again(
    draftroom: Command, papers: Path, out: Path
):
    command, endpoint = explain(papers, out, "--at-once", "2"), draftroom.endpoint
    endpoint.hold_after(9)
    with draftroom.start(*command) as process:
        endpoint.wait_for_requests(11, timeout_s=60)
        stored = f"sqlite:///{out / 'checkpoints.sqlite'}"
        wait_until(lambda: answers_in_checkpoint(stored) + len(ROUND) * len(rows(out)) == 9)
        process.kill()
    endpoint.release()
    result = draftroom(*command)
    assert result.exit_code == 0, result.stderr
    assert rows(out).keys() == set(PLACES)
    assert {path.stem for path in out.glob("*.md")} == set(PLACES)
    finished = Counter(step_of(request) for request in endpoint.chat_requests if request.finished)
    assert finished == Counter(ROUND * len(PLACES)), "no answered call is asked again"


def test_a_row_tells_scores_and_cost_and_its_result_is_shown_without_its_run(
    draftroom: Command, papers: Path, out: Path
):
    draftroom(*explain(papers / "Chile.md", out, "--formats", "json,html"))
    assert "science_journalism, done" in draftroom("show", out / "Chile.json").stdout
    assert {path.name for path in out.glob("Chile.*")} == {"Chile.json", "Chile.html"}
    row = rows(out)["Chile"]
    assert row["status"] == "done"
    assert row["calls"] == len(ROUND)
    assert row["input_tokens"] > row["output_tokens"] > 0
    assert row["scores"]["rounds"] == 1
    assert row["paper"] == str(papers / "Chile.md")


def test_what_cannot_be_read_is_a_row_and_is_tried_again_on_request(draftroom: Command, papers: Path, out: Path):
    (papers / "Chile.md").write_bytes(b"")
    (papers / "Ghana.md").rename(papers / "Ghana.pdf")
    (papers / "Ghana.pdf").write_bytes(b"%PDF-1.7\n" + bytes(range(256)) * 40)
    first = draftroom(*explain(papers, out))
    assert first.exit_code == PAPERS_FAILED
    assert "3 done, 2 failed" in first.stdout
    failed = {name: row["kind"] for name, row in rows(out).items() if row["status"] == "failed"}
    assert failed == {"Chile": "empty_input", "Ghana": "broken_pdf"}

    (papers / "Chile.md").write_text(PAPER, encoding="utf-8")
    asked = len(draftroom.endpoint.chat_requests)
    assert draftroom(*explain(papers, out)).exit_code == PAPERS_FAILED
    assert len(draftroom.endpoint.chat_requests) == asked, "nothing is tried again unless that is asked for"
    again = draftroom(*explain(papers, out, "--retry-failed"))
    assert "Resuming: 3 of 5 papers are finished." in again.stderr
    assert again.exit_code == PAPERS_FAILED
    assert [name for name, row in rows(out).items() if row["status"] == "failed"] == ["Ghana"]
    assert len(draftroom.endpoint.chat_requests) == asked + len(ROUND)


def test_a_failure_that_has_cost_something_says_what(draftroom: Command, papers: Path, out: Path):
    def answer(request: RecordedRequest) -> Reply:
        return Text("?") if step_of(request) == "advise" else fill(request)

    draftroom.endpoint.answer = answer
    assert draftroom(*explain(papers / "Chile.md", out)).exit_code == PAPERS_FAILED
    row = rows(out)["Chile"]
    assert (row["kind"], row["calls"]) == ("model_output", 4)
    assert row["input_tokens"] > 0


def test_papers_of_one_name_have_results_of_their_own(draftroom: Command, papers: Path, out: Path):
    for place in PLACES[:2]:
        (papers / place).mkdir()
        (papers / f"{place}.md").rename(papers / place / "paper.md")
    named = [papers / place / "paper.md" for place in PLACES[:2]]
    assert draftroom("batch", "explain", *named, named[0], "--out", out).exit_code == 0
    assert {name: row["paper"] for name, row in rows(out).items()} == {"paper": str(named[0]), "paper-2": str(named[1])}
    draftroom("batch", "explain", *reversed(named), "--out", out)
    assert rows(out)["paper"]["paper"] == str(named[0]), "a name that was given stays"
    assert len(draftroom.endpoint.chat_requests) == 2 * len(ROUND)


def test_no_more_papers_are_open_than_allowed(draftroom: Command, papers: Path, out: Path):
    release, endpoint = Event(), draftroom.endpoint

    def answer(request: RecordedRequest) -> Reply:
        return Hold(release, fill(request)) if step_of(request) == ROUND[-1] else fill(request)

    endpoint.answer = answer
    with draftroom.start(*explain(papers, out, "--at-once", "2")) as process:
        asked = endpoint.wait_for_requests(2 * len(ROUND), timeout_s=60)
        assert Counter(step_of(request) for request in asked)[ROUND[0]] == 2, "the others wait for one to end"
        release.set()
        assert process.wait(timeout=60) == 0


def test_a_signal_stops_it_and_the_same_command_goes_on(draftroom: Command, papers: Path, out: Path):
    command, endpoint = explain(papers, out, "--at-once", "2"), draftroom.endpoint
    endpoint.hold_after(5)
    with draftroom.start(*command) as process:
        endpoint.wait_for_requests(7, timeout_s=60)
        process.send_signal(signal.SIGTERM)
        read_until(process, STOPPING_MESSAGE)
        endpoint.release()
        _, stderr = process.communicate(timeout=60)
    assert process.returncode == STOPPED, stderr
    assert "The same command resumes the batch" in stderr
    assert "Traceback" not in stderr
    assert len(endpoint.chat_requests) == 7
    assert draftroom(*command).exit_code == 0
    assert len(endpoint.chat_requests) == len(ROUND) * len(PLACES)


def test_it_stops_where_every_paper_would_fail(draftroom: Command, papers: Path, out: Path):
    draftroom.endpoint.answer = lambda _: Status(503)
    result = draftroom(*explain(papers, out, "--at-once", "1"))
    assert result.exit_code == EXIT_CODES["endpoint_down"]
    assert "status 503" in result.stderr
    assert rows(out) == {}
    draftroom.endpoint.answer = fill
    assert draftroom(*explain(papers, out)).exit_code == 0


def test_a_table_holds_texts_or_names_files(draftroom: Command, papers: Path, out: Path):
    texts = [{"doi": "10.1/moss.7", "text": PAPER}, {"id": "../up", "text": PAPER.replace("Iceland", "Mali")}]
    (papers / "texts.jsonl").write_text("".join(json.dumps(text) + "\n" for text in texts), encoding="utf-8")
    (papers / "files.csv").write_text("doi,path\n10.1/chile,Chile.md\n", encoding="utf-8")
    (papers / "more.jsonl").write_text(json.dumps({"text": PAPER.replace("Iceland", "Peru")}) + "\n", encoding="utf-8")
    tables = [papers / name for name in ("texts.jsonl", "files.csv", "more.jsonl")]
    result = draftroom("batch", "explain", *tables, "--out", out)
    assert result.exit_code == 0, result.stderr
    assert rows(out).keys() == {"10.1_moss.7", "up", "10.1_chile", "more-1"}
    assert {path.name for path in out.glob("*.md")} == {"10.1_moss.7.md", "up.md", "10.1_chile.md", "more-1.md"}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"id": "a"}', "Row 1 of .* names no paper"),
        ("[]", "Line 1 of .* is no JSON object"),
        ("{", "Line 1 of .* is no JSON"),
        ('{"id": "a", "text": "It"}\n{"id": "a", "text": "is"}', "Row 2 of .* has the id 'a'"),
    ],
)
def test_a_table_that_names_no_papers_is_refused(draftroom: Command, tmp_path: Path, out: Path, line: str, told: str):
    (tmp_path / "texts.jsonl").write_text(line, encoding="utf-8")
    result = draftroom("batch", "explain", tmp_path / "texts.jsonl", "--out", out)
    assert result.exit_code == EXIT_CODES["bad_request"]
    assert re.search(told, result.stderr)
    assert not out.exists()


@pytest.mark.parametrize(("pattern", "matched"), [("*i*.md", {"Chile"}), ("*", set(PLACES)), ("", set(PLACES))])
def test_a_pattern_or_folder_names_papers_and_no_files_beside_them(
    draftroom: Command, papers: Path, out: Path, pattern: str, matched: set[str]
):
    for name in ("~$Chile.docx", "._Chile.md", ".~lock.Chile.docx#", "Chile.md~", "Thumbs.db", "desktop.ini"):
        (papers / name).write_bytes(b"\x05owner")
    assert draftroom("batch", "check", papers / pattern, "--out", out).exit_code == 0
    assert rows(out).keys() == matched


def test_a_folder_without_papers_is_refused(draftroom: Command, tmp_path: Path, out: Path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "plot.png").touch()
    assert draftroom(*explain(tmp_path / "empty", out)).exit_code == EXIT_CODES["empty_input"]
    assert draftroom(*explain(tmp_path / "none.pdf", out)).exit_code == EXIT_CODES["missing_file"]
    assert draftroom(*explain(tmp_path / "*.pdf", out)).exit_code == EXIT_CODES["empty_input"]
    assert not out.exists()


def test_results_below_the_papers_are_no_papers(draftroom: Command, papers: Path):
    for _ in range(2):
        assert draftroom("batch", "check", papers, "--out", papers / "out").exit_code == 0
    assert rows(papers / "out").keys() == set(PLACES)


def test_a_folder_with_other_settings_is_refused(draftroom: Command, papers: Path, out: Path):
    draftroom(*explain(papers / "Chile.md", out))
    other = draftroom(*explain(papers / "Chile.md", out, "--rounds", "2", "--model", "small"))
    assert other.exit_code == EXIT_CODES["bad_settings"]
    assert "journalism.rounds" in other.stderr
    assert "models.editor.model" in other.stderr
    assert draftroom(*explain(papers / "Chile.md", papers)).exit_code == EXIT_CODES["bad_settings"]


def test_one_process_works_in_a_folder(draftroom: Command, papers: Path, out: Path):
    out.mkdir()
    with FileLock(out / ".lock"):
        assert draftroom(*explain(papers, out)).exit_code == EXIT_CODES["run_busy"]


def test_every_system_and_the_checks_take_many(draftroom: Command, papers: Path, tmp_path: Path):
    (tmp_path / "asthma.txt").write_text(ABSTRACT, encoding="utf-8")
    draftroom.endpoint.answer = Society()
    simplified = draftroom("batch", "simplify", tmp_path / "asthma.txt", "--out", tmp_path / "s", "--entries", "1")
    assert simplified.exit_code == 0, simplified.stderr
    assert rows(tmp_path / "s")["asthma"]["scores"]["entries"] > 0
    draftroom.endpoint.answer = fill
    reviewed = draftroom("batch", "review", papers / "Chile.md", "--out", tmp_path / "r", "--min-words", "10")
    assert reviewed.exit_code == 0, reviewed.stderr
    assert rows(tmp_path / "r")["Chile"]["scores"]["paragraphs"] > 0
    checked = draftroom("batch", "check", papers, "--out", tmp_path / "c", "--quiet")
    assert (checked.exit_code, checked.output) == (0, "")
    assert rows(tmp_path / "c")["Chile"]["scores"] == {"high": 0, "medium": 0, "low": 0}


def test_ray_is_an_extra(draftroom: Command, papers: Path, out: Path):
    result = run_without("ray", draftroom, *explain(papers, out, "--engine", "ray"))
    assert result.returncode == EXIT_CODES["bad_settings"]
    assert "pip install 'draftroom[ray]'" in result.stderr


class Odd(PaperWork):
    """Work that has a mistake which one paper brings out."""

    formats = (".md",)
    asked = MappingProxyType[str, Any]({})
    at_once = 1

    async def produce_result(self, name: str, paper: NamedPaper) -> PaperResult:
        return PaperResult({"length": {"Ghana": 1}[name]}, {".md": paper.name})


def test_a_mistake_of_ours_costs_one_paper(papers: Path, out: Path):
    named = [str(papers / f"{place}.md") for place in ("Chile", "Ghana")]
    found = Batch("odd", Odd(), named, BatchFolder(out), [".md"], Workers(1)).run(lambda _: None, print)
    assert [row.get("kind") for row in found] == [INTERNAL_ERROR_KIND, None]
    assert "KeyError: 'Chile'" in (out / "Chile.traceback.txt").read_text(encoding="utf-8")
