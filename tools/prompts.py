"""Prompts are Markdown files: YAML front matter (role, purpose, variables) and a Jinja2 body.

`{% include %}` names a file in the same folder. A variable that the front matter does not declare, or that is not
given, is an error, never an empty string in a prompt.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
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
    """Of the file and of the files it includes."""

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
    """Read the prompt file at `path`."""
    environment = Environment(
        loader=FileSystemLoader(path.parent),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701 - prompts are plain text, not HTML
    )
    front_matter, body = split_front_matter(path.read_text(encoding="utf-8"))
    return Prompt(
        name=path.stem,
        front_matter=FrontMatter(**yaml.safe_load(front_matter)),
        template=environment.from_string(body),
        sha256=_digest(path),
    )


def split_front_matter(text: str) -> tuple[str, str]:
    """Split a file into its YAML front matter and its body.

    Raises:
        ValueError: If there is no front matter.
    """
    fence, front_matter, body = text.split("---\n", 2)
    if fence:
        raise ValueError("a prompt file must begin with front matter between two lines of ---")
    return front_matter, body


def _digest(path: Path) -> str:
    """Hash a prompt together with every fragment of its folder, any of which it may include."""
    digest = hashlib.sha256(path.read_bytes())
    for fragment in sorted(path.parent.glob("_*.md")):
        digest.update(fragment.read_bytes())
    return digest.hexdigest()
