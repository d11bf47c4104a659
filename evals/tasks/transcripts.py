"""What the agents of a system said for one sample, in Markdown, to be read by a person who asks why a figure is so."""

from __future__ import annotations

from collections.abc import Iterable

from runs.many import Record
from tools.models.prompts import numbered


def journalism_transcript(_: Record, output: Record) -> str:
    """Each draft with the reader's notes and the editor's advice that led to the next one."""
    notes = {each["round"]: each for each in output["notes"]}
    reviews = {each["round"]: each for each in output["reviews"]}
    parts = []
    for draft, assessment in zip(output["drafts"], output["assessments"], strict=True):
        number = draft["round"]
        parts += [
            f"## Draft {number}",
            _points("The journalist chose to", draft["improvements"]),
            draft["text"].replace("# ", "#### ", 1) if draft["text"].startswith("# ") else draft["text"],
            f"*Mean grade {assessment['mean_grade']:.1f}.*",
            _points("Not supported by the paper", (_fact(fact) for fact in assessment["unsupported"])),
            _points("The reader's notes", (_term(term) for term in notes.get(number, {}).get("terms", []))),
            _points("The editor's advice", (_advice(advice) for advice in reviews.get(number, {}).get("advice", []))),
        ]
    parts.append(f"Draft {output['selected_round']} was chosen: {output['selected_because']}.")
    return _joined(parts)


def simplification_transcript(_: Record, output: Record) -> str:
    """Each entry into a loop: why it was chosen, what was said, and the version that came of it."""
    exchanges = {exchange["entry"]: exchange for exchange in output["history"]}
    parts = []
    for version in output["versions"]:
        number = version["number"]
        lost = (f"{each['text']} ({each['kind']})" for each in version["lost"])
        parts += [
            f"## Version {number}: {version['loop'].replace('_', ' ') or 'the source'}",
            _exchange(exchanges[number]) if number in exchanges else "",
            version["text"],
            f"*Grade {version['grade']:.1f}, {version['words']} words.*",
            _points("Lost so far", lost),
        ]
    return _joined(parts)


def feedback_transcript(_: Record, output: Record) -> str:
    """The plans, every question with its answer and source, and the comment with its check."""
    review = output["reviews"][0]
    parts = [f"**Outcome: {review['outcome']}.** {review['problem']}".strip()]
    for plan in review["plans"]:
        score = "" if plan["score"] is None else f" (score {plan['score']:.2f})"
        parts.append(
            _points(
                f"Plan {plan['number']}{score}", (step["question"] or "Write the review." for step in plan["steps"])
            )
        )
    answers = {evidence["id"]: evidence for evidence in review["evidence"]}
    parts.append(_points("Questions", (_step(step) for step in review["log"])))
    parts.append(_points("Answers", (_evidence(each) for each in answers.values())))
    parts.append(_points("Weaknesses seen", (f"{each['label']}: {each['problem']}" for each in review["candidates"])))
    if comment := review["comment"]:
        parts += [
            f"## Comment: {comment['label']}",
            f"> {comment['quote']}" if comment["quote"] else "",
            comment["review"],
            comment["suggestion"],
            f"*Reasoning: {comment['reasoning']}*",
            _points(f"Check: {comment['verification']['verdict']}", comment["verification"]["notes"]),
        ]
    return _joined([*parts, _points("Notes", review["notes"])])


def _exchange(exchange: Record) -> str:
    questions = (f"{each['text']} **{each['answer'] or '(no answer)'}**" for each in exchange["questions"])
    suggestions = (
        f"“{each['original']}” → “{each['replacement']}”: {each['verdict']} {each['reason']}".rstrip()
        for each in exchange["suggestions"]
    )
    quotes = (
        f"“{each['quote']}”: {each['verdict']} {each['justification']}".rstrip() for each in exchange["redundancies"]
    )
    return _joined(
        [
            f"Chosen because: {exchange['chosen_because']}" if exchange["chosen_because"] else "",
            _points("The layperson asked, the medical expert answered", questions),
            _points("The simplifier thought", exchange["reasoning"]),
            _points("The language clarifier proposed", suggestions),
            _points("The redundancy checker quoted", quotes),
            _points("The medical expert remarked", exchange["comments"]),
            f"Ended early: {exchange['problem']}" if exchange["problem"] else "",
        ]
    )


def _term(term: Record) -> str:
    return f"{term['term']}: {term['explanation']} ({term['basis']})"


def _advice(advice: Record) -> str:
    return f"{advice['aspect']}: {advice['text']}"


def _fact(fact: Record) -> str:
    return f"{fact['text']} ({fact['kind']})"


def _step(record: Record) -> str:
    because = f" ({record['because']})" if record["because"] else ""
    return f"{record['step']['question']} **{record['outcome']}**{because}"


def _evidence(evidence: Record) -> str:
    where = ", ".join(filter(None, (evidence["title"], evidence["section"], evidence["address"]))) or evidence["source"]
    quoted = f": “{evidence['quote']}”" if evidence["quote"] else ", without a quote"
    return f"{evidence['question']} **{evidence['answer']}** ({where}{quoted})"


def _points(title: str, points: Iterable[str]) -> str:
    listed = [" ".join(point.split()) for point in points]
    return f"**{title}**\n\n{numbered(listed)}" if listed else ""


def _joined(parts: Iterable[str]) -> str:
    return "\n\n".join(part for part in parts if part)
