"""What every format is taken apart into, before it is told which block is the abstract or a reference."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from state.documents import HiddenText, Word


@dataclass
class Block:
    """A heading, a paragraph, or an entry of the list of references."""

    kind: Literal["heading", "paragraph", "reference"]
    text: str
    page: int = 0
    words: list[Word] = field(default_factory=list)


@dataclass
class Parts:
    """A paper as one of the formats gives it, in reading order."""

    title: str
    blocks: list[Block]
    hidden: list[HiddenText] = field(default_factory=list)
    pages: int = 0
    warnings: list[str] = field(default_factory=list)
    abstract: str = ""
    """Where the format names it; otherwise it is looked for among the blocks."""
