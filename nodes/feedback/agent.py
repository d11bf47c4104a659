"""What the agents of focused feedback share: asking a model, and the paper and the evidence as prompts show them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import Field

from nodes.shared import ask_role, get_model_settings
from state.documents import Document, Paragraph, Passage
from state.errors import NoUsableAnswer, RequestFailedError
from state.extensions import FeedbackExtension
from state.feedback import Action, Evidence, FeedbackState, ParagraphState, PartState, QuestionState, Step, StepRecord
from state.model_settings import ModelSettings
from state.settings import FeedbackRole, FeedbackSettings
from tools.checks.quotes import MIN_SHARED_WORDS, TextSpan, find_closest_quote, find_quote, measure_shared_words
from tools.documents.reading import load_document
from tools.injection import mark_as_untrusted
from tools.models.ask import Answer, Caller, Value

PROMPTS = Path(__file__).parent / "prompts"

AnyState = FeedbackState | ParagraphState | PartState | QuestionState
QuotedText = TypeVar("QuotedText", Paragraph, Passage)


async def ask_feedback_role(  # noqa: PLR0913 - what a question consists of
    role: FeedbackRole,
    step: str,
    state: AnyState,
    variables: dict[str, object],
    schema: type[Value],
    *,
    trim: str = "evidence",
    model: ModelSettings | None = None,
    number: int = 1,
) -> Answer[Value]:
    """Ask the model of a role with the prompt of a step, for the state's paragraph if any; return answer and calls.

    The last three arguments are those of `ask_role`.

    Raises:
        NoUsableAnswer: The model gave no usable answer, or this one request failed.
    """
    variables = {**variables, "instructions": format_extension_flag("instructions", state)}
    whole: dict[str, Any] = {**state}  # of a whole paper, it has no target
    caller = Caller(role, step, whole["target"]["number"] if "target" in whole else 0)
    with translate_request_failures():
        return await ask_role(caller, PROMPTS, state, variables, schema, trim=trim, model=model, number=number)


@contextmanager
def translate_request_failures() -> Iterator[None]:
    """Raise `NoUsableAnswer` for a request that fails in the context, so that one paragraph ends and not the review."""
    try:
        yield
    except RequestFailedError as error:
        raise NoUsableAnswer(str(error), problem=error.problem, spent=error.spent) from None


def get_feedback_settings(state: AnyState) -> FeedbackSettings:
    """Return the feedback settings that the run was started with."""
    return FeedbackSettings(**state["settings"]["feedback"])


def format_extension_flag(extension: FeedbackExtension, state: AnyState) -> str:
    """Return "yes" if an extension is on, and an empty string otherwise, as prompts test it."""
    return "yes" if extension in get_feedback_settings(state).extensions else ""


def make_list_field(number: int, role: FeedbackRole, state: AnyState) -> Any:
    """Return a list's Pydantic field, whose JSON schema names `number` as `maxItems` if the model has `schema_limits`.

    The bound is a setting, or follows from the state, and is not in the table of limits.
    """
    # Only models that need bounds in the schema get them. Surplus items are dropped, never refused.
    return Field(json_schema_extra={"maxItems": number} if get_model_settings(role, state).schema_limits else None)


def list_literature_sources(chosen: FeedbackSettings) -> list[str]:
    """List, for people, the folder and services that questions to the literature go to; empty if none is set up."""
    folder = chosen.literature.folder
    asked = [provider for provider in chosen.literature.providers if provider != "folder" or folder]
    return [f"the folder {folder}" if provider == "folder" else provider for provider in asked]


def list_question_actions(state: AnyState) -> tuple[Action, ...]:
    """Return the actions of the questions that the investigator can be asked in this run."""
    checks: tuple[Action, ...] = ("ask_checks",) if format_extension_flag("computed_checks", state) else ()
    has_literature = bool(list_literature_sources(get_feedback_settings(state)))
    return ("ask_paper", *checks, "ask_literature") if has_literature else ("ask_paper", *checks)


def fail_paragraph(role: FeedbackRole, error: NoUsableAnswer) -> ParagraphState:
    """Return the update that ends the review of a paragraph for want of an agent's answer; other paragraphs go on."""
    return {"outcome": "failed", "problem": f"{role}: {error.problem}", "calls": error.spent}


async def load_reviewed_paper(state: ParagraphState | QuestionState) -> Document:
    """Return the paper under review, loaded from its file."""
    return await asyncio.to_thread(load_document, state["document"])


def format_prompt_text(text: str, state: AnyState) -> str:
    """Return a text with the sentences that address a model marked as untrusted, if `instructions` is on."""
    if "instructions" not in get_feedback_settings(state).extensions:
        return text
    return mark_as_untrusted(text, state["findings"])


