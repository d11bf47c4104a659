"""Results of medical simplification: the plain text, what it lost, and the loops that led to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from draftroom.rendering.blocks import (
    Block,
    DataTable,
    Diff,
    FoldedBlocks,
    Heading,
    Items,
    Prose,
    ResultDocument,
    TextLine,
)
from draftroom.rendering.provenance import (
    build_reader_notices,
    describe_costs,
    describe_provenance,
    format_count,
    format_identifier,
    list_detail_lines,
)
from draftroom.rendering.rendering import Rendering, build_formats
from runs.record import RunRecord
from state.records import Values
from state.simplification import Exchange, SimplificationOutput, TextChange, Version
from tools.text import diff_words

UNIT = "entry"

MEDICAL_DISCLAIMER = (
    "This text was written by language models. Nobody should act on it without the original: it may have lost or "
    "changed what matters, also what no check has found."
)
"""Stands in every form of the result."""


def build_plain_text_document(record: RunRecord, values: Values) -> ResultDocument:
    """Build the document of a run, also of one that has no result yet."""
    simplified, versions = values.get("simplified", ""), values.get("versions", [])
    terms = [TextLine(term["explanation"], label=term["term"]) for term in values.get("glossary", [])]
    glossary: list[Block] = [Heading("Glossary"), Items(terms)] if terms else []
    ended = (
        f"Version {values['selected_version']}: {values['selected_because']}. The run ended: {values['stop_reason']}."
        if simplified
        else f"The run has no result yet ({record['status']})."
    )
    selected = _select_version(values)
    story = list(_build_entry_history(values))
    if selected and len(versions) > 1:
        change = Diff(diff_words(versions[0]["text"], selected["text"]))
        story.insert(0, FoldedBlocks(f"From the source to version {selected['number']}", [change], unfolded=True))
    paper = values.get("source") or record["input"]["paper"]
    return ResultDocument(
        title=paper["title"] or record["input"]["name"],
        result=[Prose(simplified)] if simplified else [],
        remarks=[
            TextLine(MEDICAL_DISCLAIMER, tone="warning"),
            TextLine(ended, tone="soft"),
            *glossary,
            Heading("Details of the source that the text has lost or changed"),
            *_list_lost_details(values, finished=bool(simplified)),
            *build_reader_notices(values, UNIT),
            Heading("Versions"),
            *_tabulate_versions(versions, selected),
        ],
        conclusion=f"Run {record['id']}",
        story=story,
        provenance=describe_provenance(record, values),
        costs=list(describe_costs(record, UNIT)),
    )


def _list_lost_details(values: Values, *, finished: bool) -> Iterator[Block]:
    """List what is lost, sentence by sentence, and which loops ended early."""
    lost = values.get("lost", [])
    yield Items(list_detail_lines(lost)) if lost else TextLine(f"None was found{'' if finished else ' yet'}.")
    for exchange in values.get("history", []):
        if exchange["problem"]:
            said = (
                f"Entry {exchange['entry']}, {format_identifier(exchange['loop'])}, ended early: {exchange['problem']}"
            )
            yield TextLine(said, tone="warning")


def _select_version(values: Values) -> Version | None:
    """Return the selected version, or the newest until there is a result."""
    versions: list[Version] = values.get("versions", [])
    selected = values.get("selected_version") if values.get("simplified") else None
    return next((version for version in versions if version["number"] == selected), versions[-1] if versions else None)


def _tabulate_versions(versions: Sequence[Version], selected: Version | None) -> Iterator[Block]:
    rows = [
        [
            str(version["number"]),
            format_identifier(version["loop"]) or "source",
            f"{version['grade']:.1f}",
            str(version["words"]),
            str(len(version["lost"])),
        ]
        for version in versions
    ]
    yield TextLine("FKGL is a United States school grade (Flesch-Kincaid); lower is easier to read.", tone="soft")
    columns = ("version", "loop", "FKGL", "words", "lost")
    yield DataTable(columns, rows, words=["loop"], selected=versions.index(selected) if selected else None)


def _build_entry_history(values: Values) -> Iterator[FoldedBlocks]:
    """Tell of each entry into a loop, also of one that has begun and has no version yet."""
    versions: dict[int, Version] = {version["number"]: version for version in values.get("versions", [])}
    exchanges: dict[int, Exchange] = {exchange["entry"]: exchange for exchange in values.get("history", [])}
    under_way = values.get("exchange")
    if under_way and under_way["entry"]:
        exchanges.setdefault(under_way["entry"], under_way)
    changes: list[TextChange] = [*values.get("all_changes", []), *values.get("changes", [])]
    for number in sorted({*exchanges, *versions} - {0}):
        exchange, version = exchanges.get(number), versions.get(number)
        said = [*_list_exchange_lines(exchange)] if exchange else []
        for change in (each for each in changes if each["entry"] == number):
            # A side is nothing where something was added or removed.
            sides = " -> ".join(f'"{text}"' if text else "nothing" for text in (change["before"], change["after"]))
            label = f"{change['kind']} by the {format_identifier(change['agent'])}"
            said.append(TextLine(f"{sides}, because: {change['because']}", label=label, tone="good"))
        title = describe_entry(number, exchange, version, versions.get(number - 1))
        yield FoldedBlocks(title, [Items(said)] if said else [], number)


def describe_entry(number: int, exchange: Exchange | None, version: Version | None, before: Version | None) -> str:
    """Say in one line what came of an entry, or of the single rewrite of a run without a society.

    Args:
        number: Of the entry.
        exchange: What was said; None in a single rewrite.
        version: The text that came of it; None if it has not ended yet.
        before: The text that it began with.
    """
    loop = format_identifier(exchange["loop"]) if exchange else "single rewrite"
    if version is None:
        return f"Entry {number}, {loop}: not finished"
    grade = f"{before['grade']:.1f} -> {version['grade']:.1f}" if before else f"{version['grade']:.1f}"
    outcome = f"Entry {number}, {loop}: {_summarize_exchange(exchange)}"
    return f"{outcome}; grade {grade}, {version['words']} words, {format_count(len(version['lost']), 'detail')} lost"


def _summarize_exchange(exchange: Exchange | None) -> str:
    """Say what came of what was said, in one clause."""
    if exchange is None:
        return "rewritten by one model"
    if exchange["problem"]:
        return "ended early, because an agent gave no usable answer"
    match exchange["loop"]:
        case "layperson":
            answers = [question["answer"] for question in exchange["questions"]]
            return _format_share(sum(map(bool, answers)), len(answers), "questions", "answered")
        case "language_clarifier":
            verdicts = [suggestion["verdict"] for suggestion in exchange["suggestions"]]
            return _format_share(verdicts.count("accepted"), len(verdicts), "suggestions", "accepted")
        case "redundancy_checker":
            kept = [part["verdict"] for part in exchange["redundancies"]]
            return _format_share(kept.count("removed"), len(kept), "quoted parts", "removed")


def _format_share(part: int, whole: int, things: str, what: str) -> str:
    return f"{part} of {whole} {things} {what}" if whole else f"no {things}"


def _list_exchange_lines(exchange: Exchange) -> Iterator[TextLine]:
    """List the conversation of an entry, in its order."""
    yield TextLine(exchange["chosen_because"], label="chosen", tone="soft")
    for question in exchange["questions"]:
        yield TextLine(question["text"], label=f"question {question['number']}", tone="question")
        yield TextLine(question["answer"] or "none was given", label="answer of the medical expert", tone="answer")
    for thought in exchange["reasoning"]:
        yield TextLine(thought, label="reasoned", tone="thought")
    for item in exchange["suggestions"]:
        verdict = _format_verdict(item["verdict"], item["judge"], item["reason"])
        said = f'"{item["original"]}" -> "{item["replacement"]}", {verdict}'
        yield TextLine(said, label=f"suggestion (round {item['round']})", tone="question")
    for part in exchange["redundancies"]:
        judged = _format_verdict(part["verdict"], part["judge"], part["justification"])
        yield TextLine(f'"{part["quote"]}" ({part["reason"]}), {judged}', label="redundant", tone="question")
    for comment in exchange["comments"]:
        yield TextLine(comment, label="accuracy", tone="answer")
    if exchange["problem"]:
        yield TextLine(exchange["problem"], label="ended early", tone="warning")


def _format_verdict(verdict: str, judge: str, reason: str) -> str:
    by = f" by the {format_identifier(judge)}" if judge else ""
    return f"{verdict}{by}{f': {reason}' if reason else ''}"


def describe_entry_progress(node: str, update: Values, values: Values) -> str:
    """Return a line after each choice of the selector and after each entry."""
    if node == "select_agent" and "exchange" in update:
        return f"Next is the {format_identifier(update['next_loop'])}: {update['exchange']['chosen_because']}"
    if node != "log_exchange":
        return ""
    version: Version = update["versions"][-1]
    return describe_entry(version["number"], update.get("exchange"), version, values["versions"][-2])


RENDERING = Rendering(
    unit=UNIT,
    milestone=describe_entry_progress,
    document=build_plain_text_document,
    formats=build_formats(build_plain_text_document, SimplificationOutput, note=MEDICAL_DISCLAIMER),
)
