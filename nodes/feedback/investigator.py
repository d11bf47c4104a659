"""The investigator: answers one question from one source, or says that it does not know (SWIF2T, Section 3).

The source is the paper under review or a publication that a search finds. With the extension `quotes` each answer
quotes its passage, and the paragraph under review is not searched.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal, NamedTuple, cast

from nodes.feedback.agent import (
    ask_feedback_role,
    build_evidence,
    find_quoted_paragraph,
    format_extension_flag,
    format_passages,
    format_prompt_text,
    get_feedback_settings,
    list_literature_sources,
    load_reviewed_paper,
    refine_passage_location,
)
from nodes.shared import AgentAnswer
from state.documents import Document, Passage
from state.errors import NoUsableAnswer, RetrievalUnavailableError
from state.feedback import Evidence, ParagraphState, QuestionAnswer, QuestionState
from state.model_settings import LengthLimit
from state.records import CallRecord
from tools.checks.quotes import find_quote
from tools.literature import FoundDocument, build_sources, find_documents, identify_reviewed_paper
from tools.retrieval.search import find_passages

_SOURCE = r"(?:\w+ )?(?:passages?|paper|documents?|texts?|study|article)"
_SENTENCE_BREAK = re.compile(r"(?<=[.!?;])[\"”’]*\s+")
# A sentence that means "I don't know".
_NO_ANSWER = re.compile(
    r"[\"“'‘]*(?:(?:sorry|unfortunately),? )?(?:"
    r"I (?:do not|don['’]t) know\b(?!.*\b(?:but|however|although|though)\b).*|"
    r"(?:(?:there is )?no answer|unknown|(?:it is )?not (?:mentioned|stated|given|specified|known|available))"
    rf"(?: (?:in|by) (?:the|these|this) {_SOURCE})?|"
    rf"(?:the|these) {_SOURCE} (?:(?:do|does) not|don['’]t|doesn['’]t) "
    r"(?:say|know|tell|answer (?:it|this|the question))|"
    rf"(?:the|these) {_SOURCE} (?:hold|contain|give|provide)s? no answer"
    r")[.!;\"”'’]*",
    re.IGNORECASE,
)
# A sentence that adds nothing after "I don't know"; alone it may be the answer.
_NOT_IN_SOURCE = re.compile(
    rf"(?:none of the {_SOURCE}|(?:the|these|this) {_SOURCE} (?:(?:do|does|did) not|don['’]t|doesn['’]t|"
    r"(?:hold|contain|give|provide|mention|say|state)s? (?:no|nothing)))\b"
    r"(?!.*\b(?:but|however|although|though)\b).*",
    re.IGNORECASE,
)


class PlainAnswer(AgentAnswer):
    """An answer, or "I don't know"."""

    answer: Annotated[str, LengthLimit("answer_words")]


class PassageAnswer(AgentAnswer):
    """An answer: first the words that it rests on, so that a model looks before it speaks."""

    quote: Annotated[str, LengthLimit("quote_words")]
    passage: int
    answer: Annotated[str, LengthLimit("answer_words")]


class Investigation(NamedTuple):
    """Result of asking a question about the passages of a document."""

    evidence: Evidence | None = None
    """The answer; None if there is none."""
    note: str = ""
    """Reason why there is no answer, or no quote."""
    calls: Sequence[CallRecord] = ()


async def answer_from_paper(state: QuestionState) -> ParagraphState:
    """Answer a question from the paper under review, or note why there is no answer."""
    paper, title = await load_reviewed_paper(state), state["document"]["title"]
    source = FoundDocument(document=paper, title=title, address="")
    return _build_answer_update(state, await ask_about_document(state, source))


async def answer_from_literature(state: QuestionState) -> ParagraphState:
    """Answer a question from other publications, looked up in turn until one has an answer, or note why not."""
    if not list_literature_sources(get_feedback_settings(state)):
        return _build_answer_update(state, Investigation(note="no literature is set up"))
    try:
        studies, notes = await find_studies(state, state["step"]["question"])
    except RetrievalUnavailableError as error:
        return _build_answer_update(state, Investigation(note=str(error)))
    calls, finding = list[CallRecord](), Investigation(note="no publication was found")
    for source in studies:
        finding = await ask_about_document(state, source)
        calls += finding.calls
        if finding.evidence:
            break
    return _build_answer_update(state, finding._replace(calls=calls), notes)


async def ask_about_document(state: QuestionState, source: FoundDocument) -> Investigation:
    """Ask the model to answer from passages of one document alone; if it fails, the result has no answer but a note."""
    chosen, question = get_feedback_settings(state), state["step"]["question"]
    quotes = "quotes" in chosen.extensions
    # The paragraph under review is no evidence for itself.
    leave_out = () if source["address"] or not quotes else (state["target"]["id"],)
    try:
        passages = await asyncio.to_thread(
            find_passages, [source["document"]], question, chosen, chosen.passages, leave_out
        )
        if not passages:
            return Investigation(note="nothing in it is about the question")
        variables: dict[str, object] = {
            "title": format_prompt_text(source["title"], state) or "without title",
            "question": question,
            "passages": format_passages(passages, state),
            "quotes": format_extension_flag("quotes", state),
        }
        schema: type[PassageAnswer | PlainAnswer] = PassageAnswer if quotes else PlainAnswer
        given = await ask_feedback_role("investigator", "answer_question", state, variables, schema, trim="passages")
    except NoUsableAnswer as error:
        return Investigation(note=error.problem, calls=error.spent)
    if not is_actual_answer(given.value.answer):
        return Investigation(note="the passages hold no answer", calls=given.calls)
    # The answer counts in any case, its quote only if a passage has it.
    place, note = dict[str, Any](), ""
    if isinstance(given.value, PassageAnswer):
        place, note = _place_quote(state, source, passages, given.value)
    kind: Literal["literature", "paper"] = "literature" if state["step"]["action"] == "ask_literature" else "paper"
    evidence = {
        **build_evidence(state["step"], kind, given.value.answer.strip()),
        "title": source["title"] or source["document"]["title"],
        "address": source["address"],
    }
    return Investigation(cast("Evidence", {**evidence, **place}), note, given.calls)


def _place_quote(
    state: QuestionState, source: FoundDocument, passages: list[Passage], answer: PassageAnswer
) -> tuple[dict[str, Any], str]:
    """Return a pair: an answer's quote in the words of its passage, with section and page, and why it has none."""
    # The number of the passage may be wrong, so the other passages are searched, too.
    named = passages[answer.passage - 1 : answer.passage] if answer.passage > 0 else []
    # The words of a sentence that takes the quote's place must be nearly all its own, or they may deny it.
    if not (placed := find_quoted_paragraph(answer.quote, [*named, *passages], least=0.8)):
        return {}, "it quoted no words of the passages, so it stands without a quote"
    passage, span = placed
    quote, under_review = span.slice_text(passage["text"]), state["target"]
    # Words of the paragraph under review are no evidence for it, unless they also stand elsewhere in the paper.
    is_own = not source["address"] and find_quote(quote, under_review["text"], fewest=1) is not None
    others = (item["text"] for item in source["document"]["paragraphs"] if item["id"] != under_review["id"])
    if is_own and not any(find_quote(quote, other, fewest=1) for other in others):
        return {}, "it quoted the paragraph under review itself, so it stands without a quote"
    place = refine_passage_location(passage, quote, source["document"])
    return {"quote": quote, "section": place["section"], "page": place["page"]}, ""


