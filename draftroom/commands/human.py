"""`draftroom eval blind, annotate, judged`: have people judge the texts of a run, without knowing whose they are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from draftroom.commands.evaluation import SeedOption, eval_app, opened
from draftroom.extras import EVALS, require
from draftroom.rendering.rendering import tell
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
    """Make blinded tasks of texts, for Label Studio or for `annotate`, and the key that no rater may see."""
    require(EVALS)
    from evals.human import label_studio  # noqa: PLC0415 - these take seconds
    from evals.human.blinding import Allocation, allocate  # noqa: PLC0415
    from evals.human.items import comparisons, rated_texts  # noqa: PLC0415

    candidates = _of_run(texts, kind, rows) if texts.is_dir() else _of_file(texts, rows)
    if kind == "journalism":
        articles, key = rated_texts(candidates, seed=seed)
        config, tasks = label_studio.rating_config(), label_studio.rating_tasks(articles)
    else:
        pairs, key = comparisons(candidates, seed=seed)
        config, tasks = label_studio.comparison_config(), label_studio.comparison_tasks(pairs)
    files = {"tasks.json": tasks}
    if raters is not None:
        by_item = {task["data"]["item"]: task for task in tasks}
        shares = allocate(key, Allocation(raters, each, double))
        files = {f"tasks-{n}.json": [by_item[item] for item in items] for n, items in enumerate(shares, start=1)}
    label_studio.write_project(out, config, files, key)
    for name, of_file in files.items():
        tell(f"{len(of_file)} tasks are in {out / name}, for Label Studio with {out / 'labelling.xml'}.")
    if kind == "feedback":
        name = next(iter(files))
        answers = f"{name.replace('tasks', 'answers')}l"
        tell(f"Without Label Studio: draftroom eval annotate {out / name} --answers {answers}")
    tell(f"Keep {out / 'key.json'} from the raters: it says whose text is whose.")


@eval_app.command()
def annotate(
    tasks: Annotated[Path, typer.Argument(help="A tasks.json of comparisons, as `blind` writes it.")],
    *,
    answers: Annotated[
        Path, typer.Option(help="JSON Lines that the answers are appended to; taken up if it is there.")
    ],
    rater: Annotated[str, typer.Option(help="Name of the person who judges; the page asks for it otherwise.")] = "",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 0,
) -> None:
    """Serve the comparisons on a page of this machine, for one person or several, one after the other."""
    require(EVALS)
    from evals.human.answers import AnswerStore  # noqa: PLC0415 - these take seconds
    from evals.human.label_studio import read_comparisons  # noqa: PLC0415
    from evals.human.server import AnnotationServer  # noqa: PLC0415

    with AnnotationServer(read_comparisons(tasks), AnswerStore(answers), port=port) as server:
        tell(f"Open {server.address(rater)} in a browser; Ctrl-C ends it. Each answer is kept at once.")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            tell(f"Ended. The answers are in {answers}.")


@eval_app.command()
def judged(
    answers: Annotated[list[Path], typer.Argument(help="Exports of Label Studio, or files that `annotate` wrote.")],
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
    from evals.human.label_studio import collect_answers  # noqa: PLC0415
    from evals.human.ratings import ratings, ratings_report  # noqa: PLC0415
    from evals.reports.document import as_markdown  # noqa: PLC0415

    whose = read_key(key)
    _refuse_other_kind(whose, kind, key)
    given = collect_answers(answers)
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
