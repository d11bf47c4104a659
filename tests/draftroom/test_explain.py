from __future__ import annotations

import os
import re
import threading
from pathlib import Path

import pytest

from draftroom.exit_codes import EXIT_CODES
from tests.draftroom.conftest import PAPER, Command
from tests.draftroom.review_command import result_of
from tests.fake_endpoint import RecordedRequest, Reply, Script, Text, fill
from tests.support.newsroom import article


def test_the_article_goes_to_standard_output_and_nothing_else(draftroom: Command, paper: Path):
    result = draftroom("explain", paper)
    assert result.exit_code == 0
    assert result.stdout == result_of(draftroom)["article"]
    assert result.stdout.startswith("# ")


def test_progress_and_findings_go_to_standard_error(draftroom: Command, paper: Path):
    result = draftroom("explain", paper)
    (record,) = draftroom.records()
    lines = result.stderr.splitlines()
    assert [re.sub(r"\d+ tokens written", "", line) for line in lines[:2]] == [
        "round 0: journalist, write draft (large)",
        "round 0: journalist, write draft: 1 call, ",
    ]
    assert lines[2].startswith("Draft 0: grade ")
    assert [line for line in lines[3:] if line.endswith("(large)")] == [
        "round 1: reader, take notes (large)",
        "round 1: editor, advise (large)",
        "round 1: journalist, revise draft (large)",
    ]
    table = [line for line in lines if line.startswith("│")]
    assert [row.split()[1] for row in table] == ["0", "1"]
    assert sum("*" in row for row in table) == 1
    assert record["id"] in lines[-1]


def test_an_article_on_something_else_is_no_success_without_a_word(draftroom: Command, paper: Path):
    draftroom.endpoint.answer = Script([Text("# A pie\n\nThis is how to bake a pie.\n\nMix it and let it be.")])
    page = paper.with_suffix(".html")
    result = draftroom("explain", paper, "--rounds", "0", "-o", page)
    assert "Please note: the text is hardly about its source" in " ".join(result.stderr.split())
    assert "the text is hardly about its source" in page.read_text(encoding="utf-8")


def test_a_server_that_loads_its_model_is_waited_for_with_a_line(draftroom: Command, paper: Path):
    draftroom.endpoint.loading = 4
    result = draftroom.with_variables({"DRAFTROOM_MODELS__DEFAULT__RETRY_WAIT_S": "0"})("explain", paper)
    assert result.exit_code == 0
    assert result.stderr.replace("\n", " ").count("is loading its model; waiting for it") == 1


def test_quiet_prints_only_the_article(draftroom: Command, paper: Path):
    result = draftroom("explain", paper, "--quiet")
    assert result.stdout.startswith("# ")
    assert result.stderr == ""


def test_flags_decide_over_variables(draftroom: Command, paper: Path):
    flags = ["--rounds", "0", "--audience", "patient", "--select", "last", "--stop", "converged"]
    more = ["--scope", "whole", "--max-words", "90", "--variant", "no-notes", "--model", "small"]
    assert draftroom("explain", paper, *flags, *more).exit_code == 0
    settings = draftroom.records()[0]["settings"]
    chosen = {"audience": "patient", "rounds": 0, "select": "last", "stop": "converged", "variant": "no-notes"}
    assert settings["journalism"].items() >= {**chosen, "scope": "whole", "max_words": 90}.items()
    assert {model["model"] for model in settings["models"].values()} == {"small"}
    (request,) = draftroom.endpoint.chat_requests
    assert request.model == "small"
    assert "at most 90 words" in request.text


def test_the_model_flag_wins_over_the_roles_of_a_preset(draftroom: Command, paper: Path):
    flags = ["--preset", "paper", "--rounds", "0", "--model", "small", "--base-url", draftroom.endpoint.base_url]
    assert draftroom("explain", paper, *flags).exit_code == 0
    assert set(draftroom.records()[0]["models"].values()) == {"small"}


