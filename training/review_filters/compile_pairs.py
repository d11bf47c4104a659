"""Compiles paragraph-review pairs from papers with whole reviews (SWIF2T, "The dataset and its two classifiers").

    python -m training.review_filters.compile_pairs PAPERS.jsonl --out PAIRS.jsonl [--purpose FOLDER] [--aspect FOLDER]

Sentences of reviews are paired with the paragraphs they quote (`linking`), and of these pairs those are kept that
criticise or ask for something (purpose filter), are about one of the five weaknesses (aspect filter) and say something
new (`deduplicate`). What is left is split by paper. Without the folder of a classifier its filter is left out. Each
paper is an object on a line with `paper_id`, `title`, `sections` (`heading`, `paragraphs` with `id` and `text`) and
`reviews` (`review_id`, `paragraphs`). The same input, rules and classifiers give the same pairs.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from rich.console import Console
from rich.progress import track
from rich.table import Table

from state.errors import BadInput, DraftroomError, SettingsError
from state.files import write_atomically
from state.settings import describe
from training.review_filters.annotated_links import LinkComparison, compare, read_annotations, within_reach
from training.review_filters.labelled_sentences import Task
from training.review_filters.linking import Linked, LinkRules, link_reviews
from training.review_filters.pairs import (
    Classify,
    LabelProbability,
    Pair,
    SplitRules,
    deduplicate,
    keep_aspects,
    keep_purposes,
    pair_of,
    split_by_paper,
)
from training.review_filters.papers import Paper, Split, read_papers
from training.review_filters.verbatim import common_phrases


class SplitCount(NamedTuple):
    """Size of a split."""

    split: Split
    pairs: int
    papers: int


class Counts(NamedTuple):
    """What each stage of the compiler left."""

    papers: int
    reviews: int
    sentences: int
    quoting: int
    """Review sentences that quote at least one paragraph."""
    ambiguous: int
    """Quotations that were dropped because several paragraphs have them."""
    headings: int
    """Quotations that were dropped because they are of the title or a heading."""
    common: int
    """Runs that were dropped because other papers have them as well."""
    linked: int
    """Comments: pairs before any filter."""
    with_purpose: int | None = None
    """Pairs with a Weakness or Todo sentence; None without the filter."""
    with_aspect: int | None = None
    """Pairs about one of the five weaknesses; None without the filter."""
    pairs: int = 0
    """Without repetitions, as written."""
    splits: tuple[SplitCount, ...] | list[SplitCount] = ()


def counts_table(counts: Counts) -> Table:
    """A row for each stage."""
    table = _table("Dataset compiler", "stage", "count")
    rows = {
        "papers": counts.papers,
        "reviews": counts.reviews,
        "review sentences": counts.sentences,
        "sentences that quote a paragraph": counts.quoting,
        "dropped: quotations that several paragraphs have": counts.ambiguous,
        "dropped: quotations of the title or a heading": counts.headings,
        "dropped: runs that other papers have": counts.common,
        "linked comments": counts.linked,
        "after the purpose filter": counts.with_purpose,
        "after the aspect filter": counts.with_aspect,
        "without repetitions": counts.pairs,
    }
    for stage, count in rows.items():
        table.add_row(stage, "-" if count is None else f"{count:,}")
    for split in counts.splits:
        table.add_row(f"  {split.split}, of {split.papers} papers", f"{split.pairs:,}")
    return table


def comparison_table(title: str, comparison: LinkComparison) -> Table:
    """A row for each type of link."""
    table = _table(title, "paragraphs linked, by type", "agree", "of", "share")
    for measure, shares in (("recall", comparison.recall), ("precision", comparison.precision)):
        for kind, found, of in shares:
            share = f"{found / of:.1%}" if of else "-"
            table.add_row(f"{measure}: {kind}", str(found), str(of), share)
    return table


def _table(title: str, first: str, *others: str) -> Table:
    table = Table(title=title)
    table.add_column(first)
    for name in others:
        table.add_column(name, justify="right")
    return table


_BLOCK = 256
"""Sentences that are classified between two steps of the progress."""

_Item = TypeVar("_Item")


class CompileRules(BaseModel):
    """How pairs are compiled."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    links: LinkRules = Field(default_factory=LinkRules)
    splits: SplitRules = Field(default_factory=SplitRules)


