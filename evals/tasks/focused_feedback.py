"""The evaluation of focused feedback: Tables 5 and 6 of SWIF2T (Chamoun and others).

The systems' comments on paragraphs are compared with those of human reviewers. The paper's rows run without extensions
and with its settings; extensions have rows of their own. A comment's text is its review and its suggestion. METEOR,
BLEU@4 and ROUGE-L are computed over raised comments only: a paragraph without a comment ("nothing worth raising") has
no text to compare, although its human reviewer did criticise it. `METEOR all` is the mean over all paragraphs, and a
missing comment counts 0, so a system gains nothing by raising fewer comments. BLEU@4 is corpus BLEU; the paper does not
say which BLEU it reports.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal, get_args

from evals.metrics import compute_corpus_bleu, compute_meteor, compute_rouge
from evals.statistics import compute_label_f1
from evals.task import (
    PUBLISHED,
    EvaluatedSystem,
    Item,
    Measure,
    Row,
    Table,
    Task,
    make_field_item,
    map_published_figures,
)
from graphs.baselines import chain_of_verification_builder, single_model_builder
from graphs.focused_feedback import builder
from runs.jobs import Record
from runs.runnable import Builder
from state.extensions import FEEDBACK_EXTENSIONS, resolve_extensions
from state.feedback import Weakness
from state.settings import FeedbackContext, FeedbackSettings, Settings
from tools.reranking import choose_weights_folder, load_reranker, preload_reranker, select_unseen_weights

WEAKNESS_LABELS: tuple[Weakness, ...] = get_args(Weakness)


def choose_unseen_reranker(sample: Record, choices: Mapping[str, Any]) -> dict[str, Any]:
    """Return the setting of re-ranker weights not trained on the sample's paper; empty if no plans are ranked."""
    options = Settings.model_validate(choices).feedback
    if not (options.rerank and options.plans > 1):
        return {}
    return {"feedback": {"reranker": str(select_unseen_weights(choose_weights_folder(options), sample["paper_id"]))}}


def _make_swif2t_system(graph: Builder = builder, *, extensions: str = "none", **changed: Any) -> EvaluatedSystem:
    """Build a system with the paper's preset, the named extensions, and other settings changed."""
    # The re-ranker and the literature stay those of the run, because the preset cannot know where they are.
    context = FeedbackContext(extensions=resolve_extensions(FEEDBACK_EXTENSIONS, extensions), **changed)
    # A baseline makes no plans, so only the paper's graph ranks them.
    is_reranking = graph is builder and changed.get("rerank", True)
    return EvaluatedSystem(
        graph,
        context,
        check=(lambda settings: load_reranker(choose_weights_folder(settings.feedback))) if is_reranking else None,
        preset="paper",
        sample_settings=choose_unseen_reranker,
    )


# By system: the extensions that are added to the paper's system, and their description in the title of the row.
EXTENDED_SYSTEMS = {
    "swif2t-default-extensions": ("default", "default extensions"),
    "swif2t-all-extensions": ("all", "all extensions"),
}

SYSTEMS = {
    "single": _make_swif2t_system(single_model_builder),
    "cove": _make_swif2t_system(chain_of_verification_builder),
    "no-reranking": _make_swif2t_system(rerank=False),
    "swif2t": _make_swif2t_system(),
    "swif2t-rewriting": _make_swif2t_system(max_rewrites=1),
    "swif2t-parallel": _make_swif2t_system(execution="parallel"),
    **{name: _make_swif2t_system(extensions=extensions) for name, (extensions, _) in EXTENDED_SYSTEMS.items()},
    # Unlike the paper's systems, it may be set to run without the re-ranker: the weights are checked only if needed.
    "as-set": EvaluatedSystem(
        builder,
        FeedbackContext(),
        check=lambda settings: preload_reranker(settings.feedback),
        sample_settings=choose_unseen_reranker,
    ),
}


def _select_raised_comment(output: Record) -> Record | None:
    """Return the comment on the paragraph of a run's output, or None if none was raised."""
    review = output["reviews"][0]
    comment: Record | None = review["comment"]
    return comment if review["outcome"] == "comment" else None


def _make_comment_item(sample: Record, output: Record) -> Item | None:
    """Return the raised comment (review and suggestion) as an item, with an empty text if none was raised."""
    comment = _select_raised_comment(output)
    return Item(sample, f"{comment['review']} {comment['suggestion']}".strip() if comment else "", output)


