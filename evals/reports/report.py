"""The report of an evaluation: main results, tables, figures, settings, costs and failures, and a page a sample.

Figures are drawn as SVG, with measured and published points. The same data gives the same bytes: the files have
no dates, and ids are derived from the content. Curves differ in markers and dashes as well as in colour.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from itertools import groupby
from math import ceil, inf
from statistics import fmean
from textwrap import shorten
from typing import Any, NamedTuple, cast

from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from evals.datasets.samples import SampleKind
from evals.evaluation import Chart, Evaluation, FailedRun, ScoredTable, list_system_extensions, serialize_scores
from evals.reports.document import (
    TEMPLATES,
    Picture,
    ReportDocument,
    ReportSection,
    build_table,
    describe_intervals,
    format_decimal,
    render_report_html,
    render_report_markdown,
)
from evals.reports.tables import TEST_DESCRIPTION, build_difference_sections, build_mean_sections, build_score_section
from evals.run import RunConfig, RunFolder
from evals.task import Task
from runs.jobs import Record
from runs.record import Cost, sum_usage_totals
from state.files import write_atomically
from state.settings import Role, Settings

_TABLE_LEGEND = (
    f"{describe_intervals('samples')} ↓ lower is better, ↑ higher is better. Rows that begin with “paper:” are printed "
    "in the paper, for its own models and samples."
)
_COST_LEGEND = (
    "Calls, tokens and seconds are per sample; re-asks and shortened prompts (trims) are of all samples together. "
    "Seconds are the sum of the calls, and grow with the load on the endpoint."
)
_RETRY_HINT = "To try these again, and only these: draftroom eval resume with this folder."
_EXTENSIONS_NOTE = "Extensions are additions of Draftroom that are in no paper. See docs/extensions.md."
_SAMPLING_FIELDS = ("temperature", "top_p", "frequency_penalty", "repetition_penalty", "seed", "max_tokens")
_MAX_ERROR_LENGTH = 300
# The fields of a sample with its source and with the text by a person.
_TEXT_FIELDS: dict[SampleKind, tuple[str, str]] = {
    "journalism": ("abstract", "summary"),
    "simplification": ("source", "target"),
    "feedback": ("paragraph", "feedback"),
    "whole_paper": ("paper", "reviews"),
}
_FIGURE_STYLE: dict[Any, Any] = {  # matplotlib's type for the names is a list of them all
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 9.0,
    "font.family": ["DejaVu Sans"],  # it comes with matplotlib
    "font.size": 8.0,
    "svg.hashsalt": "draftroom",
    "text.parse_math": False,  # the name of a corpus may have a $
}
# Colour, marker and dashes. The colours are Okabe and Ito's, which are safe for colour-blind readers.
_CURVE_STYLES = (("#0072b2", "o", "-"), ("#d55e00", "s", "--"), ("#009e73", "^", "-."), ("#cc79a7", "D", ":"))
_MAX_COLUMNS = 3
_OMITTED_METADATA = ("Creator", "Date", "Format", "Type")  # it depends on the time or the software
_MeasuredValues = Mapping[tuple[str, str], Mapping[str, float]]  # by row and sample, then by measure


def write_reports(evaluation: Evaluation, folder: RunFolder) -> str:
    """Write scores.json, report.md, report.html, figures/ and samples/, and return the report in Markdown.

    Raises:
        OSError: The folder cannot be written.
    """
    pictures, pages = draw_figures(evaluation), build_sample_pages(evaluation)
    report = build_evaluation_report(evaluation, pictures)
    markdown = render_report_markdown(report)
    files = {
        "scores.json": serialize_scores(evaluation).encode(),
        "report.md": markdown.encode(),
        "report.html": render_report_html(report, pages=pages, ranked_by=evaluation.task.ranked_by).encode(),
        **{f"samples/{page.file}": render_sample_page(pages, place).encode() for place, page in enumerate(pages)},
        **{f"figures/{each.name}.svg": each.svg for each in pictures},
    }
    for name, content in files.items():
        path = folder.path / name
        path.parent.mkdir(exist_ok=True)
        write_atomically(path, content)
    return markdown


def build_evaluation_report(evaluation: Evaluation, pictures: Sequence[Picture] = ()) -> ReportDocument:
    """Build, without writing it, the report of a scored run, with the figures that were drawn for it."""
    task, config = evaluation.task, evaluation.config
    corpora = ", ".join(f"{each.name} {each.drawn} of {each.available} ({each.file})" for each in config.corpora)
    begun = f"Begun {config.begun}, Draftroom {config.version}, commit {config.commit or 'unknown'}"
    tables: list[ReportSection] = []
    for scores in evaluation.scores:
        if scores.contrasts or not scores.table.comparison:
            tables += [build_score_section(task, scores), *build_difference_sections(scores)]
    # The deviations from the paper that the outputs report, by sentence; the systems are the keys, as an ordered set.
    deviations: dict[str, dict[str, None]] = {}
    for (_, system), output in evaluation.outputs.items():
        for sentence in output.get("not_as_published", []):
            deviations.setdefault(sentence, {})[system] = None
    failures = [f"{each.sample}, {each.system}: {shorten(each.error, _MAX_ERROR_LENGTH)}" for each in evaluation.failed]
    sections = [
        *tables,
        *build_mean_sections(evaluation),
        ReportSection("Figures", pictures=pictures),
        _build_system_section(task, config),
        ReportSection("Not as published", points=[f"{', '.join(names)}: {each}" for each, names in deviations.items()]),
        _build_cost_section(evaluation.costs),
        ReportSection("What failed", _RETRY_HINT, failures),
        ReportSection("Notes", points=task.notes),
    ]
    return ReportDocument(
        title=task.name.replace("_", " ").capitalize(),
        facts=[
            f"Paper: {task.source}",
            f"{begun}, seed {config.seed}",
            *_describe_models(task, config),
            f"Samples: {corpora}",
        ],
        summary=[
            *_describe_progress(evaluation),
            *(sentence for scores in evaluation.scores for sentence in _describe_differences(task, scores)),
            TEST_DESCRIPTION,
            _TABLE_LEGEND,
        ],
        sections=[section for section in sections if section.has_results],
    )


def _describe_differences(task: Task, scores: ScoredTable) -> Iterator[str]:
    """Yield at most one sentence: how many differences of a table are significant, or why none is tested."""
    has_systems = any(line.row.system for line in scores.lines)
    if scores.contrasts:
        baseline = scores.contrasts[0].baseline.title
        beyond = sum(contrast.test.beyond_chance for contrast in scores.contrasts)
        yield f"{scores.title}: {beyond} of {len(scores.contrasts)} differences to {baseline} are beyond chance."
    elif has_systems and not scores.table.comparison and scores.find_row(scores.table.baseline) is None:
        baseline = task.find_row(scores.table.baseline).title
        yield f"{scores.title}: nothing is compared, because {baseline} was not run."


def _describe_models(task: Task, config: RunConfig) -> list[str]:
    """Return a line for each model with its roles and sampling."""
    systems = [task.systems[name] for name in task.list_systems(config.rows)]
    lines: dict[str, str] = {}
    # A preset sets the sampling of its systems, which may differ from that in the run's settings.
    for preset, system in {each.preset: each for each in systems}.items():
        settings = Settings(**system.build_settings(config.context_fields))
        roles: dict[str, list[str]] = {}
        for role in cast("list[Role]", list(config.models)):
            model = settings.resolve_model_settings(role).model_dump(mode="json")
            sampling = ", ".join(f"{name} {model[name]}" for name in _SAMPLING_FIELDS if model.get(name) is not None)
            description = f"{model['model']} ({sampling})" if sampling else model["model"]
            roles.setdefault(description, []).append(role.replace("_", " "))
        for description, names in roles.items():
            line = f"Model of {', '.join(names)}: {description}"
            lines.setdefault(line, f"{line} (rows of the preset {preset})" if preset else line)
    return list(lines.values())


def _describe_progress(evaluation: Evaluation) -> Iterator[str]:
    """Yield sentences that count missing and failed runs, whose samples are not in the figures; none if complete."""
    every = len(evaluation.samples) * len(evaluation.task.list_systems(evaluation.config.rows))
    if evaluation.missing:
        yield (
            f"Not finished: {evaluation.missing} of {every} runs are missing, and the figures are of those that ended. "
            "To go on: draftroom eval resume with this folder."
        )
    if evaluation.failed:
        yield f"Failed: {len(evaluation.failed)} of {every} runs, which are not in the figures; see below."


def _build_system_section(task: Task, config: RunConfig) -> ReportSection:
    """Return the section with each system's extensions and settings of its own."""
    rows = []
    for name in task.list_systems(config.rows):
        titles = "; ".join(task.find_row(row).title for row in config.rows if task.find_row(row).system == name)
        extensions = ", ".join(list_system_extensions(task, config, name)) or "none"
        # The settings that define the system: its preset and the fields that it sets itself.
        context, preset = task.systems[name].context, task.systems[name].preset
        own = {"preset": preset} if preset else {}
        own |= context.model_dump(mode="json", include=context.model_fields_set - {"extensions"})
        settings = (f"{key} {value if isinstance(value, str) else json.dumps(value)}" for key, value in own.items())
        rows.append([name, titles, extensions, ", ".join(settings)])
    table = build_table(["system", "rows", "extensions", "settings of its own"], rows)
    return ReportSection("Extensions and settings of the rows", _EXTENSIONS_NOTE, table=table)


