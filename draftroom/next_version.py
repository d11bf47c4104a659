"""The next version of a draft: comments on the one before are carried over, and only what changed is reviewed again."""

from __future__ import annotations

from typing import Any

from draftroom.systems.feedback import FOCUSED_FEEDBACK_GRAPH, best_comments
from nodes.feedback.initialise import choose_targets
from runs.driver import read_state
from runs.record import RunRecord
from state.documents import Document
from state.errors import BadInput
from state.feedback import EarlierComment, FeedbackInput
from state.records import Values
from state.settings import FeedbackSettings
from tools.documents.reading import load_document
from tools.documents.versions import is_unchanged, paired


def request_since(earlier: RunRecord, document: Document, chosen: FeedbackSettings) -> dict[str, Any]:
    """What is asked of the review of a new version: the paragraphs that changed, and the comments until now.

    Args:
        earlier: A finished review of the version before.
        document: The new version.
        chosen: Settings, which tell what paragraphs are worth a review.

    Raises:
        BadInput: The run is no finished review, or nothing changed that is worth a review.
        StateError: Its checkpoints or its paper are gone.
    """
    if earlier["system"] != "focused_feedback":
        raise BadInput(f"The run {earlier['id']} is no review; name one of focused_feedback with --since.")
    values = read_state(earlier, FOCUSED_FEEDBACK_GRAPH)
    if not FOCUSED_FEEDBACK_GRAPH.is_finished(values):
        raise BadInput(f"The run {earlier['id']} is not done; finish it first: draftroom resume {earlier['id']}")
    before = load_document(earlier["input"]["paper"])
    pairs = paired(before["paragraphs"], document["paragraphs"])
    unchanged = {
        pairs[old["id"]]["id"]
        for old in before["paragraphs"]
        if old["id"] in pairs and is_unchanged(old, pairs[old["id"]])
    }
    worth_it = choose_targets(document, FeedbackInput(paper=""), chosen.model_copy(update={"pause": False}))
    changed = [target["id"] for target in worth_it if target["id"] not in unchanged]
    if not changed:
        raise BadInput(
            f"No paragraph that is worth a review has changed since the run {earlier['id']}; its comments still stand."
        )
    texts = {paragraph["id"]: paragraph["text"] for paragraph in before["paragraphs"]}
    carried = []
    for item in open_comments(values):
        now = pairs.get(item["comment"]["paragraph"])
        carried.append(
            {
                **item,
                "paragraph": now["id"] if now else "",
                "before": texts.get(item["comment"]["paragraph"], ""),
                "now": now["text"] if now else "",
            }
        )
    return {"paragraphs": changed, "earlier": carried}


def open_comments(values: Values) -> list[EarlierComment]:
    """The comments of a review that its author has not dismissed, and those it had carried over that are open still.

    The latter point at the paragraph that was theirs in the version under this review.
    """
    decisions = values.get("decisions") or {}
    found = [
        EarlierComment(comment=comment, status="open", paragraph="", before="", now="")
        for comment in best_comments(values)
        if decisions.get(comment["id"], {}).get("decision") != "dismissed"
    ]
    carried: list[EarlierComment] = values.get("earlier") or []
    return found + [
        {**item, "comment": {**item["comment"], "paragraph": item["paragraph"]}}
        for item in carried
        if item["status"] == "open"
    ]
