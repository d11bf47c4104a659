"""What every format is taken apart into, the parts of a plain text, and the document that the parts make up.

A plain text has paragraphs between blank lines, and lines like headings; what is not text is refused with advice. From
the parts of any format abstract, sections and references are told apart, the paragraphs are numbered, and the text of
the whole is written.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from statistics import median
from typing import Literal

from state.documents import Document, DocumentFormat, HiddenText, Paragraph, Reference, Word
from state.errors import InputError

# Of PNG, JPEG and GIF images, ZIP, gzip and old Office files, RTF.
_BINARY_SIGNATURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"PK\x03\x04", b"\x1f\x8b", b"\xd0\xcf\x11\xe0", b"{\\rtf")
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})
# Control characters could steer a terminal, and lone surrogates (from broken PDF fonts) cannot be stored as UTF-8.
_UNWANTED_CHARACTERS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufeff\u00ad]")

# A control character before a number is a sign that a font has destroyed; its picture stays, U+2403 for \x03.
_DESTROYED_SIGN = re.compile(r"(?:(?<=[\w)\]])|(?<=[\w)\]] ))[\x01-\x08\x0e-\x1f](?= ?[-\u2212]?\.?\d)")


def decode_text(data: bytes, *, name: str) -> str:
    """Text of a plain-text file: UTF-8 with or without a byte-order mark, or UTF-16 with one.

    Raises:
        BadInput: The bytes are a known binary format, hold NUL characters, or are in another encoding.
    """
    encoding = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    try:
        text = "\x00" if data.startswith(_BINARY_SIGNATURES) else data.decode(encoding)
    except UnicodeDecodeError as error:
        if b"\x00" not in data:
            raise InputError(
                f"{name} is not valid {encoding.upper().removesuffix('-SIG')} at byte {error.start}; convert it first, "
                "for example with `iconv -f LATIN1 -t UTF-8 OLD > NEW`, and try again.",
                kind="not_utf8",
            ) from None
        text = "\x00"
    if "\x00" in text:
        raise InputError(
            f"{name} is a binary file, not text; pass the paper as PDF, Word (.docx), Markdown or plain text.",
            kind="binary_input",
        )
    return text


def clean_characters(text: str) -> str:
    """One kind of line end, ligatures spelled out, no control characters, no soft hyphens."""
    text = re.sub(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]", "\n", text).replace("\u00ad\n", "")
    text = _DESTROYED_SIGN.sub(lambda sign: chr(0x2400 + ord(sign[0])), text)
    return _UNWANTED_CHARACTERS.sub("", text.translate(_LIGATURES))


_MIN_SENTENCE_WORDS = 4
_MIN_SENTENCE_CHARACTERS = 24  # of what has fewer words: some languages put no spaces, and codes have none


def has_sentence_length(text: str) -> bool:
    """Whether text beside a paper, such as the description of a picture, is long enough to be a sentence."""
    unspaced = re.findall("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]", text)
    letters = sum(map(str.isalnum, text))
    return max(len(text.split()), len(unspaced)) >= _MIN_SENTENCE_WORDS or letters >= _MIN_SENTENCE_CHARACTERS


_MAX_TITLE_WORDS = 40  # words


def choose_pdf_title(metadata: str, first_page: Sequence[tuple[float, str]]) -> str:
    """The metadata's title if it stands on the first page (it is often a file name), else the largest type there.

    Args:
        metadata: Title in the file's metadata.
        first_page: Lines of the first page with their type size in points.
    """
    lines = [(size, _clean_line(text)) for size, text in first_page]
    title = _clean_line(metadata)
    if len(title.split()) > 1 and keep_letters(title) in keep_letters("".join(text for _, text in lines)):
        return title
    # A page that is set in one size has its title in the first line, if an abstract follows.
    return _find_largest_type_text(lines) or (
        lines[0][1] if any(is_abstract_start(text) for _, text in lines[1:]) else ""
    )


def find_text_title(lines: list[str]) -> str:
    """The first line if it is short, no sentence, and set off by a blank line."""
    start = next((at for at, line in enumerate(lines) if line.strip()), len(lines))
    first, *rest = lines[start:] or [""]
    set_off = rest and not rest[0].strip() and any(line.strip() for line in rest)
    short = len(first.split()) <= _MAX_TITLE_WORDS and not first.rstrip().endswith((".", ":", ","))
    return _clean_line(first) if set_off and short and not is_abstract_start(first) else ""


def _find_largest_type_text(lines: list[tuple[float, str]]) -> str:
    """First run of lines in the largest type that has the length of a title and is larger than the body's."""
    sizes = Counter[float]()
    for size, text in lines:
        sizes[size] += len(text)
    body = max(sizes, key=lambda size: sizes[size], default=0.0)
    for size in sorted((size for size in sizes if size > body), reverse=True):
        start = next(at for at, line in enumerate(lines) if line[0] == size)
        end = next((at for at in range(start, len(lines)) if lines[at][0] != size), len(lines))
        run = " ".join(text for _, text in lines[start:end])
        if 1 < len(run.split()) <= _MAX_TITLE_WORDS and not is_abstract_start(run):
            return run
    return ""


