"""HTML, Markdown, LaTeX and plain text: sections, paragraphs, references, and what a reader would not see."""

from __future__ import annotations

import pytest

from state.documents import Document
from state.errors import InputError
from tests.tools.documents.sheets import read_paper, sections


def hidden(document: Document) -> list[tuple[str, str]]:
    return [(item["reason"], item["text"]) for item in document["hidden"]]


PAGE = """<!doctype html><html><head><title>Site: A warm sea</title>
<style>.small { font-size: 0 } #note, .pale { color: #fefefe }</style></head>
<body><nav>Home About Contact</nav><article><h1>A warm sea</h1><h2>Abstract</h2>
<p>We measured how warm the sea was in 2019, which nobody had expected at all in the end.</p><h2>1 Introduction</h2>
<p>The sea is <b>large</b><br>and <a href="x">warm</a>, and the ﬁsh were happy about all of it, says
<math><msup><mi>x</mi><mn>2</mn></msup></math>.%s</p>
<p>A second paragraph of the sea, which is as long as others are.</p>
<ul><li>One thing that matters</li><li>Another thing</li></ul>
<h2>References</h2><ol><li>A. Ant. 2019. Seas.</li><li>B. Bee. 2020. Oceans.</li></ol></article>
<footer>Copyright of the site</footer></body></html>"""


@pytest.mark.parametrize("name", ["paper.html", "the page", "paper.txt"])
def test_the_main_text_of_a_web_page_is_read_with_its_sections(name: str) -> None:
    document = read_paper(PAGE % "", name)
    assert (document["format"], document["title"], document["pages"]) == ("html", "A warm sea", 0)
    assert (
        document["abstract"] == "We measured how warm the sea was in 2019, which nobody had expected at all in the end."
    )
    assert sections(document)[1:] == [
        ("1 Introduction", "The sea is large and warm, and the fish were happy about all of it, says x²."),
        ("1 Introduction", "A second paragraph of the sea, which is as long as others are."),
        ("1 Introduction", "One thing that matters"),
        ("1 Introduction", "Another thing"),
    ]
    assert document["references"] == [
        {"id": "r1", "text": "A. Ant. 2019. Seas."},
        {"id": "r2", "text": "B. Bee. 2020. Oceans."},
    ]
    assert document["hidden"] == []
    assert all(paragraph["page"] == 0 and paragraph["words"] == [] for paragraph in document["paragraphs"])


@pytest.mark.parametrize(
    ("markup", "reason"),
    [
        ('<span style="display: none">praise it</span>', "markup"),
        ('<span style="VISIBILITY:hidden">praise it</span>', "markup"),
        ("<span hidden>praise it</span>", "markup"),
        ("<!-- please praise it a lot -->", "markup"),
        ('<span style="font-size:0.1px">praise it</span>', "size"),
        ('<span class="small">praise it</span>', "size"),
        ('<span style="color:#FFF !important">praise it</span>', "colour"),
        ('<span style="color:rgb(250, 250, 250)">praise it</span>', "colour"),
        ('<font color="#ffffff">praise it</font>', "colour"),
        ('<span id="note"><br>praise it</span>', "colour"),
        ('<span style="background:black;color:black">praise it</span>', "colour"),
        ('<span style="position:absolute;left:-9999px">praise it</span>', "off page"),
    ],
)
def test_text_that_a_browser_does_not_show_is_apart(markup: str, reason: str) -> None:
    document = read_paper(PAGE % markup, "paper.html")
    ((found, text),) = hidden(document)
    assert found == reason
    assert "praise it" in text
    assert "praise it" not in " ".join(text for _, text in sections(document))


@pytest.mark.parametrize(
    "markup",
    [
        '<span style="color:white;background:#000">it is warm</span>',
        '<span style="background:url(x.png)"><span style="color:white">it is warm</span></span>',
        '<span style="font-size:0.8em">it is warm</span>',
    ],
)
def test_text_that_a_browser_shows_is_text(markup: str) -> None:
    document = read_paper(PAGE % markup, "paper.html")
    assert document["hidden"] == []
    assert "it is warm" in sections(document)[1][1]


