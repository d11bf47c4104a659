"""How bytes become a `Document`: the reader of papers, passed openly so that anything that reads papers will do."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import NamedTuple, Protocol

from state.documents import Document, DocumentRef, Paragraph
from tools.literature.records import Hit

ONLY_ABSTRACT = "This is the abstract only; the full text could not be fetched."


class ReadBytes(Protocol):
    """Reads a paper and stores it."""

    def __call__(self, data: bytes, *, name: str, source: str) -> DocumentRef:
        """Read a paper from its bytes; the suffix of `name` tells its format. A `BadInput` says why it cannot."""
        ...


class Reader(NamedTuple):
    """Reads papers; blocks, so it is called in a thread."""

    read: ReadBytes
    load: Callable[[DocumentRef], Document]
    version: int = 0
    """Another number where the same bytes would give another document, so that what was read before is read again."""

    def document(self, data: bytes, *, name: str, source: str) -> Document:
        """The paper that these bytes are.

        Raises:
            BadInput: They are no paper that can be read.
            StateError: It cannot be stored.
        """
        return self.load(self.read(data, name=name, source=source))


def abstract_document(hit: Hit) -> Document:
    """The abstract of a hit as a short document, marked as such."""
    text = hit["abstract"]
    return Document(
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        format="text",
        title=hit["title"],
        abstract=text,
        text=text,
        paragraphs=[Paragraph(id="p1", section="Abstract", text=text, page=0, words=[])],
        references=[],
        hidden=[],
        pages=0,
        warnings=[ONLY_ABSTRACT],
    )
