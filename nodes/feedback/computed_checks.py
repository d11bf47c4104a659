"""What was computed, in a review (the aid `computed_checks`): evidence that no agent can take back.

The findings are made when the paper is read. Those of a paragraph are evidence from the beginning, the reviewer may put
them into words, and a step of the plan brings those of the rest of the paper.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, create_model

from nodes.feedback.agent import at_most, document_of, evidence_id, options
from state.computed_findings import SEVERITIES, ComputedFinding
from state.documents import Document, Paragraph
from state.feedback import Answered, Evidence, ParagraphState, QuestionState, RaisedFinding, Target
from state.model_settings import AtMost
from tools.checks.fidelity import unsupported_facts
from tools.checks.hidden_instructions import obeys
from tools.checks.quotes import locate
from tools.consistency import check_paper

_MOST = 5
"""Findings about the rest of the paper that one answer holds."""
NOTHING = "No contradiction was found in the rest of the paper, among what can be computed."
ADDED = "The words of the reviewer on {id} hold what was not computed ({facts}), so those of the computation stand."


def compute_findings(document: Document, targets: Sequence[Target], *, whole: bool) -> list[RaisedFinding]:
    """The findings that a review shows.

    Args:
        document: The paper.
        targets: What is reviewed of it; text that is no paragraph of it is checked with it.
        whole: Whether nothing was named, so that findings about tables, captions and references are shown, too.
    """
    known = {paragraph["id"] for paragraph in document["paragraphs"]}
    besides = [_paragraph(target) for target in targets if target["id"] not in known]
    found = check_paper({**document, "paragraphs": [*document["paragraphs"], *besides]})
    texts = {target["id"]: target["text"] for target in targets}
    wanted = [item for item in found if whole or _is_about(item, texts.get(item["paragraph"], ""), document)]
    return [RaisedFinding(**item, id=f"f{number}", wording="") for number, item in enumerate(wanted, start=1)]


def _paragraph(target: Target) -> Paragraph:
    return Paragraph(id=target["id"], section=target["section"], text=target["text"], page=target["page"], words=[])


def _is_about(finding: ComputedFinding, text: str, document: Document) -> bool:
    """Whether the reviewed text, which may be a part of the paragraph, holds what was found; a row counts as held."""
    whole = any(text == paragraph["text"] for paragraph in document["paragraphs"])
    return bool(text) and (whole or locate(finding["quote"], text, fewest=1) is not None)


def as_evidence(finding: RaisedFinding) -> Evidence:
    """A finding as an answer that a comment may cite."""
    return Evidence(
        id=finding["id"],
        source="computed",
        question=f"What does not fit ({finding['kind']}, severity {finding['severity']})?",
        answer=in_words(finding),
        quote=finding["quote"],
        title="",
        section=finding["section"],
        page=finding["page"],
        address="",
    )


def in_words(finding: ComputedFinding) -> str:
    """The computation and what would be consistent, as sentences."""
    return f"{finding['computation'].rstrip('.')}. Consistent would be: {finding['consistent'].rstrip('.')}."


async def answer_from_checks(state: QuestionState) -> ParagraphState:
    """Bring what was computed about the rest of the paper, the most severe first; no model is asked."""
    found = await asyncio.to_thread(check_paper, await document_of(state))
    elsewhere = [item for item in found if item["paragraph"] != state["target"]["id"]]
    worst = sorted(elsewhere, key=lambda item: SEVERITIES.index(item["severity"]))[:_MOST]
    told = [f"{item['section'] or item['paragraph']}: “{item['quote']}”: {in_words(item)}" for item in worst]
    evidence = Evidence(
        id=evidence_id(state["step"]["id"]),
        source="computed",
        question=state["step"]["question"],
        answer="\n".join(told) or NOTHING,
        quote="",
        title="",
        section="",
        page=0,
        address="",
    )
    return {"answers": [Answered(step=state["step"]["id"], evidence=evidence, note="")]}


def wordings_field(state: ParagraphState) -> dict[str, Any]:
    """The field of the reviewer's answer that puts the findings of this paragraph into words; none without findings."""
    ids = tuple(item["id"] for item in state.get("computed", []))
    if not ids:
        return {}
    known: Any = (Literal[ids], ...)
    words: Any = (Annotated[str, AtMost("review_words")], ...)
    wording = create_model("FindingWording", __config__=ConfigDict(extra="forbid"), finding=known, wording=words)
    return {"computed": (list[wording], at_most(len(ids), "reviewer", state))}


def accept_wordings(state: ParagraphState, said: Sequence[Mapping[str, str]]) -> tuple[dict[str, str], list[str]]:
    """The reviewer's words by finding, without those that add a number or repeat an instruction; and why, as notes."""
    findings = {item["id"]: item for item in state.get("computed", [])}
    accepted, notes = dict[str, str](), list[str]()
    for item in said:
        finding, wording = findings[item["finding"]], item["wording"].strip()
        known = f"{state['target']['text']}\n\n{finding['quote']}\n\n{finding['kind']}. {in_words(finding)}"
        added = [fact["text"] for fact in unsupported_facts(wording, known) if fact["kind"] != "entity"]
        if added:
            notes.append(ADDED.format(id=finding["id"], facts=", ".join(added)))
        elif wording and not ("instructions" in options(state).aids and obeys(wording, state["findings"])):
            accepted.setdefault(finding["id"], wording)
    return accepted, notes
