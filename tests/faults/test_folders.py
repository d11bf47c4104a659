"""A full disk, a state folder that cannot be written, two processes on one run: one sentence, and nothing is lost."""

from __future__ import annotations

import subprocess
from collections import Counter
from pathlib import Path

import pytest

from draftroom.exit_codes import EXIT_CODES
from tests.draftroom.conftest import Command
from tests.faults.conftest import SHORT, Count
from tests.faults.test_endpoint import one_sentence
from tests.support.disks import small_disk
from tests.support.killing import CASES, answered, answers_in_checkpoint, record_of, wait_until

pytestmark = pytest.mark.faults
every_system = pytest.mark.parametrize("name", ["explain", "simplify", "review in turn"])
SIZES = range(40, 1000, 240 if SHORT else 60)
"""Of the disk, in kilobytes: it fills up at the record, at the checkpoints' first table, or long after."""


def remount(folder: Path, option: str) -> None:
    subprocess.check_call(["mount", "-o", f"remount,{option}", folder])


@every_system
def test_a_disk_that_is_full_anywhere(name: str, draftroom: Command, tmp_path: Path, count: Count) -> None:
    case, came = CASES[name], Counter[str]()
    paper = tmp_path / record_of(case.system, tmp_path)["input"]["name"]
    for kilobytes in SIZES:
        with small_disk(tmp_path / f"disk-{kilobytes}", kilobytes) as home:
            command = Command(home, draftroom.endpoint, case.settings)
            asked = len(draftroom.endpoint.chat_requests)
            draftroom.endpoint.answer = case.answer()
            result = command(*case.command, paper, "--quiet")
            came["enough room"] += not result.exit_code
            if result.exit_code:
                assert isinstance(result.exception, SystemExit), (kilobytes, result.exception)
                assert one_sentence(result.stderr), (kilobytes, result.stderr)
                assert "make room" in " ".join(result.stderr.split()), (kilobytes, result.stderr)
                remount(home, "size=64m")
                begun = bool(command.records())
                again = ["resume", "last"] if begun else [*case.command, paper]
                assert command(*again, "--quiet").exit_code == 0, kilobytes
                came["resumed" if begun else "refused before it began"] += 1
            finished = answered(draftroom.endpoint.chat_requests[asked:])
            assert not Counter(case.calls) - finished
            assert (finished - Counter(case.calls)).total() <= 1, "only the one whose answer could not be stored"
    count("Disk full", name, f"{len(SIZES)} disks: {', '.join(f'{number} {what}' for what, number in came.items())}")


@every_system
def test_a_folder_that_can_no_longer_be_written(name: str, draftroom: Command, tmp_path: Path, count: Count) -> None:
    case = CASES[name]
    paper = tmp_path / record_of(case.system, tmp_path)["input"]["name"]
    points = range(0, len(case.calls), 3)
    for kept in points:
        with small_disk(tmp_path / f"disk-{kept}", 64 << 10) as home:
            command = Command(home, draftroom.endpoint, case.settings)
            asked = len(draftroom.endpoint.chat_requests)
            draftroom.endpoint.answer = case.answer()
            draftroom.endpoint.hold_after(asked + kept)
            with command.start(*case.command, paper, "--quiet") as process:
                draftroom.endpoint.wait_for_requests(asked + kept + 1, timeout_s=300)
                wait_until(lambda: answers_in_checkpoint(f"sqlite:///{home}/state/checkpoints.sqlite") == kept)  # noqa: B023
                process.kill()
            draftroom.endpoint.release()
            remount(home, "ro")
            for refused in (command("resume", "last", "--quiet"), command(*case.command, paper, "--quiet")):
                assert refused.exit_code == EXIT_CODES["state_unwritable"], (kept, refused.stderr, refused.exception)
                assert one_sentence(refused.stderr), refused.stderr
            remount(home, "rw")
            assert command("resume", "last", "--quiet").exit_code == 0
            finished = answered(draftroom.endpoint.chat_requests[asked:])
            assert finished == Counter(case.calls), "no answered call is asked again"
    count("Read-only state folder", name, f"{2 * len(points)} attempts, one sentence each; all {len(points)} resumed")


@every_system
def test_two_processes_on_one_run(name: str, store: str, draftroom: Command, tmp_path: Path, count: Count) -> None:
    case, endpoint = CASES[name], draftroom.endpoint
    command = draftroom.with_variables({**case.settings, "DRAFTROOM_CHECKPOINTS": store})
    paper = tmp_path / record_of(case.system, tmp_path)["input"]["name"]
    endpoint.answer = case.answer()
    endpoint.hold_after(2)
    with command.start(*case.command, paper, "--quiet") as process:
        endpoint.wait_for_requests(3, timeout_s=300)
        for _ in range(3):
            other = command("resume", "last", "--quiet")
            assert other.exit_code == EXIT_CODES["run_busy"]
            assert one_sentence(other.stderr), other.stderr
        endpoint.release()
        assert process.wait(300) == 0
    assert answered(endpoint.chat_requests) == Counter(case.calls)
    count("Two processes on one run", f"{name}, {store.partition(':')[0]}", "the second one refused 3 times")
