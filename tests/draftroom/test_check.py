"""`draftroom check`, and what a review shows of the same findings."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path

import pytest
from pypdf import PdfReader
from reportlab.pdfgen.canvas import Canvas

from draftroom.exit_codes import CONTRADICTIONS, EXIT_CODES
from tests.draftroom.conftest import Command
from tests.fake_endpoint import Text

BAD = "# Tea & growth\n\n## Results\n\nIt held in 20% (8 of 32) of the plants, t(38) = 1.20, p = .034.\n"


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    path = tmp_path / "paper.md"
    path.write_text(BAD, encoding="utf-8")
    return path


def test_findings_are_a_table_and_an_exit_code(draftroom: Command, paper: Path):
    result = draftroom("check", paper)
    assert result.exit_code == CONTRADICTIONS
    assert "8 of 32 is 25.0%" in " ".join(result.stdout.split())
    assert "2 findings: 1 high, 1 medium." in result.stdout
    assert draftroom.endpoint.requests == []


def test_every_form_says_what_else_could_explain_a_finding(draftroom: Command, paper: Path, tmp_path: Path):
    paper.write_text(BAD.replace("t(38) = 1.20, p = .034", "t(38) = 2.20, p = .017"), encoding="utf-8")
    files = [tmp_path / f"found.{suffix}" for suffix in ("json", "md", "html")]
    assert "1 finding (--severity low" in draftroom("check", paper).stdout
    asked = ("--severity", "low", *(part for file in files for part in ("-o", file)))
    shown = draftroom("check", paper, *asked).stdout
    told, *pages = (file.read_text(encoding="utf-8") for file in files)
    assert [found["quote"] for found in json.loads(told)["findings"]] == ["20% (8 of 32", "t(38) = 2.20, p = .017"]
    for text in (shown, *pages):
        assert "20% (8 of 32" in text
        assert "a one-sided test, of which p is" in " ".join(text.split())


def test_every_form_tells_what_was_not_read(draftroom: Command, tmp_path: Path):
    paper, files = tmp_path / "main.tex", [tmp_path / f"found.{suffix}" for suffix in ("json", "md", "html")]
    paper.write_text(r"\section{Methods} \input{results} We saw $t(46) = 5.10$, $p < .001$.", encoding="utf-8")
    result = draftroom("check", paper, *(part for file in files for part in ("-o", file)))
    told, *pages = (file.read_text(encoding="utf-8") for file in files)
    assert draftroom("batch", "check", paper, "--out", tmp_path / "out", "--quiet").exit_code == 0
    row = json.loads((tmp_path / "out" / "results.jsonl").read_text(encoding="utf-8"))
    assert (
        row["read"]
        == json.loads(told)["read"]
        == {"test": 1, "mean": 0, "proportion": 0, "interval": 0, "reference": 0}
    )
    assert row["unread"] == json.loads(told)["unread"] == [r"\input{results} names another file, which was not read"]
    for text in (result.stdout, *pages):
        assert "names another file, which was not read" in text
        assert "1 test, 0 means, 0 proportions, 0 intervals, 0 references" in text
        assert "whether the references exist" in text


def test_a_service_that_may_not_be_asked_is_told(draftroom: Command, tmp_path: Path):
    paper, blocked = tmp_path / "paper.md", '["crossref.org", "openalex.org", "doi.org"]'
    entries = "\n\n".join(f"[{at}] A. Green. Attention in the moss of roofs. Moss, 2012." for at in (1, 2))
    paper.write_text(f"# Moss\n\n## Results\n\nIt grows [1, 2].\n\n## References\n\n{entries}\n", encoding="utf-8")
    draftroom.variables["DRAFTROOM_FEEDBACK__LITERATURE__BLOCKED_HOSTS"] = blocked
    shown = " ".join(draftroom("check", paper, "--references").stdout.split())
    assert "No contradiction" in shown
    assert "crossref failed: " in shown
    assert "2 of 2 references were not looked up everywhere" in shown
    assert "whether the references exist" not in shown


def test_what_is_left_out_does_not_count(draftroom: Command, paper: Path):
    result = draftroom("check", paper, "--without", "percentage", "--without", "test and p-value")
    assert result.exit_code == 0
    assert "No contradiction" in result.stdout
    assert "1 finding: 1 high." in draftroom("check", paper, "--severity", "high").stdout


def test_bad_requests_are_refused(draftroom: Command, paper: Path):
    assert draftroom("check", paper, "-o", "findings.docx").exit_code == 2
    assert draftroom("check", paper, "--without", "spelling").exit_code == 2
    assert draftroom("check", paper.with_name("none.md")).exit_code == EXIT_CODES["missing_file"]


REVIEWED = (
    "Cress was sown in pots on one window sill and was watered with",
    "cold tea or with tap water by the same person on every second day.",
    "It grew in 20% (8 of 32) of the pots, and the plants that had tea were",
    "taller than the others after three weeks, t(38) = 1.20, p = .034, so",
    "that gardeners should use tea in place of fertiliser from now on.",
)
ELSEWHERE = ("Of the pots that stood in the shade we lost 30% (12 of 20) to mould.",)
SHOWN = ["8 of 32 is 25.0%", "20% (8 of 32", "percentage, medium", "page 1", "Consistent would be"]
"""Computation, words of the paper, kind and severity, and place of one finding."""


@pytest.fixture
def cress(tmp_path: Path) -> Path:
    data = BytesIO()
    canvas = Canvas(data)
    for top, lines in ((700, REVIEWED), (560, ELSEWHERE)):
        for number, line in enumerate(lines):
            canvas.drawString(72, top - 14 * number, line)
    canvas.save()
    path = tmp_path / "cress.pdf"
    path.write_bytes(data.getvalue())
    return path


def test_every_form_of_a_review_shows_what_was_computed_of_its_paragraph_whatever_the_model_says(
    draftroom: Command, cress: Path
):
    draftroom.endpoint.answer = lambda _: Text("I would rather not.")
    files = {suffix: cress.with_name(f"review.{suffix}") for suffix in ("md", "html", "json", "pdf")}
    written = (part for file in files.values() for part in ("-o", file))
    result = draftroom("review", cress, "--paragraph", "1", *written)
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
        assert "12 of 20 is" not in shown, form
    assert not any("12 of 20" in note["/Contents"] for note in notes)
    computed = json.loads(files["json"].read_text(encoding="utf-8"))["computed"]
    assert [(found["kind"], found["severity"], found["paragraph"], found["shown"]) for found in computed] == [
        ("percentage", "medium", "p1", True),
        ("test and p-value", "high", "p1", True),
        ("percentage", "medium", "p2", False),
    ]
