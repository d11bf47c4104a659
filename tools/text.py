"""Text itself: its characters, its sentences, and edits of it.

`plain` serves terminals and pages, `strip_invisible` and `defuse_tokens` prompts, and `fold` the search for words
however their letters are written.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from functools import cache
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from markdown_it import MarkdownIt

_CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def strip_control_characters(text: str) -> str:
    """`text` without control characters; tabs and line ends stay."""
    return _CONTROL_CHARACTERS.sub("", text)


def to_single_line(text: str) -> str:
    """`text` without control characters and line ends."""
    return " ".join(strip_control_characters(text).split())


TAG_CHARACTERS: Final = "\U000e0020-\U000e007e"
"""Unicode tag characters: a shapeless copy of ASCII, which a language model reads as if it were written."""
_MATHEMATICAL: Final = "\u2061-\u2064"  # function application, invisible times: publishers set formulas with them
_SHAPELESS: Final = (
    "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060\u2065-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff"
)
_VARIATION_SELECTORS: Final = "\ufe00-\ufe0f"  # one chooses how a symbol looks; a row of them can only carry a message

INVISIBLE_CHARACTERS: Final = re.compile(f"[{_SHAPELESS}{_MATHEMATICAL}{_VARIATION_SELECTORS}]")
TAG_RUN: Final = re.compile(f"[{TAG_CHARACTERS}]+")
SUSPICIOUS_CHARACTERS: Final = re.compile(
    f"[{TAG_CHARACTERS}]|[\u202a-\u202e\u2066-\u2069]|[{_VARIATION_SELECTORS}\U000e0100-\U000e01ef]{{2}}"
    "|(?:[\u200b-\u200d\u2060\ufeff].{0,40}){3}",
    re.DOTALL,
)
"""Tags, changes of writing direction, rows of variation selectors, or three zero-width characters close together."""

CHAT_TOKEN: Final = re.compile(
    r"<[|\uff5c](?:im_start|im_end|im_sep|system|user|assistant|human|end|eom_id|eot_id|start_header_id|end_header_id|message"
    r"|channel|start|return|call|endofprompt|User|Assistant|end▁of▁sentence|begin▁of▁sentence)[|\uff5c]>"
    r"|\[/?(?:INST|SYSTEM|SYS|ASSISTANT|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]|<</?SYS>>|</?(?:start|end)_of_turn>",
    re.IGNORECASE,
)
"""Tokens that begin or end a turn of a conversation."""
_SPECIAL_TOKEN: Final = re.compile(
    rf"{CHAT_TOKEN.pattern}|<[|\uff5c][^\s|\uff5c<>]{{3,40}}[|\uff5c]>|</?(?:s|bos|eos|pad|unk|mask|think|tools?|tool_call|tool_response"
    r"|extra_id_\d{1,2})>",
    re.IGNORECASE,
)

_STRIPPED_CHARACTERS: Final = re.compile(
    f"[{_SHAPELESS}][{_SHAPELESS}{_VARIATION_SELECTORS}]*|[{_VARIATION_SELECTORS}][{_SHAPELESS}{_VARIATION_SELECTORS}]+",
)


def strip_accents(text: str) -> str:
    """Take the accents off letters, and write compatibility characters such as ligatures as what they stand for."""
    return "".join(part for part in unicodedata.normalize("NFKD", text) if not unicodedata.combining(part))


def normalize_title(title: str) -> str:
    """The letters and digits of words, such as a title's: accents, case and punctuation make no other paper."""
    return " ".join(re.findall(r"[^\W_\u02bc]+", strip_accents(title.casefold())))


def strip_invisible(text: str) -> str:
    """Take out characters without a shape, except those that formulas and symbols are written with."""
    return _STRIPPED_CHARACTERS.sub("", text)


def defuse_tokens(text: str) -> str:
    """Write a model's special tokens with spaces, `< |im_end| >`, so that no tokenizer knows them any more."""
    return _SPECIAL_TOKEN.sub(lambda match: f"{match[0][0]} {match[0][1:-1]} {match[0][-1]}", text)


