"""Training plans are written by a model at an endpoint, each until it is what it should be, and never twice."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from runs.many import read_records
from state.errors import BadInput
from state.model_settings import ModelSettings
from tests.fake_endpoint import FakeEndpoint, Json, RecordedRequest, Reply, Status
from tests.support.processes import preload, run_module
from tools.models import close_clients
from training.plan_reranker.writing import GENERIC_COMMENTS, Assignment, assignment_of, in_scope, write_plan

preload("training.plan_reranker.generate")


ROOT = Path(__file__).parents[2]

SUBJECTS = {"cress": ("vinegar", "concentration"), "radish": ("compost", "temperature")}
PAIRS: list[dict[str, Any]] = [
    {
        "id": f"on-{paper}",
        "paper_id": paper,
        "section": "Methods",
        "split": "train",
        "paragraph": f"The {paper} was grown with {subject} in six trays.",
        "feedback": f"The {missing} of the {subject} is not stated.",
        "aspect": "Replicability",
    }
    for paper, (subject, missing) in SUBJECTS.items()
]


class Writer:
    """A planner that asks about the comment it is given; some of its first answers are of no use."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, request: RecordedRequest) -> Reply:
        return Json(self.written(request))

    def written(self, request: RecordedRequest) -> dict[str, Any]:
        if request.schema_name == "FreePlan":
            looks = "".join(
                f"I would look up how the {part} of the plants were grown, and by whom, and for how long. "
                for part in ("roots", "stems", "leaves", "flowers")
            )
            return {"plan": f"{looks}Then I would say what is missing."}
        comment = self.comment(request)
        self.asked.append(comment)
        wanted = int(request.text.split("up to ")[1].split(" questions")[0])
        if "compost" in comment and self.asked.count(comment) == 1:
            return plan(["Which trays were used?"] * wanted)  # breaks a golden rule
        if comment in GENERIC_COMMENTS.values():
            return plan([f"Which details of the trays would others need {number}?" for number in range(wanted)])
        subject, missing = next(words for words in SUBJECTS.values() if words[0] in comment)
        return plan([f"What {missing} did the {subject} have {number}?" for number in range(wanted)])

    def comment(self, request: RecordedRequest) -> str:
        known = [*GENERIC_COMMENTS.values(), *(str(pair["feedback"]) for pair in PAIRS)]
        return next(comment for comment in known if comment in request.text)


def plan(questions: list[str]) -> dict[str, Any]:
    return {"steps": [{"about": "it", "action": "ask_paper", "question": question} for question in questions]}


