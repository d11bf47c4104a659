"""Detect and disarm instructions to language models or automated reviewers in papers.

`find_instructions` reports instructions and hidden text with their places, `mark_as_untrusted` quotes instructions in
prompts, and `repeats_instruction` checks answers. Three detectors are combined: special tokens of chat templates, the
phrases of `injection_phrases.txt`, and a logistic regression on sentence vectors of the packaged encoder, which
`training.injection` fits (results: docs/results/instructions.md). Without the encoder, which the extra `review`
installs, only tokens and phrases are used.
"""

from __future__ import annotations

import re
import tomllib
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

_MAX_QUOTE_CHARACTERS = 400  # of hidden text that is no instruction
_EXPLANATIONS: Final[dict[str, dict[str, str]]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)
# Honest files have text in these places, too, so it is reported only if it addresses a model.
_UNPRINTED_REASONS: Final[frozenset[HiddenReason]] = frozenset(
    {"comment", "alternative text", "form field", "metadata"}
)
_QUOTATION_OPENING: Final = 'the paper contains a sentence addressed to a language model, quoted as data: "'
_MARKED_QUOTATION: Final = re.compile(rf'(\[{re.escape(_QUOTATION_OPENING)}[^"\[\]]*"\])')
_INNER_MARKS: Final = str.maketrans(dict.fromkeys('"“”„‟«»', "'") | {"[": "(", "]": ")"})
# Kinds of findings that may be meant for a model.
ADDRESSED_KINDS: Final[frozenset[FindingKind]] = frozenset({"instruction", "chat template"})
SUPPRESSION_WARNING: Final = (
    "The paragraph holds a sentence that may be addressed to a language model, and no weakness was reported: "
    "read it yourself."
)
_MAX_WARNINGS: Final = 5
_MAX_WARNING_QUOTE_CHARACTERS: Final = 200
_COUNTED_WORD: Final = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+")
_NGRAM_WORDS: Final = 6  # two texts hardly share six words in a row by chance
_MIN_NGRAM_WORDS: Final = 3
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])[\"'”’)\]]{0,3}\s|(?<=[\u3002\uff01\uff1f])|\n[ \t\r]{0,20}\n")
# One phrase a line; the head of the file describes the syntax.
_PHRASES: Final = Path(__file__).with_name("injection_phrases.txt").read_text(encoding="utf-8").splitlines()
_WORD_SEPARATOR: Final = r"(?:[^\w.!?]{1,4})"
_UNSPACED_GAPS: Final = (r"[^\w.!?]{0,4}", "[^。!?]{0,16}?")  # for a space, and for a wildcard
_UNSPACED_SCRIPT: Final = re.compile(r"[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff]")
_WILDCARD_OR_SPACE: Final = re.compile(r"\*|\s+")
# The words before an order: the beginning of a sentence or clause, and up to three words such as "please" or "now".
_ORDER_OPENING: Final = re.compile(
    r"(?:^|[.!?:;,\n\"'()\[\]{}<>*#|\u3002-])[^\w]{0,3}"
    r"(?:(?:please|kindly|now|also|then|just|simply|only|always|never|and|you|should|must|shall|will|reviewers?)"
    r" ){0,3}$"
)
_ORDER_WINDOW: Final = 40  # characters before a phrase that decide whether it is an order
WEIGHTS_FILE: Final = Path(__file__).with_name("injection.npz")  # written by `draftroom train instructions`
_MAX_SENTENCE_CHARACTERS: Final = 600  # longer ones are mostly tables
_MAX_TOKENS: Final = 128
_MIN_WORDS: Final = 3
_WORD: Final = re.compile(r"[^\W\d_]{2,}")


class _VisiblePart(NamedTuple):
    """A title, heading, paragraph or reference of a document, with the name of its place in findings."""

    place: str
    page: int
    text: str
    paragraph: Paragraph | None = None

    def find_page(self, offset: int) -> int:
        """Return the page of the word at an offset, or the part's own page where the places of words are unknown."""
        words = self.paragraph["words"] if self.paragraph else []
        return next((word["page"] for word in words if word["end"] > offset), self.page)


