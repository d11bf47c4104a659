"""`draftroom eval`: run the papers' experiments on any endpoint, compare the results, and have people judge them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.table import Column, Table

from draftroom.commands import options
from draftroom.exit_codes import EXIT_CODES, STOPPED
from draftroom.extras import EVALS, TRAINING, require_extra
from draftroom.rendering.console import OUT, print_table, print_to_stderr
from draftroom.systems import SYSTEMS, LazyImport, build_setting_overrides
from state.errors import InputError, StateError
from state.model_settings import ModelSettings
from state.settings import Settings
from tools.configuration import load_settings, merge_settings
from tools.reranking import SHIPPED_WEIGHTS

if TYPE_CHECKING:
    from evals.reproduction import PlannedStage, SkippedStage, UsageEstimate
    from evals.run import RunFolder
    from evals.task import Task

eval_app = typer.Typer(help="Run the papers' experiments: their tables and figures beside yours.", no_args_is_help=True)

# The task of each paper, by the name of its system, and one of no paper.
EVALUATIONS = {name: system.evaluation for name, system in SYSTEMS.items() if system.evaluation} | {
    "whole_paper": LazyImport(
        "evals.tasks.whole_paper:WHOLE_PAPER",
        "Comments on whole papers beside those of reviewers: one call, the screener, and the team after it.",
    )
}

DataArgument = Annotated[
    list[Path] | None,
    typer.Argument(help="Corpora: JSON Lines, or a published release's file or folder. None: the shipped samples."),
]
DataFolderArgument = Annotated[
    Path | None,
    typer.Argument(
        help="Folder of corpora named journalism…, simplification… and feedback…, and of other papers in literature. "
        "None: the shipped samples."
    ),
]
RowsOption = Annotated[str | None, typer.Option(help="Rows to run, with commas, or `all`.")]
LimitOption = Annotated[int | None, typer.Option(min=1, help="Samples of each corpus; by default all.")]
SeedOption = Annotated[int, typer.Option(help="Seed of the choice of samples and of the intervals.")]
ConcurrencyOption = Annotated[
    int | None, typer.Option(min=1, max=1024, help="Requests to an endpoint at once; by default as in the settings.")
]
SplitOption = Annotated[str | None, typer.Option(help="Only samples of this split, where a corpus names them.")]
OutOption = Annotated[Path | None, typer.Option("--out", help="Folder of the run; an existing run is resumed.")]
JudgedRowsOption = Annotated[
    str | None, typer.Option(help="Rows of the run, with commas; by default those of the paper.")
]
RunArgument = Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run.")]


def build_evaluation_command(name: str) -> Callable[..., None]:
    """Return the command function that evaluates the task with this name in `EVALUATIONS`."""

    def evaluate(  # noqa: PLR0913 - each parameter is a flag
        data: DataArgument = None,
        *,
        rows: RowsOption = None,
        limit: LimitOption = None,
        seed: SeedOption = 0,
        concurrency: ConcurrencyOption = None,
        split: SplitOption = None,
        out: OutOption = None,
        preset: options.PresetOption = None,
        prompts: options.PromptsOption = None,
        model: options.ModelOption = None,
        base_url: options.BaseUrlOption = None,
        engine: options.EngineOption = "local",
        actors: options.ActorsOption = 1,
        quiet: options.QuietOption = False,
    ) -> None:
        """Prepare the run of the task from the flags, and run it."""
        require_extra(EVALS)
        from evals.run import EvaluationRequest, prepare_run  # noqa: PLC0415 - takes seconds

        task: Task = EVALUATIONS[name].import_object()
        chosen = {"preset": preset, "prompts": prompts, "model": model, "base_url": base_url}
        flags = build_setting_overrides(task.kind, chosen)
        if concurrency:
            at_once = {role: {"concurrency": concurrency} for role in ("default", *task.roles)}
            flags = merge_settings(flags, {"models": at_once})
        folder = out or Path("evaluations") / f"{name}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
        run = prepare_run(task, EvaluationRequest(data or [], rows, limit, seed, split), load_settings(flags), folder)
        _run_evaluation(task, run, engine=engine, actors=actors, quiet=quiet)

    evaluate.__doc__ = EVALUATIONS[name].help
    return evaluate


for _name in EVALUATIONS:
    eval_app.command(_name)(build_evaluation_command(_name))


@eval_app.command("reproduce")
def reproduce_experiments(  # noqa: PLR0913 - each parameter is a flag
    data: DataFolderArgument = None,
    *,
    plan: Annotated[bool, typer.Option("--plan", help="Only show the runs and their estimated cost.")] = False,
    reads: Annotated[int, typer.Option(min=1, help="Tokens a second that the endpoint reads.")] = 5000,
    writes: Annotated[int, typer.Option(min=1, help="Tokens a second that it writes.")] = 1000,
    limit: LimitOption = None,
    seed: SeedOption = 0,
    split: SplitOption = None,
    out: Annotated[Path, typer.Option("--out", help="Folder of the runs.")] = Path("reproduction"),
    preset: options.PresetOption = None,
    model: options.ModelOption = None,
    base_url: options.BaseUrlOption = None,
    engine: options.EngineOption = "local",
    actors: options.ActorsOption = 1,
    quiet: options.QuietOption = False,
) -> None:
    """Run the papers' tables and figures, the most important first; the same command resumes."""
    require_extra(EVALS)
    from evals.reproduction import PlannedStage, Reproduction  # noqa: PLC0415 - these take seconds
    from evals.run import prepare_run  # noqa: PLC0415

    def resolve_settings(task: Task, overrides: dict[str, Any]) -> Settings:
        """Load the settings of a task from the flags, which `overrides` overrule."""
        flags = build_setting_overrides(task.kind, {"preset": preset, "model": model, "base_url": base_url})
        return load_settings(merge_settings(flags, overrides))

    wanted = Reproduction(
        data, out, limit, seed, split, lambda name: EVALUATIONS[name].import_object(), resolve_settings
    )
    stages = wanted.plan_stages()
    _show_plan(stages, reads, writes)
    if plan:
        print_to_stderr("Next: the same command without --plan runs all of it; it can be stopped and run again.")
        return
    for number, stage in enumerate(stages, start=1):
        if isinstance(stage, PlannedStage) and stage.left:
            print_to_stderr(f"Stage {number} of {len(stages)}: {stage.stage.shows}")
            run = prepare_run(stage.task, stage.wanted, stage.settings, stage.folder.path)
            _run_evaluation(stage.task, run, engine=engine, actors=actors, quiet=quiet)
    _show_plan(wanted.plan_stages(), reads, writes)


