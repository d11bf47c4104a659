"""The content guard: what of a medical abstract a plain-language text has lost, and what it has kept in other words."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tools.checks.omissions import find_lost_details


def lost(source: str, text: str) -> list[tuple[str, str]]:
    return [(detail["kind"], detail["text"]) for detail in find_lost_details(source, text)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("There were 6545 people.", [("number", "6545")]),
        ("Until 2015 it worked in 17% of them.", [("year", "2015"), ("percentage", "17%")]),
        ("They took 250 mg/day.", [("quantity", "250 mg/day")]),
        ("The result was OR 4.60.", [("effect size", "OR 4.60")]),
        ("The odds ratio (OR) was 4.60.", [("effect size", "odds ratio (OR) was 4.60")]),
        ("A mean difference of 2.5 kg was seen.", [("effect size", "mean difference of 2.5 kg")]),
        ("It differed (P = 0.04, I² = 15%).", [("effect size", "P = 0.04"), ("effect size", "I² = 15%")]),
        (
            "It was 95% confidence interval (CI) -0.5 to 0.3.",
            [("interval", "95% confidence interval (CI) -0.5 to 0.3")],
        ),
        ("It was 95%CI: 10 to 28%.", [("interval", "95%CI: 10 to 28%")]),
        (
            "It fell (RR 0.91, 95% CI 0.72 to 1.15, n = 1053).",
            [("effect size", "RR 0.91"), ("interval", "95% CI 0.72 to 1.15"), ("number", "1053")],
        ),
        ("The 95% confidence interval was wide.", [("percentage", "95%")]),
        (
            "There was no statistically significant difference.",
            [("negation", "no statistically significant difference")],
        ),
        ("It may make little or no difference.", [("negation", "little or no difference")]),
        ("It failed to help; its cost is unclear.", [("negation", "failed to"), ("negation", "unclear")]),
    ],
)
def test_what_an_empty_text_has_lost(source: str, expected: list[tuple[str, str]]) -> None:
    assert lost(source, "") == expected


def test_drugs_and_conditions_are_names() -> None:
    names = [
        "interferon",
        "infliximab",
        "paracetamol",
        "hepatitis C",
        "vitamin B12",
        "cirrhosis",
        "diarrhoea",
        "melanomas",
    ]
    names += ["asthma", "myocardial infarction", "HIV", "Crohn"]
    source = "\n\n".join(f"Those with {name} took part." for name in names)
    assert lost(source, "They took part.") == [("name", name) for name in names]


@pytest.mark.parametrize(
    "text",
    [
        "The diagnosis, the prognosis and the analysis in April used osteopathy.",
        "The hypothesis was about cholesterol, glycaemia, mitosis and the basis of dosage.",
        "One or two groups, with or without help, took part; not only women did.",
        "The risk ratio (RR) and its CI had a P value.",
    ],
)
def test_what_is_no_content(text: str) -> None:
    assert lost(text, "") == []


KEPT = [
    ("They took 0.5 g for 24 months.", "They took 500 mg for two years."),
    ("It helped 46.8% of them.", "It helped nearly half of them: about 47 percent."),
    ("It helped 8/40 people.", "Of 40 people, eight were helped."),
    ("It was better (OR 4.60; 95% CI 1.53 to 13.85).", "It was 4.6 times better, somewhere between 1.53 and 13.85."),
    ("Those with chronic hepatitis C took interferon.", "Interferon-alpha was for Hepatitis-C."),
    ("Those with hypertension had a myocardial infarction.", "People with high blood pressure had heart attacks."),
    ("Those with anaemia had diarrhoea.", "Patients with anemia had diarrhea."),
    ("Those with cirrhosis took part.", "Cirrhotic patients took part."),
    ("Those with HIV took part.", "People with the human immunodeficiency virus took part."),
    ("Aspirin did not reduce pain in women.", "The women had as much pain: aspirin could not reduce it."),
    ("There was no evidence that aspirin lowers mortality.", "We don't know whether aspirin lowers mortality."),
    ("There was no significant difference in mortality with aspirin.", "Mortality with aspirin was much the same."),
]


@pytest.mark.parametrize(("source", "text"), KEPT)
def test_content_in_other_words_is_kept(source: str, text: str) -> None:
    assert lost(source, text) == []


CHANGED = [
    ("They took 3 mg.", "They took it in 3 trials.", "3 mg"),
    ("It helped 5% of them.", "It helped 4.7% of them.", "5%"),
    ("It helped three people.", "It helped with pain, fever and sleep.", "three"),
    ("It was 95% CI 1.53 to 13.85.", "It was 95% CI 1.53 to 12.85.", "95% CI 1.53 to 13.85"),
    ("It was 95% CI 2 to 5.", "In 2 trials it helped. It helped 5 people.", "95% CI 2 to 5"),
    ("Those with hepatitis C took part.", "Those with hepatitis B took part.", "hepatitis C"),
    ("Aspirin did not reduce pain.", "Aspirin reduced pain.", "did not"),
    (
        "There was no evidence of a difference in mortality.",
        "There was evidence of a difference in mortality.",
        "no evidence",
    ),
    (
        "Aspirin did not reduce pain and did not improve sleep.",
        "Aspirin reduced pain and did not improve sleep.",
        "did not",
    ),
    ("The drug did not ease coughing in women.", "Sleep was not measured by the trials.", "did not"),
]


@pytest.mark.parametrize(("source", "text", "expected"), CHANGED)
def test_changed_content_is_lost(source: str, text: str, expected: str) -> None:
    assert [detail["text"] for detail in find_lost_details(source, text)] == [expected]


def test_each_detail_is_listed_once_in_the_order_of_the_source() -> None:
    source = "There were 40 people with asthma. No drug helped. Of 40, asthma ended in 12% (RR 0.5); RR 0.5 was good."
    assert find_lost_details(source, "")[2] == {"kind": "negation", "text": "No", "sentence": "No drug helped."}
    assert lost(source, "It went on.") == [
        ("number", "40"),
        ("name", "asthma"),
        ("negation", "No"),
        ("percentage", "12%"),
        ("effect size", "RR 0.5"),
    ]


POOL = [
    "Fifty-four trials with 6545 patients were included.",
    "Interferon increased the response (odds ratio (OR) 4.60; 95% confidence interval (CI) 1.53 to 13.85).",
    "The rate was 17% (95% CI 10 to 28%) in those with hepatitis C versus 3%.",
    "Aspirin did not reduce mortality in women with asthma.",
    "There was no evidence of a difference in relapse, but data on harm were lacking.",
    "Patients took 250 mg/day for 12 months, with or without radiotherapy.",
    "Quality of life was similar (MD -0.5, 95% CI, -1.30,0.3; P < 0.05; I2 = 78%).",
    "It is unclear whether RCTs of non-steroidal drugs (NSAIDs) failed to report seizures in 2015.",
    "## Effects of Aspirin on Anaemia",
    "- neither aspirin nor ibuprofen helped; none did",
]
PASSAGES = st.lists(st.sampled_from(POOL), max_size=7).map("\n\n".join)
ODD_TEXT = st.text(alphabet=st.sampled_from("aAbZ19 .,;%-–/()*#_\n½²µ’'“eoCI=<é"), max_size=80)
NUMBERED = st.integers(min_value=11, max_value=1800)


@given(PASSAGES | ODD_TEXT | st.text())
@settings(max_examples=100, deadline=None)
def test_a_text_loses_nothing_of_itself(text: str) -> None:
    assert find_lost_details(text, text) == []


@given(PASSAGES, PASSAGES)
@settings(deadline=None)
def test_a_longer_text_loses_nothing_of_its_first_part(source: str, more: str) -> None:
    assert find_lost_details(source, f"{source}\n\n{more}") == []


@given(st.sets(NUMBERED, min_size=2, max_size=5), st.data())
@settings(deadline=None)
def test_a_deleted_sentence_with_a_number_is_reported(numbers: set[int], data: st.DataObject) -> None:
    gone = data.draw(st.sampled_from(sorted(numbers)))
    assume(all(abs(gone - other) > gone / 4 for other in numbers - {gone}))
    sentences = {
        number: f"Trial {letter} had {number} people." for letter, number in zip("VWXYZ", numbers, strict=False)
    }
    text = " ".join(sentence for number, sentence in sentences.items() if number != gone)

    found = find_lost_details(" ".join(sentences.values()), text)

    assert {"kind": "number", "text": str(gone), "sentence": sentences[gone]} in found


@pytest.mark.parametrize(
    "piece", ["no ", "no, ", "95% CI 1 to 2 ", "RR 0.5, ", "mean difference ", "hepat", "itis ", "(AB)"]
)
def test_a_hostile_text_of_30_kb_is_read_to_its_end(piece: str) -> None:
    text = piece * (30_000 // len(piece))

    assert find_lost_details(text, text) == []
