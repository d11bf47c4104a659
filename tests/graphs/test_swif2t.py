"""`--preset paper` is SWIF2T: who is asked, in which order, with what in the prompt, and sampled how.

All of it is read from what reached the endpoint. The last test has a model that says much and well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

import pytest

from graphs.baselines import chain_of_verification, single_model
from graphs.focused_feedback import graph
from state.feedback import Weakness
from tests.fake_endpoint import Choices, FakeEndpoint, Json, RecordedRequest, Reply
from tests.fake_endpoint.embeddings import embed
from tests.support.newsroom import steps
from tests.support.review_room import (
    CLAIM,
    LITERATURE,
    LITERATURE_QUESTION,
    METHODS,
    PAPER,
    PAPER_QUESTION,
    REVIEW,
    Room,
    context,
    decision,
    folder_of_literature,
    plan,
    prompts,
    run,
)
from tests.support.steps import asked_for, list_headings

ANSWER = {"answer": "There were 24 of them."}
UNKNOWN = {"answer": "I don't know."}
TEAM = ["The team", "Your role", "Your task", "Rules"]
TEAMMATES = {"planner", "controller", "investigator"}
SAMPLING = {"temperature", "top_p", "frequency_penalty", "repetition_penalty", "presence_penalty", "seed"}
OF_OURS = re.compile(r"are data|no instruction|`(?:quote|passage|suggestion|evidence|about|steps\[|rewrite)`")
"""What prompts say only with extensions, or when steps may be rewritten."""


@pytest.fixture
def endpoint() -> Iterator[FakeEndpoint]:
    with FakeEndpoint(models={"large": 32_768}) as opened:
        yield opened


async def swif2t(endpoint: FakeEndpoint, system: Any = graph, paper: str = PAPER, **choices: Any) -> dict[str, Any]:
    """A run with the paper's preset; its reviews of a single paragraph."""
    chosen = context(endpoint, preset="paper", **choices)
    del chosen["plans"]
    found: dict[str, Any] = await system.ainvoke({"paper": paper, "text": CLAIM}, context=chosen)
    assert not any(call["cuts"] or call["reask"] for call in found["calls"])
    return found


def part(request: RecordedRequest, heading: str) -> str:
    """What stands below a heading of a prompt."""
    return request.text.split(f"# {heading}\n\n")[1].split("\n\n# ")[0].strip()


def choices(request: RecordedRequest) -> list[str]:
    return list((request.schema or {})["properties"]["action"]["enum"])


def fields(request: RecordedRequest) -> list[str]:
    return list((request.schema or {})["properties"])


async def test_who_is_asked_in_which_order_and_by_which_golden_rules(endpoint: FakeEndpoint, own_state: Path) -> None:
    plans = [plan(f"{PAPER_QUESTION[:-1]} in tray {number}?", literature=LITERATURE_QUESTION) for number in range(4)]
    endpoint.answer = Room(ProposedPlan=[Choices([Json(each) for each in plans])], PlainAnswer=[ANSWER])
    literature = folder_of_literature(own_state)
    result = await swif2t(endpoint, literature=literature)
    turn = ["StepDecision", "PlainAnswer"]
    assert steps(endpoint) == ["ProposedPlan", *turn, *turn, "StepDecision", "Review"], "the controller decides on each"
    (found,) = result["reviews"]
    scores = [each["score"] for each in found["plans"]]
    assert len(scores) == 4
    assert scores == sorted(scores, reverse=True)
    assert part(asked_for(endpoint, "PlainAnswer")[0], "The question") == found["plans"][0]["steps"][0]["question"]
    assert result["settings"]["feedback"]["extensions"] == []
    assert found["notes"] == []
    departures = "\n".join(result["not_as_published"])
    for said in (
        "played by large, in the paper by GPT-4",
        "table of limits",
        "in the paper a numbered list",
        "how many plans are sampled (here 4)",
        "the paper speaks of segments of equal length",
        f"asked is the folder {literature['folder']}, in the paper Google",
        "ranked by the weights that ship with Draftroom",
    ):
        assert said in departures
    assert "not the preset's:" not in departures
    rules = part(endpoint.chat_requests[0], "Rules")
    for rule in (
        "Every step asks the investigator or the reviewer for something",
        "Questions to the paper come first, then those to the literature, then the review.",
        "can be understood without the paper and without the other steps",
        'asks about one concept only and ends with "?"',
    ):
        assert rule in rules


