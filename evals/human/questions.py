"""What raters are asked, in our own words.

The questions and the ends of the scales follow the two papers: Jiang, Shi and Luo on science journalism (readability,
information conveyance, authenticity, interestingness, and what the rater knew of the topic, each from 1 to 5); Chamoun,
Schlichtkrull and Vlachos on focused feedback (specificity and actionability, reading comprehension, overall
helpfulness, each as a choice between two comments or a tie).
"""

from __future__ import annotations

from typing import NamedTuple


class Option(NamedTuple):
    """A possible answer."""

    value: str
    """As an answer holds it."""
    text: str


class Question(NamedTuple):
    """A question with all its answers."""

    name: str
    title: str
    text: str
    options: tuple[Option, ...]


def _scale(*anchors: str) -> tuple[Option, ...]:
    return tuple(Option(str(point), f"{point}: {anchor}") for point, anchor in enumerate(anchors, start=1))


KNOWLEDGE = Question(
    "knowledge",
    "Your knowledge",
    "How much did you know about the topic before you read anything here?",
    _scale(
        "I had never heard of it",
        "I had heard of it, but could not have explained it",
        "I know its basics from my studies or my work",
        "I work or do research in this field",
        "I have published on it",
    ),
)

QUALITIES = (
    Question(
        "readability",
        "Readability",
        "How easy is the text to read for somebody outside the field?",
        _scale(
            "I could hardly follow it",
            "Hard: I had to read many sentences twice",
            "Readable with some effort",
            "Easy, but for a few places",
            "Easy from beginning to end",
        ),
    ),
    Question(
        "information",
        "Information",
        "How much does the text tell of the research: what was asked, what was done, what was found, why it matters?",
        _scale(
            "Next to nothing",
            "Some of it, with important parts missing",
            "About half of what I would want to know",
            "Most of it",
            "All that matters",
        ),
    ),
    Question(
        "authenticity",
        "Authenticity",
        "Held against the paper beside it: how far is what the text says true to the research?",
        _scale(
            "Much of it seems wrong or made up",
            "Several statements seem doubtful",
            "I cannot tell",
            "It seems right, but for details",
            "I have no doubt about any of it",
        ),
    ),
    Question(
        "interest",
        "Interest",
        "How interesting is the text?",
        _scale(
            "I would have stopped reading at once",
            "Rather dull",
            "Neither dull nor interesting",
            "I read it with interest",
            "I would tell others about it, or look for more",
        ),
    ),
)
"""What a text of science journalism is rated on."""

QUESTIONNAIRE = (KNOWLEDGE, *QUALITIES)

FIRST, TIE, SECOND = "first", "tie", "second"
_CHOICE = (Option(FIRST, "The first is better"), Option(TIE, "No difference"), Option(SECOND, "The second is better"))

CRITERIA = (
    Question(
        "specificity",
        "Specificity and actionability",
        "Which comment says more exactly what is wrong and where, and what the author can do about it?",
        _CHOICE,
    ),
    Question(
        "comprehension",
        "Reading comprehension",
        "Which comment shows that its writer has understood the paragraph, and the paper around it, better?",
        _CHOICE,
    ),
    Question(
        "helpfulness",
        "Overall helpfulness",
        "All in all, which comment would help the author more to improve the paper?",
        _CHOICE,
    ),
)
"""What two comments are compared on."""

GUIDELINES = (
    "You will see a paragraph of a scientific paper and two comments on it. Imagine that you wrote the paragraph and "
    "are about to revise it.",
    "Read the paragraph first, then both comments. Open the paper where you need to know more: whether a comment is "
    "right often depends on what stands elsewhere in it.",
    "Answer the three questions one by one. A comment may win one and lose another: a precise remark may rest on a "
    "misreading, and a correct one may be too vague to act on.",
    "Judge what a comment says. Its length, its tone and its English are not asked for, and neither is whether you "
    "would have written it.",
    "A comment that finds fault where there is none, or asks for what the paper already has, does not help, however "
    "specific it is. A comment that says there is nothing to criticise helps if that is so.",
    "Choose “No difference” when you would not mind which of the two you got, not when you are in doubt.",
    "The two stand in random order, and nothing tells who or what wrote them. Please do not guess, and do not talk "
    "about a comparison with other raters before all have finished.",
)
"""What raters of comments are told, a paragraph each."""
