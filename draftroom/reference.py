"""Write the reference pages that follow from the code: `python -m draftroom.reference`.

What stands above the marker of a page is written by hand, and kept; typer, pydantic and the registries tell what
follows. A test keeps the pages current.
"""

from __future__ import annotations

import inspect
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
LONGEST_CHOICE = 6


def render_reference_pages() -> dict[str, str]:
    """Return the pages by file name."""
    written = {
        "settings.md": list_settings(),
        "extensions.md": list_extensions(),
        "exit_codes.md": [render_exit_codes().rstrip()],
        "commands.md": list_commands(),
        "python.md": list_python_interface(),
    }
    heads = {name: (DOCS / name).read_text(encoding="utf-8").partition(MARKER)[0] for name in written}
    return {name: "\n\n".join([heads[name] + MARKER.rstrip(), *parts]) + "\n" for name, parts in written.items()}


def list_settings() -> Iterator[str]:
    """List all settings with their values, default and meaning, table by table."""
    yield from ("## At the top", render_fields(Settings, {"models", "limits", *SYSTEM_TABLES}))
    yield "## [limits]\n\nNumbers of items and of words. A text is cut only if it is three times as long."
    yield render_fields(Limits)
    for name, model in SYSTEM_TABLES.items():
        yield from list_settings_table(name, model)
    roles = ", ".join(f"`{role}`" for role in ROLES)
    yield f"## [models.ROLE]\n\nROLE is one of {roles}; what a role leaves out it takes from `default`."
    yield render_fields(ModelSettings)


def list_settings_table(name: str, model: type[BaseModel]) -> Iterator[str]:
    """List a table of the settings, and then those within it."""
    annotations = {field: each.annotation for field, each in model.model_fields.items()}
    nested = {key: kind for key, kind in annotations.items() if isinstance(kind, type) and issubclass(kind, BaseModel)}
    yield from (f"## [{name}]", render_fields(model, nested))
    for field, within in nested.items():
        yield from list_settings_table(f"{name}.{field}", within)


def render_fields(described: Any, leave_out: Iterable[str] = ()) -> str:
    """List the fields of a model or a TypedDict, as its JSON schema describes them."""
    fields: Mapping[str, Any] = TypeAdapter(described).json_schema()["properties"]
    return "\n".join(describe_field(name, field) for name, field in fields.items() if name not in set(leave_out))


def describe_field(name: str, field: Mapping[str, Any]) -> str:
    """Describe a field in one line."""
    default = field.get("default")
    values = describe_values(field) + (f", default `{default}`" if default is not None else "")
    return f"- `{name}` ({values}): {field['description']}" if "description" in field else f"- `{name}` ({values})"


def describe_values(schema: Mapping[str, Any]) -> str:
    """Name what a JSON schema allows."""
    if "$ref" in schema:
        return f"`{schema['$ref'].rpartition('/')[2]}`"
    if "anyOf" in schema:
        return " or ".join(describe_values(each) for each in schema["anyOf"] if each.get("type") != "null")
    if "enum" in schema:
        return ", ".join(f"`{choice}`" for choice in schema["enum"])
    if schema.get("type") == "array":
        several = len(schema["items"].get("enum", ())) > LONGEST_CHOICE
        return "list of names" if several else f"list of {describe_values(schema['items'])}"
    bounds = (f"{sign} {schema[key]}" for key, sign in BOUNDS.items() if key in schema)
    return " ".join([schema.get("type", "any"), *bounds])


def list_extensions() -> Iterator[str]:
    """List the extensions of each system."""
    for name, settings in SYSTEM_TABLES.items():
        if not settings.known_extensions:
            continue
        rows = [
            f"| `{extension}` | {'yes' if told.default else ''} | {told.what} | {told.why} |"
            for extension, told in settings.known_extensions.items()
        ]
        head = ["| extension | in `default` | what it does | what for |", "|---|---|---|---|"]
        yield from (f"## {SYSTEMS_BY_TABLE[name][0].name}", "\n".join([*head, *rows]))


def list_commands() -> Iterator[str]:
    """List every command with its arguments and options; what an option means is told where it first stands."""
    told: dict[tuple[str, str], str] = {}
    for name in COMMANDS:
        yield from describe_command(f"draftroom {name}", load_command(name), told)


def describe_command(path: str, command: Any, told: dict[tuple[str, str], str]) -> Iterator[str]:
    """Describe a command, and then those below it.

    Args:
        path: What is typed.
        command: As Typer runs it.
        told: Options that are described already, and where; grows.
    """
    yield f"## {path}\n\n{command.help}"
    below = getattr(command, "commands", {})
    records = [each.get_help_record(Context(command, info_name=path)) for each in command.params]
    fresh = [record for record in records if record not in told]
    again = [record for record in records if record in told]
    if not below or command.invoke_without_command:
        lines = [
            f"- `{names}`: {meaning}".replace(f"{DOCS.parent}/", "").replace("  [", " [") for names, meaning in fresh
        ]
        for place in dict.fromkeys(told[record] for record in again):
            names = [f"`{record[0].partition(' <')[0]}`" for record in again if told[record] == place]
            lines.append(f"- as `{place}`: {', '.join(names)}")
        told |= dict.fromkeys(fresh, path)
        yield from ["\n".join(lines)] if lines else []
    for name, each in below.items():
        yield from describe_command(f"{path} {name}", each, told)


def list_python_interface() -> Iterator[str]:
    """List what a program imports: the graphs with their input and output, contexts, errors."""
    for own, *baselines in SYSTEMS_BY_TABLE.values():
        builder = own.graph.builder
        others = ", ".join(f"`{each.name}`" for each in baselines)
        yield f"## {own.name}\n\n`from graphs.{own.name} import graph`" + (
            f"; `graphs.baselines` has {others} with the same input and output." if others else ""
        )
        yield f"Input:\n\n{render_fields(builder.input_schema)}"
        yield f"Output:\n\n{render_fields(builder.output_schema)}"
    yield f"## Context\n\n{render_fields(RunContext, {'resolved'})}"
    yield "## Errors"
    yield "\n".join(
        f"- `{name}`{' (retryable)' if error.retryable else ''}: {extract_summary(error)}"
        for name, error in vars(errors).items()
        if isinstance(error, type) and issubclass(error, errors.DraftroomError)
    )


def extract_summary(described: Any) -> str:
    """Return the first paragraph of a docstring on one line."""
    return " ".join((inspect.getdoc(described) or "").split("\n\n")[0].split())


if __name__ == "__main__":
    for file, text in render_reference_pages().items():
        (DOCS / file).write_text(text, encoding="utf-8")
