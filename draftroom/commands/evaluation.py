"""`draftroom eval`: run the papers' experiments again, on any endpoint, and compare what comes out."""

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

from draftroom.commands.models import start_servers
from draftroom.commands.options import (
    ActorsOption,
    BaseUrlOption,
    Engine,
    EngineOption,
    ModelOption,
    PresetOption,
    QuietOption,
    build_setting_overrides,
)
from draftroom.exit_codes import EXIT_CODES, STOPPED
from draftroom.extras import EVALS, TRAINING, require_extra
from draftroom.rendering.console import OUT, print_table, print_to_stderr
from draftroom.systems import SYSTEMS
from serving.profiles import Profile, Server, load_profile
from state.errors import InputError, StateError
from state.model_settings import ModelSettings
from state.settings import Settings
from tools.configuration import list_presets, load_settings, merge_settings
from tools.reranking import SHIPPED_WEIGHTS

if TYPE_CHECKING:
    from evals.reproduction import PlannedStage, SkippedStage, UsageEstimate
    from evals.run import RunFolder
    from evals.task import Task

eval_app = typer.Typer(help="Run the papers' experiments: their tables and figures beside yours.", no_args_is_help=True)

EVALUATIONS = {name: system.evaluation for name, system in SYSTEMS.items() if system.evaluation}
"""The task of each paper."""

DataArgument = Annotated[
    list[Path] | None,
    typer.Argument(help="Corpora: JSON Lines, or a published release's file or folder. None: the set that ships."),
]
RowsOption = Annotated[str | None, typer.Option(help="Rows to run, with commas between them; `all` for every one.")]
LimitOption = Annotated[int | None, typer.Option(min=1, help="Samples of each corpus; without it all of them.")]
SeedOption = Annotated[int, typer.Option(help="Of the choice of samples and of the intervals.")]
ConcurrencyOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=1024,
        help="Requests to an endpoint at once, by default as in the settings; twice as many samples are under way.",
    ),
]
SamplesAtOnceOption = Annotated[
    int | None,
    typer.Option(
        "--concurrency", min=1, help="Samples at once; requests to an endpoint are limited as when the run began."
    ),
]
SplitOption = Annotated[str | None, typer.Option(help="Only samples of this split, where a corpus names them.")]
OutOption = Annotated[Path | None, typer.Option("--out", help="Folder of the run; one that is there is taken up.")]
ProfileOption = Annotated[
    str | None, typer.Option(help="Start the servers of this profile, unless they run, and use them.")
]
RunArgument = Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run.")]
DataFolderArgument = Annotated[
    Path | None,
    typer.Argument(
        help="Folder of corpora, each named for what it is: journalism…, simplification…, feedback…, and "
        "literature for a folder of other papers. None: the samples that ship.",
    ),
]


def build_evaluation_command(name: str) -> Callable[..., None]:
    """The command that runs a task."""

    def evaluate(  # noqa: PLR0913 - each parameter is a flag
        data: DataArgument = None,
        *,
        rows: RowsOption = None,
        limit: LimitOption = None,
        seed: SeedOption = 0,
        concurrency: ConcurrencyOption = None,
        split: SplitOption = None,
        out: OutOption = None,
        profile: ProfileOption = None,
        preset: PresetOption = None,
        model: ModelOption = None,
        base_url: BaseUrlOption = None,
        engine: EngineOption = "local",
        actors: ActorsOption = 1,
        quiet: QuietOption = False,
    ) -> None:
        require_extra(EVALS)
        from evals.run import EvaluationRequest, prepare_run  # noqa: PLC0415 - takes seconds

        task: Task = EVALUATIONS[name].import_object()
        flags = build_setting_overrides(task.kind, {"preset": preset, "model": model, "base_url": base_url})
        if concurrency:
            at_once = {role: {"concurrency": concurrency} for role in ("default", *task.roles)}
            flags = merge_settings(flags, {"models": at_once})
        servers = load_profile(profile) if profile else None
        settings = load_settings(merge_settings(_build_server_settings(servers, task), flags) if servers else flags)
        folder = out or Path("evaluations") / f"{name}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
        run = prepare_run(task, EvaluationRequest(data or [], rows, limit, seed, split), settings, folder)
        if servers:
            start_servers(servers)
        _run_evaluation(task, run, engine=engine, actors=actors, quiet=quiet)

    evaluate.__doc__ = EVALUATIONS[name].help
    return evaluate


for _name in EVALUATIONS:
    eval_app.command(_name)(build_evaluation_command(_name))


