"""The support score, on sentences that a source says, does not say, and says otherwise."""

from __future__ import annotations

import pytest

from tools.checks.support import is_definition, supported_sentences, unsupported_sentences
from tools.documents.reading import read_document

SOURCE = (
    "Compared with placebo, tesorterol reduced the rate of severe exacerbations in adults with bronchitis. "
    "Tremor occurred in 7% of participants who received tesorterol. "
    "Pneumonia was less frequent with tesorterol than with budesonide. "
    "Mortality did not differ between the groups."
)


def test_what_the_source_says_scores_higher_than_what_it_does_not() -> None:
    said = "Fewer adults with bronchitis had severe exacerbations with tesorterol than with placebo."
    foreign = "Mosses on old stone walls store the water of a rainy night for many days."
    scores = [one.score for one in supported_sentences(f"{said} {foreign}", SOURCE)]
    assert scores[0] > 0.5 > scores[1]


def test_a_changed_number_lowers_the_score() -> None:
    right, wrong = supported_sentences(
        "Tremor occurred in 7% of people who took tesorterol. Tremor occurred in 43% of people who took tesorterol.",
        SOURCE,
    )
    assert wrong.score < right.score


def test_a_sentence_of_the_source_itself_is_supported() -> None:
    assert all(one.score > 0.5 for one in supported_sentences(SOURCE, SOURCE))


def test_headings_are_not_scored() -> None:
    assert [one.sentence for one in supported_sentences("# Walls Of Stone\n\nMosses grow here.", SOURCE)] == [
        "Mosses grow here."
    ]


def test_a_sentence_that_the_source_does_not_say_is_named() -> None:
    foreign = "Mosses on old stone walls store the water of a rainy night."
    text = f"Tesorterol reduced severe exacerbations in adults with bronchitis. {foreign}"
    warnings = unsupported_sentences(text, read_document(SOURCE))
    assert warnings == [f'the source does not seem to say this: "{foreign}"']


def test_a_text_without_sentences_has_no_scores() -> None:
    assert supported_sentences("# Only A Title", SOURCE) == []


@pytest.mark.parametrize(
    ("sentence", "definition"),
    [
        ("Tremor is a kind of shaking that nobody can stop.", True),
        ("This shaking is called tremor.", True),
        ("We found that tremor is a kind of side effect.", False),
        ("Tesorterol reduced exacerbations.", False),
    ],
)
def test_explanations_of_terms_are_told_from_findings(sentence: str, definition: bool) -> None:
    assert is_definition(sentence) is definition
