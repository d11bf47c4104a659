"""`draftroom open` and `draftroom studio`: LangGraph's own server, with our page or for Studio and the SDK."""

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

SERVER_CONFIGURATION = Path(__file__).parents[2] / "langgraph.json"
"""What is served; it is shipped beside the packages."""

PortOption = Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")]


def serve_studio(port: PortOption = 2024) -> None:
    """Serve the graphs to LangGraph Studio and its SDK until Ctrl-C, on this machine only."""
    require_extra(STUDIO)
    from draftroom.page.access import STUDIO_ORIGIN, AccessPolicy  # noqa: PLC0415 - part of the extra

    address = f"http://{HOST}:{port}"
    page = f"{STUDIO_ORIGIN}/studio/?baseUrl={address}"
    said = f"Open {page} in a browser, or use langgraph_sdk.get_client(url='{address}')."
    run_server(HOST, port, AccessPolicy.from_address(HOST, port, [STUDIO_ORIGIN]), said)


def open_page(
    port: PortOption = 2024,
    host: Annotated[
        str, typer.Option(help="Address to listen on; another than this machine's own opens it to a network.")
    ] = HOST,
    browser: Annotated[bool, typer.Option(help="Show the page in a browser.")] = True,
) -> None:
    """Open the page where papers are explained, simplified and reviewed, until Ctrl-C."""
    require_extra(STUDIO)
    from draftroom.page.access import LOOPBACK_HOSTS, AccessPolicy  # noqa: PLC0415 - part of the extra

    access = AccessPolicy.from_address(host, port)
    page = access.build_page_url(HOST if host in LOOPBACK_HOSTS else host, port)
    warning = " Whoever has the whole address, on this network, can read and change everything here."
    said = f"The page is at {page} until Ctrl-C; what is under way can be resumed.{warning if access.token else ''}"
    run_server(host, port, replace(access, browser=page) if browser else access, said)


def run_server(host: str, port: int, access: AccessPolicy, said: str) -> None:
    """Become the server.

    Args:
        host: Address to listen on.
        port: That nobody else listens on.
        access: Who may talk to it.
        said: What a person is told.

    Raises:
        DraftroomError: What keeps it from being started.
    """
    from draftroom.page.access import ACCESS_VARIABLE  # noqa: PLC0415 - part of the extra

    load_settings()
    require_free_port(host, port)
    ensure_folder(resolve_state_folder().absolute())  # the server would start without one, and fail at the first run
    print_to_stderr(said)
    os.environ[ACCESS_VARIABLE] = access.as_json()
    command = [sys.executable, "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload"]
    options = {"--host": host, "--port": port, "--n-jobs-per-worker": CONCURRENT_RUNS, "--config": SERVER_CONFIGURATION}
    command += [str(part) for option in options.items() for part in option]
    # In this process's place, so that signals, the exit code and the environment, which `tools` has silenced, stay.
    os.execv(sys.executable, command)  # noqa: S606


def require_free_port(host: str, port: int) -> None:
    """Check that nobody listens on the port: the server would quietly take another one.

    Raises:
        ServingError: Somebody does, or the address is none of this machine.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise ServingError(
                    f"{host} is no address of this machine ({error.strerror}); correct --host."
                ) from error
            raise ServingError(
                f"Port {port} of {host} is not free ({error.strerror}); choose another with --port."
            ) from error
