"""The evaluation of science journalism: Table 1 and Figure 4 of LLM-CLBR (Jiang, Shi and Luo).

The paper's rows run without extensions and with its settings. The single model's article is the first draft of the
loop's runs, so the rows are paired. The paper keeps the third iteration; `best` is the draft that Draftroom returns by
default: the easiest draft that keeps to the paper's facts. Extensions have rows of their own. Besides the paper's
readability formulas, the tables measure how faithful the articles are to the abstracts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal

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
from graphs.baselines import sequence_to_sequence_builder
from graphs.science_journalism import builder
from nodes.journalism.initialise import select_warm_start_model
from nodes.journalism.journalist import resolve_model_folder
from runs.jobs import Record
from runs.runnable import Builder
from state.extensions import JOURNALISM_EXTENSIONS, resolve_extensions
from state.settings import JournalismContext, JournalismSettings, Settings, Variant
from tools.checks.fidelity import compute_coverage, list_unsupported_facts
from tools.checks.readability import compute_mean_grade, compute_readability

_PAPER_ROUND = 3  # the iteration that the paper keeps
_ROUNDS = range(6)  # of Figure 4: the first draft and five iterations


def _make_llm_clbr_system(
    variant: Variant,
    check: Callable[[Settings], object] | None = None,
    *,
    graph: Builder = builder,
    extensions: str = "none",
    **changed: Any,
) -> EvaluatedSystem:
    """Build a system with the paper's preset, a variant, the named extensions, and other settings changed."""
    # The selection affects only the row `best`: all other rows take the draft of a fixed round.
    context = JournalismContext(
        extensions=resolve_extensions(JOURNALISM_EXTENSIONS, extensions), variant=variant, select="best", **changed
    )
    return EvaluatedSystem(graph, context, check, preset="paper")


# The variants of the paper's ablations, with its names for their rows.
ABLATIONS: Mapping[Variant, str] = {
    "large-reader": "reader = 7B",
    "no-notes": "- reading notes",
    "no-suggestions": "- suggestions",
    "no-collaboration": "- collaboration",
}

# By system: the extensions that are added to the paper's system, and their description in the title of the row.
EXTENDED_SYSTEMS = {
    "full-default-extensions": ("default", "default extensions"),
    "full-rewrite-copied": ("rewrite_copied", "copied sentences rewritten"),
    "full-all-extensions": ("all", "all extensions"),
}

SYSTEMS: dict[str, EvaluatedSystem] = {
    "full": _make_llm_clbr_system("full"),
    **{variant: _make_llm_clbr_system(variant) for variant in ABLATIONS},
    "bart": _make_llm_clbr_system(
        "single", lambda settings: resolve_model_folder(settings.journalism), graph=sequence_to_sequence_builder
    ),
    "warm-start": _make_llm_clbr_system("full", select_warm_start_model, warm_start=True),
    # These are compared with the paper's round only, so no later rounds are run.
    **{
        name: _make_llm_clbr_system("full", extensions=extensions, rounds=_PAPER_ROUND)
        for name, (extensions, _) in EXTENDED_SYSTEMS.items()
    },
    "as-set": EvaluatedSystem(
        builder,
        JournalismContext(),
        check=lambda settings: select_warm_start_model(settings) if settings.journalism.warm_start else None,
    ),
}


def _make_draft_item(chosen: int | Literal["paper", "best"], sample: Record, output: Record) -> Item | None:
    """Return as an item a run's draft: of a round (0: the first; None if there were fewer), "paper", or "best".

    "paper" is the round that the paper keeps, or the last round if the run had fewer; "best" is the selected round.
    """
    drafts = output["drafts"]
    if chosen == "paper":
        number = min(_PAPER_ROUND, len(drafts) - 1)
    elif chosen == "best":
        number = output["selected_round"]
    else:
        number = chosen
    return Item(sample, drafts[number]["text"], output, number) if number < len(drafts) else None


_make_first_item = partial(_make_draft_item, 0)
_make_paper_item = partial(_make_draft_item, "paper")
_make_best_item = partial(_make_draft_item, "best")

