"""A plain text: its bytes, its title, and its parts, which are paragraphs between blank lines and lines like headings.

What is not text is refused with advice.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Sequence
from statistics import median

from state.errors import BadInput
from tools.documents.structure import APPENDIX, HEADING, Block, Parts, mark_references, opens_abstract, opens_references

_BINARY_FORMATS = {
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"II*\x00": "a TIFF image",
    b"MM\x00*": "a TIFF image",
    b"PK\x03\x04": "a ZIP archive",
    b"\x1f\x8b": "a gzip archive",
    b"\xd0\xcf\x11\xe0": "an old Office document",
    b"{\\rtf": "an RTF document",
}
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})
# Control characters could steer a terminal, and lone surrogates (from broken PDF fonts) cannot be stored as UTF-8.
_UNWANTED = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufeff\u00ad]")


def decode(data: bytes, *, name: str) -> str:
    """Text of a plain-text file: UTF-8 with or without a byte-order mark, or UTF-16 with one.

    Raises:
        BadInput: The bytes are a known binary format, hold NUL characters, or are in another encoding.
    """
    _refuse_binary_format(data, name)
    encoding = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        if b"\x00" in data:
            raise _binary(name) from None
        raise BadInput(
            f"{name} is not valid {'UTF-16' if encoding == 'utf-16' else 'UTF-8'} at byte {error.start}; convert it "
            "first, for example with `iconv -f LATIN1 -t UTF-8 OLD > NEW`, and try again.",
            kind="not_utf8",
        ) from None
    if "\x00" in text:
        raise _binary(name)
    return text


def clean_characters(text: str) -> str:
    """One kind of line end, ligatures spelled out, no control characters, no soft hyphens."""
    text = re.sub(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]", "\n", text).replace("\u00ad\n", "")
    return _UNWANTED.sub("", text.translate(_LIGATURES))


def _refuse_binary_format(data: bytes, name: str) -> None:
    for magic, description in _BINARY_FORMATS.items():
        if data.startswith(magic):
            raise BadInput(
                f"{name} is {description}, not text; pass the paper as PDF, Word (.docx), Markdown or plain text.",
                kind="binary_input",
            )


def _binary(name: str) -> BadInput:
    return BadInput(
        f"{name} is not text, it holds NUL characters; pass the paper as PDF, Word (.docx), Markdown or text in UTF-8.",
        kind="binary_input",
    )


_LONGEST = 40  # words


def pdf_title(metadata: str, first_page: Sequence[tuple[float, str]]) -> str:
    """The metadata's title if it stands on the first page (it is often a file name), else the largest type there.

    Args:
        metadata: Title in the file's metadata.
        first_page: Lines of the first page with their type size in points.
    """
    lines = [(size, _one_line(text)) for size, text in first_page]
    title = _one_line(metadata)
    if len(title.split()) > 1 and _letters(title) in _letters("".join(text for _, text in lines)):
        return title
    return _largest(lines) or _above_abstract([text for _, text in lines])


def text_title(lines: list[str]) -> str:
    """The first line if it is short, no sentence, and set off by a blank line."""
    start = next((at for at, line in enumerate(lines) if line.strip()), len(lines))
    first, *rest = lines[start:] or [""]
    set_off = rest and not rest[0].strip() and any(line.strip() for line in rest)
    short = len(first.split()) <= _LONGEST and not first.rstrip().endswith((".", ":", ","))
    return _one_line(first) if set_off and short and not opens_abstract(first) else ""


def _largest(lines: list[tuple[float, str]]) -> str:
    """First run of lines in the largest type that has the length of a title and is larger than the body's."""
    sizes = Counter[float]()
    for size, text in lines:
        sizes[size] += len(text)
    body = max(sizes, key=lambda size: sizes[size], default=0.0)
    for size in sorted((size for size in sizes if size > body), reverse=True):
        run = _first_run(lines, size)
        if 1 < len(run.split()) <= _LONGEST and not opens_abstract(run):
            return run
    return ""


def _first_run(lines: list[tuple[float, str]], size: float) -> str:
    start = next(at for at, line in enumerate(lines) if line[0] == size)
    end = next((at for at in range(start, len(lines)) if lines[at][0] != size), len(lines))
    return " ".join(text for _, text in lines[start:end])


def _above_abstract(lines: list[str]) -> str:
    """The first line of a page that is set in one size, if an abstract follows."""
    return lines[0] if any(opens_abstract(line) for line in lines[1:]) else ""


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()


def _one_line(text: str) -> str:
    return " ".join(clean_characters(text).split())


_LONG_LINE = 120  # characters; a text of such lines has one a paragraph


def text_parts(text: str) -> Parts:
    """Parts of a text; without blank lines, a long line is a paragraph and short ones are put together."""
    title = text_title(text.split("\n"))
    blocks: list[Block] = []
    for paragraph in re.split(r"\n\s*\n", _with_blank_lines(text.strip())):
        lines = [" ".join(line.split()) for line in paragraph.split("\n")]
        if not blocks and " ".join(lines) == title:
            continue
        if _is_heading(lines[0]):
            blocks.append(Block("heading", lines.pop(0)))
        if lines:
            blocks.append(Block("paragraph", "\n".join(lines)))
    return Parts(title, mark_references(blocks), written=text)


def _with_blank_lines(text: str) -> str:
    if re.search(r"\n\s*\n", text):
        return text
    lines = text.split("\n")
    usual = sorted(len(line) for line in lines)[len(lines) // 2]
    return "\n\n".join(lines) if usual > _LONG_LINE else _reflow(lines)


def _is_heading(line: str) -> bool:
    name = line.rstrip(": ")
    named = opens_references(name) or (opens_abstract(line) and len(line) < 20)
    return bool(named or APPENDIX.match(name) or HEADING.fullmatch(name.title() if name.isupper() else name))


def _reflow(lines: list[str]) -> str:
    """Lines to paragraphs, one blank line between them; a short line that ends a sentence ends its paragraph."""
    usual = median(len(line) for line in lines)
    paragraphs: list[list[str]] = []
    new = True
    for line in lines:
        heading = HEADING.fullmatch(line) is not None
        if new or heading:
            paragraphs.append([])
        paragraphs[-1].append(line)
        new = heading or (len(line) < 0.8 * usual and line.endswith((".", "?", "!", ":")))
    return "\n\n".join(" ".join(paragraph) for paragraph in paragraphs)
