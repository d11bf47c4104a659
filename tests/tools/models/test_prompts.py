"""Prompt files say which variables they need, and render with those and no others."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from typing import get_args

import pytest

from state.model_settings import Limits
from state.settings import ROLES, Audience
from tools.models.prompts import Prompt, load_prompt

ROOT = Path(__file__).parents[3]
FILES = sorted(
    path
    for part in ("nodes", "training", "evals")
    for path in (ROOT / part).glob("**/prompts/*.md")
    if not path.name.startswith("_")
)
PAPER = "A paper with {{ braces }}, {% tags %} and $money$."
OPTIONAL = {
    *("notes", "advice", "unsupported", "memory", "summary", "clarifications", "target_grade", "max_words", "asking"),
    *("candidates", "evidence", "log", "literature", "quotes", "unanswered", "comment", "anchors", "instructions"),
    *("earlier_comments", "lost_details", "team", "suspicions", "whole"),
}
"""Variables that may be empty."""
SWITCHES = {
    *("audience", "literature", "quotes", "anchors", "instructions", "limits", "checks", "computed", "asking", "team"),
    "whole",
}
"""Variables that choose among texts or hold several numbers, and need not stand there themselves."""

STRUCTURED = {"limits": Limits()}
"""Values of variables that are no text."""

every_file = pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parts[-3]}/{path.stem}")

agents = pytest.mark.parametrize(
    "path", [path for path in FILES if "nodes" in path.parts], ids=lambda path: f"{path.parts[-3]}/{path.stem}"
)


def renderings(prompt: Prompt) -> list[str]:
    """The prompt for every audience, with and without each of the optional variables."""
    names = prompt.front_matter.variables
    values: dict[str, list[object]] = {name: [f"<{name}>"] for name in names}
    values |= {name: ["", f"<{name}>"] for name in OPTIONAL & set(names)}
    values |= {"audience": list(get_args(Audience))} if "audience" in names else {}
    values |= {name: [value] for name, value in STRUCTURED.items() if name in names}
    return [prompt.render(dict(zip(values, chosen, strict=True))) for chosen in product(*values.values())]


@every_file
def test_the_front_matter_names_a_role(path: Path) -> None:
    front_matter = load_prompt(path).front_matter
    assert front_matter.role in ROLES
    assert front_matter.purpose.endswith(".")


@every_file
def test_every_rendering_is_whole(path: Path) -> None:
    prompt = load_prompt(path)
    for text in renderings(prompt):
        assert "{" not in text
        assert "}" not in text
        assert "None" not in text


@agents
def test_every_agent_reads_the_same_parts(path: Path) -> None:
    for text in renderings(load_prompt(path)):
        for part in ("# Your role", "# Your task", "# Rules", "# Output"):
            assert text.count(f"{part}\n") == 1, part
        assert text.count("# Steps\n") <= 1


@every_file
def test_each_value_reaches_the_text(path: Path) -> None:
    prompt = load_prompt(path)
    texts = renderings(prompt)
    for name in set(prompt.front_matter.variables) - SWITCHES:
        assert any(f"<{name}>" in text for text in texts), name
    if SWITCHES & set(prompt.front_matter.variables):
        assert len(set(texts)) == len(texts), "two audiences, or with and without a variable, read the same"


def test_what_stays_the_same_over_a_run_comes_first() -> None:
    prompts = [prompt for prompt in map(load_prompt, FILES) if "paper" in prompt.front_matter.variables]
    assert len(prompts) >= 3
    for prompt in prompts:
        assert all(text.startswith("# The paper\n\n<paper>\n") for text in renderings(prompt)), prompt.name


SAME_FOR_ALL = {
    **dict.fromkeys(("most", "title"), "<the same>"),
    **dict.fromkeys(
        ("literature", "checks", "computed", "quotes", "anchors", "instructions", "choices", "asking", "team"), "yes"
    ),
    **STRUCTURED,
}
"""What an agent of the feedback room is told for every paragraph."""


@pytest.mark.parametrize("path", [path for path in FILES if path.parts[-3] == "feedback"], ids=lambda path: path.stem)
def test_what_an_agent_reads_for_every_paragraph_comes_first(path: Path) -> None:
    prompt = load_prompt(path)
    names = prompt.front_matter.variables
    text = prompt.render({name: SAME_FOR_ALL.get(name, "<news>") for name in names})
    head = text.index("<news>")
    assert head > 0.75 * len(text), "the server has read the rules before, so they stand above what is new"


def test_agents_that_see_the_original_abstract_share_the_head_of_their_prompts() -> None:
    files = [path for path in FILES if path.parts[-3] == "simplification"]
    prompts = [prompt for prompt in map(load_prompt, files) if {"source", "text"} <= set(prompt.front_matter.variables)]
    assert len(prompts) == 9
    for prompt in prompts:
        for text in renderings(prompt):
            assert text.startswith("# The original abstract\n\n<source>\n\n"), prompt.name
            assert "\n\n# The newest version of the text\n\n<text>\n\n# " in text, prompt.name
        # A text that was not rewritten yet is sent once.
        values: dict[str, object] = dict.fromkeys(prompt.front_matter.variables, "<value>")
        text = prompt.render(values | {"source": "ABSTRACT", "text": "ABSTRACT", "limits": Limits()})
        assert text.count("ABSTRACT") == 1, prompt.name
        assert "# The newest version of the text is the original abstract\n\n# " in text, prompt.name


@agents
def test_headings_and_points_stand_on_lines_of_their_own(path: Path) -> None:
    for text in renderings(load_prompt(path)):
        assert not re.search(r"[^\n]\n#+ \S|\S- `|\n\n\n", text)


@every_file
def test_values_are_not_rendered_themselves(path: Path) -> None:
    prompt = load_prompt(path)
    values: dict[str, object] = dict.fromkeys(prompt.front_matter.variables, PAPER)
    assert PAPER in prompt.render(values | {name: STRUCTURED[name] for name in STRUCTURED.keys() & values.keys()})


@every_file
def test_a_missing_or_unknown_value_is_an_error(path: Path) -> None:
    prompt = load_prompt(path)
    values = dict.fromkeys(prompt.front_matter.variables, "value")
    missing = dict(list(values.items())[1:])
    for wrong in (missing, {**values, "surplus": "value"}):
        with pytest.raises(ValueError, match=f"prompt {prompt.name} declares"):
            prompt.render(wrong)
