"""Two ways to see whom a process contacts: from within Python, and from the kernel."""

from __future__ import annotations

import json
import re
import subprocess
from functools import cache
from pathlib import Path
from shutil import which
from typing import NamedTuple

from tests.studio.server import REPOSITORY

SPY = Path(__file__).parent / "spy"

OTHER_PROJECTS = {
    "LANGSMITH_TRACING": "true",
    "LANGSMITH_API_KEY": "lsv2_pt_of_another_project",
    "LANGCHAIN_TRACING_V2": "true",
    "LANGCHAIN_API_KEY": "lsv2_pt_of_another_project",
    "LANGCHAIN_PROJECT": "another-project",
}
"""What stands in the environment of somebody who traces other projects with LangSmith."""

_CONTACT = re.compile(r"\b(?:connect|sendto|sendmsg|sendmmsg)\(.*?(?:sin_port|sin6_port)=htons\((\d+)\)(.*)")
_ADDRESS = re.compile(r'(?:inet_addr\(|inet_pton\(AF_INET6, )"([^"]+)"')


class Contacts(NamedTuple):
    """What a spy has noted."""

    addresses: set[tuple[str, int]]
    """That were connected to or sent to."""
    names: set[str]
    """That were looked up."""
    bound: set[str]
    """Own addresses that sockets were bound to."""


def spied(file: Path, *, without: str = "") -> dict[str, str]:
    """Variables that make every Python process note whom it contacts; `without` names packages it is not to find."""
    return {"PYTHONPATH": f"{SPY}:{REPOSITORY}", "SPY_FILE": str(file), "SPY_WITHOUT": without}


def contacts(file: Path) -> Contacts:
    """What the Python processes noted; sockets of the file system are left out."""
    found = Contacts(set(), set(), set())
    for line in file.read_text(encoding="utf-8").splitlines():
        event, whom = json.loads(line)
        if not isinstance(whom, list):
            continue
        if event == "socket.bind":
            found.bound.add(whom[0])
        elif event in {"socket.connect", "socket.sendto", "socket.sendmsg"}:
            found.addresses.add((whom[0], whom[1]))
        else:
            found.names.add(str(whom[0]))
    return found


def traced(file: Path) -> list[str]:
    """The beginning of a command line that has the kernel's calls of a process and its children noted."""
    return ["strace", "-f", "-qq", "--seccomp-bpf", "-e", "trace=network", "-o", str(file)]


@cache
def can_trace() -> bool:
    """Whether strace is there and allowed to work."""
    probe = [*traced(Path("/dev/null")), "true"]
    return bool(which("strace")) and subprocess.run(probe, check=False, capture_output=True).returncode == 0


def traced_contacts(file: Path) -> set[tuple[str, int]]:
    """The addresses that a traced process connected to or sent to."""
    found = set()
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        contact = _CONTACT.search(line)
        if contact:
            address = _ADDRESS.search(contact[2])
            found.add((address[1] if address else contact[2], int(contact[1])))
    return found
