"""Grades are textstat's, of the words without their Markdown."""

from __future__ import annotations

import pytest
import textstat
from hypothesis import given, settings
from hypothesis import strategies as st
from textstat.textstat import textstatistics

from evals.datasets.corpora import load_examples
from state.records import Readability
from tools.checks.readability import compute_mean_grade, compute_readability

PLAIN = "The cell makes energy. It burns sugar for its daily work."
SUMMARIES = {sample["id"]: sample["summary"] for sample in load_examples("journalism")}


def test_markup_and_the_headline_do_not_change_the_grades() -> None:
    marked = """# Mitochondrial bioenergetics

The cell makes energy.

> It **burns** [sugar](https://example.org/a-long-address) for its
> _daily_ `work`.
"""

    assert compute_readability(marked) == compute_readability(PLAIN)


def test_headings_and_list_items_end_a_sentence() -> None:
    listed = "## How do cells get their energy?\n\n- They burn all sugar\n- They burn some fat\n"
    written = "How do cells get their energy? They burn all sugar. They burn some fat."

    assert compute_readability(listed) == compute_readability(written)


@pytest.mark.parametrize("text", ["", " \n", "...", "---", "# ", "**"])
def test_a_text_without_words_is_all_zeros(text: str) -> None:
    assert compute_readability(text) == {"cli": 0.0, "fkgl": 0.0, "dcrs": 0.0, "ari": 0.0, "words": 0}


def test_switches_of_the_shared_textstat_object_do_not_reach_our_grades() -> None:
    before = compute_readability("Mitochondria metabolise carbohydrates continuously.")
    textstat.set_lang("de_DE")
    textstat.set_rounding(True, 0)
    try:
        after = compute_readability("Mitochondria  metabolise carbohydrates continuously.")
    finally:
        textstat.set_lang("en_US")
        textstat.set_rounding(False)

    assert after == before


def test_the_mean_is_of_the_papers_three_measures() -> None:
    assert compute_mean_grade(Readability(cli=9.0, fkgl=12.0, dcrs=6.0, ari=99.0, words=1)) == 9.0


@given(st.text())
@settings(deadline=None)
def test_any_text_can_be_graded(text: str) -> None:
    assert compute_readability(text)["words"] >= 0


@pytest.fixture(scope="module")
def itself() -> textstatistics:
    statistics = textstatistics()
    statistics.set_lang("en_US")
    statistics.set_rounding(rounding=False)
    return statistics


@pytest.mark.parametrize("name", SUMMARIES)
def test_grades_of_the_summaries_are_those_of_textstat(name: str, itself: textstatistics) -> None:
    text = SUMMARIES[name].replace("3.2", "3")  # textstat takes a decimal point for the end of a sentence; we do not
    assert compute_readability(text) == {
        "cli": itself.coleman_liau_index(text),
        "fkgl": itself.flesch_kincaid_grade(text),
        "dcrs": itself.dale_chall_readability_score(text),
        "ari": itself.automated_readability_index(text),
        "words": itself.lexicon_count(text),
    }


def test_only_textstat_takes_a_decimal_point_for_the_end_of_a_sentence(itself: textstatistics) -> None:
    text = "The core of mud was 3.2 metres long. It was drilled from the frozen lake in the north."
    assert compute_readability(text)["fkgl"] == itself.flesch_kincaid_grade(text.replace("3.2", "3,2"))
    assert compute_readability(text)["fkgl"] > itself.flesch_kincaid_grade(text)


@pytest.mark.parametrize(
    "short", ["vs. Smith", "i.e. this", "e.g. Ants", "approx. 5 or 6", "Fig. 3", "Ant et al. 2019"]
)
def test_an_abbreviation_ends_no_sentence(short: str) -> None:
    assert compute_readability(f"We looked at {short} in the sea.") == compute_readability(
        f"We looked at {short.replace('.', ',')} in the sea."
    )
