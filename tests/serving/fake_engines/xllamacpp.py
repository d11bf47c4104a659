"""What Draftroom's serving sees of xllamacpp: parameters, and a server that answers in threads of its own."""

import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any


class CommonParams(SimpleNamespace):
    def __init__(self) -> None:
        super().__init__(model=SimpleNamespace(), cpuparams=SimpleNamespace())


class Server:
    def __init__(self, parameters: CommonParams) -> None:
        options = {
            "model": parameters.model.path,
            "served_model_name": [*parameters.model_alias],
            "hostnames": parameters.hostnames,
            "port": parameters.port,
            "n_ctx": parameters.n_ctx,
            "n_parallel": parameters.n_parallel,
        }
        with Path(os.environ["FAKE_VLLM_STARTS"]).open("a") as starts:
            starts.write(json.dumps({"pid": os.getpid(), "engine": os.getpid(), "options": options}) + "\n")

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.end_headers()
                if self.path == "/v1/models":
                    models = [{"id": name, "meta": {"n_ctx": 512}} for name in options["served_model_name"]]
                    self.wfile.write(json.dumps({"data": models}).encode())

            def log_message(self, *_: Any) -> None:
                pass

        server = ThreadingHTTPServer((parameters.hostnames[0], parameters.port), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