def _build_cost_section(costs: Sequence[Cost]) -> ReportSection:
    """Return the section with the usage of each system by role and in total."""
    rows = []
    for system, group in groupby(costs, key=lambda cost: cost["system"]):
        own = list(group)
        if len(own) > 1:
            own.append({**own[0], "role": "all", "model": "", **sum_usage_totals(own)})
        for cost in own:
            samples = cost["samples"]
            calls, seconds = (f"{total / samples:.1f}" for total in (cost["calls"], cost["seconds"]))
            tokens = (f"{total / samples:,.0f}" for total in (cost["input_tokens"], cost["output_tokens"]))
            counts = (str(samples), calls, *tokens, seconds, str(cost["reasks"]), str(cost["trims"]))
            rows.append([system, cost["role"].replace("_", " "), cost["model"], *counts])
    header = ["system", "role", "model", "samples", "calls", "tokens in", "tokens out", "seconds", "re-asks", "trims"]
    return ReportSection("What it cost", _COST_LEGEND, table=build_table(header, rows), words=3)


class PageText(NamedTuple):
    """A text on a page, with its title and its formatted scores."""

    title: str
    text: str
    figures: Sequence[str] = ()


class SamplePage(NamedTuple):
    """The content of a sample's page, not rendered: texts, outputs and failures."""

    sample: Record
    file: str
    texts: Sequence[PageText]
    """The source, the text by a person if there is one, and the texts of the systems."""
    outputs: Mapping[str, str]
    """Outputs as JSON, by system."""
    failures: Sequence[FailedRun]
    rank: float | None
    """Mean of `Task.ranked_by` over the rows of systems; None if it was not measured."""


