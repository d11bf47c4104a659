"""Rows are scored with intervals, compared sample by sample, and their order is held against the paper's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evals.evaluation import ScoredTable, SystemOutputs, collect_row_items, score_table
from evals.task import Item, Measure, Row, Table, Task

SAMPLES = [{"id": str(number), "corpus": "tea", "text": "source"} for number in range(8)]


def taken(sample: Mapping[str, Any], output: Mapping[str, Any]) -> Item | None:
    """The output's text; a system may have none."""
    return Item(dict(sample), output["text"], dict(output)) if output["text"] is not None else None


ROWS = [
    Row("source", "the source", lambda sample, _: Item(sample, sample["text"], {}), paper="their source"),
    Row("plain", "plain", taken, system="plain", paper="their plain"),
    Row("clever", "clever", taken, system="clever", paper="their clever"),
    Row("other", "other", taken, system="other"),
]
LENGTH = Measure("length", "lower", lambda item: float(len(item.text)))
TOTAL = Measure("total", "higher", statistic=lambda items: float(sum(len(item.text) for item in items)))
VOWELS = Measure("vowels", "neither", lambda item: float(item.text.count("a")) if item.output else None)


def table(published: Mapping[str, Mapping[str, Mapping[str, float]]]) -> Table:
    return Table("Table 1", [row.name for row in ROWS], ["length", "total", "vowels"], published, baseline="plain")


def scored(
    texts: Mapping[str, Sequence[str | None]], published: Mapping[str, Mapping[str, Mapping[str, float]]] | None = None
) -> ScoredTable:
    """Scores of systems by their texts, one a sample."""
    one = table(published or {})
    task = Task("t", "journalism", "Us", (), {}, ROWS, [], [LENGTH, TOTAL, VOWELS], [one], [], lambda *_: "")
    return score_table(task, one, "tea", SAMPLES, outputs(texts), seed=0)


def outputs(texts: Mapping[str, Sequence[str | None]]) -> SystemOutputs:
    return {
        (sample["id"], system): {"text": text}
        for system, found in texts.items()
        for sample, text in zip(SAMPLES, found, strict=False)
    }


def test_a_cell_is_the_mean_over_the_samples_within_its_interval() -> None:
    line = scored({"plain": ["a", "aaa"]}).find_row("plain")
    assert line is not None
    assert line.cells["length"].value == 2.0
    assert 1.0 <= line.cells["length"].low <= 2.0 <= line.cells["length"].high <= 3.0
    assert line.values["length"] == {"0": 1.0, "1": 3.0}


def test_a_statistic_is_of_all_texts_at_once() -> None:
    line = scored({"plain": ["a", "aaa"]}).find_row("plain")
    assert line is not None
    assert line.cells["total"].value == 4.0
    assert "total" not in line.values


def test_a_measure_that_does_not_apply_leaves_no_cell() -> None:
    line = scored({}).find_row("source")
    assert line is not None
    assert set(line.cells) == {"length", "total"}


def test_rows_that_were_not_run_or_have_no_text_are_left_out() -> None:
    found = scored({"plain": ["a"], "clever": [None, None]})
    assert [line.row.name for line in found.lines] == ["source", "plain"]
    assert collect_row_items(ROWS[2], SAMPLES, outputs({"clever": [None, "b"]}))[0].sample["id"] == "1"


def test_a_row_is_compared_over_the_samples_that_both_have() -> None:
    found = scored({"plain": ["a", "a", "a"], "clever": [None, "aaa", "aaaaa", "never compared"]})
    (contrast,) = [each for each in found.contrasts if each.measure.name == "length"]
    assert (contrast.row.name, contrast.baseline.name, contrast.test.samples) == ("clever", "plain", 2)
    assert contrast.test.difference.value == 3.0


def test_chance_is_told_from_what_is_beyond_it() -> None:
    found = scored({"plain": ["a"] * 8, "clever": ["aaa"] * 8, "other": ["aa", ""] * 4})
    p_values = {each.row.name: each.test.p_value for each in found.contrasts if each.measure.name == "length"}
    assert p_values["clever"] < 0.05
    assert p_values["other"] > 0.5


def test_the_texts_of_a_corpus_are_no_competitors() -> None:
    assert {each.row.name for each in scored({"plain": ["a"], "clever": ["b"]}).contrasts} == {"clever"}


def test_there_is_nothing_to_compare_without_the_baseline() -> None:
    assert scored({"clever": ["a"]}).contrasts == []