def test_a_paper_from_standard_input(draftroom: Command):
    result = draftroom("explain", "-", "--rounds", "0", stdin=PAPER.encode())
    assert result.exit_code == 0
    record = draftroom.records()[0]
    assert record["input"]["name"] == "standard input"
    assert Path(record["input"]["path"]).read_bytes() == PAPER.encode()
    assert "12 mosses" in draftroom.endpoint.chat_requests[0].text


def test_a_paper_from_a_pipe(draftroom: Command, tmp_path: Path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(PAPER.encode(),))
    writer.start()
    result = draftroom("explain", pipe, "--rounds", "0")
    writer.join()
    assert result.exit_code == 0
    assert "12 mosses" in draftroom.endpoint.chat_requests[0].text


@pytest.mark.timeout(30)
def test_a_pipe_that_nobody_writes_to_is_not_waited_for(draftroom: Command, tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    result = draftroom("explain", tmp_path / "pipe")
    assert result.exit_code == EXIT_CODES["empty_input"]
    assert "nobody writes to it" in result.stderr


def test_the_suffix_of_a_file_may_be_in_capitals(draftroom: Command, paper: Path):
    target = paper.with_name("article.HTML")
    assert draftroom("explain", paper, "--rounds", "0", "-o", target).exit_code == 0
    assert target.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_warnings_for_the_reader_are_told(draftroom: Command, paper: Path):
    paper.write_text(PAPER * 200, encoding="utf-8")
    result = draftroom("explain", paper, "--rounds", "0", "--model", "small")
    assert result.exit_code == 0
    assert "the journalist saw only the first" in result.stderr
    assert draftroom.records()[0]["usage"][0]["trims"] == 1


def test_a_prompt_that_the_server_cuts_in_silence_is_told_with_what_to_change(draftroom: Command, paper: Path):
    paper.write_text(PAPER * 60, encoding="utf-8")  # of a short prompt an estimate tells too little
    usage = {"prompt_tokens": 20, "completion_tokens": 9, "total_tokens": 29}
    draftroom.endpoint.answer = Script([Text(article(), usage=usage)])
    result = draftroom("explain", paper, "--rounds", "0")
    assert "of which its server says that it read 20" in " ".join(result.stderr.split())
    assert "`num_ctx`" in result.stderr
    assert draftroom.records()[0]["usage"][0]["trims"] == 1


def test_the_version(draftroom: Command):
    result = draftroom("--version")
    assert result.exit_code == 0
    assert result.stdout.strip().count(".") == 2


def test_a_reader_that_goes_away_is_no_fault(draftroom: Command, paper: Path):
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as closed:
        result = draftroom.process("explain", paper, "--rounds", "0", "--quiet", stdout=closed)
    assert "Traceback" not in result.stderr
    assert draftroom.records()[0]["status"] == "done"


def test_a_file_that_cannot_be_written_in_the_end_loses_nothing(draftroom: Command, tmp_path: Path, paper: Path):
    folder = tmp_path / "results"
    folder.mkdir()

    def remove_the_folder(request: RecordedRequest) -> Reply:
        folder.rmdir()
        return fill(request)

    draftroom.endpoint.answer = remove_the_folder
    result = draftroom("explain", paper, "--rounds", "0", "-o", folder / "article.md")
    (record,) = draftroom.records()
    assert result.exit_code == EXIT_CODES["output_unwritable"]
    assert f"draftroom show {record['id']}" in result.stderr
    assert record["status"] == "done"
    assert draftroom("resume", "last").stdout.startswith("# ")


def test_a_result_says_which_extensions_were_on(draftroom: Command, paper: Path):
    page = paper.with_suffix(".html")
    result = draftroom(
        "explain", paper, "--rounds", "0", "--extensions", "rewrite_copied,unsupported_details", "-o", page
    )
    assert "Extensions: unsupported_details, rewrite_copied" in result.stderr
    assert "Extensions: unsupported_details, rewrite_copied" in page.read_text(encoding="utf-8")
    assert draftroom.records()[0]["extensions"] == ["unsupported_details", "rewrite_copied"]
    assert "Extensions: unsupported_details, rewrite_copied" in draftroom("show", "last").stdout
