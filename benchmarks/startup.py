"""Processor time of the command before it does anything: its help, and an empty list of runs.

    python -m benchmarks.startup

Beside them stand an interpreter that does nothing, and one that imports every command, as each call would if a command
were not imported only when it is used. The processes are run in turn, one at a time, and their medians compared.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile

REPEATS = 7
NOTHING = "an interpreter"
EVERYTHING = "all commands imported"
PROCESSES = {
    NOTHING: ("-c", "pass"),
    "draftroom --help": ("-m", "draftroom", "--help"),
    "draftroom runs": ("-m", "draftroom", "runs"),
    EVERYTHING: ("-c", "from draftroom.cli import COMMANDS\nfor command in COMMANDS.values(): command.load()"),
}


def main() -> None:
    """Time each process and print the table."""
    with tempfile.TemporaryDirectory() as home:
        times: dict[str, list[float]] = {name: [] for name in PROCESSES}
        for _ in range(REPEATS):
            for name, arguments in PROCESSES.items():
                times[name].append(processor_seconds(arguments, home))
    medians = {name: statistics.median(seconds) for name, seconds in times.items()}
    print(f"processor time, median of {REPEATS} in turn\n")
    print(f"{'':24}{'seconds':>9}{'x an interpreter':>18}{'of all commands':>17}")
    for name, seconds in medians.items():
        share = seconds / medians[EVERYTHING]
        print(f"{name:24}{seconds:9.2f}{seconds / medians[NOTHING]:18.1f}{share:16.0%}")


def processor_seconds(arguments: tuple[str, ...], home: str) -> float:
    """What a process takes of the processor, as the user and in the system."""
    environment = {**os.environ, "DRAFTROOM_HOME": home}
    process = subprocess.Popen(
        [sys.executable, *arguments], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{arguments} ended with exit code {process.returncode}")
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
