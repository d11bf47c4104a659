"""The evaluation of medical simplification: Tables 1 and 2 and Figure 2 of SoMS (Lyu and Pergola).

The paper's rows run without extensions and with its settings; extensions have rows of their own. The layperson's three
rows are versions of the same runs. Besides the paper's metrics, the tables count lost details.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any, get_args

from evals.metrics import compute_corpus_bleu, compute_rouge, compute_sari
from evals.task import (
    PUBLISHED,
    EvaluatedSystem,
    Figure,
    Item,
    Measure,
    Row,
    Table,
    Task,
    make_field_item,
    map_published_figures,
)
from graphs.medical_simplification import builder
from runs.jobs import Record
from state.extensions import SIMPLIFICATION_EXTENSIONS, resolve_extensions
from state.settings import Lead, SimplificationContext, SimplificationSettings
from tools.checks.omissions import find_lost_details
from tools.checks.readability import compute_readability

_WORD = re.compile(r"\w+")
_ALL_LOOPS: list[Lead] = list(get_args(Lead))
_ENTRY_COUNTS = (1, 2, 3)
_PAPER_ENTRIES = 2  # The paper enters each loop twice.
# The loop beside the layperson's in the systems of Figure 2, by their names.
_SECOND_LOOPS = {"redundancy": "redundancy_checker", "clarifier": "language_clarifier"}


def _make_soms_system(*, extensions: str = "none", **changed: Any) -> EvaluatedSystem:
    """Build a system with the paper's preset, the named extensions, and other settings changed."""
    context = SimplificationContext(extensions=resolve_extensions(SIMPLIFICATION_EXTENSIONS, extensions), **changed)
    return EvaluatedSystem(builder, context, preset="paper")


# By system: the extensions that are added to the paper's system, and their description in the title of the row.
EXTENDED_SYSTEMS = {
    "society2-default-extensions": ("default", "default extensions"),
    "society2-sentence-by-sentence": ("sentence_by_sentence", "sentences rewritten one by one"),
    "society2-all-extensions": ("all", "all extensions"),
}

SYSTEMS = {
    "single": _make_soms_system(variant="single"),
    # With one loop, version n of the text is the result of n entries: one run fills all three rows.
    "layperson": _make_soms_system(loops=["layperson"], entries=max(_ENTRY_COUNTS)),
    # With several loops their order is the agent selector's choice, so each number of entries needs runs of its own.
    **{
        f"{name}{n}": _make_soms_system(loops=["layperson", lead], entries=n)
        for name, lead in _SECOND_LOOPS.items()
        for n in _ENTRY_COUNTS
    },
    **{f"society{n}": _make_soms_system(loops=_ALL_LOOPS, entries=n) for n in _ENTRY_COUNTS[:_PAPER_ENTRIES]},
    **{
        name: _make_soms_system(entries=_PAPER_ENTRIES, extensions=extensions)
        for name, (extensions, _) in EXTENDED_SYSTEMS.items()
    },
    "as-set": EvaluatedSystem(builder, SimplificationContext()),
}


def _make_version_item(number: int | None, sample: Record, output: Record) -> Item | None:
    """Return as an item a run's text after `number` entries (the last if it made fewer), or the selected one (None)."""
    last = output["selected_version"] if number is None else number
    version = output["versions"][: last + 1][-1]
    return Item(sample, version["text"], output, version["number"])


_make_selected_item = partial(_make_version_item, None)


