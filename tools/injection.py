"""Finds and disarms text of a paper that addresses a language model or an automated reviewer.

`find_instructions` reports such text with its places, and all text that a reader cannot see; `mark_as_untrusted` turns
it into marked quotations before a prompt holds it; `obeys` tells whether an answer repeats it. It is found by the
tokens that divide the turns of a conversation, by the phrases of `injection_phrases.txt`, and by a logistic regression
on the vector that the packaged encoder makes of a sentence. `training.injection` fits that; what it finds stands in
docs/results/instructions.md. Without the encoder, which the extra `review` brings, tokens and phrases decide alone.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from state.documents import Document, HiddenReason, Paragraph
from state.errors import RetrievalUnavailable, SettingsError
from state.records import Finding, FindingKind
from tools.text import CHAT_TOKEN, INVISIBLE, SUSPICIOUS, TAG_RUN, defuse_tokens, fold, strip_invisible

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
    "comment": "a comment",
    "alternative text": "the description of a picture",
    "form field": "a field of a form",
    "metadata": "the file's metadata",
}
_BESIDE: Final[frozenset[HiddenReason]] = frozenset({"comment", "alternative text", "form field", "metadata"})
"""Where honest files have text, too, which is reported only if it addresses a model."""


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
    # Hidden text of each page and reason in one piece: a sentence may have been hidden word by word. Not so comments
    # and the like, each of which stands for itself.
    pieces: dict[tuple[int, HiddenReason], list[str]] = {}
    for each in document["hidden"]:
        pieces.setdefault((each["page"], each["reason"]), []).append(each["text"])
    hidden = {key: ("\n\n" if key[1] in _BESIDE else "\n").join(texts) for key, texts in pieces.items()}
    parts = list(_visible_parts(document))
    # What authors ask of each other in a comment sounds like what one asks of a model; phrases tell the two apart.
    judged = [*(part.text for part in parts), *(text for key, text in hidden.items() if key[1] != "comment")]
    sentences = (sentence for text in judged for sentence in split_sentences(text))
    told = sound_addressed(tuple(sentences))
    found = [finding for part in parts for finding in (*_addressed(part, told), *_control_characters(part))]
    for (page, reason), text in hidden.items():
        known = () if reason == "comment" else told
        quotes = [(text[start:end], kind) for start, end, kind in addressed_sentences(text, known)]
        if not quotes and reason not in _BESIDE:
            quotes = [(text[:_LONGEST_QUOTE], "hidden text")]
        for quote, kind in quotes:
            why = _WHY_HIDDEN[kind].format(reason=_REASONS[reason])
            found.append(Finding(place="hidden", page=page, quote=quote, kind=kind, visible=False, explanation=why))
    return found


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


def _addressed(part: _Part, told: Iterable[str]) -> Iterator[Finding]:
    for start, end, kind in addressed_sentences(part.text, told):
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


_OPENING: Final = 'the paper contains a sentence addressed to a language model, quoted as data: "'
_QUOTED: Final = re.compile(rf'(\[{re.escape(_OPENING)}[^"\[\]]*"\])')
_INNER_MARKS: Final = str.maketrans(dict.fromkeys('"“”„‟«»', "'") | {"[": "(", "]": ")"})


def mark_as_untrusted(text: str, found: Sequence[Finding] = ()) -> str:
    """Disarm a text for a prompt; ordinary text comes back unchanged, character by character.

    A sentence that addresses a language model becomes a marked quotation, the special tokens of models are written so
    that they are none, and characters without a shape are taken out. Applying it again changes nothing.

    Args:
        text: What a prompt is to show.
        found: What `find_instructions` found in the paper, the regression's part of which is not sought again.
    """
    told = [strip_invisible(each["quote"]) for each in found if each["kind"] == "instruction"]
    pieces = _QUOTED.split(strip_invisible(text))
    return "".join(defuse_tokens(piece) if index % 2 else _disarmed(piece, told) for index, piece in enumerate(pieces))


def _disarmed(text: str, told: Sequence[str]) -> str:
    parts: list[str] = []
    done = 0
    for start, end, _ in addressed_sentences(text, told):
        sentence = defuse_tokens(" ".join(INVISIBLE.sub("", text[start:end]).split()))
        parts += [defuse_tokens(text[done:start]), f'[{_OPENING}{sentence.translate(_INNER_MARKS)}"]']
        done = end
    return "".join([*parts, defuse_tokens(text[done:])])


ADDRESSED: Final[frozenset[FindingKind]] = frozenset({"instruction", "chat template"})
"""Kinds of findings that may be meant for a model."""
SILENT: Final = (
    "The paragraph holds a sentence that may be addressed to a language model, and no weakness was reported: "
    "read it yourself."
)
_MOST_TOLD: Final = 5
_LONGEST_TOLD: Final = 200  # characters of a quotation
_COUNTED_WORD: Final = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+")
_RUN: Final = 6  # words; the shortest that two texts hardly share by chance
_SHORTEST_RUN: Final = 3


def obeys(answer: str, findings: Iterable[Finding]) -> bool:
    """Whether an answer repeats an instruction found in the paper: six words in a row, or the whole of a shorter one.

    Case, accents and punctuation do not count; a Chinese character counts as a word. Hidden text that is no instruction
    may be repeated.
    """
    words = _COUNTED_WORD.findall(fold(answer).text)
    for finding in findings:
        told = _COUNTED_WORD.findall(fold(finding["quote"]).text) if finding["kind"] == "instruction" else []
        length = min(_RUN, len(told))
        if length >= _SHORTEST_RUN and not _runs(words, length).isdisjoint(_runs(told, length)):
            return True
    return False


def _runs(words: list[str], length: int) -> set[tuple[str, ...]]:
    return {tuple(words[start : start + length]) for start in range(len(words) - length + 1)}


def silence_about(paragraph: str, findings: Sequence[Finding]) -> list[str]:
    """A note for a paragraph about which nothing is said, if it holds what may be meant for a model."""
    here = any(finding["place"] == paragraph and finding["kind"] in ADDRESSED for finding in findings)
    return [SILENT] if here else []


def warnings_of(findings: Sequence[Finding]) -> list[str]:
    """The findings that may be meant for a model, a warning each; of many, the first and how many more."""
    addressed = [finding for finding in findings if finding["kind"] in ADDRESSED]
    lines: list[str] = []
    for finding in addressed[:_MOST_TOLD]:
        where = f"page {finding['page']}, {finding['place']}" if finding["page"] else finding["place"]
        quote = " ".join(finding["quote"].split())
        shown = quote if len(quote) <= _LONGEST_TOLD else f"{quote[:_LONGEST_TOLD]}…"
        lines.append(f"{where}: “{shown}”: {finding['explanation'].rstrip('.')}")
    if len(addressed) > _MOST_TOLD:
        lines.append(f"{len(addressed) - _MOST_TOLD} more sentences of the paper may be meant for a language model")
    return lines


class Span(NamedTuple):
    """One sentence of a text, or several that belong together."""

    start: int
    end: int
    kind: FindingKind


_SENTENCE_END: Final = re.compile(r"(?<=[.!?])[\"'”’)\]]{0,3}\s|(?<=[\u3002\uff01\uff1f])|\n[ \t\r]{0,20}\n")


def addressed_sentences(text: str, told: Iterable[str] = ()) -> list[Span]:
    """Sentences that address a language model or an automated reviewer, in order, without overlap.

    Args:
        text: Of a paper, visible or not.
        told: Sentences that are known to do so.
    """
    passages = [Span(*match.span(), "chat template") for match in CHAT_TOKEN.finditer(text)]
    passages += [Span(*place, "instruction") for place in _phrases(text)]
    present = (re.escape(each) for each in told if each in text)
    passages += [Span(*match.span(), "instruction") for each in present for match in re.finditer(each, text)]
    if not passages:
        return []
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    starts, ends = [0, *ends], [*ends, len(text)]
    sentences: set[Span] = set()
    for start, end, kind in passages:
        first = starts[bisect_right(starts, start) - 1]
        last = ends[bisect_left(ends, end)]
        first += len(text[first:last]) - len(text[first:last].lstrip())
        sentences.add(Span(first, first + len(text[first:last].rstrip()), kind))
    merged: list[Span] = []
    for span in sorted(sentences):
        previous = merged[-1] if merged else None
        if previous and span.start < previous.end:
            joined: FindingKind = "instruction" if "instruction" in (previous.kind, span.kind) else previous.kind
            merged[-1] = Span(previous.start, max(previous.end, span.end), joined)
        else:
            merged.append(span)
    return merged


def split_sentences(text: str) -> Iterator[str]:
    """The sentences that are judged one by one; what has no letters is none."""
    start = 0
    for end, following in [*(match.span() for match in _SENTENCE_END.finditer(text)), (len(text), len(text))]:
        if any(map(str.isalpha, text[start:end])):
            yield text[start:end].strip()
        start = following


PHRASES: Final = Path(__file__).with_name("injection_phrases.txt")
"""One a line; how they are written stands at its head."""
_BETWEEN: Final = r"(?:[^\w.!?]{1,4})"
_WITHOUT_SPACES: Final = re.compile(r"[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff]")
_PART: Final = re.compile(r"\*|\s+")


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The phrases that count wherever they stand, and those that count as an order only."""
    lines = PHRASES.read_text(encoding="utf-8").splitlines()
    phrases = [line for line in lines if line and not line.startswith("#")]
    orders = [line.removeprefix("> ") for line in phrases if line.startswith("> ")]
    anywhere = [line for line in phrases if not line.startswith("> ")]
    return _pattern(anywhere), _pattern(orders)


