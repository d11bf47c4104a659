"""Compares compiled pairs with links that people (or another program) annotated.

The annotations are records with `paper_id`, `paragraph_id`, `link_types`, and the linked `review_sentences` if they are
known. A link is a paragraph of a paper that some review is linked to. Recall is the share of the annotated links that
were compiled, for each of their types. Precision can only be said for papers that have annotations at all, and as far
as these are complete: annotators who agreed on a link may have missed another one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from pydantic import BaseModel, ConfigDict

from state.files import read_lines
from training.review_filters.pairs import Pair
from training.review_filters.papers import Paper

ANY: Final = "any"
"""Row of the links of all types together."""

Link = tuple[str, str]
"""Ids of a paper and a paragraph."""


class AnnotatedSentence(BaseModel):
    """A review sentence that is linked to the paragraph."""

    model_config = ConfigDict(frozen=True)

    text: str
    link_types: list[str]


class AnnotatedLink(BaseModel):
    """A line of the annotations."""

    model_config = ConfigDict(frozen=True)

    paper_id: str
    paragraph_id: str
    link_types: list[str]
    review_sentences: list[AnnotatedSentence] | None = None


class ComparisonRow(NamedTuple):
    """A row of a comparison."""

    kind: str
    """Type of the links."""
    found: int
    of: int


class LinkComparison(NamedTuple):
    """Compiled and annotated links."""

    recall: list[ComparisonRow]
    """Annotated links of each type: how many were compiled."""
    precision: list[ComparisonRow]
    """Compiled links of each type, of papers with annotations: how many are annotated."""


def read_annotations(path: Path) -> list[AnnotatedLink]:
    """Read annotated links.

    Raises:
        BadInput: The file cannot be read, has no link, or a line is none.
    """
    return [link for _, link in read_lines(path, AnnotatedLink, "annotated link")]


def within_reach(annotated: Iterable[AnnotatedLink], corpus: Iterable[Paper]) -> list[AnnotatedLink]:
    """The annotations whose sentences the corpus has: a review may be there in part only.

    Links without sentences are taken to be there.
    """
    reviews = {
        paper.paper_id: _squeezed(" ".join(text for review in paper.reviews for text in review.paragraphs))
        for paper in corpus
    }
    present = (_within(link, reviews.get(link.paper_id, "")) for link in annotated)
    return [link for link in present if link.review_sentences != []]


def compare(pairs: Sequence[Pair], annotated: Sequence[AnnotatedLink]) -> LinkComparison:
    """Count how far the links of compiled pairs and the annotated ones agree."""
    papers = {link.paper_id for link in annotated}
    of_papers = [pair for pair in pairs if pair["paper_id"] in papers]
    ours = _by_type((pair["paper_id"], pair["paragraph_id"], pair["link_types"]) for pair in of_papers)
    theirs = _by_type((link.paper_id, link.paragraph_id, link.link_types) for link in annotated)
    return LinkComparison(_shares(theirs, ours[ANY]), _shares(ours, theirs[ANY]))


def _within(link: AnnotatedLink, review: str) -> AnnotatedLink:
    """What is left of a link if only the sentences that a review has are taken."""
    if link.review_sentences is None:
        return link
    linked = [sentence for sentence in link.review_sentences if _squeezed(sentence.text) in review]
    kinds = sorted({kind for sentence in linked for kind in sentence.link_types})
    return link.model_copy(update={"review_sentences": linked, "link_types": kinds})


def _by_type(links: Iterable[tuple[str, str, Sequence[str]]]) -> dict[str, set[Link]]:
    found = defaultdict[str, set[Link]](set, {ANY: set()})
    for paper, paragraph, kinds in links:
        for kind in (ANY, *kinds):
            found[kind].add((paper, paragraph))
    return found


def _shares(links: Mapping[str, set[Link]], others: set[Link]) -> list[ComparisonRow]:
    return [ComparisonRow(kind, len(links[kind] & others), len(links[kind])) for kind in sorted(links)]


def _squeezed(text: str) -> str:
    """Without white space: copies of a review differ in it."""
    return "".join(text.split())
