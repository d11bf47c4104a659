"""Labels of two corpora become those of the classifiers, and no sentence is learnt that is measured on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from state.errors import InputError
from tests.support.corpus_files import write_lines
from training.review_filters.labelled_sentences import (
    LabelledSentence,
    map_peer_review_aspect,
    read_sentence_split,
)

SOUNDNESS = "Empirical and Theoretical Soundness"
NEUTRAL = [("Introduction", "NEU"), ("Methodology", "NEU")]


@pytest.mark.parametrize(
    ("text", "aspects", "sections", "aspect"),
    [
        ("The proof is wrong.", ["Empirical/Theoretical Soundness"], NEUTRAL, SOUNDNESS),
        ("Typo in line 3.", ["Presentation & Formatting"], NEUTRAL, "Clarity"),
        ("Hard to read.", ["Presentation & Formatting", "Clarity (Writing & Composition)"], NEUTRAL, "Clarity"),
        ("This matters.", ["Significance/Impact"], NEUTRAL, "Motivation"),
        ("Nothing new.", ["Originality/Novelty"], NEUTRAL, "Originality"),
        ("Nothing new, and wrong.", ["Originality/Novelty", "Empirical/Theoretical Soundness"], NEUTRAL, None),
        ("Reject.", ["Recommendation"], [("Overall", "NEG")], None),
        ("Off topic, and wrong.", ["Appropriateness", "Empirical/Theoretical Soundness"], NEUTRAL, None),
        ("The paper proposes a network.", [], NEUTRAL, "Summary"),
        ("Does the paper propose it?", [], NEUTRAL, None),
        ("The paper proposes a good network.", [], [("Introduction", "POS")], None),
        ("See below.", [], [("Overall", "NEU")], None),
    ],
)
def test_aspects_of_peer_review_analyze(
    text: str, aspects: list[str], sections: list[tuple[str, str]], aspect: str | None
) -> None:
    assert map_peer_review_aspect(text, aspects, sections) == aspect


@pytest.mark.parametrize(
    "text",
    [
        "The results are not reproducible.",
        "Will you release the source code?",
        "The code is not publicly available.",
        "Many experimental details are missing.",
        "Give details of the training.",
        "What learning rate was used for which layer?",
        "It is hard to reproduce this.",
    ],
)
def test_replicability_is_found_by_its_words(text: str) -> None:
    found = map_peer_review_aspect(text, ["Empirical/Theoretical Soundness", "Substance"], NEUTRAL)

    assert found == "Replicability"


@pytest.mark.parametrize(
    "text",
    [
        "The data is mapped to a reproducing kernel Hilbert space.",
        "How sensitive are the results to the learning rate?",
        "The technical details are correct.",
        "The learning rate is low.",
    ],
)
def test_other_sentences_are_not_taken_for_replicability(text: str) -> None:
    assert map_peer_review_aspect(text, ["Substance"], NEUTRAL) == "Substance"


def purpose(split: str, paper: str, text: str = "Good.") -> dict[str, Any]:
    return {"paper_id": paper, "text": text, "label": "Strength", "split": split}


def aspects(paper: str) -> dict[str, Any]:
    labels = {"aspect_labels": [["Substance", "NEG"]], "section_labels": [["Overall", "NEG"]]}
    return {"paper_id": paper, "text": "Too little.", **labels}


def test_purposes_keep_the_split_of_their_corpus(tmp_path: Path) -> None:
    lines = [purpose("train", "p1"), purpose("dev", "p2", " Well done. "), purpose("test", "p3")]

    split = read_sentence_split("purpose", write_lines(tmp_path / "data", lines))

    assert split.train == [LabelledSentence("Good.", "Strength", "p1")]
    assert split.dev == [LabelledSentence("Well done.", "Strength", "p2")]


def test_aspects_are_split_by_paper_and_always_in_the_same_way(tmp_path: Path) -> None:
    papers = [f"paper {number}" for number in range(60)]
    path = write_lines(tmp_path / "data", [aspects(paper) for paper in papers + papers])
    reordered = write_lines(tmp_path / "reordered", [aspects(paper) for paper in reversed(papers)])

    split = read_sentence_split("aspect", path)

    dev = {each.paper_id for each in split.dev}
    assert 4 <= len(dev) <= 18  # one of six
    assert dev.isdisjoint(each.paper_id for each in split.train)
    assert dev == {each.paper_id for each in read_sentence_split("aspect", reordered).dev}


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ({"paper_id": "p1", "text": "Good.", "label": "Praise", "split": "train"}, "`label`"),
        ({"paper_id": "p1", "text": " ", "label": "Strength", "split": "train"}, "`text`"),
        ({"paper_id": "p1", "text": "Good.", "label": "Strength"}, "`split`"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: dict[str, Any], problem: str) -> None:
    path = write_lines(tmp_path / "data", [purpose("train", "p1"), line])

    with pytest.raises(InputError, match=f"Line 2 of .*{problem}"):
        read_sentence_split("purpose", path)


def test_a_paper_in_both_parts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'p1' in both train and dev"):
        read_sentence_split("purpose", write_lines(tmp_path / "data", [purpose("train", "p1"), purpose("dev", "p1")]))


@pytest.mark.parametrize(("given", "lacking"), [("train", "dev"), ("dev", "train")])
def test_a_part_without_sentences_is_refused(tmp_path: Path, given: str, lacking: str) -> None:
    with pytest.raises(InputError, match=f"no labelled sentences for {lacking}"):
        read_sentence_split("purpose", write_lines(tmp_path / "data", [purpose(given, "p1")]))
