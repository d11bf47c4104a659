"""Another process that searches a paper: python -m tests.tools.retrieval.asking PAPER.json QUESTION [ENDPOINT]

Without an endpoint it embeds with the packaged model, and any attempt to use the network ends it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from state.settings import EmbeddingSettings
from tests.tools.retrieval.papers import short_segments
from tools.retrieval.search import find_passages


def refuse_network(event: str, _: object) -> None:
    if event in {"socket.connect", "socket.getaddrinfo"}:
        raise AssertionError(event)


def main(path: str, question: str, base_url: str | None = None) -> None:
    if base_url is None:
        sys.addaudithook(refuse_network)
    embedding = EmbeddingSettings(model="large", base_url=base_url) if base_url else EmbeddingSettings()
    document = json.loads(Path(path).read_text(encoding="utf-8"))
    chosen = short_segments(embedding=embedding)
    passages = find_passages([document], question, chosen, 5)
    sys.stdout.write(passages[0]["text"])


if __name__ == "__main__":
    main(*sys.argv[1:])
