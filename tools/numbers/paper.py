"""All checks over one paper."""

from __future__ import annotations

from collections.abc import Sequence

from state.computed_findings import ComputedFinding, PaperReport
from state.documents import Document
from tools.numbers import read_tables, read_text
from tools.numbers.abbreviations import check_abbreviations
from tools.numbers.citations import check_citations
from tools.numbers.cross_references import check_names, check_sections, check_unresolved
from tools.numbers.intervals import check_interval_tables, check_intervals
from tools.numbers.many_tests import check_many_tests
from tools.numbers.means import check_whole_number_table, check_whole_numbers
from tools.numbers.proportions import check_percentage_table, check_percentages
from tools.numbers.read_model import join_records
from tools.numbers.records import NumberRecord, ReportedTest, ToldTotal
from tools.numbers.reported_tests import check_test
from tools.numbers.statements import statements
from tools.numbers.totals import check_total

_NEAR = 3  # statements before one, in which a scale may be told


def check_paper(document: Document, warnings: Sequence[str] = (), by_model: Sequence[NumberRecord] = ()) -> PaperReport:
    """Return all findings about a paper, in the order of its paragraphs; what is said twice is found once.

    Args:
        document: The paper.
        warnings: What its reader could not read.
        by_model: Records of what a model has read of it.
    """
    parts, tables = statements(document)
    tests = [test for part in parts for test in read_text.read_tests(part)]
    tests += [test for table in tables for test in read_tables.read_tests(table)]
    tests = join_records(tests, by_model, ReportedTest)
    one_sided = any(read_text.speaks_of_one_side(part.text) for part in parts)
    found: list[ComputedFinding] = [
        each for test in tests if (each := check_test(test, one_sided=one_sided)) is not None
    ]
    for at, part in enumerate(parts):
        before = " ".join([part.caption, *(each.text for each in parts[max(0, at - _NEAR) : at + 1])])
        found += [*check_percentages(part), *check_intervals(part)]
        found += check_whole_numbers(part, before)
    found += [
        *(found for each in tables for found in check_percentage_table(each.table, each.rows)),
        *(found for each in tables for found in check_whole_number_table(each.table, each.rows, each.notes)),
        *check_interval_tables(tables),
        *check_many_tests(parts, tables),
        *check_names(document, parts),
        *check_sections(document, parts),
        *check_unresolved(parts),
        *check_citations(document, parts),
        *check_abbreviations(parts),
        *filter(None, (check_total(each) for each in by_model if isinstance(each, ToldTotal))),
    ]
    order = {paragraph["id"]: at for at, paragraph in enumerate(document["paragraphs"])}
    once = {(each["kind"], each["quote"], each["computation"]): each for each in reversed(found)}
    return PaperReport(
        findings=sorted(once.values(), key=lambda each: order.get(each["paragraph"], len(order))),
        read={
            "test": len(tests),
            "reference": len(document["references"]),
        },
        unread=list(warnings),
        references_looked_up=False,
    )
