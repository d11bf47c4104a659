"""The two consoles: results go to standard output, everything else to standard error."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from tools.text.characters import plain

OUT = Console(highlight=False)
ERR = Console(stderr=True, highlight=False)


def tell(text: str, style: str = "") -> None:
    """Print a line to standard error, exactly as it is: it is never read as markup."""
    ERR.print(Text(plain(text), style=style), soft_wrap=True)


def spoken(name: str) -> str:
    """A name of the code as a person reads it: `language_clarifier` is the language clarifier."""
    return name.replace("_", " ")
