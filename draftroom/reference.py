"""Writes the reference pages that follow from the code: `python -m draftroom.reference` (a test keeps them current)."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from draftroom.cli import COMMANDS, load_command
from draftroom.exit_codes import EXIT_CODES, table
from draftroom.systems import OF_TABLE, System
from runs.checkpoints import open_checkpointer
from state import errors
from state.extensions import Extension
from state.model_settings import Limits, ModelSettings
from state.settings import ROLES, TABLES, RunContext, Settings

DOCS = Path(__file__).parent.parent / "docs"

_SETTINGS_HEAD = """# Settings

A setting may stand in several places. Each overrides those before it:

1. the default,
2. a preset,
3. the settings file, `draftroom.toml`,
4. an environment variable: `[journalism] rounds` is `DRAFTROOM_JOURNALISM__ROUNDS`, and `[models.reader] model` is
   `DRAFTROOM_MODELS__READER__MODEL`,
5. a flag, where the command has one.

Unknown names are errors.

## Presets

A preset that the file or the environment names is what they start from: they override it. One that is chosen for a run
(`--preset`, or `preset` in a Python call) overrides both: what it names is its own, and all else stays yours (`fast`,
`debug`, `laptop`, `embedded`). Flags beside `--preset` win. In detail:

- A role that the preset samples (`temperature`, `top_p`, the penalties) is sampled by it alone. The other fields of
  `[models.ROLE]` stay yours where you name them, but for its `max_tokens`.
- A preset's models go together: if you name one for all roles (`[models.default]`) and so does the preset, its others
  give way, too.
- A preset that says `whole = true` above its tables, as `paper` does, stands for your tables
  {tables} and `[limits]` as a whole, with defaults for what it leaves out. Of yours in
  them remains what says where things are, what is read and asked and where a person is waited for: `embedding`,
  `reranker`, `sequence_to_sequence`, `max_pages`, `min_words`, `pause`, and of `literature` all but `results`; and
  `[limits]`, if a model has `schema_limits`.

This page is written by `python -m draftroom.reference`.
"""

_EXTENSIONS_HEAD = """# Extensions

An extension is what of ours changes what an agent reads, what it is asked, or what becomes of its answer. Without any
(`--extensions none`) each graph is the paper's system. `--extensions` and the setting `extensions` of each system take
`none`, `default`, `all`, or names with commas between them; every run record and report says which were on. What was
measured of them stands in [results/extensions.md](results/extensions.md).

This page is written by `python -m draftroom.reference`.
"""

_EXIT_CODES_HEAD = """# Exit codes

`draftroom exit-codes` prints this table; `python -m draftroom.reference` writes this page.
"""

_COMMANDS_HEAD = """# Commands

Each command prints this about itself with `--help`. Flags that are called like [settings](settings.md) override them
for one run. [Exit codes](exit_codes.md) tell a script what happened.

This page is written by `python -m draftroom.reference`.
"""

_PYTHON_HEAD = """# Python

Each system is a LangGraph graph. It takes a dictionary (the input) and choices for this run (the `context`), and
returns a dictionary (the output). `ainvoke`, `astream`, `get_state` and all else is LangGraph's.
[Resume and fork](how_to/resume_and_fork.md) has examples with checkpoints.

```python
import asyncio

from graphs.science_journalism import graph

result = asyncio.run(graph.ainvoke({"paper": "examples/mosses.md"}, context={"rounds": 2}))
print(result["article"])
for assessment in result["assessments"]:
    print(assessment["round"], assessment["mean_grade"], assessment["unsupported"])
```

This page is written by `python -m draftroom.reference`.
"""

_CONTEXT_HEAD = """## Context

What is left out comes from the settings file and the environment. A context takes every setting of its system's table
([settings](settings.md)) by name, and these:
"""

_CHECKPOINTS_HEAD = """## Checkpoints

`from runs.checkpoints import open_checkpointer`, then `async with open_checkpointer("sqlite") as saver:`.
"""

_ERRORS_HEAD = """## Errors

