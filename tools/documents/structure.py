"""What every format is taken apart into, and the document that the parts make up.

Tells abstract, sections and references apart, numbers the paragraphs, and writes the text of the whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from state.documents import Document, DocumentFormat, HiddenText, Paragraph, Reference, Word

LABEL = re.compile(r"\[(?P<bracketed>[^\[\]\s][^\[\]]{0,30})\]\s*|(?P<number>\d{1,3})\.\s+")
_AFTER = re.compile(
    r"(?i:author contributions|acknowledge?ments?|biograph|about the authors?|checklist|ethic|funding|data availab)"
)


@dataclass
class Block:
    """A heading, a paragraph, or an entry of the list of references."""

    kind: Literal["heading", "paragraph", "reference"]
    text: str
    page: int = 0
    words: list[Word] = field(default_factory=list)
    level: int = 0
    """Of a heading, from 1; 0 where the format does not tell it."""
    rows: list[list[str]] = field(default_factory=list)
    """Of a table: its cells, header first."""


@dataclass
class Parts:
    """A paper as one of the formats gives it, in reading order."""

    title: str
    blocks: list[Block]
    hidden: list[HiddenText] = field(default_factory=list)
    pages: int = 0
    warnings: list[str] = field(default_factory=list)
    written: str = ""
    """The text with its lines as they are, of a format that is text already."""


def opens_references(heading: str) -> bool:
    """Whether a heading is that of the list of references."""
    return REFERENCES.match(heading) is not None


def closes_references(heading: str) -> bool:
    """Whether a heading within the list of references ends it."""
    return bool(APPENDIX.match(heading) or _AFTER.search(heading) or re.match(r"(?:[A-Z]|\d+)(?:\.\d+)*\.?\s", heading))


def references(texts: Sequence[str]) -> list[Reference]:
    """Entries with their labels as ids; r1, r2, ... where they have none, or one that another has."""
    entries: list[Reference] = []
    taken: set[str] = set()
    for number, text in enumerate(texts, start=1):
        label = LABEL.match(text)
        name = (label["bracketed"] or label["number"]) if label else ""
        if not name or name in taken:
            name = f"r{number}"
        taken.add(name)
        entries.append(Reference(id=name, text=text[label.end() :] if label else text))
    return entries


def mark_references(blocks: Sequence[Block]) -> list[Block]:
    """Blocks in which the paragraphs of the list of references are references, one an entry."""
    marked: list[Block] = []
    inside = False
    for block in blocks:
        if block.kind == "heading":
            inside = opens_references(block.text)
        if inside and block.kind == "paragraph":
            marked += [Block("reference", text) for text in _entries(block.text)]
        else:
            marked.append(replace(block, text=block.text.replace("\n", " ")))
    return marked


def _entries(text: str) -> list[str]:
    """A paragraph to entries: every line that begins with a label begins one, and every number in brackets."""
    entries: list[str] = []
    for line in re.split(r"\n|\s(?=\[\d{1,3}\]\s)", text):
        if not entries or LABEL.match(line):
            entries.append(line)
        else:
            entries[-1] += f" {line}"
    return entries


_LATEST_START = 400  # lines; an abstract stands on one of the first pages
_SHORTEST = 10  # words; an end before that is a heading inside the abstract
LONGEST_ABSTRACT = 800  # words


def _word(word: str) -> str:
    """Pattern of a heading as it is written or spaced out: Abstract, ABSTRACT, A BSTRACT, a b s t r a c t."""
    return rf"(?:{word.capitalize()}|{' ?'.join(word.upper())}|{' '.join(word)})"


_OPEN, _CLOSE, _NUMBER = r"#*\s*[*_]{0,3}", r"[\s*_:#]*", r"(?:(?:\d+|[IVX]+)[.:]?\s*)?"
ABSTRACT = re.compile(
    rf"(?P<level>#*)\s*[*_]{{0,3}}{_word('abstract')}"
    rf"(?:{_CLOSE}$|[*_]{{0,3}}\s*(?:[:.\u2013\u2014]|-(?=\s|[A-Z]))[*_\s]*(?P<text>.*))"
)
END = re.compile(
    rf"{_OPEN}(?:{_NUMBER}{_word('introduction')}{_CLOSE}$"
    r"|(?:1|I)\.?\s+[A-Z][^.]{2,60}$"
    r"|(?:Key ?-?[Ww]ords?|KEY ?WORDS)\b"
    r"|(?i:index terms|ccs concepts|categories and subject descriptors|acm reference format|author summary"
    r"|plain language summary|significance statement|abbreviations|jel classification)\s*(?:[:.\u2013\u2014*_-]|$))"
)
REFERENCES = re.compile(
    rf"{_OPEN}{_NUMBER}(?:{_word('references')}|{_word('bibliography')}"
    rf"|(?i:literature cited|works cited|reference list))(?i: and notes)?{_CLOSE}$"
)
APPENDIX = re.compile(
    r"(?:#|(?:[A-Z]\.?\s+)?(?i:appendix|appendices|supplementary (?:material|information))\b.{0,60}$)"
)
_YEAR = re.compile(r"\b(?:19|20)\d\d[a-z]?\b")
HEADING = re.compile(
    r"(?:\d+(?:\.\d+)*\.?|[A-Z](?:\.\d+)+|[IVX]+\.)\s+[A-Z].{0,70}(?<![.,;])"
    r"|Abstract|Introduction|Related Work|Methods|Results|Discussion|Conclusions?|Limitations|Acknowledge?ments",
)


def opens_abstract(line: str) -> bool:
    """Whether a line is the heading of the abstract or starts with it."""
    return ABSTRACT.match(line.strip()) is not None


def find_abstract(lines: list[str]) -> list[str] | None:
    """Lines of the abstract without its heading; None if there is no heading or no plausible end."""
    for at, line in enumerate(lines[:_LATEST_START]):
        if heading := ABSTRACT.match(line.strip()):
            first = [heading["text"]] if heading["text"] else []
            return _until_end(first + lines[at + 1 :], level=len(heading["level"]))
    return None


def cut_references(lines: list[str]) -> list[str]:
    """Lines without the last reference list; an appendix behind it stays."""
    starts = [at for at, line in enumerate(lines) if at > 0 and REFERENCES.match(line.strip())]
    if not starts or len(_YEAR.findall(" ".join(lines[starts[-1] : starts[-1] + 60]))) < 3:
        return lines  # no heading, or what follows it is no list
    start = starts[-1]
    end = next((at for at in range(start + 1, len(lines)) if APPENDIX.match(lines[at].strip())), len(lines))
    return lines[:start] + lines[end:]


def _until_end(lines: list[str], level: int) -> list[str] | None:
    """Lines up to the first section, the keywords, or a Markdown heading of the abstract's level or above."""
    words = 0
    for at, line in enumerate(lines):
        outer = re.match(rf"#{{1,{level}}}\s", line) if level else None
        if (words and outer) or (words >= _SHORTEST and END.match(line.strip())):
            return lines[:at]
        words += len(line.split())
        if words > LONGEST_ABSTRACT:
            return None
    return lines if words else None


