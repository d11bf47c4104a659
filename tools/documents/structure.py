"""Parts that every format is parsed into, the parser of plain text, and the builder of documents.

Plain text has paragraphs between blank lines and lines that look like headings; binary files are refused. From the
parts of any format the builder separates abstract, sections and references, and numbers the paragraphs.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from statistics import median
from typing import Literal

from state.documents import Document, DocumentFormat, HiddenReason, HiddenText, Paragraph, Reference, Word
from state.errors import InputError

# Of PNG, JPEG and GIF images, ZIP, gzip and old Office files, RTF.
_BINARY_SIGNATURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"PK\x03\x04", b"\x1f\x8b", b"\xd0\xcf\x11\xe0", b"{\\rtf")
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})
# Control characters could control a terminal, and lone surrogates (from broken PDF fonts) cannot be stored as UTF-8.
_UNWANTED_CHARACTERS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufeff\u00ad]")
# A control character before a number is a sign with a broken font encoding; its control picture is kept (U+2403 for
# \x03), so that readers see that the number has a sign.
_DESTROYED_SIGN = re.compile(r"(?:(?<=[\w)\]])|(?<=[\w)\]] ))[\x01-\x08\x0e-\x1f](?= ?[-\u2212]?\.?\d)")
_MIN_SENTENCE_WORDS = 4
_MIN_SENTENCE_CHARACTERS = 24  # of fewer words: some languages have no spaces, and codes have none
MAX_TITLE_WORDS = 40
_MAX_HEADING_WORDS = 12
_MIN_CAPITALS = 4  # fewer are an abbreviation
_PLAIN_HEADING = re.compile(r"[^\W\d_a-z][^\d:;@]{2,}")  # Data availability, but no caption and no address
_LONG_LINE_CHARACTERS = 120
REFERENCE_LABEL = re.compile(r"\[(?P<bracketed>[^\[\]\s][^\[\]]{0,30})\]\s*|(?P<number>\d{1,3})\.\s+")
_AFTER_REFERENCES = re.compile(
    r"(?i:author contributions|acknowledge?ments?|biograph|about the authors?|checklist|ethic|funding|data availab)"
)
_MIN_ABSTRACT_WORDS = 10  # a heading before that is one inside the abstract
MAX_ABSTRACT_WORDS = 800
_OPEN, _CLOSE, _NUMBER = r"#*\s*[*_]{0,3}", r"[\s*_:#]*", r"(?:(?:\d+|[IVX]+)[.:]?\s*)?"
APPENDIX_HEADING = re.compile(
    r"(?:#|(?:[A-Z]\.?\s+)?(?i:appendix|appendices|supplementary (?:material|information))\b.{0,60}$)"
)
_YEAR = re.compile(r"\b(?:19|20)\d\d[a-z]?\b")
SECTION_HEADING = re.compile(
    r"(?:\d+(?:\.\d+)*\.?|[A-Z](?:\.\d+)+|[IVX]+\.)\s+[A-Z].{0,70}(?<![.,;])"
    r"|Abstract|Introduction|Related Work|Methods|Results|Discussion|Conclusions?|Limitations|Acknowledge?ments"
)
_MAX_BLOCKS_BEFORE_ABSTRACT = 60  # an abstract stands on one of the first pages
_MIN_PROSE_WORDS = 25  # before the first section, a shorter block that ends no sentence is no prose


def decode_text(data: bytes, *, name: str) -> str:
    """Decode the bytes of a text file in UTF-8, or in UTF-16 with a byte-order mark; `name` is for messages.

    Raises:
        InputError: The bytes are a known binary format, hold NUL characters, or are in another encoding.
    """
    encoding = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    try:
        text = "\x00" if data.startswith(_BINARY_SIGNATURES) else data.decode(encoding)
    except UnicodeDecodeError as error:
        if b"\x00" not in data:
            message = (
                f"{name} is not valid {encoding.upper().removesuffix('-SIG')} at byte {error.start}; convert it first, "
                "for example with `iconv -f LATIN1 -t UTF-8 OLD > NEW`, and try again."
            )
            raise InputError(message, kind="not_utf8") from None
        text = "\x00"
    if "\x00" in text:
        message = f"{name} is a binary file, not text; pass the paper as PDF, Word (.docx), Markdown or plain text."
        raise InputError(message, kind="binary_input")
    return text


def clean_characters(text: str) -> str:
    """Normalize line ends and ligatures, remove control characters and soft hyphens, and show lost signs of numbers."""
    text = re.sub(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]", "\n", text).replace("\u00ad\n", "")
    text = _DESTROYED_SIGN.sub(lambda sign: chr(0x2400 + ord(sign[0])), text)
    return _UNWANTED_CHARACTERS.sub("", text.translate(_LIGATURES))


def has_sentence_length(text: str) -> bool:
    """Return whether a text has four words (letters in scripts without spaces) or 24 letters: it may be a sentence."""
    unspaced = re.findall("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]", text)
    letters = sum(map(str.isalnum, text))
    return max(len(text.split()), len(unspaced)) >= _MIN_SENTENCE_WORDS or letters >= _MIN_SENTENCE_CHARACTERS


def list_hidden_sentences(found: Iterable[tuple[str, HiddenReason]], page: int = 0) -> list[HiddenText]:
    """List the texts that may be sentences as hidden text, each on one line."""
    lines = ((clean_line(text), reason) for text, reason in found)
    return [HiddenText(text=line, page=page, reason=reason) for line, reason in lines if has_sentence_length(line)]


def find_text_title(lines: list[str]) -> str:
    """Return the first line if it is short, no sentence, and followed by a blank line, or else an empty text."""
    start = next((at for at, line in enumerate(lines) if line.strip()), len(lines))
    first, *rest = lines[start:] or [""]
    set_off = rest and not rest[0].strip() and any(line.strip() for line in rest)
    short = len(first.split()) <= MAX_TITLE_WORDS and not first.rstrip().endswith((".", ":", ","))
    return clean_line(first) if set_off and short and not is_abstract_start(first) else ""


def keep_letters(text: str) -> str:
    """Return the letters and digits of a text in lower case, without any spaces."""
    return re.sub(r"[\W_]+", "", text).lower()


def clean_line(text: str) -> str:
    """Clean the characters of a text and join its lines with spaces."""
    return " ".join(clean_characters(text).split())


def parse_plain_text(text: str) -> DocumentParts:
    """Parse a plain text into blocks; without blank lines, each line is a paragraph if most lines are long."""
    lines = text.strip().split("\n")
    title = find_text_title(lines)
    is_paragraph_per_line = all(map(str.strip, lines)) and median(map(len, lines)) > _LONG_LINE_CHARACTERS
    paragraphs = lines if is_paragraph_per_line else re.split(r"\n\s*\n", text.strip())
    texts = ["\n".join(" ".join(line.split()) for line in each.split("\n")) for each in paragraphs if each.strip()]
    if title and texts[0].replace("\n", " ") == title:
        del texts[0]
    blocks = mark_headings([Block("paragraph", each) for each in texts])
    return DocumentParts(title, mark_references(blocks), written=text)


def mark_headings(blocks: Sequence[Block]) -> list[Block]:
    """Return new blocks, in which lines are headings that are numbered, in capitals, or short and alone before prose.

    If the text has headings already, only those of the abstract and the references are marked.
    """
    styled = any(block.kind == "heading" for block in blocks)
    marked: list[Block] = []
    for block, following in zip(blocks, [*blocks[1:], None], strict=False):
        if block.kind != "paragraph" or block.rows:
            marked.append(block)
            continue
        lines = block.text.split("\n")
        alone = len(lines) == 1 and following is not None and following.text.endswith((".", "?", "!", ":"))
        for at, line in enumerate(lines):
            name = line.rstrip(": ")
            is_heading = is_references_heading(name) or is_abstract_heading(line)
            if not styled and len(name.split()) <= _MAX_HEADING_WORDS and not line.endswith((".", ",", ";")):
                is_heading |= bool(
                    APPENDIX_HEADING.match(name)
                    or (name.isupper() and sum(map(str.isalpha, name)) >= _MIN_CAPITALS)
                    or (at == 0 and SECTION_HEADING.fullmatch(name))
                    or (alone and _PLAIN_HEADING.fullmatch(line))
                )
            if is_heading:
                marked.append(Block("heading", line))
            elif at and marked[-1].kind == "paragraph" and not ABSTRACT_END.match(line):
                marked[-1].text += f"\n{line}"
            else:
                marked.append(Block("paragraph", line))
    return marked


@dataclass
class Block:
    """A heading, a paragraph or table, or an entry of the list of references, with its place in the file."""

    kind: Literal["heading", "paragraph", "reference"]
    text: str
    page: int = 0
    words: list[Word] = field(default_factory=list)
    level: int = 0
    """Level of a heading, from 1; 0 if unknown."""
    rows: list[list[str]] = field(default_factory=list)
    """Cells of a table, header first."""


@dataclass
class DocumentParts:
    """Parts of a paper in reading order, as parsed from a file of any format."""

    title: str
    blocks: list[Block]
    hidden: list[HiddenText] = field(default_factory=list)
    pages: int = 0
    warnings: list[str] = field(default_factory=list)
    written: str = ""
    """Text with its original lines, of plain text and Markdown."""


def is_references_heading(heading: str) -> bool:
    """Return whether a heading is that of the list of references."""
    return REFERENCES_HEADING.match(heading) is not None


def is_references_end(heading: str) -> bool:
    """Return whether a heading in the list of references ends it: numbered, of an appendix, or of closing matter."""
    is_numbered = re.match(r"(?:[A-Z]|\d+)(?:\.\d+)*\.?\s", heading)
    return bool(is_numbered or APPENDIX_HEADING.match(heading) or _AFTER_REFERENCES.search(heading))


def list_unread_warnings(count: int, singular: str, plural: str = "") -> list[str]:
    """List the warning that a number of footnotes or the like were not read; an empty list for 0."""
    noun = singular if count == 1 else plural or f"{singular}s"
    return [f"{count} {noun} {'was' if count == 1 else 'were'} not read"] if count else []


def parse_references(texts: Sequence[str]) -> list[Reference]:
    """Return references with their labels, cut off, as ids, or r1, r2, ... if a label is missing or repeated."""
    entries: list[Reference] = []
    taken: set[str] = set()
    for number, text in enumerate(texts, start=1):
        label = REFERENCE_LABEL.match(text)
        name = (label["bracketed"] or label["number"]) if label else ""
        if not name or name in taken:
            name = f"r{number}"
        taken.add(name)
        entries.append(Reference(id=name, text=text[label.end() :] if label else text))
    return entries


def mark_references(blocks: Sequence[Block]) -> list[Block]:
    """Return new blocks: those of the list of references split into entries, all others with their lines joined."""
    marked: list[Block] = []
    inside = False
    for block in blocks:
        is_start = is_references_heading(block.text)
        if is_start or block.kind == "heading":
            inside = is_start
            marked.append(replace(block, kind="heading", text=block.text.replace("\n", " ")))
        elif inside:
            # Split at labels, at numbers in brackets, or at all lines if each has a year.
            lines = re.split(r"\n|\s(?=\[\d{1,3}\]\s)", block.text)
            is_entry_per_line = all(_YEAR.search(line) and line.endswith((".", ")")) for line in lines)
            for at, line in enumerate(lines):
                if at == 0 or is_entry_per_line or REFERENCE_LABEL.match(line):
                    marked.append(Block("reference", line))
                else:
                    marked[-1].text += f" {line}"
        else:
            marked.append(replace(block, text=block.text.replace("\n", " ")))
    return marked


def _build_heading_pattern(word: str) -> str:
    """Return a pattern for a heading, plain or letter-spaced: Abstract, ABSTRACT, A BSTRACT, a b s t r a c t."""
    return rf"(?:{word.capitalize()}|{' ?'.join(word.upper())}|{' '.join(word)})"


ABSTRACT_HEADING = re.compile(
    rf"(?P<level>#*)\s*[*_]{{0,3}}{_build_heading_pattern('abstract')}"
    rf"(?:{_CLOSE}$|[*_]{{0,3}}\s*(?:[:.\u2013\u2014]|-(?=\s|[A-Z]))[*_\s]*(?P<text>.*))"
)
ABSTRACT_END = re.compile(
    rf"{_OPEN}(?:{_NUMBER}{_build_heading_pattern('introduction')}{_CLOSE}$"
    r"|(?:1|I)\.?\s+[A-Z][^.]{2,60}$"
    r"|(?:Key ?-?[Ww]ords?|KEY ?WORDS)\b"
    r"|(?i:index terms|ccs concepts|categories and subject descriptors|acm reference format|author summary"
    r"|plain language summary|significance statement|abbreviations|jel classification)\s*(?:[:.\u2013\u2014*_-]|$))"
)
REFERENCES_HEADING = re.compile(
    rf"{_OPEN}{_NUMBER}(?:{_build_heading_pattern('references')}|{_build_heading_pattern('bibliography')}"
    rf"|(?i:literature cited|works cited|reference list))(?i: and notes)?{_CLOSE}$"
)


def is_abstract_start(line: str) -> bool:
    """Return whether a line is the heading of the abstract, or the abstract's first line that starts with it."""
    return ABSTRACT_HEADING.match(line.strip()) is not None


