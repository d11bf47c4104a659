"""Whether the passage that a human comment needs is among those that the investigator is shown, and what raises it.

    python -m benchmarks.found_passages --data FOLDER [--only modes --only queries]

It takes a quarter of an hour on two idle cores, nearly all of it for embedding. FOLDER has `papers.jsonl` and
`paragraph_reviews.jsonl` (F1000RD). `retrieval_labels.jsonl` has fifty comments that are about something which another
passage of the same paper gives (`given`), or where it would be checked (`checked`): the pair, the paragraph that was
commented on, the passages by their paragraphs, the place in each by its characters, and a question that a planner could
ask. Nothing of the papers is in it. A comment counts as found if one of its places is wholly in a segment that is
shown.

Every search is the investigator's own (`search_now`, without the paragraph under review) with the packaged embedding.
Beside the question of the labels, which was written by someone who had seen the comment, there are the questions of the
plans that ship: `sampled` ones were written without the comment. Intervals are Wilson's, 95 %. `+a -b` says how many
comments are found by a row and not by the first of its table, and the other way round.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from statistics import fmean
from types import MappingProxyType
from typing import Any, NamedTuple

from evals.statistics import share_interval
from nodes.feedback.agent import search_now
from state.documents import Document, Paragraph
from state.settings import FeedbackSettings
from tools.retrieval.bm25 import words
from tools.retrieval.search import reciprocal_rank_fusion
from tools.retrieval.segments import Segment, split
from training.plan_reranker.plans import PLANS, questions_of, read_written

LABELS = Path(__file__).parent / "retrieval_labels.jsonl"
SHOWN = (1, 3, 5, 10)
ALL = 1000
"""More segments than a paper has."""
READ = 10_000
"""Characters that the investigator reads: five segments of 2,000."""
LONG = 8
"""Segments of a paper; a longer one counts as long."""


class Case(NamedTuple):
    """A comment, and where in the paper the passage is that it needs."""

    label: dict[str, Any]
    paper: Document
    paragraph: Paragraph
    comment: str
    plans: dict[str, list[str]]
    """The questions to the paper of each kind of plan."""

    @property
    def question(self) -> str:
        """As a planner could ask it."""
        return str(self.label["question"])


class Way(NamedTuple):
    """How a passage is looked for."""

    name: str
    queries: Callable[[Case], list[str]] = lambda case: [case.question]
    settings: Mapping[str, Any] = MappingProxyType({})
    paper: Callable[[Case], Document] = lambda case: case.paper
    """What is searched."""
    fused: bool = False
    """Whether the queries have one ranking together; otherwise each has its own, and the best counts."""


class Found(NamedTuple):
    """Where a passage stands."""

    rank: int
    characters: int
    """Of the segments up to it."""


def main() -> None:
    """Search for all labels in every way, and print a table for each kind of ways."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of papers.jsonl and paragraph_reviews.jsonl")
    parser.add_argument("--only", choices=[*TABLES], action="append", help="one of the tables; repeatable")
    arguments = parser.parse_args()
    cases = list(read_cases(arguments.data))
    with tempfile.TemporaryDirectory() as home:
        os.environ["DRAFTROOM_HOME"] = home
        chance(cases)
        for name in arguments.only or TABLES:
            table(cases, TABLES[name])


def table(cases: list[Case], ways: list[Way]) -> None:
    print(f"\n| | {' | '.join(f'first {k}' for k in SHOWN)} | {READ:,} characters | long papers, first 5 | against |")
    print("|---|" + "---|" * (len(SHOWN) + 3))
    first: list[Found] | None = None
    for way in ways:
        found = [look(case, way) for case in cases]
        first = first or found
        long = [place.rank <= 5 for case, place in zip(cases, found, strict=True) if len(others(case)) > LONG]
        cells = [share([place.rank <= k for place in found]) for k in SHOWN]
        cells += [share([place.characters <= READ for place in found]), share(long)]
        cells.append(", ".join(changes(found, first, k) for k in SHOWN[:-1]))
        print(f"| {way.name} | {' | '.join(cells)} |", flush=True)


