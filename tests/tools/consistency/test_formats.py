"""The same table in every format that has tables: its rows are checked."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO

import docx
import pytest

from state.documents import DocumentFormat
from tools.consistency import check_paper
from tools.documents.latex import latex_parts
from tools.documents.structure import Parts, outline
from tools.documents.web_pages import html_parts, markdown_parts
from tools.documents.word import word_parts

ROWS = [["Measure", "t(38)", "p", "OR (95% CI)"], ["Fear", "1.20", ".034", "1.50 (1.02–2.20)"]]
ROWS += [["Mood", "2.20", ".034", "2.10 (1.02–2.20)"]]
SENTENCE = "Of 75 patients, 18 (42%) had side effects, which is what the rest of this page is about."


def as_markdown() -> Parts:
    header, *rows = (f"| {' | '.join(row)} |" for row in ROWS)
    return markdown_parts("\n".join([f"# A paper\n\n## Results\n\n{SENTENCE}\n", header, "|---|---|---|---|", *rows]))


def as_html() -> Parts:
    rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in ROWS)
    return html_parts(f"<body><h1>A paper</h1><h2>Results</h2><p>{SENTENCE}</p><table>{rows}</table></body>")


def as_latex() -> Parts:
    rows = r" \\ ".join(" & ".join(row) for row in ROWS).replace("%", r"\%")
    text = SENTENCE.replace("%", r"\%")
    return latex_parts(rf"\section{{Results}} {text} \begin{{tabular}}{{llll}} {rows} \end{{tabular}}")


def as_word() -> Parts:
    document = docx.Document()
    document.add_paragraph("A paper", style="Title")
    document.add_heading("Results", 1)
    document.add_paragraph(SENTENCE)
    table = document.add_table(len(ROWS), len(ROWS[0]))
    for at, row in enumerate(ROWS):
        for column, cell in enumerate(row):
            table.cell(at, column).text = cell
    buffer = BytesIO()
    document.save(buffer)
    return word_parts(buffer.getvalue(), name="paper.docx")


@pytest.mark.parametrize(
    ("parts", "name"), [(as_markdown, "markdown"), (as_html, "html"), (as_latex, "latex"), (as_word, "docx")]
)
def test_text_and_rows_are_checked(parts: Callable[[], Parts], name: DocumentFormat):
    findings = check_paper(outline(parts(), sha256="", document_format=name))
    assert {(found["kind"], found["quote"].split(" | ")[0]) for found in findings} == {
        ("percentage", "Of 75 patients, 18 (42%)"),
        ("test and p-value", "Fear"),
        ("ratio interval", "Mood"),
    }
