"""Writes the reference pages that follow from the code: `python -m draftroom.reference` (a test keeps them current)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from draftroom.exit_codes import table
from state.settings import (
    EmbeddingSettings,
    FeedbackSettings,
    JournalismSettings,
    LiteratureSettings,
    ModelSettings,
    Role,
    Settings,
    SimplificationSettings,
)

DOCS = Path(__file__).parent.parent / "docs"

_SETTINGS_HEAD = """# Settings

Every setting can stand in a preset, in the settings file, in an environment variable and, where the command has one, in
a flag; each of these overrides the one before. Unknown names are errors. As a variable, `[journalism] rounds` is
`DRAFTROOM_JOURNALISM__ROUNDS`, and `[models.reader] model` is `DRAFTROOM_MODELS__READER__MODEL`.

This page is written by `python -m draftroom.reference`.
"""

_EXIT_CODES_HEAD = """# Exit codes

`draftroom exit-codes` prints this table; `python -m draftroom.reference` writes this page.
"""


def pages() -> dict[str, str]:
    """The pages by file name."""
    return {"settings.md": settings_page(), "exit_codes.md": f"{_EXIT_CODES_HEAD}\n{table()}"}


def settings_page() -> str:
    """All settings with their type, default and meaning."""
    roles = ", ".join(f"`{role}`" for role in get_args(Role))
    sections = [
        _SETTINGS_HEAD,
        "## At the top\n",
        _table(Settings, leave_out={"models", "journalism", "simplification", "feedback"}),
        "## [journalism]\n",
        _table(JournalismSettings),
        "## [simplification]\n",
        _table(SimplificationSettings),
        "## [feedback]\n",
        _table(FeedbackSettings, leave_out={"embedding", "literature"}),
        "## [feedback.embedding]\n",
        _table(EmbeddingSettings),
        "## [feedback.literature]\n",
        _table(LiteratureSettings),
        f"## [models.ROLE]\n\nROLE is one of {roles}; what a role leaves out it takes from `default`.\n",
        _table(ModelSettings),
    ]
    return "\n".join(sections)


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
    kind = "table" if len(kinds) != 1 else getattr(kinds[0], "__name__", str(kinds[0]))
    bounds = [f"{sign} {getattr(rule, key)}" for rule in field.metadata for key, sign in _BOUNDS if hasattr(rule, key)]
    return " ".join([kind, *bounds])


def _choices(annotation: Any) -> str:
    return ", ".join(f"`{choice}`" for choice in get_args(annotation) if isinstance(choice, str))


_BOUNDS = (("ge", "≥"), ("gt", ">"), ("le", "≤"), ("lt", "<"))


def main() -> None:
    """Write all pages."""
    for name, text in pages().items():
        (DOCS / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
