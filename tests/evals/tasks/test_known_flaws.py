"""What is found of known flaws, from made-up outputs and counted by hand."""

from __future__ import annotations

from typing import Any

import pytest

from evals.datasets.flaws import pair
from evals.scores import score
from evals.tasks.known_flaws import KNOWN_FLAWS, excerpts
from tests.support.flawed_paper import RAIN, flawed_paper, plants

PAIRS = {plant.kind: [sample.model_dump() for sample in pair(plant, flawed_paper())] for plant in plants()}
CAUSAL, COMPARED, PERCENT = PAIRS["causal words"], PAIRS["removed comparison"], PAIRS["wrong percentage"]
SOUNDNESS = "Empirical and Theoretical Soundness"
Outputs = dict[tuple[str, str], dict[str, Any]]


def comment(quote: str, label: str = SOUNDNESS, review: str = "This is weak.", paragraph: str = "p1") -> dict[str, Any]:
    return {"paragraph": paragraph, "quote": quote, "label": label, "review": review, "suggestion": ""}


def output(*comments: dict[str, Any], candidates: tuple[str, ...] = (), text: str = RAIN) -> dict[str, Any]:
    """What a run leaves."""
    seen = [{"quote": quote, "label": SOUNDNESS, "problem": ""} for quote in candidates]
    return {
        "comments": list(comments),
        "reviews": [{"candidates": seen, "log": []}],
        "targets": [{"id": "p1", "text": text}],
        "findings": [],
        "calls": [],
    }


def row(samples: list[dict[str, Any]], outputs: Outputs, name: str = "single", table: int = 0) -> dict[str, float]:
    scored = score(KNOWN_FLAWS, KNOWN_FLAWS.tables[table], "goats", samples, outputs, seed=0)
    line = scored.line(name)
    assert line is not None
    return {measure: round(cell.value) for measure, cell in line.cells.items()}


def of(sample: dict[str, Any], said: dict[str, Any]) -> Outputs:
    return {(sample["id"], "single"): said}


def test_a_flaw_is_found_in_its_place_with_its_type() -> None:
    (flaw, twin), (other, _) = CAUSAL, COMPARED
    said = {
        **of(flaw, output(comment("rain led to heavier fleeces"))),
        **of(other, output(comment("The hair was longer on wet meadows", label="Originality"))),
        **of(twin, output()),
    }
    found = row([flaw, other, twin], said)
    assert found == {
        "found, k = 1, %": 100,
        "found, k = 3, %": 100,
        "found, k = 10, %": 100,
        "found with its type %": 50,
        "alarms on twins %": 0,
        "same place in twins %": 0,
    }


def test_only_the_first_excerpts_count() -> None:
    flaw = CAUSAL[0]
    elsewhere = [f"rain {number}" for number in range(3)]
    said = output(*map(comment, elsewhere), comment("led to heavier fleeces"))
    found = row([flaw], of(flaw, said))
    assert [found[f"found, k = {first}, %"] for first in (1, 3, 10)] == [0, 0, 100]


def test_an_excerpt_counts_once_and_candidates_come_last() -> None:
    flaw = CAUSAL[0]
    said = output(comment("The hair was"), comment("The hair was"), candidates=("led to heavier fleeces",))
    found = row([flaw], of(flaw, said))
    assert [found[f"found, k = {first}, %"] for first in (1, 3, 10)] == [0, 100, 100]
    assert found["found with its type %"] == 100


def test_an_excerpt_that_is_repeated_keeps_its_first_place() -> None:
    flaw = CAUSAL[0]
    said = output(comment("led to heavier fleeces", review="“Hours of rain” and “led to heavier fleeces” are weak."))
    found = row([flaw], of(flaw, said))
    assert found["found, k = 1, %"] == 100


def test_alarms_are_counted_on_twins_and_only_in_their_paragraph() -> None:
    twins = [CAUSAL[1], COMPARED[1], PERCENT[1]]
    said = {
        **of(twins[0], output(comment("More rain was associated with heavier fleeces"))),
        **of(twins[1], output(comment("Hours of rain differed between the farms."))),
        **of(twins[2], output(comment("words that stand in another paragraph"))),
    }
    found = row(twins, said)
    assert found == {"alarms on twins %": 67, "same place in twins %": 33}


def test_naming_the_same_place_in_both_shows_in_the_twins() -> None:
    flaw, twin = CAUSAL
    said = {
        **of(flaw, output(comment("led to heavier fleeces on all"))),
        **of(twin, output(comment("More rain was associated with heavier fleeces"))),
    }
    found = row([flaw, twin], said)
    assert found["found, k = 1, %"] == found["same place in twins %"] == 100


def test_kinds_are_counted_apart() -> None:
    said = {**of(CAUSAL[0], output(comment("led to heavier fleeces"))), **of(COMPARED[0], output())}
    found = row([CAUSAL[0], COMPARED[0]], said, table=4)
    assert found == {"causal words, found %": 100, "removed comparison, found %": 0}


def test_checks_name_what_they_compute_and_need_no_model() -> None:
    flaw, twin = PERCENT
    found = row([flaw, twin], {}, "checks")
    assert found["found, k = 1, %"] == 100
    assert found["found with its type %"] == 100
    assert found["alarms on twins %"] == 0


def test_a_sentence_by_lot_is_always_the_same_one_and_always_an_alarm() -> None:
    samples = [sample for samples in PAIRS.values() for sample in samples]
    found = row(samples, {}, "lot")
    assert found == row(samples, {}, "lot")
    assert found["alarms on twins %"] == 100
    assert found["found, k = 1, %"] == found["found, k = 10, %"] < 100


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (comment("The hair was"), ["The hair was"]),
        (comment("The hair was", review="And “wool grow” is no result."), ["The hair was", "wool grow"]),
        (comment("", review="You write “rain makes wool grow”, but “silk” grows too."), ["rain makes wool grow"]),
        (comment("", review='Neither "rain makes wool grow" nor "differed between the farms" is shown.'), 2),
        (
            comment("", review="No figure tells how the hours of rain differed."),
            ["Hours of rain differed between the farms."],
        ),
    ],
)
def test_a_comment_stands_for_what_it_quotes_or_is_about(said: dict[str, Any], expected: Any) -> None:
    found = excerpts(said, RAIN)
    assert len(found) == expected if isinstance(expected, int) else found == expected


def test_each_corpus_has_its_own_tables_and_kinds() -> None:
    of_kinds = {table.corpus: table.measures for table in KNOWN_FLAWS.tables if table.title == "Flaws found, by kind"}
    assert sorted(map(len, of_kinds.values())) == [4, 6]
    assert set(of_kinds) == {sample["corpus"] for samples in PAIRS.values() for sample in samples}


def test_shares_of_no_sample_have_an_interval() -> None:
    flaws = [CAUSAL[0], COMPARED[0]]
    scored = score(
        KNOWN_FLAWS, KNOWN_FLAWS.tables[0], "goats", flaws, {**of(flaws[0], output()), **of(flaws[1], output())}, seed=0
    )
    line = scored.line("single")
    assert line is not None
    assert line.cells["found, k = 1, %"].low == pytest.approx(0)
    assert line.cells["found, k = 1, %"].high == pytest.approx(65.76, abs=0.01)  # z² / (n + z²) with z = 1.96, n = 2