def build_sample_pages(evaluation: Evaluation) -> list[SamplePage]:
    """Build, but do not render, a page for each sample: those without scores, then the worst by `ranked_by` first."""
    measured: dict[tuple[str, str], dict[str, float]] = {}
    for scores in (*evaluation.scores, *(chart.scores for chart in evaluation.charts)):
        for line in scores.lines:
            for measure, values in line.values.items():
                for sample, value in values.items():
                    measured.setdefault((line.row.name, sample), {})[measure] = value
    # The file's name is the sample's place in the run, because an id may be no name of a file.
    pages = [
        _build_sample_page(evaluation, sample, f"{number}.html", measured)
        for number, sample in enumerate(evaluation.samples, start=1)
    ]
    ranked_by = evaluation.task.ranked_by
    # The order is descending: a measure of which higher is better is negated, so that its worst value comes first.
    sign = 1 if ranked_by and evaluation.task.find_measure(ranked_by).better == "lower" else -1
    return sorted(pages, key=lambda page: inf if page.rank is None else sign * page.rank, reverse=True)


def _build_sample_page(evaluation: Evaluation, sample: Record, file: str, measured: _MeasuredValues) -> SamplePage:
    """Build the page of a sample; `measured` has the values of all rows and samples."""
    task, name = evaluation.task, sample["id"]
    originals = zip(("Source", "Written by a person"), _TEXT_FIELDS[task.samples or task.kind], strict=True)
    texts = {title: PageText(title, sample[field]) for title, field in originals if sample[field]}
    ranks = []
    for row, item in evaluation.collect_sample_items(sample).items():
        if not task.find_row(row).system:
            continue
        values = measured.get((row, name), {})
        known = [each for each in task.measures if each.name in values]
        figures = [f"{each.name} {format_decimal(values[each.name], each.digits)}" for each in known]
        # Rows with the same text, such as a round that is also the selected draft, share a block of the page.
        same = texts.get(item.text)
        title = f"{same.title}; {task.find_row(row).title}" if same else task.find_row(row).title
        texts[item.text] = PageText(title, item.text, figures or (same.figures if same else ()))
        ranks += [values[task.ranked_by]] if task.ranked_by in values else []
    # The calls are left out, because the report counts them.
    outputs = {
        system: json.dumps({key: output[key] for key in output if key != "calls"}, ensure_ascii=False, indent=1)
        for (owner, system), output in evaluation.outputs.items()
        if owner == name
    }
    failures = [failed for failed in evaluation.failed if failed.sample == name]
    return SamplePage(sample, file, list(texts.values()), outputs, failures, fmean(ranks) if ranks else None)


