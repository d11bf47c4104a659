"""Papers as text, Markdown, files and bytes: what is stored, and the error for everything that is no paper."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from state.errors import BadInput, DraftroomError, Kind, StateError
from state.settings import Scope
from tools.documents.reading import read_document, read_document_bytes, stored_text

PROSE = "We measured how warm the sea was in 2019. It was 3 degrees warmer than before."


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DRAFTROOM_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def kind_of(data: bytes, name: str = "paper.txt") -> Kind:
    with pytest.raises(BadInput) as error:
        read_document_bytes(data, name=name)
    assert name in str(error.value)
    return error.value.kind


def test_the_text_itself_is_read_whole() -> None:
    paper = read_document(PROSE)
    assert stored_text(paper) == PROSE
    assert paper["sha256"] == hashlib.sha256(PROSE.encode()).hexdigest()
    assert (paper["format"], paper["scope"], paper["words"], paper["pages"]) == ("text", "whole", 16, 0)


@pytest.mark.timeout(30)
def test_a_pipe_that_nobody_writes_to_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "paper.txt")
    with pytest.raises(BadInput, match="nobody writes to it"):
        read_document(str(tmp_path / "paper.txt"))


def test_a_file_is_read_and_titled_by_its_first_line(tmp_path: Path) -> None:
    file = tmp_path / "my paper.txt"
    file.write_text(f"A warm sea\n\n{PROSE}\n")
    paper = read_document(str(file))
    assert paper["title"] == "A warm sea"
    assert stored_text(paper) == f"A warm sea\n\n{PROSE}"


@pytest.mark.parametrize("text", [PROSE, f"{PROSE}\n\nMore.", "Abstract\n\nMore of it.", "One line\nand another"])
def test_a_text_without_a_title_gets_none(text: str) -> None:
    assert read_document(text)["title"] == ""


@pytest.mark.parametrize("text", ["~nobody has this home\nPROSE", "a " * 3000, "詩" * 300])
def test_a_text_that_is_no_path_is_never_taken_for_a_broken_one(text: str) -> None:
    assert read_document(text)["words"] > 0


def test_the_stored_text_is_clean() -> None:
    paper = read_document("Scientiﬁc\r\neﬀorts\x1b[31m and mea\u00ad\nsured un\u00adits")
    assert stored_text(paper) == "Scientific\nefforts[31m and measured units"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_byte_order_marks_tell_the_encoding(encoding: str) -> None:
    paper = read_document_bytes("Größe und Maß".encode(encoding), name="standard input")
    assert stored_text(paper) == "Größe und Maß"


MARKDOWN = """---
title: front
---
# Warm *seas* #

