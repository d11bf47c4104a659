"""Nothing of what a frontier model answers is lost: its answers are longer than any small model's."""

from __future__ import annotations

from tests.fake_endpoint import FakeEndpoint, Script, Text
from tests.support.newsroom import article, notes, review, run
from tests.support.steps import make_words
from tools.text import format_numbered_list

ARTICLE = article(*(make_words(150, f"Paragraph{number}") for number in range(20)))
NOTES = notes(*((f"term {number}", make_words(100, f"Explanation{number}")) for number in range(20)))
REVIEW = review(*(make_words(300, f"Advice{number}") for number in range(12)))
IMPROVEMENTS = format_numbered_list(make_words(100, f"Improvement{number}") for number in range(12))


async def test_nothing_is_lost() -> None:
    revision = f"## Improvement\n\n{IMPROVEMENTS}\n\n## Revised article\n\n{ARTICLE}"
    answers = [Text(text) for text in (ARTICLE, NOTES, REVIEW, revision)]
    with FakeEndpoint(models={"large": 131_072, "small": 131_072}, answer=Script(answers)) as endpoint:
        result = await run(endpoint, rounds=1, select="last", max_words=300, models=models(endpoint))
        _, _, editor, journalist = endpoint.chat_requests
    assert result["article"] == f"{ARTICLE}\n"
    assert [draft["text"] for draft in result["drafts"]] == [result["article"]] * 2
    assert result["notes"][0]["text"] == NOTES
    assert NOTES in editor.text
    assert result["reviews"][0]["text"] == REVIEW
    assert REVIEW.split("## Advice")[1] in journalist.text
    assert result["drafts"][1]["improvements"] == IMPROVEMENTS
    assert [call["cuts"] for call in result["calls"]] == [[]] * 4
    assert not any(call["reask"] for call in result["calls"])


def models(endpoint: FakeEndpoint) -> dict[str, dict[str, object]]:
    """Room for long answers."""
    return {
        "default": {"base_url": endpoint.base_url, "model": "large", "max_tokens": 16_384},
        "reader": {"model": "small"},
    }
