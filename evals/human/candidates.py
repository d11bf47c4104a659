"""Texts that people are to judge: a JSON Lines file with one object for each sample and system.

    {"id": "moss", "system": "LLM-CLBR", "text": "...", "title": "Moss and rain", "topic": "ecology"}
    {"id": "p3", "system": "SWIF2T", "text": "...", "paragraph": "...", "link": "https://example.org/paper"}

`title` and `topic` are the paper's and are shown above a text of science journalism. `paragraph`, which a comparison of
feedback needs, and `link` stand above the two comments. Other fields are passed over.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

from evals.datasets.entries import checked, read_entries
from evals.datasets.schema import Text
from state.errors import BadInput

Link = Annotated[str, StringConstraints(pattern=r"^(https?://\S+)?$")]
"""An address of the web, or nothing: a page that is served must not hold others, such as scripts."""


class Candidate(BaseModel):
    """What one system wrote for one sample."""

    model_config = ConfigDict(frozen=True, coerce_numbers_to_str=True)

    id: Text
    """Of the sample: the same for all systems."""
    system: Text
    """Never shown to a rater."""
    text: Text
    """What a reader would see. A system that had nothing to say says so here, in words."""
    title: str = ""
    topic: str = ""
    paragraph: str = ""
    link: Link = ""
    """To the paper."""


_CONTEXT = ("title", "topic", "paragraph", "link")
"""What is shown beside a text."""


def read_candidates(path: Path) -> list[Candidate]:
    """Read the texts.

    Raises:
        BadInput: The file cannot be read or holds none, a line is none, a system has two texts for a sample, or what
            is shown beside a sample's texts differs, which would tell its systems apart.
    """
    read = [(where, checked(Candidate, where, record)) for where, record in read_entries(path)]
    texts: dict[tuple[str, str], str] = {}
    samples: dict[str, tuple[str, Candidate]] = {}
    for where, candidate in read:
        before = texts.setdefault((candidate.id, candidate.system), where)
        if before != where:
            raise BadInput(
                f"{before} and {where} are both what {candidate.system!r} wrote for {candidate.id!r}; keep one."
            )
        earlier, other = samples.setdefault(candidate.id, (where, candidate))
        if differing := [name for name in _CONTEXT if getattr(candidate, name) != getattr(other, name)]:
            raise BadInput(
                f"{earlier} and {where} differ in the {' and '.join(differing)} of {candidate.id!r}, which would tell "
                "the systems apart; give both the same."
            )
    return [candidate for _, candidate in read]
