"""Comments on paragraphs beside those of human reviewers: Tables 5 and 6 of SWIF2T (Chamoun and others).

The paper's rows run without extensions and with its settings; what is ours stands in rows of its own. A comment's text
is its review and its suggestion. METEOR, BLEU@4 and ROUGE-L are of the comments that were raised only: a paragraph
without one ("nothing worth raising") has no text to compare, although its human reviewer did criticise it. `METEOR all`
is the mean over all paragraphs, where one without a comment counts 0, so a system gains nothing there by keeping
silent. BLEU@4 is of the corpus, as everywhere here; the paper does not say how it counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, get_args

from evals.metrics import compute_corpus_bleu, compute_meteor, compute_rouge
from evals.statistics import compute_label_f1
from evals.task import EvaluatedSystem, Item, Measure, Row, Table, Task, mark_as_text
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


def _check_reranker_if_used(settings: Settings) -> None:
    check_reranker(settings.feedback)


def _choose_unseen_reranker(sample: Record, choices: Mapping[str, Any]) -> dict[str, Any]:
    """The re-ranker that has not learnt from the sample's paper."""
    options = Settings.model_validate(choices).feedback
    if not (options.rerank and options.plans > 1):
        return {}
    return {"feedback": {"reranker": str(select_unseen_weights(choose_weights_folder(options), sample["paper_id"]))}}


def _make_swif2t_system(
    graph: Builder, check: Callable[[Settings], object] | None = None, *, extensions: str = "none", **changed: Any
) -> EvaluatedSystem:
    """A system of the paper but for what is named; re-ranker and literature are those that the run has."""
    context = FeedbackContext(extensions=resolve_extensions(FEEDBACK_EXTENSIONS, extensions), **changed)
    return EvaluatedSystem(
        graph, context, _build_feedback_input, check, preset="paper", of_sample=_choose_unseen_reranker
    )


def make_extended_system(extensions: str, graph: Builder = builder) -> EvaluatedSystem:
    """The paper's system, or another graph, with extensions: `default`, `all`, or names with commas between them."""
    return _make_swif2t_system(graph, _check_reranker_loads if graph is builder else None, extensions=extensions)


EXTENDED_SYSTEMS = {
    "swif2t-default-extensions": ("default", "default extensions"),
    "swif2t-all-extensions": ("all", "all extensions"),
}
"""Which extensions are on in the systems that are the paper's but for them, and what their rows say of it."""

SYSTEMS = {
    "single": _make_swif2t_system(single_model_builder),
    "cove": _make_swif2t_system(chain_of_verification_builder),
    "no-reranking": _make_swif2t_system(builder, rerank=False),
    "swif2t": _make_swif2t_system(builder, _check_reranker_loads),
    "swif2t-rewriting": _make_swif2t_system(builder, _check_reranker_loads, max_rewrites=1),
    "swif2t-parallel": _make_swif2t_system(builder, _check_reranker_loads, execution="parallel"),
    **{name: make_extended_system(extensions) for name, (extensions, _) in EXTENDED_SYSTEMS.items()},
    "as-set": EvaluatedSystem(
        builder, FeedbackContext(), _build_feedback_input, _check_reranker_if_used, of_sample=_choose_unseen_reranker
    ),
}


def _find_raised_comment(output: Record) -> Record | None:
    """The comment that a person is shown."""
    review = output["reviews"][0]
    comment: Record | None = review["comment"]
    return comment if review["outcome"] == "comment" else None


def _make_comment_item(sample: Record, output: Record) -> Item | None:
    """The comment's review and suggestion; empty if none was raised."""
    comment = _find_raised_comment(output)
    return Item(sample, f"{comment['review']} {comment['suggestion']}".strip() if comment else "", output)


def _make_human_item(sample: Record, _: Record) -> Item | None:
    return Item(sample, sample["feedback"], {})


