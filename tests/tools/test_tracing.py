"""Traces go to the address that the user names, a real collector here, and hold no word of a paper."""

from __future__ import annotations

import gzip
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from runs.record import thread_of
from tests.draftroom.conftest import PAPER, Command, draftroom, endpoint, paper
from tests.fake_endpoint import Script, Status
from tools.tracing import ADDRESS

pytest.importorskip("opentelemetry.exporter.otlp.proto.http")
__all__ = ["draftroom", "endpoint", "paper"]


class Collector:
    """What an OTLP/HTTP collector was sent."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.paths: list[str] = []
        self.address = ""

    @property
    def spans(self) -> list[Any]:
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (  # noqa: PLC0415 - an optional package
            ExportTraceServiceRequest,
        )

        requests = [ExportTraceServiceRequest.FromString(body) for body in self.bodies]
        return [
            span
            for request in requests
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]


@contextmanager
def collecting(status: int = 200) -> Iterator[Collector]:
    collector = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            gzipped = self.headers.get("content-encoding") == "gzip"
            collector.bodies.append(gzip.decompress(body) if gzipped else body)
            collector.paths.append(self.path)
            self.send_response(status)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    collector.address = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield collector
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def collector() -> Iterator[Collector]:
    with collecting() as collector:
        yield collector


def attributes(span: Any) -> dict[str, Any]:
    return {each.key: each.value.string_value or each.value.int_value for each in span.attributes}


def explain(command: Command, paper: Path, address: str) -> tuple[int, str]:
    """The command in a process of its own, which sends what is left of its trace when it ends."""
    done = command.with_variables({ADDRESS: address}).process("explain", paper, "--quiet")
    return done.returncode, done.stderr


def test_a_run_its_nodes_and_its_calls_are_spans_of_one_trace(
    draftroom: Command, paper: Path, collector: Collector
) -> None:
    code, told = explain(draftroom, paper, collector.address)
    assert (code, told) == (0, "")
    (record,) = draftroom.records()
    spans = {span.span_id: span for span in collector.spans}
    assert {*collector.paths} == {"/v1/traces"}
    assert len({span.trace_id for span in spans.values()}) == 1
    (run,) = [span for span in spans.values() if span.parent_span_id not in spans]
    assert run.name == "science_journalism"
    assert attributes(run)["draftroom.thread"] == thread_of(record)
    calls = [span for span in spans.values() if span.name == "chat large"]
    nodes = [span for span in spans.values() if span not in (run, *calls)]
    assert {"initialise", "write_draft"} <= {span.name for span in nodes}
    assert {span.parent_span_id for span in nodes} == {run.span_id}
    assert {span.parent_span_id for span in calls} <= {span.span_id for span in nodes}
    counted = Counter[str]()
    for call in map(attributes, calls):
        assert call["gen_ai.request.model"] == "large"
        counted["in"] += call["gen_ai.usage.input_tokens"]
        counted["out"] += call["gen_ai.usage.output_tokens"]
    assert len(calls) == len(draftroom.endpoint.chat_requests)
    usage = record["usage"]
    assert counted["in"] == sum(each["input_tokens"] for each in usage)
    assert counted["out"] == sum(each["output_tokens"] for each in usage)


def test_no_word_of_the_paper_is_in_a_trace(draftroom: Command, paper: Path, collector: Collector) -> None:
    draftroom.endpoint.answer = Script([], otherwise=lambda _: Status(400, f"I will not read {PAPER}"))
    code, _ = explain(draftroom, paper, collector.address)
    assert code != 0
    failed = [span for span in collector.spans if span.status.code]
    assert {attributes(span)["error.type"] for span in failed} == {"bad_settings"}
    sent = b"".join(collector.bodies)
    assert b"science_journalism" in sent
    assert not [word for word in PAPER.split() if len(word) > 5 and word.encode() in sent]


def test_nothing_is_traced_unless_an_address_is_named(draftroom: Command, paper: Path, collector: Collector) -> None:
    others = draftroom.with_variables({"OTEL_EXPORTER_OTLP_ENDPOINT": collector.address})
    assert others.process("explain", paper, "--quiet").returncode == 0
    assert collector.bodies == []


def test_a_collector_that_is_gone_ends_no_run(draftroom: Command, paper: Path) -> None:
    with collecting() as gone:
        pass
    code, told = explain(draftroom, paper, gone.address)
    assert code == 0
    assert "Traceback" not in told


@pytest.mark.parametrize("address", ["collector:4318", "/var/traces"])
def test_what_is_no_address_is_told_before_anything_is_spent(draftroom: Command, paper: Path, address: str) -> None:
    result = draftroom.with_variables({ADDRESS: address})("explain", paper, "--quiet")
    assert result.exit_code != 0
    assert "is no address of a collector" in " ".join(result.stderr.split())
    assert draftroom.endpoint.chat_requests == []