See [the data](https://example.org/a_(b) "here") and ![a map](map.png), [![badge](b.svg)](https://ci.example.org),
<https://example.org>, [one][ref], citation [3] and `[code](stays)`.

```python
# not a title
rows = [load](path)
```

[ref]: https://example.org/ref
The end.
"""


def test_markdown_keeps_text_and_code_but_not_addresses() -> None:
    paper = read_document_bytes(MARKDOWN.encode(), name="paper.md")
    assert paper["title"] == "Warm seas"
    assert paper["format"] == "markdown"
    assert stored_text(paper) == (
        "# Warm *seas* #\n\nSee the data and a map, badge,\nhttps://example.org, one, citation [3] and "
        "`[code](stays)`.\n\n```python\n# not a title\nrows = [load](path)\n```\n\nThe end."
    )


def test_the_same_bytes_as_markdown_and_as_text_are_stored_apart() -> None:
    data = b"See [this](https://example.org) page"
    as_markdown, as_text = read_document_bytes(data, name="a.md"), read_document_bytes(data, name="a.txt")
    assert as_markdown["sha256"] == as_text["sha256"]
    assert stored_text(as_markdown) == "See this page"
    assert stored_text(as_text) == data.decode()


@pytest.mark.parametrize(
    "text",
    [
        f"# Seas\n\n## Abstract\n\n{PROSE}\n\n## Methods\n\nA thermometer.",
        f"# Seas\n\n**Abstract.** {PROSE}\n\n# Introduction\n\nSeas are wet.",
        f"Seas\n\nAbstract\n{PROSE}\n\n1. Introduction\nSeas are wet.",
        f"Seas\n\nABSTRACT: {PROSE}\nKeywords: sea, warmth\nSeas are wet.",
        f"Seas\n\nA BSTRACT\n{PROSE}\n1 I NTRODUCTION\nSeas are wet.",
        f"Abstract\n\n{PROSE}",
    ],
)
def test_the_abstract_of_a_text_on_request(text: str) -> None:
    paper = read_document_bytes(text.encode(), name="paper.md", scope="abstract")
    assert paper["scope"] == "abstract"
    assert stored_text(paper) == PROSE


def test_headings_inside_a_structured_abstract_do_not_end_it() -> None:
    text = f"## Abstract\n### Background\nSeas.\n### Results\n{PROSE}\n## Methods\nA thermometer."
    abstract = stored_text(read_document_bytes(text.encode(), name="paper.md", scope="abstract"))
    assert abstract == f"### Background\nSeas.\n### Results\n{PROSE}"


@pytest.mark.parametrize("text", [PROSE, "Abstract-based methods of\nthinking", "Abstract\n" + "long " * 900])
def test_a_text_without_an_abstract_says_so_on_request(text: str) -> None:
    with pytest.raises(BadInput, match="use the whole paper"):
        read_document(text, scope="abstract")


REFERENCES = "[1] A. Author. 2019. Seas.\n[2] B. Author. 2020. Lakes.\n[3] C. Author. 2021. Ponds."


def test_the_reference_list_is_cut_and_an_appendix_kept() -> None:
    paper = read_document(f"{PROSE}\nReferences\n{REFERENCES}\nAppendix A: data\nMore.")
    assert stored_text(paper) == f"{PROSE}\nAppendix A: data\nMore."


def test_a_heading_without_a_list_cuts_nothing() -> None:
    text = f"{PROSE}\nReferences\nThe letter has none."
    assert stored_text(read_document(text)) == text


def test_a_stored_text_that_was_changed_or_lost_is_noticed_and_stored_again() -> None:
    paper = read_document(PROSE)
    Path(paper["path"]).write_text("other")
    with pytest.raises(StateError, match="was changed") as changed:
        stored_text(paper)
    assert changed.value.kind == "run_incompatible"
    Path(paper["path"]).unlink()
    with pytest.raises(StateError, match="cannot be read") as lost:
        stored_text(paper)
    assert lost.value.kind == "missing_file"
    assert stored_text(read_document(PROSE)) == PROSE


def test_a_state_folder_that_cannot_be_written_is_a_state_error(home: Path) -> None:
    home.write_text("a file where the folder should be")
    with pytest.raises(StateError, match="DRAFTROOM_HOME") as error:
        read_document(PROSE)
    assert error.value.kind == "state_unwritable"


@pytest.mark.parametrize("source", ["paper.pdf", "no/such/file", "my missing paper.pdf", "/etc/passwd/paper.txt"])
def test_a_missing_file(source: str) -> None:
    with pytest.raises(BadInput, match="There is no file") as error:
        read_document(source)
    assert error.value.kind == "missing_file"


def test_a_folder_is_no_paper(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is a folder") as error:
        read_document(str(tmp_path))
    assert error.value.kind == "missing_file"


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that even root cannot read")
def test_a_file_that_cannot_be_read() -> None:
    with pytest.raises(BadInput, match="cannot be read") as error:
        read_document("/proc/self/mem")
    assert error.value.kind == "missing_file"


@pytest.mark.parametrize("data", [b"", b" \n\t", "\ufeff\n".encode("utf-16"), b"\x01\x02"])
def test_an_empty_file(data: bytes) -> None:
    assert kind_of(data) == "empty_input"


def test_a_markdown_file_of_front_matter_only_is_empty() -> None:
    assert kind_of(b"---\ntitle: x\n---\n", "paper.md") == "empty_input"


def test_an_empty_string() -> None:
    with pytest.raises(BadInput) as error:
        read_document(" \n")
    assert error.value.kind == "empty_input"


@pytest.mark.parametrize(
    "data",
    [b"\x89PNG\r\n\x1a\n...", b"PK\x03\x04...", b"{\\rtf1 x}", b"words \x00 words", b"\xff\x00\x01", b"a\x00b\x00"],
)
def test_a_binary_file(data: bytes) -> None:
    assert kind_of(data) == "binary_input"


def test_another_encoding_is_refused_with_the_place() -> None:
    with pytest.raises(BadInput, match=r"at byte 2; convert it first.*iconv") as error:
        read_document_bytes("Maß und Größe".encode("latin-1")[:3] + b"\xdf und", name="paper.txt")
    assert error.value.kind == "not_utf8"


def test_half_a_surrogate_pair_is_refused() -> None:
    with pytest.raises(BadInput) as error:
        read_document("half a \ud800 pair")
    assert error.value.kind == "not_utf8"


@pytest.mark.parametrize("data", [b"word " * 200_001, b"x" * 4_000_001, b" " * 50_000_001])
def test_a_text_that_is_too_long(data: bytes) -> None:
    assert kind_of(data) == "input_too_long"


@pytest.mark.parametrize(
    "data", [b"`" * 3_000_000, b"```a\n" * 190_000 + b"x", b"[" * 3_000_000, b"x" + b" " * 3_000_000 + b"y"]
)
def test_text_made_to_stall_a_pattern_does_not(data: bytes) -> None:
    assert read_document_bytes(data, name="paper.md")["words"] > 0


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200), st.sampled_from(["a.txt", "a.md", "a.pdf", ""]), st.sampled_from(["auto", "abstract"]))
def test_any_bytes_end_in_a_paper_or_in_an_error_of_ours(data: bytes, name: str, scope: Scope) -> None:
    with suppress(DraftroomError):
        assert stored_text(read_document_bytes(data, name=name, scope=scope)).strip()


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=200))
def test_any_string_ends_in_a_paper_or_in_an_error_of_ours(source: str) -> None:
    with suppress(DraftroomError):
        assert stored_text(read_document(source)).strip()
