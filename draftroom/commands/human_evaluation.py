"""`draftroom eval blind, judged`: have people judge the texts of a run, without knowing whose they are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from draftroom.commands.evaluation import RunArgument, SeedOption, eval_app, load_evaluation_run
from draftroom.extras import EVALS, require_extra
from draftroom.rendering.console import print_to_stderr
from state.errors import InputError

Kind = Literal["journalism", "feedback"]
KindOption = Annotated[
    Kind, typer.Option(help="What is judged: articles, by a questionnaire; or comments, two at a time.")
]
RowsOption = Annotated[
    str | None, typer.Option(help="Rows of the run, with commas; by default those that the paper had people judge.")
]


@eval_app.command()
def blind(
    run: RunArgument,
    *,
    kind: KindOption,
    out: Annotated[Path, typer.Option("--out", help="Folder for the tasks and the key.")],
    rows: RowsOption = None,
    seed: SeedOption = 0,
) -> None:
    """Make blinded tasks of a run's texts, for Label Studio, and the key that no rater may see."""
    require_extra(EVALS)
    from evals.evaluation import score_run  # noqa: PLC0415 - these take seconds
    from evals.human import label_studio  # noqa: PLC0415
    from evals.human.blinding import build_comparison_tasks, build_rating_tasks, collect_candidates, list_judged_rows  # noqa: PLC0415

    task, folder = load_evaluation_run(run)
    if task.kind != kind:
        raise InputError(
            f"{run} is a run of {task.name}; name one whose texts are judged as {kind}, or another --kind."
        )
    scored = score_run(task, folder)
    names = [name.strip() for name in rows.split(",")] if rows else list_judged_rows(scored)
    if not names:
        raise InputError(
            f"{run} has no text yet of {', '.join(task.judged)}; go on with it: draftroom eval resume {run}",
            kind="empty_input",
        )
    candidates = collect_candidates(scored, names)
    if kind == "journalism":
        (tasks, key), config = build_rating_tasks(candidates, seed=seed), label_studio.build_rating_config()
    else:
        (tasks, key), config = build_comparison_tasks(candidates, seed=seed), label_studio.build_comparison_config()
    label_studio.write_project(out, config, tasks, key)
    print_to_stderr(f"{len(tasks)} tasks are in {out / 'tasks.json'}, for Label Studio with {out / 'labelling.xml'}.")
    print_to_stderr(f"Keep {out / 'key.json'} from the raters: it says whose text is whose.")


@eval_app.command()
def judged(
    answers: Annotated[list[Path], typer.Argument(help="Exports of Label Studio, in its format JSON.")],
    *,
    kind: KindOption,
    key: Annotated[Path, typer.Option(help="The key.json of these tasks.")],
    within_from: Annotated[
        float, typer.Option(min=1, max=5, help="Own knowledge from which a rater counts as within the field.")
    ] = 3.0,
    seed: SeedOption = 0,
) -> None:
    """Tables of what people said: means by question and field, or dominance, ties and kappa."""
    require_extra(EVALS)
    from evals.human.blinding import read_key  # noqa: PLC0415 - these take seconds
    from evals.human.judgements import (  # noqa: PLC0415
        build_judgements_report,
        build_ratings_report,
        tabulate_judgements,
        tabulate_ratings,
    )
    from evals.human.label_studio import read_exports  # noqa: PLC0415
    from evals.reports.document import render_report_markdown  # noqa: PLC0415

    whose = read_key(key)
    shown = 1 if kind == "journalism" else 2  # systems whose texts one item shows
    if any(len(each.systems) != shown for each in whose.items.values()):
        raise InputError(
            f"{key} is no key of tasks of --kind {kind}; choose the other kind, or the key of these tasks."
        )
    given = read_exports(answers)
    if not given:
        named = ", ".join(map(str, answers))
        raise InputError(
            f"There is no answer in {named}; have the tasks judged, or name another file.", kind="empty_input"
        )
    report = (
        build_ratings_report(tabulate_ratings(given, whose), within_from=within_from, seed=seed)
        if kind == "journalism"
        else build_judgements_report(tabulate_judgements(given, whose), seed=seed)
    )
    typer.echo(render_report_markdown(report), nl=False)
