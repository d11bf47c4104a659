"""Training plans are written by a model at an endpoint, each from a prompt and a comment, and never twice."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from runs.jobs import read_json_lines
from state.errors import InputError
from state.model_settings import ModelSettings
from tests.fake_endpoint import FakeEndpoint, RecordedRequest, Reply, Status, Text
from tools.models.endpoint import close_clients
from tools.models.prompts import load_prompt
from training.plan_reranker.generate import (
    GENERIC_COMMENTS,
    choose_other_pairs,
    generate_plans,
    select_comment,
    select_prompt,
)
from training.plan_reranker.plans import FOUR_KINDS, compute_fold, read_written_plans

PAPERS = [name for name in map(str, range(60)) if compute_fold(name) == 0][:2]
PAIRS: list[dict[str, Any]] = [
    {
        "id": f"on-{paper}",
        "paper_id": paper,
        "paragraph": f"The cress of paper {paper} was grown in six trays.",
        "feedback": f"The size of the trays in paper {paper} is not stated.",
        "aspect": "Replicability",
    }
    for paper in PAPERS
]
IGNORED = [{**PAIRS[0], "id": "praised", "feedback": None}, {**PAIRS[0], "id": "unclear", "aspect": "Clarity"}]


def write(request: RecordedRequest) -> Reply:
    if "at most 120 words" in request.text:
        return Text("I would look for the size of the trays, and for what is usual.")
    step = "Investigator: answer from the paper: Which trays were used?"
    return Text(f"1. {step}\n\n3. Reviewer: write the review.\n")


async def plans_of(folder: Path, endpoint: FakeEndpoint, most: int | None = None) -> tuple[int, str]:
    """How many requests it took, and what was told."""
    before = len(endpoint.chat_requests)
    model = ModelSettings(base_url=endpoint.base_url, model="large", retry_wait_s=0)
    told = await generate_plans([*PAIRS, *IGNORED], folder / "log.jsonl", folder / "plans.gz", model, most)
    await close_clients()
    return len(endpoint.chat_requests) - before, told


async def test_each_paragraph_gets_its_four_plans_from_two_prompts(tmp_path: Path, fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = write

    _, told = await plans_of(tmp_path, fake_endpoint)

    assert "2 of 2 paragraphs have their four plans" in told
    records = await asyncio.to_thread(read_written_plans, tmp_path / "plans.gz")
    by_id = {pair["id"]: pair for pair in PAIRS}
    prompts = set()
    for record in records:
        assert record.plans["optimal"].endswith("\n2. Reviewer: write the review.")  # numbered anew
        assert record.plans["unstructured"].startswith("I would look")
        pair, elsewhere = by_id[record.id], by_id[record.elsewhere]
        assert elsewhere["paper_id"] != pair["paper_id"]
        for kind in FOUR_KINDS:  # what is kept makes each prompt again
            variables = {"paragraph": pair["paragraph"], "comment": select_comment(kind, pair, elsewhere)}
            prompt = await asyncio.to_thread(load_prompt, select_prompt(kind))
            prompts.add(prompt.render(variables).strip())
    assert prompts == {request.text.strip() for request in fake_endpoint.chat_requests}
    assert sum(GENERIC_COMMENTS["Replicability"] in prompt for prompt in prompts) == len(PAIRS)


async def test_a_second_call_writes_only_what_is_missing(tmp_path: Path, fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = lambda request: (
        Status(400, "no") if GENERIC_COMMENTS["Replicability"] in request.text else write(request)
    )
    assert "0 of 2" in (await plans_of(tmp_path, fake_endpoint))[1]
    fake_endpoint.answer = write
    requests, told = await plans_of(tmp_path, fake_endpoint)
    assert (requests, "2 of 2" in told) == (2, True)


async def test_kinds_are_mixed_and_as_many_are_written_as_are_asked_for(
    tmp_path: Path, fake_endpoint: FakeEndpoint
) -> None:
    fake_endpoint.answer = write
    assert (await plans_of(tmp_path, fake_endpoint, 3))[0] == 3
    log = await asyncio.to_thread(read_json_lines, tmp_path / "log.jsonl")
    assert len({line["kind"] for line in log}) > 1
    assert len({line["id"] for line in log}) > 1


def test_one_paper_alone_has_no_other_s_comment() -> None:
    with pytest.raises(InputError, match="too few papers"):
        choose_other_pairs(PAIRS[:1])
