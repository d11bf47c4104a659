"""Whatever an answer is held to is said in the prompt that asks for it: the endpoint sees both, and compares them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from state.model_settings import Limits
from tests.fake_endpoint import FakeEndpoint, RecordedRequest
from tests.graphs.test_number_check import PAPER, check
from tests.support import newsroom, review_room, society
from tests.support.steps import step_of
from tools.models.client import CHARACTERS_PER_WORD

LIMITS = {
    **dict(zip(("paragraphs", "terms", "advice", "improvements", "rewrites"), (31, 37, 33, 39, 41), strict=True)),
    **dict(zip(("questions", "wordings", "redundancies", "comments", "weaknesses"), (29, 43, 34, 38, 19), strict=True)),
    **dict(zip(("title_words", "paragraph_words", "quote_words", "note_words"), (53, 131, 137, 139), strict=True)),
    **dict(zip(("records", "numbers", "suspicions", "summary_words"), (59, 36, 16, 71), strict=True)),
    **dict(zip(("advice_words", "answer_words", "review_words"), (149, 151, 157), strict=True)),
}
"""Numbers that no prompt and no text here has for another reason."""

QUESTIONS = 23
"""Most questions of a plan, which is a setting."""
IN_OTHER_WORDS = {
    ("Answers", "answers"): "Answer each of them.",
    ("Answers", "about"): "in as few words as possible",
    ("WordingVerdicts", "verdicts"): "For each suggestion",
    ("RemovalVerdicts", "verdicts"): "For each part",
    ("Redundancies", "quote"): "at most five words",
    ("ProposedPlan", "steps"): f"up to {QUESTIONS} questions to the investigator, and the review",
    ("WaveDecision", "decisions"): "one for each remaining question",
    ("NumbersRead", "name"): "in a few words",
    ("NumbersRead", "number"): "each as the passage prints it",
    ("NumbersRead", "remarks"): "only those of the kind",
}
"""Lists with an entry for each of those that the prompt shows, and texts for which it asks for less than the limit."""

PROSE = {
    "write_draft": ["title_words"],
    "take_notes": ["terms"],
    "advise": ["advice"],
    "revise_draft": ["improvements", "title_words"],
}
"""What prose is held to, by step: no schema says it."""

with_and_without_extensions = pytest.mark.parametrize("extensions", ["none", "all"])


def said(request: RecordedRequest) -> Iterator[tuple[str, int]]:
    """Each part of the schema with a limit, and that number of items or words."""

    def walk(part: Any, name: str) -> Iterator[tuple[str, int]]:
        for key, value in part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ():
            if key == "maxItems":
                yield name, value
            elif key == "maxLength":
                yield name, value // CHARACTERS_PER_WORD
            else:
                yield from walk(value, name if key in {"items", "properties"} else str(key))

    yield from walk(request.schema, str(request.schema_name))


def unsaid(endpoint: FakeEndpoint) -> set[str]:
    """The limits that were in a schema and not in the prompt that came with it."""
    return {
        f"{request.schema_name}: {name} at most {most}"
        for request in endpoint.chat_requests
        for name, most in said(request)
        if IN_OTHER_WORDS.get((str(request.schema_name), name), str(most)) not in request.text
    }


def bounded(extensions: str, context: dict[str, Any]) -> dict[str, Any]:
    """With limits in the schemas, by numbers that can be told apart."""
    context["models"]["default"]["schema_limits"] = True
    return {**context, "extensions": extensions, "limits": LIMITS}


def test_all_limits_differ() -> None:
    assert set(LIMITS) == set(Limits.model_fields)
    assert len(set(LIMITS.values())) == len(LIMITS)


@with_and_without_extensions
async def test_journalism_says_its_limits(extensions: str) -> None:
    with FakeEndpoint(models={"large": 65_536, "small": 65_536}, answer=newsroom.Newsroom()) as endpoint:
        context = bounded(extensions, newsroom.context(endpoint, rounds=2))
        long = "\n\n".join(
            [newsroom.PAPER] * 40
        )  # so that the journalist writes the first draft, whatever the extensions
        await newsroom.graph.ainvoke({"paper": long}, context=context)
        assert PROSE.keys() <= set(newsroom.steps(endpoint))
        assert not unsaid(endpoint)
        for request in endpoint.chat_requests:
            assert all(str(LIMITS[name]) in request.text for name in PROSE.get(step_of(request), []))


@with_and_without_extensions
async def test_simplification_says_its_limits(extensions: str) -> None:
    kept = society.latest(society.ABSTRACT)  # so that the later loops find their words
    with FakeEndpoint(models={"large": 65_536}, answer=society.Society(rewrite_text=[kept])) as endpoint:
        context = bounded(extensions, society.context(endpoint))
        await society.graph.ainvoke({"abstract": society.ABSTRACT}, context=context)
        loops = {name for names in society.STEPS.values() for name in names if name[0].isupper()}
        assert loops <= set(newsroom.steps(endpoint))
        assert not unsaid(endpoint)


@with_and_without_extensions
@review_room.every_execution
async def test_feedback_says_its_limits(execution: str, extensions: str, tmp_path: Path) -> None:
    plan = review_room.plan(review_room.PAPER_QUESTION, literature=review_room.LITERATURE_QUESTION)
    room = review_room.Room(ProposedPlan=[plan], Review=[review_room.MISSING])
    with FakeEndpoint(models={"large": 65_536}, answer=room) as endpoint:
        literature = review_room.folder_of_literature(tmp_path)
        context = bounded(
            extensions,
            review_room.context(endpoint, execution=execution, literature=literature, max_questions=QUESTIONS),
        )
        await review_room.graph.ainvoke({"paper": review_room.PAPER, "text": review_room.CLAIM}, context=context)
        asked = set(newsroom.steps(endpoint))
        assert asked >= {"ProposedPlan", "Review", "StepDecision" if execution == "sequential" else "WaveDecision"}
        assert asked >= {"PassageAnswer", "Weaknesses", "AbsenceTest"} if extensions == "all" else {"PlainAnswer"}
        assert not unsaid(endpoint)


async def test_the_screener_says_its_limits(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = review_room.Room()
    chosen = bounded("screen", review_room.context(fake_endpoint, every_paragraph=False, min_words=20))
    long = "\n\n".join(f"## Series {number}\n\n{'Tea makes cress grow. ' * 250}" for number in range(9))
    for paper in (review_room.PAPER, f"# Tea\n\n{long}"):  # read whole, and in parts
        await review_room.graph.ainvoke({"paper": paper}, context=chosen)
    assert {*newsroom.steps(fake_endpoint)} == {"PaperSummary", "RaisedSuspicions"}, "which quoted nothing"
    assert not unsaid(fake_endpoint)


async def test_the_number_check_says_its_limits(fake_endpoint: FakeEndpoint) -> None:
    default = {"base_url": fake_endpoint.base_url, "model": "large", "schema_limits": True}
    await check(fake_endpoint, PAPER, models={"default": default}, limits=LIMITS)
    assert fake_endpoint.chat_requests
    assert not unsaid(fake_endpoint)
