"""Files that people hand over: what is read, and what is said of those that cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from state.errors import InputError
from state.files import read_text


def written(folder: Path, data: str, encoding: str = "utf-8") -> Path:
    path = folder / "cups.jsonl"
    path.write_bytes(data.encode(encoding))
    return path


def test_a_byte_order_mark_is_no_part_of_a_text(tmp_path: Path) -> None:
    assert read_text(written(tmp_path, "black\r\ntea", "utf-8-sig"), "list") == "black\r\ntea"


def test_another_encoding_is_named_by_its_first_byte(tmp_path: Path) -> None:
    path = written(tmp_path, '{"tea": "black"}\n{"tea": "\u00fcber"}', "latin-1")
    with pytest.raises(InputError, match=r"cups\.jsonl is not UTF-8 \(byte 26\)") as caught:
        read_text(path, "list")
    assert caught.value.kind == "not_utf8"
