"""Write the generated reference pages: `python -m draftroom.reference`.

The text above a page's marker is written by hand and kept; the rest comes from Typer, pydantic and the registries. A
test keeps the pages current.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from click import Context
from pydantic import BaseModel, TypeAdapter

from draftroom.cli import COMMANDS, load_command
from draftroom.exit_codes import render_exit_codes
from draftroom.systems import SYSTEMS_BY_TABLE
from state import errors
from state.model_settings import Limits, ModelSettings
from state.settings import ROLES, SYSTEM_TABLES, RunContext, Settings

DOCS = Path(__file__).parent.parent / "docs"
MARKER = "\nThis page is written by `python -m draftroom.reference`.\n"
BOUNDS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
# Click's name of the type of an option that takes any text, which goes without saying.
TEXT_TYPE = re.compile(r" <(list\[)?(str|[pP]ath)\]?>")
# A list of more choices is described as a "list of names".
LONGEST_CHOICE = 6


def render_reference_pages() -> dict[str, str]:
    """Return the text of each reference page by file name: its file's hand-written head, then the generated parts."""
    # An option that several commands share is explained at its first command.
    explained: dict[tuple[str, str], str] = {}
    commands = [
        part for name in COMMANDS for part in describe_command(f"draftroom {name}", load_command(name), explained)
    ]
    written = {
        "settings.md": describe_settings(),
        "extensions.md": describe_extensions(),
        "exit_codes.md": [render_exit_codes().rstrip()],
        "commands.md": commands,
        "python.md": describe_python_interface(),
    }
    heads = {name: (DOCS / name).read_text(encoding="utf-8").partition(MARKER)[0] for name in written}
    return {name: "\n\n".join([heads[name] + MARKER.rstrip(), *parts]) + "\n" for name, parts in written.items()}


def describe_settings() -> Iterator[str]:
    """Yield the Markdown parts of the page of all settings, table by table."""
    yield from ("## At the top", render_fields(Settings, {"models", "limits", *SYSTEM_TABLES}))
    yield "## [limits]\n\nNumbers of items and of words. A text is cut only if it is three times as long."
    yield render_fields(Limits)
    for name, model in SYSTEM_TABLES.items():
        yield from describe_settings_table(name, model)
    roles = ", ".join(f"`{role}`" for role in ROLES)
    yield f"## [models.ROLE]\n\nROLE is one of {roles}; what a role leaves out it takes from `default`."
    yield render_fields(ModelSettings)


def describe_settings_table(name: str, model: type[BaseModel]) -> Iterator[str]:
    """Yield the Markdown parts about a table of the settings, then about its nested tables."""
    annotations = {name: field.annotation for name, field in model.model_fields.items()}
    nested = {key: kind for key, kind in annotations.items() if isinstance(kind, type) and issubclass(kind, BaseModel)}
    yield from (f"## [{name}]", render_fields(model, nested))
    for field, within in nested.items():
        yield from describe_settings_table(f"{name}.{field}", within)


def render_fields(described: Any, leave_out: Iterable[str] = ()) -> str:
    """Return a Markdown list of the fields of a model or TypedDict, from its JSON schema."""
    lines = []
    for name, field in TypeAdapter(described).json_schema()["properties"].items():
        if name not in set(leave_out):
            default = "" if field.get("default") is None else f", default `{field['default']}`"
            meaning = f": {field['description']}" if "description" in field else ""
            lines.append(f"- `{name}` ({describe_values(field)}{default}){meaning}")
    return "\n".join(lines)


def describe_values(schema: Mapping[str, Any]) -> str:
    """Describe the values that a JSON schema allows, in a short Markdown phrase."""
    if "$ref" in schema:
        return f"`{schema['$ref'].rpartition('/')[2]}`"
    if "anyOf" in schema:
        # Null only says that the setting may be left out.
        return " or ".join(describe_values(each) for each in schema["anyOf"] if each.get("type") != "null")
    if "enum" in schema:
        return ", ".join(f"`{choice}`" for choice in schema["enum"])
    if schema.get("type") == "array":
        several = len(schema["items"].get("enum", ())) > LONGEST_CHOICE
        return "list of names" if several else f"list of {describe_values(schema['items'])}"
    if {"minimum", "maximum"} <= schema.keys():
        return f"{schema['type']} {schema['minimum']} to {schema['maximum']}"
    bounds = (f"{sign} {schema[key]}" for key, sign in BOUNDS.items() if key in schema)
    return " ".join([schema.get("type", "any"), *bounds])


