"""What the paper refers to in itself and what there is: figures and tables.

A sentence that cites another work may speak of that work's figures, so it does not count. Where several
are missing, or one among those that there are, captions were not read, which is told as such.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from state.computed_findings import CheckKind, ComputedFinding
from state.documents import Document
from tools.numbers.statements import Statement, is_prose

# What has a caption with a word and a number.
_CAPTION_WORDS = {"Figure": r"figures?|figs?\.?", "Table": r"tables?|tabs?\.", "Scheme": "schemes?"}
_NUMBER = r"[1-9]\d?(?!\d|\.\d)"  # not A3, S3 or III, which have series of their own
_PANEL = r"(?:[A-Za-z]{1,2}\b)?(?:\s?\([a-z]\))?"
_CITATION = re.compile(
    r"""
    \[\d[\d,;\s–-]*\] | [⁰¹²³⁴⁵⁶⁷⁸⁹]         # [12]
    | \[[A-Za-z][\w:.+/-]*\d[\w:.+/-]*\]       # [adams2011]
    | (?<![\w.])@[\w{]                          # [@doi:10.1145/3132847; @adams]
    | [a-z][.,(]*[ ]\(?(?:19|20)\d\d[a-z]?[);,]   # Adams et al. (2011), (Adams, 2011)
    | \bet[ ]al\b | \bref(?:s\.|\.|erence)[ ]
    """,
    re.VERBOSE,
)
# What stands before the name of what is not in this paper; a number is that of a cited work: `see 35, Figure 6`.
_OTHER_WORK_BEFORE = re.compile(
    r"(?:their|his|her|’s|'s|\d,?|original|supp\w*\.?|additional|extended(?: data)?|online|web|appendix|SI)\s\(?$",
    re.IGNORECASE,
)
_OTHER_WORK_AFTER = re.compile(
    r"\s?\(?[a-z]?\)?\s(?:of|in|from)\s(?:the\s)?(?:[A-Z]|ref|original|previous|their|supplement|appendix|online|law|act)"
)
_MAX_HEADING_CHARACTERS = 120  # characters
_MAX_MISSING_CAPTIONS = 1  # more are missing where captions were not read
_UNMARKED_FORMATS = {"pdf", "text"}  # formats in which one that is missing was hardly read


def check_cross_references(document: Document, parts: Sequence[Statement]) -> tuple[list[ComputedFinding], list[str]]:
    """Return findings about what the text refers to in its own paper, and what was not read of that."""
    pictures = [each["text"] for each in document["hidden"] if each["reason"] == "alternative text"]
    texts = [*_list_headings(document, parts), *pictures, *(part.paragraph["text"].replace("*", " ") for part in parts)]
    most = 0 if document["format"] in _UNMARKED_FORMATS else _MAX_MISSING_CAPTIONS
    # LaTeX itself warns of labels that it does not find; a source of which some are missing is a part of one.
    found, unread = [] if document["format"] == "latex" else list(_find_unresolved_labels(parts)), list[str]()
    for kind in _CAPTION_WORDS:
        captions = {int(match[1]) for text in texts if (match := _match_caption(kind, text))}
        missing = _find_missing_captions(kind, parts, captions) if captions else {}
        if len(missing) > most or any(number < max(captions) for number in missing):
            unread.append(f"no caption was read of {kind} {', '.join(map(str, sorted(missing)))}")
        else:
            found += missing.values()
    return found, unread


def _list_headings(document: Document, parts: Sequence[Statement]) -> set[str]:
    """Headings without the marks of Markdown; in formats without marks every short line may be one."""
    is_unmarked = document["format"] in _UNMARKED_FORMATS
    lines = {line for line in document["text"].split("\n") if is_unmarked or line[:1] in "#*"}
    named = {*lines, document["title"], *(part.paragraph["section"] for part in parts)}
    return {line.strip("#* ") for line in named if len(line) < _MAX_HEADING_CHARACTERS}


def _find_missing_captions(
    kind: str, parts: Sequence[Statement], captions: Collection[int]
) -> dict[int, ComputedFinding]:
    """Return a finding for each number that the text refers to and no caption has."""
    missing = dict[int, ComputedFinding]()
    for number, part, place in _find_mentions(kind, parts):
        if number not in captions:
            why = f"{kind} {number} is referred to; the captions are those up to {kind} {max(captions)}"
            consistent = f"the name of one that exists, or {kind} {number} itself"
            finding = part.build_finding("figure or table", "medium", place, computation=why, consistent=consistent)
            missing.setdefault(number, finding)
    return missing


def _match_caption(kind: str, text: str) -> re.Match[str] | None:
    return re.match(rf"\s*(?i:{_CAPTION_WORDS[kind]})\s({_NUMBER})(?:\s?[.:|]|\s[–—-]\s|\s[A-Z(]|\s*$)", text)


def _find_mentions(kind: str, parts: Sequence[Statement]) -> Iterator[tuple[int, Statement, tuple[int, int]]]:
    """Numbers that the text certainly refers to in this paper, but for its captions, and where."""
    number = rf"{_NUMBER}{_PANEL}(?!-\d|\s?[%°])"
    several = rf"{number}(?:\s?(?:,? and|,? or|,|–|-|&|to|through)\s?{number})*"
    pattern = re.compile(rf"(?<!\w)(?P<word>(?i:{_CAPTION_WORDS[kind]}))\s?(?:~|\()?(?P<list>{several})")
    for part in parts:
        for match in pattern.finditer(part.text):
            if (match.start() <= 1 and _match_caption(kind, part.text)) or not _is_internal_reference(part, match):
                continue
            is_plural = match["word"].rstrip(".").endswith("s")  # the 12 of `in Table 1, 12 of them` is no table's
            for told in list(_parse_mentioned_numbers(match["list"]))[: None if is_plural else 1]:
                yield told, part, match.span()


def _parse_mentioned_numbers(text: str) -> Iterator[int]:
    """`1, 3–5 and 7a` as numbers, without the letters of panels."""
    for first, last in re.findall(rf"({_NUMBER}){_PANEL}(?:\s?(?:–|-|to|through)\s?({_NUMBER}))?", text):
        yield from range(int(first), max(int(first), int(last or first)) + 1)


def _is_internal_reference(part: Statement, match: re.Match[str]) -> bool:
    """Whether nothing says that a figure or table is that of another work."""
    before, sentence = part.text[: match.start()], part.text[slice(*part.find_sentence_span(match.start()))]
    another = _OTHER_WORK_BEFORE.search(before[-20:]) or _OTHER_WORK_AFTER.match(part.text, match.end())
    return is_prose(part) and not another and not _CITATION.search(sentence)


_UNRESOLVED = re.compile(  # Figure ??, (Section ??), [?]
    r"(?P<word>fig(?:ure|\.)?|tab(?:le|\.)|sec(?:tion|\.)|appendix|theorem|lemma)s?\s?~?[(\[]?\?\?|\[\?\]",
    re.IGNORECASE,
)


def _find_unresolved_labels(parts: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """Find what LaTeX prints for a label or key that there is not."""
    for part in (part for part in parts if not part.row):
        for match in _UNRESOLVED.finditer(part.text):
            kind: CheckKind = "section" if match["word"] else "citation"
            kind = "figure or table" if match[0].lower().startswith(("fig", "tab")) else kind
            why, consistent = "the source does not define this label or key", "the name of one that exists"
            yield part.build_finding(kind, "medium", match.span(), computation=why, consistent=consistent)
