"""The faithfulness guard: what it finds in a text, and what of a draft it calls unsupported."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.checks.fidelity import compute_coverage, list_unsupported_facts


def facts(text: str) -> list[tuple[str, str]]:
    """All that is checked of a text: a source without a word supports nothing."""
    return [(fact["kind"], fact["text"]) for fact in list_unsupported_facts(text, "")]


def unsupported(draft: str, source: str) -> list[str]:
    return [fact["text"] for fact in list_unsupported_facts(draft, source)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("They had twenty-one mice and a dozen rats.", ["twenty-one", "a dozen"]),
        ("About 1.5 million of 1,000 and half a million.", ["1.5 million", "1,000", "half a million"]),
        ("Counts of 10^6, 10⁷, 1e-5 and 5 x 10-3 cells.", ["10^6", "10⁷", "1e-5", "5 x 10-3"]),
        ("Either one hundred and twelve or two thousand cells.", ["one hundred and twelve", "two thousand"]),
        ("We found half of the cells, or two-thirds.", ["half", "two-thirds"]),
        ("It hit one in five people, 3/4 of pets.", ["one in five", "3/4"]),
        ("A grid of 2 x 100 cells.", ["2", "100"]),
    ],
)
def test_numbers_are_found_in_digits_and_words(text: str, expected: list[str]) -> None:
    assert facts(text) == [("number", found) for found in expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We gave 5 mg/kg and 3 µM over 7-day runs.", ["5 mg/kg", "3 µM", "7-day"]),
        ("It took 3-5 days at 37 °C.", ["3", "5 days", "37 °C"]),
        ("It took half an hour, or two and a half years.", ["half an hour", "two and a half years"]),
        ("They paid $5 million, a tenfold rise.", ["$5 million", "tenfold"]),
        ("A tone of 5 kHz and 20 ± 2 kg.", ["5 kHz", "20", "2 kg"]),
    ],
)
def test_quantities_carry_their_unit(text: str, expected: list[str]) -> None:
    assert facts(text) == [("quantity", found) for found in expected]


def test_years_are_told_from_counts() -> None:
    assert facts("In 2015 they saw 2000 neurons, unlike in the 1990s.") == [
        ("year", "2015"),
        ("number", "2000"),
        ("year", "1990s"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "The first and the 21st century, for the third group.",
        "One of the two groups could one day help.",
        "1. The cells grew.\n2. The cells died.",
        "Hundreds of cells made a three-dimensional shape, half-heartedly.",
        "# How Tiny Worms Remember Their Past\n\nThe worms remember.",
        "HOW TINY WORMS REMEMBER\n\nThe worms remember.",
        "**Key Findings:** The worms remember.",
        "See https://example.org/2015/IL6 or doi:10.1000/X12.",
        "Researchers agree. However, I do not.",
    ],
)
def test_what_is_no_fact(text: str) -> None:
    assert facts(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("They met Dr. Jane Smith of the University of Toronto.", ["Jane Smith", "University of Toronto"]),
        ("We saw GPCRs, siRNA, p53 and NaCl.", ["GPCRs", "siRNA", "p53", "NaCl"]),
        ("The COVID-19, IL-6-dependent, CO2 and Ca2+ signals.", ["COVID-19", "IL-6", "CO2", "Ca2+"]),
        ("In Crohn's disease, Wnt-dependent cells grow.", ["Crohn", "Wnt"]),
        ("Harvard was first. Later, teams at Harvard agreed.", ["Harvard"]),
        ("Hughes et al. measured it.", ["Hughes"]),
    ],
)
def test_names_are_found_and_their_digits_are_no_numbers(text: str, expected: list[str]) -> None:
    found = facts(text)

    assert {kind for kind, _ in found} == {"entity"}
    assert [name.removeprefix("Dr. ") for _, name in found] == expected


def test_a_fact_is_listed_once_with_its_sentence() -> None:
    text = "# Results\n\nIn Paris they grew. They **doubled** in 30 minutes. In 30 minutes, Paris had 14 per cent."
    told = list_unsupported_facts(text, "Mice live.")

    assert [fact["text"] for fact in told] == ["Paris", "30 minutes", "14 per cent"]
    assert told[1] == {"kind": "quantity", "text": "30 minutes", "sentence": "They doubled in 30 minutes."}
    assert told[2]["kind"] == "percentage"


SOURCE = """In 2015, Maria Keller and her team at the University of Basel followed 1,243 patients with type 2 diabetes
for 24 months. Treatment with 250 mg of metformin per day lowered glucose by 12% (p < 0.03), while 46.8% of the patients
lost weight. G protein-coupled receptors (in liver, muscle and fat) were measured at 37 °C in Zurich, and the signal of
IL-6 rose 3-fold within 90 min. Samples of 1.5 mL came from mice and rats; 8 of 40 samples were lost."""

CHANGED = [
    ("Glucose fell by 21%.", ["21%"]),
    ("Patients took 250 g of metformin.", ["250 g"]),
    ("The study began in 2016.", ["2016"]),
    ("At the time, Maria Huber led the team.", ["Maria Huber"]),
    ("Patients were followed for 24 weeks.", ["24 weeks"]),
    ("It was done at Harvard University.", ["Harvard University"]),
    ("A protein called IL-8 rose.", ["IL-8"]),
    ("The signal rose fivefold.", ["fivefold"]),
    ("Samples were kept at 73 degrees Celsius.", ["73 degrees Celsius"]),
    ("Two-thirds of the patients lost weight.", ["Two-thirds"]),
    ("In liver, the receptors were of seven kinds.", ["seven"]),
    ("More than 1,300 patients took part.", ["1,300"]),
]


@pytest.mark.parametrize(("draft", "expected"), CHANGED)
def test_a_changed_detail_is_caught(draft: str, expected: list[str]) -> None:
    assert unsupported(draft, SOURCE) == expected


@pytest.mark.parametrize(
    "draft",
    [
        "Nearly half of the patients lost weight.",
        "About 47% of them lost weight, and glucose fell by twelve per cent.",
        "Over 1,200 people took part in 2015, more than a thousand.",
        "They were followed for two years by Keller's team in Basel.",
        "Every day they took 0.25 grams of metformin.",
        "Receptors called GPCRs were measured in three tissues.",
        "The IL6 signal tripled: it became three times stronger within one and a half hours.",
        "Samples of 1500 microlitres were kept at 37 degrees C (98.6 °F).",
        "English textbooks explain DNA; on Earth, every Monday brings more of it.",
        "Of 40 samples, eight were lost. This work took place in the 2010s.",
        "## Sugar Under Control\n\n1. **Less sugar**: down 12 percent.\n2. *Less weight* for many.",
    ],
)
def test_a_faithful_paraphrase_is_not_flagged(draft: str) -> None:
    assert unsupported(draft, SOURCE) == []


@pytest.mark.parametrize(
    ("draft", "source"),
    [
        ("Half of them.", "It was 50%."),
        ("One in five of them.", "It was 20%."),
        ("It was 50%.", "The share was 0.5 of all."),
        ("It took 1 day.", "It took 24 hours."),
        ("It took a year: one year.", "It took 52 weeks."),
        ("It was 3 to 5 mg.", "It was 3-5 mg."),
        ("It kept half the water.", "In rats, half were dry; of the water, half was lost: half of it."),
        ("Samples were at 0.05 kg.", "Samples of 50 g were taken; none at 5 kg."),
        ("It has seven copies.", "It is a heptamer."),
        ("It was 80 to 100 billion.", "It was 80 billion to 100 billion."),
        ("Among them was TGF-beta.", "Among them was TGF-β."),
        ("They saw Muller cells.", "They saw Müller cells."),
        ("It was the World Health Organization.", "It was the WHO."),
        ("They used matrix metalloproteinases (MMPs). The MMP grew.", "They used matrix metalloproteinases."),
        ("It was COVID\u201119.", "It was Covid 19."),
    ],
)
def test_equal_facts_in_another_spelling_are_supported(draft: str, source: str) -> None:
    assert unsupported(draft, source) == []


@pytest.mark.parametrize(
    ("draft", "source"),
    [
        ("It fell by 10%.", "It fell by 12%."),
        ("In 1994 it fell.", "In the 1990s it fell."),
        ("In 2020 it fell.", "In 2019 it fell by 2019.6 points."),
        ("They saw BRCA1 there.", "They saw BRCA there."),
        ("They went to Harvard University.", "They went to the University of Basel."),
        ("About 12% of them.", "About 12 of them."),
        ("It took 5 mg/kg.", "It took 5 mg/day."),
        ("More than 40 of them.", "It was 39 of them."),
        ("Up to 40 of them.", "It was 41 of them."),
    ],
)
def test_near_misses_are_not_supported(draft: str, source: str) -> None:
    assert len(unsupported(draft, source)) == 1


SENTENCES = st.lists(
    st.sampled_from(
        [
            "In 2015 they saw 12% of 40 mice.",
            "Later, Jane Smith of Basel gave 5 mg/kg.",
            "The GPCR and IL-6 rose threefold.",
            "Basel is a city.",
            "## A Title of Seven Words",
            "- one in five, or half of them, at 3-5 °C",
            "Some 1.5 million people (see Fig. 2) ate a dozen eggs.",
        ]
    ),
    max_size=6,
).map("\n\n".join)
ODD_TEXT = st.text(alphabet=st.sampled_from("aAbZ1 209.,%-–/()*#_\n½⁶°µβ’'$x:“eI+é́"), max_size=80)


@given(SENTENCES | ODD_TEXT | st.text())
@settings(max_examples=100, deadline=None)
def test_a_text_supports_itself(text: str) -> None:
    assert list_unsupported_facts(text, text) == []


@given(st.text() | ODD_TEXT, st.text() | ODD_TEXT)
@settings(max_examples=100, deadline=None)
def test_what_is_unsupported_is_a_fact_of_the_draft(draft: str, source: str) -> None:
    found = list_unsupported_facts(draft, "")

    assert all(fact in found for fact in list_unsupported_facts(draft, source))


@pytest.mark.parametrize("piece", ["1", "1,000", "A1-", "one hundred and ", "5 mg/", "Ab of ", "(AB)"])
def test_a_hostile_text_of_30_kb_is_read_to_its_end(piece: str) -> None:
    text = piece * (30_000 // len(piece))

    assert list_unsupported_facts(text, text) == []


def test_coverage_is_the_share_of_the_sources_content_words() -> None:
    source = "Mosses on roofs measured carbon."
    assert compute_coverage("The measurements of mosses", source) == 0.5
    assert compute_coverage(source, source) == 1
    assert compute_coverage("We bake a pie.", source) == 0
    assert compute_coverage("Anything", "1 2 3") == 1
