"""Statements of a paper: its paragraphs and rows of tables, in plain signs for the checks and verbatim for quotes.

Signs are replaced one character for one, so that places in the plain text are places in the paper's own words.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from unicodedata import normalize

from state.computed_findings import CheckKind, ComputedFinding, Severity
from state.documents import Document, Paragraph, Reference
from tools.text import list_sentence_starts

# Blanks, full-width signs, lowered digits and letters of formulas; not raised digits, which powers need.
_BLOCKS = ((0xA0, 0xA1), (0x2000, 0x2060), (0x2080, 0x208F), (0xFE60, 0xFE70), (0xFF00, 0xFF5F), (0x1D400, 0x1D800))
_PLAIN_CHARACTERS = {code: normalize("NFKC", chr(code)) for block in _BLOCKS for code in range(*block)}
# The last characters are those that the fonts Mathematical Pi and Universal Greek show as = < > - x χ.
_SIGNS = {code: plain for code, plain in _PLAIN_CHARACTERS.items() if len(plain) == 1} | str.maketrans(
    "\u2212\u2010\u2011\ufe58\u2014\u2a7d\u2266\u2a7e\u2267\u03a7\u03a1\u00d7\u2217$*⫽⬍⬎⫺⫻␹ϭϽϾϪϫ",
    "---––≤≤≥≥χpx   =<>-xχ=<>-x",
)
_CAPTION_START = re.compile(r"\s?(?:(?:Table|TABLE|Tab\.)\s?\d|Notes?[.:])")
_MAX_QUOTE_CHARACTERS = 200  # of an entry of the list of references
_MAX_CAPTION_CHARACTERS = 250  # of a paragraph that does not begin with "Table"
_THIN_SPACE = re.compile("(?<=\\d)[\u00a0\u2009\u202f](?=\\d{3}(?!\\d))")
_RAISED_POINT = re.compile(r"(?<=\d)[·∙](?=\d)")
_RAISED_POWER = re.compile("10\\s?[\u207b\u2212–-][⁰¹²³⁴⁵⁶⁷⁸⁹]+")  # 10⁻⁵
_RAISED_DIGITS = str.maketrans("\u207b⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_WRITTEN_SIGNS = {"<=": "≤", r"\le": "≤", r"\leq": "≤", ">=": "≥", r"\ge": "≥", r"\geq": "≥"}
_WRITTEN_SIGNS |= {r"\times": "x", r"\cdot": "x"}
_WRITTEN_SIGN = re.compile(r"[<>]=|\\(?:leq?|geq?|times|cdot)(?![a-z])")
_TIMES_TEN = re.compile(r"[·∙⋅*×](?=\s?10\s?\^?\s?\{?\s?[-–\u2212])")  # 1.2 · 10-5
_RESTORED_SIGN_EXPLANATION = "another sign than was read: the font has destroyed it"
_BELOW_LINE = re.compile(r"~(?=[^\s~]{1,12}~)(?P<inside>[^~]+)~")
_ABOVE_LINE = re.compile(r"\^(?P<inside>[^\s^]{1,12})\^")  # Markdown's F~1,143~ and χ^2^


@dataclass(frozen=True)
class Statement:
    """A paragraph, or a row of a table, in plain signs and as it is printed."""

    paragraph: Paragraph
    text: str
    """The text in plain signs, which the checks read."""
    row: bool = False
    """Whether this is a row of a table; a finding then quotes it as a whole."""
    verbatim: str = ""
    """Cells of a row, as the paper prints them."""
    caption: str = ""
    """Caption and headings of the row's table."""

    def find_sentence_span(self, place: int) -> tuple[int, int]:
        """Return the start and the end of the sentence around an offset in the text."""
        starts = [0, *list_sentence_starts(self.text)]
        ends = [*starts[1:], len(self.text)]
        return next(((start, end) for start, end in zip(starts, ends, strict=True) if place < end), (0, len(self.text)))

    def build_finding(
        self,
        kind: CheckKind,
        severity: Severity,
        place: tuple[int, int | None] = (0, None),
        *,
        computation: str,
        consistent: str,
        explanations: Sequence[str] = (),
    ) -> ComputedFinding:
        """Return a finding that quotes the words at a place; its fields are those of `ComputedFinding`.

        Args:
            kind: Kind of the finding.
            severity: How grave it is.
            place: Start and end of the quoted words; by default the whole statement.
            computation: What was computed, and how it differs from the printed value.
            consistent: What would be consistent.
            explanations: What else could explain the difference.
        """
        words = self.verbatim if self.row else self.paragraph["text"][slice(*place)]
        signs = [] if self.row else zip(words, self.text[slice(*place)], strict=True)
        is_restored = any(read in "=<>" and normalize("NFKC", printed) not in "=<>" for printed, read in signs)
        return ComputedFinding(
            kind=kind,
            severity=severity,
            paragraph=self.paragraph["id"],
            section=self.paragraph["section"],
            page=self.paragraph["page"],
            quote=words.strip(),
            computation=computation,
            consistent=consistent,
            explanations=[*explanations, *([_RESTORED_SIGN_EXPLANATION] if is_restored else [])],
        )


