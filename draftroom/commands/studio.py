"""`draftroom studio`: serve the graphs to LangGraph Studio and its SDK, on this machine only."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path
from typing import Annotated

import typer

from draftroom.consoles import tell
from draftroom.extras import STUDIO, require
from state.errors import ServingError
from state.files import state_folder, storage_error
from tools.configuration import load_settings

HOST = "127.0.0.1"
STUDIO_PAGE = "https://smith.langchain.com"
CONCURRENT_RUNS = 10

CONFIGURATION = Path(__file__).parents[2] / "langgraph.json"
"""What is served; it is shipped beside the packages."""


def studio(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on, on this machine only.")] = 2024,
) -> None:
    """Serve the graphs to LangGraph Studio and its SDK until Ctrl-C."""
    load_settings()
    require(STUDIO)
    require_free_port(port)
    make_state_folder()
    address = f"http://{HOST}:{port}"
    tell(
        f"Open {STUDIO_PAGE}/studio/?baseUrl={address} in a browser, or use langgraph_sdk.get_client(url='{address}')."
    )
    # In this process's place, so that signals and the exit code are the server's own.
    os.execv(sys.executable, server_command(port))  # noqa: S606


def server_command(port: int) -> list[str]:
    """The command line of the server; its environment is this process's, which `tools` has silenced."""
    command = [sys.executable, "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload"]
    options = {"--host": HOST, "--port": port, "--n-jobs-per-worker": CONCURRENT_RUNS, "--config": CONFIGURATION}
    return [*command, *(str(part) for option in options.items() for part in option)]


def make_state_folder() -> None:
    """Make the folder of checkpoints now: the server would start without one, and fail at the first run.

    Raises:
        StateError: If it cannot be made.
    """
    folder = state_folder().absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise storage_error(error, folder) from error


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
