"""What of a paper addresses a language model, or is hidden from its reader, as findings with places."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from state.documents import Document, HiddenReason, Paragraph
from state.records import Finding, FindingKind
from tools.hidden_instructions.characters import INVISIBLE, SUSPICIOUS, TAG_RUN
from tools.hidden_instructions.detection import addressed_sentences

_LONGEST_QUOTE = 400  # characters shown of hidden text that says nothing to a model
_WHY_VISIBLE: Final[dict[FindingKind, str]] = {
    "instruction": "This sentence is addressed to a language model or an automated reviewer; agents are shown it as a "
    "quotation.",
    "chat template": "This sentence holds tokens that divide the turns of a conversation with a language model; agents "
    "are shown it as a quotation without them.",
}
_WHY_HIDDEN: Final[dict[FindingKind, str]] = {
    "instruction": "Text that a reader cannot see ({reason}) is addressed to a language model or an automated "
    "reviewer; no agent is shown it.",
    "chat template": "Text that a reader cannot see ({reason}) holds tokens that divide the turns of a conversation "
    "with a language model; no agent is shown it.",
    "hidden text": "The file holds text here that a reader cannot see ({reason}); no agent is shown it, and it may be "
    "harmless.",
}
_REASONS: Final[dict[HiddenReason, str]] = {
    "colour": "in the colour of its background",
    "size": "too small to read",
    "off page": "outside the page",
    "not drawn": "without ink, as under a scanned page",
    "markup": "hidden by the page's markup",
}


class _Part(NamedTuple):
    """A visible part of a document."""

    place: str
    page: int
    text: str
    paragraph: Paragraph | None = None

    def page_at(self, offset: int) -> int:
        words = self.paragraph["words"] if self.paragraph else []
        return next((word["page"] for word in words if word["end"] > offset), self.page)


def find_instructions(document: Document) -> list[Finding]:
    """Finds what addresses a language model or an automated reviewer, and all hidden text, in reading order.

    Text about such instructions is found too where it quotes one: shown as a quotation it does no harm.
    """
    found: list[Finding] = []
    for part in _visible_parts(document):
        found += _instructions(part)
        found += _control_characters(part)
    return [*found, *_hidden(document)]


def _visible_parts(document: Document) -> Iterator[_Part]:
    """All but the abstract, which is the first paragraphs once more."""
    first_page = min(1, document["pages"])
    yield _Part("title", first_page, document["title"])
    section = ""
    for paragraph in document["paragraphs"]:
        if paragraph["section"] != section:
            section = paragraph["section"]
            yield _Part(f"heading of {paragraph['id']}", paragraph["page"], section)
        yield _Part(paragraph["id"], paragraph["page"], paragraph["text"], paragraph)
    for reference in document["references"]:
        yield _Part(f"reference {reference['id']}", 0, reference["text"])


def _instructions(part: _Part) -> Iterator[Finding]:
    for start, end, kind in addressed_sentences(part.text):
        quote = part.text[start:end]
        yield Finding(
            place=part.place,
            page=part.page_at(start),
            quote=quote,
            kind=kind,
            visible=bool(INVISIBLE.sub("", quote).strip()),
            explanation=_WHY_VISIBLE[kind],
        )


def _control_characters(part: _Part) -> Iterator[Finding]:
    match = SUSPICIOUS.search(part.text)
    if match is None:
        return
    message = "".join(chr(ord(tag) - 0xE0000) for run in TAG_RUN.findall(part.text) for tag in run)
    says = f" that a language model reads as “{message[:_LONGEST_QUOTE]}”" if message else ""
    yield Finding(
        place=part.place,
        page=part.page_at(match.start()),
        quote=part.text[max(0, match.start() - 40) : match.end() + 40],
        kind="control characters",
        visible=False,
        explanation=f"Invisible characters stand here{says}; agents are shown the text without them.",
    )


def _hidden(document: Document) -> Iterator[Finding]:
    for (page, reason), text in _hidden_texts(document).items():
        spans = addressed_sentences(text)
        quotes = [(text[span.start : span.end], span.kind) for span in spans]
        for quote, kind in quotes or [(text[:_LONGEST_QUOTE], "hidden text")]:
            explanation = _WHY_HIDDEN[kind].format(reason=_REASONS[reason])
            yield Finding(place="hidden", page=page, quote=quote, kind=kind, visible=False, explanation=explanation)


def _hidden_texts(document: Document) -> dict[tuple[int, HiddenReason], str]:
    """Hidden text of each page and reason in one piece: a sentence may have been hidden word by word."""
    texts: dict[tuple[int, HiddenReason], list[str]] = {}
    for hidden in document["hidden"]:
        texts.setdefault((hidden["page"], hidden["reason"]), []).append(hidden["text"])
    return {key: "\n".join(pieces) for key, pieces in texts.items()}
