"""What the endpoint says on each path, in the shapes of vLLM 0.32."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from tests.fake_endpoint.context import room_for
from tests.fake_endpoint.embeddings import embeddings
from tests.fake_endpoint.exchange import Exchange
from tests.fake_endpoint.filler import fill
from tests.fake_endpoint.replies import Answer, Status
from tests.fake_endpoint.request_log import RecordedRequest
from tests.fake_endpoint.tokens import count_tokens, render_chat, split_tokens, token_ids


@dataclass(eq=False)
class Api:
    """A server of language models, as its clients see it.

    Args:
        models: Names of the models served and the context length of each, in tokens.
        answer: Decides how chat requests are answered; may be replaced at any time.
        api_key: Key that requests under /v1 must carry.
        reports_context: Tell the context length in /v1/models, as vLLM does and other servers do not.
        tokenizes: Offer /tokenize, as vLLM does and other servers do not.
        clamps_output: Shorten answers to what the prompt leaves of the context, as vLLM 0.32 does; otherwise refuse a
            request whose prompt and `max_tokens` do not fit together, as vLLM did before.
        ignores_n: Give one answer however many a request asks for, as Ollama does.
        slots: Refuse requests for more answers than that, in llama.cpp's words.
        loading: Number of requests that are refused, whatever they ask, because the model is still being loaded.
        latency_s: How long every chat answer takes to begin.
        generation_s: How long a streamed answer takes from its first token to its last.
        stream_interval: Tokens that are streamed together, as by vLLM's option of that name; one by one, reading them
            takes a client a third of a run's time.
    """

    models: Mapping[str, int] = field(default_factory=lambda: {"large": 8192, "small": 4096})
    answer: Answer = fill
    _: KW_ONLY
    api_key: str | None = None
    reports_context: bool = True
    tokenizes: bool = True
    clamps_output: bool = False
    ignores_n: bool = False
    slots: int | None = None
    loading: int = 0
    latency_s: float = 0.0
    generation_s: float = 0.0
    stream_interval: int = 200

    def handle(self, exchange: Exchange) -> None:
        """Answer a request on any path."""
        request = exchange.request
        if self.loading:
            self.loading -= 1
            Status(503, "Loading model").send(exchange)
            return
        if not self._is_authorised(request.path, request.headers.get("authorization")):
            exchange.send_json(401, {"error": "Unauthorized"})
            return
        match request.method, request.path:
            case "GET", "/health":
                exchange.send(200, b"", "text/plain")
            case "GET", "/v1/models":
                exchange.send_json(200, self._model_list())
            case "POST", "/v1/chat/completions":
                self._chat(exchange)
            case "POST", "/v1/embeddings":
                self._embed(exchange)
            case "POST", "/tokenize" if self.tokenizes:
                self._tokenize(exchange)
            case _:
                Status(404, "Not Found").send(exchange)

    def _is_authorised(self, path: str, authorization: str | None) -> bool:
        # vLLM guards only what is under /v1: health and /tokenize stay open.
        return self.api_key is None or not path.startswith("/v1") or authorization == f"Bearer {self.api_key}"

    def _model_list(self) -> dict[str, Any]:
        return {"object": "list", "data": [self._model_card(name, length) for name, length in self.models.items()]}

    def _model_card(self, name: str, length: int) -> dict[str, Any]:
        card = {"id": name, "object": "model", "created": 0, "owned_by": "vllm", "root": name, "parent": None}
        return card | {"max_model_len": length} if self.reports_context else card

    def _chat(self, exchange: Exchange) -> None:
        request = exchange.request
        if refusal := self._refusal(request, "messages"):
            refusal.send(exchange)
            return
        if self.slots is not None and request.n > self.slots:
            message = f"Field 'n': Value must be between 1 <= value <= {self.slots}, but got {request.n}"
            Status(400, message).send(exchange)
            return
        room = room_for(request.body, self._context(request), clamps=self.clamps_output)
        if isinstance(room, Status):
            room.send(exchange)
            return
        exchange.room, exchange.generation_s, exchange.stream_interval = room, self.generation_s, self.stream_interval
        exchange.answers = 1 if self.ignores_n else request.n
        exchange.gates.admit(request.chat_number or 0)
        exchange.gates.pause(self.latency_s)
        exchange.expect_client()  # a scripted answer must not be used up by a client that was killed
        self.answer(request).send(exchange)

    def _embed(self, exchange: Exchange) -> None:
        if refusal := self._refusal(exchange.request, "input"):
            refusal.send(exchange)
        elif max(map(count_tokens, exchange.request.body["input"])) > self._context(exchange.request):
            Status(400, "This model's maximum context length is exceeded.").send(exchange)
        else:
            exchange.send_json(200, embeddings(exchange.request.body))

    def _tokenize(self, exchange: Exchange) -> None:
        request = exchange.request
        is_chat = "messages" in request.body
        if refusal := self._refusal(request, "messages" if is_chat else "prompt"):
            refusal.send(exchange)
            return
        pieces = split_tokens(render_chat(request.messages) if is_chat else request.body["prompt"])
        answer = {"count": len(pieces), "max_model_len": self._context(request), "tokens": token_ids(pieces)}
        exchange.send_json(200, answer | {"token_strs": None})

    def _refusal(self, request: RecordedRequest, needed: str) -> Status | None:
        """Why the request cannot be answered: a missing field, or a model that is not served."""
        if not request.body.get(needed):
            return Status(400, f"body.{needed}: Field required", param=needed)
        if request.model and request.model not in self.models:
            message = f"The model `{request.model}` does not exist. Valid aliases: {', '.join(self.models)}."
            return Status(404, message, param="model")
        return None

    def _context(self, request: RecordedRequest) -> int:
        return self.models[request.model or next(iter(self.models))]
