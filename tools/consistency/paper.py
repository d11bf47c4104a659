"""All checks over one paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from state.computed_findings import ComputedFinding
from state.documents import Document
from tools.consistency.abbreviations import check_abbreviations
from tools.consistency.availability import check_availability
from tools.consistency.citations import check_citations
from tools.consistency.cross_references import check_equations, check_names, check_sections, check_unresolved
from tools.consistency.differences import check_differences
from tools.consistency.intervals import check_interval_tables, check_intervals
from tools.consistency.many_tests import check_many_tests
from tools.consistency.parts import check_parts
from tools.consistency.percentages import check_listed_percentages, check_percentages
from tools.consistency.repeated_values import (
    check_allocation,
    check_periods,
    check_products,
    check_repeated,
    check_repeated_estimates,
    check_seasons,
)
from tools.consistency.reported_tests import check_test_tables, check_tests
from tools.consistency.starred_correlations import check_starred_correlations
from tools.consistency.stated_shares import check_stated_shares
from tools.consistency.statements import Statement, TableRows, statements
from tools.consistency.table_counts import check_table
from tools.consistency.told_cells import check_told_cells
from tools.consistency.told_twice import check_told_twice
from tools.consistency.whole_between_groups import check_whole_between_groups, check_whole_row
from tools.consistency.whole_numbers import check_whole_number_table, check_whole_numbers

_NEAR = 3  # statements before one, in which a scale may be told


def check_paper(document: Document) -> list[ComputedFinding]:
    """All findings about a paper, in the order of its paragraphs; what is said twice is found once."""
    parts, tables = statements(document)
    found = [
        *_about_statements(parts),
        *(found for each in tables for found in check_table(each.table, each.rows, each.notes)),
        *(found for each in tables for found in check_whole_row(each.table, each.rows)),
        *(found for each in tables for found in check_whole_number_table(each.table, each.rows, each.notes)),
        *check_test_tables(tables),
        *check_starred_correlations(tables),
        *check_interval_tables(tables),
        *check_many_tests(parts, tables),
        *_about_values(parts, tables),
        *check_told_cells(parts, tables),
        *check_periods(parts),
        *check_seasons(parts),
        *check_allocation(parts),
        *check_names(document, parts),
        *check_sections(document, parts),
        *check_unresolved(parts),
        *check_equations(document, parts),
        *check_citations(document, parts),
        *check_abbreviations(parts, tables),
        *_about_availability(parts),
    ]
    order = {paragraph["id"]: at for at, paragraph in enumerate(document["paragraphs"])}
    once = {(each["kind"], each["quote"], each["computation"]): each for each in reversed(found)}
    return sorted(once.values(), key=lambda each: order.get(each["paragraph"], len(order)))


def _about_values(parts: Sequence[Statement], tables: Sequence[TableRows]) -> list[ComputedFinding]:
    """One number with two values; what two checks find in one sentence is told once."""
    found = [*check_repeated(parts), *check_repeated_estimates(parts)]
    known = {each["quote"] for each in found}
    return [*found, *(each for each in check_told_twice(parts, tables) if each["quote"] not in known)]


def _about_percentages(part: Statement) -> list[ComputedFinding]:
    """Percentages of a statement; what a further check computes from the same two counts is told once."""
    found = [*check_percentages(part), *check_listed_percentages(part)]
    known = {each["computation"].partition(" is ")[0] for each in found}
    return [
        *found,
        *(each for each in check_stated_shares(part) if each["computation"].partition(" is ")[0] not in known),
    ]


def _about_availability(parts: Sequence[Statement]) -> Iterator[ComputedFinding]:
    texts = [part.text for part in parts]
    paper = " ".join(texts)
    for part, after in zip(parts, [*texts, ""][1:], strict=True):
        yield from check_availability(part, after, paper)


def _about_statements(parts: Sequence[Statement]) -> Iterator[ComputedFinding]:
    for at, part in enumerate(parts):
        yield from check_tests(part)
        yield from _about_percentages(part)
        yield from check_whole_between_groups(part)
        yield from check_parts(part)
        yield from check_differences(part)
        yield from check_intervals(part)
        yield from check_products(part)
        yield from check_whole_numbers(
            part, " ".join([part.caption, *(each.text for each in parts[max(0, at - _NEAR) : at + 1])])
        )
