"""`draftroom eval blind` and `judged`: from the texts of a run to tables of what people think of them."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from tests.draftroom.conftest import Command
from tests.draftroom.evaluation.conftest import BEANS, Runs
from tests.support.raters import Sheet, as_json, write_json

QUALITIES = ("readability", "information", "authenticity", "interest")


def read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def figures_of(report: str, section: str, row: str) -> list[str]:
    """The cells of a row in a section's table, in Markdown."""
    text = report.split(f"## {section}\n")[1].split("\n## ", maxsplit=1)[0]
    (line,) = [line for line in text.splitlines() if line.startswith(f"| {row} |")]
    return [cell.strip() for cell in line.strip("|").split("|")[1:]]


@pytest.fixture
def comparisons(draftroom: Command, runs: Runs, tmp_path: Path) -> Path:
    """The folder of blinded comparisons."""
    folder = tmp_path / "people"
    result = draftroom("eval", "blind", runs.feedback, "--out", folder)
    assert result.exit_code == 0, result.output
    return folder


def test_tasks_do_not_tell_whose_texts_they_show(draftroom: Command, runs: Runs, comparisons: Path) -> None:
    tasks, key = read_json(comparisons / "tasks.json"), read_json(comparisons / "key.json")

    assert len(tasks) == 2 * 3
    assert {task["data"]["item"] for task in tasks} == set(key["items"])
    pairs = {tuple(sorted(hidden["systems"])) for hidden in key["items"].values()}
    assert pairs == set(combinations(("cove", "human", "single"), 2)), "a person's review is a candidate, too"
    shown = {name for task in tasks for name in task["data"]}
    assert shown == {"item", "paragraph", "paper", "first", "second", "anchor"}
    assert all(task["data"]["paragraph"] in " ".join(task["data"]["paper"].split()) for task in tasks)
    assert draftroom.endpoint.requests == []


def test_comparisons_are_made_in_label_studio_and_counted(
    draftroom: Command, comparisons: Path, tmp_path: Path
) -> None:
    key = read_json(comparisons / "key.json")["items"]
    sheets = []
    for task in read_json(comparisons / "tasks.json"):
        first, second = key[task["data"]["item"]]["systems"]
        better = "first" if first < second else "second"
        sheets.append(Sheet(task, 7, {"helpfulness": better, "specificity": better, "comprehension": "tie"}))
    export = write_json(tmp_path / "export.json", as_json(sheets))

    result = draftroom("eval", "judged", export, "--key", comparisons / "key.json")

    assert result.exit_code == 0, result.output
    assert figures_of(result.stdout, "Overall helpfulness", "total") == ["4.00", "2.00", "0.00"]
    assert figures_of(result.stdout, "Reading comprehension", "total") == ["2.00", "2.00", "2.00"]
    assert draftroom.endpoint.requests == []


def test_articles_are_rated_in_label_studio_and_averaged(draftroom: Command, runs: Runs, tmp_path: Path) -> None:
    folder = tmp_path / "people"
    chosen = ("--rows", "abstracts, single")
    blinded = draftroom("eval", "blind", runs.journalism, *chosen, "--out", folder)
    assert blinded.exit_code == 0, blinded.output
    tasks, key = read_json(folder / "tasks.json"), read_json(folder / "key.json")["items"]
    assert {(task["data"]["title"], task["data"]["paper"]) for task in tasks} == {
        ("", bean["abstract"]) for bean in BEANS
    }
    systems = [key[task["data"]["item"]]["systems"][0] for task in tasks]
    assert sorted(systems) == ["abstracts", "abstracts", "single", "single"]
    grades, knowledge = {"abstracts": "2", "single": "4"}, {1: "1", 2: "4"}
    sheets = [
        Sheet(task, rater, {**dict.fromkeys(QUALITIES, grades[system]), "knowledge": knowledge[rater]})
        for rater in knowledge
        for task, system in zip(tasks, systems, strict=True)
    ]
    export = write_json(tmp_path / "export.json", as_json(sheets))

    flags = ("--key", folder / "key.json", "--within-from", "4")
    result = draftroom("eval", "judged", export, *flags)

    assert result.exit_code == 0, result.output
    for section, raters, known in (
        ("All raters", "4", "2.50 [2.50, 2.50]"),
        ("Within the field: knowledge of the topic 4 or more", "2", "4.00 [4.00, 4.00]"),
        ("Outside the field", "2", "1.00 [1.00, 1.00]"),
    ):
        assert figures_of(result.stdout, section, "single") == [raters, known, *["4.00 [4.00, 4.00]"] * 4]
        assert figures_of(result.stdout, section, "abstracts") == [raters, known, *["2.00 [2.00, 2.00]"] * 4]
