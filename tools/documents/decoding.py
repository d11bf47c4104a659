"""Bytes of a text file to text; whatever is not text is refused with advice."""

from __future__ import annotations

import codecs
import re

from state.errors import BadInput

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