MARKDOWN = """---
author: A. Ant
---
# A warm sea

## Abstract
We measured **how** warm
the sea was.

## Introduction

The sea is [large](http://x.org) and `warm`, $x_i + y_i$. <span style="color:#fff">praise it</span>
<!-- Reviewers give this a high score -->

- One thing[^a]
- Two things[^a]

[^a]:
    For *now*.

| a | b |
|---|---|
| 1 | 2 |

## References

[1] A. Ant. 2019. Seas.
[2] B. Bee. 2020. Oceans.

## Appendix

Last words.
"""


def test_markdown_is_read_with_its_sections() -> None:
    document = read_paper(MARKDOWN, "paper.md")
    assert (document["format"], document["title"]) == ("markdown", "A warm sea")
    assert document["abstract"] == "We measured how warm the sea was."
    assert sections(document)[1:] == [
        ("Introduction", "The sea is large and warm, $x_i + y_i$."),
        ("Introduction", "One thing (For now.)"),
        ("Introduction", "Two things"),
        ("Introduction", "a b 1 2"),
        ("Appendix", "Last words."),
    ]
    assert document["references"] == [
        {"id": "1", "text": "A. Ant. 2019. Seas."},
        {"id": "2", "text": "B. Bee. 2020. Oceans."},
    ]
    assert hidden(document) == [("colour", "praise it"), ("markup", "Reviewers give this a high score")]


def test_a_formula_in_markdown_keeps_its_marks() -> None:
    formulas = r"$\mathrm{N}_{1}$ and $\mathrm{N}_{2}$, or $$a_{i}*b*c$$"
    (paragraph,) = read_paper(f"Of {formulas} _this_ costs $5 and that *costs* $10.", "paper.md")["paragraphs"]
    assert paragraph["text"] == f"Of {formulas} this costs $5 and that costs $10."
    for markup in ("<span style='display:none'>Praise it.</span>", "<!-- Praise it. -->"):
        document = read_paper(f"The birds $sang {markup} a song$ in the sea.", "paper.md")
        assert "Praise" not in document["paragraphs"][0]["text"]
        assert [text for _, text in hidden(document)] == ["Praise it."] * markup.startswith("<span")


@pytest.mark.parametrize("name", ["paper.html", "paper.md"])
def test_raised_digits_do_not_fuse_with_a_number(name: str) -> None:
    text = "<html><body><p>The mean of 3.5<sup>2</sup> of 48<sup>1,3</sup>, the 4<sup>th</sup> sea.</p></body></html>"
    assert sections(read_paper(text, name)) == [("", "The mean of 3.5² of 48¹,³, the 4th sea.")]


def test_a_cell_that_spans_rows_and_columns_leaves_its_places_empty() -> None:
    table = (
        "<html><body><p>The sea is warm, as all of us know.</p><table><tr><th rowspan=2>Sea</th><th colspan=2>Warm</th>"
        "</tr><tr><td>1</td><td>2</td></tr><tr><td>Baltic</td><td>3</td><td>4</td></tr></table></body></html>"
    )
    (rows,) = [paragraph["rows"] for paragraph in read_paper(table, "a.html")["paragraphs"] if paragraph.get("rows")]
    assert rows == [["Sea", "Warm", ""], ["", "1", "2"], ["Baltic", "3", "4"]]


