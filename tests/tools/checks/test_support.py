"""Sentences that a source does not seem to say are named."""

from __future__ import annotations

from tools.checks.support import MIN_SIMILARITY, list_support_warnings, score_sentence_similarity
from tools.documents.reading import read_document

SOURCE = (
    "Compared with placebo, tesorterol reduced the rate of severe exacerbations in adults with bronchitis. "
    "Tremor occurred in 7% of participants who received tesorterol. "
    "Mortality did not differ between the groups."
)
SAID = "Fewer adults with bronchitis had severe exacerbations with tesorterol than with placebo."
FOREIGN = "Mosses on old stone walls store the water of a rainy night for many days."


def test_a_sentence_that_the_source_does_not_say_is_named() -> None:
    warnings = list_support_warnings(f"# Walls Of Stone\n\n{SAID} {FOREIGN}", read_document(SOURCE))

    assert warnings == [f'the source does not seem to say this: "{FOREIGN}"']


def test_what_the_source_says_is_near_it() -> None:
    assert [cosine > MIN_SIMILARITY for _, cosine in score_sentence_similarity(f"{SAID} {FOREIGN}", SOURCE)] == [
        True,
        False,
    ]


def test_a_text_without_sentences_has_none_to_name() -> None:
    assert score_sentence_similarity("# Only A Title", SOURCE) == []
