"""What the dataset compiler tells at its end."""

from __future__ import annotations

from typing import NamedTuple

from rich.table import Table

from training.review_filters.annotated_links import LinkComparison
from training.review_filters.papers import Split


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