ROWS = [
    Row("source", "the abstracts", partial(make_field_item, "source")),
    Row("reference", "the plain-language summaries", partial(make_field_item, "target")),
    Row("single", "single model", _make_selected_item, system="single"),
    *(
        Row(f"layperson{n}", f"layperson × {n}", partial(_make_version_item, n), "layperson", f"SoMS, layperson × {n}")
        for n in _ENTRY_COUNTS
    ),
    *(
        Row(f"{name}{n}", f"layperson + {lead.replace('_', ' ')} × {n}", _make_selected_item, system=f"{name}{n}")
        for name, lead in _SECOND_LOOPS.items()
        for n in _ENTRY_COUNTS
    ),
    Row("society1", "society × 1", _make_selected_item, system="society1"),
    Row("society2", "society × 2", _make_selected_item, system="society2", paper="SoMS"),
    *(
        Row(name, f"society × {_PAPER_ENTRIES} with {title}", _make_selected_item, system=name)
        for name, (_, title) in EXTENDED_SYSTEMS.items()
    ),
    Row("as-set", "as the settings say", _make_selected_item, system="as-set"),
]


def _score_sari(part: str, item: Item) -> float | None:
    """Return SARI of a system's text, or a component of it (a field of `Sari`); None for a text of the corpus."""
    # A text that deletes nothing has a DELETE of 100 (evals/metrics.py): the source would rank above every system.
    if not item.output:
        return None
    score: float = getattr(compute_sari(item.sample["source"], item.text, [item.sample["target"]]), part)
    return score


def _compute_copied_share(item: Item) -> float:
    """Return the percentage of the text's distinct words that occur in the source, 0 to 100."""
    words, source_words = (set(_WORD.findall(text.lower())) for text in (item.text, item.sample["source"]))
    return 100 * len(words & source_words) / len(words) if words else 0.0


def _count_events(name: str, item: Item) -> float | None:
    """Count lost details, or calls, re-asks or problems up to this version; None for what a corpus text cannot have."""
    # A text of the corpus has no run; only its details can be counted.
    if not item.output:
        return float(len(find_lost_details(item.sample["source"], item.text))) if name == "lost" else None
    calls = [call for call in item.output["calls"] if call["round"] <= item.version]
    counts = {
        # The run has checked each version already.
        "lost": len(item.output["versions"][item.version]["lost"]),
        "calls": len(calls),
        "re-asks": sum(call["reask"] for call in calls),
        "problems": sum(bool(exchange["problem"]) for exchange in item.output["history"][: item.version]),
    }
    return float(counts[name])


MEASURES = [
    Measure("SARI", "higher", partial(_score_sari, "sari")),
    Measure("SARI F1", "higher", partial(_score_sari, "sari_f1")),
    Measure("KEEP", "higher", partial(_score_sari, "keep")),
    Measure("DELETE", "higher", partial(_score_sari, "delete")),
    Measure("DELETE F1", "higher", partial(_score_sari, "delete_f1")),
    Measure("ADD", "higher", partial(_score_sari, "add")),
    Measure("FKGL", "lower", lambda item: compute_readability(item.text)["fkgl"]),
    Measure("ARI", "lower", lambda item: compute_readability(item.text)["ari"]),
    Measure(
        "BLEU",
        "higher",
        statistic=lambda items: compute_corpus_bleu(
            [item.text for item in items], [item.sample["target"] for item in items]
        ),
    ),
    Measure("ROUGE-1", "higher", lambda item: compute_rouge(item.text, item.sample["target"]).rouge1),
    Measure("ROUGE-2", "higher", lambda item: compute_rouge(item.text, item.sample["target"]).rouge2),
    Measure("words", "neither", lambda item: float(compute_readability(item.text)["words"]), digits=0),
    Measure("copied %", "neither", _compute_copied_share, digits=0),
    Measure("lost", "lower", partial(_count_events, "lost")),
    Measure("calls", "neither", partial(_count_events, "calls"), digits=1),
    Measure("re-asks", "lower", partial(_count_events, "re-asks")),
    Measure("problems", "lower", partial(_count_events, "problems")),
]