async def test_only_the_preset_is_called_the_papers_and_changes_of_it_are_told(endpoint: FakeEndpoint) -> None:
    endpoint.answer = Room(PlainAnswer=[ANSWER])
    chosen = {"rerank": False, "execution": "parallel", "literature": {"blocked_hosts": []}}
    changed = (await swif2t(endpoint, **chosen))["not_as_published"]
    told = "execution = parallel, literature.blocked_hosts = [], rerank = False"
    assert f"These settings are not the preset's: {told}." in changed
    assert not any("ranked by" in each for each in changed)
    without = await run(endpoint, extensions="none", max_rewrites=0, execution="sequential")
    assert without["not_as_published"] == []


async def test_agents_see_the_paragraph_and_nothing_of_ours_and_only_plans_are_sampled_otherwise(
    endpoint: FakeEndpoint,
) -> None:
    endpoint.answer = Room(PlainAnswer=[ANSWER])
    await swif2t(endpoint)
    planner, *others = endpoint.chat_requests
    assert planner.n == 4
    assert {name: planner.body[name] for name in SAMPLING & set(planner.body)} == {"temperature": 0.9}
    assert all(request.n == 1 and not SAMPLING & set(request.body) for request in others)
    controller, investigator, _, reviewer = others
    for request in (planner, controller, reviewer):
        assert part(request, "The paragraph") == CLAIM
        assert request.text.count(CLAIM) == 1
        assert request.text.startswith(planner.text[:1000]), "the team's words are first, for the server's cache"
        assert "Cold tea and the growth of cress" not in request.text, "they see the paragraph, not the paper"
        assert all(f"`{label}`" in request.text for label in get_args(Weakness))
    for request in (planner, controller, investigator, reviewer):
        assert not OF_OURS.search(request.text.replace("the list `steps`", "")), request.schema_name
    assert list_headings(planner) == [*TEAM, "The paragraph", "Output"]
    assert list_headings(controller) == [
        *TEAM,
        "The paragraph",
        "What was done so far",
        "The steps that remain",
        "Output",
    ]
    assert list_headings(investigator) == ["Your role", "Your task", "Rules", "The passages", "The question", "Output"]
    assert list_headings(reviewer) == [*TEAM, "Examples", "The paragraph", "Evidence", "Output"]


def long_paper() -> str:
    """A paper of eight segments or more of the paper's length, no two of them alike."""
    things = ["moss", "tea", "cress", "light", "soil", "height", "water", "seed", "root", "glass", "salt"]
    said = [
        f"On day {day} the {things[day % 11]} of tray {day * day % 97} was put beside the {things[day // 7 % 11]}."
        for day in range(200)
    ]
    paragraphs = "\n\n".join(" ".join(said[start : start + 20]) for start in range(0, len(said), 20))
    return f"# Trays\n\n## Methods\n\n{paragraphs}\n"


def shared(text: str, following: str) -> int:
    """The characters that end one text and begin another."""
    return max(length for length in range(len(text)) if text.endswith(following[:length]))


async def test_a_question_is_answered_from_the_five_nearest_segments(endpoint: FakeEndpoint) -> None:
    questions = ["Where was the salt of tray 3 put?", "Which seed was put beside the glass?", "How high was the cress?"]
    endpoint.answer = Room(ProposedPlan=[plan(*questions)], PlainAnswer=[ANSWER])
    await swif2t(endpoint, paper=long_paper())
    inputs = [request.body["input"] for request in endpoint.requests if request.path == "/v1/embeddings"]
    segments = max(inputs, key=len)
    assert len(segments) > 7
    assert all(len(segment) <= 2000 for segment in segments)
    assert all(shared(*both) <= 200 for both in pairwise(segments))

    def likeness(segment: str) -> float:
        return sum(one * other for one, other in zip(embed(segment), embed(question), strict=True))

    for question, request in zip(questions, asked_for(endpoint, "PlainAnswer"), strict=True):
        nearest = sorted(segments, key=likeness, reverse=True)[:5]
        texts = [f"[{number}] Methods\n{segment.strip()}" for number, segment in enumerate(nearest, start=1)]
        assert part(request, "The passages") == "\n\n".join(texts)
        assert part(request, "The question") == question
        assert "I don't know." in part(request, "Rules")
        assert fields(request) == ["answer"]