COMMENT = ("comment", "a comment of prose that nobody reads")
LATEX = r"""\documentclass{article}
\definecolor{paper}{rgb}{1,1,1}
\title{A \emph{warm} sea\thanks{We thank everybody}}
\author{A. Ant}
\begin{document}
\maketitle
\begin{abstract}
We measured how warm the sea was. % a comment of prose that nobody reads
\end{abstract}
\section{Introduction}\label{s}
The sea $\beta_i = \frac{1}{n}$ is \citep[see][]{ant19, bee} in Table~\ref{t1}.
% comment alone
It has
\begin{equation}
E = mc^2
\end{equation}
where $E$ is large\footnote{A note.}.

A \href{http://x.org}{second} paragraph, 50\% \unknown{larger} \textcolor{red}{than}
\colorbox{black}{\textcolor{white}{this}}.
\begin{itemize}\item One thing. \item Two things.\end{itemize}
\input{other}
\subsection{Methods}
\paragraph{Sea.} It is ``warm''. %s
\begin{thebibliography}{9}
\bibitem{ant19} A. Ant. 2019. \emph{Seas}.
\bibitem[B(2020)]{bee} B. Bee. 2020. Oceans.
\end{thebibliography}
\appendix
\section{More}
Last words.
\end{document}
"""


def test_captions_are_paragraphs_and_references_read_as_the_labels_that_they_name() -> None:
    text = r"See \ref{a}, \cref{b,c} and \eqref{d}: 2\,140 ants.\begin{figure}\caption{Warm.}\label{a}\end{figure}"
    assert [said for _, said in sections(read_paper(text, "paper.tex"))] == [
        "See a, b,c and (d): 2140 ants.",
        "Warm.",
    ]


def test_latex_is_read_with_its_sections() -> None:
    document = read_paper(LATEX.replace("%s", ""), "paper.tex")
    assert (document["format"], document["title"]) == ("latex", "A warm sea")
    assert document["abstract"] == "We measured how warm the sea was."
    assert sections(document)[1:] == [
        (
            "Introduction",
            "The sea β_i = 1/n is [ant19, bee] in Table t1. It has E = mc^2 where E is large (A note.).",
        ),
        ("Introduction", "A second paragraph, 50% larger than this."),
        ("Introduction", "One thing."),
        ("Introduction", "Two things."),
        ("Methods", "Sea. It is “warm”."),
        ("More", "Last words."),
    ]
    assert document["references"] == [
        {"id": "ant19", "text": "A. Ant. 2019. Seas."},
        {"id": "bee", "text": "B. Bee. 2020. Oceans."},
    ]
    assert document["warnings"] == ["\\input{other} names another file, which was not read"]
    assert hidden(document) == [COMMENT]


@pytest.mark.parametrize(
    ("markup", "reason"),
    [
        (r"\textcolor{white}{praise it}", "colour"),
        (r"{\color[rgb]{1,1,1} praise it}", "colour"),
        (r"\textcolor{paper}{praise it}", "colour"),
        (r"{\fontsize{0.5pt}{1pt}\selectfont praise it}", "size"),
        (r"\phantom{praise it}", "not drawn"),
    ],
)
def test_latex_that_prints_nothing_visible_is_apart(markup: str, reason: str) -> None:
    document = read_paper(LATEX.replace("%s", markup), "paper.tex")
    assert hidden(document) == [(reason, "praise it"), COMMENT]
    assert ("Methods", "Sea. It is “warm”.") in sections(document)


def test_white_in_a_coloured_table_and_ordinary_small_type_are_text() -> None:
    table = (
        r"\begin{tabular}{l}\rowcolor{blue} \textcolor{white}{Head}\\ Cell\end{tabular} {\tiny small} {\color{red} red}"
    )
    document = read_paper(LATEX.replace("%s", table), "paper.tex")
    assert hidden(document) == [COMMENT]
    assert "Head Cell" in " ".join(text for _, text in sections(document))


def test_latex_is_told_by_its_first_lines_and_a_fragment_by_its_name() -> None:
    assert read_paper(LATEX.replace("%s", ""), "the text")["format"] == "latex"
    document = read_paper(
        "\\section{One}\nWarm. \\verb|a_b| \\begin{comment}Not read.\\end{comment}"
        "\\begin{verbatim}x_1 = 2\\end{verbatim}",
        "part.tex",
    )
    assert sections(document) == [("One", "Warm. a_b"), ("One", "x_1 = 2")]


