"""Serve a GGUF file as an OpenAI-compatible endpoint by llama.cpp: `python llama_server.py --model FILE ...`.

Runs by path inside an environment that has xllamacpp, whose server is that of llama.cpp.
"""

from __future__ import annotations

import argparse
import threading

from xllamacpp import CommonParams, Server


def main() -> None:
    """Serve until the process is ended."""
    parser = argparse.ArgumentParser()
    for name in ("--model", "--served-model-name", "--host"):
        parser.add_argument(name, required=True)
    for name in ("--port", "--max-model-len", "--slots", "--threads"):
        parser.add_argument(name, type=int, required=True)
    arguments = parser.parse_args()
    parameters = CommonParams()
    parameters.model.path = arguments.model
    parameters.model_alias = {arguments.served_model_name}
    parameters.hostnames, parameters.port = [arguments.host], arguments.port
    parameters.n_ctx, parameters.n_parallel = arguments.max_model_len * arguments.slots, arguments.slots
    parameters.cpuparams.n_threads = arguments.threads
    parameters.use_jinja = True  # the chat template of the model
    parameters.ui = False
    parameters.offline = True
    _server = Server(parameters)  # held, for it answers in threads of its own until it is dropped
    threading.Event().wait()


if __name__ == "__main__":
    main()
