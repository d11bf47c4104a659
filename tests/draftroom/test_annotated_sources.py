"""Comments that leave with the paper: Word's own, and notes in a LaTeX source."""

from __future__ import annotations

import re
import shutil
import subprocess
from io import BytesIO
from pathlib import Path
from typing import Any

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls, qn
from pylatexenc.latexwalker import LatexWalker

from draftroom.rendering.feedback import RENDERING
from tests.draftroom.feedback_values import comment, finished, record
from tests.draftroom.typeset_draft import typeset
from tools.documents.reading import load_document, read_document

CLAIM = "Tea makes 50% of seedlings grow"
METHODS = "We raised 24 seedlings of cress in six trays and watered them whenever it seemed dry to the gardener."
LATEX = r"""\documentclass{article}
\begin{document}
\title{Cold tea}\maketitle
\section{Methods}
We raised 24 seedlings of \emph{cress} in six trays~\cite{a} and
watered them whenever it \textbf{seemed dry} to the gardener. % a remark for 5$
\section{Results}
Tea makes 50\% of seedlings grow, with $p = 0.04$ in the larger of the two groups that we had.
\end{document}
"""


def commented(path: Path, *quotes: str, **changes: Any) -> dict[str, Any]:
    """State of a run on a file, with a comment on each of the quotes."""
    reference = read_document(str(path))
    document = load_document(reference)
    comments = []
    for number, quote in enumerate(quotes):
        paragraph = next(item for item in document["paragraphs"] if quote in item["text"])
        made = comment(document, paragraph["id"], "Substance", quote, id=f"c-{number}", review=f"Say more of {number}.")
        comments.append({**made, **changes})
    return {
        "paper": str(path),
        "document": reference,
        "comments": comments,
        "reviews": [],
        "calls": [],
        "finished": True,
    }


@pytest.fixture
def word_file(tmp_path: Path) -> Path:
    word = docx.Document()
    word.add_heading("Cold tea and cress", 0)
    word.add_heading("Methods", 1)
    paragraph = word.add_paragraph("We raised 24 seedlings of ")
    paragraph.add_run("cress").italic = True
    paragraph.add_run(" in six trays and watered them whenever it seemed dry to the gardener.")
    word.add_heading("Results", 1)
    word.add_paragraph(f"{CLAIM}, in the larger of the two groups that we had.")
    path = tmp_path / "cress.docx"
    word.save(str(path))
    return path


def written_comments(data: bytes) -> dict[str, str]:
    """The text of each comment of a Word file, by the words that it is attached to."""
    word = docx.Document(BytesIO(data))
    texts = {str(comment.comment_id): comment.text for comment in word.comments}
    words = {}
    open_comments: dict[str, str] = {}
    for element in word.element.body.iter():
        number = element.get(qn("w:id"), "")
        if element.tag == qn("w:commentRangeStart"):
            open_comments[number] = ""
        elif element.tag == qn("w:commentRangeEnd"):
            words[open_comments.pop(number)] = texts[number]
        elif element.tag in {qn("w:t"), qn("m:t")}:
            open_comments = {name: found + (element.text or "") for name, found in open_comments.items()}
    return words


def test_comments_stand_at_their_words_in_the_word_file_itself(word_file: Path):
    values = commented(word_file, "seedlings of cress in six", "whenever it seemed dry", CLAIM)
    data = RENDERING.formats[".docx"](record(values), values)
    found = written_comments(data)
    assert list(found) == ["seedlings of cress in six", "whenever it seemed dry", CLAIM]
    assert "Say more of 1." in found["whenever it seemed dry"]
    before, after = docx.Document(str(word_file)), docx.Document(BytesIO(data))
    assert [item.text for item in after.paragraphs] == [item.text for item in before.paragraphs]
    assert [run.text for item in after.paragraphs for run in item.runs if run.italic] == ["cress"]


def test_overlapping_comments_each_keep_their_words(word_file: Path):
    values = commented(word_file, "seedlings of cress", "of cress in six trays")
    assert set(written_comments(RENDERING.formats[".docx"](record(values), values))) == {
        "seedlings of cress",
        "of cress in six trays",
    }


