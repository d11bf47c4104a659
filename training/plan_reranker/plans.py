"""The plans that the re-ranker learns from: of each paragraph an optimal one, and many that each lack something.

What a model wrote (`training/plan_reranker/writing.py`) comes with the project, `plans.jsonl.gz`, without the
paragraphs: those are in the corpus. Everything else is made of it here, by code, the same way every time.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from runs.many import read_records
from state.errors import BadInput
from state.files import read_file, write_atomically
from tools.checks.fidelity import stems
from tools.reranking.plan_reranker import FORM
from training.plan_reranker.writing import Written

PLANS = Path(__file__).parent / "plans.jsonl.gz"
"""The plans that come with the project; Claude (Anthropic) wrote them."""

_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class WrittenLine(BaseModel):
    """A plan that a model wrote."""

    model_config = ConfigDict(frozen=True)

    id: _Text
    """Of the paragraph."""
    written: Written
    literature: bool
    """Whether there was one to ask."""
    model: str
    plan: _Text

    @property
    def key(self) -> tuple[str, str]:
        """What it is of and what it is."""
        return self.id, self.written


def read_written(path: Path) -> list[WrittenLine]:
    """Read a file of plans.

    Raises:
        BadInput: It cannot be read, or is something else.
    """
    try:
        lines = gzip.decompress(read_file(path, "file of plans")).splitlines()
        return [WrittenLine.model_validate_json(line) for line in lines]
    except (OSError, EOFError, ValidationError) as error:
        raise BadInput(f"{path} is no file of plans; training.plan_reranker.generate writes one.") from error


def write_written(path: Path, lines: Iterable[WrittenLine]) -> None:
    """Write a file of plans, in the order of their ids; the same bytes for the same plans."""
    text = "".join(f"{line.model_dump_json()}\n" for line in sorted(lines, key=lambda line: line.key))
    write_atomically(path, gzip.compress(text.encode(), mtime=0))


Kind = Literal[
    "another paper",
    "same paper",
    "half elsewhere",
    "generic",
    "sampled",
    "without its words",
    "running text",
    "out of order",
    "repeated",
    "cut off",
]
"""What a plan is that is not the optimal one."""

PlanName = Literal["optimal"] | Kind

CRITERIA: Mapping[str, tuple[Kind, ...]] = {
    "coherence": ("another paper", "same paper", "half elsewhere"),
    "specificity": ("generic", "sampled", "without its words"),
    "structure": ("running text", "out of order", "repeated", "cut off"),
}
"""What each kind of plan lacks, as SWIF2T names it."""


FOUR: tuple[PlanName, ...] = ("optimal", "another paper", "generic", "running text")
"""SWIF2T's four: the optimal one, and one that lacks each of these."""


class PlannedParagraph(BaseModel):
    """A paragraph with its plans."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: _Text
    paper_id: _Text
    paragraph: _Text
    texts: dict[PlanName, _Text] = Field(repr=False)
    """Its plans, the optimal one first; not every paragraph has one of each kind."""


class PlanSplit(NamedTuple):
    """Paragraphs to learn from, and paragraphs of other papers to choose by."""

    train: list[PlannedParagraph]
    validation: list[PlannedParagraph]


def read_planned(pairs: Path, plans: Path | None = None) -> list[PlannedParagraph]:
    """The paragraphs of a corpus of which there is an optimal plan; see `planned`.

    Args:
        pairs: The corpus, JSON Lines with `id`, `paper_id`, `paragraph` and `feedback`.
        plans: A file of plans; by default the one that comes with the project.

    Raises:
        BadInput: One of the files cannot be used, or they do not belong to each other.
    """
    return planned(read_records(pairs), read_written(plans or PLANS))


def planned(pairs: Sequence[Mapping[str, Any]], written: Iterable[WrittenLine]) -> list[PlannedParagraph]:
    """The paragraphs of which there is an optimal plan, with all plans that can be made.

    A plan that should lack specificity, but asks as much about what the review is about as the optimal one does, is
    left out. Words of the paragraph say nothing here, for the model sees it whatever it is to write.

    Args:
        pairs: Lines of the corpus.
        written: What a model wrote.

    Raises:
        BadInput: There is no paragraph with a plan.
    """
    own = defaultdict[str, dict[str, str]](dict)
    for line in written:
        own[line.id][line.written] = line.plan
    known = [pair for pair in pairs if pair["feedback"] and "optimal" in own[pair["id"]]]
    if not known:
        raise BadInput(f"None of the {len(pairs)} pairs has a plan; give the corpus that the plans were written for.")
    optimal = {pair["id"]: own[pair["id"]]["optimal"] for pair in known}
    return [
        PlannedParagraph(
            id=pair["id"],
            paper_id=pair["paper_id"],
            paragraph=pair["paragraph"],
            texts={"optimal": optimal[pair["id"]], **_others(pair, own[pair["id"]], known, optimal)},
        )
        for pair in known
    ]


def _others(
    pair: Mapping[str, Any], own: Mapping[str, str], known: Sequence[Mapping[str, Any]], optimal: Mapping[str, str]
) -> dict[PlanName, str]:
    chance = random.Random(pair["id"])  # noqa: S311 - no secret
    plan, review = own["optimal"], pair["feedback"]
    questions = questions_of(plan)

    def elsewhere(*, same: bool) -> str | None:
        plans = [
            optimal[other["id"]]
            for other in known
            if other["id"] != pair["id"] and (other["paper_id"] == pair["paper_id"]) == same
        ]
        return chance.choice(plans) if plans else None

    near, far = elsewhere(same=True), elsewhere(same=False)
    found: dict[PlanName, str | None] = {"another paper": far, "same paper": near}
    if near or far:
        found["half elsewhere"] = half_of(questions, questions_of(near or far or ""), chance)
    for kind in ("generic", "sampled"):
        if kind in own and pertinence(own[kind], review) < pertinence(plan, review):
            found[kind] = own[kind]
    found["without its words"] = numbered(
        [without_words(question, stems(f"{pair['paragraph']} {review}")) for question in questions]
    )
    found["running text"] = " ".join(question.text for question in questions)
    found["out of order"] = out_of_order(questions, chance)
    if len(questions) > 1:
        found["repeated"] = numbered([*questions[:-1], chance.choice(questions[:-1])])
    found["cut off"] = cut_off(plan)
    return {kind: text for kind, text in found.items() if text and text != plan}


class AskedQuestion(NamedTuple):
    """A question of a plan."""

    source: str
    """`paper` or `literature`."""
    text: str


_LINE = re.compile(r"^\d+\. Investigator: answer from the (paper|literature): (.+)$", re.MULTILINE)
_REVIEW = "Reviewer: write the review."


def questions_of(plan: str) -> list[AskedQuestion]:
    """The questions of a plan in the planner's form."""
    return [AskedQuestion(*match) for match in _LINE.findall(plan)]


