"""Whether a server answers, and whether its port is free."""

from __future__ import annotations

import socket
import time
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException

from pydantic import BaseModel, ValidationError

from serving.profiles import LOOPBACK, Server
from serving.records import ServerRecord
from serving.steps import telling_lines
from state.errors import ServingError

_POLL_S = 0.5
_TIMEOUT_S = 5


class _Model(BaseModel):
    id: str


class _Models(BaseModel):
    data: list[_Model]


def answers(server: Server) -> bool:
    """Whether the server is healthy and serves its model and its adapters under the names of its profile."""
    try:
        _get(server, "/health")
        models = _Models.model_validate_json(_get(server, "/v1/models"))
    except (OSError, HTTPException, ValidationError):
        return False
    return {model.id for model in models.data}.issuperset(server.model_names)


def _get(server: Server, path: str) -> bytes:
    # The standard library's bare connection: asked twice a second for minutes, it must cost little, and unlike
    # most clients it never takes loopback through a proxy that the environment names.
    connection = HTTPConnection(LOOPBACK, server.port, timeout=_TIMEOUT_S)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        body = response.read()
    finally:
        connection.close()
    if response.status != HTTPStatus.OK:
        raise HTTPException(f"{path} answered {response.status}")
    return body


def wait_until_ready(record: ServerRecord, timeout_s: float) -> None:
    """Return as soon as the server answers.

    Raises:
        ServingError: Its process ended, or it did not answer in `timeout_s` seconds; the message quotes its log.
    """
    deadline = time.monotonic() + timeout_s
    while not answers(record.server):
        if not record.process.alive():
            raise ServingError(
                f"The server {record.server.name} ended while it was starting ({telling_lines(record.log)}); "
                f"mend that and start it again. Its whole log is {record.log}."
            )
        if time.monotonic() > deadline:
            raise ServingError(
                f"The server {record.server.name} did not answer at {record.base_url} "
                f"within {timeout_s:.0f} s: see {record.log}; raise `ready_timeout_s` in its profile if it only needs "
                "longer, or else run `draftroom models down` and start it again."
            )
        time.sleep(_POLL_S)


def require_free_port(server: Server) -> None:
    """Check that nobody listens on the server's port.

    Raises:
        ServingError: Somebody does.
    """
    with socket.socket() as probe:
        # As servers do: connections of an earlier server that are still being closed do not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, server.port))
        except OSError as error:
            raise ServingError(
                f"Port {server.port}, which the server {server.name} needs, is in use by another program: "
                "stop that one, or copy the profile to a file of your own with another port."
            ) from error