def _show_plan(stages: Sequence[PlannedStage | SkippedStage], reads: int, writes: int) -> None:
    """Print a table of the stages with their remaining cost and its sum; rates are in tokens a second."""
    from evals.reproduction import NOT_REPRODUCED, PlannedStage, UsageEstimate  # noqa: PLC0415 - takes seconds

    costs = ("outputs to make", "calls", "tokens read", "tokens written", "hours")
    columns = [Column(name, justify="right") for name in costs]
    table = Table("", "what it shows", Column("run", max_width=36), *columns)
    left, total = 0, UsageEstimate()
    for number, stage in enumerate(stages, start=1):
        if isinstance(stage, PlannedStage):
            left, total = left + stage.left, total.add_scaled(stage.cost)
            cells = [stage.stage.run_name, *_format_cost_cells(stage.left, stage.cost, reads, writes)]
        else:
            cells = [f"left out: {stage.reason}"]
        table.add_row(str(number), stage.stage.shows, *map(escape, cells))
    table.add_section()
    table.add_row("", "all that is left", "", *_format_cost_cells(left, total, reads, writes))
    print_table(OUT, table)
    print_to_stderr(f"Hours are for an endpoint that reads {reads:,} and writes {writes:,} tokens a second in all.")
    for shows, reason in NOT_REPRODUCED.items():
        print_to_stderr(f"Not made here: {shows}; {reason}.")


def _format_cost_cells(outputs: int, cost: UsageEstimate, reads: int, writes: int) -> list[str]:
    """Format the outputs to make, the usage and the hours as five cells; rates are in tokens a second."""
    hours = (cost.tokens_in / reads + cost.tokens_out / writes) / 3600
    return [f"{outputs:,}", *(f"{part:,.0f}" for part in cost), f"{hours:,.1f}"]


@eval_app.command("resume")
def resume_evaluation(
    run: RunArgument,
    *,
    engine: options.EngineOption = "local",
    actors: options.ActorsOption = 1,
    quiet: options.QuietOption = False,
) -> None:
    """Resume a run, and retry what failed."""
    task, folder = load_evaluation_run(run)
    _run_evaluation(task, folder, engine=engine, actors=actors, quiet=quiet)


@eval_app.command("report")
def report_run(run: RunArgument) -> None:
    """Score a run again and write its reports, without asking a model."""
    _write_evaluation_reports(*load_evaluation_run(run))