_DEFAULT_ROWS = ["source", "reference", "single", "layperson1", "layperson2", "layperson3", "society1", "society2"]
_COST_MEASURES = ("words", "copied %", "lost", "calls", "re-asks", "problems")
_TABLE_1_MEASURES = ("SARI", "FKGL", "ARI", "BLEU", "ROUGE-1", "ROUGE-2")
_TABLE_2_MEASURES = ("SARI", "KEEP", "DELETE", "ADD", "FKGL", "ARI")
TABLE_1 = Table(
    title="Table 1",
    rows=[*_DEFAULT_ROWS, *EXTENDED_SYSTEMS, "as-set"],
    # The F1 variant stands beside the SARI that the paper reports: see the notes of the task.
    measures=["SARI", "SARI F1", *_TABLE_1_MEASURES[1:], *_COST_MEASURES],
    published={"": map_published_figures(_TABLE_1_MEASURES, PUBLISHED["simplification"]["table_1"])},
    baseline="single",
)

TABLE_2 = Table(
    title="Table 2",
    rows=["single", "layperson1", "layperson2", "layperson3", "society1", "society2"],
    measures=["SARI", "SARI F1", "KEEP", "DELETE", "DELETE F1", *_TABLE_2_MEASURES[3:]],
    published={"": map_published_figures(_TABLE_2_MEASURES, PUBLISHED["simplification"]["table_2"])},
    baseline="single",
)

EXTENSIONS_TABLE = Table(
    title="What the extensions do",
    rows=["society2", *EXTENDED_SYSTEMS, "as-set"],
    measures=["SARI", "SARI F1", "lost", "copied %", "ROUGE-1", "ROUGE-2", "words", "FKGL", "ARI", "calls"],
    baseline="society2",
    comparison=True,
)

SWEEP_TABLE = Table(
    title="Figure 2, as a table",
    rows=[f"{system}{n}" for system in _SECOND_LOOPS for n in _ENTRY_COUNTS],
    measures=["SARI", "DELETE", "FKGL", "ARI", "words", "lost"],
    baseline="redundancy1",
)


FIGURE_2 = Figure(
    title="Figure 2",
    across="entries into each loop",
    # Before the first entry, the text is the source.
    curves={
        "layperson": {0: "source", 1: "layperson1", 2: "layperson2", 3: "layperson3"},
        "layperson + redundancy checker": {0: "source", 1: "redundancy1", 2: "redundancy2", 3: "redundancy3"},
        "layperson + language clarifier": {0: "source", 1: "clarifier1", 2: "clarifier2", 3: "clarifier3"},
    },
    measures=["FKGL", "ARI", "DELETE"],
    # The paper's other curves are only drawn. The layperson's points are also printed, in Table 2.
    published={"layperson": {n: TABLE_2.published[""][f"SoMS, layperson × {n}"] for n in _ENTRY_COUNTS}},
)

MEDICAL_SIMPLIFICATION = Task(
    name="medical_simplification",
    kind="simplification",
    source="Lyu and Pergola, Society of Medical Simplifiers (SoMS); gpt-3.5-turbo-1106 on the Cochrane test set",
    roles=SimplificationSettings.roles,
    systems=SYSTEMS,
    rows=ROWS,
    usual=_DEFAULT_ROWS,
    measures=MEASURES,
    tables=[TABLE_1, TABLE_2, SWEEP_TABLE, EXTENSIONS_TABLE],
    figures=[FIGURE_2],
    input_fields={"abstract": "source"},
    notes=[
        "SARI's DELETE is a precision, so a text that copies its source scores well: of what little it deletes, most "
        "is deleted rightly. `DELETE F1` and `SARI F1` count what was left undeleted, too.",
        "`copied %` is the share of a text's distinct words that its source has.",
        "`lost` counts the checked details of the abstract (numbers, doses, effect sizes, intervals, negations, names) "
        "that a text no longer has.",
        "Grades are textstat's with two additional rules: no headline is graded, and no decimal point ends a sentence.",
        "`problems` counts the entries into a loop that ended early, because an agent gave no usable answer.",
    ],
    ranked_by="SARI",
    papers_models=dict.fromkeys(("SoMS", *(f"SoMS, layperson × {n}" for n in _ENTRY_COUNTS)), "gpt-3.5-turbo-1106"),
)