_LATEST_ABSTRACT = 60  # blocks; an abstract stands on one of the first pages
_AUTHOR_LINES = 25  # words; what is shorter and ends no sentence before the first section is no prose


def outline(parts: Parts, *, sha256: str, document_format: DocumentFormat) -> Document:
    """The document that the parts of a paper make up."""
    blocks = _from_abstract(_with_abstract_heading(parts.blocks))
    if parts.written:
        gap, lines = "\n", parts.written.split("\n")
        whole = cut_references(lines)
    else:
        gap, lines = "\n\n", _lines(parts.title, blocks)
        whole = [line for line in lines if line.strip("# ")]
    abstract = find_abstract(lines) or _section_of_abstract(blocks)
    return Document(
        sha256=sha256,
        format=document_format,
        title=parts.title,
        abstract=gap.join(abstract).strip(),
        text=gap.join(whole).strip(),
        paragraphs=_paragraphs(blocks),
        references=references([block.text for block in parts.blocks if block.kind == "reference"]),
        hidden=parts.hidden,
        pages=parts.pages,
        warnings=parts.warnings,
    )


def _with_abstract_heading(blocks: list[Block]) -> list[Block]:
    """Blocks with a heading of its own for an abstract that begins with the word, as in "Abstract: We show"."""
    for at, block in enumerate(blocks[:_LATEST_ABSTRACT]):
        found = ABSTRACT.match(block.text)
        if found and found["text"]:
            cut = found.start("text")
            words = [_shifted(word, cut) for word in block.words if word["start"] >= cut]
            rest = Block("paragraph", block.text[cut:], block.page, words)
            return [*blocks[:at], Block("heading", "Abstract", block.page), rest, *blocks[at + 1 :]]
    return blocks


def _shifted(word: Word, cut: int) -> Word:
    return Word(start=word["start"] - cut, end=word["end"] - cut, page=word["page"], box=word["box"])


def _from_abstract(blocks: list[Block]) -> list[Block]:
    """Blocks without authors and addresses: what stands before the abstract, or is no sentence before a section."""
    for at, block in enumerate(blocks[:_LATEST_ABSTRACT]):
        if ABSTRACT.match(block.text) and len(block.text) < 20:
            return [Block("heading", block.text, block.page, level=block.level), *blocks[at + 1 :]]
    first = next((at for at, block in enumerate(blocks) if block.kind == "heading"), 0)
    return [block for at, block in enumerate(blocks) if at >= first or _is_prose(block.text)]


def _is_prose(text: str) -> bool:
    return len(text.split()) >= _AUTHOR_LINES or re.search(r"[.!?]$", text) is not None


def _lines(title: str, blocks: list[Block]) -> list[str]:
    """Title, headings and paragraphs, each a line; headings as Markdown where their level is known."""
    levels = any(block.level for block in blocks)
    shown = (block for block in blocks if block.kind != "reference" and not opens_references(block.text))
    lines = (f"{'#' * block.level} {block.text}".lstrip(" ") for block in shown)
    return [f"# {title}" if levels and title else title, *lines]


def _section_of_abstract(blocks: list[Block]) -> list[str]:
    """The paragraphs up to the next heading, where none of those is found that usually follow an abstract."""
    headings = [at for at, block in enumerate(blocks) if block.kind == "heading" and ABSTRACT.match(block.text)]
    lines: list[str] = []
    for block in blocks[headings[0] + 1 :] if headings else []:
        if block.kind == "heading" and lines:
            break
        if block.kind == "paragraph":
            lines.append(block.text)
    return lines if sum(len(line.split()) for line in lines) <= LONGEST_ABSTRACT else []


def _paragraphs(blocks: list[Block]) -> list[Paragraph]:
    paragraphs: list[Paragraph] = []
    section = ""
    for block in blocks:
        if block.kind == "heading":
            section = block.text
        elif block.kind == "paragraph":
            number = len(paragraphs) + 1
            paragraph = Paragraph(id=f"p{number}", section=section, text=block.text, page=block.page, words=block.words)
            paragraphs.append({**paragraph, "rows": block.rows} if block.rows else paragraph)
    return paragraphs
