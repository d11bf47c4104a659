"""Rows of SoMS' tables, from made-up outputs of its systems."""

from __future__ import annotations

from typing import Any

import pytest

from evals.evaluation import ScoredRow, ScoredTable, score_table
from evals.metrics import compute_corpus_bleu, compute_rouge, compute_sari
from evals.task import Table
from evals.tasks.medical_simplification import MEDICAL_SIMPLIFICATION, SYSTEMS, TABLE_1, TABLE_2
from state.settings import Settings

SAMPLES: list[dict[str, Any]] = [
    {
        "id": "one",
        "corpus": "Cochrane",
        "source": "We included 54 trials. Interferon did not improve survival in patients with hepatitis.",
        "target": "We found 54 studies. Interferon did not help people with hepatitis to live longer.",
    },
    {
        "id": "two",
        "corpus": "Cochrane",
        "source": "Aspirin was administered to 212 adults. Haemorrhage was observed in 3.5% of them.",
        "target": "212 adults took aspirin. Some of them had a bleeding.",
    },
]


def output(*texts: str, problem: str = "") -> dict[str, Any]:
    """What a run leaves: three calls an entry, one of them a re-ask; `problem` is that of the last entry."""
    numbers = range(1, len(texts) + 1)
    lost = {"kind": "number", "text": "54", "sentence": "We included 54 trials."}
    return {
        "versions": [
            {"number": 0, "text": "never looked at", "lost": []},
            *({"number": n, "text": text, "lost": [lost] * n} for n, text in zip(numbers, texts, strict=True)),
        ],
        "selected_version": len(texts),
        "calls": [{"round": number, "reask": reask} for number in numbers for reask in (False, False, True)],
        "history": [{"entry": number, "problem": problem if number == len(texts) else ""} for number in numbers],
    }


def scored(outputs: dict[tuple[str, str], dict[str, Any]], table: Table = TABLE_1) -> ScoredTable:
    return score_table(MEDICAL_SIMPLIFICATION, table, "Cochrane", SAMPLES, outputs, seed=0)


def line(name: str, outputs: dict[tuple[str, str], dict[str, Any]], table: Table = TABLE_1) -> ScoredRow:
    found = scored(outputs, table).find_row(name)
    assert found is not None
    return found


def values(name: str, outputs: dict[tuple[str, str], dict[str, Any]]) -> dict[str, float]:
    return {measure: cell.value for measure, cell in line(name, outputs).cells.items()}


def test_a_row_is_the_mean_of_its_texts() -> None:
    texts = ["We saw 54 studies. Interferon did not help.", "Aspirin made 3.5% of 212 adults bleed."]
    outputs = {("one", "single"): output(texts[0]), ("two", "single"): output(texts[1])}
    found = {**values("single", outputs), **{k: c.value for k, c in line("single", outputs, TABLE_2).cells.items()}}
    scores = [compute_sari(each["source"], text, [each["target"]]) for each, text in zip(SAMPLES, texts, strict=True)]
    overlaps = [compute_rouge(text, each["target"]) for each, text in zip(SAMPLES, texts, strict=True)]
    for part, name in enumerate(("SARI", "KEEP", "DELETE", "ADD")):
        assert found[name] == pytest.approx((scores[0][part] + scores[1][part]) / 2)
    assert found["ROUGE-1"] == pytest.approx((overlaps[0].rouge1 + overlaps[1].rouge1) / 2)
    assert found["ROUGE-2"] == pytest.approx((overlaps[0].rouge2 + overlaps[1].rouge2) / 2)
    assert found["BLEU"] == pytest.approx(compute_corpus_bleu(texts, [sample["target"] for sample in SAMPLES]))
    assert found["words"] == 7.5


def test_each_entry_of_the_layperson_is_a_row_with_what_it_took_until_then() -> None:
    outputs = {("one", "layperson"): output("One.", "One two.", "One two three.", problem="no usable answer")}
    found = [values(f"layperson{number}", outputs) for number in (1, 2, 3)]
    assert [each["words"] for each in found] == [1, 2, 3]
    assert [each["lost"] for each in found] == [1, 2, 3]
    assert [each["calls"] for each in found] == [3, 6, 9]
    assert [each["re-asks"] for each in found] == [1, 2, 3]
    assert [each["problems"] for each in found] == [0, 0, 1]


def test_a_society_is_seen_after_its_last_entry() -> None:
    texts = ["One.", "One two.", "One two three.", "One.", "One two.", "Now it is all of six."]
    outputs = {("one", "society1"): output(*texts[:3]), ("one", "society2"): output(*texts)}
    assert values("society1", outputs)["words"] == 3
    assert values("society2", outputs)["words"] == 6


def test_a_run_that_ended_early_gives_its_last_version() -> None:
    found = values("layperson3", {("one", "layperson"): output("One.", "One two.")})
    assert (found["words"], found["calls"]) == (2, 6)


def test_source_and_reference_have_no_sari_but_their_readability() -> None:
    source, reference = values("source", {}), values("reference", {})
    assert not {"SARI", "calls", "problems"} & (source.keys() | reference.keys())
    assert source["FKGL"] > reference["FKGL"]
    assert source["ROUGE-1"] < reference["ROUGE-1"] == 100
    assert (source["lost"], reference["lost"]) == (0, 0.5)  # the 3.5%


@pytest.mark.parametrize("system", sorted(SYSTEMS.keys() - {"as-set"}))
def test_a_row_of_the_paper_ends_after_a_fixed_number_of_entries_and_has_no_target(system: str) -> None:
    of_user = {
        "extensions": ["apply_edits"],
        "stop": "adaptive",
        "target_grade": 7.0,
        "max_words": 100,
        "accuracy_check": False,
    }
    contrary = {**of_user, "revision_rounds": 1, "variant": "single", "entries": 9, "limits": {"wordings": 1}}
    settings = Settings(**SYSTEMS[system].build_settings(contrary))
    chosen = settings.simplification
    assert (chosen.stop, chosen.accuracy_check, chosen.revision_rounds) == ("fixed", True, 3)
    assert chosen.variant == ("single" if system == "single" else "society")
    assert chosen.entries <= 3
    assert (chosen.target_grade, chosen.max_words) == (None, None)
    assert settings.limits == Settings().limits


def test_a_row_as_set_has_all_settings_of_the_run() -> None:
    of_user = {"extensions": ["apply_edits"], "stop": "adaptive", "target_grade": 7.0, "entries": 1}
    assert SYSTEMS["as-set"].build_settings(of_user) == {"simplification": of_user}
