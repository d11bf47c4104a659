"""Training plans are written by a model at an endpoint, each until it is what it should be, and never twice."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from runs.many import read_records
from state.model_settings import ModelSettings
from tests.fake_endpoint import FakeEndpoint, Json, RecordedRequest, Reply, Status
from tests.support.processes import preload, run_module
from tools.models import close_clients
from training.plan_reranker.plans import read_written
from training.plan_reranker.writing import GENERIC_COMMENTS, Assignment, assignment_of, write_plan

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
    }
    for paper, (subject, missing) in SUBJECTS.items()
]
PAIRS.append({**PAIRS[0], "id": "praised", "feedback": None})


class Writer:
    """A planner that asks about the comment it is given; some of its first answers are of no use."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, request: RecordedRequest) -> Reply:
        return Json(self.written(request))

    def written(self, request: RecordedRequest) -> dict[str, Any]:
        kind = purpose_of(request)
        wanted = int(request.text.split("up to ")[1].split(" questions")[0])
        subject, missing = next(words for words in SUBJECTS.values() if f"with {words[0]}" in request.text)
        if kind != "optimal":
            return plan([f"Which details of the {kind} trays would others need {number}?" for number in range(wanted)])
        self.asked.append(subject)
        if subject == "compost" and self.asked.count(subject) == 1:
            return plan(["Which trays were used?"] * wanted)  # asks about nothing in the review
        return plan([f"What {missing} did the {subject} have {number}?" for number in range(wanted)])


def purpose_of(request: RecordedRequest) -> str:
    if any(comment in request.text for comment in GENERIC_COMMENTS):
        return "generic"
    return "optimal" if "# The comment" in request.text else "sampled"


def plan(questions: list[str]) -> dict[str, Any]:
    return {"reasoning": "", "steps": [{"action": "ask_paper", "question": question} for question in questions]}


async def generate(folder: Path, endpoint: FakeEndpoint, *more: object) -> tuple[int, str]:
    """Generate as a person does; the exit code and what was told."""
    (folder / "pairs.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in PAIRS), encoding="utf-8")
    settings = {
        "MODELS__DEFAULT__BASE_URL": endpoint.base_url,
        "MODELS__DEFAULT__MODEL": "large",
        "MODELS__DEFAULT__RETRY_WAIT_S": "0",
        "HOME": str(folder / "home"),
    }
    done = await asyncio.to_thread(
        run_module,
        *("training.plan_reranker.generate", folder / "pairs.jsonl"),
        *("--log", folder / "log.jsonl", "--plans", folder / "plans.jsonl.gz"),
        *map(str, more),
        **{f"DRAFTROOM_{name}": value for name, value in settings.items()},
    )
    return done.returncode, done.stdout + done.stderr


def plans_in(folder: Path) -> dict[tuple[str, str], str]:
    return {line.key: line.plan for line in read_written(folder / "plans.jsonl.gz")}


async def test_every_paragraph_with_feedback_gets_its_plans(tmp_path: Path, fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Writer()
    code, told = await generate(tmp_path, fake_endpoint)
    assert code == 0, told
    assert "2 paragraphs; plans: 2 optimal, 2 generic, 2 sampled" in told
    plans = await asyncio.to_thread(plans_in, tmp_path)
    assert "concentration" in plans["on-cress", "optimal"]
    assert "temperature" in plans["on-radish", "optimal"]
    assert "vinegar" not in plans["on-cress", "generic"]
    assert plans["on-cress", "optimal"].endswith("Reviewer: write the review.")
    log = await asyncio.to_thread(read_records, tmp_path / "log.jsonl")
    assert [each["flaw"] for line in log for each in line["attempts"] if each["flaw"]] == [
        "asks about nothing in the review"
    ]


async def test_a_second_call_writes_only_what_is_missing(tmp_path: Path, fake_endpoint: FakeEndpoint) -> None:
    writer = Writer()
    fake_endpoint.answer = lambda request: Status(400, "no") if purpose_of(request) == "generic" else writer(request)
    code, told = await generate(tmp_path, fake_endpoint)
    assert code == 0, told
    assert "plans: 2 optimal, 0 generic, 2 sampled" in told
    fake_endpoint.answer = writer
    before = len(fake_endpoint.chat_requests)
    code, told = await generate(tmp_path, fake_endpoint)
    assert "plans: 2 optimal, 2 generic, 2 sampled" in told
    assert {purpose_of(request) for request in fake_endpoint.chat_requests[before:]} == {"generic"}


async def test_it_goes_on_from_the_file_alone_with_as_many_plans_as_are_asked_for(
    tmp_path: Path, fake_endpoint: FakeEndpoint
) -> None:
    fake_endpoint.answer = Writer()
    await generate(tmp_path, fake_endpoint, "--most", 1)
    (tmp_path / "log.jsonl").unlink()
    before = len(fake_endpoint.chat_requests)
    code, told = await generate(tmp_path, fake_endpoint, "--most", 1)
    assert code == 0, told
    assert len(await asyncio.to_thread(plans_in, tmp_path)) == 2
    asked = fake_endpoint.chat_requests
    assert asked[before].text != asked[0].text
    await generate(tmp_path, fake_endpoint, "--most", 0)
    assert len(fake_endpoint.chat_requests) == len(asked)


def test_all_plans_of_a_paragraph_ask_alike() -> None:
    model: Any = None
    every: Any = ("optimal", "generic", "sampled")
    forms = {
        tuple(assignment_of(PAIRS[0], each, model)[name] for name in ("questions", "literature")) for each in every
    }
    assert len(forms) == 1


def test_plans_have_up_to_six_questions_with_and_without_literature() -> None:
    model: Any = None
    made = [assignment_of({**PAIRS[0], "id": str(number)}, "optimal", model) for number in range(60)]
    assert {each["questions"] for each in made} == {2, 3, 4, 5, 6}
    assert {each["literature"] for each in made} == {True, False}


async def test_without_literature_none_can_be_asked(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = lambda _: Json(plan(["How was the cress grown?", "Which trays were used?"]))
    model = ModelSettings(base_url=fake_endpoint.base_url, model="large", retry_wait_s=0)
    for literature in (True, False):
        subject = Assignment(paragraph="Cress.", comment="", questions=2, literature=literature, model=model)
        await write_plan.ainvoke(subject)
    await close_clients()
    with_it, without = (request.text for request in fake_endpoint.chat_requests)
    assert "`ask_literature`" in with_it
    assert "`ask_literature`" not in without
