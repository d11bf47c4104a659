"""A review sentence is paired with the paragraph it quotes, and with what goes on about it."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.training.toy_reviews import LIGHT, SHARED, TEA, parsed
from training.review_filters.linking import LinkRules, Quotes, link_reviews
from training.review_filters.papers import Paper
from training.review_filters.verbatim import common_phrases

RULES = LinkRules(minimum_words=6, quoted_words=4, following=2)
QUOTED_3 = RULES.model_copy(update={"quoted_words": 3})


def links(*review: str, rules: LinkRules = RULES, **fields: object) -> list[tuple[str, list[str]]]:
    """Each comment's paragraph and sentences."""
    found = link_reviews(parsed(review, **fields), rules)
    return [
        (comment.paragraph.id, [member.sentence.text for member in comment.sentences]) for comment in found.comments
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "Why were 24 SEEDLINGS of cress\tunder white light?",
        "Why “24 seedlings of cress”?",
        "Why ‘seedlings of cress under'?",
        "They “raised 24 … under white light for”, but why?",
        "They “raised … white light for ten [sic] …”, but why?",
        "Explain “cress under white light... watered them”.",
        "Why raise 24 seed-\nlings of cress under white light?",
        "Why raise 24 seed\u00adlings of cress under white light?",
        "Why “24 seedlings of cress”, and not “grow 24 lentils of any kind”?",
    ],
)
def test_a_quotation_is_found_however_it_was_typed(sentence: str) -> None:
    assert links(sentence, "The seedlings of cress.") == [("p1", [sentence])]


@pytest.mark.parametrize(
    "sentence",
    [
        "",
        "Why 24 seedlings of cress?",  # five words, not in quotation marks
        "Why “seedlings of cress”?",
        "Why “many seedlings of cress”?",
        "Why “24 seedlings … cress under white”?",
        "Why “?!” and 24 seedlings of cress?",
        "They raised 25 seedlings of peas under red light.",
        "The title “Growing cress with nothing but tea and light” is long.",
        "The part “Growing of the seedlings in light” is long.",
    ],
)
def test_what_is_no_quotation_of_a_paragraph(sentence: str) -> None:
    assert links(sentence) == []


def test_words_of_several_paragraphs_are_ambiguous_unless_one_has_more_of_them() -> None:
    paragraphs = [LIGHT, SHARED]
    review = "Why “raised 24 seedlings of cress”? Cress should be “24 seedlings of cress under white light”."
    (comment,), sentences = link_reviews(parsed(review, paragraphs=paragraphs), RULES)
    assert (comment.paragraph.id, len(comment.sentences)) == ("p1", 1)
    assert [(list(quotes.of), quotes.ambiguous) for quotes in sentences] == [([], 1), ([0], 0)]


def test_a_word_more_outside_the_quotation_marks_decides_nothing() -> None:
    review = "Why “raised 24 seedlings of cress” and not peas?"
    assert link_reviews(parsed(review, paragraphs=[LIGHT, SHARED]), RULES) == ([], [Quotes({}, 1, 0, 0, bare=False)])
    unmarked = review.replace("“", "").replace("”", "")
    assert links(unmarked, paragraphs=[LIGHT, SHARED]) == [("p2", [unmarked])]


def test_what_has_no_space_inside_is_one_word() -> None:
    paragraphs = ["See https://example.org/a/b/c/d for the coil-to-helix transition.", TEA]
    assert links("The page (https://example.org/a/b/c/d) is gone.", paragraphs=paragraphs) == []
    assert links("It shows “coil-to-helix transition” and so on.", paragraphs=paragraphs) == []
    assert links("It shows “the coil-to-helix transition.” and so on.", rules=QUOTED_3, paragraphs=paragraphs)


def test_a_title_is_counted_but_not_linked() -> None:
    found = link_reviews(parsed("The title “Growing cress with nothing but tea and light” is long."), RULES)
    assert found == ([], [Quotes({}, 0, 1, 0, bare=False)])


def test_what_other_papers_say_as_well_is_no_quotation_but_in_quotation_marks() -> None:
    phrase = "It is important to note that cress"
    paper = parsed([f"{phrase} dies.", f"They say “{phrase}”."], paragraphs=[f"{phrase} grows.", TEA])
    other = parsed(paper_id="other", title="Peas", paragraphs=["It is important to note that cress is green."])
    version = parsed(paper_id="version", paragraphs=[f"{phrase} grows."])

    def found(*corpus: Paper) -> list[tuple[int, int]]:
        sentences = link_reviews(paper, RULES, common_phrases(corpus, 6)).sentences
        return [(len(quotes.of), quotes.common) for quotes in sentences]

    assert found(paper, other) == [(0, 1), (1, 0)]
    assert found(paper, version) == [(1, 0), (1, 0)]


def test_a_sentence_that_quotes_two_paragraphs_is_a_comment_on_each() -> None:
    both = "“24 seedlings of cress” contradicts “cold tea slows growth”."
    assert links(f"{both} Why?") == [("p1", [both, "Why?"]), ("p2", [both, "Why?"])]


