"""The plans that the re-ranker learns from and is measured on: of each paragraph the optimal one, and others.

| plan         | leads to                                           | lacks                            |
|--------------|----------------------------------------------------|----------------------------------|
| optimal      | what the human reviewer criticised                 |                                  |
| incoherent   | the comment on a paragraph of another paper        | coherence                        |
| general      | the generic comment of the weakness's type         | specificity                      |
| unstructured | what the human reviewer criticised, in any form    | structure                        |
| specific     | a generic comment, asked of this very paragraph    | specificity, and is harder       |
| sampled      | no comment: the planner's own                      | specificity, and is harder       |
| matched      | what the human reviewer criticised                 |                                  |

The first four are SWIF2T's ("Training the plan re-ranker"), but for "of another paper" (there: another paragraph), and
what is learnt from. The last three were written before them, with a number of questions, and a literature or none, that
was drawn by lot for all three alike: a matched plan is the optimal one that cannot be told from its two rivals by that.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from runs.jobs import read_json_lines
from state.errors import InputError
from state.feedback import Weakness
from state.files import read_file, write_atomically

PLANS_FILE = Path(__file__).parent / "plans.jsonl.gz"
"""The plans that come with the project; Claude (Anthropic) wrote them."""

PlanKind = Literal["optimal", "incoherent", "general", "unstructured", "specific", "sampled", "matched"]

FOUR_KINDS: tuple[PlanKind, ...] = ("optimal", "incoherent", "general", "unstructured")
"""SWIF2T's four plans, the optimal one first."""

_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class WrittenPlans(BaseModel):
    """The plans of a paragraph, which is in the corpus; with the corpus, all that their prompts were filled in with."""

    model_config = ConfigDict(frozen=True)

    id: _Text
    """Of the paragraph."""
    type: Weakness
    """Of what the human reviewer criticised."""
    elsewhere: _Text
    """Id of the paragraph whose comment the incoherent plan leads to."""
    plans: dict[PlanKind, _Text]


def read_written_plans(path: Path) -> list[WrittenPlans]:
    """Read a file of plans.

    Raises:
        BadInput: It cannot be read, or is something else.
    """
    try:
        lines = gzip.decompress(read_file(path, "file of plans")).splitlines()
        return [WrittenPlans.model_validate_json(line) for line in lines]
    except (OSError, EOFError, ValidationError) as error:
        raise InputError(f"{path} is no file of plans; training.plan_reranker.generate writes one.") from error


def write_written_plans(path: Path, lines: Iterable[WrittenPlans]) -> None:
    """Write a file of plans, in the order of their ids; the same bytes for the same plans."""
    text = "".join(f"{line.model_dump_json()}\n" for line in sorted(lines, key=lambda line: line.id))
    write_atomically(path, gzip.compress(text.encode(), mtime=0))


class PlannedParagraph(BaseModel):
    """A paragraph with its plans."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: _Text
    paper_id: _Text
    paragraph: _Text
    texts: dict[PlanKind, _Text] = Field(repr=False)
    """Its plans; the four are always there."""


class PlanSplit(NamedTuple):
    """Paragraphs to learn from, and paragraphs of other papers to choose by."""

    train: list[PlannedParagraph]
    validation: list[PlannedParagraph]


def read_planned_paragraphs(pairs: Path, plans: Path | None = None) -> list[PlannedParagraph]:
    """The paragraphs of a corpus that have the four plans.

    Args:
        pairs: The corpus, JSON Lines with `id`, `paper_id` and `paragraph`.
        plans: A file of plans; by default the one that comes with the project.

    Raises:
        BadInput: One of the files cannot be used, or they do not belong to each other.
    """
    corpus = read_json_lines(pairs)
    written = {
        line.id: line.plans for line in read_written_plans(plans or PLANS_FILE) if line.plans.keys() >= set(FOUR_KINDS)
    }
    known = [pair for pair in corpus if pair["id"] in written]
    if not known:
        raise InputError(
            f"None of the {len(corpus)} pairs has a plan; give the corpus that the plans were written for."
        )
    return [
        PlannedParagraph(
            id=pair["id"], paper_id=pair["paper_id"], paragraph=pair["paragraph"], texts=written[pair["id"]]
        )
        for pair in known
    ]


_FOLD_COUNT = 5


def split_into_folds(paragraphs: Sequence[PlannedParagraph]) -> dict[str, PlanSplit]:
    """The folds of the cross-validation by their names: paragraphs to learn from, and those of the papers left out.

    A paper is in the same fold whatever other papers there are. A fold with one of the two empty is left out.
    """
    folds = {}
    for number in range(_FOLD_COUNT):
        left_out = [each for each in paragraphs if compute_fold(each.paper_id) == number]
        if left_out and len(left_out) < len(paragraphs):
            learnt = [each for each in paragraphs if compute_fold(each.paper_id) != number]
            folds[str(number + 1)] = PlanSplit(learnt, left_out)
    return folds


def compute_fold(paper_id: str) -> int:
    """The number of the fold that leaves a paper out, from 0."""
    return int.from_bytes(hashlib.sha256(paper_id.encode()).digest()[:8]) % _FOLD_COUNT


def split_paragraphs_by_paper(paragraphs: Sequence[PlannedParagraph], validation: float, seed: int) -> PlanSplit:
    """Set whole papers aside until they have a share of the paragraphs; the same ones for the same seed.

    Args:
        paragraphs: All of them.
        validation: Share of the paragraphs to set aside, at least; between 0 and 1.
        seed: Of the order in which papers are drawn.

    Raises:
        BadInput: There are too few papers for two parts.
    """
    papers = sorted({each.paper_id for each in paragraphs})
    random.Random(seed).shuffle(papers)  # noqa: S311 - no secret
    aside = set[str]()
    while sum(each.paper_id in aside for each in paragraphs) < validation * len(paragraphs):
        aside.add(papers.pop())
    if not aside or not papers:
        raise InputError(
            f"{len(paragraphs)} paragraphs of {len(papers) + len(aside)} papers cannot be split into training and "
            "validation; give paragraphs of more papers."
        )
    return PlanSplit(
        [each for each in paragraphs if each.paper_id not in aside],
        [each for each in paragraphs if each.paper_id in aside],
    )


def compute_paragraphs_sha256(paragraphs: Sequence[PlannedParagraph]) -> str:
    """SHA-256 of all that is learnt from or measured on, in order."""
    values = [each.model_dump(include={"id", "paper_id", "paragraph", "texts"}) for each in paragraphs]
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()