def render_sample_page(pages: Sequence[SamplePage], place: int) -> str:
    """Render the page at a place, counted from 0, in HTML with links to its neighbours."""
    return TEMPLATES.get_template("sample.html").render(pages=pages, place=place)


def draw_figures(evaluation: Evaluation) -> list[Picture]:
    """Draw all figures of an evaluation as SVG in memory."""
    pictures = []
    with rc_context(_FIGURE_STYLE):
        for number, chart in enumerate(evaluation.charts, start=1):
            buffer = BytesIO()
            _draw_curves(chart).savefig(buffer, format="svg", metadata=dict.fromkeys(_OMITTED_METADATA))
            pictures.append(Picture(f"figure-{number}", chart.scores.title, buffer.getvalue()))
    return pictures


def _draw_curves(chart: Chart) -> Figure:
    """Return the figure of a chart: its curves with 95% intervals and published points, a panel for each measure."""
    # Sizes are in inches: 3.2 by 2.5 for a panel, and room for the legend.
    number = len(chart.measures)
    columns = min(_MAX_COLUMNS, number)
    rows = ceil(number / columns)
    figure = Figure(figsize=(max(3.2 * columns, 4.5), 2.5 * rows + 0.5), layout="constrained")
    legend: dict[str, Line2D] = {}
    for panel, measure in enumerate(chart.measures, start=1):
        axes = figure.add_subplot(rows, columns, panel)
        for place, (name, curve) in enumerate(chart.figure.curves.items()):
            colour, marker, dashes = _CURVE_STYLES[place % len(_CURVE_STYLES)]
            lines = {at: line for at, row in sorted(curve.items()) if (line := chart.scores.find_row(row))}
            points = {at: line.cells[measure.name] for at, line in lines.items() if measure.name in line.cells}
            # A text of the corpus alone, such as the source as round 0, is no curve.
            if not any(lines[at].row.system for at in points):
                continue
            for at, (_, low, high) in points.items():
                axes.plot([at, at], [low, high], color=colour, lw=1)
            style: dict[str, Any] = {"color": colour, "marker": marker, "linestyle": dashes}
            series = [(name, {at: point.value for at, point in points.items()}, style)]
            figures = chart.figure.published.get(name, {})
            if printed := {at: values[measure.name] for at, values in figures.items() if measure.name in values}:
                hollow = {**style, "lw": 0.6, "markerfacecolor": "none", "markersize": 8}
                series.append((f"{name}, in the paper", printed, hollow))
            for label, values, look in series:
                (legend[label],) = axes.plot(sorted(values), [values[at] for at in sorted(values)], label=label, **look)
        axes.set_title(measure.head, loc="left")
        axes.set_xlabel(chart.figure.across)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    figure.legend(handles=list(legend.values()), loc="outside lower center", ncols=min(2, number), frameon=False)
    return figure
