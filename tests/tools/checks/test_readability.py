"""Grades are textstat's, of the words without their Markdown."""

from __future__ import annotations

import pytest
import textstat
from hypothesis import given, settings
from hypothesis import strategies as st
from textstat.textstat import textstatistics

from evals.datasets.corpora import load_examples
from state.records import Readability
from tools.checks.readability import grade, mean_grade

PLAIN = "The cell makes energy. It burns sugar for its daily work."
SUMMARIES = {sample["id"]: sample["summary"] for sample in load_examples("journalism")}


def test_grades_of_a_small_text_are_the_formulas_by_hand() -> None:
    # 11 words, 2 sentences, 45 letters, 47 characters without spaces; 15 syllables (en-er-gy, sug-ar, dai-ly)
    scores = grade(PLAIN)

    assert scores["words"] == 11
    assert scores["cli"] == pytest.approx(0.058 * (100 * 45 / 11) - 0.296 * (100 * 2 / 11) - 15.8)
    assert scores["ari"] == pytest.approx(4.71 * 47 / 11 + 0.5 * 11 / 2 - 21.43)
    assert scores["fkgl"] == pytest.approx(0.39 * 11 / 2 + 11.8 * 15 / 11 - 15.59)


def test_plain_prose_is_graded_exactly_as_textstat_does() -> None:
    scores = grade(PLAIN)
    textstat.set_rounding(False)

    assert scores["dcrs"] == textstat.dale_chall_readability_score(PLAIN)
    assert scores["fkgl"] == textstat.flesch_kincaid_grade(PLAIN)
    assert scores["cli"] == textstat.coleman_liau_index(PLAIN)
    assert scores["ari"] == textstat.automated_readability_index(PLAIN)


def test_markup_does_not_change_the_grades() -> None:
    marked = """# The cell makes energy

> It **burns** [sugar](https://example.org/a-long-address) for its
> _daily_ `work`.
"""

    assert grade(marked) == grade(PLAIN)


def test_headings_and_list_items_end_a_sentence() -> None:
    listed = "## How cells get their energy\n\n- They burn all sugar\n- They burn some fat\n"
    written = "How cells get their energy. They burn all sugar. They burn some fat."

    assert grade(listed) == grade(written)


def test_a_heading_that_asks_gets_no_second_stop() -> None:
    assert grade("# Why do cells burn sugar?\n\nThey need energy to work.") == grade(
        "Why do cells burn sugar? They need energy to work."
    )


@pytest.mark.parametrize("text", ["", " \n", "...", "---", "# ", "**"])
def test_a_text_without_words_is_all_zeros(text: str) -> None:
    assert grade(text) == {"cli": 0.0, "fkgl": 0.0, "dcrs": 0.0, "ari": 0.0, "words": 0}


def test_one_word_is_graded() -> None:
    assert grade("Energy")["words"] == 1


def test_switches_of_the_shared_textstat_object_do_not_reach_our_grades() -> None:
    before = grade("Mitochondria metabolise carbohydrates continuously.")
    textstat.set_lang("de_DE")
    textstat.set_rounding(True, 0)
    try:
        after = grade("Mitochondria  metabolise carbohydrates continuously.")
    finally:
        textstat.set_lang("en_US")
        textstat.set_rounding(False)

    assert after == before


def test_harder_words_and_longer_sentences_raise_the_mean_grade() -> None:
    hard = "Heterodimeric transmembrane receptors orchestrate intracellular phosphorylation cascades notwithstanding."

    assert mean_grade(grade(hard)) > mean_grade(grade(PLAIN)) + 5


def test_the_mean_is_of_the_papers_three_measures() -> None:
    assert mean_grade(Readability(cli=9.0, fkgl=12.0, dcrs=6.0, ari=99.0, words=1)) == 9.0


@given(st.text())
@settings(deadline=None)
def test_any_text_can_be_graded(text: str) -> None:
    assert grade(text)["words"] >= 0


def test_a_decimal_point_ends_no_sentence() -> None:
    exact = grade("The rate of relapse was 17.5 per cent in the group that took 2.25 grams of the new drug a day.")
    rounded = grade("The rate of relapse was 17 per cent in the group that took 2 grams of the new drug a day.")
    assert exact["fkgl"] == pytest.approx(rounded["fkgl"], abs=0.5)


@pytest.fixture(scope="module")
def itself() -> textstatistics:
    statistics = textstatistics()
    statistics.set_lang("en_US")
    statistics.set_rounding(rounding=False)
    return statistics


@pytest.mark.parametrize("name", SUMMARIES)
def test_grades_of_the_summaries_are_those_of_textstat(name: str, itself: textstatistics) -> None:
    text = SUMMARIES[name].replace("3.2", "3")  # textstat takes a decimal point for the end of a sentence; we do not
    assert grade(text) == {
        "cli": itself.coleman_liau_index(text),
        "fkgl": itself.flesch_kincaid_grade(text),
        "dcrs": itself.dale_chall_readability_score(text),
        "ari": itself.automated_readability_index(text),
        "words": itself.lexicon_count(text),
    }


def test_only_textstat_takes_a_decimal_point_for_the_end_of_a_sentence(itself: textstatistics) -> None:
    text = "The core of mud was 3.2 metres long. It was drilled from the frozen lake in the north."
    assert grade(text)["fkgl"] == itself.flesch_kincaid_grade(text.replace("3.2", "3,2"))
    assert grade(text)["fkgl"] > itself.flesch_kincaid_grade(text)


@pytest.mark.parametrize("sample", load_examples("journalism"), ids=lambda sample: sample["id"])
def test_plain_summaries_are_easier_than_abstracts(sample: dict[str, str]) -> None:
    easy, hard = grade(sample["summary"]), grade(sample["abstract"])
    assert all(easy[measure] < hard[measure] for measure in ("cli", "fkgl", "dcrs", "ari"))
