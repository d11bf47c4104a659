"""Flaws that have to be read: something that a claim needs is taken out, or it says more than it may.

Each planter offers edits that leave a whole sentence. Beside it stands what must hold of the paragraph afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Final

from evals.flaws.plant import Edit, OpenPaper, OpenParagraph, sentence_at, sentence_span

_METHODS: Final = re.compile(
    r"method|material|procedure|protocol|experiment|prepar|assay|culture|design|participants|sampl|analys",
    re.IGNORECASE,
)
_NOT_RESULTS: Final = re.compile(
    r"introduction|background|method|material|procedure|protocol|consent|availab|acknowl", re.IGNORECASE
)
_CITED: Final = re.compile(
    r" \((?:[^()]*, )?[^()]*\b(?:19|20)\d\d[a-z]?[^()]*\)"
    r"| \[\d[\d, –-]*\]"
    r"|(?<=[a-z)”\"’]) \d{1,3}(?:(?: ?, ?| ?[–-] ?)\d{1,3})* (?=[.,;])"
)
"""References in the text: (Author, 2005), [12], or the numbers that were raised above the line, " 12, 13 ."."""

_SETTING: Final = re.compile(
    r"(?<=\w) (?P<phrase>(?:at|for) (?:room temperature|overnight|(?:approximately |about )?[−-]?\d[\d,.]*"
    r"(?:[–-]\d+)? ?(?:° ?C|× ?g|x ?g|rpm|min|minutes?|h|hours?|hrs|s|seconds?|days|weeks|months|V|µM|mM)))"
    r"(?=[ .,;)])(?! (?:to|and|or|each|after|before|per|of) )"
)
_MOST_SETTINGS: Final = 3
"""Of a sentence; one with more is a list of them, where a gap shows."""
_SIZE: Final = re.compile(r" \([nN] ?= ?\d[\d,]*\)")
_COUNTED: Final = re.compile(
    r"\b(?:recruited|enrolled|included|interviewed|randomi[sz]ed|analy[sz]ed|studied|surveyed|examined|collected|"
    r"obtained|used|tested|screened|identified) (?P<value>(?:a total of )?\d[\d,]* )(?=(?:[a-z-]+ )?[a-z]{4,}s\b)"
)


def removed_settings(_: OpenPaper, paragraph: OpenParagraph, __: Random) -> Iterator[Edit]:
    """A temperature, a time or a speed that stands nowhere else in the paragraph, or a number of cases, cut out."""
    text = paragraph.text
    if _METHODS.search(paragraph.section):
        for match in _SETTING.finditer(text):
            settings = _SETTING.findall(sentence_at(text, match.start()))
            if text.count(match["phrase"]) == 1 and len(settings) <= _MOST_SETTINGS:
                yield Edit(match.start(), match.end(), "")
    for match in _SIZE.finditer(text):
        yield Edit(match.start(), match.end(), "")
    for match in _COUNTED.finditer(text):
        yield Edit(match.start("value"), match.end("value"), "")


def setting_is_missing(paper: OpenPaper, paragraph: OpenParagraph, edit: Edit) -> bool:
    """Whether what was cut out is not said anywhere else: a setting in the paragraph, a number in the paper."""
    text = edit.of(paragraph.text)
    removed = paragraph.text[edit.start : edit.end].strip()
    if removed.startswith(("at ", "for ")):
        return removed not in text
    number = "".join(re.findall(r"[\d,]+", removed))
    said = re.compile(rf"(?<![\w.,]){re.escape(number)}(?![\w,.]\d|\w|%)")
    return not any(said.search(each) for each in (text, *paper.others(paragraph)))


_HOW: Final = r"(?:(?:\w+ly|closely|well) )?"
_CAUSAL: Final = [
    (re.compile(rf"\b(?:was|were) {_HOW}(?:associated|correlated) with (?!\d)"), "led to "),
    (re.compile(rf"\bis {_HOW}(?:associated|correlated) with "), "leads to "),
    (re.compile(rf"\bare {_HOW}(?:associated|correlated) with "), "lead to "),
    (re.compile(rf"\bcorrelates {_HOW}with "), "determines "),
    (re.compile(rf"\bcorrelate {_HOW}with "), "determine "),
    (re.compile(rf"(?<!,) (?<!was )(?<!were )(?<!is )(?<!are )correlated {_HOW}with "), " determined "),
]
_BETWEEN: Final = re.compile(
    r"\b(?P<article>[Aa]n?) (?P<how>(?:[a-z]+ )?)(?:association|correlation|relationship|link)s? between "
    r"(?P<one>[^.,;()]{3,70}?) and (?P<other>[^.,;()]{3,70}?)(?=[.,;]| \(| \d| was| were| is| in | that )"
)
_NEGATED: Final = re.compile(
    r"\b(?:not|no|nor|neither|without|whether|if|may|might|could|fail\w*|lack\w*)\b[^.]{0,25}$|n't\b[^.]{0,25}$",
    re.IGNORECASE,
)
_CORRELATIONAL: Final = re.compile(r"associat|correlat|relationship", re.IGNORECASE)
_NOT_CLAIMED: Final = re.compile(
    r"\b(?:test|assess|investigat|examin|model|explor|determin|measur|evaluat|analy[sz]|calculat|understand)\w*\b",
    re.IGNORECASE,
)


def causal_words(_: OpenPaper, paragraph: OpenParagraph, __: Random) -> Iterator[Edit]:
    """An association of the paper's own, told as a cause."""
    if _NOT_RESULTS.search(paragraph.section):
        return
    text = paragraph.text
    for pattern, words in _CAUSAL:
        for match in pattern.finditer(text):
            if _is_own_claim(text, match.start()):
                yield Edit(match.start(), match.end(), words)
    for match in _BETWEEN.finditer(text):
        if _is_own_claim(text, match.start()) and " and " not in match["one"]:
            article = (
                f"{match['article']}n" if not match["how"] and match["article"] in {"a", "A"} else match["article"]
            )
            words = f"{article} {match['how']}effect of {match['one']} on {match['other']}"
            yield Edit(match.start(), match.end(), words)


