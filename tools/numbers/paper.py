"""The checks of a whole paper: readers make records of its numbers, and computations compare them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from textwrap import shorten

from state.computed_findings import ComputedFinding, PaperReport, rank_severity
from state.documents import Document
from tools.numbers import read_tables, read_text
from tools.numbers.abbreviations import check_abbreviations
from tools.numbers.citations import check_citations
from tools.numbers.cross_references import check_cross_references
from tools.numbers.grim import check_binary_deviation, check_deviation, check_mean
from tools.numbers.intervals import check_estimate
from tools.numbers.model_readings import Record, merge_records
from tools.numbers.proportions import check_proportion, check_total
from tools.numbers.read_tables import ParsedTable
from tools.numbers.records import Estimate, MeanAndDeviation, NumberRecord, Proportion, ReportedTest, ReportedTotal
from tools.numbers.reported_tests import check_comparison, check_multiple_testing, check_reported_test
from tools.numbers.statements import Statement, read_statements

_MIN_CONTRADICTIONS = 3  # of a table whose headings are taken as misread
_FindingsByRecord = list[tuple[NumberRecord, list[ComputedFinding | None]]]


def check_paper(document: Document, warnings: Sequence[str] = (), by_model: Sequence[NumberRecord] = ()) -> PaperReport:
    """Run all checks on a paper; return a report with the findings, each once and in the order of the paper.

    Args:
        document: The paper.
        warnings: Parts of the paper that its reader could not read.
        by_model: Records of numbers that a model has read in the paper.
    """
    # 1. Read: records of the text, of the tables, and of the model.
    statements, printed_tables = read_statements(document)
    tables = [read_tables.parse_table(table) for table in printed_tables]

    def read_records(
        kind: type[Record],
        read_statement: Callable[[Statement], Iterable[Record]],
        read_table: Callable[[ParsedTable], Iterable[Record]],
    ) -> list[Record]:
        """Return the records of a kind in all statements and tables, merged with those of the model."""
        found = [record for part in statements for record in read_statement(part)]
        found += [record for table in tables for record in read_table(table)]
        return merge_records(found, by_model, kind)

    tests = read_records(ReportedTest, read_text.read_tests, read_tables.read_tests)
    means = read_records(MeanAndDeviation, read_text.read_means, read_tables.read_means)
    shares = read_records(Proportion, read_text.read_proportions, read_tables.read_proportions)
    estimates = read_records(Estimate, read_text.read_estimates, read_tables.read_estimates)
    comparisons = [*read_text.find_comparisons(means, tests)]
    comparisons += [record for table in tables for record in read_tables.read_comparisons(table)]

    # 2. Compute: each record by itself, then the checks of the whole paper.
    checked: _FindingsByRecord = [
        (test, [found]) for test, found in zip(tests, _check_tests(tests, statements), strict=True)
    ]
    checked += [(mean, [check_mean(mean), check_deviation(mean), check_binary_deviation(mean)]) for mean in means]
    checked += [(share, [check_proportion(share)]) for share in shares]
    checked += [(estimate, check_estimate(estimate)) for estimate in estimates]
    checked += [(comparison, [check_comparison(comparison)]) for comparison in comparisons]
    checked += [(total, [check_total(total)]) for total in by_model if isinstance(total, ReportedTotal)]
    findings = [*check_multiple_testing(statements, [*tests, *estimates]), *check_abbreviations(statements)]
    unread = list(warnings)
    whole_paper = (check_cross_references(document, statements), check_citations(document, statements))
    for found, unread_parts in (_exclude_misread_tables(checked), *whole_paper):
        findings += found
        unread += unread_parts
    return PaperReport(
        findings=_sort_findings(findings, document),
        read={
            "test": len(tests),
            "mean": len(means),
            "proportion": len(shares),
            "interval": len(estimates),
            "reference": len(document["references"]),
        },
        unread=unread,
        left_out=0,
        references_looked_up=False,
    )


def _check_tests(tests: Sequence[ReportedTest], statements: Sequence[Statement]) -> list[ComputedFinding | None]:
    """Return each test's finding or None, allowing for one-sided or rank tests or sphericity if the paper names any."""
    one_sided = any(read_text.ONE_SIDED.search(part.text) for part in statements)
    texts = [f"{part.caption} {part.text}" for part in statements]
    sphericity, rank_tests = (any(map(word.search, texts)) for word in (read_text.SPHERICITY, read_text.RANK_TEST))
    return [
        check_reported_test(test, one_sided=one_sided, sphericity=sphericity, rank_tests=rank_tests) for test in tests
    ]


def _sort_findings(findings: Sequence[ComputedFinding], document: Document) -> list[ComputedFinding]:
    """Return a new list of the findings in the order of the paper; of equal findings the graver one is kept."""
    # Ascending by gravity, so that of two equal findings the graver one is kept in the dictionary.
    by_gravity = sorted(findings, key=rank_severity, reverse=True)
    unique = {(each["kind"], each["quote"], each["computation"]): each for each in by_gravity}
    places = {each["id"]: (at, each["text"]) for at, each in enumerate(document["paragraphs"])}

    def find_place(found: ComputedFinding) -> tuple[int, int]:
        at, text = places.get(found["paragraph"], (len(places), ""))
        return at, text.find(found["quote"])

    return sorted(unique.values(), key=find_place)


def _exclude_misread_tables(checked: _FindingsByRecord) -> tuple[list[ComputedFinding], list[str]]:
    """Return the findings without those of misread tables, and a message about each of these tables, as a pair.

    Where most values of a kind contradict, the headings of the table were read wrong, or are wrong.
    """
    groups = defaultdict[tuple[str, type[NumberRecord]], list[tuple[NumberRecord, list[ComputedFinding]]]](list)
    for record, found in checked:
        table = record.statement.paragraph["id"] if record.statement.row else ""
        groups[table, type(record)].append((record, list(filter(None, found))))
    findings, unread = list[ComputedFinding](), list[str]()
    for (table, _), group in groups.items():
        wrong = [found[0]["kind"] for _, found in group if found]
        if table and len(wrong) >= max(_MIN_CONTRADICTIONS, len(group) / 2):
            name = shorten(group[0][0].statement.caption, 60, placeholder="…")
            reason = f"{len(wrong)} of {len(group)} values do not fit its headings ({wrong[0]})"
            unread.append(f"table “{name}”: {reason}, so it was not computed on")
        else:
            findings += [each for _, found in group for each in found]
    return findings, unread