def find_instructions(document: Document) -> list[Finding]:
    """List findings: visible instructions to models or reviewers, chat tokens and odd characters, then hidden text.

    A quoted instruction in a paper about instructions is found, too; to show it as a quotation does no harm. Of
    comments, metadata and the like only what addresses a model is listed.
    """
    # 1. Join the hidden text of each page and reason: a sentence may have been hidden word by word. Comments and other
    # unprinted texts are separate sentences.
    pieces: dict[tuple[int, HiddenReason], list[str]] = {}
    for piece in document["hidden"]:
        pieces.setdefault((piece["page"], piece["reason"]), []).append(piece["text"])
    hidden = {key: ("\n\n" if key[1] in _UNPRINTED_REASONS else "\n").join(texts) for key, texts in pieces.items()}
    # 2. Collect the visible parts; the abstract is among the paragraphs.
    first_page, section = min(1, document["pages"]), ""
    parts = [_VisiblePart("title", first_page, document["title"])]
    for each in document["paragraphs"]:
        if each["section"] != section:
            section = each["section"]
            parts.append(_VisiblePart(f"heading of {each['id']}", each["page"], section))
        parts.append(_VisiblePart(each["id"], each["page"], each["text"], each))
    parts += [_VisiblePart(f"reference {each['id']}", 0, each["text"]) for each in document["references"]]
    # 3. Classify all sentences at once. Requests of authors to each other in comments sound like instructions to the
    # regression, so in comments only phrases count.
    judged = [*(part.text for part in parts), *(text for key, text in hidden.items() if key[1] != "comment")]
    sentences = (sentence for text in judged for sentence in split_candidate_sentences(text))
    instructions = select_instruction_sentences(tuple(sentences))
    # 4. Report visible parts first, then hidden text.
    found: list[Finding] = []
    for part in parts:
        found += _find_visible_instructions(part, instructions)
    for (page, reason), text in hidden.items():
        known = () if reason == "comment" else instructions
        quotes = [(text[start:end], kind) for start, end, kind in find_instruction_spans(text, known)]
        if not quotes and reason not in _UNPRINTED_REASONS:
            quotes = [(text[:_MAX_QUOTE_CHARACTERS], "hidden text")]
        for quote, kind in quotes:
            why = _EXPLANATIONS["hidden"][kind].format(reason=_EXPLANATIONS["reasons"][reason])
            found.append(Finding(place="hidden", page=page, quote=quote, kind=kind, visible=False, explanation=why))
    return found


def _find_visible_instructions(part: _VisiblePart, known: Iterable[str]) -> Iterator[Finding]:
    """Iterate over the findings in a visible part: its instructions, then its first suspicious invisible characters."""
    for start, end, kind in find_instruction_spans(part.text, known):
        quote = part.text[start:end]
        yield Finding(
            place=part.place,
            page=part.find_page(start),
            quote=quote,
            kind=kind,
            visible=bool(INVISIBLE_CHARACTERS.sub("", quote).strip()),
            explanation=_EXPLANATIONS["visible"][kind],
        )
    if match := SUSPICIOUS_CHARACTERS.search(part.text):
        message = "".join(chr(ord(tag) - 0xE0000) for run in TAG_RUN.findall(part.text) for tag in run)
        meaning = f" that a language model reads as “{message[:_MAX_QUOTE_CHARACTERS]}”" if message else ""
        yield Finding(
            place=part.place,
            page=part.find_page(match.start()),
            quote=part.text[max(0, match.start() - 40) : match.end() + 40],
            kind="control characters",
            visible=False,
            explanation=f"Invisible characters stand here{meaning}; agents are shown the text without them.",
        )