All are subclasses of `state.errors.DraftroomError`. `str(error)` is one sentence that says what to change,
`error.kind` names the case ([exit codes](exit_codes.md)), and `error.retryable` tells whether the same call may work
later.
"""


def pages() -> dict[str, str]:
    """The pages by file name."""
    return {
        "settings.md": settings_page(),
        "extensions.md": extensions_page(),
        "exit_codes.md": f"{_EXIT_CODES_HEAD}\n{table()}",
        "commands.md": commands_page(),
        "python.md": python_page(),
    }


def extensions_page() -> str:
    """All extensions of all systems."""
    known = {OF_TABLE[table][0].name: settings.known_extensions for table, settings in TABLES.items()}
    return "\n".join(
        [_EXTENSIONS_HEAD, *(_extensions_table(name, extensions) for name, extensions in known.items() if extensions)]
    )


def _extensions_table(system: str, extensions: Mapping[Any, Extension]) -> str:
    rows = [
        f"| `{name}` | {'yes' if extension.default else ''} | {extension.what} | {extension.why} |"
        for name, extension in extensions.items()
    ]
    head = ["| extension | in `default` | what it does | what for |", "|---|---|---|---|"]
    return "\n".join([f"## {system}\n", *head, *rows]) + "\n"


def settings_page() -> str:
    """All settings with their type, default and meaning."""
    roles = ", ".join(f"`{role}`" for role in ROLES)
    sections = [
        _SETTINGS_HEAD.replace("{tables}", ", ".join(f"`[{table}]`" for table in TABLES)),
        "## At the top\n",
        _table(Settings, leave_out={"models", "limits", *TABLES}),
        "## [limits]\n\nNumbers of items and of words. A text is cut only if it is three times as long.\n",
        _table(Limits),
        *(part for table, system in TABLES.items() for part in _system(table, system)),
        f"## [models.ROLE]\n\nROLE is one of {roles}; what a role leaves out it takes from `default`.\n",
        _table(ModelSettings),
    ]
    return "\n".join(sections)


def _system(name: str, model: type[BaseModel]) -> list[str]:
    """A table of the settings, and those within it."""
    within = {
        field: kind.annotation
        for field, kind in model.model_fields.items()
        if isinstance(kind.annotation, type) and issubclass(kind.annotation, BaseModel)
    }
    parts = (part for field, nested in within.items() for part in _system(f"{name}.{field}", nested))
    return [f"## [{name}]\n", _table(model, leave_out={*within}), *parts]


def _table(model: type[BaseModel], leave_out: frozenset[str] | set[str] = frozenset()) -> str:
    rows = [_row(name, field) for name, field in model.model_fields.items() if name not in leave_out]
    return "\n".join(["| setting | values | default | meaning |", "|---|---|---|---|", *rows]) + "\n"


def _row(name: str, field: FieldInfo) -> str:
    default = field.get_default(call_default_factory=True, validated_data={})
    shown = "" if default in (None, PydanticUndefined) else f"`{default}`"
    return f"| `{name}` | {_values(field)} | {shown} | {field.description or ''} |"


def _values(field: FieldInfo) -> str:
    if get_origin(field.annotation) is list:
        return f"list of {_choices(get_args(field.annotation)[0])}"
    if choices := _choices(field.annotation):
        return choices
    kinds = [kind for kind in (get_args(field.annotation) or (field.annotation,)) if kind is not type(None)]
    if any(get_origin(kind) is list for kind in kinds):
        return f"{kinds[0].__name__} or list"
    kind = "table" if len(kinds) != 1 else getattr(kinds[0], "__name__", str(kinds[0]))
    bounds = [f"{sign} {getattr(rule, key)}" for rule in field.metadata for key, sign in _BOUNDS if hasattr(rule, key)]
    return " ".join([kind, *bounds])


def _choices(annotation: Any) -> str:
    return ", ".join(f"`{choice}`" for choice in get_args(annotation) if isinstance(choice, str))


_BOUNDS = (("ge", "≥"), ("gt", ">"), ("le", "≤"), ("lt", "<"))


def commands_page() -> str:
    """Every command with its arguments and options."""
    return "\n".join([_COMMANDS_HEAD, *(part for name in COMMANDS for part in _command(name, load_command(name)))])


def _command(name: str, command: Any) -> Iterator[str]:
    """A command, then the commands below it."""
    yield f"## draftroom {name}\n\n{command.help}\n"
    below = getattr(command, "commands", {})
    if not below or command.invoke_without_command:
        arguments = [each for each in command.params if each.param_type_name == "argument"]
        shown = [f"{_argument(each)}{'...' if each.nargs != 1 else ''}" for each in arguments]
        yield f"```text\n{' '.join(['draftroom', name, *shown])} [OPTIONS]\n```\n"
        if command.params:
            rows = [_parameter(each) for each in command.params]
            yield "\n".join(["| argument or option | values | default | meaning |", "|---|---|---|---|", *rows]) + "\n"
    for each in below.values():
        yield from _command(f"{name} {each.name}", each)


def _argument(parameter: Any) -> str:
    return str(parameter.metavar or parameter.name.upper())


def _parameter(parameter: Any) -> str:
    is_argument = parameter.param_type_name == "argument"
    names = [_argument(parameter)] if is_argument else [*parameter.opts, *parameter.secondary_opts]
    annotation = parameter.type_descriptor.annotation
    inner = get_args(annotation)[0] if get_origin(annotation) is list else annotation
    kind = "" if inner is bool else inner.__name__.lower() if isinstance(inner, type) else ""
    bounds = [f"{sign} {bound}" for sign, bound in (("≥", parameter.min), ("≤", parameter.max)) if bound is not None]
    named = "" if is_argument else parameter.metavar
    values = _choices(annotation) or named or " ".join(filter(None, [kind, *bounds]))
    default = parameter.default
    if isinstance(default, Path) and default.is_relative_to(DOCS.parent):
        default = default.relative_to(DOCS.parent)
    shown = "required" if parameter.required else f"`{default}`" if default else ""
    return f"| {', '.join(f'`{name}`' for name in names)} | {values} | {shown} | {parameter.help or ''} |"


def python_page() -> str:
    """What a program imports: the graphs with their input and output, contexts, checkpoints, errors."""
    graphs = [part for systems in OF_TABLE.values() for part in _graphs(systems)]
    said = [
        f"| `{name}` | {', '.join(f'`{kind}`' for kind in EXIT_CODES if kind == error.default_kind)} | "
        f"{'yes' if error.retryable else ''} | {_first_paragraph(error)} |"
        for name, error in vars(errors).items()
        if isinstance(error, type) and issubclass(error, errors.DraftroomError)
    ]
    head = ["| error | kind unless told | retryable | what happened |", "|---|---|---|---|"]
    context = [_CONTEXT_HEAD, _table(RunContext, leave_out={"resolved"})]
    checkpoints = [_CHECKPOINTS_HEAD, _first_paragraph(open_checkpointer) + "\n"]
    return "\n".join([_PYTHON_HEAD, *graphs, *context, *checkpoints, _ERRORS_HEAD, *head, *said]) + "\n"


def _graphs(systems: Sequence[System]) -> Iterator[str]:
    """A system's graph, its input and its output, and the baselines that have the same."""
    own, *baselines = systems
    builder = own.graph.builder
    yield f"## {own.name}\n\n`from graphs.{own.name} import graph`\n"
    for title, schema in (("Input", builder.input_schema), ("Output", builder.output_schema)):
        rows = [f"| `{name}` | `{kind}` | {meaning} |" for name, kind, meaning in _keys(schema)]
        yield "\n".join([f"{title}:\n", "| key | type | meaning |", "|---|---|---|", *rows]) + "\n"
    if baselines:
        names = " and ".join(f"`{each.name}`" for each in baselines)
        yield f"`graphs.baselines` has {names}, with the same input and output.\n"


def _keys(schema: type) -> Iterator[tuple[str, str, str]]:
    """Name, type and docstring of each key of a TypedDict."""
    definition = next(each for each in ast.walk(ast.parse(inspect.getsource(schema))) if isinstance(each, ast.ClassDef))
    for key, said in pairwise(definition.body):
        if isinstance(key, ast.AnnAssign) and isinstance(said, ast.Expr):
            yield ast.unparse(key.target), ast.unparse(key.annotation), " ".join(ast.literal_eval(said.value).split())


def _first_paragraph(described: Any) -> str:
    return " ".join((inspect.getdoc(described) or "").split("\n\n")[0].split())


def main() -> None:
    """Write all pages."""
    for name, text in pages().items():
        (DOCS / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
