"""What the golden rules repair, and what they never let through."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.feedback.planner import Asked, keep_golden_rules

REVIEW = Asked("write_review", "")
PAPER = Asked("ask_paper", "How many trays were there?")
LITERATURE = Asked("ask_literature", "How fast does cress grow?")

steps = st.lists(
    st.builds(Asked, st.sampled_from(["ask_paper", "ask_literature", "write_review"]), st.text(max_size=60)), max_size=9
)


def test_a_plan_that_keeps_the_rules_stays_as_it_is() -> None:
    assert keep_golden_rules([PAPER, LITERATURE, REVIEW], most=6) == ([PAPER, LITERATURE, REVIEW], [])


@pytest.mark.parametrize(
    ("broken", "kept", "repair"),
    [
        ([LITERATURE, PAPER, REVIEW], [PAPER, LITERATURE], "before those to the literature"),
        ([PAPER, REVIEW, LITERATURE], [PAPER, LITERATURE], "the last step"),
        ([PAPER, LITERATURE], [PAPER, LITERATURE], "the last step"),
        ([PAPER, REVIEW, REVIEW], [PAPER], "the only one"),
        ([PAPER, PAPER, REVIEW], [PAPER], "asked twice"),
        ([PAPER, Asked("ask_paper", "Why?"), REVIEW], [PAPER], "no question"),
        ([PAPER, LITERATURE, Asked("ask_paper", "Who measured it then?"), REVIEW], [PAPER], "beyond the first"),
    ],
)
def test_what_breaks_a_rule_is_repaired_on_record(broken: list[Asked], kept: list[Asked], repair: str) -> None:
    repaired = keep_golden_rules(broken, most=2 if "beyond" not in repair else 1)
    assert repaired.steps == [*kept, REVIEW]
    assert any(repair in told for told in repaired.repairs)


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        ("how many trays were there", "how many trays were there?"),
        ("What is the dose, and how was it chosen?", "What is the dose?"),
        ("What is the dose? How was it chosen?", "What is the dose?"),
        ("Which trays were watered with tea and tap water?", "Which trays were watered with tea and tap water?"),
    ],
)
def test_each_question_asks_about_one_thing_and_ends_with_a_question_mark(question: str, kept: str) -> None:
    assert keep_golden_rules([Asked("ask_paper", question), REVIEW], most=2).steps[0].question == kept


@pytest.mark.parametrize(
    "question",
    [
        "Is the method of this paper common?",
        "What does Table 2 of the paper show?",
        "What does Table 2 show?",
        "Why is the loss in Section 3.2 not bounded?",
        "Is the curve of Figure S1 usual?",
        "How large are samples such as this study's?",
        "Which plants are compared in the paragraph?",
        "How does the paper report its losses?",
        "What does the paper report on light?",
        "Is the present study the first on cress?",
        "Which assumptions are made in this work?",
    ],
)
def test_a_question_that_names_this_paper_is_asked_of_the_paper(question: str) -> None:
    repaired = keep_golden_rules([Asked("ask_literature", question), REVIEW], most=2)
    assert repaired.steps[0] == Asked("ask_paper", question)
    assert "so the paper is asked" in repaired.repairs[0]


@pytest.mark.parametrize(
    "question",
    [
        "Which enzymes work above 60 degrees?",
        "How do we measure soil pH in field trials?",
        "What is known of yields below the tree line?",
        "What did the authors of the Framingham study conclude about salt?",
        "What does the paper of Vaswani et al. (2017) say of attention heads?",
        "What does Table 2 of Vaswani et al. (2017) show?",
        "Which scores stand in Devlin et al.'s Table 1?",
        "What does the study by Smith et al. (2019) report on tea?",
        "How much water does the paper industry use?",
        "How does this work in other plants?",
        "Which limits of our knowledge of moss are known?",
        "Was that study of green tea ever repeated?",
    ],
)
def test_any_other_question_stays_with_the_literature(question: str) -> None:
    assert keep_golden_rules([Asked("ask_literature", question), REVIEW], most=2).repairs == []


def test_without_literature_nothing_is_asked_of_it() -> None:
    repaired = keep_golden_rules([PAPER, LITERATURE, REVIEW], most=6, literature=False)
    assert repaired.steps == [PAPER, REVIEW]
    assert "no literature is set up" in repaired.repairs[0]


@given(steps, st.integers(1, 6), st.booleans())
def test_whatever_was_planned_the_rules_hold(planned: list[Asked], most: int, literature: bool) -> None:
    *questions, last = keep_golden_rules(planned, most=most, literature=literature).steps
    assert last == REVIEW
    assert len(questions) <= most
    actions = [step.action for step in questions]
    assert actions == sorted(actions, key=["ask_paper", "ask_literature"].index)
    assert all(step.question.endswith("?") and step.question.count("?") == 1 for step in questions)
