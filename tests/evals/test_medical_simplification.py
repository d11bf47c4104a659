"""The tables of the evaluation from made-up results, and the whole of it against the fake endpoint."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from evals.medical_simplification import COLUMNS, table
from evals.metrics.overlap import bleu, rouge
from evals.metrics.sari import sari
from tests.fake_endpoint import FakeEndpoint, RecordedRequest, Reply, Status, fill
from tools.jobs import read_records

ROOT = Path(__file__).parents[2]

SAMPLES = [
    {
        "id": "one",
        "source": "We included 54 trials. Interferon did not improve survival in patients with hepatitis.",
        "target": "We found 54 studies. Interferon did not help people with hepatitis to live longer.",
    },
    {
        "id": "two",
        "source": "Aspirin was administered to 212 adults. Haemorrhage was observed in 3.5% of them.",
        "target": "212 adults took aspirin. Some of them had a bleeding.",
    },
]


def result(sample: str, run: str, *texts: str, problem: str = "") -> dict[str, Any]:
    """What a run leaves: three calls an entry, one of them a re-ask; `problem` is that of the last entry."""
    numbers = range(1, len(texts) + 1)
    lost = {"kind": "number", "text": "54", "sentence": "We included 54 trials."}
    return {
        "id": sample,
        "run": run,
        "versions": [
            {"number": 0, "text": "never looked at", "lost": []},
            *({"number": n, "text": text, "lost": [lost] * n} for n, text in zip(numbers, texts, strict=True)),
        ],
        "calls": [{"round": number, "reask": reask} for number in numbers for reask in (False, False, True)],
        "history": [{"entry": number, "problem": problem if number == len(texts) else ""} for number in numbers],
    }


def rows(results: list[dict[str, Any]], samples: list[dict[str, Any]] = SAMPLES) -> dict[str, list[str]]:
    """Cells of the tables' rows by the name of the row, without it."""
    lines = [line.strip("| ").split(" | ") for line in table(samples, results).splitlines() if line.startswith("| ")]
    return {cells[0]: cells[1:] for cells in lines}


def row(name: str, *results: dict[str, Any], samples: list[dict[str, Any]] = SAMPLES) -> dict[str, str]:
    """Cells of one row of the first table, by column."""
    return dict(zip(COLUMNS, rows(list(results), samples)[name], strict=True))


def test_a_row_is_the_mean_of_its_texts() -> None:
    texts = ["We saw 54 studies. Interferon did not help.", "Aspirin made 3.5% of 212 adults bleed."]
    found = row("single", result("one", "single", texts[0]), result("two", "single", texts[1]))
    scores = [sari(each["source"], text, [each["target"]]) for each, text in zip(SAMPLES, texts, strict=True)]
    overlaps = [rouge(text, each["target"]) for each, text in zip(SAMPLES, texts, strict=True)]
    assert found["n"] == "2"
    assert found["SARI"] == f"{(scores[0].sari + scores[1].sari) / 2:.2f}"
    assert found["KEEP"] == f"{(scores[0].keep + scores[1].keep) / 2:.2f}"
    assert found["DELETE"] == f"{(scores[0].delete + scores[1].delete) / 2:.2f}"
    assert found["ADD"] == f"{(scores[0].add + scores[1].add) / 2:.2f}"
    assert found["R-1"] == f"{(overlaps[0].rouge1 + overlaps[1].rouge1) / 2:.2f}"
    assert found["R-2"] == f"{(overlaps[0].rouge2 + overlaps[1].rouge2) / 2:.2f}"
    assert found["BLEU"] == f"{bleu(texts, [sample['target'] for sample in SAMPLES]):.2f}"
    assert found["words"] == "7.50"


def test_each_entry_of_the_layperson_is_a_row_with_what_it_took_until_then() -> None:
    run = result("one", "layperson", "One.", "One two.", "One two three.", problem="no usable answer")
    found = [row(f"layperson x {number}", run) for number in (1, 2, 3)]
    assert [each["words"] for each in found] == ["1.00", "2.00", "3.00"]
    assert [each["lost"] for each in found] == ["1.00", "2.00", "3.00"]
    assert [each["calls"] for each in found] == ["3.00", "6.00", "9.00"]
    assert [each["re-asks"] for each in found] == ["1.00", "2.00", "3.00"]
    assert [each["problems"] for each in found] == ["0.00", "0.00", "1.00"]


def test_a_society_is_seen_after_its_last_entry() -> None:
    texts = ["One.", "One two.", "One two three.", "One.", "One two.", "Now it is all of six."]
    assert row("society x 1", result("one", "society1", *texts[:3]))["words"] == "3.00"
    assert row("society x 2", result("one", "society2", *texts))["words"] == "6.00"


def test_a_run_that_ended_early_gives_its_last_version() -> None:
    found = row("layperson x 3", result("one", "layperson", "One.", "One two."))
    assert (found["words"], found["calls"]) == ("2.00", "6.00")


def test_source_and_target_have_no_sari_but_their_readability() -> None:
    source, target = row("source"), row("target")
    assert {each[column] for each in (source, target) for column in ("SARI", "KEEP", "DELETE", "ADD")} == {"-"}
    assert float(source["FKGL"]) > float(target["FKGL"])
    assert source["R-1"] != target["R-1"] == "100.00"
    assert (source["lost"], target["lost"]) == ("0.00", "0.50")  # the 3.5%


