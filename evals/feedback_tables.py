"""Tables of `evals.focused_feedback`: overlap with human feedback, what a comment is worth, and what it costs.

A comment's text is its review and its suggestion. METEOR, BLEU@4 and ROUGE-L are of the comments that were raised only:
a paragraph without one ("nothing worth raising", withdrawn) has no text to compare, although its human reviewer did
criticise it. `METEOR all` is the mean over all runs that ended, where such a paragraph counts 0, so a system gains
nothing there by keeping silent. BLEU@4 is of the corpus, as everywhere here; the paper does not say how it counts. The
pairs carry no human aspect label, so the paper's accuracy and F1 of the labels are shown but have no counterpart.

Questions, calls, tokens and seconds are means per run that ended: a run that failed leaves no account. `model s` is the
sum of its calls, `wall s` what a person would wait; both grow with the load on the endpoint.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple, get_args

from evals.metrics.bootstrap import paired_difference
from evals.metrics.meteor import meteor
from evals.metrics.overlap import bleu, rouge
from state.feedback import Weakness
from tools.jobs import Record

OVERLAP = ["METEOR", "BLEU@4", "ROUGE-L"]
OUTCOMES = ["valid %", "comments", "nothing", "withdrawn", "softened", "verbatim %", "cited %"]
COSTS = ["asked", "answered", "calls", "tokens in", "tokens out", "model s", "wall s"]
COLUMNS = ["n", *OUTCOMES, *OVERLAP, "METEOR all", *COSTS]
LABELS: tuple[Weakness, ...] = get_args(Weakness)

PAPER = {
    "SWIF2T: single GPT-4": (18.13, 28.50, 18.37),
    "SWIF2T: CoVe": (18.76, 29.07, 19.62),
    "SWIF2T: SWIF2T - RR": (19.17, 29.77, 19.39),
    "SWIF2T: SWIF2T": (20.04, 30.06, 20.44),
}
"""Published figures, in the order of `OVERLAP`."""

PAPER_LABELS = {
    "SWIF2T: single GPT-4": (24.00, 41.30, 6.60, 30.60, 8.70, 9.20),
    "SWIF2T: CoVe": (30.70, 30.90, 33.80, 36.10, 24.40, 24.50),
    "SWIF2T: SWIF2T - RR": (33.00, 45.30, 35.50, 33.51, 31.25, 22.40),
    "SWIF2T: SWIF2T": (34.00, 42.90, 38.90, 31.40, 38.00, 25.37),
}
"""Published accuracy of the labels, and the F1 of each of `LABELS`."""

Cells = Mapping[str, float | str | None]


class Run(NamedTuple):
    """A run that ended."""

    pair: Record
    review: Record
    calls: list[Record]
    wall_s: float

    @property
    def comment(self) -> Record | None:
        """What a person is shown."""
        comment: Record | None = self.review["comment"]
        return comment if self.review["outcome"] == "comment" else None

    @property
    def text(self) -> str:
        """Of the comment; empty if there is none."""
        comment = self.comment
        return f"{comment['review']} {comment['suggestion']}".strip() if comment else ""


def tables(pairs: Sequence[Record], results: Sequence[Record]) -> str:
    """Markdown tables of the rows, of their differences to the single model and of their labels, and what failed.

    Args:
        pairs: With `id`, `paragraph` and `feedback`.
        results: With the `id` of their pair, their `row`, and `error` or else `reviews` (one), `calls` and `wall_s`.
    """
    by_id = {pair["id"]: pair for pair in pairs}
    rows: dict[str, list[Run]] = {result["row"]: [] for result in results}
    for result in results:
        if "error" not in result:
            run = Run(by_id[result["id"]], result["reviews"][0], result["calls"], result["wall_s"])
            rows[result["row"]].append(run)
    attempts = Counter(result["row"] for result in results)
    published = {name: dict(zip(OVERLAP, figures, strict=True)) for name, figures in PAPER.items()}
    of_labels = ["accuracy", *LABELS]
    parts = [
        _table("row", COLUMNS, {**{name: _figures(runs, attempts[name]) for name, runs in rows.items()}, **published}),
        f"METEOR matched words by {meteor('', '').stages}.",
        _table("mean difference [95% bootstrap interval]", list(_DIFFERENCES), _differences(rows)),
        _table("comments by label", LABELS, {name: _labels(runs) for name, runs in rows.items()}),
        _table(
            "F1 by label", of_labels, {name: dict(zip(of_labels, f, strict=True)) for name, f in PAPER_LABELS.items()}
        ),
    ]
    failed = [f"failed: {each['id']} {each['row']}: {each['error']}" for each in results if "error" in each]
    return "\n\n".join([*parts, *failed])


def _figures(runs: Sequence[Run], attempts: int) -> Cells:
    shares = {"n": attempts, "valid %": 100 * len(runs) / attempts}
    return {**shares, **_outcomes(runs), **_overlap(runs), **_costs(runs)} if runs else shares


def _outcomes(runs: Sequence[Run]) -> Cells:
    comments = [(run.pair, run.comment) for run in runs if run.comment]
    outcomes = Counter(run.review["outcome"] for run in runs)
    return {
        "comments": len(comments),
        "nothing": outcomes["nothing worth raising"],
        "withdrawn": outcomes["withdrawn"],
        "softened": sum(comment["verification"]["verdict"] == "softened" for _, comment in comments),
        "verbatim %": _percent(_spaced(comment["quote"]) in _spaced(pair["paragraph"]) for pair, comment in comments),
        "cited %": _percent(bool(comment["evidence"]) for _, comment in comments),
    }


def _overlap(runs: Sequence[Run]) -> Cells:
    texts = [run for run in runs if run.text]
    every = {"METEOR all": fmean(map(_meteor, runs))}
    if not texts:
        return every
    return {
        "METEOR": fmean(map(_meteor, texts)),
        "BLEU@4": bleu([run.text for run in texts], [run.pair["feedback"] for run in texts]),
        "ROUGE-L": fmean(map(_rouge_l, texts)),
        **every,
    }


def _costs(runs: Sequence[Run]) -> Cells:
    logs = [[step["outcome"] for step in run.review["log"] if step["outcome"] != "skipped"] for run in runs]
    return {
        "asked": fmean(map(len, logs)),
        "answered": fmean(log.count("answered") for log in logs),
        "calls": fmean(len(run.calls) for run in runs),
        "tokens in": fmean(sum(call["input_tokens"] for call in run.calls) for run in runs),
        "tokens out": fmean(sum(call["output_tokens"] for call in run.calls) for run in runs),
        "model s": fmean(sum(call["seconds"] for call in run.calls) for run in runs),
        "wall s": fmean(run.wall_s for run in runs),
    }


def _labels(runs: Sequence[Run]) -> Cells:
    found = Counter(run.comment["label"] for run in runs if run.comment)
    return {label: found[label] for label in LABELS}


def _meteor(run: Run) -> float:
    return meteor(run.text, run.pair["feedback"]).score


def _rouge_l(run: Run) -> float:
    return rouge(run.text, run.pair["feedback"]).rouge_l


_DIFFERENCES: dict[str, tuple[Callable[[Run], float], bool]] = {
    "METEOR": (_meteor, True),
    "ROUGE-L": (_rouge_l, True),
    "METEOR all": (_meteor, False),
}
"""What is compared, and whether only where both systems raised a comment."""


def _differences(rows: Mapping[str, Sequence[Run]]) -> dict[str, Cells]:
    """Every other row less the single model."""
    single = {run.pair["id"]: run for run in rows.get("single", [])}
    found: dict[str, Cells] = {}
    for name, runs in rows.items():
        both = [(run, single[run.pair["id"]]) for run in runs if run.pair["id"] in single]
        if name != "single" and both:
            found[f"{name} less single"] = {
                column: _difference(score, [pair for pair in both if not raised or all(each.text for each in pair)])
                for column, (score, raised) in _DIFFERENCES.items()
            }
    return found


def _difference(score: Callable[[Run], float], pairs: Sequence[tuple[Run, Run]]) -> str | None:
    if not pairs:
        return None
    difference = paired_difference([score(our) for our, _ in pairs], [score(their) for _, their in pairs])
    return f"{difference.mean:+.2f} [{difference.low:+.2f}, {difference.high:+.2f}], n = {len(pairs)}"


def _percent(values: Iterable[bool]) -> float | None:
    found = list(values)
    return 100 * fmean(found) if found else None


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _table(corner: str, columns: Sequence[str], rows: Mapping[str, Cells]) -> str:
    lines = [
        f"| {name} | {' | '.join(_shown(cells.get(column)) for column in columns)} |" for name, cells in rows.items()
    ]
    return "\n".join([f"| {corner} | {' | '.join(columns)} |", f"|---{'|---' * len(columns)}|", *lines])


def _shown(value: float | str | None) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}" if isinstance(value, float) else str(value)