async def test_the_literature_is_asked_one_study_after_the_other_until_one_answers(
    endpoint: FakeEndpoint, own_state: Path
) -> None:
    literature = folder_of_literature(own_state)
    for number in range(2, 6):
        text = LITERATURE.replace("# Caffeine", f"# Study {number}: caffeine")
        (Path(literature["folder"]) / f"{number}.md").write_text(text, encoding="utf-8")
    endpoint.answer = Room(
        ProposedPlan=[plan(literature=LITERATURE_QUESTION)], PlainAnswer=[UNKNOWN, {"answer": "It does."}]
    )
    (found,) = (await swif2t(endpoint, literature=literature))["reviews"]
    first, second = asked_for(endpoint, "PlainAnswer")
    titles = [re.findall(r'of the document "(.+)"', request.text) for request in (first, second)]
    assert titles[0] != titles[1]
    assert CLAIM not in second.text
    assert "Caffeine in the soil" in second.text
    assert [item["title"] for item in found["evidence"]] == titles[1]
    assert f"Answer: It does. (from {titles[1][0]}" in part(asked_for(endpoint, "Review")[0], "Evidence")

    endpoint.answer = Room(ProposedPlan=[plan(literature=LITERATURE_QUESTION)], PlainAnswer=[UNKNOWN])
    (found,) = (await swif2t(endpoint, literature=literature))["reviews"]
    assert len(asked_for(endpoint, "PlainAnswer")) == 2 + 3, "the first three results"
    assert [record["outcome"] for record in found["log"]] == ["unanswered"]


async def test_the_controller_executes_replaces_skips_and_goes_straight_to_the_review(
    endpoint: FakeEndpoint, own_state: Path
) -> None:
    planned = [f"How was tray {number} watered?" for number in range(1, 6)]
    better = "How many seedlings of garden cress were in six trays?"
    endpoint.answer = Room(
        ProposedPlan=[plan(*planned)],
        StepDecision=[
            decision("ask_paper", better, rewrites=False),
            decision("ask_literature", LITERATURE_QUESTION, rewrites=False),
            decision("skip", rewrites=False),
            decision("ask_paper", rewrites=False),
            decision("write_review", rewrites=False),
        ],
        PlainAnswer=[ANSWER, {"answer": "It slows it."}, UNKNOWN],
    )
    (found,) = (await swif2t(endpoint, literature=folder_of_literature(own_state)))["reviews"]
    turn = ["StepDecision", "PlainAnswer"]
    assert steps(endpoint) == ["ProposedPlan", *turn, *turn, "StepDecision", *turn, "StepDecision", "Review"]
    of_paper, of_literature, in_vain = asked_for(endpoint, "PlainAnswer")
    asked = [part(request, "The question") for request in (of_paper, of_literature, in_vain)]
    assert asked == [better, LITERATURE_QUESTION, planned[3]]
    assert METHODS in of_paper.text
    assert "Caffeine in the soil" in of_literature.text, "replaced by a question to the other source"

    decisions = asked_for(endpoint, "StepDecision")
    for number, (request, question) in enumerate(zip(decisions, planned, strict=True)):
        assert fields(request) == ["explanation", "actor", "action", "parameters"]
        review = ["write_review"] if number else []
        assert choices(request) == ["ask_paper", "ask_literature", *review, "skip"], "a review needs an answer"
        remaining, next_step = part(request, "The steps that remain").split("\n\nThe next step is: ")
        assert next_step == f"Investigator: answer from the paper: {question}"
        assert re.findall(r"tray (\d)", remaining) == [str(later) for later in range(number + 1, 6)]
        assert remaining.endswith("Reviewer: write the review.")
    assert part(decisions[0], "What was done so far") == "Nothing yet."
    assert re.findall(r"Question: (.+)|(No.+): (.+)", part(decisions[-1], "What was done so far")) == [
        (better, "", ""),
        (LITERATURE_QUESTION, "", ""),
        ("", "Not asked", planned[2]),
        ("", "No answer was found", planned[3]),
    ]
    made = [(record["decision"], record["outcome"]) for record in found["log"]]
    assert made[:2] == [("execute", "answered"), ("replace", "answered")]
    assert made[2:] == [("skip", "skipped"), ("execute", "unanswered"), ("skip", "skipped")]
    (reviewer,) = asked_for(endpoint, "Review")
    assert re.findall(r"Question: (.+)", part(reviewer, "Evidence")) == [better, LITERATURE_QUESTION]
    assert not any(question in reviewer.text for question in planned), "unanswered questions never reach the reviewer"


