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
from typing import Any

import tools

MAX_CHARACTERS = 4_000_000
"""Of the text of one paper."""
_MEMORY_BYTES = 768 * 1024**2
"""Filled, by a file that unpacks without an end, in less than two seconds of a processor."""


class ParserStopped(Exception):
    """A parser died or took too long; the message says which."""


class OutOfTime(BaseException):
    """The processor time that was allowed is used up. A parser that catches every `Exception` does not hold it up."""


def run_parser(module: str, data: bytes, *, seconds: int, limit: int = 0) -> Any:
    """JSON answer of a module that reads bytes in a process of at most `seconds` and 768 MiB.

    Args:
        module: It calls `answer` when it is run.
        data: What it reads.
        seconds: How long it may take.
        limit: Passed on to it.

    Raises:
        ParserStopped: It died, or took longer.
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
        raise ParserStopped(f"it could not be read within {seconds} seconds") from None
    if process.returncode:
        last_words = process.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise ParserStopped(last_words or "reading it took too much time or memory")
    return json.loads(process.stdout)


def answer(extract: Callable[[bytes, int], Any]) -> None:
    """In that process: limit it, and print what `extract` makes of standard input.

    Values may be dataclasses, which are printed as their fields.
    """
    logging.disable()  # parsers log every oddity of a file
    seconds, limit = map(int, sys.argv[1:])
    _limit_resources(seconds)
    try:
        found = extract(sys.stdin.buffer.read(), limit)
    except OutOfTime as error:
        sys.exit(str(error))
    sys.stdout.write(json.dumps(found, default=vars))  # `json.dump` encodes in Python, word by word


def allow_processor_time(seconds: float, told: str) -> None:
    """In that process: raise `OutOfTime` as soon as it has used so many seconds of processor time since it began.

    A library that does not come back to Python is ended at about twice as many.

    Args:
        seconds: How many, instead of what was allowed before.
        told: What the error says.
    """
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415  (not on Windows)
    import signal  # noqa: PLC0415

    def look(*_: object) -> None:
        left = seconds - time.process_time()
        if left <= 0:
            raise OutOfTime(told)
        signal.setitimer(signal.ITIMER_PROF, left)  # which counts in ticks, and often too many

    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.signal(signal.SIGPROF, look)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    most = math.ceil(2 * seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    look()


def end_of_allowance() -> None:
    """In that process: `OutOfTime` is raised no more; where it would go on, it is still ended."""
    if sys.platform == "win32":
        return
    import signal  # noqa: PLC0415  (not on Windows)

    signal.setitimer(signal.ITIMER_PROF, 0)


def in_one_line(error: BaseException) -> str:
    """What a parser said, or at least the name of its error."""
    return " ".join(str(error).split())[:120] or type(error).__name__


def _limit_resources(seconds: int) -> None:
    """Bound processor time and memory, also for the case that the parent is killed and cannot enforce its limit."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415  (not on Windows)

    for kind, limit in ((resource.RLIMIT_CPU, seconds), (resource.RLIMIT_AS, _MEMORY_BYTES)):
        _, hard = resource.getrlimit(kind)
        if hard == resource.RLIM_INFINITY or hard > limit:
            resource.setrlimit(kind, (limit, limit))