# Letters that look like Latin ones (a selection of Unicode's confusables), by code point because they look the same.
# Capitals are listed where they resemble another letter than their small ones do.
_LOOKALIKES: Final = {
    "Cyrillic": (
        "\u0430\u0432\u0435\u0456\u0458\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445\u0455\u0501\u051b\u051d"
        "\u0433\u043f\u044c\u04cf\u04bb\u04af\u04ab",
        "abeijkmhopctyxsdqwrnblhyc",
    ),
    "Greek": (
        "\u0397\u039d\u03a5\u039c\u0396\u03b1\u03b2\u03b5\u03b7\u03b9\u03ba\u03bc\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7"
        "\u03b3\u03c9",
        "hnymzabenikuvoptuxyw",
    ),
    "Armenian": ("\u0585\u057d\u0578\u0570\u0581\u0575\u056c", "ounhgjl"),
    "Cherokee": (
        "\u13aa\u13ac\u13d2\u13bb\u13ab\u13de\u13b7\u13e2\u13da\u13a2\u13d9\u13c3\u13a1\u13df\u13a0\u13d4",
        "aeehjlmpstvzrcdw",
    ),
    "Latin": (
        "\u0131\u0142\u00f8\u0111\u0251\u0261\u026a\u0274\u0280\u1d00\u0299\u1d04\u1d05\u1d07\ua730\u0262\u029c\u1d0a"
        "\u1d0b\u029f\u1d0d\u1d0f\u1d18\ua731\u1d1b\u1d1c\u1d20\u1d21\u028f\u1d22",
        "ilodaginrabcdefghjklmopstuvwyz",
    ),
    "punctuation": (
        "\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u00ab\u00bb\u300c\u300d\u2010\u2011\u2012\u2013\u2014\u2212_",
        '\'\'\'\'""""""""------ ',
    ),
}
_LATIN_BY_LOOKALIKE: Final = {
    ord(strange): plain
    for strange_ones, plain_ones in _LOOKALIKES.values()
    for strange, plain in zip(strange_ones, plain_ones, strict=True)
}


class FoldedText(NamedTuple):
    """A text in small Latin letters, without accents, invisible characters and doubled white space."""

    text: str
    """A blank line is a line feed, all other white space a space."""
    offsets: list[int]
    """Where in the original each of its characters stands."""


def fold_text(text: str) -> FoldedText:
    """Undo what Unicode disguises words with: look-alike and invisible characters, accents, divisions at line ends."""
    characters: list[str] = []
    offsets: list[int] = []
    gap = ""
    for offset, original in enumerate(text):
        folded = _fold_character(original)
        if folded.isspace():
            gap += original
            continue
        for character in folded:
            if gap:
                _append_gap(gap, character, characters, offsets)
                gap = ""
            characters.append(character)
            offsets.append(offset)
    return FoldedText("".join(characters), offsets)


def _append_gap(gap: str, following: str, characters: list[str], offsets: list[int]) -> None:
    if not characters or (_is_ideographic(characters[-1]) and _is_ideographic(following)):
        return
    lines = gap.count("\n")
    if lines == 1 and characters[-1] == "-" and following.isalpha():
        characters.pop()
        offsets.pop()
    else:
        characters.append("\n" if lines > 1 else " ")
        offsets.append(offsets[-1])


@cache
def _fold_character(character: str) -> str:
    if INVISIBLE_CHARACTERS.match(character):
        return ""
    return strip_accents(character).translate(_LATIN_BY_LOOKALIKE).casefold().translate(_LATIN_BY_LOOKALIKE)


def _is_ideographic(character: str) -> bool:
    return "\u3400" <= character <= "\u9fff"


# Plain text and text taken from a PDF pass through the same parser, so what would swallow their words is switched off:
# HTML, link definitions, and code made by indentation.
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable(["code", "reference"])


class TextBlock(NamedTuple):
    """A heading, a paragraph, a list item or a table cell."""

    text: str
    """Its words on one line, without heading, list and emphasis marks."""
    heading: bool


def split_blocks(text: str) -> list[TextBlock]:
    """Splits a Markdown (or plain) text into its blocks, in order; empty blocks are left out."""
    found: list[TextBlock] = []
    tokens = _MARKDOWN.parse(text)
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type == "inline":
            heading = before is not None and before.type == "heading_open"
            breaks = {"softbreak", "hardbreak"}
            words = "".join(" " if child.type in breaks else child.content for child in token.children or [])
            found.append(TextBlock(_collapse_whitespace(words), heading))
        elif token.type == "fence":
            found.extend(TextBlock(_collapse_whitespace(part), heading=False) for part in token.content.split("\n\n"))
    return [block for block in found if block.text]


def _collapse_whitespace(text: str) -> str:
    return " ".join(text.split())


