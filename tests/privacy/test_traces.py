"""OpenInference's instrumentation, set up as the documentation says, tells of steps and models and of no text."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from openinference.instrumentation.langchain import LangChainInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from tests.fake_endpoint import FakeEndpoint
from tests.support.newsroom import DRAFT, PAPER, Newsroom, article, run


@pytest.fixture
def exported(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    monkeypatch.setenv("OPENINFERENCE_HIDE_INPUTS", "true")
    monkeypatch.setenv("OPENINFERENCE_HIDE_OUTPUTS", "true")
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    instrumentor = LangChainInstrumentor()
    instrumentor.instrument(tracer_provider=provider)
    try:
        yield exporter
    finally:
        instrumentor.uninstrument()


def told_words(exporter: InMemorySpanExporter) -> set[str]:
    """Each three words in a row of the paper and of the article that stand in the spans, too."""
    traced = "".join(span.to_json() for span in exporter.get_finished_spans())
    sequences = [text.split() for text in (PAPER, *DRAFT)]
    threes = {" ".join(words[at : at + 3]) for words in sequences for at in range(len(words) - 2)}
    return {three for three in threes if three in traced}


async def test_a_trace_tells_of_every_step_and_call_and_of_no_text(
    fake_endpoint: FakeEndpoint, exported: InMemorySpanExporter
) -> None:
    fake_endpoint.answer = Newsroom(write_draft=[article(*DRAFT)])
    await run(fake_endpoint, rounds=1)
    names = [span.name for span in exported.get_finished_spans()]
    assert {"science_journalism", "initialise", "write_draft", "ChatOpenAI"} <= {*names}
    assert names.count("ChatOpenAI") == len(fake_endpoint.chat_requests)
    assert told_words(exported) == set()
