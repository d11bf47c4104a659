"""A folder of the user's own prompts replaces built-in ones, is checked before a model is asked, and is on record."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.draftroom.conftest import ROOT, Command
from tests.fake_endpoint import FakeEndpoint
from tests.graphs.test_number_check import PAPER as SOILS
from tests.support.newsroom import run
from tests.support.society import ABSTRACT

PAPERS = {"journalism": "A paper on moss.", "simplification": ABSTRACT, "feedback": ABSTRACT, "numbers": SOILS}


def write_prompt(folder: Path, name: str, ending: str) -> Path:
    """Write the built-in prompt `SYSTEM/NAME` with another ending into a folder of the user's."""
    system, file = name.split("/")
    (folder / system).mkdir(parents=True, exist_ok=True)
    text = (ROOT / "nodes" / system / "prompts" / file).read_text(encoding="utf-8")
    (folder / system / file).write_text(text + ending, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("journalism/_audience.md", "explain FILE --prompts mine"),
        ("journalism/write_draft.md", "batch explain FILE --out OUT --prompts mine"),
        ("simplification/rewrite_alone.md", "simplify FILE --variant single --prompts mine"),
        ("simplification/rewrite_alone.md", "eval medical_simplification --rows single --out OUT --prompts mine"),
        ("feedback/plan_questions.md", "review FILE --variant cove --prompts mine"),
        ("numbers/read_numbers.md", "check FILE --model large --prompts mine"),
    ],
)
def test_agents_read_the_users_prompt_as_it_is_when_they_are_asked(
    name: str, command: str, draftroom: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("paper.md").write_text(PAPERS[name.split("/", maxsplit=1)[0]], encoding="utf-8")
    for ending in ("MARK ONE", "MARK TWO"):
        write_prompt(Path("mine"), name, ending)
        result = draftroom(*command.replace("FILE", "paper.md").replace("OUT", ending[-3:]).split())
        assert any(ending in request.text for request in draftroom.endpoint.chat_requests), result.output
    if records := draftroom.records():
        assert records[0]["prompts"] != records[1]["prompts"]
        assert records[0]["settings"]["prompts"] == str(tmp_path / "mine")


FRONT = "---\nrole: reader\npurpose: Test.\nvariables: [article, audience, limits]\n---\n"


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("journalism/write.md", FRONT, " has journalism/write.md; it can have files like journalism/write_draft.md, "),
        ("a/b/c.md", FRONT, " has no Markdown file; it can"),  # deeper folders may be those of a whole disk
        ("take_notes.md", FRONT, " has take_notes.md; it can have files like journalism/take_notes.md, "),
        ("journalism/take_notes.md", "Note the terms.", "a prompt file must begin with front matter"),
        ("journalism/take_notes.md", FRONT.replace("role", "rule"), "`role`: field required"),
        (
            "journalism/take_notes.md",
            FRONT.replace(", audience", ""),
            "must declare the variables article, audience, l",
        ),
        ("journalism/take_notes.md", FRONT + "{% if 0 %}{{ paper }}{% endif %}", "matter does not declare paper"),
        ("journalism/_paper.md", "{{ papr }}", "The prompt advise.md cannot be made of the files in "),
        ("journalism/take_notes.md", FRONT + '{% include "_mine.md" %}', "there is no fragment _mine.md"),
        ("journalism/take_notes.md", FRONT + "{% if %}", "Expected an expression"),
        ("journalism/take_notes.md", FRONT + "{{ limits.title }}", "has no attribute 'title'"),
        ("journalism/take_notes.md", FRONT + "{{ article.__class__.mro() }}", "'__class__' of 'str' object is unsafe"),
        ("journalism/take_notes.txt", FRONT, " has no Markdown file; it can have files like "),
    ],
)
def test_a_prompt_that_cannot_be_used_is_refused_before_a_model_is_asked(
    name: str, text: str, problem: str, draftroom: Command, tmp_path: Path
) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(text, encoding="utf-8")
    result = draftroom.with_variables({"DRAFTROOM_PROMPTS": str(tmp_path)})("explain", "-", stdin=b"A paper.")
    assert result.exit_code == 30
    assert problem in " ".join(result.stderr.split())
    assert not draftroom.endpoint.requests


async def test_a_result_of_the_preset_paper_says_that_prompts_are_replaced(
    fake_endpoint: FakeEndpoint, tmp_path: Path
) -> None:
    for prompts, words in ((None, "in Draftroom's words"), (str(tmp_path), f"those of {tmp_path} where it has them")):
        write_prompt(tmp_path, "journalism/write_draft.md", "")
        result = await run(fake_endpoint, preset="paper", rounds=0, prompts=prompts)
        assert any(f"The prompts are {words}" in sentence for sentence in result["not_as_published"])
