"""Sentences that a source does not seem to say are named."""

from __future__ import annotations

from tools.checks.support import MARKED_BELOW, nearness, unsupported_sentences
from tools.documents.reading import read_document

SOURCE = (
    "Compared with placebo, tesorterol reduced the rate of severe exacerbations in adults with bronchitis. "
    "Tremor occurred in 7% of participants who received tesorterol. "
    "Mortality did not differ between the groups."
)
SAID = "Fewer adults with bronchitis had severe exacerbations with tesorterol than with placebo."
FOREIGN = "Mosses on old stone walls store the water of a rainy night for many days."


def test_a_sentence_that_the_source_does_not_say_is_named() -> None:
    warnings = unsupported_sentences(f"# Walls Of Stone\n\n{SAID} {FOREIGN}", read_document(SOURCE))

    assert warnings == [f'the source does not seem to say this: "{FOREIGN}"']


def test_what_the_source_says_is_near_it() -> None:
    assert [cosine > MARKED_BELOW for _, cosine in nearness(f"{SAID} {FOREIGN}", SOURCE)] == [True, False]


def test_a_text_without_sentences_has_none_to_name() -> None:
    assert nearness("# Only A Title", SOURCE) == []
