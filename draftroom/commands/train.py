"""`draftroom train`: train the models that the systems use. Each command resumes a stopped training."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from draftroom.extras import TRAINING, require_extra
from draftroom.rendering.console import print_to_stderr

if TYPE_CHECKING:
    from training.review_filters.labelled_sentences import Task

train_app = typer.Typer(help="Train the models that the systems use.", no_args_is_help=True)

OutOption = Annotated[Path, typer.Option("--out", help="Folder of the run; an existing run is resumed.")]
ConfigOption = Annotated[str, typer.Option("--config", help="Hyperparameters: a configuration's name, or a TOML file.")]
PairsArgument = Annotated[list[Path], typer.Argument(help="Pairs of `abstract` and `summary`, JSON Lines; repeatable.")]
SentencesArgument = Annotated[Path, typer.Argument(help="Labelled review sentences, JSON Lines.")]


@train_app.command("plan-reranker")
def train_plan_reranker(
    pairs: Annotated[Path, typer.Argument(help="Paragraphs with what reviewers criticised in them, JSON Lines.")],
    out: OutOption,
    plans: Annotated[Path | None, typer.Option(help="Plans for them; by default the shipped ones.")] = None,
    config: ConfigOption = "plan-reranker-small",
    encoder: Annotated[str | None, typer.Option(help="Another encoder than the configuration's.")] = None,
) -> None:
    """Train the plan re-ranker, and measure it by cross-validation over papers."""
    require_extra(TRAINING)
    from training.fitting import read_training_config  # noqa: PLC0415 - these take seconds
    from training.plan_reranker.evaluate import evaluate_reranker  # noqa: PLC0415
    from training.plan_reranker.plans import read_planned_paragraphs  # noqa: PLC0415
    from training.plan_reranker.train import RerankerTrainingConfig, train_reranker  # noqa: PLC0415

    paragraphs = read_planned_paragraphs(pairs, plans)
    chosen = read_training_config(config, RerankerTrainingConfig)
    weights = train_reranker(chosen.model_copy(update={"encoder": encoder}) if encoder else chosen, paragraphs, out)
    typer.echo(evaluate_reranker(weights, paragraphs, out), nl=False)
    print_to_stderr(f"The plan re-ranker is in {weights}; to use it, set `reranker` under [feedback] to this folder.")


def build_classifier_command(task: Task, examples: str) -> Callable[..., None]:
    """Return the command function that trains a classifier of review sentences."""

    def train(sentences: SentencesArgument, out: OutOption, config: ConfigOption = f"{task}-small") -> None:
        """Train the classifier into the folder `out`, and print its report."""
        require_extra(TRAINING)
        from training.fitting import read_training_config  # noqa: PLC0415 - these take seconds
        from training.review_filters.classifier import ClassifierConfig, train_classifier  # noqa: PLC0415

        typer.echo(train_classifier(task, read_training_config(config, ClassifierConfig), sentences, out), nl=False)

    train.__doc__ = f"Train the classifier of a review sentence's {task}: {examples} and so on."
    return train


train_app.command("purpose")(build_classifier_command("purpose", "praise, weakness, to-do"))
train_app.command("aspect")(build_classifier_command("aspect", "soundness, substance"))


@train_app.command("journalist")
def train_journalist_adapter(pairs: PairsArgument, out: OutOption, config: ConfigOption = "journalist-small") -> None:
    """Fine-tune an adapter for the journalist on plain summaries; vLLM can serve it."""
    require_extra(TRAINING)
    from training.fitting import read_training_config  # noqa: PLC0415 - these take seconds
    from training.journalist.train import ADAPTER_FOLDER, JournalistConfig, train_journalist  # noqa: PLC0415

    record = train_journalist(read_training_config(config, JournalistConfig), pairs, out)
    typer.echo(f"Loss of a token of the dev summaries: {record.before:.3f} before, {record.best:.3f} after.")
    print_to_stderr(f"To use it: vllm serve MODEL --enable-lora --lora-modules tuned={out / ADAPTER_FOLDER}")
    print_to_stderr("Then set this address and `tuned` in [models.warm_start], and run draftroom explain --warm-start.")


@train_app.command("bart")
def train_bart_baseline(
    pairs: PairsArgument,
    out: OutOption,
    config: ConfigOption = "bart-small",
    model: Annotated[str | None, typer.Option(help="Another BART checkpoint than the configuration's.")] = None,
) -> None:
    """Fine-tune BART on plain summaries, for the row `bart` of Table 1."""
    require_extra(TRAINING)
    from training.fitting import read_training_config  # noqa: PLC0415 - these take seconds
    from training.journalist.bart import CHECKPOINT_FOLDER, BartConfig, train_bart  # noqa: PLC0415

    chosen = read_training_config(config, BartConfig)
    record = train_bart(chosen.model_copy(update={"model": model}) if model else chosen, pairs, out)
    typer.echo(f"Loss of a token of the dev summaries: {record.before:.3f} before, {record.best:.3f} after.")
    setting = f'sequence_to_sequence = "{out / CHECKPOINT_FOLDER}"'
    print_to_stderr(f"To use it, set {setting} under [journalism], and add `bart` to --rows.")


@train_app.command("instructions")
def train_instruction_detector(
    papers: Annotated[list[Path], typer.Argument(help="Open papers or abstracts, JSON Lines; repeatable.")],
    out: Annotated[Path, typer.Option("--out", help="Folder for the weights and the report.")],
) -> None:
    """Fit the regression that finds hidden instructions, and test it on unseen text."""
    require_extra(TRAINING)
    from training.injection import train_injection_detector  # noqa: PLC0415 - takes seconds

    typer.echo(train_injection_detector(papers, out), nl=False)
    print_to_stderr(f"The weights are in {out / 'injection.npz'}; the shipped ones are in tools/injection.npz.")
