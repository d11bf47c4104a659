"""Files that people hand over: what is read, and what is said of those that cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import BaseModel

from state.errors import InputError
from state.files import read_text, read_validated_records


class Cup(BaseModel):
    tea: str


def written(folder: Path, data: str, encoding: str = "utf-8") -> Path:
    path = folder / "cups.jsonl"
    path.write_bytes(data.encode(encoding))
    return path


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_records_have_the_numbers_of_their_lines(tmp_path: Path, end: str) -> None:
    path = written(tmp_path, end.join(['{"tea": "black"}', " ", '{"tea": "green\u2028and mint"}', ""]))
    assert read_validated_records(path, Cup, "cup") == [(1, Cup(tea="black")), (3, Cup(tea="green\u2028and mint"))]


def test_a_byte_order_mark_is_no_part_of_a_text(tmp_path: Path) -> None:
    assert read_text(written(tmp_path, "black\r\ntea", "utf-8-sig"), "list") == "black\r\ntea"


@pytest.mark.parametrize(
    ("data", "problem", "kind"),
    [
        ("\n \n", r"cups\.jsonl is empty; give a file with one cup a line", "empty_input"),
        ('{"tea": "black"}\n{', r"Line 2 of .*cups\.jsonl is no cup: `value`: invalid JSON", "bad_request"),
        ('\n{"coffee": 1}', r"Line 2 of .*cups\.jsonl is no cup: `tea`: field required", "bad_request"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, data: str, problem: str, kind: str) -> None:
    with pytest.raises(InputError, match=problem) as caught:
        read_validated_records(written(tmp_path, data), Cup, "cup")
    assert caught.value.kind == kind


def test_another_encoding_is_named_by_its_line_or_its_first_byte(tmp_path: Path) -> None:
    path = written(tmp_path, '{"tea": "black"}\n{"tea": "\u00fcber"}', "latin-1")
    with pytest.raises(InputError, match=r"Line 2 of .*cups\.jsonl is no cup"):
        read_validated_records(path, Cup, "cup")
    with pytest.raises(InputError, match=r"cups\.jsonl is not UTF-8 \(byte 26\)") as caught:
        read_text(path, "list")
    assert caught.value.kind == "not_utf8"
