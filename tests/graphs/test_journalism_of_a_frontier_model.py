"""Nothing of what a frontier model answers is lost: its answers are longer than any small model's."""

from __future__ import annotations

from tests.fake_endpoint import FakeEndpoint
from tests.support.newsroom import Newsroom, advice, article, note, review, run


def words(number: int, start: str) -> str:
    """A text of so many words."""
    return " ".join([start, *(f"word{count}" for count in range(number - 2)), "end."])


ARTICLE = article(*(words(150, f"Paragraph{number}") for number in range(20)))
TERMS = [note(f"term {number}", words(100, f"Explanation{number}")) for number in range(20)]
ADVICE = [
    advice(words(300, f"Advice{number}"), quote=f"Paragraph{number % 4} word0", replacement=words(60, f"New{number}"))
    for number in range(12)
]
EVALUATION = {factor: words(250, factor) for factor in ("accuracy", "complexity", "information")}
IMPROVEMENTS = [words(100, f"Improvement{number}") for number in range(12)]


async def test_nothing_is_lost() -> None:
    newsroom = Newsroom(
        Article=[ARTICLE],
        ReadingNotes=[{"terms": TERMS}],
        EditorReview=[{**review(*ADVICE), "evaluation": EVALUATION}],
        RevisedArticle=[{**ARTICLE, "improvements": IMPROVEMENTS}],
    )
    with FakeEndpoint(models={"large": 131_072, "small": 131_072}, answer=newsroom) as endpoint:
        result = await run(endpoint, rounds=1, select="last", max_words=300, models=models(endpoint))
        _, _, editor, journalist = endpoint.chat_requests
    assert all(paragraph in result["article"] for paragraph in ARTICLE["paragraphs"])
    assert [draft["text"] for draft in result["drafts"]] == [result["article"]] * 2
    assert [term["explanation"] for term in result["notes"][0]["terms"]] == [term["explanation"] for term in TERMS]
    assert all(term["explanation"] in editor.text for term in TERMS)
    assert result["reviews"][0]["evaluation"] == EVALUATION
    for given, kept in zip(ADVICE, result["reviews"][0]["advice"], strict=True):
        assert given["advice"] in kept["text"]
        assert given["replacement"] in kept["text"]
        assert kept["quote"] == given["quote"]
        assert kept["text"] in journalist.text
    assert result["drafts"][1]["improvements"] == IMPROVEMENTS
    assert [call["cuts"] for call in result["calls"]] == [[]] * 4
    assert not any(call["reask"] for call in result["calls"])


def models(endpoint: FakeEndpoint) -> dict[str, dict[str, object]]:
    """Room for long answers."""
    return {
        "default": {"base_url": endpoint.base_url, "model": "large", "max_tokens": 16_384},
        "reader": {"model": "small"},
    }