def _is_own_claim(text: str, at: int) -> bool:
    start, end = sentence_span(text, at)
    before, sentence = text[start:at], text[start:end]
    return not (_NEGATED.search(before) or _CITED.search(sentence) or _NOT_CLAIMED.search(before))


def cause_is_claimed(_: OpenPaper, paragraph: OpenParagraph, edit: Edit) -> bool:
    """Whether the sentence no longer says that it is an association."""
    said = sentence_at(edit.of(paragraph.text), edit.start + 1)
    return edit.words.strip() in said and not _CORRELATIONAL.search(said)


_RATHER: Final = (
    r"\b(?:high|low|increas|decreas|reduc|great|less|more|fast|slow|bett|wors|enhanc|elevat|improv|few|long|short|larg|small|"
    r"significant|strong|weak|impair|delay|upregulat|downregulat|up-regulat|down-regulat)"
)
_COMPARED: Final = (
    r"(?:as |when |if )?compared (?:with|to)|in comparison (?:with|to)|"
    r"than (?:in|for|that of|those (?:of|in|with|who)|with|at|the|did|do|those)"
)
_AFTER: Final = re.compile(
    rf"(?P<before>,?) (?:{_COMPARED}) (?P<other>[^.,;:()]{{3,90}}?)"
    r"(?P<after>(?<!\b[A-Z])[.](?!\d)|[;)]|, (?=and|but|while|whereas|with|suggest|indicat|consistent|as)|"
    r" (?=\([^)]*\)[.,;]))"
)
_OTHER: Final = r"(?P<other>[^.,;:()]{3,70})"
_BEFORE: Final = re.compile(
    rf"(?P<phrase>(?:When compared|Compared|In comparison) (?:with|to) {_OTHER}, )(?P<next>[a-z])"
)
_COMPARING: Final = re.compile(r"compar|\bthan\b|relative to|\bversus\b|\bvs\b|as opposed|control", re.IGNORECASE)


def removed_comparisons(_: OpenPaper, paragraph: OpenParagraph, __: Random) -> Iterator[Edit]:
    """What a result is compared with, cut out."""
    if _NOT_RESULTS.search(paragraph.section):
        return
    text = paragraph.text
    for match in _AFTER.finditer(text):
        if re.search(_RATHER, sentence_at(text, match.start())):
            yield Edit(match.start(), match.start("after"), "")
    for match in _BEFORE.finditer(text):
        if re.search(_RATHER, sentence_at(text, match.start())):
            yield Edit(match.start(), match.end(), match["next"].upper())