_SENTENCE_BOUNDARY: Final = re.compile(r"(?<=[.!?])[\"'”’)\]]{0,3}\s(?=[\"'“‘(\[]{0,2}[^\W_])")
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:et al|e\.g|i\.e|cf|vs|ca|approx|resp|incl|[Ff]igs?|[Ee]qs?|Refs?|Secs?|Tabs?|Suppl|[Vv]ol|pp|No|Nos|Eds?"
    r"|Drs?|Prof|Mr|Mrs|Ms|St|Jr|spp?|var)|\b[A-Z])\.$"
)
_SMALL_START: Final = re.compile(r"[\"'“‘(\[]{0,2}[a-z]")
_LONG_WORD: Final = re.compile(r"\b[^\W\d_]{4,}")
_WEB_ADDRESS: Final = re.compile(r"(?:https?://|www\.|doi:\s?|\b10\.\d{4,9}/)\S+")
_HYPHENS: Final = {0x2010: "-", 0x2011: "-"}  # the typographic hyphen and the one that does not break


class Sentence(NamedTuple):
    """A sentence, or a heading."""

    text: str
    heading: bool
    """Capitals carry no meaning in it: a Markdown heading, a line in title case, or a line of capitals."""


def split_sentences(text: str) -> list[Sentence]:
    """Splits a Markdown (or plain) text into sentences, without web addresses and DOIs."""
    found: list[Sentence] = []
    for block in split_blocks(text):
        words = " ".join(_WEB_ADDRESS.sub(" ", block.text.translate(_HYPHENS)).split())
        ends = [0, *list_sentence_starts(words), len(words)]
        parts = (words[start:end].strip() for start, end in pairwise(ends))
        found.extend(Sentence(part, block.heading or _is_title_case(part)) for part in parts if part)
    return found


def list_sentence_starts(text: str) -> list[int]:
    """Where another sentence begins in a text, all but the first."""
    ends = [0]
    for match in _SENTENCE_BOUNDARY.finditer(text):
        before = text[max(ends[-1], match.start() - 12) : match.start()]
        if not _ABBREVIATION.search(before) and not _SMALL_START.match(text, match.end()):
            ends.append(match.end())
    return ends[1:]


def _is_title_case(sentence: str) -> bool:
    if sentence.isupper() and len(sentence.split()) > 1:
        return True
    words = _LONG_WORD.findall(sentence)
    return len(words) > 1 and not sentence.endswith((".", "!", "?")) and all(word[0].isupper() for word in words)


_WORD: Final = re.compile(r"[^\W\d_]{2}")
_HEADLINE: Final = re.compile(r"\A\s*#[ \t][^\n]*")


def strip_headline(text: str) -> str:
    """Return a Markdown text without the headline that it may begin with, which is no sentence of it."""
    return _HEADLINE.sub("", text)


def list_points(text: str) -> list[str]:
    """Return the points and paragraphs of a Markdown text without its headings, each on one line, for display."""
    return [block.text for block in split_blocks(text) if not block.heading and has_words(block.text)]


def split_at_labels(text: str, labels: Mapping[str, str]) -> dict[str, str]:
    """Split a text at its labels: lines that are one, or begin with one and a colon, as heading, bold or plain.

    Args:
        text: Markdown.
        labels: Patterns of the labels by the names of the parts.

    Returns:
        The text of each part that there is, by its name; the last one, if a label comes twice. What stands before all
        labels has the empty name.
    """
    pattern = "|".join(f"(?P<{name}>{label})" for name, label in labels.items())
    mark = r"(?:\#+[ \t]*|(?:\d+[.)][ \t]*)?[*_]{2})(?:\d+[.)][ \t]*)?[*_]*"  # a number may stand on either side of it
    line = re.compile(rf"^[ \t]*(?:{mark})?(?:{pattern})[*_]*(?::[*_]*|[ \t]*$)", re.IGNORECASE | re.MULTILINE)
    found = list(line.finditer(text))
    starts = [*(match.start() for match in found), len(text)]
    parts = {str(match.lastgroup): text[match.end() : end] for match, end in zip(found, starts[1:], strict=True)}
    return {name: part.strip() for name, part in {"": text[: starts[0]], **parts}.items()}


def has_words(text: str) -> bool:
    """Return whether a text has a word, and not only marks and numbers."""
    return bool(_WORD.search(text))


_EMPTY_BRACKETS: Final = re.compile(r"\(\s*[,;]?\s*\)|\[\s*\]")
_SPACE_BEFORE_STOP: Final = re.compile(r"[ \t]+(?=[,.;:!?)\]])")
_DOUBLED_STOP: Final = re.compile(r"([,;:])\s*(?=[,.;:!?])")
_OPENING_STOP: Final = re.compile(r"(^|[.!?]\s+|\n)[,;:]\s*")
_SPACES: Final = re.compile(r"(?<=\S)[ \t]{2,}")


