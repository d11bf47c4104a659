"""Simplification of medical abstracts: Tables 1 and 2 and Figure 2 of SoMS (Lyu and Pergola), and what got lost.

The paper's rows run without extensions and with its settings; what extensions do is measured in rows of their own. The
layperson's three rows are versions of the same runs. Source and reference have no SARI: a text that deletes nothing has
a DELETE of 100 (evals/metrics.py), which would rank the source above every simplification.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, get_args

from evals.metrics import bleu, rouge, sari
from evals.task import EvaluatedSystem, Figure, Item, Measure, Row, Table, Task, as_text
from graphs.medical_simplification import builder
from runs.many import Record
from state.extensions import SIMPLIFICATION_EXTENSIONS, resolve_extensions
from state.settings import SIMPLIFICATION_ROLES, Lead, SimplificationContext
from state.simplification import SimplificationInput
from tools.checks.omissions import lost_content
from tools.checks.readability import grade

_WORD = re.compile(r"\w+")
_ALL: list[Lead] = list(get_args(Lead))
_ENTRIES = (1, 2, 3)


def _request(sample: Record) -> SimplificationInput:
    return SimplificationInput(abstract=as_text(sample["source"]))


def _paper(*, extensions: str = "none", **changed: Any) -> EvaluatedSystem:
    """The paper's society but for what is named."""
    context = SimplificationContext(extensions=resolve_extensions(SIMPLIFICATION_EXTENSIONS, extensions), **changed)
    return EvaluatedSystem(builder, context, _request, preset="paper")


def _society(loops: Sequence[Lead], entries: int) -> EvaluatedSystem:
    return _paper(loops=list(loops), entries=entries)


_TWICE = 2
"""So often the paper enters each loop."""
WITH_EXTENSIONS = {
    "society2-default-extensions": ("default", "default extensions"),
    "society2-sentence-by-sentence": ("sentence_by_sentence", "sentences rewritten one by one"),
    "society2-review-every-text": ("review_every_text", "reviews in all loops"),
    "society2-all-extensions": ("all", "all extensions"),
}
"""Which extensions are on in the systems that are the paper's but for them, and what their rows say of it."""

SYSTEMS = {
    "single": _paper(variant="single"),
    "layperson": _society(["layperson"], max(_ENTRIES)),
    **{f"redundancy{n}": _society(["layperson", "redundancy_checker"], n) for n in _ENTRIES},
    **{f"clarifier{n}": _society(["layperson", "language_clarifier"], n) for n in _ENTRIES},
    **{f"society{n}": _society(_ALL, n) for n in _ENTRIES[:_TWICE]},
    **{name: _paper(entries=_TWICE, extensions=extensions) for name, (extensions, _) in WITH_EXTENSIONS.items()},
    "as-set": EvaluatedSystem(builder, SimplificationContext(), _request),
}


def _version(number: int, sample: Record, output: Record) -> Item | None:
    """Version `number` of the text, or the last one if the run ended before that."""
    version = output["versions"][: number + 1][-1]
    return Item(sample, version["text"], output, version["number"])


def _selected(sample: Record, output: Record) -> Item | None:
    return _version(output["selected_version"], sample, output)


def _own(field: str, sample: Record, _: Record) -> Item | None:
    return Item(sample, sample[field], {})


ROWS = [
    Row("source", "the abstracts", partial(_own, "source")),
    Row("reference", "the plain-language summaries", partial(_own, "target")),
    Row("single", "single model", _selected, system="single"),
    *(
        Row(
            f"layperson{n}",
            f"layperson × {n}",
            partial(_version, n),
            system="layperson",
            paper=f"SoMS, layperson × {n}",
        )
        for n in _ENTRIES
    ),
    *(
        Row(f"redundancy{n}", f"layperson + redundancy checker × {n}", _selected, system=f"redundancy{n}")
        for n in _ENTRIES
    ),
    *(
        Row(f"clarifier{n}", f"layperson + language clarifier × {n}", _selected, system=f"clarifier{n}")
        for n in _ENTRIES
    ),
    Row("society1", "society × 1", _selected, system="society1"),
    Row("society2", "society × 2", _selected, system="society2", paper="SoMS"),
    *(
        Row(name, f"society × {_TWICE} with {said}", _selected, system=name)
        for name, (_, said) in WITH_EXTENSIONS.items()
    ),
    Row("as-set", "as the settings say", _selected, system="as-set"),
]


