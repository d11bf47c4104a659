"""Papers as text, Markdown, files and bytes: what is stored and found again, and the error for all that is no paper."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from state.documents import DocumentRef
from state.errors import DraftroomError, ErrorKind, InputError, StateError
from state.settings import Scope
from tests.tools.documents.sheets import lines, pdf
from tools.documents.reading import (
    NOT_ENGLISH_WARNING,
    is_english,
    load_document,
    load_source_text,
    read_document,
    read_document_bytes,
)

PROSE = "We measured how warm the sea was in 2019. It was 3 degrees warmer than before."


def test_the_text_itself_is_read_whole() -> None:
    paper = read_document(PROSE)
    assert load_source_text(paper) == PROSE
    assert paper["sha256"] == hashlib.sha256(PROSE.encode()).hexdigest()
    assert (paper["format"], paper["scope"], paper["words"], paper["pages"]) == ("text", "whole", 16, 0)


@pytest.mark.parametrize("text", ["~nobody has this home\nPROSE", "a " * 3000, "詩" * 300])
def test_a_text_that_is_no_path_is_never_taken_for_a_broken_one(text: str) -> None:
    assert read_document(text)["words"] > 0


def test_the_stored_text_is_clean() -> None:
    paper = read_document("Scientiﬁc\r\neﬀorts\x1b[31m and mea\u00ad\nsured un\u00adits")
    assert load_source_text(paper) == "Scientific\nefforts[31m and measured units"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_byte_order_marks_tell_the_encoding(encoding: str) -> None:
    paper = read_document_bytes("Größe und Maß".encode(encoding), name="standard input")
    assert load_source_text(paper) == "Größe und Maß"


def test_markdown_keeps_its_signs_but_not_addresses_and_front_matter() -> None:
    links = '[the data](https://example.org/a_(b) "here"), ![a map](map.png), [![badge](b.svg)](https://example.org)'
    paper = read_document_bytes(
        f"---\ntitle: front\n---\n# Warm *seas* #\n\nSee {links} [3].\n".encode(), name="paper.md"
    )
    assert (paper["title"], paper["format"]) == ("Warm seas", "markdown")
    assert load_source_text(paper) == "# Warm *seas* #\n\nSee the data, a map, badge [3]."


def test_the_same_bytes_as_markdown_and_as_text_are_stored_apart() -> None:
    data = b"See [this](https://example.org) page"
    as_markdown, as_text = read_document_bytes(data, name="a.md"), read_document_bytes(data, name="a.txt")
    assert as_markdown["sha256"] == as_text["sha256"]
    assert load_source_text(as_markdown) == "See this page"
    assert load_source_text(as_text) == data.decode()


@pytest.mark.parametrize(
    "text",
    [
        f"# Seas\n\n## Abstract\n\n{PROSE}\n\n## Methods\n\nA thermometer.",
        f"Seas\n\nABSTRACT: {PROSE}\nKeywords: sea, warmth\nSeas are wet.",
        f"Seas\n\nA BSTRACT\n{PROSE}\n1 I NTRODUCTION\nSeas are wet.",
        f"Abstract\n\n{PROSE}",
    ],
)
def test_the_abstract_of_a_text_on_request(text: str) -> None:
    paper = read_document_bytes(text.encode(), name="paper.md", scope="abstract")
    assert paper["scope"] == "abstract"
    assert load_source_text(paper) == PROSE


def test_headings_inside_a_structured_abstract_do_not_end_it() -> None:
    text = f"## Abstract\n### Background\nSeas.\n### Results\n{PROSE}\n## Methods\nA thermometer."
    abstract = load_source_text(read_document_bytes(text.encode(), name="paper.md", scope="abstract"))
    assert abstract == f"### Background\n\nSeas.\n\n### Results\n\n{PROSE}"


@pytest.mark.parametrize("text", [PROSE, "Abstract-based methods of\nthinking", "Abstract\n" + "long " * 900])
def test_a_text_without_an_abstract_says_so_on_request(text: str) -> None:
    with pytest.raises(InputError, match="use the whole paper"):
        read_document(text, scope="abstract")


REFERENCES = "[1] A. Author. 2019. Seas.\n[2] B. Author. 2020. Lakes.\n[3] C. Author. 2021. Ponds."


def test_the_reference_list_is_cut_and_an_appendix_kept() -> None:
    paper = read_document(f"{PROSE}\nReferences\n{REFERENCES}\nAppendix A: data\nMore.")
    assert load_source_text(paper) == f"{PROSE}\nAppendix A: data\nMore."


def test_a_heading_without_a_list_cuts_nothing() -> None:
    text = f"{PROSE}\nReferences\nThe letter has none."
    assert load_source_text(read_document(text)) == text


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        *[(data, "empty_input") for data in ("\ufeff\n".encode("utf-16"), b"\x01\x02", b"---\ntitle: x\n---\n")],
        *[(data, "binary_input") for data in (b"PK\x03\x04...", b"words \x00 words", b"\xff\x00\x01")],
        *[(data, "input_too_long") for data in (b"word " * 200_001, b"x" * 4_000_001, b" " * 50_000_001)],
    ],
)
def test_what_is_no_paper_is_refused_by_its_kind(data: bytes, kind: ErrorKind) -> None:
    with pytest.raises(InputError, match=r"paper\.md") as error:
        read_document_bytes(data, name="paper.md")
    assert error.value.kind == kind


def test_another_encoding_is_refused_with_the_place() -> None:
    with pytest.raises(InputError, match=r"at byte 2; convert it first.*iconv") as error:
        read_document_bytes("Maß und Größe".encode("latin-1")[:3] + b"\xdf und", name="paper.txt")
    assert error.value.kind == "not_utf8"


def test_half_a_surrogate_pair_is_refused() -> None:
    with pytest.raises(InputError) as error:
        read_document("half a \ud800 pair")
    assert error.value.kind == "not_utf8"


@pytest.mark.parametrize(
    "data", [b"`" * 3_000_000, b"```a\n" * 190_000 + b"x", b"[" * 3_000_000, b"x" + b" " * 3_000_000 + b"y"]
)
def test_text_made_to_stall_a_pattern_does_not(data: bytes) -> None:
    assert read_document_bytes(data, name="paper.md")["words"] > 0


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200), st.sampled_from(["a.txt", "a.md", "a.pdf", ""]), st.sampled_from(["auto", "abstract"]))
def test_any_bytes_end_in_a_paper_or_in_an_error_of_ours(data: bytes, name: str, scope: Scope) -> None:
    with suppress(DraftroomError):
        assert load_source_text(read_document_bytes(data, name=name, scope=scope)).strip()


TEXT = "A warm sea\n\n1 Introduction\n\nThe sea is warm.\n\nIt is large as well.\n"


def mark(ref: DocumentRef) -> None:
    """Change the title in the stored file, so that a document that comes from it can be told."""
    path = Path(ref["path"])
    path.write_text(json.dumps(json.loads(path.read_text()) | {"title": "From the store"}))


def test_a_file_is_read_into_the_state_folder(tmp_path: Path, home: Path) -> None:
    file = tmp_path / "paper.txt"
    file.write_text(TEXT)
    ref = read_document(str(file))
    assert Path(ref["path"]).parent == home / "state" / "documents"
    assert (ref["source"], ref["format"], ref["pages"], ref["paragraphs"]) == (str(file), "text", 0, 2)
    document = load_document(ref)
    assert (document["sha256"], document["title"]) == (ref["sha256"], "A warm sea")
    assert [paragraph["text"] for paragraph in document["paragraphs"]] == ["The sea is warm.", "It is large as well."]


@pytest.mark.parametrize("text", [TEXT, "# Seas\n\nThe sea is warm.\n"])
def test_what_came_as_text_is_kept_so_that_it_can_be_read_again(text: str) -> None:
    ref = read_document(text)
    assert Path(ref["source"]).read_text() == text
    assert read_document(ref["source"]) == ref


def test_the_same_content_is_parsed_once() -> None:
    data = pdf(lines(["The sea is warm."]))
    mark(read_document_bytes(data, name="one.pdf"))
    again = read_document_bytes(data, name="other.pdf", source="/other.pdf")
    assert (again["title"], again["source"]) == ("From the store", "/other.pdf")
    assert read_document_bytes(pdf(lines(["It was cold."])), name="one.pdf")["title"] == ""


def test_a_stored_document_is_refused_if_it_has_too_many_pages() -> None:
    data = pdf(*[lines([f"The {name} is warm."]) for name in ("sea", "lake", "pond")])
    read_document_bytes(data, name="paper.pdf")
    with pytest.raises(InputError, match="3 pages, but only 2") as error:
        read_document_bytes(data, name="paper.pdf", max_pages=2)
    assert error.value.kind == "input_too_long"


@pytest.mark.parametrize("damaged", ["", "{", '{"title": "no document"}', '"\\ud800"'])
def test_a_damaged_file_is_parsed_anew(damaged: str) -> None:
    ref = read_document(TEXT)
    Path(ref["path"]).write_text(damaged)
    assert read_document(TEXT) == ref
    assert load_document(ref)["paragraphs"][0]["text"] == "The sea is warm."


def test_loading_a_document_that_is_gone_says_so() -> None:
    ref = read_document(TEXT)
    assert load_document(ref)
    Path(ref["path"]).unlink()
    with pytest.raises(StateError, match="start a new run from the paper") as error:
        load_document(ref)
    assert error.value.kind == "missing_file"


@pytest.mark.parametrize("other", ["{}", '{"sha256": "0"}', "no JSON"])
def test_loading_a_document_that_was_changed_says_so(other: str) -> None:
    ref = read_document(TEXT)
    assert load_document(ref)
    Path(ref["path"]).write_text(other)
    with pytest.raises(StateError, match="was changed") as error:
        load_document(ref)
    assert error.value.kind == "run_incompatible"


def test_importing_the_package_loads_no_parser() -> None:
    parsers = "pypdfium2_raw", "pypdf", "trafilatura", "lxml", "pylatexenc", "docx"
    code = f"import sys, tools.documents; print([name for name in {parsers} if name in sys.modules])"
    root = str(Path(__file__).parents[3])
    answer = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


OTHERS = {
    "German": (
        "Bei Erwachsenen mit chronischen Rückenschmerzen wurde untersucht, ob betreutes Yoga die Schmerzen im"
        " Vergleich zur üblichen Behandlung lindert. Schwere unerwünschte Ereignisse traten in keiner der "
        "Gruppen auf."
    ),
    "Chinese": (
        "慢性腰痛常用口服止痛药治疗。我们将成年人随机分配接受瑜伽或常规护理。十二周后评估疼痛强度。没有观察到严重不良事件。"
    ),
}


@pytest.mark.parametrize("text", OTHERS.values())
def test_other_languages_are_told_from_english(text: str) -> None:
    assert not is_english(text)
    assert is_english("We solve min ||Ax - b||^2 + lambda ||x||_1 for x in R^n, where A is m x n and lambda > 0.")


def test_the_examples_pass_and_a_foreign_paper_carries_the_warning(
    tmp_path: Path,
) -> None:
    for example in ("mosses.md", "inhalers.md", "seedlings.pdf"):
        assert NOT_ENGLISH_WARNING not in read_document(f"examples/{example}")["warnings"]
    paper = tmp_path / "aufsatz.md"
    paper.write_text(f"# Rückenschmerzen\n\n{OTHERS['German']}\n", encoding="utf-8")
    assert NOT_ENGLISH_WARNING in read_document(str(paper))["warnings"]