async def generate(folder: Path, endpoint: FakeEndpoint, pairs: list[dict[str, Any]] = PAIRS) -> tuple[int, str]:
    """Generate as a person does; the exit code and what was told."""
    (folder / "pairs.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in pairs), encoding="utf-8")
    settings = {
        "MODELS__DEFAULT__BASE_URL": endpoint.base_url,
        "MODELS__DEFAULT__MODEL": "large",
        "MODELS__DEFAULT__RETRY_WAIT_S": "0",
        "HOME": str(folder / "home"),
    }
    done = await asyncio.to_thread(
        run_module,
        *("training.plan_reranker.generate", folder / "pairs.jsonl"),
        *("--log", folder / "log.jsonl", "--out", folder / "plans.jsonl"),
        **{f"DRAFTROOM_{name}": value for name, value in settings.items()},
    )
    return done.returncode, done.stdout + done.stderr


async def test_every_paragraph_gets_its_four_plans(tmp_path: Path, fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Writer()
    code, told = await generate(tmp_path, fake_endpoint)
    assert code == 0, told
    assert "2 of 2 paragraphs have all plans" in told
    plans = {
        record["paper_id"]: record["plans"]
        for record in await asyncio.to_thread(read_records, tmp_path / "plans.jsonl")
    }
    assert "concentration" in plans["cress"]["optimal"]
    assert "compost" in plans["cress"]["coherence"]
    assert "Investigator" not in plans["cress"]["structure"]
    assert "vinegar" not in plans["cress"]["specificity"]
    assert plans["cress"]["optimal"].endswith("Reviewer: write the review.")
    log = {
        (line["id"], line["criterion"]): line for line in await asyncio.to_thread(read_records, tmp_path / "log.jsonl")
    }
    assert len(log) == 8
    assert any(attempt["flaw"] for line in log.values() for attempt in line["attempts"])


@pytest.mark.parametrize("plan", ["Ask which trays were used.", "I would look at the roots of the plants. " * 40])
async def test_a_free_plan_is_as_long_as_its_writer_wants(plan: str, fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = lambda _: Json({"plan": plan})
    model = ModelSettings(base_url=fake_endpoint.base_url, model="large", retry_wait_s=0)
    subject = {"paragraph": "The cress was grown in trays.", "comment": "Which trays?"}
    written = await write_plan.ainvoke(Assignment(**subject, questions=3, structured=False, model=model))  # type: ignore[typeddict-item]
    await close_clients()
    assert written["plan"] == plan.strip()
    assert "in 4 short sentences, at most 150 words in all" in fake_endpoint.chat_requests[0].text


async def test_an_optimal_plan_that_keeps_breaking_a_rule_is_taken_as_mended(
    tmp_path: Path, fake_endpoint: FakeEndpoint
) -> None:
    writer = Writer()

    def asks_twice_as_much(request: RecordedRequest) -> Reply:
        answer = writer.written(request)
        asked = [f"{step['question']} And when?" for step in answer.get("steps", [])]
        return Json(plan(asked) if asked else answer)

    fake_endpoint.answer = asks_twice_as_much
    code, told = await generate(tmp_path, fake_endpoint)
    assert code == 0, told
    assert "2 of 2 paragraphs have all plans" in told
    log = await asyncio.to_thread(read_records, tmp_path / "log.jsonl")
    optimal = [line for line in log if line["criterion"] == "optimal"]
    assert [len(line["attempts"]) for line in optimal] == [3, 3]
    assert not any("And when" in line["plan"] for line in optimal)


async def test_a_second_call_writes_only_what_is_missing(tmp_path: Path, fake_endpoint: FakeEndpoint) -> None:
    writer = Writer()
    fake_endpoint.answer = lambda request: Status(400, "no") if "generic" in purpose_of(request) else writer(request)
    code, told = await generate(tmp_path, fake_endpoint)
    assert code == 0, told
    assert "0 of 2 paragraphs have all plans" in told
    fake_endpoint.answer = writer
    before = len(fake_endpoint.chat_requests)
    code, told = await generate(tmp_path, fake_endpoint)
    assert "2 of 2 paragraphs have all plans" in told
    asked = fake_endpoint.chat_requests[before:]
    assert {purpose_of(request) for request in asked} == {"generic"}


def purpose_of(request: RecordedRequest) -> str:
    return "generic" if any(comment in request.text for comment in GENERIC_COMMENTS.values()) else "other"


async def test_pairs_without_an_aspect_must_be_labelled_first(tmp_path: Path, fake_endpoint: FakeEndpoint) -> None:
    untyped = [{**pair, "aspect": None} for pair in PAIRS]
    code, told = await generate(tmp_path, fake_endpoint, untyped)
    assert code == 1
    assert (
        "2 pairs have no aspect, on-cress for one; python -m training.review_filters.label_aspects labels them." in told
    )
    assert "Traceback" not in told
    assert fake_endpoint.chat_requests == []


def test_pairs_about_other_things_are_left_out() -> None:
    pairs = [PAIRS[0], {**PAIRS[1], "aspect": "Clarity"}, {**PAIRS[1], "feedback": "", "aspect": None}]
    assert in_scope(pairs) == [PAIRS[0]]


def test_a_comment_on_another_paragraph_is_of_another_paper_and_the_same_split() -> None:
    sibling, dev = {**PAIRS[0], "id": "sibling"}, {**PAIRS[1], "id": "dev", "split": "dev"}
    pairs = [PAIRS[0], sibling, PAIRS[1], dev]
    model: Any = None
    assert assignment_of(PAIRS[0], "coherence", pairs, model)["comment"] == PAIRS[1]["feedback"]
    with pytest.raises(BadInput, match="all of one paper"):
        assignment_of(dev, "coherence", pairs, model)


def test_all_plans_of_a_paragraph_ask_equally_many_questions() -> None:
    model: Any = None
    criteria: Any = ("optimal", "coherence", "specificity")
    numbers = {assignment_of(PAIRS[0], each, PAIRS, model)["questions"] for each in criteria}
    assert len(numbers) == 1
