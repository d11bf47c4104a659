"""METEOR against NLTK's documented example and by hand, without WordNet and with a small one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import strategies as st

from evals.metrics import compute_meteor

ROOT = Path(__file__).parents[3]

HYPOTHESIS = "It is a guide to action which ensures that the military always obeys the commands of the party"
REFERENCE = "It is a guide to action that ensures that the military will forever heed Party commands"
"""All from the documentation of `nltk.translate.meteor_score`."""

words = st.lists(st.sampled_from(["the", "cat", "cats", "ran", "running", "Ωmega", "7"]), min_size=1, max_size=9)


def by_hand(matches: int, chunks: int, words: int, reference: int) -> float:
    """The formula of Lavie and Agarwal with their parameters."""
    precision, recall = matches / words, matches / reference
    mean = precision * recall / (0.9 * precision + 0.1 * recall)
    return 100 * mean * (1 - 0.5 * (chunks / matches) ** 3)


def test_the_documented_example() -> None:
    assert compute_meteor(HYPOTHESIS, REFERENCE).score == pytest.approx(
        69.44, abs=0.005
    )  # no synonyms are needed for it


def test_stems_match_and_gaps_cost() -> None:
    # "the", "running" and, by its stem, "cats": two chunks
    score = compute_meteor("the cats were running", "the cat was running away today").score
    assert score == pytest.approx(by_hand(3, 2, 4, 6))


@pytest.mark.parametrize(("text", "reference"), [("", "the cat"), ("the cat", ""), ("", ""), ("...", "a dog")])
def test_nothing_in_common_scores_nothing(text: str, reference: str) -> None:
    assert compute_meteor(text, reference).score == 0


def test_case_punctuation_and_the_way_accents_are_written_do_not_count() -> None:
    same = by_hand(3, 1, 3, 3)
    assert compute_meteor("“NAÏVE” café: 7", "nai\u0308ve cafe\u0301 7").score == pytest.approx(same)
    assert compute_meteor("ΑΒΓ, 東京 7!", "αβγ 東京 7").score == pytest.approx(same)


def scored_apart(folder: Path, text: str, reference: str) -> str:
    """What a process prints that finds NLTK's data in `folder` or nowhere."""
    code = f"from evals.metrics import compute_meteor; print(*compute_meteor({text!r}, {reference!r}))"
    finished = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "NLTK_DATA": str(folder), "HOME": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    return finished.stdout.strip()


def small_wordnet(folder: Path) -> None:
    """A WordNet with one synset, in the files and the format of WordNet 3.0."""
    wordnet = folder / "corpora" / "wordnet"
    wordnet.mkdir(parents=True)
    names = [f"{kind}.{part}" for part in ("adj", "adv", "noun", "verb") for kind in ("index", "data")]
    for name in [*names, "cntlist.rev", "index.sense", "adj.exc", "adv.exc", "noun.exc", "verb.exc"]:
        (wordnet / name).write_text("")
    (wordnet / "lexnames").write_text("00\tnoun.act\t1\n")
    (wordnet / "data.noun").write_text("00000000 00 n 02 command 0 order 0 000 | what is to be done\n")
    (wordnet / "data.adj").write_text("  1 WordNet 3.0 Copyright\n")
    (wordnet / "index.noun").write_text("command n 1 0 1 0 00000000\norder n 1 0 1 0 00000000\n")


def test_synonyms_match_where_wordnet_is_installed(tmp_path: Path) -> None:
    small_wordnet(tmp_path)
    score, stages = scored_apart(tmp_path, "the orders", "the commands").split()
    assert (float(score), stages) == (pytest.approx(by_hand(2, 1, 2, 2)), "exact+stem+synonym")


def test_without_wordnet_the_other_stages_run_and_say_so(tmp_path: Path) -> None:
    score, stages = scored_apart(tmp_path, "the orders", "the commands").split()
    assert (float(score), stages) == (pytest.approx(by_hand(1, 1, 2, 2)), "exact+stem")
