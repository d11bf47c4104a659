"""What a rewritten sentence may say, as far as code can tell."""

from __future__ import annotations

import pytest

from nodes.rewriting import find_rewrite_objection
from nodes.simplification.logger import list_addition_warnings
from tools.checks.omissions import list_unsupported_names

SOURCE = (
    "Chronic low back pain is frequently managed with oral analgesics, whose long-term use can cause gastric bleeding. "
    "Analgesic consumption declined in 41% of participants practising yoga and in 18% of controls. "
    "Participants with cirrhosis had a higher mortality than participants without."
)
BLEEDING, DECLINE, MORTALITY = SOURCE.split(". ")
UNTESTED = "Whether the effects of supervised yoga extend to participants with sciatica was not tested."


@pytest.mark.parametrize(
    ("sentence", "rewritten", "better"),
    [
        (DECLINE, "Analgesic use fell in 41% of those who did yoga and in 18% of the rest.", True),
        (DECLINE, "With yoga, the use of analgesics declined by 41%, and with the rest by 18%.", False),
        (DECLINE, "Of the yoga group 41% took less, while 18% of the others had a higher use of painkillers.", False),
        (
            DECLINE,
            "In 41% of the yoga group and 18% of the others, use was not as high. Yoga did better than rest.",
            False,
        ),
        (MORTALITY, "People with liver scarring died more often than people without it.", True),
        (MORTALITY, "People with liver scarring died less often, and more of them went home.", False),
        (BLEEDING, "Long-lasting low back pain is often treated with pills. They can cause gastric bleeding.", True),
        (
            BLEEDING,
            "Many with low back pain understand that they can take oral analgesics. They can cause bleeding.",
            True,
        ),
        (BLEEDING, "Low back pain is often treated with oral analgesics. They do not cause gastric bleeding.", False),
        (DECLINE, "Analgesic use fell in some of those who did yoga and in 18% of the rest.", False),
        (UNTESTED, "The team tested whether yoga also helps people with sciatica.", False),
    ],
    ids=[
        "less of less",
        "a change of a share",
        "more beside less",
        "a comparison of its own",
        "a comparison",
        "less beside more",
        "neither",
        "a word that only looks like a denial",
        "a denial of its own",
        "without a number",
        "without the denial",
    ],
)
def test_a_rewritten_sentence_turns_nothing_round_and_compares_and_denies_nothing_by_itself(
    sentence: str, rewritten: str, better: bool
) -> None:
    assert (find_rewrite_objection(rewritten, sentence, SOURCE) == "") is better


@pytest.mark.parametrize(
    ("text", "foreign"),
    [
        ("Pain pills can cause stomach ulcers.", ["ulcers"]),
        ("Painkillers can make the gut bleed; scarring of the liver is bad, too.", []),
        ("A cirrhotic patient took an analgesic.", []),
        ("Some of them had diabetes and took warfarin.", ["diabetes", "warfarin"]),
    ],
)
def test_conditions_and_drugs_that_the_source_does_not_have_are_named(text: str, foreign: list[str]) -> None:
    assert list_unsupported_names(text, SOURCE) == foreign


def test_the_result_tells_what_of_it_the_original_does_not_have() -> None:
    (told,) = list_addition_warnings("Pain pills cause ulcers in 60% of people. Ulcers hurt.", SOURCE)
    assert '"60%", "ulcers"' in told
    assert list_addition_warnings("Pain pills can make the gut bleed.", SOURCE) == []
