"""Nothing of what a frontier model answers is lost: its answers are longer than any small model's."""

from __future__ import annotations

import re
from functools import reduce

import pytest

from tests.fake_endpoint import FakeEndpoint
from tests.support.newsroom import steps
from tests.support.society import Society, latest, run
from tests.support.steps import make_words, step_of
from tools.text import remove_verbatim, replace_verbatim


def text(start: str) -> str:
    """600 words in three paragraphs, which hold all pieces that are spoken of."""
    pieces = " ".join(f"piece{number} filler{number}" for number in range(20))
    return "\n\n".join([f"{make_words(160, start)} {pieces}.", make_words(200, "Then"), make_words(200, "Last")])


QUESTIONS = [make_words(50, f"Question{number}") for number in range(10)]
ANSWERS = [
    {"question": number, "about": make_words(8, f"About{number}"), "answer": make_words(300, f"Answer{number}")}
    for number in range(1, 11)
]
FITS = [make_words(150, f"Fit{number}") for number in range(10)]
COMMENTS = [make_words(120, f"Comment{number}") for number in range(10)]
WORDINGS = [
    {"original": f"piece{number}", "replacement": make_words(50, f"Replacement{number}")} for number in range(20)
]
ACCEPTED = [
    {"number": number, "reason": make_words(120, f"Because{number}"), "accept": True} for number in range(1, 21)
]
PARTS = [{"quote": f"filler{number}", "reason": make_words(120, f"Reason{number}")} for number in range(12)]
VALIDATED = [
    {"number": number, "justification": make_words(120, f"Why{number}"), "remove": True} for number in range(1, 13)
]

LAST = re.sub(r" filler\d+", "", text("Four"))


@pytest.mark.parametrize("extensions", ["none", "default"])
async def test_nothing_is_lost(extensions: str) -> None:
    society = Society(
        AgentChoice=[
            {"reason": make_words(120, f"Chosen{number}"), "agent": agent}
            for number, agent in enumerate(["layperson", "language_clarifier"])
        ],
        Questions=[{"questions": QUESTIONS}],
        Answers=[{"answers": ANSWERS}],
        rewrite_text=[latest(text("One"), *FITS)],
        AccuracyCheck=[{"comments": COMMENTS}, {"comments": []}],
        Wordings=[{"suggestions": WORDINGS}],
        WordingVerdicts=[{"verdicts": ACCEPTED}],
        Redundancies=[{"redundancies": PARTS}],
        RemovalVerdicts=[{"verdicts": VALIDATED}],
        correct_text=[latest(text("Two"))],
        enter_wordings=[latest(text("Three"))],
        leave_out_redundancies=[latest(LAST)],
    )
    with FakeEndpoint(models={"large": 131_072}, answer=society) as endpoint:
        models = {"default": {"base_url": endpoint.base_url, "model": "large", "max_tokens": 16_384}}
        result = await run(endpoint, text("Source"), entries=1, extensions=extensions, models=models)
        texts = [request.text for request in endpoint.chat_requests if step_of(request) == "rewrite_text"]
        asked = steps(endpoint)
    asking, proposing, quoting = result["history"]
    assert [question["text"] for question in asking["questions"]] == QUESTIONS
    assert [question["answer"] for question in asking["questions"]] == [answer["answer"] for answer in ANSWERS]
    assert all(str(answer["answer"]) in texts[0] for answer in ANSWERS)
    assert (asking["reasoning"], asking["comments"], asking["accurate"]) == (FITS, COMMENTS, True)
    assert [(item["replacement"], item["reason"], item["verdict"]) for item in proposing["suggestions"]] == [
        (wording["replacement"], verdict["reason"], "accepted")
        for wording, verdict in zip(WORDINGS, ACCEPTED, strict=True)
    ]
    assert [(part["quote"], part["justification"], part["verdict"]) for part in quoting["redundancies"]] == [
        (part["quote"], verdict["justification"], "removed") for part, verdict in zip(PARTS, VALIDATED, strict=True)
    ]
    texts = [text("Two"), text("Three"), LAST]
    if extensions == "default":  # code edits the text
        texts[1] = reduce(lambda whole, wording: replace_verbatim(whole, *wording.values()), WORDINGS, texts[0])
        texts[2] = reduce(lambda whole, part: remove_verbatim(whole, part["quote"]), PARTS, texts[1])
    assert [version["text"] for version in result["versions"][1:]] == texts
    assert [exchange["problem"] for exchange in result["history"]] == ["", "", ""]
    assert [call["cuts"] for call in result["calls"]] == [[]] * len(asked)
    assert not any(call["reask"] or call["trims"] for call in result["calls"])
