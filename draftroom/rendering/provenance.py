"""What every result tells beside itself: warnings, where it comes from, and what it cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from draftroom.rendering.blocks import Block, DataTable, FoldedBlocks, Items, TextLine, Tone
from runs.record import RunRecord, determine_status
from state.records import WHOLE_PROMPT, Fact, LostDetail, Trim, Values

Detail = TypeVar("Detail", Fact, LostDetail)


def format_identifier(name: str) -> str:
    """Write a name of the code as a person reads it: `language_clarifier` is the language clarifier."""
    return name.replace("_", " ")


def format_count(number: int, thing: str) -> str:
    """Say how many there are: 1 comment, 2 comments."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def group_by_sentence(details: Iterable[Detail]) -> dict[str, list[Detail]]:
    """Group details by the sentence that holds them, each sentence once and in its order."""
    found: dict[str, list[Detail]] = {}
    for detail in details:
        found.setdefault(detail["sentence"], []).append(detail)
    return found


def format_details(details: Iterable[Detail]) -> str:
    """List details in a line, each with its kind."""
    return ", ".join(f'{detail["kind"]} "{detail["text"]}"' for detail in details)


def list_detail_lines(details: Iterable[Detail], tone: Tone = "warning") -> list[TextLine]:
    """List details under the sentences that hold them."""
    return [
        TextLine(sentence, label=format_details(found), tone=tone)
        for sentence, found in group_by_sentence(details).items()
    ]


def build_reader_notices(values: Mapping[str, Any], unit: str, notices: Sequence[str] = ()) -> list[Block]:
    """List what a reader should know of the result as a whole, of how the paper was read, and of what was cut.

    With the preset `paper`, what is not as published follows.

    Args:
        values: State of the graph.
        unit: What the system counts its calls by: round, entry or paragraph.
        notices: What the system has to say besides.
    """
    source = values.get("source")
    read = source["warnings"] if source else []
    trimmed, cut = list[str](), list[str]()
    for call in values.get("calls", []):
        who = f"in {unit} {call['round']} the {format_identifier(call['role'])}"
        trimmed += [f"{who} {_describe_trim(trim)}" for trim in call["trims"]]
        cut += [f"{who} gave {each}" for each in call["cuts"]]
    found = [*notices, *values.get("warnings", []), *read, *dict.fromkeys([*trimmed, *cut])]
    lines = [TextLine(f"{each}.", label="Please note", tone="warning") for each in found]
    lines += [TextLine(each, label="Not as published") for each in values.get("not_as_published", [])]
    return [Items(lines)] if lines else []


def _describe_trim(trim: Trim) -> str:
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
    """Say which extensions were on: `Extensions: none`, or their names."""
    return "Extensions: " + (", ".join(extensions) or "none")


def describe_provenance(record: RunRecord, values: Values) -> list[TextLine]:
    """Say where a result comes from."""
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
    """Say which prompts were sent, what each role cost, and what went wrong."""
    prompts = [TextLine(f"SHA-256 {sha256}", label=f"Prompt {name}") for name, sha256 in record["prompts"].items()]
    if prompts:
        yield FoldedBlocks("Prompts", [Items(prompts)])
    yield tabulate_usage(record, unit)
    failures = [
        TextLine(f"Failed at {failure['time']} ({failure['kind']}): {failure['message']}", tone="alarm")
        for failure in record["failures"]
    ]
    if failures:
        yield Items(failures)


def tabulate_usage(record: RunRecord, unit: str) -> DataTable:
    """Tabulate what each role cost in each round or entry."""
    rows = []
    for part in record["usage"]:
        about = "~" if part["tokens_estimated"] else ""
        tokens = (f"{about}{part[key]:,}" for key in ("input_tokens", "output_tokens"))
        repeated = (str(part[key]) for key in ("http_retries", "reasks", "trims"))
        rows.append(
            [
                str(part["round"]),
                format_identifier(part["role"]),
                str(part["calls"]),
                *tokens,
                f"{part['seconds']:.1f}",
                *repeated,
            ]
        )
    columns = (unit, "role", "calls", "tokens in", "tokens out", "seconds", "retries", "re-asks", "trims")
    return DataTable(columns, rows, words=["role"])
