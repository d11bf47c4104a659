"""What the agents share: asking as a role of this run, and the paper and the evidence as prompts show them."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from nodes.shared import ask_role, get_model_settings
from state.documents import Document, Passage
from state.errors import NoUsableAnswer, RequestFailedError
from state.extensions import FeedbackExtension
from state.feedback import (
    Action,
    Decision,
    Evidence,
    FeedbackState,
    ParagraphState,
    QuestionState,
    Step,
    StepRecord,
    WeaknessCandidate,
)
from state.settings import FeedbackRole, FeedbackSettings
from tools.checks.quotes import find_quote
from tools.documents.reading import load_document
from tools.injection import mark_as_untrusted
from tools.models import Answer, Caller
from tools.models.ask import Value

PROMPTS = Path(__file__).parent / "prompts"

AnyState = FeedbackState | ParagraphState | QuestionState


async def ask_feedback_role(
    role: FeedbackRole,
    step: str,
    state: ParagraphState | QuestionState,
    variables: dict[str, object],
    schema: type[Value],
    *,
    trim: str = "evidence",
) -> Answer[Value]:
    """Ask the model of `role` with the prompt named `step`, on the account of this paragraph."""
    variables = {**variables, "instructions": format_extension_flag("instructions", state)}
    caller = Caller(role, step, state["target"]["number"])
    with translate_request_failures():
        return await ask_role(caller, PROMPTS, state, variables, schema, trim=trim)


@contextmanager
def translate_request_failures() -> Iterator[None]:
    """Let a request that alone fails count as a question without an answer: it ends one paragraph, not the review.

    Raises:
        Unanswered: If the endpoint fails at the request, and answers others.
    """
    try:
        yield
    except RequestFailedError as error:
        raise NoUsableAnswer(str(error), problem=error.problem, spent=error.spent) from None


def get_feedback_settings(state: AnyState) -> FeedbackSettings:
    """The settings that the run was started with."""
    return FeedbackSettings(**state["settings"]["feedback"])


def format_extension_flag(extension: FeedbackExtension, state: AnyState) -> str:
    """Whether an extension is on, as prompts test it."""
    return "yes" if extension in get_feedback_settings(state).extensions else ""


def make_bounded_list_field(number: int, role: FeedbackRole, state: AnyState) -> Any:
    """A list in the answer of `role` that a setting bounds, not the table of limits.

    Only the schema says so, and only to models that need it: what is more is left out with a note, never refused.
    """
    return Field(json_schema_extra={"maxItems": number} if get_model_settings(role, state).schema_limits else None)


def has_literature(state: AnyState) -> bool:
    """Whether there is any literature to look in: a folder, or a service on the web."""
    return bool(list_literature_sources(get_feedback_settings(state)))


def list_literature_sources(chosen: FeedbackSettings) -> list[str]:
    """Name the folder and the services that questions to the literature go to."""
    folder = chosen.literature.folder
    asked = [provider for provider in chosen.literature.providers if provider != "folder" or folder]
    return [f"the folder {folder}" if provider == "folder" else provider for provider in asked]


def list_question_actions(state: AnyState) -> tuple[Action, ...]:
    """What the investigator can be asked in this run."""
    checks: tuple[Action, ...] = ("ask_checks",) if format_extension_flag("computed_checks", state) else ()
    literature: tuple[Action, ...] = ("ask_literature",) if has_literature(state) else ()
    return ("ask_paper", *checks, *literature)


def fail_paragraph(role: FeedbackRole, problem: str) -> ParagraphState:
    """The end of a paragraph whose review cannot go on, on record; other paragraphs go on."""
    return {"outcome": "failed", "problem": f"{role}: {problem}"}


async def load_reviewed_paper(state: ParagraphState | QuestionState) -> Document:
    """The paper, read from its file."""
    return await asyncio.to_thread(load_document, state["document"])


def format_prompt_text(text: str, state: AnyState) -> str:
    """A text as a prompt shows it: what addresses the model stands there as a quotation only (an extension)."""
    return (
        mark_as_untrusted(text, state["findings"])
        if "instructions" in get_feedback_settings(state).extensions
        else text
    )


def format_passages(passages: list[Passage], state: AnyState) -> str:
    """Passages for a prompt, with numbers to cite them by."""
    return "\n\n".join(
        f"[{number}] {passage['section'] or passage['title']}\n{format_prompt_text(passage['text'], state)}"
        for number, passage in enumerate(passages, start=1)
    )


def refine_passage_location(passage: Passage, quote: str, document: Document) -> Passage:
    """A passage with the section and page of the paragraph that holds a quote from it: it may begin before that."""
    for paragraph in document["paragraphs"]:
        if find_quote(quote, paragraph["text"]):
            return {**passage, "section": paragraph["section"], "page": paragraph["page"]}
    return passage


def search_passages(
    documents: Sequence[Document],
    question: str,
    chosen: FeedbackSettings,
    number: int,
    leave_out: Collection[str] = (),
) -> list[Passage]:
    """Find the passages of documents that are nearest to a question, best first, in this thread.

    Args:
        documents: To look in.
        question: To be answered.
        chosen: How passages are cut and found.
        number: How many are wanted.
        leave_out: Paragraphs of which no passage consists.
    """
    from tools.retrieval import EmbeddingModel, find_passages  # noqa: PLC0415 - loads Chroma

    return find_passages(
        documents,
        question,
        mode=chosen.retrieval,
        k=number,
        segment_characters=chosen.segment_characters,
        overlap=chosen.segment_overlap,
        embedding=EmbeddingModel(**chosen.embedding.model_dump()),
        exclude_paragraphs=leave_out,
    )


def format_evidence(state: ParagraphState) -> str:
    """Answered questions with their ids and places; what was asked in vain is not among them."""
    return "\n".join(_format_evidence_item(item, state) for item in state["evidence"])


def format_step_log(state: ParagraphState) -> str:
    """What was done so far, in order, for the controller only: unanswered questions never reach the reviewer."""
    found = {item["id"]: item for item in state["evidence"]}
    lines: list[str] = []
    for record in state["log"]:
        outcome = "Not asked" if record["outcome"] == "skipped" else "No answer was found"
        answer = found.get(make_evidence_id(record["step"]["id"]))
        lines.append(_format_evidence_item(answer, state) if answer else f"- {outcome}: {record['step']['question']}")
    return "\n".join(lines)


def make_evidence_id(step: str) -> str:
    """The id of what a step has found: that of the step with another letter."""
    return f"e{step[1:]}"


def describe_evidence_source(item: Evidence) -> str:
    """Where an answer comes from, in words."""
    if item["source"] == "model":
        return "the model itself"
    if item["source"] == "computed":
        return "a computation that no model has a part in"
    where = "the paper" if item["source"] == "paper" else item["title"] or item["address"]
    section = f", {item['section']}" if item["section"] else ""
    return f"{where}{section}" + (f", page {item['page']}" if item["page"] else "")


def make_step_record(
    step: Step, decision: Decision, because: str, *, outcome: Literal["unanswered", "skipped"] = "unanswered"
) -> StepRecord:
    """Return the record of a step that has not been answered."""
    return StepRecord(step=step, decision=decision, because=because, outcome=outcome, note="")


async def log_answers(state: ParagraphState) -> ParagraphState:
    """Log the steps of the last wave with their outcomes, in the order of the plan."""
    answers = {answer["step"]: answer for answer in state["answers"]}
    log: list[StepRecord] = []
    evidence: list[Evidence] = list(state["evidence"])
    for record in state["decided"]:
        answer = answers[record["step"]["id"]]
        found = answer["evidence"]
        log.append({**record, "outcome": "answered" if found else "unanswered", "note": answer["note"]})
        evidence += [found] if found else []
    return {"log": log, "evidence": evidence, "decided": [], "wave": []}


def format_candidates(candidates: Iterable[WeaknessCandidate]) -> str:
    """Weaknesses that the detector noticed; with the type inside the sentence, small models copy it."""
    return "\n".join(
        f'- words: "{item["quote"]}"\n  problem: {item["problem"]}\n  label: {item["label"]}' for item in candidates
    )


def _format_evidence_item(item: Evidence, state: ParagraphState) -> str:
    quote = f': "{format_prompt_text(item["quote"], state)}"' if item["quote"] else ""
    return (
        f"[{item['id']}] Question: {item['question']}\n"
        f"     Answer: {format_prompt_text(item['answer'], state)} (from {describe_evidence_source(item)}{quote})"
    )