def mark_as_untrusted(text: str, found: Sequence[Finding] = ()) -> str:
    """Return a text for a prompt with its instructions as marked quotations; ordinary text comes back unchanged.

    Sentences that address a language model become marked quotations, special tokens are broken up, and invisible
    characters are removed. The function is idempotent.

    `found` are the findings of `find_instructions` in the paper, so that the regression is not run again.
    """
    known = [strip_invisible(each["quote"]) for each in found if each["kind"] == "instruction"]
    parts: list[str] = []
    for index, piece in enumerate(_MARKED_QUOTATION.split(strip_invisible(text))):
        done = 0
        # Every second piece is a quotation that was marked before.
        for start, end, _ in find_instruction_spans(piece, known) if index % 2 == 0 else ():
            sentence = defuse_tokens(" ".join(INVISIBLE_CHARACTERS.sub("", piece[start:end]).split()))
            parts += [defuse_tokens(piece[done:start]), f'[{_QUOTATION_OPENING}{sentence.translate(_INNER_MARKS)}"]']
            done = end
        parts.append(defuse_tokens(piece[done:]))
    return "".join(parts)


def repeats_instruction(answer: str, findings: Iterable[Finding]) -> bool:
    """Return whether an answer repeats six words in a row, or all of three to five, of an instruction in the paper.

    Case, accents and punctuation are disregarded; a Chinese character counts as a word. Hidden text that is no
    instruction may be repeated.
    """
    words = _COUNTED_WORD.findall(fold_text(answer).text)
    for finding in findings:
        quoted = _COUNTED_WORD.findall(fold_text(finding["quote"]).text) if finding["kind"] == "instruction" else []
        length = min(_NGRAM_WORDS, len(quoted))
        if length >= _MIN_NGRAM_WORDS and _collect_ngrams(words, length) & _collect_ngrams(quoted, length):
            return True
    return False


def _collect_ngrams(words: list[str], length: int) -> set[tuple[str, ...]]:
    """Return the set of all runs of `length` words."""
    return {tuple(words[start : start + length]) for start in range(len(words) - length + 1)}


def list_suppression_warnings(paragraph: str, findings: Sequence[Finding]) -> list[str]:
    """List a warning if the paragraph of this id, which got no comments, may address a model; otherwise nothing."""
    is_addressed = any(finding["place"] == paragraph and finding["kind"] in ADDRESSED_KINDS for finding in findings)
    return [SUPPRESSION_WARNING] if is_addressed else []


def list_instruction_warnings(findings: Sequence[Finding]) -> list[str]:
    """List a warning for each of the first five findings that may be meant for a model, and one to count the others."""
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
    """Offsets of a sentence (or several that overlap) with an instruction or chat tokens, and the kind of finding."""

    start: int
    end: int
    kind: FindingKind


def find_instruction_spans(text: str, known: Iterable[str] = ()) -> list[InstructionSpan]:
    """List the spans of sentences that address a model or reviewer or hold chat tokens, in order, without overlap.

    `known` are sentences that the regression classified as instructions.
    """
    # 1. Find tokens, phrases and known sentences.
    passages = [InstructionSpan(*match.span(), "chat template") for match in CHAT_TOKEN.finditer(text)]
    folded, offsets = fold_text(text)
    anywhere, orders = _load_phrase_patterns()
    phrases = [match.span() for match in anywhere.finditer(folded)]
    for start, end in (match.span() for match in orders.finditer(folded)):
        # Hidden text often ends up within a sentence, so a phrase in capitals counts anywhere.
        is_upper = text[offsets[start] : offsets[end - 1] + 1].isupper()
        if is_upper or _ORDER_OPENING.search(folded, max(0, start - _ORDER_WINDOW), start):
            phrases.append((start, end))
    passages += [InstructionSpan(offsets[start], offsets[end - 1] + 1, "instruction") for start, end in phrases]
    present = (re.escape(each) for each in known if each in text)
    passages += [InstructionSpan(*match.span(), "instruction") for each in present for match in re.finditer(each, text)]
    if not passages:
        return []
    # 2. Extend each to whole sentences, without the white space around them.
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    starts, ends = [0, *ends], [*ends, len(text)]
    sentences: set[InstructionSpan] = set()
    for start, end, kind in passages:
        first = starts[bisect_right(starts, start) - 1]
        last = ends[bisect_left(ends, end)]
        first += len(text[first:last]) - len(text[first:last].lstrip())
        sentences.add(InstructionSpan(first, first + len(text[first:last].rstrip()), kind))
    # 3. Merge those that overlap.
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
    """Iterate over the sentences of a text that are classified; pieces without letters are left out."""
    start = 0
    for end, following in [*(match.span() for match in _SENTENCE_END.finditer(text)), (len(text), len(text))]:
        if any(map(str.isalpha, text[start:end])):
            yield text[start:end].strip()
        start = following


