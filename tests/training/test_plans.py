"""The plans that are learnt from belong to a corpus, and no paper is on both sides of a split."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest

from state.errors import InputError
from tests.training.toy_plans import paragraph, toy_files, toy_paragraphs
from training.plan_reranker.plans import (
    FOUR_KINDS,
    PLANS_FILE,
    WrittenPlans,
    read_planned_paragraphs,
    read_written_plans,
    split_into_folds,
    split_paragraphs_by_paper,
    write_written_plans,
)

FORM = re.compile(
    r"(\d+\. Investigator: answer from the paper: .+\?\n)*(\d+\. Investigator: answer from the literature: .+\?\n)*"
    r"\d+\. Reviewer: write the review\."
)
LINES = [
    WrittenPlans(id=id_, type="Substance", elsewhere="c", plans=dict.fromkeys(FOUR_KINDS, f"Ask why {id_}."))
    for id_ in ("a", "b")
]


def test_a_paragraph_without_all_four_plans_is_left_out(tmp_path: Path) -> None:
    pairs, plans = toy_files(tmp_path)
    first, *others = read_written_plans(plans)
    write_written_plans(plans, [first.model_copy(update={"plans": {"optimal": "Ask why."}}), *others])
    known = [each.id for each in read_planned_paragraphs(pairs, plans)]
    assert sorted([first.id, *known]) == sorted(json.loads(line)["id"] for line in pairs.read_text().splitlines())


def test_a_file_of_plans_has_the_same_bytes_each_time_and_no_paragraph(tmp_path: Path) -> None:
    write_written_plans(tmp_path / "a.gz", LINES)
    write_written_plans(tmp_path / "b.gz", LINES[::-1])
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()
    assert read_written_plans(tmp_path / "a.gz") == LINES
    assert b"Ask why" in gzip.decompress((tmp_path / "a.gz").read_bytes())


@pytest.mark.parametrize(
    "content",
    [b"no gzip", gzip.compress(b"{}\n"), gzip.compress(b"{}\n" * 9)[:-9]],
    ids=["no gzip", "no plans", "cut off"],
)
def test_a_file_of_something_else_is_an_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "plans.jsonl.gz").write_bytes(content)
    with pytest.raises(InputError, match="is not a file of plans"):
        read_written_plans(tmp_path / "plans.jsonl.gz")


def test_all_but_the_unstructured_plans_that_ship_are_in_the_planners_form() -> None:
    lines = read_written_plans(PLANS_FILE)
    ids = {each.id for each in lines}
    assert len(ids) == len(lines) == 299
    for each in lines:
        assert each.plans.keys() == {*FOUR_KINDS, "specific", "sampled", "matched"}
        assert each.elsewhere in ids - {each.id}
        for kind, text in each.plans.items():
            assert (FORM.fullmatch(text) is None) == (kind == "unstructured")


# Splits


@pytest.mark.parametrize("seed", range(5))
def test_validation_is_of_other_papers(seed: int) -> None:
    paragraphs = [paragraph(number, paper=f"paper {number % 7}") for number in range(40)]

    split = split_paragraphs_by_paper(paragraphs, 0.2, seed)

    papers = [{each.paper_id for each in part} for part in split]
    assert papers[0].isdisjoint(papers[1])
    assert sorted(each.id for part in split for each in part) == sorted(each.id for each in paragraphs)
    assert 8 <= len(split.dev) < 8 + 6
    assert papers[1] == {each.paper_id for each in split_paragraphs_by_paper(paragraphs[::-1], 0.2, seed).dev}


def test_a_paper_stays_in_its_fold_when_others_come() -> None:
    some, every = split_into_folds(toy_paragraphs()[:20]), split_into_folds(toy_paragraphs())
    for name, split in some.items():
        assert {each.id for each in split.dev} <= {each.id for each in every[name].dev}
