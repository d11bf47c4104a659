"""Simplification of medical abstracts over a corpus: rows of SoMS' Tables 1 and 2, and what each version has lost.

    python -m evals.medical_simplification CORPUS.jsonl --limit 30 --out results.jsonl --rows single,society2

The corpus has one JSON object a line with `id`, `source` (the abstract) and `target` (the plain-language reference).
Models come from the settings, as everywhere. Each finished run is appended to `--out` at once, with its transcript; a
second call with the same file goes on where the first one stopped, and runs that failed are run again. The layperson's
three rows are versions of the same runs. Source and target have no SARI: a text that deletes nothing has a DELETE of
100 (evals/metrics/sari.py), which would rank the source above every simplification.
"""

from __future__ import annotations

import argparse
import asyncio
from argparse import ArgumentTypeError
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import NamedTuple, get_args

from evals.checkpointed import Run, checkpointed
from evals.metrics.bootstrap import paired_difference
from evals.metrics.overlap import bleu, rouge
from evals.metrics.sari import sari
from graphs.medical_simplification import builder
from state.records import LostDetail
from state.settings import Lead
from state.simplification import SimplificationContext, SimplificationInput
from tools.fidelity import lost_content
from tools.jobs import Job, Key, Record, read_records, run_jobs
from tools.models import close_clients
from tools.readability import grade

_LOOPS: list[Lead] = list(get_args(Lead))
_society = partial(SimplificationContext, variant="society", stop="fixed")

RUNS = {
    "single": SimplificationContext(variant="single"),
    "layperson": _society(loops=["layperson"], entries=3),
    "society1": _society(loops=_LOOPS, entries=1),
    "society2": _society(loops=_LOOPS, entries=2),
}
"""What is run for each sample; `--rows` chooses among them."""

ROWS = {
    "single": ("single", 1),
    "layperson x 1": ("layperson", 1),
    "layperson x 2": ("layperson", 2),
    "layperson x 3": ("layperson", 3),
    "society x 1": ("society1", len(_LOOPS)),
    "society x 2": ("society2", 2 * len(_LOOPS)),
}
"""The run that a row is taken from, and the number of its version."""

PAPER = {
    "SoMS, Table 1": (40.04, None, None, None, 11.40, 12.81, 8.40, 28.03, 9.61),
    "SoMS, Table 2, layperson x 1": (40.00, 28.12, 86.92, 4.97, 12.14, 13.87),
    "SoMS, Table 2, layperson x 2": (40.32, 27.64, 87.73, 5.59, 12.08, 13.22),
    "SoMS, Table 2, layperson x 3": (38.28, 24.13, 86.44, 4.26, 11.93, 12.85),
}
"""Published figures (gpt-3.5-turbo-1106, Cochrane test set), in the order of `MEASURES`."""

MEASURES = ["SARI", "KEEP", "DELETE", "ADD", "FKGL", "ARI", "BLEU", "R-1", "R-2"]
COLUMNS = ["n", *MEASURES, "words", "lost", "calls", "re-asks", "problems"]

Measures = dict[str, float]


class Scored(NamedTuple):
    """A text of a row."""

    sample: Record
    text: str
    measures: Measures


async def main() -> None:
    """Do the runs that are not in the results yet, then print the tables."""
    arguments = _arguments()
    samples = read_records(arguments.corpus)[: arguments.limit]
    tell = partial(print, flush=True)
    async with checkpointed(arguments.out) as run:
        jobs: dict[Key, Job] = {
            (sample["id"], row): partial(_run, run, (sample["id"], row), sample)
            for sample in samples
            for row in arguments.rows
        }
        results = await run_jobs(jobs, arguments.out, arguments.concurrency, fields=["id", "run"], tell=tell)
    await close_clients()
    print(table(samples, results))


async def _run(run: Run, key: Key, sample: Record) -> Record:
    output = await run(builder, key, SimplificationInput(abstract=sample["source"]), RUNS[key[1]])
    return {key: value for key, value in output.items() if key != "settings"}