def keep_letters(text: str) -> str:
    """Return the letters and digits of a text, in lower case."""
    return re.sub(r"[\W_]+", "", text).lower()


def _clean_line(text: str) -> str:
    return " ".join(clean_characters(text).split())


_MAX_HEADING_WORDS = 12  # words
_MIN_CAPITALS = 4  # letters; what has fewer is an abbreviation
_PLAIN_HEADING = re.compile(r"[^\W\d_a-z][^\d:;@]{2,}")  # Data availability, but no caption and no address
_LONG_LINE_CHARACTERS = 120  # characters


def parse_plain_text(text: str) -> DocumentParts:
    """Parts of a text; without blank lines, each line is a paragraph if they are long, and else all are one."""
    lines = text.strip().split("\n")
    title = find_text_title(lines)
    is_one_a_line = all(map(str.strip, lines)) and median(map(len, lines)) > _LONG_LINE_CHARACTERS
    paragraphs = lines if is_one_a_line else re.split(r"\n\s*\n", text.strip())
    texts = ["\n".join(" ".join(line.split()) for line in each.split("\n")) for each in paragraphs if each.strip()]
    if title and texts[0].replace("\n", " ") == title:
        del texts[0]
    return DocumentParts(
        title, mark_references(mark_headings([Block("paragraph", each) for each in texts])), written=text
    )


