"""What Draftroom's serving sees of vLLM: the arguments, an engine process of its own, /health and /v1/models.

Every start adds a line to the file FAKE_VLLM_STARTS. It is healthy only while the file FAKE_VLLM_GATE exists, if that
variable is set. FAKE_VLLM_MODE asks for a fault: `fail` (or `fail:MODEL`) ends it before it serves, `interrupt` presses
Ctrl-C for whoever started it, `stubborn` makes the engine ignore SIGTERM.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ENGINE = """
import signal
signal.signal(signal.SIGTERM, signal.{action})
print("ready", flush=True)
signal.pause()
"""


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    for name in ("--model", "--served-model-name", "--host", "--dtype", "--generation-config"):
        parser.add_argument(name, required=True)
    for name in ("--port", "--max-model-len"):
        parser.add_argument(name, type=int, required=True)
    parser.add_argument("--gpu-memory-utilization", type=float)
    parser.add_argument("--max-num-seqs", type=int)
    parser.add_argument("--disable-uvicorn-access-log", action="store_true")
    return parser.parse_args()


def start_engine(mode: str | None) -> int:
    code = ENGINE.format(action="SIG_IGN" if mode == "stubborn" else "SIG_DFL")
    engine = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    engine.stdout.readline()
    return engine.pid


class Handler(BaseHTTPRequestHandler):
    model_name = ""

    def do_GET(self) -> None:
        gate = os.environ.get("FAKE_VLLM_GATE")
        self.send_response(200 if not gate or Path(gate).exists() else 503)
        self.end_headers()
        if self.path == "/v1/models":
            models = [{"id": self.model_name, "max_model_len": 512}]
            self.wfile.write(json.dumps({"data": models}).encode())

    def log_message(self, *_: object) -> None:
        pass


def main() -> None:
    mode = os.environ.get("FAKE_VLLM_MODE")
    options = arguments()
    engine = start_engine(mode)
    with Path(os.environ["FAKE_VLLM_STARTS"]).open("a") as starts:
        start = {"pid": os.getpid(), "engine": engine, "options": vars(options), "environment": dict(os.environ)}
        starts.write(json.dumps(start) + "\n")
    if mode in {"fail", f"fail:{options.served_model_name}"}:
        os.kill(engine, signal.SIGKILL)
        sys.stdout.write("INFO loading weights\n")
        raise ValueError("No available memory for the cache blocks")
    if mode == "interrupt":
        os.kill(os.getppid(), signal.SIGINT)
    Handler.model_name = options.served_model_name
    ThreadingHTTPServer((options.host, options.port), Handler).serve_forever()


if __name__ == "__main__":
    main()