def format_passages(passages: list[Passage], state: AnyState) -> str:
    """Format the passages for a prompt with numbers from 1, by which an answer can cite them."""
    return "\n\n".join(
        f"[{number}] {passage['section'] or passage['title']}\n{format_prompt_text(passage['text'], state)}"
        for number, passage in enumerate(passages, start=1)
    )


def format_paragraphs(paragraphs: Iterable[Paragraph], state: AnyState) -> str:
    """Format paragraphs of the paper for the screener, as passages below the headings of their sections."""
    passages = [Passage(id=i["id"], title="", section=i["section"], page=i["page"], text=i["text"]) for i in paragraphs]
    return format_passages(passages, state)


def refine_passage_location(passage: Passage, quote: str, document: Document) -> Passage:
    """Return a copy of a passage with the section and page of the paragraph that holds a quote from it.

    The passage comes with the section and page in which it begins; without such a paragraph it is returned as it is.
    """
    # A passage may begin in the paragraph, the section or the page before.
    for paragraph in document["paragraphs"]:
        if find_quote(quote, paragraph["text"]):
            return {**passage, "section": paragraph["section"], "page": paragraph["page"]}
    return passage


def find_quoted_paragraph(
    quote: str,
    paragraphs: Sequence[QuotedText],
    *,
    least: float = MIN_SHARED_WORDS,
) -> tuple[QuotedText, TextSpan] | None:
    """Return the paragraph or passage that an agent quotes, with the span of the words in it; None if it quotes none.

    It is the first with the very words ("85.3%" and "n = 40" are quotes, too), else the one whose sentence shares most
    of them, and at least the share `least`.
    """
    for item in paragraphs:
        if place := find_quote(quote, item["text"], fewest=1):
            return item, place
    near = [(item, place) for item in paragraphs if (place := find_closest_quote(quote, item["text"], least=least))]
    return max(near, key=lambda found: measure_shared_words(quote, found[1].slice_text(found[0]["text"])), default=None)


def format_evidence(state: ParagraphState) -> str:
    """Format the answered questions with their ids and places; unanswered ones are left out."""
    return "\n".join(_format_evidence_item(item, state) for item in state["evidence"])


def format_unanswered_questions(state: ParagraphState) -> str:
    """List the questions that were asked and not answered, a line each."""
    return "\n".join(f"- {item['step']['question']}" for item in state["log"] if item["outcome"] == "unanswered")


def format_step_log(state: ParagraphState) -> str:
    """List for the controller the finished steps in order, each with its answer or a note that it has none."""
    found = {item["id"]: item for item in state["evidence"]}
    lines: list[str] = []
    for record in state["log"]:
        # The reviewer never sees unanswered questions, but the controller must not ask them again.
        outcome = "Not asked" if record["outcome"] == "skipped" else "No answer was found"
        answer = found.get(make_evidence_id(record["step"]["id"]))
        lines.append(_format_evidence_item(answer, state) if answer else f"- {outcome}: {record['step']['question']}")
    return "\n".join(lines)


def make_evidence_id(step: str) -> str:
    """Return the id of the evidence that a step finds, from the step's id: e1 for s1."""
    return f"e{step[1:]}"


def build_evidence(step: Step, source: Literal["computed", "model", "paper", "literature"], answer: str) -> Evidence:
    """Build the evidence of a step, without the place of its answer in a document."""
    return Evidence(
        id=make_evidence_id(step["id"]),
        source=source,
        question=step["question"],
        answer=answer,
        quote="",
        title="",
        section="",
        page=0,
        address="",
    )


async def log_answers(state: ParagraphState) -> ParagraphState:
    """Return the update that logs the last wave's steps with outcomes, adds their evidence, and empties the wave."""
    answers = {answer["step"]: answer for answer in state["answers"]}
    log, evidence = list[StepRecord](), list(state["evidence"])
    for record in state["decided"]:
        answer = answers[record["step"]["id"]]
        found = answer["evidence"]
        log.append({**record, "outcome": "answered" if found else "unanswered", "note": answer["note"]})
        evidence += [found] if found else []
    return {"log": log, "evidence": evidence, "decided": [], "wave": []}


def _format_evidence_item(item: Evidence, state: ParagraphState) -> str:
    """Format a question and its answer with id, origin and quote, in two lines."""
    if item["source"] == "model":
        origin = "the model itself"
    elif item["source"] == "computed":
        origin = "a computation that no model has a part in"
    else:
        origin = "the paper" if item["source"] == "paper" else item["title"] or item["address"]
        origin += f", {item['section']}" if item["section"] else ""
        origin += f", page {item['page']}" if item["page"] else ""
    quote = f': "{format_prompt_text(item["quote"], state)}"' if item["quote"] else ""
    return (
        f"[{item['id']}] Question: {item['question']}\n"
        f"     Answer: {format_prompt_text(item['answer'], state)} (from {origin}{quote})"
    )
