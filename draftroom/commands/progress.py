"""How a run is told of while it is at work, on standard error.

On a terminal one line moves at the bottom: who is at work on what, the tokens of the run so far, the time it has taken.
What is finished stands above it, a short line a step. Elsewhere, also on a terminal that cannot move its cursor, each
call and each finished step is a line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

from rich.markup import escape
from rich.progress import Progress as MovingLine
from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Column

from draftroom.consoles import ERR, spoken, tell
from draftroom.rendering.rendering import Rendering
from state.records import Values
from tools.text.characters import plain


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
        self._at_work: dict[int, str] = {}
        """What each call under way does."""
        self._written: Counter[int] = Counter()
        """Tokens of each call since the last step, which accounts for those before."""
        self._tokens = 0

    def __enter__(self) -> Self:
        if ERR.is_terminal and not ERR.is_dumb_terminal and not self._quiet:
            doing = TextColumn("{task.description}", table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis"))
            tokens = TextColumn("{task.completed:,.0f} tokens")
            columns = (SpinnerColumn(), doing, tokens, TimeElapsedColumn())
            self._line = MovingLine(*columns, console=ERR, transient=True, expand=True)
            self._line.add_task("beginning", total=None, completed=self._tokens)
            self._line.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._line:
            self._line.stop()
            self._line = None

    def event(self, event: Mapping[str, Any]) -> None:
        """Show who is at work: a call begins, goes on, or has ended."""
        call = event["call"]
        if event["event"] == "call":
            doing = f"{spoken(event['role'])}, {spoken(event['step'])}"
            self._at_work[call] = doing
            if not self._line and not self._quiet:
                tell(f"{self._rendering.unit} {event['round']}: {doing} ({event['model']})")
        elif event["event"] == "tokens":
            self._written[call] = event["tokens"]
        else:
            self._at_work.pop(call, None)
        self._show()

    def step(self, node: str, update: Values, values: Values, tokens: int) -> None:
        """Show what the run has come to, if it is worth a line: with what a node has written, and its tokens so far."""
        self._tokens = tokens
        self._written = Counter({call: self._written[call] for call in self._at_work})
        line = self._rendering.milestone(node, update, values)
        if line and not self._quiet:
            tell(line if self._line else f"{line} ({tokens:,} tokens so far)")
        self._show()

    def say(self, text: str) -> None:
        """Tell a person what they must know, also when quiet."""
        tell(text)

    def _show(self) -> None:
        if self._line:
            agents = Counter(self._at_work.values()).items()
            doing = "; ".join(f"{who} ({times} at once)" if times > 1 else who for who, times in agents)
            task, tokens = self._line.task_ids[0], self._tokens + self._written.total()
            self._line.update(task, description=escape(plain(doing)) or None, completed=tokens)
