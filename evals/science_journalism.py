"""Readability and faithfulness of every draft over a corpus: rows of LLM-CLBR's Table 1 and its Figure 4.

    python -m evals.science_journalism CORPUS.jsonl --limit 20 --rounds 3 --out results.jsonl

The corpus has one JSON object a line with `abstract` and, for the row of human summaries, `summary`. Models come from
the settings, as everywhere. Each finished paper is appended to `--out` at once, and a second call with the same file
goes on where the first one stopped; papers that failed are run again. The single model's row is the first draft of the
same runs, so the rows are paired.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

from evals.checkpointed import Run, checkpointed
from graphs.science_journalism import builder
from nodes.journalism.assessment import assess
from state.journalism import Assessment, JournalismContext, JournalismInput
from tools.jobs import Job, Key, Record, read_records, run_jobs
from tools.models import close_clients


async def main() -> None:
    """Run the papers that are not in the results yet, then print the table."""
    arguments = _arguments()
    samples = read_records(arguments.corpus)[: arguments.limit]
    context = JournalismContext(rounds=arguments.rounds, variant=arguments.variant, select="best")
    tell = partial(print, flush=True)
    async with checkpointed(arguments.out) as run:
        jobs: dict[Key, Job] = {(sample["id"],): partial(_run, run, sample, context) for sample in samples}
        results = await run_jobs(jobs, arguments.out, arguments.concurrency, fields=["id"], tell=tell)
    await close_clients()
    print(table(samples, results))


async def _run(run: Run, sample: Record, context: JournalismContext) -> Record:
    output = await run(builder, (sample["id"],), JournalismInput(paper=sample["abstract"]), context)
    return {key: value for key, value in output.items() if key != "settings"}


def table(samples: Sequence[Record], results: Sequence[Record]) -> str:
    """A Markdown table of means: the texts themselves, each round, and the draft that was selected."""
    finished = [result for result in results if "error" not in result]
    rounds = range(max((len(result["assessments"]) for result in finished), default=0))
    rows = [
        _row("paper abstracts", (assess(0, sample["abstract"], sample["abstract"]) for sample in samples)),
        _row("plain summaries", (assess(0, sample["summary"], sample["abstract"]) for sample in samples)),
        *(_row(_name(number), (result["assessments"][number] for result in finished)) for number in rounds),
        _row("selected (best)", (result["assessments"][result["selected_round"]] for result in finished)),
    ]
    head = "| row | n | CLI | FKGL | DCRS | ARI | mean grade | words | unsupported |\n|---" + "|---" * 8 + "|"
    failed = [f"{result['id']}: {result['error']}" for result in results if "error" in result]
    return "\n".join([head, *rows, *(f"\nfailed: {line}" for line in failed)])


def _name(number: int) -> str:
    return "single model (first draft)" if number == 0 else f"round {number}"


def _row(name: str, assessments: Iterable[Assessment]) -> str:
    cells = [
        [
            *(float(assessment["readability"][measure]) for measure in ("cli", "fkgl", "dcrs", "ari")),
            assessment["mean_grade"],
            float(assessment["readability"]["words"]),
            float(len(assessment["unsupported"])),
        ]
        for assessment in assessments
    ]
    means = [f"{sum(column) / len(column):.2f}" for column in zip(*cells, strict=True)]
    return f"| {name} | {len(cells)} | {' | '.join(means)} |"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--variant", default="full")
    parser.add_argument("--concurrency", type=int, default=20)
    return parser.parse_args()


if __name__ == "__main__":
    asyncio.run(main())
