"""A small invented task, and runs of it as they lie in a folder: no model is asked for any of their texts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from evals.evaluation import Evaluation, score_run
from evals.run import Corpus, RunConfig, RunFolder
from evals.task import EvaluatedSystem, Figure, Item, Measure, Row, Table, Task
from graphs.medical_simplification import builder
from runs.jobs import Record
from state.settings import SimplificationContext

Texts = Mapping[str, Sequence[Sequence[str] | None]]
"""Of each system, sample by sample, the versions of its text; None: it was not run."""


def tea(words: int) -> str:
    """A text of so many words."""
    return " ".join(["tea"] * words)


def sample(name: str, corpus: str = "Tea", **fields: Any) -> Record:
    return {"id": name, "corpus": corpus, "source": tea(12), "target": "We made tea.", **fields}


SAMPLES = [sample(f"s{number}") for number in range(8)]


def _version(number: int, sample: Record, output: Record) -> Item | None:
    texts = output["texts"]
    return Item(sample, texts[number - 1], output, number) if number <= len(texts) else None


def _leaves(item: Item) -> float | None:
    return float(item.text.count("leaf")) if item.output else None


ROWS = [
    Row("source", "the sources", lambda sample, _: Item(sample, sample["source"], {}), paper="their source"),
    Row("plain1", "plain × 1", partial(_version, 1), system="plain", paper="their plain"),
    Row("plain2", "plain × 2", partial(_version, 2), system="plain"),
    Row("clever", "clever", partial(_version, 1), system="clever", paper="their clever"),
]
MEASURES = [
    Measure("words", "lower", lambda item: float(len(item.text.split())), digits=1),
    Measure("leaves", "higher", _leaves),
    Measure("letters", "lower", statistic=lambda items: float(sum(len(item.text) for item in items)), digits=0),
    Measure("calls", "neither", lambda item: float(len(item.output["calls"])) if item.output else None, digits=0),
]
PUBLISHED = {
    "their source": {"words": 20.0, "letters": 90.0},
    "their plain": {"words": 9.0, "letters": 50.0},
    "their clever": {"words": 5.0},
    "GPT-0": {"words": 7.0},
}
SYSTEMS = {
    "plain": EvaluatedSystem(builder, SimplificationContext(extensions=[], entries=2, target_grade=None)),
    "clever": EvaluatedSystem(builder, SimplificationContext()),
}
TABLE = Table(
    title="Table 1",
    rows=["source", "plain1", "plain2", "clever"],
    measures=["words", "leaves", "letters", "calls"],
    published={"Tea": PUBLISHED},
    baseline="plain1",
)
FIGURE = Figure(
    title="Figure 1",
    across="round",
    curves={"plain": {0: "source", 1: "plain1", 2: "plain2"}, "clever": {1: "clever"}},
    measures=["words", "leaves"],
    published={"plain": {1: {"words": 9.5}}},
)
TASK = Task(
    name="tea_time",
    kind="simplification",
    source="Leaf and Cup; GPT-0",
    roles=["simplifier"],
    systems=SYSTEMS,
    rows=ROWS,
    usual=[row.name for row in ROWS],
    measures=MEASURES,
    tables=[TABLE],
    figures=[FIGURE],
    input_fields={},
    notes=["`leaves` counts leaves."],
    ranked_by="words",
    papers_models={"their clever": "GPT-00"},
)

CALL = {
    "role": "simplifier",
    "model": "large",
    "prompt": "simplify",
    "prompt_sha256": "0123456789abcdef",
    "input_tokens": 1000,
    "output_tokens": 50,
    "seconds": 1.5,
    "tokens_estimated": False,
    "http_retries": 0,
    "reask": False,
    "trims": [],
}


def corpus_of(samples: Sequence[Record], name: str) -> Corpus:
    drawn = sum(each["corpus"] == name for each in samples)
    return Corpus(name=name, file=f"{name.lower()}.jsonl", sha256="0" * 64, available=2 * drawn, drawn=drawn)


def config_of(samples: Sequence[Record], **fields: Any) -> RunConfig:
    content: dict[str, Any] = {
        "task": "tea_time",
        "corpora": [corpus_of(samples, name) for name in dict.fromkeys(each["corpus"] for each in samples)],
        "rows": ["source", "plain1", "plain2", "clever"],
        "limit": None,
        "seed": 0,
        "models": {"simplifier": {"model": "large", "base_url": "http://127.0.0.1/v1", "temperature": 0.7}},
        "settings": {"entries": 3, "target_grade": 7.0, "extensions": ["lost_details", "apply_edits"]},
        "version": "0.1.0",
        "packages": {"textstat": "0.7.4"},
        "commit": "abc123",
        "begun": "2026-01-02T03:04:05+00:00",
        "id": "tea",
        **fields,
    }
    return RunConfig(**content)


def results_of(samples: Sequence[Record], texts: Texts, calls: Sequence[Record]) -> list[Record]:
    return [
        {"id": each["id"], "system": system, "output": {"texts": list(versions), "calls": list(calls)}}
        for system, of_samples in texts.items()
        for each, versions in zip(samples, of_samples, strict=False)
        if versions is not None
    ]


def run(
    folder: Path,
    texts: Texts,
    *,
    samples: Sequence[Record] = SAMPLES,
    errors: Mapping[tuple[str, str], str] | None = None,
    task: Task = TASK,
    calls: Sequence[Record] = (CALL,),
    **config: Any,
) -> Evaluation:
    """A run with these texts, read from its folder and scored.

    Args:
        folder: Where it is written.
        texts: Of the systems.
        samples: Of all corpora.
        errors: Of the systems that failed, by sample and system.
        task: What is evaluated.
        calls: Of every system for every sample.
        config: Choices that are not the usual ones.
    """
    run_folder = RunFolder(folder)
    run_folder.create_or_extend(config_of(samples, task=task.name, **config), samples)
    failed = [{"id": name, "system": system, "error": error} for (name, system), error in (errors or {}).items()]
    lines = [json.dumps(each, ensure_ascii=False) for each in (*results_of(samples, texts, calls), *failed)]
    run_folder.outputs_file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return score_run(task, run_folder)


def usual_texts(samples: int = 8, *, clever: int = 4) -> Texts:
    """Texts of one length a row: 6 and 5 words of the plain system, as many as asked for of the clever one."""
    return {"plain": [[tea(6), tea(5)]] * samples, "clever": [[tea(clever)]] * samples}