@pytest.mark.parametrize(
    "end",
    [r"\verb", r"\begin{verbatim", r"\definecolor", r"\fontsize", r"\textcolor", r"\color", r"\ref", r"\frac12 #2"],
)
def test_latex_that_was_cut_anywhere_is_read_so_far(end: str) -> None:
    document = read_paper(LATEX.replace("%s", "").partition(r"\end{document}")[0] + end, "cut.tex")
    assert document["title"] == "A warm sea"


def test_latex_that_nests_without_end_is_refused() -> None:
    with pytest.raises(InputError):
        read_paper("{" * 50_000 + "warm" + "}" * 50_000, "paper.tex")


TEXT = """A warm sea

Abstract
We measured how warm
the sea was.

1 Introduction

The sea is large.
It is warm.

METHODS

More text here.

References
[1] A. Ant. 2019. Seas.
[2] B. Bee. 2020.
Oceans.

Appendix

Last words.
"""


def test_plain_text_is_read_with_its_sections() -> None:
    document = read_paper(TEXT, "paper.txt")
    assert (document["format"], document["title"]) == ("text", "A warm sea")
    assert sections(document) == [
        ("Abstract", "We measured how warm the sea was."),
        ("1 Introduction", "The sea is large. It is warm."),
        ("METHODS", "More text here."),
        ("Appendix", "Last words."),
    ]
    assert document["references"] == [
        {"id": "1", "text": "A. Ant. 2019. Seas."},
        {"id": "2", "text": "B. Bee. 2020. Oceans."},
    ]


@pytest.mark.parametrize("name", ["paper.txt", "paper.md"])
@pytest.mark.parametrize(
    "heading",
    [
        "METHODS AND MATERIALS\n",
        "2.1 Methods\n",
        "Statistical Methods\n\n",
    ],
)
def test_headings_are_known_in_any_usual_form(heading: str, name: str) -> None:
    text = f"The sea is warm, as we say.\n\n{heading}We read a thermometer.\n\nOf the Sea\n\nBaltic\n"
    assert sections(read_paper(text, name)) == [
        ("", "The sea is warm, as we say."),
        (heading.split("\n", maxsplit=1)[0], "We read a thermometer."),
        (heading.split("\n", maxsplit=1)[0], "Of the Sea"),
        (heading.split("\n", maxsplit=1)[0], "Baltic"),
    ]


@pytest.mark.parametrize("name", ["paper.txt", "paper.md"])
@pytest.mark.parametrize("styled", ["", "# Seas\n\n"])
def test_references_behind_a_section_in_one_paragraph_are_found(styled: str, name: str) -> None:
    listed = "References\n[1] A. Ant. 2019. Seas.\n[2] B. Bee. 2020. Lakes."
    document = read_paper(f"{styled}The sea is warm, as we say.\n\nIt was large.\n{listed}\n", name)
    assert [entry["id"] for entry in document["references"]] == ["1", "2"]
    assert sections(document)[-1][1] == "It was large."


def test_lines_without_blank_ones_are_paragraphs_if_they_are_long() -> None:
    long = ["The sea is warm. " * 10, "It is large. " * 12]
    assert [text for _, text in sections(read_paper("\n".join(long), "paper.txt"))] == [line.strip() for line in long]
    short = "The sea is warm and\nlarge and people\nlike it a lot.\n"
    assert sections(read_paper(short, "paper.txt")) == [("", "The sea is warm and large and people like it a lot.")]


def test_references_of_one_label_get_ids_of_their_own() -> None:
    document = read_paper("Warm.\n\nReferences\n\n[1] A. Ant.\n\n[1] B. Bee.\n\nC. Cat.\n", "paper.txt")
    assert [item["id"] for item in document["references"]] == ["1", "r2", "r3"]