def nothing_is_compared(_: OpenPaper, paragraph: OpenParagraph, edit: Edit) -> bool:
    """Whether the sentence still says what is more or less, and no longer than what."""
    said = sentence_at(edit.of(paragraph.text), edit.start)
    return bool(re.search(_RATHER, said)) and not _COMPARING.search(said)


_EARLIER: Final = "[Oo]ther|[Ee]xisting|[Pp]revious|[Cc]urrent|[Ee]arlier"
_NOVEL: Final = re.compile(
    r"\b(?:for the first time|never been|[Ff]ew studies|"
    r"(?:the|a) first (?:\w+ )?(?:report|study|description|case|evidence|demonstration|example|tool|method)|"
    r"to (?:the best of )?(?:our|my|the authors[’']) knowledge|"
    r"[Uu]nlike (?:previous|other|existing|earlier|most|many)|[Mm]ost (?:previous|other) |"
    r"(?:[Ii]n contrast|[Cc]ontrary) to (?:previous|other|earlier|existing|prior|most|what|our)|"
    r"(?:[Cc]ontrasts? with|[Dd]iffers? from) (?:previous|other|earlier)|"
    r"not (?:yet |previously )?been (?:reported|described|studied|investigated|explored|shown|observed)|"
    r"previously (?:unknown|unreported|undescribed|unrecogni[sz]ed)|"
    rf"(?:{_EARLIER}) (?:tools|methods|approaches|packages|software)|"
    r"(?:[Ww]e|[Oo]ur|[Hh]ere|[Tt]his) [^.]*\b(?:new|novel) (?:\w+ )?(?:method|approach|tool|software|way|class|"
    r"mechanism|role|finding|strategy|algorithm|species|target|gene|protein)s?)\b"
)


def uncited_novelty(_: OpenPaper, paragraph: OpenParagraph, __: Random) -> Iterator[Edit]:
    """The only reference of a sentence that says what is new, or how it differs from what there was, cut out."""
    if _METHODS.search(paragraph.section):
        return
    text = paragraph.text
    for match in _CITED.finditer(text):
        sentence = sentence_at(text, match.start() + 1)
        if _NOVEL.search(sentence) and len(_CITED.findall(sentence)) == 1:
            yield Edit(match.start(), match.end(), "")


def novelty_is_uncited(_: OpenPaper, paragraph: OpenParagraph, edit: Edit) -> bool:
    """Whether the sentence still says that something is new or different, and names no work."""
    said = sentence_at(edit.of(paragraph.text), max(edit.start - 1, 0))
    return (
        bool(_NOVEL.search(said)) and not re.search(r"\b(?:19|20)\d\d\b|et al|\[\d", said) and not _CITED.search(said)
    )


_HEDGED: Final = {
    "suggests that": ("proves that", "establishes that", "leaves no doubt that"),
    "suggest that": ("prove that", "establish that", "leave no doubt that"),
    "indicates that": ("proves that", "establishes that", "leaves no doubt that"),
    "indicate that": ("prove that", "establish that", "leave no doubt that"),
    "suggested that": ("proved that", "established that", "left no doubt that"),
}
_SUGGEST: Final = re.compile(
    r"(?<!may )(?<!might )(?<!could )(?<!would )(?<!strongly )(?<!to )\b(?:" + "|".join(_HEDGED) + r")\b"
)
_OURS: Final = re.compile(
    r"\b(?:[Oo]ur|[Tt]hese|[Tt]his|[Tt]he present|[Tt]he) (?:\w+ ){0,2}(?:results?|findings?|data|stud(?:y|ies)|"
    r"observations?|analys[ie]s|evidence|experiments?|work|case|measurements?)\b"
)
_HEDGE: Final = re.compile(
    r"\b(?:may|might|could|can|possibl[ey]|likely|unlikely|probabl[ey]|perhaps|potential\w*|suggest\w*|indicat\w*|"
    r"appear\w*|seem\w*|would|should)\b"
)


def overstated_conclusions(_: OpenPaper, paragraph: OpenParagraph, lot: Random) -> Iterator[Edit]:
    """A conclusion that the authors only suggest, told as proved."""
    if _NOT_RESULTS.search(paragraph.section):
        return
    for match in _SUGGEST.finditer(paragraph.text):
        start, end = sentence_span(paragraph.text, match.start())
        if _OURS.search(paragraph.text[start : match.start()]) and not _CITED.search(paragraph.text[start:end]):
            yield Edit(match.start(), match.end(), lot.choice(_HEDGED[match[0]]))


