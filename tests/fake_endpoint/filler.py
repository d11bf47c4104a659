"""The default answers: text, or an instance of the request's JSON schema, decided by a hash of the request."""

from __future__ import annotations

import hashlib
import json
import random

from tests.fake_endpoint.completion import Text
from tests.fake_endpoint.replies import Choices, Json, Reply, Status
from tests.fake_endpoint.request_log import RecordedRequest
from tests.fake_endpoint.schema import UnsupportedSchemaError, instance
from tests.fake_endpoint.sentences import prose, sentence

_DECISIVE = ("model", "messages", "response_format", "structured_outputs", "seed")


def fill(request: RecordedRequest) -> Reply:
    """Answer with whatever the request constrains its answer to; the same request gets the same answer."""
    try:
        return Choices([_fill(request, index) for index in range(request.n)])
    except UnsupportedSchemaError as error:
        return Status(400, str(error))


def _fill(request: RecordedRequest, index: int) -> Text:
    rng = random.Random(f"{fingerprint(request)} {index}")
    if request.schema:
        return Json(instance(request.schema, rng))
    headline = [f"# {sentence(rng)[:-1]}"] if "headline" in request.text else []
    return Text("\n\n".join([*headline, *(prose(rng, 3) for _ in range(2))]))


def fingerprint(request: RecordedRequest) -> str:
    """Hash of what decides an answer; the same for a streamed request and one that is not."""
    decisive = {name: request.body.get(name) for name in _DECISIVE}
    return hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()
