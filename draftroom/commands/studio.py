"""`draftroom studio`: serve the graphs to LangGraph Studio and its SDK, on this machine only."""

from __future__ import annotations

import json
import os
import socket
import sys
from pathlib import Path
from typing import Annotated

import typer

from draftroom.consoles import tell
from draftroom.extras import STUDIO, require
from state.errors import ServingError
from state.paths import state_folder
from tools.checkpoints import storage_error
from tools.configuration import load_settings

HOST = "127.0.0.1"
STUDIO_PAGE = "https://smith.langchain.com"
CONCURRENT_RUNS = 10

CONFIGURATION = {
    "dependencies": ["."],
    "graphs": {
        "science_journalism": {
            "path": "graphs.science_journalism:graph",
            "description": "A journalist writes, a smaller reader takes notes, an editor advises, the journalist revises.",  # noqa: E501
        },
        "medical_simplification": {
            "path": "graphs.medical_simplification:graph",
            "description": "A selector lets a layperson ask, a clarifier reword and a checker shorten a medical abstract.",  # noqa: E501
        },
        "focused_feedback": {
            "path": "graphs.focused_feedback:graph",
            "description": "For each paragraph a planner asks, an investigator looks it up, a reviewer comments, a verifier checks.",  # noqa: E501
        },
        "single_model": {
            "path": "graphs.baselines:single_model",
            "description": "Baseline of focused feedback: the reviewer alone, with nothing but the paragraph.",
        },
        "chain_of_verification": {
            "path": "graphs.baselines:chain_of_verification",
            "description": "Baseline of focused feedback: questions are answered and checked from the model's own knowledge.",  # noqa: E501
        },
    },
    "checkpointer": {"path": "tools.checkpoints.studio_checkpointer"},
    "http": {
        "cors": {  # otherwise every page in the browser may read the runs
            "allow_origins": [STUDIO_PAGE],
            "allow_methods": ["*"],
            "allow_headers": ["*"],
            "expose_headers": ["x-pagination-total", "x-pagination-next", "content-location"],
        }
    },
}
"""What `langgraph.json` says, too. It has an `env` besides, because a plain `langgraph dev` was silenced by nobody."""


def studio(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on, on this machine only.")] = 2024,
) -> None:
    """Serve the graphs to LangGraph Studio and its SDK until Ctrl-C."""
    load_settings()
    require(STUDIO)
    require_free_port(port)
    arguments = server_command(port, write_configuration())
    address = f"http://{HOST}:{port}"
    tell(
        f"Open {STUDIO_PAGE}/studio/?baseUrl={address} in a browser, or use langgraph_sdk.get_client(url='{address}')."
    )
    # In this process's place, so that signals and the exit code are the server's own.
    os.execv(sys.executable, arguments)  # noqa: S606


def server_command(port: int, configuration: Path) -> list[str]:
    """The command line of the server; its environment is this process's, which `tools` has silenced."""
    command = [sys.executable, "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload"]
    options = {"--host": HOST, "--port": port, "--n-jobs-per-worker": CONCURRENT_RUNS, "--config": configuration}
    return [*command, *(str(part) for option in options.items() for part in option)]


def write_configuration() -> Path:
    """Write what the server is to serve into the state folder.

    Raises:
        StateError: If it cannot be written.
    """
    path = state_folder().absolute() / "studio.json"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(CONFIGURATION, indent=2), encoding="utf-8")
    except OSError as error:
        raise storage_error(error, path) from error
    return path


def require_free_port(port: int) -> None:
    """Check that nobody listens on the port: the server would quietly take another one.

    Raises:
        ServingError: Somebody does.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise ServingError(f"Port {port} is not free ({error.strerror}); choose another with --port.") from error
