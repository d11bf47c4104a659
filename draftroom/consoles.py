"""The two consoles: results go to standard output, everything else to standard error."""

from __future__ import annotations

import re

from rich.console import Console
from rich.text import Text

OUT = Console(highlight=False)
ERR = Console(stderr=True, highlight=False)

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def plain(text: str) -> str:
    """`text` without the control characters that could drive a terminal; models and file names may hold any."""
    return _CONTROL.sub("", text)


def tell(text: str, style: str = "") -> None:
    """Print a line to standard error, exactly as it is: it is never read as markup."""
    ERR.print(Text(plain(text), style=style), soft_wrap=True)


def spoken(name: str) -> str:
    """A name of the code as a person reads it: `language_clarifier` is the language clarifier."""
    return name.replace("_", " ")
