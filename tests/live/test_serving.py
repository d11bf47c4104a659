"""The embedded model answers as the agents need it."""

from pathlib import Path

import httpx
import pytest

from serving.profiles import load_profile
from serving.servers import list_server_statuses
from state.model_settings import Limits
from tools.configuration import load_settings
from tools.models.prompts import load_prompt

ROOT = Path(__file__).parents[2]
MOSSES = (ROOT / "examples" / "mosses.md").read_text(encoding="utf-8")


def test_the_server_is_found_and_reports_its_context(embedded_endpoint: str) -> None:
    (server,) = list_server_statuses("embedded", load_profile("embedded"))
    assert server.state == "running"
    (model,) = httpx.get(f"{embedded_endpoint}/models", trust_env=False).json()["data"]
    assert model["max_model_len"] == server.server.max_model_len


def test_a_long_prompt_with_a_seed_leaves_the_server_alive(embedded_endpoint: str) -> None:
    moss = "The moss grows on the stone, and the rain falls on it every day of the year. " * 240
    request = {
        "model": load_profile("embedded").servers[0].served_model_name,
        "messages": [{"role": "user", "content": moss}],
        "max_tokens": 4,
        "seed": 1,
    }
    response = httpx.post(f"{embedded_endpoint}/chat/completions", json=request, timeout=300, trust_env=False)
    assert response.raise_for_status().json()["usage"]["prompt_tokens"] > 4096, "more than vLLM takes in one part"


@pytest.mark.parametrize(
    ("role", "prompt", "own"),
    [("reader", "take_notes", {}), ("editor", "advise", {"paper": MOSSES, "notes": "", "unsupported": ""})],
)
def test_under_the_papers_penalties_most_answers_end_by_themselves(
    embedded_endpoint: str, role: str, prompt: str, own: dict[str, str]
) -> None:
    """Prose lets the penalties of LLM-CLBR work: they do not pile up on quotes and commas."""
    paper = load_settings({"preset": "paper"}).models[role]
    variables = {"audience": "general public", "article": MOSSES, "limits": Limits(), **own}
    request = {
        "model": load_profile("embedded").servers[0].served_model_name,
        "messages": [
            {
                "role": "user",
                "content": load_prompt(ROOT / "nodes" / "journalism" / "prompts" / f"{prompt}.md").render(variables),
            }
        ],
        "n": 10,
        "seed": 1,
        **{name: paper[name] for name in ("max_tokens", "top_p", "frequency_penalty", "repetition_penalty")},
    }
    response = httpx.post(f"{embedded_endpoint}/chat/completions", json=request, timeout=1500, trust_env=False)
    ends = [choice["finish_reason"] for choice in response.raise_for_status().json()["choices"]]
    assert ends.count("stop") >= 8, ends
