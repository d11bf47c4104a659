"""Prompts are made to fit the context that the server tells, and what was cut is on record."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from state.errors import ContextOverflowError, ModelOutputError, ModelUnavailableError
from tests.fake_endpoint import FakeEndpoint, Json, Reasoning, Script, Status, Text
from tests.fake_endpoint.exchange import Exchange
from tests.fake_endpoint.tokens import count_tokens, render_chat
from tests.tools.models.desk import GOOD, Desk
from tools.models.endpoint import TEMPLATE_TOKENS, fetch_endpoint
from tools.models.endpoint import count_message_tokens as count_tokens_of

PARAGRAPH = "One cell met another cell.\n\nThey grew old."
LONG = "\n\n".join([PARAGRAPH] * 200)  # 1,600 words, 2,000 tokens
WORDS = len(LONG.split())


def prompt_tokens(desk: Desk) -> int:
    return count_tokens(render_chat(desk.endpoint.chat_requests[-1].messages))


async def test_a_prompt_that_is_too_long_loses_the_end_of_the_named_variable(desk: Desk) -> None:
    desk.endpoint.models = {"large": 1500}
    desk.endpoint.answer = Script([GOOD])
    (call,) = (await desk.ask(LONG, max_tokens=500))["calls"]
    (trim,) = call["trims"]
    assert (trim["variable"], trim["words_before"]) == ("text", WORDS)
    text, question = desk.endpoint.chat_requests[0].text.rsplit("\n\n", 1)
    assert question == "Which word?"
    assert LONG.startswith(text)
    assert len(text.split()) == trim["words_kept"] < WORDS
    room = 1500 - 1500 // 4 - 160
    assert 0.95 * room < prompt_tokens(desk) <= room


async def test_without_tokenize_the_count_is_a_cautious_estimate(desk: Desk) -> None:
    desk.endpoint.tokenizes = False
    desk.endpoint.models = {"large": 3300}
    desk.endpoint.answer = Script([GOOD])
    (call,) = (await desk.ask(LONG, max_tokens=500))["calls"]
    assert call["trims"], "the prompt would fit, but an estimate must not rely on that"
    assert len(desk.endpoint.chat_requests[0].text) <= 3 * (3300 - 500 - 160)
    assert [request.path for request in desk.endpoint.requests].count("/tokenize") == 1


async def test_the_configured_context_is_heeded_where_the_server_tells_none(desk: Desk) -> None:
    desk.endpoint.reports_context = False
    desk.endpoint.answer = Script([GOOD, GOOD])
    (trimmed,) = (await desk.ask(LONG, context_length=1500, max_tokens=500))["calls"]
    (whole,) = (await desk.ask(LONG, max_tokens=500))["calls"]
    assert trimmed["trims"]
    assert whole["trims"] == []


@pytest.mark.parametrize(
    ("tokenizes", "text", "read", "told"),
    [
        (True, LONG, 1500, False),
        (False, LONG, 1000, True),
        (False, LONG, 2000, False),
        (False, "A tale of cells.", 2, False),
    ],
    ids=["counted, the template differs", "estimated", "the estimate was high", "too short to tell"],
)
async def test_a_prompt_that_the_server_cuts_in_silence_is_on_record(
    tokenizes: bool, text: str, read: int, told: bool, desk: Desk
) -> None:
    desk.endpoint.tokenizes = tokenizes
    usage = {"prompt_tokens": read, "completion_tokens": 9, "total_tokens": read + 9}
    desk.endpoint.answer = Script([Text(GOOD.content, usage=usage)])
    (call,) = (await desk.ask(text))["calls"]
    assert [(trim["variable"], trim["words_kept"]) for trim in call["trims"]] == ([("prompt", read)] if told else [])


@pytest.mark.parametrize(
    ("context", "chosen", "asked"),
    [(100_000, {}, 16_384), (100_000, {"max_tokens": 900}, 900), (8192, {}, 8192 - 160 - 15)],
    ids=["the default", "a setting", "what the prompt leaves"],
)
async def test_an_answer_may_be_as_long_as_the_context_allows(
    context: int, chosen: dict[str, Any], asked: int, desk: Desk
) -> None:
    desk.endpoint.models = {"large": context}
    desk.endpoint.answer = Script([GOOD])
    await desk.ask(**chosen)
    assert desk.sent[0]["max_tokens"] == asked


@pytest.mark.parametrize(("context", "kept"), [(2400, 600), (4000, 1000), (24_000, 4096)])
async def test_a_prompt_fills_the_context_but_for_the_least_room_of_an_answer(
    context: int, kept: int, desk: Desk
) -> None:
    desk.endpoint.models = {"large": context}
    desk.endpoint.answer = Script([GOOD])
    (call,) = (await desk.ask(LONG * 20))["calls"]
    assert call["trims"]
    assert kept <= desk.sent[0]["max_tokens"] < kept + 0.05 * context
    assert prompt_tokens(desk) + desk.sent[0]["max_tokens"] + 160 == context


async def test_the_re_ask_fits_too(desk: Desk) -> None:
    desk.endpoint.models = {"large": 1500}
    desk.endpoint.answer = Script([Json({"x" * 5000: 1}), GOOD])
    result = await desk.ask(LONG, max_tokens=500)
    assert result["word"] == "cell"
    assert prompt_tokens(desk) + 500 <= 1500


async def test_an_answer_that_the_server_shortens_is_not_taken_for_a_whole_one(desk: Desk) -> None:
    desk.endpoint.clamps_output = True
    desk.endpoint.models = {"large": 350}
    desk.endpoint.reports_context = False  # so nothing is trimmed
    desk.endpoint.answer = lambda _: Reasoning("thinking " * 100, GOOD.content)
    with pytest.raises(ModelOutputError, match="gave no usable answer") as caught:
        await desk.ask("cell " * 260, max_tokens=200)
    assert [call["finish_reason"] for call in caught.value.spent] == ["length", "length"]


@pytest.mark.parametrize("said", [{"context_length": 8192}, {}], ids=["too much", "nothing"])
async def test_a_server_with_less_context_than_was_known_gets_the_prompt_again_cut_to_it(
    said: dict[str, int], desk: Desk
) -> None:
    desk.endpoint.models, desk.endpoint.reports_context = {"large": 1500}, False
    desk.endpoint.answer = Script([GOOD, GOOD])
    for refusals in (1, 0):
        before = len(desk.sent)
        (call,) = (await desk.ask(LONG, **said))["calls"]
        assert call["trims"]
        assert len(desk.sent) == before + refusals + 1
        assert prompt_tokens(desk) + desk.sent[-1]["max_tokens"] + 160 == 1500


async def test_a_refusal_that_tells_nothing_new_is_the_end_of_it(desk: Desk) -> None:
    words = "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens."
    desk.endpoint.answer = lambda _: Status(400, words)
    with pytest.raises(ContextOverflowError, match=words):
        await desk.ask()
    assert len(desk.sent) == 1


async def test_an_endpoint_describes_itself_once(desk: Desk) -> None:
    endpoint = await fetch_endpoint(desk.settings())
    assert endpoint.context_lengths == {"large": 8192, "small": 4096}
    assert endpoint.counts_tokens
    assert await fetch_endpoint(desk.settings(model="small")) is endpoint
    assert [request.path for request in desk.endpoint.requests] == ["/v1/models", "/tokenize"]


class LlamaCpp(BaseHTTPRequestHandler):
    """As llama.cpp answers: a slot's context stands in `meta`, and /tokenize gives the tokens of a whole prompt."""

    def do_GET(self) -> None:
        meta = {"n_ctx": 1024, "n_ctx_train": 2048}
        self._send({"object": "list", "data": [{"id": "large", "object": "model", "meta": meta}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._send({"tokens": [*body["content"]]})

    def _send(self, value: Any, kind: str = "application/json") -> None:
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None: ...


class OnePage(LlamaCpp):
    """Shows its page at every address that it does not know."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self._send("<html></html>", "text/html")


@pytest.fixture
def other_server(request: pytest.FixtureRequest) -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), request.param) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("other_server", [LlamaCpp], indirect=True)
async def test_llama_cpp_counts_tokens_to_which_a_chat_template_is_added(other_server: str, desk: Desk) -> None:
    settings = desk.settings(base_url=other_server)
    endpoint = await fetch_endpoint(settings)
    assert (endpoint.context_lengths, endpoint.counts_tokens) == ({"large": 1024}, True)
    assert await count_tokens_of("x" * 300, settings, endpoint) == 300 + TEMPLATE_TOKENS


@pytest.mark.parametrize("other_server", [OnePage], indirect=True)
async def test_another_servers_tokenize_is_not_relied_upon(other_server: str, desk: Desk) -> None:
    settings = desk.settings(base_url=other_server)
    endpoint = await fetch_endpoint(settings)
    assert not endpoint.counts_tokens
    assert await count_tokens_of("x" * 300, settings, endpoint) == 100


@dataclass(eq=False)
class Busy(FakeEndpoint):
    """Fails to count the first time."""

    faults: list[Status] = field(default_factory=lambda: [Status(503)])

    def handle(self, exchange: Exchange) -> None:
        if self.faults and exchange.request.path == "/tokenize" and "messages" in exchange.request.body:
            self.faults.pop().send(exchange)
        else:
            super().handle(exchange)


async def test_counting_is_tried_again_after_a_passing_fault_and_fails_with_the_server(desk: Desk) -> None:
    with Busy() as busy:
        settings = desk.settings(base_url=busy.base_url, retries=1)
        endpoint = await fetch_endpoint(settings)
        assert await count_tokens_of("Cells.", settings, endpoint) == 9
    assert busy.faults == []
    with pytest.raises(ModelUnavailableError):  # it is closed
        await count_tokens_of("Cells.", settings, endpoint)
