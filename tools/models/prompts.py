"""Prompts: Markdown files with YAML front matter (role, purpose, variables) and a Jinja2 body.

`{% include %}` names a fragment: a file in the same folder whose name begins with an underscore. A variable that the
front matter does not declare, or that is not given, is an error, never an empty string in a prompt.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path

import yaml
from jinja2 import DictLoader, StrictUndefined, Template
from jinja2.meta import find_referenced_templates, find_undeclared_variables
from jinja2.sandbox import ImmutableSandboxedEnvironment
from pydantic import BaseModel, ConfigDict, ValidationError

from state.errors import SettingsError
from state.model_settings import Limits
from state.settings import describe_validation_error


class FrontMatter(BaseModel):
    """Front matter of a prompt file."""

    model_config = ConfigDict(extra="forbid")

    role: str
    purpose: str
    variables: list[str]


@dataclass(frozen=True)
class Prompt:
    """A prompt file that was loaded: its name, its front matter, and its template, which renders to one text."""

    name: str
    front_matter: FrontMatter
    template: Template
    sha256: str
    """Hash of the file and of all fragments of its folder, any of which it may include."""

    def render(self, variables: Mapping[str, object]) -> str:
        """Return the text of the prompt, filled in.

        Raises:
            ValueError: A declared variable is missing, or an undeclared one is given.
        """
        declared = set(self.front_matter.variables)
        if declared != set(variables):
            raise ValueError(f"prompt {self.name} declares {sorted(declared)}, but was given {sorted(variables)}")
        try:
            return self.template.render(variables).strip()
        except Exception as error:  # the user's own template can raise anything
            raise SettingsError(f"The prompt {self.name} cannot be filled in ({error}); correct its file.") from error


def check_prompts(own: str) -> None:
    """Raise SettingsError if a folder of the user's prompts is empty, or has a file that can replace none of ours."""
    paths = sorted(Path(__file__).parents[2].glob("nodes/*/prompts/*.md"))
    names = [f"{path.parents[1].name}/{path.name}" for path in paths]
    # Neither the hidden files of editors nor whatever lies below, which may be a whole disk.
    files = [file.relative_to(own).as_posix() for depth in ("", "*/") for file in Path(own).glob(f"{depth}[!.]*.md")]
    unknown = [file for file in files if file not in names]
    if unknown or not files:
        found = min(unknown) if unknown else "no Markdown file"
        near = ", ".join(get_close_matches(found, names, n=5, cutoff=0))
        raise SettingsError(f"The folder of prompts {own} has {found}; it can have files like {near}.")
    for path in paths:
        if not path.name.startswith("_"):
            load_prompt(path, own)


def load_prompt(path: Path, own: str | None = None) -> Prompt:
    """Load a prompt file and the fragments beside it, so that rendering reads no file; the same texts are parsed once.

    The files `SYSTEM/NAME.md` in the user's folder `own` replace those in `SYSTEM/prompts`.

    Raises:
        SettingsError: The user's files cannot replace the built-in ones.
    """
    names = [path.name, *sorted(file.name for file in path.parent.glob("_*.md"))]
    texts = _read_texts(path.parent, names)
    prompt = _parse_prompt(tuple(texts.items()))
    if not own:
        return prompt
    folder, variables = Path(own) / path.parents[1].name, prompt.front_matter.variables
    try:
        mine = _parse_prompt(tuple({**texts, **_read_texts(folder, names)}.items()))
        if set(mine.front_matter.variables) != set(variables):
            raise ValueError(f"its front matter must declare the variables {', '.join(variables)}")  # noqa: TRY301
        # Show mistakes such as an unknown limit before a model is asked.
        mine.template.render({**dict.fromkeys(variables, "text"), "limits": Limits()})
    except Exception as error:  # the user's template can raise anything
        problem = describe_validation_error(error) if isinstance(error, ValidationError) else str(error)
        raise SettingsError(
            f"The prompt {path.name} cannot be made of the files in {folder}: {' '.join(problem.split())}."
        ) from error
    return mine


def _read_texts(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """Return the texts of the named files that a folder has, by name."""
    return {name: (folder / name).read_text(encoding="utf-8") for name in names if (folder / name).is_file()}


@cache
def _parse_prompt(texts: tuple[tuple[str, str], ...]) -> Prompt:
    """Parse a prompt from names and texts: its own file, then the fragments; raise ValueError if it is invalid."""
    file, text = texts[0]
    before, *parts = text.split("---\n", 2)
    if before or len(parts) != 2:
        raise ValueError("a prompt file must begin with front matter between two lines of ---")
    front_matter = FrontMatter.model_validate(yaml.safe_load(parts[0]))
    bodies = {**dict(texts), file: parts[1]}
    environment = ImmutableSandboxedEnvironment(
        loader=DictLoader(bodies),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,  # else the text after a fragment would continue its last line
        autoescape=False,
    )
    # A rendering would miss what stands in branches that it leaves out.
    used, included = set[str](), [file]
    for name in included:
        if name not in bodies:
            raise ValueError(f"there is no fragment {name}")
        tree = environment.parse(bodies[name], name)
        used |= find_undeclared_variables(tree)
        included += {str(each) for each in find_referenced_templates(tree)}.difference(included)
    if undeclared := used.difference(front_matter.variables):
        raise ValueError(f"its front matter does not declare {', '.join(sorted(undeclared))}")
    sha256 = hashlib.sha256("".join(text for _, text in texts).encode()).hexdigest()
    return Prompt(Path(file).stem, front_matter, environment.get_template(file), sha256)


_SENTENCE_BREAK = re.compile(r"(?<=[.!?:])[\"'”’)*_`]*\s+|\n+")
_WORD = re.compile(r"[\w'’]+")
MIN_REPEATED_WORDS = 5  # A shorter sentence may be in prompt and answer by chance, or be a label.


def find_repeated_sentence(answer: str, prompt: str, variables: Mapping[str, object]) -> str:
    """Return the first sentence of an answer that repeats the prompt's instructions; an empty text without any.

    A colon ends a sentence, too, so that a label or a number of a list does not hide a repetition. Sentences in the
    values of the prompt's variables may be repeated.
    """
    instructions = {_normalize_sentence(part) for part in _SENTENCE_BREAK.split(prompt)}
    # More spaces than words, because a sentence has one on either side.
    instructions = {words for words in instructions if words.count(" ") > MIN_REPEATED_WORDS}
    shared = [part for part in _SENTENCE_BREAK.split(answer) if _normalize_sentence(part) in instructions]
    given = [_normalize_sentence(str(value)) for value in variables.values()] if shared else []
    repeated = (part for part in shared if not any(_normalize_sentence(part) in each for each in given))
    return next(repeated, "").strip(' \t"“”')


def _normalize_sentence(text: str) -> str:
    """Return the words of a text in lower case, each between spaces."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "
