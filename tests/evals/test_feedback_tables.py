"""The tables of the evaluation of feedback, from made-up results."""

from __future__ import annotations

from typing import Any

import pytest

from evals.feedback_tables import COLUMNS, LABELS, tables
from evals.metrics.meteor import meteor
from evals.metrics.overlap import bleu, rouge

PAIRS = [
    {
        "id": "one",
        "paragraph": "Tea makes\nseedlings grow. Every tray shows it.",
        "feedback": "Six trays cannot show that tea makes seedlings grow.",
    },
    {
        "id": "two",
        "paragraph": "A quantity of leaves was steeped in warm water.",
        "feedback": "Please say how many leaves were steeped, and in how much water.",
    },
    {"id": "three", "paragraph": "The rooms were equally warm.", "feedback": "Was the light the same in both rooms?"},
]
REVIEW, SUGGESTION = "Six trays are too few to show that tea", "makes them grow."


def comment(**fields: Any) -> dict[str, Any]:
    """A comment on the first pair."""
    return {
        "label": "Substance",
        "quote": "Tea makes seedlings grow",
        "review": REVIEW,
        "suggestion": SUGGESTION,
        "evidence": [],
        "verification": {"verdict": "kept", "notes": []},
        **fields,
    }


def result(
    pair: str, row: str, raised: dict[str, Any] | None = None, outcome: str = "", log: list[str] | None = None
) -> dict[str, Any]:
    """What a run leaves; two calls, of 1.5 and 2 seconds."""
    review = {
        "outcome": outcome or ("comment" if raised else "nothing worth raising"),
        "comment": raised,
        "log": [{"outcome": each} for each in log or []],
    }
    calls = [
        {"input_tokens": 100, "output_tokens": 10, "seconds": 1.5},
        {"input_tokens": 300, "output_tokens": 20, "seconds": 2.0},
    ]
    return {"id": pair, "row": row, "reviews": [review], "calls": calls, "wall_s": 2.5}


def cells(results: list[dict[str, Any]], corner: str) -> dict[str, dict[str, str]]:
    """Rows of the table with this corner, by name, then by column."""
    (found,) = [part for part in tables(PAIRS, results).split("\n\n") if part.startswith(f"| {corner} |")]
    head, _, *lines = [line.strip("| ").split(" | ") for line in found.splitlines()]
    return {name: dict(zip(head[1:], values, strict=True)) for name, *values in lines}


def row(*results: dict[str, Any]) -> dict[str, str]:
    """The first table's row of the system that left these results."""
    return cells(list(results), "row")[results[0]["row"]]


FAILED = {"id": "three", "row": "single", "error": "model_output: It is no JSON."}


def test_a_run_is_valid_if_it_ended_with_or_without_a_comment() -> None:
    found = row(result("one", "single", comment()), result("two", "single"), FAILED)
    assert (found["n"], found["valid %"]) == ("3", "66.67")
    assert (found["comments"], found["nothing"], found["withdrawn"]) == ("1", "1", "0")


def test_a_failed_run_is_named() -> None:
    assert tables(PAIRS, [FAILED]).endswith("\n\nfailed: three single: model_output: It is no JSON.")
    assert row(FAILED)["valid %"] == "0.00"
    assert row(FAILED)["METEOR"] == row(FAILED)["wall s"] == "-"


def test_overlap_is_of_the_comments_that_were_raised() -> None:
    other = comment(review="Nobody knows how many leaves were steeped", suggestion="")
    withdrawn = result("three", "single", comment(), "withdrawn")
    found = row(result("one", "single", comment()), result("two", "single", other), withdrawn)
    texts, feedback = [f"{REVIEW} {SUGGESTION}", other["review"]], [pair["feedback"] for pair in PAIRS[:2]]
    meteors = [meteor(text, human).score for text, human in zip(texts, feedback, strict=True)]
    rouges = [rouge(text, human).rouge_l for text, human in zip(texts, feedback, strict=True)]
    assert found["METEOR"] == f"{sum(meteors) / 2:.2f}"
    assert found["METEOR all"] == f"{sum(meteors) / 3:.2f}"
    assert found["ROUGE-L"] == f"{sum(rouges) / 2:.2f}"
    assert found["BLEU@4"] == f"{bleu(texts, feedback):.2f}"
    assert (found["comments"], found["withdrawn"]) == ("2", "1")


