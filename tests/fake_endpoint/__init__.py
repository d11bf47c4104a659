"""A fake model endpoint: a real HTTP server on loopback that speaks the OpenAI API as vLLM does.

    with FakeEndpoint({"large": 8192}, answer=Script([Text("Once upon a time."), Status(503)])) as endpoint:
        client = OpenAI(base_url=endpoint.base_url, api_key="none")

By default it makes up valid answers, the same ones for the same request. `Script` answers in other ways,
and any function from a recorded request to a reply will do.
"""

from tests.fake_endpoint.completion import Text
from tests.fake_endpoint.endpoint import FakeEndpoint
from tests.fake_endpoint.filler import fill
from tests.fake_endpoint.replies import (
    Answer,
    Choices,
    CutStream,
    Drop,
    Hang,
    Hold,
    Json,
    NoChoice,
    NotJson,
    Reasoning,
    Reply,
    Status,
    Truncated,
)
from tests.fake_endpoint.request_log import RecordedRequest
from tests.fake_endpoint.script import Script, When

__all__ = [
    "Answer",
    "Choices",
    "CutStream",
    "Drop",
    "FakeEndpoint",
    "Hang",
    "Hold",
    "Json",
    "NoChoice",
    "NotJson",
    "Reasoning",
    "RecordedRequest",
    "Reply",
    "Script",
    "Status",
    "Text",
    "Truncated",
    "When",
    "fill",
]
