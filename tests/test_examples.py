"""The example paper: its PDF says what its source says, and what the README says about its paragraphs is so."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from state.feedback import Weakness
from tools.documents.reading import load_document, read_document

SOURCE = Path(__file__).parents[1] / "examples" / "seedlings.md"
PDF = SOURCE.with_suffix(".pdf")
TEXT = SOURCE.read_text(encoding="utf-8")
README = (SOURCE.parent / "README.md").read_text(encoding="utf-8")
BODY = TEXT[TEXT.index("## Abstract") : TEXT.index("## References")]
PARAGRAPHS = {
    f"p{number}": block
    for number, block in enumerate((each for each in BODY.strip().split("\n\n") if each[0] != "#"), start=1)
}
WEAKNESSES = re.findall(r'^\| (p\d+) \| ([\w ]+) \| "(.+?)" \| .+? \| (?:(p\d+): "(.+?)" )?\|$', README, re.MULTILINE)


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
