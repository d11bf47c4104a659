"""Serve a GGUF file as an OpenAI-compatible endpoint with llama.cpp: `python llama_server.py --model FILE ...`.

Runs as a script in an environment with xllamacpp, which contains the server of llama.cpp.
"""

from __future__ import annotations

import argparse
import threading

from xllamacpp import CommonParams, Server


def main() -> None:
    """Serve the model that the arguments name until the process is killed; does not return."""
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
    # llama.cpp divides its context among the slots.
    parameters.n_ctx, parameters.n_parallel = arguments.max_model_len * arguments.slots, arguments.slots
    parameters.cpuparams.n_threads = arguments.threads
    parameters.use_jinja = True  # the chat template of the model
    parameters.ui = False
    parameters.offline = True
    _server = Server(parameters)  # answers in its own threads as long as it is referenced
    threading.Event().wait()


if __name__ == "__main__":
    main()
