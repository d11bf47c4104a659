"""`draftroom batch --engine ray`: nodes, actors and the driver die, and every paper ends once (`make test-faults`)."""

from __future__ import annotations

import json
import signal
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from psutil import NoSuchProcess, Process, wait_procs

from draftroom.exit_codes import EXIT_CODES, STOPPED
from runs.signals import STOPPING_MESSAGE
from tests.draftroom.conftest import PAPER, Command
from tests.draftroom.test_batch import PLACES, explain, out, papers, rows
from tests.draftroom.test_stopping import ROUND, read_until
from tests.fake_endpoint import FakeEndpoint, Status
from tests.support.killing import answers_in_checkpoint, wait_until
from tests.support.postgres import PROGRAMS
from tests.support.ray_cluster import actors_below, ray_cluster
from tests.support.steps import step_of

if TYPE_CHECKING:  # an optional package
    from ray.cluster_utils import Cluster

__all__ = ["out", "papers"]  # fixtures

pytestmark = [pytest.mark.faults, pytest.mark.timeout(600)]
pytest.importorskip("ray", reason="needs the extra `ray`")
if not all(PROGRAMS):
    pytest.skip("needs Postgres", allow_module_level=True)
RAY = ("--engine", "ray")


def test_a_cluster_loses_a_node_and_every_paper_ends_once(
    draftroom: Command, tmp_path: Path, out: Path, database: str
) -> None:
    folder, endpoint = tmp_path / "many", draftroom.endpoint
    folder.mkdir()
    names = {f"paper-{number}" for number in range(60)}
    for name in names:
        (folder / f"{name}.md").write_text(PAPER.replace("Iceland", name), encoding="utf-8")
    endpoint.hold_after(100)
    with ray_cluster(3) as cluster:
        command = on(cluster, draftroom, DRAFTROOM_CHECKPOINTS=database)
        with command.start(*explain(folder, out, *RAY, "--actors", "3", "--at-once", "4")) as process:
            hold_in_the_middle(endpoint, 100, 12, database, out)
            lose(cluster, next(node for node in cluster.worker_nodes if actors_of(node)))
            endpoint.release()
            _, stderr = process.communicate(timeout=300)
    assert process.returncode == 0, stderr
    assert_whole(endpoint, out, names)


def test_a_driver_is_killed_and_started_again(draftroom: Command, papers: Path, out: Path, database: str) -> None:
    endpoint = draftroom.endpoint
    endpoint.hold_after(7)
    with ray_cluster(2) as cluster:
        command = on(cluster, draftroom, DRAFTROOM_CHECKPOINTS=database)
        arguments = explain(papers, out, *RAY, "--actors", "2", "--at-once", "2")
        with command.start(*arguments) as process:
            hold_in_the_middle(endpoint, 7, 4, database, out)
            actors = [actor for node in cluster.list_all_nodes() for actor in actors_of(node)]
            process.kill()
        assert len(actors) == 2
        assert not wait_procs(actors, timeout=60)[1], "the actors end with their driver"
        endpoint.release()
        with command.start(*arguments) as process:
            _, stderr = process.communicate(timeout=300)
    assert process.returncode == 0, stderr
    assert_whole(endpoint, out, set(PLACES))


def test_several_machines_need_postgres(draftroom: Command, papers: Path, out: Path) -> None:
    with ray_cluster(2) as cluster, on(cluster, draftroom).start(*explain(papers, out, *RAY)) as process:
        _, stderr = process.communicate(timeout=300)
    assert process.returncode == EXIT_CODES["bad_settings"], stderr
    assert "The Ray cluster has 2 machines" in stderr
    assert "Postgres" in stderr
    assert not draftroom.endpoint.chat_requests


def test_an_actor_is_killed(alone: Command, papers: Path, out: Path) -> None:
    endpoint, stored = alone.endpoint, f"sqlite:///{out / 'checkpoints.sqlite'}"
    endpoint.hold_after(7)
    with alone.start(*explain(papers, out, *RAY, "--actors", "2", "--at-once", "2")) as process:
        hold_in_the_middle(endpoint, 7, 4, stored, out)
        actor = actors_below(process.pid)[0]
        actor.kill()
        actor.wait(30)
        endpoint.release()
        _, stderr = process.communicate(timeout=300)
    assert process.returncode == 0, stderr
    assert_whole(endpoint, out, set(PLACES))


def test_a_signal_stops_the_actors_too(alone: Command, papers: Path, out: Path) -> None:
    endpoint = alone.endpoint
    endpoint.hold_after(5)
    arguments = explain(papers, out, *RAY, "--at-once", "2")
    with alone.start(*arguments) as process:
        endpoint.wait_for_requests(7, timeout_s=200)
        process.send_signal(signal.SIGTERM)
        read_until(process, STOPPING_MESSAGE)
        endpoint.release()
        _, stderr = process.communicate(timeout=300)
    assert process.returncode == STOPPED, stderr
    assert "The same command resumes the batch" in stderr
    assert len(endpoint.chat_requests) < len(ROUND) * len(PLACES)
    with alone.start(*arguments) as process:
        _, stderr = process.communicate(timeout=300)
    assert process.returncode == 0, stderr
    assert_whole(endpoint, out, set(PLACES))


def test_it_stops_where_every_paper_would_fail(alone: Command, papers: Path, out: Path) -> None:
    alone.endpoint.answer = lambda _: Status(503)
    with alone.start(*explain(papers, out, *RAY)) as process:
        _, stderr = process.communicate(timeout=300)
    assert process.returncode == EXIT_CODES["endpoint_down"], stderr
    assert "status 503" in stderr
    assert "Traceback" not in stderr
    assert rows(out) == {}


@pytest.fixture
def alone(draftroom: Command) -> Command:
    """The command with a cluster that it starts itself."""
    return draftroom.with_variables({"RAY_ADDRESS": "local"})


def on(cluster: Cluster, draftroom: Command, **variables: str) -> Command:
    return draftroom.with_variables({"RAY_ADDRESS": cluster.address, **variables})


def hold_in_the_middle(endpoint: FakeEndpoint, answered: int, held: int, stored: str, out: Path) -> None:
    """Wait until so many calls are answered and stored, and so many more are on their way."""
    endpoint.wait_for_requests(answered + held, timeout_s=200)
    wait_until(lambda: answers_in_checkpoint(stored) + len(ROUND) * len(rows(out)) == answered)


def actors_of(node: Any) -> list[Process]:
    (raylet,) = node.all_processes["raylet"]
    return actors_below(raylet.process.pid) if raylet.process.poll() is None else []


def lose(cluster: Cluster, node: Any) -> None:
    """A machine is gone, with all that ran on it."""
    actors = actors_of(node)
    cluster.remove_node(node, allow_graceful=False)
    for actor in actors:
        with suppress(NoSuchProcess):
            actor.kill()
    assert not wait_procs(actors, timeout=30)[1]


def assert_whole(endpoint: FakeEndpoint, out: Path, names: set[str]) -> None:
    """Every paper has ended once, and no answered call was asked again."""
    lines = (out / "results.jsonl").read_text(encoding="utf-8").splitlines()
    assert Counter(json.loads(line)["id"] for line in lines) == dict.fromkeys(names, 1)
    assert {row["status"] for row in rows(out).values()} == {"done"}
    assert {path.stem for path in out.glob("*.md")} == names
    finished = Counter(step_of(request) for request in endpoint.chat_requests if request.finished)
    assert finished == Counter(ROUND * len(names))
