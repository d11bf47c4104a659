"""Of what a model wrote, code makes plans that lack something, and no paper is on both sides of a split."""

from __future__ import annotations

import gzip
import random
from pathlib import Path
from typing import Any

import pytest

from state.errors import BadInput
from tests.training.toy_plans import in_form, paragraph, toy_paragraphs
from tools.checks.fidelity import stems
from training.plan_reranker.generate import flaw
from training.plan_reranker.plans import (
    PLANS,
    AskedQuestion,
    WrittenLine,
    cut_off,
    folds_of,
    numbered,
    out_of_order,
    pertinence,
    planned,
    questions_of,
    read_written,
    split_by_paper,
    without_words,
    write_written,
)
from training.plan_reranker.writing import Written

PAPER = AskedQuestion("paper", "How long was it dried?")
LITERATURE = AskedQuestion("literature", "Which ovens are usual?")
PLAN = numbered([PAPER, LITERATURE])


def line(id_: str, written: str, plan: str) -> WrittenLine:
    return WrittenLine.model_validate({"id": id_, "written": written, "literature": True, "model": "m", "plan": plan})


PAIRS: list[dict[str, Any]] = [
    {"id": id_, "paper_id": paper, "paragraph": "Barley was dried in an oven.", "feedback": "How long was it dried?"}
    for id_, paper in (("a", "one"), ("b", "one"), ("c", "two"))
]
OPTIMAL = {
    "a": PLAN,
    "b": in_form("How hot was the oven?", "Who built the oven?"),
    "c": in_form("How many nurses filled in the form?"),
}
WRITTEN = [line(id_, "optimal", plan) for id_, plan in OPTIMAL.items()]


def plans_of(*more: WrittenLine) -> dict[str, str]:
    return {str(kind): text for kind, text in planned(PAIRS, [*WRITTEN, *more])[0].texts.items()}


def test_other_plans_are_of_the_same_paper_and_of_another() -> None:
    texts = plans_of()
    assert next(iter(texts)) == "optimal"
    assert (texts["same paper"], texts["another paper"]) == (OPTIMAL["b"], OPTIMAL["c"])
    mixed = {*questions_of(texts["half elsewhere"])}
    assert len(mixed & {*questions_of(PLAN)}) == len(mixed & {*questions_of(OPTIMAL["b"])}) == 1


def test_a_plan_that_asks_as_much_of_the_review_as_the_optimal_one_does_not_lack_specificity() -> None:
    texts = plans_of(line("a", "generic", OPTIMAL["b"]), line("a", "sampled", in_form("How long was it dried?")))
    assert texts["generic"] == OPTIMAL["b"]
    assert "sampled" not in texts


def test_a_paragraph_without_an_optimal_plan_or_feedback_is_left_out() -> None:
    silent = {**PAIRS[0], "id": "d", "feedback": None}
    found = planned([*PAIRS, silent], [*WRITTEN[:2], line("c", "generic", PLAN), line("d", "optimal", PLAN)])
    assert [each.id for each in found] == ["a", "b"]


def test_plans_of_another_corpus_are_an_error() -> None:
    with pytest.raises(BadInput, match="None of the 3 pairs has a plan"):
        planned(PAIRS, [line("z", "optimal", PLAN)])


def test_what_is_asked_of_this_paper_is_hidden() -> None:
    asked = AskedQuestion("paper", "How many of the tired nurses answered the long questionnaire?")
    hidden = without_words(asked, stems("Tired nurses answered questionnaires."))
    assert hidden == AskedQuestion("paper", "How many of this the long this?")


def test_out_of_order_is_the_literature_first_or_the_review_early() -> None:
    chance = random.Random(0)
    assert out_of_order([PAPER, LITERATURE], chance) == numbered([LITERATURE, PAPER])
    early = out_of_order([PAPER, PAPER], chance).splitlines()
    assert len(early) == 3
    assert "Reviewer" not in early[-1]


def test_a_plan_that_is_cut_off_ends_in_a_question() -> None:
    assert cut_off(PLAN).splitlines()[-1] == "2. Investigator: answer from the literature: Which"


# Files


