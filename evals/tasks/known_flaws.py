"""Who finds known flaws: one planted by code in a paragraph of an open paper, beside the same paragraph without it.

Systems of focused feedback are given the paragraph and its paper, or the paper alone; `draftroom check` is given the
paper. What they name counts as FLAWS counts it (`evals.metrics.localization`), among the first 1, 3 or 10 excerpts. The
excerpts of a comment are its quote, where it has one, and then the words of the paragraph that stand in quotation marks
in its text. One that quotes nothing stands for the sentence of the paragraph that shares most words with it. A weakness
detector's candidates come after the comments; what was computed, where it is an extension, comes before them.

Flaws that can be computed and textual ones are two corpora, so they are never added up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, partial
from random import Random
from typing import Final, NamedTuple

from evals.datasets.flaws import COMPUTABLE_FLAWS, TEXTUAL_FLAWS
from evals.flaws.plant import COMPUTABLE, FLAW_KINDS, FlawKind
from evals.metrics.localization import FlawPlace, names, words
from evals.task import EvaluatedSystem, Item, Measure, Row, Table, Task, as_text
from evals.tasks.focused_feedback import COSTS, SYSTEMS, transcript, with_extensions
from graphs.baselines import single_model_builder
from runs.many import Record
from state.computed_findings import SEVERITIES, CheckKind, ComputedFinding
from state.extensions import FEEDBACK_EXTENSIONS
from state.feedback import FeedbackInput
from state.settings import FEEDBACK_ROLES
from tools.checks.quotes import locate
from tools.consistency import check_paper
from tools.documents.structure import outline
from tools.documents.web_pages import markdown_parts
from tools.text import sentences

_OF_PAPER: Final = "paper-"
"""How the names of rows begin that are given no paragraph."""
_CHECKS_OF: Final[dict[str, set[CheckKind]]] = {
    "changed number": {"one number, two values"},
    "wrong percentage": {"percentage", "sum of parts"},
    "wrong p-value": {"test and p-value", "interval and p-value"},
    "wrong estimate": {"estimate and interval", "ratio interval", "interval and p-value"},
}
"""Kinds of findings that are right for a flaw."""


class Named(NamedTuple):
    """Words of a paper that a system calls weak."""

    excerpt: str
    right_type: bool


def _paragraph(sample: Record) -> FeedbackInput:
    return FeedbackInput(paper=as_text(sample["paper"]), text=sample["paragraph"])


def _paper(sample: Record) -> FeedbackInput:
    return FeedbackInput(paper=as_text(sample["paper"]))


_UNCHECKED: Final = ",".join(
    name for name, extension in FEEDBACK_EXTENSIONS.items() if extension.default and name != "computed_checks"
)
_DETECT: Final = f"{_UNCHECKED},detect"
_EVALUATED: Final = {
    **SYSTEMS,
    "single-detect": with_extensions(_DETECT, single_model_builder),
    "swif2t-unchecked-extensions": with_extensions(_UNCHECKED),
    "swif2t-detect": with_extensions(_DETECT),
}
_ROWS: Final = {
    "single": "single model",
    "single-detect": "single model, which lists weaknesses first",
    "cove": "chain of verification",
    "swif2t": "SWIF2T",
    "swif2t-unchecked-extensions": "SWIF2T with default extensions but the checks",
    "swif2t-detect": "SWIF2T with default extensions but the checks, which lists weaknesses first",
    "swif2t-default-extensions": "SWIF2T with default extensions, checks among them",
    "swif2t-all-extensions": "SWIF2T with all extensions",
    "as-set": "as the settings say",
}
_WHOLE: Final = ("single", "swif2t", "swif2t-default-extensions", "as-set")
"""Systems that are run on the whole paper, too: they name several excerpts then, in their order."""
FLAW_SYSTEMS: Final[dict[str, EvaluatedSystem]] = {
    **{name: _EVALUATED[name]._replace(request=_paragraph) for name in _ROWS},
    **{f"{_OF_PAPER}{name}": _EVALUATED[name]._replace(request=_paper) for name in _WHOLE},
}


def _raised(sample: Record, output: Record) -> Item | None:
    """What a system says: its comments."""
    texts = (f"{comment['review']} {comment['suggestion']}".strip() for comment in output["comments"])
    return Item(sample, "\n\n".join(texts), output)


def _checked(sample: Record, _: Record) -> Item | None:
    """What `draftroom check` says of the paper, the most severe first."""
    findings = _findings(sample["paper"])
    said = "\n".join(found["computation"] for found in findings)
    return Item(sample, said, {"computed": findings, "comments": [], "reviews": [], "targets": []})


@cache
def _findings(paper: str) -> list[ComputedFinding]:
    found = check_paper(outline(markdown_parts(paper), sha256="", document_format="markdown"))
    return sorted(found, key=lambda each: SEVERITIES.index(each["severity"]))


def _by_lot(sample: Record, _: Record) -> Item | None:
    """A sentence of the paragraph, drawn by lot: what naming some sentence brings."""
    drawn = Random(sample["id"]).choice(sentences(sample["paragraph"])).text  # noqa: S311 - no secret
    return Item(sample, drawn, {"lot": drawn})


def named(item: Item) -> list[Named]:
    """What a system names, each excerpt once: what was computed, then its comments, then what its detector saw."""
    if "lot" in item.output:
        return [Named(item.output["lot"], right_type=False)]
    first: dict[str, Named] = {}
    for each in _of_output(item):
        first.setdefault(each.excerpt, each)
    return list(first.values())


def _of_output(item: Item) -> Iterator[Named]:
    labels, right = item.sample["labels"], _CHECKS_OF.get(item.sample["flaw"], set())
    for finding in item.output.get("computed", []):
        yield Named(finding["quote"], finding["kind"] in right)
    texts = {target["id"]: target["text"] for target in item.output["targets"]}
    for comment in item.output["comments"]:
        for excerpt in excerpts(comment, texts[comment["paragraph"]]):
            yield Named(excerpt, comment["label"] in labels)
    for review in item.output["reviews"]:
        for candidate in review["candidates"]:
            yield Named(candidate["quote"], candidate["label"] in labels)


_QUOTED: Final = re.compile(r"[\"“]([^\"“”]{3,300})[\"”]|(?<!\w)['‘]([^'‘’]{3,300})['’](?!\w)")


def excerpts(comment: Record, paragraph: str) -> list[str]:
    """The words of a paragraph that a comment is about: its quote first, then what its text has in quotation marks.

    Args:
        comment: With its `quote`, `review` and `suggestion`.
        paragraph: That it is on.
    """
    said = f"{comment['review']} {comment['suggestion']}"
    quoted = ("".join(groups) for groups in _QUOTED.findall(said))
    found = [each for each in quoted if locate(each, paragraph, fewest=1)]
    if comment["quote"] or found:
        return [*filter(None, [comment["quote"]]), *found]
    about = set(words(said))
    return [max((each.text for each in sentences(paragraph)), key=lambda each: _shared(each, about))]


def _shared(sentence: str, about: set[str]) -> float:
    found = set(words(sentence))
    return len(found & about) / (len(found) or 1)


def _place(item: Item) -> FlawPlace:
    return FlawPlace(*(item.sample[name] for name in FlawPlace._fields))


def _hit(item: Item, first: int) -> list[Named]:
    """Those of the first few excerpts that are about the place of the flaw."""
    return [each for each in named(item)[:first] if names(each.excerpt, _place(item))]


def _found(first: int, item: Item) -> float | None:
    """Of a flaw: 100 if one of the first few excerpts is about it."""
    return 100.0 * bool(_hit(item, first)) if item.sample["planted"] else None


def _found_of_kind(kind: str, item: Item) -> float | None:
    return _found(10, item) if item.sample["flaw"] == kind else None


def _right_type(item: Item) -> float | None:
    """Of a flaw: 100 if one of the first ten excerpts is about it and says its type."""
    return 100.0 * any(each.right_type for each in _hit(item, 10)) if item.sample["planted"] else None


def _alarm(item: Item) -> float | None:
    """Of a twin: 100 if any words of its paragraph are called weak."""
    if item.sample["planted"]:
        return None
    return 100.0 * any(locate(each.excerpt, item.sample["paragraph"], fewest=1) for each in named(item))


def _same_place(item: Item) -> float | None:
    """Of a twin: 100 if one of the first ten excerpts is about the place where its flaw would be."""
    return None if item.sample["planted"] else 100.0 * bool(_hit(item, 10))


FOUND = [
    *(
        Measure(f"found, k = {first}, %", "higher", partial(_found, first), digits=0, is_share=True)
        for first in (1, 3, 10)
    ),
    Measure("found with its type %", "higher", _right_type, digits=0, is_share=True),
    Measure("alarms on twins %", "lower", _alarm, digits=0, is_share=True),
    Measure("same place in twins %", "lower", _same_place, digits=0, is_share=True),
]
OF_KINDS = {
    kind: Measure(f"{kind}, found %", "higher", partial(_found_of_kind, kind), digits=0, is_share=True)
    for kind in FLAW_KINDS
}

ROWS = [
    Row("lot", "a sentence by lot", _by_lot),
    Row("checks", "checks only", _checked),
    *(Row(name, title, _raised, system=name) for name, title in _ROWS.items()),
    *(
        Row(f"{_OF_PAPER}{name}", f"{_ROWS[name]}, given the whole paper", _raised, system=f"{_OF_PAPER}{name}")
        for name in _WHOLE
    ),
]
_NAMES: Final = [row.name for row in ROWS]
_FLAWS: Final = {
    "": {"GPT-5 on FLAWS": dict(zip((measure.name for measure in FOUND), (9.0, 19.2, 39.1), strict=False))}
}
"""Top-k accuracy on other flaws, in other papers, and given the whole paper: no row here is to be compared with it."""


def _tables(corpus: str, kinds: Iterable[FlawKind]) -> list[Table]:
    """What was found of a corpus: of all its flaws, and of each kind."""
    measures = [measure.name for measure in FOUND]
    of_kinds = [OF_KINDS[kind].name for kind in kinds]
    return [
        Table("Flaws found", _NAMES, measures, published=_FLAWS, baseline="single", corpus=corpus),
        Table("Flaws found, by kind", _NAMES, of_kinds, published={}, baseline="single", corpus=corpus),
        Table(
            "What the extensions do",
            [name for name in _NAMES if name.endswith(("swif2t", "swif2t-detect", "-extensions", "as-set"))],
            measures,
            published={},
            baseline="swif2t",
            comparison=True,
            corpus=corpus,
        ),
    ]


KNOWN_FLAWS = Task(
    name="known_flaws",
    kind="flaws",
    source="FLAWS (Xi, Rao, Payan and Shah), which its scores are counted like; the flaws are Draftroom's own",
    roles=FEEDBACK_ROLES,
    systems=FLAW_SYSTEMS,
    rows=ROWS,
    usual=[
        "lot",
        "checks",
        "single",
        "single-detect",
        "cove",
        "swif2t",
        "swif2t-unchecked-extensions",
        "swif2t-detect",
        "swif2t-default-extensions",
    ],
    measures=[*FOUND, *OF_KINDS.values(), *COSTS],
    tables=[
        *_tables(COMPUTABLE_FLAWS, [kind for kind in FLAW_KINDS if kind in COMPUTABLE]),
        *_tables(TEXTUAL_FLAWS, [kind for kind in FLAW_KINDS if kind not in COMPUTABLE]),
        Table(
            title="What it cost",
            rows=[row.name for row in ROWS if row.system],
            measures=[measure.name for measure in COSTS],
            published={},
            baseline="single",
        ),
    ],
    figures=[],
    transcript=lambda sample, output: "\n\n".join(
        transcript(sample, {**output, "reviews": [review]}) for review in output["reviews"]
    ),
    notes=[
        "An excerpt is right if its word-level Levenshtein similarity to the sentence with the flaw is at least 0.5, "
        "or if it lies in this sentence and holds the place, or touches the gap where words were taken out.",
        "A comment stands for its quote and the words of the paragraph that are in quotation marks in its text, or "
        "else for the sentence that shares most words with it. `a sentence by lot` says what that brings by chance.",
        "A system that names the same words in the flawed paragraph and in its twin has seen no flaw: set `same place "
        "in twins` against `found, k = 10`.",
        "Systems that are given the paragraph write one comment, which names a few places, so few of them fill k = 10.",
        "`model s` is the sum of a paragraph's calls and grows with the load on the endpoint.",
    ],
    ranked_by="found, k = 10, %",
)
