"""The evaluation of focused feedback: Tables 5 and 6 of SWIF2T (Chamoun and others).

The systems' comments on paragraphs are compared with those of human reviewers. The paper's rows run without extensions
and with its settings; extensions have rows of their own. A comment's text is its review and its suggestion. METEOR,
BLEU@4 and ROUGE-L are computed over raised comments only: a paragraph without a comment ("nothing worth raising") has
no text to compare, although its human reviewer did criticise it. `METEOR all` is the mean over all paragraphs, and a
missing comment counts 0, so a system gains nothing by raising fewer comments. BLEU@4 is corpus BLEU; the paper does not
say which BLEU it reports.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, get_args

from evals.metrics import compute_corpus_bleu, compute_meteor, compute_rouge
from evals.statistics import compute_label_f1
from evals.task import EvaluatedSystem, Item, Measure, Row, Table, Task, mark_as_text, name_figures, take_field
from graphs.baselines import chain_of_verification_builder, single_model_builder
from graphs.focused_feedback import builder
from runs.jobs import Record
from runs.runnable import Builder
from state.extensions import FEEDBACK_EXTENSIONS, resolve_extensions
from state.feedback import FeedbackInput, Weakness
from state.settings import FEEDBACK_ROLES, FeedbackContext, Settings
from tools.reranking import check_reranker, choose_weights_folder, load_reranker, select_unseen_weights

WEAKNESS_LABELS: tuple[Weakness, ...] = get_args(Weakness)


def _build_feedback_input(sample: Record) -> FeedbackInput:
    return FeedbackInput(paper=mark_as_text(sample["paper"]), text=sample["paragraph"])


def _check_reranker_loads(settings: Settings) -> None:
    load_reranker(choose_weights_folder(settings.feedback))


def _choose_unseen_reranker(sample: Record, choices: Mapping[str, Any]) -> dict[str, Any]:
    """Choose re-ranker weights that were not trained on the sample's paper."""
    options = Settings.model_validate(choices).feedback
    if not (options.rerank and options.plans > 1):
        return {}
    return {"feedback": {"reranker": str(select_unseen_weights(choose_weights_folder(options), sample["paper_id"]))}}


def _make_swif2t_system(
    graph: Builder, check: Callable[[Settings], object] | None = None, *, extensions: str = "none", **changed: Any
) -> EvaluatedSystem:
    """Build a system of the paper with the given changes."""
    # The re-ranker and the literature stay those of the run, because the preset cannot know where they are.
    context = FeedbackContext(extensions=resolve_extensions(FEEDBACK_EXTENSIONS, extensions), **changed)
    return EvaluatedSystem(
        graph, context, _build_feedback_input, check, preset="paper", sample_settings=_choose_unseen_reranker
    )


# By system: the extensions that are added to the paper's system, and their description in the title of the row.
EXTENDED_SYSTEMS = {
    "swif2t-default-extensions": ("default", "default extensions"),
    "swif2t-all-extensions": ("all", "all extensions"),
}

SYSTEMS = {
    "single": _make_swif2t_system(single_model_builder),
    "cove": _make_swif2t_system(chain_of_verification_builder),
    "no-reranking": _make_swif2t_system(builder, rerank=False),
    "swif2t": _make_swif2t_system(builder, _check_reranker_loads),
    "swif2t-rewriting": _make_swif2t_system(builder, _check_reranker_loads, max_rewrites=1),
    "swif2t-parallel": _make_swif2t_system(builder, _check_reranker_loads, execution="parallel"),
    **{
        name: _make_swif2t_system(builder, _check_reranker_loads, extensions=extensions)
        for name, (extensions, _) in EXTENDED_SYSTEMS.items()
    },
    # Unlike the paper's systems, it may be set to run without the re-ranker: the weights are checked only if needed.
    "as-set": EvaluatedSystem(
        builder,
        FeedbackContext(),
        _build_feedback_input,
        check=lambda settings: check_reranker(settings.feedback),
        sample_settings=_choose_unseen_reranker,
    ),
}


def _find_raised_comment(output: Record) -> Record | None:
    """Return the comment of a run, or None if none was raised."""
    review = output["reviews"][0]
    comment: Record | None = review["comment"]
    return comment if review["outcome"] == "comment" else None


def _make_comment_item(sample: Record, output: Record) -> Item | None:
    comment = _find_raised_comment(output)
    return Item(sample, f"{comment['review']} {comment['suggestion']}".strip() if comment else "", output)