class Compiled(NamedTuple):
    """What a corpus came to."""

    corpus: list[Paper]
    counts: Counts
    linked: list[Pair]
    """Before any filter."""
    pairs: list[Pair]
    """As they were written."""


def compile_pairs(
    papers: Path,
    out: Path,
    rules: CompileRules | None = None,
    *,
    purpose: Classify | None = None,
    aspect: Classify | None = None,
    progress: bool = False,
) -> Compiled:
    """Compile the pairs of a corpus into a JSON Lines file.

    Args:
        papers: JSON Lines file of papers with their reviews.
        out: Where the pairs go, in one step at the end; what stood there is replaced.
        rules: What counts as a quotation, and how papers are divided.
        purpose: Says what a sentence is for; without it, no sentence is left out and no pair has `feedback`.
        aspect: Says which weakness a sentence is about; without it, pairs of any aspect are kept, and have none.
        progress: Show it on standard error.

    Raises:
        BadInput: The corpus cannot be used or the file cannot be written. Nothing has been classified by then.
    """
    rules = rules or CompileRules()
    _check_output(out, papers)
    corpus = read_papers(papers)
    follow = partial(_follow, progress=progress)
    common = common_phrases(corpus, rules.links.minimum_words)
    by_paper = [(paper, link_reviews(paper, rules.links, common)) for paper in follow(corpus, "finding quotations")]
    linked = [pair_of(paper, comment) for paper, found in by_paper for comment in found.comments]
    purposeful = keep_purposes(linked, _in_blocks(purpose, "purposes", follow)) if purpose else None
    before = linked if purposeful is None else purposeful
    about = keep_aspects(before, _in_blocks(aspect, "aspects", follow)) if aspect else None
    last = next(stage for stage in (about, purposeful, linked) if stage is not None)
    pairs = split_by_paper(deduplicate(last), {paper.paper_id: paper.split for paper in corpus}, rules.splits)
    _write(pairs, out)
    counts = _count(by_paper)._replace(
        with_purpose=None if purposeful is None else len(purposeful),
        with_aspect=None if about is None else len(about),
        pairs=len(pairs),
        splits=_splits(pairs),
    )
    return Compiled(corpus, counts, linked, pairs)


def _follow(items: Sequence[_Item], what: str, *, progress: bool) -> Iterable[_Item]:
    console = Console(stderr=True)
    return track(items, what, console=console, disable=not (progress and console.is_terminal), transient=True)


def _in_blocks(classify: Classify, what: str, follow: Callable[[Sequence[Sequence[str]], str], Any]) -> Classify:
    """The same classifier, which shows how far it is."""

    def by_block(texts: Sequence[str]) -> list[LabelProbability]:
        blocks = [texts[start : start + _BLOCK] for start in range(0, len(texts), _BLOCK)]
        return [found for block in follow(blocks, what) for found in classify(block)]

    return by_block


def _count(by_paper: Sequence[tuple[Paper, Linked]]) -> Counts:
    found = [quotes for _, linked in by_paper for quotes in linked.sentences]
    return Counts(
        papers=len(by_paper),
        reviews=sum(len(paper.reviews) for paper, _ in by_paper),
        sentences=len(found),
        quoting=sum(bool(quotes.of) for quotes in found),
        ambiguous=sum(quotes.ambiguous for quotes in found),
        headings=sum(quotes.headings for quotes in found),
        common=sum(quotes.common for quotes in found),
        linked=sum(len(linked.comments) for _, linked in by_paper),
    )


