"""`draftroom open` and `draftroom studio`: LangGraph's server, with Draftroom's page or for Studio and the SDK."""

from __future__ import annotations

import errno
import os
import socket
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from draftroom.extras import STUDIO, require_extra
from draftroom.rendering.console import print_to_stderr
from state.errors import ServingError
from state.files import ensure_folder, resolve_state_folder
from tools.configuration import load_settings

if TYPE_CHECKING:
    from draftroom.page.access import AccessPolicy

HOST = "127.0.0.1"
CONCURRENT_RUNS = 10
# Shipped beside the packages; lists the graphs and the page.
SERVER_CONFIGURATION = Path(__file__).parents[2] / "langgraph.json"

PortOption = Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")]


def serve_studio(port: PortOption = 2024) -> None:
    """Serve the graphs to LangGraph Studio and its SDK.

    The server runs until Ctrl-C, on this machine only.
    """
    require_extra(STUDIO)
    from draftroom.page.access import STUDIO_ORIGIN, AccessPolicy  # noqa: PLC0415 - part of the extra

    address = f"http://{HOST}:{port}"
    page = f"{STUDIO_ORIGIN}/studio/?baseUrl={address}"
    message = f"Open {page} in a browser, or use langgraph_sdk.get_client(url='{address}')."
    run_server(HOST, port, AccessPolicy.from_address(HOST, port, [STUDIO_ORIGIN]), message)


def open_page(
    port: PortOption = 2024,
    host: Annotated[str, typer.Option(help="Address to listen on; by default this machine only.")] = HOST,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
) -> None:
    """Open the page for all systems and runs.

    You can explain, simplify, review and check papers on it. Ctrl-C stops the server.
    """
    require_extra(STUDIO)
    from draftroom.page.access import LOOPBACK_HOSTS, AccessPolicy  # noqa: PLC0415 - part of the extra

    access = AccessPolicy.from_address(host, port)
    page = access.build_page_url(HOST if host in LOOPBACK_HOSTS else host, port)
    message = f"The page is at {page} until Ctrl-C; unfinished runs can be resumed."
    if access.token:
        message += " Anyone on this network with the full address can read and change everything here."
    run_server(host, port, replace(access, browser=page) if browser else access, message)


def run_server(host: str, port: int, access: AccessPolicy, message: str) -> None:
    """Print the message and replace this process by LangGraph's server, so that the call does not return.

    Raises:
        DraftroomError: If the server cannot be started.
    """
    from draftroom.page.access import ACCESS_VARIABLE  # noqa: PLC0415 - part of the extra

    load_settings()
    require_free_port(host, port)
    # The server would start without a state folder, and fail at the first run.
    ensure_folder(resolve_state_folder().absolute())
    print_to_stderr(message)
    os.environ[ACCESS_VARIABLE] = access.as_json()
    command = [sys.executable, "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload"]
    options = {"--host": host, "--port": port, "--n-jobs-per-worker": CONCURRENT_RUNS, "--config": SERVER_CONFIGURATION}
    command += [str(part) for option in options.items() for part in option]
    # `exec` keeps signals, the exit code and the environment, in which `tools` has switched telemetry off.
    os.execv(sys.executable, command)  # noqa: S606


def require_free_port(host: str, port: int) -> None:
    """Raise ServingError if a port is taken, or the host is no address of this machine."""
    # LangGraph's server would take another port without a word.
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            message = f"{host} is no address of this machine ({error.strerror}); correct --host."
            if error.errno in (errno.EADDRINUSE, errno.EACCES):
                message = f"Port {port} of {host} is not free ({error.strerror}); choose another with --port."
            raise ServingError(message) from error
