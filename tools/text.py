"""Clean, split, search, edit and compare strings.

`strip_control_characters` prepares text for terminals and pages, `strip_invisible` and `defuse_tokens` for prompts,
and `fold_text` for a search that disregards accents, case and look-alike letters.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Final, Literal, NamedTuple

from markdown_it import MarkdownIt

_CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
# Unicode tag characters are an invisible copy of ASCII that a language model can read.
TAG_CHARACTERS: Final = "\U000e0020-\U000e007e"
# Function application, invisible times and the like: publishers set formulas with them.
_MATHEMATICAL: Final = "\u2061-\u2064"
_SHAPELESS: Final = (
    "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060\u2065-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff"
)
# A single variation selector chooses how a symbol looks; several in a row can only carry a message.
_VARIATION_SELECTORS: Final = "\ufe00-\ufe0f"
INVISIBLE_CHARACTERS: Final = re.compile(f"[{_SHAPELESS}{_MATHEMATICAL}{_VARIATION_SELECTORS}]")
TAG_RUN: Final = re.compile(f"[{TAG_CHARACTERS}]+")
# Tags, changes of writing direction, rows of variation selectors, or three zero-width characters close together.
SUSPICIOUS_CHARACTERS: Final = re.compile(
    f"[{TAG_CHARACTERS}]|[\u202a-\u202e\u2066-\u2069]|[{_VARIATION_SELECTORS}\U000e0100-\U000e01ef]{{2}}"
    "|(?:[\u200b-\u200d\u2060\ufeff].{0,40}){3}",
    re.DOTALL,
)
# Tokens that begin or end a turn of a conversation in the chat templates of common models.
CHAT_TOKEN: Final = re.compile(
    r"<[|\uff5c](?:im_start|im_end|im_sep|system|user|assistant|human|end|eom_id|eot_id|start_header_id|end_header_id|message"
    r"|channel|start|return|call|endofprompt|User|Assistant|end▁of▁sentence|begin▁of▁sentence)[|\uff5c]>"
    r"|\[/?(?:INST|SYSTEM|SYS|ASSISTANT|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]|<</?SYS>>|</?(?:start|end)_of_turn>",
    re.IGNORECASE,
)
_SPECIAL_TOKEN: Final = re.compile(
    rf"{CHAT_TOKEN.pattern}|<[|\uff5c][^\s|\uff5c<>]{{3,40}}[|\uff5c]>|</?(?:s|bos|eos|pad|unk|mask|think|tools?|tool_call|tool_response"
    r"|extra_id_\d{1,2})>",
    re.IGNORECASE,
)
_STRIPPED_CHARACTERS: Final = re.compile(
    f"[{_SHAPELESS}][{_SHAPELESS}{_VARIATION_SELECTORS}]*|[{_VARIATION_SELECTORS}][{_SHAPELESS}{_VARIATION_SELECTORS}]+"
)
_LATIN_BY_LOOKALIKE: Final = {
    ord(lookalike): letter
    for script in tomllib.loads(Path(__file__).with_name("lookalikes.toml").read_text(encoding="utf-8")).values()
    for lookalike, letter in zip(script["lookalikes"], script["letters"], strict=True)
}
_IDEOGRAPH: Final = re.compile("[\u3400-\u9fff]")
# Plain text and text from a PDF pass through the same parser, so the syntax that would swallow their words is off:
# HTML, link definitions, and code by indentation.
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable(["code", "reference"])
_SENTENCE_BOUNDARY: Final = re.compile(r"(?<=[.!?])[\"'”’)\]]{0,3}\s(?=[\"'“‘(\[]{0,2}[^\W_])")
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:et al|e\.g|i\.e|cf|vs|ca|approx|resp|incl|[Ff]igs?|[Ee]qs?|Refs?|Secs?|Tabs?|Suppl|[Vv]ol|pp|No|Nos|Eds?"
    r"|Drs?|Prof|Mr|Mrs|Ms|St|Jr|spp?|var)|\b[A-Z])\.$"
)
_SMALL_START: Final = re.compile(r"[\"'“‘(\[]{0,2}[a-z]")
_LONG_WORD: Final = re.compile(r"\b[^\W\d_]{4,}")
_WEB_ADDRESS: Final = re.compile(r"(?:https?://|www\.|doi:\s?|\b10\.\d{4,9}/)\S+")
_HYPHENS: Final = {0x2010: "-", 0x2011: "-"}  # the typographic and the non-breaking hyphen
_WORD: Final = re.compile(r"[^\W\d_]{2}")
_HEADLINE: Final = re.compile(r"\A\s*#[ \t][^\n]*")
# What a removed piece may leave behind: empty brackets, double spaces, spaces before punctuation, doubled punctuation,
# and punctuation at the beginning of a sentence.
_REMOVAL_REPAIRS: Final = (
    (re.compile(r"\(\s*[,;]?\s*\)|\[\s*\]"), ""),
    (re.compile(r"(?<=\S)[ \t]{2,}"), " "),
    (re.compile(r"[ \t]+(?=[,.;:!?)\]])"), ""),
    (re.compile(r"([,;:])\s*(?=[,.;:!?])"), ""),
    (re.compile(r"(^|[.!?]\s+|\n)[,;:]\s*"), r"\1"),
)
# Fewer unchanged words between two changes are shown as part of the change, which is easier to read.
MIN_UNCHANGED_WORDS = 2


def strip_control_characters(text: str) -> str:
    """Remove control characters, with carriage returns and direction marks, but not tabs and line feeds."""
    return _CONTROL_CHARACTERS.sub("", text)


def to_single_line(text: str) -> str:
    """Remove control characters and join the words of a text with single spaces."""
    return " ".join(strip_control_characters(text).split())


_WITHOUT_STROKE = str.maketrans("øØłŁđĐı", "oOlLdDi")  # letters that Unicode does not decompose


def strip_accents(text: str) -> str:
    """Remove accents and strokes (ø), and replace compatibility characters, such as ligatures; the case stays."""
    plain = unicodedata.normalize("NFKD", text).translate(_WITHOUT_STROKE)
    return "".join(part for part in plain if not unicodedata.combining(part))


def normalize_title(title: str) -> str:
    """Reduce a title to its lower-case words without accents and punctuation, to compare papers by it."""
    return " ".join(re.findall(r"[^\W_\u02bc]+", strip_accents(title.casefold())))


def strip_invisible(text: str) -> str:
    """Remove invisible and control characters, except white space and what formulas and symbols need."""
    return _STRIPPED_CHARACTERS.sub("", text)


def defuse_tokens(text: str) -> str:
    """Break up special tokens of chat templates, as in `< |im_end| >`, so that no tokenizer recognizes them."""
    return _SPECIAL_TOKEN.sub(lambda match: f"{match[0][0]} {match[0][1:-1]} {match[0][-1]}", text)


class FoldedText(NamedTuple):
    """Result of `fold_text`: a pair of the folded text and the places of its characters in the original."""

    # In lower case, without accents and invisible characters; look-alikes are Latin letters, and words that are divided
    # at a line end are joined. A blank line is one line feed, other white space one space.
    text: str
    offsets: list[int]  # of each character in the original; white space has that of the character before it


def fold_text(text: str) -> FoldedText:
    """Fold a text so that a search disregards case, accents, look-alike letters, and hyphens at line ends."""
    characters: list[str] = []
    offsets: list[int] = []
    gap = ""
    for offset, original in enumerate(text):
        folded = _fold_character(original)
        if folded.isspace():
            gap += original
            continue
        if gap and folded and characters:
            lines, last = gap.count("\n"), characters[-1]
            if lines == 1 and last == "-" and folded[0].isalpha():  # a word that is divided at a line end
                characters.pop()
                offsets.pop()
            # Chinese and Japanese put no spaces between words, so white space there is a line end or a disguise.
            elif not (_IDEOGRAPH.match(last) and _IDEOGRAPH.match(folded)):
                characters.append("\n" if lines > 1 else " ")
                offsets.append(offsets[-1])
        gap = "" if folded else gap
        characters += folded
        offsets += [offset] * len(folded)
    return FoldedText("".join(characters), offsets)


@cache
def _fold_character(character: str) -> str:
    """Fold a character to lower case without accents, as a Latin letter if it looks like one; empty if invisible."""
    if INVISIBLE_CHARACTERS.match(character):
        return ""
    return strip_accents(character).translate(_LATIN_BY_LOOKALIKE).casefold().translate(_LATIN_BY_LOOKALIKE)


class TextBlock(NamedTuple):
    """A heading, a paragraph, a list item, a table cell, or a piece of a code block."""

    text: str  # on one line, without heading, list and emphasis marks
    heading: bool


def split_blocks(text: str) -> list[TextBlock]:
    """Split a Markdown or plain text into its non-empty blocks, in order, each on one line without Markdown marks."""
    found: list[TextBlock] = []
    tokens = _MARKDOWN.parse(text)
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type == "inline":
            heading = before is not None and before.type == "heading_open"
            breaks = {"softbreak", "hardbreak"}
            words = "".join(" " if child.type in breaks else child.content for child in token.children or [])
            found.append(TextBlock(" ".join(words.split()), heading))
        elif token.type == "fence":
            found += [TextBlock(" ".join(part.split()), heading=False) for part in token.content.split("\n\n")]
    return [block for block in found if block.text]


class Sentence(NamedTuple):
    """A sentence, or a heading, on one line."""

    text: str
    heading: bool  # also a line in title case or capitals, so that its capitals carry no meaning


def split_sentences(text: str) -> list[Sentence]:
    """Split a Markdown or plain text into sentences and headings, with web addresses and DOIs taken out."""
    found: list[Sentence] = []
    for block in split_blocks(text):
        words = " ".join(_WEB_ADDRESS.sub(" ", block.text.translate(_HYPHENS)).split())
        bounds = [0, *list_sentence_starts(words), len(words)]
        for start, end in pairwise(bounds):
            part = words[start:end].strip()
            long_words = _LONG_WORD.findall(part)
            is_sentence = part.endswith((".", "!", "?"))
            is_title = len(long_words) > 1 and not is_sentence and all(word[0].isupper() for word in long_words)
            is_capitals = part.isupper() and len(part.split()) > 1
            if part:
                found.append(Sentence(part, block.heading or is_title or is_capitals))
    return found


def list_sentence_starts(text: str) -> list[int]:
    """List the offsets at which the second and each later sentence of a text begin."""
    starts = [0]
    for match in _SENTENCE_BOUNDARY.finditer(text):
        before = text[max(starts[-1], match.start() - 12) : match.start()]  # 12 characters hold any abbreviation
        if not _ABBREVIATION.search(before) and not _SMALL_START.match(text, match.end()):
            starts.append(match.end())
    return starts[1:]


def strip_headline(text: str) -> str:
    """Return a Markdown text without its first line if that is a heading of level 1."""
    return _HEADLINE.sub("", text)


def format_numbered_list(points: Iterable[str]) -> str:
    """Format points as a numbered list for a prompt, one per line."""
    return "\n".join(f"{number}. {point}" for number, point in enumerate(points, start=1))


def list_points(text: str) -> list[str]:
    """List the paragraphs, list items and table cells with words of a Markdown text, each on one line; no headings."""
    return [block.text for block in split_blocks(text) if not block.heading and has_words(block.text)]


def split_at_labels(text: str, labels: Mapping[str, str]) -> dict[str, str]:
    """Return the parts of a text by name, split at lines that match a part's pattern, alone or before a colon.

    A label may be a heading, bold or plain; `labels` are their patterns by the names of the parts. The
    result has the text of each part by its name, the last one if a label occurs twice. Text before all labels has the
    empty name.
    """
    pattern = "|".join(f"(?P<{name}>{label})" for name, label in labels.items())
    mark = r"(?:\#+[ \t]*|(?:\d+[.)][ \t]*)?[*_]{2})(?:\d+[.)][ \t]*)?[*_]*"  # with a number before or after it
    line = re.compile(rf"^[ \t]*(?:{mark})?(?:{pattern})[*_]*(?::[*_]*|[ \t]*$)", re.IGNORECASE | re.MULTILINE)
    found = list(line.finditer(text))
    starts = [*(match.start() for match in found), len(text)]
    parts = {str(match.lastgroup): text[match.end() : end] for match, end in zip(found, starts[1:], strict=True)}
    return {name: part.strip() for name, part in {"": text[: starts[0]], **parts}.items()}


def has_words(text: str) -> bool:
    """Return whether a text has two letters in a row, and not only marks, numbers and initials."""
    return bool(_WORD.search(text))


def find_occurrences(text: str, piece: str) -> list[re.Match[str]]:
    """List the matches of a piece as whole words, across any white space; in another case only if none is exact."""
    pattern = _build_words_pattern(piece)
    return list(re.finditer(pattern, text)) or list(re.finditer(pattern, text, re.IGNORECASE))


def _build_words_pattern(piece: str) -> str:
    """Return a regular expression for the words of a piece as whole words, across any white space."""
    words = piece.split()
    if not words:
        return "(?!)"  # matches nothing
    before = r"(?<!\w)" if words[0][0].isalnum() else ""
    after = r"(?!\w)" if words[-1][-1].isalnum() else ""
    return before + r"\s+".join(map(re.escape, words)) + after


def find_verbatim_matches(text: str, piece: str) -> list[re.Match[str]]:
    """List the matches of a piece as whole words in its case, or with a capital at the start of a sentence."""
    words = " ".join(piece.split())
    matches: list[re.Match[str]] = []
    for match in re.finditer(_build_words_pattern(piece), text, re.IGNORECASE):
        found = " ".join(match[0].split())
        if found == words or (found == _capitalize_first(words) and _is_sentence_start(text[: match.start()])):
            matches.append(match)
    return matches


def replace_verbatim(text: str, original: str, replacement: str) -> str:
    """Replace each occurrence of a piece as whole words; a capital at the start of a sentence is kept."""
    replacement = replacement.strip()
    # From the end, so that the offsets of the earlier matches stay valid.
    for match in reversed(find_verbatim_matches(text, original)):
        head, begins = text[: match.start()], match[0][:1].isupper()
        capital = begins and _is_sentence_start(head)
        text = head + (_capitalize_first(replacement) if capital else replacement) + text[match.end() :]
    return text


def remove_verbatim(text: str, piece: str) -> str:
    """Return a text without the occurrences of a piece, and with white space, commas and capitals repaired."""
    for match in reversed(find_verbatim_matches(text, piece)):
        head, tail = text[: match.start()], text[match.end() :]
        text = head + (_capitalize_first(tail.lstrip(" ,;:")) if _is_sentence_start(head) else tail)
    for pattern, replacement in _REMOVAL_REPAIRS:
        text = pattern.sub(replacement, text)
    return text.strip()


def _is_sentence_start(head: str) -> bool:
    """Return whether a new sentence begins after `head`: it is blank, or ends in a line end, `.`, `!` or `?`."""
    return not head.strip() or head.endswith("\n") or head.rstrip().rstrip("\"'”’)]").endswith((".", "!", "?"))


def _capitalize_first(text: str) -> str:
    """Return a text with its first letter as a capital; the others stay."""
    return text[:1].upper() + text[1:]


class DiffSegment(NamedTuple):
    """A piece of one or both of two texts: unchanged, removed from the first, or added in the second."""

    kind: Literal["same", "removed", "added"]
    text: str


def diff_words(before: str, after: str) -> list[DiffSegment]:
    """Compare two texts word by word, and list the unchanged, removed and added segments in order.

    All but the `added` ones join to `before`, all but the `removed` ones to `after`. A single unchanged word between
    changes counts as changed.
    """
    # Words keep the white space around them, so that the segments join to the texts again.
    old, new = (re.findall(r"\s*\S+\s*", text) for text in (before, after))
    segments: list[DiffSegment] = []
    removed, added = "", ""
    for operation, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        is_outer = a == 0 or b == len(old)
        if operation != "equal" or (b - a < MIN_UNCHANGED_WORDS and not is_outer):
            removed, added = removed + "".join(old[a:b]), added + "".join(new[c:d])
            continue
        segments += [DiffSegment("removed", removed), DiffSegment("added", added)]
        segments.append(DiffSegment("same", "".join(new[c:d])))
        removed, added = "", ""
    segments += [DiffSegment("removed", removed), DiffSegment("added", added)]
    return [segment for segment in segments if segment.text]