def normalize_signs(text: str) -> str:
    """Return a text of the same length with a single sign for each of minus, blank, less, times and decimal point."""
    lines = _ABOVE_LINE.sub(r"^\g<inside> ", _BELOW_LINE.sub(r"_\g<inside> ", text))
    signs = _WRITTEN_SIGN.sub(lambda sign: _WRITTEN_SIGNS[sign[0]].rjust(len(sign[0])), lines)
    powers = _RAISED_POWER.sub(lambda power: power[0].translate(_RAISED_DIGITS), signs)
    return _RAISED_POINT.sub(".", _THIN_SPACE.sub(",", _TIMES_TEN.sub("x", powers)).translate(_SIGNS))


class Notation(NamedTuple):
    """Named tuple of the decimal sign of a whole paper, and the signs that a font has destroyed in it."""

    decimal_comma: bool
    restored: Mapping[str, str]  # `=` or `<` by the character that stands in its place

    def normalize_text(self, text: str) -> str:
        """Return a text of the same length: one sign for each meaning, decimal points, destroyed signs restored."""
        plain = normalize_signs(text)
        if "¼" in self.restored:
            plain = plain.translate(_ADVENT_SIGNS)
        if self.restored:
            plain = _DESTROYED_SIGN.sub(lambda found: self.restored.get(found["sign"], found["sign"]), plain)
        return _DECIMAL_COMMA.sub(r"\g<before>.", plain) if self.decimal_comma else plain


_COMMA_NUMBER = re.compile(r"[=<>]\s?[-–]?(?:\d*,\d{1,2}(?![\d,])|0?,\d)")  # = 2,76 and = ,013
_POINT_NUMBER = re.compile(r"[=<>]\s?[-–]?\d*\.\d")
# Not the comma of F(1,38).
_DECIMAL_COMMA = re.compile(r"(?P<before>(?:[=<>±]\s?[-–]?|\bt\s?\(|^[-–]?)\d*),(?=\d)|(?<=\d),(?=\d+\s?%)")
_BEHIND_NAME = r"(?:(?<=[\w)\]])|(?<=[\w)\]]\s))"  # behind a name or degrees of freedom: t(38) ¼
_UNUSUAL_CHARACTER = r"(?![≤≥–±²³°])[^\x00-\x7f](?=\s?[-–À]?\.?\d)"  # ¼ and U+2403, before a number
_USUAL_CHARACTER = r"(?:[=<!#%&?@~]|(?<=\s)[A-Za-z](?=\s)|[A-Za-z](?=\.\d))(?=\s?[-–]?\d*\.\d)"  # pb.05, p ! .001
_DESTROYED_SIGN = re.compile(rf"{_BEHIND_NAME}(?P<sign>{_UNUSUAL_CHARACTER}|{_USUAL_CHARACTER})")
_NAME_OF_STATISTIC = re.compile(r"(?<![^\W_])(?:[tFrzQ]|χ?[2²])\s?[(\[ð][^()\[\]]{1,24}[)\]Þ]\s?$")
_NAME_OF_P = re.compile(r"(?<!\w)[pP]\s?$")
_ADVENT_SIGNS = str.maketrans("ÀðÞÂ", "-()x")  # further signs of the fonts that make ¼ of =
_BOUND = re.compile(r"\s?0?\.(?:0*[15]0*|10)(?!\d)")
_MIN_DESTROYED_SIGNS = 2
_MAX_NAME_CHARACTERS = 30  # of χ²(2, N = 150)