def mark_headings(blocks: Sequence[Block]) -> list[Block]:
    """Make headings of lines that look like one: numbered, in capitals, or short and alone before prose.

    In a text with headings of its own only those of the abstract and of the references are looked for.
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
            opens = is_references_heading(line.rstrip(": ")) or is_abstract_heading(line)
            if opens or (not styled and _is_heading_line(line, first=at == 0, alone=alone)):
                marked.append(Block("heading", line))
            elif at and marked[-1].kind == "paragraph" and not ABSTRACT_END.match(line):
                marked[-1].text += f"\n{line}"
            else:
                marked.append(Block("paragraph", line))
    return marked


def _is_heading_line(line: str, *, first: bool, alone: bool) -> bool:
    """Whether a line of a text is a heading by its form, where it begins a paragraph or is all of it."""
    name = line.rstrip(": ")
    if len(name.split()) > _MAX_HEADING_WORDS or line.endswith((".", ",", ";")):
        return False
    if APPENDIX_HEADING.match(name) or (name.isupper() and sum(map(str.isalpha, name)) >= _MIN_CAPITALS):
        return True
    return (first and SECTION_HEADING.fullmatch(name) is not None) or (
        alone and _PLAIN_HEADING.fullmatch(line) is not None
    )


REFERENCE_LABEL = re.compile(r"\[(?P<bracketed>[^\[\]\s][^\[\]]{0,30})\]\s*|(?P<number>\d{1,3})\.\s+")
_AFTER_REFERENCES = re.compile(
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
class DocumentParts:
    """A paper as one of the formats gives it, in reading order."""

    title: str
    blocks: list[Block]
    hidden: list[HiddenText] = field(default_factory=list)
    pages: int = 0
    warnings: list[str] = field(default_factory=list)
    written: str = ""
    """The text with its lines as they are, of a format that is text already."""


def is_references_heading(heading: str) -> bool:
    """Whether a heading is that of the list of references."""
    return REFERENCES_HEADING.match(heading) is not None


def is_references_end(heading: str) -> bool:
    """Whether a heading within the list of references ends it."""
    return bool(
        APPENDIX_HEADING.match(heading)
        or _AFTER_REFERENCES.search(heading)
        or re.match(r"(?:[A-Z]|\d+)(?:\.\d+)*\.?\s", heading)
    )


def list_unread_warnings(count: int, singular: str, plural: str = "") -> list[str]:
    """Say how many footnotes or the like were not read, in a list that is empty where there are none."""
    what = singular if count == 1 else plural or f"{singular}s"
    return [f"{count} {what} {'was' if count == 1 else 'were'} not read"] if count else []


def parse_references(texts: Sequence[str]) -> list[Reference]:
    """Entries with their labels as ids; r1, r2, ... where they have none, or one that another has."""
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
    """Blocks in which the paragraphs of the list of references are references, one an entry."""
    marked: list[Block] = []
    inside = False
    for block in blocks:
        opens = is_references_heading(block.text)
        if opens or block.kind == "heading":
            inside = opens
            marked.append(replace(block, kind="heading", text=block.text.replace("\n", " ")))
        elif inside:
            marked += [Block("reference", text) for text in _split_reference_entries(block.text)]
        else:
            marked.append(replace(block, text=block.text.replace("\n", " ")))
    return marked


def _split_reference_entries(text: str) -> list[str]:
    """A paragraph to entries: lines that begin with a label, numbers in brackets, or lines that all have a year."""
    entries: list[str] = []
    lines = re.split(r"\n|\s(?=\[\d{1,3}\]\s)", text)
    one_a_line = all(_YEAR.search(line) and line.endswith((".", ")")) for line in lines)
    for line in lines:
        if not entries or one_a_line or REFERENCE_LABEL.match(line):
            entries.append(line)
        else:
            entries[-1] += f" {line}"
    return entries


_MIN_ABSTRACT_WORDS = 10  # words; an end before that is a heading inside the abstract
MAX_ABSTRACT_WORDS = 800  # words


def _build_heading_pattern(word: str) -> str:
    """Pattern of a heading as it is written or spaced out: Abstract, ABSTRACT, A BSTRACT, a b s t r a c t."""
    return rf"(?:{word.capitalize()}|{' ?'.join(word.upper())}|{' '.join(word)})"


_OPEN, _CLOSE, _NUMBER = r"#*\s*[*_]{0,3}", r"[\s*_:#]*", r"(?:(?:\d+|[IVX]+)[.:]?\s*)?"
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
APPENDIX_HEADING = re.compile(
    r"(?:#|(?:[A-Z]\.?\s+)?(?i:appendix|appendices|supplementary (?:material|information))\b.{0,60}$)"
)
_YEAR = re.compile(r"\b(?:19|20)\d\d[a-z]?\b")
SECTION_HEADING = re.compile(
    r"(?:\d+(?:\.\d+)*\.?|[A-Z](?:\.\d+)+|[IVX]+\.)\s+[A-Z].{0,70}(?<![.,;])"
    r"|Abstract|Introduction|Related Work|Methods|Results|Discussion|Conclusions?|Limitations|Acknowledge?ments",
)


def is_abstract_start(line: str) -> bool:
    """Whether a line is the heading of the abstract or starts with it."""
    return ABSTRACT_HEADING.match(line.strip()) is not None


def is_abstract_heading(line: str) -> bool:
    """Whether a line is the heading of the abstract, and no more."""
    found = ABSTRACT_HEADING.match(line)
    return found is not None and not found["text"]


def cut_references(lines: list[str]) -> list[str]:
    """Lines without the last reference list; an appendix behind it stays."""
    starts = [at for at, line in enumerate(lines) if at > 0 and REFERENCES_HEADING.match(line.strip())]
    if not starts or len(_YEAR.findall(" ".join(lines[starts[-1] : starts[-1] + 60]))) < 3:
        return lines  # no heading, or what follows it is no list
    start = starts[-1]
    end = next((at for at in range(start + 1, len(lines)) if APPENDIX_HEADING.match(lines[at].strip())), len(lines))
    return lines[:start] + lines[end:]


_MAX_BLOCKS_BEFORE_ABSTRACT = 60  # blocks; an abstract stands on one of the first pages
_MIN_PROSE_WORDS = 25  # words; what is shorter and ends no sentence before the first section is no prose


def build_document_from_parts(parts: DocumentParts, *, sha256: str, document_format: DocumentFormat) -> Document:
    """The document that the parts of a paper make up."""
    blocks = _drop_front_matter(parts.blocks)
    if parts.written:
        text = "\n".join(cut_references(parts.written.split("\n")))
    else:
        title = Block("heading", parts.title, level=int(any(block.level for block in blocks)))
        text = _format_blocks([title, *blocks])
    return Document(
        sha256=sha256,
        format=document_format,
        title=parts.title,
        abstract=_format_blocks(_select_abstract(blocks)),
        text=text.strip(),
        paragraphs=_build_paragraphs(blocks),
        references=parse_references([block.text for block in parts.blocks if block.kind == "reference"]),
        hidden=parts.hidden,
        pages=parts.pages,
        warnings=parts.warnings,
    )


def _drop_front_matter(blocks: list[Block]) -> list[Block]:
    """Blocks without authors and addresses: what stands before the abstract, or is no sentence before a section.

    An abstract that begins with the word, as in "Abstract: We show", gets a heading of its own.
    """
    for at, block in enumerate(blocks[:_MAX_BLOCKS_BEFORE_ABSTRACT]):
        if is_abstract_heading(block.text):
            return [replace(block, kind="heading"), *blocks[at + 1 :]]
        found = ABSTRACT_HEADING.match(block.text)
        if found:
            cut = found.start("text")
            words: list[Word] = [
                {**word, "start": word["start"] - cut, "end": word["end"] - cut}
                for word in block.words
                if word["start"] >= cut
            ]
            heading = Block("heading", "Abstract", block.page)
            return [heading, Block("paragraph", block.text[cut:], block.page, words), *blocks[at + 1 :]]
    first = next((at for at, block in enumerate(blocks) if block.kind == "heading"), 0)
    return [
        block
        for at, block in enumerate(blocks)
        if at >= first or len(block.text.split()) >= _MIN_PROSE_WORDS or re.search(r"[.!?]$", block.text)
    ]


def _select_abstract(blocks: list[Block]) -> list[Block]:
    """The blocks up to the first section, the keywords, or a heading of the abstract's level or above."""
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
    if words > MAX_ABSTRACT_WORDS:  # none of those follows it
        chosen = list(takewhile(lambda block: block.kind == "paragraph", blocks[1:]))
    return chosen if sum(len(block.text.split()) for block in chosen) <= MAX_ABSTRACT_WORDS else []


def _format_blocks(blocks: list[Block]) -> str:
    """Headings and paragraphs as a text; headings as Markdown where their level is known."""
    shown = (block for block in blocks if block.kind != "reference" and not is_references_heading(block.text))
    lines = (f"{'#' * block.level} {block.text}".lstrip(" ") for block in shown)
    return "\n\n".join(line for line in lines if line.strip("# "))


def _build_paragraphs(blocks: list[Block]) -> list[Paragraph]:
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
