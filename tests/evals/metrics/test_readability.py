"""Readability beside textstat itself, on the texts that ship: the papers' figures are textstat's."""

from __future__ import annotations

import pytest
from textstat.textstat import textstatistics

from evals.datasets.corpora import load_examples
from tools.readability import grade

SUMMARIES = {sample["id"]: sample["summary"] for sample in load_examples("journalism")}


@pytest.fixture(scope="module")
def textstat() -> textstatistics:
    itself = textstatistics()
    itself.set_lang("en_US")
    itself.set_rounding(rounding=False)
    return itself


@pytest.mark.parametrize("name", SUMMARIES)
def test_grades_of_the_summaries_are_those_of_textstat(name: str, textstat: textstatistics) -> None:
    text = SUMMARIES[name].replace("3.2", "3")  # textstat takes a decimal point for the end of a sentence; we do not
    assert grade(text) == {
        "cli": textstat.coleman_liau_index(text),
        "fkgl": textstat.flesch_kincaid_grade(text),
        "dcrs": textstat.dale_chall_readability_score(text),
        "ari": textstat.automated_readability_index(text),
        "words": textstat.lexicon_count(text),
    }


def test_a_decimal_point_ends_no_sentence(textstat: textstatistics) -> None:
    text = "The core of mud was 3.2 metres long. It was drilled from the frozen lake in the north."
    assert grade(text)["fkgl"] == textstat.flesch_kincaid_grade(text.replace("3.2", "3,2"))
    assert grade(text)["fkgl"] > textstat.flesch_kincaid_grade(text)


@pytest.mark.parametrize("sample", load_examples("journalism"), ids=lambda sample: sample["id"])
def test_plain_summaries_are_easier_than_abstracts(sample: dict[str, str]) -> None:
    easy, hard = grade(sample["summary"]), grade(sample["abstract"])
    assert all(easy[measure] < hard[measure] for measure in ("cli", "fkgl", "dcrs", "ari"))
