"""Serves the fake endpoint until interrupted, for people and benchmarks."""

from __future__ import annotations

import argparse
import sys
import threading
from contextlib import suppress

from tests.fake_endpoint.endpoint import FakeEndpoint
from tests.fake_endpoint.filler import fill

_CONTEXT = 8192


def main() -> None:
    """Run `python -m tests.fake_endpoint`."""
    options = _parser().parse_args()
    models = dict.fromkeys(options.models.split(","), _CONTEXT)
    times = {
        "latency_s": options.latency,
        "generation_s": options.generation,
        "stream_interval": options.stream_interval,
    }
    endpoint = FakeEndpoint(models, fill, port=options.port, **times)
    with suppress(KeyboardInterrupt), endpoint:
        sys.stdout.write(f"{endpoint.base_url}\n")
        sys.stdout.flush()
        threading.Event().wait()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m tests.fake_endpoint", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="port to listen on; any free one by default")
    parser.add_argument("--models", default="large,small", help=f"names, each with a context of {_CONTEXT} tokens")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds until a chat answer begins")
    parser.add_argument("--generation", type=float, default=0.0, help="seconds that a streamed answer takes then")
    parser.add_argument("--stream-interval", type=int, default=1, help="tokens in each piece of a streamed answer")
    return parser


if __name__ == "__main__":
    main()