ROWS = [
    Row("human", "human reviews", _make_human_item),
    Row("single", "single model", _make_comment_item, system="single", paper="single GPT-4"),
    Row("cove", "chain of verification", _make_comment_item, system="cove", paper="CoVe"),
    Row("no-reranking", "without re-ranking", _make_comment_item, system="no-reranking", paper="SWIF2T - RR"),
    Row("swif2t", "SWIF2T", _make_comment_item, system="swif2t", paper="SWIF2T"),
    Row("swif2t-rewriting", "SWIF2T, remaining steps rewritten", _make_comment_item, system="swif2t-rewriting"),
    Row("swif2t-parallel", "SWIF2T, questions together", _make_comment_item, system="swif2t-parallel"),
    *(
        Row(name, f"SWIF2T with {said}", _make_comment_item, system=name)
        for name, (_, said) in EXTENDED_SYSTEMS.items()
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
    return (
        compute_corpus_bleu([item.text for item in raised], [item.sample["feedback"] for item in raised])
        if raised
        else None
    )


def _score_label_accuracy(item: Item) -> float | None:
    """100 if the comment has the label that people gave; none if they gave none. No comment is no label."""
    aspect, comment = item.sample["aspect"], _find_raised_comment(item.output)
    return None if aspect is None else 100.0 * (comment is not None and comment["label"] == aspect)


def _collect_label_pairs(items: Sequence[Item]) -> tuple[list[str], list[str | None]]:
    """Human and predicted labels, of the samples that have a human one; no comment is no label."""
    labelled = [item for item in items if item.sample["aspect"]]
    predicted = [comment["label"] if (comment := _find_raised_comment(item.output)) else None for item in labelled]
    return [item.sample["aspect"] for item in labelled], predicted


def _score_label_f1(label: Weakness, items: Sequence[Item]) -> float | None:
    gold, predicted = _collect_label_pairs(items)
    return compute_label_f1(gold, predicted, label) if label in gold else None


def _score_outcome(outcome: str, item: Item) -> float:
    return 100.0 if item.output["reviews"][0]["outcome"] == outcome else 0.0


def _score_comment_property(is_so: Callable[[Record, Record], bool], item: Item) -> float | None:
    """100 if something holds of the comment and its sample, 0 if not; none without a comment."""
    comment = _find_raised_comment(item.output)
    return 100.0 * is_so(comment, item.sample) if comment else None


def _is_verbatim(comment: Record, sample: Record) -> bool:
    quote = " ".join(comment["quote"].split())
    return bool(quote) and quote in " ".join(sample["paragraph"].split())


def _count_steps(outcomes: set[str], item: Item) -> float:
    log = item.output["reviews"][0]["log"]
    # What is computed is there without an answer of a model.
    return float(sum(step["outcome"] in outcomes and step["step"]["action"] != "ask_checks" for step in log))


def _sum_call_field(field: str, item: Item) -> float:
    return float(sum(call[field] for call in item.output["calls"]))


COMPARED_ROWS = [row.name for row in ROWS if row.system]
"""Held against what a person wrote; that itself is in no table."""

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
    Measure(
        "softened %",
        "neither",
        partial(_score_comment_property, lambda comment, _: comment["verification"]["verdict"] == "softened"),
        digits=0,
    ),
    Measure("verbatim %", "higher", partial(_score_comment_property, _is_verbatim), digits=0),
    Measure(
        "cited %", "higher", partial(_score_comment_property, lambda comment, _: bool(comment["evidence"])), digits=0
    ),
]

COST_MEASURES = [
    Measure("asked", "neither", partial(_count_steps, {"answered", "unanswered"}), digits=1),
    Measure("answered", "neither", partial(_count_steps, {"answered"}), digits=1),
    Measure("calls", "neither", lambda item: float(len(item.output["calls"])), digits=1),
    Measure("tokens in", "neither", partial(_sum_call_field, "input_tokens"), digits=0),
    Measure("tokens out", "neither", partial(_sum_call_field, "output_tokens"), digits=0),
    Measure("model s", "neither", partial(_sum_call_field, "seconds"), digits=1),
]

TABLE_5 = Table(
    title="Table 5",
    rows=COMPARED_ROWS,
    measures=[measure.name for measure in ASPECT_MEASURES],
    published={
        "": {
            row: dict(zip([measure.name for measure in ASPECT_MEASURES], figures, strict=True))
            for row, figures in {  # accuracy, then F1 in the order of `Weakness`
                "single GPT-4": (24.00, 41.30, 6.60, 30.60, 8.70, 9.20),
                "CoVe": (30.70, 30.90, 33.80, 36.10, 24.40, 24.50),
                "SWIF2T - RR": (33.00, 45.30, 35.50, 33.51, 31.25, 22.40),
                "SWIF2T": (34.00, 42.90, 38.90, 31.40, 38.00, 25.37),
            }.items()
        }
    },
    baseline="single",
)

TABLE_6 = Table(
    title="Table 6",
    rows=COMPARED_ROWS,
    measures=[measure.name for measure in OVERLAP_MEASURES],
    published={
        "": {
            row: dict(zip(("METEOR", "BLEU@4", "ROUGE-L"), figures, strict=True))
            for row, figures in {
                "single GPT-4": (18.13, 28.50, 18.37),
                "CoVe": (18.76, 29.07, 19.62),
                "SWIF2T - RR": (19.17, 29.77, 19.39),
                "SWIF2T": (20.04, 30.06, 20.44),
            }.items()
        }
    },
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
    measures=[
        "accuracy",
        *(measure.name for measure in OVERLAP_MEASURES),
        "comment %",
        "verbatim %",
        "cited %",
        "calls",
    ],
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
