"""What happens when the endpoint fails: what is tried again, and what the user is told."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from state.errors import ModelUnavailableError, RequestFailedError
from tests.fake_endpoint import CutStream, Drop, FakeEndpoint, Hang, NoChoice, NotJson, Reply, Script, Status, Text
from tests.fake_endpoint.exchange import Exchange
from tests.tools.models.desk import GOOD, Desk
from tools.models.endpoint import fetch_endpoint

JSON = GOOD.content


@dataclass(frozen=True)
class Events:
    """Streams these chunks, whatever they are, and ends properly."""

    chunks: tuple[Any, ...]

    def send(self, exchange: Exchange) -> None:
        exchange.send_events(self.chunks)


@dataclass(frozen=True)
class Stall:
    """Streams the beginning of an answer, then nothing more."""

    def send(self, exchange: Exchange) -> None:
        exchange.send_events([chunk('{"word"')], "cut")
        exchange.gates.wait(exchange.release)


@dataclass(frozen=True)
class Reset:
    """Streams the beginning of an answer, then resets the connection."""

    def send(self, exchange: Exchange) -> None:
        exchange.send_events([chunk('{"word"')], "cut")
        exchange.reset()


@dataclass(frozen=True)
class Garbled:
    """Streams an event that is no JSON."""

    def send(self, exchange: Exchange) -> None:
        exchange.send(200, b'data: {"id": \n\n', "text/event-stream")


DIED = {"error": {"message": "The engine died.", "type": "InternalServerError", "code": 500}}


def chunk(content: str, finish_reason: str | None = None, **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"content": content}, "finish_reason": finish_reason}
    return {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "large", "choices": [choice], **more}


def too_many(retry_after: str) -> Status:
    return Status(429, headers={"Retry-After": retry_after})


YESTERDAY = format_datetime(datetime.now(UTC) - timedelta(days=1), usegmt=True)
TOMORROW = format_datetime(datetime.now(UTC) + timedelta(days=1), usegmt=True)


LOG = "look at its log"
CUT = "broke off its answer, or lost the connection"
OF_THE_ENGINE = f"reported an error while it answered: “The engine died.”; {LOG}"
FAULTS: dict[str, tuple[Reply, str]] = {
    "500": (Status(500), f"answered with status 500: “The fake endpoint was told to fail.”; {LOG}"),
    "500 without a word": (Status(500, ""), f"answered with status 500; {LOG}"),
    "503": (Status(503, ""), f"answered with status 503; {LOG}"),
    "408": (Status(408, ""), f"answered with status 408; {LOG}"),
    "HTML page of a proxy": (NotJson(code=502), f"answered with status 502; {LOG}"),
    "dropped": (Drop(), CUT),
    "reset": (Reset(), CUT),
    "cut": (CutStream(JSON, after_chunks=3), CUT),
    "whole text without a finish reason": (CutStream(JSON, after_chunks=9, unfinished=True), CUT),
    "aborted": (Events((chunk(JSON, finish_reason="abort"),)), CUT),
    "HTML page": (NotJson(), "answers with a web page; correct `base_url`"),
    "no event": (Events(()), "sent no answer in the format of the OpenAI API"),
    "no JSON": (Garbled(), "sent no answer in the format of the OpenAI API"),
    "no choice": (NoChoice(), "sent an answer without any choice or text in it"),
    "error after a beginning": (Events((chunk(JSON), DIED)), OF_THE_ENGINE),
    "error at once": (Events((DIED,)), OF_THE_ENGINE),
}
"""What an endpoint may do, and what the user is told of it."""


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_passing_fault_is_tried_again_and_counted(fault: str, desk: Desk) -> None:
    reply, _ = FAULTS[fault]
    desk.endpoint.answer = Script([reply, reply, GOOD])
    result = await desk.ask(retries=2)
    assert result["word"] == "cell"
    assert [call["http_retries"] for call in result["calls"]] == [2]
    assert len(desk.sent) == 3


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_lasting_fault_is_an_error_after_all_retries(fault: str, desk: Desk) -> None:
    reply, message = FAULTS[fault]
    desk.endpoint.answer = lambda _: reply
    with pytest.raises(ModelUnavailableError) as caught:
        await desk.ask(retries=1)
    assert message in str(caught.value)
    assert "Error" not in str(caught.value)
    assert caught.value.kind == "endpoint_down"
    assert not isinstance(caught.value, RequestFailedError), "it answers nothing"
    assert sum("cells" in request.text for request in desk.endpoint.chat_requests) == 2


@pytest.mark.parametrize("fault", ["500", "HTML page of a proxy", "dropped", "cut", "no choice", "error at once"])
async def test_a_fault_that_one_request_alone_meets_each_time(fault: str, desk: Desk) -> None:
    reply, message = FAULTS[fault]
    desk.endpoint.answer = lambda request: reply if "cells" in request.text else GOOD
    with pytest.raises(RequestFailedError) as caught:
        await desk.ask(retries=1)
    assert caught.value.problem.endswith(f"{message.removesuffix(f'; {LOG}')}, but answers other requests")
    assert str(caught.value).endswith("; look at its log, then resume the run.")
    asked, again, harmless = desk.sent
    assert asked == again
    assert harmless["max_tokens"] < 100, "it is read to its end"
    assert harmless["response_format"] == asked["response_format"]
    assert (await desk.ask("A tale of stars."))["word"] == "cell"


@pytest.mark.parametrize("status", [429, 503])
async def test_an_endpoint_that_has_too_much_to_do_fails_at_no_request_in_particular(status: int, desk: Desk) -> None:
    desk.endpoint.answer = lambda request: Status(status) if "cells" in request.text else GOOD
    with pytest.raises(ModelUnavailableError) as caught:
        await desk.ask(retries=1)
    assert not isinstance(caught.value, RequestFailedError)
    assert len(desk.sent) == 2


@pytest.mark.parametrize("fault", [Hang(), Stall()], ids=["no answer", "half an answer"])
async def test_silence_ends_with_the_timeout(fault: Reply, desk: Desk) -> None:
    desk.endpoint.tokenizes = False
    await fetch_endpoint(desk.settings())  # with time enough, so that only the chat request is short of it
    desk.endpoint.answer = lambda _: fault
    with pytest.raises(
        ModelUnavailableError, match=r"was silent for 0\.2 s; look at its log, or set a longer `timeout_s`"
    ):
        await desk.ask(timeout_s=0.2, retries=0)


@pytest.mark.parametrize("moment", ["0", YESTERDAY], ids=["seconds", "date"])
async def test_retry_after_is_honoured(moment: str, desk: Desk) -> None:
    desk.endpoint.answer = Script([too_many(moment), GOOD])
    result = await desk.ask(retry_wait_s=60)  # which it would wait without the header
    assert [call["http_retries"] for call in result["calls"]] == [1]


@pytest.mark.parametrize("moment", ["3600", TOMORROW], ids=["seconds", "date"])
async def test_a_wait_beyond_the_cap_is_left_to_the_user(moment: str, desk: Desk) -> None:
    desk.endpoint.answer = Script([too_many(moment)])
    with pytest.raises(ModelUnavailableError, match=r"status 429: .*; it asks to wait \d+ s, then resume the run"):
        await desk.ask()
    assert len(desk.sent) == 1


@pytest.mark.parametrize("moment", ["soon", "-5", "nan", ""])
async def test_a_meaningless_retry_after_is_passed_over(moment: str, desk: Desk) -> None:
    desk.endpoint.answer = Script([too_many(moment), GOOD])
    assert (await desk.ask())["word"] == "cell"


@pytest.mark.parametrize("status", [401, 403])
async def test_a_refused_key_is_not_told(status: int, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "s3cret")
    desk.endpoint.answer = Script([Status(status, "The key s3cret is wrong.")])
    with pytest.raises(ModelUnavailableError, match="environment variable MY_KEY") as caught:
        await desk.ask(api_key_env="MY_KEY")
    assert caught.value.kind == "endpoint_refused"
    assert "refuses the key: “The key … is wrong.”; put the right one" in str(caught.value)
    assert len(desk.sent) == 1


async def test_a_model_that_is_served_no_longer(desk: Desk) -> None:
    desk.endpoint.answer = Script([Status(404, "The model `large` does not exist.")])
    with pytest.raises(
        ModelUnavailableError, match=r"does not serve 'large': “The model .large. does not exist\.”;"
    ) as caught:
        await desk.ask()
    assert caught.value.kind == "wrong_model"
    assert len(desk.sent) == 1


async def test_after_a_fault_the_endpoint_is_asked_anew_what_it_serves(desk: Desk) -> None:
    desk.endpoint.answer = Script([Status(404), GOOD])
    with pytest.raises(ModelUnavailableError):
        await desk.ask()
    desk.endpoint.models = {"other": 8192}
    assert (await desk.ask(model="other"))["word"] == "cell"
    with pytest.raises(ModelUnavailableError, match="does not serve 'large' but other"):
        await desk.ask()


async def test_a_server_that_loads_its_model_is_waited_for(desk: Desk) -> None:
    desk.endpoint.loading = 3  # its list of models, too
    loading = Status(500, "The model is loading.")
    desk.endpoint.answer = Script([loading, loading, Status(500, "A hiccup."), loading, GOOD])
    stream = desk.graph(retries=1).astream({"text": "Cells."}, stream_mode=["custom", "values"])
    parts: list[Any] = [part async for part in stream]
    events = [part for mode, part in parts if mode == "custom"]
    told = f"The endpoint {desk.endpoint.base_url} is loading its model; waiting for it for up to 300 s"
    assert {event["text"] for event in events if event["event"] == "waiting"} == {told}
    assert [call["http_retries"] for call in parts[-1][1]["calls"]] == [1], "a wait takes no retry"


async def test_a_server_that_does_not_get_ready_is_told_after_the_wait(desk: Desk) -> None:
    desk.endpoint.loading = 9
    with pytest.raises(
        ModelUnavailableError, match=r"is still loading its model: “Loading model”; wait until .*or set"
    ):
        await desk.ask(startup_wait_s=0)
    assert desk.endpoint.loading == 8


async def test_a_loading_server_that_asks_for_no_wait_is_not_asked_without_a_pause(desk: Desk) -> None:
    desk.endpoint.answer = lambda _: Status(503, "Loading model", headers={"Retry-After": "0"})
    with pytest.raises(ModelUnavailableError, match="is still loading its model"):
        await desk.ask(startup_wait_s=0.1, retry_wait_s=5)
    assert len(desk.sent) <= 3


@dataclass(eq=False)
class Down(FakeEndpoint):
    """A proxy whose server is down."""

    asked: int = 0

    def handle(self, exchange: Exchange) -> None:
        self.asked += 1
        Status(503, "Service Unavailable").send(exchange)


async def test_a_server_that_does_not_say_that_it_loads_is_asked_as_often_as_after_any_fault(desk: Desk) -> None:
    with Down() as server, pytest.raises(ModelUnavailableError, match="status 503: “Service Unavailable”"):
        await desk.ask(base_url=server.base_url, retries=2)
    assert server.asked == 3


async def test_a_model_that_cannot_be_loaded_is_not_waited_for(desk: Desk) -> None:
    desk.endpoint.answer = lambda _: Status(500, "error loading model: unable to allocate memory")
    with pytest.raises(ModelUnavailableError, match="status 500: “error loading model"):
        await desk.ask(retries=0)


@pytest.mark.parametrize("path", ["", "/v1/v1"])
async def test_another_path_is_no_endpoint(path: str, desk: Desk) -> None:
    with pytest.raises(
        ModelUnavailableError, match="has no list of models as the OpenAI API has it; correct"
    ) as caught:
        await desk.ask(base_url=desk.endpoint.root_url + path)
    assert caught.value.kind == "endpoint_down"


class WebSite(FakeEndpoint):
    """Shows a page at every address."""

    def handle(self, exchange: Exchange) -> None:
        NotJson().send(exchange)


async def test_a_page_in_place_of_the_list_of_models(desk: Desk) -> None:
    with WebSite() as site, pytest.raises(ModelUnavailableError, match="answers with a web page") as caught:
        await desk.ask(base_url=site.base_url)
    assert caught.value.kind == "endpoint_down"


async def test_missing_usage_is_estimated_and_flagged(desk: Desk) -> None:
    desk.endpoint.stream_interval = 1
    desk.endpoint.answer = Script([Text(JSON, usage=None)])
    (call,) = (await desk.ask())["calls"]
    assert call["tokens_estimated"]
    assert (call["input_tokens"], call["output_tokens"]) == (15, 9)


async def test_usage_and_finish_reason_told_twice_count_once(desk: Desk) -> None:
    usage = {"prompt_tokens": 15, "completion_tokens": 9, "total_tokens": 24}
    twice = (chunk(JSON, "stop", usage=usage), chunk("", "stop", usage=usage))
    desk.endpoint.answer = Script([Events(twice)])
    (call,) = (await desk.ask())["calls"]
    assert (call["finish_reason"], call["input_tokens"], call["output_tokens"]) == ("stop", 15, 9)
