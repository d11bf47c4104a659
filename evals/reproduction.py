"""The stages of `draftroom eval reproduce` (`reproduction.toml`): tables and figures of the three papers.

A stage adds rows to the run of its task, so a system that appears in several tables is run once. The usage of a stage
is estimated before it begins, from the mean usage of its systems on a sample: in this run once a sample has finished,
and before that in the runs that `reproduction_costs.json` summarises. To update that file from finished runs:

    python -m evals.reproduction RUN...
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from evals.datasets.samples import SampleKind
from evals.run import EvaluationRequest, RunFolder, prepare_run, require_runnable_systems
from evals.task import Task
from runs.jobs import Record, iterate_results
from runs.record import compute_costs
from state.errors import InputError, SettingsError
from state.settings import Settings

COSTS_FILE = Path(__file__).with_name("reproduction_costs.json")


class Stage(NamedTuple):
    """Rows of a task that are run together, and the table or figure that they fill."""

    shows: str
    """Table or figure, with its question."""
    task: str
    rows: Sequence[str]
    literature: bool = False
    """Whether questions also go to a folder of other papers. Such a stage has a separate run."""

    @property
    def run_name(self) -> str:
        """Name of the folder of the run, which a task's stages share, except those with literature."""
        return f"{self.task}-literature" if self.literature else self.task


_CONTENT = tomllib.loads(Path(__file__).with_name("reproduction.toml").read_text(encoding="utf-8"))
STAGES = tuple(Stage(**stage) for stage in _CONTENT["stages"])
# Other results of the papers, with the reason why no stage reproduces them.
NOT_REPRODUCED: Mapping[str, str] = _CONTENT["not_reproduced"]


class UsageEstimate(NamedTuple):
    """Numbers of model calls and tokens: of a system on a sample, or of a stage."""

    calls: float = 0
    tokens_in: float = 0
    tokens_out: float = 0

    def add_scaled(self, other: UsageEstimate, times: float = 1) -> UsageEstimate:
        """Return a new estimate: this usage plus `times` times the other, which may be that of one sample."""
        return UsageEstimate(*(mine + times * its for mine, its in zip(self, other, strict=True)))


class PlannedStage(NamedTuple):
    """A stage that can be run, with its folder, its missing outputs and their estimated usage."""

    stage: Stage
    task: Task
    wanted: EvaluationRequest
    settings: Settings
    folder: RunFolder
    left: int
    """Number of missing outputs."""
    cost: UsageEstimate


class SkippedStage(NamedTuple):
    """A stage that cannot be run, with the reason."""

    stage: Stage
    reason: str