def _sari(part: str, item: Item) -> float | None:
    """SARI or a part of it; none for a text that no system wrote."""
    if not item.output:
        return None
    score: float = getattr(sari(item.sample["source"], item.text, [item.sample["target"]]), part)
    return score


def _copied(item: Item) -> float:
    """Share of the text's distinct words that are the source's, in percent."""
    words, of_source = (set(_WORD.findall(text.lower())) for text in (item.text, item.sample["source"]))
    return 100 * len(words & of_source) / len(words) if words else 0.0


def _rouge(part: int, item: Item) -> float:
    return rouge(item.text, item.sample["target"])[part]


def _lost(item: Item) -> float:
    if item.output:
        return float(len(item.output["versions"][item.version]["lost"]))
    return float(len(lost_content(item.sample["source"], item.text)))


def _of_calls(count: Callable[[Record], float], item: Item) -> float | None:
    """Sum over the calls that led to the item's version."""
    if not item.output:
        return None
    return sum(count(call) for call in item.output["calls"] if call["round"] <= item.version)


def _problems(item: Item) -> float | None:
    if not item.output:
        return None
    return float(sum(bool(exchange["problem"]) for exchange in item.output["history"][: item.version]))


MEASURES = [
    Measure("SARI", "higher", partial(_sari, "sari")),
    Measure("SARI F1", "higher", partial(_sari, "sari_f1")),
    Measure("KEEP", "higher", partial(_sari, "keep")),
    Measure("DELETE", "higher", partial(_sari, "delete")),
    Measure("DELETE F1", "higher", partial(_sari, "delete_f1")),
    Measure("ADD", "higher", partial(_sari, "add")),
    Measure("FKGL", "lower", lambda item: grade(item.text)["fkgl"]),
    Measure("ARI", "lower", lambda item: grade(item.text)["ari"]),
    Measure(
        "BLEU", "higher", statistic=lambda items: bleu([i.text for i in items], [i.sample["target"] for i in items])
    ),
    Measure("ROUGE-1", "higher", partial(_rouge, 0)),
    Measure("ROUGE-2", "higher", partial(_rouge, 1)),
    Measure("words", "neither", lambda item: float(grade(item.text)["words"]), digits=0),
    Measure("copied %", "neither", _copied, digits=0),
    Measure("lost", "lower", _lost),
    Measure("calls", "neither", partial(_of_calls, lambda _: 1.0), digits=1),
    Measure("re-asks", "lower", partial(_of_calls, lambda call: float(call["reask"]))),
    Measure("problems", "lower", _problems),
]


def _published(names: Sequence[str], rows: dict[str, tuple[float | None, ...]]) -> dict[str, dict[str, float]]:
    return {
        row: {name: figure for name, figure in zip(names, figures, strict=True) if figure is not None}
        for row, figures in rows.items()
    }


_USUAL = ["source", "reference", "single", "layperson1", "layperson2", "layperson3", "society1", "society2"]
_COSTS = ("words", "copied %", "lost", "calls", "re-asks", "problems")
_OF_TABLE_1 = ("SARI", "FKGL", "ARI", "BLEU", "ROUGE-1", "ROUGE-2")
_OF_TABLE_2 = ("SARI", "KEEP", "DELETE", "ADD", "FKGL", "ARI")