def describe_extensions() -> Iterator[str]:
    """Yield a heading and a Markdown table for each system with extensions."""
    for table, settings in SYSTEM_TABLES.items():
        if not settings.known_extensions:
            continue
        rows = [
            f"| `{name}` | {'yes' if extension.default else ''} | {extension.what} | {extension.why} |"
            for name, extension in settings.known_extensions.items()
        ]
        head = ["| extension | in `default` | what it does | what for |", "|---|---|---|---|"]
        yield from (f"## {SYSTEMS_BY_TABLE[table][0].name}", "\n".join([*head, *rows]))


def describe_command(path: str, command: Any, explained: dict[tuple[str, str], str]) -> Iterator[str]:
    """Yield Markdown on a command and its sub-commands; options in `explained` are only named, new ones are added.

    Args:
        path: The command as typed.
        command: The Click command.
        explained: Options already explained, with their command; is extended.
    """
    yield f"## {path}\n\n{command.help}"
    below = getattr(command, "commands", {})
    if not below or command.invoke_without_command:
        records = [option.get_help_record(Context(command, info_name=path)) for option in command.params]
        fresh = [record for record in records if record not in explained]
        lines = [f"- `{TEXT_TYPE.sub('', names)}`: {text}".replace("  [", " [") for names, text in fresh]
        for place in dict.fromkeys(explained[record] for record in records if record in explained):
            names = [f"`{record[0].partition(' <')[0]}`" for record in records if explained.get(record) == place]
            lines.append(f"- as `{place}`: {', '.join(names)}")
        explained |= dict.fromkeys(fresh, path)
        yield from ["\n".join(lines)] if lines else []
    for name, subcommand in below.items():
        yield from describe_command(f"{path} {name}", subcommand, explained)


def describe_python_interface() -> Iterator[str]:
    """Yield Markdown parts about what a program imports: graphs, their input and output, context, and errors."""
    records: dict[str, Any] = {}
    described: set[str] = set()
    for own, *baselines in SYSTEMS_BY_TABLE.values():
        others = ", ".join(f"`{baseline.name}`" for baseline in baselines)
        note = f"; `graphs.baselines` has {others} with the same input and output." if others else ""
        yield f"## {own.name}\n\n`from graphs.{own.name} import graph`{note}"
        yield f"Input:\n\n{render_fields(own.graph.builder.input_schema)}"
        lines = render_fields(own.graph.builder.output_schema).splitlines()
        fresh = [line for line in lines if line not in described]
        again = ", ".join(line.split()[1] for line in lines if line in described)
        yield "\n".join(["Output:\n", *fresh, *([f"- as above: {again}"] if again else [])])
        described |= set(fresh)
        records |= TypeAdapter(own.graph.builder.output_schema).json_schema()["$defs"]
    fields = (f"- `{name}`: {', '.join(record['properties'])}" for name, record in sorted(records.items()))
    yield "## Records\n\nFields of the records in an output:\n\n" + "\n".join(fields)
    yield f"## Context\n\n{render_fields(RunContext)}"
    yield "## Errors"
    lines = []
    for name, error in vars(errors).items():
        if isinstance(error, type) and issubclass(error, errors.DraftroomError):
            summary = " ".join((inspect.getdoc(error) or "").split("\n\n")[0].split())
            lines.append(f"- `{name}`{' (retryable)' if error.retryable else ''}: {summary}")
    yield "\n".join(lines)


if __name__ == "__main__":
    for file, text in render_reference_pages().items():
        (DOCS / file).write_text(text, encoding="utf-8")