def test_a_file_of_plans_has_the_same_bytes_each_time_and_no_paragraph(tmp_path: Path) -> None:
    write_written(tmp_path / "a.gz", WRITTEN)
    write_written(tmp_path / "b.gz", WRITTEN[::-1])
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()
    assert read_written(tmp_path / "a.gz") == WRITTEN
    assert b"Barley was" not in gzip.decompress((tmp_path / "a.gz").read_bytes())


@pytest.mark.parametrize(
    "content",
    [b"no gzip", gzip.compress(b"{}\n"), gzip.compress(b"{}\n" * 9)[:-9]],
    ids=["no gzip", "no plans", "cut off"],
)
def test_a_file_of_something_else_is_an_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "plans.jsonl.gz").write_bytes(content)
    with pytest.raises(BadInput, match="is no file of plans"):
        read_written(tmp_path / "plans.jsonl.gz")


@pytest.mark.parametrize("plans", sorted(PLANS.parent.glob("*.jsonl.gz")), ids=lambda path: path.name)
def test_the_plans_that_ship_are_small_and_in_the_planners_form(plans: Path) -> None:
    lines = read_written(plans)
    assert plans.stat().st_size < 2e6
    assert len({each.key for each in lines}) == len(lines) > 0
    assert all(numbered(questions_of(each.plan)) == each.plan for each in lines)


# Splits


@pytest.mark.parametrize("seed", range(5))
def test_validation_is_of_other_papers(seed: int) -> None:
    paragraphs = [paragraph(number, paper=f"paper {number % 7}") for number in range(40)]

    split = split_by_paper(paragraphs, 0.2, seed)

    papers = [{each.paper_id for each in part} for part in split]
    assert papers[0].isdisjoint(papers[1])
    assert sorted(each.id for part in split for each in part) == sorted(each.id for each in paragraphs)
    assert 8 <= len(split.validation) < 8 + 6
    assert papers[1] == {each.paper_id for each in split_by_paper(paragraphs[::-1], 0.2, seed).validation}


def test_each_paper_is_left_out_once_and_never_learnt_from_then() -> None:
    paragraphs = toy_paragraphs()
    folds = folds_of(paragraphs)
    left_out = [each.id for split in folds.values() for each in split.validation]
    assert sorted(left_out) == sorted(each.id for each in paragraphs)
    for split in folds.values():
        assert {each.paper_id for each in split.train}.isdisjoint(each.paper_id for each in split.validation)
        assert len(split.train) + len(split.validation) == len(paragraphs)


def test_a_paper_stays_in_its_fold_when_others_come() -> None:
    some, every = folds_of(toy_paragraphs()[:20]), folds_of(toy_paragraphs())
    for name, split in some.items():
        assert {each.id for each in split.validation} <= {each.id for each in every[name].validation}


# Whether a plan is used

PARAGRAPH = "Seedlings were watered with diluted vinegar, and their stems were measured weekly."
REVIEW = "The concentration of the vinegar should be stated."

BEST = in_form("What concentration did the diluted vinegar have?")
GENERIC = in_form("Which details of the seedlings are missing?")


def flaw_of(plan: str, written: Written) -> str | None:
    return flaw(plan, written, paragraph=PARAGRAPH, review=REVIEW)


def test_plans_that_are_what_they_should_be_are_used() -> None:
    assert flaw_of(BEST, "optimal") is None
    assert flaw_of(GENERIC, "generic") is None
    assert flaw_of(GENERIC, "sampled") is None


def test_an_optimal_plan_asks_about_the_review() -> None:
    assert flaw_of(GENERIC, "optimal") == "asks about nothing in the review"


@pytest.mark.parametrize("written", ["optimal", "generic", "sampled"])
def test_every_plan_asks_about_the_paragraph(written: Written) -> None:
    plan = in_form("How many teachers answered the questionnaire?")
    assert flaw_of(plan, written) == "asks about nothing in the paragraph"


def test_the_form_of_a_plan_says_nothing_about_the_review() -> None:
    assert pertinence(BEST, REVIEW) == pytest.approx(2 / 3)
    assert pertinence(BEST, "An investigator, a paper and a reviewer write literature.") == 0
    assert pertinence("", REVIEW) == 0