def is_abstract_heading(line: str) -> bool:
    """Return whether a line is only the heading of the abstract."""
    found = ABSTRACT_HEADING.match(line)
    return found is not None and not found["text"]


def cut_references(lines: list[str]) -> list[str]:
    """Return the lines without the last list of references, but with an appendix after it; all without a list."""
    start = max((at for at, line in enumerate(lines) if REFERENCES_HEADING.match(line.strip())), default=0)
    if start == 0 or len(_YEAR.findall(" ".join(lines[start : start + 60]))) < 3:
        return lines  # no heading, or no list after it
    end = next((at for at in range(start + 1, len(lines)) if APPENDIX_HEADING.match(lines[at].strip())), len(lines))
    return lines[:start] + lines[end:]


def build_document_from_parts(parts: DocumentParts, *, sha256: str, document_format: DocumentFormat) -> Document:
    """Build the document to be stored from the parts of a paper, without front matter, with numbered paragraphs."""
    blocks = _drop_front_matter(parts.blocks)
    if parts.written:
        text = "\n".join(cut_references(parts.written.split("\n")))
    else:
        title = Block("heading", parts.title, level=int(any(block.level for block in blocks)))
        text = _format_blocks([title, *blocks])
    paragraphs: list[Paragraph] = []
    section = ""
    for block in blocks:
        if block.kind == "heading":
            section = block.text
        elif block.kind == "paragraph":
            name = f"p{len(paragraphs) + 1}"
            paragraph = Paragraph(id=name, section=section, text=block.text, page=block.page, words=block.words)
            paragraphs.append({**paragraph, "rows": block.rows} if block.rows else paragraph)
    return Document(
        sha256=sha256,
        format=document_format,
        title=parts.title,
        abstract=_format_blocks(_select_abstract(blocks)),
        text=text.strip(),
        paragraphs=paragraphs,
        references=parse_references([block.text for block in parts.blocks if block.kind == "reference"]),
        hidden=parts.hidden,
        pages=parts.pages,
        warnings=parts.warnings,
    )


