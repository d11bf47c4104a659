"""Whether a draft is about its source at all."""

from __future__ import annotations

from state.documents import DocumentRef
from tools.documents import stored_text
from tools.fidelity.coverage import coverage

_LEAST = 0.1
"""None of 691 plain summaries by people (eLife, PLOS, Cochrane) covers less of its abstract."""
_LONGEST_ABSTRACT = 800
"""In words; the longest of those has 766. Of a whole paper any draft covers little, which tells nothing."""


def off_subject(draft: str, source: DocumentRef) -> list[str]:
    """A warning if a draft is about something else than its source, which no grade tells; empty if it may be about it.

    It reads the stored text.
    """
    share = coverage(draft, stored_text(source))
    if source["words"] > _LONGEST_ABSTRACT or share >= _LEAST:
        return []
    return [f"the text is hardly about its source: it uses {share:.0%} of its longer words, which any text may have"]
