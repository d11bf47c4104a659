"""The report in Markdown: its figures are those of the data, and it says plainly what is known and what is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from evals.datasets.corpora import load_examples
from evals.evaluation import Evaluation
from evals.reports.document import Picture, render_report_markdown
from evals.reports.report import build_evaluation_report, draw_figures
from evals.statistics import estimate_mean
from evals.task import Table, Task
from state.settings import JournalismContext
from tests.evals.tasks.test_tasks import PAPERS
from tests.support.report_files import header, lines, part, points, table
from tests.support.tea_task import CALL, PUBLISHED, SAMPLES, TABLE, TASK, run, sample, tea, usual_texts

every_task = pytest.mark.parametrize("task", PAPERS, ids=lambda task: task.name)
AGAINST = "Against plain × 1, Table 1, Tea"


def markdown(evaluation: Evaluation, pictures: Sequence[Picture] = ()) -> str:
    return render_report_markdown(build_evaluation_report(evaluation, pictures))


def test_the_figures_are_those_of_the_data(tmp_path: Path) -> None:
    counts = [4, 6, 8, 5, 7, 9, 3, 6]
    found = table(markdown(run(tmp_path, {"plain": [[tea(count)] for count in counts]})), "Table 1, Tea")
    _, low, high = estimate_mean([float(count) for count in counts])
    assert found["plain × 1"]["words ↓"] == f"6.0 [{low:.1f}, {high:.1f}]"
    assert found["plain × 1"]["letters ↓"].startswith(f"{sum(len(tea(count)) for count in counts)} [")
    assert found["plain × 1"]["n"] == "8"
    assert found["plain × 1"]["calls"] == "1 [1, 1]"
    assert found["the sources"]["calls"] == "-"


def test_the_papers_row_stands_below_ours_with_its_model_and_what_only_it_has_comes_last(tmp_path: Path) -> None:
    found = lines(markdown(run(tmp_path, usual_texts())), "Table 1, Tea")
    assert [line[0] for line in found] == [
        "the sources",
        "paper: their source",
        "plain × 1",
        "paper: their plain",
        "plain × 2",
        "clever",
        "paper: their clever (GPT-00)",
        "paper: GPT-0",
    ]
    assert found[3][1:] == ["", "9.0", "-", "50", "-"]


def test_rows_that_only_the_paper_has_stand_in_its_means_too(tmp_path: Path) -> None:
    samples = [sample("s0"), sample("s1", corpus="Coffee")]
    task = replace(TASK, tables=[replace(TABLE, published={"Tea": PUBLISHED, "Coffee": PUBLISHED})])
    text = markdown(run(tmp_path, usual_texts(2), samples=samples, task=task))
    means = table(text, "Table 1, mean over Tea, Coffee")
    assert means["paper: GPT-0"]["words ↓"] == "7.00"


@every_task
def test_every_report_of_a_task_has_all_rows_that_its_paper_printed_for_its_corpora(task: Task, tmp_path: Path) -> None:
    (example,) = load_examples(task.kind)[:1]
    corpora = {corpus for each in task.tables for corpus in each.published}
    samples = [{**example, "id": corpus, "corpus": corpus or "ours"} for corpus in corpora]
    text = markdown(run(tmp_path, {}, samples=samples, task=task, rows=[]))
    papers = {name for each in task.tables for rows in each.published.values() for name in rows}
    assert papers
    assert [name for name in papers if f"paper: {task.format_paper_row(name)} |" not in text] == []


def test_every_system_tells_its_extensions_and_what_makes_it(tmp_path: Path) -> None:
    assert lines(markdown(run(tmp_path, usual_texts())), "Extensions and settings of the rows") == [
        ["plain", "plain × 1; plain × 2", "none", "entries 2, target_grade null"],
        ["clever", "clever", "lost_details, apply_edits", ""],
    ]


def test_what_is_not_as_published_is_told_once_with_its_systems(tmp_path: Path) -> None:
    evaluation = run(tmp_path, usual_texts())
    for (_, system), output in evaluation.outputs.items():
        output["not_as_published"] = ["Tea is ours.", f"So is {system}."]
    said = ["plain, clever: Tea is ours.", "plain: So is plain.", "clever: So is clever."]
    assert points(markdown(evaluation), "Not as published") == said


DOES = Table("What it does", ["plain1", "clever"], ["leaves", "words"], baseline="plain1", comparison=True)


def test_a_comparison_without_anything_to_compare_is_left_out(tmp_path: Path) -> None:
    task = replace(TASK, tables=[TABLE, DOES])
    assert "What it does" not in markdown(run(tmp_path, {"clever": [[tea(4)]] * 8}, task=task))


def test_the_header_names_paper_models_seed_commit_and_samples(tmp_path: Path) -> None:
    head, _, _ = markdown(run(tmp_path, usual_texts())).partition("## In short")
    for said in ("# Tea time", "Leaf and Cup; GPT-0", "2026-01-02", "abc123", "seed 0", "Tea 8 of 16 (tea.jsonl)"):
        assert said in head
    assert "Model of simplifier: large (temperature 0.7, max_tokens 16384)" in head
    assert "127.0.0.1" not in head


def test_the_header_says_how_rows_of_a_preset_are_sampled(tmp_path: Path) -> None:
    of_paper = TASK.systems["plain"]._replace(context=JournalismContext(), preset="paper")
    as_set = TASK.systems["clever"]._replace(context=JournalismContext())
    task = replace(TASK, kind="journalism", systems={"plain": of_paper, "clever": as_set})
    model = {"model": "large", "base_url": "http://127.0.0.1/v1", "temperature": 0.0}
    evaluation = run(tmp_path, usual_texts(), task=task, models={"journalist": model}, settings={"extensions": []})
    head, _, _ = markdown(evaluation).partition("## In short")
    of_preset, of_run = (line for line in head.splitlines() if "Model of" in line)
    assert "journalist: large (top_p 0.4, frequency_penalty 1.0" in of_preset
    assert of_preset.endswith("(rows of the preset paper)")
    assert "journalist: large (temperature 0.0" in of_run


def test_what_is_beyond_chance_is_told_from_what_is_not(tmp_path: Path) -> None:
    texts = {
        "plain": [[tea(6), tea(5 + 2 * (number % 2))] for number in range(8)],
        "clever": [[tea(4)]] * 8,
    }
    text = markdown(run(tmp_path, texts))
    assert points(text, AGAINST) == [
        "plain × 2: not beyond chance: words, leaves, calls.",
        "clever: better in words; not beyond chance: leaves, calls.",
    ]
    figures = table(text, AGAINST)
    assert figures["clever"]["words ↓"] == "-2.0 [-2.0, -2.0], p = 0.016"
    assert figures["plain × 2"]["words ↓"].endswith("p = 1.000")
    assert figures["clever"]["n"] == "8"
    assert "1 of 6 differences to plain × 1 are beyond chance" in part(text, "In short")


@pytest.mark.parametrize(
    ("clever", "said"),
    [
        ("leaf leaf leaf leaf", "better in words, leaves; not beyond chance: calls"),
        (tea(9), "worse in words; not beyond chance: leaves, calls"),
    ],
)
def test_better_is_what_the_measure_says(tmp_path: Path, clever: str, said: str) -> None:
    text = markdown(run(tmp_path, {"plain": [[tea(6)]] * 8, "clever": [[clever]] * 8}))
    assert points(text, AGAINST) == [f"clever: {said}."]


def test_a_measure_without_a_direction_is_only_higher_or_lower(tmp_path: Path) -> None:
    measures = [replace(TASK.measures[0], better="neither"), *TASK.measures[1:]]
    text = markdown(run(tmp_path, usual_texts(), task=replace(TASK, measures=measures)))
    assert "clever: lower in words;" in part(text, AGAINST)
    assert "words" in header(text, "Table 1, Tea")


def test_one_sample_has_no_interval_and_decides_nothing(tmp_path: Path) -> None:
    text = markdown(run(tmp_path, usual_texts(1, clever=8), samples=SAMPLES[:1]))
    assert table(text, "Table 1, Tea")["plain × 1"]["words ↓"] == "6.0"
    assert table(text, AGAINST)["clever"]["words ↓"] == "+2.0, p = 1.000"
    assert "0 of 6 differences" in part(text, "In short")


def test_a_stopped_run_says_what_is_missing(tmp_path: Path) -> None:
    text = markdown(run(tmp_path, {"plain": [[tea(6), tea(5)]] * 8, "clever": [[tea(4)]] * 5}))
    assert "Not finished: 3 of 16 runs are missing" in part(text, "In short")
    assert table(text, "Table 1, Tea")["clever"]["n"] == "5"


def test_without_the_baseline_nothing_is_compared_and_the_report_says_so(tmp_path: Path) -> None:
    text = markdown(run(tmp_path, {"clever": [[tea(4)]] * 8}))
    assert "nothing is compared, because plain × 1 was not run" in part(text, "In short")
    assert "Against" not in text


def test_what_failed_is_listed_with_its_error_and_how_to_try_it_again(tmp_path: Path) -> None:
    errors = {("s7", "clever"): "model_output: It is no JSON.", ("s6", "clever"): "It failed. " * 100}
    text = markdown(run(tmp_path, {"plain": [[tea(6)]] * 8, "clever": [[tea(4)]] * 6}, errors=errors))
    assert "Failed: 2 of 16 runs" in part(text, "In short")
    assert "draftroom eval resume" in part(text, "What failed")
    assert points(text, "What failed") == [
        "s7, clever: model_output: It is no JSON.",
        f"s6, clever: {'It failed. ' * 26}It [...]",
    ]
    assert "Not finished" not in text


def test_fewer_values_than_texts_are_counted(tmp_path: Path) -> None:
    measure = replace(TASK.measures[0], score=lambda item: float(len(item.text)) if item.text else None)
    task = replace(TASK, measures=[measure, *TASK.measures[1:]])
    found = table(markdown(run(tmp_path, {"plain": [[tea(1)]] * 6 + [[""]] * 2}, task=task)), "Table 1, Tea")
    assert found["plain × 1"]["words ↓"] == "3.0 [3.0, 3.0], n = 6"
    assert found["plain × 1"]["n"] == "8"


def test_several_corpora_have_a_mean_beside_the_papers(tmp_path: Path) -> None:
    samples = [sample(f"{corpus}{number}", corpus) for corpus in ("Tea", "Mate") for number in range(2)]
    published = {"Tea": {"their plain": {"words": 9.0, "letters": 30.0}}, "Mate": {"their plain": {"words": 7.0}}}
    task = replace(TASK, tables=[replace(TABLE, published=published)])
    texts = {"plain": [[tea(6)], [tea(6)], [tea(3)], [tea(3)]]}
    text = markdown(run(tmp_path, texts, samples=samples, task=task))
    found = table(text, "Table 1, mean over Tea, Mate")
    letters = (2 * len(tea(6)) + 2 * len(tea(3))) / 2
    assert found["plain × 1"]["words ↓"] == "4.50"
    assert found["plain × 1"]["Avg."] == f"{(4.5 + letters) / 2:.2f}"
    assert found["paper: their plain"]["words ↓"] == "8.00"
    assert found["paper: their plain"]["Avg."] == "-"
    assert "Avg. is the mean of words, letters" in part(text, "Table 1, mean over Tea, Mate")
    assert "clever" not in found


def test_a_plot_is_named_in_a_few_words(tmp_path: Path) -> None:
    evaluation = run(tmp_path, usual_texts(), samples=[sample(f"s{number}", corpus="T[1]") for number in range(8)])
    text = markdown(evaluation, pictures=draw_figures(evaluation))
    assert "![Figure: Figure 1, T(1)](figures/figure-1.svg)" in text


@every_task
def test_models_are_named_of_rows_that_the_paper_prints(task: Task) -> None:
    printed = {row for each in task.tables for rows in each.published.values() for row in rows}
    assert task.papers_models.keys() <= printed


def test_costs_are_per_sample_and_summed_up_by_system(tmp_path: Path) -> None:
    expert = {**CALL, "role": "medical_expert", "input_tokens": 3000, "reask": True, "trims": [{}]}
    text = markdown(run(tmp_path, {"plain": [[tea(6)]] * 8}, calls=[CALL, CALL, expert]))
    found = {line[1]: line for line in lines(text, "What it cost")}
    names, figures = (1, 2, 3), slice(4, None)
    assert found["simplifier"][figures] == ["2.0", "2,000", "100", "3.0", "0", "0"]
    assert found["medical expert"][figures] == ["1.0", "3,000", "50", "1.5", "8", "8"]
    assert found["all"][figures] == ["3.0", "5,000", "150", "4.5", "8", "8"]
    assert [found["simplifier"][place] for place in names] == ["simplifier", "large", "8"]


def test_text_of_models_and_files_stays_text(tmp_path: Path) -> None:
    error = "bad | <script>alert(1)</script>\n# Title\n![x](http://evil.example/x.png) \x1b[31m \\](x) <!-- 茶"
    samples = [sample("a|b <b>", corpus="T]: <i>"), *SAMPLES[1:]]
    text = markdown(run(tmp_path, {}, samples=samples, errors={("a|b <b>", "plain"): error}))
    for hostile in ("<script", "</script", "<b>", "<i>", "[x](http", "]: <", "\n# Title", "\x1b"):
        assert hostile not in text
    assert "a\\|b &lt;b>, plain: bad \\| &lt;script>alert(1)" in text
    assert "\\\\\\](x) &lt;!-- 茶\n" in text
    assert "p < 0.05 in a paired randomisation test" in text
