"""What is wrong with a finished text as a whole, and which of its sentences its source does not seem to say."""

from __future__ import annotations

from collections.abc import Collection

from state.documents import DocumentRef
from tools.checks.fidelity import off_subject


def doubts(text: str, source: DocumentRef, aids: Collection[str]) -> list[str]:
    """Warnings about a text that was made from a source; empty if there is nothing to say.

    It reads the stored source. With the aid `doubtful_sentences` it embeds both, which takes a second for an abstract
    and up to a quarter of a minute for a long paper.
    """
    found = off_subject(text, source)
    return [*found, *_unsupported(text, source)] if "doubtful_sentences" in aids else found


def _unsupported(text: str, source: DocumentRef) -> list[str]:
    """None where the encoder is not installed: nothing is known then."""
    try:
        from tools.checks.support import unsupported_sentences  # noqa: PLC0415 - its packages are those of an extra
    except ImportError:
        return []
    return unsupported_sentences(text, source)