def find_occurrences(text: str, piece: str) -> list[re.Match[str]]:
    """Where a piece stands in a text as whole words; white space may differ.

    An exact match comes first; only if there is none, one in another case counts ("the drug" for "The drug").
    """
    pattern = _build_words_pattern(piece)
    return list(re.finditer(pattern, text)) or list(re.finditer(pattern, text, re.IGNORECASE))


def _build_words_pattern(piece: str) -> str:
    """A pattern of these words as whole words; one that matches nothing if there are none."""
    words = piece.split()
    if not words:
        return "(?!)"
    before = r"(?<!\w)" if words[0][0].isalnum() else ""
    after = r"(?!\w)" if words[-1][-1].isalnum() else ""
    return before + r"\s+".join(map(re.escape, words)) + after


def find_verbatim_matches(text: str, piece: str) -> list[re.Match[str]]:
    """Where a piece stands in a text as whole words in its own case, but for a capital that begins a sentence."""
    words = " ".join(piece.split())
    return [
        match
        for match in re.finditer(_build_words_pattern(piece), text, re.IGNORECASE)
        if (
            (found := " ".join(match[0].split())) == words
            or (found == _capitalize_first(words) and _is_sentence_start(text[: match.start()]))
        )
    ]


def replace_verbatim(text: str, original: str, replacement: str) -> str:
    """Replace a piece wherever it stands word for word; at the beginning of a sentence with a capital.

    Returns:
        The new text; the same text if the piece is not in it.
    """
    replacement = replacement.strip()
    for match in reversed(find_verbatim_matches(text, original)):
        head, begins = text[: match.start()], match[0][:1].isupper()
        fitting = _capitalize_first(replacement) if begins and _is_sentence_start(head) else replacement
        text = head + fitting + text[match.end() :]
    return text


def remove_verbatim(text: str, piece: str) -> str:
    """Take a piece out wherever it stands word for word, and mend white space, commas and capitals around it."""
    for match in reversed(find_verbatim_matches(text, piece)):
        head, tail = text[: match.start()], text[match.end() :]
        begins = _is_sentence_start(head)
        tail = tail.lstrip(" ,;:") if begins else tail
        text = head + (_capitalize_first(tail) if begins else tail)
    for pattern, replacement in (
        (_EMPTY_BRACKETS, ""),
        (_SPACES, " "),
        (_SPACE_BEFORE_STOP, ""),
        (_DOUBLED_STOP, ""),
        (_OPENING_STOP, r"\1"),
    ):
        text = pattern.sub(replacement, text)
    return text.strip()


def _is_sentence_start(head: str) -> bool:
    """Whether a sentence begins after these words."""
    return not head.strip() or head.endswith("\n") or head.rstrip().rstrip("\"'”’)]").endswith((".", "!", "?"))


def _capitalize_first(text: str) -> str:
    return text[:1].upper() + text[1:]


MIN_UNCHANGED_WORDS = 2
"""In words. Fewer words that happen to stay between two changes are shown as part of the change: it reads better."""


class DiffSegment(NamedTuple):
    """A piece of text that stayed, went or came."""

    kind: Literal["same", "removed", "added"]
    text: str


def diff_words(before: str, after: str) -> list[DiffSegment]:
    """The pieces of both texts in order; those that are not `added` make up `before`, those not `removed`, `after`."""
    return list(_iterate_segments(_split_words(before), _split_words(after)))


def _iterate_segments(old: list[str], new: list[str]) -> Iterator[DiffSegment]:
    removed, added = "", ""
    for operation, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        at_an_end = a == 0 or b == len(old)
        if operation != "equal" or (b - a < MIN_UNCHANGED_WORDS and not at_an_end):
            removed, added = removed + "".join(old[a:b]), added + "".join(new[c:d])
            continue
        yield from _iterate_replacement(removed, added)
        removed, added = "", ""
        yield DiffSegment("same", "".join(new[c:d]))
    yield from _iterate_replacement(removed, added)


def _iterate_replacement(removed: str, added: str) -> Iterator[DiffSegment]:
    if removed:
        yield DiffSegment("removed", removed)
    if added:
        yield DiffSegment("added", added)


def _split_words(text: str) -> list[str]:
    """Words with the white space after them, so that the pieces joined are the text again."""
    return re.findall(r"\s*\S+\s*", text)
