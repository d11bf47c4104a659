"""Render the results of medical simplification: the plain text, its lost details, and the loops that led to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from draftroom.rendering import blocks as b
from draftroom.rendering.provenance import build_reader_notices, format_count, format_identifier, list_detail_lines
from draftroom.rendering.rendering import Rendering
from runs.record import RunRecord
from state.records import Values
from state.simplification import Exchange, SimplificationOutput, TextChange, Version
from tools.text import diff_words

UNIT = "entry"

# Stands in every format of the result.
MEDICAL_DISCLAIMER = (
    "This text was written by language models. Nobody should act on it without the original: it may have lost or "
    "changed what matters, also what no check has found."
)


def build_simplification_document(record: RunRecord, values: Values) -> b.ResultDocument:
    """Build the result document of a simplification run, also of an unfinished one without a simplified text."""
    simplified = values.get("simplified", "")
    versions: list[Version] = values.get("versions", [])
    # Until there is a result, the newest version is shown.
    selected = versions[-1] if versions else None
    outcome = f"The run has no result yet ({record['status']})."
    if simplified:
        chosen = values["selected_version"]
        selected = next(version for version in versions if version["number"] == chosen)
        outcome = f"Version {chosen}: {values['selected_because']}. The run ended: {values['stop_reason']}."
    terms = [b.TextLine(term["explanation"], label=term["term"]) for term in values.get("glossary", [])]
    glossary: list[b.Block] = [b.Heading("Glossary"), b.Items(terms)] if terms else []
    story = list(_build_entry_history(values))
    if selected and len(versions) > 1:
        change = b.Diff(diff_words(versions[0]["text"], selected["text"]))
        story.insert(0, b.FoldedBlocks(f"From the source to version {selected['number']}", [change], unfolded=True))
    # Lost details by sentence, and the loops that ended early, in which a detail may have been missed.
    lost = values.get("lost", [])
    nothing = b.TextLine(f"None was found{'' if simplified else ' yet'}.")
    lost_details: list[b.Block] = [b.Items(list_detail_lines(lost)) if lost else nothing]
    for exchange in (each for each in values.get("history", []) if each["problem"]):
        ended = f"Entry {exchange['entry']}, {format_identifier(exchange['loop'])}, ended early"
        lost_details.append(b.TextLine(f"{ended}: {exchange['problem']}", tone="warning"))
    paper = values.get("source") or record["input"]["paper"]
    return b.ResultDocument(
        title=paper["title"] or record["input"]["name"],
        result=[b.Prose(simplified)] if simplified else [],
        remarks=[
            b.TextLine(MEDICAL_DISCLAIMER, tone="warning"),
            b.TextLine(outcome, tone="soft"),
            *glossary,
            b.Heading("Details of the source that the text has lost or changed"),
            *lost_details,
            *build_reader_notices(values, UNIT),
            b.Heading("Versions"),
            *_tabulate_versions(versions, selected),
        ],
        conclusion=f"Run {record['id']}",
        story=story,
    )


def _tabulate_versions(versions: Sequence[Version], selected: Version | None) -> Iterator[b.Block]:
    """Yield an explanation and a table of the versions' grades, words and numbers of lost details."""
    rows = []
    for version in versions:
        names = (str(version["number"]), format_identifier(version["loop"]) or "source")
        rows.append([*names, f"{version['grade']:.1f}", str(version["words"]), str(len(version["lost"]))])
    yield b.TextLine("FKGL is a United States school grade (Flesch-Kincaid); lower is easier to read.", tone="soft")
    columns = ("version", "loop", "FKGL", "words", "lost")
    yield b.DataTable(columns, rows, words=["loop"], selected=versions.index(selected) if selected else None)


def _build_entry_history(values: Values) -> Iterator[b.FoldedBlocks]:
    """Yield folded blocks on each entry into a loop; an unfinished entry has no version."""
    versions: dict[int, Version] = {version["number"]: version for version in values.get("versions", [])}
    exchanges: dict[int, Exchange] = {exchange["entry"]: exchange for exchange in values.get("history", [])}
    # The exchange under way reaches the history when its loop ends.
    under_way = values.get("exchange")
    if under_way and under_way["entry"]:
        exchanges.setdefault(under_way["entry"], under_way)
    changes: list[TextChange] = [*values.get("all_changes", []), *values.get("changes", [])]
    for number in sorted({*exchanges, *versions} - {0}):
        exchange, version = exchanges.get(number), versions.get(number)
        lines = list(_list_exchange_lines(exchange)) if exchange else []
        for change in (change for change in changes if change["entry"] == number):
            # One side is empty if words were added or removed.
            sides = " -> ".join(f'"{text}"' if text else "nothing" for text in (change["before"], change["after"]))
            label = f"{change['kind']} by the {format_identifier(change['agent'])}"
            lines.append(b.TextLine(f"{sides}, because: {change['because']}", label=label, tone="good"))
        title = describe_entry(number, exchange, version, versions.get(number - 1))
        yield b.FoldedBlocks(title, [b.Items(lines)] if lines else [], number)


