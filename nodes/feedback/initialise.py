"""First node of focused feedback: reads the paper, chooses the paragraphs and freezes the run's settings."""

from __future__ import annotations

import asyncio
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, cast

from langgraph.types import Overwrite

from nodes.feedback.agent import format_paragraphs, get_feedback_settings, list_literature_sources
from nodes.feedback.computed_checks import compute_review_findings, convert_finding_to_evidence, list_shown_findings
from nodes.shared import get_model_settings, list_deviations, resolve_input
from state.documents import Document, Paragraph
from state.errors import InputError
from state.feedback import FeedbackInput, FeedbackState, ParagraphState, ReviewFinding, Target
from state.model_settings import ModelSettings
from state.settings import EmbeddingSettings, FeedbackContext, FeedbackRole, FeedbackSettings
from tools.checks.quotes import find_quote
from tools.configuration import list_named_code, load_custom_object
from tools.documents.reading import load_document, read_document
from tools.injection import find_instructions
from tools.models.endpoint import count_message_tokens, fetch_endpoint, find_context_length
from tools.models.fitting import compute_prompt_limit
from tools.numbers.model_readings import choose_passages
from tools.reranking import SHIPPED_WEIGHTS, choose_weights_folder

# Paragraphs of these sections are reviewed only if they are named.
_SKIPPED_SECTIONS = re.compile(
    r"\b(?:acknowledge?ments?|funding|author contributions?|competing interests|conflicts? of interest|references|"
    r"bibliography|data availability|ethics|abbreviations)\b",
    re.IGNORECASE,
)
_APPENDIX = re.compile(r"\bappendix\b", re.IGNORECASE)  # is screened, but reviewed only if suspected or named
# The paper's agents; all others belong to extensions and baselines.
PAPER_ROLES: tuple[FeedbackRole, ...] = ("planner", "controller", "investigator", "reviewer")
# Words of a part of the screening from which the next section begins another one, and most words of a part.
_ENOUGH_WORDS, _MOST_WORDS = 1000, 2500
_INSTRUCTION_TOKENS = 3000  # of the screener's prompt without the paper
DeviationLister = Callable[[FeedbackSettings], Iterable[str]]
_DEVIATIONS = tomllib.loads((Path(__file__).parent / "deviations.toml").read_text(encoding="utf-8"))
# Id of a text that is not in the paper.
GIVEN_TEXT_ID = "text"


def list_swif2t_deviations(chosen: FeedbackSettings) -> Iterator[str]:
    """Yield the deviations of the whole system; raise `SettingsError` if plans are to be ranked without weights."""
    asked = " and ".join(list_literature_sources(chosen))
    yield from (text.format(chosen=chosen) for text in _DEVIATIONS["plans"])
    yield _DEVIATIONS["literature" if asked else "no_literature"].format(asked=asked)
    yield _DEVIATIONS["controller"]
    if chosen.retriever:
        yield _DEVIATIONS["retriever"].format(chosen=chosen)
    elif chosen.retrieval != "bm25":
        is_local = chosen.embedding == EmbeddingSettings(model=chosen.embedding.model)
        in_parts = ", in parts where they are longer than it reads" if is_local else ""
        yield _DEVIATIONS["embedding"].format(chosen=chosen, in_parts=in_parts)
    if chosen.rerank and chosen.plans > 1:
        from tools.reranking.plan_reranker import read_reranker_config  # noqa: PLC0415 - packages of an extra

        folder = choose_weights_folder(chosen)
        weights = "the weights that ship with Draftroom" if folder == SHIPPED_WEIGHTS else f"the weights in {folder}"
        yield _DEVIATIONS["reranker"].format(weights=weights, encoder=read_reranker_config(folder).encoder)


def check_embeddings(embedding: EmbeddingSettings) -> None:
    """Choose the embedding model, so that a package that it needs and lacks shows before a model is asked."""
    from tools.retrieval.embedders import choose_embeddings  # noqa: PLC0415 - packages of an extra

    choose_embeddings(embedding)