def test_a_row_without_comments_has_no_overlap() -> None:
    found = row(result("one", "single"))
    assert (found["METEOR"], found["BLEU@4"], found["ROUGE-L"], found["verbatim %"]) == ("-", "-", "-", "-")
    assert found["METEOR all"] == "0.00"


@pytest.mark.parametrize(("quote", "share"), [("Tea makes seedlings grow", "100.00"), ("tea grows seedlings", "0.00")])
def test_quotes_are_looked_up_in_the_paragraph(quote: str, share: str) -> None:
    assert row(result("one", "single", comment(quote=quote)))["verbatim %"] == share


def test_evidence_and_softened_comments_are_counted() -> None:
    softened = {"verdict": "softened", "notes": []}
    supported = comment(evidence=[{"id": "e1"}], verification=softened)
    found = row(result("one", "single", supported), result("two", "single", comment()))
    assert (found["cited %"], found["softened"]) == ("50.00", "1")


def test_costs_are_means_per_run() -> None:
    logs = [["answered", "unanswered", "skipped"], ["answered"]]
    found = row(*(result(pair["id"], "cove", log=log) for pair, log in zip(PAIRS, logs, strict=False)))
    costs = {name: found[name] for name in COLUMNS[-7:]}
    assert list(costs.values()) == ["1.50", "1.00", "2.00", "400.00", "30.00", "3.50", "2.50"]


def test_labels_are_counted() -> None:
    results = [result(pair["id"], "single", comment(label=LABELS[0])) for pair in PAIRS[:2]]
    found = cells([*results, result("three", "single", comment(label=LABELS[4]))], "comments by label")["single"]
    assert list(found.values()) == ["2", "0", "0", "0", "1"]


def test_differences_are_of_the_pairs_that_both_have() -> None:
    single = [result("one", "single", comment(review="Tea", suggestion="")), result("two", "single", comment())]
    parallel = [result("one", "parallel", comment()), result("two", "parallel"), result("three", "parallel", comment())]
    found = cells([*single, *parallel], "mean difference [95% bootstrap interval]")
    texts = [f"{REVIEW} {SUGGESTION}", "Tea"]
    ours, theirs = (meteor(text, PAIRS[0]["feedback"]).score for text in texts)
    assert set(found) == {"parallel less single"}
    assert found["parallel less single"]["METEOR"].startswith(f"{ours - theirs:+.2f} [")
    assert found["parallel less single"]["METEOR"].endswith("n = 1")
    lost = meteor(texts[0], PAIRS[1]["feedback"]).score
    assert found["parallel less single"]["METEOR all"].startswith(f"{(ours - theirs - lost) / 2:+.2f} [")
    assert found["parallel less single"]["METEOR all"].endswith("n = 2")


def test_without_comments_in_both_there_is_nothing_to_compare() -> None:
    found = cells(
        [result("one", "single"), result("one", "cove", comment())], "mean difference [95% bootstrap interval]"
    )
    assert found["cove less single"]["METEOR"] == "-"


def test_the_papers_figures_stand_beside() -> None:
    results = [result("one", "single", comment())]
    assert cells(results, "row")["SWIF2T: SWIF2T"]["METEOR"] == "20.04"
    assert cells(results, "row")["SWIF2T: SWIF2T"]["n"] == "-"
    assert cells(results, "F1 by label")["SWIF2T: CoVe"]["Originality"] == "33.80"
    assert cells(results, "F1 by label")["SWIF2T: SWIF2T - RR"]["accuracy"] == "33.00"


def test_the_stages_of_meteor_are_named() -> None:
    assert f"METEOR matched words by {meteor('a', 'a').stages}." in tables(PAIRS, [result("one", "single")])
