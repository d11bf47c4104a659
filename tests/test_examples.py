"""The example paper: its PDF is built from its source, and what the README says about its paragraphs is so."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path
from typing import get_args

import pytest
from pypdf import PdfReader

from examples.build_pdf import HEADER, PDF, SOURCE, build
from state.feedback import Weakness
from tools.documents.reading import load_document, read_document

TEXT = SOURCE.read_text(encoding="utf-8")
README = (SOURCE.parent / "README.md").read_text(encoding="utf-8")
BODY = TEXT[TEXT.index("## Abstract") : TEXT.index("## References")]
PARAGRAPHS = {
    f"p{number}": block
    for number, block in enumerate((each for each in BODY.strip().split("\n\n") if each[0] != "#"), start=1)
}
WEAKNESSES = re.findall(r'^\| (p\d+) \| ([\w ]+) \| "(.+?)" \| .+? \| (?:(p\d+): "(.+?)" )?\|$', README, re.MULTILINE)


def test_the_pdf_is_what_the_script_makes_of_the_source() -> None:
    assert PDF.read_bytes() == build(TEXT), "run `python -m examples.build_pdf`"


def test_the_pdf_has_what_makes_journals_hard_to_read() -> None:
    pages = [page.extract_text() for page in PdfReader(BytesIO(build(TEXT))).pages]
    assert len(pages) >= 3
    assert all(HEADER in page for page in pages)
    assert all(re.search(rf"^\W*{number}\W*$", page, re.MULTILINE) for number, page in enumerate(pages, start=1))
    assert len(re.findall(r"\w-\n\w", "".join(pages))) > 10


def test_every_type_of_weakness_is_there() -> None:
    assert len(WEAKNESSES) == len(re.findall(r"^\| p\d", README, re.MULTILINE))
    assert {weakness for _, weakness, *_ in WEAKNESSES} == set(get_args(Weakness))


@pytest.mark.parametrize(("paragraph", "quote", "place", "answer"), [(a, c, d, e) for a, _, c, d, e in WEAKNESSES])
def test_weak_words_and_answers_stand_where_the_readme_says(
    paragraph: str, quote: str, place: str, answer: str
) -> None:
    assert quote in PARAGRAPHS[paragraph]
    assert not place or (place != paragraph and answer in PARAGRAPHS[place])


def test_reading_the_pdf_gives_the_paragraphs_of_the_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRAFTROOM_HOME", str(tmp_path))
    printed, source = (load_document(read_document(str(path))) for path in (PDF, SOURCE))
    found, expected = (
        [(each["id"], each["section"], each["text"]) for each in document["paragraphs"]]
        for document in (printed, source)
    )
    assert [text for _, _, text in expected] == list(PARAGRAPHS.values())
    assert found == expected
    assert printed["title"] == source["title"]
    assert printed["references"] == source["references"]
