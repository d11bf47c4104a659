"""What the terminal, Markdown and the page tell of a review, also if paper and models are hostile."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from lxml.html import fromstring

from draftroom.rendering.blocks import NotedPaper
from draftroom.rendering.feedback import RENDERING, build_review_document
from draftroom.rendering.html import group_notes_by_paragraph
from draftroom.rendering.terminal import print_remarks, print_result, print_story
from tests.draftroom.feedback_values import comment, finished, record
from tests.draftroom.typeset_draft import SECTIONS, typeset
from tests.support.processes import run_code
from tests.support.report_files import Page

Values = dict[str, Any]


def list_contents(page: str, tag: str, only: str = "") -> list[str]:
    """Return the text of each element of a kind and class that is not inside another one."""
    kind = f"{tag}[contains(@class, '{only}')]"
    return [element.text_content() for element in fromstring(page).xpath(f"//{kind}[not(ancestor::{kind})]")]


@pytest.fixture
def values(tmp_path: Path) -> Values:
    return finished(tmp_path)


def page(values: Values) -> str:
    return str(RENDERING.formats[".html"](record(values), values))


def markdown(values: Values) -> str:
    return str(RENDERING.formats[".md"](record(values), values))


def story(values: Values, capsys: pytest.CaptureFixture[str], only: int | None = None) -> str:
    print_story(RENDERING.build_document(record(values), values), only)
    return capsys.readouterr().out


def paragraphs(values: Values) -> list[str]:
    (notes,) = (
        block for block in build_review_document(record(values), values).result if isinstance(block, NotedPaper)
    )
    shown, _ = group_notes_by_paragraph(notes)
    return ["".join(piece.text for piece in paragraph.pieces) for paragraph in shown]


def marks(values: Values) -> list[str]:
    return list_contents(page(values), "mark")


def folded(text: str) -> dict[str, str]:
    """What is folded on a page, by its title."""
    found = (part.strip().partition("\n") for part in list_contents(text, "details", only="folded"))
    return {title: content for title, _, content in found}


def test_the_comments_are_printed_by_rank(values: Values, capsys: pytest.CaptureFixture[str]):
    print_result(build_review_document(record(values), values))
    out = capsys.readouterr().out
    assert re.findall(r"^\d\. .*", out, re.MULTILINE)[1:3] == [
        "2. Replicability (Methods, page 1, p4)",
        "3. Meaningful Comparison (Results, page 1, p6)",
    ]
    assert (
        '  "whenever it seemed dry"\n'
        "  Nobody else could water the plots in the same way.\n"
        "  Suggestion: Say how much water each plot was given, and when.\n"
        "  Evidence e1: What is known of matter 1? Plots were watered by hand. "
        '"watered by hand whenever it seemed dry" (this paper, Methods, page 1)\n'
    ) in out
    assert "instruction, invisible to a reader: White words on white" in out
    assert "\x1b" not in out


def test_a_paper_without_fault_gets_an_answer(values: Values, capsys: pytest.CaptureFixture[str]):
    silent = [review for review in values["reviews"] if review["outcome"] == "nothing worth raising"]
    evidence = next(review["evidence"] for review in values["reviews"] if review["evidence"])
    asked = [{**silent[0], "evidence": evidence}]
    document = build_review_document(record(values), {**values, "comments": [], "reviews": asked, "findings": []})
    print_result(document)
    assert "0 comments on 1 paragraph: nothing worth raising was found.\n" in capsys.readouterr().out
    print_remarks(document)
    assert evidence[0]["answer"] in capsys.readouterr().err, "what was asked and found is shown"


def test_a_terminal_gets_panels(tmp_path: Path):
    script = (
        "import sys; from pathlib import Path\n"
        "from draftroom.rendering.feedback import build_review_document\n"
        "from draftroom.rendering.terminal import print_remarks, print_result\n"
        "from tests.draftroom.feedback_values import finished, record\n"
        "values = finished(Path(sys.argv[1])); print_result(build_review_document(record(values), values))"
    )
    shown = run_code(script, tmp_path, FORCE_COLOR="1", COLUMNS="100", TERM="xterm").stdout
    assert re.search(r"╭─.*2\. Replicability \(Methods, page 1, p4\)", shown)
    assert "<script>" in shown
    assert "\x1b[31m" not in re.sub(r"╭.*?╮", "", shown[shown.index("╭") :], flags=re.DOTALL)


def test_what_a_person_should_know_goes_to_standard_error(values: Values, capsys: pytest.CaptureFixture[str]):
    values["reviews"][2] |= {"outcome": "failed", "problem": "The reviewer gave no usable answer."}
    print_remarks(build_review_document(record(values), values))
    captured = capsys.readouterr()
    assert captured.out == ""
    for line in (
        "Comments that were left out",
        "Not reviewed: Introduction, page 1, p3: failed: The reviewer gave no usable answer.",
        "Please note: p5, p7: https://openreview.net/forum?id=1 is blocked, because it publishes reviews.\n",
        "Please note: in paragraph 1 the planner saw only the first 90 of 100 words",
        "5 comments on 8 paragraphs. Run ",
    ):
        assert line in captured.err
    assert "\x1b" not in captured.err


def test_the_story_tells_every_step(values: Values, capsys: pytest.CaptureFixture[str]):
    told = story(values, capsys)
    for part in (
        "Paragraph 1 (Abstract, page 1, p1): comment\n",
        "  plan 2, score 0.910, followed: s1 ask paper: How were the plots watered?; s9 write review\n",
        "  repaired: two concepts\n  plan 1, score 0.200: ",
        "  execute: s1 ask paper: How were the plots watered?\n  because: It is needed.\n"
        '  Evidence e1: Plots were watered by hand. "watered by hand whenever it seemed dry" (this paper, Methods,',
        "  execute: s2 ask literature: Who has watered moss before?\n  unanswered: No document answers it.\n",
        "  replace: s3 ask literature: Which t-tests allow for repeated measures? (by the controller)\n",
        "  skip: s4 ask paper: How were the plots watered?\n  because: It was answered before.\n  skipped\n",
        '  possible weakness (Substance): "tested with a t-test for each pair of years": Too simple.\n',
        "  comment, Empirical and Theoretical Soundness: ",
        "  reasoning: The rule depends on who looks at the plot.\n",
        "  check: softened\n  check: The paper says itself that plots were measured again.\n",
        "  please note: https://openreview.net/forum?id=1 is blocked, because it publishes reviews.\n",
        "  nothing worth raising: The question is clear.\n",
        "Results, page 2, p7: Substance",
        "tokens out",
    ):
        assert part in told
        if "Paragraph" not in part and "tokens" not in part:
            assert all(
                line.strip() in " ".join(re.sub(r"\*\*", "", markdown(values)).split()) for line in part.split("\n")
            )
    assert "\x1b" not in told
    assert "plan 2, score 0.910, followed" in page(values)


def test_the_story_can_be_limited_to_a_paragraph(values: Values, capsys: pytest.CaptureFixture[str]):
    values["reviews"] = values["reviews"][:3]
    out = story(values, capsys, 4)
    assert out.startswith("\nParagraph 4 (Methods, page 1, p4): not reviewed yet\n  The plots lie on a lava field")
    assert "Paragraph 3" not in out
    assert "tokens out" not in out


def test_of_paragraphs_that_were_not_reviewed_only_the_beginning_is_shown(
    values: Values, capsys: pytest.CaptureFixture[str]
):
    failed = {**values["reviews"][0], "outcome": "failed"}
    out = story({**values, "reviews": [failed]}, capsys)
    texts = [target["text"] for target in values["targets"]]
    assert not [text for text in texts if len(text) > 80 and text in out]
    assert all(text[:40] in out for text in texts)


def test_the_markdown_has_the_comments_by_section(values: Values):
    text = markdown(values)
    headings = re.findall(r"^##+ .*", text.split("\n---\n")[0], re.MULTILINE)
    assert headings == [
        "## Abstract",
        "### 4. Originality (Abstract, page 1, p1)",
        "## Methods",
        "### 2. Replicability (Methods, page 1, p4)",
        "### 1. Empirical and Theoretical Soundness (Methods, page 1, p5)",
        "## Results",
        "### 3. Meaningful Comparison (Results, page 1, p6)",
        "## Discussion",
        "### 5. Substance (Discussion, page 2, p8)",
    ]


def test_the_markdown_has_all_of_a_comment(values: Values):
    made = values["comments"][0]
    _, text = markdown(values).split("### 1. ")
    assert f"\n> {made['quote']}\n\n{made['review']}\n\n- **Suggestion:** {made['suggestion']}\n" in text
    for line in (
        '- **Evidence e3:** What is known of matter 3? Plots were watered by hand. "watered by hand whenever it seemed '
        'dry" (Moss and rain, https://arxiv.org/abs/1234.5678)\n',
        "- **Evidence e5:** What is known of matter 5? Plots were watered by hand. "
        "(the model's own knowledge, not looked up)\n",
        "- **Check (softened):** The paper says itself that plots were measured again.\n",
    ):
        assert line in text


def test_the_markdown_says_what_else_a_reader_should_know(values: Values):
    values["reviews"][2] |= {"outcome": "failed", "problem": "The reviewer gave no usable answer."}
    text = markdown(values)
    for line in (
        "- **hidden, page 2:** instruction, invisible to a reader: White words on white",
        '- **p3:** chat template, visible to a reader: A model may obey it. "&lt;\\|im_start\\|>"\n',
        "- **Not reviewed:** Introduction, page 1, p3: failed: The reviewer gave no usable answer.\n",
        '- Results, page 2, p7: Substance, "in the end": This is said twice.\n',
        "- **Please note:** the figure on page 2 could not be read.\n",
        "- **Please note:** in paragraph 1 the planner saw only the first 90 of 100 words",
        "| 2 | reviewer | 1 | 1,000 | 100 | 1.5 |",
        "- **Reviewer:** large",
    ):
        assert line in text
    assert "<" not in text
    assert "\x1b" not in text


def test_a_hostile_paper_is_data_in_the_page(values: Values):
    attack = '</div></main><script>alert(4)</script><mark class="x" onmouseover=alert(5)>'
    for target in values["targets"]:
        target |= {"id": attack, "section": f"{attack} {target['number']}", "text": f"{target['text']} {attack}"}
    values["document"] |= {"title": attack, "warnings": [attack]}
    elements = Page(page(values))
    assert set(elements.names).isdisjoint({"script", "img", "iframe", "link", "object", "b", "form"})
    assert elements.addresses == [f"href=#comment-{rank}" for rank in range(1, 6)]
    assert elements.names.count("mark") == len(values["comments"])
    assert elements.names.count("main") == 1
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page(values)
    assert "\x1b" not in page(values)


def test_the_page_shows_the_paper_with_its_headings(values: Values):
    expected = [text.replace("\u00ad", "") for texts in SECTIONS.values() for text in texts]
    assert paragraphs(values) == expected
    assert list_contents(page(values), "h3") == list(SECTIONS)
    bare = re.sub(r"<aside.*?</aside>", "", page(values), flags=re.DOTALL)
    shown = list_contents(bare, "div", only="paragraph")
    assert [text.strip() for text in shown] == [f"p{number}\n{text}" for number, text in enumerate(expected, start=1)]


def test_a_comment_stands_at_its_marked_words_and_below_its_paragraph(values: Values):
    quotes = {item["paragraph"]: item["quote"] for item in values["comments"]}
    assert marks(values) == [quotes[id_] for id_ in sorted(quotes)]
    for place in ("beside", "below"):
        notes = list_contents(page(values), "aside", only=place)
        assert len(notes) == len(values["comments"])
        assert "Fit a mixed model" in notes[2]
        assert "(Moss and rain, https://arxiv.org/abs/1234.5678)" in notes[2]
        assert "The paper says itself that plots were measured again." in notes[2]


def test_the_page_tells_what_is_not_shown_and_what_was_found(values: Values):
    text = page(values)
    assert "This is said twice." not in " ".join(list_contents(text, "aside"))
    told = folded(text)
    assert any("This is said twice." in content for title, content in told.items() if "left out" in title)
    assert (
        "Introduction, page 1, p3: nothing worth raising: The question is clear."
        in told["Paragraphs without a comment (2)"]
    )
    (found,) = list_contents(text, "section", only="callout")
    assert "White words on white tell a reviewer what to write" in found
    assert "the figure on page 2 could not be read." in text
    assert list_contents(page({**values, "findings": []}), "section", only="callout") == []


def test_a_comment_without_a_quote_is_about_the_paragraph_as_a_whole(
    values: Values, capsys: pytest.CaptureFixture[str]
) -> None:
    values["comments"] = [{**values["comments"][0], "quote": "", "start": 0}]
    assert marks(values) == [""]
    assert "About the paragraph as a whole." in markdown(values)
    assert not re.search(r"^> *$", markdown(values), re.MULTILINE)
    assert "About the paragraph as a whole" in page(values)
    assert '<p class="quoted"></p>' not in page(values)
    print_result(build_review_document(record(values), values))
    told = capsys.readouterr().out
    assert "the paragraph as a whole" in told
    assert '""' not in told


def test_if_the_stored_paper_is_gone_the_reviewed_paragraphs_are_shown(values: Values):
    Path(values["document"]["path"]).unlink()
    values["targets"] = values["targets"][:5]
    assert "Only what was reviewed is shown. " in page(values)
    assert paragraphs(values)[:5] == [target["text"] for target in values["targets"]]
    assert paragraphs(values)[5:] == [values["comments"][2]["quote"], values["comments"][4]["quote"]]
    assert len(marks(values)) == len(values["comments"])


def test_text_that_was_reviewed_beside_the_paper_is_shown(values: Values):
    words = "We now water the plots by machine."
    values["targets"] = [{"number": 9, "id": "text", "section": "", "page": 0, "text": words}]
    values["comments"] = [{**values["comments"][1], "paragraph": "text", "quote": "by machine", "start": 23}]
    assert len(paragraphs(values)) == 9
    assert paragraphs(values)[-1] == words
    assert marks(values) == ["by machine"]


def test_quotes_that_overlap_are_marked_once(values: Values):
    _, document = typeset()
    first = comment(document, "p8", "Substance", "water decides how fast a moss grows")
    second = {**comment(document, "p8", "Originality", "a moss grows, in Iceland"), "id": "c-other"}
    within = {**comment(document, "p8", "Replicability", "decides how"), "id": "c-within"}
    values["comments"] = [second, first, within]
    assert paragraphs(values)[-1] == document["paragraphs"][-1]["text"]
    assert [mark for mark in marks(values) if mark] == ["water decides how fast a moss grows", ", in Iceland"]
    assert len(list_contents(page(values), "aside", only="beside")) == 3


def test_a_quote_that_its_paragraph_has_lost_is_shown_in_the_comment_and_one_that_has_moved_is_found(values: Values):
    first, second, *_ = values["comments"]
    values["comments"] = [{**first, "quote": "words that were there once"}, {**second, "start": 3}]
    assert sorted(marks(values)) == ["", second["quote"]]
    assert any("words that were there once" in note for note in list_contents(page(values), "aside", only="beside"))


def test_an_unfinished_run_shows_the_comments_so_far(values: Values, capsys: pytest.CaptureFixture[str]):
    unfinished = {**values, "comments": [], "finished": False, "reviews": values["reviews"][:4], "findings": []}
    assert marks(unfinished) == ["the first study of irrigated moss", "whenever it seemed dry"]
    for text in (page(unfinished), markdown(unfinished)):
        assert "2 comments on 4 paragraphs so far (done)" in text
    begun = build_review_document(record(values), {})
    print_result(begun)
    print_story(begun, None)
    told = capsys.readouterr().out
    assert "0 comments on 0 paragraphs" in told
    assert "The paper has not been read yet." in told
