"""The comparisons from candidates to dominance tables, against what can be counted by hand."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas import DataFrame

from evals.human.blinding import BlindingKey, HiddenItem
from evals.human.judgements import build_judgements_report, compute_dominance, compute_rater_kappa, tabulate_answers
from evals.human.label_studio import CRITERIA, RaterAnswer
from evals.reports.document import render_report_markdown
from evals.statistics import Kappa
from tests.support.raters import BEGUN
from tests.support.report_files import lines, table

CRITERION = "helpfulness"


def judged(answer: str, first: str = "A", second: str = "B", **fields: str) -> dict[str, str]:
    return {
        "sample": "s1",
        "question": CRITERION,
        "rater": "Ada",
        **fields,
        "first": first,
        "second": second,
        "value": answer,
    }


def cells(given: list[dict[str, str]]) -> dict[str, dict[str, float]]:
    """The dominance table by row, then by column."""
    points = compute_dominance(DataFrame(given))
    return {row: of.dropna().to_dict() for row, of in points.T.items()}


def test_a_dominance_table_counted_by_hand() -> None:
    given = [
        judged("first"),  # A beats B
        judged("tie", sample="s2"),
        judged("second", "B", "A", sample="s3"),  # A beats B again, from the other side
        judged("second", "A", "C"),  # C beats A
        judged("first", "B", "C"),  # B beats C
    ]
    assert cells(given) == {"A": {"B": 0.5, "C": 1.0}, "B": {"A": 2.5, "C": 0.0}, "C": {"A": 0.0, "B": 1.0}}


def test_raters_of_one_comparison_share_its_point() -> None:
    given = [judged("first"), judged("tie", rater="Bob"), judged("tie", sample="s2")]
    assert cells(given) == {"A": {"B": 0.75}, "B": {"A": 1.25}}


JUDGEMENTS = st.lists(
    st.builds(
        lambda pair, answer, sample, rater: judged(answer, *pair, sample=sample, rater=rater),
        st.sampled_from([("A", "B"), ("B", "A"), ("A", "C"), ("C", "A"), ("B", "C"), ("C", "B")]),
        st.sampled_from(["first", "tie", "second"]),
        st.sampled_from(["s1", "s2", "s3"]),
        st.sampled_from(["Ada", "Bob"]),
    ),
    min_size=1,
)


@given(JUDGEMENTS)
@settings(deadline=None, max_examples=50)
def test_every_comparison_gives_one_point_whichever_side_a_comment_stood_on(found: list[dict[str, str]]) -> None:
    compared = {(each["sample"], frozenset((each["first"], each["second"]))) for each in found}
    table = compute_dominance(DataFrame(found))
    assert table.sum().sum() == pytest.approx(len(compared))
    turn = {"first": "second", "second": "first", "tie": "tie"}
    turned = [
        {**each, "first": each["second"], "second": each["first"], "value": turn[each["value"]]} for each in found
    ]
    assert cells(turned) == {row: pytest.approx(of) for row, of in cells(found).items()}


def test_kappa_with_and_without_ties() -> None:
    ada = ["first", "first", "second", "second", "tie", "first"]
    bob = ["first", "second", "second", "second", "first", "tie"]
    given = [
        judged(answer, sample=str(number), rater=rater)
        for rater, answers in (("Ada", ada), ("Bob", bob))
        for number, answer in enumerate(answers)
    ]
    # With ties 3 of 6 agree; chance: 3*2 + 2*3 + 1*1 = 13 of 36. Without: 3 of 4; chance: 2*1 + 2*3 = 8 of 16.
    assert compute_rater_kappa(DataFrame(given), ties=True) == Kappa(
        pytest.approx((3 / 6 - 13 / 36) / (1 - 13 / 36)), 6
    )
    assert compute_rater_kappa(DataFrame(given), ties=False) == Kappa(pytest.approx((3 / 4 - 8 / 16) / (1 - 8 / 16)), 4)


KEY = BlindingKey(seed=0, items={"x": HiddenItem(sample="s1", systems=("B", "A"))})


def answer(value: str, question: str = CRITERION, **fields: Any) -> RaterAnswer:
    return RaterAnswer(**{"item": "x", "question": question, "rater": "Ada", "value": value, "at": BEGUN, **fields})


def test_the_newest_answer_counts() -> None:
    both = [answer("first"), answer("second")]
    (found,) = tabulate_answers(both, KEY, CRITERIA, ["first", "second"]).to_dict("records")
    assert found == judged("second", "B", "A")


def reported(given: list[dict[str, str]]) -> str:
    return render_report_markdown(build_judgements_report(DataFrame(given)))


def test_the_report_has_a_dominance_table_for_each_criterion() -> None:
    given = [judged("first"), judged("tie", sample="s2"), judged("second", question="comprehension")]
    text = reported(given)
    found = table(text, "Overall helpfulness")
    assert (found["A"]["B"], found["B"]["A"], found["A"]["A"]) == ("0.50", "1.50", "-")
    assert (found["total"]["A"], found["total"]["B"]) == ("1.50", "0.50")
    assert found["share in %"]["A"].startswith("75.0 [")
    assert table(text, "Reading comprehension")["share in %"]["B"] == "100.0 [100.0, 100.0]"
    assert "## Specificity" not in text  # nobody has judged it
    assert "SWIF2T 171.75, CoVe 127.5, human reviews 121.25, single GPT-4 92.5" in text


def test_shares_have_an_interval_over_samples() -> None:
    given = [judged("first" if number % 2 else "second", sample=str(number)) for number in range(10)]
    value, low, high = re.findall(r"[\d.]+", table(reported(given), "Overall helpfulness")["share in %"]["A"])
    assert float(value) == 50
    assert 10 <= float(low) < 50 < float(high) <= 90


def test_the_report_has_ties_and_agreement_beside_the_papers_and_what_was_judged_twice() -> None:
    given = [judged("first"), judged("first", rater="Bob"), judged("tie", sample="s2"), judged("tie", "B", "C")]
    text = reported(given)
    found = {line[0]: line[1:] for line in lines(text, "Ties and agreement")}
    assert found["Overall helpfulness"] == found["all"] == ["4", "50.0", "100.0", "-", "0", "-", "0"]
    assert found["Reading comprehension"] == ["0", "-", "-", "-", "0", "-", "0"]
    assert found["paper: SWIF2T"] == ["-", "-", "-", "0.3927", "-", "0.7793", "-"]
    assert "4 judgements of 2 raters on 2 paragraphs, 1 of which two raters or more have judged" in text