def detect_notation(document: Document) -> Notation:
    """Detect the notation of a paper from all of its paragraphs.

    A font has destroyed `=` if another character stands behind the degrees of freedom of two or more statistics and `=`
    behind none. It has destroyed `<` if a character stands only between p and the usual bounds, such as .05.
    """
    texts = [normalize_signs(paragraph["text"]) for paragraph in document["paragraphs"]]
    commas = sum(len(_COMMA_NUMBER.findall(text)) for text in texts)
    points = sum(len(_POINT_NUMBER.findall(text)) for text in texts)
    equals, bounds = Counter[str](), defaultdict[str, list[bool]](list)
    for text in texts:
        for found in _DESTROYED_SIGN.finditer(text):
            before = text[max(0, found.start() - _MAX_NAME_CHARACTERS) : found.start()]
            if _NAME_OF_STATISTIC.search(before):
                equals[found["sign"]] += 1
            elif _NAME_OF_P.search(before):
                bounds[found["sign"]].append(_BOUND.match(text, found.end()) is not None)
    restored = dict[str, str]()
    usual = {sign for sign, fits in bounds.items() if all(fits)}
    if "=" not in equals:
        known = [sign for sign, times in equals.most_common(1) if times >= _MIN_DESTROYED_SIGNS and sign not in usual]
        restored = dict.fromkeys(known, "=")
    if "<" not in bounds:
        less = [sign for sign in usual if len(bounds[sign]) >= _MIN_DESTROYED_SIGNS and sign not in {"=", *equals}]
        restored |= dict.fromkeys(less, "<")
    return Notation(commas > points, restored)


def is_prose(statement: Statement) -> bool:
    """Return whether a statement ends like a sentence, unlike a table that a format gives as text."""
    return not statement.row and re.search(r"[.!?:;][\"'”’)\]]*\s*$", statement.text) is not None


def quote_entry(entry: Reference) -> Statement:
    """Return a statement of the first 200 characters of an entry of the list of references, for findings about it."""
    text = entry["text"][:_MAX_QUOTE_CHARACTERS]
    return Statement(Paragraph(id="", section="References", text=text, page=0, words=[]), text)


class PaperTable(NamedTuple):
    """Named tuple of a table whose signs are normalized, with its rows below the header also as statements."""

    rows: list[list[str]]  # headings first
    statements: list[Statement]  # one for each row below the first
    caption: str
    notes: str  # the paragraphs above and below


def read_statements(document: Document) -> tuple[list[Statement], list[PaperTable]]:
    """Return the paragraphs and the rows of tables of a paper as statements in reading order, and its tables."""
    found, tables, paragraphs = list[Statement](), list[PaperTable](), document["paragraphs"]
    notation = detect_notation(document)
    for at, paragraph in enumerate(paragraphs):
        title, rows = "", [row for row in paragraph.get("rows", []) if row]
        # A single cell over all columns is a title, not the header.
        if len(rows) > 2 and len(rows[1]) > 1 and sum(map(bool, rows[0])) == 1:
            title, rows = notation.normalize_text("".join(rows[0])), rows[1:]
        if len(rows) < 2:
            found.append(Statement(paragraph, notation.normalize_text(paragraph["text"])))
            continue
        caption = f"{title} {_find_caption(paragraphs, at)}"
        cells = [[" ".join(notation.normalize_text(cell).split()) for cell in row] for row in rows]
        context = f"{caption} {' '.join(cells[0])}"
        lines = [
            Statement(paragraph, " | ".join(filter(None, row)), row=True, verbatim=" | ".join(printed), caption=context)
            for row, printed in zip(cells[1:], rows[1:], strict=True)
        ]
        notes = " ; ".join(each["text"] for each in (*paragraphs[:at][-1:], *paragraphs[at + 1 : at + 2]))
        tables.append(PaperTable(cells, lines, caption, notation.normalize_text(notes)))
        found += lines
    return found, tables


def _find_caption(paragraphs: Sequence[Paragraph], at: int) -> str:
    """Return a table's caption: its text before the first cell and its neighbours, where short or like a caption."""
    paragraph = paragraphs[at]
    first = next((cell for row in paragraph.get("rows", []) for cell in row if cell), "")
    near = [paragraph["text"].partition(first)[0], paragraphs[at - 1]["text"] if at else ""]
    below = paragraphs[at + 1]["text"] if at + 1 < len(paragraphs) else ""
    opens = _CAPTION_START.match(below)
    # A caption below may be that of the next table, if this one has its caption above.
    if opens and ("Note" in opens[0] or not any(map(_CAPTION_START.match, near))):
        near.append(below)
    near = [text for text in near if len(text) < _MAX_CAPTION_CHARACTERS or _CAPTION_START.match(text)]
    return normalize_signs(" ".join(near))
