"""A Postgres that dies and comes back, that has no connection left, or whose disk is full: runs stop and resume."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from draftroom.exit_codes import EXIT_CODES
from tests.draftroom.conftest import Command
from tests.faults.conftest import Count
from tests.faults.test_endpoint import one_sentence
from tests.support.disks import small_disk
from tests.support.killing import CASES, answered, answers_in_checkpoint, record_of, wait_until
from tests.support.postgres import PostgresServer, postgres_server

pytestmark = pytest.mark.faults
CONNECTIONS = 8
every_system = pytest.mark.parametrize("name", ["explain", "simplify", "review in turn"])


@pytest.fixture(scope="module")
def frail() -> Iterator[PostgresServer]:
    """A server with few connections, which no other test uses."""
    with postgres_server(CONNECTIONS) as server:
        yield server


@every_system
def test_a_postgres_that_is_killed_and_started_again(
    name: str, frail: PostgresServer, draftroom: Command, tmp_path: Path, count: Count
) -> None:
    case, endpoint = CASES[name], draftroom.endpoint
    command = draftroom.with_variables({**case.settings, "DRAFTROOM_CHECKPOINTS": frail.new_database()})
    paper = tmp_path / record_of(case.system, tmp_path)["input"]["name"]
    points = range(0, len(case.calls), 3)
    again = 0
    for kept in points:
        asked = len(endpoint.chat_requests)
        endpoint.answer = case.answer()
        endpoint.hold_after(asked + kept)
        with command.start(*case.command, paper, "--quiet") as process:
            endpoint.wait_for_requests(asked + kept + 1, timeout_s=300)
            frail.kill()
            endpoint.release()
            _, stderr = process.communicate(timeout=300)
        unstored = answered(endpoint.chat_requests[asked:]).total() - kept
        assert process.returncode == EXIT_CODES["state_unwritable"], stderr
        assert one_sentence(stderr), stderr
        assert "Postgres" in stderr
        down = command("resume", "last", "--quiet")
        assert down.exit_code == EXIT_CODES["state_unwritable"], "it is down still"
        assert one_sentence(down.stderr), down.stderr
        frail.start()
        assert command("resume", "last", "--quiet").exit_code == 0
        finished = answered(endpoint.chat_requests[asked:])
        again += (finished - Counter(case.calls)).total()
        assert not Counter(case.calls) - finished
        assert (finished - Counter(case.calls)).total() <= unstored, "only those whose answers could not be stored"
    figures = (
        f"{len(points)} runs, one sentence each, all resumed; {again} calls asked again, answered while it was dead"
    )
    count("Postgres killed and started again", name, figures)


@every_system
def test_connections_that_are_used_up(
    name: str, frail: PostgresServer, draftroom: Command, tmp_path: Path, count: Count
) -> None:
    import psycopg  # noqa: PLC0415 - an optional package

    case = CASES[name]
    store = frail.new_database()
    command = draftroom.with_variables({**case.settings, "DRAFTROOM_CHECKPOINTS": store})
    paper = tmp_path / record_of(case.system, tmp_path)["input"]["name"]
    draftroom.endpoint.answer = case.answer()
    draftroom.endpoint.hold_after(2)
    with command.start(*case.command, paper, "--quiet") as process:
        draftroom.endpoint.wait_for_requests(3, timeout_s=300)
        wait_until(lambda: answers_in_checkpoint(store) == 2)
        process.kill()
    draftroom.endpoint.release()
    with contextlib.ExitStack() as others:
        with contextlib.suppress(psycopg.OperationalError):
            while True:
                others.enter_context(psycopg.connect(frail.address))
        refused = command("resume", "last", "--quiet")
        assert refused.exit_code == EXIT_CODES["state_unwritable"]
        assert one_sentence(refused.stderr), refused.stderr
    assert command("resume", "last", "--quiet").exit_code == 0
    assert answered(draftroom.endpoint.chat_requests) == Counter(case.calls), "no answered call is asked again"
    count("Connections of Postgres used up", name, "1 run, one sentence, resumed, no answered call asked again")


@contextmanager
def on_small_disk(megabytes: int) -> Iterator[tuple[PostgresServer, Path]]:
    """A server whose data are on a disk of that size."""
    with tempfile.TemporaryDirectory(prefix="pg-") as name, small_disk(Path(name), megabytes << 10) as folder:
        server = PostgresServer(folder)
        server.start()
        try:
            yield server, folder
        finally:
            server.kill()


@every_system
def test_a_postgres_whose_disk_is_full(name: str, draftroom: Command, tmp_path: Path, count: Count) -> None:
    case, endpoint = CASES[name], draftroom.endpoint
    paper = tmp_path / record_of(case.system, tmp_path)["input"]["name"]
    with on_small_disk(200) as (server, folder):
        command = draftroom.with_variables({**case.settings, "DRAFTROOM_CHECKPOINTS": server.new_database()})
        endpoint.answer = case.answer()
        endpoint.hold_after(2)
        with command.start(*case.command, paper, "--quiet") as process:
            endpoint.wait_for_requests(3, timeout_s=300)
            (folder / "filler").write_bytes(b"\0" * shutil.disk_usage(folder).free)
            endpoint.release()
            _, stderr = process.communicate(timeout=300)
        full = process.returncode != 0
        assert not full or one_sentence(stderr), stderr
        (folder / "filler").unlink()
        assert not full or command("resume", "last", "--quiet").exit_code == 0
        finished = answered(endpoint.chat_requests)
        assert (finished - Counter(case.calls)).total() <= 1
    count("Disk of Postgres full", name, f"1 run, {'stopped with a sentence and resumed' if full else 'room enough'}")
