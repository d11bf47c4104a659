"""Live progress on standard error: a moving line on a terminal, plain lines elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

from rich.markup import escape
from rich.progress import Progress as MovingLine
from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

from draftroom.consoles import ERR, spoken, tell
from draftroom.rendering.rendering import Rendering
from state.records import Values
from tools.plain_characters import plain


class ConsoleProgress:
    """Follows a run and tells a person about it.

    Args:
        rendering: How the system tells of its calls and steps.
        quiet: Tell nothing but what the person must know.
    """

    def __init__(self, rendering: Rendering, *, quiet: bool = False) -> None:
        self._rendering = rendering
        self._quiet = quiet
        self._line: MovingLine | None = None

    def __enter__(self) -> Self:
        if ERR.is_terminal and not self._quiet:
            columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
            self._line = MovingLine(*columns, console=ERR, transient=True)
            self._line.add_task("beginning", total=None)
            self._line.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._line:
            self._line.stop()
            self._line = None

    def event(self, event: Mapping[str, Any]) -> None:
        """Show a call that begins, or the tokens of one that goes on."""
        who, what = spoken(event["role"]), spoken(event["step"])
        doing = f"{self._rendering.unit} {event['round']}: {who}, {what} ({event['model']})"
        if event["event"] == "call":
            self._begin(doing)
        elif self._line:
            self._show(f"{doing}, {event['tokens']} tokens", restart=False)

    def step(self, node: str, update: Values, values: Values, tokens: int) -> None:
        """Show what the run has come to, if it is worth a line: with what a node has written, and its tokens so far."""
        line = self._rendering.milestone(node, update, values)
        if line and not self._quiet:
            tell(f"{line} ({tokens:,} tokens so far)")

    def say(self, text: str) -> None:
        """Tell a person what they must know, also when quiet."""
        tell(text)

    def _begin(self, doing: str) -> None:
        if self._line:
            self._show(doing, restart=True)
        elif not self._quiet:
            tell(doing)

    def _show(self, text: str, *, restart: bool) -> None:
        assert self._line is not None  # noqa: S101 - both callers have looked
        task = self._line.task_ids[0]
        if restart:
            self._line.reset(task, total=None)
        self._line.update(task, description=escape(plain(text)))
