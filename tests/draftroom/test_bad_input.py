"""Each bad input: its exit code, one sentence, no traceback, and not one request for a completion."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import Result

from draftroom.exit_codes import EXIT_CODES
from state.errors import ErrorKind
from tests.draftroom.conftest import Command
from tests.draftroom.refusing import assert_refused
from tests.fake_endpoint import FakeEndpoint
from tests.support.disks import small_disk


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("empty.txt", b" \n", "empty_input"),
        ("picture.txt", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(200), "binary_input"),
        ("latin.txt", "Möwen fliegen übers Meer".encode("latin-1"), "not_utf8"),
        ("broken.pdf", b"%PDF-1.7\nthis is no PDF", "broken_pdf"),
    ],
)
def test_a_paper_that_cannot_be_used(draftroom: Command, tmp_path: Path, name: str, content: bytes, kind: ErrorKind):
    path = tmp_path / name
    path.write_bytes(content)
    result = draftroom("explain", path)
    assert_refused(draftroom, result, kind)
    assert name in result.stderr


@pytest.mark.parametrize("name", ["missing.txt", "a name with spaces", "."])
def test_a_file_that_does_not_exist(draftroom: Command, tmp_path: Path, name: str):
    assert_refused(draftroom, draftroom("explain", tmp_path / name), "missing_file")


def test_nothing_on_standard_input(draftroom: Command):
    result = draftroom("explain", "-", stdin=b"")
    assert_refused(draftroom, result, "empty_input")
    assert "standard input" in result.stderr


@pytest.mark.parametrize(
    "flags",
    [
        ["--preset", "nonsense"],
        ["--rounds", "99"],
        ["--max-words", "1"],
        ["--base-url", "not an address"],
        ["--base-url", "http://user:secret@127.0.0.1/v1"],
    ],
)
def test_a_setting_that_cannot_be_used(draftroom: Command, paper: Path, flags: list[str]):
    result = draftroom("explain", paper, *flags)
    assert_refused(draftroom, result, "bad_settings")
    assert "secret" not in result.output


@pytest.mark.parametrize(
    "arguments", [["--nonsense"], ["--audience", "nobody"], ["--rounds", "many"], ["-o", "article.docx"], ["-o", "x"]]
)
def test_a_flag_that_cannot_be_used(draftroom: Command, paper: Path, arguments: list[str]):
    result = draftroom("explain", paper, *arguments)
    assert result.exit_code == 2
    assert "Traceback" not in result.stderr
    assert draftroom.endpoint.requests == []
    assert draftroom.records() == []


@pytest.mark.parametrize("name", ["no such folder/article.md", "folder.md", "file/article.md"])
def test_an_output_that_cannot_be_written(draftroom: Command, paper: Path, tmp_path: Path, name: str):
    (tmp_path / "folder.md").mkdir()
    (tmp_path / "file").touch()
    assert_refused(draftroom, draftroom("explain", paper, "-o", tmp_path / name), "output_unwritable")


def test_a_state_folder_that_cannot_be_made(draftroom: Command, paper: Path, tmp_path: Path):
    (tmp_path / "file").touch()
    result = draftroom.with_variables({"DRAFTROOM_HOME": str(tmp_path / "file")})("explain", paper)
    assert_refused(draftroom, result, "state_unwritable")


def test_a_checkpoint_file_that_cannot_be_made(draftroom: Command, paper: Path, tmp_path: Path):
    (tmp_path / "file").touch()
    checkpoints = f"sqlite:///{tmp_path}/file/checkpoints.sqlite"
    result = draftroom.with_variables({"DRAFTROOM_CHECKPOINTS": checkpoints})("explain", paper)
    assert_refused(draftroom, result, "state_unwritable")


def test_markup_in_a_name_is_printed_as_it_is(draftroom: Command, tmp_path: Path):
    result = draftroom("explain", tmp_path / "[bold]moss[/bold]\x1b[31m.txt")
    assert_refused(draftroom, result, "missing_file")
    assert "[bold]moss[/bold]" in result.stderr
    assert "\x1b" not in result.stderr


def assert_failed(draftroom: Command, result: Result, kind: ErrorKind) -> None:
    """A run that began: its failure is on record, and the command tells how to go on."""
    (record,) = draftroom.records()
    assert result.exit_code == EXIT_CODES[kind], result.output
    assert record["status"] == "failed"
    assert [failure["kind"] for failure in record["failures"]] == [kind]
    assert "Traceback" not in result.stderr
    assert f"draftroom resume {record['id']}" in result.stderr


def test_an_endpoint_that_is_down(draftroom: Command, paper: Path):
    draftroom.endpoint.close()
    result = draftroom("explain", paper)
    assert_failed(draftroom, result, "endpoint_down")
    assert "start it (`draftroom models up`) or correct `base_url`" in " ".join(result.stderr.split())


def test_a_model_that_is_not_served(draftroom: Command, paper: Path):
    result = draftroom("explain", paper, "--model", "huge")
    assert_failed(draftroom, result, "wrong_model")
    assert "large" in result.stderr
    assert draftroom.endpoint.chat_requests == []


def test_a_context_that_is_too_small(draftroom: Command, paper: Path):
    with FakeEndpoint({"large": 512}) as small:
        result = draftroom("explain", paper, "--base-url", small.base_url)
        assert_failed(draftroom, result, "context_overflow")
        assert small.chat_requests == []


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system with room for a few checkpoints only."""
    with small_disk(tmp_path / "disk", 512) as folder:
        yield folder


def test_a_disk_that_fills_up_in_the_middle(draftroom: Command, paper: Path, tiny_disk: Path):
    on_tiny_disk = draftroom.with_variables({"DRAFTROOM_CHECKPOINTS": f"sqlite:///{tiny_disk}/checkpoints.sqlite"})
    result = on_tiny_disk("explain", paper, "--rounds", "20")
    assert_failed(draftroom, result, "disk_full")
    assert draftroom.records()[0]["usage"] != []


def test_a_state_folder_on_a_full_disk(draftroom: Command, paper: Path, tiny_disk: Path):
    free = os.statvfs(tiny_disk).f_bavail * os.statvfs(tiny_disk).f_bsize
    (tiny_disk / "filling").write_bytes(bytes(free))
    result = draftroom.with_variables({"DRAFTROOM_HOME": str(tiny_disk)})("explain", paper)
    assert_refused(draftroom, result, "disk_full")
