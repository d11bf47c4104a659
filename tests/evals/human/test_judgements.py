"""The comparisons from candidates to dominance tables, against what can be counted by hand."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.human.answers import RaterAnswer
from evals.human.blinding import BlindingKey, HiddenItem
from evals.human.items import comparisons
from evals.human.judgements import (
    CRITERIA,
    Judgement,
    dominance,
    judgements,
    judgements_report,
    kappa,
    share_of_first,
    share_of_ties,
    shares,
    totals,
)
from evals.human.label_studio import comparison_tasks, read_export
from evals.reports.document import as_markdown
from evals.statistics import Kappa
from state.errors import BadInput
from tests.support.raters import BEGUN, SYSTEMS, WRITTEN, Sheet, as_json, as_json_min, candidates, write_json

RATERS = (1, 2)
CRITERION = "helpfulness"


def preferred(one: str, other: str, criterion: str, rater: int) -> str | None:
    """Which system a rater of ours prefers; none in some cases."""
    order = SYSTEMS if (rater + len(criterion)) % 2 else SYSTEMS[::-1]
    apart = order.index(one) - order.index(other)
    return None if abs(apart) == 1 else (one if apart < 0 else other)


@given(st.integers(), st.booleans())
@settings(deadline=None, max_examples=25)
def test_what_raters_preferred_comes_back(tmp_path_factory: pytest.TempPathFactory, seed: int, full: bool) -> None:
    sheets, key = comparisons(candidates(), seed=seed)
    filled = [
        Sheet(task, rater, _answers(task["data"], rater)) for rater, task in product(RATERS, comparison_tasks(sheets))
    ]
    exported = as_json(filled) if full else as_json_min(filled)
    found = judgements(read_export(write_json(tmp_path_factory.mktemp("export") / "export.json", exported)), key)
    assert len(found) == len(RATERS) * 3 * 6 * len(CRITERIA), "18 judgements of each sample by each rater"
    assert len(set(found)) == len(found)
    for each in found:
        winner = {"first": each.first, "second": each.second, "tie": None}[each.answer]
        assert winner == preferred(each.first, each.second, each.criterion, int(each.rater))


def _answers(data: dict[str, str], rater: int) -> dict[str, str]:
    (_, first), (_, second) = WRITTEN[data["first"]], WRITTEN[data["second"]]
    values = {first: "first", second: "second", None: "tie"}
    return {question.name: values[preferred(first, second, question.name, rater)] for question in CRITERIA}


def judged(answer: str, first: str = "A", second: str = "B", **fields: str) -> Judgement:
    return Judgement(
        **{"sample": "s1", "criterion": CRITERION, "rater": "Ada", **fields}, first=first, second=second, answer=answer
    )


def test_a_dominance_table_counted_by_hand() -> None:
    given = [
        judged("first"),  # A beats B
        judged("tie", sample="s2"),
        judged("second", "B", "A", sample="s3"),  # A beats B again, from the other side
        judged("second", "A", "C"),  # C beats A
        judged("first", "B", "C"),  # B beats C
    ]
    table = dominance(given)
    assert table == {"A": {"B": 0.5, "C": 1.0}, "B": {"A": 2.5, "C": 0.0}, "C": {"A": 0.0, "B": 1.0}}
    assert totals(table) == {"A": 2.5, "B": 1.5, "C": 1.0}


def test_raters_of_one_comparison_share_its_point() -> None:
    given = [judged("first"), judged("tie", rater="Bob"), judged("tie", sample="s2")]
    assert dominance(given) == {"A": {"B": 0.75}, "B": {"A": 1.25}}


JUDGEMENTS = st.lists(
    st.builds(
        lambda pair, answer, sample, rater: judged(answer, *pair, sample=sample, rater=rater),
        st.sampled_from([("A", "B"), ("B", "A"), ("A", "C"), ("C", "A"), ("B", "C"), ("C", "B")]),
        st.sampled_from(["first", "tie", "second"]),
        st.sampled_from(["s1", "s2", "s3"]),
        st.sampled_from(["Ada", "Bob"]),
    )
)


@given(JUDGEMENTS)
def test_every_comparison_gives_one_point(found: list[Judgement]) -> None:
    compared = {(each.sample, frozenset((each.first, each.second))) for each in found}
    assert sum(totals(dominance(found)).values()) == pytest.approx(len(compared))


@given(JUDGEMENTS)
def test_which_side_a_comment_stood_on_makes_no_difference(found: list[Judgement]) -> None:
    turn = {"first": "second", "second": "first", "tie": "tie"}
    turned = [each._replace(first=each.second, second=each.first, answer=turn[each.answer]) for each in found]
    table, other = dominance(found), dominance(turned)
    assert {row: pytest.approx(cells) for row, cells in table.items()} == other


def test_shares_are_of_all_points_with_an_interval_over_samples() -> None:
    given = [judged("first", sample=str(number)) for number in range(10)]
    assert shares(given) == {"A": (1.0, 1.0, 1.0), "B": (0.0, 0.0, 0.0)}
    mixed = [judged("first" if number % 2 else "second", sample=str(number)) for number in range(10)]
    share = shares(mixed)["A"]
    assert share.value == 0.5
    assert 0.1 <= share.low < 0.5 < share.high <= 0.9


def test_ties_and_the_first_side_are_counted() -> None:
    given = [judged("first"), judged("first", sample="s2"), judged("second", sample="s3"), judged("tie", sample="s4")]
    assert share_of_ties(given) == 0.25
    assert share_of_first(given) == pytest.approx(2 / 3)
    assert share_of_ties([]) is None
    assert share_of_first([judged("tie")]) is None


def test_kappa_with_and_without_ties() -> None:
    ada = ["first", "first", "second", "second", "tie", "first"]
    bob = ["first", "second", "second", "second", "first", "tie"]
    given = [
        judged(answer, sample=str(number), rater=rater)
        for rater, answers in (("Ada", ada), ("Bob", bob))
        for number, answer in enumerate(answers)
    ]
    # With ties 3 of 6 agree; chance: 3*2 + 2*3 + 1*1 = 13 of 36. Without: 3 of 4; chance: 2*1 + 2*3 = 8 of 16.
    assert kappa(given, ties=True) == Kappa(pytest.approx((3 / 6 - 13 / 36) / (1 - 13 / 36)), 6)
    assert kappa(given, ties=False) == Kappa(pytest.approx((3 / 4 - 8 / 16) / (1 - 8 / 16)), 4)


def test_criteria_are_compared_each_for_itself() -> None:
    given = [judged("first"), judged("second", criterion="comprehension", rater="Bob")]
    assert kappa(given, ties=True) == Kappa(None, 0)


KEY = BlindingKey(seed=0, items={"x": HiddenItem(sample="s1", systems=("B", "A"))})


def answer(value: str, question: str = CRITERION, **fields: Any) -> RaterAnswer:
    return RaterAnswer(**{"item": "x", "question": question, "rater": "Ada", "value": value, "at": BEGUN, **fields})


def test_the_newest_answer_counts() -> None:
    assert judgements([answer("first"), answer("second")], KEY) == [judged("second", "B", "A")]


@pytest.mark.parametrize("wrong", [answer("third"), answer("3", "readability")])
def test_an_answer_that_was_not_offered_is_refused(wrong: RaterAnswer) -> None:
    with pytest.raises(BadInput, match="which was not offered"):
        judgements([wrong], KEY)


def test_an_answer_about_something_else_is_refused() -> None:
    with pytest.raises(BadInput, match="'y' is none of the key's comparisons"):
        judgements([answer("first", item="y")], KEY)


def grid(given: list[Judgement], title: str) -> dict[str, list[str]]:
    """A table of the report: the texts of its cells by the first one."""
    (section,) = [each for each in judgements_report(given).sections if each.title == title]
    assert section.table is not None
    return {
        row.cells[0].text: [f"{cell.text} {cell.detail}".strip() for cell in row.cells[1:]]
        for row in section.table.rows
    }


def test_the_report_has_a_dominance_table_for_each_criterion() -> None:
    given = [judged("first"), judged("tie", sample="s2"), judged("second", criterion="comprehension")]
    table = grid(given, "Overall helpfulness")
    assert {name: table[name] for name in ("A", "B", "total")} == {
        "A": ["-", "0.50"],
        "B": ["1.50", "-"],
        "total": ["1.50", "0.50"],
    }
    assert table["share in %"][0].startswith("75.0 [")
    assert grid(given, "Reading comprehension")["share in %"] == ["0.0 [0.0, 0.0]", "100.0 [100.0, 100.0]"]
    titles = [section.title for section in judgements_report(given).sections]
    assert "Specificity and actionability" not in titles  # nobody has judged it


def test_the_report_has_ties_and_agreement_beside_the_papers() -> None:
    given = [judged("first"), judged("first", rater="Bob"), judged("tie", sample="s2"), judged("tie", "B", "C")]
    table = grid(given, "Ties and agreement")
    assert table["Overall helpfulness"] == table["all"] == ["4", "50.0", "100.0", "-", "0", "-", "0"]
    assert table["Reading comprehension"] == ["0", "-", "-", "-", "0", "-", "0"]
    assert table["paper"] == ["-", "-", "-", "0.3927", "-", "0.7793", "-"]


def test_the_report_says_how_much_was_judged_twice() -> None:
    given = [judged("first"), judged("tie", rater="Bob"), judged("tie", sample="s2"), judged("first", sample="s2")]
    (fact,) = judgements_report(given).facts
    assert fact == "4 judgements of 2 raters on 2 paragraphs, 1 of which two raters or more have judged"


def test_the_report_can_be_printed() -> None:
    text = as_markdown(judgements_report([judged("first", "A|1")]))
    assert "1 judgements of 1 raters on 1 paragraphs, 0 of which two raters or more have judged" in text
    assert "| A\\|1 |" in text
    assert "SWIF2T 171.75, CoVe 127.5, human reviews 121.25, single GPT-4 92.5" in text