def conclusion_is_certain(_: OpenPaper, paragraph: OpenParagraph, edit: Edit) -> bool:
    """Whether nothing in the sentence leaves the conclusion open."""
    said = sentence_at(edit.of(paragraph.text), edit.start)
    return edit.words in said and not _HEDGE.search(said)


_STUDY: Final = "stud(?:y|ies)|analys[ie]s|cohorts?|trials?|designs?|reviews?|surveys?|data|assessment"
_BODY: Final = "mice|rats?|patients?|participants?|animals?|adults?|subjects?|fish|flies|newts?|respondents?|students?"
_PAIRS: Final = [
    ("retrospective", "prospective", _STUDY),
    ("cross-sectional", "longitudinal", _STUDY),
    ("double-blind", "open-label", _STUDY),
    ("quantitative", "qualitative", _STUDY),
    ("multivariate", "univariate", r"\w+"),
    ("two-tailed", "one-tailed", r"\w+"),
    ("two-sided", "one-sided", r"\w+"),
    ("unpaired", "paired", r"\w+"),
    ("parametric", "non-parametric", r"\w+"),
    ("supervised", "unsupervised", r"\w+"),
    ("linear", "logistic", "regressions?|models?"),
    ("mean", "median", r"\w+"),
    ("semi-structured", "structured", "interviews?|questionnaires?"),
    ("male", "female", _BODY),
    ("adult", "juvenile", _BODY),
    ("urban", "rural", r"\w+"),
    ("daily", "weekly", r"\w+"),
    ("dorsal", "ventral", r"\w+"),
    ("anterior", "posterior", r"\w+"),
    ("left", "right", "[a-z]+"),
    ("bilateral", "unilateral", r"\w+"),
    ("N-terminal", "C-terminal", r"\w+"),
    ("monoclonal", "polyclonal", r"\w+"),
    ("aerobic", "anaerobic", r"\w+"),
    ("oral", "intravenous", r"\w+"),
    ("single-end", "paired-end", r"\w+"),
]
_OPPOSITE: Final = {**{one: other for one, other, _ in _PAIRS}, **{other: one for one, other, _ in _PAIRS}}
_TERM: Final = re.compile(
    r"(?<![\w-])(?:"
    + "|".join(rf"(?:{re.escape(one)}|{re.escape(other)}) (?:{noun})" for one, other, noun in _PAIRS)
    + r")(?![\w-])"
)
_DONE: Final = re.compile(rf"{_METHODS.pattern}|result|case|implementation|data|selection", re.IGNORECASE)
_NOT_DONE: Final = re.compile(r"abstract|introduction|background|discussion|conclusion|differential", re.IGNORECASE)
_NO_NOUN: Final = re.compile(
    r"and|or|to|of|in|as|for|the|a|is|are|was|by|with|that|than|from|were|this|they|their|have|been|when|which|other|"
    r"each|into|over"
)


def contradicting_steps(paper: OpenPaper, paragraph: OpenParagraph, _: Random) -> Iterator[Edit]:
    """How something was done, which another paragraph says too, turned into its opposite."""
    if not _DONE.search(paragraph.section) or _NOT_DONE.search(paragraph.section):
        return
    for match in _TERM.finditer(paragraph.text):
        term, noun = match[0].split(" ", 1)
        if (
            not _NO_NOUN.fullmatch(noun)
            and paragraph.text.count(term) == 1
            and any(match[0] in each for each in paper.others(paragraph))
        ):
            yield Edit(match.start(), match.start() + len(term), _OPPOSITE[term])


def step_contradicts(paper: OpenPaper, paragraph: OpenParagraph, edit: Edit) -> bool:
    """Whether another paragraph still says what this one said, and the paper said the opposite nowhere."""
    match = _TERM.match(paragraph.text, edit.start)
    if match is None:
        return False
    noun = re.escape(match[0].split(" ", 1)[1])
    said = re.compile(rf"(?<![\w-]){re.escape(match[0])}\b")
    opposite = re.compile(rf"(?<![\w-]){re.escape(edit.words)}", re.IGNORECASE)
    others = paper.others(paragraph)
    return (
        any(said.search(each) for each in others)
        and not any(re.search(rf"{opposite.pattern} {noun}", each, re.IGNORECASE) for each in others)
        and not opposite.search(paragraph.text)
    )
