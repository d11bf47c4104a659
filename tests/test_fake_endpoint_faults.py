"""The fake endpoint's failures, and how it holds, loses and closes connections."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import openai
import pytest

from tests.fake_endpoint import (
    CutStream,
    Drop,
    FakeEndpoint,
    Hang,
    Hold,
    NotJson,
    Reply,
    Script,
    Status,
    Text,
    Truncated,
)

BODY: Any = {"model": "large", "messages": [{"role": "user", "content": "Explain cells."}]}
CLIENT = """
import json, sys, urllib.request
for number in range(3):
    body = json.dumps({"model": "large", "messages": [{"role": "user", "content": str(number)}]}).encode()
    urllib.request.urlopen(sys.argv[1] + "/chat/completions", body).read()
"""


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor() as pool:
        yield pool


def ask(endpoint: FakeEndpoint, timeout: httpx.Timeout | float = 20) -> httpx.Response:
    return httpx.post(
        endpoint.base_url + "/chat/completions", json=BODY, trust_env=False, verify=False, timeout=timeout
    )


def content(answer: httpx.Response) -> str:
    return str(answer.json()["choices"][0]["message"]["content"])


def test_status_carries_message_and_headers(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Script([Status(429, "Too many.", {"Retry-After": "0"})])
    answer = ask(fake_endpoint)
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "0")
    assert answer.json()["error"] == {"message": "Too many.", "type": "Too Many Requests", "param": None, "code": 429}


@pytest.mark.parametrize("fault", [Status(503, headers={"Retry-After": "0"}), Drop(), CutStream("A long answer")])
def test_client_that_retries_gets_over_a_passing_fault(fake_endpoint: FakeEndpoint, fault: Reply) -> None:
    fake_endpoint.answer = Script([fault, Text("at last")])
    with openai.OpenAI(base_url=fake_endpoint.base_url, api_key="none", max_retries=1) as client:
        answer = client.chat.completions.create(**BODY)
    assert answer.choices[0].message.content == "at last"
    assert len(fake_endpoint.chat_requests) == 2


def test_drop_resets_the_connection(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Script([Drop()])
    with pytest.raises(httpx.ReadError):  # an orderly end would be a RemoteProtocolError
        ask(fake_endpoint)
    assert not fake_endpoint.chat_requests[0].finished


def test_page_of_a_proxy_is_not_json(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Script([NotJson()])
    answer = ask(fake_endpoint)
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert answer.text.startswith("<!DOCTYPE html>")


def test_truncated_answer_and_missing_usage(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Script([Truncated('{"half": '), Text("whole", usage=None)])
    truncated, without_usage = ask(fake_endpoint).json(), ask(fake_endpoint).json()
    assert truncated["choices"][0]["finish_reason"] == "length"
    assert "usage" in truncated
    assert "usage" not in without_usage


def test_cut_stream_breaks_the_connection_after_some_tokens(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Script([CutStream("one two three four", after_chunks=2)])
    received: list[str] = []
    with httpx.stream(
        "POST", fake_endpoint.base_url + "/chat/completions", json=BODY | {"stream": True}, trust_env=False
    ) as answer:
        lines = answer.iter_lines()
        with pytest.raises(httpx.RemoteProtocolError, match="incomplete chunked read"):
            received.extend(lines)
    assert [" two" in line for line in received if line][-1]
    assert not any("three" in line or 'finish_reason": "' in line for line in received)
    assert not fake_endpoint.chat_requests[0].finished


def test_unfinished_stream_ends_without_a_finish_reason(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Script([CutStream("one two three four", after_chunks=2, unfinished=True)])
    with openai.OpenAI(base_url=fake_endpoint.base_url, api_key="none", max_retries=0) as client:
        chunks = list(client.chat.completions.create(**BODY, stream=True))
    assert "".join(chunk.choices[0].delta.content for chunk in chunks) == "one two"
    assert {chunk.choices[0].finish_reason for chunk in chunks} == {None}


def test_held_answer_comes_when_the_event_is_set(fake_endpoint: FakeEndpoint, pool: ThreadPoolExecutor) -> None:
    event = threading.Event()
    fake_endpoint.answer = Script([Hold(event, Text("held")), Text("at once")])
    held = pool.submit(ask, fake_endpoint)
    fake_endpoint.wait_for_requests(1)
    assert content(ask(fake_endpoint)) == "at once"
    assert not held.done()
    event.set()
    assert content(held.result()) == "held"


def test_hanging_request_ends_the_clients_patience(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Script([Hang()])
    with pytest.raises(httpx.ReadTimeout):
        ask(fake_endpoint, httpx.Timeout(20, read=0.05))
    assert not fake_endpoint.wait_for_requests(1)[0].finished


def test_hanging_request_is_answered_when_released(fake_endpoint: FakeEndpoint, pool: ThreadPoolExecutor) -> None:
    fake_endpoint.answer = Script([Hang(then=Text("finally"))])
    waiting = pool.submit(ask, fake_endpoint)
    fake_endpoint.wait_for_requests(1)
    fake_endpoint.release()
    assert content(waiting.result()) == "finally"


def test_later_requests_are_held_and_take_no_scripted_answer(
    fake_endpoint: FakeEndpoint, pool: ThreadPoolExecutor
) -> None:
    fake_endpoint.answer = Script([Text("one"), Text("two"), Text("three")])
    fake_endpoint.hold_after(2)
    assert [content(ask(fake_endpoint)) for _ in range(2)] == ["one", "two"]
    waiting = pool.submit(ask, fake_endpoint)
    requests = fake_endpoint.wait_for_requests(3)
    assert [request.finished for request in requests] == [True, True, False]
    fake_endpoint.release()
    assert content(waiting.result()) == "three"
    assert requests[2].finished


def test_waiting_for_requests_that_do_not_come_ends(fake_endpoint: FakeEndpoint) -> None:
    with pytest.raises(TimeoutError, match="Only 0 of 1 chat requests arrived"):
        fake_endpoint.wait_for_requests(1, timeout_s=0.01)


def test_killed_client_is_not_answered_and_takes_nothing_with_it(capfd: pytest.CaptureFixture[str]) -> None:
    with FakeEndpoint(answer=Script([Text("one"), Text("two")])) as endpoint:
        endpoint.hold_after(1)
        with subprocess.Popen([sys.executable, "-c", CLIENT, endpoint.base_url]) as client:
            endpoint.wait_for_requests(2)
            client.kill()
        endpoint.release()
        assert content(ask(endpoint)) == "two"
    assert [request.text for request in endpoint.chat_requests] == ["0", "1", "Explain cells."]
    assert [request.finished for request in endpoint.chat_requests] == [True, False, True]
    assert capfd.readouterr().err == ""


def test_answer_that_nobody_reads_to_its_end_is_not_finished(capfd: pytest.CaptureFixture[str]) -> None:
    more_than_any_buffer = NotJson("x" * 64_000_000)
    with (
        FakeEndpoint(answer=Script([more_than_any_buffer])) as endpoint,
        httpx.stream("POST", endpoint.base_url + "/chat/completions", json=BODY, trust_env=False) as answer,
    ):
        next(answer.iter_raw())
    assert not endpoint.chat_requests[0].finished
    assert capfd.readouterr().err == ""


def test_closing_ends_held_requests_and_all_threads(pool: ThreadPoolExecutor) -> None:
    before = set(threading.enumerate())
    endpoint = FakeEndpoint(answer=Script([Hang(), Hold(threading.Event(), Text("never"))]))
    with endpoint, httpx.Client(trust_env=False, verify=False) as idle:
        idle.get(endpoint.root_url + "/health")  # its connection stays open
        waiting = [pool.submit(ask, endpoint) for _ in range(2)]
        endpoint.wait_for_requests(2)
    for request in waiting:
        assert isinstance(request.exception(), httpx.RemoteProtocolError)
    pool.shutdown()
    assert set(threading.enumerate()) <= before
    with pytest.raises(httpx.ConnectError):
        ask(endpoint)
    endpoint.close()


def test_latency_delays_chat_answers_only(pool: ThreadPoolExecutor) -> None:
    with FakeEndpoint(latency_s=60) as endpoint:
        waiting = pool.submit(ask, endpoint)
        endpoint.wait_for_requests(1)
        assert httpx.get(endpoint.root_url + "/health", trust_env=False, verify=False).status_code == 200
        assert not waiting.done()
    assert isinstance(waiting.exception(), httpx.RemoteProtocolError)


def test_a_stream_that_takes_its_time_comes_token_by_token() -> None:
    with (
        FakeEndpoint(answer=Script([Text("one two three")]), generation_s=60) as endpoint,
        httpx.stream(
            "POST", endpoint.base_url + "/chat/completions", json=BODY | {"stream": True}, trust_env=False
        ) as answer,
    ):
        assert next(answer.iter_lines()).startswith("data: ")
        assert not endpoint.chat_requests[0].finished


def test_mistake_in_an_answer_is_shown(fake_endpoint: FakeEndpoint, capfd: pytest.CaptureFixture[str]) -> None:
    fake_endpoint.answer = lambda request: Text(request.body["no such field"])
    with pytest.raises(httpx.RemoteProtocolError):
        ask(fake_endpoint)
    fake_endpoint.close()
    assert "KeyError: 'no such field'" in capfd.readouterr().err
