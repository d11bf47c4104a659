"""Where a text addresses a language model."""

from __future__ import annotations

import base64
import binascii
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final, NamedTuple

from state.records import FindingKind
from tools.hidden_instructions.characters import CHAT_TOKEN
from tools.hidden_instructions.folding import fold
from tools.hidden_instructions.notation import endings, squeezed_phrases, word_phrases
from tools.hidden_instructions.phrases import COMMANDS, ORDER, PHRASES, REPORT
from tools.hidden_instructions.translations import CHINESE, TRANSLATIONS

_WINDOW: Final = 80  # characters before a phrase that decide what it is

_SPACED_LETTERS: Final = re.compile(r"(?<!\w)[^\W\d_](?:[^\w\n]{1,3}[^\W\d_](?!\w)){7,}")
_BASE64: Final = re.compile(r"(?<![\w+/])[A-Za-z0-9+/]{24,}={0,2}")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])[\"'”’)\]]{0,3}\s|(?<=[\u3002\uff01\uff1f])|\n[ \t\r]{0,20}\n")


class _Patterns(NamedTuple):
    phrases: re.Pattern[str]
    commands: re.Pattern[str]
    translations: re.Pattern[str]
    chinese: re.Pattern[str]
    squeezed: re.Pattern[str]
    order: re.Pattern[str]
    report: re.Pattern[str]


class Span(NamedTuple):
    """One sentence of a text, or several that belong together."""

    start: int
    end: int
    kind: FindingKind


def addressed_sentences(text: str) -> list[Span]:
    """Sentences that address a language model or an automated reviewer, in order, without overlap."""
    passages = [Span(*match.span(), "chat template") for match in CHAT_TOKEN.finditer(text)]
    passages += [Span(*passage, "instruction") for passage in _instructions(text)]
    return _merged(_whole_sentences(text, passages)) if passages else []


@cache
def _patterns() -> _Patterns:
    """Compiled with the first text: it takes a quarter of a second, and not every command reads a text."""
    return _Patterns(
        phrases=word_phrases(PHRASES),
        commands=word_phrases(COMMANDS),
        translations=word_phrases(TRANSLATIONS),
        chinese=squeezed_phrases(CHINESE),
        squeezed=squeezed_phrases((*PHRASES, *COMMANDS, *TRANSLATIONS)),
        order=endings(ORDER),
        report=endings(REPORT),
    )


def _instructions(text: str) -> Iterator[tuple[int, int]]:
    folded = fold(text)
    for start, end in _phrases(folded.text, text, folded.offsets):
        yield folded.offsets[start], folded.offsets[end - 1] + 1
    for match in _BASE64.finditer(text):
        if _speaks(_decoded(match[0])):
            yield match.span()


def _phrases(folded: str, text: str, offsets: list[int]) -> Iterator[tuple[int, int]]:
    patterns = _patterns()
    for match in patterns.phrases.finditer(folded):
        start, end = match.span(1)
        shouted = text[offsets[start] : offsets[end - 1] + 1].isupper()  # hidden text often ends up within a sentence
        if shouted or _preceded(folded, start, patterns.order) or not _preceded(folded, start, patterns.report):
            yield start, end
    for match in patterns.commands.finditer(folded):
        if _preceded(folded, match.start(), patterns.order):
            yield match.span(1)
    for pattern in (patterns.translations, patterns.chinese):
        yield from (match.span(1) for match in pattern.finditer(folded))
    for run in _SPACED_LETTERS.finditer(folded):
        yield from _phrases_of_letters(run)


def _phrases_of_letters(run: re.Match[str]) -> Iterator[tuple[int, int]]:
    places = [place for place in range(*run.span()) if run.string[place].isalpha()]
    letters = "".join(run.string[place] for place in places)
    for match in _patterns().squeezed.finditer(letters):
        yield places[match.start(1)], places[match.end(1) - 1] + 1


def _preceded(text: str, position: int, ending: re.Pattern[str]) -> bool:
    return ending.search(text, max(0, position - _WINDOW), position) is not None


def _decoded(encoded: str) -> str:
    try:
        return base64.b64decode(encoded + "=" * (-len(encoded) % 4)).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _speaks(text: str) -> bool:
    folded = fold(text)
    return next(_phrases(folded.text, text, folded.offsets), None) is not None


def _whole_sentences(text: str, passages: Iterable[Span]) -> list[Span]:
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    starts = [0, *ends]
    ends = [*ends, len(text)]
    spans = []
    for start, end, kind in passages:
        first = starts[bisect_right(starts, start) - 1]
        last = ends[bisect_left(ends, end)]
        first += len(text[first:last]) - len(text[first:last].lstrip())
        spans.append(Span(first, first + len(text[first:last].rstrip()), kind))
    return sorted(set(spans))


def _merged(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for span in spans:
        if merged and span.start < merged[-1].end:
            last = merged.pop()
            kind: FindingKind = "instruction" if "instruction" in (last.kind, span.kind) else last.kind
            span = Span(last.start, max(last.end, span.end), kind)  # noqa: PLW2901
        merged.append(span)
    return merged