BEGINNING = "Gardeners of the north have long been said to water their seedlings with cold tea."
FORMULA = "<m:oMath><m:r><m:t>y=ax+b</m:t></m:r></m:oMath>"
# Paragraphs as Word, reference managers and equation editors write them.
MARKED_UP = f"""
<w:p><w:r><w:t xml:space="preserve">We raised 24 seedlings </w:t></w:r>
  <w:del w:id="90" w:author="A"><w:r><w:delText xml:space="preserve">of moss </w:delText></w:r></w:del>
  <w:ins w:id="91" w:author="A"><w:r><w:t xml:space="preserve">of garden cress in six </w:t></w:r></w:ins>
  <w:r><w:t>trays on the sill of a window in the north of the town.</w:t></w:r></w:p>
<w:p><w:r><w:t xml:space="preserve">Cold tea was praised by gardeners </w:t></w:r>
  <w:sdt><w:sdtPr/><w:sdtContent><w:r><w:t>(Smith and Jones, 2020)</w:t></w:r></w:sdtContent></w:sdt>
  <w:r><w:t xml:space="preserve"> before it was given to any seedling of ours.</w:t></w:r></w:p>
<w:sdt><w:sdtPr/><w:sdtContent><w:p><w:r><w:t xml:space="preserve">Nobody touched the trays, </w:t>
  <w:lastRenderedPageBreak/><w:t>and none was moved.</w:t></w:r></w:p></w:sdtContent></w:sdt>
<w:p><w:r><w:t xml:space="preserve">Heights were fitted by the line </w:t></w:r>{FORMULA}
  <w:r><w:t xml:space="preserve"> to the means of the six trays.</w:t></w:r></w:p>
<w:p><m:oMathPara>{FORMULA.replace("y", "z")}</m:oMathPara></w:p>"""


@pytest.fixture
def marked_up_file(tmp_path: Path) -> Path:
    word = docx.Document()
    title = word.add_heading("Cold tea and cress", 0)
    word.add_paragraph(BEGINNING)
    word.add_comment(title.runs, text="An old remark.", author="A colleague")
    for element in parse_xml(f"<w:body {nsdecls('w', 'm')}>{MARKED_UP}</w:body>"):
        word.element.body.insert(-1, element)
    path = tmp_path / "cress.docx"
    word.save(str(path))
    return path


def list_contents(data: bytes) -> list[tuple[str, str]]:
    """Each paragraph of a Word file, and all that it holds but comments, with joined texts."""
    found: list[tuple[str, str]] = []
    for element in docx.Document(BytesIO(data)).element.body.iter():
        name = element.tag.partition("}")[2]
        if name == "t" and found[-1][0] == "t":
            found[-1] = ("t", found[-1][1] + element.text)
        elif name not in {"r", "rPr", "rStyle"} and not name.startswith("comment"):
            found.append((name, (element.text or "").strip("\n ") if name != "t" else element.text))
    return found


def test_comments_stand_at_their_words_among_tracked_changes_content_controls_and_equations(marked_up_file: Path):
    quotes = [
        *("seedlings of garden", "in six trays", "(Smith and Jones, 2020) before", "Smith and", "and none was"),
        *("by the line y=ax+b to the", "z=ax+b"),
    ]
    values = commented(marked_up_file, *quotes)
    data = RENDERING.formats[".docx"](record(values), values)
    assert isinstance(data, bytes)
    found = written_comments(data)
    assert set(found) == {*quotes, "Cold tea and cress"} - {"and none was"} | {""}
    assert 'This is about "and none was".' in found[""]
    assert list_contents(data) == list_contents(marked_up_file.read_bytes())


def test_a_comment_whose_words_are_not_found_stands_at_its_paragraph_or_the_one_before(marked_up_file: Path):
    values = commented(marked_up_file, "seedlings of garden", "z=ax+b", quote="")
    values["comments"][1]["paragraph"] = "p99"
    found = written_comments(RENDERING.formats[".docx"](record(values), values))
    tracked = "We raised 24 seedlings of garden cress in six trays on the sill of a window in the north of the town."
    assert "Say more of 0." in found[tracked]
    assert "Say more of 1." in found[BEGINNING]


def test_a_paper_from_another_format_becomes_a_word_file_of_its_text(tmp_path: Path):
    values = finished(tmp_path)
    word = RENDERING.formats[".docx"](record(values), values)
    assert isinstance(word, bytes)
    assert {item["quote"] for item in values["comments"] if item["quote"]} <= set(written_comments(word))
    written = {paragraph.text for paragraph in docx.Document(BytesIO(word)).paragraphs}
    assert {paragraph["text"] for paragraph in typeset()[1]["paragraphs"]} <= written


