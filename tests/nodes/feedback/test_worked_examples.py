"""The reviewer's worked examples: real pairs of a training split, and what counts as copied from them."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest

from nodes.feedback.agent import PROMPTS
from nodes.feedback.reviewer import repeats_example
from state.feedback import Weakness
from state.model_settings import Limits
from tools.models.prompts import load_prompt

PAIRS = Path(__file__).parents[4] / "shared" / "data" / "paragraph_reviews.jsonl"
PAPERS = PAIRS.with_name("papers.jsonl")
FORM = re.compile(
    r'Paragraph: "(?P<paragraph>[^"]+)"\n- reasoning: "(?P<reasoning>[^"]+)"\n'
    r'{% if anchors %}\n- quote: "(?P<quote>[^"]+)"\n{% endif %}\n'
    r'- label: `(?P<label>[^`]+)`\n- review: "(?P<review>[^"]+)"\n'
    r'{% if anchors %}\n- suggestion: "(?P<suggestion>[^"]+)"\n'
)
FILE = (PROMPTS / "_examples.md").read_text(encoding="utf-8")
EXAMPLES = [found.groupdict() for found in FORM.finditer(FILE)]
SUGGESTED_BY_REVIEWER = ["Originality", "Substance"]


@cache
def lines(path: Path) -> list[dict[str, Any]]:
    """Of a JSON Lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def plain(text: str) -> str:
    """Without spaces before punctuation and the numbers of references behind a bracket."""
    return re.sub(r"\s+", " ", re.sub(r"(?<=\)) \d+(?= )", "", text)).replace("( ", "(").replace(" )", ")")


def parts(shortened: str) -> list[str]:
    """What stands between the ellipses."""
    return [part.strip() for part in shortened.split("…") if part.strip()]


def test_there_is_one_of_each_type_in_the_order_of_the_types() -> None:
    assert [example["label"] for example in EXAMPLES] == list(get_args(Weakness))
    assert FILE.count("Paragraph:") == len(EXAMPLES)


@pytest.mark.parametrize("example", EXAMPLES, ids=[example["label"] for example in EXAMPLES])
def test_a_quote_stands_in_its_paragraph_and_is_as_long_as_the_rules_say(example: dict[str, str]) -> None:
    assert example["quote"] in example["paragraph"]
    assert 5 <= len(example["quote"].split()) <= 30


@pytest.mark.parametrize("example", EXAMPLES, ids=[example["label"] for example in EXAMPLES])
def test_an_example_is_recognised_in_a_comment(example: dict[str, str]) -> None:
    assert repeats_example(example["review"])
    assert repeats_example(example["suggestion"])
    assert not repeats_example(example["reasoning"])


def test_sources_and_licence_are_named_but_not_sent() -> None:
    comment = FILE[: FILE.index("#}")]
    assert comment.count("doi.org/") == len(EXAMPLES)
    assert "CC BY 4.0" in comment
    empty = dict.fromkeys(("evidence", "candidates", "anchors", "computed", "instructions"), "")
    variables = {"paragraph": "P.", "limits": Limits(), **empty}
    sent = load_prompt(PROMPTS / "write_review.md").render(variables)
    assert EXAMPLES[0]["review"] in sent
    assert "doi.org" not in sent
    assert EXAMPLES[0]["quote"] not in sent.replace(EXAMPLES[0]["paragraph"], "")
    with_anchors = load_prompt(PROMPTS / "write_review.md").render({**variables, "anchors": "yes"})
    assert with_anchors.count(EXAMPLES[0]["quote"]) == sent.count(EXAMPLES[0]["quote"]) + 1
    assert with_anchors.count("- suggestion: ") == len(EXAMPLES)
    assert "CC BY" not in sent


@pytest.mark.skipif(not PAIRS.is_file(), reason="the data of paragraphs and reviews is not beside the checkout")
@pytest.mark.parametrize("example", EXAMPLES, ids=[example["label"] for example in EXAMPLES])
def test_a_pair_is_of_the_training_split_and_no_other(example: dict[str, str]) -> None:
    pairs = lines(PAIRS)
    same = [pair for pair in pairs if all(part in plain(pair["paragraph"]) for part in parts(example["paragraph"]))]
    ours = [pair for pair in same if says(pair, example)]
    assert ours
    assert {(pair["source_dataset"], pair["split"]) for pair in same} == {("F1000RD", "train")}
    paper = next(paper for paper in lines(PAPERS) if paper["paper_id"] == ours[0]["paper_id"])
    assert paper["license"] == ours[0]["license"] == "http://creativecommons.org/licenses/by/4.0/"
    assert paper["doi"].removesuffix(".v1") in FILE
    assert ours[0]["review_id"].removeprefix("report") in FILE


def says(pair: dict[str, Any], example: dict[str, str]) -> bool:
    """Whether a reviewer wrote the example's comment on this paragraph."""
    words = parts(example["review"])
    if example["label"] in SUGGESTED_BY_REVIEWER:
        words += parts(example["suggestion"])
    return all(part in plain(" ".join(pair["review_context"])) for part in words)