def _pattern(phrases: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(_expanded, phrases)))


def _expanded(phrase: str) -> str:
    """A phrase as a regular expression for folded text, whose every repetition is bounded."""
    folded = fold(phrase).text
    if _WITHOUT_SPACES.search(folded):
        return _PART.sub(lambda part: "[^。!?]{0,16}?" if part[0] == "*" else r"[^\w.!?]{0,4}", folded)
    words = rf"(?:\w{{1,30}}{_BETWEEN}){{0,3}}?"
    spaced = _PART.sub(lambda part: words if part[0] == "*" else _BETWEEN, folded.replace("* ", "*"))
    return rf"(?<!\w)(?:{spaced})(?!\w)"


_ORDER: Final = re.compile(
    r"(?:^|[.!?:;,\n\"'()\[\]{}<>*#|\u3002-])[^\w]{0,3}"
    r"(?:(?:please|kindly|now|also|then|just|simply|only|always|never|and|you|should|must|shall|will|reviewers?)"
    r" ){0,3}$"
)
"""How the words before an order end."""
_WINDOW: Final = 40
"""Characters before a phrase that decide whether it is an order."""


def _phrases(text: str) -> Iterator[tuple[int, int]]:
    folded, offsets = fold(text)
    anywhere, orders = _patterns()
    found = [match.span() for match in anywhere.finditer(folded)]
    for match in orders.finditer(folded):
        start, end = match.span()
        shouted = text[offsets[start] : offsets[end - 1] + 1].isupper()  # hidden text often ends up within a sentence
        if shouted or _ORDER.search(folded, max(0, start - _WINDOW), start):
            found.append((start, end))
    for start, end in found:
        yield offsets[start], offsets[end - 1] + 1