def table(samples: Sequence[Record], results: Sequence[Record]) -> str:
    """Two Markdown tables, of means and of paired differences to the single model, and what failed.

    Args:
        samples: Of the corpus.
        results: Outputs of the graph with the `id` of their sample and their `run`, or with `error`.
    """
    outputs = {(result["id"], result["run"]): result for result in results if "error" not in result}
    rows = {name: _versions(samples, outputs, *taken_from) for name, taken_from in ROWS.items()}
    lines = [
        f"| row | {' | '.join(COLUMNS)} |\n|---{'|---' * len(COLUMNS)}|",
        _row("source", [_scored(sample, sample["source"], []) for sample in samples]),
        _row("target", [_target(sample) for sample in samples]),
        *(_row(name, texts) for name, texts in rows.items() if texts),
        *(_line(name, dict(zip(MEASURES, figures, strict=False))) for name, figures in PAPER.items()),
        "\n| mean difference [95% bootstrap interval] | n | SARI | FKGL |\n|---|---|---|---|",
        *(_comparison(name, rows[name], rows["single"]) for name in ("layperson x 3", "society x 2")),
    ]
    failed = [f"\nfailed: {each['id']} {each['run']}: {each['error']}" for each in results if "error" in each]
    return "\n".join([*lines, *failed])


def _target(sample: Record) -> Scored:
    return _scored(sample, sample["target"], lost_content(sample["source"], sample["target"]))


def _versions(
    samples: Sequence[Record], outputs: Mapping[tuple[str, str], Record], run: str, number: int
) -> list[Scored]:
    """Version `number` of every sample that has the run."""
    found = ((sample, outputs.get((sample["id"], run))) for sample in samples)
    return [_version(sample, output, number) for sample, output in found if output]


def _version(sample: Record, output: Record, number: int) -> Scored:
    version = output["versions"][: number + 1][-1]  # the last one, if the run ended before that
    calls = [call for call in output["calls"] if call["round"] <= number]
    scored = _scored(sample, version["text"], version["lost"])
    score = sari(sample["source"], version["text"], [sample["target"]])
    measures = {
        **scored.measures,
        **dict(zip(("SARI", "KEEP", "DELETE", "ADD"), score, strict=True)),
        "calls": len(calls),
        "re-asks": sum(call["reask"] for call in calls),
        "problems": sum(bool(exchange["problem"]) for exchange in output["history"][:number]),
    }
    return scored._replace(measures=measures)


def _scored(sample: Record, text: str, lost: Sequence[LostDetail]) -> Scored:
    readability = grade(text)
    overlap = rouge(text, sample["target"])
    measures = {
        "FKGL": readability["fkgl"],
        "ARI": readability["ari"],
        "R-1": overlap.rouge1,
        "R-2": overlap.rouge2,
        "words": readability["words"],
        "lost": len(lost),
    }
    return Scored(sample, text, measures)


def _row(name: str, texts: Sequence[Scored]) -> str:
    means = {measure: fmean(text.measures[measure] for text in texts) for measure in texts[0].measures}
    overlap = bleu([text.text for text in texts], [text.sample["target"] for text in texts])
    return _line(name, {"n": len(texts), **means, "BLEU": overlap})


def _line(name: str, cells: Mapping[str, float | None]) -> str:
    return f"| {name} | {' | '.join(_shown(cells.get(column)) for column in COLUMNS)} |"


def _shown(value: float | None) -> str:
    return "-" if value is None else str(value) if isinstance(value, int) else f"{value:.2f}"


def _comparison(name: str, ours: Sequence[Scored], theirs: Sequence[Scored]) -> str:
    """A row over the samples that both have."""
    single = {text.sample["id"]: text.measures for text in theirs}
    pairs = [(text.measures, single[text.sample["id"]]) for text in ours if text.sample["id"] in single]
    cells = [_difference([(our[measure], their[measure]) for our, their in pairs]) for measure in ("SARI", "FKGL")]
    return f"| {name} less single | {len(pairs)} | {' | '.join(cells)} |"


def _difference(pairs: Sequence[tuple[float, float]]) -> str:
    if not pairs:
        return "-"
    difference = paired_difference([our for our, _ in pairs], [their for _, their in pairs])
    return f"{difference.mean:+.2f} [{difference.low:+.2f}, {difference.high:+.2f}]"


def _runs(names: str) -> list[str]:
    runs = names.split(",")
    if unknown := set(runs) - RUNS.keys():
        raise ArgumentTypeError(f"{', '.join(sorted(unknown))} is none of the rows: choose from {', '.join(RUNS)}.")
    return runs


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=30)
    parser.add_argument("--rows", type=_runs, default=list(RUNS), help=f"comma-separated, of {', '.join(RUNS)}")
    parser.add_argument("--concurrency", type=int, default=40)
    return parser.parse_args()


if __name__ == "__main__":
    asyncio.run(main())
