"""Processes that tests start: none outlives its test, whatever happens there."""

from __future__ import annotations

import subprocess
from types import TracebackType
from typing import Any


class Child(subprocess.Popen[Any]):
    """A process that is killed where its `with` block ends by an error, instead of being waited for."""

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is not None:
            self.kill()
        super().__exit__(kind, value, traceback)
