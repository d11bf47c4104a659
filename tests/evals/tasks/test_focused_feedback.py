"""Rows of SWIF2T's tables, from made-up outputs of its systems."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from evals.evaluation import ScoredTable, score_table
from evals.metrics import compute_corpus_bleu, compute_meteor, compute_rouge
from evals.task import Table
from evals.tasks.focused_feedback import (
    FOCUSED_FEEDBACK,
    OUTCOME_TABLE,
    SYSTEMS,
    TABLE_5,
    TABLE_6,
)
from state.errors import SettingsError
from state.settings import Settings

SAMPLES: list[dict[str, Any]] = [
    {
        "id": "one",
        "corpus": "tea",
        "paragraph": "Tea makes\nseedlings grow. Every tray shows it.",
        "feedback": "Six trays cannot show that tea makes seedlings grow.",
        "aspect": "Substance",
    },
    {
        "id": "two",
        "corpus": "tea",
        "paragraph": "A quantity of leaves was steeped in warm water.",
        "feedback": "Please say how many leaves were steeped, and in how much water.",
        "aspect": "Replicability",
    },
    {
        "id": "three",
        "corpus": "tea",
        "paragraph": "The rooms were equally warm.",
        "feedback": "Was the light the same in both rooms?",
        "aspect": None,
    },
]
REVIEW, SUGGESTION = "Six trays are too few to show that tea", "makes them grow."
Outputs = dict[tuple[str, str], dict[str, Any]]


def comment(**fields: Any) -> dict[str, Any]:
    """A comment on the first paragraph."""
    return {
        "label": "Substance",
        "quote": "Tea makes seedlings grow",
        "review": REVIEW,
        "suggestion": SUGGESTION,
        "evidence": [],
        "verification": {"verdict": "kept", "notes": []},
        **fields,
    }


def output(
    raised: dict[str, Any] | None = None, outcome: str = "", log: list[tuple[str, str]] | None = None
) -> dict[str, Any]:
    """What a run leaves; two calls, of 1.5 and 2 seconds."""
    review = {
        "outcome": outcome or ("comment" if raised else "nothing worth raising"),
        "comment": raised,
        "log": [{"outcome": outcome, "step": {"action": action}} for outcome, action in log or []],
    }
    calls = [
        {"input_tokens": 100, "output_tokens": 10, "seconds": 1.5},
        {"input_tokens": 300, "output_tokens": 20, "seconds": 2.0},
    ]
    return {"reviews": [review], "calls": calls}


def scored(outputs: Outputs, table: Table) -> ScoredTable:
    return score_table(FOCUSED_FEEDBACK, table, "tea", SAMPLES, outputs, seed=0)


def row(outputs: Outputs, table: Table, name: str = "single") -> dict[str, float]:
    line = scored(outputs, table).find_row(name)
    assert line is not None
    return {measure: cell.value for measure, cell in line.cells.items()}


def test_overlap_is_of_the_comments_that_were_raised() -> None:
    other = comment(review="Nobody knows how many leaves were steeped", suggestion="")
    outputs = {
        ("one", "single"): output(comment()),
        ("two", "single"): output(other),
        ("three", "single"): output(),
    }
    found = row(outputs, TABLE_6)
    texts, feedback = [f"{REVIEW} {SUGGESTION}", other["review"]], [sample["feedback"] for sample in SAMPLES[:2]]
    meteors = [compute_meteor(text, human).score for text, human in zip(texts, feedback, strict=True)]
    rouges = [compute_rouge(text, human).rouge_l for text, human in zip(texts, feedback, strict=True)]
    assert found["METEOR"] == pytest.approx(sum(meteors) / 2)
    assert found["METEOR all"] == pytest.approx(sum(meteors) / 3)
    assert found["ROUGE-L"] == pytest.approx(sum(rouges) / 2)
    assert found["BLEU@4"] == pytest.approx(compute_corpus_bleu(texts, feedback))


def test_a_row_without_comments_has_no_overlap() -> None:
    found = row({("one", "single"): output()}, TABLE_6)
    assert found == {"METEOR all": 0}


def test_labels_are_held_against_those_of_people_where_there_are_any() -> None:
    outputs = {
        ("one", "single"): output(comment(label="Substance")),
        ("two", "single"): output(comment(label="Substance")),
        ("three", "single"): output(comment(label="Originality")),
    }
    found = row(outputs, TABLE_5)
    assert found["accuracy"] == 50
    assert found["F1 Substance"] == pytest.approx(100 * 2 / 3)
    assert found["F1 Replicability"] == 0
    assert "F1 Originality" not in found  # nobody gave it


def test_a_paragraph_without_a_comment_is_wrongly_labelled() -> None:
    found = row({("one", "single"): output(), ("two", "single"): output(comment(label="Replicability"))}, TABLE_5)
    assert (found["accuracy"], found["F1 Substance"], found["F1 Replicability"]) == (50, 0, 100)


def test_outcomes_are_shares_of_all_paragraphs() -> None:
    outputs = {
        ("one", "single"): output(comment()),
        ("two", "single"): output(),
        ("three", "single"): output(outcome="failed"),
    }
    found = row(outputs, OUTCOME_TABLE)
    shares = [found[name] for name in ("comment %", "nothing %", "failed %")]
    assert shares == pytest.approx([100 / 3] * 3)


@pytest.mark.parametrize(("quote", "share"), [("Tea makes seedlings grow", 100), ("tea grows seedlings", 0), ("", 0)])
def test_quotes_are_looked_up_in_the_paragraph(quote: str, share: float) -> None:
    assert row({("one", "single"): output(comment(quote=quote))}, OUTCOME_TABLE)["verbatim %"] == share


def test_evidence_and_softened_comments_are_counted() -> None:
    softened = comment(evidence=[{"id": "e1"}], verification={"verdict": "softened", "notes": []})
    found = row({("one", "single"): output(softened), ("two", "single"): output(comment())}, OUTCOME_TABLE)
    assert (found["cited %"], found["softened %"]) == (50, 50)


def test_costs_are_means_over_the_paragraphs_and_what_is_computed_was_not_asked() -> None:
    logs = [
        [("answered", "ask_paper"), ("unanswered", "ask_literature"), ("skipped", "ask_paper")],
        [("answered", "ask_paper"), ("answered", "ask_checks")],
    ]
    outputs = {(sample["id"], "cove"): output(log=log) for sample, log in zip(SAMPLES, logs, strict=False)}
    found = row(outputs, OUTCOME_TABLE, "cove")
    costs = [found[name] for name in ("asked", "answered", "calls", "tokens in", "tokens out", "model s")]
    assert costs == [1.5, 1, 2, 400, 30, 3.5]


def test_comments_are_compared_where_both_raised_one_and_silence_where_it_counts() -> None:
    outputs = {
        ("one", "single"): output(comment(review="Tea", suggestion="")),
        ("two", "single"): output(comment()),
        ("one", "swif2t"): output(comment()),
        ("two", "swif2t"): output(),
        ("three", "swif2t"): output(comment()),
    }
    contrasts = {each.measure.name: each for each in scored(outputs, TABLE_6).contrasts}
    ours, theirs = (compute_meteor(text, SAMPLES[0]["feedback"]).score for text in (f"{REVIEW} {SUGGESTION}", "Tea"))
    lost = compute_meteor(f"{REVIEW} {SUGGESTION}", SAMPLES[1]["feedback"]).score
    assert contrasts["METEOR"].test.samples == 1
    assert contrasts["METEOR"].test.difference.value == pytest.approx(ours - theirs)
    assert contrasts["METEOR all"].test.samples == 2
    assert contrasts["METEOR all"].test.difference.value == pytest.approx((ours - theirs - lost) / 2)


SWIF2T = {
    "extensions": [],
    "plans": 4,
    "plan_temperature": 0.9,
    "rerank": True,
    "execution": "sequential",
    "max_questions": 10,
    "max_rewrites": 0,
    "retrieval": "dense",
    "passages": 5,
    "segment_characters": 2000,
    "segment_overlap": 200,
}
"""What the paper says of its system."""
CONTRARY = {
    "extensions": ["detect"],
    "plans": 1,
    "plan_temperature": 0.6,
    "rerank": False,
    "execution": "parallel",
    "max_questions": 3,
    "max_rewrites": 5,
    "retrieval": "bm25",
    "passages": 9,
    "segment_characters": 300,
    "segment_overlap": 0,
    "min_words": 400,
    "literature": {"folder": "/papers", "providers": ["arxiv"], "results": 9},
    "limits": {"questions": 4, "review_words": 20},
    "models": {"reviewer": {"base_url": "http://127.0.0.1:9/v1", "model": "mine", "context_length": 4096}},
}
"""Settings of a person who wants something else."""


@pytest.mark.parametrize(
    ("system", "changed"),
    [
        ("swif2t", {}),
        ("no-reranking", {"rerank": False}),
        ("swif2t-rewriting", {"max_rewrites": 1}),
        ("swif2t-parallel", {"execution": "parallel"}),
    ],
)
def test_a_row_differs_from_swif2t_in_what_its_name_says_only(system: str, changed: dict[str, Any]) -> None:
    settings = Settings(**SYSTEMS[system].build_settings(CONTRARY))
    feedback = settings.feedback.model_dump()
    assert {name: feedback[name] for name in SWIF2T} == {**SWIF2T, **changed}
    assert feedback["min_words"] == 400, "which paragraphs are worth reading is the person's to say"
    assert settings.limits == Settings().limits
    assert feedback["literature"]["results"] == 3
    assert (feedback["literature"]["folder"], feedback["literature"]["providers"]) == ("/papers", ["arxiv"])
    reviewer = settings.resolve_model_settings("reviewer")
    assert (reviewer.base_url, reviewer.model, reviewer.context_length) == ("http://127.0.0.1:9/v1", "mine", 4096)


def test_limits_that_a_model_needs_in_its_schemas_stay() -> None:
    models = {"reviewer": {"schema_limits": True}}
    settings = Settings(**SYSTEMS["swif2t"].build_settings({**CONTRARY, "models": models}))
    assert settings.limits.review_words == 20


def test_a_row_of_swif2t_is_refused_before_it_runs_if_plans_cannot_be_ranked() -> None:
    settings = Settings.model_validate({"feedback": {"rerank": False, "reranker": "/no/such/weights"}})
    for system, row in SYSTEMS.items():
        needed = system.startswith("swif2t")
        with pytest.raises(SettingsError) if needed else nullcontext():
            if row.check:
                row.check(settings)


@pytest.mark.parametrize(
    ("system", "paper", "used"),
    [
        ("swif2t", "seen", "folds/1"),
        ("swif2t", "new", "."),
        ("as-set", "seen", "folds/1"),
        ("no-reranking", "seen", "."),
    ],
)
def test_plans_are_ranked_by_weights_that_never_saw_the_sample_s_paper(
    tmp_path: Path, system: str, paper: str, used: str
) -> None:
    described = {"encoder": "", "encoder_sha256": "", "max_length": 9, "sha256": "", "training": {}}
    for folder, papers in {".": ["seen", "other"], "folds/1": ["other"], "folds/2": ["seen"]}.items():
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / "config.json").write_text(json.dumps({**described, "papers": papers}))
    choices = SYSTEMS[system].build_settings({"reranker": str(tmp_path)})

    chosen = SYSTEMS[system].build_sample_settings({"paper_id": paper}, choices)

    assert Path(str(Settings(**chosen).feedback.reranker)) == tmp_path / used
