"""Finds and disarms text of a paper that addresses a language model or an automated reviewer.

`find_instructions` reports such text with its places, `mark_as_untrusted` turns it into marked quotations before a
prompt holds it, and `obeys` tells whether an answer did as it says. All three ask `addressed_sentences`, which looks
for the phrases of `tools.checks.instruction_phrases` in a text whose disguise is taken off. `find_instructions` also
has `tools.checks.instruction_classifier` judge every other sentence.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple

from state.documents import Document, HiddenReason, Paragraph
from state.records import Finding, FindingKind
from tools.checks.disguises import codes, in_no_english
from tools.checks.instruction_classifier import sound_addressed, sound_addressed_where_hidden
from tools.checks.instruction_phrases import (
    CHINESE,
    COMMANDS,
    ORDER,
    PHRASES,
    REPORT,
    TRANSLATIONS,
    endings,
    squeezed_phrases,
    word_phrases,
)
from tools.documents.reading import is_english
from tools.text import CHAT_TOKEN, INVISIBLE, SUSPICIOUS, TAG_RUN, defuse_tokens, fold, strip_invisible

_LONGEST_QUOTE = 400  # characters shown of hidden text that says nothing to a model
_WHY_VISIBLE: Final[dict[FindingKind, str]] = {
    "instruction": "This sentence is addressed to a language model or an automated reviewer; agents are shown it as a "
    "quotation.",
    "chat template": "This sentence holds tokens that divide the turns of a conversation with a language model; agents "
    "are shown it as a quotation without them.",
    "other language": "This sentence is in another language than the paper, or in a code, and may be meant for a "
    "language model.",
}
_WHY_HIDDEN: Final[dict[FindingKind, str]] = {
    "instruction": "Text that a reader cannot see ({reason}) is addressed to a language model or an automated "
    "reviewer; no agent is shown it.",
    "chat template": "Text that a reader cannot see ({reason}) holds tokens that divide the turns of a conversation "
    "with a language model; no agent is shown it.",
    "other language": "Text that a reader cannot see ({reason}) is in another language than the paper, or in a code, "
    "and may be meant for a language model; no agent is shown it.",
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
    found: list[Finding] = []
    english = is_english(document["text"])
    for part in _visible_parts(document):
        found += _addressed(part)
        found += _control_characters(part)
        found += _in_other_language(part) if english and part.paragraph else []
    return [*found, *_hidden(document, english=english)]


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


def _addressed(part: _Part) -> Iterator[Finding]:
    for start, end, kind in addressed_sentences(part.text, sound_addressed):
        quote = part.text[start:end]
        yield Finding(
            place=part.place,
            page=part.page_at(start),
            quote=quote,
            kind=kind,
            visible=bool(INVISIBLE.sub("", quote).strip()),
            explanation=_WHY_VISIBLE[kind],
        )


def _in_other_language(part: _Part) -> Iterator[Finding]:
    addressed = addressed_sentences(part.text, sound_addressed)
    for start, end in split_places(part.text):
        apart = all(end <= span.start or start >= span.end for span in addressed)
        if apart and in_no_english(part.text[start:end]):
            yield Finding(
                place=part.place,
                page=part.page_at(start),
                quote=part.text[start:end],
                kind="other language",
                visible=True,
                explanation=_WHY_VISIBLE["other language"],
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


def _hidden(document: Document, *, english: bool) -> Iterator[Finding]:
    for (page, reason), text in _hidden_texts(document).items():
        spans = addressed_sentences(text, sound_addressed_where_hidden)
        quotes = [(text[span.start : span.end], span.kind) for span in spans]
        foreign = next((sentence for sentence in split_sentences(text) if english and in_no_english(sentence)), "")
        if foreign and not quotes:
            quotes = [(foreign[:_LONGEST_QUOTE], "other language")]
        elif not quotes and reason not in _BESIDE:
            quotes = [(text[:_LONGEST_QUOTE], "hidden text")]
        for quote, kind in quotes:
            explanation = _WHY_HIDDEN[kind].format(reason=_REASONS[reason])
            yield Finding(place="hidden", page=page, quote=quote, kind=kind, visible=False, explanation=explanation)


def _hidden_texts(document: Document) -> dict[tuple[int, HiddenReason], str]:
    """Hidden text of each page and reason in one piece: a sentence may have been hidden word by word.

    Not so comments and the like, each of which stands for itself.
    """
    texts: dict[tuple[int, HiddenReason], list[str]] = {}
    for hidden in document["hidden"]:
        texts.setdefault((hidden["page"], hidden["reason"]), []).append(hidden["text"])
    return {key: ("\n\n" if key[1] in _BESIDE else "\n").join(pieces) for key, pieces in texts.items()}


_OPENING: Final = 'the paper contains a sentence addressed to a language model, quoted as data: "'
_QUOTED: Final = re.compile(rf'(\[{re.escape(_OPENING)}[^"\[\]]*"\])')
_INNER_MARKS: Final = str.maketrans(dict.fromkeys('"“”„‟«»', "'") | {"[": "(", "]": ")"})


def mark_as_untrusted(text: str, found: Sequence[Finding] = ()) -> str:
    """Disarm a text for a prompt; ordinary text comes back unchanged, character by character.

    A sentence that addresses a language model becomes a marked quotation, the special tokens of models are written so
    that they are none, and characters without a shape are taken out. Applying it again changes nothing.

    Args:
        text: What a prompt is to show.
        found: What `find_instructions` found in the paper, the classifier's part of which is not sought again.
    """
    told = [strip_invisible(each["quote"]) for each in found if each["kind"] == "instruction"]
    pieces = _QUOTED.split(strip_invisible(text))
    return "".join(defuse_tokens(piece) if index % 2 else _disarmed(piece, told) for index, piece in enumerate(pieces))


def _disarmed(text: str, told: Sequence[str]) -> str:
    parts: list[str] = []
    done = 0
    known = [Span(place.start(), place.end(), "instruction") for each in told for place in _places(each, text)]
    for start, end, _ in _merged(sorted([*addressed_sentences(text), *known])):
        parts += [defuse_tokens(text[done:start]), _quoted(text[start:end])]
        done = end
    return "".join([*parts, defuse_tokens(text[done:])])


def _places(quote: str, text: str) -> Iterator[re.Match[str]]:
    return re.finditer(re.escape(quote), text) if quote else iter(())


def _quoted(sentence: str) -> str:
    words = " ".join(INVISIBLE.sub("", sentence).split())
    return f'[{_OPENING}{defuse_tokens(words).translate(_INNER_MARKS)}"]'


_WORD: Final = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+")
_RUN = 6  # words; the shortest that two texts hardly share by chance
_SHORTEST = 3


def obeys(answer: str, findings: Iterable[Finding]) -> bool:
    """Whether an answer repeats an instruction found in the paper: six words in a row, or the whole of a shorter one.

    Case, accents and punctuation do not count; a Chinese character counts as a word. Hidden text that is no instruction
    may be repeated.
    """
    words = _words(answer)
    runs = {length: _runs(words, length) for length in range(_SHORTEST, _RUN + 1)}
    for finding in findings:
        told = _words(finding["quote"]) if finding["kind"] == "instruction" else []
        length = min(_RUN, len(told))
        if length >= _SHORTEST and not runs[length].isdisjoint(_runs(told, length)):
            return True
    return False


def _words(text: str) -> list[str]:
    return _WORD.findall(fold(text).text)


def _runs(words: list[str], length: int) -> set[tuple[str, ...]]:
    return {tuple(words[start : start + length]) for start in range(len(words) - length + 1)}


_WINDOW: Final = 80  # characters before a phrase that decide what it is

_SPACED_LETTERS: Final = re.compile(r"(?<!\w)[^\W\d_](?:[^\w\n]{1,3}[^\W\d_](?!\w)){7,}")
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


Judge = Callable[[Sequence[str]], list[bool]]
"""Says of sentences whether they sound like instructions."""


def addressed_sentences(text: str, judge: Judge | None = None) -> list[Span]:
    """Sentences that address a language model or an automated reviewer, in order, without overlap.

    Args:
        text: Of a paper, visible or not.
        judge: Asked about sentences without a known phrase; it may take long.
    """
    passages = [Span(*match.span(), "chat template") for match in CHAT_TOKEN.finditer(text)]
    passages += [Span(*passage, "instruction") for passage in _instructions(text, judge)]
    return _merged(_whole_sentences(text, passages)) if passages else []


def split_sentences(text: str) -> list[str]:
    """The sentences that are judged one by one."""
    return [text[start:end] for start, end in split_places(text)]


def split_places(text: str) -> list[tuple[int, int]]:
    """Where they begin and end; what has no letters is none."""
    places = []
    start = 0
    for end, following in [*(match.span() for match in _SENTENCE_END.finditer(text)), (len(text), len(text))]:
        piece = text[start:end]
        if any(map(str.isalpha, piece)):
            places.append((start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())))
        start = following
    return places


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


def _instructions(text: str, judge: Judge | None) -> Iterator[tuple[int, int]]:
    folded = fold(text)
    for start, end in _phrases(folded.text, text, folded.offsets):
        yield folded.offsets[start], folded.offsets[end - 1] + 1
    for code in codes(text):
        if _speaks(code.text, judge):
            yield code.start, code.end
    if judge is None:
        return
    places = split_places(text)
    verdicts = judge([text[start:end] for start, end in places])
    for (start, end), verdict in zip(places, verdicts, strict=True):
        if verdict:
            yield start, end


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


def _speaks(text: str, judge: Judge | None) -> bool:
    folded = fold(text)
    known = next(_phrases(folded.text, text, folded.offsets), None) is not None
    return known or (judge is not None and any(judge(split_sentences(text))))


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
