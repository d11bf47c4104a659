"""What is checked: paragraphs and rows of tables, in plain signs, with their own words as quotes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from state.computed_findings import CheckKind, ComputedFinding, Severity
from state.documents import Document, Paragraph
from tools.text import sentence_ends

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
        **{chr(0x2080 + digit): str(digit) for digit in range(10)},
        "\u208d": "(",
        "\u208e": ")",
        "\u00d7": "x",
    }
)
_OPENS_CAPTION = re.compile(r"\s?(?:(?:Table|TABLE|Tab\.)\s?\d|Notes?[.:])")
_LONGEST_CAPTION = 250  # characters of a paragraph that does not begin with the word
_THIN_SPACE = re.compile("(?<=\\d)[\u00a0\u2009\u202f](?=\\d{3}(?!\\d))")
_RAISED_POINT = re.compile(r"(?<=\d)[·∙](?=\d)")
_BELOW_LINE = re.compile(r"~(?=[^\s~]{1,12}~)(?P<inside>[^~]+)~")
_ABOVE_LINE = re.compile(r"\^(?P<inside>[^\s^]{1,12})\^")
"""Markdown's `F~1,143~` and `χ^2^`."""


@dataclass(frozen=True)
class Statement:
    """A paragraph, or a row of a table."""

    paragraph: Paragraph
    text: str
    """As it is checked."""
    row: bool = False
    """Whether the text is that of a table's cells; it is then quoted as a whole."""
    verbatim: str = ""
    """Of a row: its cells, as the paper prints them."""
    caption: str = ""
    """Of a row: that of its table."""

    def sentences(self) -> list[tuple[int, int]]:
        """Where its sentences begin and end."""
        starts = [0, *sentence_ends(self.text)]
        return list(zip(starts, [*starts[1:], len(self.text)], strict=True))

    def sentence_at(self, place: int) -> tuple[int, int]:
        """The sentence around a place."""
        return next(((start, end) for start, end in self.sentences() if start <= place < end), (0, len(self.text)))

    def finding(
        self,
        kind: CheckKind,
        severity: Severity,
        place: tuple[int, int],
        *,
        computation: str,
        consistent: str,
        explanations: Sequence[str] = (),
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
            explanations=list(explanations),
        )


def plain_signs(text: str) -> str:
    """The text, of the same length, with one sign for each of minus, blank, less, times and decimal point."""
    lines = _ABOVE_LINE.sub(r"^\g<inside> ", _BELOW_LINE.sub(r"_\g<inside> ", text))
    return _RAISED_POINT.sub(".", _THIN_SPACE.sub(",", lines).translate(_SIGNS))


def is_prose(statement: Statement) -> bool:
    """Whether it ends as a sentence does, and not as a table that a format gave as text."""
    return not statement.row and re.search(r"[.!?:;][\"'”’)\]]*\s*$", statement.text) is not None


class PaperTable(NamedTuple):
    """A table in plain signs."""

    header: list[str]
    rows: list[list[str]]
    caption: str


class TableRows(NamedTuple):
    """A table with a statement for each row below its header."""

    table: PaperTable
    rows: list[Statement]
    notes: str
    """The paragraph below it."""


def statements(document: Document) -> tuple[list[Statement], list[TableRows]]:
    """Paragraphs and rows of a paper in reading order, and its tables."""
    found: list[Statement] = []
    tables: list[TableRows] = []
    for at, paragraph in enumerate(document["paragraphs"]):
        title, rows = "", paragraph.get("rows", [])
        if len(rows) > 2 and len(rows[1]) > 1 and sum(map(bool, rows[0])) == 1:
            title, rows = plain_signs("".join(rows[0])), rows[1:]  # one cell over all columns is not the header
        if len(rows) < 2:
            found.append(Statement(paragraph, plain_signs(paragraph["text"])))
            continue
        caption = f"{title} {_caption(document['paragraphs'], at)}"
        header, *body = [[" ".join(plain_signs(cell).split()) for cell in row] for row in rows]
        table = PaperTable(header + [""] * (max(map(len, rows)) - len(header)), body, caption)
        told = f"{table.caption} {' '.join(table.header)}"
        lines = [
            Statement(paragraph, " | ".join(filter(None, row)), row=True, verbatim=" | ".join(cells), caption=told)
            for row, cells in zip(table.rows, rows[1:], strict=True)
        ]
        below = document["paragraphs"][at + 1 : at + 2]
        tables.append(TableRows(table, lines, plain_signs(below[0]["text"]) if below else ""))
        found += lines
    return found, tables


def _caption(paragraphs: Sequence[Paragraph], at: int) -> str:
    """What stands before the first cell, and next to the table if it is short or begins with the word."""
    paragraph = paragraphs[at]
    first = next((cell for row in paragraph.get("rows", []) for cell in row if cell), "")
    near = [paragraph["text"].partition(first)[0], paragraphs[at - 1]["text"] if at else ""]
    near += [after["text"] for after in paragraphs[at + 1 : at + 2] if _OPENS_CAPTION.match(after["text"])]
    return plain_signs(" ".join(text for text in near if len(text) < _LONGEST_CAPTION or _OPENS_CAPTION.match(text)))