def test_only_rows_that_were_run_are_shown() -> None:
    found = rows([result("one", "single", "One.")])
    assert "single" in found
    assert "society x 2" not in found


def test_the_papers_figures_stand_below() -> None:
    found = rows([result("one", "single", "One.")])
    assert found["SoMS, Table 1"][:10] == ["-", "40.04", "-", "-", "-", "11.40", "12.81", "8.40", "28.03", "9.61"]
    assert found["SoMS, Table 2, layperson x 3"][:7] == ["-", "38.28", "24.13", "86.44", "4.26", "11.93", "12.85"]


def test_a_failed_run_is_named_and_not_counted() -> None:
    results = [result("one", "single", "One."), {"id": "two", "run": "single", "error": "endpoint_down: It is down."}]
    assert rows(results)["single"][0] == "1"
    assert "\nfailed: two single: endpoint_down: It is down." in table(SAMPLES, results)


def test_differences_are_of_the_samples_that_both_have() -> None:
    single = [result("one", "single", "One two three."), result("two", "single", "One.")]
    society = result("one", "society2", *["Something was seen."] * 5, SAMPLES[0]["target"])
    cells = rows([*single, society])["society x 2 less single"]
    ours = sari(SAMPLES[0]["source"], SAMPLES[0]["target"], [SAMPLES[0]["target"]]).sari
    difference = f"{ours - sari(SAMPLES[0]['source'], 'One two three.', [SAMPLES[0]['target']]).sari:+.2f}"
    assert cells[:2] == ["1", f"{difference} [{difference}, {difference}]"]


def test_there_is_no_difference_to_a_model_that_was_not_run() -> None:
    assert rows([])["layperson x 3 less single"] == ["0", "-", "-"]


async def evaluate(folder: Path, endpoint: FakeEndpoint, *flags: str) -> tuple[int, str]:
    """Run the evaluation as a person does; its exit code and what it printed."""
    corpus = folder / "corpus.jsonl"
    corpus.write_text("".join(f"{json.dumps(sample)}\n" for sample in SAMPLES), encoding="utf-8")
    models = {"base_url": endpoint.base_url, "model": "large", "retry_wait_s": 0, "timeout_s": 20}
    settings = {f"DRAFTROOM_MODELS__DEFAULT__{key.upper()}": str(value) for key, value in models.items()}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "evals.medical_simplification", str(corpus), "--out", str(folder / "results.jsonl")),
        *flags,
        cwd=ROOT,
        env={**os.environ, **settings, "DRAFTROOM_HOME": str(folder / "home")},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    printed, _ = await process.communicate()
    return process.returncode or 0, printed.decode()


def refuse_aspirin(request: RecordedRequest) -> Reply:
    """A fault for one sample only."""
    return Status(400, "no aspirin here") if "spirin" in request.text else fill(request)


async def test_the_evaluation_runs_and_goes_on_where_it_stopped(tmp_path: Path, fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = refuse_aspirin
    code, printed = await evaluate(tmp_path, fake_endpoint, "--rows", "single,layperson", "--concurrency", "4")
    assert code == 0, printed
    assert printed.count(" ok\n") == 2
    assert "failed: two layperson: bad_settings" in printed
    first = read_records(tmp_path / "results.jsonl")
    asked = len(fake_endpoint.chat_requests)

    fake_endpoint.answer = fill
    code, printed = await evaluate(tmp_path, fake_endpoint, "--rows", "single,layperson")
    assert code == 0, printed
    assert "failed" not in printed
    later = read_records(tmp_path / "results.jsonl")[len(first) :]
    assert {(each["id"], each["run"]) for each in later} == {("two", "single"), ("two", "layperson")}
    assert not any("nterferon" in request.text for request in fake_endpoint.chat_requests[asked:])

    (layperson,) = [each for each in later if each["run"] == "layperson"]
    assert [version["number"] for version in layperson["versions"]] == [0, 1, 2, 3]
    assert len(layperson["history"]) == 3
    assert layperson["calls"]
    assert "all_changes" in layperson
    assert "settings" not in layperson


async def test_a_society_enters_every_loop(tmp_path: Path, fake_endpoint: FakeEndpoint) -> None:
    code, printed = await evaluate(tmp_path, fake_endpoint, "--rows", "society1,society2", "--limit", "1")
    assert code == 0, printed
    loops = {
        each["run"]: sorted(exchange["loop"] for exchange in each["history"])
        for each in read_records(tmp_path / "results.jsonl")
    }
    once = ["language_clarifier", "layperson", "redundancy_checker"]
    assert loops == {"society1": once, "society2": sorted(once * 2)}


async def test_an_unknown_row_is_refused(tmp_path: Path, fake_endpoint: FakeEndpoint) -> None:
    code, printed = await evaluate(tmp_path, fake_endpoint, "--rows", "single,clinician")
    assert code == 2
    assert "clinician is none of the rows: choose from single, layperson, society1, society2." in printed
    assert fake_endpoint.chat_requests == []
