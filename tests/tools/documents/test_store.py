"""A document is parsed once, kept whole, and checked when it is loaded; a source is a path or the text."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from state.documents import DocumentRef
from state.errors import BadInput, StateError
from tests.tools.documents.sheets import lines, pdf
from tools.documents.reading import load_document, read_document, read_document_bytes

TEXT = "1 Introduction\n\nThe sea is warm.\n\nIt is large as well.\n"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DRAFTROOM_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


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
    assert document["sha256"] == ref["sha256"]
    assert [paragraph["text"] for paragraph in document["paragraphs"]] == ["The sea is warm.", "It is large as well."]


@pytest.mark.parametrize("text", [TEXT, "# Seas\n\nThe sea is warm.\n"])
def test_what_came_as_text_is_kept_so_that_it_can_be_read_again(text: str) -> None:
    ref = read_document(text)
    assert Path(ref["source"]).read_text() == text
    assert read_document(ref["source"]) == ref


def test_explain_and_review_read_a_paper_once(tmp_path: Path) -> None:
    (tmp_path / "paper.pdf").write_bytes(pdf(lines(["The sea is warm."])))
    mark(read_document(str(tmp_path / "paper.pdf")))
    assert read_document(str(tmp_path / "paper.pdf"), scope="auto")["title"] == "From the store"


def test_the_same_content_is_parsed_once() -> None:
    data = pdf(lines(["The sea is warm."]))
    mark(read_document_bytes(data, name="one.pdf"))
    again = read_document_bytes(data, name="other.pdf", source="/other.pdf")
    assert (again["title"], again["source"]) == ("From the store", "/other.pdf")
    assert read_document_bytes(pdf(lines(["It was cold."])), name="one.pdf")["title"] == ""


def test_another_format_of_the_same_bytes_is_another_document() -> None:
    mark(read_document_bytes(b"# Seas\n\nWarm.\n", name="paper.md"))
    assert read_document_bytes(b"# Seas\n\nWarm.\n", name="paper.txt")["title"] == "# Seas"


def test_a_stored_document_is_refused_if_it_has_too_many_pages() -> None:
    data = pdf(*[lines([f"The {name} is warm."]) for name in ("sea", "lake", "pond")])
    read_document_bytes(data, name="paper.pdf")
    with pytest.raises(BadInput, match="3 pages, more than the 2") as error:
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


def test_loading_the_document_of_another_paper_says_so() -> None:
    ref, other = read_document(TEXT), read_document(f"{TEXT}\nAnd deep.")
    with pytest.raises(StateError, match="was changed"):
        load_document({**ref, "path": other["path"]})


def test_bad_sources_are_refused_whatever_they_are(tmp_path: Path) -> None:
    kinds = {}
    for name, source in {
        "missing": str(tmp_path / "missing.tex"),
        "folder": str(tmp_path),
        "blank": " \n",
    }.items():
        with pytest.raises(BadInput) as error:
            read_document(source)
        kinds[name] = error.value.kind
    assert kinds == {"missing": "missing_file", "folder": "missing_file", "blank": "empty_input"}


def test_too_many_words_and_no_words_are_refused() -> None:
    with pytest.raises(BadInput, match="200,000 words"):
        read_document_bytes(b"warm " * 200_001, name="paper.txt")
    with pytest.raises(BadInput, match="is empty"):
        read_document_bytes(b"<!-- nothing -->", name="paper.html")
    with pytest.raises(BadInput, match="PNG"):
        read_document_bytes(b"\x89PNG data", name="paper.html")


def test_importing_the_package_loads_no_parser() -> None:
    parsers = "pdfminer", "trafilatura", "lxml", "pylatexenc", "docx"
    code = f"import sys, tools.documents; print([name for name in {parsers} if name in sys.modules])"
    root = str(Path(__file__).parents[3])
    answer = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"