ROWS = [
    Row("abstracts", "the abstracts", partial(make_field_item, "abstract"), paper="paper abstracts"),
    Row("summaries", "the plain summaries", partial(make_field_item, "summary"), paper="plain summaries"),
    Row("single", "single model (first draft)", _make_first_item, "full", "Qwen-1.5-7B alone"),
    Row("loop", f"LLM-CLBR (round {_PAPER_ROUND})", _make_paper_item, "full", "LLM-CLBR"),
    Row("best", "LLM-CLBR (best draft)", _make_best_item, "full"),
    Row("bart", "fine-tuned BART", _make_first_item, "bart", "BART fine-tuned"),
    Row("warm-single", "fine-tuned single model", _make_first_item, "warm-start", "Qwen-1.5-7B fine-tuned"),
    Row("warm-start", f"LLM-WS-CLBR (round {_PAPER_ROUND})", _make_paper_item, "warm-start", "LLM-WS-CLBR"),
    *(Row(variant, f"LLM-CLBR, {variant}", _make_paper_item, variant, paper) for variant, paper in ABLATIONS.items()),
    *(
        Row(name, f"LLM-CLBR with {title} (round {_PAPER_ROUND})", _make_paper_item, name)
        for name, (_, title) in EXTENDED_SYSTEMS.items()
    ),
    Row("as-set", "as the settings say", _make_best_item, "as-set"),
    Row("as-set-single", "as the settings say, first draft", _make_first_item, "as-set"),
    *(Row(f"round{n}", f"round {n}", partial(_make_draft_item, n), "full") for n in _ROUNDS),
]


MEASURES = [
    Measure("CLI", "lower", lambda item: compute_readability(item.text)["cli"]),
    Measure("FKGL", "lower", lambda item: compute_readability(item.text)["fkgl"]),
    Measure("DCRS", "lower", lambda item: compute_readability(item.text)["dcrs"]),
    Measure("ARI", "lower", lambda item: compute_readability(item.text)["ari"]),
    Measure("mean grade", "lower", lambda item: compute_mean_grade(compute_readability(item.text))),
    Measure("words", "neither", lambda item: float(compute_readability(item.text)["words"]), digits=0),
    Measure("coverage", "neither", lambda item: compute_coverage(item.text, item.sample["abstract"])),
    Measure(
        "unsupported", "lower", lambda item: float(len(list_unsupported_facts(item.text, item.sample["abstract"])))
    ),
    Measure(
        "calls",
        "neither",
        # Only calls up to the round of the draft count; a text of the corpus needed none.
        lambda item: (
            float(sum(call["round"] <= item.version for call in item.output["calls"])) if item.output else None
        ),
        digits=1,
    ),
]


_GRADE_MEASURES = ("CLI", "FKGL", "DCRS")
_CORPORA = ("SCITech", "eLife", "PLOS")

# Only the reader is the smaller model. The last two ablations have no reader.
_PUBLISHED_MODELS = {
    **dict.fromkeys(("LLM-WS-CLBR", "LLM-CLBR", "- suggestions"), "Qwen1.5-7B and 1.8B"),
    **dict.fromkeys(("reader = 7B", "- reading notes", "- collaboration"), "Qwen1.5-7B"),
}

TABLE_1 = Table(
    title="Table 1",
    rows=[
        *("abstracts", "summaries", "single", "bart", "warm-single", "warm-start", "loop", "best"),
        *(*ABLATIONS, *EXTENDED_SYSTEMS, "as-set", "as-set-single"),
    ],
    measures=[*_GRADE_MEASURES, "mean grade", "words", "coverage", "unsupported", "calls"],
    published={corpus: map_published_figures(_GRADE_MEASURES, PUBLISHED["grades"][corpus]) for corpus in _CORPORA},
    baseline="single",
)

EXTENSIONS_TABLE = Table(
    title="What the extensions do",
    rows=["loop", *EXTENDED_SYSTEMS, "as-set", "as-set-single"],
    measures=["coverage", "unsupported", "words", "mean grade", "FKGL", "calls"],
    baseline="loop",
    comparison=True,
)

FIGURE_4 = Figure(
    title="Figure 4",
    across="round",
    curves={"LLM-CLBR": {n: f"round{n}" for n in _ROUNDS}},
    measures=[*_GRADE_MEASURES, "unsupported"],
)

SCIENCE_JOURNALISM = Task(
    name="science_journalism",
    kind="journalism",
    source="Jiang, Shi and Luo, LLM-Collaboration on Automatic Science Journalism (LLM-CLBR); Qwen1.5-7B and 1.8B",
    roles=JournalismSettings.roles,
    optional_roles=["warm_start"],
    systems=SYSTEMS,
    rows=ROWS,
    usual=["abstracts", "summaries", "single", "loop", "best"],
    measures=MEASURES,
    tables=[TABLE_1, EXTENSIONS_TABLE],
    figures=[FIGURE_4],
    input_fields={"paper": "abstract"},
    judged=["summaries", "single", "loop"],
    notes=[
        "`coverage` is the share of the abstract's content words that a text uses; `unsupported` counts its numbers, "
        "units and names that the abstract does not support.",
        "Grades are textstat's with two additional rules: no headline is graded, and no decimal point ends a sentence.",
        "People judge three texts here (`draftroom eval blind`); the paper's fourth, by GPT-4, must be brought.",
    ],
    ranked_by="mean grade",
    papers_models=_PUBLISHED_MODELS,
)
