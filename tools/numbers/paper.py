"""All checks over one paper: readers make records, and computations look at these."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from state.computed_findings import ComputedFinding, PaperReport, gravest_first
from state.documents import Document
from tools.numbers import read_tables, read_text
from tools.numbers.abbreviations import check_abbreviations
from tools.numbers.citations import check_citations
from tools.numbers.cross_references import check_cross_references
from tools.numbers.debit import check_binary_deviation
from tools.numbers.grim import check_mean
from tools.numbers.grimmer import check_deviation
from tools.numbers.intervals import check_estimate
from tools.numbers.many_tests import check_many_tests
from tools.numbers.proportions import check_proportion
from tools.numbers.read_model import join_records
from tools.numbers.recomputed_tests import check_comparison
from tools.numbers.records import Estimate, MeanAndDeviation, NumberRecord, Proportion, ReportedTest, ToldTotal
from tools.numbers.reported_tests import check_test
from tools.numbers.statements import statements
from tools.numbers.totals import check_total

_join = chain.from_iterable


def check_paper(document: Document, warnings: Sequence[str] = (), by_model: Sequence[NumberRecord] = ()) -> PaperReport:
    """Return all findings about a paper, in its order, and each once.

    Args:
        document: The paper.
        warnings: What its reader could not read.
        by_model: Records of what a model has read of it.
    """
    # 1. Read: records of the text, of the tables, and of the model.
    parts, printed_tables = statements(document)
    tables = [read_tables.parse_table(table) for table in printed_tables]
    tests = [*_join(map(read_text.read_tests, parts)), *_join(map(read_tables.read_tests, tables))]
    means = [*_join(map(read_text.read_means, parts)), *_join(map(read_tables.read_means, tables))]
    proportions = [*_join(map(read_text.read_proportions, parts)), *_join(map(read_tables.read_proportions, tables))]
    estimates = [*_join(map(read_text.read_estimates, parts)), *_join(map(read_tables.read_estimates, tables))]
    tests, means = join_records(tests, by_model, ReportedTest), join_records(means, by_model, MeanAndDeviation)
    proportions, estimates = (
        join_records(proportions, by_model, Proportion),
        join_records(estimates, by_model, Estimate),
    )
    comparisons = [*read_text.find_comparisons(means, tests), *_join(map(read_tables.read_comparisons, tables))]
    one_sided = any(read_text.speaks_of_one_side(part.text) for part in parts)

    # 2. Compute: each record by itself, then what needs the whole paper.
    findings: list[ComputedFinding | None] = [
        *(check_test(test, one_sided=one_sided) for test in tests),
        *(check(mean) for mean in means for check in (check_mean, check_deviation, check_binary_deviation)),
        *map(check_proportion, proportions),
        *(found for estimate in estimates for found in check_estimate(estimate)),
        *map(check_comparison, comparisons),
        *check_many_tests(parts, [*tests, *estimates]),
        *check_abbreviations(parts),
        *(check_total(each) for each in by_model if isinstance(each, ToldTotal)),
    ]
    unread = list(warnings)
    for told, not_read in (check_cross_references(document, parts), check_citations(document, parts)):
        findings += told
        unread += not_read
    by_gravity = sorted(filter(None, findings), key=gravest_first, reverse=True)  # so that the gravest stays
    once = {(each["kind"], each["quote"], each["computation"]): each for each in by_gravity}
    places = {each["id"]: (at, each["text"]) for at, each in enumerate(document["paragraphs"])}

    def find_place(found: ComputedFinding) -> tuple[int, int]:
        at, text = places.get(found["paragraph"], (len(places), ""))
        return at, text.find(found["quote"])

    return PaperReport(
        findings=sorted(once.values(), key=find_place),
        read={
            "test": len(tests),
            "mean": len(means),
            "proportion": len(proportions),
            "interval": len(estimates),
            "reference": len(document["references"]),
        },
        unread=unread,
        references_looked_up=False,
    )
