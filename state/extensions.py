"""Extensions of the systems: changes of ours to the prompts and answers of a paper's agents.

Each extension has a name and a switch (`extensions` of each system: `none`, `default`, `all`, or names). The preset
`paper` has none of them. `default` holds those that only report, to an agent or a person, `apply_edits`, without which
a text loses more than its edits remove, and `screen`, which spares most calls on a whole paper. See
docs/results/extensions.md for their measured effect.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BeforeValidator
from pydantic_settings import NoDecode


class Extension(NamedTuple):
    """What an extension of a system changes and why, for those who may switch it on."""

    what: str
    """Change that the extension makes."""
    why: str
    """Purpose of the extension, and the models or people that it helps."""
    default: bool = False
    """Whether `default` includes the extension."""


JournalismExtension = Literal["unsupported_details", "doubtful_sentences", "begin_with_paper", "rewrite_copied"]
SimplificationExtension = Literal["lost_details", "doubtful_sentences", "apply_edits", "sentence_by_sentence"]
FeedbackExtension = Literal[
    "instructions",
    "quotes",
    "verify",
    "detect",
    "anchors",
    "distinct_comments",
    "computed_checks",
    "read_numbers",
    "screen",
]


_TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
JOURNALISM_EXTENSIONS = {name: Extension(**fields) for name, fields in _TABLES["journalism"].items()}
SIMPLIFICATION_EXTENSIONS = {name: Extension(**fields) for name, fields in _TABLES["simplification"].items()}
FEEDBACK_EXTENSIONS = {name: Extension(**fields) for name, fields in _TABLES["feedback"].items()}

EXTENSION_SETS = ("none", "default", "all")


def resolve_extensions(known: Mapping[Any, Extension], value: Any) -> Any:
    """Return the list of extension names that a setting such as `all` or "quotes,verify" selects, in order of `known`.

    The value is `none`, `default`, `all`, names with commas between them, or a list of names.

    Raises:
        ValueError: A name is not of an extension; the message lists those that are.
    """
    names = re.findall(r"\w+", value) if isinstance(value, str) else list(value or ())
    if names == ["all"]:
        return [*known]
    if len(names) == 1 and names[0] in EXTENSION_SETS:
        return [name for name, extension in known.items() if names[0] == "default" and extension.default]
    if unknown := [str(name) for name in names if name not in known]:
        raise ValueError(
            f"there is no extension {', '.join(unknown)}; give none, default, all, or names of {', '.join(known)}"
        )
    # In the order of the table, so that settings that mean the same are equal.
    return [name for name in known if name in names]


JournalismExtensions = Annotated[
    list[JournalismExtension], NoDecode, BeforeValidator(partial(resolve_extensions, JOURNALISM_EXTENSIONS))
]
SimplificationExtensions = Annotated[
    list[SimplificationExtension], NoDecode, BeforeValidator(partial(resolve_extensions, SIMPLIFICATION_EXTENSIONS))
]
FeedbackExtensions = Annotated[
    list[FeedbackExtension], NoDecode, BeforeValidator(partial(resolve_extensions, FEEDBACK_EXTENSIONS))
]
