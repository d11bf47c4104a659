"""LaTeX as its authors write it: sources in several files, macros of their own, and what prints nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from state.documents import Document
from tests.tools.documents.sheets import read_paper
from tools.documents.reading import load_document, read_document


def read(source: str) -> Document:
    return read_paper(source, "paper.tex")


def texts(document: Document) -> list[str]:
    return [paragraph["text"] for paragraph in document["paragraphs"]]


def test_files_in_the_folder_of_the_source_are_read_in_their_places(tmp_path: Path) -> None:
    folder = tmp_path / "paper"
    (folder / "parts").mkdir(parents=True)
    (folder / "main.tex").write_text(
        "\\documentclass{article}\\begin{document}\nOne. % \\input{no}\n\n\\input{parts/two}\n\nFour.\n"
        "\\bibliography{refs}\\end{document}"
    )
    (folder / "parts" / "two.tex").write_text("Two.\n\n\\include{parts/three.tex}")
    (folder / "parts" / "three.tex").write_text("\\begin{document}Three.\\end{document}")
    (folder / "main.bbl").write_text("\\begin{thebibliography}{1}\\bibitem{ant} Ant, 2019.\\end{thebibliography}")
    document = load_document(read_document(str(folder / "main.tex")))
    assert texts(document) == ["One.", "Two.", "Three.", "Four."]
    assert (document["references"], document["warnings"]) == ([{"id": "ant", "text": "Ant, 2019."}], [])
    (folder / "parts" / "three.tex").write_text("Three changed.")
    assert "Three changed." in texts(load_document(read_document(str(folder / "main.tex"))))


@pytest.mark.parametrize("name", ["../secret", "{outside}/secret", "link", "secret.txt", "missing"])
def test_no_other_file_is_read_and_the_warning_names_it(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "paper"
    folder.mkdir()
    for secret in (tmp_path / "secret.tex", folder / "secret.txt"):
        secret.write_text("A secret.")
    (folder / "link.tex").symlink_to(tmp_path / "secret.tex")
    named = name.replace("{outside}", str(tmp_path))
    (folder / "main.tex").write_text(f"The sea is warm.\n\n\\input{{{named}}}")
    document = load_document(read_document(str(folder / "main.tex")))
    assert texts(document) == ["The sea is warm."]
    assert document["warnings"] == [f"\\input{{{named}}} names another file, which was not read"]


def test_the_macros_of_an_author_are_written_out() -> None:
    document = read(
        r"\newcommand{\nplants}{48}\newcommand\group[2]{the #1 group of #2}\def\half#1{#1~(50\%)}"
        r"\DeclareMathOperator{\argmin}{argmin}\newcommand{\many}{\nplants\ plants\xspace}"
        "\n\nOf the \\nplants{} plants, \\half{24} were \\group{tea}{\\nplants}: $\\argmin x$, \\many."
    )
    (text,) = texts(document)
    assert text == "Of the 48 plants, 24 (50%) were the tea group of 48: argmin x, 48 plants."
    assert document["warnings"] == []


def test_what_is_inside_tex_is_no_text() -> None:
    listed = r"\bibitem{ant}\bibfield{author}{\bibinfo{author}{Ant}}, \@secondoftwo 2019. \bib@end"
    document = read(rf"Warm.\begin{{thebibliography}}{{1}}\bib@empty {listed}\end{{thebibliography}}")
    assert (document["references"], document["warnings"]) == ([{"id": "ant", "text": "Ant, 2019."}], [])


def test_macros_without_a_definition_are_told() -> None:
    document = read(r"The \nplants of \nplants{} \noindent \emph{plants} \unknown{larger} and \other.")
    assert document["warnings"] == ["2 macros without a definition were left out: \\nplants, \\other"]


@pytest.mark.parametrize("body", [r"\a\a", r"x\a", r"\b"])
def test_macros_that_never_end_are_given_up(body: str) -> None:
    assert read(rf"\def\a{{{body}}}\def\b{{\a y}}The sea is warm. \a")["paragraphs"][0]["text"].startswith(
        "The sea is warm."
    )


def test_what_boxes_and_raised_digits_hold_is_read() -> None:
    source = r"With \mbox{$t(38) = 2.1$}, \texttt{R} and \makebox[2cm]{3.5\textsuperscript{2}}, $p \ne 0$."
    assert texts(read(source)) == ["With t(38) = 2.1, R and 3.5², p ≠ 0."]


def test_a_line_that_prints_nothing_parts_no_paragraph() -> None:
    assert texts(read("The sea\n\\label{sea}\nis warm.\n\\newcommand{\\no}{}\nIt\n\\no\nis.")) == [
        "The sea is warm. It is."
    ]


def test_an_abstract_before_the_document_is_read() -> None:
    shown = "We show how warm the sea was in all of these years."
    document = read(
        rf"\documentclass{{a}}\abstract{{{shown}}}\begin{{document}}\section{{Results}} Warm.\end{{document}}"
    )
    assert (document["abstract"], texts(document)) == (shown, [shown, "Warm."])
