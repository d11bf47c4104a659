"""Prompts are Markdown files: YAML front matter (role, purpose, variables) and a Jinja2 body.

`{% include %}` names a fragment: a file in the same folder whose name begins with an underscore. A variable that the
front matter does not declare, or that is not given, is an error, never an empty string in a prompt.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml
from jinja2 import DictLoader, Environment, StrictUndefined, Template
from pydantic import BaseModel, ConfigDict


class FrontMatter(BaseModel):
    """What a prompt file says of itself."""

    model_config = ConfigDict(extra="forbid")

    role: str
    purpose: str
    variables: list[str]


@dataclass(frozen=True)
class Prompt:
    """A prompt that is ready to be rendered."""

    name: str
    front_matter: FrontMatter
    template: Template
    sha256: str
    """Of the file and the fragments of its folder, any of which it may include."""

    def render(self, variables: Mapping[str, object]) -> str:
        """Fill the prompt in.

        Raises:
            ValueError: If a declared variable is missing or an undeclared one is given.
        """
        declared = set(self.front_matter.variables)
        if declared != set(variables):
            raise ValueError(f"prompt {self.name} declares {sorted(declared)}, but was given {sorted(variables)}")
        return self.template.render(variables).strip()


@cache
def load_prompt(path: Path) -> Prompt:
    """Read the prompt file at `path` and the fragments beside it, so that rendering reads no file.

    Raises:
        ValueError: If its front matter is missing or wrong.
    """
    text = path.read_text(encoding="utf-8")
    fragments = {file.name: file.read_text(encoding="utf-8") for file in sorted(path.parent.glob("_*.md"))}
    front_matter, body = split_front_matter(text)
    environment = Environment(
        loader=DictLoader(fragments),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,  # of a fragment: else what follows it is on its last line
        autoescape=False,  # noqa: S701 - prompts are plain text, not HTML
    )
    return Prompt(
        name=path.stem,
        front_matter=FrontMatter.model_validate(yaml.safe_load(front_matter)),
        template=environment.from_string(body),
        sha256=hashlib.sha256("".join([text, *fragments.values()]).encode()).hexdigest(),
    )


def split_front_matter(text: str) -> tuple[str, str]:
    """Split a file into its YAML front matter and its body.

    Raises:
        ValueError: If there is no front matter.
    """
    before, *parts = text.split("---\n", 2)
    if before or len(parts) != 2:
        raise ValueError("a prompt file must begin with front matter between two lines of ---")
    return parts[0], parts[1]


def numbered(points: Iterable[str]) -> str:
    """A numbered list for a prompt, one point a line."""
    return "\n".join(f"{number}. {point}" for number, point in enumerate(points, start=1))
