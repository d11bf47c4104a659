"""Texts and tables that nobody means to write: they are read, and nothing is made of them."""

from __future__ import annotations

import pytest

from state.computed_findings import CheckKind
from tests.tools.consistency.papers import found, found_in
from tools.consistency import check_paper
from tools.documents.structure import outline
from tools.documents.web_pages import html_parts

ROWS = "\n".join("| 1 | 2 | 3 | 4 | 5 |" for _ in range(60))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# Title only\n",
        "The loss was 0 mm, the sum of 3 mm of rain, 4 mm of snow and 1 mm of dew.",
        "There were 3 mm of rain and 4 mm of snow, adding up to 0 mm.",
        "The herd grew from 0 in 2012 to 12 in 2022, an increase of 5%.",
        f"12 {'a' * 300}",
        f"The protein is 1 {'MKTAYIAKQRQISF' * 40}.",
        f"Size of all {'9' * 400} cats\n\n| Cat | n |\n|---|---|\n| a | {'9' * 400} |\n| b | 2 |\n| c | 3 |",
        "| Cause | A | B |\n|---|---|---|\n| Death | 0 (0%) | 0 (0%) |\n| Fall | 3 (30%) | 7 (70%) |",
        "| Group | k | Q | p |\n|---|---|---|---|\n| A | 5² | 3.1 | 0.54 |\n| B | 1 | 0.00 | 1.00 |\n"
        "| C | 0 | 1.0 | 0.3 |",
        "| Trait | n | r | p |\n|---|---|---|---|\n| A | 12² | 0.31 | 0.54 |\n| B | 40 | 0.31 | 0.05 |",
        f"| A | B | C | D | E |\n|---|---|---|---|---|\n{ROWS}",
        "| |\n|---|\n| |",
    ],
)
def test_it_is_read(text: str):
    assert found_in(text) == []


@pytest.mark.parametrize(
    "page",
    [
        "<p>We saw birds.</p><table><caption>Table 1. a&#1;b&#xFFFE;</caption><tr><th>A</th></tr>"
        "<tr><td>3</td></tr></table>",
        "<p>We saw birds.</p><table><tr><th>Item</th><th>95% CI</th><th></th><th>n</th><th>p</th></tr>"
        "<tr><td>A</td><td>1.2</td><td>1.9</td></tr><tr><td>B</td></tr></table>",
    ],
)
def test_a_page_is_read(page: str):
    assert check_paper(outline(html_parts(page), sha256="", document_format="html")) == []


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (
            "percentage",
            "61% of the hospitals and 72% of their nurses took part, giving an overall response rate of 44%.",
        ),
        (
            "percentage",
            "Cost fell by 10% in May and by 20% in June, giving an overall reduction of 28%.",
        ),
        (
            "percentage",
            "| Input | Accuracy (%) |\n|---|---|\n| Text | 71.2 |\n| Image | 74.0 |\n| Both | 79.5 |",
        ),
        (
            "percentage",
            "| | A | B |\n|---|---|---|\n| Events | 12/40 | 20/41 |\n| Risk ratio | 0.61 | 1 |",
        ),
        (
            "percentage",
            "We recruited 84 adults. Twelve (8.3%) samples were lost.",
        ),
        (
            "sum of parts",
            "They differed by 12 mm: 2 mm before and 14 mm after it.",
        ),
        (
            "sum of parts",
            "The road spanned 20 km: from 2 km to 22 km.",
        ),
        (
            "sum of parts",
            "The loss was 412 mm, the sum of 268 mm, 97 mm and 46 mm.",
        ),
        (
            "sum of parts",
            "Symptoms of 120 patients\n\n| Symptom | n |\n|---|---|\n| Pain | 60 |\n| Fever | 40 |\n| Rash | 25 |",
        ),
        (
            "sum of parts",
            "| Site | A (%) | B (%) | C (%) |\n|---|---|---|---|\n| 1 | 20 | 30 | 50 |\n"
            "| 2 | 40 | 20 | 40 |\n| 3 | 0 | 0 | 0 |",
        ),
        (
            "sum of parts",
            "All were sorted into one group. Scores rose by 40%, fell by 35% and stayed within 10%.",
        ),
        (
            "test and p-value",
            "| Group | t0 | t30 | p |\n|---|---|---|---|\n| A | 4.1 | 5.2 | 0.30 |\n| B | 4.0 | 4.2 | 0.40 |",
        ),
        (
            "test and p-value",
            "Correlations (N = 40)\n\n| | 1 | b |\n|---|---|---|\n| Age | .41** | 1.05* |\n\n"
            "Note. * p < .05. ** p < .01.",
        ),
        (
            "test and p-value",
            "Size differed (t = 1.80, df = 46, 0.10 < p < 0.05).",
        ),
        (
            "many tests",
            "Of the 20 rats, one was excluded. Weight differed (p = 0.03).",
        ),
        (
            "mean of whole numbers",
            "It lasted between 0 and 200 minutes. The 20 people had a mean of 34.37.",
        ),
        (
            "interval and p-value",
            "It was 1.5 more (95% CI 1.1 to 2.0). The median gain was 0.50 [−0.10; 0.90], p = 0.01.",
        ),
        (
            "abbreviation",
            "Forest plots (EOO, extent of occurrence).\n\n| Site | AGE | EOO |\n|---|---|---|\n"
            "| A | 3 | 4 |\n| B | 1 | 2 |",
        ),
    ],
)
def test_nothing_is_made_of_it(kind: CheckKind, text: str):
    assert found(text, kind) == []


def test_care_with_other_things_corrects_no_test():
    text = "We compared each of 24 traits. Only zinc differed (p = 0.038). Glass was handled with caution."
    assert len(found(text, "many tests")) == 1