WEIGHTS: Final = Path(__file__).with_name("injection.npz")
"""Of the regression, as `draftroom train instructions` writes them."""
_LONGEST: Final = 600
"""Characters of a sentence that are looked at; what is longer is mostly a table."""
_TOKENS: Final = 128
_FEWEST_WORDS: Final = 3
_WORD: Final = re.compile(r"[^\W\d_]{2,}")


@lru_cache(maxsize=8)  # a paper is looked through once, and again with each version of a result
def sound_addressed(sentences: tuple[str, ...]) -> frozenset[str]:
    """Those sentences that sound like an instruction to a model; none without the encoder."""
    judged = [sentence for sentence in dict.fromkeys(sentences) if can_be_judged(sentence)]
    if not judged:
        return frozenset()
    try:
        vectors = embedded(judged)
    except RetrievalUnavailable:
        return frozenset()
    weights, bias = _regression()
    return frozenset(sentence for sentence, score in zip(judged, vectors @ weights + bias, strict=True) if score > 0)


def can_be_judged(sentence: str) -> bool:
    """Whether a sentence has words enough: it is no heading, label, initial or gene."""
    return len(_WORD.findall(sentence)) >= _FEWEST_WORDS


def embedded(sentences: Sequence[str]) -> NDArray[np.float32]:
    """Return the encoder's vectors of sentences, folded, a row for each.

    A row joins the vectors of all layers: of the first ones the form of a sentence, of the last ones its topic.

    Raises:
        RetrievalUnavailable: The encoder is not installed.
    """
    try:
        from tools.bert import PACKAGED_ENCODER, in_parallel, load_bert  # noqa: PLC0415 - needs the extra `review`

        encoder = load_bert(PACKAGED_ENCODER)
    except (ImportError, SettingsError) as error:
        raise RetrievalUnavailable("The packaged encoder is not installed.") from error
    shown = [fold(sentence[:_LONGEST]).text for sentence in sentences]
    return np.stack(in_parallel(lambda text: encoder.layer_vectors(text, _TOKENS).ravel(), shown))


@cache
def _regression() -> tuple[NDArray[np.float32], float]:
    """Weights and bias; a sentence whose score is above nought counts."""
    with np.load(WEIGHTS) as kept:
        return kept["weights"], float(kept["bias"])