def describe_entry(number: int, exchange: Exchange | None, version: Version | None, before: Version | None) -> str:
    """Summarize an entry into a loop, or the rewrite of a run with a single model, in one line.

    Args:
        number: Number of the entry.
        exchange: Conversation of the agents; None for the rewrite of a single model.
        version: Text after the entry; None until it has ended.
        before: Text before the entry.
    """
    loop = format_identifier(exchange["loop"]) if exchange else "single rewrite"
    if version is None:
        return f"Entry {number}, {loop}: not finished"
    grade = f"{before['grade']:.1f} -> {version['grade']:.1f}" if before else f"{version['grade']:.1f}"
    outcome = f"Entry {number}, {loop}: {_summarize_exchange(exchange)}"
    return f"{outcome}; grade {grade}, {version['words']} words, {format_count(len(version['lost']), 'detail')} lost"


def _summarize_exchange(exchange: Exchange | None) -> str:
    """Count in one clause what a conversation answered, accepted or removed; None is a single model's rewrite."""
    if exchange is None:
        return "rewritten by one model"
    if exchange["problem"]:
        return "ended early, because an agent gave no usable answer"
    counted: dict[str, tuple[str, str, list[str]]] = {
        "layperson": ("questions", "answered", [each["answer"] and "answered" for each in exchange["questions"]]),
        "language_clarifier": ("suggestions", "accepted", [each["verdict"] for each in exchange["suggestions"]]),
        "redundancy_checker": ("quoted parts", "removed", [each["verdict"] for each in exchange["redundancies"]]),
    }
    things, outcome, verdicts = counted[exchange["loop"]]
    return f"{verdicts.count(outcome)} of {len(verdicts)} {things} {outcome}" if verdicts else f"no {things}"


def _list_exchange_lines(exchange: Exchange) -> Iterator[b.TextLine]:
    """Yield a line for each turn of a conversation: questions, suggestions, redundancies, comments, problem."""
    yield b.TextLine(exchange["chosen_because"], label="chosen", tone="soft")
    for question in exchange["questions"]:
        yield b.TextLine(question["text"], label=f"question {question['number']}", tone="question")
        yield b.TextLine(question["answer"] or "none was given", label="answer of the medical expert", tone="answer")
    for thought in exchange["reasoning"]:
        yield b.TextLine(thought, label="reasoned", tone="thought")
    for item in exchange["suggestions"]:
        verdict = _format_verdict(item["verdict"], item["judge"], item["reason"])
        suggestion = f'"{item["original"]}" -> "{item["replacement"]}", {verdict}'
        yield b.TextLine(suggestion, label=f"suggestion (round {item['round']})", tone="question")
    for part in exchange["redundancies"]:
        verdict = _format_verdict(part["verdict"], part["judge"], part["justification"])
        yield b.TextLine(f'"{part["quote"]}" ({part["reason"]}), {verdict}', label="redundant", tone="question")
    for comment in exchange["comments"]:
        yield b.TextLine(comment, label="accuracy", tone="answer")
    if exchange["problem"]:
        yield b.TextLine(exchange["problem"], label="ended early", tone="warning")


def _format_verdict(verdict: str, judge: str, reason: str) -> str:
    """Format a verdict with its judge and reason, where there are any."""
    by = f" by the {format_identifier(judge)}" if judge else ""
    return f"{verdict}{by}{f': {reason}' if reason else ''}"


def describe_entry_progress(node: str, update: Values, values: Values) -> str:
    """Return a progress line after each choice of the selector and each entry, otherwise an empty string."""
    if node == "select_agent" and "exchange" in update:
        return f"Next is the {format_identifier(update['next_loop'])}: {update['exchange']['chosen_because']}"
    if node != "log_exchange":
        return ""
    version: Version = update["versions"][-1]
    return describe_entry(version["number"], update.get("exchange"), version, values["versions"][-2])


RENDERING = Rendering(
    unit=UNIT,
    milestone=describe_entry_progress,
    build_result=build_simplification_document,
    output=SimplificationOutput,
    note=MEDICAL_DISCLAIMER,
)
