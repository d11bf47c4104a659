"""The reviewer's worked examples: real pairs, and which of them are shown."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest

from nodes.feedback.worked_examples import WORKED_EXAMPLES, WorkedExample, nearest_first, one_of_each_type
from state.feedback import Weakness
from state.settings import EmbeddingSettings
from tests.fake_endpoint import FakeEndpoint
from tests.support.review_room import PAPER, Room, prompts, review, run

PAGE = Path(__file__).parents[3] / "docs" / "worked_examples.md"
PAIRS = Path(__file__).parents[4] / "shared" / "data" / "paragraph_reviews.jsonl"
PAPERS = PAIRS.with_name("papers.jsonl")
TYPES = get_args(Weakness)
USUAL = WORKED_EXAMPLES[: len(TYPES)]
HERE = EmbeddingSettings()

every_example = pytest.mark.parametrize("example", WORKED_EXAMPLES, ids=lambda each: f"{each.report}-{each.quote[:12]}")


@cache
def lines(path: Path) -> list[dict[str, Any]]:
    """Of a JSON Lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def plain(text: str) -> str:
    """Letters alone: marks of references, spaces and the shapes of quotation marks are not the authors' words."""
    return re.sub(r"[\W\d_]+", "", text).casefold()


def parts(shortened: str) -> list[str]:
    """What stands between the ellipses."""
    return [plain(part) for part in shortened.split("…") if part.strip()]


def shown(prompt: str) -> list[WorkedExample]:
    """The examples that a prompt holds, in its order."""
    return sorted(
        (each for each in WORKED_EXAMPLES if each.review in prompt), key=lambda each: prompt.index(each.review)
    )


def test_the_first_of_the_file_are_one_of_each_type_and_there_are_at_most_fifty() -> None:
    assert [example.label for example in USUAL] == list(TYPES)
    assert len(WORKED_EXAMPLES) <= 50
    assert min(Counter(example.label for example in WORKED_EXAMPLES).values()) >= 2, "one may be of the paper itself"


@every_example
def test_a_quote_stands_in_its_paragraph_and_is_no_longer_than_the_rules_say(example: WorkedExample) -> None:
    assert example.quote in example.paragraph
    assert 3 <= len(example.quote.split()) <= 30


@every_example
def test_source_and_licence_are_named(example: WorkedExample) -> None:
    page = PAGE.read_text(encoding="utf-8")
    by = "the reviewer's" if example.suggestion_by == "reviewer" else "ours"
    row = f"| [{example.article}](https://doi.org/{example.doi}) | {example.report} | {by} |"
    assert f"| {example.label} {row}" in page
    assert example.licence == "CC BY 4.0"
    assert example.licence in page


@pytest.mark.skipif(not PAIRS.is_file(), reason="the data of paragraphs and reviews is not beside the checkout")
@every_example
def test_a_pair_is_of_the_training_split_and_no_other(example: WorkedExample) -> None:
    same = [pair for pair in lines(PAIRS) if all(part in plain(pair["paragraph"]) for part in parts(example.paragraph))]
    ours = [pair for pair in same if says(pair, example)]
    assert ours
    assert {(pair["source_dataset"], pair["split"]) for pair in same} == {("F1000RD", "train")}
    paper = next(paper for paper in lines(PAPERS) if paper["paper_id"] == ours[0]["paper_id"])
    assert paper["license"] == ours[0]["license"] == "http://creativecommons.org/licenses/by/4.0/"
    assert (paper["doi"], plain(paper["title"])) == (example.doi, plain(example.article))


def says(pair: dict[str, Any], example: WorkedExample) -> bool:
    """Whether a reviewer wrote the example's comment on this paragraph."""
    words = parts(example.review) + (parts(example.suggestion) if example.suggestion_by == "reviewer" else [])
    said = plain(" ".join(pair["review_context"]))
    return pair["review_id"] == f"report{example.report}" and all(part in said for part in words)


