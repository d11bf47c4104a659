"""The plans that the re-ranker learns from: of each paragraph an optimal one, and three that each lack something.

A plan that lacks structure can be told from the others by its form alone. The planner never hands over such a plan (its
answers are constrained, and code repairs them), so a re-ranker that has learnt the form has learnt nothing of use. So
such a plan is also read in the form that the system itself would give its free text: Markdown is gone, each sentence is
a question to the paper, or to the literature if it speaks of other work, and the golden rules are kept.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, get_args

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from nodes.feedback.planner import Asked, in_words, keep_golden_rules, numbered_steps
from state.errors import BadInput
from state.feedback import Action
from state.files import read_lines
from tools.text import sentences

_LABELS = re.compile(
    r"^(?:(?:(?:step|question)\s*\d+\s*[.:)]|\(?\d+[.)]|[-•–*]|(?:investigator|reviewer|paper|literature|"
    r"answer from the (?:paper|literature))\s*:)\s*)+",
    re.IGNORECASE,
)
_STRUCTURED = re.compile(
    r"^\d+\. (?:Investigator: answer from the (paper|literature): (.+)|Reviewer: write the review\.)$"
)
_NUMBER = re.compile(r"(?<=[:;.?!])\s+\(?\d{1,2}[.)]\s+(?=[A-Z])")
"""Of a point in running text: "as follows: 1. Read it. 2. Compare it."."""
_OTHER_WORK = re.compile(
    r"\b(?:literature|(?:other|previous|prior|earlier|related|existing|similar|published) (?:\w+ )?(?:stud(?:y|ies)|"
    r"works?|research|publications?|methods?|findings))\b",
    re.IGNORECASE,
)

_REVIEW = re.compile(
    r"\b(?:write|draft|compose|formulate|provide|give)\w*\s(?:\w+\s){0,4}(?:review|comment|feedback)\b", re.IGNORECASE
)


def normalised(plan: str, *, most: int) -> str:
    """A plan with one numbered question a line and the review as the last step.

    Args:
        plan: In any form; one of the planner's own stays as it is.
        most: Most questions; further ones are left out.
    """
    steps = _read(plan) or [_asked(sentence) for sentence in _sentences(plan)]
    kept = keep_golden_rules([*steps, Asked("write_review", "")], most=most).steps
    return "\n".join(
        f"{number}. {in_words(step)}" for number, step in enumerate(numbered_steps(kept, "planner"), start=1)
    )


def questions_of(plan: str) -> int:
    """How many questions a plan of the planner's asks; at least one."""
    return max(1, len(_read(plan)))


def is_structured(plan: str) -> bool:
    """Whether every line has the form of the planner's."""
    return all(_STRUCTURED.match(line) for line in plan.splitlines())


def _read(plan: str) -> list[Asked]:
    """The questions of a plan in the planner's own form; none if it has another one."""
    if not is_structured(plan):
        return []
    found = [match.groups() for line in plan.splitlines() if (match := _STRUCTURED.match(line))]
    return [Asked("ask_paper" if source == "paper" else "ask_literature", text) for source, text in found if source]


def _sentences(plan: str) -> list[str]:
    """Without headings, and without those that only announce a list."""
    found = sentences(_NUMBER.sub("\n\n", plan))
    return [sentence.text for sentence in found if not sentence.heading and not sentence.text.endswith(":")]


def _asked(sentence: str) -> Asked:
    if _REVIEW.search(sentence):
        return Asked("write_review", "")
    action: Action = "ask_literature" if _OTHER_WORK.search(sentence) else "ask_paper"
    return Asked(action, _LABELS.sub("", sentence))


PlanName = Literal["optimal", "coherence", "structure", "structure, normalised", "specificity"]
"""The optimal plan, or what a plan lacks; the one that lacks structure also in the form of the others."""
LACKING: tuple[PlanName, ...] = tuple(name for name in get_args(PlanName) if name != "optimal")

_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Plans(BaseModel):
    """The four plans of a paragraph, by what each lacks."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    optimal: _Text
    coherence: _Text
    structure: _Text
    specificity: _Text


class PlannedParagraph(BaseModel):
    """A line of the data: a paragraph, what a human reviewer criticised in it, and its plans."""

    model_config = ConfigDict(frozen=True)

    id: _Text
    paper_id: _Text
    split: Literal["train", "dev"]
    paragraph: _Text
    review: str = ""
    aspect: str = ""
    model: str = ""
    """That wrote the plans."""
    plans: Plans = Field(repr=False)

    @cached_property
    def texts(self) -> dict[PlanName, str]:
        """Every plan by its name, among them the one that lacks structure in the form of the others."""
        given = self.plans
        return {
            "optimal": given.optimal,
            "coherence": given.coherence,
            "structure": given.structure,
            "structure, normalised": normalised(given.structure, most=questions_of(given.optimal)),
            "specificity": given.specificity,
        }


class PlanSplit(NamedTuple):
    """Paragraphs to learn from, and paragraphs of other papers to choose by."""

    train: list[PlannedParagraph]
    validation: list[PlannedParagraph]


def read_plans(path: Path) -> list[PlannedParagraph]:
    """Read a JSON Lines file.

    Raises:
        BadInput: It cannot be read, a line is not what it should be, an id occurs twice, or a paper is in two splits.
    """
    found: list[PlannedParagraph] = []
    ids, splits = set[str](), dict[str, str]()
    for number, each in read_lines(path, PlannedParagraph, "paragraph with its plans"):
        if each.id in ids:
            raise BadInput(f"Line {number} of {path} has the id {each.id!r} of an earlier line; keep one of the two.")
        if splits.setdefault(each.paper_id, each.split) != each.split:
            raise BadInput(
                f"Line {number} of {path} puts the paper {each.paper_id!r} into a second split; what is learnt from "
                "must not be measured on."
            )
        ids.add(each.id)
        found.append(each)
    return found


def of_split(paragraphs: Sequence[PlannedParagraph], split: Literal["train", "dev"]) -> list[PlannedParagraph]:
    """Those of a split.

    Raises:
        BadInput: There are none.
    """
    chosen = [each for each in paragraphs if each.split == split]
    if not chosen:
        raise BadInput(f"None of the {len(paragraphs)} paragraphs has the split {split!r}; generate plans for some.")
    return chosen


def split_by_paper(paragraphs: Sequence[PlannedParagraph], validation: float, seed: int) -> PlanSplit:
    """Set whole papers aside until they have a share of the paragraphs; the same ones for the same seed.

    Args:
        paragraphs: Of the split "train".
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
        raise BadInput(
            f"{len(paragraphs)} paragraphs of {len(papers) + len(aside)} papers cannot be split into training and "
            "validation; give paragraphs of more papers."
        )
    return PlanSplit(
        [each for each in paragraphs if each.paper_id not in aside],
        [each for each in paragraphs if each.paper_id in aside],
    )


def aspects_of(paragraphs: Sequence[PlannedParagraph]) -> dict[str, int]:
    """How many reviews are about which type of weakness, the most frequent first; those without one are left out."""
    return dict(Counter(each.aspect for each in paragraphs if each.aspect).most_common())


def sha256_of(paragraphs: Sequence[PlannedParagraph]) -> str:
    """SHA-256 of all that is learnt from or measured on, in order."""
    values = [each.model_dump(include={"id", "paper_id", "paragraph", "plans"}) for each in paragraphs]
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()
