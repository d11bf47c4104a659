"""What a report says of the run itself: models, data, costs, failures."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from evals.datasets import FieldStatistics
from evals.evaluation import Evaluation, systems_of
from evals.reports.document import Entry, Grid, Section, words
from evals.run_folder import RunConfig
from evals.task import Task
from evals.usage import Cost

_SAMPLING = ("temperature", "top_p", "frequency_penalty", "repetition_penalty", "seed", "max_tokens")
_LONGEST_ERROR = 300


def facts(task: Task, config: RunConfig) -> list[str]:
    """Paper, date, commit, seed, models and samples."""
    corpora = ", ".join(f"{each.name} {each.drawn} of {each.available} ({each.file})" for each in config.corpora)
    return [
        f"Paper: {task.source}",
        f"Begun {config.begun}, Draftroom {config.version}, commit {config.commit or 'unknown'}, seed {config.seed}",
        *_models(config),
        f"Samples: {corpora}",
    ]


def progress(evaluation: Evaluation) -> list[str]:
    """What is missing, so that nobody takes the figures of a part for those of the whole."""
    every = len(evaluation.samples) * len(systems_of(evaluation.task, evaluation.config.rows))
    said = []
    if evaluation.missing:
        said.append(
            f"Not finished: {evaluation.missing} of {every} runs are missing, and the figures are of those that ended. "
            "To go on: draftroom eval resume with this folder."
        )
    if evaluation.failed:
        said.append(f"Failed: {len(evaluation.failed)} of {every} runs, which are not in the figures; see below.")
    return said


def system_sections(task: Task, config: RunConfig) -> list[Section]:
    """What each system ran with: aids that were on, and the choices that make it; none if no system was run."""
    entries = []
    for name in systems_of(task, config.rows):
        rows = "; ".join(task.row(row).title for row in config.rows if task.row(row).system == name)
        aids = ", ".join(aids_of(task, config, name)) or "none"
        entries.append(Entry(words(name, rows, aids, _own(task, name))))
    grid = Grid(["system", "rows", "aids", "settings of its own"], entries, words=4)
    return [Section("Aids and settings of the rows", text=_AIDS, grid=grid)] if entries else []


_AIDS = "Aids are what of Draftroom's is in no paper: without any, a row is the paper's system. See docs/aids.md."


def aids_of(task: Task, config: RunConfig, system: str) -> list[str]:
    """Names of the aids that a system ran with."""
    own: list[str] | None = task.systems[system].context.model_dump()["aids"]
    return config.settings["aids"] if own is None else own


def _own(task: Task, system: str) -> str:
    """The choices that make a system: a preset, and settings over it, or over those of the run."""
    context, preset = task.systems[system].context, task.systems[system].preset
    chosen = context.model_dump(mode="json", include=context.model_fields_set - {"aids"})
    chosen = {**({"preset": preset} if preset else {}), **chosen}
    return ", ".join(
        f"{name} {value if isinstance(value, str) else json.dumps(value)}" for name, value in chosen.items()
    )


def cost_sections(costs: Sequence[Cost]) -> list[Section]:
    """Calls, tokens and seconds of each system and role; none if no model was called."""
    systems = dict.fromkeys(cost.system for cost in costs)
    entries = [entry for name in systems for entry in _system([cost for cost in costs if cost.system == name])]
    header = ["system", "role", "model", "samples", "calls", "tokens in", "tokens out", "seconds", "re-asks", "trims"]
    text = (
        "Calls, tokens and seconds are per sample; re-asks and shortened prompts (trims) are of all samples together. "
        "Seconds are the sum of the calls, and grow with the load on the endpoint."
    )
    return [Section("What it cost", text=text, grid=Grid(header, entries, words=3))] if entries else []


def statistics_sections(statistics: Sequence[FieldStatistics]) -> list[Section]:
    """Samples and mean words beside what the papers print."""
    header = ["corpus", "text", "samples", "mean words", "samples in the paper", "mean words in the paper"]
    entries = [
        Entry(
            words(
                each.corpus,
                each.field,
                str(each.samples),
                f"{each.mean_words:.1f}",
                "-" if each.published_samples is None else str(each.published_samples),
                "-" if each.published_mean_words is None else f"{each.published_mean_words:.1f}",
            )
        )
        for each in statistics
    ]
    return [Section("The data", grid=Grid(header, entries, words=2))] if entries else []


def failure_sections(evaluation: Evaluation) -> list[Section]:
    """What failed, why, and how to try it again."""
    if not evaluation.failed:
        return []
    points = [f"{each.sample}, {each.system}: {_shortened(each.error)}" for each in evaluation.failed]
    text = "To try these again, and only these: draftroom eval resume with this folder."
    return [Section("What failed", text=text, points=points)]


def note_sections(task: Task) -> list[Section]:
    """What a reader must know of the figures."""
    return [Section("Notes", points=task.notes)] if task.notes else []


def _models(config: RunConfig) -> list[str]:
    """A line for each model, with the roles that it plays."""
    roles: dict[str, list[str]] = {}
    for role, model in config.models.items():
        roles.setdefault(_model(model), []).append(role.replace("_", " "))
    return [f"Model of {', '.join(names)}: {model}" for model, names in roles.items()]


def _model(model: Mapping[str, Any]) -> str:
    sampling = [f"{name} {model[name]}" for name in _SAMPLING if model.get(name) is not None]
    return f"{model['model']} ({', '.join(sampling)})" if sampling else str(model["model"])


def _system(costs: Sequence[Cost]) -> list[Entry]:
    """A line for each role, and their sum if there are several."""
    lines = [_cost(each) for each in costs]
    if len(costs) < 2:
        return lines
    together = costs[0]._replace(
        role="all",
        model="",
        calls=sum(each.calls for each in costs),
        input_tokens=sum(each.input_tokens for each in costs),
        output_tokens=sum(each.output_tokens for each in costs),
        seconds=sum(each.seconds for each in costs),
        reasks=sum(each.reasks for each in costs),
        trims=sum(each.trims for each in costs),
    )
    return [*lines, Entry([cell._replace(strong=bool(cell.text)) for cell in _cost(together).cells])]


def _cost(cost: Cost) -> Entry:
    per_sample = (cost.calls, cost.input_tokens, cost.output_tokens, cost.seconds)
    calls, tokens_in, tokens_out, seconds = (each / cost.samples for each in per_sample)
    return Entry(
        [
            *words(cost.system, cost.role.replace("_", " "), cost.model, str(cost.samples)),
            *words(f"{calls:.1f}", f"{tokens_in:,.0f}", f"{tokens_out:,.0f}", f"{seconds:.1f}"),
            *words(str(cost.reasks), str(cost.trims)),
        ]
    )


def _shortened(error: str) -> str:
    return error if len(error) <= _LONGEST_ERROR else f"{error[:_LONGEST_ERROR]}..."
