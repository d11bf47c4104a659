"""Tables and figures of the three papers, in order of importance: what `draftroom eval reproduce` runs.

A stage adds rows to the run of its task, so that a system which several tables show is run once. What a stage will
take is told before it begins, from what its systems cost for each sample: in the run itself as soon as a sample has
ended there, and until then in the runs that `reproduction_costs.json` was taken from, by

    python -m evals.reproduction RUN...
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from evals.datasets.samples import SampleKind
from evals.run import EvaluationRequest, RunFolder, check_systems, prepare_run
from evals.task import Task
from runs.jobs import Record, iterate_results
from state.errors import InputError, SettingsError
from state.settings import Settings

COSTS_FILE = Path(__file__).with_name("reproduction_costs.json")


class Stage(NamedTuple):
    """Rows that are run together."""

    shows: str
    """The table or figure, and what it asks."""
    task: str
    rows: Sequence[str]
    literature: bool = False
    """Whether its questions also go to a folder of other papers; it has a run of its own then."""

    @property
    def run_name(self) -> str:
        """Name of the folder of its run."""
        return f"{self.task}-literature" if self.literature else self.task


STAGES = (
    Stage(
        "LLM-CLBR, Table 1 and Figure 4: does the loop make an article easier than a single model?",
        "science_journalism",
        ("abstracts", "summaries", "single", "loop", "best", *(f"round{number}" for number in range(6))),
    ),
    Stage(
        "Society of Medical Simplifiers, Tables 1 and 2: do three loops simplify better than one, or than none?",
        "medical_simplification",
        ("source", "reference", "single", "layperson1", "layperson2", "layperson3", "society1", "society2"),
    ),
    Stage(
        "SWIF2T, Tables 5 and 6: are its comments nearer to a reviewer's than those of a single model?",
        "focused_feedback",
        ("single", "cove", "no-reranking", "swif2t"),
    ),
    Stage(
        "Society of Medical Simplifiers, Figure 2: what one loop more does, by the number of its entries",
        "medical_simplification",
        tuple(f"{loop}{entries}" for loop in ("redundancy", "clarifier") for entries in (1, 2, 3)),
    ),
    Stage(
        "LLM-CLBR, ablations of Table 1: a large reader, no notes, no suggestions, no collaboration",
        "science_journalism",
        ("large-reader", "no-notes", "no-suggestions", "no-collaboration"),
    ),
    Stage(
        "Extensions (ours) in LLM-CLBR: what the default ones and all of them change",
        "science_journalism",
        ("full-default-extensions", "full-all-extensions"),
    ),
    Stage(
        "Extensions (ours) in the Society: what the default ones and all of them change",
        "medical_simplification",
        ("society2-default-extensions", "society2-all-extensions"),
    ),
    Stage(
        "Extensions (ours) in SWIF2T: what the default ones and all of them change, and its questions asked together",
        "focused_feedback",
        ("swif2t-rewriting", "swif2t-parallel", "swif2t-default-extensions", "swif2t-all-extensions"),
    ),
    Stage(
        "SWIF2T, Table 5 with other papers to answer from",
        "focused_feedback",
        ("single", "cove", "no-reranking", "swif2t"),
        literature=True,
    ),
    Stage("LLM-CLBR, Table 1: a fine-tuned BART", "science_journalism", ("bart",)),
    Stage("LLM-CLBR, Table 1: a journalist with a warm start", "science_journalism", ("warm-single", "warm-start")),
)


NOT_REPRODUCED = {
    "LLM-CLBR, Table 1, other single models": "each is the row `single` of a run with that model",
    "LLM-CLBR, human evaluation": "people judge: `draftroom eval blind` and `judged`",
    "Society of Medical Simplifiers, Table 1, BART-UL, TESLEA, NapSS": "others' systems, shown as they are printed",
    "SWIF2T, dataset": "its corpora do not come with Draftroom: training/review_filters/compile_pairs.py compiles them",
    "SWIF2T, accuracy of the two filters": "they are trained: `draftroom train purpose` and `aspect` measure them",
    "SWIF2T, Recall@1 of the plan re-ranker": "it asks no model: `draftroom eval plan_reranking`",
    "SWIF2T, human evaluation (dominance, agreement)": "people judge: `draftroom eval blind` and `judged`",
}
"""What else the papers report, and why no stage makes it."""


class UsageEstimate(NamedTuple):
    """What a system takes for a sample, or a stage in all."""

    calls: float = 0
    tokens_in: float = 0
    tokens_out: float = 0

    def add_scaled(self, other: UsageEstimate, times: int = 1) -> UsageEstimate:
        """Both, the other one several times."""
        return UsageEstimate(*(mine + times * its for mine, its in zip(self, other, strict=True)))


class PlannedStage(NamedTuple):
    """A stage that can be run here."""

    stage: Stage
    task: Task
    wanted: EvaluationRequest
    settings: Settings
    folder: RunFolder
    left: int
    """Outputs that are missing."""
    cost: UsageEstimate
    """What they will take."""


class SkippedStage(NamedTuple):
    """A stage that cannot be run here."""

    stage: Stage
    reason: str


class Reproduction(NamedTuple):
    """What is to be reproduced, on what, with which models."""

    data: Path | None
    """Folder of corpora, each named for the kind of its samples, as `journalism-elife.jsonl`; None: the examples."""
    out: Path
    """Folder of the runs."""
    limit: int | None
    seed: int
    split: str | None
    task: Callable[[str], Task]
    settings: Callable[[Task, dict[str, Any]], Settings]
    """The settings of a task, below some that the stage asks for."""

    def plan_stages(self) -> list[PlannedStage | SkippedStage]:
        """What each stage will take. The samples of each run are drawn, and nothing is run.

        Raises:
            BadInput: There is no corpus, or one cannot be read.
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
        return sorted(self.data.glob(f"{kind}*")) if self.data else []

    def _plan_stage(self, stage: Stage) -> PlannedStage | SkippedStage:
        task = self.task(stage.task)
        data = self._list_corpora(task.kind)
        if self.data and not data:
            return SkippedStage(stage, f"{self.data} holds nothing whose name begins with {task.kind!r}")
        literature = self.data / "literature" if self.data and stage.literature else None
        if stage.literature and not (literature and literature.is_dir()):
            return SkippedStage(stage, "there is no folder `literature` among the data")
        where = {"literature": {"providers": ["folder"], "folder": literature and str(literature)}}
        settings = self.settings(task, {"feedback": where} if task.kind == "feedback" else {})
        try:
            check_systems(task, stage.rows, settings)
        except SettingsError as error:
            return SkippedStage(stage, str(error))
        folder = RunFolder(self.out / stage.run_name)
        wanted = EvaluationRequest(data, ",".join(stage.rows), self.limit, self.seed, self.split)
        begun = wanted._replace(rows=",".join(folder.read_run_config().rows)) if folder.config_file.exists() else wanted
        prepare_run(task, begun, settings, folder.path)
        return PlannedStage(stage, task, wanted, settings, folder, *_estimate_missing_usage(task, folder, stage.rows))