async def test_the_controller_may_leave_the_review_out_and_nothing_is_raised(endpoint: FakeEndpoint) -> None:
    ended = {**decision("skip", rewrites=False), "explanation": "The paper gives the number."}
    endpoint.answer = Room(StepDecision=[decision("ask_paper", rewrites=False), ended], PlainAnswer=[ANSWER])
    result = await swif2t(endpoint)
    assert steps(endpoint) == ["ProposedPlan", "StepDecision", "PlainAnswer", "StepDecision"]
    last = asked_for(endpoint, "StepDecision")[-1]
    assert choices(last) == ["write_review", "skip"]
    assert "unnecessary" not in part(last, "Rules"), "that is said of questions"
    assert part(last, "The steps that remain").endswith("The next step is: Reviewer: write the review.")
    (found,) = result["reviews"]
    assert (found["outcome"], found["problem"]) == ("nothing worth raising", ended["explanation"])
    assert result["comments"] == []


async def test_the_reviewer_has_paragraph_context_and_five_examples(endpoint: FakeEndpoint) -> None:
    claim = "Tea therefore makes seedlings grow"
    endpoint.answer = Room(PlainAnswer=[ANSWER])
    (found,) = (await swif2t(endpoint))["reviews"]
    (reviewer,) = asked_for(endpoint, "Review")
    task = part(reviewer, "Your task")
    for number, step in enumerate(
        ("Select the words of the paragraph", "Choose the type", "Write the review"), start=1
    ):
        assert f"\n{number}. {step}" in task
    assert "that uses the quoted words" in task
    assert fields(reviewer) == ["reasoning", "label", "review"]
    labels = str((reviewer.schema or {})["properties"]["label"])
    assert all(f"'{label}'" in labels for label in (*get_args(Weakness), "No review needed"))
    examples = part(reviewer, "Examples")
    assert sorted(re.findall(r"^- label: `(.+)`$", examples, re.MULTILINE)) == sorted(get_args(Weakness))
    for example in examples.split("\n\n")[1:]:
        paragraph, words, *_, review = example.splitlines()
        quoted = words.removeprefix("Quoted words: ").strip('"')
        assert quoted in paragraph
        assert re.search(rf"“{re.escape(quoted)}[.,]?”", review), "as the rule has it"
    shown = ["Paragraph", "Quoted words", "reasoning", "label", "review"]
    assert re.findall(r"^(?:- )?([\w ]+): ", examples, re.MULTILINE) == shown * 5
    assert part(reviewer, "Evidence") == (
        f"[e1] Question: {PAPER_QUESTION}\n     Answer: {ANSWER['answer']} (from the paper)"
    )
    assert "What the evidence shows to be given elsewhere in the paper is not missing." in part(reviewer, "Rules")
    comment = found["comment"]
    assert (comment["label"], comment["review"]) == (REVIEW["label"], REVIEW["review"])
    assert f"“{claim}”" in comment["review"]
    assert (comment["quote"], comment["start"]) == (claim, CLAIM.index(claim)), "it stands where its review quotes"
    assert (comment["suggestion"], comment["evidence"]) == ("", [])
    assert comment["verification"] == {"verdict": "kept", "notes": []}


async def test_the_single_model_is_the_reviewer_with_the_paragraph_alone(endpoint: FakeEndpoint) -> None:
    endpoint.answer = Room()
    result = await swif2t(endpoint, single_model)
    (reviewer,) = endpoint.chat_requests
    assert len(result["not_as_published"]) == 4, "its models, prompts, second tries and examples"
    assert "Select the words of the paragraph" in part(reviewer, "Your task")
    assert list_headings(reviewer) == ["Focused comments", *TEAM[1:], "Examples", "The paragraph", "Output"]
    assert not TEAMMATES & set(re.findall(r"\w+", reviewer.text))
    assert part(reviewer, "The paragraph") == CLAIM
    assert fields(reviewer) == ["reasoning", "label", "review"]
    assert "evidence" not in part(reviewer, "Rules")