def numbered(questions: Sequence[AskedQuestion], *, review_at: int | None = None) -> str:
    """A plan in the planner's form, with the review as its last step or at another place."""
    steps = [f"Investigator: answer from the {question.source}: {question.text}" for question in questions]
    steps.insert(len(steps) if review_at is None else review_at, _REVIEW)
    return "\n".join(f"{number}. {step}" for number, step in enumerate(steps, start=1))


def half_of(questions: Sequence[AskedQuestion], others: Sequence[AskedQuestion], chance: random.Random) -> str:
    """A plan of as many questions, half of which, rounded up, are those of another plan while it has some."""
    changed = sorted(chance.sample(range(len(questions)), (len(questions) + 1) // 2))
    mixed = list(questions)
    for place, other in zip(changed, others, strict=False):
        mixed[place] = other
    return numbered(mixed)


_WORD = re.compile(r"[\w-]+|[^\w-]+")
_DETERMINERS = {"the", "a", "an", "this", "these", "that", "those", "their", "its", "our"}


def without_words(question: AskedQuestion, specific: set[str]) -> AskedQuestion:
    """A question with "this" in place of each run of words whose stems are specific."""
    kept: list[str] = []
    for part in _WORD.findall(question.text):
        if stems(part) & specific:
            while kept and (kept[-1].lower() in _DETERMINERS or not kept[-1].strip()):
                kept.pop()
            if kept and kept[-1] != "this":
                kept.append(" ")
            if not kept or kept[-1] != "this":
                kept.append("this")
        else:
            kept.append(part)
    text = "".join(kept)
    return AskedQuestion(question.source, text[:1].upper() + text[1:])


def out_of_order(questions: Sequence[AskedQuestion], chance: random.Random) -> str:
    """The literature first where both are asked, else the review before the last questions."""
    literature = [question for question in questions if question.source == "literature"]
    paper = [question for question in questions if question.source == "paper"]
    if literature and paper:
        return numbered([*literature, *paper])
    return numbered(questions, review_at=chance.randrange(len(questions)) if questions else None)


def cut_off(plan: str) -> str:
    """A plan that ends within its last question, as an answer that had no more room."""
    lines = plan.splitlines()[:-1]
    last = lines[-1].split() if lines else []
    return "\n".join([*lines[:-1], " ".join(last[: len(last) * 3 // 4])])


def subjects(plan: str) -> set[str]:
    """The content words of a plan's questions, without those of its form."""
    return stems(FORM.sub("", plan))


def pertinence(plan: str, review: str) -> float:
    """Share of a plan's content words that the review of the paragraph has, from 0 to 1."""
    asked = subjects(plan)
    return len(asked & stems(review)) / len(asked) if asked else 0.0


_FOLDS = 5


def folds_of(paragraphs: Sequence[PlannedParagraph]) -> dict[str, PlanSplit]:
    """The folds of the cross-validation by their names: paragraphs to learn from, and those of the papers left out.

    A paper is in the same fold whatever other papers there are. A fold with one of the two empty is left out.
    """
    folds = {}
    for number in range(_FOLDS):
        left_out = [each for each in paragraphs if _fold(each.paper_id) == number]
        if left_out and len(left_out) < len(paragraphs):
            learnt = [each for each in paragraphs if _fold(each.paper_id) != number]
            folds[str(number + 1)] = PlanSplit(learnt, left_out)
    return folds


def _fold(paper_id: str) -> int:
    return int.from_bytes(hashlib.sha256(paper_id.encode()).digest()[:8]) % _FOLDS


def split_by_paper(paragraphs: Sequence[PlannedParagraph], validation: float, seed: int) -> PlanSplit:
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
        raise BadInput(
            f"{len(paragraphs)} paragraphs of {len(papers) + len(aside)} papers cannot be split into training and "
            "validation; give paragraphs of more papers."
        )
    return PlanSplit(
        [each for each in paragraphs if each.paper_id not in aside],
        [each for each in paragraphs if each.paper_id in aside],
    )


def sha256_of(paragraphs: Sequence[PlannedParagraph]) -> str:
    """SHA-256 of all that is learnt from or measured on, in order."""
    values = [each.model_dump(include={"id", "paper_id", "paragraph", "texts"}) for each in paragraphs]
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()
