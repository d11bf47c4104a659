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
from state.errors import RetrievalUnavailableError, SettingsError
from state.records import Finding, FindingKind
from tools.text import (
    CHAT_TOKEN,
    INVISIBLE_CHARACTERS,
    SUSPICIOUS_CHARACTERS,
    TAG_RUN,
    defuse_tokens,
    fold_text,
    strip_invisible,
)

_MAX_QUOTE_CHARACTERS = 400  # characters shown of hidden text that says nothing to a model
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
_REASON_TEXTS: Final[dict[HiddenReason, str]] = {
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
_UNPRINTED_REASONS: Final[frozenset[HiddenReason]] = frozenset(
    {"comment", "alternative text", "form field", "metadata"}
)
"""Where honest files have text, too, which is reported only if it addresses a model."""


class _VisiblePart(NamedTuple):
    """A visible part of a document."""

    place: str
    page: int
    text: str
    paragraph: Paragraph | None = None

    def find_page(self, offset: int) -> int:
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
    hidden = {key: ("\n\n" if key[1] in _UNPRINTED_REASONS else "\n").join(texts) for key, texts in pieces.items()}
    parts = list(_iterate_visible_parts(document))
    # What authors ask of each other in a comment sounds like what one asks of a model; phrases tell the two apart.
    judged = [*(part.text for part in parts), *(text for key, text in hidden.items() if key[1] != "comment")]
    sentences = (sentence for text in judged for sentence in split_candidate_sentences(text))
    told = select_instruction_sentences(tuple(sentences))
    found = [
        finding for part in parts for finding in (*_find_part_instructions(part, told), *_find_control_characters(part))
    ]
    for (page, reason), text in hidden.items():
        known = () if reason == "comment" else told
        quotes = [(text[start:end], kind) for start, end, kind in find_instruction_spans(text, known)]
        if not quotes and reason not in _UNPRINTED_REASONS:
            quotes = [(text[:_MAX_QUOTE_CHARACTERS], "hidden text")]
        for quote, kind in quotes:
            why = _WHY_HIDDEN[kind].format(reason=_REASON_TEXTS[reason])
            found.append(Finding(place="hidden", page=page, quote=quote, kind=kind, visible=False, explanation=why))
    return found


def _iterate_visible_parts(document: Document) -> Iterator[_VisiblePart]:
    """All but the abstract, which is the first paragraphs once more."""
    first_page = min(1, document["pages"])
    yield _VisiblePart("title", first_page, document["title"])
    section = ""
    for paragraph in document["paragraphs"]:
        if paragraph["section"] != section:
            section = paragraph["section"]
            yield _VisiblePart(f"heading of {paragraph['id']}", paragraph["page"], section)
        yield _VisiblePart(paragraph["id"], paragraph["page"], paragraph["text"], paragraph)
    for reference in document["references"]:
        yield _VisiblePart(f"reference {reference['id']}", 0, reference["text"])


def _find_part_instructions(part: _VisiblePart, told: Iterable[str]) -> Iterator[Finding]:
    for start, end, kind in find_instruction_spans(part.text, told):
        quote = part.text[start:end]
        yield Finding(
            place=part.place,
            page=part.find_page(start),
            quote=quote,
            kind=kind,
            visible=bool(INVISIBLE_CHARACTERS.sub("", quote).strip()),
            explanation=_WHY_VISIBLE[kind],
        )


def _find_control_characters(part: _VisiblePart) -> Iterator[Finding]:
    match = SUSPICIOUS_CHARACTERS.search(part.text)
    if match is None:
        return
    message = "".join(chr(ord(tag) - 0xE0000) for run in TAG_RUN.findall(part.text) for tag in run)
    says = f" that a language model reads as “{message[:_MAX_QUOTE_CHARACTERS]}”" if message else ""
    yield Finding(
        place=part.place,
        page=part.find_page(match.start()),
        quote=part.text[max(0, match.start() - 40) : match.end() + 40],
        kind="control characters",
        visible=False,
        explanation=f"Invisible characters stand here{says}; agents are shown the text without them.",
    )


_QUOTATION_OPENING: Final = 'the paper contains a sentence addressed to a language model, quoted as data: "'
_MARKED_QUOTATION: Final = re.compile(rf'(\[{re.escape(_QUOTATION_OPENING)}[^"\[\]]*"\])')
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
    pieces = _MARKED_QUOTATION.split(strip_invisible(text))
    return "".join(
        defuse_tokens(piece) if index % 2 else _disarm_text(piece, told) for index, piece in enumerate(pieces)
    )


def _disarm_text(text: str, told: Sequence[str]) -> str:
    parts: list[str] = []
    done = 0
    for start, end, _ in find_instruction_spans(text, told):
        sentence = defuse_tokens(" ".join(INVISIBLE_CHARACTERS.sub("", text[start:end]).split()))
        parts += [defuse_tokens(text[done:start]), f'[{_QUOTATION_OPENING}{sentence.translate(_INNER_MARKS)}"]']
        done = end
    return "".join([*parts, defuse_tokens(text[done:])])


ADDRESSED_KINDS: Final[frozenset[FindingKind]] = frozenset({"instruction", "chat template"})
"""Kinds of findings that may be meant for a model."""
SUPPRESSION_WARNING: Final = (
    "The paragraph holds a sentence that may be addressed to a language model, and no weakness was reported: "
    "read it yourself."
)
_MAX_WARNINGS: Final = 5
_MAX_WARNING_QUOTE_CHARACTERS: Final = 200  # characters of a quotation
_COUNTED_WORD: Final = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+")
_NGRAM_WORDS: Final = 6  # words; the shortest that two texts hardly share by chance
_MIN_NGRAM_WORDS: Final = 3


def repeats_instruction(answer: str, findings: Iterable[Finding]) -> bool:
    """Whether an answer repeats an instruction found in the paper: six words in a row, or the whole of a shorter one.

    Case, accents and punctuation do not count; a Chinese character counts as a word. Hidden text that is no instruction
    may be repeated.
    """
    words = _COUNTED_WORD.findall(fold_text(answer).text)
    for finding in findings:
        told = _COUNTED_WORD.findall(fold_text(finding["quote"]).text) if finding["kind"] == "instruction" else []
        length = min(_NGRAM_WORDS, len(told))
        if length >= _MIN_NGRAM_WORDS and not _collect_ngrams(words, length).isdisjoint(_collect_ngrams(told, length)):
            return True
    return False


def _collect_ngrams(words: list[str], length: int) -> set[tuple[str, ...]]:
    return {tuple(words[start : start + length]) for start in range(len(words) - length + 1)}


def list_suppression_warnings(paragraph: str, findings: Sequence[Finding]) -> list[str]:
    """A note for a paragraph about which nothing is said, if it holds what may be meant for a model."""
    here = any(finding["place"] == paragraph and finding["kind"] in ADDRESSED_KINDS for finding in findings)
    return [SUPPRESSION_WARNING] if here else []


def list_instruction_warnings(findings: Sequence[Finding]) -> list[str]:
    """The findings that may be meant for a model, a warning each; of many, the first and how many more."""
    addressed = [finding for finding in findings if finding["kind"] in ADDRESSED_KINDS]
    lines: list[str] = []
    for finding in addressed[:_MAX_WARNINGS]:
        where = f"page {finding['page']}, {finding['place']}" if finding["page"] else finding["place"]
        quote = " ".join(finding["quote"].split())
        shown = quote if len(quote) <= _MAX_WARNING_QUOTE_CHARACTERS else f"{quote[:_MAX_WARNING_QUOTE_CHARACTERS]}…"
        lines.append(f"{where}: “{shown}”: {finding['explanation'].rstrip('.')}")
    if len(addressed) > _MAX_WARNINGS:
        lines.append(f"{len(addressed) - _MAX_WARNINGS} more sentences of the paper may be meant for a language model")
    return lines


class InstructionSpan(NamedTuple):
    """One sentence of a text, or several that belong together."""

    start: int
    end: int
    kind: FindingKind


_SENTENCE_END: Final = re.compile(r"(?<=[.!?])[\"'”’)\]]{0,3}\s|(?<=[\u3002\uff01\uff1f])|\n[ \t\r]{0,20}\n")


def find_instruction_spans(text: str, told: Iterable[str] = ()) -> list[InstructionSpan]:
    """Sentences that address a language model or an automated reviewer, in order, without overlap.

    Args:
        text: Of a paper, visible or not.
        told: Sentences that are known to do so.
    """
    passages = [InstructionSpan(*match.span(), "chat template") for match in CHAT_TOKEN.finditer(text)]
    passages += [InstructionSpan(*place, "instruction") for place in _find_phrases(text)]
    present = (re.escape(each) for each in told if each in text)
    passages += [InstructionSpan(*match.span(), "instruction") for each in present for match in re.finditer(each, text)]
    if not passages:
        return []
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    starts, ends = [0, *ends], [*ends, len(text)]
    sentences: set[InstructionSpan] = set()
    for start, end, kind in passages:
        first = starts[bisect_right(starts, start) - 1]
        last = ends[bisect_left(ends, end)]
        first += len(text[first:last]) - len(text[first:last].lstrip())
        sentences.add(InstructionSpan(first, first + len(text[first:last].rstrip()), kind))
    merged: list[InstructionSpan] = []
    for span in sorted(sentences):
        previous = merged[-1] if merged else None
        if previous and span.start < previous.end:
            joined: FindingKind = "instruction" if "instruction" in (previous.kind, span.kind) else previous.kind
            merged[-1] = InstructionSpan(previous.start, max(previous.end, span.end), joined)
        else:
            merged.append(span)
    return merged


def split_candidate_sentences(text: str) -> Iterator[str]:
    """The sentences that are judged one by one; what has no letters is none."""
    start = 0
    for end, following in [*(match.span() for match in _SENTENCE_END.finditer(text)), (len(text), len(text))]:
        if any(map(str.isalpha, text[start:end])):
            yield text[start:end].strip()
        start = following


PHRASES_FILE: Final = Path(__file__).with_name("injection_phrases.txt")
"""One a line; how they are written stands at its head."""
_WORD_SEPARATOR: Final = r"(?:[^\w.!?]{1,4})"
_UNSPACED_SCRIPT: Final = re.compile(r"[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff]")
_WILDCARD_OR_SPACE: Final = re.compile(r"\*|\s+")


@cache
def _load_phrase_patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The phrases that count wherever they stand, and those that count as an order only."""
    lines = PHRASES_FILE.read_text(encoding="utf-8").splitlines()
    phrases = [line for line in lines if line and not line.startswith("#")]
    orders = [line.removeprefix("> ") for line in phrases if line.startswith("> ")]
    anywhere = [line for line in phrases if not line.startswith("> ")]
    return _compile_phrases(anywhere), _compile_phrases(orders)


def _compile_phrases(phrases: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(_expand_phrase, phrases)))


def _expand_phrase(phrase: str) -> str:
    """A phrase as a regular expression for folded text, whose every repetition is bounded."""
    folded = fold_text(phrase).text
    if _UNSPACED_SCRIPT.search(folded):
        return _WILDCARD_OR_SPACE.sub(lambda part: "[^。!?]{0,16}?" if part[0] == "*" else r"[^\w.!?]{0,4}", folded)
    words = rf"(?:\w{{1,30}}{_WORD_SEPARATOR}){{0,3}}?"
    spaced = _WILDCARD_OR_SPACE.sub(
        lambda part: words if part[0] == "*" else _WORD_SEPARATOR, folded.replace("* ", "*")
    )
    return rf"(?<!\w)(?:{spaced})(?!\w)"


_ORDER_OPENING: Final = re.compile(
    r"(?:^|[.!?:;,\n\"'()\[\]{}<>*#|\u3002-])[^\w]{0,3}"
    r"(?:(?:please|kindly|now|also|then|just|simply|only|always|never|and|you|should|must|shall|will|reviewers?)"
    r" ){0,3}$"
)
"""How the words before an order end."""
_ORDER_WINDOW: Final = 40
"""Characters before a phrase that decide whether it is an order."""


def _find_phrases(text: str) -> Iterator[tuple[int, int]]:
    folded, offsets = fold_text(text)
    anywhere, orders = _load_phrase_patterns()
    found = [match.span() for match in anywhere.finditer(folded)]
    for match in orders.finditer(folded):
        start, end = match.span()
        shouted = text[offsets[start] : offsets[end - 1] + 1].isupper()  # hidden text often ends up within a sentence
        if shouted or _ORDER_OPENING.search(folded, max(0, start - _ORDER_WINDOW), start):
            found.append((start, end))
    for start, end in found:
        yield offsets[start], offsets[end - 1] + 1


WEIGHTS_FILE: Final = Path(__file__).with_name("injection.npz")
"""Of the regression, as `draftroom train instructions` writes them."""
_MAX_SENTENCE_CHARACTERS: Final = 600
"""Characters of a sentence that are looked at; what is longer is mostly a table."""
_MAX_TOKENS: Final = 128
_MIN_WORDS: Final = 3
_WORD: Final = re.compile(r"[^\W\d_]{2,}")


@lru_cache(maxsize=8)  # a paper is looked through once, and again with each version of a result
def select_instruction_sentences(sentences: tuple[str, ...]) -> frozenset[str]:
    """Those sentences that sound like an instruction to a model; none without the encoder."""
    judged = [sentence for sentence in dict.fromkeys(sentences) if has_enough_words(sentence)]
    if not judged:
        return frozenset()
    try:
        vectors = embed_sentences(judged)
    except RetrievalUnavailableError:
        return frozenset()
    weights, bias = _load_regression()
    return frozenset(sentence for sentence, score in zip(judged, vectors @ weights + bias, strict=True) if score > 0)


def has_enough_words(sentence: str) -> bool:
    """Whether a sentence has words enough: it is no heading, label, initial or gene."""
    return len(_WORD.findall(sentence)) >= _MIN_WORDS


def embed_sentences(sentences: Sequence[str]) -> NDArray[np.float32]:
    """Return the encoder's vectors of sentences, folded, a row for each.

    A row joins the vectors of all layers: of the first ones the form of a sentence, of the last ones its topic.

    Raises:
        RetrievalUnavailable: The encoder is not installed.
    """
    try:
        from tools.bert import PACKAGED_ENCODER, load_bert, map_in_parallel  # noqa: PLC0415 - needs the extra `review`

        encoder = load_bert(PACKAGED_ENCODER)
    except (ImportError, SettingsError) as error:
        raise RetrievalUnavailableError("The packaged encoder is not installed.") from error
    shown = [fold_text(sentence[:_MAX_SENTENCE_CHARACTERS]).text for sentence in sentences]
    return np.stack(map_in_parallel(lambda text: encoder.compute_layer_vectors(text, _MAX_TOKENS).ravel(), shown))


@cache
def _load_regression() -> tuple[NDArray[np.float32], float]:
    """Weights and bias; a sentence whose score is above nought counts."""
    with np.load(WEIGHTS_FILE) as kept:
        return kept["weights"], float(kept["bias"])
