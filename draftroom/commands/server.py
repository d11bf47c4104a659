"""`draftroom open` and `draftroom studio`: LangGraph's server, with Draftroom's page or for Studio and the SDK."""

from __future__ import annotations

import errno
import json
import os
import signal
import socket
import subprocess
import sys
import time
import webbrowser
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from draftroom.extras import STUDIO, require_extra
from draftroom.rendering.console import ERR, print_to_stderr
from serving.processes import quote_error_lines
from state.errors import ServingError
from state.files import ensure_folder, resolve_state_folder
from tools.configuration import load_settings

if TYPE_CHECKING:
    from draftroom.page.access import AccessPolicy

HOST = "127.0.0.1"
CONCURRENT_RUNS = 10
# Shipped beside the packages; lists the graphs and the page.
SERVER_CONFIGURATION = Path(__file__).parents[2] / "langgraph.json"

_FIRST_PORT = 2024
_PORTS_TRIED = 20


def serve_studio(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = _FIRST_PORT,
) -> None:
    """Serve the graphs to LangGraph Studio and its SDK.

    The server runs until Ctrl-C, on this machine only.
    """
    require_extra(STUDIO)
    from draftroom.page.access import STUDIO_ORIGIN, AccessPolicy  # noqa: PLC0415 - part of the extra

    address = f"http://{HOST}:{find_free_port(HOST, [port])}"
    command = prepare_server(HOST, port, AccessPolicy.from_address(HOST, port, [STUDIO_ORIGIN]))
    page = f"{STUDIO_ORIGIN}/studio/?baseUrl={address}"
    print_to_stderr(f"Open {page} in a browser, or use langgraph_sdk.get_client(url='{address}').")
    # `exec` keeps signals, the exit code and the environment, in which `tools` has switched telemetry off.
    os.execv(sys.executable, command)  # noqa: S606


def open_page(
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help=f"Port to listen on; {_FIRST_PORT} or the next free one.")
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on; by default this machine only.")] = HOST,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
) -> None:
    """Open the page for all systems and runs.

    You can explain, simplify, review and check papers on it. Ctrl-C stops the server.
    """
    require_extra(STUDIO)
    from draftroom.page.access import LOOPBACK_HOSTS, AccessPolicy  # noqa: PLC0415 - part of the extra

    # 1. Choose the port, and start the server with its output in a log.
    port = find_free_port(host, [port] if port else range(_FIRST_PORT, _FIRST_PORT + _PORTS_TRIED))
    access = AccessPolicy.from_address(host, port)
    command = prepare_server(host, port, access)
    log = resolve_state_folder().absolute() / f"page-{port}.log"
    log.touch(mode=0o600)  # requests in it may hold the token
    with log.open("wb") as output:
        server = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
    # 2. Ctrl-C reaches the server as well, which then stops its runs; this process waits for it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: server.terminate())
    with ERR.status("Starting the page"):
        while server.poll() is None and not has_listener(host, port):
            time.sleep(0.1)
    # 3. Say where the page is, once it is there.
    if server.poll() is None:
        page = access.build_page_url(HOST if host in LOOPBACK_HOSTS else host, port)
        message = f"The page is at {page} until Ctrl-C (log: {log})."
        if access.token:
            message += " Anyone on this network with the full address can read and change everything here."
        print_to_stderr(message)
        if browser:
            webbrowser.open(page)
    # A server that was told to stop by a signal has a negative code.
    if server.wait() > 0:
        raise ServingError(f"The page's server has failed ({quote_error_lines(log)}). The whole log is {log}.")


def prepare_server(host: str, port: int, access: AccessPolicy) -> list[str]:
    """Set the access policy in the environment, and return the command of LangGraph's server.

    Raises:
        DraftroomError: If the server could not be started.
    """
    from draftroom.page.access import ACCESS_VARIABLE  # noqa: PLC0415 - part of the extra

    load_settings()
    # The server would start without a state folder, and fail at the first run.
    ensure_folder(resolve_state_folder().absolute())
    os.environ[ACCESS_VARIABLE] = json.dumps(asdict(access))
    command = [sys.executable, "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload"]
    options = {"--host": host, "--port": port, "--n-jobs-per-worker": CONCURRENT_RUNS, "--config": SERVER_CONFIGURATION}
    return command + [str(part) for option in options.items() for part in option]


def has_listener(host: str, port: int) -> bool:
    """Return whether a server accepts connections at an address."""
    try:
        socket.create_connection((host, port), timeout=1).close()
    except OSError:
        return False
    return True


def find_free_port(host: str, ports: Sequence[int]) -> int:
    """Return the first free port, or raise ServingError if there is none, or the host is no address of this machine."""
    # LangGraph's server would take another port without a word.
    for port in ports:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except OSError as error:
                reason = error.strerror
                if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                    message = f"{host} is no address of this machine ({reason}); correct --host."
                    raise ServingError(message) from error
            else:
                return port
    raise ServingError(f"Port {ports[0]} of {host} is not free ({reason}); choose another with --port.")