ROWS = [
    Row("human", "human reviews", partial(take_field, "feedback")),
    Row("single", "single model", _make_comment_item, system="single", paper="single GPT-4"),
    Row("cove", "chain of verification", _make_comment_item, system="cove", paper="CoVe"),
    Row("no-reranking", "without re-ranking", _make_comment_item, system="no-reranking", paper="SWIF2T - RR"),
    Row("swif2t", "SWIF2T", _make_comment_item, system="swif2t", paper="SWIF2T"),
    Row("swif2t-rewriting", "SWIF2T, remaining steps rewritten", _make_comment_item, system="swif2t-rewriting"),
    Row("swif2t-parallel", "SWIF2T, questions together", _make_comment_item, system="swif2t-parallel"),
    *(
        Row(name, f"SWIF2T with {title}", _make_comment_item, system=name)
        for name, (_, title) in EXTENDED_SYSTEMS.items()
    ),
    Row("as-set", "as the settings say", _make_comment_item, system="as-set"),
]


def _score_if_raised(score: Callable[[Item], float], item: Item) -> float | None:
    return score(item) if item.text else None


def _score_meteor(item: Item) -> float:
    return compute_meteor(item.text, item.sample["feedback"]).score


def _score_rouge_l(item: Item) -> float:
    return compute_rouge(item.text, item.sample["feedback"]).rouge_l


def _score_bleu(items: Sequence[Item]) -> float | None:
    raised = [item for item in items if item.text]
    if not raised:
        return None
    return compute_corpus_bleu([item.text for item in raised], [item.sample["feedback"] for item in raised])


def _score_label_accuracy(item: Item) -> float | None:
    """Return 100 if the comment has the human label, else 0; None if there is no human label."""
    aspect, comment = item.sample["aspect"], _find_raised_comment(item.output)
    return None if aspect is None else 100.0 * (comment is not None and comment["label"] == aspect)


def _score_label_f1(label: Weakness, items: Sequence[Item]) -> float | None:
    """Compute the F1 of a label over the samples that have a human label."""
    labelled = [item for item in items if item.sample["aspect"]]
    gold: list[str] = [item.sample["aspect"] for item in labelled]
    # A paragraph without a comment has no predicted label and counts against the recall.
    predicted = [comment["label"] if (comment := _find_raised_comment(item.output)) else None for item in labelled]
    return compute_label_f1(gold, predicted, label) if label in gold else None


def _score_outcome(outcome: str, item: Item) -> float:
    return 100.0 if item.output["reviews"][0]["outcome"] == outcome else 0.0


def _score_comment_property(has_property: Callable[[Record, Record], bool], item: Item) -> float | None:
    """Return 100 if the comment has a property, else 0; None without a comment."""
    comment = _find_raised_comment(item.output)
    return 100.0 * has_property(comment, item.sample) if comment else None


def _is_verbatim(comment: Record, sample: Record) -> bool:
    quote = " ".join(comment["quote"].split())
    return bool(quote) and quote in " ".join(sample["paragraph"].split())


def _is_softened(comment: Record, _: Record) -> bool:
    verdict: str = comment["verification"]["verdict"]
    return verdict == "softened"


def _is_cited(comment: Record, _: Record) -> bool:
    return bool(comment["evidence"])


def _count_steps(outcomes: set[str], item: Item) -> float:
    log = item.output["reviews"][0]["log"]
    # The answers to `ask_checks` are computed; no model is asked.
    return float(sum(step["outcome"] in outcomes and step["step"]["action"] != "ask_checks" for step in log))


def _sum_call_field(field: str, item: Item) -> float:
    return float(sum(call[field] for call in item.output["calls"]))


# The human reviews are the reference of all measures, so they have no row in the tables.
COMPARED_ROWS = [row.name for row in ROWS if row.system]

OVERLAP_MEASURES = [
    Measure("METEOR", "higher", partial(_score_if_raised, _score_meteor)),
    Measure("BLEU@4", "higher", statistic=_score_bleu),
    Measure("ROUGE-L", "higher", partial(_score_if_raised, _score_rouge_l)),
    Measure("METEOR all", "higher", _score_meteor),
]

ASPECT_MEASURES = [
    Measure("accuracy", "higher", _score_label_accuracy),
    *(Measure(f"F1 {label}", "higher", statistic=partial(_score_label_f1, label)) for label in WEAKNESS_LABELS),
]

