"""All checks over one paper: readers make records, and computations look at these."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import chain
from textwrap import shorten

from state.computed_findings import ComputedFinding, PaperReport, rank_severity
from state.documents import Document
from tools.numbers import read_tables, read_text
from tools.numbers.abbreviations import check_abbreviations
from tools.numbers.citations import check_citations
from tools.numbers.cross_references import check_cross_references
from tools.numbers.debit import check_binary_deviation
from tools.numbers.grim import check_mean
from tools.numbers.grimmer import check_deviation
from tools.numbers.intervals import check_estimate
from tools.numbers.model_readings import merge_records
from tools.numbers.multiple_testing import check_multiple_testing
from tools.numbers.proportions import check_proportion, check_total
from tools.numbers.recomputed_tests import check_comparison
from tools.numbers.records import Estimate, MeanAndDeviation, NumberRecord, Proportion, ReportedTest, ReportedTotal
from tools.numbers.reported_tests import check_reported_test
from tools.numbers.statements import read_statements

_chain_records = chain.from_iterable
_MIN_CONTRADICTIONS = 3


def check_paper(document: Document, warnings: Sequence[str] = (), by_model: Sequence[NumberRecord] = ()) -> PaperReport:
    """Return all findings about a paper, in its order, and each once.

    Args:
        document: The paper.
        warnings: What its reader could not read.
        by_model: Records of what a model has read of it.
    """
    # 1. Read: records of the text, of the tables, and of the model.
    parts, printed_tables = read_statements(document)
    tables = [read_tables.parse_table(table) for table in printed_tables]
    tests = [*_chain_records(map(read_text.read_tests, parts)), *_chain_records(map(read_tables.read_tests, tables))]
    means = [*_chain_records(map(read_text.read_means, parts)), *_chain_records(map(read_tables.read_means, tables))]
    shares = [
        *_chain_records(map(read_text.read_proportions, parts)),
        *_chain_records(map(read_tables.read_proportions, tables)),
    ]
    estimates = [
        *_chain_records(map(read_text.read_estimates, parts)),
        *_chain_records(map(read_tables.read_estimates, tables)),
    ]
    tests, means = merge_records(tests, by_model, ReportedTest), merge_records(means, by_model, MeanAndDeviation)
    shares, estimates = merge_records(shares, by_model, Proportion), merge_records(estimates, by_model, Estimate)
    comparisons = [
        *read_text.find_comparisons(means, tests),
        *_chain_records(map(read_tables.read_comparisons, tables)),
    ]
    one_sided = any(read_text.ONE_SIDED.search(part.text) for part in parts)
    sphericity = any(read_text.SPHERICITY.search(f"{part.caption} {part.text}") for part in parts)
    rank_tests = any(read_text.RANK_TEST.search(f"{part.caption} {part.text}") for part in parts)

    # 2. Compute: each record by itself, then what needs the whole paper.
    checked: list[tuple[NumberRecord, Sequence[ComputedFinding | None]]] = [
        *(
            (test, [check_reported_test(test, one_sided=one_sided, sphericity=sphericity, rank_tests=rank_tests)])
            for test in tests
        ),
        *((mean, [check_mean(mean), check_deviation(mean), check_binary_deviation(mean)]) for mean in means),
        *((share, [check_proportion(share)]) for share in shares),
        *((estimate, [*check_estimate(estimate)]) for estimate in estimates),
        *((comparison, [check_comparison(comparison)]) for comparison in comparisons),
        *((total, [check_total(total)]) for total in by_model if isinstance(total, ReportedTotal)),
    ]
    findings, unread = (
        [*check_multiple_testing(parts, [*tests, *estimates]), *check_abbreviations(parts)],
        list(warnings),
    )
    whole_paper = (check_cross_references(document, parts), check_citations(document, parts))
    for told, not_read in (_exclude_misread_tables(checked), *whole_paper):
        findings += told
        unread += not_read
    by_gravity = sorted(findings, key=rank_severity, reverse=True)  # so that the gravest stays
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
            "proportion": len(shares),
            "interval": len(estimates),
            "reference": len(document["references"]),
        },
        unread=unread,
        left_out=0,
        references_looked_up=False,
    )


def _exclude_misread_tables(
    checked: Sequence[tuple[NumberRecord, Sequence[ComputedFinding | None]]],
) -> tuple[list[ComputedFinding], list[str]]:
    """Return what was found, but for tables of which most values of a kind contradict, and these tables.

    The headings of such a table were read wrong, or are wrong, rather than each of its values.
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
            told = f"{len(wrong)} of {len(group)} values do not fit its headings ({wrong[0]})"
            unread.append(f"table “{name}”: {told}, so it was not computed on")
        else:
            findings += [each for _, found in group for each in found]
    return findings, unread