async def initialise(
    state: FeedbackInput,
    *,
    roles: tuple[FeedbackRole, ...] = PAPER_ROLES,
    list_own_deviations: DeviationLister = list_swif2t_deviations,
) -> dict[str, Any]:
    """Read the paper, choose the paragraphs to review, and return the run's first state, with frozen settings."""
    settings, paper = await resolve_input(state, "paper", FeedbackContext)
    for name in list_named_code(settings.feedback.model_dump()):  # a wrong name shows before a model is asked
        await asyncio.to_thread(load_custom_object, name)
    if "investigator" in roles and not settings.feedback.retriever and settings.feedback.retrieval != "bm25":
        await asyncio.to_thread(check_embeddings, settings.feedback.embedding)
    ref = await asyncio.to_thread(read_document, paper, max_pages=settings.feedback.max_pages)
    document = await asyncio.to_thread(load_document, ref)
    targets = choose_targets(document, state, settings.feedback)
    frozen = settings.freeze_settings("feedback")
    findings = await asyncio.to_thread(find_instructions, document)
    own = chain([_DEVIATIONS["examples"]], list_own_deviations(settings.feedback))
    whole = not any(state.get(name) for name in ("paragraphs", "section", "text"))
    is_screened = whole and "screen" in settings.feedback.extensions and not settings.feedback.every_paragraph
    computed, passages = list[ReviewFinding](), list[str]()
    if "computed_checks" in settings.feedback.extensions:
        computed = await asyncio.to_thread(compute_review_findings, document, targets, whole=whole)
        if "read_numbers" in settings.feedback.extensions:
            with_numbers = await asyncio.to_thread(choose_passages, document)
            reviewed = {target["id"] for target in targets}
            passages = [each.paragraph["id"] for each in with_numbers if whole or each.paragraph["id"] in reviewed]
    return {
        "paper": ref["source"],
        "document": ref,
        "settings": frozen,
        "not_as_published": await asyncio.to_thread(list_deviations, frozen, "feedback", roles, "GPT-4", own),
        "targets": targets,
        "findings": findings,
        "computed": computed,
        "whole": whole,
        "passages": passages,
        "parts": await choose_parts(document, {"settings": frozen, "findings": findings}) if is_screened else [],
        "summary": "",
        "suspicions": [],
        # Overwrite, because a thread that is given new input keeps what its lists had gathered before.
        **{name: Overwrite([]) for name in ("reviews", "calls", "readings", "screenings", "unread")},
        "comments": [],
        "decisions": Overwrite({}),
        "earlier": state.get("earlier", []),
        "finished": False,
    }


def choose_targets(document: Document, request: FeedbackInput, chosen: FeedbackSettings) -> list[Target]:
    """Return the paragraphs to review: those that are named, or all that are long enough and worth reviewing.

    Raises:
        InputError: If a named paragraph is missing, or a run that pauses for its plan has several.
    """
    targets = build_targets(_select_paragraphs(document, request, chosen))
    if chosen.pause and len(targets) > 1:
        raise InputError(
            f"A run that pauses for its plan reviews one paragraph, not {len(targets)}; name one, or do not pause."
        )
    return targets


def build_targets(paragraphs: Iterable[Paragraph]) -> list[Target]:
    """Return paragraphs as targets of a review, numbered as in their ids; 1 for a text that is not in the paper."""
    numbered = ((1 if item["id"] == GIVEN_TEXT_ID else int(item["id"][1:]), item) for item in paragraphs)
    return [
        Target(number=number, id=item["id"], section=item["section"], page=item["page"], text=item["text"])
        for number, item in numbered
    ]


async def choose_parts(document: Document, run: FeedbackState) -> list[list[str]]:
    """Return the ids of all paragraphs worth reading: as one part if the screener can read them at once, else in parts.

    It can if they have at most `undivided_words`, or, if that is not set, if its context holds them.

    Raises:
        ModelUnavailableError: If the screener's endpoint does not answer, or does not serve its model.
    """
    read = [item for item in document["paragraphs"] if not _SKIPPED_SECTIONS.search(item["section"])]
    undivided, words = get_feedback_settings(run).undivided_words, sum(len(item["text"].split()) for item in read)
    if undivided is None and words > _MOST_WORDS:
        fits = await fits_context(format_paragraphs(read, run), get_model_settings("screener", run))
    else:
        fits = undivided is None or words <= undivided
    return [[item["id"] for item in read]] if fits else split_into_parts(read)