def is_actual_answer(answer: str) -> bool:
    """Return whether an answer says anything but that it does not know."""
    first, *others = _SENTENCE_BREAK.split(answer.strip())
    if first and not _NO_ANSWER.fullmatch(first):
        return True
    # "I don't know" may be followed by an answer.
    return not all(_NO_ANSWER.fullmatch(other) or _NOT_IN_SOURCE.fullmatch(other) for other in others)


def _build_answer_update(state: QuestionState, found: Investigation, notes: Sequence[str] = ()) -> ParagraphState:
    """Return the update with the outcome of the step."""
    answered = QuestionAnswer(step=state["step"]["id"], evidence=found.evidence, note=found.note)
    return {"answers": [answered], "calls": list(found.calls), "notes": list(notes)}


async def find_studies(state: QuestionState, question: str) -> tuple[list[FoundDocument], list[str]]:
    """Search for publications on a question, and return them, the best first, and notes on failures and exclusions.

    Nothing but the question leaves the machine, and only if a service is named.

    Raises:
        RetrievalUnavailableError: If no provider could be asked.
        SettingsError: If a provider's key is missing.
    """
    chosen, paper = get_feedback_settings(state), await load_reviewed_paper(state)

    def rank(documents: Sequence[Document], question: str, number: int) -> list[Passage]:
        """List the passages of the documents that are nearest to the question."""
        # A retriever of the user's own searches a paper; the papers of a folder are ranked by Draftroom's.
        return find_passages(documents, question, chosen.model_copy(update={"retriever": None}), number)

    sources = await asyncio.to_thread(build_sources, chosen.literature, rank=rank)
    limit = chosen.literature.results
    return await find_documents(question, sources, limit=limit, under_review=identify_reviewed_paper(paper))
