"""What is wrong with a finished text as a whole, and which of its sentences its source does not seem to say."""

from __future__ import annotations

from collections.abc import Collection

from state.documents import DocumentRef
from state.errors import RetrievalUnavailable
from tools.checks.fidelity import off_subject

NOT_CHECKED = "which sentences the source does not say was not checked: that needs the packages of the extra `review`"


def doubts(text: str, source: DocumentRef, aids: Collection[str]) -> list[str]:
    """Warnings about a text that was made from a source; empty if there is nothing to say.

    It reads the stored source. With the aid `doubtful_sentences` it embeds both, which takes a second for an abstract
    and up to a quarter of a minute for a long paper.
    """
    found = off_subject(text, source)
    if "doubtful_sentences" not in aids:
        return found
    try:
        from tools.checks.support import unsupported_sentences  # noqa: PLC0415 - its packages are those of an extra

        return [*found, *unsupported_sentences(text, source)]
    except (ImportError, RetrievalUnavailable):
        return [*found, NOT_CHECKED]
