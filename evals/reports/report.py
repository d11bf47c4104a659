"""The report of an evaluation: what a reader wants to know first, the tables, then the run itself; and its files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from evals.evaluation import Evaluation, ScoredTable, list_system_extensions, select_published_figures, serialize_scores
from evals.reports.document import (
    Picture,
    ReportDocument,
    ReportSection,
    build_table,
    describe_intervals,
    render_report_html,
    render_report_markdown,
)
from evals.reports.figures import draw_figures
from evals.reports.sample_pages import build_sample_pages, render_sample_page
from evals.reports.tables import TEST_DESCRIPTION, build_difference_sections, build_mean_sections, build_score_section
from evals.run import RunConfig, RunFolder
from evals.task import Task
from runs.record import Cost, sum_usage_totals
from state.files import write_atomically
from state.settings import Role
from tools.configuration import resolve_settings

_TABLE_LEGEND = (
    f"{describe_intervals('samples')} ↓ lower is better, ↑ higher is better. Rows that begin with “paper:” are printed "
    "in the paper, for its own models and samples."
)
_EXTENSIONS_NOTE = "Extensions are what of Draftroom's is in no paper. See docs/extensions.md."
_SAMPLING_FIELDS = ("temperature", "top_p", "frequency_penalty", "repetition_penalty", "seed", "max_tokens")
_MAX_ERROR_LENGTH = 300


def write_reports(evaluation: Evaluation, folder: RunFolder) -> str:
    """Writes scores.json, report.md, report.html, figures/ and a page for each sample into samples/.

    Args:
        evaluation: A run, scored.
        folder: Where it lies.

    Returns:
        The report in Markdown.

    Raises:
        OSError: If the folder cannot be written.
    """
    pictures, pages = draw_figures(evaluation), build_sample_pages(evaluation)
    written = build_evaluation_report(evaluation, pictures)
    markdown = render_report_markdown(written)
    files = {
        "scores.json": serialize_scores(evaluation).encode(),
        "report.md": markdown.encode(),
        "report.html": render_report_html(written, pages=pages, ranked_by=evaluation.task.ranked_by).encode(),
        **{f"samples/{page.file}": render_sample_page(pages, place).encode() for place, page in enumerate(pages)},
        **{f"figures/{each.name}.svg": each.svg for each in pictures},
        **{f"figures/{each.name}.png": each.png for each in pictures},
    }
    for name, content in files.items():
        path = folder.path / name
        path.parent.mkdir(exist_ok=True)
        write_atomically(path, content)
    return markdown


def build_evaluation_report(evaluation: Evaluation, pictures: Sequence[Picture] = ()) -> ReportDocument:
    """All that is known of a scored run, with its figures."""
    task = evaluation.task
    summary = [
        *_describe_progress(evaluation),
        *(said for scores in evaluation.scores for said in _describe_differences(task, scores)),
    ]
    return ReportDocument(
        title=task.name.replace("_", " ").capitalize(),
        facts=_list_facts(task, evaluation.config),
        summary=[*summary, TEST_DESCRIPTION, _TABLE_LEGEND],
        sections=[
            *(section for scores in evaluation.scores for section in _build_table_sections(evaluation, scores)),
            *build_mean_sections(evaluation),
            *([ReportSection("Figures", pictures=pictures)] if pictures else []),
            *_build_system_sections(task, evaluation.config),
            *_build_deviation_sections(evaluation),
            *_build_cost_sections(evaluation.costs),
            *_build_failure_sections(evaluation),
            *([ReportSection("Notes", points=task.notes)] if task.notes else []),
        ],
    )


def _describe_differences(task: Task, scores: ScoredTable) -> Iterator[str]:
    """How much differs."""
    if scores.contrasts:
        baseline = scores.contrasts[0].baseline.title
        beyond = sum(contrast.test.beyond_chance for contrast in scores.contrasts)
        yield f"{scores.title}: {beyond} of {len(scores.contrasts)} differences to {baseline} are beyond chance."
    elif (
        not scores.table.comparison
        and scores.find_row(scores.table.baseline) is None
        and any(line.row.system for line in scores.lines)
    ):
        baseline = task.find_row(scores.table.baseline).title
        yield f"{scores.title}: nothing is compared, because {baseline} was not run."


def _build_table_sections(evaluation: Evaluation, scores: ScoredTable) -> Iterator[ReportSection]:
    """A table that any row of was run or printed, and what differs in it."""
    if scores.table.comparison and not scores.contrasts:
        return
    if scores.lines or select_published_figures(scores.table, scores.corpus):
        yield build_score_section(evaluation.task, scores)
        yield from build_difference_sections(scores)


def _list_facts(task: Task, config: RunConfig) -> list[str]:
    """Paper, date, commit, seed, models and samples."""
    corpora = ", ".join(f"{each.name} {each.drawn} of {each.available} ({each.file})" for each in config.corpora)
    return [
        f"Paper: {task.source}",
        f"Begun {config.begun}, Draftroom {config.version}, commit {config.commit or 'unknown'}, seed {config.seed}",
        *_describe_models(task, config),
        f"Samples: {corpora}",
    ]


def _describe_models(task: Task, config: RunConfig) -> list[str]:
    """A line for each model as it is sampled, with its roles; the rows of a preset are sampled as that says."""
    systems = [task.systems[name] for name in task.list_systems(config.rows)]
    lines: dict[str, str] = {}
    for preset, system in {each.preset: each for each in systems}.items():
        settings = resolve_settings(system.build_context(config.context_fields))
        roles: dict[str, list[str]] = {}
        for role in cast("list[Role]", list(config.models)):
            model = _format_model(settings.resolve_model_settings(role).model_dump(mode="json"))
            roles.setdefault(model, []).append(role.replace("_", " "))
        where = f" (rows of the preset {preset})" if preset else ""
        for model, names in roles.items():
            lines.setdefault(f"{', '.join(names)}: {model}", where)
    return [f"Model of {line}{where}" for line, where in lines.items()]


def _format_model(model: Mapping[str, Any]) -> str:
    sampling = [f"{name} {model[name]}" for name in _SAMPLING_FIELDS if model.get(name) is not None]
    return f"{model['model']} ({', '.join(sampling)})" if sampling else str(model["model"])


def _describe_progress(evaluation: Evaluation) -> list[str]:
    """What is missing, so that nobody takes the figures of a part for those of the whole."""
    every = len(evaluation.samples) * len(evaluation.task.list_systems(evaluation.config.rows))
    said = []
    if evaluation.missing:
        said.append(
            f"Not finished: {evaluation.missing} of {every} runs are missing, and the figures are of those that ended. "
            "To go on: draftroom eval resume with this folder."
        )
    if evaluation.failed:
        said.append(f"Failed: {len(evaluation.failed)} of {every} runs, which are not in the figures; see below.")
    return said


def _build_system_sections(task: Task, config: RunConfig) -> list[ReportSection]:
    """What each system ran with: extensions that were on, and the choices that make it; none if no system was run."""
    rows = []
    for name in task.list_systems(config.rows):
        titles = "; ".join(task.find_row(row).title for row in config.rows if task.find_row(row).system == name)
        extensions = ", ".join(list_system_extensions(task, config, name)) or "none"
        rows.append([name, titles, extensions, _format_own_settings(task, name)])
    made = build_table(["system", "rows", "extensions", "settings of its own"], rows)
    return [ReportSection("Extensions and settings of the rows", _EXTENSIONS_NOTE, table=made)] if rows else []


def _build_deviation_sections(evaluation: Evaluation) -> list[ReportSection]:
    """What their outputs say is not as published, each sentence once with its systems; none without such outputs."""
    systems: dict[str, dict[str, None]] = {}
    for (_, system), output in evaluation.outputs.items():
        for sentence in output.get("not_as_published", []):
            systems.setdefault(sentence, {})[system] = None
    points = [f"{', '.join(names)}: {sentence}" for sentence, names in systems.items()]
    return [ReportSection("Not as published", points=points)] if points else []


def _format_own_settings(task: Task, system: str) -> str:
    """The choices that make a system: a preset, and settings over it, or over those of the run."""
    context, preset = task.systems[system].context, task.systems[system].preset
    chosen = context.model_dump(mode="json", include=context.model_fields_set - {"extensions"})
    chosen = {**({"preset": preset} if preset else {}), **chosen}
    return ", ".join(
        f"{name} {value if isinstance(value, str) else json.dumps(value)}" for name, value in chosen.items()
    )


def _build_cost_sections(costs: Sequence[Cost]) -> list[ReportSection]:
    """Calls, tokens and seconds of each role of a system, and their sum; none if no model was called."""
    rows = []
    for system in dict.fromkeys(cost["system"] for cost in costs):
        of_system = [cost for cost in costs if cost["system"] == system]
        together: Cost = {**of_system[0], "role": "all", "model": "", **sum_usage_totals(of_system)}
        rows += [_format_cost_row(each) for each in (*of_system, *([together] if len(of_system) > 1 else []))]
    header = ["system", "role", "model", "samples", "calls", "tokens in", "tokens out", "seconds", "re-asks", "trims"]
    text = (
        "Calls, tokens and seconds are per sample; re-asks and shortened prompts (trims) are of all samples together. "
        "Seconds are the sum of the calls, and grow with the load on the endpoint."
    )
    return [ReportSection("What it cost", text, table=build_table(header, rows), words=3)] if rows else []


def _format_cost_row(cost: Cost) -> list[str]:
    per_sample = (cost["calls"], cost["input_tokens"], cost["output_tokens"], cost["seconds"])
    calls, tokens_in, tokens_out, seconds = (each / cost["samples"] for each in per_sample)
    names = [cost["system"], cost["role"].replace("_", " "), cost["model"], str(cost["samples"])]
    figures = [f"{calls:.1f}", f"{tokens_in:,.0f}", f"{tokens_out:,.0f}", f"{seconds:.1f}"]
    return [*names, *figures, str(cost["reasks"]), str(cost["trims"])]


def _build_failure_sections(evaluation: Evaluation) -> list[ReportSection]:
    """What failed, why, and how to try it again."""
    if not evaluation.failed:
        return []
    points = []
    for each in evaluation.failed:
        cut = "..." if len(each.error) > _MAX_ERROR_LENGTH else ""
        points.append(f"{each.sample}, {each.system}: {each.error[:_MAX_ERROR_LENGTH]}{cut}")
    text = "To try these again, and only these: draftroom eval resume with this folder."
    return [ReportSection("What failed", text, points)]
