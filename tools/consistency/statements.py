"""What is checked: paragraphs and rows of tables, in plain signs, with their own words as quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from state.computed_findings import CheckKind, ComputedFinding, Severity
from state.documents import Document, Paragraph
from tools.consistency.tables import row_sentences
from tools.text.sentences import sentence_ends

# One character each, so that places in the text stay what they were.
_SIGNS = str.maketrans(
    {
        **dict.fromkeys("\u2212\ufe63\uff0d\u2010\u2011", "-"),
        **dict.fromkeys("\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f$*", " "),
        **dict.fromkeys("\u2a7d\u2266", "≤"),
        **dict.fromkeys("\u2a7e\u2267", "≥"),
        **dict.fromkeys("\uff1c\ufe64", "<"),
        **dict.fromkeys("\uff1e\ufe65", ">"),
        **dict.fromkeys("\u03a7\U0001d712\U0001d74c", "χ"),
        **dict.fromkeys("\u2013\u2014", "–"),
        **dict.fromkeys("\U0001d45d\U0001d443\u03a1", "p"),
        "\U0001d461": "t",
        "\U0001d439": "F",
        "\U0001d45f": "r",
        "\U0001d467": "z",
        "\u2217": " ",
        "\u00d7": "x",
    }
)
_RAISED_POINT = re.compile(r"(?<=\d)[·∙](?=\d)")


@dataclass(frozen=True)
class Statement:
    """A paragraph, or a row of a table."""

    paragraph: Paragraph
    text: str
    """As it is checked."""
    row: bool = False
    """Whether the text was put together from a table's row and header; it is then quoted as a whole."""
    verbatim: str = ""
    """Of a row: its cells."""

    def sentences(self) -> list[tuple[int, int]]:
        """Where its sentences begin and end."""
        starts = [0, *sentence_ends(self.text)]
        return list(zip(starts, [*starts[1:], len(self.text)], strict=True))

    def sentence_at(self, place: int) -> tuple[int, int]:
        """The sentence around a place."""
        return next(((start, end) for start, end in self.sentences() if start <= place < end), (0, len(self.text)))

    def finding(
        self, kind: CheckKind, severity: Severity, place: tuple[int, int], *, computation: str, consistent: str
    ) -> ComputedFinding:
        """A finding that quotes the words between two places."""
        words = self.verbatim if self.row else self.paragraph["text"][slice(*place)]
        return ComputedFinding(
            kind=kind,
            severity=severity,
            paragraph=self.paragraph["id"],
            section=self.paragraph["section"],
            page=self.paragraph["page"],
            quote=words.strip(),
            computation=computation,
            consistent=consistent,
        )


def plain_signs(text: str) -> str:
    """The text, of the same length, with one sign for each of minus, blank, less, times and decimal point."""
    return _RAISED_POINT.sub(".", text.translate(_SIGNS))


def is_prose(statement: Statement) -> bool:
    """Whether it ends as a sentence does, and not as a table that a format gave as text."""
    return not statement.row and re.search(r"[.!?:;][\"'”’)\]\d\s,–]*$", statement.text) is not None


def statements(document: Document) -> list[Statement]:
    """Paragraphs and rows of a paper in reading order."""
    return [found for paragraph in document["paragraphs"] for found in _of_paragraph(paragraph)]


def _of_paragraph(paragraph: Paragraph) -> Iterator[Statement]:
    rows = paragraph.get("rows")
    if not rows:
        yield Statement(paragraph, plain_signs(paragraph["text"]))
        return
    for cells, sentence in row_sentences([[plain_signs(cell) for cell in row] for row in rows]):
        yield Statement(paragraph, sentence, row=True, verbatim=" | ".join(filter(None, rows[cells])))