ROWS = [
    Row("human", "human reviews", partial(make_field_item, "feedback")),
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


def _score_overlap(metric: Literal["METEOR", "ROUGE-L"], missing: float | None, item: Item) -> float | None:
    """Compute the overlap of a comment with the human review, 0 to 100; return `missing` if no comment was raised.

    If `missing` is None, a paragraph without a comment is left out of the mean.
    """
    if not item.text:
        return missing
    if metric == "METEOR":
        return compute_meteor(item.text, item.sample["feedback"]).score
    return compute_rouge(item.text, item.sample["feedback"]).rouge_l


def _score_bleu(items: Sequence[Item]) -> float | None:
    """Compute corpus BLEU of the raised comments, 0 to 100; None if none was raised."""
    raised = [item for item in items if item.text]
    if not raised:
        return None
    return compute_corpus_bleu([item.text for item in raised], [item.sample["feedback"] for item in raised])


def _score_label_f1(label: Weakness, items: Sequence[Item]) -> float | None:
    """Compute the F1 of a label, 0 to 100, over the samples that have a human label; None if none has this label."""
    labelled = [item for item in items if item.sample["aspect"]]
    gold: list[str] = [item.sample["aspect"] for item in labelled]
    # A paragraph without a comment has no predicted label and counts against the recall.
    predicted = [comment["label"] if (comment := _select_raised_comment(item.output)) else None for item in labelled]
    return compute_label_f1(gold, predicted, label) if label in gold else None


def _score_review_property(name: str, item: Item) -> float | None:
    """Return 100 or 0 for a property of a run's review; None if a label or comment that it needs is missing."""
    outcome, aspect = item.output["reviews"][0]["outcome"], item.sample["aspect"]
    comment = _select_raised_comment(item.output)
    found = {
        "comment %": outcome == "comment",
        "nothing %": outcome == "nothing worth raising",
        "failed %": outcome == "failed",
    }
    if aspect is not None:
        found["accuracy"] = comment is not None and comment["label"] == aspect
    if comment:
        # Line breaks of the paper may be spaces in the quote.
        quote, paragraph = (" ".join(text.split()) for text in (comment["quote"], item.sample["paragraph"]))
        found["softened %"] = comment["verification"]["verdict"] == "softened"
        found["verbatim %"] = bool(quote) and quote in paragraph
        found["cited %"] = bool(comment["evidence"])
    return 100.0 * found[name] if name in found else None


def _measure_usage(name: str, item: Item) -> float:
    """Return a cost of the review of a paragraph: a number of questions or model calls, tokens, or seconds."""
    calls = item.output["calls"]
    # The answers to `ask_checks` are computed; no model is asked.
    log = [step for step in item.output["reviews"][0]["log"] if step["step"]["action"] != "ask_checks"]
    answered = sum(step["outcome"] == "answered" for step in log)
    usage = {
        "asked": answered + sum(step["outcome"] == "unanswered" for step in log),
        "answered": answered,
        "calls": len(calls),
        "tokens in": sum(call["input_tokens"] for call in calls),
        "tokens out": sum(call["output_tokens"] for call in calls),
        "model s": sum(call["seconds"] for call in calls),
    }
    return float(usage[name])


# The human reviews are the reference of all measures, so they have no row in the tables.
COMPARED_ROWS = [row.name for row in ROWS if row.system]

OVERLAP_MEASURES = [
    Measure("METEOR", "higher", partial(_score_overlap, "METEOR", None)),
    Measure("BLEU@4", "higher", statistic=_score_bleu),
    Measure("ROUGE-L", "higher", partial(_score_overlap, "ROUGE-L", None)),
    Measure("METEOR all", "higher", partial(_score_overlap, "METEOR", 0.0)),
]

ASPECT_MEASURES = [
    Measure("accuracy", "higher", partial(_score_review_property, "accuracy")),
    *(Measure(f"F1 {label}", "higher", statistic=partial(_score_label_f1, label)) for label in WEAKNESS_LABELS),
]

_OUTCOME_DIRECTIONS: dict[str, Literal["lower", "higher", "neither"]] = {
    "comment %": "neither",
    "nothing %": "neither",
    "failed %": "lower",
    "softened %": "neither",
    "verbatim %": "higher",
    "cited %": "higher",
}
OUTCOME_MEASURES = [
    Measure(name, better, partial(_score_review_property, name), digits=0)
    for name, better in _OUTCOME_DIRECTIONS.items()
]

# Costs are measured by paragraph, so that they have intervals and are compared like scores.
_COST_DIGITS = {"asked": 1, "answered": 1, "calls": 1, "tokens in": 0, "tokens out": 0, "model s": 1}
COST_MEASURES = [
    Measure(name, "neither", partial(_measure_usage, name), digits=digits) for name, digits in _COST_DIGITS.items()
]

_ASPECT_NAMES = [measure.name for measure in ASPECT_MEASURES]
TABLE_5 = Table(
    title="Table 5",
    rows=COMPARED_ROWS,
    measures=_ASPECT_NAMES,
    published={"": map_published_figures(_ASPECT_NAMES, PUBLISHED["feedback"]["aspects"])},
    baseline="single",
)

TABLE_6 = Table(
    title="Table 6",
    rows=COMPARED_ROWS,
    measures=[measure.name for measure in OVERLAP_MEASURES],
    published={"": map_published_figures(("METEOR", "BLEU@4", "ROUGE-L"), PUBLISHED["feedback"]["overlap"])},
    baseline="single",
)

OUTCOME_TABLE = Table(
    title="What came of each paragraph, and what it cost",
    rows=COMPARED_ROWS,
    measures=[measure.name for measure in (*OUTCOME_MEASURES, *COST_MEASURES)],
    baseline="single",
)

EXTENSIONS_TABLE = Table(
    title="What the extensions do",
    rows=["swif2t", "swif2t-rewriting", "swif2t-parallel", *EXTENDED_SYSTEMS, "as-set"],
    measures=["accuracy", *(each.name for each in OVERLAP_MEASURES), "comment %", "verbatim %", "cited %", "calls"],
    baseline="swif2t",
    comparison=True,
)

FOCUSED_FEEDBACK = Task(
    name="focused_feedback",
    kind="feedback",
    source="Chamoun, Schlichtkrull and Vlachos, Automated Focused Feedback Generation (SWIF2T); GPT-4",
    roles=FeedbackSettings.roles,
    systems=SYSTEMS,
    rows=ROWS,
    usual=["single", "cove", "swif2t", "as-set"],
    measures=[*ASPECT_MEASURES, *OVERLAP_MEASURES, *OUTCOME_MEASURES, *COST_MEASURES],
    tables=[TABLE_5, TABLE_6, OUTCOME_TABLE, EXTENSIONS_TABLE],
    input_fields={"paper": "paper", "text": "paragraph"},
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