class Reproduction(NamedTuple):
    """Data, options and settings of `draftroom eval reproduce`, from which it plans its stages."""

    data: Path | None
    """Folder of corpora named after their kind of sample, such as `journalism-elife.jsonl`; None: the examples."""
    out: Path
    """Parent folder of the runs."""
    limit: int | None
    seed: int
    split: str | None
    task: Callable[[str], Task]
    settings: Callable[[Task, dict[str, Any]], Settings]
    """Resolves the settings of a task, with some that the stage requires."""

    def plan_stages(self) -> list[PlannedStage | SkippedStage]:
        """Create or reopen each stage's run folder and estimate its usage, or say why it is skipped; call no model.

        Raises:
            InputError: There is no corpus, or a corpus cannot be read.
            SettingsError: A folder holds a run with other choices.
            StateError: A folder cannot be written.
        """
        if self.data and not self.data.is_dir():
            raise InputError(f"{self.data} is no folder; name one with the corpora in it.", kind="missing_file")
        kinds = dict.fromkeys(self.task(stage.task).kind for stage in STAGES)
        if self.data and not any(self._list_corpora(kind) for kind in kinds):
            raise InputError(
                f"{self.data} holds no corpus: name each file or folder in it for what it holds, beginning with "
                f"{', '.join(kinds)}, as in journalism-elife.jsonl."
            )
        return [self._plan_stage(stage) for stage in STAGES]

    def _list_corpora(self, kind: SampleKind) -> list[Path]:
        """List the files and folders of the data whose names begin with a kind of sample."""
        return sorted(self.data.glob(f"{kind}*")) if self.data else []

    def _plan_stage(self, stage: Stage) -> PlannedStage | SkippedStage:
        """Create or reopen a stage's run folder and estimate its usage, or say why it is skipped; call no model."""
        # 1. Data: a corpus for the task and, for some stages, a folder of literature.
        task = self.task(stage.task)
        data = self._list_corpora(task.kind)
        if self.data and not data:
            return SkippedStage(stage, f"{self.data} holds nothing whose name begins with {task.kind!r}")
        literature = self.data / "literature" if self.data and stage.literature else None
        if stage.literature and not (literature and literature.is_dir()):
            return SkippedStage(stage, "there is no folder `literature` among the data")
        # 2. Settings: all feedback stages set the literature, so that those without a folder search none.
        where = {"literature": {"providers": ["folder"], "folder": literature and str(literature)}}
        settings = self.settings(task, {"feedback": where} if task.kind == "feedback" else {})
        try:
            require_runnable_systems(task, stage.rows, settings)
        except SettingsError as error:
            return SkippedStage(stage, str(error))
        # 3. The run: an existing run keeps its rows here, because the stage adds its own only when it begins.
        folder = RunFolder(self.out / stage.run_name)
        wanted = EvaluationRequest(data, ",".join(stage.rows), self.limit, self.seed, self.split)
        begun = wanted._replace(rows=",".join(folder.read_run_config().rows)) if folder.config_file.exists() else wanted
        prepare_run(task, begun, settings, folder.path)
        return PlannedStage(stage, task, wanted, settings, folder, *_estimate_missing_usage(task, folder, stage.rows))


def _estimate_missing_usage(task: Task, folder: RunFolder, rows: Sequence[str]) -> tuple[int, UsageEstimate]:
    """Return the number of outputs that are missing of some rows, and the estimated total usage to make them."""
    finished, samples = _load_finished_outputs(folder), folder.read_samples()
    shipped = json.loads(COSTS_FILE.read_bytes())[task.name]
    known = {system: UsageEstimate(*cost) for system, cost in shipped.items()} | measure_system_usage(folder)
    # An upper bound for systems that were never measured.
    highest = max(known.values(), key=lambda each: each.tokens_out)
    missing, cost = 0, UsageEstimate()
    for system in task.list_systems(rows):
        left = sum((sample["id"], system) not in finished for sample in samples)
        missing += left
        cost = cost.add_scaled(known.get(system, highest), left)
    return missing, cost


def measure_system_usage(folder: RunFolder) -> dict[str, UsageEstimate]:
    """Compute the mean usage on a sample by system, leaving out systems without a finished sample."""
    usage: dict[str, UsageEstimate] = {}
    for cost in compute_costs(_load_finished_outputs(folder)):
        totals = UsageEstimate(cost["calls"], cost["input_tokens"], cost["output_tokens"])
        usage[cost["system"]] = usage.get(cost["system"], UsageEstimate()).add_scaled(totals, 1 / cost["samples"])
    return usage


def _load_finished_outputs(folder: RunFolder) -> dict[tuple[str, str], Record]:
    """Return the outputs of a run by (id of the sample, system), without errors."""
    results = iterate_results(folder.outputs_file)
    return {(each["id"], each["system"]): each["output"] for each in results if "output" in each}


def main() -> None:
    """Update reproduction_costs.json with the mean usage in the runs that the command line names."""
    table = json.loads(COSTS_FILE.read_bytes())
    for path in sys.argv[1:]:
        folder = RunFolder(Path(path))
        found = {system: [round(part) for part in cost] for system, cost in measure_system_usage(folder).items()}
        table.setdefault(folder.read_run_config().task, {}).update(found)
    COSTS_FILE.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