TABLE_1 = Table(
    title="Table 1",
    rows=[*_USUAL, *WITH_EXTENSIONS, "as-set"],
    measures=["SARI", "SARI F1", *_OF_TABLE_1[1:], *_COSTS],
    published={
        "": _published(
            _OF_TABLE_1,
            {
                "BART-UL": (40.00, 11.97, 13.73, 7.90, 38.00, 14.00),
                "TESLEA": (40.00, 11.84, 13.82, None, 39.00, 11.00),
                "NapSS": (40.37, 10.97, 14.27, 12.30, 48.05, 19.94),
                "SoMS": (40.04, 11.40, 12.81, 8.40, 28.03, 9.61),
            },
        )
    },
    baseline="single",
)

TABLE_2 = Table(
    title="Table 2",
    rows=["single", "layperson1", "layperson2", "layperson3", "society1", "society2"],
    measures=["SARI", "SARI F1", "KEEP", "DELETE", "DELETE F1", *_OF_TABLE_2[3:]],
    published={
        "": _published(
            _OF_TABLE_2,
            {
                "SoMS, layperson × 1": (40.00, 28.12, 86.92, 4.97, 12.14, 13.87),
                "SoMS, layperson × 2": (40.32, 27.64, 87.73, 5.59, 12.08, 13.22),
                "SoMS, layperson × 3": (38.28, 24.13, 86.44, 4.26, 11.93, 12.85),
            },
        )
    },
    baseline="single",
)

EXTENSIONS = Table(
    title="What the extensions do",
    rows=["society2", *WITH_EXTENSIONS, "as-set"],
    measures=["SARI", "SARI F1", "lost", "copied %", "ROUGE-1", "ROUGE-2", "words", "FKGL", "ARI", "calls"],
    published={},
    baseline="society2",
    comparison=True,
)

SWEEPS = Table(
    title="Figure 2, as a table",
    rows=[f"{system}{n}" for system in ("redundancy", "clarifier") for n in _ENTRIES],
    measures=["SARI", "DELETE", "FKGL", "ARI", "words", "lost"],
    published={},
    baseline="redundancy1",
)


def _curve(system: str) -> dict[int, str]:
    return {0: "source", **{n: f"{system}{n}" for n in _ENTRIES}}


FIGURE_2 = Figure(
    title="Figure 2",
    across="entries into each loop",
    curves={
        "layperson": _curve("layperson"),
        "layperson + redundancy checker": _curve("redundancy"),
        "layperson + language clarifier": _curve("clarifier"),
    },
    measures=["FKGL", "ARI", "DELETE"],
    published={"layperson": {n: TABLE_2.published[""][f"SoMS, layperson × {n}"] for n in _ENTRIES}},
)


MEDICAL_SIMPLIFICATION = Task(
    name="medical_simplification",
    kind="simplification",
    source="Lyu and Pergola, Society of Medical Simplifiers (SoMS); gpt-3.5-turbo-1106 on the Cochrane test set",
    roles=SIMPLIFICATION_ROLES,
    systems=SYSTEMS,
    rows=ROWS,
    usual=_USUAL,
    measures=MEASURES,
    tables=[TABLE_1, TABLE_2, SWEEPS, EXTENSIONS],
    figures=[FIGURE_2],
    notes=[
        "SARI's DELETE is a precision, so a text that copies its source scores well: of what little it deletes, most "
        "is deleted rightly. `DELETE F1` and `SARI F1` count what was left undeleted, too.",
        "`copied %` is the share of a text's distinct words that its source has.",
        "`lost` counts the checked details of the abstract (numbers, doses, effect sizes, intervals, negations, names) "
        "that a text no longer has.",
        "Grades are textstat's with two rules of ours: no headline is graded, and no decimal point ends a sentence.",
        "`problems` counts the entries into a loop that ended early, because an agent gave no usable answer.",
    ],
    made_from="source",
    ranked_by="SARI",
    papers_models=dict.fromkeys(("SoMS", *(f"SoMS, layperson × {n}" for n in _ENTRIES)), "gpt-3.5-turbo-1106"),
)
