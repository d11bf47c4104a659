"""The re-ranker's data is checked line by line, split by paper, and brought into one form where that is asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from state.errors import BadInput
from tests.training.toy_plans import in_form, record, write_plans
from training.plan_reranker.plans import is_structured, normalised, of_split, read_plans, sha256_of, split_by_paper

FREE = """## Review plan

**Step 1:** First, I would check how many patients were followed up, e.g. in Table 2.

- Compare the results with previous studies of the drug
- Is the *control group* described and how was it chosen?

Finally, write the review.
"""


def test_a_line_becomes_a_paragraph_with_its_plans(tmp_path: Path) -> None:
    (found,) = read_plans(write_plans(tmp_path / "plans.jsonl", [{**record(1), "seconds": 3}]))

    assert (found.id, found.paper_id, found.split, found.model) == ("p1", "train 0", "train", "toy")
    assert list(found.texts) == ["optimal", "coherence", "structure", "structure, normalised", "specificity"]


def test_characters_that_end_a_line_elsewhere_do_not_here(tmp_path: Path) -> None:
    (tmp_path / "plans.jsonl").write_text(
        json.dumps({**record(1), "paragraph": "one\u2028two"}, ensure_ascii=False) + "\n\n", encoding="utf-8"
    )

    assert read_plans(tmp_path / "plans.jsonl")[0].paragraph == "one\u2028two"


def without_a_plan(name: str) -> dict[str, object]:
    plans = {key: text for key, text in record(2)["plans"].items() if key != name}
    return {**record(2), "plans": plans}


@pytest.mark.parametrize(
    ("second", "problem"),
    [
        ("{", r"Line 2 of .*plans.jsonl is no paragraph with its plans"),
        (json.dumps(without_a_plan("structure")), r"Line 2 .*`plans.structure`"),
        (json.dumps({**record(2), "plans": {**record(2)["plans"], "optimal": " "}}), r"Line 2 .*`plans.optimal`"),
        (json.dumps({**record(2), "split": "test"}), r"Line 2 .*`split`"),
        (json.dumps(record(1)), r"Line 2 .*id 'p1' of an earlier line"),
        (json.dumps(record(2, split="dev", paper="train 0")), r"Line 2 .*'train 0' into a second split"),
    ],
    ids=["no JSON", "a plan is missing", "a plan is empty", "unknown split", "same id", "paper in two splits"],
)
def test_a_wrong_line_is_named(tmp_path: Path, second: str, problem: str) -> None:
    (tmp_path / "plans.jsonl").write_text(f"{json.dumps(record(1))}\n{second}\n", encoding="utf-8")

    with pytest.raises(BadInput, match=problem):
        read_plans(tmp_path / "plans.jsonl")


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read") as caught:
        read_plans(tmp_path / "nowhere.jsonl")
    assert caught.value.kind == "missing_file"


def test_a_split_without_paragraphs_is_an_error(tmp_path: Path) -> None:
    paragraphs = read_plans(write_plans(tmp_path / "plans.jsonl", [record(1)]))

    assert of_split(paragraphs, "train") == paragraphs
    with pytest.raises(BadInput, match="None of the 1 paragraphs has the split 'dev'"):
        of_split(paragraphs, "dev")


@pytest.mark.parametrize("seed", range(5))
def test_validation_is_of_other_papers(tmp_path: Path, seed: int) -> None:
    records = [record(number, paper=f"paper {number % 7}") for number in range(40)]
    paragraphs = read_plans(write_plans(tmp_path / "plans.jsonl", records))

    split = split_by_paper(paragraphs, 0.2, seed)

    papers = [{each.paper_id for each in part} for part in split]
    assert papers[0].isdisjoint(papers[1])
    assert sorted(each.id for part in split for each in part) == sorted(each.id for each in paragraphs)
    assert 8 <= len(split.validation) < 8 + 6
    assert split == split_by_paper(paragraphs, 0.2, seed)
    assert papers[1] == {each.paper_id for each in split_by_paper(paragraphs[::-1], 0.2, seed).validation}


def test_the_seed_chooses_the_papers(tmp_path: Path) -> None:
    paragraphs = read_plans(write_plans(tmp_path / "plans.jsonl", [record(number) for number in range(40)]))

    chosen = {frozenset(each.id for each in split_by_paper(paragraphs, 0.2, seed).validation) for seed in range(5)}
    assert len(chosen) > 1


def test_one_paper_cannot_be_split(tmp_path: Path) -> None:
    records = [record(number, paper="one") for number in range(4)]
    paragraphs = read_plans(write_plans(tmp_path / "plans.jsonl", records))

    with pytest.raises(BadInput, match="4 paragraphs of 1 papers cannot be split"):
        split_by_paper(paragraphs, 0.2, 0)


def test_the_hash_tells_of_every_plan(tmp_path: Path) -> None:
    before = read_plans(write_plans(tmp_path / "a.jsonl", [record(1)]))
    changed = {**record(1), "plans": {**record(1)["plans"], "coherence": in_form("how?")}}
    after = read_plans(write_plans(tmp_path / "b.jsonl", [changed]))

    assert sha256_of(before) != sha256_of(after)
    assert sha256_of(before) == sha256_of(read_plans(tmp_path / "a.jsonl"))


# One form


def test_free_text_takes_the_form_of_a_plan() -> None:
    assert normalised(FREE, most=4) == (
        "1. Investigator: answer from the paper: First, I would check how many patients were followed up, e.g. in "
        "Table 2?\n"
        "2. Investigator: answer from the paper: Is the control group described?\n"
        "3. Investigator: answer from the literature: Compare the results with previous studies of the drug?\n"
        "4. Reviewer: write the review."
    )


def test_points_in_running_text_are_questions_of_their_own() -> None:
    text = "I would follow these steps: 1. Identify the hypothesis of the study. 2. Ask for the data in Table 2."

    assert normalised(text, most=4) == (
        "1. Investigator: answer from the paper: Identify the hypothesis of the study?\n"
        "2. Investigator: answer from the paper: Ask for the data in Table 2?\n"
        "3. Reviewer: write the review."
    )


def test_no_more_questions_than_the_others_have() -> None:
    plan = normalised(FREE, most=2)

    assert is_structured(plan)
    assert plan.count("Investigator") == 2


@pytest.mark.parametrize(
    "plan",
    [
        in_form("How many patients, e.g. women, were there?", "Which dose was given?"),
        "1. Investigator: answer from the literature: Is aspirin known to help?\n2. Reviewer: write the review.",
        "1. Reviewer: write the review.",
    ],
)
def test_a_plan_of_the_planners_stays_as_it_is(plan: str) -> None:
    assert normalised(plan, most=6) == plan


def test_text_without_a_sentence_becomes_the_review_alone() -> None:
    assert normalised("# Plan\n\n---\n", most=3) == "1. Reviewer: write the review."


def test_the_normalised_plan_has_at_most_as_many_questions_as_the_optimal_one(tmp_path: Path) -> None:
    longer = {**record(1), "plans": {**record(1)["plans"], "structure": FREE}}
    (found,) = read_plans(write_plans(tmp_path / "plans.jsonl", [longer]))

    assert found.texts["structure"].startswith("## Review plan")
    assert found.texts["structure, normalised"].count("Investigator") == 1