def _splits(pairs: Sequence[Pair]) -> list[SplitCount]:
    count = Counter(pair["split"] for pair in pairs)
    papers = Counter(split for _, split in {(pair["paper_id"], pair["split"]) for pair in pairs})
    return [SplitCount(split, count[split], papers[split]) for split in ("train", "dev", "test")]


def _check_output(out: Path, papers: Path) -> None:
    """Before any work: a long run must not end in a file that cannot be written."""
    try:
        if out.is_dir() or not out.parent.is_dir() or not os.access(out.parent, os.W_OK):
            raise _unwritable(out, "it is a folder, or its folder does not exist or is closed to you")
        if out.exists() and papers.exists() and out.samefile(papers):
            raise _unwritable(out, "it is the corpus itself")
    except OSError as error:
        raise _unwritable(out, error.strerror or type(error).__name__) from error


def _write(pairs: Sequence[Pair], out: Path) -> None:
    lines = (json.dumps(pair, ensure_ascii=False) + "\n" for pair in pairs)
    try:
        write_atomically(out, "".join(lines).encode())
    except OSError as error:
        raise _unwritable(out, error.strerror or type(error).__name__) from error


def _unwritable(out: Path, problem: str) -> BadInput:
    return BadInput(f"{out} cannot be written ({problem}); choose another file.", kind="output_unwritable")


def main(arguments: Sequence[str] | None = None) -> None:
    """Compile, and show what every stage left, and how far that agrees with annotated links.

    Args:
        arguments: Of the command; those of the process by default.
    """
    given = _parser().parse_args(arguments)
    try:
        _run(given)
    except DraftroomError as error:
        raise SystemExit(str(error)) from error


def _run(given: argparse.Namespace) -> None:
    rules = _rules(given)
    annotated = read_annotations(given.compare) if given.compare else []
    compiled = compile_pairs(
        given.papers,
        given.out,
        rules,
        purpose=_load(given.purpose, "purpose"),
        aspect=_load(given.aspect, "aspect"),
        progress=True,
    )
    console = Console()
    console.print(counts_table(compiled.counts))
    if annotated:
        present = within_reach(annotated, compiled.corpus)
        console.print(comparison_table("Before the filters, all annotated links", compare(compiled.linked, annotated)))
        console.print(comparison_table("Before the filters, links in the corpus", compare(compiled.linked, present)))
        if given.purpose or given.aspect:
            console.print(comparison_table("As written, links in the corpus", compare(compiled.pairs, present)))


def _load(folder: Path | None, task: Task) -> Classify | None:
    if folder is None:
        return None
    from training.review_filters.classifier import load_classifier  # noqa: PLC0415 - torch, only where it is needed

    return load_classifier(folder, task).classify


def _rules(given: argparse.Namespace) -> CompileRules:
    links = {name: getattr(given, name) for name in LinkRules.model_fields}
    splits = {name: getattr(given, name) for name in SplitRules.model_fields}
    try:
        return CompileRules(links=LinkRules(**links), splits=SplitRules(**splits))
    except ValidationError as error:
        raise SettingsError(f"The rules cannot be used: {describe(error)}.") from error


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("papers", type=Path, help="papers with their reviews")
    parser.add_argument("--out", type=Path, required=True, help="where the pairs go")
    parser.add_argument("--purpose", type=Path, metavar="FOLDER", help="trained classifier of communicative purposes")
    parser.add_argument("--aspect", type=Path, metavar="FOLDER", help="trained classifier of aspects")
    parser.add_argument("--compare", type=Path, metavar="PAIRS", help="annotated links, JSON Lines")
    for name, field in (*LinkRules.model_fields.items(), *SplitRules.model_fields.items()):
        flag = f"--{name.replace('_', '-')}"
        if field.annotation is bool:
            parser.add_argument(flag, action="store_true", help=field.description)
        else:
            parser.add_argument(flag, default=field.default, help=field.description)
    return parser


if __name__ == "__main__":
    main()
