"""`draftroom review` shows what was computed in every form, even with a model that answers nonsense."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path

import pytest
from pypdf import PdfReader
from reportlab.pdfgen.canvas import Canvas

from tests.draftroom.conftest import Command
from tests.fake_endpoint import Text

LINES = (
    "Cress was sown in pots on one window sill and was watered with",
    "cold tea or with tap water by the same person on every second day.",
    "It grew in 20% (8 of 32) of the pots, and the plants that had tea were",
    "taller than the others after three weeks, t(38) = 1.20, p = .034, so",
    "that gardeners should use tea in place of fertiliser from now on.",
)
SHOWN = ["8 of 32 is 25.0%", "20% (8 of 32", "percentage, medium", "page 1", "Consistent would be"]
"""Computation, words of the paper, kind and severity, and place of one finding."""


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    data = BytesIO()
    canvas = Canvas(data)
    for number, line in enumerate(LINES):
        canvas.drawString(72, 700 - 14 * number, line)
    canvas.save()
    path = tmp_path / "cress.pdf"
    path.write_bytes(data.getvalue())
    return path


def test_every_form_shows_what_was_computed_whatever_the_model_says(draftroom: Command, paper: Path) -> None:
    draftroom.endpoint.answer = lambda _: Text("I would rather not.")
    files = {suffix: paper.with_name(f"review.{suffix}") for suffix in ("md", "html", "json", "pdf")}
    result = draftroom("review", paper, *(part for file in files.values() for part in ("-o", file)))
    assert result.exit_code == 0, result.output
    assert "Not reviewed" in result.stderr
    texts = {suffix: files[suffix].read_text(encoding="utf-8") for suffix in ("md", "html")}
    texts["terminal"] = result.stdout
    texts["story"] = draftroom("show", draftroom.records()[0]["id"]).stdout
    (page,) = PdfReader(files["pdf"]).pages
    notes = [note.get_object() for note in page["/Annots"]]
    texts["pdf"] = next(note["/Contents"] for note in notes if "percentage" in note["/Contents"])
    assert all("/QuadPoints" in note for note in notes), "each is placed on its words"
    for form, text in texts.items():
        shown = " ".join(text.split())
        missing = [part for part in SHOWN if part not in shown and not (form == "pdf" and part == SHOWN[1])]
        assert missing == [], form
        assert "Computed" in shown
    computed = json.loads(files["json"].read_text(encoding="utf-8"))["computed"]
    assert [(found["kind"], found["severity"], found["paragraph"], found["page"]) for found in computed] == [
        ("percentage", "medium", "p1", 1),
        ("test and p-value", "high", "p1", 1),
    ]