def share(found: list[bool]) -> str:
    interval = share_interval([100 * each for each in found])
    return f"{sum(found)} of {len(found)}, {interval.value:.0f} % [{interval.low:.0f}, {interval.high:.0f}]"


def changes(found: list[Found], first: list[Found], k: int) -> str:
    pairs = [(new.rank <= k, old.rank <= k) for new, old in zip(found, first, strict=True)]
    return f"{k}: +{sum(new > old for new, old in pairs)} -{sum(new < old for new, old in pairs)}"


def chance(cases: list[Case]) -> None:
    """What segments in any order would have found."""
    counts = [(len(others(case)), len(holding(case, case.paper, others(case)))) for case in cases]
    print(f"segments of a paper: {sorted(all_ for all_, _ in counts)}")
    for name, some in (("all papers", counts), ("long papers", [each for each in counts if each[0] > LONG])):
        for k in SHOWN:
            missed = [math.comb(all_ - right, min(k, all_)) / math.comb(all_, min(k, all_)) for all_, right in some]
            print(f"{name}, by chance among the first {k}: {1 - fmean(missed):.0%}")


def others(case: Case) -> list[Segment]:
    """The segments of a paper, without those of the paragraph alone."""
    return [each for each in split(case.paper) if set(each.paragraphs) != {case.paragraph["id"]}]


def look(case: Case, way: Way) -> Found:
    """Where the first segment stands that holds a place of the label."""
    chosen = FeedbackSettings(**way.settings)
    paper = way.paper(case)
    segments = {each.id: each for each in split(paper, chosen.segment_characters, chosen.segment_overlap)}
    right = holding(case, paper, list(segments.values()))
    rankings = [
        [passage["id"] for passage in search_now([paper], query, chosen, ALL, (case.paragraph["id"],))]
        for query in way.queries(case)
    ]
    if way.fused:
        rankings = [[segment for segment, _ in reciprocal_rank_fusion(rankings)]]
    return min((place(ranking, segments, right) for ranking in rankings), default=Found(ALL, ALL * READ))


def place(ranking: list[str], segments: dict[str, Segment], right: set[str]) -> Found:
    characters = 0
    for rank, segment in enumerate(ranking, start=1):
        characters += len(segments[segment].text)
        if segment in right:
            return Found(rank, characters)
    return Found(ALL, ALL * READ)


def holding(case: Case, paper: Document, segments: list[Segment]) -> set[str]:
    """The segments that hold one of the label's places."""
    places, begin = [], 0
    for paragraph in paper["paragraphs"]:
        for name, (start, end) in zip(case.label["passages"], case.label["places"], strict=True):
            if paragraph["id"] == name:
                places.append((begin + start, begin + end))
        begin += len(paragraph["text"]) + len("\n\n")
    return {
        each.id
        for each in segments
        if any(each.start <= start and end <= each.start + len(each.text) for start, end in places)
    }


def read_cases(folder: Path) -> Iterator[Case]:
    papers = {record["paper_id"]: document(record) for record in records(folder / "papers.jsonl")}
    pairs = {record["id"]: record for record in records(folder / "paragraph_reviews.jsonl")}
    plans: dict[str, dict[str, list[str]]] = {}
    for line in read_written(PLANS):
        asked = [question.text for question in questions_of(line.plan) if question.source == "paper"]
        plans.setdefault(line.id, {})[line.written] = asked
    for label in records(LABELS):
        paper = papers[label["paper"]]
        paragraph = next(each for each in paper["paragraphs"] if each["id"] == label["paragraph"])
        yield Case(label, paper, paragraph, pairs[label["pair"]]["feedback"], plans[label["pair"]])


def records(path: Path) -> Iterator[dict[str, Any]]:
    yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


