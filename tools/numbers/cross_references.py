"""Find references to figures, tables and labels that a paper does not have.

Sentences that cite another work are left out, since they may speak of that work's figures. If several captions are
missing, or one between others, the captions were not read completely; this is reported as unread.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from state.computed_findings import CheckKind, ComputedFinding
from state.documents import Document
from tools.numbers.statements import Statement, is_prose

_CAPTION_WORDS = {"Figure": r"figures?|figs?\.?", "Table": r"tables?|tabs?\.", "Scheme": "schemes?"}
_NUMBER = r"[1-9]\d?(?!\d|\.\d)"  # A3, S3 and III are numbered separately
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
# Words around the name of a figure of another work; a number is that of a citation: `see 35, Figure 6`.
_OTHER_WORK_BEFORE = re.compile(
    r"(?:their|his|her|’s|'s|\d,?|original|supp\w*\.?|additional|extended(?: data)?|online|web|appendix|SI)\s\(?$",
    re.IGNORECASE,
)
_OTHER_WORK_AFTER = re.compile(
    r"\s?\(?[a-z]?\)?\s(?:of|in|from)\s(?:the\s)?(?:[A-Z]|ref|original|previous|their|supplement|appendix|online|law|act)"
)
_UNRESOLVED = re.compile(  # Figure ??, (Section ??), [?]
    r"(?P<word>fig(?:ure|\.)?|tab(?:le|\.)|sec(?:tion|\.)|appendix|theorem|lemma)s?\s?~?[(\[]?\?\?|\[\?\]",
    re.IGNORECASE,
)
_MAX_HEADING_CHARACTERS = 120
_MAX_MISSING_CAPTIONS = 1  # if more are missing, captions were not read
_UNMARKED_FORMATS = {"pdf", "text"}  # here even a single missing caption was probably not read


def check_cross_references(
    document: Document, statements: Sequence[Statement]
) -> tuple[list[ComputedFinding], list[str]]:
    """Return findings about missing figures, tables and labels, and messages about unread captions, as a pair."""
    # 1. Collect the texts that may be captions. In formats without marks every short line may be a heading.
    is_unmarked = document["format"] in _UNMARKED_FORMATS
    lines = {line for line in document["text"].split("\n") if is_unmarked or line[:1] in "#*"}
    headings = {*lines, document["title"], *(part.paragraph["section"] for part in statements)}
    texts = [line.strip("#* ") for line in headings if len(line) < _MAX_HEADING_CHARACTERS]
    texts += [each["text"] for each in document["hidden"] if each["reason"] == "alternative text"]
    texts += [part.paragraph["text"].replace("*", " ") for part in statements]

    # 2. Find the question marks that LaTeX prints for an undefined label or key. A source in LaTeX is left out: LaTeX
    # itself warns of undefined labels, and a source in which some are undefined is a part of a document.
    found, unread = list[ComputedFinding](), list[str]()
    for part in () if document["format"] == "latex" else (part for part in statements if not part.row):
        for mark in _UNRESOLVED.finditer(part.text):
            kind: CheckKind = "section" if mark["word"] else "citation"
            kind = "figure or table" if mark[0].lower().startswith(("fig", "tab")) else kind
            why, consistent = "the source does not define this label or key", "the name of one that exists"
            found.append(part.build_finding(kind, "medium", mark.span(), computation=why, consistent=consistent))

    # 3. Look for the captions of the figures and tables that the text mentions.
    most = 0 if is_unmarked else _MAX_MISSING_CAPTIONS
    for name in _CAPTION_WORDS:
        captions = {int(match[1]) for text in texts if (match := _match_caption(name, text))}
        missing = dict[int, ComputedFinding]()
        for number, part, place in _find_mentions(name, statements) if captions else ():
            if number not in captions:
                why = f"{name} {number} is referred to; the captions are those up to {name} {max(captions)}"
                consistent = f"the name of one that exists, or {name} {number} itself"
                finding = part.build_finding("figure or table", "medium", place, computation=why, consistent=consistent)
                missing.setdefault(number, finding)
        if len(missing) > most or any(number < max(captions) for number in missing):
            unread.append(f"no caption was read of {name} {', '.join(map(str, sorted(missing)))}")
        else:
            found += missing.values()
    return found, unread


def _match_caption(kind: str, text: str) -> re.Match[str] | None:
    """Match a text that begins like a caption of a kind, with its number as group 1; None if it does not."""
    return re.match(rf"\s*(?i:{_CAPTION_WORDS[kind]})\s({_NUMBER})(?:\s?[.:|]|\s[–—-]\s|\s[A-Z(]|\s*$)", text)


def _find_mentions(kind: str, statements: Sequence[Statement]) -> Iterator[tuple[int, Statement, tuple[int, int]]]:
    """Yield number, statement and span of each sure mention of the paper's own figures or tables, captions aside."""
    number = rf"{_NUMBER}{_PANEL}(?!-\d|\s?[%°])"
    several = rf"{number}(?:\s?(?:,? and|,? or|,|–|-|&|to|through)\s?{number})*"
    pattern = re.compile(rf"(?<!\w)(?P<word>(?i:{_CAPTION_WORDS[kind]}))\s?(?:~|\()?(?P<list>{several})")
    for part in statements:
        for match in pattern.finditer(part.text):
            is_caption = match.start() <= 1 and _match_caption(kind, part.text)
            # Words around it, or a citation in its sentence, may assign it to another work.
            before, sentence = part.text[: match.start()], part.text[slice(*part.find_sentence_span(match.start()))]
            another = _OTHER_WORK_BEFORE.search(before[-20:]) or _OTHER_WORK_AFTER.match(part.text, match.end())
            if is_caption or not is_prose(part) or another or _CITATION.search(sentence):
                continue
            ranges = re.findall(rf"({_NUMBER}){_PANEL}(?:\s?(?:–|-|to|through)\s?({_NUMBER}))?", match["list"])
            numbers = [each for ends in ranges for each in list_range(*ends)]
            # Behind a singular only the first counts: the 12 of `in Table 1, 12 of them` is no table's.
            for each in numbers if match["word"].rstrip(".").endswith("s") else numbers[:1]:
                yield each, part, match.span()


def list_range(first: str, last: str) -> range:
    """Return the range of whole numbers from the first to the last, or of the first alone if there is no later one."""
    return range(int(first), max(int(first), int(last or first)) + 1)