def _drop_front_matter(blocks: list[Block]) -> list[Block]:
    """Return blocks without authors and addresses: from the abstract on, or only prose before the first section."""
    for at, block in enumerate(blocks[:_MAX_BLOCKS_BEFORE_ABSTRACT]):
        if is_abstract_heading(block.text):
            return [replace(block, kind="heading"), *blocks[at + 1 :]]
        # "Abstract: We show" becomes a heading and a paragraph.
        if found := ABSTRACT_HEADING.match(block.text):
            cut = found.start("text")
            places = ((word, word["start"] - cut, word["end"] - cut) for word in block.words)
            words = [Word(**word | {"start": start, "end": end}) for word, start, end in places if start >= 0]
            heading = Block("heading", "Abstract", block.page)
            return [heading, Block("paragraph", block.text[cut:], block.page, words), *blocks[at + 1 :]]
    first = next((at for at, block in enumerate(blocks) if block.kind == "heading"), 0)
    return [
        block
        for at, block in enumerate(blocks)
        if at >= first or len(block.text.split()) >= _MIN_PROSE_WORDS or re.search(r"[.!?]$", block.text)
    ]


def _select_abstract(blocks: list[Block]) -> list[Block]:
    """Return the blocks between abstract heading and the next section or keywords; none if missing or too long."""
    if not blocks or not is_abstract_heading(blocks[0].text):
        return []
    chosen: list[Block] = []
    words = 0
    for block in blocks[1:]:
        is_outer = 0 < block.level <= blocks[0].level
        if (words and is_outer) or (words >= _MIN_ABSTRACT_WORDS and ABSTRACT_END.match(block.text)):
            break
        chosen.append(block)
        words += len(block.text.split())
    if words > MAX_ABSTRACT_WORDS:  # no end was found, so take the paragraphs up to the next heading
        chosen = list(takewhile(lambda block: block.kind == "paragraph", blocks[1:]))
    return chosen if sum(len(block.text.split()) for block in chosen) <= MAX_ABSTRACT_WORDS else []


def _format_blocks(blocks: list[Block]) -> str:
    """Return headings and paragraphs as one text, in Markdown if levels are known, without references."""
    shown = (block for block in blocks if block.kind != "reference" and not is_references_heading(block.text))
    lines = (f"{'#' * block.level} {block.text}".lstrip(" ") for block in shown)
    return "\n\n".join(line for line in lines if line.strip("# "))
