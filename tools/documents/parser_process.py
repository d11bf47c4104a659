"""Parsers of PDF and Word files run in a process of their own, which is limited and can be killed.

A hostile file can make any parser loop, recurse or fill the memory; a thread could not be stopped.
"""

from __future__ import annotations

import json
import logging
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import tools
from state.errors import InputError
from tools.documents.structure import Block, DocumentParts, clean_characters

MAX_CHARACTERS = 4_000_000
"""Of the text of one paper."""
_MAX_SECONDS = 120
_TIMEOUT_SIGNALS = (9, 24)  # SIGKILL and SIGXCPU
_MAX_MEMORY_BYTES = 768 * 1024**2
"""Filled, by a file that unpacks without an end, in less than two seconds of a processor."""


def describe_page_limit(pages: int, max_pages: int) -> str:
    """What is said of a file that is longer than allowed, behind its name."""
    return (
        f"has {pages} pages, more than the {max_pages} that are allowed; pass the part that matters as a PDF of its "
        "own, or raise the limit."
    )


class UnreadableFileError(BaseException):
    """A file is damaged, or reading it takes too long; the message says which.

    Not an `Exception`: a parser that catches every one of those does not hold it up.
    """


def run_parser(module: str, data: bytes, *, name: str, limit: int = 0, seconds: int = _MAX_SECONDS) -> DocumentParts:
    """Read a file in a process of at most `seconds` and 768 MiB.

    Args:
        module: It calls `answer` when it is run.
        data: The file.
        name: Of the file, for messages.
        limit: Passed on to it.
        seconds: How long it may take.

    Raises:
        Unreadable: The file is damaged, or the process died or took longer.
        BadInput: The file cannot be used.
    """
    path = os.pathsep.join([str(Path(tools.__path__[0]).parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    try:
        # A session of its own keeps away the Ctrl-C that is meant for the run.
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
    if process.returncode < 0 and -process.returncode not in _TIMEOUT_SIGNALS:
        raise UnreadableFileError(f"the program that reads it crashed, with signal {-process.returncode}")
    if process.returncode:
        last_words = process.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise UnreadableFileError(clean_characters(last_words) or "reading it took too much time or memory")
    found = json.loads(process.stdout)
    if "kind" in found:
        raise InputError(f"{name} {found['message']}", kind=found["kind"])
    return DocumentParts(**found | {"blocks": [Block(**block) for block in found["blocks"]]})


def extract_from_stdin(extract: Callable[[bytes, int], DocumentParts]) -> None:
    """In that process: limit it, and print what `extract` makes of standard input.

    Its `InputError` lacks the name of the file, which stands before the message.
    """
    logging.disable()  # parsers log every oddity of a file
    seconds, limit = map(int, sys.argv[1:])
    _limit_resources(seconds)
    try:
        found: object = extract(sys.stdin.buffer.read(), limit)
    except InputError as error:
        found = {"message": str(error), "kind": error.kind}
    except UnreadableFileError as error:
        sys.exit(str(error))
    sys.stdout.write(json.dumps(found, default=vars))  # `json.dump` encodes in Python, word by word


def limit_processor_time(seconds: float, message: str) -> None:
    """In that process: raise `UnreadableFileError` when it has used so many seconds of processor time since it began.

    A library that does not come back to Python is ended at about twice as many.

    Args:
        seconds: How many, instead of what was allowed before.
        message: What the error says.
    """
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415  (not on Windows)
    import signal  # noqa: PLC0415

    def look(*_: object) -> None:
        left = seconds - time.process_time()
        if left <= 0:
            raise UnreadableFileError(message)
        signal.setitimer(signal.ITIMER_PROF, left)  # which counts in ticks, and often too many

    signal.signal(signal.SIGPROF, look)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    most = math.ceil(2 * seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    look()


def _limit_resources(seconds: int) -> None:
    """Bound processor time and memory, also for the case that the parent is killed and cannot enforce its limit."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415  (not on Windows)

    for kind, limit in ((resource.RLIMIT_CPU, seconds), (resource.RLIMIT_AS, _MAX_MEMORY_BYTES)):
        _, hard = resource.getrlimit(kind)
        if hard == resource.RLIM_INFINITY or hard > limit:
            resource.setrlimit(kind, (limit, limit))
