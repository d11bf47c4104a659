"""Many p-values without a correction, of which the smallest would not stand Bonferroni's.

Dunn (1961), "Multiple comparisons among means".
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from state.computed_findings import ComputedFinding
from tools.numbers.read_text import ADJUSTMENT
from tools.numbers.records import ALPHA, Estimate, ReportedTest, format_number
from tools.numbers.statements import Statement

_MIN_P_VALUES = 6  # exact p-values of a section or table
# What papers say in place of the name of a correction.
_OTHER_CORRECTIONS = re.compile(r"multiplicity|\bq[- ]?values?|exploratory|gatekeeping", re.IGNORECASE)


def check_multiple_testing(
    parts: Sequence[Statement], records: Sequence[ReportedTest | Estimate]
) -> Iterator[ComputedFinding]:
    """Findings about the p-values of a paper, at most one a section or table.

    Args:
        parts: The paper; a correction that is named anywhere in it is enough.
        records: What has a p-value.
    """
    texts = [f"{part.caption} {part.text}" for part in parts]
    if any(ADJUSTMENT.search(text) or _OTHER_CORRECTIONS.search(text) for text in texts):
        return
    families = defaultdict[tuple[str, str], dict[float, ReportedTest | Estimate]](dict)
    for record in records:
        statement = record.statement
        family = (statement.paragraph["section"], statement.paragraph["id"] if statement.row else "")
        if record.p is not None and record.p_relation == "=":
            families[family].setdefault(record.p.value, record)  # a value that is printed again is the same test's
    for values in families.values():
        tests, smallest = len(values), min(values)
        if tests >= _MIN_P_VALUES and ALPHA / tests < smallest < ALPHA:
            yield values[smallest].build_finding(
                "many tests",
                "low",
                computation=f"of {tests} independent tests without any effect, one or more has p < {ALPHA} in "
                f"{1 - (1 - ALPHA) ** tests:.0%} of cases; Bonferroni asks for p < {format_number(ALPHA / tests, 2)}; "
                f"the smallest of those printed is {smallest:g}",
                consistent=f"a correction for {tests} tests, one primary measure named before, or a weaker claim",
                explanations=["one of the tests was named as the primary one before"],
            )