@eval_app.command("reproduce")
def reproduce_experiments(  # noqa: PLR0913 - each parameter is a flag
    data: DataFolderArgument = None,
    *,
    plan: Annotated[bool, typer.Option("--plan", help="Only say what is to be run and what it will take.")] = False,
    reads: Annotated[int, typer.Option(min=1, help="Tokens a second that the endpoint reads.")] = 5000,
    writes: Annotated[int, typer.Option(min=1, help="Tokens a second that it writes.")] = 1000,
    limit: LimitOption = None,
    seed: SeedOption = 0,
    split: SplitOption = None,
    out: Annotated[Path, typer.Option("--out", help="Folder of the runs.")] = Path("reproduction"),
    preset: PresetOption = None,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    engine: EngineOption = "local",
    actors: ActorsOption = 1,
    quiet: QuietOption = False,
) -> None:
    """Run the papers' tables and figures, the most important first; the same command goes on with it."""
    require_extra(EVALS)
    from evals.reproduction import PlannedStage, Reproduction  # noqa: PLC0415 - these take seconds
    from evals.run import prepare_run  # noqa: PLC0415

    def settings(task: Task, of_stage: dict[str, Any]) -> Settings:
        flags = build_setting_overrides(task.kind, {"preset": preset, "model": model, "base_url": base_url})
        return load_settings(merge_settings(flags, of_stage))

    wanted = Reproduction(data, out, limit, seed, split, lambda name: EVALUATIONS[name].import_object(), settings)
    stages = wanted.plan_stages()
    _show_plan(stages, reads, writes)
    if plan:
        print_to_stderr(
            "Next: the same command without --plan runs all of it, and goes on with it when it was stopped."
        )
        return
    for number, each in enumerate(stages, start=1):
        if isinstance(each, PlannedStage) and each.left:
            print_to_stderr(f"Stage {number} of {len(stages)}: {each.stage.shows}")
            run = prepare_run(each.task, each.wanted, each.settings, each.folder.path)
            _run_evaluation(each.task, run, engine=engine, actors=actors, quiet=quiet)
    _show_plan(wanted.plan_stages(), reads, writes)


def _show_plan(stages: Sequence[PlannedStage | SkippedStage], reads: int, writes: int) -> None:
    """What each stage shows, and what it will still take; then all together."""
    from evals.reproduction import NOT_REPRODUCED, PlannedStage, UsageEstimate  # noqa: PLC0415 - takes seconds

    table = Table(
        "", "what it shows", Column("run", max_width=36), *(Column(name, justify="right") for name in _COST_COLUMNS)
    )
    left, total = 0, UsageEstimate()
    for number, each in enumerate(stages, start=1):
        if isinstance(each, PlannedStage):
            left, total = left + each.left, total.add_scaled(each.cost)
            cells = [each.stage.run_name, *_format_cost_cells(each.left, each.cost, reads, writes)]
        else:
            cells = [f"left out: {each.reason}"]
        table.add_row(str(number), each.stage.shows, *map(escape, cells))
    table.add_section()
    table.add_row("", "all that is left", "", *_format_cost_cells(left, total, reads, writes))
    print_table(OUT, table)
    print_to_stderr(f"Hours are for an endpoint that reads {reads:,} and writes {writes:,} tokens a second in all.")
    for shows, reason in NOT_REPRODUCED.items():
        print_to_stderr(f"Not made here: {shows}; {reason}.")


_COST_COLUMNS = ("outputs to make", "calls", "tokens read", "tokens written", "hours")


def _format_cost_cells(outputs: int, cost: UsageEstimate, reads: int, writes: int) -> list[str]:
    hours = (cost.tokens_in / reads + cost.tokens_out / writes) / 3600
    return [f"{outputs:,}", *(f"{part:,.0f}" for part in cost), f"{hours:,.1f}"]


@eval_app.command("resume")
def resume_evaluation(
    run: RunArgument,
    *,
    concurrency: SamplesAtOnceOption = None,
    engine: EngineOption = "local",
    actors: ActorsOption = 1,
    quiet: QuietOption = False,
) -> None:
    """Go on with a run that was stopped, and try again what failed."""
    task, folder = load_evaluation_run(run)
    _run_evaluation(task, folder, concurrency, engine=engine, actors=actors, quiet=quiet)


@eval_app.command("report")
def report_run(run: RunArgument) -> None:
    """Score a run again and write its reports, without asking any model."""
    _write_evaluation_reports(*load_evaluation_run(run))


@eval_app.command("compare")
def print_run_comparison(first: RunArgument, second: RunArgument) -> None:
    """What differs between two runs of one evaluation, over the samples that both have."""
    runs = [load_evaluation_run(run) for run in (first, second)]
    from evals.evaluation import score_run  # noqa: PLC0415 - these take seconds
    from evals.reports.compare import render_comparison as compared  # noqa: PLC0415

    typer.echo(compared(*(score_run(*each) for each in runs)), nl=False)