def document(record: dict[str, Any]) -> Document:
    return paper_of(
        record["title"],
        [
            Paragraph(id=part["id"], section=section["heading"], text=part["text"], page=0, words=[])
            for section in record["sections"]
            for part in section["paragraphs"]
        ],
    )


def paper_of(title: str, paragraphs: list[Paragraph]) -> Document:
    text = "\n\n".join(paragraph["text"] for paragraph in paragraphs)
    return Document(
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        format="text",
        title=title,
        abstract="",
        text=text,
        paragraphs=paragraphs,
        references=[],
        hidden=[],
        pages=0,
        warnings=[],
    )


def without_paragraph(case: Case) -> Document:
    """The rest of the paper."""
    rest = [each for each in case.paper["paragraphs"] if each["id"] != case.paragraph["id"]]
    return paper_of(case.paper["title"], rest)


def with_terms(number: int, case: Case) -> list[str]:
    """The question and the words of the paragraph that are most of its own in the paper (tf-idf)."""
    segments = [set(words(each.text)) for each in split(case.paper)]
    counts = Counter(words(case.paragraph["text"]))
    weights = {
        stem: count * math.log(1 + len(segments) / max(1, sum(stem in each for each in segments)))
        for stem, count in counts.items()
    }
    spelled = {stem: word for word in re.findall(r"[\w.'’-]*\w", case.paragraph["text"]) for stem in words(word)}
    best = sorted(weights, key=lambda stem: weights[stem], reverse=True)[:number]
    return [f"{case.question} {' '.join(spelled.get(stem, stem) for stem in best)}"]


def windows(characters: int, overlap: int = 200) -> dict[str, Any]:
    return {"segment_characters": characters, "segment_overlap": overlap}


TABLES = {
    "modes": [
        Way("question, hybrid"),
        Way("question, dense", settings={"retrieval": "dense"}),
        Way("question, bm25", settings={"retrieval": "bm25"}),
        Way("comment, hybrid", lambda case: [case.comment]),
        Way("comment, dense", lambda case: [case.comment], {"retrieval": "dense"}),
        Way("comment, bm25", lambda case: [case.comment], {"retrieval": "bm25"}),
        Way("any question of a plan, hybrid", lambda case: case.plans["sampled"]),
        Way("any question of a plan, dense", lambda case: case.plans["sampled"], {"retrieval": "dense"}),
        Way("any question of a plan, bm25", lambda case: case.plans["sampled"], {"retrieval": "bm25"}),
    ],
    "queries": [
        Way("question"),
        Way("question and section", lambda case: [f"{case.question} {case.paragraph['section']}"]),
        Way("question and title", lambda case: [f"{case.question} {case.paper['title']}"]),
        Way("question and 5 terms", partial(with_terms, 5)),
        Way("question and paragraph", lambda case: [f"{case.question} {case.paragraph['text']}"]),
        Way("paragraph", lambda case: [case.paragraph["text"]]),
        Way("question, paragraph, fused", lambda case: [case.question, case.paragraph["text"]], fused=True),
        Way("question, plan, fused", lambda case: [case.question, *case.plans["sampled"]], fused=True),
        Way("plan, fused", lambda case: case.plans["sampled"], fused=True),
    ],
    "segments": [
        Way("2,000 characters"),
        Way("1,000", settings=windows(1000)),
        Way("3,000", settings=windows(3000)),
        Way("2,000, of the rest of the paper", paper=without_paragraph),
        Way("2,000, of the rest, dense", settings={"retrieval": "dense"}, paper=without_paragraph),
        Way("2,000, of the rest, bm25", settings={"retrieval": "bm25"}, paper=without_paragraph),
    ],
    "plans": [
        Way("any question of a plan", lambda case: case.plans["sampled"]),
        Way("of the rest of the paper", lambda case: case.plans["sampled"], paper=without_paragraph),
    ],
    "comments": [
        Way("comment", lambda case: [case.comment]),
        Way("of the rest of the paper", lambda case: [case.comment], paper=without_paragraph),
    ],
}


if __name__ == "__main__":
    main()
