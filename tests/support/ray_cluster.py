"""Ray clusters of several nodes on this machine, and the processes of their actors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:  # an optional package
    from ray.cluster_utils import Cluster

MEMORY = 100_000_000
"""Bytes of the object store of a node."""


@contextmanager
def ray_cluster(nodes: int) -> Iterator[Cluster]:
    """A cluster that is not connected to this process."""
    from ray.cluster_utils import Cluster  # noqa: PLC0415 - an optional package

    cluster = Cluster()
    try:
        for _ in range(nodes):
            cluster.add_node(num_cpus=1, object_store_memory=MEMORY, include_dashboard=False)
        yield cluster
    finally:
        cluster.shutdown()


def actors_below(pid: int) -> list[psutil.Process]:
    """The processes of a dataset's actors that a process or its descendants have started."""
    return [child for child in psutil.Process(pid).children(recursive=True) if "MapWorker" in _name(child)]


def _name(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""
