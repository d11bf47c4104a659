"""Run the parsers of PDF and Word files in a process with limits on time and memory.

A hostile file can make any parser loop, recurse or fill the memory, and a thread could not be stopped.
"""

from __future__ import annotations

import json
import logging
import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import tools
from state.errors import InputError
from tools.documents.structure import Block, DocumentParts, clean_characters

MAX_CHARACTERS = 4_000_000  # of the text of a paper
_MAX_SECONDS = 120
_MAX_MESSAGE_CHARACTERS = 120  # of the error of a parser
_SIGKILL, _SIGXCPU = 9, 24  # Windows lacks the second
# A file that unpacks endlessly fills this in less than two seconds of processor time.
_MAX_MEMORY_BYTES = 768 * 1024**2


def describe_page_limit(pages: int, max_pages: int) -> str:
    """Return the message, to be put after the name of a file, that it has too many pages."""
    return f"has {pages} pages, but only {max_pages} are allowed; pass the part that matters, or raise the limit."


class UnreadableFileError(Exception):
    """Error for a file that is damaged or takes too long to read; the message says which."""


def run_parser(module: str, data: bytes, *, name: str, limit: int = 0, seconds: int = _MAX_SECONDS) -> DocumentParts:
    """Run a parser's module on a file's data in a process with limits on time and memory; return its `DocumentParts`.

    The module calls `extract_from_stdin` when it is run, with a parser that takes the data and the limit (such as the
    maximum number of pages); `name` is the file's name in messages.

    Raises:
        UnreadableFileError: The file is damaged, or the process died or took too long.
        InputError: The file cannot be used.
    """
    path = os.pathsep.join([str(Path(tools.__path__[0]).parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    try:
        # In a session of its own the process does not receive a Ctrl-C that is meant for the run.
        process = subprocess.run(
            [sys.executable, "-P", "-m", module, str(seconds), str(limit)],
            input=data,
            capture_output=True,
            timeout=seconds,
            check=False,
            start_new_session=True,
            env=os.environ | {"PYTHONPATH": path},
        )
    except subprocess.TimeoutExpired:
        raise UnreadableFileError(f"it could not be read within {seconds} seconds") from None
    if process.returncode == -_SIGXCPU:
        raise UnreadableFileError("it takes more than 2 seconds of processor time a page")
    if process.returncode < 0 and process.returncode != -_SIGKILL:
        raise UnreadableFileError(f"the program that reads it crashed, with signal {-process.returncode}")
    if process.returncode:
        last_line = process.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise UnreadableFileError(clean_characters(last_line) or "reading it took too much time or memory")
    found = json.loads(process.stdout)
    if "kind" in found:
        raise InputError(f"{name} {found['message']}", kind=found["kind"])
    return DocumentParts(**found | {"blocks": [Block(**block) for block in found["blocks"]]})


def extract_from_stdin(extract: Callable[[bytes, int], DocumentParts]) -> None:
    """Parse standard input and print the parts, or an `InputError`, as JSON; called in the parser's process.

    The message of an `InputError` lacks the file's name, which the caller adds. Any other error ends the process.
    """
    logging.disable()  # parsers log every irregularity of a file
    seconds, limit = map(int, sys.argv[1:])
    # The limits also hold if the parent is killed and cannot enforce its own.
    limit_resource("RLIMIT_CPU", seconds, raisable=False)
    limit_resource("RLIMIT_AS", _MAX_MEMORY_BYTES, raisable=False)
    try:
        found: object = extract(sys.stdin.buffer.read(), limit)
    except InputError as error:
        found = {"message": str(error), "kind": error.kind}
    except Exception as error:  # noqa: BLE001 - parsers may raise anything for a damaged file
        sys.exit(" ".join(str(error).split())[:_MAX_MESSAGE_CHARACTERS] or type(error).__name__)
    sys.stdout.write(json.dumps(found, default=vars))  # `json.dump` uses the slow encoder in Python


def limit_resource(name: str, most: float, *, raisable: bool = True) -> None:
    """Limit a resource of this process, such as RLIMIT_CPU in seconds; `raisable` limits can be raised again.

    A process that reaches a raisable limit of processor time is killed by SIGXCPU, else by SIGKILL. On Windows there is
    no limit.
    """
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415  (not on Windows)

    kind = getattr(resource, name)
    _, hard = resource.getrlimit(kind)
    least = math.ceil(most) if hard == resource.RLIM_INFINITY else min(math.ceil(most), hard)
    resource.setrlimit(kind, (least, hard if raisable else least))
