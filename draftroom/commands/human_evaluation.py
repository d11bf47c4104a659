"""`draftroom eval blind` and `draftroom eval judged`: blinded judgements of a run's texts by people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from draftroom.commands.evaluation import RunArgument, SeedOption, eval_app, load_evaluation_run
from draftroom.extras import EVALS, require_extra
from draftroom.rendering.console import print_to_stderr
from state.errors import InputError

RowsOption = Annotated[str | None, typer.Option(help="Rows of the run, with commas; by default those of the paper.")]


@eval_app.command("blind")
def create_blinded_tasks(
    run: RunArgument,
    *,
    out: Annotated[Path, typer.Option("--out", help="Folder for the tasks and the key.")],
    rows: RowsOption = None,
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
    from evals.human.label_studio import read_exports  # noqa: PLC0415
    from evals.reports.document import render_report_markdown  # noqa: PLC0415

    tasks_key = read_key(key)
    given = read_exports(answers)
    if not given:
        named = ", ".join(map(str, answers))
        message = f"There is no answer in {named}; have the tasks judged, or name another file."
        raise InputError(message, kind="empty_input")
    # Articles are rated alone, comments in pairs.
    if all(len(item.systems) == 1 for item in tasks_key.items.values()):
        ratings = judgements.tabulate_ratings(given, tasks_key)
        report = judgements.build_ratings_report(ratings, within_from=within_from, seed=seed)
    else:
        report = judgements.build_judgements_report(judgements.tabulate_judgements(given, tasks_key), seed=seed)
    typer.echo(render_report_markdown(report), nl=False)