async def test_the_usual_five_are_shown_without_their_sources(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Room()
    await review(fake_endpoint, extensions="none")
    [prompt] = prompts(fake_endpoint, "Review")
    assert shown(prompt) == USUAL
    assert not any(word in prompt for word in ("doi.org", "CC BY", "- quote:", "- suggestion:"))


async def test_with_anchors_they_have_a_quote_and_a_suggestion(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Room()
    await review(fake_endpoint, extensions=["anchors"])
    [prompt] = prompts(fake_endpoint, "Review")
    assert [prompt.count(f'- quote: "{example.quote}"') for example in USUAL] == [1] * len(USUAL)
    assert prompt.count("- suggestion: ") == len(USUAL)


@pytest.mark.parametrize(
    ("paragraph", "doi"),
    [
        ("The server ran each query on our largest network in under ten seconds.", "10.12688/f1000research.9909.1"),
        (
            "Antibodies of the IgM class were found, so rickettsial disease was assumed.",
            "10.12688/f1000research.18129.1",
        ),
    ],
    ids=["running time", "one serological test"],
)
def test_an_example_on_the_same_matter_is_nearest(paragraph: str, doi: str) -> None:
    replicability, *_ = one_of_each_type(nearest_first(WORKED_EXAMPLES, paragraph, HERE))
    assert replicability.doi == doi


async def test_with_the_extension_the_nearest_of_each_type_are_shown(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Room()
    paragraph = "Even the largest network was finished in less than two minutes on our machine. It was the human one."
    found = (await run(fake_endpoint, PAPER.replace("## References", f"{paragraph}\n\n## References"), paragraph,
                       extensions=["nearest_examples"], embedding=HERE.model_dump()))["reviews"][0]  # fmt: skip
    [prompt] = prompts(fake_endpoint, "Review")
    assert shown(prompt) == one_of_each_type(nearest_first(WORKED_EXAMPLES, paragraph, HERE)) != USUAL
    assert [example.label for example in shown(prompt)] == list(TYPES)
    assert not any("worked examples" in note for note in found["notes"])


BY_TITLE = f"# {USUAL[0].article.upper()}\n\n## Methods\n\nNothing of it.\n"
BY_QUOTE = (
    f"# Another title\n\n## Methods\n\n{USUAL[0].paragraph.removesuffix('…').strip()}\n\n## Results\n\nNothing.\n"
)


@pytest.mark.parametrize("extensions", ["none", "nearest_examples"])
@pytest.mark.parametrize("paper", [BY_TITLE, BY_QUOTE], ids=["title", "quote"])
async def test_no_example_is_of_the_paper_under_review(
    fake_endpoint: FakeEndpoint, paper: str, extensions: str
) -> None:
    fake_endpoint.answer = Room()
    own, *rest = USUAL
    assert len([each for each in WORKED_EXAMPLES if each.doi == own.doi]) > 1, "so the quote of one is not enough"
    of_another = next(each for each in WORKED_EXAMPLES if each.doi == own.doi and each != own)
    # The paragraph is near that other example, so that it would be shown.
    await run(fake_endpoint, paper, of_another.paragraph[-300:], extensions=extensions, embedding=HERE.model_dump())
    [prompt] = prompts(fake_endpoint, "Review")
    assert own.doi not in {example.doi for example in shown(prompt)}
    assert [example.label for example in shown(prompt)] == list(TYPES), "another of its type stands in"
    if extensions == "none":
        assert shown(prompt)[1:] == rest


async def test_nor_of_the_paragraph_that_is_given_beside_another_paper(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Room()
    await run(fake_endpoint, PAPER, USUAL[0].paragraph, extensions="none")
    assert USUAL[0].doi not in {example.doi for example in shown(prompts(fake_endpoint, "Review")[0])}


async def test_a_dead_embedding_endpoint_costs_the_choice_and_not_the_comment(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Room()
    dead = {"model": "large", "base_url": "http://127.0.0.1:9/v1"}
    found = await review(fake_endpoint, extensions=["nearest_examples"], retrieval="bm25", embedding=dead)
    assert found["outcome"] == "comment"
    assert shown(prompts(fake_endpoint, "Review")[0]) == USUAL
    assert any("not those nearest to the paragraph" in note for note in found["notes"])
