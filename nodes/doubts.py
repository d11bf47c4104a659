"""What a person is warned of: sentences of the source that are meant for a model, and what is wrong with a result."""

from __future__ import annotations

from collections.abc import Collection

from state.documents import DocumentRef
from state.errors import RetrievalUnavailable
from tools.checks.fidelity import off_subject
from tools.documents.reading import load_document
from tools.injection import find_instructions, obeys, warnings_of

NOT_CHECKED = "which sentences the source does not say was not checked: that needs the packages of the extra `review`"


def with_instructions_told(source: DocumentRef) -> DocumentRef:
    """The source with a warning for each of its sentences that may be meant for a model."""
    return {**source, "warnings": [*source["warnings"], *warnings_of(find_instructions(load_document(source)))]}


def doubts(text: str, source: DocumentRef, extensions: Collection[str]) -> list[str]:
    """Warnings about a text that was made from a source; empty if there is nothing to say.

    It reads the stored source. With the extension `doubtful_sentences` it embeds both, which takes a second for an
    abstract and up to a quarter of a minute for a long paper.
    """
    found = off_subject(text, source)
    if obeys(text, find_instructions(load_document(source))):
        found = [*found, "it repeats an instruction found in the paper"]
    if "doubtful_sentences" not in extensions:
        return found
    try:
        from tools.checks.support import unsupported_sentences  # noqa: PLC0415 - its packages are those of an extra

        return [*found, *unsupported_sentences(text, source)]
    except (ImportError, RetrievalUnavailable):
        return [*found, NOT_CHECKED]
