"""Plans that train and evaluate the re-ranker: for each paragraph an optimal plan and its rivals.

| plan         | leads to                                        | lacks                         |
|--------------|-------------------------------------------------|-------------------------------|
| optimal      | the human reviewer's comment                    |                               |
| incoherent   | the comment on a paragraph of another paper     | coherence                     |
| general      | the generic comment of the weakness's type      | specificity                   |
| unstructured | the human reviewer's comment, in any form       | structure                     |
| specific     | a generic comment, asked of this very paragraph | specificity, and is harder    |
| sampled      | no comment: the planner's own                   | specificity, and is harder    |
| matched      | the human reviewer's comment                    |                               |

The first four are SWIF2T's ("Training the plan re-ranker"), except that SWIF2T takes the incoherent plan from another
paragraph, which may be of the paper itself. Training uses these four. The last three were written before them. Their
number of questions and use of literature were drawn at random, alike for all three, so that neither distinguishes a
matched plan from its two rivals.
"""

from __future__ import annotations

import gzip
import hashlib
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evals.datasets.samples import NonEmptyText, TrainDevSplit
from runs.jobs import read_json_lines
from state.errors import InputError
from state.feedback import Weakness
from state.files import read_file, write_atomically

# The plans that come with the project; Claude (Anthropic) wrote them.
PLANS_FILE = Path(__file__).parent / "plans.jsonl.gz"

PlanKind = Literal["optimal", "incoherent", "general", "unstructured", "specific", "sampled", "matched"]

# SWIF2T's four plans, the optimal one first.
FOUR_KINDS: tuple[PlanKind, ...] = ("optimal", "incoherent", "general", "unstructured")
_FOLD_COUNT = 5


class WrittenPlans(BaseModel):
    """A line of a file of plans: the plans of a paragraph, named by its id, and facts for their prompts."""

    model_config = ConfigDict(frozen=True)

    id: NonEmptyText
    """Id of the paragraph."""
    type: Weakness
    """Type of the human reviewer's comment."""
    elsewhere: NonEmptyText
    """Id of the paragraph whose comment the incoherent plan leads to."""
    plans: dict[PlanKind, NonEmptyText]


def read_written_plans(path: Path) -> list[WrittenPlans]:
    """Read a gzipped file of plans."""
    try:
        lines = gzip.decompress(read_file(path, "file of plans")).splitlines()
        return [WrittenPlans.model_validate_json(line) for line in lines]
    except (OSError, EOFError, ValidationError) as error:
        raise InputError(f"{path} is not a file of plans; training.plan_reranker.generate writes one.") from error


def write_written_plans(path: Path, lines: Iterable[WrittenPlans]) -> None:
    """Write a gzipped file of plans, sorted by their ids."""
    # Without a time stamp (mtime=0), equal plans give equal bytes.
    text = "".join(f"{line.model_dump_json()}\n" for line in sorted(lines, key=lambda line: line.id))
    write_atomically(path, gzip.compress(text.encode(), mtime=0))


class PlannedParagraph(BaseModel):
    """A paragraph of the corpus with its text and its plans."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: NonEmptyText
    paper_id: NonEmptyText
    paragraph: NonEmptyText
    texts: dict[PlanKind, NonEmptyText] = Field(repr=False)
    """Plans of the paragraph, SWIF2T's four always among them."""


def read_planned_paragraphs(pairs: Path, plans: Path | None = None) -> list[PlannedParagraph]:
    """Read the paragraphs of a corpus (JSON Lines) that have SWIF2T's four plans, by default in the project's file.

    Raises:
        InputError: A file cannot be used, or no plan belongs to a paragraph of the corpus.
    """
    corpus = read_json_lines(pairs)
    lines = read_written_plans(plans or PLANS_FILE)
    texts = {line.id: line.plans for line in lines if line.plans.keys() >= set(FOUR_KINDS)}
    known = [pair for pair in corpus if pair["id"] in texts]
    if not known:
        raise InputError(f"None of the {len(corpus)} pairs has a plan; give the corpus of these plans.")
    return [
        PlannedParagraph(id=pair["id"], paper_id=pair["paper_id"], paragraph=pair["paragraph"], texts=texts[pair["id"]])
        for pair in known
    ]


def split_into_folds(paragraphs: Sequence[PlannedParagraph]) -> dict[str, TrainDevSplit[PlannedParagraph]]:
    """Split paragraphs by paper into up to five folds of training and validation, named "1" to "5"; none is empty."""
    folds = {}
    for number in range(_FOLD_COUNT):
        left_out = [each for each in paragraphs if compute_fold(each.paper_id) == number]
        if left_out and len(left_out) < len(paragraphs):
            learnt = [each for each in paragraphs if compute_fold(each.paper_id) != number]
            folds[str(number + 1)] = TrainDevSplit(learnt, left_out)
    return folds


def compute_fold(paper_id: str) -> int:
    """Return the number, 0 to 4, of the fold that leaves a paper out, by a hash of its id."""
    # By a hash, so that a paper's fold does not depend on the other papers.
    return int.from_bytes(hashlib.sha256(paper_id.encode()).digest()[:8]) % _FOLD_COUNT


def split_paragraphs_by_paper(
    paragraphs: Sequence[PlannedParagraph], validation_share: float, seed: int
) -> TrainDevSplit[PlannedParagraph]:
    """Draw whole papers by a seed until validation has its share (0 to 1) of the paragraphs, and return both parts."""
    papers = sorted({each.paper_id for each in paragraphs})
    random.Random(seed).shuffle(papers)  # noqa: S311 - no secret
    aside = set[str]()
    while sum(each.paper_id in aside for each in paragraphs) < validation_share * len(paragraphs):
        aside.add(papers.pop())
    if not aside or not papers:
        raise InputError(
            f"{len(paragraphs)} paragraphs of {len(papers) + len(aside)} papers cannot be split into training and "
            "validation; give paragraphs of more papers."
        )
    return TrainDevSplit(
        [each for each in paragraphs if each.paper_id not in aside],
        [each for each in paragraphs if each.paper_id in aside],
    )
