from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.draftroom.conftest import Command
from tests.fake_endpoint import Script, Text, When
from tests.support.report_files import Page
from tests.support.steps import asks

ATTACK = '<script>alert(1)</script><img src="http://example.org/x.png"> ![x](http://example.org/y.png) \x1b[31m'
ARTICLE = f"""# Moss <script>alert(0)</script>

First {ATTACK} and [a link](javascript:alert(2)).

The 77 bears | said <b>so</b> in one line."""
ANSWERS = {
    "write_draft": ARTICLE,
    "take_notes": f"## Explanation\n\n1. **bears**: {ATTACK}",
    "advise": f"## Evaluation\n\n{ATTACK}\n\n## Advice\n\n1. {ATTACK}",
    "revise_draft": f"## Improvement\n\n1. {ATTACK}\n\n## Revised article\n\n{ARTICLE}",
}


@pytest.fixture
def hostile(draftroom: Command, tmp_path: Path) -> Path:
    """The folder of the files written by a run whose paper has a hostile name and whose models wrote hostile text."""
    draftroom.endpoint.answer = Script([When(Text(answer), where=asks(step)) for step, answer in ANSWERS.items()])
    paper = tmp_path / "<script>name.txt"
    paper.write_text("Moss grew by 20% in wet summers, and stopped in dry ones.", encoding="utf-8")
    outputs = [part for suffix in ("html", "md", "json") for part in ("-o", tmp_path / f"out.{suffix}")]
    assert draftroom("explain", paper, *outputs).exit_code == 0
    return tmp_path


def test_text_of_models_and_names_of_files_are_data_in_the_page(hostile: Path):
    page = (hostile / "out.html").read_text(encoding="utf-8")
    elements = Page(page)
    assert set(elements.names).isdisjoint({"script", "img", "iframe", "link", "a", "object", "b"})
    assert elements.addresses == []
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "&lt;script&gt;name.txt" in page
    assert "\x1b" not in page


def test_the_page_shows_rounds_and_provenance(hostile: Path):
    page = (hostile / "out.html").read_text(encoding="utf-8")
    elements = Page(page)
    record = json.loads((hostile / "out.json").read_text(encoding="utf-8"))["run"]
    assert elements.names.count("details") == 3
    assert record["id"] in page
    assert all(sha256 in page for sha256 in record["prompts"].values())


def test_the_markdown_has_the_article_and_an_appendix(hostile: Path):
    text = (hostile / "out.md").read_text(encoding="utf-8")
    article, appendix = text.split("\n---\n", 1)
    result = json.loads((hostile / "out.json").read_text(encoding="utf-8"))
    assert article.strip() == result["article"].replace("\x1b", "").strip()
    readability = appendix[appendix.index("## Readability") : appendix.index("## Details")]
    rows = [line for line in readability.splitlines() if line.startswith(("| 0 ", "| 1 ", "| **"))]
    assert len(rows) == 2, "a row for each draft"
    assert "77 bears" in appendix
    assert result["source"]["sha256"] in appendix
    assert all(sha256 in appendix for sha256 in result["run"]["prompts"].values())
    assert "- **Journalist:** large" in appendix
    assert "<" not in appendix


def test_the_json_holds_the_record_and_the_output_of_the_graph(hostile: Path, draftroom: Command):
    result = json.loads((hostile / "out.json").read_text(encoding="utf-8"))
    assert result["run"] == draftroom.records()[0]
    assert [draft["round"] for draft in result["drafts"]] == [0, 1]
    assert len(result["calls"]) == 4
    assert result["reviews"][0]["text"] == ANSWERS["advise"], "data is kept as it is"


def test_an_unfinished_run_can_be_rendered(draftroom: Command, paper: Path, tmp_path: Path):
    assert draftroom("explain", paper, "--model", "huge").exit_code == 42
    outputs = [part for suffix in ("html", "md", "json") for part in ("-o", tmp_path / f"out.{suffix}")]
    assert draftroom("show", "last", *outputs).exit_code == 0
    assert "has not chosen a draft yet" in (tmp_path / "out.html").read_text(encoding="utf-8")
    assert "has not chosen a draft yet" in (tmp_path / "out.md").read_text(encoding="utf-8")
    assert json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["article"] in {None, ""}