async def test_the_chain_of_verification_shows_its_reviewer_no_unanswered_question(endpoint: FakeEndpoint) -> None:
    known, unknown = "Is tea a fertiliser for cress?", "How fast does cress grow in a week?"
    room = Room(
        VerificationQuestions=[{"questions": [known, unknown]}],
        PlainAnswer=[{"answer": "It holds some nitrogen."}],
        CrossCheck=[{"explanation": "The paragraph says more.", "verdict": "inconsistent"}],
    )

    def answer(request: RecordedRequest) -> Reply:
        return Json(UNKNOWN) if request.schema_name == "PlainAnswer" and unknown in request.text else room(request)

    endpoint.answer = answer
    result = await swif2t(endpoint, chain_of_verification)
    assert "at most 10" in result["not_as_published"][-2]
    assert "a prompt of Draftroom's own" in result["not_as_published"][-1]
    order = ["VerificationQuestions", "PlainAnswer", "PlainAnswer", "CrossCheck", "Review"]
    assert sorted(steps(endpoint)) == sorted(order), "there is nothing to compare with no answer"
    assert "/v1/embeddings" not in {request.path for request in endpoint.requests}, "nothing is retrieved"
    assert all(request.n == 1 and not SAMPLING & set(request.body) for request in endpoint.chat_requests)
    for request in asked_for(endpoint, "PlainAnswer"):
        assert list_headings(request) == ["Your role", "Your task", "Rules", "The question", "Output"], "no paragraph"
    (check,) = asked_for(endpoint, "CrossCheck")
    assert [part(check, heading) for heading in ("The paragraph", "The question", "The answer")] == [
        CLAIM,
        known,
        "It holds some nitrogen.",
    ]
    (reviewer,) = asked_for(endpoint, "Review")
    assert "Select the words of the paragraph" in part(reviewer, "Your task")
    assert unknown not in reviewer.text
    assert not any(
        TEAMMATES & set(re.findall(r"\w+", request.text)) for request in [*endpoint.chat_requests[:1], reviewer]
    )
    assert "elsewhere in the paper" not in part(reviewer, "Rules"), "nothing of it was read"
    assert known in part(reviewer, "Evidence")
    assert "The paragraph is inconsistent with this: The paragraph says more." in part(reviewer, "Evidence")


async def test_the_chain_of_verification_reviews_without_questions_too(endpoint: FakeEndpoint) -> None:
    endpoint.answer = Room(VerificationQuestions=[{"questions": []}])
    (found,) = (await swif2t(endpoint, chain_of_verification))["reviews"]
    assert steps(endpoint) == ["VerificationQuestions", "Review"]
    assert found["comment"]["review"] == REVIEW["review"]


async def test_a_model_that_says_much_loses_nothing(fake_endpoint: FakeEndpoint) -> None:
    def words(number: int, about: str) -> str:
        return " ".join(f"{about}{place}" for place in range(number)) + "."

    questions = [f"How was tray {number} watered, {words(40, 'tray')[:-1]}?" for number in range(1, 11)]
    answer = {"quote": "We raised 24 seedlings of garden cress", "passage": 1, "answer": words(300, "found")}
    review = {
        **REVIEW,
        "reasoning": words(500, "because"),
        "review": words(400, "weak"),
        "suggestion": words(200, "mend"),
        "evidence": [f"e{number}" for number in range(1, 11)],
    }
    fake_endpoint.answer = Room(
        ProposedPlan=[Choices([Json(plan(*questions))])], PassageAnswer=[answer], Review=[review]
    )
    result = await run(fake_endpoint, plans=8, rerank=False, extensions=["quotes", "anchors"])
    (found,) = result["reviews"]
    assert len(found["plans"]) == 8
    assert [step["question"] for step in found["plans"][7]["steps"]] == [*questions, ""]
    assert [item["answer"] for item in found["evidence"]] == [answer["answer"]] * 10
    assert found["comment"]
    for field in ("reasoning", "review", "suggestion"):
        assert found["comment"][field] == review[field]
    assert len(found["comment"]["evidence"]) == 10
    assert not any(call["cuts"] or call["reask"] for call in result["calls"])
    assert answer["answer"] in prompts(fake_endpoint, "Review")[0]
