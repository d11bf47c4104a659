"""Computed findings in a review (the extension `computed_checks`): evidence that no agent can take back.

The findings are computed once, when the paper is read. Findings about a paragraph are evidence from the start, and the
reviewer may put them into words; a step of the plan brings the findings about the rest of the paper.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence

from nodes.feedback.agent import build_evidence, get_feedback_settings
from state.computed_findings import SEVERITIES, ComputedFinding
from state.documents import Document, Paragraph
from state.feedback import Evidence, FeedbackState, ParagraphState, QuestionAnswer, QuestionState, ReviewFinding, Target
from tools.checks.fidelity import collect_content_stems, list_unsupported_facts
from tools.checks.quotes import find_quote
from tools.documents.reading import load_document
from tools.injection import repeats_instruction
from tools.numbers import check_paper
from tools.numbers.model_readings import collect_records
from tools.numbers.records import NumberRecord

# Findings about the rest of the paper that one answer holds.
_MAX_FINDINGS = 5
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
NO_CONTRADICTION = "No contradiction was found in the rest of the paper, among what can be computed."
ADDED_FACTS_NOTE = (
    "The words of the reviewer on {id} hold what was not computed ({facts}), so those of the computation stand."
)


def compute_review_findings(
    document: Document, targets: Sequence[Target], *, whole: bool, records: Sequence[NumberRecord] = ()
) -> list[ReviewFinding]:
    """Return all findings of the paper, numbered, with a mark on those that the review shows, which come first.

    Targets that are not in the paper are checked, too. If the paper is reviewed as a whole, findings about tables,
    captions and references are shown, too.
    """
    # 1. Check the paper, and the texts that are not in it.
    known = {paragraph["id"] for paragraph in document["paragraphs"]}
    besides = [
        Paragraph(id=target["id"], section=target["section"], text=target["text"], page=target["page"], words=[])
        for target in targets
        if target["id"] not in known
    ]
    found = check_paper({**document, "paragraphs": [*document["paragraphs"], *besides]}, (), records)["findings"]
    # 2. Show the findings about reviewed texts that are of more than low severity.
    texts = {target["id"]: target["text"] for target in targets}
    paragraphs = {paragraph["text"] for paragraph in document["paragraphs"]}
    marked: list[tuple[ComputedFinding, bool]] = []
    for item in found:
        text = texts.get(item["paragraph"], "")
        # A text that is only a part of its paragraph must hold the quote; a table's row need not be quoted.
        is_held = text and (text in paragraphs or find_quote(item["quote"], text, fewest=1) is not None)
        marked.append((item, item["severity"] != "low" and (whole or bool(is_held))))
    # 3. Number those that are shown first, so that a reader sees f1, f2, ... without gaps.
    marked.sort(key=lambda pair: not pair[1])
    return [
        ReviewFinding(**item, id=f"f{number}", shown=shown, wording="")
        for number, (item, shown) in enumerate(marked, start=1)
    ]


async def compute_from_readings(state: FeedbackState) -> FeedbackState:
    """Compute all findings again, now also from the number reader's readings (the extension `read_numbers`)."""
    paper = state["document"]
    document = await asyncio.to_thread(load_document, paper)
    records, unread = await asyncio.to_thread(collect_records, state["readings"], document)
    computed = await asyncio.to_thread(
        compute_review_findings, document, state["targets"], whole=state["whole"], records=records
    )
    warnings = [*paper["warnings"], *unread]
    return {"computed": computed, "document": {**paper, "warnings": warnings}, "passages": []}  # all are read


def list_shown_findings(target: Target, computed: Sequence[ReviewFinding]) -> list[ReviewFinding]:
    """List the findings about one reviewed text that the review shows."""
    return [item for item in computed if item["shown"] and item["paragraph"] == target["id"]]


def convert_finding_to_evidence(finding: ReviewFinding) -> Evidence:
    """Return a finding as evidence, which a comment may cite."""
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
    """Describe the computation, the consistent values and other possible explanations in sentences."""
    text = f"{finding['computation'].rstrip('.')}. Consistent would be: {finding['consistent'].rstrip('.')}."
    others = "; ".join(finding["explanations"])
    return f"{text} What else could explain it: {others}." if others else text


async def answer_from_checks(state: QuestionState) -> ParagraphState:
    """Answer a question with the five gravest findings about the rest of the paper, without asking a model."""
    step = state["step"]
    elsewhere = [item for item in state["computed"] if item["paragraph"] != state["target"]["id"]]
    worst = sorted(elsewhere, key=lambda item: SEVERITIES.index(item["severity"]))[:_MAX_FINDINGS]
    lines = [f"{item['section'] or item['paragraph']}: “{item['quote']}”: {describe_finding(item)}" for item in worst]
    evidence = build_evidence(step, "computed", "\n".join(lines) or NO_CONTRADICTION)
    return {"answers": [QuestionAnswer(step=step["id"], evidence=evidence, note="")]}


def validate_finding_wordings(state: ParagraphState, said: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Return a pair: the reviewer's usable wordings by the finding's id, and notes on those that add facts.

    A wording that does not mention the computation, or repeats an instruction, is left out without a note.
    """
    accepted, notes = dict[str, str](), list[str]()
    is_guarded = "instructions" in get_feedback_settings(state).extensions
    for finding in list_shown_findings(state["target"], state["computed"]):
        wording, quote = said.get(finding["id"], "").strip(), finding["quote"]
        computed = f"{finding['kind']}. {describe_finding(finding)}"
        # 1. It may add no number that neither the paragraph nor the computation has.
        known = f"{state['target']['text']}\n\n{quote}\n\n{computed}"
        if added := [fact["text"] for fact in list_unsupported_facts(wording, known) if fact["kind"] != "entity"]:
            notes.append(ADDED_FACTS_NOTE.format(id=finding["id"], facts=", ".join(added)))
            continue
        # 2. It must use a number or two words of the computation that the quote does not have.
        numbers = ({*_NUMBER.findall(wording)} - {*_NUMBER.findall(quote)}) & {*_NUMBER.findall(computed)}
        new_words = collect_content_stems(wording) - collect_content_stems(quote)
        is_about_computation = bool(numbers) or len(new_words & collect_content_stems(computed)) >= 2
        if is_about_computation and not (is_guarded and repeats_instruction(wording, state["findings"])):
            accepted[finding["id"]] = wording
    return accepted, notes
