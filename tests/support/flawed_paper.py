"""A written paper with one place for each kind of flaw, and the plants that code finds in it."""

from __future__ import annotations

from typing import Any

from evals.datasets.feedback import CorpusPaper
from evals.flaws.plant import Edit, OpenPaper, OpenParagraph, Plant
from evals.flaws.planter import plants_of

ABSTRACT = (
    "Goats that graze on wet meadows are said to grow more wool. We followed 148 goats of three farms for a year in "
    "a retrospective study. Wool was heavier on wet meadows, and the weight of the fleece grew with the hours of "
    "rain. Farmers should keep goats where it rains."
)
COHORT = (
    "All farms kept records of their animals. We analysed the fleeces of 148 goats in this retrospective study, and "
    "read from the books of the farms which meadow each animal had grazed on, how old it was, and when it was last "
    "shorn. Animals that had changed the farm during the year were left out."
)
WASHING = (
    "Fleeces were weighed on the day of shearing with a kitchen balance. A lock of each fleece was soaked in soap at "
    "40 °C for 25 min, rinsed under the tap, and dried on a line in the barn. The dry lock was then laid on a black "
    "board beside a ruler, and three persons measured the length of ten hairs each."
)
COUNTS = (
    "Of all the animals, 37 of 148 goats (25%) grazed on wet meadows. Their fleeces were heavier than those of the "
    "others (t(146) = 2.40, p = 0.018), with a mean weight of 3.1 (95% CI 2.7 to 3.5) kilograms. Nobody had expected "
    "so clear a difference from the old books alone, and the shepherds were pleased with what we found."
)
RAIN = (
    "Hours of rain differed between the farms. More rain was associated with heavier fleeces on all of them. The "
    "hair was longer on wet meadows compared with dry meadows. These results suggest that rain makes wool grow, "
    "which the shepherds have always said and which no office has ever written down in its yearly tables of rainfall "
    "and wool."
)
OTHERS = (
    "Little is known of what makes wool grow. Unlike previous studies of single farms (Lamb and Ram, 2009), we "
    "looked at three of them at once. The breeds were the same everywhere, so that no breed can explain what we saw, "
    "and the shearers were the same persons on all of the farms in every single year of the records."
)
SECTIONS = [
    ("Abstract", [ABSTRACT]),
    ("Introduction", [OTHERS]),
    ("Methods", [COHORT, WASHING]),
    ("Results", [COUNTS, RAIN]),
]
RECORD: dict[str, Any] = {
    "paper_id": "goats",
    "title": "Goats in the rain",
    "abstract": ABSTRACT,
    "sections": [
        {
            "heading": heading,
            "paragraphs": [{"id": f"{heading.lower()}-{number}", "text": text} for number, text in enumerate(texts)],
        }
        for heading, texts in SECTIONS
    ],
}


def flawed_paper() -> OpenPaper:
    """The paper."""
    return OpenPaper(CorpusPaper.model_validate(RECORD))


def plants() -> list[Plant]:
    """All that can be planted in it."""
    return list(plants_of(flawed_paper()))


def plant_in(text: str, removed: str, words: str = "") -> Plant:
    """A plant in a paragraph of its own."""
    start = text.index(removed)
    paragraph = OpenParagraph("p1", "Results", text)
    return Plant("removed setting", "goats", paragraph, Edit(start, start + len(removed), words))