@eval_app.command("compare")
def print_run_comparison(first: RunArgument, second: RunArgument) -> None:
    """Compare two runs of one evaluation over the samples that both have."""
    runs = [load_evaluation_run(run) for run in (first, second)]
    from evals.evaluation import score_run  # noqa: PLC0415 - these take seconds
    from evals.reports.tables import render_comparison  # noqa: PLC0415

    typer.echo(render_comparison(*(score_run(*run) for run in runs)), nl=False)


@eval_app.command("retrieval")
def measure_retrieval(
    data: Annotated[Path, typer.Argument(help="Folder of F1000RD: papers.jsonl and paragraph_reviews.jsonl.")],
    *,
    preset: options.PresetOption = None,
) -> None:
    """Measure how often the investigator is shown the passage that a human comment needs."""
    require_extra(EVALS)
    from evals.retrieval import evaluate_retrieval, join_labelled_comments  # noqa: PLC0415 - takes seconds

    settings = load_settings({"preset": preset} if preset else {})
    typer.echo(evaluate_retrieval(join_labelled_comments(data), settings.feedback), nl=False)


@eval_app.command("plan_reranking")
def measure_plan_reranking(
    pairs: Annotated[Path, typer.Argument(help="Paragraphs with what reviewers criticised in them, JSON Lines.")],
    *,
    out: Annotated[Path, typer.Option("--out", help="Folder of the results.")],
    weights: Annotated[
        Path, typer.Option(help="Folder of a re-ranker; by default the shipped one.", show_default=False)
    ] = SHIPPED_WEIGHTS,
    plans: Annotated[Path | None, typer.Option(help="Plans for them; by default the shipped ones.")] = None,
) -> None:
    """Measure recall@1 of the plan re-ranker on plans of unseen papers, beside simple rankings."""
    require_extra(TRAINING)
    from training.plan_reranker.evaluate import evaluate_reranker  # noqa: PLC0415 - these take seconds
    from training.plan_reranker.plans import read_planned_paragraphs  # noqa: PLC0415

    # The evaluation takes minutes, so the folder is checked first.
    existing = next(folder for folder in (out, *out.parents) if folder.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK):
        raise StateError(f"{out} cannot be written; choose another folder with --out.", kind="output_unwritable")
    typer.echo(evaluate_reranker(weights, read_planned_paragraphs(pairs, plans), out), nl=False)


@eval_app.command("blind")
def create_blinded_tasks(
    run: RunArgument,
    *,
    out: Annotated[Path, typer.Option("--out", help="Folder for the tasks and the key.")],
    rows: JudgedRowsOption = None,
    seed: SeedOption = 0,
) -> None:
    """Write blinded Label Studio tasks of a run's texts, and a key that raters must not see."""
    require_extra(EVALS)
    from evals.evaluation import score_run  # noqa: PLC0415 - these take seconds
    from evals.human import blinding, label_studio  # noqa: PLC0415

    task, folder = load_evaluation_run(run)
    if not task.judged:
        raise InputError(f"{run} is a run of {task.name}; name a run of science_journalism or focused_feedback.")
    scored = score_run(task, folder)
    names = [name.strip() for name in rows.split(",")] if rows else blinding.list_judged_rows(scored)
    if not names:
        raise InputError(
            f"{run} has no text yet of {', '.join(task.judged)}; go on with it: draftroom eval resume {run}",
            kind="empty_input",
        )
    candidates = blinding.collect_candidates(scored, names)
    if task.kind == "journalism":
        tasks, key = blinding.build_rating_tasks(candidates, seed=seed)
        config = label_studio.build_rating_config()
    else:
        tasks, key = blinding.build_comparison_tasks(candidates, seed=seed)
        config = label_studio.build_comparison_config()
    label_studio.write_project(out, config, tasks, key)
    print_to_stderr(f"{len(tasks)} tasks are in {out / 'tasks.json'}, for Label Studio with {out / 'labelling.xml'}.")
    print_to_stderr(f"Keep {out / 'key.json'} from the raters: it says which system wrote which text.")


