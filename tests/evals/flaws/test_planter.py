"""Flaws planted in a written paper: each kind where it belongs, and nothing that is no flaw or shows."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, get_args

import pytest

from evals.datasets.feedback import CorpusPaper
from evals.flaws.plant import COMPUTABLE, FLAW_KINDS, LABELS, Edit, FlawKind, OpenPaper, OpenParagraph, Plant, traces
from evals.flaws.planter import PLANTERS, REFUSED, SHARES, draw_plants, drawn_plants, drawn_records, plants_of
from state.errors import BadInput
from state.feedback import Weakness
from tests.support.flawed_paper import COHORT, COUNTS, RAIN, RECORD, flawed_paper, plant_in, plants

FLAWED: dict[FlawKind, str] = {
    "changed number": " goats ",
    "wrong percentage": "Of all the animals, 37 of 148 goats (",
    "wrong p-value": "heavier than those of the others (t(146) = 2.40, p = 0.0",
    "wrong estimate": " (95% CI 2.7 to 3.5) kilograms.",
    "removed setting": "A lock of each fleece was soaked in soap",
    "causal words": "More rain led to heavier fleeces on all of them.",
    "removed comparison": "The hair was longer on wet meadows.",
    "uncited novelty": "Unlike previous studies of single farms, we looked at three of them at once.",
    "overstated conclusion": "that rain makes wool grow, which the shepherds have always said",
    "contradicting step": "in this prospective study, and read from the books",
}


@pytest.mark.parametrize("kind", FLAW_KINDS)
def test_each_kind_is_planted_in_a_whole_sentence(kind: FlawKind) -> None:
    found = [plant for plant in plants() if plant.kind == kind]
    assert found
    for plant in found:
        flawed, clean = plant.sentences
        assert FLAWED[kind] in flawed
        assert flawed != clean
        assert clean in plant.paragraph.text
        assert flawed[0].isupper()
        assert flawed.endswith(".")


def test_one_plant_is_one_edit_of_one_paragraph() -> None:
    paper = flawed_paper()
    whole = paper.markdown()
    for plant in plants():
        changed = paper.markdown(plant.paragraph, plant.flawed)
        assert changed == whole.replace(plant.paragraph.text, plant.flawed)
        assert changed != whole


def test_the_same_seed_plants_the_same() -> None:
    paper = flawed_paper()
    assert [plant.id for plant in plants_of(paper, seed=3)] == [plant.id for plant in plants_of(paper, seed=3)]
    assert len({plant.id for plant in plants()}) == len(plants())


def changed(words: dict[str, str]) -> list[Plant]:
    """What can be planted if words of the paper are others: those that stand there, and new ones."""
    written = json.dumps(RECORD, ensure_ascii=False)
    for old, new in words.items():
        assert old in written
        written = written.replace(old, new)
    return list(plants_of(OpenPaper(CorpusPaper.model_validate_json(written))))


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("changed number", {"followed 148 goats": "followed our goats", "37 of 148 goats": "37 of the goats"}),
        ("wrong percentage", {"37 of 148": "57 of 148"}),
        ("wrong p-value", {"= 2.40": "= 9.40"}),
        ("wrong estimate", {"weight of 3.1": "weight of 3.9"}),
        ("causal words", {"More rain was": "It is not known whether more rain was"}),
        ("causal words", {"on all of them.": "on all of them (Ram, 2011)."}),
        ("removed comparison", {"was longer": "was grey"}),
        ("uncited novelty", {"Unlike previous studies": "As in two studies"}),
        ("uncited novelty", {"three of them at once": "three of them at once (Ram, 2011)"}),
        ("overstated conclusion", {"rain makes wool grow": "rain may make wool grow"}),
        ("contradicting step", {"in this retrospective study": "in this study"}),
        ("contradicting step", {"Little is known": "No prospective study is there, and little is known"}),
    ],
)
def test_what_would_be_no_flaw_is_not_planted(kind: FlawKind, words: dict[str, str]) -> None:
    assert kind not in {plant.kind for plant in changed(words)}


def test_a_setting_that_is_said_twice_is_not_missing() -> None:
    twice = changed({"and dried on a line": "and dried for 25 min on a line"})
    assert [plant.edit.words for plant in twice if plant.kind == "removed setting" and "40 °C" in plant.flawed] == []


@pytest.mark.parametrize(
    ("kind", "text", "old", "new", "holds"),
    [
        ("wrong percentage", COUNTS, "25", "52", True),
        ("wrong percentage", COUNTS, "25", "26", False),  # near enough to be taken for a slip of rounding
        ("wrong p-value", COUNTS, "= 0.018", "= 0.180", True),
        ("wrong p-value", COUNTS, "= 0.018", "= 0.009", False),  # fits a test with one side
        ("wrong estimate", COUNTS, "3.1", "3.6", True),
        ("wrong estimate", COUNTS, "3.1", "3.4", False),
        ("changed number", COHORT, "148", "184", True),
        ("changed number", COHORT, "148", "148", False),
        ("causal words", RAIN, "was associated with ", "led to ", True),
        ("causal words", RAIN, "was associated with ", "was correlated with ", False),
        ("removed comparison", RAIN, " compared with dry meadows", "", True),
        ("removed comparison", RAIN, " on wet meadows", "", False),
        ("overstated conclusion", RAIN, "suggest that", "prove that", True),
        ("overstated conclusion", RAIN, "suggest that", "indicate that", False),
        ("contradicting step", COHORT, "retrospective", "prospective", True),
        ("contradicting step", COHORT, "retrospective", "retrospective", False),
    ],
)
def test_a_plant_is_verified(kind: FlawKind, text: str, old: str, new: str, *, holds: bool) -> None:
    paper = flawed_paper()
    paragraph = next(each for each in paper.paragraphs if each.text == text)
    start = text.index(old)
    assert PLANTERS[kind].holds(paper, paragraph, Edit(start, start + len(old), new)) is holds


@pytest.mark.parametrize(
    ("text", "removed", "words"),
    [
        ("We saw 3 goats (n = 3) there.", "n = 3", ""),
        ("We saw 3 goats (n = 3) there.", "(n = 3)", ""),
        ("We saw 3 goats there.", "We ", ""),
        ("We saw an animal there.", "animal", "goat"),
        ("We saw a goat there.", "goat", "animal"),
        ("We saw goats, rams, and sheep.", "rams", ""),
        ("We saw a goat (a ram).", "(a ram", ""),
        ("We saw a goat there.", " there.", ""),
        ("We saw it. A goat was there.", "A goat", ""),
        ("We met the Wool Office (WO) there. The WO is old.", " (WO)", ""),
        ("We saw the goat with the ram.", " the ram", ""),
        ("It grew and grew.", " and", ""),
    ],
)
def test_an_edit_that_shows_is_told(text: str, removed: str, words: str) -> None:
    assert traces(plant_in(text, removed, words), [])


@pytest.mark.parametrize(
    ("text", "removed", "words"),
    [
        ("We saw 3 goats (n = 3) there.", " (n = 3)", ""),
        ("We saw an animal there.", "an animal", "a goat"),
        ("Goats 1 , 2 . They were grey 3 .", " 3 ", ""),  # spaces that the text has of its own do not count
        ("We met the Wool Office (WO) there.", " (WO)", ""),
    ],
)
def test_a_clean_edit_leaves_no_trace(text: str, removed: str, words: str) -> None:
    assert traces(plant_in(text, removed, words), []) == []


def many_plants() -> list[Plant]:
    """Of each kind three in each of ten papers, all in paragraphs of their own."""
    return [
        Plant(kind, f"paper {paper}", OpenParagraph(f"{kind} {paper} {number}", "", "text"), Edit(0, number, ""))
        for kind in FLAW_KINDS
        for paper in range(10)
        for number in range(3)
    ]


def test_so_many_of_each_kind_are_drawn_of_as_many_papers_as_there_are() -> None:
    drawn = draw_plants(many_plants(), seed=1)
    assert Counter(plant.kind for plant in drawn) == SHARES
    assert set(Counter(plant.paper for plant in drawn).values()) == {6}
    assert len({plant.paragraph.id for plant in drawn}) == 60
    assert drawn == draw_plants(many_plants(), seed=1)
    assert drawn != draw_plants(many_plants(), seed=2)


def test_too_few_places_are_an_error() -> None:
    with pytest.raises(BadInput, match="too few places"):
        draw_plants(plants())


def test_what_is_on_record_is_what_was_drawn_and_not_refused() -> None:
    records = drawn_records()
    assert Counter(record["kind"] for record in records) == SHARES
    assert sum(record["kind"] in COMPUTABLE for record in records) == 20
    refused = json.loads(REFUSED.read_text(encoding="utf-8"))
    for record in records:
        edit = Edit(record["start"], record["end"], record["words"])
        paragraph = OpenParagraph(record["paragraph"], "", "")
        assert Plant(record["kind"], record["paper"], paragraph, edit).id == record["id"]
        assert record["id"] not in refused


def test_papers_that_the_benchmark_is_not_from_are_an_error() -> None:
    with pytest.raises(BadInput, match="give the papers that the benchmark was drawn from"):
        drawn_plants([flawed_paper()])


def test_labels_are_types_of_weaknesses() -> None:
    labels: set[Any] = {label for kind in FLAW_KINDS for label in LABELS[kind]}
    assert labels <= set(get_args(Weakness))
