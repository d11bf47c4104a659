"""`draftroom eval blind, judged`: have people judge the texts of a run, without knowing whose they are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from draftroom.commands.evaluation import SeedOption, eval_app, opened
from draftroom.extras import EVALS, require
from draftroom.rendering.console import tell
from state.errors import BadInput, SettingsError

if TYPE_CHECKING:
    from evals.human.blinding import BlindingKey
    from evals.human.items import CandidateText

Kind = Literal["journalism", "feedback"]
KindOption = Annotated[
    Kind, typer.Option(help="What is judged: articles, by a questionnaire; or comments, two at a time.")
]
RowsOption = Annotated[
    str | None, typer.Option(help="Rows of the run, with commas; by default those that the paper had people judge.")
]
RatersOption = Annotated[
    int | None, typer.Option(min=1, help="People who share the work, each with tasks of their own; none: one file.")
]
EachOption = Annotated[int, typer.Option(min=1, help="How many of the --raters judge each sample.")]
DoubleOption = Annotated[
    float,
    typer.Option(min=0, max=1, help="Share of the samples that one rater more judges, to see how far they agree."),
]
_SYSTEMS_SHOWN: dict[Kind, int] = {"journalism": 1, "feedback": 2}
"""Of how many systems an item shows the texts."""


@eval_app.command()
def blind(  # noqa: PLR0913 - each parameter is a flag
    texts: Annotated[Path, typer.Argument(help="Folder of a run, or JSON Lines with `id`, `system` and `text`.")],
    *,
    kind: KindOption,
    out: Annotated[Path, typer.Option("--out", help="Folder for the tasks and the key.")],
    rows: RowsOption = None,
    raters: RatersOption = None,
    each: EachOption = 1,
    double: DoubleOption = 0.0,
    seed: SeedOption = 0,
) -> None:
    """Make blinded tasks of texts, for Label Studio, and the key that no rater may see."""
    require(EVALS)
    from evals.human import label_studio  # noqa: PLC0415 - these take seconds
    from evals.human.blinding import Allocation, allocate  # noqa: PLC0415
    from evals.human.items import comparisons, rated_texts  # noqa: PLC0415

    candidates = _of_run(texts, kind, rows) if texts.is_dir() else _of_file(texts, rows)
    if kind == "journalism":
        (tasks, key), config = rated_texts(candidates, seed=seed), label_studio.rating_config()
    else:
        (tasks, key), config = comparisons(candidates, seed=seed), label_studio.comparison_config()
    files = {"tasks.json": tasks}
    if raters is not None:
        by_item = {task["data"]["item"]: task for task in tasks}
        shares = allocate(key, Allocation(raters, each, double))
        files = {f"tasks-{n}.json": [by_item[item] for item in items] for n, items in enumerate(shares, start=1)}
    label_studio.write_project(out, config, files, key)
    for name, of_file in files.items():
        tell(f"{len(of_file)} tasks are in {out / name}, for Label Studio with {out / 'labelling.xml'}.")
    tell(f"Keep {out / 'key.json'} from the raters: it says whose text is whose.")


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
    require(EVALS)
    from evals.human.blinding import read_key  # noqa: PLC0415 - these take seconds
    from evals.human.judgements import judgements, judgements_report  # noqa: PLC0415
    from evals.human.label_studio import read_exports  # noqa: PLC0415
    from evals.human.ratings import ratings, ratings_report  # noqa: PLC0415
    from evals.reports.document import as_markdown  # noqa: PLC0415

    whose = read_key(key)
    _refuse_other_kind(whose, kind, key)
    given = read_exports(answers)
    if not given:
        named = ", ".join(map(str, answers))
        raise BadInput(
            f"There is no answer in {named}; have the tasks judged, or name another file.", kind="empty_input"
        )
    report = (
        ratings_report(ratings(given, whose), within_from=within_from, seed=seed)
        if kind == "journalism"
        else judgements_report(judgements(given, whose), seed=seed)
    )
    typer.echo(as_markdown(report), nl=False)


def _of_run(path: Path, kind: Kind, rows: str | None) -> list[CandidateText]:
    """The texts of a run."""
    from evals.evaluation import evaluate  # noqa: PLC0415 - these take seconds
    from evals.human.items import candidates_of, judged_rows  # noqa: PLC0415

    task, folder = opened(path)
    if task.kind != kind:
        raise BadInput(f"{path} is a run of {task.name}; name one whose texts are judged as {kind}, or another --kind.")
    scored = evaluate(task, folder)
    names = [name.strip() for name in rows.split(",")] if rows else judged_rows(scored)
    if not names:
        raise BadInput(
            f"{path} has no text yet of {', '.join(task.judged)}; go on with it: draftroom eval resume {path}",
            kind="empty_input",
        )
    return candidates_of(scored, names)


def _of_file(path: Path, rows: str | None) -> list[CandidateText]:
    """The texts of a file from elsewhere."""
    from evals.human.items import read_candidates  # noqa: PLC0415 - takes seconds

    if not path.exists():
        raise BadInput(f"There is no {path}; name the folder of a run, or a file of texts.", kind="missing_file")
    if rows:
        raise SettingsError(f"{path} is no run, of which --rows could choose; leave --rows away.")
    return read_candidates(path)


def _refuse_other_kind(key: BlindingKey, kind: Kind, path: Path) -> None:
    if any(len(each.systems) != _SYSTEMS_SHOWN[kind] for each in key.items.values()):
        raise BadInput(f"{path} is no key of tasks of --kind {kind}; choose the other kind, or the key of these tasks.")
