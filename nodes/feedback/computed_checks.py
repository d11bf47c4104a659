"""What was computed, in a review (the extension `computed_checks`): evidence that no agent can take back.

The findings are made once, when the paper is read. Those of a paragraph are evidence from the beginning, the reviewer
may put them into words, and a step of the plan brings those of the rest of the paper.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import create_model

from nodes.feedback.agent import get_feedback_settings, make_evidence_id
from nodes.shared import AgentAnswer
from state.computed_findings import SEVERITIES, ComputedFinding
from state.documents import Document, Paragraph
from state.feedback import Evidence, FeedbackState, ParagraphState, QuestionAnswer, QuestionState, ReviewFinding, Target
from state.model_settings import LengthLimit
from tools.checks.fidelity import collect_content_stems, list_unsupported_facts
from tools.checks.quotes import find_quote
from tools.documents.reading import load_document
from tools.injection import repeats_instruction
from tools.numbers import check_paper
from tools.numbers.model_readings import collect_records
from tools.numbers.records import NumberRecord

_MAX_FINDINGS = 5
"""Findings about the rest of the paper that one answer holds."""
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
NO_CONTRADICTION = "No contradiction was found in the rest of the paper, among what can be computed."
ADDED_FACTS_NOTE = (
    "The words of the reviewer on {id} hold what was not computed ({facts}), so those of the computation stand."
)


def compute_review_findings(
    document: Document, targets: Sequence[Target], *, whole: bool, records: Sequence[NumberRecord] = ()
) -> list[ReviewFinding]:
    """Return all findings of the paper, and mark those of the reviewed text that are of more than low severity.

    Those that are shown come first and are numbered first, so that a reader sees f1, f2, ... without gaps.

    Args:
        document: The paper.
        targets: What is reviewed of it; text that is no paragraph of it is checked with it.
        whole: Whether nothing was named, so that findings about tables, captions and references are shown, too.
        records: What a model has read in it.
    """
    known = {paragraph["id"] for paragraph in document["paragraphs"]}
    besides = [
        Paragraph(id=target["id"], section=target["section"], text=target["text"], page=target["page"], words=[])
        for target in targets
        if target["id"] not in known
    ]
    found = check_paper({**document, "paragraphs": [*document["paragraphs"], *besides]}, (), records)["findings"]
    texts = {target["id"]: target["text"] for target in targets}
    paragraphs = {paragraph["text"] for paragraph in document["paragraphs"]}
    marked: list[tuple[ComputedFinding, bool]] = []
    for item in found:
        text = texts.get(item["paragraph"], "")
        # A reviewed text that is only a part of the paragraph has to hold what was found; a row counts as held.
        is_held = text and (text in paragraphs or find_quote(item["quote"], text, fewest=1) is not None)
        marked.append((item, item["severity"] != "low" and (whole or bool(is_held))))
    marked.sort(key=lambda pair: not pair[1])
    return [
        ReviewFinding(**item, id=f"f{number}", shown=shown, wording="")
        for number, (item, shown) in enumerate(marked, start=1)
    ]


async def compute_from_readings(state: FeedbackState) -> FeedbackState:
    """Compute once more, with what the number reader has read (the extension `read_numbers`)."""
    paper = state["document"]
    document = await asyncio.to_thread(load_document, paper)
    records, unread = await asyncio.to_thread(collect_records, state["readings"], document)
    computed = await asyncio.to_thread(
        compute_review_findings, document, state["targets"], whole=state["whole"], records=records
    )
    return {"computed": computed, "document": {**paper, "warnings": [*paper["warnings"], *unread]}}


def list_shown_findings(target: Target, computed: Sequence[ReviewFinding]) -> list[ReviewFinding]:
    """Return the findings about a reviewed text that the review shows."""
    return [item for item in computed if item["shown"] and item["paragraph"] == target["id"]]


def convert_finding_to_evidence(finding: ReviewFinding) -> Evidence:
    """A finding as an answer that a comment may cite."""
    return Evidence(
        id=finding["id"],
        source="computed",
        question=f"What does not fit ({finding['kind']}, severity {finding['severity']})?",
        answer=describe_finding(finding),
        quote=finding["quote"],
        title="",
        section=finding["section"],
        page=finding["page"],
        address="",
    )


def describe_finding(finding: ComputedFinding) -> str:
    """Put the computation, what would be consistent, and what else could explain it into sentences."""
    told = f"{finding['computation'].rstrip('.')}. Consistent would be: {finding['consistent'].rstrip('.')}."
    others = "; ".join(finding["explanations"])
    return f"{told} What else could explain it: {others}." if others else told


async def answer_from_checks(state: QuestionState) -> ParagraphState:
    """Bring what was computed about the rest of the paper, the most severe first; no model is asked."""
    elsewhere = [item for item in state["computed"] if item["paragraph"] != state["target"]["id"]]
    worst = sorted(elsewhere, key=lambda item: SEVERITIES.index(item["severity"]))[:_MAX_FINDINGS]
    told = [f"{item['section'] or item['paragraph']}: “{item['quote']}”: {describe_finding(item)}" for item in worst]
    evidence = Evidence(
        id=make_evidence_id(state["step"]["id"]),
        source="computed",
        question=state["step"]["question"],
        answer="\n".join(told) or NO_CONTRADICTION,
        quote="",
        title="",
        section="",
        page=0,
        address="",
    )
    return {"answers": [QuestionAnswer(step=state["step"]["id"], evidence=evidence, note="")]}


def build_wordings_field(state: ParagraphState) -> dict[str, Any]:
    """The field of the reviewer's answer that puts each finding of this paragraph into words; none without findings."""
    words: Any = (Annotated[str, LengthLimit("review_words")], ...)
    fields = {item["id"]: words for item in list_shown_findings(state["target"], state["computed"])}
    wordings = create_model("FindingWordings", __base__=AgentAnswer, **fields) if fields else None
    return {"computed": (wordings, ...)} if wordings else {}


def validate_finding_wordings(state: ParagraphState, said: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """The reviewer's words by finding, and notes on those that are left out because they add a number.

    Words that say nothing of the computation, or repeat an instruction, are left out as well.
    """
    accepted, notes = dict[str, str](), list[str]()
    for finding in list_shown_findings(state["target"], state["computed"]):
        wording = said.get(finding["id"], "").strip()
        computed = f"{finding['kind']}. {describe_finding(finding)}"
        known = f"{state['target']['text']}\n\n{finding['quote']}\n\n{computed}"
        added = [fact["text"] for fact in list_unsupported_facts(wording, known) if fact["kind"] != "entity"]
        # It takes up one of the numbers or two of the words of the computation, and not those of the quote alone.
        numbers = ({*_NUMBER.findall(wording)} - {*_NUMBER.findall(finding["quote"])}) & {*_NUMBER.findall(computed)}
        words = (collect_content_stems(wording) - collect_content_stems(finding["quote"])) & collect_content_stems(
            computed
        )
        if added:
            notes.append(ADDED_FACTS_NOTE.format(id=finding["id"], facts=", ".join(added)))
        elif (numbers or len(words) >= 2) and not (
            "instructions" in get_feedback_settings(state).extensions
            and repeats_instruction(wording, state["findings"])
        ):
            accepted[finding["id"]] = wording
    return accepted, notes