@eval_app.command("judged")
def report_judgements(
    answers: Annotated[list[Path], typer.Argument(help="JSON exports of Label Studio.")],
    *,
    key: Annotated[Path, typer.Option(help="The key.json of these tasks.")],
    within_from: Annotated[
        float, typer.Option(min=1, max=5, help="Least stated knowledge of a rater who counts as within the field.")
    ] = 3.0,
    seed: SeedOption = 0,
) -> None:
    """Report the raters' judgements.

    Mean scores of articles, or which comments were preferred, and how far raters agree (kappa).
    """
    require_extra(EVALS)
    from evals.human import judgements  # noqa: PLC0415 - these take seconds
    from evals.human.blinding import read_key  # noqa: PLC0415
    from evals.human.label_studio import CRITERIA, QUESTIONNAIRE, read_exports  # noqa: PLC0415
    from evals.reports.document import render_report_markdown  # noqa: PLC0415

    tasks_key = read_key(key)
    given = read_exports(answers)
    if not given:
        named = ", ".join(map(str, answers))
        message = f"There is no answer in {named}; have the tasks judged, or name another file."
        raise InputError(message, kind="empty_input")
    # Articles are rated alone, comments in pairs.
    if all(len(item.systems) == 1 for item in tasks_key.items.values()):
        ratings = judgements.tabulate_answers(given, tasks_key, QUESTIONNAIRE, ["system"])
        report = judgements.build_ratings_report(ratings, within_from=within_from, seed=seed)
    else:
        compared = judgements.tabulate_answers(given, tasks_key, CRITERIA, ["first", "second"])
        report = judgements.build_judgements_report(compared, seed=seed)
    typer.echo(render_report_markdown(report), nl=False)


def load_evaluation_run(path: Path) -> tuple[Task, RunFolder]:
    """Return the task of an evaluation run and its folder, as a pair.

    Raises:
        InputError: If the folder holds no run, or a run with tasks or rows of another version.
    """
    require_extra(EVALS)
    from evals.run import RunFolder  # noqa: PLC0415 - takes seconds

    folder = RunFolder(path)
    config = folder.read_run_config()
    task: Task | None = EVALUATIONS[config.task].import_object() if config.task in EVALUATIONS else None
    if task is None or not set(config.rows) <= {row.name for row in task.rows}:
        raise InputError(
            f"The run in {path} has a task or rows that are not known here: use Draftroom {config.version}, which it "
            "is from."
        )
    return task, folder


def _run_evaluation(task: Task, folder: RunFolder, *, engine: options.Engine, actors: int, quiet: bool) -> None:
    """Run the missing samples and write the reports, or exit if stopped."""
    from langgraph.runtime import RunControl  # noqa: PLC0415 - these take seconds

    from evals.run import SAMPLES_PER_REQUEST, run_systems  # noqa: PLC0415
    from runs.jobs import Workers  # noqa: PLC0415
    from runs.signals import run_until_stopped  # noqa: PLC0415

    models = [ModelSettings(**model) for model in folder.read_run_config().models.values()]
    at_once = SAMPLES_PER_REQUEST * max(model.concurrency for model in models)
    workers, control = Workers(at_once, actors if engine == "ray" else 0), RunControl()
    report = (lambda _: None) if quiet else print_to_stderr
    # The task itself cannot be sent to a Ray actor; its import can.
    load, checkpoints = EVALUATIONS[task.name].import_object, load_settings().checkpoints
    work = run_systems(load, folder, workers, on_end=report, control=control, checkpoints=checkpoints)
    asyncio.run(run_until_stopped(work, control, print_to_stderr))
    if control.drain_requested:
        again = "" if engine == "local" else f" --engine {engine} --actors {actors}"
        print_to_stderr(f"Stopped; all answers so far are kept. Resume: draftroom eval resume {folder.path}{again}")
        raise typer.Exit(STOPPED)
    _write_evaluation_reports(task, folder)


def _write_evaluation_reports(task: Task, folder: RunFolder) -> None:
    """Score a run, write its reports and print the main one; raise typer.Exit if all samples failed."""
    from evals.evaluation import score_run  # noqa: PLC0415 - these take seconds
    from evals.reports.report import write_reports  # noqa: PLC0415

    scored = score_run(task, folder)
    try:
        printed = write_reports(scored, folder)
    except OSError as error:
        message = f"The reports cannot be written in {folder.path} ({error}); make room, or copy the run elsewhere."
        raise StateError(message, kind="output_unwritable") from error
    typer.echo(printed, nl=False)
    print_to_stderr(f"Reports, figures and a page for each sample are in {folder.path}: open report.html there.")
    print_to_stderr(f"Next: draftroom eval compare {folder.path} OTHER, draftroom eval blind (ask people).")
    if scored.failed or scored.missing:
        print_to_stderr(f"To retry what failed: draftroom eval resume {folder.path}")
    if scored.failed and not scored.outputs:
        raise typer.Exit(EXIT_CODES[scored.failed[0].kind])