@pytest.fixture
def latex_file(tmp_path: Path) -> Path:
    path = tmp_path / "cress.tex"
    path.write_text(LATEX, encoding="utf-8")
    return path


def annotated_latex(values: dict[str, Any]) -> str:
    source = RENDERING.formats[".tex"](record(values), values)
    assert isinstance(source, str)
    return source


def test_notes_stand_behind_their_words_in_the_latex_source(latex_file: Path):
    values = commented(latex_file, "whenever it seemed dry", "grow, with p = 0.04", review="50% of $x_1$ & more")
    source = annotated_latex(values)
    assert r"whenever it \textbf{seemed dry}\todo[inline]{" in source, "behind the argument, which takes no paragraphs"
    assert r"$p = 0.04$\todo[inline]{" in source, "behind the formula, not in it"
    assert r"50\% of \$x\_1\$ \& more" in source
    assert source.index(r"\usepackage{todonotes}") < source.index(r"\begin{document}")
    LatexWalker(source, tolerant_parsing=False).get_latex_nodes()


@pytest.mark.parametrize(
    ("written", "noted"),
    [
        (r"it \emph{very \textbf{seemed dry} now} to", r"it \emph{very \textbf{seemed dry} now}TODO to"),
        (r"it \boxed{seemed dry}{3cm} to", r"it \boxed{seemed dry}{3cm}TODO to"),
        (r"it seemed dry, \emph{so} to", r"it seemed dryTODO, \emph{so} to"),
        (r"it \{ seemed dry \} to", r"it \{ seemed dryTODO \} to"),
        ("it {\\small seemed dry\n\nmuch later} to", "it {\\small seemed dryTODO\n\nmuch later} to"),
    ],
    ids=["nested", "followed by another argument", "none", "braces that are shown", "a group of paragraphs"],
)
def test_a_note_stands_behind_the_arguments_that_its_words_are_in(tmp_path: Path, written: str, noted: str):
    path = tmp_path / "cress.tex"
    path.write_text(LATEX.replace(r"it \textbf{seemed dry} to", written), encoding="utf-8")
    source = annotated_latex(commented(path, "seemed dry"))
    assert noted in re.sub(r"\\todo\[inline\]\{(?:[^{}]|\{\})*\}", "TODO", source)


def test_without_its_notes_the_latex_source_is_what_it_was(latex_file: Path):
    values = {**commented(latex_file), "comments": []}
    kept = [line for line in annotated_latex(values).splitlines(keepends=True) if "todonotes" not in line]
    assert "".join(kept) == LATEX


def test_comments_whose_words_are_not_found_stand_at_the_beginning_in_their_order(latex_file: Path):
    values = commented(latex_file, CLAIM, "it seemed dry", paragraph="p99", quote="")
    source = annotated_latex(values)
    assert r"\begin{document}\todo[inline]{" in source
    assert source.index("Say more of 0.") < source.index("Say more of 1.")


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="LaTeX is not installed")
def test_the_annotated_source_compiles(latex_file: Path, tmp_path: Path):
    values = commented(latex_file, "whenever it seemed dry", "grow, with p = 0.04")
    (tmp_path / "out.tex").write_text(annotated_latex(values), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "out.tex"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode == 0


def test_what_the_author_answers_stands_with_the_comment(word_file: Path):
    decisions = {"c-0": {"decision": "accepted", "reply": "We now give the variety."}}
    values = {**commented(word_file, CLAIM), "decisions": decisions}
    word = RENDERING.formats[".docx"](record(values), values)
    assert isinstance(word, bytes)
    assert "The author: We now give the variety." in written_comments(word)[CLAIM]


def test_a_dismissed_comment_leaves_every_export_but_json(tmp_path: Path):
    values = finished(tmp_path)
    dismissed = values["comments"][0]
    decided = {**values, "decisions": {dismissed["id"]: {"decision": "dismissed"}}}
    for suffix, render in RENDERING.formats.items():
        if suffix not in {".tex", ".json"}:
            assert render(record(decided), decided) != render(record(values), values), suffix
    assert dismissed["id"] in str(RENDERING.formats[".json"](record(decided), decided))