def _estimate_missing_usage(task: Task, folder: RunFolder, rows: Sequence[str]) -> tuple[int, UsageEstimate]:
    """How many outputs are missing, and what they will take; one that was never measured, what the dearest does."""
    ended = _load_finished_outputs(folder)
    known = {**_load_shipped_usage()[task.name], **measure_system_usage(folder)}
    dearest = max(known.values(), key=lambda each: each.tokens_out)
    missing, cost = 0, UsageEstimate()
    for system in task.list_systems(rows):
        left = sum((sample["id"], system) not in ended for sample in folder.read_samples())
        missing += left
        cost = cost.add_scaled(known.get(system, dearest), left)
    return missing, cost


def measure_system_usage(folder: RunFolder) -> dict[str, UsageEstimate]:
    """What each system has taken for a sample, on the mean of those that ended."""
    sums: defaultdict[str, UsageEstimate] = defaultdict(UsageEstimate)
    times = Counter[str]()
    for (_, system), output in _load_finished_outputs(folder).items():
        times[system] += 1
        for call in output["calls"]:
            sums[system] = sums[system].add_scaled(UsageEstimate(1, call["input_tokens"], call["output_tokens"]))
    return {system: UsageEstimate(*(part / number for part in sums[system])) for system, number in times.items()}


def _load_finished_outputs(folder: RunFolder) -> dict[tuple[str, str], Record]:
    results = iterate_results(folder.outputs_file)
    return {(each["id"], each["system"]): each["output"] for each in results if "output" in each}


@cache
def _load_shipped_usage() -> dict[str, dict[str, UsageEstimate]]:
    tasks = json.loads(COSTS_FILE.read_bytes())
    return {task: {system: UsageEstimate(*cost) for system, cost in systems.items()} for task, systems in tasks.items()}


def main() -> None:
    """Put what the systems of some runs have cost into the table that ships."""
    table = json.loads(COSTS_FILE.read_bytes())
    for path in sys.argv[1:]:
        folder = RunFolder(Path(path))
        found = {system: [round(part) for part in cost] for system, cost in measure_system_usage(folder).items()}
        table.setdefault(folder.read_run_config().task, {}).update(found)
    COSTS_FILE.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
