"""How far a training run is, on standard error: a moving bar on a terminal, a line after each epoch everywhere."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments
from typing_extensions import override

from training.run_record import epochs


class FitProgress(TrainerCallback):
    """Follows the steps of a `transformers.Trainer`."""

    def __init__(self) -> None:
        console = Console(stderr=True)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self.bar = Progress(*columns, console=console, disable=not console.is_terminal, transient=True)
        """To be entered around the training."""
        self._task = self.bar.add_task("training", total=None)

    @override
    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        """Begin at the step that a resumed run is at."""
        self.bar.update(self._task, total=state.max_steps, completed=state.global_step)

    @override
    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        """Move on."""
        self.bar.update(self._task, completed=state.global_step)

    @override
    def on_evaluate(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        """Tell what an epoch came to."""
        epoch = epochs(state.log_history)[-1]
        figures = {"train loss": epoch.train_loss, "dev loss": epoch.dev_loss, **epoch.metrics}
        told = ", ".join(f"{name} {value:.4f}" for name, value in figures.items())
        self.bar.console.print(
            f"epoch {epoch.number}/{args.num_train_epochs:g}: {told}", soft_wrap=True, highlight=False, markup=False
        )