async def fits_context(text: str, model: ModelSettings) -> bool:
    """Return whether the context of a model holds a paper, instructions and an answer; False if no one knows it."""
    endpoint = await fetch_endpoint(model)
    if (length := find_context_length(model, endpoint)) is None:
        return False
    tokens = await count_message_tokens(text, model, endpoint)
    return tokens + _INSTRUCTION_TOKENS <= compute_prompt_limit(model, length)


def split_into_parts(read: Iterable[Paragraph]) -> list[list[str]]:
    """Return the ids of paragraphs in parts, which are sections, small ones joined and long ones divided."""
    parts, size, section = list[list[str]](), 0, ""
    for paragraph in read:
        words = len(paragraph["text"].split())
        is_full = size >= _ENOUGH_WORDS and paragraph["section"] != section
        if not parts or is_full or size + words > _MOST_WORDS:
            parts, size = [*parts, []], 0
        parts[-1].append(paragraph["id"])
        size, section = size + words, paragraph["section"]
    return parts


def _select_paragraphs(document: Document, request: FeedbackInput, chosen: FeedbackSettings) -> list[Paragraph]:
    """List the text or ids that a request names, else all of its section or of the paper that are worth a review."""
    # 1. A given text: the paragraph that holds it, cut to it unless it is nearly the whole, or a paragraph of its own.
    paragraphs = document["paragraphs"]
    if text := " ".join(request.get("text", "").split()):
        for item in paragraphs:
            if place := find_quote(text, item["text"]):
                is_whole = len(text) >= 0.9 * len(item["text"])
                return [item if is_whole else {**item, "text": place.slice_text(item["text"]), "words": []}]
        return [Paragraph(id=GIVEN_TEXT_ID, section="", text=text, page=0, words=[])]
    # 2. The paragraphs of a section.
    if section := request.get("section"):
        paragraphs = [item for item in paragraphs if section.casefold() in item["section"].casefold()]
        if not paragraphs:
            known = ", ".join(dict.fromkeys(item["section"] for item in document["paragraphs"] if item["section"]))
            raise InputError(f"The paper has no section like {section!r}, but {known or 'none at all'}.")
    # 3. Named paragraphs, which may be short.
    if named := request.get("paragraphs"):
        by_id = {item["id"]: item for item in document["paragraphs"]}
        ids = {name: f"p{str(name).strip().lower().removeprefix('p')}" for name in named}  # 3 is p3
        if unknown := [name for name, paragraph in ids.items() if paragraph not in by_id]:
            raise InputError(f"The paper has no paragraph {unknown[0]!r}, but p1 to p{len(by_id)}.")
        return [by_id[paragraph] for paragraph in ids.values()]
    # 4. All that are long enough, without the acknowledgements and the like.
    worth_it = [item for item in paragraphs if len(item["text"].split()) >= chosen.min_words]
    if not section:
        skipped = (_SKIPPED_SECTIONS, _APPENDIX)
        worth_it = [item for item in worth_it if not any(each.search(item["section"]) for each in skipped)]
    if not worth_it:
        raise InputError(
            f"No paragraph has {chosen.min_words} words or more; name one, or lower `min_words`.", kind="empty_input"
        )
    return worth_it


def build_paragraph_state(target: Target, run: FeedbackState) -> ParagraphState:
    """Return the state with which the review of a paragraph begins, with the findings about it as evidence."""
    whole: dict[str, Any] = {
        **run,
        **dict.fromkeys(("outcome", "problem"), ""),
        **{name: [] for name in ("plans", "log", "candidates", "notes")},
        **{name: [] for name in ("remaining", "wave", "decided", "answers", "reviews", "calls")},
        "target": target,
        "paragraph": target["id"],
        "section": target["section"],
        "page": target["page"],
        "comment": None,
        "evidence": [convert_finding_to_evidence(item) for item in list_shown_findings(target, run["computed"])],
        "suspicions": [item for item in run["suspicions"] if item["paragraph"] == target["id"]],
        "rewrites": 0,
        "wordings": {},
    }
    return cast("ParagraphState", {key: whole[key] for key in ParagraphState.__annotations__})