@cache
def _load_phrase_patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return a pair of patterns for folded text, cached: phrases that count anywhere, and those only as an order."""
    anywhere: list[str] = []
    orders: list[str] = []
    words = rf"(?:\w{{1,30}}{_WORD_SEPARATOR}){{0,3}}?"  # all repetitions are bounded, so that a search cannot stall
    for line in _PHRASES:
        if not line or line.startswith("#"):
            continue
        phrase = fold_text(line.removeprefix("> ")).text
        if _UNSPACED_SCRIPT.search(phrase):
            pattern = _WILDCARD_OR_SPACE.sub(lambda part: _UNSPACED_GAPS[part[0] == "*"], phrase)
        else:
            joined = phrase.replace("* ", "*")
            spaced = _WILDCARD_OR_SPACE.sub(lambda part: words if part[0] == "*" else _WORD_SEPARATOR, joined)
            pattern = rf"(?<!\w)(?:{spaced})(?!\w)"
        (orders if line.startswith("> ") else anywhere).append(pattern)
    return re.compile("|".join(anywhere)), re.compile("|".join(orders))


@lru_cache(maxsize=8)  # the same paper is classified again with each version of a result
def select_instruction_sentences(sentences: tuple[str, ...]) -> frozenset[str]:
    """Return the sentences that the regression takes for instructions to a model (cached); none without the encoder."""
    judged = [sentence for sentence in dict.fromkeys(sentences) if has_enough_words(sentence)]
    if not judged:
        return frozenset()
    try:
        vectors = embed_sentences(judged)
    except RetrievalUnavailableError:
        return frozenset()
    with np.load(WEIGHTS_FILE) as regression:
        scores = vectors @ regression["weights"] + float(regression["bias"])
    return frozenset(sentence for sentence, score in zip(judged, scores, strict=True) if score > 0)


def has_enough_words(sentence: str) -> bool:
    """Return whether a sentence has three or more words of two or more letters; the regression judges no others."""
    return len(_WORD.findall(sentence)) >= _MIN_WORDS


def embed_sentences(sentences: Sequence[str]) -> NDArray[np.float32]:
    """Embed sentences with the packaged encoder, after folding each and cutting it off at 600 characters.

    Returns:
        Array `[sentences, layers * hidden]`: the vectors of all layers, because the first ones represent the form of a
        sentence and the last ones its topic.

    Raises:
        RetrievalUnavailableError: The encoder is not installed.
    """
    try:
        from tools.bert import PACKAGED_ENCODER, load_bert, map_in_parallel  # noqa: PLC0415 - needs the extra `review`

        encoder = load_bert(PACKAGED_ENCODER)
    except (ImportError, SettingsError) as error:
        raise RetrievalUnavailableError("The packaged encoder is not installed.") from error
    shown = [fold_text(sentence[:_MAX_SENTENCE_CHARACTERS]).text for sentence in sentences]
    return np.stack(map_in_parallel(lambda text: encoder.compute_layer_vectors(text, _MAX_TOKENS).ravel(), shown))
