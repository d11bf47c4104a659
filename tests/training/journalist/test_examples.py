"""What is trained is what a run asks: the same prompt, and an answer in the form that the journalist must give."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from transformers import PreTrainedTokenizerFast

from graphs.science_journalism import graph
from nodes.journalism.journalist import Article
from state.errors import SettingsError
from tests.fake_endpoint import FakeEndpoint
from tests.training.tiny_journalist import configured, make_tokenizer, pair
from training.journalist.pairs import SummaryPair
from training.journalist.train import build_draft_prompt, build_example, build_examples

CONFIG = configured("model", max_words=120, audience="teenager")
SENTENCE = "This sentence has a length that a sentence of a digest may well have, and it says as much about it, {}."


@pytest.fixture(scope="module")
def tokenizer() -> PreTrainedTokenizerFast:
    return make_tokenizer()


def given(**fields: Any) -> SummaryPair:
    return SummaryPair(**pair(7) | fields)


def long_summary(count: int) -> str:
    return " ".join(SENTENCE.format(number) for number in range(count))


async def test_the_prompt_is_the_one_that_a_run_sends(fake_endpoint: FakeEndpoint) -> None:
    default = {"base_url": fake_endpoint.base_url, "model": "large"}
    choices = {"models": {"default": default}, "variant": "single", "max_words": 120, "audience": "teenager"}
    await graph.ainvoke({"paper": given().abstract}, context=choices)
    (request,) = fake_endpoint.chat_requests
    assert request.text == await asyncio.to_thread(build_draft_prompt, given(), CONFIG)


def test_the_loss_is_on_the_summary_and_the_end_of_the_text(tokenizer: PreTrainedTokenizerFast) -> None:
    example = build_example(given(), tokenizer, CONFIG)
    assert example
    learnt = [token for token in example["labels"] if token != -100]
    assert tokenizer.decode(learnt) == f"{given().summary}<|im_end|>"
    assert example["labels"][-len(learnt) :] == example["input_ids"][-len(learnt) :] == learnt


@pytest.mark.parametrize(
    ("title", "headline"),
    [
        ("Moss", "Moss"),
        ("On " + "moss " * 40, "On" + " moss" * 23),
        (None, "We quantified bryophyte elongation in 7 gardens. Irrigation augmented elongation by half."),
    ],
)
def test_the_rest_is_the_conversation_of_a_run(
    tokenizer: PreTrainedTokenizerFast, title: str | None, headline: str
) -> None:
    example = build_example(given(title=title, summary="Moss grows.\nIt likes rain."), tokenizer, CONFIG)
    assert example
    prompt = str(
        tokenizer.apply_chat_template(
            [{"role": "user", "content": build_draft_prompt(given(), CONFIG)}],
            add_generation_prompt=True,
            tokenize=False,
        )
    )
    answer = tokenizer.decode(example["input_ids"]).removeprefix(prompt).removesuffix("<|im_end|>")
    assert Article.from_markdown(answer).text == f"# {headline}\n\nMoss grows.\n\nIt likes rain.\n"
    assert tokenizer(prompt, add_special_tokens=False)["input_ids"] == example["input_ids"][: len(tokenizer(prompt)[0])]


def test_a_summary_that_makes_no_article_is_left_out(tokenizer: PreTrainedTokenizerFast) -> None:
    wordless = given(summary="1. 2. 3.")
    assert build_example(wordless, tokenizer, CONFIG) is None
    assert len(build_examples([given(), wordless], tokenizer, CONFIG)) == 1


def test_a_pair_that_is_too_long_is_left_out_and_not_cut(tokenizer: PreTrainedTokenizerFast) -> None:
    short = build_example(given(), tokenizer, CONFIG)
    assert short
    config = CONFIG.model_copy(update={"max_tokens": len(short["input_ids"])})
    assert build_examples([given(), given(summary=long_summary(8))], tokenizer, config) == [short]
    with pytest.raises(SettingsError, match="None of the 1 pairs fits into"):
        build_examples([given()], tokenizer, config.model_copy(update={"max_tokens": config.max_tokens - 1}))


def test_a_model_that_does_not_chat_is_refused() -> None:
    tokenizer = make_tokenizer()
    tokenizer.chat_template = None
    with pytest.raises(SettingsError, match="no chat template"):
        build_examples([given()], tokenizer, CONFIG)


def test_an_embedded_model_must_have_been_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRAFTROOM_HOME", str(tmp_path))
    config = configured("embedded:tiny")
    with pytest.raises(SettingsError, match="run `draftroom models up --profile embedded` once"):
        _ = config.source
    (tmp_path / "cache" / "models" / "tiny").mkdir(parents=True)
    assert config.source == tmp_path / "cache" / "models" / "tiny"
    assert configured("someone/model").source == "someone/model"