def test_what_follows_in_the_same_item_belongs_to_the_quotation() -> None:
    quoting, other = "They “watered them every morning”.", "And “cold tea slows growth”."
    review = f"Before. {quoting} Odd. Why? Late. {other} Hm. - Another item."
    assert links(review, "Another paragraph.") == [("p1", [quoting, "Odd.", "Why?"]), ("p2", [other, "Hm."])]


def test_one_comment_goes_on_where_the_same_paragraph_is_quoted_again() -> None:
    first, again = "They “watered them every morning”.", "It was “24 seedlings of cress”."
    assert links(f"{first} Odd. {again} Why?") == [("p1", [first, "Odd.", again, "Why?"])]
    assert links(first, again) == [("p1", [first]), ("p1", [again])]


def test_a_quotation_of_something_else_ends_a_comment() -> None:
    quoting = "They “watered them every morning”."
    title = "The title is “Growing cress with nothing but tea and light”."
    assert links(f"{quoting} {title} Long.") == [("p1", [quoting])]


def test_a_bare_quotation_is_commented_on_in_the_next_paragraph() -> None:
    bare, other = "2) Methods: “… watered them every morning.”", "- “Cold tea slows growth” is bold."
    assert links(bare, "Odd. Why? Hm.") == [("p1", [bare, "Odd.", "Why?"])]
    assert links(bare, other) == [("p1", [bare]), ("p2", [other])]
    assert links("“Not in the paper at all.”", "Odd.", bare) == [("p1", [bare])]


def test_how_much_follows_can_be_chosen() -> None:
    quoting = "They “watered them every morning”."
    rules = RULES.model_copy(update={"following": 0})
    assert links(f"{quoting} Odd.", rules=rules) == [("p1", [quoting])]


def test_a_quotation_of_two_sentences_is_one() -> None:
    paragraphs = ["It grew well. It died young, we think. And so on.", TEA]
    sentence = "They say “It grew well. It died young, we think” of cress."
    assert links(f"{sentence} Did it?", paragraphs=paragraphs) == [("p1", [sentence, "Did it?"])]


def test_the_words_are_told_as_the_review_has_them() -> None:
    review = "They “raised 24 SEEDLINGS”, that is seedlings of cress under white light, “cold tea slows growth”."
    found = link_reviews(parsed(review), RULES).comments
    quotes = [quote for comment in found for member in comment.sentences for quote in member.quotes]
    assert [(quote.words, quote.text, quote.marked) for quote in quotes] == [
        (6, "seedlings of cress under white light", False),
        (4, "cold tea slows growth", True),
    ]


def test_reviews_and_papers_without_text_have_no_comments() -> None:
    assert link_reviews(parsed(), RULES) == ([], [])
    assert link_reviews(parsed(["", " "], "Fine."), RULES) == ([], [Quotes({}, 0, 0, 0, bare=False)])
    assert links("Why “24 seedlings of cress”?", paragraphs=["", "…"]) == []


VOCABULARY = [f"{letter}{vowel}{ending}" for letter in "bdfgklmnprst" for vowel in "aeiou" for ending in ("", "n", "q")]


def typed(words: list[str], rng: random.Random) -> str:
    """The words as somebody else would type them."""
    text = ""
    for word in words:
        gap = rng.choice([" ", "  ", ", ", "\n", " – ", "—"]) if text else ""
        text += gap + rng.choice([word, word.upper(), word.title()])
    return text


@given(st.integers(), st.integers(6, 12), st.booleans())
def test_every_long_run_is_linked_to_its_paragraph(seed: int, length: int, marked: bool) -> None:
    rng = random.Random(seed)
    shuffled = rng.sample(VOCABULARY, len(VOCABULARY))
    paragraphs = [shuffled[start : start + 30] for start in (0, 30, 60, 90)]
    which, at = rng.randrange(4), rng.randrange(30 - length)
    quote = typed(paragraphs[which][at : at + length], rng)
    review = f"Why “{quote}”, really?" if marked else f"Why {quote} really?"
    paper = parsed(review, paragraphs=[" ".join(words) for words in paragraphs])
    comments = link_reviews(paper, RULES).comments
    assert [comment.paragraph.id for comment in comments] == [f"p{which + 1}"]
    assert comments[0].sentences[0].quotes[0].words == length


@given(
    st.lists(st.sampled_from([*VOCABULARY[:6], "“", "”", ".", "…"]), max_size=25), st.integers(1, 6), st.integers(1, 6)
)
def test_what_is_linked_is_in_the_paragraph(review: list[str], minimum: int, quoted: int) -> None:
    paragraphs = [" ".join(VOCABULARY[:4]), " ".join(VOCABULARY[3:6] * 2)]
    rules = LinkRules(minimum_words=minimum, quoted_words=quoted)
    for comment in link_reviews(parsed(" ".join(review), paragraphs=paragraphs), rules).comments:
        assert comment.sentences[0].quotes
        for quote in (quote for member in comment.sentences for quote in member.quotes):
            assert " ".join(word for word in quote.text.split() if word.isalnum()) in comment.paragraph.text
            assert quote.words >= min(minimum, quoted)
