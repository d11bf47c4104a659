"""The investigator: answers one question from one source, or says that it does not know (SWIF2T, Section 3).

The source is the paper, or publications that the question finds. With the extension `quotes` it also quotes what the
answer rests on, and looks outside the paragraph under review.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Annotated, NamedTuple

from nodes.feedback.agent import (
    ask_feedback_role,
    format_extension_flag,
    format_passages,
    format_prompt_text,
    get_feedback_settings,
    has_literature,
    load_reviewed_paper,
    make_evidence_id,
    refine_passage_location,
    search_passages,
)
from nodes.shared import AgentAnswer
from state.documents import Document, Passage
from state.errors import NoUsableAnswer, RetrievalUnavailableError
from state.feedback import Evidence, ParagraphState, QuestionAnswer, QuestionState
from state.model_settings import LengthLimit
from state.records import CallRecord
from tools.checks.quotes import find_quote
from tools.literature import FoundDocument, build_sources, find_documents, identify_reviewed_paper

_SOURCE = r"(?:\w+ )?(?:passages?|paper|documents?|texts?|study|article)"
_SENTENCE_BREAK = re.compile(r"(?<=[.!?;])[\"”’]*\s+")
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
"""A sentence that says of itself that it is no answer."""
_NOT_IN_SOURCE = re.compile(
    rf"(?:none of the {_SOURCE}|(?:the|these|this) {_SOURCE} (?:(?:do|does|did) not|don['’]t|doesn['’]t|"
    r"(?:hold|contain|give|provide|mention|say|state)s? (?:no|nothing)))\b"
    r"(?!.*\b(?:but|however|although|though)\b).*",
    re.IGNORECASE,
)
"""A sentence that adds nothing to "I don't know"; by itself it may be the answer."""


class PlainAnswer(AgentAnswer):
    """An answer, or "I don't know"."""

    answer: Annotated[str, LengthLimit("answer_words")]


class PassageAnswer(AgentAnswer):
    """An answer: first the words that it rests on, so that a model looks before it speaks."""

    quote: Annotated[str, LengthLimit("quote_words")]
    passage: int
    answer: Annotated[str, LengthLimit("answer_words")]


class SearchedDocument(NamedTuple):
    """Where a question is looked up."""

    document: Document
    title: str
    address: str = ""
    """Empty for the paper under review."""


class Investigation(NamedTuple):
    """What came of asking a question of some passages."""

    answer: str
    """Empty if there is none."""
    quote: str
    """Verbatim; empty if the answer stands without one."""
    section: str
    page: int
    note: str
    """Why there is no answer, or no quote."""
    calls: list[CallRecord]


async def answer_from_paper(state: QuestionState) -> ParagraphState:
    """Look a question up in the paper under review."""
    source = SearchedDocument(await load_reviewed_paper(state), state["document"]["title"])
    finding = await ask_about_document(state, source)
    return _build_answer_update(state, finding, source, finding.calls, [])


async def answer_from_literature(state: QuestionState) -> ParagraphState:
    """Look a question up in other publications, one after the other; the first answer counts."""
    if not has_literature(state):
        return _build_answer_update(state, _build_empty_investigation("no literature is set up"), None, [], [])
    try:
        studies = await find_studies(state, state["step"]["question"])
    except RetrievalUnavailableError as error:
        return _build_answer_update(state, _build_empty_investigation(str(error)), None, [], [])
    calls, finding, source = list[CallRecord](), _build_empty_investigation("no publication was found"), None
    for study in studies.found:
        source = SearchedDocument(study["document"], study["title"], study["address"])
        finding = await ask_about_document(state, source)
        calls += finding.calls
        if finding.answer:
            break
    return _build_answer_update(state, finding, source, calls, studies.notes)


async def ask_about_document(state: QuestionState, source: SearchedDocument) -> Investigation:
    """Ask the model to answer from passages of one document alone."""
    chosen, question = get_feedback_settings(state), state["step"]["question"]
    quotes = "quotes" in chosen.extensions
    # With quotes it looks outside the paragraph: what that says is no evidence for it.
    leave_out = () if source.address or not quotes else (state["target"]["id"],)
    passages = await asyncio.to_thread(search_passages, [source.document], question, chosen, chosen.passages, leave_out)
    if not passages:
        return _build_empty_investigation("nothing in it is about the question")
    variables: dict[str, object] = {
        "title": format_prompt_text(source.title, state) or "without title",
        "question": question,
        "passages": format_passages(passages, state),
        "quotes": format_extension_flag("quotes", state),
        "again": "",
    }
    try:
        if quotes:
            return await _ask_quoted_answer(state, source, passages, variables)
        plain = await ask_feedback_role(
            "investigator", "answer_question", state, variables, PlainAnswer, trim="passages"
        )
    except NoUsableAnswer as error:
        return _build_empty_investigation(error.problem, error.spent)
    return _build_unquoted_investigation(plain.value.answer, "", plain.calls)


async def _ask_quoted_answer(
    state: QuestionState, source: SearchedDocument, passages: list[Passage], variables: dict[str, object]
) -> Investigation:
    """The answer with words of a passage; one that quotes others is asked for once more, and then stands without."""
    first = await ask_feedback_role("investigator", "answer_question", state, variables, PassageAnswer, trim="passages")
    if not is_actual_answer(first.value.answer) or _locate_passage_quote(first.value, passages):
        return _build_quoted_investigation(first.value, state, source, passages, first.calls)
    variables = {**variables, "again": first.value.quote.strip() or "nothing"}
    try:
        second = await ask_feedback_role(
            "investigator", "answer_question", state, variables, PassageAnswer, trim="passages"
        )
    except NoUsableAnswer as error:
        return _build_quoted_investigation(first.value, state, source, passages, [*first.calls, *error.spent])
    better = second.value if is_actual_answer(second.value.answer) else first.value
    return _build_quoted_investigation(better, state, source, passages, [*first.calls, *second.calls])


def _build_quoted_investigation(
    answer: PassageAnswer,
    state: QuestionState,
    source: SearchedDocument,
    passages: list[Passage],
    calls: list[CallRecord],
) -> Investigation:
    """The answer, if it is any, with its quote, or without one where that shows nothing."""
    if not (placed := _locate_passage_quote(answer, passages)):
        return _build_unquoted_investigation(
            answer.answer, "it quoted no words of the passages, so it stands without a quote", calls
        )
    passage, quote = placed
    if _is_quote_from_paragraph_only(quote, state, source):
        note = "it quoted the paragraph under review itself, so it stands without a quote"
        return _build_unquoted_investigation(answer.answer, note, calls)
    place = refine_passage_location(passage, quote, source.document)
    found = _build_unquoted_investigation(answer.answer, "", calls)
    return found._replace(quote=quote, section=place["section"], page=place["page"]) if found.answer else found


def _is_quote_from_paragraph_only(quote: str, state: QuestionState, source: SearchedDocument) -> bool:
    """Whether the words are those of the paragraph under review, and nowhere else in the paper."""
    if source.address or find_quote(quote, state["target"]["text"], fewest=1) is None:
        return False
    others = (item for item in source.document["paragraphs"] if item["id"] != state["target"]["id"])
    return not any(find_quote(quote, other["text"], fewest=1) for other in others)


def is_actual_answer(answer: str) -> bool:
    """Whether an answer is one: not if it is empty, or as a whole says that it does not know."""
    first, *others = _SENTENCE_BREAK.split(answer.strip())
    unknown = not first or _NO_ANSWER.fullmatch(first)
    return not unknown or not all(_NO_ANSWER.fullmatch(other) or _NOT_IN_SOURCE.fullmatch(other) for other in others)


def _locate_passage_quote(answer: PassageAnswer, passages: list[Passage]) -> tuple[Passage, str] | None:
    """The passage that holds the quote, the named one before others, and the quote in its own words."""
    named = passages[answer.passage - 1 : answer.passage] if answer.passage > 0 else []
    for passage in [*named, *passages]:
        if place := find_quote(answer.quote, passage["text"], fewest=1):  # "85.3%" and "n = 40" are quotes, too
            return passage, place.slice_text(passage["text"])
    return None


def _build_unquoted_investigation(answer: str, note: str, calls: list[CallRecord]) -> Investigation:
    if not is_actual_answer(answer):
        return _build_empty_investigation("the passages hold no answer", calls)
    return Investigation(answer.strip(), "", "", 0, note, calls)


def _build_empty_investigation(note: str, calls: list[CallRecord] | None = None) -> Investigation:
    return Investigation("", "", "", 0, note, calls or [])


def _build_answer_update(
    state: QuestionState,
    finding: Investigation,
    source: SearchedDocument | None,
    calls: list[CallRecord],
    notes: list[str],
) -> ParagraphState:
    step = state["step"]
    evidence = None
    if source and finding.answer:
        evidence = Evidence(
            id=make_evidence_id(step["id"]),
            source="literature" if step["action"] == "ask_literature" else "paper",
            question=step["question"],
            answer=finding.answer,
            quote=finding.quote,
            title=source.title or source.document["title"],
            section=finding.section,
            page=finding.page,
            address=source.address,
        )
    answered = QuestionAnswer(step=step["id"], evidence=evidence, note=finding.note)
    return {"answers": [answered], "calls": calls, "notes": notes}


class FoundStudies(NamedTuple):
    """What a search has brought."""

    found: list[FoundDocument]
    """The best first."""
    notes: list[str]
    """Providers that failed, and addresses that were kept out."""


async def find_studies(state: QuestionState, question: str) -> FoundStudies:
    """Look for publications on a question; nothing but the question leaves the machine, and only if a service is named.

    Raises:
        RetrievalUnavailable: No provider could be asked.
        SettingsError: A provider needs a key that is not there.
    """
    chosen, paper = get_feedback_settings(state), await load_reviewed_paper(state)

    def rank(documents: Sequence[Document], question: str, number: int) -> list[Passage]:
        return search_passages(documents, question, chosen, number)

    sources = await asyncio.to_thread(build_sources, chosen.literature, rank=rank)
    limit = chosen.literature.results
    findings = await find_documents(question, sources, limit=limit, under_review=identify_reviewed_paper(paper))
    blocked = [f"{item['address']} was kept out: it {item['reason']}." for item in findings["blocked"]]
    notices = [f"Literature, {item['provider']}: {item['message']}" for item in findings["notices"]]
    return FoundStudies(findings["found"], [*blocked, *notices])
