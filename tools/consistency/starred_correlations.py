"""Correlations of a table whose stars promise a p-value that its n cannot give."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from state.computed_findings import ComputedFinding
from tools.consistency.printed import printed, short
from tools.consistency.reported_tests import PAIRS, tail
from tools.consistency.statements import TableRows
from tools.consistency.table_lines import told_about

_STARRED = re.compile(r"(?<![\d.])(?P<r>[-–−]?0?\.\d+)\s?(?P<stars>\*{1,3})")
_STARS = re.compile(r"(?P<stars>\*{1,3})\s?_?\*?[pP]\*?_?\s?<\s?(?P<p>0?\.\d+)")


def check_starred_correlations(tables: Sequence[TableRows]) -> Iterator[ComputedFinding]:
    """Correlations of a table whose stars promise a smaller p-value than the only n that is told near it can give."""
    for rows in tables:
        told = f"{told_about(rows)} {rows.rows[0].caption}"
        sizes = {int(match["n"].replace(",", "")) for match in PAIRS.finditer(told)}
        levels = {len(match["stars"]): float(match["p"]) for match in _STARS.finditer(rows.printed_notes)}
        if len(sizes) != 1 or not levels or not re.search(r"\bcorrelations?\b", told, re.IGNORECASE):
            continue
        size = sizes.pop()
        for statement in rows.rows:
            for match in _STARRED.finditer(statement.verbatim):
                level, value = levels.get(len(match["stars"])), printed(match["r"].replace("−", "-"))
                smallest = tail("r", min(1.0, abs(value.value) + value.half), (size - 2,)) if size > 3 else 0.0
                if level and smallest > level:
                    yield statement.finding(
                        "test and p-value",
                        "medium",
                        (0, 0),
                        computation=f"r({size - 2}) = {value.value:g} gives a two-sided p of {short(smallest)} or "
                        f"more, {match['stars']} says p < {level:g}",
                        consistent="another correlation, or fewer stars",
                    )