OUTCOME_MEASURES = [
    Measure("comment %", "neither", partial(_score_outcome, "comment"), digits=0),
    Measure("nothing %", "neither", partial(_score_outcome, "nothing worth raising"), digits=0),
    Measure("failed %", "lower", partial(_score_outcome, "failed"), digits=0),
    Measure("softened %", "neither", partial(_score_comment_property, _is_softened), digits=0),
    Measure("verbatim %", "higher", partial(_score_comment_property, _is_verbatim), digits=0),
    Measure("cited %", "higher", partial(_score_comment_property, _is_cited), digits=0),
]

# Costs are measured by paragraph, so that they have intervals and are compared like scores.
COST_MEASURES = [
    Measure("asked", "neither", partial(_count_steps, {"answered", "unanswered"}), digits=1),
    Measure("answered", "neither", partial(_count_steps, {"answered"}), digits=1),
    Measure("calls", "neither", lambda item: float(len(item.output["calls"])), digits=1),
    Measure("tokens in", "neither", partial(_sum_call_field, "input_tokens"), digits=0),
    Measure("tokens out", "neither", partial(_sum_call_field, "output_tokens"), digits=0),
    Measure("model s", "neither", partial(_sum_call_field, "seconds"), digits=1),
]

_ASPECT_NAMES = [measure.name for measure in ASPECT_MEASURES]
_PUBLISHED_ASPECTS = {  # accuracy, then F1 in the order of `Weakness`
    "single GPT-4": (24.00, 41.30, 6.60, 30.60, 8.70, 9.20),
    "CoVe": (30.70, 30.90, 33.80, 36.10, 24.40, 24.50),
    "SWIF2T - RR": (33.00, 45.30, 35.50, 33.51, 31.25, 22.40),
    "SWIF2T": (34.00, 42.90, 38.90, 31.40, 38.00, 25.37),
}
_PUBLISHED_OVERLAP = {
    "single GPT-4": (18.13, 28.50, 18.37),
    "CoVe": (18.76, 29.07, 19.62),
    "SWIF2T - RR": (19.17, 29.77, 19.39),
    "SWIF2T": (20.04, 30.06, 20.44),
}

TABLE_5 = Table(
    title="Table 5",
    rows=COMPARED_ROWS,
    measures=_ASPECT_NAMES,
    published={"": name_figures(_ASPECT_NAMES, _PUBLISHED_ASPECTS)},
    baseline="single",
)

TABLE_6 = Table(
    title="Table 6",
    rows=COMPARED_ROWS,
    measures=[measure.name for measure in OVERLAP_MEASURES],
    published={"": name_figures(("METEOR", "BLEU@4", "ROUGE-L"), _PUBLISHED_OVERLAP)},
    baseline="single",
)

OUTCOME_TABLE = Table(
    title="What came of each paragraph, and what it cost",
    rows=COMPARED_ROWS,
    measures=[measure.name for measure in (*OUTCOME_MEASURES, *COST_MEASURES)],
    published={},
    baseline="single",
)

EXTENSIONS_TABLE = Table(
    title="What the extensions do",
    rows=["swif2t", "swif2t-rewriting", "swif2t-parallel", *EXTENDED_SYSTEMS, "as-set"],
    measures=["accuracy", *(each.name for each in OVERLAP_MEASURES), "comment %", "verbatim %", "cited %", "calls"],
    published={},
    baseline="swif2t",
    comparison=True,
)

FOCUSED_FEEDBACK = Task(
    name="focused_feedback",
    kind="feedback",
    source="Chamoun, Schlichtkrull and Vlachos, Automated Focused Feedback Generation (SWIF2T); GPT-4",
    roles=FEEDBACK_ROLES,
    systems=SYSTEMS,
    rows=ROWS,
    usual=["single", "cove", "swif2t", "as-set"],
    measures=[*ASPECT_MEASURES, *OVERLAP_MEASURES, *OUTCOME_MEASURES, *COST_MEASURES],
    tables=[TABLE_5, TABLE_6, OUTCOME_TABLE, EXTENSIONS_TABLE],
    figures=[],
    judged=["human", "single", "cove", "swif2t"],
    notes=[
        f"METEOR matched words by {compute_meteor('', '').stages}.",
        "METEOR, BLEU@4 and ROUGE-L are of the comments that were raised; in `METEOR all` a paragraph without one "
        "counts 0. A paragraph without a comment counts as wrongly labelled.",
        "`verbatim %` is the share of comments that quote words of the paragraph. `cited %` is of the extension "
        "`anchors`; without it, as in the paper's rows, it is 0.",
        "`model s` is the sum of a paragraph's calls and grows with the load on the endpoint.",
    ],
    ranked_by="METEOR all",
    papers_models=dict.fromkeys(("CoVe", "SWIF2T - RR", "SWIF2T"), "GPT-4"),
)