@eval_app.command("retrieval")
def measure_retrieval(
    data: Annotated[Path, typer.Argument(help="Folder of F1000RD: papers.jsonl and paragraph_reviews.jsonl.")],
    *,
    preset: PresetOption = None,
) -> None:
    """How often the passage that a human comment needs is among those that the investigator is shown."""
    require_extra(EVALS)
    from evals.retrieval import evaluate_retrieval, load_labelled_comments  # noqa: PLC0415 - takes seconds

    typer.echo(
        evaluate_retrieval(load_labelled_comments(data), load_settings({"preset": preset} if preset else {}).feedback),
        nl=False,
    )


@eval_app.command("plan_reranking")
def measure_plan_reranking(
    pairs: Annotated[Path, typer.Argument(help="Paragraphs with what reviewers criticised in them, JSON Lines.")],
    *,
    out: Annotated[Path, typer.Option("--out", help="Folder of the results.")],
    weights: Annotated[
        Path, typer.Option(help="Folder of a re-ranker; by default the one that ships.", show_default=False)
    ] = SHIPPED_WEIGHTS,
    plans: Annotated[Path | None, typer.Option(help="Plans for them; by default those that ship.")] = None,
) -> None:
    """Recall@1 of the plan re-ranker on plans of unseen papers, beside what ranks them without it."""
    require_extra(TRAINING)
    from training.plan_reranker.evaluate import evaluate_reranker  # noqa: PLC0415 - these take seconds
    from training.plan_reranker.plans import read_planned_paragraphs  # noqa: PLC0415

    # Before minutes are spent on what could not be kept.
    there = next(each for each in (out, *out.parents) if each.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        raise StateError(f"{out} cannot be written; choose another folder with --out.", kind="output_unwritable")
    typer.echo(evaluate_reranker(weights, read_planned_paragraphs(pairs, plans), out), nl=False)


def _build_server_settings(profile: Profile, task: Task) -> dict[str, Any]:
    """Settings that ask the servers of a profile, whoever is asked otherwise; the rest is of the preset of its name."""
    of_every_role = next((server for server in profile.servers if not server.roles), profile.servers[0])
    servers: dict[str, Server] = dict.fromkeys(("default", *task.roles), of_every_role)
    servers |= {role: server for server in profile.servers for role in server.roles}
    models = {role: {"base_url": each.base_url, "model": each.served_model_name} for role, each in servers.items()}
    return {"models": models, **({"preset": profile.name} if profile.name in list_presets() else {})}


def load_evaluation_run(path: Path) -> tuple[Task, RunFolder]:
    """The task and the folder of a run.

    Raises:
        BadInput: The folder holds no run, or one of a version with other tasks or rows.
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


def _run_evaluation(
    task: Task, folder: RunFolder, samples: int | None = None, *, engine: Engine, actors: int, quiet: bool
) -> None:
    """Run what is missing, then report."""
    from langgraph.runtime import RunControl  # noqa: PLC0415 - these take seconds

    from evals.run import SAMPLES_PER_REQUEST, run_systems  # noqa: PLC0415
    from runs.jobs import Workers  # noqa: PLC0415
    from runs.signals import run_until_stopped  # noqa: PLC0415

    models = [ModelSettings(**model) for model in folder.read_run_config().models.values()]
    at_once = samples or SAMPLES_PER_REQUEST * max(model.concurrency for model in models)
    workers, control = Workers(at_once, actors if engine == "ray" else 0), RunControl()
    told = (lambda _: None) if quiet else print_to_stderr
    load, checkpoints = EVALUATIONS[task.name].import_object, load_settings().checkpoints
    work = run_systems(load, folder, workers, tell=told, control=control, checkpoints=checkpoints)
    asyncio.run(run_until_stopped(work, control, print_to_stderr))
    if control.drain_requested:
        again = "" if engine == "local" else f" --engine {engine} --actors {actors}"
        print_to_stderr(
            f"Stopped; nothing that was paid for is lost. To go on: draftroom eval resume {folder.path}{again}"
        )
        raise typer.Exit(STOPPED)
    _write_evaluation_reports(task, folder)


def _write_evaluation_reports(task: Task, folder: RunFolder) -> None:
    from evals.evaluation import score_run  # noqa: PLC0415 - these take seconds
    from evals.reports.report import write_reports  # noqa: PLC0415

    scored = score_run(task, folder)
    try:
        printed = write_reports(scored, folder)
    except OSError as error:
        raise StateError(
            f"The reports cannot be written in {folder.path} ({error}); make room for them, or copy the run elsewhere.",
            kind="output_unwritable",
        ) from error
    typer.echo(printed, nl=False)
    print_to_stderr(f"Reports, figures and a page for each sample are in {folder.path}: open report.html there.")
    print_to_stderr(
        f"Next: draftroom eval compare {folder.path} OTHER (beside another run), draftroom eval blind (ask people)."
    )
    if scored.failed or scored.missing:
        print_to_stderr(f"To try again what failed: draftroom eval resume {folder.path}")
    if scored.failed and not scored.outputs:
        raise typer.Exit(EXIT_CODES[scored.failed[0].kind])
