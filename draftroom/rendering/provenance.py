"""Render the parts that all results share: warnings, provenance and costs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from draftroom.rendering.blocks import Block, DataTable, FoldedBlocks, Items, TextLine
from runs.record import RunRecord, determine_status
from state.records import WHOLE_PROMPT, Fact, LostDetail, Trim, Values


def format_identifier(name: str) -> str:
    """Return an identifier with spaces for underscores, such as `language clarifier`."""
    return name.replace("_", " ")


def format_count(number: int, thing: str) -> str:
    """Format a number with a singular noun that takes an -s, such as `1 comment` or `2 comments`."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def format_step(unit: str, call: Mapping[str, Any]) -> str:
    """Return what a call is about, such as `round 2`; the screener's are about the whole paper."""
    return "the paper" if call["role"] == "screener" else f"{unit} {call['round']}"


def list_detail_lines(details: Iterable[Fact | LostDetail]) -> list[TextLine]:
    """Return a line for each sentence that holds details, in order, with its details as the label."""
    labels: dict[str, list[str]] = {}
    for detail in details:
        labels.setdefault(detail["sentence"], []).append(f'{detail["kind"]} "{detail["text"]}"')
    return [TextLine(sentence, label=", ".join(found), tone="warning") for sentence, found in labels.items()]


def build_reader_notices(values: Mapping[str, Any], unit: str, notices: Sequence[str] = ()) -> list[Block]:
    """Return a list block of warnings on a result and its prompts and of deviations; empty without any."""
    source = values.get("source")
    read = source["warnings"] if source else []
    trimmed, cut = list[str](), list[str]()
    for call in values.get("calls", []):
        who = f"in {format_step(unit, call)} the {format_identifier(call['role'])}"
        trimmed += [f"{who} {_describe_trim(trim)}" for trim in call["trims"]]
        cut += [f"{who} gave {each}" for each in call["cuts"]]
    # Calls of one round may be trimmed alike, so equal lines are shown once.
    found = [*notices, *values.get("warnings", []), *read, *dict.fromkeys([*trimmed, *cut])]
    lines = [TextLine(f"{each}.", label="Please note", tone="warning") for each in found]
    lines += [TextLine(each, label="Not as published") for each in values.get("not_as_published", [])]
    return [Items(lines)] if lines else []


def _describe_trim(trim: Trim) -> str:
    """Describe how a prompt was cut, as a clause that follows the agent's name."""
    kept, before = f"{trim['words_kept']:,}", f"{trim['words_before']:,}"
    if trim["variable"] == WHOLE_PROMPT:
        return (
            f"was sent about {before} tokens, of which its server says that it read {kept}: it cuts prompts in "
            "silence; serve the model with a longer context (Ollama: `num_ctx`), and set `context_length` to it"
        )
    variable = format_identifier(trim["variable"])
    return (
        f"saw only the first {kept} of {before} words of the {variable}, because more does not fit its model's context"
    )


def format_extensions(extensions: Sequence[str]) -> str:
    """Format the extensions of a run as a line, such as `Extensions: none`."""
    return "Extensions: " + (", ".join(extensions) or "none")


def describe_provenance(record: RunRecord, values: Values) -> list[TextLine]:
    """Return lines on the run, paper, extensions and models that a result comes from."""
    paper = values.get("source") or record["input"]["paper"]
    size = f"{paper['format']}, {paper['scope']}, {paper['words']} words"
    state = f"{determine_status(record)}, resumed {record['resumed']} times"
    begun = f"Draftroom {record['version']}, begun {record['created']}"
    return [
        TextLine(f"Run {record['id']}: {record['system']}, {state}; {begun}"),
        TextLine(f"{record['input']['name']} ({size}), SHA-256 {paper['sha256']}", label="Paper"),
        TextLine(format_extensions(record["extensions"])),
        *(TextLine(model, label=format_identifier(role).capitalize()) for role, model in record["models"].items()),
    ]


def describe_costs(record: RunRecord, unit: str) -> Iterator[Block]:
    """Yield blocks on the prompts of a run, its usage by role and `unit`, and its failures."""
    prompts = [TextLine(f"SHA-256 {sha256}", label=f"Prompt {name}") for name, sha256 in record["prompts"].items()]
    if prompts:
        yield FoldedBlocks("Prompts", [Items(prompts)])
    # Usage has a part for each role in each round, entry or paragraph.
    rows = []
    for part in sorted(record["usage"], key=lambda part: part["round"]):
        about = "~" if part["tokens_estimated"] else ""
        row = [str(part["round"]), format_identifier(part["role"]), str(part["calls"])]
        row += [f"{about}{part[key]:,}" for key in ("input_tokens", "output_tokens")]
        row += [f"{part['seconds']:.1f}", *(str(part[key]) for key in ("http_retries", "reasks", "trims"))]
        rows.append(row)
    columns = (unit, "role", "calls", "tokens in", "tokens out", "seconds", "retries", "re-asks", "trims")
    yield DataTable(columns, rows, words=["role"])
    failures = [
        TextLine(f"Failed at {failure['time']} ({failure['kind']}): {failure['message']}", tone="alarm")
        for failure in record["failures"]
    ]
    if failures:
        yield Items(failures)
